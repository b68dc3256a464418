#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A103, A104: where a sandbox refuses a call that bibuf can do without, everything
# works all the same. Which these are is listed at the top of src/io.h.

# $pid is helper.bash's, and $refused is several words.
# shellcheck disable=SC2030,SC2031,SC2086,SC2154

load helper

setup() {
	helper_setup
	skip_if_sanitized
	refuse splice ENOSYS || skip "no filters of system calls"
	mapfile -t calls < <(optional_calls)
	unset XDG_RUNTIME_DIR
}

# Print the calls of the list, each with what narrows it down.
optional_calls() {
	sed -nE 's|^//   ([a-z0-9_]+( [A-Z_]+)?)  .*|\1|p' \
		"$BATS_TEST_DIRNAME/../src/io.h"
}

# Do something with each call refused in each way, of which $refused tells.
each_refusal() {
	local call error

	for call in "${calls[@]}"; do
		for error in ENOSYS EPERM EACCES EINVAL EOPNOTSUPP; do
			echo "$call $error"
			refused="refuse $call $error"
			"$@"
		done
	done
}

@test "the list of what is optional is there" {
	[ "${#calls[@]}" -ge 12 ]
	printf '%s\n' "${calls[@]}" | grep -qx splice
	printf '%s\n' "${calls[@]}" | grep -qx "fcntl F_SETPIPE_SZ"
}

filters() {
	emit -c 30000 -n 300000 | $refused "$B" $1 2>errors | slurp -n 300000
	[ "${PIPESTATUS[*]}" = "0 0 0" ]
	holds errors ""
}

@test "a filter" {
	each_refusal filters
	each_refusal filters --copy
}

# The command is looked for in two places that have not got it.
runs() {
	PATH=/nowhere:$BATS_TEST_TMPDIR:$PATH \
		$refused "$B" $1 -- emit -c 30000 -n 300000 2>errors |
		slurp -n 300000
	[ "${PIPESTATUS[*]}" = "0 0" ]
	holds errors ""
}

@test "a command" {
	each_refusal runs
	each_refusal runs --copy
}

fails_as_ever() {
	local status=0

	$refused "$B" -- no-such-command 2>errors || status=$?
	[ "$status" = 127 ]
	status=0
	$refused "$B" -- /etc/passwd 2>errors || status=$?
	[ "$status" = 126 ]
	status=0
	$refused "$B" -- sh -c 'kill -TERM $$' 2>errors || status=$?
	[ "$status" = 143 ]
}

@test "a command that fails" {
	each_refusal fails_as_ever
}

# Bytes that the reader leaves behind, in memory or in the command's pipe.
loses() {
	$refused "$B" -- head -c 3000000 /dev/zero 2>errors | head -c 1 >/dev/null
	[ "${PIPESTATUS[0]}" = 141 ]
	holds errors ""
}

@test "a loss is told" {
	each_refusal loses
}

serves() {
	exec 6< <(exec timeout 60 $refused "$B" --fifo -- \
		emit -c 30000 -n 300000 3>&-)
	pid=$!
	read -r -t 60 -u 6 path
	slurp -n 300000 <"$path"
	reap "$pid"
	[ "$status" = 0 ]
	[ ! -e "$path" ]
}

@test "a FIFO" {
	each_refusal serves
}

serves_nobody() {
	exec 6< <(exec env --default-signal $refused "$B" --fifo -- sleep 60 3>&-)
	pid=$!
	read -r -t 60 -u 6 path
	kill -TERM "$pid"
	reap "$pid"
	[ "$status" = 143 ]
	[ ! -e "$path" ]
}

@test "a FIFO that nobody opens" {
	each_refusal serves_nobody
}
