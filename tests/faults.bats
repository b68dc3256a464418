#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Calls of the system that fail, are interrupted or do half of what was asked:
# nothing is lost, or the exit status and one line tell that something is.

# $status is set in each test, a subshell; $pid is helper.bash's.
# shellcheck disable=SC2030,SC2031,SC2154

load helper

setup() {
	helper_setup
	# A thread sanitizer has its own ways with calls, and with what is
	# loaded before it.
	skip_if_sanitized tsan
}

# The last command failed as bibuf does, and said so in one line.
failed() {
	echo "status $status, $(cat errors)"
	[ "$status" = 125 ]
	[ "$(wc -l <errors)" = 1 ]
	[ "$(cat errors)" = "bibuf: $1" ]
}

# The same with faults, into the file "out".
fails() {
	local faults=$1 message=$2

	shift 2
	status=0
	faulty "$faults" "$@" >out 2>errors || status=$?
	[ -s made ]
	failed "$message"
}

# Every `step`th call, of those that move bytes and those that wait, ends so.
all_calls() {
	local name faults=

	for name in read preadv2 readv write writev splice; do
		faults+=,$name:$1+$2:$3
	done
	echo "${faults#,}"
}

# A stream with pauses, so that each kind of call is made, goes through whole
# and silently in spite of the faults, from a command and through a filter:
# survives FAULTS [OPTION]
survives() {
	local total=${total:-300000} options="-b 4096 --coalesce=0 ${2-}"

	# shellcheck disable=SC2086
	faulty "$1" "$B" $options -- emit -c 3000 -p 100 -n "$total" 2>errors |
		slurp -r 5000 -n "$total"
	[ "${PIPESTATUS[*]}" = "0 0" ]
	[ -s made ]
	holds errors ""
	# shellcheck disable=SC2086
	emit -c 3000 -p 100 -n "$total" |
		faulty "$1" "$B" $options 2>errors | slurp -r 5000 -n "$total"
	[ "${PIPESTATUS[*]}" = "0 0 0" ]
	[ -s made ]
	holds errors ""
}

# The same from a file into a file.
survives_files() {
	emit -n 100000 >in
	faulty "$1" "$B" -b 4096 <in >out 2>errors
	cmp in out
	[ -s made ]
	holds errors ""
}

@test "A53: interrupted calls are made again" {
	survives "$(all_calls 1 2 EINTR),poll:1+2:EINTR,ppoll:1+2:EINTR"
	survives "$(all_calls 2 3 EINTR),poll:2+3:EINTR,ppoll:2+3:EINTR"
	survives_files "$(all_calls 1 2 EINTR)"
}

@test "an interrupted close is no error, and not repeated" {
	survives close:1+1:EINTR
}

@test "A01: calls that would block are made again when they would not" {
	survives "$(all_calls 1 2 EAGAIN)"
	survives "$(all_calls 2 3 EAGAIN)"
	survives_files "$(all_calls 1 2 EAGAIN)"
}

@test "A51: calls that move one byte only are followed by the rest" {
	total=20000
	survives "$(all_calls 1 1 short)"
	total=300000
	survives "$(all_calls 3 4 short)"
	survives_files "$(all_calls 3 4 short)"
}

@test "A51: calls that move half are followed by the rest" {
	survives "$(all_calls 1 1 half)"
}

@test "waiting for memory in poll is no error either" {
	survives poll:1+2:EAGAIN,ppoll:1+2:EAGAIN
}

@test "reading without waiting is not known to this system" {
	survives preadv2:1+1:ENOSYS --copy
	survives preadv2:1+1:EOPNOTSUPP --copy
	survives preadv2:3+1:EOPNOTSUPP --copy
}

@test "A49: splice that is refused at once: the bytes go another way" {
	needs_short_cut
	for error in EINVAL ENOSYS EPERM EIO; do
		faulty "splice:1+1:$error" "$B" -- emit -n 300000 |
			slurp -n 300000
		emit -n 300000 | faulty "splice:1+1:$error" "$B" |
			slurp -n 300000
	done
}

@test "A49: splice that fails later: the bytes go another way" {
	needs_short_cut
	for error in EINVAL ENOMEM EIO; do
		faulty "splice:3+1:$error" "$B" -- emit -c 1000 -n 300000 |
			slurp -n 300000
		emit -c 1000 -n 300000 | faulty "splice:3+1:$error" "$B" |
			slurp -n 300000
	done
}

@test "A48: the order of the bytes, whatever fails while ways are changed" {
	needs_short_cut
	skip_if_sanitized
	for faults in splice:3+7:EAGAIN splice:1+5:EINTR splice:2+3:short \
		splice:2+3:half writev:2+3:short,splice:5+4:half \
		writev:2+5:EAGAIN,splice:3+5:short \
		read:5+3:short,preadv2:5+3:half \
		ppoll:3+5:EINTR,poll:2+9:EAGAIN,splice:4+9:half; do
		FAULTS_PROGRAM=unit_order faulty "$faults" \
			"$TESTBIN/unit_order" 2000
		[ -s made ]
	done
}

# What the file got is the beginning of the stream.
holds_beginning() {
	slurp <"$1"
}

@test "A22: a write error: 125, one line, and the command is ended" {
	while read -r error text; do
		for nth in 1 2 5; do
			fails "write@1:$nth+1:$error,writev@1:$nth+1:$error" \
				"write standard output: $text" \
				"$B" -b 4096 -- sh -c 'echo $$ >pid; exec emit'
			holds_beginning out
			gone "$(cat pid)"
		done
	done <<-EOT
		ENOSPC No space left on device
		EIO Input/output error
		EFBIG File too large
	EOT
}

@test "A22: a write error of a filter: 125 and one line" {
	emit -n 1000000 >in
	fails write@1:2+1:ENOSPC,writev@1:2+1:ENOSPC \
		"write standard output: No space left on device" \
		"$B" -b 4096 <in
	holds_beginning out
	emit | fails write@1:2+1:EIO,writev@1:2+1:EIO \
		"write standard output: Input/output error" "$B"
	holds_beginning out
}

@test "A22: a write error in the last byte" {
	fails write@1:1+1:ENOSPC,writev@1:1+1:ENOSPC \
		"write standard output: No space left on device" \
		"$B" -- printf x
	holds out ""
}

@test "A51: a write that takes nothing does not go round for ever" {
	fails write@1:2+1:zero,writev@1:2+1:zero \
		"write standard output: No space left on device" "$B" -- emit
	holds_beginning out
}

@test "A24: a write error counts for more than the command's status" {
	for code in 0 3; do
		fails write@1:1+1:EIO,writev@1:1+1:EIO \
			"write standard output: Input/output error" \
			"$B" -- sh -c "echo x; exit $code"
	done
}

@test "an error told at the end, by close: 125 and one line" {
	fails close@1:1:ENOSPC \
		"write standard output: No space left on device" \
		"$B" -- printf abc
	fails close@1:1:EIO "write standard output: Input/output error" \
		"$B" -- printf abc
	printf abc | fails close@1:1:EDQUOT \
		"write standard output: Disk quota exceeded" "$B"
}

@test "a read error of a filter: what came before it, then 125" {
	emit -n 100000 >in
	fails read@0:3:EIO "read standard input: Input/output error" \
		"$B" -b 4096 <in
	slurp -n 8192 <out
	fails read@0:1:EIO "read standard input: Input/output error" "$B" <in
	holds out ""
}

@test "a read error of a filter on a pipe: the beginning, then 125" {
	emit | fails preadv2@0:4+1:EIO,read@0:1+1:EIO \
		"read standard input: Input/output error" "$B" -b 4096
	holds_beginning out
}

@test "a read error of the command's output: the beginning, then 125" {
	fails preadv2:4+1:EIO,read:3+1:EIO \
		"read the output of the command: Input/output error" \
		"$B" -b 4096 -- emit
	holds_beginning out
}

@test "poll that fails is a read error" {
	mkfifo in
	exec 5<>in
	fails poll:1+1:ENOMEM,ppoll:1+1:ENOMEM \
		"read standard input: Cannot allocate memory" "$B" <in 5>&-
}

@test "no thread can be had: 125 and nothing is left behind" {
	for nth in 1 2; do
		status=0
		faulty pthread_create:$nth:EAGAIN "$B" -- emit \
			>out 2>errors || status=$?
		[ -s made ]
		[ "$status" = 125 ]
		[ "$(wc -l <errors)" = 1 ]
		grep -q "thread: Resource temporarily unavailable" errors
		run left_behind
		[ "$output" = "" ]
	done
	emit -n 10 | fails pthread_create:1:EAGAIN \
		"start the reader thread: Resource temporarily unavailable" \
		"$B"
	holds out ""
}

@test "no pipe can be had: 125 and nothing is started" {
	for nth in 1 2; do
		status=0
		faulty pipe2:$nth:EMFILE "$B" -- touch started \
			>out 2>errors || status=$?
		[ -s made ]
		[ "$status" = 125 ]
		[ "$(wc -l <errors)" = 1 ]
		[ ! -e started ]
	done
}

@test "no process can be had: 125, as it is not the command's fault" {
	fails posix_spawn:1+1:EAGAIN \
		"touch: Resource temporarily unavailable" "$B" -- touch started
	fails posix_spawn:1+1:ENOMEM \
		"touch: Cannot allocate memory" "$B" -- touch started
	[ ! -e started ]
}

@test "few descriptors: it works, or it is 125 before anything starts" {
	skip_if_sanitized
	for limit in 4 5 6 7 8 9 10 16; do
		status=0
		(
			ulimit -n "$limit"
			exec "$B" -- emit -n 1000
		) >out 2>errors 3>&- || status=$?
		echo "limit $limit: $status, $(cat errors)"
		if [ "$status" = 0 ]; then
			slurp -n 1000 <out
			holds errors ""
		else
			[ "$status" = 125 ]
			[ "$(wc -l <errors)" = 1 ]
			holds out ""
		fi
	done
	[ "$status" = 0 ]
}

# What becomes of a stream when an allocation fails: all of it, or 125.
all_or_failure() {
	local call=$1 nth

	shift
	for ((nth = 1; nth <= 30; nth++)); do
		status=0
		faulty "$call:$nth:ENOMEM" "$B" "$@" -- emit -n 30000 \
			>out 2>errors || status=$?
		echo "$call $nth: $status, $(cat errors)"
		case $status in
		0) slurp -n 30000 <out ;;
		*)
			[ "$status" = 125 ]
			[ "$(wc -l <errors)" = 1 ]
			;;
		esac
		# There are no more of these calls.
		[ -s made ] || break
	done
	[ "$nth" -gt 2 ]
	[ "$status" = 0 ]
}

@test "whichever allocation fails: everything arrives or it is 125" {
	skip_if_sanitized
	all_or_failure malloc -b 4096
	all_or_failure mmap -b 200000
}

# The consumer starts when the queue has got all the memory there is.
late_consumer() {
	mkfifo pipe
	exec 5<>pipe
	start env FAULTS="$1" FAULTS_LOG="$PWD/made" \
		LD_PRELOAD="$TESTBIN/faulty.so" "$B" -b "$2" -- \
		emit -n 5000000 >pipe 2>errors 5>&-
	wait_for test -s made
	slurp -a 5000000 <&5
	reap "$pid"
	[ "$status" = 0 ]
	holds errors ""
}

@test "no memory in mid-stream is only back-pressure" {
	skip_if_sanitized
	late_consumer "malloc@10000:3+1:ENOMEM" 10000
}

@test "no mapped memory in mid-stream is only back-pressure" {
	skip_if_sanitized
	late_consumer "mmap@200000:3+1:ENOMEM" 200000
}

@test "no memory for the first two blocks: 125 and nothing is started" {
	skip_if_sanitized
	for nth in 1 2; do
		fails mmap@200000:$nth:ENOMEM \
			"allocate two blocks of 200000 bytes: Cannot allocate memory" \
			"$B" -b 200000 -- touch started
		fails malloc@10000:$nth:ENOMEM \
			"allocate two blocks of 10000 bytes: Cannot allocate memory" \
			"$B" -b 10000 -- touch started
	done
	[ ! -e started ]
}

@test "A21: one byte for a full device" {
	status=0
	"$B" -- printf x >/dev/full 2>errors || status=$?
	failed "write standard output: No space left on device"
	status=0
	printf x | "$B" >/dev/full 2>errors || status=$?
	failed "write standard output: No space left on device"
}

@test "A21: a lot for a full device" {
	status=0
	"$B" -- emit >/dev/full 2>errors || status=$?
	failed "write standard output: No space left on device"
	status=0
	emit | "$B" >/dev/full 2>errors || status=$?
	failed "write standard output: No space left on device"
}

@test "A21: nothing for a full device is no error" {
	"$B" -- true >/dev/full 2>errors
	"$B" </dev/null >/dev/full 2>>errors
	holds errors ""
}

@test "A24: a full device counts for more than the command's status" {
	for code in 0 3; do
		status=0
		"$B" -- sh -c "echo x; exit $code" >/dev/full 2>errors ||
			status=$?
		failed "write standard output: No space left on device"
	done
}

@test "A22: a file that may grow no more" {
	status=0
	(
		ulimit -f 100
		trap '' XFSZ
		exec timeout 60 "$B" -- emit
	) >out 2>errors || status=$?
	failed "write standard output: File too large"
	holds_beginning out
	status=0
	emit | (
		ulimit -f 100
		trap '' XFSZ
		exec timeout 60 "$B"
	) >out 2>errors || status=$?
	failed "write standard output: File too large"
	holds_beginning out
}

@test "A22: a file that may grow no more, when that brings a signal" {
	status=0
	(
		ulimit -f 100 -c 0
		exec timeout 60 "$B" -- emit
	) >out 2>errors || status=$?
	echo "status $status"
	# SIGXFSZ is 25.
	[ "$status" = 125 ] || [ "$status" = 153 ]
	holds_beginning out
	run left_behind
	[ "$output" = "" ]
}

@test "A23: errors that cannot be told change no status" {
	status=0
	"$B" -- no-such-command 2>/dev/full || status=$?
	[ "$status" = 127 ]
	status=0
	"$B" -- no-such-command 2>&- || status=$?
	[ "$status" = 127 ]
	status=0
	"$B" --no-such-option 2>/dev/full || status=$?
	[ "$status" = 125 ]
	status=0
	"$B" -- echo x >/dev/full 2>/dev/full || status=$?
	[ "$status" = 125 ]
	status=0
	"$B" -- echo x >/dev/full 2>&- || status=$?
	[ "$status" = 125 ]
}

@test "help and version for a full device: 125" {
	for option in -h -V; do
		status=0
		"$B" $option >/dev/full 2>errors || status=$?
		failed "write standard output: No space left on device"
	done
}

@test "a directory as input" {
	mkdir dir
	status=0
	"$B" <dir >out 2>errors || status=$?
	failed "read standard input: Is a directory"
	holds out ""
}

@test "a socket that was reset has lost its reader, quietly" {
	status=0
	faulty writev@1:1:ECONNRESET "$B" -- echo text >out 2>errors ||
		status=$?
	[ -s made ]
	[ "$status" = 141 ]
	holds errors ""
}
