// SPDX-License-Identifier: MIT
// bibuf with --copy, for tests that are to hold with and without the short cut:
// runs $BIBUF_ITSELF with that option in front of its arguments.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARGS_MOST 4096

int
main(int argc, char **argv)
{
	static char *args[ARGS_MOST];
	char name[] = "bibuf";
	char option[] = "--copy";
	char *program = getenv("BIBUF_ITSELF");

	if (program == NULL || argc + 2 > ARGS_MOST)
		return 99;
	args[0] = name;
	args[1] = option;
	for (int i = 1; i < argc; i++)
		args[i + 1] = argv[i];
	execv(program, args);
	perror(program);
	return 99;
}
