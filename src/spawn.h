// SPDX-License-Identifier: MIT
// core: start a command with its standard output on a pipe.
//
// The command is found and started as env(1) does it: the PATH is searched as
// execvp(3) searches it, and a script without "#!" is run by sh. Only, as the
// shells see it, a command is not found, rather than forbidden, if all that
// was met is a directory of the PATH that may not be searched. It gets
// exactly the caller's descriptors, but for its standard output, and the
// caller's signal dispositions, process group, limits and directory; nothing
// of ours.

#ifndef BIBUF_SPAWN_H
#define BIBUF_SPAWN_H

#include <signal.h>
#include <sys/types.h>

// Start argv[0] with the arguments `argv` (NULL ends them), `env` as its
// environment, `mask` as its signal mask and `out`, which must be greater than
// 2, as its standard output. The PATH searched is that of this process.
// Returns 0 and the process in *pid; it is the caller's to wait for. Otherwise
// -1 with errno, and there is no process: ENOENT when there is no such command,
// EAGAIN or ENOMEM when no process could be made, anything else when the
// command was found but can not be run.
int bi_spawn(pid_t *pid, char *const argv[], char *const env[],
    const sigset_t *mask, int out);

// The exit status that a shell would tell for a status of waitpid(2): the
// command's own, or 128 + N if signal N killed it.
int bi_spawn_status(int status);

#endif
