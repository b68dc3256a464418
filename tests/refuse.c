// SPDX-License-Identifier: MIT
// Run a command in a sandbox that refuses a system call, as an old filter of a
// container does with what it does not know (seccomp(2)).
//
//	refuse call [what] errno command [argument ...]
//
//	refuse fcntl F_SETPIPE_SZ EPERM cat
//
// `what` narrows the call down, as in the list of optional calls in io.h.
// Without a command nothing is done but to see whether this system can do it:
// status 77 if not.

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// A call, and which of its arguments has to have which bits, if any.
static const struct call {
	const char *name;
	const char *what;
	uint32_t number;
	uint32_t argument;
	uint32_t mask;
	uint32_t value;
} calls[] = {
    {"fcntl", "F_DUPFD_CLOEXEC", SYS_fcntl, 1, ~0U, F_DUPFD_CLOEXEC},
    {"fcntl", "F_GETPIPE_SZ", SYS_fcntl, 1, ~0U, F_GETPIPE_SZ},
    {"fcntl", "F_SETPIPE_SZ", SYS_fcntl, 1, ~0U, F_SETPIPE_SZ},
    {"fstatfs", "", SYS_fstatfs, 0, 0, 0},
    {"getdents64", "", SYS_getdents64, 0, 0, 0},
    {"ioctl", "FIONREAD", SYS_ioctl, 1, ~0U, FIONREAD},
    {"kill", "", SYS_kill, 0, 0, 0},
    {"openat", "O_PATH", SYS_openat, 2, O_PATH, O_PATH},
    {"ppoll", "", SYS_ppoll, 0, 0, 0},
    {"prctl", "", SYS_prctl, 0, 0, 0},
    {"preadv2", "", SYS_preadv2, 0, 0, 0},
    {"prlimit64", "", SYS_prlimit64, 0, 0, 0},
    {"rt_sigqueueinfo", "", SYS_rt_sigqueueinfo, 0, 0, 0},
    {"tee", "", SYS_tee, 0, 0, 0},
    {"splice", "", SYS_splice, 0, 0, 0},
};

// What a filter loads of an argument: its lower half.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOWER_HALF 0
#else
#define LOWER_HALF 4
#endif

static const struct call *
find_call(const char *name, const char *what)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(calls[i].name, name) == 0 &&
		    strcmp(calls[i].what, what) == 0)
			return &calls[i];
	errx(2, "this call is not known here: %s %s", name, what);
}

static uint32_t
find_error(const char *name)
{
	for (int error = 1; error < 256; error++) {
		const char *known = strerrorname_np(error);
		if (known != NULL && strcmp(known, name) == 0)
			return (uint32_t)error;
	}
	errx(2, "no such error: %s", name);
}

static int
refuse(const struct call *call, uint32_t error)
{
	const uint32_t argument =
	    (uint32_t)offsetof(struct seccomp_data, args) +
	    call->argument * (uint32_t)sizeof(uint64_t) + LOWER_HALF;
	struct sock_filter filter[] = {
	    BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, 4),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument),
	    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, call->mask),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->value, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
	    .len = sizeof(filter) / sizeof(*filter),
	    .filter = filter,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int
main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: refuse call [what] errno [command ...]");
	// An error has a name with E, a flag has none.
	int has_what = argv[2][0] != 'E';
	if (argc < 3 + has_what)
		errx(2, "no error");
	const struct call *call = find_call(argv[1], has_what ? argv[2] : "");
	uint32_t error = find_error(argv[2 + has_what]);
	if (refuse(call, error) != 0)
		err(77, "seccomp");
	argv += 3 + has_what;
	if (*argv == NULL)
		return 0;
	execvp(*argv, argv);
	err(127, "%s", *argv);
}
