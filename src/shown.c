// SPDX-License-Identifier: MIT

#include "shown.h"

// There are two strnvis(3); neither is used here, but the header wants to know.
#define LIBBSD_NETBSD_VIS

#include <errno.h>
#include <locale.h>
#include <stddef.h>
#include <vis.h>

const char *
shown(const char *text)
{
	int error = errno;
	char *escaped;

	setlocale(LC_CTYPE, "");
	if (stravis(&escaped, text, VIS_CSTYLE | VIS_TAB | VIS_NL) < 0)
		escaped = NULL;
	errno = error;
	return escaped == NULL ? "(no memory to show it)" : escaped;
}
