// SPDX-License-Identifier: MIT
// Write bytes that tell their place (pattern.h) in chunks of one size.
//
//	emit [-c chunk] [-f first] [-n bytes] [-p pause] [-x status]
//
// The first chunk can be of another size. The pause between chunks is in
// microseconds. Without -n it never ends.

#include "number.h"
#include "pattern.h"

#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static void
write_all(const unsigned char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes, size);
		if (n < 0)
			err(1, "write");
		bytes += n;
		size -= (size_t)n;
	}
}

int
main(int argc, char **argv)
{
	size_t chunk = 65536;
	size_t first = 0;
	size_t total = SIZE_MAX;
	size_t pause_us = 0;
	size_t status = 0;
	int option;

	while ((option = getopt(argc, argv, "c:f:n:p:x:")) != -1) {
		switch (option) {
		case 'c':
			chunk = number(optarg);
			break;
		case 'f':
			first = number(optarg);
			break;
		case 'n':
			total = number(optarg);
			break;
		case 'p':
			pause_us = number(optarg);
			break;
		case 'x':
			status = number(optarg);
			break;
		default:
			return 2;
		}
	}
	size_t most = first > chunk ? first : chunk;
	unsigned char *bytes = malloc(most);
	if (bytes == NULL)
		err(1, "malloc");
	size_t size = first > 0 ? first : chunk;
	for (size_t offset = 0; offset < total; size = chunk) {
		if (size > total - offset)
			size = total - offset;
		if (offset > 0 && pause_us > 0)
			usleep((useconds_t)pause_us);
		pattern_fill(bytes, size, offset);
		write_all(bytes, size);
		offset += size;
	}
	free(bytes);
	return (int)status;
}
