// SPDX-License-Identifier: MIT
// The queue: order, limits, ends, and two threads with awkward sizes.

#include "blocks.h"
#include "queue.h"
#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

// Put `size` bytes of `bytes` into the queue, which must have room.
static void
put(struct bi_queue *queue, const char *bytes, size_t size)
{
	while (size > 0) {
		size_t room;
		void *place = bi_queue_reserve(queue, &room);
		CHECK(place != NULL);
		if (room > size)
			room = size;
		memcpy(place, bytes, room);
		bi_queue_commit(queue, room);
		bytes += room;
		size -= room;
	}
}

// Take at most `size` bytes, in one go; returns how many there were.
static ssize_t
take(struct bi_queue *queue, char *bytes, size_t size)
{
	struct iovec iov[8];
	int parts = 8;
	ssize_t n = bi_queue_peek(queue, iov, &parts, size);
	size_t done = 0;

	if (n <= 0)
		return n;
	for (int i = 0; i < parts; i++) {
		memcpy(bytes + done, iov[i].iov_base, iov[i].iov_len);
		done += iov[i].iov_len;
	}
	CHECK_INT(done, n);
	bi_queue_consume(queue, done);
	return n;
}

struct counted {
	struct bi_queue *queue;
	size_t rounds;
};

// As much as fits, at once, again and again.
static void *
flood(void *arg)
{
	struct counted *it = arg;
	size_t room;

	for (size_t i = 0; i < it->rounds; i++) {
		void *place = bi_queue_reserve(it->queue, &room);
		memset(place, 0, 1);
		bi_queue_commit(it->queue, room);
	}
	bi_queue_end(it->queue, 0);
	return NULL;
}

static void
there_are_never_more_blocks_than_allowed(void)
{
	static const size_t limits[] = {2, 3, 16};

	for (size_t i = 0; COUNTS_BLOCKS && i < 3; i++) {
		struct counted it = {.rounds = 20000};
		struct iovec iov[64];
		pthread_t producer;
		ssize_t n;
		blocks_now = blocks_most = 0;
		it.queue = bi_queue_create(BLOCK_SIZE, limits[i]);
		pthread_create(&producer, NULL, flood, &it);
		do {
			// Let it come near the limit, then drain all of it.
			for (int j = 0; j < 20; j++)
				sched_yield();
			int parts = 64;
			n = bi_queue_peek(it.queue, iov, &parts, SIZE_MAX);
			bi_queue_consume(it.queue, n > 0 ? (size_t)n : 0);
		} while (n > 0);
		pthread_join(producer, NULL);
		CHECK(blocks_most >= 2);
		CHECK(blocks_most <= (int)limits[i]);
		bi_queue_destroy(it.queue);
		CHECK_INT(blocks_now, 0);
	}
}

static void
refusals(void)
{
	CHECK(bi_queue_create(0, 2) == NULL);
	CHECK_INT(errno, EINVAL);
	CHECK(bi_queue_create(1, 1) == NULL);
	CHECK_INT(errno, EINVAL);
	CHECK(bi_queue_create(SIZE_MAX, 2) == NULL);
	CHECK_INT(errno, EINVAL);
	CHECK(bi_queue_create(PTRDIFF_MAX, 2) == NULL);
	CHECK_INT(errno, ENOMEM);
	bi_queue_destroy(NULL);
}

static void
bytes_come_in_order_across_blocks(void)
{
	struct bi_queue *queue = bi_queue_create(3, 4);
	char got[16] = "";

	put(queue, "abcdefgh", 8);
	CHECK_INT(bi_queue_pending(queue), 8);
	CHECK_INT(take(queue, got, 16), 8);
	CHECK(memcmp(got, "abcdefgh", 8) == 0);
	CHECK_INT(bi_queue_pending(queue), 0);
	bi_queue_destroy(queue);
}

static void
peek_gives_no_more_than_asked(void)
{
	struct bi_queue *queue = bi_queue_create(3, 4);
	struct iovec iov[2];
	char got[16] = "";

	put(queue, "abcdefgh", 8);
	for (int i = 0; i < 2; i++) {
		// Peeking twice shows the same.
		int parts = 2;
		CHECK_INT(bi_queue_peek(queue, iov, &parts, 4), 4);
		CHECK_INT(parts, 2);
		CHECK_INT(iov[1].iov_len, 1);
	}
	int parts = 1;
	CHECK_INT(bi_queue_peek(queue, iov, &parts, 100), 3);
	CHECK_INT(take(queue, got, 4), 4);
	CHECK_INT(take(queue, got, 1), 1);
	CHECK_INT(got[0], 'e');
	CHECK_INT(take(queue, got, 16), 3);
	CHECK(memcmp(got, "fgh", 3) == 0);
	bi_queue_destroy(queue);
}

static void
a_drained_block_is_filled_from_its_beginning(void)
{
	struct bi_queue *queue = bi_queue_create(4, 2);
	size_t room;
	char got[4] = "";

	void *first = bi_queue_reserve(queue, &room);
	CHECK_INT(room, 4);
	for (int i = 0; i < 10; i++) {
		put(queue, "abc", 3);
		CHECK_INT(take(queue, got, 4), 3);
		CHECK(bi_queue_reserve(queue, &room) == first);
		CHECK_INT(room, 4);
	}
	bi_queue_destroy(queue);
}

static void *
reserve_when_full(void *arg)
{
	size_t room;

	return bi_queue_reserve(arg, &room);
}

static void
a_nearly_full_block_counts_as_full(void)
{
	struct bi_queue *queue = bi_queue_create(100, 2);
	static char bytes[100];
	size_t room;

	put(queue, bytes, 75);
	bi_queue_reserve(queue, &room);
	CHECK_INT(room, 25);
	put(queue, bytes, 1);
	bi_queue_reserve(queue, &room);
	CHECK_INT(room, 100);
	bi_queue_destroy(queue);
}

static void
tiny_blocks_do_not_cost_many_times_their_size(void)
{
	struct bi_queue *queue = bi_queue_create(1, 1000000);
	char byte = 'x';
	size_t pending = 0;

	// 1,000,000 + 2^20 bytes of memory at 65 a block.
	for (; pending < 31516; pending++)
		put(queue, &byte, 1);
	pthread_t producer;
	void *place;
	pthread_create(&producer, NULL, reserve_when_full, queue);
	bi_queue_close(queue);
	pthread_join(producer, &place);
	CHECK(place == NULL);
	bi_queue_destroy(queue);
}

static void
the_end_and_an_error_come_behind_the_bytes(void)
{
	static const int errors[] = {0, EIO};

	for (int i = 0; i < 2; i++) {
		struct bi_queue *queue = bi_queue_create(10, 2);
		char got[4] = "";
		put(queue, "abcd", 4);
		bi_queue_end(queue, errors[i]);
		CHECK_INT(take(queue, got, 3), 3);
		CHECK_INT(take(queue, got, 3), 1);
		for (int again = 0; again < 2; again++) {
			errno = 0;
			CHECK_INT(take(queue, got, 3), errors[i] ? -1 : 0);
			CHECK_INT(errno, errors[i]);
		}
		bi_queue_destroy(queue);
	}
}

static void
a_producer_at_the_limit_waits_until_a_block_is_drained(void)
{
	struct bi_queue *queue = bi_queue_create(2, 2);
	pthread_t producer;
	char got[4] = "";
	void *place;

	put(queue, "abcd", 4);
	pthread_create(&producer, NULL, reserve_when_full, queue);
	// Half of a block is no room for another. One that does not wait is
	// gone long before this is over.
	CHECK_INT(take(queue, got, 1), 1);
	usleep(50000);
	CHECK_INT(pthread_tryjoin_np(producer, &place), EBUSY);
	CHECK_INT(take(queue, got, 1), 1);
	pthread_join(producer, &place);
	CHECK(place != NULL);
	bi_queue_destroy(queue);
}

static void
close_ends_the_producer_even_one_that_waits(void)
{
	struct bi_queue *queue = bi_queue_create(2, 2);
	pthread_t producer;
	size_t room;
	void *place;

	put(queue, "abcd", 4);
	pthread_create(&producer, NULL, reserve_when_full, queue);
	bi_queue_close(queue);
	pthread_join(producer, &place);
	CHECK(place == NULL);
	CHECK(bi_queue_reserve(queue, &room) == NULL);
	bi_queue_destroy(queue);
}

// How long the stream is; shorter where every byte is a hand-over.
static size_t stream_size;

// The byte at a position of the stream.
static unsigned char
byte_at(size_t position)
{
	return (unsigned char)(position * 2654435761u >> 13);
}

// A small generator of sizes: each thread its own, the same every time.
static size_t
next_size(uint32_t *state, size_t most)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % most + 1;
}

static void *
produce_stream(void *arg)
{
	struct bi_queue *queue = arg;
	uint32_t state = 1;
	size_t done = 0;

	while (done < stream_size) {
		size_t room;
		unsigned char *place = bi_queue_reserve(queue, &room);
		size_t size = next_size(&state, 9000);
		if (size > room)
			size = room;
		if (size > stream_size - done)
			size = stream_size - done;
		for (size_t i = 0; i < size; i++)
			place[i] = byte_at(done + i);
		bi_queue_commit(queue, size);
		done += size;
	}
	bi_queue_end(queue, ECONNRESET);
	return NULL;
}

// Returns how many bytes came as they should.
static size_t
check_stream(struct bi_queue *queue)
{
	uint32_t state = 2;
	size_t done = 0;

	for (;;) {
		struct iovec iov[3];
		int parts = 3;
		ssize_t n = bi_queue_peek(queue, iov, &parts, 20000);
		if (n <= 0)
			return n < 0 && errno == ECONNRESET ? done : 0;
		size_t wanted = next_size(&state, (size_t)n);
		size_t size = 0;
		for (int i = 0; i < parts; i++)
			for (size_t k = 0; k < iov[i].iov_len; k++) {
				unsigned char *bytes = iov[i].iov_base;
				if (size == wanted)
					break;
				if (bytes[k] != byte_at(done + size))
					return done + size;
				size++;
			}
		bi_queue_consume(queue, size);
		done += size;
	}
}

static void *
drain(void *queue)
{
	bi_queue_drain(queue);
	CHECK_INT(bi_queue_pending(queue), 0);
	return NULL;
}

static void
drain_waits_until_all_is_consumed_or_nothing_is_wanted(void)
{
	struct bi_queue *queue = bi_queue_create(4, 3);
	pthread_t producer;
	char got[4];

	bi_queue_drain(queue);
	put(queue, "abcdefgh", 8);
	pthread_create(&producer, NULL, drain, queue);
	CHECK_INT(take(queue, got, 4), 4);
	CHECK_INT(take(queue, got, 4), 4);
	pthread_join(producer, NULL);

	put(queue, "i", 1);
	bi_queue_close(queue);
	bi_queue_drain(queue);
	CHECK_INT(bi_queue_pending(queue), 1);
	bi_queue_destroy(queue);
}

static void
the_capacity_is_what_fits(void)
{
	struct bi_queue *queue = bi_queue_create(4096, 3);

	CHECK_INT(bi_queue_capacity(queue), 3 * 4096);
	bi_queue_destroy(queue);
	// Of very small blocks there are fewer (see above).
	queue = bi_queue_create(1, 10000000);
	CHECK(bi_queue_capacity(queue) < 10000000);
	bi_queue_destroy(queue);
}

static void
two_threads_move_a_stream_whole(void)
{
	static const size_t sizes[] = {1, 2, 3, 13, 4095, 4096, 4097, 65537};
	static const size_t blocks[] = {2, 3, 16};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (size_t k = 0; k < 3; k++) {
			stream_size = sizes[i] < 100 ? 20000 : 300000;
			struct bi_queue *queue =
			    bi_queue_create(sizes[i], blocks[k]);
			pthread_t producer;
			pthread_create(&producer, NULL, produce_stream, queue);
			CHECK_INT(check_stream(queue), stream_size);
			pthread_join(producer, NULL);
			bi_queue_destroy(queue);
		}
}

int
main(void)
{
	TEST(refusals);
	TEST(bytes_come_in_order_across_blocks);
	TEST(peek_gives_no_more_than_asked);
	TEST(a_drained_block_is_filled_from_its_beginning);
	TEST(a_nearly_full_block_counts_as_full);
	TEST(tiny_blocks_do_not_cost_many_times_their_size);
	TEST(the_end_and_an_error_come_behind_the_bytes);
	TEST(there_are_never_more_blocks_than_allowed);
	TEST(a_producer_at_the_limit_waits_until_a_block_is_drained);
	TEST(close_ends_the_producer_even_one_that_waits);
	TEST(drain_waits_until_all_is_consumed_or_nothing_is_wanted);
	TEST(the_capacity_is_what_fits);
	TEST(two_threads_move_a_stream_whole);
	return tap_done();
}
