// SPDX-License-Identifier: MIT
// core: the capacity of pipes.
//
// Linux gives a new pipe 64 KiB and lets anyone have 1 MiB (pipe(7),
// pipe-max-size), until all pipes of a user together pass pipe-user-pages-soft;
// from then on growing one is refused, and new ones are small, whoever makes
// them. So a pipe is grown step by step, and only when the stream has shown
// that it needs it, and it is never made smaller.

#ifndef BIBUF_PIPESIZE_H
#define BIBUF_PIPESIZE_H

#include <stddef.h>

// The capacity in bytes of a pipe; 0 if `fd` is no pipe or it cannot be told.
size_t bi_pipesize_get(int fd);

// The most that anyone may ask for, in bytes.
size_t bi_pipesize_max(void);

// Double the capacity of a pipe, up to `most` bytes. Any thread, also while the
// pipe is in use. Returns the capacity that it has then; that it had before if
// it has as much as it may have, or more is refused; 0 if it is no pipe.
size_t bi_pipesize_double(int fd, size_t most);

#endif
