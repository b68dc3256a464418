// SPDX-License-Identifier: MIT
// Pipes that grow as far as they may, and never shrink.

#include "pipesize.h"

#include "io.h"
#include "tap.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#define KIB ((size_t)1024)

static void
a_pipe_is_doubled_as_far_as_it_may(void)
{
	int ends[2];

	// Who has used up what a user may have is given smaller pipes.
	CHECK_INT(bi_io_pipe(ends), 0);
	size_t before = bi_pipesize_get(ends[0]);
	CHECK(before > 0);
	CHECK_INT(bi_pipesize_double(ends[1], before), before);
	CHECK_INT(bi_pipesize_double(ends[1], 0), before);
	CHECK_INT(bi_pipesize_get(ends[0]), before);
	size_t after = bi_pipesize_double(ends[1], 4 * before);
	CHECK_INT(bi_pipesize_get(ends[0]), after);
	CHECK(after == 2 * before || (getuid() != 0 && after == before));
	// Not quite twice as much is rounded up.
	after = bi_pipesize_double(ends[1], 3 * before);
	CHECK(after == 4 * before || (getuid() != 0 && after >= before));
	CHECK_INT(bi_pipesize_get(ends[0]), after);
	close(ends[0]);
	close(ends[1]);
}

static void
it_never_shrinks(void)
{
	int ends[2];

	CHECK_INT(bi_io_pipe(ends), 0);
	size_t before = bi_pipesize_get(ends[0]);
	for (size_t size = 0; size < before; size = 2 * size + 1)
		CHECK_INT(bi_pipesize_double(ends[0], size), before);
	CHECK_INT(bi_pipesize_get(ends[0]), before);
	close(ends[0]);
	close(ends[1]);
}

static void
what_is_in_it_stays(void)
{
	int ends[2];
	char byte = 'x';

	CHECK_INT(bi_io_pipe(ends), 0);
	CHECK_INT(write(ends[1], &byte, 1), 1);
	CHECK(bi_pipesize_double(ends[0], bi_pipesize_max()) > 0);
	CHECK_INT(bi_io_unread(ends[0]), 1);
	close(ends[0]);
	close(ends[1]);
}

static void
more_than_may_be_is_refused(void)
{
	int ends[2];
	size_t before;
	size_t after;

	CHECK_INT(bi_io_pipe(ends), 0);
	after = bi_pipesize_get(ends[0]);
	do {
		before = after;
		after = bi_pipesize_double(ends[0], SIZE_MAX);
		CHECK_INT(bi_pipesize_get(ends[0]), after);
	} while (after > before && after < 4096 * KIB);
	CHECK(after >= before);
	close(ends[0]);
	close(ends[1]);
}

static void
what_is_no_pipe_is_left_alone(void)
{
	int ends[2];

	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	CHECK_INT(bi_pipesize_double(ends[0], 1024 * KIB), 0);
	CHECK_INT(bi_pipesize_get(ends[0]), 0);
	close(ends[0]);
	close(ends[1]);
	CHECK_INT(bi_pipesize_double(-1, 1024 * KIB), 0);
	CHECK_INT(bi_pipesize_get(-1), 0);
}

static void
the_most_is_at_least_a_page(void)
{
	CHECK(bi_pipesize_max() >= 4 * KIB);
}

int
main(void)
{
	TEST(a_pipe_is_doubled_as_far_as_it_may);
	TEST(it_never_shrinks);
	TEST(what_is_in_it_stays);
	TEST(more_than_may_be_is_refused);
	TEST(what_is_no_pipe_is_left_alone);
	TEST(the_most_is_at_least_a_page);
	return tap_done();
}
