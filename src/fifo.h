// SPDX-License-Identifier: MIT
// cli: serve the stream through a FIFO: process substitution for any language.
//
// A name that was made here exists from fifo_make() until a reader has opened
// it or the process ends, however it ends; only SIGKILL and the faults that no
// process survives leave it behind. There is one FIFO in a process. Without
// fifo_make() the other functions do nothing.

#ifndef BIBUF_FIFO_H
#define BIBUF_FIFO_H

#include <stdbool.h>

// Make the FIFO, with mode 0600 whatever the umask: at `path`, where one that
// is there already is used and left there; or, if `path` is NULL, in a fresh
// directory of mode 0700 under XDG_RUNTIME_DIR, else TMPDIR, else /tmp. Must
// come before any thread exists. Returns 0, or -1 with errno; ENOTDIR when that
// parent is a symbolic link, which could lead elsewhere tomorrow, EEXIST when
// `path` is no FIFO.
int fifo_make(const char *path);

// The path of the FIFO, or of what it could not be made in, for messages; NULL
// before fifo_make().
const char *fifo_path(void);

// Print the path on standard output, unless the caller of bibuf chose it.
// Returns 0, or -1 with errno, and then the name is gone.
int fifo_tell(void);

// Close standard output; wait until a reader opens the FIFO; remove the name
// and put the FIFO in the place of standard output. Returns 0, or -1 with
// errno: EPIPE when nobody will read, because of fifo_cancel() or because
// standard output was a pipe and has lost its reader. The name is gone then,
// too.
int fifo_open(void);

// If no reader has come yet, let fifo_open() give up. Returns false if that
// cannot be done: the FIFO may not be read, or nothing more be opened. Any
// thread.
bool fifo_cancel(void);

// Remove the name, if it is ours and still there, and if no reader has been
// served, let one that waits go. Any thread.
void fifo_remove(void);

#endif
