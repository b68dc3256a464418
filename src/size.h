// SPDX-License-Identifier: MIT
// cli: sizes and times as people write them.

#ifndef BIBUF_SIZE_H
#define BIBUF_SIZE_H

#include <stddef.h>
#include <stdint.h>

// Read a size in bytes: decimal digits, then nothing, or one of K M G T
// (powers of 1024, either case), or that with "iB" (the same) or "B" (powers of
// 1000), as coreutils reads it ("Block size" in its manual). Nothing else may
// stand before, between or behind. Returns 0 and *size, or -1 with errno:
// EINVAL when it is no size, ERANGE when it is more than PTRDIFF_MAX.
int size_parse(const char *text, size_t *size);

// Read a time: decimal digits, with a point among or before them if it is no
// whole number, then nothing or "s" for seconds, or "ms", "us", "ns", "m", "h"
// or "d", as timeout(1) reads it and a little more. Returns 0 and *ns in
// nanoseconds, or -1 with errno: EINVAL when it is no time, ERANGE when it is
// more than a hundred years.
int size_parse_time(const char *text, int64_t *ns);

#endif
