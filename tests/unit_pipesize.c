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
a_pipe_grows_as_far_as_asked_for(void)
{
	int ends[2];

	// Who has used up what a user may have is given smaller pipes.
	CHECK_INT(bi_io_pipe(ends), 0);
	size_t before = bi_pipesize_get(ends[0]);
	CHECK(before > 0);
	bi_pipesize_grow(ends[1], before);
	CHECK_INT(bi_pipesize_get(ends[0]), before);
	bi_pipesize_grow(ends[1], 4 * before);
	size_t after = bi_pipesize_get(ends[0]);
	CHECK(after == 4 * before || (getuid() != 0 && after >= before));
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
		bi_pipesize_grow(ends[0], size);
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
	bi_pipesize_grow(ends[0], bi_pipesize_max());
	CHECK_INT(bi_io_unread(ends[0]), 1);
	close(ends[0]);
	close(ends[1]);
}

static void
too_much_is_asked_for(void)
{
	static const size_t sizes[] = {
	    (size_t)1 << 31, (size_t)1 << 32, SIZE_MAX};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		int ends[2];
		CHECK_INT(bi_io_pipe(ends), 0);
		size_t before = bi_pipesize_get(ends[0]);
		bi_pipesize_grow(ends[0], sizes[i]);
		CHECK(bi_pipesize_get(ends[0]) >= before);
		close(ends[0]);
		close(ends[1]);
	}
}

static void
what_is_no_pipe_is_left_alone(void)
{
	int ends[2];

	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	bi_pipesize_grow(ends[0], 1024 * KIB);
	CHECK_INT(bi_pipesize_get(ends[0]), 0);
	close(ends[0]);
	close(ends[1]);
	bi_pipesize_grow(-1, 1024 * KIB);
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
	TEST(a_pipe_grows_as_far_as_asked_for);
	TEST(it_never_shrinks);
	TEST(what_is_in_it_stays);
	TEST(too_much_is_asked_for);
	TEST(what_is_no_pipe_is_left_alone);
	TEST(the_most_is_at_least_a_page);
	return tap_done();
}
