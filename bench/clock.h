// SPDX-License-Identifier: MIT
// The clock that the programs of the benchmark share: CLOCK_MONOTONIC in
// nanoseconds, which is the same for all processes.

#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

// How many digits a time has in a stamped line, leading zeros among them.
#define STAMP_DIGITS 20

static inline uint64_t
clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// Keep the processor busy until a time has come, as computing would.
static inline void
spin_until(uint64_t ns)
{
	while (clock_ns() < ns)
		continue;
}

static inline void
sleep_until(uint64_t ns)
{
	struct timespec when = {
	    .tv_sec = (time_t)(ns / 1000000000),
	    .tv_nsec = (long)(ns % 1000000000),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

#endif
