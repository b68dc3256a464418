// SPDX-License-Identifier: MIT

#include "pipesize.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef F_SETPIPE_SZ

// What fcntl(2) can express: sizes are powers of two that fit an int.
#define SIZE_LIMIT ((size_t)1 << 30)

// Where /proc is missing: the kernel's own default.
#define MAX_BY_DEFAULT ((size_t)1 << 20)

size_t
bi_pipesize_get(int fd)
{
	int size = fcntl(fd, F_GETPIPE_SZ);

	return size > 0 ? (size_t)size : 0;
}

size_t
bi_pipesize_max(void)
{
	char text[24] = "";
	FILE *file = fopen("/proc/sys/fs/pipe-max-size", "re");

	if (file != NULL) {
		(void)!fgets(text, sizeof(text), file);
		fclose(file);
	}
	size_t size = strtoul(text, NULL, 10);
	return size > 0 ? size : MAX_BY_DEFAULT;
}

size_t
bi_pipesize_double(int fd, size_t most)
{
	size_t capacity = bi_pipesize_get(fd);
	size_t size = 2 * capacity;

	if (most > SIZE_LIMIT)
		most = SIZE_LIMIT;
	if (size > most)
		size = most;
	if (size <= capacity || fcntl(fd, F_SETPIPE_SZ, (int)size) < 0)
		return capacity;
	return bi_pipesize_get(fd);
}

#else

size_t
bi_pipesize_get(int fd)
{
	(void)fd;
	return 0;
}

size_t
bi_pipesize_max(void)
{
	return 0;
}

size_t
bi_pipesize_double(int fd, size_t most)
{
	(void)fd, (void)most;
	return 0;
}

#endif
