// SPDX-License-Identifier: MIT
// Write lines of text to standard output, in the manner of one program or
// another.
//
//	produce [-t] [-b burst] [-n total] [-p period] [-q silence] [-s size]
//
// Writes `size` bytes at a time, `total` bytes in all. Each write ends with a
// newline, and there is one in it every 350 bytes, which is about what a line
// of a SAM file has: a write of up to 350 bytes is one line.
//
//	-b, -q	after every `burst` bytes, `silence` microseconds of nothing
//	-p	a write every `period` microseconds; one that comes late does
//		not delay the next. A period of less than 1 ms is spent busily,
//		as by a program that computes each line.
//	-t	each write begins with the time, as clock.h has it

#include "clock.h"
#include "number.h"

#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct manner {
	size_t size;
	size_t total;
	size_t burst;
	uint64_t silence_ns;
	uint64_t period_ns;
	bool stamped;
};

static const size_t line_size = 350;
static const uint64_t least_sleep_ns = 1000000;

static char *
make_text(size_t size)
{
	char *text = malloc(size);
	if (text == NULL)
		err(1, "malloc");
	for (size_t i = 0; i < size; i++)
		text[i] = "ACGTTGCA#IF5"[i % 12];
	for (size_t i = line_size; i <= size; i += line_size)
		text[i - 1] = '\n';
	text[size - 1] = '\n';
	return text;
}

static void
stamp(char *text)
{
	char digits[STAMP_DIGITS + 1];

	snprintf(digits, sizeof(digits), "%0*llu", STAMP_DIGITS,
	    (unsigned long long)clock_ns());
	memcpy(text, digits, STAMP_DIGITS);
}

static void
write_all(const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes, size);
		if (n < 0)
			err(1, "write");
		bytes += n;
		size -= (size_t)n;
	}
}

static void
wait_until(const struct manner *manner, uint64_t due_ns)
{
	if (manner->period_ns < least_sleep_ns)
		spin_until(due_ns);
	else
		sleep_until(due_ns);
}

static void
produce(const struct manner *manner, char *text)
{
	uint64_t due_ns = clock_ns();
	size_t since_silence = 0;
	size_t size = manner->size;

	for (size_t left = manner->total; left > 0; left -= size) {
		if (size > left)
			size = left;
		if (manner->period_ns > 0) {
			due_ns += manner->period_ns;
			wait_until(manner, due_ns);
		}
		if (manner->stamped)
			stamp(text);
		write_all(text, size);
		since_silence += size;
		if (manner->burst > 0 && since_silence >= manner->burst) {
			sleep_until(clock_ns() + manner->silence_ns);
			since_silence = 0;
		}
	}
}

static struct manner
parse(int argc, char **argv)
{
	struct manner manner = {.size = 65536, .total = 64 << 20};
	int option;

	while ((option = getopt(argc, argv, "b:n:p:q:s:t")) != -1) {
		switch (option) {
		case 'b':
			manner.burst = number(optarg);
			break;
		case 'n':
			manner.total = number(optarg);
			break;
		case 'p':
			manner.period_ns = number(optarg) * 1000;
			break;
		case 'q':
			manner.silence_ns = number(optarg) * 1000;
			break;
		case 's':
			manner.size = number(optarg);
			break;
		case 't':
			manner.stamped = true;
			break;
		default:
			exit(2);
		}
	}
	if (manner.size <= (manner.stamped ? STAMP_DIGITS : 0))
		errx(2, "too small: %zu", manner.size);
	return manner;
}

int
main(int argc, char **argv)
{
	struct manner manner = parse(argc, argv);
	char *text = make_text(manner.size);

	// A sleep shall be as long as it was asked to be.
	prctl(PR_SET_TIMERSLACK, 1UL);
	produce(&manner, text);
	free(text);
	return 0;
}
