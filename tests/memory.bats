#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Memory is bounded, taken when it is needed and given back when it is not, and
# waiting costs no processor time.

# Another shell expands what is quoted; $pid and $status are helper.bash's,
# $stderr is set by bats, each in a subshell.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

load helper
load process

# What bibuf takes besides its blocks, in KiB: the promise.
CONSTANT=4096

setup() {
	helper_setup
	mkfifo feed gate pipe
}

# Start bibuf on an endless command, with a consumer that is there (descriptor
# 5) and does not read.
start_unread() {
	exec 5<>pipe
	start "$B" "$@" >pipe 5>&-
}

# Has the process so many KiB resident, at least?
resident() {
	(($(status_of "$1" VmRSS) >= $2))
}

# Has the process so many KiB at most?
resident_most() {
	(($(status_of "$1" VmRSS) <= $2))
}

# The most it has ever had was so many KiB of blocks and the constant.
peak_within() {
	local peak

	peak=$(status_of "$1" VmHWM)
	echo "peak of $peak KiB, blocks of $2"
	((peak <= $2 + CONSTANT))
}

# How far the process has read its standard input, a file.
position() {
	local name value

	while read -r name value; do
		[ "$name" != pos: ] || echo "$value"
	done <"/proc/$1/fdinfo/0"
}

# Options, and the KiB of blocks they allow.
sizes=(
	"--blocks=16 16384"
	"--block-size=4096 64"
	"-b4096 -n2000 8000"
	"-b100000 -n30 2930"
	"-b3M -n2 6144"
	"-m8M 8192"
	"--memory=64K 64"
	"-m5M -n2 5120"
)

@test "A77: a producer is stopped when the consumer does not read" {
	skip_if_sanitized
	truncate -s 1G in
	for size in "${sizes[@]}"; do
		options=${size% *} most=${size##* }
		exec 5<>pipe 6<>feed
		start cat <in >feed 5>&- 6>&-
		producer=$pid
		# shellcheck disable=SC2086
		start "$B" $options <feed >pipe 5>&- 6>&-
		exec 6>&-
		echo "$options"
		wait_for resident "$pid" "$most"
		wait_for asleep "$pid"
		wait_for asleep "$producer"
		peak_within "$pid" "$most"
		(($(position "$producer") <= (most + CONSTANT) * 1024))
		# It goes on as far as there is room, and stops again.
		head -c 100000 <&5 >/dev/null
		wait_for asleep "$pid"
		peak_within "$pid" "$most"
		kill "$pid"
		reap "$pid"
		[ "$status" = 143 ]
		reap "$producer"
		[ "$status" = 141 ]
	done
}

@test "A77: a command is stopped when the consumer does not read" {
	skip_if_sanitized
	for size in "${sizes[@]}"; do
		options=${size% *} most=${size##* }
		# shellcheck disable=SC2086
		start_unread $options -- emit
		echo "$options"
		wait_for resident "$pid" "$most"
		wait_for asleep "$pid"
		peak_within "$pid" "$most"
		exec 5>&-
		reap "$pid"
		[ "$status" = 141 ]
	done
}

@test "A77: the bound holds all along a stream" {
	skip_if_sanitized
	(slurp -d 100 -n 40000000 <pipe && touch right) 3>&- &
	start "$B" -b 100000 -n 20 -- \
		sh -c 'emit -n 40000000; touch written; read -r _ <gate' >pipe
	wait_for test -e written
	peak_within "$pid" 1954
	echo >gate
	reap "$pid"
	[ "$status" = 0 ]
	wait_for test -e right
}

@test "a command that writes nothing: 4 MiB at most" {
	skip_if_sanitized
	start_unread -- sh -c 'touch started; read -r _ <gate'
	wait_for test -e started
	wait_for asleep "$pid"
	peak_within "$pid" 0
}

@test "memory that is allowed but not needed is not taken" {
	skip_if_sanitized
	for options in "-b 200M -n 2" "-m 100G" "-n 1000000"; do
		# shellcheck disable=SC2086
		start_unread $options -- sh -c 'echo x; read -r _ <gate'
		read -r line <&5
		[ "$line" = x ]
		wait_for asleep "$pid"
		peak_within "$pid" 0
		echo >gate
		reap "$pid"
	done
}

@test "4 MiB do for a consumer that keeps up" {
	skip_if_sanitized
	coproc BUF { exec "$B" -- cat 3>&-; }
	for ((i = 0; i < 60; i++)); do
		head -c 65536 /dev/zero >&"${BUF[1]}"
		head -c 65536 <&"${BUF[0]}" >/dev/null
	done
	peak_within "$BUF_PID" 0
}

@test "memory is given back when it is drained" {
	skip_if_sanitized
	start_unread -n 40 -- sh -c 'emit -n 40000000; read -r _ <gate'
	wait_for resident "$pid" 38000
	slurp -a 40000000 <&5
	# The blocks it keeps are the double buffer and the one it works in.
	wait_for resident_most "$pid" $((3 * 1024 + CONSTANT))
	echo >gate
	reap "$pid"
	[ "$status" = 0 ]
}

@test "it can be taken and given back again" {
	skip_if_sanitized
	start_unread -n 20 -- sh -c 'while read -r bytes <gate; do
		emit -n "$bytes"
	done'
	exec 6>gate
	for _ in 1 2 3; do
		echo 20000000 >&6
		wait_for resident "$pid" 18000
		slurp -a 20000000 -r 20000 <&5
		wait_for resident_most "$pid" $((3 * 1024 + CONSTANT))
	done
	peak_within "$pid" 20480
	exec 6>&-
}

@test "A41: blocks that cannot be had: 125 and nothing is started" {
	skip_if_sanitized
	ulimit -v 1000000
	for options in "-b 64G" "-b 700M -n 2" "-m 100T -n 2"; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr "$B" $options -- touch started
		[[ $stderr == bibuf:*"Cannot allocate memory" ]]
		[ "$output" = "" ]
		[ ! -e started ]
	done
}

@test "memory that runs out in mid-stream is only a lower limit" {
	skip_if_sanitized
	exec 5<>pipe
	start bash -c 'ulimit -v 100000; exec "$@"' - \
		"$B" -b 4M -n 1000 -- emit -n 300000000 >pipe 5>&-
	wait_for resident "$pid" 40000
	wait_for asleep "$pid"
	slurp -r 1000000 -a 300000000 <&5
	reap "$pid"
	[ "$status" = 0 ]
}

# Processor time of a process in clock ticks, a hundredth of a second each.
ticks() {
	local stat

	read -r stat <"/proc/$1/stat"
	# shellcheck disable=SC2086
	set -- ${stat##*) }
	echo $((${12} + ${13}))
}

@test "A79: waiting costs no processor time" {
	declare -A pids before

	watch() {
		pids[$1]=$pid
	}
	mkfifo pipe2 pipe3
	exec 5<>pipe 6<>feed 7<>pipe2 8<>pipe3
	{
		# Input that is silent, non-blocking or not.
		start "$B" <feed >/dev/null
		watch "silent input"
		start nonblock 0 "$B" <feed >/dev/null
		watch "silent non-blocking input"
		# A command that is silent; one that has closed its output; one
		# that has gone and left its output to another.
		start "$B" -- sh -c 'read -r _ <gate' >/dev/null
		watch "silent command"
		start "$B" -- sh -c 'exec >&-; read -r _ <gate' >/dev/null
		watch "command without output"
		start "$B" -- sh -c 'sleep 1000 & exit' >/dev/null
		watch "grandchild"
		# Output that is full, non-blocking or not.
		start "$B" -- emit >pipe
		watch "full output"
		start nonblock 1 "$B" -- emit >pipe2
		watch "full non-blocking output"
		# A reader that has left while the command is silent.
		start "$B" -- sh -c 'read -r _ <gate' >pipe3
		watch "no reader"
	} 5>&- 6>&- 7>&- 8>&-
	exec 8>&-
	for name in "${!pids[@]}"; do
		wait_for asleep "${pids[$name]}"
		before[$name]=$(ticks "${pids[$name]}")
	done
	# Not to wait for anything, but to have a time to measure.
	sleep 0.5
	for name in "${!pids[@]}"; do
		used=$(($(ticks "${pids[$name]}") - before[$name]))
		echo "$name: $used ticks"
		((used <= 5))
	done
}

@test "A78: an input that has only hung up is at its end" {
	true >&- | timeout 60 "$B" >out
	holds out ""
}

# Under a limit the blocks take at most and at least so many KiB.
bends() {
	wait_for resident "$pid" "$2"
	wait_for asleep "$pid"
	peak_within "$pid" "$1"
	exec 5>&-
	reap "$pid"
	[ "$status" = 141 ]
}

@test "A112: a limit on the address space, and large stacks" {
	skip_if_sanitized
	(
		ulimit -s 1048576 -v 1048576 || skip "no such limits"
		[ "$("$B" -- echo text)" = text ]
		[ "$(echo text | "$B")" = text ]
	)
}

@test "the default memory is a part of what is allowed" {
	skip_if_sanitized
	while read -r limit size options most least; do
		exec 5<>pipe
		start bash -c "ulimit $limit $size"'; exec "$@"' - \
			"$B" "$options" -- emit >pipe 5>&-
		echo "$limit $size $options"
		bends "$most" "$least"
	done <<-EOT
		-v 65536 --copy 8192 6000
		-d 32768 --copy 4096 3000
		-v 65536 -n40 8192 6000
		-v 65536 -b8M 16384 8000
		-v 65536 -m20M 20480 18000
	EOT
}

@test "the default memory is a part of what the control group is allowed" {
	skip_if_sanitized
	unshare -rm true 2>/dev/null || skip "no namespaces"
	exec 5<>pipe
	# The group is somewhere below a limit of 32 MiB.
	start unshare -rm sh -c 'mount -t tmpfs none /sys/fs/cgroup &&
		mkdir /sys/fs/cgroup/memory &&
		echo 33554432 >/sys/fs/cgroup/memory.max &&
		echo 33554432 >/sys/fs/cgroup/memory/memory.limit_in_bytes &&
		exec "$@"' - "$B" -- emit >pipe 5>&-
	bends 4096 3000
}
