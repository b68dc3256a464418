// SPDX-License-Identifier: MIT
// Print the signals that are blocked and those that are ignored at the start,
// "ready", and then each signal that comes: its name, who sent it, its value.
//
//	sigshow [-n count] [-x signal=status]...
//
// Without -n it never ends by itself; with -x it ends as soon as that signal
// comes. Every line is one write. What is ignored stays so, and the signals
// that stop a process do that, without being shown.

#include "number.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

// The name of a signal, in storage that the next call may use again.
static const char *
name(int signo)
{
	static char text[32];
	const char *known = sigabbrev_np(signo);

	if (known != NULL)
		return known;
	if (signo >= SIGRTMIN)
		snprintf(text, sizeof(text), "RTMIN+%d", signo - SIGRTMIN);
	else
		snprintf(text, sizeof(text), "%d", signo);
	return text;
}

static void
show_set(const char *title, const sigset_t *set)
{
	printf("%s", title);
	for (int signo = 1; signo <= SIGRTMAX; signo++)
		if (sigismember(set, signo) == 1)
			printf(" %s", name(signo));
	printf("\n");
}

static sigset_t
ignored(void)
{
	struct sigaction action;
	sigset_t set;

	sigemptyset(&set);
	for (int signo = 1; signo <= SIGRTMAX; signo++)
		if (sigaction(signo, NULL, &action) == 0 &&
		    action.sa_handler == SIG_IGN)
			sigaddset(&set, signo);
	return set;
}

// Block all that is to be shown, and show what there was before.
static sigset_t
prepare(void)
{
	sigset_t wanted, blocked;
	sigset_t unwanted = ignored();

	sigfillset(&wanted);
	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		sigdelset(&wanted, stops[i]);
	for (int signo = 1; signo <= SIGRTMAX; signo++)
		if (sigismember(&unwanted, signo) == 1)
			sigdelset(&wanted, signo);
	sigprocmask(SIG_BLOCK, &wanted, &blocked);
	show_set("blocked", &blocked);
	show_set("ignored", &unwanted);
	printf("ready\n");
	return wanted;
}

static void
show(const siginfo_t *info)
{
	const char *sender = info->si_code == SI_USER    ? "user"
			     : info->si_code == SI_QUEUE ? "queue"
			     : info->si_code > 0         ? "kernel"
							 : "other";
	int value = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;

	printf("%s %s %d\n", name(info->si_signo), sender, value);
}

// Note the status that goes with a signal, from "signal=status".
static void
set_status(int *statuses, const char *text)
{
	const char *equals = strchr(text, '=');

	for (int signo = 1; equals != NULL && signo <= SIGRTMAX; signo++) {
		size_t length = (size_t)(equals - text);
		if (strlen(name(signo)) == length &&
		    strncmp(name(signo), text, length) == 0) {
			statuses[signo] = (int)number(equals + 1);
			return;
		}
	}
	errx(2, "not a signal and a status: %s", text);
}

int
main(int argc, char **argv)
{
	int statuses[_NSIG];
	size_t count = SIZE_MAX;
	int option;

	memset(statuses, -1, sizeof(statuses));
	while ((option = getopt(argc, argv, "n:x:")) != -1) {
		switch (option) {
		case 'n':
			count = number(optarg);
			break;
		case 'x':
			set_status(statuses, optarg);
			break;
		default:
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	sigset_t wanted = prepare();
	while (count > 0) {
		siginfo_t info;
		int signo = sigwaitinfo(&wanted, &info);
		if (signo < 0)
			continue;
		show(&info);
		if (statuses[signo] >= 0)
			return statuses[signo];
		count--;
	}
	return 0;
}
