// SPDX-License-Identifier: MIT
//
// The main thread waits for the reader in open(2): a FIFO that is opened for
// writing blocks until it is opened for reading too, and nothing else ends
// that. So giving up is to be the reader oneself: open(2) then returns, and
// finds that it was cancelled. A reader that had come by then is served, though
// the main thread has not heard of it yet.
//
// Standard output is closed once the path is told, or whoever reads it to its
// end would wait for ever. With it goes the means to notice that the asker
// leaves, as only those who hold a pipe open learn that it has no reader. What
// is kept is a handle (O_PATH), which holds nothing open; the watching thread
// opens the pipe through it for a moment, now and then, and asks. Only of an
// anonymous pipe, as a named one may be waiting for another writer.
//
// The FIFO is held by such a handle too, and opened through it, so that it is
// the same file from the first to the last, whatever its name comes to mean.

#include "fifo.h"

#include "io.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// How often to see whether the asker is still there.
#define WATCH_NS 50000000L

// Has a reader come?
enum state {
	NO_FIFO,
	WAITING,
	OPENED,
	CANCELLED,
};

// The lock guards what stands below it.
static struct {
	char *folder; // made for the FIFO; NULL if the path was given
	char *path;
	const char
	    *place; // for messages: the path, or where there is to be one
	int handle; // O_PATH of the FIFO
	int asker;  // O_PATH of the pipe that the path was told through

	pthread_mutex_t lock;
	enum state state;
	int ends[2]; // hold it open from fifo_cancel() on; -1: closed
	bool named;  // the name is there, and ours
	bool housed; // the directory is there
} self = {
    .handle = -1,
    .asker = -1,
    .ends = {-1, -1},
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

// Where to make a directory for a while. A relative path would mean something
// else to the reader (XDG Base Directory Specification: it is to be ignored),
// and one with a newline would end too soon.
static const char *
parent(void)
{
	static const char *const variables[] = {"XDG_RUNTIME_DIR", "TMPDIR"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);
		if (value != NULL && value[0] == '/' &&
		    strchr(value, '\n') == NULL)
			return value;
	}
	return "/tmp";
}

// Make a directory that nobody else can enter, and think of a name in it.
static int
make_folder(void)
{
	struct stat st;

	self.place = parent();
	if (asprintf(&self.folder, "%s/bibuf.XXXXXX", self.place) < 0 ||
	    lstat(self.place, &st) != 0)
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return -1;
	}
	self.housed = mkdtemp(self.folder) != NULL;
	if (!self.housed || asprintf(&self.path, "%s/stream", self.folder) < 0)
		return -1;
	self.place = self.path;
	return 0;
}

// Make the name, or find one that is there, and hold what it stands for.
static int
make_name(void)
{
	struct stat st;

	self.named = mkfifo(self.path, 0600) == 0;
	if (!self.named && errno != EEXIST)
		return -1;
	self.handle = bi_io_lift(open(self.path, O_PATH | O_CLOEXEC));
	if (self.handle < 0 || fstat(self.handle, &st) != 0)
		return -1;
	if (!S_ISFIFO(st.st_mode)) {
		errno = EEXIST;
		return -1;
	}
	return 0;
}

static int
make_path(const char *path)
{
	self.place = path;
	if (path == NULL)
		return make_folder();
	self.path = strdup(path);
	return self.path == NULL ? -1 : 0;
}

int
fifo_make(const char *path)
{
	atexit(fifo_remove);
	mode_t mask = umask(S_IRWXG | S_IRWXO);
	int result = make_path(path) != 0 || make_name() != 0 ? -1 : 0;
	umask(mask);
	if (result == 0)
		self.state = WAITING;
	return result;
}

const char *
fifo_path(void)
{
	return self.place;
}

static bool
is_waiting(void)
{
	pthread_mutex_lock(&self.lock);
	bool waiting = self.state == WAITING;
	pthread_mutex_unlock(&self.lock);
	return waiting;
}

// Has the pipe that the path was told through lost its reader?
static bool
asker_left(void)
{
	struct pollfd pipe = {
	    .fd = bi_io_reopen(self.asker, O_WRONLY | O_NONBLOCK)};

	if (pipe.fd < 0)
		return false;
	bool left = poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR);
	close(pipe.fd);
	return left;
}

static void *
watch_asker(void *arg)
{
	const struct timespec pause = {.tv_nsec = WATCH_NS};

	while (is_waiting()) {
		if (asker_left())
			fifo_cancel();
		nanosleep(&pause, NULL);
	}
	return arg;
}

// Print the path and a newline.
static int
print_path(void)
{
	char *line;
	int size = asprintf(&line, "%s\n", self.path);
	struct iovec rest = {.iov_base = line, .iov_len = (size_t)size};

	if (size < 0)
		return -1;
	while (rest.iov_len > 0) {
		ssize_t n = bi_io_write(STDOUT_FILENO, &rest, 1);
		if (n < 0)
			break;
		rest.iov_base = (char *)rest.iov_base + n;
		rest.iov_len -= (size_t)n;
	}
	free(line);
	return rest.iov_len == 0 ? 0 : -1;
}

static bool
is_anonymous_pipe(int fd)
{
	struct statfs st;

	return fstatfs(fd, &st) == 0 && st.f_type == PIPEFS_MAGIC;
}

// Have the one who asked for the path watched.
static int
watch(void)
{
	pthread_t thread;

	if (!is_anonymous_pipe(STDOUT_FILENO))
		return 0;
	self.asker = bi_io_lift(open("/proc/self/fd/1", O_PATH | O_CLOEXEC));
	if (bi_thread_start(&thread, watch_asker, NULL) != 0)
		return -1;
	pthread_detach(thread);
	return 0;
}

int
fifo_tell(void)
{
	if (self.folder == NULL || (print_path() == 0 && watch() == 0))
		return 0;
	int error = errno;
	fifo_remove();
	errno = error;
	return -1;
}

// Wait for the reader. Returns a descriptor, or -1 with errno.
static int
wait_for_reader(void)
{
	int out = bi_io_reopen(self.handle, O_WRONLY);

	if (out < 0 && errno == ENOENT)
		out = bi_io_lift(open(self.path, O_WRONLY | O_CLOEXEC));
	if (out < 0)
		return -1;
	pthread_mutex_lock(&self.lock);
	bool cancelled = self.state == CANCELLED;
	self.state = OPENED;
	for (int i = 0; i < 2 && !cancelled; i++)
		if (self.ends[i] >= 0)
			close(self.ends[i]);
	pthread_mutex_unlock(&self.lock);
	if (!cancelled)
		return out;
	// Kept open until the process ends: one who has looked the name up may
	// be about to open it, and would wait for ever.
	errno = EPIPE;
	return -1;
}

int
fifo_open(void)
{
	// Closed as far as the asker can see, but the place is kept: what the
	// watching thread opens must not land where the FIFO will be.
	if (dup2(self.handle, STDOUT_FILENO) < 0)
		return -1;
	int out = wait_for_reader();
	int error = errno;
	// Also if we gave up: whoever opened it now would wait for ever.
	fifo_remove();
	errno = error;
	if (out < 0)
		return -1;
	int result = dup2(out, STDOUT_FILENO) < 0 ? -1 : 0;
	close(out);
	return result;
}

bool
fifo_cancel(void)
{
	pthread_mutex_lock(&self.lock);
	bool done = self.state != WAITING;
	if (!done) {
		// Fails if nobody has it open. Both are kept open, as the main
		// thread may not have come to wait yet.
		self.ends[1] = bi_io_reopen(self.handle, O_WRONLY | O_NONBLOCK);
		self.ends[0] = bi_io_reopen(self.handle, O_RDONLY | O_NONBLOCK);
		done = self.ends[0] >= 0;
		self.state = self.ends[1] < 0 ? CANCELLED : OPENED;
	}
	pthread_mutex_unlock(&self.lock);
	return done;
}

// Nobody will write: let a reader that waits for that see an end at once, as it
// would if a shell had opened the FIFO for a command that it cannot start.
static void
release_reader(void)
{
	if (self.state == WAITING)
		close(bi_io_reopen(self.handle, O_WRONLY | O_NONBLOCK));
}

// Does the name still mean the FIFO? One that could not be held was made just
// now.
static bool
is_ours(void)
{
	struct stat now, held;

	if (self.handle < 0)
		return true;
	return lstat(self.path, &now) == 0 && fstat(self.handle, &held) == 0 &&
	       now.st_dev == held.st_dev && now.st_ino == held.st_ino;
}

void
fifo_remove(void)
{
	pthread_mutex_lock(&self.lock);
	release_reader();
	if (self.named) {
		if (is_ours())
			unlink(self.path);
		self.named = false;
	}
	if (self.housed) {
		rmdir(self.folder);
		self.housed = false;
	}
	pthread_mutex_unlock(&self.lock);
}
