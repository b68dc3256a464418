// SPDX-License-Identifier: MIT
// core: the capacity of pipes.
//
// Linux gives a new pipe 64 KiB and lets anyone have 1 MiB (pipe(7),
// pipe-max-size), until all pipes of a user together pass pipe-user-pages-soft;
// from then on growing one is refused. What is asked for is therefore a wish:
// what can be had is taken, and a pipe is never made smaller.

#ifndef BIBUF_PIPESIZE_H
#define BIBUF_PIPESIZE_H

#include <stddef.h>

// The capacity in bytes of a pipe; 0 if `fd` is no pipe or it cannot be told.
size_t bi_pipesize_get(int fd);

// The most that anyone may ask for, in bytes.
size_t bi_pipesize_max(void);

// Make the capacity of a pipe at least `size` bytes; if that is refused, as
// near to it as can be had by halving. Any thread, also while the pipe is in
// use. Where nothing can be done, nothing is.
void bi_pipesize_grow(int fd, size_t size);

#endif
