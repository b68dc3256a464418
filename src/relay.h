// SPDX-License-Identifier: MIT
// cli: the main thread's way from the queue to the output.

#ifndef BIBUF_RELAY_H
#define BIBUF_RELAY_H

#include <stddef.h>

struct bi_queue;

// How a relay ended.
enum relay_end {
	RELAY_DONE,          // all was delivered
	RELAY_READER_LEFT,   // the output lost its reader
	RELAY_NOBODY_CAME,   // to read, in time
	RELAY_INPUT_FAILED,  // read error; what came before it was delivered
	RELAY_OUTPUT_FAILED, // write or close error
};

// Hand over the first bytes that come through the queue, and wait until the
// reader of the pipe `out` has taken one, which is RELAY_DONE, as is an end
// before that: relay_run() goes on. After RELAY_READER_LEFT it has taken none,
// and the pipe holds them still, *handed of them. May be called again then, if
// there is a new reader.
enum relay_end relay_first(struct bi_queue *queue, int out, size_t *handed);

// Hand everything that comes through the queue on to `out`, as much as there
// is with each write, and close `out` when all was delivered, so that its
// reader sees the end though the command may live on. errno tells the error
// of the two last endings.
enum relay_end relay_run(struct bi_queue *queue, int out);

#endif
