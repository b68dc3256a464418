// SPDX-License-Identifier: MIT

#include "thread.h"

#include <errno.h>
#include <stddef.h>

// No function of bibuf has more than a few KiB of variables; the rest is for
// the C library, and for sanitizers.
#define STACK_SIZE ((size_t)256 << 10)

int
bi_thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	pthread_attr_t attributes;

	errno = pthread_attr_init(&attributes);
	if (errno != 0)
		return -1;
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	int error = pthread_create(thread, &attributes, run, arg);
	pthread_attr_destroy(&attributes);
	errno = error;
	return error == 0 ? 0 : -1;
}
