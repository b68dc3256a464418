// SPDX-License-Identifier: MIT
//
//      consumer                                      producer
//      drains here                                   fills here
//         |                                              |
//   head  v                                       tail   v
//   +-----#########+     +###############+     +##########-----+
//   |     begin    | --> |               | --> |         end   |
//   +--------------+     +---------------+     +---------------+
//
// The lock guards the chain and every block's `begin` and `end`. The bytes
// themselves need none: those in [begin, end) belong to the consumer, those
// behind `end` of the tail to the producer. The producer alone adds blocks and
// rewinds an empty one, the consumer alone removes them, and it leaves the
// tail in place.

#include "queue.h"

#include "pool.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_S 1000000000

// A block with less room than this counts as full, or the last bytes of every
// block would be filled by tiny reads, and an input that knows messages would
// cut one off: a default pipe's capacity, a quarter of a smaller block.
#define ROOM_LEAST ((size_t)64 << 10)

// What a block costs beside its bytes (struct block, and malloc's share), and
// how much of that may come on top of the limit before there are fewer blocks.
#define OVERHEAD ((size_t)64)
#define OVERHEAD_MOST ((size_t)1 << 20)

// How many blocks may stay in the pool while the queue does not need them.
#define IDLE_MOST 2

struct block {
	struct block *next;
	size_t begin;
	size_t end;
	unsigned char data[];
};

struct bi_queue {
	size_t block_size;
	size_t blocks_most;
	size_t room_least;
	struct bi_pool *pool;

	pthread_mutex_t lock;
	pthread_cond_t data; // the consumer waits here
	pthread_cond_t room; // the producer waits here
	struct block *head;
	struct block *tail;
	size_t blocks; // taken from the pool
	size_t pending;
	bool ended;
	int error;
	bool closed;
};

// The most blocks, so that very small ones do not take many times the memory
// that they were meant to.
static size_t
limit_blocks(size_t block_size, size_t blocks)
{
	if (blocks > (SIZE_MAX - OVERHEAD_MOST) / block_size)
		return blocks;
	size_t most =
	    (blocks * block_size + OVERHEAD_MOST) / (block_size + OVERHEAD);
	return blocks < most ? blocks : most;
}

// Have the first two blocks made, and lie idle.
static int
set_aside(struct bi_pool *pool)
{
	void *first = bi_pool_get(pool);
	void *second = bi_pool_get(pool);
	bool made = first != NULL && second != NULL;

	bi_pool_put(pool, first);
	bi_pool_put(pool, second);
	return made ? 0 : -1;
}

struct bi_queue *
bi_queue_create(size_t block_size, size_t blocks)
{
	if (block_size == 0 || blocks < 2 ||
	    block_size > SIZE_MAX - sizeof(struct block)) {
		errno = EINVAL;
		return NULL;
	}
	struct bi_queue *queue = calloc(1, sizeof(*queue));
	if (queue == NULL)
		return NULL;
	queue->block_size = block_size;
	queue->blocks_most = limit_blocks(block_size, blocks);
	queue->room_least = block_size / 4;
	if (queue->room_least > ROOM_LEAST)
		queue->room_least = ROOM_LEAST;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->data, NULL);
	pthread_cond_init(&queue->room, NULL);
	queue->pool =
	    bi_pool_create(sizeof(struct block) + block_size, IDLE_MOST);
	if (queue->pool == NULL || set_aside(queue->pool) != 0) {
		bi_queue_destroy(queue);
		errno = ENOMEM;
		return NULL;
	}
	return queue;
}

// Give a chain of blocks back.
static void
release(struct bi_queue *queue, struct block *block)
{
	while (block != NULL) {
		struct block *next = block->next;
		bi_pool_put(queue->pool, block);
		block = next;
	}
}

void
bi_queue_destroy(struct bi_queue *queue)
{
	if (queue == NULL)
		return;
	release(queue, queue->head);
	bi_pool_destroy(queue->pool);
	pthread_cond_destroy(&queue->room);
	pthread_cond_destroy(&queue->data);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

// Add an empty block to the chain, if the limit and the memory allow it.
static bool
grow(struct bi_queue *queue)
{
	if (queue->blocks == queue->blocks_most)
		return false;
	struct block *block = bi_pool_get(queue->pool);
	if (block == NULL)
		return false;
	*block = (struct block){.next = NULL};
	if (queue->tail == NULL)
		queue->head = block;
	else
		queue->tail->next = block;
	queue->tail = block;
	queue->blocks++;
	return true;
}

// The room behind the last byte; a drained block is used again from its
// beginning, where it is still in the cache.
static size_t
room_in_tail(struct bi_queue *queue)
{
	struct block *tail = queue->tail;

	if (tail == NULL)
		return 0;
	if (tail->begin == tail->end)
		tail->begin = tail->end = 0;
	return queue->block_size - tail->end;
}

// Is there room at the end of the chain? If need be, add a block.
static bool
make_room(struct bi_queue *queue)
{
	size_t left = room_in_tail(queue);

	return (left > 0 && left >= queue->room_least) || grow(queue);
}

void *
bi_queue_reserve(struct bi_queue *queue, size_t *room)
{
	void *place = NULL;

	pthread_mutex_lock(&queue->lock);
	while (!queue->closed && !make_room(queue))
		pthread_cond_wait(&queue->room, &queue->lock);
	if (!queue->closed) {
		*room = room_in_tail(queue);
		place = queue->tail->data + queue->tail->end;
	}
	pthread_mutex_unlock(&queue->lock);
	return place;
}

void
bi_queue_drain(struct bi_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (!queue->closed && queue->pending > 0)
		pthread_cond_wait(&queue->room, &queue->lock);
	pthread_mutex_unlock(&queue->lock);
}

void
bi_queue_commit(struct bi_queue *queue, size_t size)
{
	pthread_mutex_lock(&queue->lock);
	assert(size <= queue->block_size - queue->tail->end);
	queue->tail->end += size;
	queue->pending += size;
	pthread_mutex_unlock(&queue->lock);
	pthread_cond_signal(&queue->data);
}

void
bi_queue_end(struct bi_queue *queue, int error)
{
	pthread_mutex_lock(&queue->lock);
	queue->ended = true;
	queue->error = error;
	pthread_mutex_unlock(&queue->lock);
	pthread_cond_signal(&queue->data);
}

// Point `iov` at the bytes of the chain, at most `most` of them.
static size_t
gather(struct bi_queue *queue, struct iovec *iov, int *count, size_t most)
{
	size_t total = 0;
	int parts = 0;

	for (struct block *block = queue->head;
	     block != NULL && parts < *count && total < most;
	     block = block->next) {
		size_t size = block->end - block->begin;
		if (size > most - total)
			size = most - total;
		if (size == 0)
			continue;
		iov[parts++] = (struct iovec){
		    .iov_base = block->data + block->begin,
		    .iov_len = size,
		};
		total += size;
	}
	*count = parts;
	return total;
}

ssize_t
bi_queue_peek(
    struct bi_queue *queue, struct iovec *iov, int *count, size_t most)
{
	assert(*count > 0 && most > 0);
	pthread_mutex_lock(&queue->lock);
	while (queue->pending == 0 && !queue->ended)
		pthread_cond_wait(&queue->data, &queue->lock);
	ssize_t size = (ssize_t)gather(queue, iov, count, most);
	int error = queue->error;
	pthread_mutex_unlock(&queue->lock);
	if (size == 0 && error != 0) {
		errno = error;
		return -1;
	}
	return size;
}

bool
bi_queue_wait(struct bi_queue *queue, int64_t limit_ns)
{
	struct timespec end;
	int error = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)(limit_ns / NS_PER_S);
	end.tv_nsec += (long)(limit_ns % NS_PER_S);
	if (end.tv_nsec >= NS_PER_S) {
		end.tv_sec++;
		end.tv_nsec -= NS_PER_S;
	}
	pthread_mutex_lock(&queue->lock);
	while (queue->pending == 0 && !queue->ended && error == 0)
		error = pthread_cond_clockwait(
		    &queue->data, &queue->lock, CLOCK_MONOTONIC, &end);
	bool found = queue->pending > 0 || queue->ended;
	pthread_mutex_unlock(&queue->lock);
	return found;
}

// Take the drained blocks out of the chain, all but the tail, and count them.
static struct block *
shed(struct bi_queue *queue, size_t *count)
{
	struct block *drained = NULL;

	while (queue->head != queue->tail &&
	       queue->head->begin == queue->head->end) {
		struct block *block = queue->head;
		queue->head = block->next;
		block->next = drained;
		drained = block;
		++*count;
	}
	return drained;
}

void
bi_queue_consume(struct bi_queue *queue, size_t size)
{
	pthread_mutex_lock(&queue->lock);
	assert(size <= queue->pending);
	queue->pending -= size;
	for (struct block *block = queue->head; size > 0; block = block->next) {
		size_t part = block->end - block->begin;
		if (part > size)
			part = size;
		block->begin += part;
		size -= part;
	}
	size_t count = 0;
	struct block *drained = shed(queue, &count);
	if (drained != NULL) {
		// They count until they are given back, which takes its time.
		pthread_mutex_unlock(&queue->lock);
		release(queue, drained);
		pthread_mutex_lock(&queue->lock);
		queue->blocks -= count;
	}
	pthread_mutex_unlock(&queue->lock);
	pthread_cond_signal(&queue->room);
}

void
bi_queue_close(struct bi_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_mutex_unlock(&queue->lock);
	pthread_cond_signal(&queue->room);
}

size_t
bi_queue_capacity(const struct bi_queue *queue)
{
	return queue->blocks_most * queue->block_size;
}

size_t
bi_queue_pending(struct bi_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	size_t pending = queue->pending;
	pthread_mutex_unlock(&queue->lock);
	return pending;
}
