// SPDX-License-Identifier: MIT
// cli: a FIFO in the place of standard output.
//
// Whoever starts bibuf is told a path and opens it like a file: process
// substitution for any language. What has been made is removed at every end of
// the process that goes through exit(3) or signals_die(), so that only SIGKILL
// or a fault leaves it behind.

#ifndef BIBUF_FIFO_H
#define BIBUF_FIFO_H

#include <stdbool.h>
#include <stdint.h>

// Make the FIFO, with mode 0600 whatever the umask: at `path`, where one that
// is there already is used and left there; or, if `path` is NULL, in a fresh
// directory of mode 0700 under XDG_RUNTIME_DIR if one can be made there, else
// under TMPDIR, or /tmp if that is not set. Must come before any thread exists.
// Returns 0, or -1 with errno; EEXIST when `path` is no FIFO.
int fifo_make(const char *path);

// The path of the FIFO, or of what it could not be made in, for messages; NULL
// before fifo_make().
const char *fifo_path(void);

// Print the path on standard output, unless the caller of bibuf chose it, and
// put the FIFO in its place as soon as it is opened. Give up `timeout_ns` from
// now if nobody has come by then; -1: never. Returns 0, or -1 with errno, and
// then the name is gone.
int fifo_tell(int64_t timeout_ns);

// Wait until a reader opens the FIFO, and put it in the place of standard
// output. May be called again when that reader has left: what is in the FIFO is
// kept for the next. Returns 0, or -1 with errno, and then the name is gone:
// ETIMEDOUT when the time is over, EPIPE when nobody will read because of
// fifo_cancel(), or because standard output was a pipe or a socket and has lost
// its reader.
int fifo_open(void);

// A reader that is there now may be the last: if none is, or if it leaves
// without having taken a byte, let fifo_open() give up. Returns false if that
// cannot be done: the FIFO may not be read, or nothing more be opened. Any
// thread.
bool fifo_cancel(void);

// A reader has taken bytes, and is the one. Remove the name and let go of
// whoever asked for it.
void fifo_settle(void);

// Remove the name, if it is ours and still there, and if no reader has been
// served, let one that waits go. Any thread.
void fifo_remove(void);

#endif
