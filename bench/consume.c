// SPDX-License-Identifier: MIT
// Read standard input and count what comes.
//
//	consume [-t] [-e every] [-o report] [-p pause] [-r size]
//
// Reads `size` bytes at a time and looks for the lines in them. After every
// `every` bytes it pauses for `pause` microseconds. With -t each line begins
// with the time at which it was written. What was counted (tally.h) goes to
// `report`.

#include "clock.h"
#include "number.h"
#include "tally.h"

#include <err.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

struct manner {
	const char *report;
	size_t size;
	size_t pause_every;
	uint64_t pause_ns;
};

static void
consume(const struct manner *manner, struct tally *tally, char *buffer)
{
	uint64_t pause_at = manner->pause_every;
	ssize_t n;

	while ((n = read(STDIN_FILENO, buffer, manner->size)) > 0) {
		tally_read(tally, buffer, (size_t)n);
		if (manner->pause_every > 0 && tally->bytes >= pause_at) {
			sleep_until(clock_ns() + manner->pause_ns);
			pause_at += manner->pause_every;
		}
	}
	if (n < 0)
		err(1, "read");
}

int
main(int argc, char **argv)
{
	struct manner manner = {.size = 65536};
	struct tally tally = {0};
	int option;

	while ((option = getopt(argc, argv, "e:o:p:r:t")) != -1) {
		switch (option) {
		case 'e':
			manner.pause_every = number(optarg);
			break;
		case 'o':
			manner.report = optarg;
			break;
		case 'p':
			manner.pause_ns = number(optarg) * 1000;
			break;
		case 'r':
			manner.size = number(optarg);
			break;
		case 't':
			tally.stamped = true;
			break;
		default:
			return 2;
		}
	}
	char *buffer = malloc(manner.size);
	if (buffer == NULL)
		err(1, "malloc");
	prctl(PR_SET_TIMERSLACK, 1UL);
	consume(&manner, &tally, buffer);
	free(buffer);
	tally_report(&tally, manner.report);
	return 0;
}
