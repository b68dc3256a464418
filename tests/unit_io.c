// SPDX-License-Identifier: MIT
// Reads and writes on descriptors: waiting, not waiting, and where pipes land.

#include "io.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void
read_now_never_waits(void)
{
	int ends[2];
	char buf[8];

	CHECK_INT(bi_io_pipe(ends), 0);
	CHECK_INT(bi_io_read_now(ends[0], buf, sizeof(buf)), -1);
	CHECK_INT(errno, EAGAIN);
	CHECK_INT(write(ends[1], "abc", 3), 3);
	CHECK_INT(bi_io_unread(ends[0]), 3);
	CHECK_INT(bi_io_read_now(ends[0], buf, sizeof(buf)), 3);
	CHECK(memcmp(buf, "abc", 3) == 0);
	CHECK_INT(bi_io_unread(ends[0]), 0);
	close(ends[1]);
	CHECK_INT(bi_io_read_now(ends[0], buf, sizeof(buf)), 0);
	CHECK_INT(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
	close(ends[0]);
}

static void
read_now_says_where_it_can_not(void)
{
	char dir[] = "/tmp/unit_io.XXXXXX";
	char path[64];
	char buf[8];

	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	CHECK_INT(mkfifo(path, 0600), 0);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_INT(bi_io_read_now(fd, buf, sizeof(buf)), -1);
	CHECK(errno == EOPNOTSUPP || errno == EAGAIN);
	close(fd);
	unlink(path);
	rmdir(dir);
}

static void
unread_is_zero_where_it_can_not_be_told(void)
{
	CHECK_INT(bi_io_unread(-1), 0);
}

// Read everything, a little at a time.
static void *
drain(void *arg)
{
	int *fd = arg;
	char buf[1000];
	size_t total = 0;
	ssize_t n;

	while ((n = bi_io_read(*fd, buf, sizeof(buf))) > 0)
		total += (size_t)n;
	return (void *)total;
}

static void
write_waits_for_room_on_a_nonblocking_pipe(void)
{
	static char bytes[1 << 20];
	struct iovec iov[2];
	pthread_t reader;
	size_t left = sizeof(bytes);
	void *total;
	int ends[2];

	CHECK_INT(bi_io_pipe(ends), 0);
	CHECK_INT(fcntl(ends[1], F_SETFL, O_WRONLY | O_NONBLOCK), 0);
	pthread_create(&reader, NULL, drain, &ends[0]);
	while (left > 0) {
		size_t half = left / 2;
		iov[0] = (struct iovec){bytes, half};
		iov[1] = (struct iovec){bytes + half, left - half};
		ssize_t n = bi_io_write(ends[1], iov, 2);
		CHECK(n > 0);
		if (n <= 0)
			break;
		left -= (size_t)n;
	}
	CHECK(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
	close(ends[1]);
	pthread_join(reader, &total);
	CHECK_INT((size_t)total, sizeof(bytes));
	close(ends[0]);
}

static void
write_tells_errors(void)
{
	char byte = 'x';
	struct iovec iov = {&byte, 1};
	int ends[2];

	CHECK_INT(bi_io_pipe(ends), 0);
	close(ends[0]);
	CHECK_INT(bi_io_write(ends[1], &iov, 1), -1);
	CHECK_INT(errno, EPIPE);
	close(ends[1]);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	CHECK_INT(bi_io_write(full, &iov, 1), -1);
	CHECK_INT(errno, ENOSPC);
	close(full);
}

// With every standard descriptor closed; exit status 0 if all is right.
static _Noreturn void
make_pipe_among_closed(void)
{
	int ends[2];

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (bi_io_pipe(ends) != 0)
		_exit(1);
	for (int i = 0; i < 2; i++)
		if (ends[i] < 3 || fcntl(ends[i], F_GETFD) != FD_CLOEXEC)
			_exit(2);
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) != -1)
			_exit(3);
	_exit(0);
}

static void
pipes_stay_above_closed_standard_descriptors(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		make_pipe_among_closed();
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

static void
splice_moves_what_it_can_and_never_waits(void)
{
	int in[2], out[2];
	char got[8];

	CHECK_INT(bi_io_pipe(in), 0);
	CHECK_INT(bi_io_pipe(out), 0);
	CHECK_INT(bi_io_splice(in[0], out[1], 100), -1);
	CHECK_INT(errno, EAGAIN);
	CHECK(!bi_io_is_readable(in[0]));
	CHECK_INT(write(in[1], "abcdef", 6), 6);
	CHECK(bi_io_is_readable(in[0]));
	CHECK_INT(bi_io_splice(in[0], out[1], 4), 4);
	CHECK_INT(bi_io_splice(in[0], out[1], 100), 2);
	CHECK_INT(read(out[0], got, sizeof(got)), 6);
	CHECK(memcmp(got, "abcdef", 6) == 0);

	// Full: each byte has taken a place of its own.
	ssize_t n;
	do {
		CHECK_INT(write(in[1], "x", 1), 1);
		n = bi_io_splice(in[0], out[1], 1);
	} while (n == 1);
	CHECK_INT(n, -1);
	CHECK_INT(errno, EAGAIN);
	CHECK_INT(bi_io_unread(in[0]), 1);
	CHECK_INT(read(out[0], got, 1), 1);
	CHECK_INT(bi_io_splice(in[0], out[1], 1), 1);

	CHECK_INT(read(out[0], got, 1), 1);
	close(in[1]);
	CHECK(bi_io_is_readable(in[0]));
	CHECK_INT(bi_io_splice(in[0], out[1], 1), 0);
	close(in[0]);
	close(out[0]);
	close(out[1]);
}

static void
splice_says_where_it_can_not(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	CHECK_INT(bi_io_splice(fd, fd, 1), -1);
	CHECK_INT(errno, EINVAL);
	close(fd);
}

int
main(void)
{
	signal(SIGPIPE, SIG_IGN);
	TEST(read_now_never_waits);
	TEST(read_now_says_where_it_can_not);
	TEST(unread_is_zero_where_it_can_not_be_told);
	TEST(write_waits_for_room_on_a_nonblocking_pipe);
	TEST(write_tells_errors);
	TEST(pipes_stay_above_closed_standard_descriptors);
	TEST(splice_moves_what_it_can_and_never_waits);
	TEST(splice_says_where_it_can_not);
	return tap_done();
}
