// SPDX-License-Identifier: MIT
// core: the elastic queue of bytes between a thread that reads ahead and a
// thread that hands on.
//
// One thread, the producer, reserves room, fills it and commits it; another,
// the consumer, peeks at what was committed and consumes it. Bytes are never
// moved: both work in the blocks themselves. A block is taken from a pool when
// there is something to put into it and goes back when it is drained, so two
// blocks do while the consumer keeps up (the one being filled, the one being
// drained) and the chain grows to its limit when it does not. At the limit the
// producer waits: that is the back-pressure.
//
// The end of the data, and an error that the producer met, arrive behind the
// bytes that came before them.

#ifndef BIBUF_QUEUE_H
#define BIBUF_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct bi_queue;

// Create a queue of at most `blocks` blocks (at least 2) of `block_size` bytes
// (at least 1). The memory of two blocks is set aside at once, so that the
// stream can run whatever happens later; if more can not be had, the queue
// works with what it has. Returns NULL with errno ENOMEM or EINVAL.
struct bi_queue *bi_queue_create(size_t block_size, size_t blocks);

// Free the queue and what it holds. Both threads must have let go of it. NULL
// is allowed.
void bi_queue_destroy(struct bi_queue *queue);

// Producer: wait for room and return where to put bytes, with their greatest
// number, at least 1, in *room. Valid until the next call of the producer.
// Returns NULL when the consumer has closed the queue.
void *bi_queue_reserve(struct bi_queue *queue, size_t *room);

// Producer: wait until everything is consumed, or the queue closed.
void bi_queue_drain(struct bi_queue *queue);

// Producer: pass on the first `size` bytes of what was reserved.
void bi_queue_commit(struct bi_queue *queue, size_t size);

// Producer: nothing more will come, because of `error`, or 0 for a plain end.
void bi_queue_end(struct bi_queue *queue, int error);

// Consumer: wait for bytes and point the first *count parts of `iov` at them,
// in order: as many as there are, at most `most` bytes (at least 1). On entry
// *count is the number of parts that fit. The bytes stay valid until they are
// consumed. Returns how many bytes that is; 0 at the end; -1 with errno when
// the producer ended with an error. Both last.
ssize_t bi_queue_peek(
    struct bi_queue *queue, struct iovec *iov, int *count, size_t most);

// Consumer: wait until there is something to peek at, be it the end, at most
// `limit_ns` nanoseconds. Returns whether there is.
bool bi_queue_wait(struct bi_queue *queue, int64_t limit_ns);

// Consumer: the first `size` bytes are done with.
void bi_queue_consume(struct bi_queue *queue, size_t size);

// Consumer: nothing more is wanted. The producer's next bi_queue_reserve()
// returns NULL, also one that is waiting.
void bi_queue_close(struct bi_queue *queue);

// The most bytes that the queue can hold. Any thread.
size_t bi_queue_capacity(const struct bi_queue *queue);

// Bytes committed and not yet consumed. Any thread.
size_t bi_queue_pending(struct bi_queue *queue);

#endif
