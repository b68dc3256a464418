# SPDX-License-Identifier: MIT
# When the reader of the output leaves, the command gets to know it as if
# nothing lay between, bibuf ends as it ended, and nobody complains.
#
# shellcheck disable=SC2016,SC2154 # what inner programs expand, and $notice

load helper
load process

setup() {
	helper_setup
	mkfifo pipe gate
	# Only bibuf's own: a command may well complain.
	exec 6>errors
}

teardown() {
	helper_teardown
	[ ! -s errors ] || {
		cat errors
		return 1
	}
}

# Start a reader of the pipe. It has the reading end alone, so that the pipe
# is without a reader when it leaves.
start_reader() {
	exec 5<>pipe
	start "$@" <pipe >out 5>&-
}

# Start bibuf with its output to that reader.
start_bibuf() {
	start_watched "$B" "$@" 2>&6 >pipe 5>&-
	exec 5>&-
}

# A reader that reads nothing until told to leave.
start_stuck_reader() {
	start_reader sh -c 'exec 4<gate'
}

leave() {
	: >gate
}

@test "A07: a filter, and a reader of one line" {
	yes | watched "$B" 2>&6 | head -n 1 >out
	ended "killed 13"
	holds out y
}

@test "A07: a command, and a reader of one line" {
	for options in "" "-b 1" "-b 100 -n 2" "-m 64M"; do
		# shellcheck disable=SC2086
		watched "$B" $options -- yes 2>&6 | head -n 1 >out
		# The command's status, which is not a signal to bibuf.
		ended "exited 141"
		holds out y
	done
}

@test "A07: again and again" {
	for _ in {1..20}; do
		watched "$B" -- yes 2>&6 | head -n 1 >out
		ended "exited 141"
		yes | watched "$B" 2>&6 | head -n 1 >out
		ended "killed 13"
	done
}

@test "the reader gets what it asked for" {
	watched "$B" -b 1000 -- emit -c 333 2>&6 | slurp -r 100 -a 123400
	ended "exited 141"
	emit -c 333 | watched "$B" -b 1000 2>&6 | slurp -r 100 -a 123400
	ended "killed 13"
}

@test "A05: SIGPIPE is ignored" {
	# The complaint is the command's.
	watched env --ignore-signal=PIPE "$B" -- yes 2>other | head -n 1 >out
	ended "exited 1"
	run ! grep bibuf other
	yes | watched env --ignore-signal=PIPE "$B" 2>&6 | head -n 1 >out
	ended "killed 13"
}

@test "SIGPIPE is blocked" {
	yes | watched env --block-signal=PIPE "$B" 2>&6 | head -n 1 >out
	ended "killed 13"
	watched env --block-signal=PIPE "$B" -- yes 2>other | head -n 1 >out
	ended "exited 1"
	run ! grep bibuf other
}

@test "A08: the command is silent and goes on" {
	# Its sanitizer has a thread that wakes.
	skip_if_sanitized tsan
	start_reader true
	start_bibuf -- perl -e "$notice; open my \$gate, '<', 'gate'; exit 6"
	wait_for test -e noticed
	bibuf=$(cat pid)
	wait_for asleep "$bibuf"
	for _ in {1..20}; do
		asleep "$bibuf"
	done
	: >gate
	ended "exited 6"
}

@test "A08: everything was delivered before" {
	for n in 0 7; do
		rm -f noticed
		start_reader head -n 1
		start_bibuf -- perl -e "\$| = 1; print qq(x\n); $notice; exit $n"
		ended "exited $n"
		holds out x
	done
}

@test "a command that was silent gets SIGPIPE when it writes" {
	start_reader head -n 1
	start_bibuf -- perl -e "\$| = 1; print qq(x\n); $notice
		syswrite STDOUT, 'y'; exit 3"
	ended "exited 141"
	holds out x
}

@test "a command that ignores SIGPIPE gets an error when it writes" {
	for n in 0 4; do
		rm -f noticed
		start_reader head -n 1
		start_bibuf -- perl -MErrno=EPIPE -e "
			\$SIG{PIPE} = 'IGNORE';
			\$| = 1; print qq(x\n); $notice
			defined syswrite STDOUT, 'y' and exit 9;
			\$! == EPIPE or exit 8;
			exit $n"
		# It knows what was not written: nothing is lost behind its back.
		ended "exited $n"
	done
}

@test "a filter whose input is silent" {
	mkfifo in
	exec 9<>in
	start_reader head -n 1
	start_bibuf <in
	echo x >&9
	# Nothing was lost.
	ended "exited 0"
	holds out x
}

@test "a filter whose input is at its end" {
	echo x >in
	for _ in {1..10}; do
		start_reader head -n 1
		start_bibuf <in
		ended "exited 0"
		wait_for holds out x
	done
}

@test "bytes that the command thinks delivered are lost" {
	for n in 0 3; do
		rm -f written
		start_stuck_reader
		start_bibuf -- sh -c "emit -n 2500000; touch written; exit $n"
		wait_for test -e written
		leave
		case $n in
		# It could not know.
		0) ended "killed 13" ;;
		*) ended "exited $n" ;;
		esac
	done
}

@test "bytes that are in the pipe of the command are lost" {
	# One in the queue, which is full, the others in the pipe.
	start_stuck_reader
	fill_pipe >&5
	start_bibuf -b 1 -n 2 -- sh -c "printf 12345; touch written"
	wait_for test -e written
	leave
	ended "killed 13"
}

@test "bytes of a filter are lost" {
	emit -n 2500000 >in
	start_stuck_reader
	start_bibuf <in
	wait_for asleep "$(cat pid)"
	leave
	ended "killed 13"
}

@test "A77: the reader leaves when memory is full" {
	for command in "-- emit" ""; do
		emit -n 2500000 >in
		start_stuck_reader
		# shellcheck disable=SC2086
		start_bibuf -b 4096 -n 2 $command <in
		wait_for asleep "$(cat pid)"
		leave
		case $command in
		"") ended "killed 13" ;;
		*) ended "exited 141" ;;
		esac
	done
}

@test "A09: the reader is killed" {
	for command in "-- yes" ""; do
		start_reader cat
		reader=$pid
		# shellcheck disable=SC2086
		start_bibuf $command </dev/zero
		wait_for filled out
		kill -KILL "$reader"
		case $command in
		"") ended "killed 13" ;;
		*) ended "exited 141" ;;
		esac
		reap "$reader"
	done
}

@test "there never was a reader" {
	exec 5<>pipe
	exec 9>pipe 5>&-
	ends "exited 0" "$B" -- true 2>&6 >&9
	ends "exited 3" "$B" -- sh -c "exit 3" 2>&6 >&9
	ends "exited 0" "$B" 2>&6 >&9 </dev/null
	ends "exited 141" "$B" -- yes 2>&6 >&9
	echo x >in
	ends "killed 13" "$B" 2>&6 >&9 <in
	mkfifo silent
	exec 5<>silent
	ends "exited 0" "$B" 2>&6 >&9 <silent
}

@test "a process that the command left behind is not waited for" {
	start_reader head -n 1
	start_bibuf -- sh -c 'sleep 60 & echo $!; exit 3'
	ended "exited 3"
	run ! gone "$(cat out)"
	kill -KILL "$(cat out)"
}

# Run a command with a socket as its output, read a line from that and leave;
# shut down the other direction before if told so.
on_socket() {
	perl -MSocket -e '
		socketpair my $ours, my $theirs, AF_UNIX, SOCK_STREAM, 0 or die;
		my $pid = fork // die;
		if ($pid == 0) {
			open STDOUT, ">&", $theirs or die;
			exec @ARGV or exit 99;
		}
		close $theirs;
		shutdown $ours, 1 if $ENV{HALF};
		print scalar <$ours>;
		print <$ours> if $ENV{HALF};
		close $ours;
		waitpid $pid, 0;
	' watched "$@" 2>&6 3>&-
}

@test "a reader of a socket leaves" {
	mkfifo in
	exec 9<>in
	on_socket "$B" -- yes >out
	ended "exited 141"
	holds out y
	yes | on_socket "$B" >out
	ended "killed 13"
	holds out y
}

@test "a reader of a socket leaves and the command is silent" {
	on_socket "$B" -- perl -e "\$| = 1; print qq(x\n); $notice; exit 5" >out
	ended "exited 5"
	holds out x
}

@test "a reader of a socket leaves and the input is silent" {
	mkfifo in
	exec 9<>in
	echo x >&9
	on_socket "$B" <in >out
	ended "exited 0"
	holds out x
}

@test "a reader of a socket that is never written to" {
	HALF=1 on_socket "$B" -- sh -c 'echo x; sleep 0.1; seq 10000' >out
	ended "exited 0"
	{
		echo x
		seq 10000
	} | cmp - out
}

@test "A111: a reader that took every byte, and a filter" {
	for delay in 0 0.001 0.02; do
		for _ in {1..10}; do
			{
				printf abc
				sleep $delay
			} | watched "$B" 2>&6 | head -c 3 >out
			ended "exited 0"
			holds out abc
		done
	done
}

@test "A111: a byte that comes later is the writer's loss" {
	mkfifo in
	exec 9<>in
	start_reader head -c 3
	start_bibuf <in
	perl -e '$SIG{PIPE} = "IGNORE"; $| = 1; print "abc";'"$notice"'
		syswrite STDOUT, "d" or $!{EPIPE} and exit 7' >in 9>&- &
	writer=$!
	wait_for larger out 2
	exec 9>&-
	ended "exited 0"
	reap "$writer"
	[ "$status" = 7 ]
}

@test "A111: bytes that wait in the input, or in memory, are lost" {
	for options in "" --copy "-m 10000"; do
		# shellcheck disable=SC2086
		emit -n 40000000 | watched "$B" $options 2>&6 | head -c 1 >out
		ended "killed 13"
	done
}

@test "--output-error=exit-nopipe: a reader may leave" {
	excused=--output-error=exit-nopipe
	watched "$B" $excused -- yes 2>&6 | head -n 1 >out
	ended "exited 0"
	yes | watched "$B" $excused 2>&6 | head -n 1 >out
	ended "exited 0"
	# What a program makes of the broken pipe does not matter,
	watched "$B" $excused -- sh -c 'trap "" PIPE
		yes 2>/dev/null; exit 1' 2>&6 | head -n 1 >out
	ended "exited 0"
	# but how it ends otherwise does.
	watched "$B" $excused -- sh -c 'echo x; exit 3' 2>&6 | cat >out
	ended "exited 3"
	watched "$B" $excused -- sh -c 'trap "" PIPE
		yes 2>/dev/null; kill -KILL $$' 2>&6 | head -n 1 >out
	ended "exited 137"
	watched "$B" --output-error=exit -- yes 2>&6 | head -n 1 >out
	ended "exited 141"
}

@test "--output-error=exit-nopipe: a command that failed before" {
	start_stuck_reader
	start_bibuf --output-error=exit-nopipe -- \
		sh -c 'emit -n 3000000; exit 3'
	wait_for childless "$(cat pid)"
	: >gate
	ended "exited 3"
}

@test "--output-error=exit-nopipe: other errors stay errors" {
	[ -c /dev/full ]
	status=0
	"$B" --output-error=exit-nopipe -- echo x >/dev/full 2>message ||
		status=$?
	[ "$status" = 125 ]
	[ -s message ]
}

@test "bytes that nobody reads are lost though the command has ended well" {
	start_stuck_reader
	start_bibuf --coalesce=60s --pipe-size=keep -- head -c 100000 /dev/zero
	wait_for childless "$(cat pid)"
	: >gate
	ended "killed 13"
}

@test "those that are left in the pipe of the command, too" {
	# A slow reader: nothing is in memory, and the pipes hold the rest.
	start_reader sh -c 'slurp -r 4000 -d 200 -a 400000; exec 4<gate'
	start_bibuf --pipe-size=keep -m 40000 -- emit -n 500000
	wait_for childless "$(cat pid)"
	: >gate
	ended "killed 13"
}
