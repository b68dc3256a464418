// SPDX-License-Identifier: MIT
// cli: whoever asked for something on standard output and has got it: are they
// still there?
//
// Only those who hold a pipe open learn that it has no reader; but whoever
// reads to its end must not wait for it for ever. So of an anonymous pipe no
// more is kept than a handle (O_PATH), which holds nothing open, and it is
// opened for a moment to ask. Where that cannot be done, or somebody could
// mistake the moment for a writer that has come and gone, the descriptor is
// kept: of a pipe with a name, of a pipe that belongs to another user, of a
// socket.

#ifndef BIBUF_ASKER_H
#define BIBUF_ASKER_H

#include <stdbool.h>

// Remember who is at the other end of `fd`, which stays the caller's. Returns
// whether they can be watched: not if it is no pipe or socket. To be called
// once.
bool asker_remember(int fd);

// Have they gone? Any thread, after asker_remember().
bool asker_has_left(void);

// Let go of them. Nobody may ask any more.
void asker_forget(void);

#endif
