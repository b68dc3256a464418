#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What makes it fast: pages that go straight from pipe to pipe, small writes that
# gather before they are read, pipes that hold more.

# $pid is helper.bash's; perl expands what is in single quotes.
# shellcheck disable=SC2016,SC2154

load helper

# More than a few writes from memory fail. What comes before the reader thread
# knows the output goes through memory in one or two.
without_copies() {
	env FAULTS=writev@1:5+1:EIO FAULTS_LOG="$PWD/made" \
		LD_PRELOAD="$TESTBIN/faulty.so" timeout 60 "$@"
}

# A consumer may be held up by other work for longer than it is usually waited
# for before memory is used, and what has begun to go through memory does so until
# that is full.
patient="--coalesce=10s -m 128K"

# shellcheck disable=SC2086 # $patient
@test "from pipe to pipe nothing is copied" {
	skip_if_sanitized tsan
	for size in 1000000 65536 1000; do
		without_copies "$B" $patient -- emit -c $size -n 20000000 |
			slurp -n 20000000
		[ "${PIPESTATUS[*]}" = "0 0" ]
		emit -c $size -n 20000000 | without_copies "$B" $patient |
			slurp -n 20000000
		[ "${PIPESTATUS[*]}" = "0 0 0" ]
	done
	[ ! -s made ]
}

# shellcheck disable=SC2086 # $patient
@test "through a FIFO nothing is copied" {
	skip_if_sanitized tsan
	without_copies "$B" $patient --fifo=fifo -- emit -n 20000000 &
	wait_for test -p fifo
	slurp -n 20000000 <fifo
	wait $!
	[ ! -s made ]
}

@test "--copy copies" {
	skip_if_sanitized tsan
	run ! without_copies "$B" --copy --coalesce=0 -- \
		emit -c 1000 -p 1000 -n 100000
	[ -s made ]
	env FAULTS=splice:1+1:EIO FAULTS_LOG="$PWD/spliced" \
		LD_PRELOAD="$TESTBIN/faulty.so" "$B" --copy -- emit -n 1000000 |
		slurp -n 1000000
	[ ! -s spliced ]
}

@test "outputs that are no pipes get everything" {
	"$B" -- emit -n 3000000 >file
	slurp -n 3000000 <file
	"$B" -- emit -n 1000000 >>file
	slurp -n 3000000 < <(head -c 3000000 file)
	slurp -n 1000000 < <(tail -c 1000000 file)
	emit -n 3000000 >in
	"$B" <in | slurp -n 3000000
	"$B" <in >file
	cmp in file
}

# The reads that a consumer of 20,000 lines, written one by one, has made.
reads() {
	emit -c 100 -n 2000000 | "$B" "$@" | slurp -l log -n 2000000
	wc -l <log
}

@test "small writes are gathered" {
	[ "$(reads)" -lt 300 ]
	[ "$(reads --copy)" -lt 300 ]
}

@test "a gathered line needs no other to follow" {
	for copy in "" --copy; do
		# shellcheck disable=SC2086
		coproc BUF { exec "$B" $copy 3>&-; }
		bibuf=$BUF_PID
		for i in {1..200}; do
			echo "$i" >&"${BUF[1]}"
			read -r -t 60 line <&"${BUF[0]}"
			[ "$line" = "$i" ]
		done
		input=${BUF[1]}
		exec {input}>&-
		reap "$bibuf"
		[ "$status" = 0 ]
	done
}

# Print the capacity of a pipe that is standard output.
capacity='print STDERR fcntl(STDOUT, 1032, 0)'	# F_GETPIPE_SZ

@test "both pipes hold more" {
	if [ "$(id -u)" != 0 ]; then
		skip "a user may have used up what there is"
	fi
	max=$(cat /proc/sys/fs/pipe-max-size)
	mkfifo pipe
	exec 5<>pipe
	old=$(perl -e "$capacity" 2>&1 >&5)
	while read -r option size; do
		exec 5<>pipe
		[ "$("$B" "$option" -- perl -e "$capacity" 2>&1 >pipe)" = "$size" ]
		[ "$(perl -e "$capacity" 2>&1 >&5)" = "$size" ]
		exec 5>&-
	done <<-EOT
		--pipe-size=keep $old
		--pipe-size=1 $old
		--pipe-size=128K 131072
		--pipe-size=200000 262144
		--pipe-size=max $max
		--copy $max
	EOT
}

@test "pipes of a page" {
	perl=$(command -v perl)
	mkfifo in out
	exec 5<>in 6<>out
	"$perl" -e 'fcntl(STDOUT, 1031, 4096)' >&5	# F_SETPIPE_SZ
	"$perl" -e 'fcntl(STDOUT, 1031, 4096)' >&6
	for options in "" --copy --coalesce=0 "-b 1000 -n 2"; do
		# shellcheck disable=SC2086
		start "$B" --pipe-size=keep $options <in >out 5>&- 6>&-
		bibuf=$pid
		start emit -c 350 -n 700000 >in 5>&- 6>&-
		exec 5>&-
		exec 7<out 6>&-
		slurp -r 5000 -n 700000 <&7
		reap "$bibuf"
		exec 5<>in 6<>out 7<&-
	done
}

@test "a capacity that cannot be had is no error" {
	for size in 1 2G 9T; do
		"$B" --pipe-size=$size -- emit -n 2000000 2>errors |
			slurp -n 2000000
		holds errors ""
	done
}
