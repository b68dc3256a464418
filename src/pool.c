// SPDX-License-Identifier: MIT

#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

// Blocks of at least this size are mapped, so that a block that is freed goes
// back to the system for certain: malloc(3) raises its own threshold with
// every large block it sees freed (mallopt(3), M_MMAP_THRESHOLD) and would
// keep them.
#define MAPPED_LEAST ((size_t)32 << 10)

// An idle block holds the link to the next one.
struct idle {
	struct idle *next;
};

// All fields below the lock are guarded by it.
struct bi_pool {
	size_t block_size;
	size_t idle_most;
	pthread_mutex_t lock;
	struct idle *idle;
	size_t idle_count;
};

static void *
map_block(size_t size)
{
	if (size < MAPPED_LEAST)
		return malloc(size);
	void *block = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return block == MAP_FAILED ? NULL : block;
}

static void
unmap_block(void *block, size_t size)
{
	if (size < MAPPED_LEAST)
		free(block);
	else
		munmap(block, size);
}

struct bi_pool *
bi_pool_create(size_t block_size, size_t idle_most)
{
	if (block_size == 0) {
		errno = EINVAL;
		return NULL;
	}
	struct bi_pool *pool = calloc(1, sizeof(*pool));
	if (pool == NULL)
		return NULL;
	pool->block_size =
	    block_size < sizeof(struct idle) ? sizeof(struct idle) : block_size;
	pool->idle_most = idle_most;
	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

void
bi_pool_destroy(struct bi_pool *pool)
{
	if (pool == NULL)
		return;
	while (pool->idle != NULL) {
		struct idle *block = pool->idle;
		pool->idle = block->next;
		unmap_block(block, pool->block_size);
	}
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

void *
bi_pool_get(struct bi_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	void *block = pool->idle;
	if (block != NULL) {
		pool->idle = pool->idle->next;
		pool->idle_count--;
	} else {
		block = map_block(pool->block_size);
	}
	pthread_mutex_unlock(&pool->lock);
	if (block == NULL)
		errno = ENOMEM;
	return block;
}

void
bi_pool_put(struct bi_pool *pool, void *block)
{
	if (block == NULL)
		return;
	pthread_mutex_lock(&pool->lock);
	bool keep = pool->idle_count < pool->idle_most;
	if (keep) {
		struct idle *idle = block;
		idle->next = pool->idle;
		pool->idle = idle;
		pool->idle_count++;
	}
	pthread_mutex_unlock(&pool->lock);
	if (!keep)
		unmap_block(block, pool->block_size);
}
