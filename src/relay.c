// SPDX-License-Identifier: MIT

#include "relay.h"

#include "io.h"
#include "queue.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

// The most bytes in one write: what the largest pipe of an ordinary user holds
// (pipe(7)). A larger write would only keep blocks from the reader thread that
// it could be filling.
#define WRITE_MOST ((size_t)1 << 20)

// Parts of one write; blocks are hardly ever so small that it takes more.
#define PARTS_MOST 64

// A socket whose reader left without reading all tells it in another way once.
static bool
means_reader_left(int error)
{
	return error == EPIPE || error == ECONNRESET;
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
