// SPDX-License-Identifier: MIT

#include "asker.h"

#include "io.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static struct {
	int handle; // O_PATH of an anonymous pipe
	int kept;   // the descriptor itself
} self = {
    .handle = -1,
    .kept = -1,
};

// Has whoever reads it left?
static bool
has_no_reader(int fd)
{
	struct pollfd out = {.fd = fd};

	return bi_io_poll(&out, 1, 0) == 1 &&
	       (out.revents & (POLLERR | POLLHUP));
}

static bool
is_anonymous(int fd)
{
	struct statfs st;

	return fstatfs(fd, &st) == 0 && st.f_type == PIPEFS_MAGIC;
}

// Can it be opened through a handle?
static bool
can_reopen(int handle)
{
	int fd = bi_io_reopen(handle, O_WRONLY | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool
asker_remember(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 ||
	    !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return false;
	if (is_anonymous(fd)) {
		self.handle = bi_io_reopen(fd, O_PATH);
		if (can_reopen(self.handle))
			return true;
	}
	self.kept = bi_io_copy(fd);
	return self.kept >= 0;
}

bool
asker_has_left(void)
{
	if (self.kept >= 0)
		return has_no_reader(self.kept);
	int fd = bi_io_reopen(self.handle, O_WRONLY | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool left = has_no_reader(fd);
	close(fd);
	return left;
}

void
asker_forget(void)
{
	if (self.handle >= 0)
		close(self.handle);
	if (self.kept >= 0)
		close(self.kept);
	self.handle = self.kept = -1;
}
