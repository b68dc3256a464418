// SPDX-License-Identifier: MIT
// The reader thread: every kind of input, every ending, every order.

#include "fill.h"
#include "io.h"
#include "queue.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// A reader thread on a pipe.
struct fixture {
	struct bi_queue *queue;
	struct bi_fill fill;
	int in[2];
};

static void
setup(struct fixture *fixture, int out)
{
	fixture->queue = bi_queue_create(16, 3);
	CHECK_INT(bi_io_pipe(fixture->in), 0);
	CHECK_INT(
	    bi_fill_start(&fixture->fill, fixture->queue, fixture->in[0], 0, 0),
	    0);
	if (out >= 0)
		bi_fill_set_output(&fixture->fill, out, false);
}

static void
teardown(struct fixture *fixture)
{
	bi_fill_stop(&fixture->fill);
	bi_queue_destroy(fixture->queue);
	close(fixture->in[0]);
	if (fixture->in[1] >= 0)
		close(fixture->in[1]);
}

static void
put(struct fixture *fixture, const char *text)
{
	CHECK_INT(write(fixture->in[1], text, strlen(text)), strlen(text));
}

static void
hang_up(struct fixture *fixture)
{
	close(fixture->in[1]);
	fixture->in[1] = -1;
}

// Do the next bytes of the queue, however they are cut, make up `text`?
static bool
expect(struct bi_queue *queue, const char *text)
{
	size_t size = strlen(text);

	while (size > 0) {
		struct iovec iov;
		int parts = 1;
		ssize_t n = bi_queue_peek(queue, &iov, &parts, size);
		if (n <= 0 || memcmp(iov.iov_base, text, (size_t)n) != 0)
			return false;
		bi_queue_consume(queue, (size_t)n);
		text += n;
		size -= (size_t)n;
	}
	return true;
}

// How the queue ends: 0, or an error; -1 if there are bytes.
static int
ending(struct bi_queue *queue)
{
	struct iovec iov;
	int parts = 1;
	ssize_t n = bi_queue_peek(queue, &iov, &parts, 1);

	return n < 0 ? errno : n == 0 ? 0 : -1;
}

static void
a_pipe_is_read_to_its_end(void)
{
	struct fixture it;

	setup(&it, -1);
	put(&it, "a");
	CHECK(expect(it.queue, "a"));
	put(&it, "more than a block of sixteen bytes");
	CHECK(expect(it.queue, "more than a block of sixteen bytes"));
	put(&it, "last");
	hang_up(&it);
	CHECK(expect(it.queue, "last"));
	CHECK_INT(ending(it.queue), 0);
	teardown(&it);
}

static void
stop_ends_a_thread_that_waits_for_bytes(void)
{
	struct fixture it;

	setup(&it, -1);
	put(&it, "x");
	CHECK(expect(it.queue, "x"));
	teardown(&it);
}

static void
stop_ends_a_thread_that_waits_for_room(void)
{
	struct fixture it;
	char bytes[1000] = {0};

	setup(&it, -1);
	CHECK_INT(write(it.in[1], bytes, sizeof(bytes)), sizeof(bytes));
	while (bi_queue_pending(it.queue) < 48)
		usleep(1000);
	CHECK_INT(bi_queue_pending(it.queue), 48);
	teardown(&it);
}

static void
finish_delivers_what_is_there_though_the_pipe_is_held(void)
{
	struct fixture it;
	static const char text[] =
	    "more than three blocks of sixteen bytes, so that some is in the "
	    "pipe still";

	setup(&it, -1);
	put(&it, text);
	bi_fill_finish(&it.fill);
	CHECK(expect(it.queue, text));
	CHECK_INT(ending(it.queue), 0);
	teardown(&it);
}

static void
finish_ends_a_thread_that_waits(void)
{
	struct fixture it;

	setup(&it, -1);
	put(&it, "x");
	CHECK(expect(it.queue, "x"));
	bi_fill_finish(&it.fill);
	CHECK_INT(ending(it.queue), 0);
	bi_fill_finish(&it.fill);
	bi_fill_stop(&it.fill);
	bi_fill_finish(&it.fill);
	bi_queue_destroy(it.queue);
	close(it.in[0]);
	close(it.in[1]);
}

// Write until the reader is gone.
static void *
write_for_ever(void *arg)
{
	int *fd = arg;

	while (write(*fd, "again and again\n", 16) > 0)
		;
	return NULL;
}

static void
finish_does_not_wait_for_a_writer_without_end(void)
{
	struct fixture it;
	struct iovec iov;
	pthread_t writer;
	int parts = 1;

	setup(&it, -1);
	pthread_create(&writer, NULL, write_for_ever, &it.in[1]);
	CHECK(expect(it.queue, "again and again\nagain and again\n"));
	bi_fill_finish(&it.fill);
	ssize_t n;
	while ((n = bi_queue_peek(it.queue, &iov, &parts, 1000)) > 0)
		bi_queue_consume(it.queue, (size_t)n);
	CHECK_INT(n, 0);
	bi_fill_stop(&it.fill);
	close(it.in[0]);
	pthread_join(writer, NULL);
	close(it.in[1]);
	bi_queue_destroy(it.queue);
}

static void
a_reader_that_left_is_noticed_in_silence(void)
{
	for (int kind = 0; kind < 2; kind++) {
		struct fixture it;
		int out[2];
		CHECK_INT(kind == 0 ? bi_io_pipe(out)
				    : socketpair(AF_UNIX, SOCK_STREAM, 0, out),
		    0);
		setup(&it, out[1]);
		put(&it, "before");
		CHECK(expect(it.queue, "before"));
		close(out[0]);
		CHECK_INT(ending(it.queue), EPIPE);
		teardown(&it);
		close(out[1]);
	}
}

static void
an_output_that_comes_later_is_watched_too(void)
{
	struct fixture it;
	int out[2];

	setup(&it, -1);
	put(&it, "before");
	CHECK(expect(it.queue, "before"));
	CHECK_INT(bi_io_pipe(out), 0);
	bi_fill_set_output(&it.fill, out[1], false);
	put(&it, "between");
	CHECK(expect(it.queue, "between"));
	close(out[0]);
	CHECK_INT(ending(it.queue), EPIPE);
	teardown(&it);
	close(out[1]);
}

static void
bytes_and_the_end_come_before_a_reader_that_left(void)
{
	struct fixture it;
	int out[2];

	CHECK_INT(bi_io_pipe(out), 0);
	close(out[0]);
	it.queue = bi_queue_create(16, 3);
	CHECK_INT(bi_io_pipe(it.in), 0);
	put(&it, "last");
	hang_up(&it);
	CHECK_INT(bi_fill_start(&it.fill, it.queue, it.in[0], 0, 0), 0);
	bi_fill_set_output(&it.fill, out[1], false);
	CHECK(expect(it.queue, "last"));
	CHECK_INT(ending(it.queue), 0);
	teardown(&it);
	close(out[1]);
}

// Read from `fd` until there are `size` bytes and see that they are `text`.
static bool
receive(int fd, const char *text)
{
	size_t size = strlen(text);
	char got[64];

	for (size_t done = 0; done < size;) {
		ssize_t n = read(fd, got, size - done);
		if (n <= 0 || memcmp(got, text + done, (size_t)n) != 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

// The same with an output that takes nothing more.
static void
setup_before_full_pipe(struct fixture *fixture, int out[2])
{
	static const char bytes[4096];

	CHECK_INT(bi_io_pipe(out), 0);
	fcntl(out[1], F_SETFL, O_NONBLOCK);
	while (write(out[1], bytes, sizeof(bytes)) > 0)
		;
	setup(fixture, -1);
	bi_fill_set_output(&fixture->fill, out[1], true);
}

static void
pages_go_straight_across(void)
{
	struct fixture it;
	int out[2];

	CHECK_INT(bi_io_pipe(out), 0);
	setup(&it, -1);
	bi_fill_set_output(&it.fill, out[1], true);
	put(&it, "straight");
	CHECK(receive(out[0], "straight"));
	CHECK_INT(bi_queue_pending(it.queue), 0);
	put(&it, "and on");
	CHECK(receive(out[0], "and on"));
	hang_up(&it);
	CHECK_INT(ending(it.queue), 0);
	teardown(&it);
	close(out[0]);
	close(out[1]);
}

static void
what_is_in_the_queue_goes_first(void)
{
	struct fixture it;
	int out[2];

	CHECK_INT(bi_io_pipe(out), 0);
	setup(&it, -1);
	put(&it, "first");
	while (bi_queue_pending(it.queue) < 5)
		usleep(1000);
	bi_fill_set_output(&it.fill, out[1], true);
	put(&it, "then");
	while (bi_queue_pending(it.queue) < 9)
		usleep(1000);
	CHECK_INT(bi_io_unread(out[0]), 0);
	CHECK(expect(it.queue, "firstthen"));
	// The queue is empty now. The thread may have looked before that.
	put(&it, ".");
	while (bi_io_unread(out[0]) == 0 && bi_queue_pending(it.queue) == 0)
		usleep(1000);
	teardown(&it);
	close(out[0]);
	close(out[1]);
}

static void
what_a_full_output_cannot_take_is_queued(void)
{
	struct fixture it;
	int out[2];

	setup_before_full_pipe(&it, out);
	put(&it, "queued");
	CHECK(expect(it.queue, "queued"));
	hang_up(&it);
	CHECK_INT(ending(it.queue), 0);
	teardown(&it);
	close(out[0]);
	close(out[1]);
}

static void
finish_delivers_what_could_have_gone_across(void)
{
	struct fixture it;
	int out[2];

	setup_before_full_pipe(&it, out);
	// More than the 48 bytes the queue may hold: buffering is vain.
	put(&it, "more than three blocks of sixteen bytes, so that some stays");
	while (bi_queue_pending(it.queue) < 48)
		usleep(1000);
	bi_fill_finish(&it.fill);
	CHECK(expect(it.queue,
	    "more than three blocks of sixteen bytes, so that some stays"));
	CHECK_INT(ending(it.queue), 0);
	teardown(&it);
	close(out[0]);
	close(out[1]);
}

static void
a_reader_that_leaves_in_mid_stream(void)
{
	struct fixture it;
	int out[2];

	CHECK_INT(bi_io_pipe(out), 0);
	setup(&it, -1);
	bi_fill_set_output(&it.fill, out[1], true);
	put(&it, "before");
	CHECK(receive(out[0], "before"));
	close(out[0]);
	CHECK_INT(ending(it.queue), EPIPE);
	teardown(&it);
	close(out[1]);
}

static void
stop_ends_a_thread_that_waits_for_the_output(void)
{
	struct fixture it;
	int out[2];

	setup_before_full_pipe(&it, out);
	static const char bytes[1000];
	CHECK_INT(write(it.in[1], bytes, sizeof(bytes)), sizeof(bytes));
	while (bi_queue_pending(it.queue) < 48)
		usleep(1000);
	// Buffering is vain, so once this is consumed only the output is left.
	for (size_t done = 0; done < 48;) {
		struct iovec iov;
		int parts = 1;
		ssize_t n = bi_queue_peek(it.queue, &iov, &parts, 48);
		CHECK(n > 0);
		bi_queue_consume(it.queue, (size_t)n);
		done += (size_t)n;
	}
	teardown(&it);
	close(out[0]);
	close(out[1]);
}

// Read `fd` through a reader thread and see that it brings `text`, then ends
// with `error`.
static void
check_input(int fd, const char *text, int error)
{
	struct bi_queue *queue = bi_queue_create(5, 2);
	struct bi_fill fill;

	CHECK_INT(bi_fill_start(&fill, queue, fd, 0, 0), 0);
	CHECK(expect(queue, text));
	CHECK_INT(ending(queue), error);
	bi_fill_stop(&fill);
	bi_queue_destroy(queue);
}

static void
other_inputs(void)
{
	char dir[] = "/tmp/unit_fill.XXXXXX";
	char path[64];
	int fds[2];

	CHECK(mkdtemp(dir) != NULL);
	int fd = open(dir, O_RDONLY | O_CLOEXEC);
	check_input(fd, "", EISDIR);
	close(fd);

	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK_INT(write(fd, "some text", 9), 9);
	lseek(fd, 5, SEEK_SET);
	check_input(fd, "text", 0);
	close(fd);
	unlink(path);

	CHECK_INT(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	int reader = open(path, O_RDONLY | O_CLOEXEC);
	CHECK_INT(write(fd, "through a name", 14), 14);
	close(fd);
	check_input(reader, "through a name", 0);
	close(reader);
	unlink(path);
	rmdir(dir);

	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	CHECK_INT(write(fds[1], "socket", 6), 6);
	close(fds[1]);
	check_input(fds[0], "socket", 0);
	close(fds[0]);

	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	check_input(fd, "", 0);
	close(fd);
	check_input(9999, "", EBADF); // closed
}

int
main(void)
{
	signal(SIGPIPE, SIG_IGN);
	TEST(a_pipe_is_read_to_its_end);
	TEST(stop_ends_a_thread_that_waits_for_bytes);
	TEST(stop_ends_a_thread_that_waits_for_room);
	TEST(finish_delivers_what_is_there_though_the_pipe_is_held);
	TEST(finish_ends_a_thread_that_waits);
	TEST(finish_does_not_wait_for_a_writer_without_end);
	TEST(a_reader_that_left_is_noticed_in_silence);
	TEST(an_output_that_comes_later_is_watched_too);
	TEST(bytes_and_the_end_come_before_a_reader_that_left);
	TEST(pages_go_straight_across);
	TEST(what_is_in_the_queue_goes_first);
	TEST(what_a_full_output_cannot_take_is_queued);
	TEST(finish_delivers_what_could_have_gone_across);
	TEST(a_reader_that_leaves_in_mid_stream);
	TEST(stop_ends_a_thread_that_waits_for_the_output);
	TEST(other_inputs);
	return tap_done();
}
