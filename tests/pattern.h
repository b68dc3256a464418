// SPDX-License-Identifier: MIT
// Bytes that tell their place: what emit writes and slurp expects.

#ifndef TESTS_PATTERN_H
#define TESTS_PATTERN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Write the bytes of the pattern from `offset` on. Every eight bytes are the
// number of their place times an odd constant, so that none are alike; every
// value of a byte occurs.
static inline void
pattern_fill(unsigned char *bytes, size_t size, uint64_t offset)
{
	while (size > 0) {
		uint64_t word = offset / 8 * 0x9e3779b97f4a7c15;
		size_t skip = offset % 8;
		size_t part = 8 - skip < size ? 8 - skip : size;
		memcpy(bytes, (unsigned char *)&word + skip, part);
		bytes += part;
		offset += part;
		size -= part;
	}
}

#endif
