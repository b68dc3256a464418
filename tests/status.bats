# SPDX-License-Identifier: MIT
# bibuf ends as its command ended.
#
# shellcheck disable=SC2016 # what inner shells expand

load helper
load process

@test "A15: the command's exit status is passed on" {
	for n in 0 1 2 3 64 124 125 126 127 128 143 254 255; do
		ends "exited $n" "$B" -- sh -c "exit $n"
	done
}

@test "with output the status is the same" {
	for n in 0 3 255; do
		ends "exited $n" "$B" -- sh -c "echo text; exit $n" >out
		holds out text
	done
}

@test "nothing is said about a status" {
	ends "exited 1" "$B" -- false 2>errors
	ends "exited 137" "$B" -- sh -c 'kill -KILL $$' 2>>errors
	holds errors ""
}

@test "A13: 128 + N if signal N killed the command" {
	for name in HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE \
		ALRM TERM XCPU XFSZ VTALRM PROF SYS; do
		number=$(kill -l $name)
		(
			ulimit -c 0
			ends "exited $((128 + number))" \
				"$B" -- sh -c "kill -$number \$\$"
		)
	done
}

@test "A14: real-time signals" {
	for name in RTMIN RTMIN+1 RTMAX-1 RTMAX; do
		number=$(kill -l $name)
		ends "exited $((128 + number))" \
			"$B" -- bash -c "kill -$name \$\$"
	done
}

@test "A14: SIGPIPE that the command got from elsewhere" {
	ends "exited 141" "$B" -- sh -c 'kill -PIPE $$' >out
}

@test "a signal that both got kills bibuf too" {
	for name in HUP INT PIPE USR1 USR2 ALRM TERM VTALRM PROF RTMIN+5; do
		rm -f ready
		start_watched "$B" -- sh -c 'touch ready; exec sleep 60'
		wait_for test -e ready
		kill -$name "$(cat pid)"
		ended "killed $(kill -l $name)"
	done
}

@test "a signal that both got leaves one core dump at most" {
	ulimit -c unlimited || skip "core dumps are forbidden"
	for name in QUIT ABRT XFSZ; do
		rm -f ready
		start_watched "$B" -- sh -c 'touch ready; exec sleep 60'
		wait_for test -e ready
		kill -$name "$(cat pid)"
		ended "killed $(kill -l $name)"
	done
}

@test "a command that exits upon a signal has exited" {
	for n in 0 7; do
		start_watched "$B" -- sigshow -x TERM=$n >log
		wait_for has_line log ready
		kill -TERM "$(cat pid)"
		ended "exited $n"
	done
}

@test "a command that another signal killed" {
	start_watched "$B" -- sh -c 'trap "kill -KILL \$\$" TERM; echo ready
		while :; do sleep 0.01; done' >log
	wait_for has_line log ready
	kill -TERM "$(cat pid)"
	ended "exited 137"
}

@test "a signal that only the command got" {
	start_watched "$B" -- sh -c 'echo $$; exec sleep 60' >child
	wait_for filled child
	kill -TERM "$(cat child)"
	ended "exited 143"
}

@test "a filter dies of a signal" {
	mkfifo in
	exec 5<>in
	for name in HUP INT TERM USR1 RTMIN; do
		start_watched "$B" <in >out
		echo $name >&5
		wait_for has_line out $name
		kill -$name "$(cat pid)"
		ended "killed $(kill -l $name)"
	done
}

@test "a filter exits 0 at the end of its input" {
	echo text >in
	ends "exited 0" "$B" <in >out
	cmp in out
}

@test "A21: a byte that could not be written is a failure" {
	ends "exited 125" "$B" -- printf x >/dev/full 2>errors
	grep -qi "standard output: no space left" errors
	[ "$(wc -l <errors)" = 1 ]
	printf x >in
	ends "exited 125" "$B" <in >/dev/full 2>errors
	grep -qi "standard output: no space left" errors
	[ "$(wc -l <errors)" = 1 ]
}

@test "A24: lost bytes are a failure whatever the command's status" {
	for end in "exit 0" "exit 3" "exit 127" 'kill -KILL $$'; do
		ends "exited 125" "$B" -- sh -c "echo x; $end" >/dev/full 2>errors
		[ "$(wc -l <errors)" = 1 ]
	done
}

@test "A24: the command does not outlive a write error" {
	ends "exited 125" "$B" -- yes >/dev/full 2>errors
	[ "$(wc -l <errors)" = 1 ]
}

@test "a command that closes its output and lives on" {
	mkfifo gate pipe
	start sh -c 'cat <pipe >out; touch end'
	start_watched "$B" -- sh -c 'echo x; exec >&-; read -r _ <gate; exit 5' \
		>pipe
	# The consumer has all there will be, and bibuf still waits.
	wait_for test -e end
	run ! gone "$(cat pid)"
	echo >gate
	ended "exited 5"
	holds out x
}

@test "a command without any output" {
	ends "exited 9" "$B" -- sh -c 'exec >&-; exit 9' >out
	holds out ""
}

@test "a child from before, which ends meanwhile" {
	mkfifo gate
	start_watched sh -c 'sh -c "echo \$\$ >other; exit 9" &
		exec "$B" -- sh -c "echo up; read -r _ <gate; exit 4"' >out
	wait_for filled other
	wait_for filled out
	wait_for gone "$(cat other)"
	echo >gate
	ended "exited 4"
}

@test "bibuf in bibuf: the status comes through" {
	ends "exited 9" "$B" -- "$B" -- "$B" -- sh -c 'echo x; exit 9' >out
	holds out x
	ends "exited 127" "$B" -- "$B" -- no-such-command 2>errors
	[ "$(wc -l <errors)" = 1 ]
}

@test "bibuf in bibuf: all die of the signal" {
	start_watched "$B" -- "$B" -- "$B" -- sh -c 'echo $$; exec sleep 60' \
		>child
	wait_for filled child
	kill -TERM "$(cat pid)"
	ended "killed 15"
	reaped "$(cat child)"
}
