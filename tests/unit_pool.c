// SPDX-License-Identifier: MIT
// The block pool: reuse, bounds, threads.

#include "blocks.h"
#include "pool.h"
#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define MIB ((size_t)1 << 20)

static void
an_idle_block_is_used_again(void)
{
	struct bi_pool *pool = bi_pool_create(MIB, 1);
	void *block = bi_pool_get(pool);

	memset(block, 1, MIB);
	bi_pool_put(pool, block);
	CHECK(bi_pool_get(pool) == block);
	bi_pool_put(pool, block);
	bi_pool_destroy(pool);
}

static void
idle_memory_is_bounded(void)
{
	static const size_t sizes[] = {1, 100, BLOCK_SIZE, 1 << 20};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		bool counted = COUNTS_BLOCKS && sizes[i] == BLOCK_SIZE;
		struct bi_pool *pool = bi_pool_create(sizes[i], 2);
		void *blocks[5];
		blocks_now = 0;
		for (int k = 0; k < 5; k++) {
			blocks[k] = bi_pool_get(pool);
			memset(blocks[k], k, sizes[i]);
		}
		CHECK_INT(blocks_now, counted ? 5 : 0);
		for (int k = 0; k < 5; k++)
			bi_pool_put(pool, blocks[k]);
		CHECK_INT(blocks_now, counted ? 2 : 0);
		bi_pool_destroy(pool);
		CHECK_INT(blocks_now, 0);
	}
}

static void
nothing_is_kept_if_nothing_may_be(void)
{
	struct bi_pool *pool = bi_pool_create(BLOCK_SIZE, 0);

	blocks_now = 0;
	bi_pool_put(pool, bi_pool_get(pool));
	bi_pool_put(pool, NULL);
	CHECK_INT(blocks_now, 0);
	bi_pool_destroy(pool);
	bi_pool_destroy(NULL);
}

static void
refusals(void)
{
	errno = 0;
	CHECK(bi_pool_create(0, 1) == NULL);
	CHECK_INT(errno, EINVAL);

	struct bi_pool *pool = bi_pool_create(PTRDIFF_MAX, 1);
	errno = 0;
	CHECK(bi_pool_get(pool) == NULL);
	CHECK_INT(errno, ENOMEM);
	bi_pool_destroy(pool);
}

// Fill two blocks with this thread's number, and see that nobody else did.
static void *
hammer(void *arg)
{
	struct bi_pool *pool = arg;
	int self = (int)(uintptr_t)&pool;
	size_t mixed = 0;

	for (int round = 0; round < 20000; round++) {
		int *a = bi_pool_get(pool);
		int *b = bi_pool_get(pool);
		for (int i = 0; i < 16; i++)
			a[i] = b[i] = self + round;
		for (int i = 0; i < 16; i++)
			mixed += a[i] != self + round || b[i] != self + round;
		bi_pool_put(pool, a);
		bi_pool_put(pool, b);
	}
	return (void *)mixed;
}

static void
threads_never_share_a_block(void)
{
	struct bi_pool *pool = bi_pool_create(BLOCK_SIZE, 4);
	pthread_t threads[8];

	blocks_now = blocks_most = 0;

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, hammer, pool);
	for (int i = 0; i < 8; i++) {
		void *mixed;
		pthread_join(threads[i], &mixed);
		CHECK_INT((size_t)mixed, 0);
	}
	CHECK(blocks_most >= 2 * COUNTS_BLOCKS && blocks_most <= 16);
	CHECK(blocks_now <= 4);
	bi_pool_destroy(pool);
	CHECK_INT(blocks_now, 0);
}

int
main(void)
{
	TEST(an_idle_block_is_used_again);
	TEST(idle_memory_is_bounded);
	TEST(nothing_is_kept_if_nothing_may_be);
	TEST(refusals);
	TEST(threads_never_share_a_block);
	return tap_done();
}
