// SPDX-License-Identifier: MIT
// The block pool: reuse, bounds, statistics, threads.

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
	static const size_t sizes[] = {1, 100, 128 << 10, 1 << 20};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct bi_pool *pool = bi_pool_create(sizes[i], 2);
		void *blocks[5];
		for (int k = 0; k < 5; k++) {
			blocks[k] = bi_pool_get(pool);
			memset(blocks[k], k, sizes[i]);
		}
		CHECK_INT(bi_pool_stats(pool).in_use, 5);
		for (int k = 0; k < 5; k++)
			bi_pool_put(pool, blocks[k]);
		struct bi_pool_stats stats = bi_pool_stats(pool);
		CHECK_INT(stats.in_use, 0);
		CHECK_INT(stats.in_use_most, 5);
		CHECK_INT(stats.idle, 2);
		bi_pool_destroy(pool);
	}
}

static void
nothing_is_kept_if_nothing_may_be(void)
{
	struct bi_pool *pool = bi_pool_create(10, 0);

	bi_pool_put(pool, bi_pool_get(pool));
	bi_pool_put(pool, NULL);
	CHECK_INT(bi_pool_stats(pool).idle, 0);
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
	CHECK_INT(bi_pool_stats(pool).in_use, 0);
	CHECK_INT(bi_pool_stats(pool).in_use_most, 0);
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
	struct bi_pool *pool = bi_pool_create(16 * sizeof(int), 4);
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, hammer, pool);
	for (int i = 0; i < 8; i++) {
		void *mixed;
		pthread_join(threads[i], &mixed);
		CHECK_INT((size_t)mixed, 0);
	}
	struct bi_pool_stats stats = bi_pool_stats(pool);
	CHECK_INT(stats.in_use, 0);
	CHECK(stats.in_use_most >= 2 && stats.in_use_most <= 16);
	CHECK(stats.idle <= 4);
	bi_pool_destroy(pool);
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
