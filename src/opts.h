// SPDX-License-Identifier: MIT
// cli: the command line.

#ifndef BIBUF_OPTS_H
#define BIBUF_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The exit statuses that are bibuf's own; env(1) and timeout(1) use the same.
enum {
	EXIT_TIMED_OUT = 124,
	EXIT_OWN_FAILURE = 125,
	EXIT_CANNOT_RUN = 126,
	EXIT_NOT_FOUND = 127,
};

// What the command line asks for. Never changed once it is parsed.
struct opts {
	size_t block_size; // bytes
	size_t blocks;     // at least 2
	size_t pipe_size;  // grow the pipes up to so many bytes; 0: leave them
	int64_t coalesce_ns;   // longest rest after a small hand-over; 0: none
	bool copy;             // never splice
	bool reader_may_leave; // before it has everything, and that is success
	bool fifo;             // serve the stream through a FIFO
	char *fifo_path; // where; NULL: at a fresh place, whose path is told
	int64_t fifo_timeout_ns; // wait so long for a reader; -1: for ever
	char **command;          // ends with NULL; NULL: filter standard input
};

// Parse the command line. Does not return when help or the version was asked
// for, or, with one line on standard error and status 125, when it is wrong.
// `command` and `fifo_path` point into `argv`.
void opts_parse(struct opts *opts, int argc, char **argv);

#endif
