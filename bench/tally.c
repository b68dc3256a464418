// SPDX-License-Identifier: MIT

#include "tally.h"
#include "clock.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
read_stamp(struct tally *tally, const char *bytes, size_t size)
{
	for (; size > 0 && tally->stamp_digits < STAMP_DIGITS; size--) {
		tally->stamp_ns *= 10;
		tally->stamp_ns += (uint64_t)(*bytes++ - '0');
		tally->stamp_digits++;
	}
}

static void
add_delay(struct tally *tally, uint64_t now_ns)
{
	if (tally->n_delays == tally->max_delays) {
		size_t max =
		    tally->max_delays > 0 ? 2 * tally->max_delays : 4096;
		uint64_t *delays_ns =
		    reallocarray(tally->delays_ns, max, sizeof(*delays_ns));
		if (delays_ns == NULL)
			err(1, "reallocarray");
		tally->delays_ns = delays_ns;
		tally->max_delays = max;
	}
	tally->delays_ns[tally->n_delays++] = now_ns - tally->stamp_ns;
	tally->stamp_digits = 0;
	tally->stamp_ns = 0;
}

void
tally_read(struct tally *tally, const char *bytes, size_t size)
{
	uint64_t now_ns = tally->stamped ? clock_ns() : 0;
	const char *end = bytes + size;

	tally->reads++;
	tally->bytes += size;
	for (;;) {
		size_t left = (size_t)(end - bytes);
		const char *newline = memchr(bytes, '\n', left);
		if (tally->stamped)
			read_stamp(tally, bytes,
			    newline != NULL ? (size_t)(newline - bytes) : left);
		if (newline == NULL)
			break;
		tally->lines++;
		if (tally->stamped)
			add_delay(tally, now_ns);
		bytes = newline + 1;
	}
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double
percentile_us(const struct tally *tally, size_t percent)
{
	size_t place = (tally->n_delays - 1) * percent / 100;

	return (double)tally->delays_ns[place] / 1000;
}

void
tally_report(struct tally *tally, const char *path)
{
	FILE *file = path != NULL ? fopen(path, "we") : stderr;
	if (file == NULL)
		err(1, "%s", path);
	fprintf(file, "{\"bytes\": %llu, \"reads\": %llu, \"lines\": %llu",
	    (unsigned long long)tally->bytes, (unsigned long long)tally->reads,
	    (unsigned long long)tally->lines);
	if (tally->n_delays > 0) {
		qsort(tally->delays_ns, tally->n_delays,
		    sizeof(*tally->delays_ns), compare);
		fprintf(file,
		    ", \"p50_us\": %.1f, \"p99_us\": %.1f, \"max_us\": %.1f",
		    percentile_us(tally, 50), percentile_us(tally, 99),
		    percentile_us(tally, 100));
	}
	free(tally->delays_ns);
	fputs("}\n", file);
	if (fclose(file) != 0)
		err(1, "%s", path != NULL ? path : "standard error");
}
