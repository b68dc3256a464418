// SPDX-License-Identifier: MIT
// cli: the main thread's way from the queue to the output.

#ifndef BIBUF_RELAY_H
#define BIBUF_RELAY_H

struct bi_queue;

// How a relay ended.
enum relay_end {
	RELAY_DONE,          // all was delivered
	RELAY_READER_LEFT,   // the output lost its reader
	RELAY_INPUT_FAILED,  // read error; what came before it was delivered
	RELAY_OUTPUT_FAILED, // write or close error
};

// Hand everything that comes through the queue on to `out`, as much as there
// is with each write, and close `out` when all was delivered, so that its
// reader sees the end though the command may live on. errno tells the error
// of the two last endings.
enum relay_end relay_run(struct bi_queue *queue, int out);

#endif
