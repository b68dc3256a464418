// SPDX-License-Identifier: MIT
// Read standard input by libuv, as Julia and others do, and count what comes.
//
//	consume_uv [-tV] [-c cost] [-o report]
//
// libuv reads into a buffer of 64 KiB and calls back for each read. The
// callback looks for the lines and keeps busy for `cost` microseconds more,
// which is what a language does to wake the task that waits. With -t each line
// begins with the time at which it was written. What was counted (tally.h) goes
// to `report`. -V prints the version of libuv.

#include "clock.h"
#include "number.h"
#include "tally.h"

#include <err.h>
#include <stdio.h>
#include <unistd.h>
#include <uv.h>

struct consumer {
	struct tally tally;
	uint64_t cost_ns;
	char buffer[65536];
};

static void
check(int error, const char *what)
{
	if (error < 0)
		errx(1, "%s: %s", what, uv_strerror(error));
}

static void
lend_buffer(uv_handle_t *handle, size_t suggested_size, uv_buf_t *lent)
{
	struct consumer *consumer = handle->data;

	(void)suggested_size;
	*lent = uv_buf_init(consumer->buffer, sizeof(consumer->buffer));
}

static void
take(uv_stream_t *stream, ssize_t size, const uv_buf_t *lent)
{
	struct consumer *consumer = stream->data;

	if (size == UV_EOF) {
		uv_close((uv_handle_t *)stream, NULL);
		return;
	}
	check((int)size, "read");
	if (size == 0)
		return;
	tally_read(&consumer->tally, lent->base, (size_t)size);
	if (consumer->cost_ns > 0)
		spin_until(clock_ns() + consumer->cost_ns);
}

static void
consume(struct consumer *consumer)
{
	uv_loop_t loop;
	uv_pipe_t pipe;

	check(uv_loop_init(&loop), "loop");
	check(uv_pipe_init(&loop, &pipe, 0), "pipe");
	pipe.data = consumer;
	check(uv_pipe_open(&pipe, STDIN_FILENO), "open");
	check(uv_read_start((uv_stream_t *)&pipe, lend_buffer, take), "start");
	uv_run(&loop, UV_RUN_DEFAULT);
	check(uv_loop_close(&loop), "close");
}

int
main(int argc, char **argv)
{
	static struct consumer consumer;
	const char *report = NULL;
	int option;

	while ((option = getopt(argc, argv, "c:o:tV")) != -1) {
		switch (option) {
		case 'c':
			consumer.cost_ns = number(optarg) * 1000;
			break;
		case 'o':
			report = optarg;
			break;
		case 't':
			consumer.tally.stamped = true;
			break;
		case 'V':
			puts(uv_version_string());
			return 0;
		default:
			return 2;
		}
	}
	consume(&consumer);
	tally_report(&consumer.tally, report);
	return 0;
}
