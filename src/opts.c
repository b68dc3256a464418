// SPDX-License-Identifier: MIT

#include "opts.h"

#include "pipesize.h"
#include "size.h"

#include <assert.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two blocks are the double buffer; sixteen absorb a burst. A block of 1 MiB
// is the largest pipe an ordinary user can have (pipe(7), pipe-max-size), so
// that one read can empty any.
#define BLOCK_SIZE ((size_t)1 << 20)
#define BLOCKS 16
#define BLOCKS_LEAST 2

// In a millisecond a writer of 65 MB/s fills the 64 KiB that libuv, and with it
// Node and Julia, reads at a time; and a person does not notice it.
#define COALESCE_NS 1000000

// Options that have no letter.
enum {
	OPT_COALESCE = 256,
	OPT_COPY,
	OPT_FIFO,
	OPT_PIPE_SIZE,
};

static const struct option longopts[] = {
    {"block-size", required_argument, NULL, 'b'},
    {"blocks", required_argument, NULL, 'n'},
    {"coalesce", required_argument, NULL, OPT_COALESCE},
    {"copy", no_argument, NULL, OPT_COPY},
    {"fifo", optional_argument, NULL, OPT_FIFO},
    {"help", no_argument, NULL, 'h'},
    {"memory", required_argument, NULL, 'm'},
    {"pipe-size", required_argument, NULL, OPT_PIPE_SIZE},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

// The SYNOPSIS of bibuf(1); a test compares them.
static const char usage[] =
    "usage: bibuf [-hV] [--coalesce=time] [--copy] [--fifo[=path]] "
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

// The value of an option that is a size or a number of at least `least`.
static size_t
parse_least(const char *what, const char *text, size_t least)
{
	size_t value;

	if (size_parse(text, &value) != 0)
		errx(EXIT_OWN_FAILURE, "%s '%s' is %s", what, text,
		    errno == ERANGE
			? "too large"
			: "not a number such as 16, 4096, 64K, 10MB or 1GiB");
	if (value < least)
		errx(EXIT_OWN_FAILURE, "%s '%s' is too small: at least %zu",
		    what, text, least);
	return value;
}

static size_t
parse_pipe_size(const char *text)
{
	assert(text != NULL);
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
		errx(EXIT_OWN_FAILURE, "%s '%s' is %s", what, text,
		    errno == ERANGE ? "too large"
				    : "not a time such as 0, 500us, 1ms or 2s");
	return ns;
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
		size = size == 0 ? BLOCK_SIZE : size;
		blocks = blocks == 0 ? BLOCKS : blocks;
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
	    .pipe_size = bi_pipesize_max(),
	    .coalesce_ns = COALESCE_NS,
	};
	// getopt_long(3) begins its messages with argv[0]; err(3) with its last
	// component.
	char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	if (slash != NULL)
		argv[0] = slash + 1;
	while ((option = getopt_long(
		    argc, argv, "+b:hm:n:V", longopts, NULL)) != -1) {
		switch (option) {
		case 'b':
			opts->block_size = parse_least("block size", optarg, 1);
			break;
		case 'm':
			memory = parse_least("memory", optarg, BLOCKS_LEAST);
			break;
		case 'n':
			opts->blocks = parse_least(
			    "number of blocks", optarg, BLOCKS_LEAST);
			break;
		case OPT_COALESCE:
			opts->coalesce_ns = parse_time("time", optarg);
			break;
		case OPT_COPY:
			opts->copy = true;
			break;
		case OPT_FIFO:
			if (optarg != NULL && optarg[0] == '\0')
				errx(EXIT_OWN_FAILURE, "no path for the FIFO");
			opts->fifo = true;
			opts->fifo_path = optarg;
			break;
		case OPT_PIPE_SIZE:
			opts->pipe_size = parse_pipe_size(optarg);
			break;
		case 'h':
			answer(usage);
		case 'V':
			answer("bibuf " BIBUF_VERSION "\n");
		default:
			exit(EXIT_OWN_FAILURE);
		}
	}
	settle_memory(opts, memory);
	if (optind < argc)
		opts->command = argv + optind;
}
