// SPDX-License-Identifier: MIT

#include "opts.h"

#include "memlimit.h"
#include "pipesize.h"
#include "shown.h"
#include "size.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Two blocks are the double buffer; sixteen absorb a burst. A block of 1 MiB
// is the largest pipe an ordinary user can have (pipe(7), pipe-max-size), so
// that one read can empty any.
#define BLOCK_SIZE ((size_t)1 << 20)
#define BLOCKS 16
#define BLOCKS_LEAST 2
#define SIZE_LEAST ((size_t)4 << 10)

// A terminal shows less in a second than this holds, and whoever looks at it
// wants what comes now to be shown now.
#define TERMINAL_BLOCK_SIZE ((size_t)64 << 10)

// The part of what memory the process is allowed that is taken by default; the
// command may be in the same control group, and need the rest.
#define MEMORY_SHARE 8

// With 512 KiB a pipe brings nearly what 1 MiB brings, the most that an
// ordinary user can have, with 256 KiB much less
// (bench/results/2026-12-07-pipe-size.md); and what all pipes of a user may
// hold together is for the neighbours, too.
#define PIPE_SIZE ((size_t)512 << 10)

// In a millisecond a writer of 65 MB/s fills the 64 KiB that libuv, and with it
// Node and Julia, reads at a time; and a person does not notice it.
#define COALESCE_NS 1000000

// Options that have no letter.
enum {
	OPT_COALESCE = 256,
	OPT_COPY,
	OPT_FIFO,
	OPT_FIFO_TIMEOUT,
	OPT_OUTPUT_ERROR,
	OPT_PIPE_SIZE,
};

static const struct option longopts[] = {
    {"block-size", required_argument, NULL, 'b'},
    {"blocks", required_argument, NULL, 'n'},
    {"coalesce", required_argument, NULL, OPT_COALESCE},
    {"copy", no_argument, NULL, OPT_COPY},
    {"fifo", optional_argument, NULL, OPT_FIFO},
    {"fifo-timeout", required_argument, NULL, OPT_FIFO_TIMEOUT},
    {"help", no_argument, NULL, 'h'},
    {"memory", required_argument, NULL, 'm'},
    {"output-error", required_argument, NULL, OPT_OUTPUT_ERROR},
    {"pipe-size", required_argument, NULL, OPT_PIPE_SIZE},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

// The SYNOPSIS of bibuf(1); a test compares them.
static const char usage[] =
    "usage: bibuf [-hV] [--coalesce=time] [--copy] [--fifo[=path]]\n"
    "             [--fifo-timeout=time] [--output-error=mode] "
    "[--pipe-size=size]\n"
    "             [-b size] [-m size] [-n blocks] [[--] command "
    "[argument ...]]\n";

// Print a text that was asked for, and end.
static _Noreturn void
answer(const char *text)
{
	if (fputs(text, stdout) == EOF || fclose(stdout) == EOF)
		err(EXIT_OWN_FAILURE, "write standard output");
	exit(EXIT_SUCCESS);
}

// Say what is wrong with an option, and end. getopt_long(3) would show the
// argument as it is. `option` is what that has returned.
static _Noreturn void
refuse(int option, const char *argument)
{
	// A letter may stand among others.
	const char letter[] = {'-', (char)optopt, '\0'};
	bool is_long = strncmp(argument, "--", 2) == 0;
	const char *name = shown(is_long ? argument : letter);

	if (option == ':')
		errx(EXIT_OWN_FAILURE, "option '%s' needs a value", name);
	if (is_long && optopt != 0)
		errx(EXIT_OWN_FAILURE, "option '%s' takes no value", name);
	errx(EXIT_OWN_FAILURE, "no such option: '%s'", name);
}

// The value of an option that is a size or a number of at least `least`.
static size_t
parse_least(const char *what, const char *text, size_t least)
{
	size_t value;

	if (size_parse(text, &value) != 0)
		errx(EXIT_OWN_FAILURE, "%s '%s' is %s", what, shown(text),
		    errno == ERANGE
			? "too large"
			: "not a number such as 16, 4096, 64K, 10MB or 1GiB");
	if (value < least)
		errx(EXIT_OWN_FAILURE, "%s '%s' is too small: at least %zu",
		    what, shown(text), least);
	return value;
}

static size_t
parse_pipe_size(const char *text)
{
	if (strcmp(text, "keep") == 0)
		return 0;
	if (strcmp(text, "max") == 0)
		return bi_pipesize_max();
	return parse_least("pipe size", text, 1);
}

static int64_t
parse_time(const char *what, const char *text)
{
	int64_t ns;

	if (size_parse_time(text, &ns) != 0)
		errx(EXIT_OWN_FAILURE, "%s '%s' is %s", what, shown(text),
		    errno == ERANGE ? "too large"
				    : "not a time such as 0, 500us, 1ms or 2s");
	return ns;
}

// What tee(1) calls so: "exit" is the default, and with "exit-nopipe" a pipe
// that loses its reader is no error.
static bool
parse_output_error(const char *text)
{
	if (strcmp(text, "exit-nopipe") == 0)
		return true;
	if (strcmp(text, "exit") != 0)
		errx(EXIT_OWN_FAILURE,
		    "output error mode '%s' is neither exit nor exit-nopipe",
		    shown(text));
	return false;
}

// What is taken if nothing was said of memory, or of a half of it: `size` or
// `blocks` is 0 then.
static void
settle_default(size_t *size, size_t *blocks)
{
	bool terminal = isatty(STDOUT_FILENO) == 1;
	size_t most = memlimit_get() / MEMORY_SHARE;

	if (*size == 0) {
		*size = terminal ? TERMINAL_BLOCK_SIZE : BLOCK_SIZE;
		size_t needed = *blocks == 0 ? BLOCKS_LEAST : *blocks;
		if (*size > most / needed)
			*size = most / needed;
		if (*size < SIZE_LEAST)
			*size = SIZE_LEAST;
	}
	if (*blocks == 0) {
		*blocks = terminal ? BLOCKS_LEAST : BLOCKS;
		if (*blocks > most / *size)
			*blocks = most / *size;
		if (*blocks < BLOCKS_LEAST)
			*blocks = BLOCKS_LEAST;
	}
}

// Fill in what was not given (0) of block size and number of blocks, whose
// product is the memory. Any two of the three decide the third.
static void
settle_memory(struct opts *opts, size_t memory)
{
	size_t size = opts->block_size;
	size_t blocks = opts->blocks;

	if (memory != 0 && size != 0 && blocks != 0)
		errx(EXIT_OWN_FAILURE,
		    "-b, -n and -m cannot all be given: two decide the third");
	if (memory != 0 && blocks != 0) {
		size = memory / blocks;
	} else if (memory != 0) {
		if (size == 0)
			size = memory / BLOCKS_LEAST;
		if (opts->block_size == 0 && size > BLOCK_SIZE)
			size = BLOCK_SIZE;
		blocks = size == 0 ? 0 : memory / size;
	} else {
		settle_default(&size, &blocks);
	}
	if (size == 0 || blocks < BLOCKS_LEAST)
		errx(EXIT_OWN_FAILURE,
		    "memory of %zu bytes is too small: "
		    "at least %d blocks must fit",
		    memory, BLOCKS_LEAST);
	if (blocks > PTRDIFF_MAX / size)
		errx(EXIT_OWN_FAILURE, "%zu blocks of %zu bytes are too large",
		    blocks, size);
	opts->block_size = size;
	opts->blocks = blocks;
}

void
opts_parse(struct opts *opts, int argc, char **argv)
{
	size_t memory = 0;
	int option;

	*opts = (struct opts){
	    .pipe_size = PIPE_SIZE,
	    .coalesce_ns = COALESCE_NS,
	    .fifo_timeout_ns = -1,
	};
	opterr = 0;
	while ((option = getopt_long(
		    argc, argv, "+:b:hm:n:V", longopts, NULL)) != -1) {
		// Only an option whose value is optional can be without one.
		const char *value = optarg == NULL ? "" : optarg;
		switch (option) {
		case 'b':
			opts->block_size = parse_least("block size", value, 1);
			break;
		case 'm':
			memory = parse_least("memory", value, BLOCKS_LEAST);
			break;
		case 'n':
			opts->blocks = parse_least(
			    "number of blocks", value, BLOCKS_LEAST);
			break;
		case OPT_COALESCE:
			opts->coalesce_ns = parse_time("time", value);
			break;
		case OPT_COPY:
			opts->copy = true;
			break;
		case OPT_FIFO:
			if (optarg != NULL && value[0] == '\0')
				errx(EXIT_OWN_FAILURE, "no path for the FIFO");
			opts->fifo = true;
			opts->fifo_path = optarg;
			break;
		case OPT_FIFO_TIMEOUT:
			opts->fifo_timeout_ns = parse_time("time", value);
			break;
		case OPT_OUTPUT_ERROR:
			opts->reader_may_leave = parse_output_error(value);
			break;
		case OPT_PIPE_SIZE:
			opts->pipe_size = parse_pipe_size(value);
			break;
		case 'h':
			answer(usage);
		case 'V':
			answer("bibuf " BIBUF_VERSION "\n");
		default:
			refuse(option, argv[optind - 1]);
		}
	}
	if (opts->fifo_timeout_ns >= 0 && !opts->fifo)
		errx(EXIT_OWN_FAILURE, "--fifo-timeout is of no use without "
				       "--fifo");
	settle_memory(opts, memory);
	if (optind < argc)
		opts->command = argv + optind;
}
