# SPDX-License-Identifier: MIT
# The command has gone, and a process that it has started still holds the pipe.
#
# shellcheck disable=SC2016 # what inner shells expand

load helper
load process

setup() {
	helper_setup
	mkfifo gate
}

# Wait until the command, whose process number is in a file, is reaped.
wait_for_end_of_command() {
	wait_for filled child
	wait_for reaped "$(cat child)"
}

@test "A10: late output is relayed, the status is the command's" {
	for n in 0 3; do
		start_watched "$B" -- sh -c "
			(read -r _ <gate; echo late) &
			echo early
			echo \$\$ >child
			exit $n" >out
		wait_for_end_of_command
		wait_for holds out early
		run ! gone "$(cat pid)"
		echo >gate
		ended "exited $n"
		holds out $'early\nlate'
		rm child
	done
}

@test "A10: as in \$(...)" {
	run -3 "$B" -- sh -c '(sleep 0.2; echo late) & echo early; exit 3'
	[ "$output" = $'early\nlate' ]
}

@test "late output in bulk" {
	start_watched "$B" -b 10000 -- sh -c '
		(read -r _ <gate; emit -c 5000 -n 3000000) &
		echo $$ >child
		exit 4' >out
	wait_for_end_of_command
	echo >gate
	ended "exited 4"
	slurp -n 3000000 <out
}

@test "late output of several" {
	start_watched "$B" -- sh -c '
		for i in 1 2 3 4 5; do
			(read -r _ <gate; echo $i) &
		done
		echo $$ >child' >out
	wait_for_end_of_command
	# Each of them opens it, reads one byte at a time, and may take all.
	while ! gone "$(cat pid)"; do
		timeout 0.1 sh -c 'echo >gate' || :
	done
	ended "exited 0"
	sort out | diff - <(seq 5)
}

@test "a command that a signal of its own has killed" {
	start_watched "$B" -- sh -c '
		(read -r _ <gate; echo late) &
		echo $$ >child
		kill -KILL $$' >out
	wait_for_end_of_command
	echo >gate
	ended "exited 137"
	holds out late
}

@test "a command that was killed by another" {
	start_watched "$B" -- sh -c '
		(read -r _ <gate; echo late) &
		echo $$ >child
		wait' >out
	wait_for filled child
	kill -TERM "$(cat child)"
	wait_for_end_of_command
	run ! gone "$(cat pid)"
	echo >gate
	ended "exited 143"
	holds out late
}

@test "who does not hold the pipe is not waited for" {
	ends "exited 3" "$B" -- sh -c 'sleep 60 >&- & exit 3' >out
	ends "exited 3" "$B" -- sh -c 'sleep 60 >/dev/null & exit 3' >out
}

@test "A12: one who writes for ever, and a signal" {
	for name in TERM INT RTMIN; do
		start_watched "$B" -- sh -c '
			trap - INT
			yes 2>/dev/null & echo $! >other
			wait' >out
		wait_for filled out
		wait_for filled other
		kill -$name "$(cat pid)"
		ended "killed $(kill -l $name)"
		# The pipe has gone, and with it who wrote to it.
		wait_for gone "$(cat other)"
		[ "$(head -c 6 out)" = $'y\ny\ny' ]
		rm out other
	done
}

@test "A12: one who writes for ever, a slow consumer and a signal" {
	mkfifo pipe
	exec 5<>pipe
	start slurp -r 20000 -d 1000 <pipe 5>&-
	start_watched "$B" -b 5000 -n 3 -- sh -c '
		emit 2>/dev/null & echo $! >other
		wait' >pipe 5>&-
	exec 5>&-
	wait_for filled other
	kill -TERM "$(cat pid)"
	ended "killed 15"
	wait_for gone "$(cat other)"
}

@test "A12: what it wrote before the signal is delivered" {
	mkfifo pipe
	exec 5<>pipe
	start sh -c 'read -r _ <gate; slurp -n 400000 && touch right' \
		<pipe 5>&-
	start_watched "$B" -- sh -c '
		{ emit -n 400000; touch written; exec sleep 60; } &
		wait' >pipe 5>&-
	exec 5>&-
	wait_for test -e written
	kill -TERM "$(cat pid)"
	echo >gate
	ended "killed 15"
	wait_for test -e right
}

@test "A12: also when the memory is full" {
	mkfifo pipe
	exec 5<>pipe
	start sh -c 'read -r _ <gate; slurp -n 90000 && touch right' \
		<pipe 5>&-
	# More than a pipe and the blocks hold, less than two pipes and those.
	start_watched "$B" -b 1000 -n 2 -- sh -c '
		{ emit -n 90000; touch written; exec sleep 60; } &
		wait' >pipe 5>&-
	exec 5>&-
	wait_for test -e written
	kill -TERM "$(cat pid)"
	echo >gate
	ended "killed 15"
	wait_for test -e right
}

@test "A11: one who is silent, and a signal after the command" {
	start_watched "$B" -- sh -c 'sleep 60 & echo $! >other
		echo early; echo $$ >child' >out
	wait_for_end_of_command
	wait_for holds out early
	kill -TERM "$(cat pid)"
	ended "killed 15"
	run ! gone "$(cat other)"
}

@test "A11: one who writes for ever, and a signal after the command" {
	start_watched "$B" -- sh -c '
		yes 2>/dev/null & echo $! >other
		echo $$ >child' >/dev/null
	wait_for_end_of_command
	kill -TERM "$(cat pid)"
	ended "killed 15"
	wait_for gone "$(cat other)"
}

@test "a command that a signal did not kill is not given up" {
	start_watched "$B" -- sh -c '
		trap "exit 6" TERM
		(trap "" TERM; read -r _ <gate; echo late) &
		echo $$ >child
		wait' >out
	wait_for filled child
	kill -TERM "$(cat pid)"
	wait_for_end_of_command
	run ! gone "$(cat pid)"
	echo >gate
	ended "exited 6"
	holds out late
}
