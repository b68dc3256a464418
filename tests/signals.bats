# SPDX-License-Identifier: MIT
# A signal that is sent to bibuf does what it would do to the command.
#
# Inner shells expand what is quoted; $pid and $status are helper.bash's.
# shellcheck disable=SC2016,SC2154

load helper
load process

# Is this the last line of the file?
last_line() {
	[ "$(tail -n 1 "$1")" = "$2" ]
}

# Start bibuf around sigshow, which writes to the file "log".
start_sigshow() {
	start_watched "$@" "$B" -- sigshow >log
	wait_for has_line log ready
}

@test "A60: each signal reaches the command, once" {
	start sigshow >bystander
	bystander=$pid
	start_sigshow
	expected=(blocked ignored ready)
	for name in HUP INT QUIT ABRT USR1 USR2 PIPE ALRM TERM STKFLT URG XFSZ \
		VTALRM PROF WINCH IO PWR RTMIN RTMIN+1 RTMIN+15 RTMIN+30; do
		kill -$name "$(cat pid)"
		case $name in
		IO) shown=POLL ;;
		RTMIN) shown=RTMIN+0 ;;
		*) shown=$name ;;
		esac
		expected+=("$shown user 0")
		wait_for last_line log "$shown user 0"
	done
	printf '%s\n' "${expected[@]}" | diff - log
	run ! gone "$(cat pid)"
	# Nobody else gets any of it.
	printf '%s\n' blocked ignored ready | diff - bystander
	kill -KILL "$bystander"
	reap "$bystander"
}

@test "real-time signals keep their value, order and number" {
	start_sigshow
	for value in 1 2 3 4 5; do
		sigqueue "$(cat pid)" 3 $value
	done
	sigqueue "$(cat pid)" 4 2147483647
	wait_for last_line log "RTMIN+4 queue 2147483647"
	printf 'RTMIN+3 queue %s\n' 1 2 3 4 5 | diff - <(grep RTMIN+3 log)
}

@test "A60: a command that ends upon a signal" {
	for name in USR2 QUIT HUP INT TERM; do
		start_watched "$B" -- sigshow -x $name=7 >log
		wait_for has_line log ready
		kill -$name "$(cat pid)"
		ended "exited 7"
	done
}

@test "A63: a command that ignores a signal" {
	mkfifo gate
	start_watched "$B" -- sh -c 'trap "" TERM
		echo up; read -r _ <gate; echo end' >out
	wait_for has_line out up
	kill -TERM "$(cat pid)"
	kill -TERM "$(cat pid)"
	echo >gate
	ended "exited 0"
	holds out $'up\nend'
}

@test "A62: what was ignored stays ignored" {
	start_sigshow env --ignore-signal=HUP,USR1,RTMIN+2
	for name in HUP USR1 RTMIN+2 USR2; do
		kill -$name "$(cat pid)"
	done
	wait_for has_line log "USR2 user 0"
	printf '%s\n' blocked "ignored HUP USR1 RTMIN+2" ready "USR2 user 0" |
		diff - log
}

@test "A62: also by a filter" {
	mkfifo in
	exec 5<>in
	start_watched env --ignore-signal=HUP "$B" <in >out
	echo 1 >&5
	wait_for has_line out 1
	kill -HUP "$(cat pid)"
	echo 2 >&5
	wait_for has_line out 2
	kill -TERM "$(cat pid)"
	ended "killed 15"
}

@test "A62: nohup" {
	mkfifo gate
	start_watched nohup "$B" -- sh -c \
		'echo up; read -r _ <gate; echo done' >out 2>errors
	wait_for has_line out up
	kill -HUP "$(cat pid)"
	echo >gate
	ended "exited 0"
	holds out $'up\ndone'
}

@test "a signal that the caller has blocked reaches the command" {
	start_sigshow env --block-signal=TERM,RTMIN+1
	has_line log "blocked TERM RTMIN+1"
	kill -TERM "$(cat pid)"
	wait_for has_line log "TERM user 0"
	sigqueue "$(cat pid)" 1 5
	wait_for has_line log "RTMIN+1 queue 5"
}

@test "a signal that is pending from before reaches the command" {
	perl -MPOSIX -e '
		sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGUSR1));
		kill "USR1", $$;
		exec @ARGV' "$B" -- sigshow -n 1 >log
	printf '%s\n' "blocked USR1" ignored ready "USR1 user 0" | diff - log
}

@test "an alarm that was set before" {
	mkfifo in
	exec 5<>in
	for command in "sleep 60" ""; do
		# shellcheck disable=SC2086
		ends "killed 14" perl -MTime::HiRes=ualarm -e '
			ualarm 300_000;
			exec @ARGV' "$B" -- $command <in
	done
}

@test "a limit of time, as timeout(1) sets it" {
	run -124 timeout 0.3 "$B" -- sleep 60
	run -124 timeout -s INT 0.3 "$B" -- sleep 60
	run -137 timeout -s KILL 0.3 "$B" -- sleep 60
	mkfifo in
	exec 5<>in
	run -124 timeout 0.3 "$B" <in
	[ "$output" = "" ]
}

@test "A06: the command is not deaf" {
	# shellcheck disable=SC2016
	ends "exited 143" "$B" -- sh -c 'kill -TERM $$; sleep 60'
	# shellcheck disable=SC2016
	ends "exited 130" "$B" -- sh -c 'kill -INT $$; sleep 60'
}

@test "A04: the command can die of SIGPIPE" {
	# shellcheck disable=SC2016
	"$B" -- sh -c 'yes 2>/dev/null; echo $? >status' | head -n 1 >out
	holds out y
	holds status 141
}

@test "A11: a signal after the command has gone" {
	for name in TERM INT HUP USR1 RTMIN; do
		rm -f child
		# shellcheck disable=SC2016
		start_watched "$B" -- sh -c \
			'sleep 60 & echo $! >other; echo $$ >child' >out
		wait_for filled child
		wait_for reaped "$(cat child)"
		run ! gone "$(cat pid)"
		kill -$name "$(cat pid)"
		ended "killed $(kill -l $name)"
		kill -KILL "$(cat other)"
	done
}

@test "signals that do nothing, after the command has gone" {
	mkfifo gate
	# shellcheck disable=SC2016
	start_watched "$B" -- sh -c \
		'(read -r _ <gate; echo late) & echo $$ >child; exit 3' >out
	wait_for filled child
	wait_for reaped "$(cat child)"
	for name in WINCH URG CHLD WINCH CONT; do
		kill -$name "$(cat pid)"
	done
	echo >gate
	ended "exited 3"
	holds out late
}

@test "A12: a signal kills the command but not its children" {
	for name in TERM HUP RTMIN+1; do
		# shellcheck disable=SC2016
		start_watched "$B" -- sh -c \
			'sleep 60 & echo $! >other; echo up; wait' >out
		wait_for has_line out up
		kill -$name "$(cat pid)"
		ended "killed $(kill -l $name)"
		run ! gone "$(cat other)"
		kill -KILL "$(cat other)"
	done
}

@test "what was written before the signal is delivered" {
	mkfifo gate pipe
	start sh -c 'read -r _ <gate; slurp -n 2500000 <pipe && touch right'
	exec 5<>pipe
	start_watched "$B" -- sh -c 'emit -n 2500000; touch written; exec sleep 60' \
		>pipe
	exec 5>&-
	wait_for test -e written
	kill -TERM "$(cat pid)"
	echo >gate
	ended "killed 15"
	wait_for test -e right
}

# Start a command behind which a consumer is stuck, with a line underway.
start_stuck() {
	mkfifo pipe
	exec 5<>pipe
	fill_pipe >&5
	# shellcheck disable=SC2016
	start_watched "$B" -- sh -c \
		'echo underway; echo $$ >child; exec sleep 60' >pipe 5>&-
	wait_for filled child
}

@test "a signal while the consumer is stuck ends the command" {
	start_stuck
	kill -TERM "$(cat pid)"
	wait_for reaped "$(cat child)"
	# What is underway is not given up for one signal.
	run ! gone "$(cat pid)"
	start cat <pipe >out 5>&-
	exec 5>&-
	ended "killed 15"
	reap "$pid"
	grep -q underway out
}

@test "a second signal while the consumer is stuck ends bibuf" {
	start_stuck
	kill -TERM "$(cat pid)"
	wait_for reaped "$(cat child)"
	kill -HUP "$(cat pid)"
	ended "killed 1"
}

# Send SIGTERM from another process than before.
kill_anew() {
	sh -c 'kill -TERM "$(cat pid)"'
	gone "$(cat pid)"
}

@test "the same signal from another process too" {
	start_stuck
	kill -TERM "$(cat pid)"
	wait_for reaped "$(cat child)"
	wait_for kill_anew
	ended "killed 15"
}

@test "the same signal at once again does not lose what is buffered" {
	mkfifo pipe
	exec 5<>pipe
	# shellcheck disable=SC2016
	start_watched "$B" -- sh -c '
		emit -n 2500000; echo $$ >child; exec sleep 60' >pipe 5>&-
	wait_for filled child
	bibuf=$(cat pid) child=$(cat child)
	until reaped "$child"; do
		kill -TERM "$bibuf"
	done
	kill -TERM "$bibuf"
	start slurp -n 2500000 <pipe 5>&-
	exec 5>&-
	ended "killed 15"
	reap "$pid"
	[ "$status" = 0 ]
}

@test "a signal while the command is stopped" {
	# shellcheck disable=SC2016
	start_watched "$B" -- sh -c 'echo $$ >child; exec sleep 60'
	wait_for filled child
	kill -STOP "$(cat child)"
	wait_for stopped "$(cat child)"
	kill -TERM "$(cat pid)"
	kill -CONT "$(cat child)"
	ended "killed 15"
}

# jobcontrol.bats has SIGTSTP, which stops only where there is job control.
@test "SIGSTOP and SIGCONT act on bibuf alone" {
	start_sigshow
	for _ in 1 2 3; do
		kill -STOP "$(cat pid)"
		wait_for stopped "$(cat pid)"
		kill -CONT "$(cat pid)"
		kill -USR1 "$(cat pid)"
		wait_for last_line log "USR1 user 0"
		kill -USR2 "$(cat pid)"
		wait_for last_line log "USR2 user 0"
	done
	run ! grep CONT log
}

@test "A54: no byte is lost when bibuf is stopped" {
	start_watched "$B" -b 10000 -- emit -c 3000 -p 500 >out
	for _ in {1..5}; do
		wait_for_more out
		kill -STOP "$(cat pid)"
		wait_for stopped "$(cat pid)"
		kill -CONT "$(cat pid)"
	done
	wait_for_more out
	kill -TERM "$(cat pid)"
	ended "killed 15"
	slurp <out
}

@test "A52: a storm of SIGWINCH" {
	start_watched "$B" -- sigshow -x TERM=0 >log 2>errors
	wait_for has_line log ready
	for _ in {1..50}; do
		kill -WINCH "$(cat pid)"
	done
	kill -TERM "$(cat pid)"
	ended "exited 0"
	holds errors ""
}

@test "A52: a storm of SIGWINCH on a filter" {
	mkfifo in
	exec 5<>in
	start_watched "$B" <in >out 2>errors
	for i in {1..50}; do
		kill -WINCH "$(cat pid)"
		echo "$i" >&5
	done
	wait_for has_line out 50
	seq 50 | diff - out
	kill -TERM "$(cat pid)"
	ended "killed 15"
	holds errors ""
}

@test "a fault is bibuf's own" {
	skip_if_sanitized
	ulimit -c 0
	start_watched "$B" -- sleep 60
	kill -SEGV "$(cat pid)"
	ended "killed 11"
}

# Start a command 100 times and send it a signal at a random moment of its
# start. Then nobody is left that has inherited standard error, and only the
# given wait statuses, or that signal's, are allowed.
shoot() {
	perl -MTime::HiRes=sleep,time -e '
		my %allowed = map { $_ => 1 } split /,/, shift;
		sub run {
			my ($signal, $delay, @command) = @_;
			pipe my $from, my $to or die;
			my $pid = fork // die;
			if ($pid == 0) {
				open STDOUT, ">", "/dev/null" or die;
				open STDERR, ">&", $to or die;
				exec @command;
			}
			close $to;
			if ($signal) {
				sleep $delay;
				kill $signal, $pid;
			}
			alarm 60;
			1 while sysread $from, my $errors, 4096;
			waitpid $pid, 0;
			my $end = $?;
			$end == $signal || $allowed{$end}
				or die "wait status $end upon $signal";
		}
		my $t = time;
		run(0, 0, $ARGV[0], "--", "true") for 1 .. 5;
		my $start = (time() - $t) / 5;
		my @signals = (1, 2, 10, 15, 40);
		run($signals[rand @signals], rand 1.5 * $start, @ARGV)
			for 1 .. 100;
	' "$@" 3>&-
}

@test "A61: a signal at any moment of the start" {
	start sleep 60
	shoot "" "$B" -- sleep 60
	run ! gone "$pid"
	kill "$pid"
}

@test "A61: a signal at any moment, and no such command" {
	start sleep 60
	shoot $((127 << 8)) "$B" -- no-such-command
	run ! gone "$pid"
	kill "$pid"
}

@test "A61: a signal at any moment of a short life" {
	start sleep 60
	shoot 0 "$B" -- true
	run ! gone "$pid"
	kill "$pid"
}

@test "a signal that may not be passed on acts on bibuf" {
	refuse kill EPERM || skip "no filters of system calls"
	start_watched refuse kill EPERM "$B" -- sleep 60
	wait_for runs sleep
	kill -WINCH "$(cat pid)"
	run ! gone "$(cat pid)"
	kill -TERM "$(cat pid)"
	ended "killed 15"
}

@test "a signal that killed the command and is not the first to be seen" {
	# bibuf has several signals to look at when it goes on, and the end of
	# the command is the one with the lower number.
	mkfifo pipe
	exec 5<>pipe
	start setsid env --default-signal "$B" -- \
		sh -c 'emit -n 5000000; touch written; exec sleep 60' >pipe 5>&-
	wait_for test -e written
	bibuf=$(processes bibuf)
	group=$(ps -o pgid= -p "$bibuf" | tr -d " ")
	[ "$group" = "$bibuf" ]
	kill -STOP "$bibuf"
	kill -VTALRM -- "-$group"
	wait_for zombie_child "$bibuf"
	exec 7<pipe 5>&-
	kill -CONT "$bibuf"
	slurp -r 10000 -n 5000000 <&7
	reap "$pid"
	[ "$status" = 154 ]
}

# Has the process a child that is dead?
zombie_child() {
	[ -n "$(pgrep -P "$1" -r Z)" ]
}

# Has sigshow caught it so many times?
caught() {
	[ "$(grep -c "^WINCH" log)" = "$1" ]
}

@test "an early signal of a process does not double one of the terminal" {
	skip_if_sanitized
	# The signal comes just before the command is there; it is passed on.
	tty_start sh -c 'echo $$ >pid
		export FAULTS=posix_spawn:1:stop LD_PRELOAD=$TESTBIN/faulty.so
		exec "$B" -- env -u LD_PRELOAD sigshow -x QUIT=6 >log'
	tty_expect "stopped 19"
	kill -WINCH "$(cat pid)"
	tty_do fg
	tty_expect continued
	wait_for has_line log ready
	wait_for asleep "$(cat pid)"
	count=$(grep -c "^WINCH" log) || :
	tty_do size 40 100
	wait_for caught $((count + 1))
	tty_do "^\\"
	tty_expect "exited 6"
	caught $((count + 1))
}

# Start a command as the first process of a namespace; it is $first.
start_first() {
	unshare -pf true 2>/dev/null || skip "no namespaces"
	start unshare -pf "$@"
	wait_for test -e ready
	first=$(pgrep -P "$pid")
}

@test "A109: the first process of a container, and its command has ended" {
	start_first "$B" -- sh -c 'sleep 60 & touch ready' >out
	wait_for asleep "$first"
	kill -TERM "$first"
	reap "$pid"
	[ "$status" = 143 ]
}

@test "A109: the first process of a container, as a filter" {
	mkfifo in
	exec 9<>in
	start_first sh -c 'touch ready; exec "$B"' <in
	wait_for runs bibuf
	kill -WINCH "$first"
	echo text >&9
	kill -TERM "$first"
	reap "$pid"
	[ "$status" = 143 ]
}

# Has it but one child, the command?
has_one_child() {
	[ "$(pgrep -c -P "$1")" = 1 ]
}

@test "the first process of a container buries its dead" {
	mkfifo gate
	start_first "$B" -- sh -c '(sleep 0.1 & sleep 0.2 &)
		touch ready; read -r _ <gate'
	wait_for has_one_child "$first"
	: >gate
	reap "$pid"
	[ "$status" = 1 ]
}
