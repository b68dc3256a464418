// SPDX-License-Identifier: MIT
// Make descriptors non-blocking, for all who share them, and run a command.
//
//	nonblock fd[,fd...] [command [argument...]]

#include "number.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	if (argc < 2)
		errx(2, "which descriptor?");
	for (char *rest = argv[1]; rest != NULL;) {
		int fd = (int)number(strsep(&rest, ","));
		int flags = fcntl(fd, F_GETFL);
		if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
			err(1, "descriptor %d", fd);
	}
	if (argc == 2)
		return 0;
	execvp(argv[2], argv + 2);
	err(127, "%s", argv[2]);
}
