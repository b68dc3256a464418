// SPDX-License-Identifier: MIT
//
// bibuf: run a command, or take standard input, and hand its output on through
// a double buffer.
//
//                 core                      cli
//   input -> fill (thread) -> queue -> relay (main thread) -> output
//   command <- spawn           pool    signals (thread)
//
// io.c       reads and writes on descriptors that others share
// pool.c     memory blocks
// queue.c    the elastic chain of blocks between the two threads
// fill.c     the reader thread: input -> queue, or straight to the output
// coalesce.c how long to let small writes gather before reading them
// pipesize.c how much the pipes hold
// spawn.c    start the command on a pipe
// thread.c   start a thread
// relay.c    queue -> output
// fifo.c     a FIFO in the place of standard output
// asker.c    whoever was told its path
// signals.c  pass signals on, wait for the command, die as it died
// opts.c     the command line; size.c reads sizes, memlimit.c limits
// shown.c    texts from outside in messages
// main.c     wire the parts; turn how it ended into messages and a status

#include "fifo.h"
#include "fill.h"
#include "io.h"
#include "opts.h"
#include "queue.h"
#include "relay.h"
#include "shown.h"
#include "signals.h"
#include "spawn.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

// If the reader of a filter leaves, a writer that is in the middle of it gets
// so long to write again. cat(1) would wait for ever to see whether a byte
// comes that is lost; this decides all but never otherwise, and the writer of a
// silent input gets to know at once that nobody reads.
#define LAST_LOOK_NS 100000000

// A stream on its way from an input to standard output.
struct stream {
	const struct opts *opts;
	const char *in_name;
	const char *out_name;
	int in;
	struct bi_queue *queue;
	struct bi_fill fill;
	bool minds_signals;
	sigset_t mask; // that bibuf was started with
};

// A standard descriptor that is closed, or open the other way round, would be
// an error at the first byte only; better before anything has been started.
static void
require_open(int fd, int wrong_mode, const char *name)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) == wrong_mode) {
		flags = -1;
		errno = EBADF;
	}
	if (flags < 0)
		err(EXIT_OWN_FAILURE, "%s", name);
}

// Refuse to copy a file behind its own end, where it would feed itself for
// ever. As GNU cat: reading behind the place of writing is harmless.
static void
refuse_same_file(void)
{
	struct stat in, out;

	if (fstat(STDIN_FILENO, &in) != 0 || fstat(STDOUT_FILENO, &out) != 0 ||
	    !S_ISREG(in.st_mode) || in.st_dev != out.st_dev ||
	    in.st_ino != out.st_ino)
		return;
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	off_t reads = lseek(STDIN_FILENO, 0, SEEK_CUR);
	off_t writes =
	    flags & O_APPEND ? out.st_size : lseek(STDOUT_FILENO, 0, SEEK_CUR);
	if (reads < writes)
		errx(EXIT_OWN_FAILURE, "input file is output file");
}

static void
make_fifo(const char *path)
{
	if (fifo_make(path) == 0)
		return;
	const char *place = shown(fifo_path());
	if (path != NULL && errno == EEXIST)
		errx(EXIT_OWN_FAILURE, "%s is there, and is not a FIFO", place);
	err(EXIT_OWN_FAILURE, "make a FIFO %s %s", path == NULL ? "in" : "at",
	    place);
}

static void
start_reading(struct stream *stream)
{
	if (bi_fill_start(&stream->fill, stream->queue, stream->in,
		stream->opts->coalesce_ns, stream->opts->pipe_size) != 0)
		err(EXIT_OWN_FAILURE, "start the reader thread");
}

static void
start_signals(struct stream *stream)
{
	if (signals_start(&stream->fill) != 0)
		err(EXIT_OWN_FAILURE, "start the signal thread");
}

static enum relay_end
failed_output(void)
{
	switch (errno) {
	case EPIPE:
		return RELAY_READER_LEFT;
	case ETIMEDOUT:
		return RELAY_NOBODY_CAME;
	default:
		return RELAY_OUTPUT_FAILED;
	}
}

// Have a reader come, its FIFO put in the place of standard output, and the
// first bytes taken. A reader that takes none is followed by another.
static enum relay_end
serve_fifo(struct stream *stream)
{
	enum relay_end end = RELAY_READER_LEFT;
	size_t handed = 0;

	if (fifo_tell(stream->opts->fifo_timeout_ns) != 0)
		return failed_output();
	stream->out_name = fifo_path();
	while (end == RELAY_READER_LEFT) {
		if (fifo_open() != 0)
			return failed_output();
		end = relay_first(stream->queue, STDOUT_FILENO, &handed);
	}
	fifo_settle();
	return end;
}

// Hand the stream on: first of all see to it that there is an output.
static enum relay_end
hand_on(struct stream *stream)
{
	stream->out_name = "standard output";
	if (fifo_path() != NULL) {
		enum relay_end end = serve_fifo(stream);
		if (end != RELAY_DONE)
			return end;
	}
	bi_fill_set_output(&stream->fill, STDOUT_FILENO, !stream->opts->copy);
	return relay_run(stream->queue, STDOUT_FILENO);
}

// Relay the stream and end the reading. Says what went wrong.
static enum relay_end
relay(struct stream *stream)
{
	enum relay_end end = hand_on(stream);

	if (end == RELAY_INPUT_FAILED)
		warn("read %s", stream->in_name);
	else if (end == RELAY_OUTPUT_FAILED)
		warn("write %s", shown(stream->out_name));
	bi_fill_stop(&stream->fill);
	return end;
}

// The reader has left before it had everything. Are there bytes that it will
// never get: in memory, or in the input, which is closed now? So the command,
// or the writer of standard input, gets the SIGPIPE that it would get without
// us.
static bool
are_bytes_lost(struct stream *stream)
{
	bool lost = bi_queue_pending(stream->queue) > 0;

	return bi_io_abandon(stream->in) > 0 || lost;
}

// Standard input is the stream. Nothing is caught, as in cat(1), unless there
// is a name to remove, or nothing would happen if it were not.
static int
run_filter(struct stream *stream)
{
	require_open(STDIN_FILENO, O_WRONLY, "standard input");
	if (fifo_path() == NULL)
		refuse_same_file();
	stream->in_name = "standard input";
	stream->in = STDIN_FILENO;
	start_reading(stream);
	if (stream->minds_signals) {
		start_signals(stream);
		signals_adopt(0);
	}
	enum relay_end end = relay(stream);
	if (end == RELAY_INPUT_FAILED || end == RELAY_OUTPUT_FAILED)
		return EXIT_OWN_FAILURE;
	if (end == RELAY_NOBODY_CAME)
		return EXIT_TIMED_OUT;
	if (end == RELAY_DONE || stream->opts->reader_may_leave)
		return EXIT_SUCCESS;
	struct pollfd in = {.fd = stream->in, .events = POLLIN};
	bi_io_poll(&in, 1, LAST_LOOK_NS);
	if (are_bytes_lost(stream))
		signals_die(SIGPIPE);
	return EXIT_SUCCESS;
}

// The exit status that env(1) gives when a command can not be started.
static int
spawn_failure(int error)
{
	switch (error) {
	case ENOENT:
		return EXIT_NOT_FOUND;
	case EAGAIN:
	case ENOMEM:
		return EXIT_OWN_FAILURE;
	default:
		return EXIT_CANNOT_RUN;
	}
}

// Start the command and the threads that look after it and its output.
static void
start_command(struct stream *stream, char **argv)
{
	int ends[2];
	pid_t pid;

	if (bi_io_pipe(ends) != 0)
		err(EXIT_OWN_FAILURE, "make a pipe");
	stream->in_name = "the output of the command";
	stream->in = ends[0];
	start_reading(stream);
	start_signals(stream);
	if (bi_spawn(&pid, argv, environ, &stream->mask, ends[1]) != 0) {
		const char *name = shown(argv[0]);
		if (errno == ENOENT && strchr(name, '/') == NULL)
			errx(EXIT_NOT_FOUND, "%s: command not found", name);
		err(spawn_failure(errno), "%s", name);
	}
	close(ends[1]);
	signals_adopt(pid);
	// Whoever waits for the other ends of these waits for the command, and
	// is not to wait for its reader as well.
	close(STDIN_FILENO);
	bi_io_close_inherited();
}

// Is this how a command may end because nobody reads any more?
static bool
has_given_up(int status)
{
	return status < 128 || status == 128 + SIGPIPE;
}

static int
run_command(struct stream *stream, char **argv)
{
	start_command(stream, argv);
	enum relay_end end = relay(stream);
	bool left = end == RELAY_READER_LEFT;
	// What it did before counts; after that it may fail because of it.
	bool excused =
	    left && stream->opts->reader_may_leave && !signals_gone();
	bool lost = are_bytes_lost(stream);
	if (end == RELAY_NOBODY_CAME)
		signals_terminate();
	int status = signals_wait();
	if (end == RELAY_NOBODY_CAME)
		return EXIT_TIMED_OUT;
	if (end == RELAY_INPUT_FAILED || end == RELAY_OUTPUT_FAILED)
		return EXIT_OWN_FAILURE;
	if (left && stream->opts->reader_may_leave)
		return excused && has_given_up(status) ? EXIT_SUCCESS : status;
	if (left && lost && status == EXIT_SUCCESS)
		signals_die(SIGPIPE);
	return status;
}

int
main(int argc, char **argv)
{
	struct opts opts;
	struct stream stream = {.opts = &opts};

	opts_parse(&opts, argc, argv);
	// A signal that is not caught does nothing to the first process of a
	// PID namespace (pid_namespaces(7)).
	stream.minds_signals =
	    opts.command != NULL || opts.fifo || getpid() == 1;
	if (stream.minds_signals)
		signals_block(&stream.mask);
	else
		signals_block_sigpipe();
	if (opts.fifo_path == NULL)
		require_open(STDOUT_FILENO, O_RDONLY, "standard output");
	if (opts.fifo)
		make_fifo(opts.fifo_path);
	stream.queue = bi_queue_create(opts.block_size, opts.blocks);
	if (stream.queue == NULL)
		err(EXIT_OWN_FAILURE, "allocate two blocks of %zu bytes",
		    opts.block_size);
	int status = opts.command == NULL ? run_filter(&stream)
					  : run_command(&stream, opts.command);
	bi_queue_destroy(stream.queue);
	return status;
}
