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

void
bi_pipesize_grow(int fd, size_t size)
{
	size_t capacity = bi_pipesize_get(fd);

	if (size > SIZE_LIMIT)
		size = SIZE_LIMIT;
	while (capacity > 0 && size > capacity &&
	       fcntl(fd, F_SETPIPE_SZ, (int)size) < 0)
		size /= 2;
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

void
bi_pipesize_grow(int fd, size_t size)
{
	(void)fd, (void)size;
}

#endif
