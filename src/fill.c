// SPDX-License-Identifier: MIT

#include "fill.h"

#include "io.h"
#include "pipesize.h"
#include "queue.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

// What the thread is to do; the order only ever rises.
enum order {
	GO,
	FINISH,
	STOP,
};

#define NS_PER_S INT64_C(1000000000)

// How often to look at the input in a long rest.
#define GLANCE_NS INT64_C(1000000)

// More than a pipe holds; what is asked for does not matter beyond that.
#define SPLICE_MOST ((size_t)1 << 30)

// What a socket is taken to hold: a pipe's default.
#define CAPACITY_DEFAULT ((size_t)64 << 10)

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

static size_t
capacity_of(int fd)
{
	size_t capacity = bi_pipesize_get(fd);

	return capacity > 0 ? capacity : CAPACITY_DEFAULT;
}

// Wait until `fd` is ready for `events`, at most for `limit_ns` if that is not
// negative. Returns 0, or -1 with errno: EPIPE when it is not ready and the
// output has lost its reader, ETIMEDOUT when the time is over, EAGAIN when
// there is news.
static int
wait_ready(struct bi_fill *fill, int fd, short events, int64_t limit_ns)
{
	struct pollfd fds[] = {
	    {.fd = fill->wake[0], .events = POLLIN},
	    {.fd = atomic_load(&fill->out)},
	    {.fd = fd, .events = events},
	};

	int ready = bi_io_poll(fds, 3, limit_ns);
	if (ready < 0)
		return -1;
	if (ready == 0) {
		errno = ETIMEDOUT;
		return -1;
	}
	if (fds[0].revents != 0) {
		char bytes[8];
		(void)!read(fill->wake[0], bytes, sizeof(bytes));
	} else if (fds[2].revents != 0) {
		return 0;
	} else if (fds[1].revents != 0) {
		errno = EPIPE;
		return -1;
	}
	errno = EAGAIN;
	return -1;
}

// Let bytes gather in the input, or leave the output. Only the end of the input
// is watched for meanwhile, or every write of the producer's would have this
// thread to wake; a long rest is broken now and then to see whether the
// producer has become faster.
static void
rest(struct bi_fill *fill, int64_t ns)
{
	for (; ns > 0; ns -= GLANCE_NS) {
		int64_t part = ns < GLANCE_NS ? ns : GLANCE_NS;
		if (wait_ready(fill, fill->in, 0, part) == 0 ||
		    errno != ETIMEDOUT)
			return;
		if (ns > part &&
		    bi_io_unread(fill->in) >= fill->in_capacity / 2)
			return;
	}
}

// Grow one of the two if it is a pipe. Returns whether that could be done; if
// it is refused no more is asked for: others of this user would have to do with
// less.
static bool
grow(struct bi_fill *fill, int fd, size_t *capacity)
{
	if (*capacity >= fill->pipe_size)
		return false;
	size_t size = bi_pipesize_double(fd, fill->pipe_size);
	if (size > *capacity) {
		*capacity = size;
		return true;
	}
	if (size > 0)
		fill->pipe_size = 0;
	return false;
}

// `size` bytes have just been handed over. If that was all there was, rest if
// it is due.
static void
rest_after(struct bi_fill *fill, size_t size, bool all)
{
	int out = atomic_load(&fill->out);
	struct timespec now;

	// A rest ends when they are half full.
	if (size >= fill->in_capacity / 2)
		grow(fill, fill->in, &fill->in_capacity);
	if (out >= 0 && size >= fill->out_capacity / 2)
		grow(fill, out, &fill->out_capacity);
	if (fill->coalesce.limit_ns == 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t ns = bi_coalesce_rest(&fill->coalesce, size, fill->in_capacity,
	    out >= 0 ? fill->out_capacity : SIZE_MAX,
	    now.tv_sec * NS_PER_S + now.tv_nsec);
	if (all)
		rest(fill, ns);
}

// Can pages go straight across?
static bool
can_splice(struct bi_fill *fill)
{
	return atomic_load(&fill->out) >= 0 && fill->may_splice;
}

// As much as the memory holds has been buffered, and the consumer never had to
// wait meanwhile: it is simply slower, and copying buys nothing. Then the two
// pipes are buffer enough.
static bool
is_buffering_vain(struct bi_fill *fill)
{
	return can_splice(fill) &&
	       fill->buffered >= bi_queue_capacity(fill->queue);
}

// Wait for bytes. If the consumer waits for them too, it is not the slower one:
// it met a burst, and buffering may help again. Returns -1 with errno: EAGAIN
// to go on, else why not.
static ssize_t
wait_for_input(struct bi_fill *fill)
{
	if (wait_ready(fill, fill->in, POLLIN, -1) != 0)
		return -1;
	if (fill->buffered > 0 && bi_queue_pending(fill->queue) == 0 &&
	    bi_io_unread(atomic_load(&fill->out)) == 0)
		fill->buffered = 0;
	errno = EAGAIN;
	return -1;
}

// The output is full: grow it, or let the consumer read. If it reads nothing
// until the input is about to be full, too, and the producer to wait, it
// pauses, and the queue is to take what comes, unless that is vain. Returns -1
// with errno: EAGAIN to go on, ENOBUFS to go on with the queue.
static ssize_t
wait_for_output(struct bi_fill *fill)
{
	int out = atomic_load(&fill->out);

	if (grow(fill, out, &fill->out_capacity)) {
		errno = EAGAIN;
		return -1;
	}
	bool vain = is_buffering_vain(fill);
	int64_t patience_ns =
	    bi_coalesce_half(&fill->coalesce, fill->in_capacity);
	if (wait_ready(fill, out, POLLOUT, vain ? -1 : patience_ns) == 0)
		errno = EAGAIN;
	else if (!vain)
		errno = ENOBUFS;
	return -1;
}

// Pages that have been written in packet mode take it along, and the consumer
// would lose bytes. Returns 0 if they have not, or -1 as move_across() does.
static int
check_plain(struct bi_fill *fill)
{
	if (fill->is_plain)
		return 0;
	int plain = bi_io_is_plain_pipe(fill->in);
	if (plain < 0 && errno == EAGAIN)
		return (int)wait_for_input(fill);
	if (plain == 0)
		fill->may_splice = false;
	fill->is_plain = plain > 0;
	errno = ENOBUFS;
	return plain > 0 ? 0 : -1;
}

// Move pages straight across. Returns the bytes, 0 at the end of the data, or
// -1 with errno: EAGAIN to go on, ENOBUFS to go on with the queue.
static ssize_t
move_across(struct bi_fill *fill)
{
	int out = atomic_load(&fill->out);
	ssize_t n = check_plain(fill);

	if (n < 0)
		return n;
	n = bi_io_splice(fill->in, out, SPLICE_MOST);
	if (n < 0 && errno == EAGAIN)
		return bi_io_is_readable(fill->in) ? wait_for_output(fill)
						   : wait_for_input(fill);
	if (n < 0) {
		// Nothing has moved. The queue can do it, or finds out which
		// of the two it is that fails.
		fill->may_splice = false;
		errno = ENOBUFS;
	} else if (n > 0) {
		rest_after(fill, (size_t)n, true);
	}
	return n;
}

// Read without blocking, but wait if there is nothing: then EAGAIN.
static ssize_t
read_input(struct bi_fill *fill, void *place, size_t room)
{
	if (fill->can_read_now) {
		ssize_t n = bi_io_read_now(fill->in, place, room);
		if (n >= 0)
			return n;
		if (errno == EAGAIN)
			return wait_for_input(fill);
		fill->can_read_now = false;
	}
	if (!bi_io_is_readable(fill->in))
		return wait_for_input(fill);
	return bi_io_read(fill->in, place, room);
}

// Put what was read elsewhere into the queue, piece by piece. The last piece is
// left to be committed. Returns its size, or -1 with errno.
static ssize_t
distribute(struct bi_fill *fill, size_t size, void *place, size_t room)
{
	const char *rest = fill->packet;

	while (size > room) {
		memcpy(place, rest, room);
		bi_queue_commit(fill->queue, room);
		rest += room;
		size -= room;
		place = bi_queue_reserve(fill->queue, &room);
		if (place == NULL) {
			errno = ECANCELED;
			return -1;
		}
	}
	memcpy(place, rest, size);
	return (ssize_t)size;
}

// The same. Of a pipe in packet mode (pipe(7), O_DIRECT) what does not fit into
// a read is gone, and nothing tells beforehand that it is one; so no read is
// smaller than a packet may be.
static ssize_t
read_some(struct bi_fill *fill, void *place, size_t room)
{
	if (room >= sizeof(fill->packet) || bi_pipesize_get(fill->in) == 0)
		return read_input(fill, place, room);
	ssize_t n = read_input(fill, fill->packet, sizeof(fill->packet));
	return n > 0 ? distribute(fill, (size_t)n, place, room) : n;
}

// Read from what the input held when it was told to finish. If that cannot be
// told, a pipe does not hold more than its capacity.
static ssize_t
read_last(struct bi_fill *fill, void *place, size_t room)
{
	if (fill->last == SIZE_MAX)
		fill->last = bi_io_unread(fill->in);
	if (fill->last == SIZE_MAX)
		fill->last = fill->in_capacity;
	if (room > fill->last)
		room = fill->last;
	if (room == 0 || !bi_io_is_readable(fill->in))
		return 0;
	ssize_t n = bi_io_read(fill->in, place, room);
	if (n > 0)
		fill->last -= (size_t)n;
	return n;
}

// Move bytes into the queue. Returns as move_across() does.
static ssize_t
move_to_queue(struct bi_fill *fill, int order)
{
	size_t room;

	void *place = bi_queue_reserve(fill->queue, &room);
	if (place == NULL) {
		errno = ECANCELED;
		return -1;
	}
	ssize_t n = order == FINISH ? read_last(fill, place, room)
				    : read_some(fill, place, room);
	if (n > 0) {
		bi_queue_commit(fill->queue, (size_t)n);
		fill->buffered += (size_t)n;
		if (atomic_load(&fill->out) >= 0 &&
		    bi_queue_pending(fill->queue) >= fill->out_capacity)
			grow(
			    fill, atomic_load(&fill->out), &fill->out_capacity);
		if (is_buffering_vain(fill))
			bi_queue_drain(fill->queue);
		rest_after(fill, (size_t)n, (size_t)n < room);
	}
	return n;
}

// Hand on what there is. Returns the bytes, 0 at the end of the data, or -1
// with errno, EAGAIN if this was only waiting.
static ssize_t
hand_over(struct bi_fill *fill)
{
	int order = atomic_load(&fill->order);

	if (order == STOP) {
		errno = ECANCELED;
		return -1;
	}
	// Nothing may be before the bytes that go straight across.
	if (order == GO && can_splice(fill) &&
	    bi_queue_pending(fill->queue) == 0) {
		ssize_t n = move_across(fill);
		if (n >= 0 || errno != ENOBUFS)
			return n;
	}
	return move_to_queue(fill, order);
}

static void *
run(void *arg)
{
	struct bi_fill *fill = arg;
	ssize_t n;

#ifdef PR_SET_TIMERSLACK
	// Of this thread only: 50 us later than asked for is too late.
	prctl(PR_SET_TIMERSLACK, 1);
#endif
	do
		n = hand_over(fill);
	while (n > 0 || (n < 0 && errno == EAGAIN));
	bi_queue_end(fill->queue, n < 0 ? errno : 0);
	return NULL;
}

int
bi_fill_start(struct bi_fill *fill, struct bi_queue *queue, int in,
    int64_t coalesce_ns, size_t pipe_size)
{
	*fill = (struct bi_fill){
	    .out = -1,
	    .queue = queue,
	    .in = in,
	    .in_capacity = capacity_of(in),
	    .pipe_size = pipe_size,
	    // Of a regular file that is on disk still, a read that may not
	    // wait brings nothing, and poll(2) calls it readable.
	    .can_read_now = is_pipe_or_socket(in),
	    .coalesce = {.limit_ns = coalesce_ns},
	    .last = SIZE_MAX,
	};
	if (bi_io_pipe(fill->wake) != 0)
		return -1;
	pthread_mutex_init(&fill->lock, NULL);
	if (bi_thread_start(&fill->thread, run, fill) != 0) {
		int error = errno;
		close(fill->wake[0]);
		close(fill->wake[1]);
		errno = error;
		return -1;
	}
	return 0;
}

// Let the thread look at what it was told, if it waits.
static void
wake(struct bi_fill *fill)
{
	(void)!write(fill->wake[1], "", 1);
}

void
bi_fill_set_output(struct bi_fill *fill, int out, bool may_splice)
{
	if (!is_pipe_or_socket(out))
		return;
	fill->out_capacity = capacity_of(out);
	fill->may_splice = may_splice && bi_pipesize_get(fill->in) > 0 &&
			   bi_pipesize_get(out) > 0 &&
			   !(fcntl(out, F_GETFL) & O_DIRECT);
	atomic_store(&fill->out, out);
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
