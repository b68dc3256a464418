// SPDX-License-Identifier: MIT
// The test programs' arguments that are numbers.

#ifndef TESTS_NUMBER_H
#define TESTS_NUMBER_H

#include <err.h>
#include <stdlib.h>

// A decimal number, or the end of the program.
static inline size_t
number(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (*text == '\0' || *end != '\0')
		errx(2, "not a number: %s", text);
	return (size_t)value;
}

#endif
