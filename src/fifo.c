// SPDX-License-Identifier: MIT
//
// The main thread waits for the reader in open(2): a FIFO that is opened for
// writing blocks until it is opened for reading too, and nothing else ends
// that. So giving up is to be the reader oneself: open(2) then returns, and
// finds that it was cancelled. A reader that had come by then is served, though
// the main thread has not heard of it yet.
//
// A program may open a path only to see whether it can, and open it again to
// read. So a reader is only the one when it has taken a byte; until then the
// name stays, the FIFO is held open, and with it what has been written to it.
//
// Standard output is closed once the path is told; who asked for it is looked
// after by a thread (asker.h).
//
// The FIFO is held by a handle, which holds nothing open, and opened through
// it, so that it is the same file from the first to the last, whatever its name
// comes to mean. Where that cannot be, it is opened by its name.

#include "fifo.h"

#include "asker.h"
#include "io.h"
#include "opts.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// How often to see whether the asker is still there, and the time not over.
#define WATCH_NS INT64_C(50000000)

#define NS_PER_S INT64_C(1000000000)

// Is there a reader?
enum state {
	NO_FIFO,
	WAITING,
	OPENED,
	SETTLED,
};

// What stands above the lock is set before there is a second thread; the lock
// guards what stands below it.
static struct {
	char *folder; // made for the FIFO; NULL if the path was given
	char *path;
	const char
	    *place;     // for messages: the path, or where there is to be one
	struct stat st; // of the FIFO
	int handle;     // O_PATH of the FIFO; -1: none
	int64_t deadline_ns; // by CLOCK_MONOTONIC; -1: none
	bool is_watched;     // the asker

	pthread_mutex_t lock;
	enum state state;
	bool begun; // to wait
	bool cancelled;
	bool timed_out;
	int ends[2]; // hold it open from fifo_cancel() on; -1: closed
	bool named;  // the name is there, and ours
	bool housed; // the directory is there
} self = {
    .handle = -1,
    .deadline_ns = -1,
    .ends = {-1, -1},
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

static int64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static bool
is_ours(const struct stat *st)
{
	return st->st_dev == self.st.st_dev && st->st_ino == self.st.st_ino;
}

// Open the FIFO. Returns a descriptor, or -1 with errno.
static int
open_fifo(int flags)
{
	struct stat st;
	int fd = bi_io_reopen(self.handle, flags);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	do
		fd = open(self.path, flags | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	fd = bi_io_lift(fd);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !is_ours(&st))) {
		close(fd);
		errno = ENOENT;
		return -1;
	}
	return fd;
}

// Make the name, or find one that is there, and hold what it stands for.
static int
make_name(void)
{
	self.named = mkfifo(self.path, 0600) == 0;
	if (!self.named && errno != EEXIST)
		return -1;
	self.handle = bi_io_lift(open(self.path, O_PATH | O_CLOEXEC));
	if ((self.handle < 0 ? stat(self.path, &self.st)
			     : fstat(self.handle, &self.st)) != 0)
		return -1;
	if (!S_ISFIFO(self.st.st_mode)) {
		errno = EEXIST;
		return -1;
	}
	return 0;
}

// Make a directory that nobody else can enter, and the FIFO in it. Returns 0,
// or -1 with errno, and nothing is left.
static int
make_below(const char *parent)
{
	self.place = parent;
	if (asprintf(&self.folder, "%s/bibuf.XXXXXX", parent) < 0)
		return -1;
	self.housed = mkdtemp(self.folder) != NULL;
	if (self.housed &&
	    asprintf(&self.path, "%s/stream", self.folder) >= 0 &&
	    make_name() == 0) {
		self.place = self.path;
		return 0;
	}
	int error = errno;
	fifo_remove();
	errno = error;
	return -1;
}

// Where to make a directory for a while, as mktemp(1) has it. The reader may
// have another working directory. Returns NULL with errno if there is no such.
static const char *
temporary(void)
{
	const char *parent = getenv("TMPDIR");

	self.place = parent;
	if (parent == NULL || parent[0] == '\0')
		return "/tmp";
	if (strchr(parent, '\n') != NULL) {
		// The path would end too soon for who reads a line.
		errno = EINVAL;
		return NULL;
	}
	return parent[0] == '/' ? parent : realpath(parent, NULL);
}

// XDG_RUNTIME_DIR is often set where there is no such directory: it is handed
// on to other machines and other users. A relative one is to be ignored (XDG
// Base Directory Specification).
static int
make_somewhere(void)
{
	const char *parent = getenv("XDG_RUNTIME_DIR");

	if (parent != NULL && parent[0] == '/' &&
	    strchr(parent, '\n') == NULL && make_below(parent) == 0)
		return 0;
	parent = temporary();
	return parent == NULL ? -1 : make_below(parent);
}

static int
make_at(const char *path)
{
	self.place = path;
	self.path = strdup(path);
	return self.path == NULL ? -1 : make_name();
}

int
fifo_make(const char *path)
{
	atexit(fifo_remove);
	mode_t mask = umask(S_IRWXG | S_IRWXO);
	int result = path == NULL ? make_somewhere() : make_at(path);
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

static enum state
get_state(void)
{
	pthread_mutex_lock(&self.lock);
	enum state state = self.state;
	pthread_mutex_unlock(&self.lock);
	return state;
}

// If the main thread cannot be told that the time is over, end without it.
static void
time_out(void)
{
	pthread_mutex_lock(&self.lock);
	self.timed_out = true;
	pthread_mutex_unlock(&self.lock);
	if (fifo_cancel())
		return;
	fifo_remove();
	_exit(EXIT_TIMED_OUT);
}

// While there is no reader, see whether there will be one.
static void *
watch(void *arg)
{
	const struct timespec pause = {.tv_nsec = WATCH_NS};
	enum state state;

	while ((state = get_state()) != SETTLED) {
		if (state == WAITING && self.deadline_ns >= 0 &&
		    now_ns() >= self.deadline_ns)
			time_out();
		else if (state == WAITING && self.is_watched &&
			 asker_has_left())
			fifo_cancel();
		nanosleep(&pause, NULL);
	}
	asker_forget();
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

// Close standard output as far as the asker can see, but keep the place: what
// another thread opens must not land where the FIFO will be.
static int
vacate_output(void)
{
	int place = self.handle;

	if (place < 0)
		place = bi_io_lift(open("/dev/null", O_RDWR | O_CLOEXEC));
	return dup2(place, STDOUT_FILENO) < 0 ? -1 : 0;
}

static int
tell(int64_t timeout_ns)
{
	pthread_t thread;

	if (self.folder != NULL) {
		if (print_path() != 0)
			return -1;
		self.is_watched = asker_remember(STDOUT_FILENO);
	}
	if (vacate_output() != 0)
		return -1;
	if (timeout_ns >= 0)
		self.deadline_ns = now_ns() + timeout_ns;
	if (!self.is_watched && timeout_ns < 0)
		return 0;
	if (bi_thread_start(&thread, watch, NULL) != 0)
		return -1;
	pthread_detach(thread);
	return 0;
}

int
fifo_tell(int64_t timeout_ns)
{
	if (tell(timeout_ns) == 0)
		return 0;
	int error = errno;
	fifo_remove();
	errno = error;
	return -1;
}

// The FIFO is open. Was it a reader who opened it, or fifo_cancel()?
static bool
has_reader(void)
{
	pthread_mutex_lock(&self.lock);
	bool come = self.state == OPENED || !self.cancelled;
	self.state = OPENED;
	for (int i = 0; i < 2 && come; i++) {
		if (self.ends[i] >= 0)
			close(self.ends[i]);
		self.ends[i] = -1;
	}
	pthread_mutex_unlock(&self.lock);
	// Otherwise they are kept open until the process ends: one who has
	// looked the name up may be about to open it, and would wait for ever.
	return come;
}

// Begin to wait, perhaps again. Returns false if that is of no use.
static bool
begin_to_wait(void)
{
	pthread_mutex_lock(&self.lock);
	bool is_first = !self.begun;
	bool cancelled = self.cancelled;
	self.begun = true;
	if (!is_first)
		self.state = WAITING;
	pthread_mutex_unlock(&self.lock);
	return is_first || !cancelled;
}

// Returns a descriptor, or -1 with errno.
static int
wait_for_reader(void)
{
	int out = -1;

	if (begin_to_wait()) {
		out = open_fifo(O_WRONLY);
		if (out < 0 || has_reader())
			return out;
	}
	// If it was opened, it stays so: see has_reader().
	pthread_mutex_lock(&self.lock);
	errno = self.timed_out ? ETIMEDOUT : EPIPE;
	pthread_mutex_unlock(&self.lock);
	return -1;
}

int
fifo_open(void)
{
	int out = wait_for_reader();

	if (out < 0) {
		int error = errno;
		fifo_settle();
		errno = error;
		return -1;
	}
	int result = dup2(out, STDOUT_FILENO) < 0 ? -1 : 0;
	close(out);
	return result;
}

bool
fifo_cancel(void)
{
	pthread_mutex_lock(&self.lock);
	bool done = self.state != WAITING || self.ends[0] >= 0;
	self.cancelled = true;
	if (!done) {
		// Fails if nobody has it open. Both are kept open, as the main
		// thread may not have come to wait yet.
		self.ends[1] = open_fifo(O_WRONLY | O_NONBLOCK);
		self.ends[0] = open_fifo(O_RDONLY | O_NONBLOCK);
		done = self.ends[0] >= 0;
		if (self.ends[1] >= 0)
			self.state = OPENED;
	}
	pthread_mutex_unlock(&self.lock);
	return done;
}

void
fifo_settle(void)
{
	// Also if we gave up: whoever opened it now would wait for ever.
	fifo_remove();
	pthread_mutex_lock(&self.lock);
	self.state = SETTLED;
	pthread_mutex_unlock(&self.lock);
}

// Nobody will write: let a reader that waits for that see an end at once, as it
// would if a shell had opened the FIFO for a command that it cannot start.
static void
release_reader(void)
{
	if (self.state == WAITING)
		close(open_fifo(O_WRONLY | O_NONBLOCK));
}

void
fifo_remove(void)
{
	struct stat st;

	pthread_mutex_lock(&self.lock);
	release_reader();
	// One that could not be held was made just now.
	if (self.named && (self.st.st_ino == 0 ||
			      (lstat(self.path, &st) == 0 && is_ours(&st))))
		unlink(self.path);
	if (self.housed)
		rmdir(self.folder);
	self.named = self.housed = false;
	pthread_mutex_unlock(&self.lock);
}
