// SPDX-License-Identifier: MIT

#include "coalesce.h"

// A shorter rest costs more than it brings: two system calls and a wake-up.
// With 60 and 100 us a writer of lines into a pipe of 64 KiB took 1.4 and 2
// times as long.
#define REST_LEAST_NS 30000

int64_t
bi_coalesce_half(const struct bi_coalesce *coalesce, size_t capacity)
{
	if (coalesce->bytes == 0)
		return 0;
	double ns = (double)capacity / 2 * (coalesce->ns / coalesce->bytes);

	if (ns < REST_LEAST_NS)
		return 0;
	return ns < (double)coalesce->limit_ns ? (int64_t)ns
					       : coalesce->limit_ns;
}

int64_t
bi_coalesce_rest(struct bi_coalesce *coalesce, size_t size, size_t in_capacity,
    size_t out_capacity, int64_t now_ns)
{
	int64_t gap_ns = now_ns - coalesce->last_ns;

	if (!coalesce->begun ||
	    gap_ns - coalesce->rest_ns > coalesce->limit_ns) {
		coalesce->begun = true;
		coalesce->bytes = coalesce->ns = 0;
	} else {
		coalesce->bytes = coalesce->bytes / 2 + (double)size;
		coalesce->ns = coalesce->ns / 2 + (double)gap_ns;
	}
	coalesce->last_ns = now_ns;
	// The output is not to run dry while bytes gather, either.
	coalesce->rest_ns = bi_coalesce_half(
	    coalesce, in_capacity < out_capacity ? in_capacity : out_capacity);
	return coalesce->rest_ns;
}
