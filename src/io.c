// SPDX-License-Identifier: MIT

#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
	if (n < 0 && errno == ENOSYS)
		errno = EOPNOTSUPP;
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

bool
bi_io_is_readable(int fd)
{
	struct pollfd in = {.fd = fd, .events = POLLIN};

	return poll(&in, 1, 0) == 1;
}

size_t
bi_io_unread(int fd)
{
	int size = 0;

	return ioctl(fd, FIONREAD, &size) == 0 && size > 0 ? (size_t)size : 0;
}

size_t
bi_io_abandon(int fd)
{
	// Once there is no reader nothing can be written, and a write end
	// still shows what there is.
	int writer = bi_io_reopen(fd, O_WRONLY | O_NONBLOCK);
	size_t unread = bi_io_unread(fd);
	close(fd);
	if (writer < 0)
		return unread;
	unread = bi_io_unread(writer);
	close(writer);
	return unread;
}

int
bi_io_lift(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
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
