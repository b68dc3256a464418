// SPDX-License-Identifier: MIT
// cli: texts from outside, as they may be shown on a terminal.

#ifndef BIBUF_SHOWN_H
#define BIBUF_SHOWN_H

// A text for a message: what is no printable character in the user's locale is
// escaped as vis(3) does it, so that a message is one line and gives the
// terminal no orders. The result is never freed, and errno stays as it was. For
// the main thread, before a message that is the last.
const char *shown(const char *text);

#endif
