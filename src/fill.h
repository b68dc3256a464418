// SPDX-License-Identifier: MIT
// core: the reader thread, which moves an input into a queue.
//
// It reads whatever there is into the room the queue offers and never waits
// in read(2): closing a pipe does not wake a thread that is blocked reading
// it, so it waits in poll(2) and can be told to stop at any time. It also
// watches the output meanwhile, so that a consumer that leaves is noticed
// though the input is silent.
//
// It has a short cut: while the queue is empty and both ends are pipes, pages
// go straight across with splice(2), and nothing is copied. The other thread
// has nothing to write then, so the order of the bytes is kept.

#ifndef BIBUF_FILL_H
#define BIBUF_FILL_H

#include "coalesce.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bi_queue;

// All fields belong to fill.c. Orders are given under the lock, and read by the
// reader thread without; what stands below the output is written before it is
// set, and the thread's own from then on; what stands below the thread is its
// own while it runs.
struct bi_fill {
	pthread_mutex_t lock;
	_Atomic int order;
	int wake[2];

	_Atomic int out; // -1: none, or nothing to watch
	size_t out_capacity;
	bool may_splice;

	pthread_t thread;
	struct bi_queue *queue;
	int in;
	size_t in_capacity;
	size_t pipe_size; // up to so many bytes pipes may be grown
	bool can_read_now;
	bool is_plain;   // the input is no pipe in packet mode
	size_t buffered; // bytes, since the consumer last had to wait
	struct bi_coalesce coalesce;
	char packet[PIPE_BUF];
	size_t last; // bytes still to read when finishing; SIZE_MAX: not known
};

// Start to move what comes from `in` into the queue. The queue ends with the
// input: with 0 at its end, with errno after an error. After a small hand-over
// the thread may let bytes gather for `coalesce_ns` nanoseconds (coalesce.h). A
// pipe that turns out too small, here and at the output, is grown, up to
// `pipe_size` bytes. The descriptor and the queue stay the caller's and must
// outlive the thread. `fill` must not move. Returns 0, or -1 with errno.
int bi_fill_start(struct bi_fill *fill, struct bi_queue *queue, int in,
    int64_t coalesce_ns, size_t pipe_size);

// From now on, while the input is silent, watch whether `out` has lost its
// reader, and end the queue with EPIPE when it has; only pipes and sockets
// tell. If `may_splice`, and both can do it, hand over straight to `out`
// whenever the queue is empty. `out` stays the caller's, and open until the
// queue has ended. To be called once.
void bi_fill_set_output(struct bi_fill *fill, int out, bool may_splice);

// What the input holds now is the last of it: once that is read, end the queue
// as at the end of the data, though others could still write to the pipe. Any
// thread, at any time; after bi_fill_stop() it does nothing.
void bi_fill_finish(struct bi_fill *fill);

// Close the queue, end the thread wherever it is, and wait until it is gone.
// To be called once, also when the input has ended.
void bi_fill_stop(struct bi_fill *fill);

#endif
