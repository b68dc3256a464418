// SPDX-License-Identifier: MIT

#include "size.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A hundred years.
#define TIME_MOST_NS (100 * 365.25 * 86400 * 1e9)

// The factor that a suffix stands for, 0 if there is no such suffix.
static long long
unit(const char *suffix)
{
	static const char letters[] = "KkMmGgTt";
	const char *letter = strchr(letters, suffix[0]);
	long long base = 0;
	long long factor = 1;

	if (suffix[0] == '\0')
		return 1;
	if (letter == NULL)
		return 0;
	if (suffix[1] == '\0' || strcmp(suffix + 1, "iB") == 0)
		base = 1024;
	else if (strcmp(suffix + 1, "B") == 0)
		base = 1000;
	for (long i = (letter - letters) / 2; i >= 0; i--)
		factor *= base;
	return factor;
}

int
size_parse(const char *text, size_t *size)
{
	size_t digits = strspn(text, "0123456789");
	long long factor = unit(text + digits);
	const char *error = NULL;

	if (digits == 0 || factor == 0) {
		errno = EINVAL;
		return -1;
	}
	char *number = strndup(text, digits);
	if (number == NULL)
		return -1;
	// strtonum() takes blanks and signs too, but none can get here; unlike
	// expand_number() it reads "010" as ten.
	long long count = strtonum(number, 0, PTRDIFF_MAX / factor, &error);
	free(number);
	if (error != NULL) {
		errno = ERANGE;
		return -1;
	}
	*size = (size_t)(count * factor);
	return 0;
}

// The nanoseconds that a suffix stands for, 0 if there is no such suffix.
static double
time_unit(const char *suffix)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = {
	    {"", 1e9},
	    {"s", 1e9},
	    {"ms", 1e6},
	    {"us", 1e3},
	    {"ns", 1},
	    {"m", 60 * 1e9},
	    {"h", 3600 * 1e9},
	    {"d", 86400 * 1e9},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(suffix, units[i].suffix) == 0)
			return units[i].ns;
	return 0;
}

int
size_parse_time(const char *text, int64_t *ns)
{
	size_t digits = strspn(text, "0123456789.");
	double unit = time_unit(text + digits);
	char *end;

	// Of signs, blanks, exponents and the like, which strtod(3) reads too,
	// none can get here; the locale is never set.
	double count = strtod(text, &end);
	if (digits == 0 || unit == 0 || end != text + digits) {
		errno = EINVAL;
		return -1;
	}
	if (count * unit > TIME_MOST_NS) {
		errno = ERANGE;
		return -1;
	}
	*ns = (int64_t)(count * unit + 0.5);
	return 0;
}
