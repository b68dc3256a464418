// SPDX-License-Identifier: MIT
// core: reads and writes on descriptors that bibuf does not own.
//
// Standard input and output are shared with other processes, and so are their
// flags: O_NONBLOCK is never set and never cleared here, and a descriptor
// that somebody else made non-blocking is waited for with poll(2).
//
// All functions repeat a call that a signal interrupted (EINTR). They may be
// called from any thread.
//
// A sandbox may refuse what it does not know, with whatever error it likes
// (seccomp(2)), and a system may lack it. Of the calls that bibuf makes these
// are optional; when one fails the plain way is gone, and that tells the truth:
//
//   splice                 the bytes are copied
//   preadv2                poll, then read
//   tee                    the bytes are copied
//   fcntl F_SETPIPE_SZ     a pipe stays as large as it is
//   fcntl F_GETPIPE_SZ     a pipe is taken to have the usual capacity
//   fcntl F_DUPFD_CLOEXEC  F_DUPFD, then F_SETFD
//   ppoll                  poll, with whole milliseconds
//   ioctl FIONREAD         poll: whether, not how many
//   openat O_PATH          a FIFO is opened by its name
//   fstatfs                who asked for a path is watched in another way
//   prctl                  coarse timers; a core dump is possible
//   rt_sigqueueinfo        kill: a signal arrives without its value
//   getdents64             each descriptor that there can be is tried
//   prlimit64              no limit is known

#ifndef BIBUF_IO_H
#define BIBUF_IO_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

// Read up to `size` bytes as read(2) does. Returns the count, 0 at the end of
// the data, or -1 with errno; EAGAIN when the descriptor is non-blocking and
// nothing is there.
ssize_t bi_io_read(int fd, void *buf, size_t size);

// As bi_io_read(), but never waits, whatever the flags of the descriptor say:
// EAGAIN when nothing is there. Any other error may mean that it can not be
// done here, as EOPNOTSUPP does of a pipe that was opened by name.
ssize_t bi_io_read_now(int fd, void *buf, size_t size);

// Write the `count` parts of `iov` as writev(2) does, waiting for room as long
// as it takes. Returns the bytes written, at least 1 and perhaps less than
// asked for, or -1 with errno. There must be a byte to write.
ssize_t bi_io_write(int fd, const struct iovec *iov, int count);

// Move up to `size` bytes from the pipe `in` to the pipe or socket `out`
// without copying them (splice(2)), and without waiting. Returns the count, 0
// at the end of the data, or -1 with errno, and then nothing has moved: EAGAIN
// when `in` is empty or `out` full; any other error may mean that it can not be
// done with these two.
ssize_t bi_io_splice(int in, int out, size_t size);

// Is a pipe in packet mode, or has the next that it holds been written in it
// (pipe(7), O_DIRECT)? Nothing is taken from it. Returns 1 if not, 0 if it is,
// or if it cannot be told, -1 with errno: EAGAIN when the pipe is empty, ENOMSG
// when one more byte would have to be there.
int bi_io_is_plain_pipe(int fd);

// Can it be read now, or is it at its end?
bool bi_io_is_readable(int fd);

// ppoll(2) without a signal mask. `limit_ns` is in nanoseconds; negative: no
// limit.
int bi_io_poll(struct pollfd *fds, nfds_t count, int64_t limit_ns);

// Bytes that lie in the pipe or socket and can be read without waiting; 0 when
// there are none or it cannot be told, SIZE_MAX when there are some and it
// cannot be told how many.
size_t bi_io_unread(int fd);

// Close an input and tell how many bytes nobody has read: of a pipe exactly
// where /proc is there, else as many as there were just before. Of a file, what
// is behind the place of reading.
size_t bi_io_abandon(int fd);

// Move a descriptor that was just opened above the standard ones, so that a
// standard descriptor that was closed stays closed. Returns the descriptor,
// closed on exec if it was moved, or -1 with errno, and then it is closed. -1
// is passed through, so that open(2) can be the argument.
int bi_io_lift(int fd);

// A copy of a descriptor: above the standard ones, closed on exec. Returns it,
// or -1 with errno.
int bi_io_copy(int fd);

// Open once more what a descriptor stands for, which may be an O_PATH handle:
// as a description of its own, closed on exec, with the access mode and the
// other `flags` of open(2). Returns a descriptor above the standard ones, or -1
// with errno; ENOENT where /proc is missing.
int bi_io_reopen(int fd, int flags);

// Close what this process has inherited, but for the standard descriptors:
// everything that exec would hand on. What bibuf opens is closed on exec.
void bi_io_close_inherited(void);

// Make a pipe: ends[0] is read from, ends[1] written to. Both are closed on
// exec, and neither has a number below 3 even if a standard descriptor was
// closed. Returns 0, or -1 with errno and `ends` untouched.
int bi_io_pipe(int ends[2]);

#endif
