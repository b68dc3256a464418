// SPDX-License-Identifier: MIT
// When to rest, and how long: with a clock of its own.

#include "coalesce.h"
#include "tap.h"

#include <stdint.h>

#define US INT64_C(1000)
#define MS (1000 * US)
#define KIB ((size_t)1024)

static struct bi_coalesce
with_limit(int64_t limit_ns)
{
	return (struct bi_coalesce){.limit_ns = limit_ns};
}

static void
the_first_bytes_are_followed_at_once(void)
{
	struct bi_coalesce it = with_limit(MS);

	// Whatever the clock shows.
	CHECK_INT(bi_coalesce_rest(&it, 100, 1024 * KIB, SIZE_MAX, 5), 0);
}

static void
a_quiet_stream_is_never_held(void)
{
	struct bi_coalesce it = with_limit(MS);

	for (int64_t now = 0; now < 100 * MS; now += MS + 1)
		CHECK_INT(
		    bi_coalesce_rest(&it, 100, 1024 * KIB, SIZE_MAX, now), 0);
}

static void
a_busy_one_rests_for_the_limit(void)
{
	struct bi_coalesce it = with_limit(MS);
	int64_t now = 0;

	bi_coalesce_rest(&it, 100, 1024 * KIB, SIZE_MAX, now);
	for (int i = 0; i < 10; i++) {
		now += 10 * US;
		CHECK_INT(
		    bi_coalesce_rest(&it, 350, 1024 * KIB, SIZE_MAX, now), MS);
	}
}

static void
the_rest_itself_is_no_silence(void)
{
	struct bi_coalesce it = with_limit(MS);
	int64_t now = 0;

	bi_coalesce_rest(&it, 100, 1024 * KIB, SIZE_MAX, now);
	now += 10 * US;
	for (int i = 0; i < 10; i++) {
		CHECK_INT(
		    bi_coalesce_rest(&it, 350, 1024 * KIB, SIZE_MAX, now), MS);
		now += MS + 50 * US;
	}
	CHECK_INT(
	    bi_coalesce_rest(&it, 350, 1024 * KIB, SIZE_MAX, now + MS), 0);
}

static void
much_at_once_is_soon_followed(void)
{
	struct bi_coalesce it = with_limit(MS);

	bi_coalesce_rest(&it, 100, 1024 * KIB, SIZE_MAX, 0);
	// 1 MiB in 50 us.
	CHECK_INT(
	    bi_coalesce_rest(&it, 1024 * KIB, 1024 * KIB, SIZE_MAX, 50 * US),
	    0);
	CHECK_INT(
	    bi_coalesce_rest(&it, 1024 * KIB, 1024 * KIB, SIZE_MAX, 100 * US),
	    0);
}

static void
one_small_read_says_little_of_a_fast_producer(void)
{
	struct bi_coalesce it = with_limit(MS);

	bi_coalesce_rest(&it, 100, 256 * KIB, SIZE_MAX, 0);
	CHECK_INT(
	    bi_coalesce_rest(&it, 128 * KIB, 256 * KIB, SIZE_MAX, 200 * US),
	    200 * US);
	// By itself, 350 bytes in 5 us would make it the limit.
	int64_t rest =
	    bi_coalesce_rest(&it, 350, 256 * KIB, SIZE_MAX, 205 * US);
	CHECK(rest > 190 * US && rest < 220 * US);
}

// A producer of so many bytes a microsecond. Once this has settled, is the pipe
// never full, and is there a rest, or none if `rests` is false?
static void
check_pipe(size_t capacity, double bytes_per_us, bool rests)
{
	struct bi_coalesce it = with_limit(MS);
	int64_t now = 0;
	int64_t rest = 0;

	bi_coalesce_rest(&it, 1, capacity, SIZE_MAX, now);
	for (int i = 0; i < 100; i++) {
		// Waking and reading take their time, too.
		int64_t gap = rest + 5 * US;
		double come = (double)gap / 1000 * bytes_per_us;
		size_t size = come < (double)capacity ? (size_t)come : capacity;
		now += gap;
		rest = bi_coalesce_rest(&it, size, capacity, SIZE_MAX, now);
		CHECK(rest >= 0 && rest <= MS);
		if (i < 50)
			continue;
		CHECK(size < capacity);
		CHECK_INT(rest > 0, rests);
	}
}

static void
the_rest_fits_the_pipe_and_the_producer(void)
{
	check_pipe(1024 * KIB, 35, true);
	check_pipe(1024 * KIB, 1000, true);
	check_pipe(64 * KIB, 35, true);
	check_pipe(64 * KIB, 400, true);
	check_pipe(64 * KIB, 4000, false);
	// A page.
	check_pipe(4 * KIB, 35, true);
	check_pipe(4 * KIB, 400, false);
}

static void
a_fast_producer_after_a_small_start_is_not_held_long(void)
{
	struct bi_coalesce it = with_limit(MS);
	int64_t now = 20 * US;
	int64_t rest = MS;
	int64_t held = 0;

	bi_coalesce_rest(&it, 10, 64 * KIB, SIZE_MAX, 0);
	CHECK_INT(bi_coalesce_rest(&it, 10, 64 * KIB, SIZE_MAX, now), MS);
	// It fills the pipe in 60 us from now on.
	while (rest > 60 * US) {
		now += rest;
		held += rest;
		rest = bi_coalesce_rest(&it, 64 * KIB, 64 * KIB, SIZE_MAX, now);
	}
	CHECK(held < 5 * MS);
}

static void
no_limit_means_no_rest(void)
{
	struct bi_coalesce it = with_limit(0);

	for (int64_t now = 0; now < 100; now += 10)
		CHECK_INT(
		    bi_coalesce_rest(&it, 100, 1024 * KIB, SIZE_MAX, now), 0);
}

static void
the_smaller_of_the_two_pipes_decides(void)
{
	static const size_t sizes[][2] = {
	    {64, 1024}, {1024, 64}, {64, 64}, {128, 64}};

	for (size_t i = 0; i < 4; i++) {
		struct bi_coalesce it = with_limit(MS);
		size_t in = sizes[i][0] * KIB;
		size_t out = sizes[i][1] * KIB;
		bi_coalesce_rest(&it, 350, in, out, 0);
		// 350 bytes in 2 us: 32 KiB in 187 us.
		CHECK_INT(bi_coalesce_rest(&it, 350, in, out, 2 * US),
		    32 * KIB * 2 * US / 350);
	}
}

int
main(void)
{
	TEST(the_smaller_of_the_two_pipes_decides);
	TEST(the_first_bytes_are_followed_at_once);
	TEST(a_quiet_stream_is_never_held);
	TEST(a_busy_one_rests_for_the_limit);
	TEST(the_rest_itself_is_no_silence);
	TEST(much_at_once_is_soon_followed);
	TEST(one_small_read_says_little_of_a_fast_producer);
	TEST(the_rest_fits_the_pipe_and_the_producer);
	TEST(a_fast_producer_after_a_small_start_is_not_held_long);
	TEST(no_limit_means_no_rest);
	return tap_done();
}
