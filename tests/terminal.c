// SPDX-License-Identifier: MIT
// Run a command on a terminal of its own, with a shell's job control and
// somebody at the keyboard: whoever writes orders to standard input.
//
//	terminal [-blt] [-o screen] command [argument ...]
//
// The command is a job in the foreground; -b: in the background; -l: it is the
// leader of the session instead, as the first program on a terminal. -t: who
// writes to the terminal from the background is stopped (stty tostop). What
// the terminal shows goes to the file `screen`. Orders, one a line:
//
//	^C (or another)     press that key
//	type TEXT           press these, then return
//	fg, bg              resume the job there
//	size ROWS COLUMNS   change the size of the terminal
//	look away, look     let what is shown wait, and no longer
//	hangup              pull the plug
//
// Standard output tells what becomes of the command: "stopped N", "continued",
// "exited N" or "killed N". Then it ends, and at the end of the orders it kills
// the job.

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

struct terminal {
	int master;
	int slave;
	int screen;
	bool background;
	bool leads;
	bool tostop;
	bool looks_away;
	pid_t job;
};

static void
open_terminal(struct terminal *t)
{
	struct termios modes;

	t->master = posix_openpt(O_RDWR | O_NOCTTY);
	if (t->master < 0 || grantpt(t->master) != 0 ||
	    unlockpt(t->master) != 0)
		err(1, "open a terminal");
	t->slave = open(ptsname(t->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->slave < 0)
		err(1, "%s", ptsname(t->master));
	fcntl(t->master, F_SETFL, O_RDWR | O_NONBLOCK);
	fcntl(t->master, F_SETFD, FD_CLOEXEC);
	tcgetattr(t->slave, &modes);
	if (t->tostop)
		modes.c_lflag |= TOSTOP;
	tcsetattr(t->slave, TCSANOW, &modes);
}

// Become the leader of a session on the terminal.
static void
lead_session(const struct terminal *t)
{
	if (setsid() < 0 || ioctl(t->slave, TIOCSCTTY, 0) != 0)
		err(1, "take the terminal");
}

// Make the command a job, in the foreground if it is to be there. Both it and
// who starts it do this, as neither can know who is first.
static void
place_job(const struct terminal *t, pid_t job)
{
	setpgid(job, job);
	if (!t->background)
		tcsetpgrp(t->slave, job);
}

static _Noreturn void
become_command(const struct terminal *t, char **argv)
{
	sigset_t none;

	if (t->leads)
		lead_session(t);
	else
		place_job(t, getpid());
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(t->slave, fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

// The command begins with all signals at their defaults, so that no key is lost
// on it. Whoever gives away the terminal must not be stopped for that, nor be
// hit by keys in between.
static void
start(struct terminal *t, char **argv)
{
	sigset_t mask;

	for (int signo = 1; signo <= SIGRTMAX; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGTTOU);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (!t->leads)
		lead_session(t);
	t->job = fork();
	if (t->job < 0)
		err(1, "fork");
	if (t->job == 0)
		become_command(t, argv);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	if (!t->leads)
		place_job(t, t->job);
}

static void
press(const struct terminal *t, const char *keys, size_t count)
{
	if (write(t->master, keys, count) != (ssize_t)count)
		err(1, "type");
}

static void
obey(struct terminal *t, char *order)
{
	struct winsize size = {.ws_row = 0};

	if (order[0] == '^') {
		char key = (char)(order[1] & 0x1f);
		press(t, &key, 1);
	} else if (strncmp(order, "type ", 5) == 0) {
		press(t, order + 5, strlen(order + 5));
		press(t, "\r", 1);
	} else if (strcmp(order, "fg") == 0) {
		tcsetpgrp(t->slave, t->job);
		kill(-t->job, SIGCONT);
	} else if (strcmp(order, "bg") == 0) {
		tcsetpgrp(t->slave, getpid());
		kill(-t->job, SIGCONT);
	} else if (sscanf(order, "size %hu %hu", &size.ws_row, &size.ws_col) ==
		   2) {
		ioctl(t->master, TIOCSWINSZ, &size);
	} else if (strcmp(order, "look away") == 0) {
		t->looks_away = true;
	} else if (strcmp(order, "look") == 0) {
		t->looks_away = false;
	} else if (strcmp(order, "hangup") == 0) {
		close(t->master);
		t->master = -1;
	} else {
		errx(2, "not an order: %s", order);
	}
}

// Read orders, each of which comes with one write. Returns false at their end.
static bool
take_orders(struct terminal *t)
{
	char text[4096];
	char *rest;
	ssize_t n = read(STDIN_FILENO, text, sizeof(text) - 1);

	if (n <= 0)
		return false;
	text[n] = '\0';
	for (char *order = strtok_r(text, "\n", &rest); order != NULL;
	     order = strtok_r(NULL, "\n", &rest))
		obey(t, order);
	return true;
}

static void
copy_output(const struct terminal *t)
{
	char text[4096];
	ssize_t n;

	while (!t->looks_away && t->master >= 0 &&
	       (n = read(t->master, text, sizeof(text))) > 0)
		if (t->screen >= 0 && write(t->screen, text, (size_t)n) != n)
			err(1, "screen");
}

// Tell what has become of the job. Returns false when it has ended.
static bool
tell_changes(const struct terminal *t)
{
	int status;

	while (waitpid(t->job, &status, WNOHANG | WUNTRACED | WCONTINUED) > 0) {
		if (WIFSTOPPED(status)) {
			printf("stopped %d\n", WSTOPSIG(status));
		} else if (WIFCONTINUED(status)) {
			printf("continued\n");
		} else {
			copy_output(t);
			if (WIFEXITED(status))
				printf("exited %d\n", WEXITSTATUS(status));
			else
				printf("killed %d\n", WTERMSIG(status));
			return false;
		}
	}
	return true;
}

int
main(int argc, char **argv)
{
	struct terminal t = {.screen = -1};
	int option;

	while ((option = getopt(argc, argv, "+blo:t")) != -1) {
		switch (option) {
		case 'b':
			t.background = true;
			break;
		case 'l':
			t.leads = true;
			break;
		case 'o':
			t.screen = open(optarg,
			    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
			if (t.screen < 0)
				err(1, "%s", optarg);
			break;
		case 't':
			t.tostop = true;
			break;
		default:
			return 2;
		}
	}
	if (optind == argc)
		errx(2, "no command");
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	open_terminal(&t);
	start(&t, argv + optind);
	while (tell_changes(&t)) {
		struct pollfd fds[] = {
		    {.fd = STDIN_FILENO, .events = POLLIN},
		    {.fd = t.master, .events = POLLIN},
		};
		// Nobody tells poll(2) that the job has changed.
		poll(fds, t.looks_away ? 1 : 2, 10);
		copy_output(&t);
		if (fds[0].revents != 0 && !take_orders(&t)) {
			kill(t.leads ? t.job : -t.job, SIGKILL);
			return 1;
		}
	}
	return 0;
}
