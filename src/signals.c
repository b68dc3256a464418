// SPDX-License-Identifier: MIT

#include "signals.h"

#include "fifo.h"
#include "fill.h"
#include "spawn.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

// What stands above the lock is set before the signal thread goes on from
// signals_adopt(), and its own from then on. The lock guards what the threads
// tell each other.
static struct {
	sigset_t handled;
	pid_t pid;
	struct bi_fill *fill;

	bool alive;              // written under the lock
	sigset_t early;          // came before the command was sure to be there
	sigset_t received;       // while the command was alive
	siginfo_t last;          // of those
	struct timespec last_at; // by CLOCK_MONOTONIC

	pthread_mutex_t lock;
	pthread_cond_t change;
	bool adopted;
	bool gone;
	int status;   // of waitpid(2)
	int fatal_to; // the signal that killed the command and has come to us
} self = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .change = PTHREAD_COND_INITIALIZER,
};

static const int left_alone[] = {
    // job control
    SIGTSTP,
    SIGTTIN,
    SIGTTOU,
    SIGCONT,
    // faults, and a limit that is each process's own
    SIGSEGV,
    SIGBUS,
    SIGFPE,
    SIGILL,
    SIGTRAP,
    SIGSYS,
    SIGXCPU,
};

static bool
is_ignored(int signo)
{
	struct sigaction action;

	return sigaction(signo, NULL, &action) == 0 &&
	       action.sa_handler == SIG_IGN;
}

void
signals_block(sigset_t *mask)
{
	sigset_t *handled = &self.handled;

	// A process that ignores SIGCHLD can not learn how its child ended.
	// POSIX lets exec reset it (exec, "SIGCHLD"), so the command sees
	// nothing unusual.
	if (is_ignored(SIGCHLD))
		signal(SIGCHLD, SIG_DFL);
	sigfillset(handled);
	for (size_t i = 0; i < sizeof(left_alone) / sizeof(*left_alone); i++)
		sigdelset(handled, left_alone[i]);
	for (int signo = 1; signo <= SIGRTMAX; signo++)
		if (is_ignored(signo))
			sigdelset(handled, signo);
	pthread_sigmask(SIG_BLOCK, handled, mask);
}

void
signals_block_sigpipe(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

// Signals that do nothing to a process that does not catch them (signal(7)),
// of those that are handled.
static bool
is_harmless(int signo)
{
	return signo == SIGCHLD || signo == SIGURG || signo == SIGWINCH;
}

// Has the terminal sent this signal, to the whole process group and so to the
// command? Not if that has left the group, as timeout(1) does.
static bool
from_terminal(const siginfo_t *info)
{
	// Rather twice than not at all.
	bool early = sigismember(&self.early, info->si_signo) == 1;
	sigdelset(&self.early, info->si_signo);
	if (early || info->si_code <= 0 || getpgid(self.pid) != getpgrp())
		return false;
	switch (info->si_signo) {
	case SIGINT:
	case SIGQUIT:
	case SIGWINCH:
		return true;
	case SIGHUP:
		// A hang-up goes to the controlling process alone (POSIX,
		// General Terminal Interface, "Modem Disconnect"); only when
		// that is gone do the others get theirs.
		return getsid(0) != getpid();
	default:
		return false;
	}
}

// Send the command what has come to us. Returns 0, or -1 with errno.
static int
send_on(const siginfo_t *info)
{
	if (info->si_code == SI_QUEUE &&
	    sigqueue(self.pid, info->si_signo, info->si_value) == 0)
		return 0;
	return kill(self.pid, info->si_signo);
}

// Have the signal act on the command or, if we may not send it, as with
// sudo(8), on ourselves as if there were none.
static void
pass_on(const siginfo_t *info)
{
	sigaddset(&self.received, info->si_signo);
	self.last = *info;
	clock_gettime(CLOCK_MONOTONIC, &self.last_at);
	if (!from_terminal(info) && send_on(info) != 0 && errno == EPERM &&
	    !is_harmless(info->si_signo))
		signals_die(info->si_signo);
}

// Is this the last signal once more? timeout(1) sends its signal to its child
// and at once to the whole group; if the command dies between the two, the
// second must not end us before the rest of its output is delivered.
static bool
is_repeated(const siginfo_t *info)
{
	struct timespec now;

	if (info->si_signo != self.last.si_signo || info->si_code != SI_USER ||
	    self.last.si_code != SI_USER || info->si_pid != self.last.si_pid)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - self.last_at.tv_sec <= 1;
}

// Has this signal come to us too? It may be pending still, as of several that
// are the one with the lowest number comes first (signal(7)).
static bool
has_come(int signo)
{
	const struct timespec now = {0};
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	if (sigismember(&self.handled, signo) == 1 &&
	    sigtimedwait(&set, &info, &now) == signo)
		sigaddset(&self.received, signo);
	return sigismember(&self.received, signo) == 1;
}

// The command is gone: leave word of it. If a signal that has come to us too
// has killed it, what it wrote is the last there is, and for a person at a
// terminal, who wants an end of it, even that is too much.
static void
bury(int status)
{
	int fatal_to = 0;

	self.alive = false;
	if (WIFSIGNALED(status) && has_come(WTERMSIG(status))) {
		fatal_to = WTERMSIG(status);
		if (isatty(STDOUT_FILENO))
			signals_die(fatal_to);
		bi_fill_finish(self.fill);
		if (!fifo_cancel())
			signals_die(fatal_to);
	}
	self.gone = true;
	self.status = status;
	self.fatal_to = fatal_to;
	pthread_cond_signal(&self.change);
}

// Wait for whoever has ended: the command, and what the first process of a
// container inherits, or whoever was before us in this process has left.
static void
reap(void)
{
	int status;
	pid_t pid;

	// Nobody else may signal a process number that is free again.
	pthread_mutex_lock(&self.lock);
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (self.alive && pid == self.pid)
			bury(status);
	pthread_mutex_unlock(&self.lock);
}

static void *
run(void *arg)
{
	pthread_mutex_lock(&self.lock);
	while (!self.adopted)
		pthread_cond_wait(&self.change, &self.lock);
	pthread_mutex_unlock(&self.lock);
	for (;;) {
		siginfo_t info;
		int signo = sigwaitinfo(&self.handled, &info);
		if (signo < 0)
			continue;
		if (signo == SIGCHLD) {
			reap();
		} else if (!self.alive) {
			if (!is_harmless(signo) && !is_repeated(&info))
				signals_die(signo);
		} else {
			pass_on(&info);
		}
	}
	return arg;
}

int
signals_start(struct bi_fill *fill)
{
	pthread_t thread;

	self.fill = fill;
	if (bi_thread_start(&thread, run, NULL) != 0)
		return -1;
	// It runs until the process ends.
	pthread_detach(thread);
	return 0;
}

void
signals_adopt(pid_t pid)
{
	pthread_mutex_lock(&self.lock);
	self.pid = pid;
	self.alive = pid != 0;
	self.adopted = true;
	sigpending(&self.early);
	pthread_mutex_unlock(&self.lock);
	pthread_cond_broadcast(&self.change);
}

void
signals_terminate(void)
{
	pthread_mutex_lock(&self.lock);
	if (self.alive)
		kill(self.pid, SIGTERM);
	pthread_mutex_unlock(&self.lock);
}

bool
signals_gone(void)
{
	pthread_mutex_lock(&self.lock);
	bool gone = self.gone;
	pthread_mutex_unlock(&self.lock);
	return gone;
}

int
signals_wait(void)
{
	pthread_mutex_lock(&self.lock);
	while (!self.gone)
		pthread_cond_wait(&self.change, &self.lock);
	int status = self.status;
	int fatal_to = self.fatal_to;
	pthread_mutex_unlock(&self.lock);
	if (fatal_to != 0)
		signals_die(fatal_to);
	return bi_spawn_status(status);
}

void
signals_die(int signo)
{
	sigset_t set;

	fifo_remove();
#ifdef __linux__
	// Unlike a limit of 0 it also holds where cores go to a program
	// (core(5)).
	prctl(PR_SET_DUMPABLE, 0);
#endif
	signal(signo, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signo);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(signo);
	// The first process of a PID namespace survives that
	// (pid_namespaces(7)).
	_exit(128 + signo);
}
