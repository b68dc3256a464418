#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What makes it fast: pages that go straight from pipe to pipe, small writes that
# gather before they are read, pipes that hold more.

# $pid is helper.bash's; perl expands what is in single quotes.
# shellcheck disable=SC2016,SC2154

load helper
load process

# More than some writes from memory fail. What comes before the reader thread knows
# the output goes through memory, and so does what comes while the consumer is held
# up by other work. All of 20 MB would take more than 150 writes of the memory.
without_copies() {
	faulty writev@1:80+1:EIO "$@"
}

# What has begun to go through memory does so until that is full.
patient="-m 128K"

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
		emit -c 1000 -p 1000 -n 400000
	[ -s made ]
	faulty splice:1+1:EIO "$B" --copy -- emit -n 1000000 |
		slurp -n 1000000
	[ ! -s made ]
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

@test "the pipes of a stream that needs it hold more" {
	if [ "$(id -u)" != 0 ]; then
		skip "a user may have used up what there is"
	fi
	max=$(cat /proc/sys/fs/pipe-max-size)
	mkfifo pipe gate
	exec 5<>pipe
	old=$(perl -e "$capacity" 2>&1 >&5)
	while read -r option size; do
		for copy in "" --copy; do
			exec 5<>pipe
			# shellcheck disable=SC2086
			start "$B" $copy "$option" -- sh -c "emit -n 9000000
				perl -e '$capacity' 2>in; read -r _ <gate" >pipe
			slurp -a 9000000 -d 100 <&5
			wait_for filled in
			out=$(perl -e "$capacity" 2>&1 >&5)
			echo >gate
			reap "$pid"
			echo "$option $copy: $(cat in) $out"
			[ "$(cat in)" = "$size" ]
			[ "$out" = "$size" ]
			exec 5>&-
			rm in
		done
	done <<-EOT
		--pipe-size=keep $old
		--pipe-size=1 $old
		--pipe-size=128K 131072
		--pipe-size=200000 262144
		--pipe-size=max $max
	EOT
}

@test "A110: those of one that is silent, or slow, do not" {
	mkfifo pipe in
	exec 5<>pipe 6<>in
	old=$(perl -e "$capacity" 2>&1 >&5)
	start "$B" <in >pipe 5>&- 6>&-
	for ((i = 0; i < 50; i++)); do
		echo "a line of text" >&6
		read -r _ <&5
	done
	wait_for asleep "$pid"
	[ "$(perl -e "$capacity" 2>&1 >&5)" = "$old" ]
	[ "$(perl -e "$capacity" 2>&1 >&6)" = "$old" ]
}

@test "A110: where there is no more to be had it is asked for once" {
	skip_if_sanitized
	fault=fcntl@1031:1+1:EPERM	# F_SETPIPE_SZ
	for options in "" --copy; do
		# shellcheck disable=SC2086
		faulty $fault "$B" $options -- emit -n 20000000 | slurp -n 20000000
		has_lines made 1
		# shellcheck disable=SC2086
		emit -c 300 -n 5000000 | faulty $fault "$B" $options |
			slurp -n 5000000
		has_lines made 1
	done
}

# Run a command with a pipe in packet mode as its input, its output, or both.
packets='import os, subprocess, sys
ends = []
def packet_pipe():
    r, w = os.pipe2(os.O_DIRECT)
    return r, w
mode, size, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
r, w = packet_pipe() if "i" in mode else os.pipe()
s, v = packet_pipe() if "o" in mode else os.pipe()
os.set_inheritable(r, False)
child = subprocess.Popen(command, stdin=r, stdout=v)
os.close(r)
os.close(v)
if os.fork() == 0:
    os.close(s)
    for i in range(1000):
        os.write(w, b"%0999d\n" % i)
    os._exit(0)
os.close(w)
got = b""
while part := os.read(s, size):
    got += part
assert got == b"".join(b"%0999d\n" % i for i in range(1000)), len(got)
assert child.wait() == 0'

@test "pipes in packet mode" {
	for options in "" --copy "-b 7 -n 2" --coalesce=0; do
		# shellcheck disable=SC2086
		timeout 60 python3 -c "$packets" i 100 "$B" $options
		# shellcheck disable=SC2086
		timeout 60 python3 -c "$packets" o 5000 "$B" $options
		# shellcheck disable=SC2086
		timeout 60 python3 -c "$packets" io 5000 "$B" $options
	done
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

# Run a command and print how many calls of a kind bibuf makes.
count_calls() {
	local call=$1

	shift
	faulty "$call:1+1:none" "$@"
	wc -l <made >count
}

@test "what is buffered in vain is not buffered for good" {
	skip_if_sanitized
	needs_short_cut
	# The consumer is slower all along. 40 MB in writes of 256 KiB would be
	# more than 150 of them.
	count_calls writev "$B" -m 256K --pipe-size=128K --coalesce=0.1ms -- \
		emit -n 40000000 | slurp -d 200 -n 40000000
	echo "$(cat count) writes"
	[ "$(cat count)" -le 40 ]
}

@test "short rests need a fine clock" {
	skip_if_sanitized
	# PR_SET_TIMERSLACK
	count_calls prctl@29 "$B" -- true
	[ "$(cat count)" = 1 ]
}

@test "memory is used again where others write to the output, too" {
	skip_if_sanitized
	mkfifo pipe gate
	exec 5<>pipe
	start "$B" -m 1M -- sh -c "emit -n 9000000; read -r _ <gate
		echo >&2; exec emit -n 1000000" >pipe 2>&1 5>&-
	slurp -r 10000 -d 100 -a 9000000 <&5
	wait_for asleep "$pid"
	echo >gate
	read -r line <&5
	[ "$line" = "" ]
	# It ends though nobody reads: what the pipes do not hold is in memory.
	wait_for childless "$pid"
	slurp -r 10000 -n 1000000 < <(head -c 1000000 <&5)
	reap "$pid"
	[ "$status" = 0 ]
}
