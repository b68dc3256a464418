// SPDX-License-Identifier: MIT
// Print the open descriptors, one on a line: number, access mode, other status
// flags, whether it is closed on exec, and what it is open on.

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// None of ours has a number as high.
#define FDS_MOST 1024

static const char *
access_mode(int flags)
{
	static const char *const modes[] = {"r", "w", "rw", "path"};

	return modes[flags & O_ACCMODE];
}

int
main(void)
{
	// Nothing is opened here that would be printed.
	for (int fd = 0; fd < FDS_MOST; fd++) {
		char path[32];
		char target[4096];
		int flags = fcntl(fd, F_GETFL);
		if (flags < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, target, sizeof(target));
		printf("%d %s %s%s%s%.*s\n", fd, access_mode(flags),
		    flags & O_NONBLOCK ? "nonblock " : "",
		    flags & O_APPEND ? "append " : "",
		    fcntl(fd, F_GETFD) & FD_CLOEXEC ? "cloexec " : "",
		    n < 0 ? 0 : (int)n, target);
	}
	return 0;
}
