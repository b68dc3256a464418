# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What all bats files share. Each test runs in an empty directory of its own,
# and whatever process it leaves behind is ended with it.
#
#	$B          the bibuf under test
#	$TESTBIN    the directory of the test programs
#
# Both have values when a file is run by hand, as `bats tests/content.bats`.

bats_require_minimum_version 1.5.0

: "${BIBUF:=$BATS_TEST_DIRNAME/../build/bibuf}"
: "${TESTBIN:=$BATS_TEST_DIRNAME/../build/tests}"
B=$BIBUF
PATH=$TESTBIN:$PATH
export B TESTBIN

# A file with a setup() or teardown() of its own calls these from them.
helper_setup() {
	cd "$BATS_TEST_TMPDIR" || return
	# Processes are known by this, also those that have lost their parent.
	export BIBUF_TEST=$BATS_TEST_TMPDIR
	export LC_ALL=C
	# Sanitizers: a module may be loaded before one, and there is no need to
	# sleep for a second at each end (sanitizer flags, atexit_sleep_ms).
	export ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS-}
	export TSAN_OPTIONS=atexit_sleep_ms=0:${TSAN_OPTIONS-}
}

helper_teardown() {
	local pid

	# The shell is not to report their ends.
	disown -a
	for pid in $(left_behind); do
		kill -KILL "$pid" 2>/dev/null || :
	done
}

setup() {
	helper_setup
}

teardown() {
	helper_teardown
}

# Print the processes that descend from this test. /proc/PID/environ is what a
# process was started with, so the shell that runs the test is not among them.
left_behind() {
	local file

	env -u BIBUF_TEST grep -lsxzF "BIBUF_TEST=$BATS_TEST_TMPDIR" \
		/proc/[0-9]*/environ |
		while IFS=/ read -r _ _ file _; do
			echo "$file"
		done
}

# Poll until a condition holds: wait_for COMMAND [ARG...]. Fails after a minute.
wait_for() {
	local end=$((SECONDS + 60))

	until "$@"; do
		if ((SECONDS > end)); then
			echo "waited in vain for: $*"
			return 1
		fi
		sleep 0.005
	done
}

# Run a program in the background: its process is $pid, its standard input that
# of the caller. A shell lets background programs ignore SIGINT and SIGQUIT
# (POSIX, Shell Command Language, 2.11); here they do not.
start() {
	env --default-signal=INT,QUIT "$@" <&0 3>&- &
	pid=$!
}

# Wait for the end of what was started; its exit status is in $status then.
reap() {
	status=0
	# shellcheck disable=SC2034 # for the caller
	wait "$1" || status=$?
}

# Print the state of a process: R, S, D, T (stopped), Z; nothing if there is none.
state() {
	local stat

	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	stat=${stat##*) }
	echo "${stat%% *}"
}

# Is the process at its end, reaped or not?
gone() {
	case $(state "$1") in
	"" | Z | X) ;;
	*) false ;;
	esac
}

# Is every thread of the process waiting for something?
asleep() {
	local stat

	for stat in "/proc/$1/task/"*/stat; do
		{ read -r stat <"$stat"; } 2>/dev/null || return
		stat=${stat##*) }
		[ "${stat%% *}" = S ] || return
	done
}

stopped() {
	[ "$(state "$1")" = T ]
}

# Run a command so that calls of bibuf fail (faulty.c); the file "made" has a
# line for each failure made.
faulty() {
	local faults=$1

	shift
	rm -f made
	env FAULTS="$faults" FAULTS_LOG="$PWD/made" \
		LD_PRELOAD="$TESTBIN/faulty.so" timeout 60 "$@"
}

# How many bytes a file holds.
size() {
	stat -Lc %s "$1"
}

# Does the file hold exactly this text?
holds() {
	[ "$(cat "$1")" = "$2" ]
}

# A field of /proc/PID/status without its unit: status_of PID VmHWM
status_of() {
	local name value

	while read -r name value _; do
		if [ "$name" = "$2:" ]; then
			echo "$value"
			return
		fi
	done <"/proc/$1/status"
	return 1
}

# For tests of what a sanitizer changes: memory, descriptors, failing calls.
skip_if_sanitized() {
	if grep -qaE "__(${1:-asan|tsan})_init" "${BIBUF_ITSELF:-$B}"; then
		skip "built with a sanitizer"
	fi
}

# For tests of the short cut, which are of no use where bibuf only copies.
needs_short_cut() {
	[ -z "${BIBUF_ITSELF-}" ] || skip "with --copy"
}
