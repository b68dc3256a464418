// SPDX-License-Identifier: MIT

#include "fill.h"

#include "io.h"
#include "queue.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

// What the thread is to do; the order only ever rises.
enum order {
	GO,
	FINISH,
	STOP,
};

// Pipes and sockets: these can be read without waiting, and they alone tell by
// an event nobody asked for that the other end is closed. On a terminal such
// an event is a hang-up, which is a write error.
static bool
is_pipe_or_socket(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

// Wait until the input can be read. Returns 0, or -1 with errno: EPIPE when
// nothing is there and the output has lost its reader, EAGAIN when something
// new is to be heeded.
static int
wait_readable(struct bi_fill *fill)
{
	struct pollfd fds[] = {
	    {.fd = fill->wake[0], .events = POLLIN},
	    {.fd = atomic_load(&fill->out)},
	    {.fd = fill->in, .events = POLLIN},
	};

	while (poll(fds, 3, -1) < 0)
		if (errno != EINTR && errno != EAGAIN)
			return -1;
	if (fds[0].revents != 0) {
		char bytes[8];
		(void)!read(fill->wake[0], bytes, sizeof(bytes));
		errno = EAGAIN;
		return -1;
	}
	if (fds[2].revents == 0) {
		errno = EPIPE;
		return -1;
	}
	return 0;
}

// Read without waiting, if this input knows how to: else, and when nothing is
// there, EAGAIN.
static ssize_t
read_now(struct bi_fill *fill, void *place, size_t room)
{
	if (fill->can_read_now) {
		ssize_t n = bi_io_read_now(fill->in, place, room);
		if (n >= 0 || errno != EOPNOTSUPP)
			return n;
		fill->can_read_now = false;
	}
	errno = EAGAIN;
	return -1;
}

// Wait, then read, unless read_now() is to do it: then EAGAIN, as when there is
// nothing after all.
static ssize_t
wait_and_read(struct bi_fill *fill, void *place, size_t room)
{
	if (wait_readable(fill) != 0)
		return -1;
	if (!fill->can_read_now)
		return bi_io_read(fill->in, place, room);
	errno = EAGAIN;
	return -1;
}

// Read from what the input held when it was told to finish.
static ssize_t
read_last(struct bi_fill *fill, void *place, size_t room)
{
	if (fill->last == SIZE_MAX)
		fill->last = bi_io_unread(fill->in);
	if (room > fill->last)
		room = fill->last;
	ssize_t n = room > 0 ? bi_io_read(fill->in, place, room) : 0;
	if (n > 0)
		fill->last -= (size_t)n;
	return n;
}

// Read, waiting for bytes, the end, an error or an order to stop.
static ssize_t
fetch(struct bi_fill *fill, void *place, size_t room)
{
	for (;;) {
		int order = atomic_load(&fill->order);
		if (order == STOP) {
			errno = ECANCELED;
			return -1;
		}
		if (order == FINISH)
			return read_last(fill, place, room);

		ssize_t n = read_now(fill, place, room);
		if (n < 0 && errno == EAGAIN)
			n = wait_and_read(fill, place, room);
		if (n >= 0 || errno != EAGAIN)
			return n;
	}
}

static void *
run(void *arg)
{
	struct bi_fill *fill = arg;
	ssize_t n = 0;
	void *place;
	size_t room;

	while ((place = bi_queue_reserve(fill->queue, &room)) != NULL) {
		n = fetch(fill, place, room);
		if (n <= 0)
			break;
		bi_queue_commit(fill->queue, (size_t)n);
	}
	bi_queue_end(fill->queue, n < 0 ? errno : 0);
	return NULL;
}

int
bi_fill_start(struct bi_fill *fill, struct bi_queue *queue, int in)
{
	*fill = (struct bi_fill){
	    .queue = queue,
	    .in = in,
	    .out = -1,
	    // Of a regular file that is on disk still, a read that may not
	    // wait brings nothing, and poll(2) calls it readable.
	    .can_read_now = is_pipe_or_socket(in),
	    .last = SIZE_MAX,
	};
	if (bi_io_pipe(fill->wake) != 0)
		return -1;
	pthread_mutex_init(&fill->lock, NULL);
	int error = pthread_create(&fill->thread, NULL, run, fill);
	if (error != 0) {
		close(fill->wake[0]);
		close(fill->wake[1]);
		errno = error;
		return -1;
	}
	return 0;
}

// Let the thread look at what it was told, if it waits for the input.
static void
wake(struct bi_fill *fill)
{
	(void)!write(fill->wake[1], "", 1);
}

void
bi_fill_watch(struct bi_fill *fill, int out)
{
	atomic_store(&fill->out, is_pipe_or_socket(out) ? out : -1);
	wake(fill);
}

static void
give_order(struct bi_fill *fill, enum order order)
{
	pthread_mutex_lock(&fill->lock);
	if (atomic_load(&fill->order) < (int)order) {
		atomic_store(&fill->order, (int)order);
		wake(fill);
	}
	pthread_mutex_unlock(&fill->lock);
}

void
bi_fill_finish(struct bi_fill *fill)
{
	give_order(fill, FINISH);
}

void
bi_fill_stop(struct bi_fill *fill)
{
	bi_queue_close(fill->queue);
	give_order(fill, STOP);
	pthread_join(fill->thread, NULL);
	close(fill->wake[0]);
	close(fill->wake[1]);
}
