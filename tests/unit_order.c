// SPDX-License-Identifier: MIT
// The order of the bytes while the reader thread changes between the short cut
// and the queue: a writer, the reader thread, a relay and a consumer, all in
// one process, with pipes of a page and sizes and pauses at random.
//
// usage: unit_order [SWITCHES [SEED]]
//
// A switch is counted when the relay has found something in the queue and then
// nothing, so that the short cut was open again.

#include "fill.h"
#include "io.h"
#include "pattern.h"
#include "queue.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define CHUNK_MOST (5 * PAGE)

static long switches_wanted = 20000;
static unsigned int seed = 1;

struct course {
	size_t block_size;
	size_t blocks;
	int64_t coalesce_ns;
	struct bi_queue *queue;
	struct bi_fill fill;
	int in[2];
	int out[2];
	_Atomic long switches;
	long wanted;
};

// Xorshift (Marsaglia 2003); each thread has a state of its own.
static unsigned int
dice(unsigned int *state, unsigned int sides)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % sides;
}

// Mostly nothing; sometimes let the others go ahead.
static void
dawdle(unsigned int *state)
{
	unsigned int side = dice(state, 64);

	if (side < 8)
		sched_yield();
	else if (side == 8)
		nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

static size_t
random_size(unsigned int *state)
{
	static const size_t mosts[] = {
	    1, 100, PAGE - 1, PAGE, PAGE + 1, CHUNK_MOST};

	return 1 + dice(state, (unsigned int)mosts[dice(state, 6)]);
}

static void *
produce(void *arg)
{
	struct course *course = arg;
	unsigned int state = seed * 2654435761U | 1;
	unsigned char chunk[CHUNK_MOST];
	size_t done = 0;

	while (course->switches < course->wanted) {
		size_t size = random_size(&state);
		pattern_fill(chunk, size, done);
		for (size_t put = 0; put < size;) {
			ssize_t n =
			    write(course->in[1], chunk + put, size - put);
			if (n < 0 && errno != EINTR && errno != EAGAIN) {
				CHECK_INT(errno, 0);
				close(course->in[1]);
				return NULL;
			}
			put += n > 0 ? (size_t)n : 0;
		}
		done += size;
		dawdle(&state);
	}
	close(course->in[1]);
	return NULL;
}

static void *
relay(void *arg)
{
	struct course *course = arg;
	struct iovec iov[8];

	for (;;) {
		int parts = 8;
		ssize_t n =
		    bi_queue_peek(course->queue, iov, &parts, CHUNK_MOST);
		CHECK(n >= 0);
		if (n <= 0)
			break;
		n = bi_io_write(course->out[1], iov, parts);
		CHECK(n > 0);
		if (n <= 0)
			break;
		bi_queue_consume(course->queue, (size_t)n);
		course->switches += bi_queue_pending(course->queue) == 0;
	}
	close(course->out[1]);
	return NULL;
}

// Returns how many bytes came; they are all in order if no check fails.
static size_t
consume(struct course *course)
{
	unsigned int state = seed * 40503U | 1;
	unsigned char chunk[CHUNK_MOST];
	unsigned char expected[CHUNK_MOST];
	size_t done = 0;

	for (;;) {
		ssize_t n = read(course->out[0], chunk, random_size(&state));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			break;
		pattern_fill(expected, (size_t)n, done);
		if (memcmp(chunk, expected, (size_t)n) != 0) {
			tap_fail(__FILE__, __LINE__, "in order");
			return 0;
		}
		done += (size_t)n;
		dawdle(&state);
	}
	return done;
}

static void
run_course(size_t block_size, size_t blocks, int64_t coalesce_ns, long wanted)
{
	struct course course = {.wanted = wanted};
	pthread_t producer, relayer;

	course.queue = bi_queue_create(block_size, blocks);
	CHECK_INT(bi_io_pipe(course.in), 0);
	CHECK_INT(bi_io_pipe(course.out), 0);
	fcntl(course.in[0], F_SETPIPE_SZ, (int)PAGE);
	fcntl(course.out[0], F_SETPIPE_SZ, (int)PAGE);
	CHECK_INT(bi_fill_start(
		      &course.fill, course.queue, course.in[0], coalesce_ns, 0),
	    0);
	bi_fill_set_output(&course.fill, course.out[1], true);
	pthread_create(&producer, NULL, produce, &course);
	pthread_create(&relayer, NULL, relay, &course);
	CHECK(consume(&course) > 0);
	// Had something gone wrong, the others may be waiting still.
	close(course.out[0]);
	pthread_join(relayer, NULL);
	bi_fill_stop(&course.fill);
	close(course.in[0]);
	pthread_join(producer, NULL);
	CHECK(course.switches >= wanted);
	bi_queue_destroy(course.queue);
}

static void
with_room_for_a_lot(void)
{
	run_course(PAGE, 64, 0, switches_wanted / 2);
}

static void
with_room_for_little(void)
{
	run_course(1000, 3, 0, switches_wanted / 4);
}

static void
with_tiny_blocks(void)
{
	run_course(1, 100, 0, switches_wanted / 4);
}

static void
with_rests(void)
{
	run_course(PAGE, 8, 50000, switches_wanted / 100);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		switches_wanted = atol(argv[1]);
	if (argc > 2)
		seed = (unsigned int)atol(argv[2]);
	signal(SIGPIPE, SIG_IGN);
	TEST(with_room_for_a_lot);
	TEST(with_room_for_little);
	TEST(with_tiny_blocks);
	TEST(with_rests);
	return tap_done();
}
