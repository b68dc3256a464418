// SPDX-License-Identifier: MIT
// core: how long to let the bytes of a busy writer gather: pure policy, no
// descriptors, no clock.
//
// The reader thread rests in front of a read, never in front of a write: while
// it rests the pipe gathers what the producer writes, nobody is woken for each
// line, and what has been read goes out at once. It rests only after a small
// hand-over that came soon after the one before it, and never so long that the
// pipe would get more than about half full, so that the producer does not wait.

#ifndef BIBUF_COALESCE_H
#define BIBUF_COALESCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bi_coalesce {
	int64_t limit_ns; // the longest rest; 0: never rest
	bool begun;       // there was a hand-over
	int64_t last_ns;  // when the last one ended
	int64_t rest_ns;  // how long to rest then
	double bytes;     // of the last hand-overs, the older the less,
	double ns;        // and what they took
};

// A hand-over of `size` bytes (at least 1), through an input that holds
// `in_capacity` bytes to an output that holds `out_capacity`, has ended at
// `now_ns`, by any clock that does not go back. Returns for how many
// nanoseconds to rest before the next read; 0: not at all. A stream that was
// silent for longer than the limit is quiet, and its single lines pay nothing.
int64_t bi_coalesce_rest(struct bi_coalesce *coalesce, size_t size,
    size_t in_capacity, size_t out_capacity, int64_t now_ns);

// Until half of a pipe of `capacity` bytes is filled, if it goes on like this:
// nanoseconds, at most the limit; 0 if that is too short to rest.
int64_t bi_coalesce_half(const struct bi_coalesce *coalesce, size_t capacity);

#endif
