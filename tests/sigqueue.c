// SPDX-License-Identifier: MIT
// Send a real-time signal with a value, which kill(1) of some systems can not.
//
//	sigqueue pid signal value
//
// The signal is given as its distance from SIGRTMIN.

#include "number.h"

#include <err.h>
#include <signal.h>

int
main(int argc, char **argv)
{
	if (argc != 4)
		errx(2, "usage: sigqueue pid signal value");
	union sigval value = {.sival_int = (int)number(argv[3])};
	if (sigqueue((pid_t)number(argv[1]), SIGRTMIN + (int)number(argv[2]),
		value) != 0)
		err(1, "sigqueue");
	return 0;
}
