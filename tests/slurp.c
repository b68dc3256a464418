// SPDX-License-Identifier: MIT
// Read what emit writes, and check every byte by its place (pattern.h).
//
//	slurp [-a bytes] [-d delay] [-l log] [-n bytes] [-r read]
//
// Reads `read` bytes at a time, each time after a delay in microseconds. With
// -n exactly so many bytes must come. With -a it leaves, successfully, as soon
// as it has so many. The log gets the size of each read, one on a line.

#include "number.h"
#include "pattern.h"

#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void
check(const unsigned char *bytes, const unsigned char *expected, size_t size,
    uint64_t offset)
{
	if (memcmp(bytes, expected, size) == 0)
		return;
	while (*bytes == *expected) {
		bytes++;
		expected++;
		offset++;
	}
	errx(1, "differs at offset %llu: %#x, not %#x",
	    (unsigned long long)offset, *bytes, *expected);
}

int
main(int argc, char **argv)
{
	size_t read_size = 65536;
	size_t leave_after = SIZE_MAX;
	size_t total = SIZE_MAX;
	size_t delay_us = 0;
	FILE *log = NULL;
	int option;

	while ((option = getopt(argc, argv, "a:d:l:n:r:")) != -1) {
		switch (option) {
		case 'a':
			leave_after = number(optarg);
			break;
		case 'd':
			delay_us = number(optarg);
			break;
		case 'l':
			if ((log = fopen(optarg, "we")) == NULL)
				err(1, "%s", optarg);
			break;
		case 'n':
			total = number(optarg);
			break;
		case 'r':
			read_size = number(optarg);
			break;
		default:
			return 2;
		}
	}
	unsigned char *bytes = malloc(read_size);
	unsigned char *expected = malloc(read_size);
	if (bytes == NULL || expected == NULL)
		err(1, "malloc");
	size_t offset = 0;
	while (offset < leave_after) {
		if (delay_us > 0)
			usleep((useconds_t)delay_us);
		ssize_t n = read(STDIN_FILENO, bytes, read_size);
		if (n < 0)
			err(1, "read at offset %zu", offset);
		if (n == 0)
			break;
		if (log != NULL)
			fprintf(log, "%zd\n", n);
		pattern_fill(expected, (size_t)n, offset);
		check(bytes, expected, (size_t)n, offset);
		offset += (size_t)n;
	}
	if (total != SIZE_MAX && offset != total)
		errx(1, "%zu bytes came, not %zu", offset, total);
	if (log != NULL && fclose(log) != 0)
		err(1, "write log");
	free(expected);
	free(bytes);
	return 0;
}
