// SPDX-License-Identifier: MIT
// core: start a thread with a stack of its own size.

#ifndef BIBUF_THREAD_H
#define BIBUF_THREAD_H

#include <pthread.h>

// Start a thread that runs `run` with `arg`, as pthread_create(3) does, but on
// a small stack: the default is the limit on the stack of the process, and
// where that is large and the address space is limited too, as batch systems
// have it, no thread could be had. Returns 0, or -1 with errno.
int bi_thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
