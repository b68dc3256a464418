// SPDX-License-Identifier: MIT
// A module for LD_PRELOAD that makes calls of the C library fail, in bibuf but
// not in the commands it runs.
//
//	FAULTS=call[@which]:nth[+every]:what[,...]
//	FAULTS_LOG=file     gets a line for each fault made
//	FAULTS_PROGRAM=name instead of bibuf
//
// The nth such call fails, and every so many calls from there on, with what is
// the name of an errno, or `short` (one byte is moved), `half` (half of them
// are), `zero` (0 is returned), `stop` (the process is stopped before it), or
// `none`: it is only told in the log. `which` narrows the calls down to those
// on one descriptor; for malloc and mmap, to those of at least so many bytes;
// for fcntl, to those with a command.
//
//	FAULTS=writev@1:3:ENOSPC,read:2+3:EINTR

// Here the names are defined that a program calls in the end, whatever name it
// writes for large files or with checks; both headers must not rename them.
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FAULTS_MOST 16
#define PARTS_MOST 1024

// What happens instead of the call, if it is not an error number.
enum {
	FAULT_UNKNOWN = -5,
	FAULT_STOP,
	FAULT_ZERO,
	FAULT_HALF,
	FAULT_SHORT,
	FAULT_NONE,
};

struct fault {
	char call[16];
	long which; // -1: any
	long nth;
	long every; // 0: once
	int what;
	_Atomic long calls;
};

static struct fault faults[FAULTS_MOST];
static int fault_count;
static int log_fd = -1;

static int
parse_what(const char *what)
{
	if (strcmp(what, "zero") == 0)
		return FAULT_ZERO;
	if (strcmp(what, "half") == 0)
		return FAULT_HALF;
	if (strcmp(what, "short") == 0)
		return FAULT_SHORT;
	for (int error = 1; error < 256; error++) {
		const char *name = strerrorname_np(error);
		if (name != NULL && strcmp(what, name) == 0)
			return error;
	}
	if (strcmp(what, "stop") == 0)
		return FAULT_STOP;
	return strcmp(what, "none") == 0 ? FAULT_NONE : FAULT_UNKNOWN;
}

// Read one fault. Returns whether there is any sense in it.
static int
parse(struct fault *fault, const char *text)
{
	char call[48];
	char what[24];

	fault->which = -1;
	fault->every = 0;
	if (sscanf(text, "%47[^:]:%ld+%ld:%23s", call, &fault->nth,
		&fault->every, what) != 4 &&
	    sscanf(text, "%47[^:]:%ld:%23s", call, &fault->nth, what) != 3)
		return 0;
	char *at = strchr(call, '@');
	if (at != NULL) {
		fault->which = atol(at + 1);
		*at = '\0';
	}
	snprintf(fault->call, sizeof(fault->call), "%.15s", call);
	fault->what = parse_what(what);
	return fault->what != FAULT_UNKNOWN;
}

__attribute__((constructor)) static void
load(void)
{
	const char *program = getenv("FAULTS_PROGRAM");
	const char *text = getenv("FAULTS");
	const char *log = getenv("FAULTS_LOG");
	char one[96];
	int count = 0;

	if (program == NULL)
		program = "bibuf";
	if (text == NULL || strcmp(program_invocation_short_name, program) != 0)
		return;
	if (log != NULL)
		log_fd =
		    open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	for (int size; sscanf(text, "%95[^,]%n", one, &size) == 1;) {
		if (count == FAULTS_MOST || !parse(&faults[count++], one)) {
			fprintf(stderr, "faulty: bad fault: %s\n", one);
			_exit(99);
		}
		text += size;
		text += *text == ',';
	}
	fault_count = count;
}

// What is to happen to this call? The log is written without a function that
// could fail here.
static int
due(const char *call, long which, int is_size)
{
	for (int i = 0; i < fault_count; i++) {
		struct fault *fault = &faults[i];
		if (strcmp(call, fault->call) != 0)
			continue;
		if (fault->which >= 0 &&
		    (is_size ? which < fault->which : which != fault->which))
			continue;
		long past = ++fault->calls - fault->nth;
		if (past == 0 || (past > 0 && fault->every > 0 &&
				     past % fault->every == 0)) {
			syscall(SYS_write, log_fd, call, strlen(call));
			syscall(SYS_write, log_fd, "\n", 1);
			if (fault->what == FAULT_STOP)
				syscall(SYS_kill, getpid(), SIGSTOP);
			return fault->what;
		}
	}
	return FAULT_NONE;
}

// The function that would have been called. Found at the first call, as some
// are called before any constructor is.
#define NEXT(name) \
	static __typeof__(name) *next; \
	if (next == NULL) \
	*(void **)&next = dlsym(RTLD_NEXT, #name)

// Fail as asked, if it is to fail.
#define FAIL(what, failure) \
	do { \
		if ((what) > 0) { \
			errno = (what); \
			return failure; \
		} \
		if ((what) == FAULT_ZERO) \
			return 0; \
	} while (0)

static size_t
shorten(int what, size_t size)
{
	if (size > 1 && what == FAULT_SHORT)
		return 1;
	return size > 1 && what == FAULT_HALF ? size / 2 : size;
}

// Copy the parts, shortened. Returns how many there are.
static int
shorten_parts(int what, struct iovec *to, const struct iovec *from, int count)
{
	size_t total = 0;
	int i = 0;

	for (int j = 0; j < count; j++)
		total += from[j].iov_len;
	total = shorten(what, total);
	for (; i < count && i < PARTS_MOST && total > 0; i++) {
		to[i] = from[i];
		if (to[i].iov_len > total)
			to[i].iov_len = total;
		total -= to[i].iov_len;
	}
	return i;
}

ssize_t
read(int fd, void *buf, size_t size)
{
	NEXT(read);
	int what = due("read", fd, 0);
	FAIL(what, -1);
	return next(fd, buf, shorten(what, size));
}

ssize_t
readv(int fd, const struct iovec *iov, int count)
{
	struct iovec parts[PARTS_MOST];
	NEXT(readv);
	int what = due("readv", fd, 0);
	FAIL(what, -1);
	return next(fd, parts, shorten_parts(what, parts, iov, count));
}

ssize_t
preadv2(int fd, const struct iovec *iov, int count, off_t offset, int flags)
{
	struct iovec parts[PARTS_MOST];
	NEXT(preadv2);
	int what = due("preadv2", fd, 0);
	FAIL(what, -1);
	count = shorten_parts(what, parts, iov, count);
	return next(fd, parts, count, offset, flags);
}

ssize_t
preadv64v2(
    int fd, const struct iovec *iov, int count, off64_t offset, int flags)
{
	return preadv2(fd, iov, count, offset, flags);
}

ssize_t
write(int fd, const void *buf, size_t size)
{
	NEXT(write);
	int what = due("write", fd, 0);
	FAIL(what, -1);
	return next(fd, buf, shorten(what, size));
}

ssize_t
writev(int fd, const struct iovec *iov, int count)
{
	struct iovec parts[PARTS_MOST];
	NEXT(writev);
	int what = due("writev", fd, 0);
	FAIL(what, -1);
	return next(fd, parts, shorten_parts(what, parts, iov, count));
}

ssize_t
splice(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t size,
    unsigned int flags)
{
	NEXT(splice);
	int what = due("splice", in, 0);
	FAIL(what, -1);
	size = shorten(what, size);
	return next(in, in_offset, out, out_offset, size, flags);
}

int
poll(struct pollfd *fds, nfds_t count, int timeout)
{
	NEXT(poll);
	int what = due("poll", -1, 0);
	FAIL(what, -1);
	return next(fds, count, timeout);
}

int
ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
    const sigset_t *mask)
{
	NEXT(ppoll);
	int what = due("ppoll", -1, 0);
	FAIL(what, -1);
	return next(fds, count, timeout, mask);
}

// As on Linux, the descriptor is closed all the same.
int
close(int fd)
{
	NEXT(close);
	int what = due("close", fd, 0);
	int result = next(fd);
	FAIL(what, -1);
	return result;
}

int
pipe2(int ends[2], int flags)
{
	NEXT(pipe2);
	int what = due("pipe2", -1, 0);
	FAIL(what, -1);
	return next(ends, flags);
}

// Narrowed down by the command. As all that have a third argument, it may be
// an int or a pointer.
int
fcntl(int fd, int command, ...)
{
	va_list rest;

	va_start(rest, command);
	void *argument = va_arg(rest, void *);
	va_end(rest);
	NEXT(fcntl);
	int what = due("fcntl", command, 0);
	FAIL(what, -1);
	return next(fd, command, argument);
}

int
fcntl64(int fd, int command, ...)
{
	va_list rest;

	va_start(rest, command);
	void *argument = va_arg(rest, void *);
	va_end(rest);
	return fcntl(fd, command, argument);
}

int
prctl(int option, ...)
{
	va_list rest;

	va_start(rest, option);
	unsigned long argument = va_arg(rest, unsigned long);
	va_end(rest);
	NEXT(prctl);
	int what = due("prctl", option, 0);
	FAIL(what, -1);
	return next(option, argument);
}

void *
malloc(size_t size)
{
	NEXT(malloc);
	int what = due("malloc", (long)size, 1);
	FAIL(what, NULL);
	return next(size);
}

void *
mmap(void *place, size_t size, int access, int flags, int fd, off_t offset)
{
	NEXT(mmap);
	int what = due("mmap", (long)size, 1);
	FAIL(what, MAP_FAILED);
	return next(place, size, access, flags, fd, offset);
}

void *
mmap64(void *place, size_t size, int access, int flags, int fd, off64_t offset)
{
	return mmap(place, size, access, flags, fd, offset);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
    void *(*run)(void *), void *arg)
{
	NEXT(pthread_create);
	int what = due("pthread_create", -1, 0);
	if (what > 0)
		return what;
	return next(thread, attributes, run, arg);
}

int
posix_spawn(pid_t *pid, const char *file,
    const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const argv[], char *const env[])
{
	NEXT(posix_spawn);
	int what = due("posix_spawn", -1, 0);
	if (what > 0)
		return what;
	return next(pid, file, actions, attributes, argv, env);
}
