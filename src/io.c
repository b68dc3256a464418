// SPDX-License-Identifier: MIT

#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

// Where the system does not list them, look no further than this; higher ones
// are rare, and the limit may be a thousand million.
#define TRIED_MOST 65536

ssize_t
bi_io_read(int fd, void *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n;
}

#ifdef RWF_NOWAIT

ssize_t
bi_io_read_now(int fd, void *buf, size_t size)
{
	struct iovec iov = {.iov_base = buf, .iov_len = size};
	ssize_t n;

	do
		n = preadv2(fd, &iov, 1, -1, RWF_NOWAIT);
	while (n < 0 && errno == EINTR);
	return n;
}

#else

ssize_t
bi_io_read_now(int fd, void *buf, size_t size)
{
	(void)fd, (void)buf, (void)size;
	errno = EOPNOTSUPP;
	return -1;
}

#endif

ssize_t
bi_io_write(int fd, const struct iovec *iov, int count)
{
	for (;;) {
		ssize_t n = writev(fd, iov, count);
		if (n > 0)
			return n;
		if (n == 0) {
			// Nothing was taken and nothing refused: a full device
			// (gnulib's full_write() reads it so).
			errno = ENOSPC;
			return -1;
		}
		if (errno == EAGAIN) {
			struct pollfd room = {.fd = fd, .events = POLLOUT};
			if (poll(&room, 1, -1) >= 0)
				continue;
		}
		if (errno != EINTR)
			return -1;
	}
}

#ifdef SPLICE_F_NONBLOCK

ssize_t
bi_io_splice(int in, int out, size_t size)
{
	ssize_t n;

	do
		n = splice(in, NULL, out, NULL, size,
		    SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	while (n < 0 && errno == EINTR);
	return n;
}

#else

ssize_t
bi_io_splice(int in, int out, size_t size)
{
	(void)in, (void)out, (void)size;
	errno = EINVAL;
	return -1;
}

#endif

// poll(2) as ppoll(2). Less than a millisecond is not worth one.
static int
poll_plain(struct pollfd *fds, nfds_t count, int64_t limit_ns)
{
	int64_t ms = limit_ns < 0 ? -1 : limit_ns / NS_PER_MS;

	return poll(fds, count, ms > INT_MAX ? INT_MAX : (int)ms);
}

#ifdef SPLICE_F_NONBLOCK

static int
is_plain(int fd, const int scratch[2])
{
	char bytes[PIPE_BUF];
	ssize_t n = tee(fd, scratch[1], sizeof(bytes), SPLICE_F_NONBLOCK);

	if (n < 0)
		return errno == EAGAIN ? -1 : 0;
	if (n == 0)
		return 1; // the end
	if (n == 1) {
		errno = ENOMSG;
		return -1;
	}
	// A read of several packets stops after the first,
	if (bi_io_read(scratch[0], bytes, sizeof(bytes)) != n)
		return 0;
	// and one of a part of a packet drops the rest.
	if (tee(fd, scratch[1], 2, SPLICE_F_NONBLOCK) != 2 ||
	    bi_io_read(scratch[0], bytes, 1) != 1)
		return 0;
	return bi_io_is_readable(scratch[0]);
}

int
bi_io_is_plain_pipe(int fd)
{
	int scratch[2];

	if (bi_io_pipe(scratch) != 0)
		return 0;
	int plain = is_plain(fd, scratch);
	int error = errno;
	close(scratch[0]);
	close(scratch[1]);
	errno = error;
	return plain;
}

#else

int
bi_io_is_plain_pipe(int fd)
{
	(void)fd;
	return 0;
}

#endif

bool
bi_io_is_readable(int fd)
{
	struct pollfd in = {.fd = fd, .events = POLLIN};

	return poll(&in, 1, 0) == 1;
}

int
bi_io_poll(struct pollfd *fds, nfds_t count, int64_t limit_ns)
{
	const struct timespec limit = {
	    .tv_sec = (time_t)(limit_ns / NS_PER_S),
	    .tv_nsec = (long)(limit_ns % NS_PER_S),
	};

	for (;;) {
		int n = ppoll(fds, count, limit_ns < 0 ? NULL : &limit, NULL);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			n = poll_plain(fds, count, limit_ns);
		if (n >= 0 || (errno != EINTR && errno != EAGAIN))
			return n;
	}
}

size_t
bi_io_unread(int fd)
{
	struct pollfd in = {.fd = fd, .events = POLLIN};
	int size = 0;

	if (ioctl(fd, FIONREAD, &size) == 0)
		return size > 0 ? (size_t)size : 0;
	return poll(&in, 1, 0) == 1 && in.revents & POLLIN ? SIZE_MAX : 0;
}

size_t
bi_io_abandon(int fd)
{
	struct stat st;
	int writer = -1;

	// Once there is no reader nothing can be written, and a write end
	// still shows what there is.
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		writer = bi_io_reopen(fd, O_WRONLY | O_NONBLOCK);
	size_t unread = bi_io_unread(fd);
	close(fd);
	if (writer < 0)
		return unread;
	unread = bi_io_unread(writer);
	close(writer);
	return unread;
}

// Returns the descriptor, which may be -1.
static int
close_on_exec(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

int
bi_io_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	return copy >= 0 ? copy
			 : close_on_exec(fcntl(fd, F_DUPFD, STDERR_FILENO + 1));
}

int
bi_io_lift(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	int above = bi_io_copy(fd);
	int error = errno;
	close(fd);
	errno = error;
	return above;
}

int
bi_io_reopen(int fd, int flags)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	int opened;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	do
		opened = open(path, flags | O_CLOEXEC);
	while (opened < 0 && errno == EINTR);
	return bi_io_lift(opened);
}

static void
close_if_inherited(int fd)
{
	if (fd <= STDERR_FILENO)
		return;
	int flags = fcntl(fd, F_GETFD);
	if (flags >= 0 && !(flags & FD_CLOEXEC))
		close(fd);
}

// Returns 0, or -1 if the system does not tell which descriptors are open.
static int
close_listed(void)
{
	DIR *listing = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (listing == NULL)
		return -1;
	while (errno = 0, (entry = readdir(listing)) != NULL)
		close_if_inherited((int)strtol(entry->d_name, NULL, 10));
	int error = errno;
	closedir(listing);
	return error == 0 ? 0 : -1;
}

void
bi_io_close_inherited(void)
{
	if (close_listed() == 0)
		return;
	// The limit may be a thousand million, which takes minutes.
	long most = sysconf(_SC_OPEN_MAX);
	if (most < 0 || most > TRIED_MOST)
		most = TRIED_MOST;
	for (int fd = 0; fd < most; fd++)
		close_if_inherited(fd);
}

int
bi_io_pipe(int ends[2])
{
	int made[2];

	if (pipe2(made, O_CLOEXEC) != 0)
		return -1;
	made[0] = bi_io_lift(made[0]);
	made[1] = bi_io_lift(made[1]);
	if (made[0] < 0 || made[1] < 0) {
		int error = errno;
		for (int i = 0; i < 2; i++)
			if (made[i] >= 0)
				close(made[i]);
		errno = error;
		return -1;
	}
	ends[0] = made[0];
	ends[1] = made[1];
	return 0;
}
