// SPDX-License-Identifier: MIT
// What a consumer has seen of its input: how much came, in how many reads and
// lines, and how long each line was on its way.

#ifndef BENCH_TALLY_H
#define BENCH_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally {
	// Does every line begin with the time at which it was written, as those
	// of `produce -t` do?
	bool stamped;
	uint64_t bytes;
	uint64_t reads;
	uint64_t lines;

	// Of the line that is not complete yet: how many digits of its stamp
	// have come, and what they are.
	size_t stamp_digits;
	uint64_t stamp_ns;
	// How long the lines took, in the order of their coming.
	uint64_t *delays_ns;
	size_t n_delays;
	size_t max_delays;
};

// Count one read, whose bytes are looked through for the ends of lines. Ends
// the program if there is no memory.
void tally_read(struct tally *tally, const char *bytes, size_t size);

// Write what was counted to a file, or to standard error if the path is NULL,
// as a line of JSON: the numbers of bytes, reads and lines and, if lines are
// stamped, the median, the 99th percentile and the longest of their delays in
// microseconds. Ends the program if that fails. Call it once, at the end: the
// delays are sorted and freed.
void tally_report(struct tally *tally, const char *path);

#endif
