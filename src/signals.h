// SPDX-License-Identifier: MIT
// cli: be to the outside what the command is: pass signals on to it, tell how
// it ended, and die of a signal as if it had not been caught.
//
// Signals are blocked, not caught: a thread of its own waits for them
// (sigwaitinfo(2)), so that no work is done in a handler and the command
// inherits dispositions that nobody changed. The same thread waits for the
// command, so a signal can never go to a process number that is free again.
//
// Left alone are: what was ignored when bibuf started (nohup(1)), job control
// (the terminal stops and resumes the whole process group), faults, and
// SIGXCPU. SIGINT, SIGQUIT, SIGHUP and SIGWINCH are not passed on when they
// come from the terminal and it has sent them to the command too.

#ifndef BIBUF_SIGNALS_H
#define BIBUF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct bi_fill;

// Block the signals that will be passed on, in this thread and all it creates.
// The mask there was is stored in *mask: the command's. To be called once,
// before any thread exists.
void signals_block(sigset_t *mask);

// Block SIGPIPE alone, in this thread and all it creates: that a reader has
// left is to be found out, not to die of, as no byte may be lost by it. To be
// called instead of signals_block().
void signals_block_sigpipe(void);

// Start the signal thread, which waits for signals_adopt(). `fill` is the
// reader thread of the command. Returns 0, or -1 with errno.
int signals_start(struct bi_fill *fill);

// From now on pass signals on to the command `pid`, and wait for it; it is no
// longer the caller's to wait for. If a signal that has come to bibuf as well
// kills it, its reader thread is told to finish: who then still holds the pipe
// is not waited for, nor is a reader of the FIFO; if standard output is a
// terminal, it ends bibuf at once. Once the command is gone, or if there is
// none (0), or if it may not be signalled, a signal does what it does to a
// process that does not catch it, unless it only repeats the last one within a
// second or two.
void signals_adopt(pid_t pid);

// Send the command SIGTERM, if it is not gone.
void signals_terminate(void);

// Is the command gone?
bool signals_gone(void);

// Wait until the command is gone and return its exit status; 128 + N if signal
// N killed it. Does not return if that signal has come to bibuf as well: then
// it dies of it too, as a shell that decides whether to go on wants to see.
int signals_wait(void);

// Die of a signal that kills by default, without a core dump and without
// leaving the name of a FIFO behind. Where it does not kill, exit with 128 +
// `signo`. Any thread.
_Noreturn void signals_die(int signo);

#endif
