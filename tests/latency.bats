#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A byte is never held back from a reader that waits for it, and the end of the
# data neither.

# shellcheck disable=SC2016 # what inner shells expand

load helper

# Read one byte of what the coprocess BUF writes and compare it.
expect_byte() {
	local byte

	IFS= read -r -N 1 -t 60 -u "${BUF[0]}" byte
	[ "$byte" = "$1" ]
}

# Send bytes one at a time through BUF, each when the one before has arrived.
ping_pong() {
	local i byte

	for ((i = 0; i < 100; i++)); do
		byte=$((i % 10))
		printf %d "$byte" >&"${BUF[1]}"
		expect_byte "$byte"
	done
}

# End the input of BUF and wait for it to end.
finish() {
	local pid=$BUF_PID input=${BUF[1]}

	exec {input}>&-
	reap "$pid"
	[ "$status" = 0 ]
}

@test "A70: the first line arrives while the command is silent" {
	mkfifo gate
	start "$B" -- sh -c 'echo a; read -r _ <gate; echo b' >out
	wait_for holds out a
	run ! gone "$pid"
	echo >gate
	reap "$pid"
	[ "$status" = 0 ]
	holds out $'a\nb'
}

@test "A71: a part of a line arrives, through a command" {
	mkfifo gate
	start "$B" -- sh -c 'printf x; read -r _ <gate' >out
	wait_for holds out x
	run ! gone "$pid"
	echo >gate
	reap "$pid"
	holds out x
}

@test "A71: a part of a line arrives, through a filter" {
	mkfifo in
	exec 5<>in
	start "$B" <in >out 5>&-
	for text in x xy xyz; do
		printf %s "${text: -1}" >&5
		wait_for holds out $text
	done
	exec 5>&-
	reap "$pid"
	[ "$status" = 0 ]
	holds out xyz
}

@test "request and reply, through a filter" {
	coproc BUF { exec "$B" 3>&-; }
	ping_pong
	finish
}

@test "request and reply, through a command" {
	coproc BUF { exec "$B" -- cat 3>&-; }
	ping_pong
	finish
}

@test "request and reply, whatever the blocks" {
	for options in "-b 1" "-b 3 -n 3" "-b 256M -n 2" "-m 64K"; do
		# shellcheck disable=SC2086
		coproc BUF { exec "$B" $options 3>&-; }
		ping_pong
		finish
	done
}

@test "request and reply through ten in a row" {
	coproc BUF {
		"$B" | "$B" | "$B" | "$B" | "$B" | "$B" | "$B" | "$B" |
			"$B" | "$B" 3>&-
	} 3>&-
	ping_pong
	finish
}

@test "a line that follows the bulk is not held back" {
	coproc BUF { exec "$B" -b 4096 -n 30 -- cat 3>&-; }
	emit -n 100000 >&"${BUF[1]}"
	head -c 100000 <&"${BUF[0]}" >bulk
	slurp -n 100000 <bulk
	ping_pong
	finish
}

@test "A71: what is added to a file arrives through tail -f" {
	: >log
	start "$B" -- tail -n +1 -f log >out
	for line in 1 2 3 4 5; do
		echo $line >>log
		wait_for cmp -s log out
	done
	kill "$pid"
	reap "$pid"
	[ "$status" = 143 ]
}

@test "A69: output and errors stay in order when something lies between" {
	# Two gates, as a writer that is slow to close lets two readers through.
	mkfifo first second
	start "$B" -- sh -c 'printf a
		read -r _ <first
		printf b >&2
		read -r _ <second
		printf c' >out 2>&1
	wait_for holds out a
	echo >first
	wait_for holds out ab
	echo >second
	reap "$pid"
	[ "$status" = 0 ]
	holds out abc
}

@test "the consumer sees the end when the command closes its output" {
	mkfifo gate pipe
	(cat <pipe >out && touch end) 3>&- &
	start "$B" -- sh -c 'echo x; exec >&-; read -r _ <gate; exit 5' >pipe
	wait_for test -e end
	holds out x
	run ! gone "$pid"
	echo >gate
	reap "$pid"
	[ "$status" = 5 ]
}

@test "a writer sees that bibuf has the bytes before anybody reads them" {
	"$B" -m 8M -- sh -c 'emit -n 6000000 && touch written' | {
		wait_for test -e written
		slurp -n 6000000
	}
}

# However long small writes may gather, the end of the stream, and a writer that
# becomes faster, end that.
@test "a rest ends with the stream" {
	for options in "" --copy; do
		# shellcheck disable=SC2086
		timeout 20 "$B" --coalesce=100s $options -- \
			sh -c 'echo a; sleep .05; echo b; sleep .05; echo c' >out
		[ "$(cat out)" = $'a\nb\nc' ]
		# shellcheck disable=SC2086
		sh -c 'echo a; sleep .05; echo b; sleep .05; echo c' |
			timeout 20 "$B" --coalesce=100s $options | cat >out
		[ "${PIPESTATUS[*]}" = "0 0 0" ]
		[ "$(cat out)" = $'a\nb\nc' ]
	done
}

@test "a rest ends when the pipe fills" {
	for options in "" --copy; do
		# shellcheck disable=SC2086
		timeout 20 "$B" --coalesce=100s $options -- \
			sh -c 'for i in 1 2 3 4; do
				echo $i; sleep .05; done; emit -n 3000000
				exec >&-; touch written; sleep 0.1' | cat >out
		[ "${PIPESTATUS[*]}" = "0 0" ]
		slurp -n 3000000 < <(tail -c 3000000 out)
		[ -e written ]
	done
}
