// SPDX-License-Identifier: MIT

#include "size.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
