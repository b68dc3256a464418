// SPDX-License-Identifier: MIT

#include "relay.h"

#include "io.h"
#include "queue.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

// The most bytes in one write: what the largest pipe of an ordinary user holds
// (pipe(7)). A larger write would only keep blocks from the reader thread that
// it could be filling.
#define WRITE_MOST ((size_t)1 << 20)

// What a pipe holds by default: so much can be handed over at once.
#define FIRST_MOST ((size_t)64 << 10)

// How often to see whether a reader has taken it: at first, and at last.
#define GLANCE_LEAST_NS INT64_C(50000)
#define GLANCE_MOST_NS INT64_C(20000000)

// Parts of one write; blocks are hardly ever so small that it takes more.
#define PARTS_MOST 64

// A socket whose reader left without reading all tells it in another way once.
static bool
means_reader_left(int error)
{
	return error == EPIPE || error == ECONNRESET;
}

static bool
has_reader(int out)
{
	struct pollfd fd = {.fd = out};

	return bi_io_poll(&fd, 1, 0) == 0;
}

// Hand over the very first bytes.
static enum relay_end
hand_first(struct bi_queue *queue, int out, size_t *handed)
{
	struct iovec iov;
	int parts = 1;

	while (!bi_queue_wait(queue, GLANCE_MOST_NS))
		if (!has_reader(out))
			return RELAY_READER_LEFT;
	if (bi_queue_peek(queue, &iov, &parts, FIRST_MOST) <= 0)
		return RELAY_DONE;
	ssize_t n = bi_io_write(out, &iov, 1);
	if (n < 0)
		return means_reader_left(errno) ? RELAY_READER_LEFT
						: RELAY_OUTPUT_FAILED;
	bi_queue_consume(queue, (size_t)n);
	*handed = (size_t)n;
	return RELAY_DONE;
}

// No event tells that something was taken from a pipe that is not full: look at
// it again and again, ever more rarely.
static enum relay_end
wait_until_taken(int out, size_t handed)
{
	struct pollfd fd = {.fd = out};

	for (int64_t ns = GLANCE_LEAST_NS; bi_io_unread(out) >= handed;) {
		if (bi_io_poll(&fd, 1, ns) != 0)
			return bi_io_unread(out) < handed ? RELAY_DONE
							  : RELAY_READER_LEFT;
		ns = ns < GLANCE_MOST_NS ? 2 * ns : ns;
	}
	return RELAY_DONE;
}

enum relay_end
relay_first(struct bi_queue *queue, int out, size_t *handed)
{
	if (*handed == 0) {
		enum relay_end end = hand_first(queue, out, handed);
		if (end != RELAY_DONE || *handed == 0)
			return end;
	}
	return wait_until_taken(out, *handed);
}

enum relay_end
relay_run(struct bi_queue *queue, int out)
{
	struct iovec iov[PARTS_MOST];
	size_t most = WRITE_MOST;

	for (;;) {
		int parts = PARTS_MOST;
		ssize_t size = bi_queue_peek(queue, iov, &parts, most);
		// The reader thread tells by EPIPE that the reader has left.
		if (size < 0)
			return errno == EPIPE ? RELAY_READER_LEFT
					      : RELAY_INPUT_FAILED;
		if (size == 0)
			break;
		ssize_t n = bi_io_write(out, iov, parts);
		if (n < 0 && errno == EMSGSIZE && size > 1) {
			// A socket that takes a message as a whole.
			most = (size_t)size / 2;
			continue;
		}
		if (n < 0)
			return means_reader_left(errno) ? RELAY_READER_LEFT
							: RELAY_OUTPUT_FAILED;
		bi_queue_consume(queue, (size_t)n);
	}
	// A file system may report here what it could not store (close(2)).
	return close(out) == 0 || errno == EINTR ? RELAY_DONE
						 : RELAY_OUTPUT_FAILED;
}
