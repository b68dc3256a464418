#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Standard input and output of every kind and in every state; what others share
# is left as it was.

# A file is read and written at once; another shell expands what is quoted;
# $status is set in each test, a subshell; $pid is helper.bash's.
# shellcheck disable=SC2016,SC2030,SC2031,SC2094,SC2154

load helper
load process

# The flags of a descriptor of a process, which all share who have it.
flags_of() {
	local name value

	while read -r name value; do
		[ "$name" != flags: ] || echo "$value"
	done <"/proc/$1/fdinfo/$2"
}

# Run a command with a stream socket as its standard output, of little capacity
# so that writes are short; a second command, behind "--to", reads from it.
socket_between() {
	perl -MSocket -e '
		my (@from, @to);
		push @from, shift while $ARGV[0] ne "--to";
		(undef, @to) = @ARGV;
		socketpair my $in, my $out, AF_UNIX, SOCK_STREAM, 0 or die $!;
		setsockopt $out, SOL_SOCKET, SO_SNDBUF, 4608;
		my $pid = fork;
		if ($pid == 0) {
			open STDOUT, ">&", $out or die $!;
			close $in;
			close $out;
			exec @from or die $!;
		}
		close $out;
		open my $saved, "<&", STDIN;
		open STDIN, "<&", $in or die $!;
		close $in;
		my $right = system(@to) == 0;
		open STDIN, "<&", $saved;
		waitpid $pid, 0;
		exit($right && $? == 0 ? 0 : 1)' "$@"
}

@test "A01: non-blocking input whose data come late" {
	mkfifo in
	exec 5<>in
	start nonblock 0 "$B" <in >out 5>&-
	wait_for asleep "$pid"
	echo late >&5
	wait_for holds out late
	emit -n 10000 >&5
	exec 5>&-
	reap "$pid"
	[ "$status" = 0 ]
	tail -c +6 out | slurp -n 10000
}

@test "A01: non-blocking input in small pieces" {
	emit -c 100 -p 50 -n 20000 | nonblock 0 "$B" | slurp -n 20000
}

@test "A02: non-blocking output and a slow reader" {
	nonblock 1 "$B" -b 4096 -n 3 -- emit -n 1000000 |
		slurp -r 5000 -d 50 -n 1000000
	emit -n 1000000 | nonblock 1 "$B" -b 4096 -n 3 |
		slurp -r 5000 -d 50 -n 1000000
}

@test "A02: output that becomes non-blocking before the stream" {
	mkfifo gate
	{
		start "$B" -b 4096 -- \
			sh -c 'read -r _ <gate; exec emit -n 1000000'
		nonblock 1
		echo >gate
		reap "$pid"
		echo "$status" >status
	} | slurp -r 5000 -d 50 -n 1000000
	holds status 0
}

@test "A02: output that becomes non-blocking while it is full" {
	{
		start "$B" -- sh -c 'emit -n 3000000; touch written'
		wait_for test -e written
		wait_for asleep "$pid"
		nonblock 1
		touch flipped
		reap "$pid"
		echo "$status" >status
	} | {
		wait_for test -e flipped
		slurp -r 5000 -n 3000000
	}
	holds status 0
}

@test "A03: O_NONBLOCK is neither set nor cleared" {
	for way in blocking nonblocking; do
		rm -f in out err gate started
		mkfifo in out err gate
		exec 5<>in 6<>out 7<>err
		if [ $way = nonblocking ]; then
			nonblock 5,6,7
		fi
		before=$(flags_of $$ 5)/$(flags_of $$ 6)/$(flags_of $$ 7)
		start "$B" -- sh -c 'touch started; read -r _ <gate' \
			<&5 >&6 2>&7 5>&- 6>&- 7>&-
		wait_for test -e started
		wait_for asleep "$pid"
		# bibuf has left its standard input to the command.
		{
			flags_of "$(pgrep -P "$pid")" 0
			flags_of "$pid" 1
			flags_of "$pid" 2
		} >during
		[ "$(paste -sd/ during)" = "$before" ]
		echo >gate
		reap "$pid"
		[ "$status" = 0 ]
		start "$B" <&5 >&6 2>&7 5>&- 6>&- 7>&-
		echo x >&5
		wait_for asleep "$pid"
		kill -KILL "$pid"
		reap "$pid"
		after=$(flags_of $$ 5)/$(flags_of $$ 6)/$(flags_of $$ 7)
		[ "$before" = "$after" ]
	done
}

# Run a command with some of the standard descriptors closed: "02 command...".
without() {
	local which=$1

	shift
	(
		case $which in *0*) exec 0<&- ;; esac
		case $which in *1*) exec 1>&- ;; esac
		case $which in *2*) exec 2>&- ;; esac
		exec timeout 60 "$@" 3>&-
	)
}

@test "A25: A26: A27: closed standard descriptors, all eight ways, a command" {
	for which in none 0 1 2 01 02 12 012; do
		: >errors
		status=0
		without $which "$B" -- sh -c 'echo data; : >started' \
			</dev/null >out 2>errors || status=$?
		echo "closed $which: $status, $(cat errors)"
		case $which in
		*1*)
			[ "$status" = 125 ]
			holds out ""
			[ ! -e started ]
			;;
		*)
			[ "$status" = 0 ]
			holds out data
			rm started
			;;
		esac
		case $which in
		1 | 01)
			holds errors "bibuf: standard output: Bad file descriptor"
			;;
		*) holds errors "" ;;
		esac
	done
}

@test "A25: A27: closed standard descriptors, all eight ways, a filter" {
	echo data >in
	for which in none 0 1 2 01 02 12 012; do
		status=0
		without $which "$B" <in >out 2>errors || status=$?
		echo "closed $which: $status, $(cat errors)"
		case $which in
		none | 2)
			[ "$status" = 0 ]
			holds out data
			;;
		*)
			[ "$status" = 125 ]
			holds out ""
			;;
		esac
		case $which in
		0 | 1 | 01) [ "$(wc -l <errors)" = 1 ] ;;
		*) holds errors "" ;;
		esac
	done
}

@test "A26: what was closed is closed for the command too" {
	without 0 "$B" -- fds >out
	run -1 grep "^0 " out
	without 2 "$B" -- fds >out
	run -1 grep "^2 " out
	without 02 "$B" -- fds >out
	grep "^1 w pipe:" out
	without 02 fds | grep -v "^1 " >expected || :
	grep -v "^1 " out | diff expected -
	# cat ends, as without bibuf.
	status=0
	without 0 "$B" -- cat >out 2>errors || status=$?
	[ "$status" = 1 ]
	grep "^cat: " errors
}

@test "A26: nothing of bibuf's own lands where one was closed" {
	mkfifo gate
	(
		exec 0<&- 2>&-
		exec "$B" -- sh -c ': >started; read -r _ <gate'
	) >out 3>&- &
	pid=$!
	wait_for test -e started
	[ ! -e "/proc/$pid/fd/0" ]
	[ ! -e "/proc/$pid/fd/2" ]
	echo >gate
	reap "$pid"
	[ "$status" = 0 ]
}

@test "descriptors that are open the wrong way round" {
	echo data >in
	status=0
	timeout 60 "$B" -- touch started 2>errors 1<in || status=$?
	[ "$status" = 125 ]
	holds errors "bibuf: standard output: Bad file descriptor"
	[ ! -e started ]
	status=0
	timeout 60 "$B" >out 2>errors 0>>in || status=$?
	[ "$status" = 125 ]
	holds errors "bibuf: standard input: Bad file descriptor"
	holds in data
}

@test "A65: the command has the caller's descriptors and no other" {
	exec 5<"$BATS_TEST_FILENAME" 6>>log 9<>log
	fds | grep -v "^1 " >expected
	"$B" -- fds | grep -v "^1 " >out
	cat expected
	diff expected out
	"$B" -- "$B" -- "$B" -- fds | grep -v "^1 " >out
	diff expected out
}

@test "A65: nested three deep, the end comes" {
	timeout 60 "$B" -- "$B" -- "$B" -- echo x >out
	holds out x
}

@test "the command's output is a pipe, and nothing else is" {
	"$B" -- fds </dev/null >out
	grep "^1 w pipe:" out
	grep "^0 r /dev/null$" out
}

@test "a file as output is written from where it stands" {
	echo 12345678 >out
	{
		printf a
		"$B" -- printf bc
		printf d
		printf e | "$B"
		printf f
	} 1<>out
	holds out abcdef78
}

@test "A29: an appended file" {
	echo a >out
	exec 5>>out
	before=$(flags_of $$ 5)
	seq 1 100000 | "$B" >&5
	"$B" -- seq 100001 200000 >&5
	[ "$(flags_of $$ 5)" = "$before" ]
	echo end >&5
	{
		echo a
		seq 1 200000
		echo end
	} | cmp - out
}

@test "A28: a terminal that appends" {
	# The inner shell opens the terminal anew, with O_APPEND, as make does.
	script -qec "$B -- seq 1 3 >>\$(tty); echo status \$?" /dev/null \
		</dev/null | tr -d '\r' >out
	holds out $'1\n2\n3\nstatus 0'
}

@test "a terminal as output takes all of it" {
	script -qec "$B -- seq 1 20000" /dev/null </dev/null |
		tr -d '\r' >out
	seq 1 20000 | cmp - out
}

@test "A30: a socket with a slow reader" {
	socket_between "$B" -b 4096 -- emit -n 500000 \
		--to slurp -r 3000 -d 50 -n 500000
	socket_between nonblock 1 "$B" -b 4096 -- emit -n 500000 \
		--to slurp -r 3000 -d 50 -n 500000
}

@test "a socket as input" {
	socket_between emit -n 500000 --to "$B" -b 4096 | slurp -n 500000
	socket_between emit -n 500000 -p 20 -c 1000 \
		--to nonblock 0 "$B" -b 4096 | slurp -n 500000
}

@test "A31: /dev/null on both sides" {
	"$B" </dev/null >/dev/null
	"$B" -- seq 1 100000 >/dev/null
	emit -n 1000000 | "$B" >/dev/null
}

@test "a FIFO on both sides" {
	mkfifo in pipe
	(slurp -n 300000 <pipe && touch right) 3>&- &
	emit -c 3000 -p 50 -n 300000 >in 3>&- &
	"$B" <in >pipe
	wait_for test -e right
}

@test "a device as input" {
	head -c 300000 /dev/zero >zeros
	"$B" </dev/zero | head -c 300000 | cmp - zeros
}

# The file "f" is refused as input and output, and stays as it is.
refused() {
	[ "$status" = 125 ]
	holds errors "bibuf: input file is output file"
	cmp f copy
}

@test "A32: a file appended to itself is refused" {
	seq 1 100000 >f
	cp f copy
	ln f hard
	ln -s f soft
	for name in f hard soft; do
		status=0
		(
			ulimit -f 10000
			exec timeout 60 "$B" <f >>$name
		) 2>errors || status=$?
		refused
	done
}

@test "A32: a file copied behind where it is read is refused" {
	seq 1 100000 >f
	cp f copy
	status=0
	status=0
	{
		head -c 10 copy
		timeout 60 "$B" <f || status=$?
	} 1<>f 2>errors
	refused
}

@test "A32: a file copied before where it is read is not refused" {
	printf abcdef >f
	{
		read -r -N 3 _
		"$B" 1<>f
	} <f
	holds f defdef
	"$B" <f 1<>f
	holds f defdef
}

@test "A32: a file that the shell has emptied is not refused" {
	echo x >f
	"$B" <f >f
	holds f ""
	"$B" <f >>f
	holds f ""
}

@test "A32: another file of the same content is not refused" {
	echo x >f
	echo x >g
	"$B" <f >>g
	holds g $'x\nx'
}

@test "A32: a command that has both is its own affair" {
	echo x >f
	"$B" -- head -n 1 <f >>f
	holds f $'x\nx'
}

@test "a filter leaves its input at the end" {
	seq 1 100000 >f
	{
		"$B" >out
		cat >rest
	} <f
	cmp f out
	holds rest ""
}

@test "A67: the command gets its input" {
	echo msg | "$B" -- cat >out
	holds out msg
	emit -n 1000000 | "$B" -- cat | slurp -n 1000000
	emit -n 1000000 >in
	"$B" -- cat <in | slurp -n 1000000
}

@test "A68: what the command does not read is there for the next one" {
	echo hello >in
	{
		"$B" -- true
		cat
	} <in >out
	holds out hello
	echo hello | {
		"$B" -- true
		cat
	} >out
	holds out hello
	printf 'a\nb\n' | {
		"$B" -- sh -c 'read -r line; echo "$line"'
		cat
	} >out
	holds out $'a\nb'
}

@test "A66: two million lines through sort do not lock up" {
	seq 1 2000000 | timeout 60 "$B" -- sort >out
	seq 1 2000000 | sort | cmp - out
}

@test "A66: a reader that starts when the command has had all its input" {
	{
		emit -n 4000000
		touch fed
	} | "$B" -- cat | {
		wait_for test -e fed
		slurp -n 4000000
	}
}

@test "ten in a row" {
	emit -n 20000000 | "$B" | "$B" | "$B" -b 4096 | "$B" | "$B" -n 2 |
		"$B" | "$B" -b 100 | "$B" -n 2 -b 4097 | "$B" | "$B" |
		slurp -n 20000000
}

@test "ten around one another" {
	"$B" "$B" "$B" "$B" "$B" "$B" "$B" "$B" "$B" "$B" emit -n 20000000 |
		slurp -n 20000000
	status=0
	"$B" "$B" "$B" "$B" "$B" "$B" "$B" "$B" "$B" "$B" sh -c 'exit 7' ||
		status=$?
	[ "$status" = 7 ]
}

# The descriptors of a process.
descriptors() {
	ls "/proc/$1/fd"
}

@test "A105: what a command alone needs is the command's alone" {
	mkfifo in side out
	exec 5<>out 6<>in 7<>side
	start perl -e "$notice" >in 5>&- 6>&- 7>&-
	writer=$pid
	start cat side >side_text 5>&- 6>&- 7>&-
	beside=$pid
	# Memory has what the command wrote; nobody reads it.
	start "$B" -- sh -c 'echo text >&9; emit -n 3000000' \
		<in >out 9>side 5>&- 6>&- 7>&-
	exec 6>&- 7>&-
	wait "$writer"
	wait "$beside"
	holds side_text text
	run ! gone "$pid"
	slurp -a 3000000 -r 10000 <&5
	reap "$pid"
	[ "$status" = 0 ]
}

@test "A105: the same where the system does not list what is open" {
	refuse getdents64 ENOSYS || skip "no filters of system calls"
	mkfifo gate
	refuse getdents64 EPERM "$B" -- sh -c 'touch started; read -r _ <gate' \
		9<>gate 3>&- 200>side &
	wait_for test -e started
	wait_for asleep $!
	descriptors $! >held
	run ! has_line held 0
	run ! has_line held 9
	run ! has_line held 200
	echo >gate
	wait $!
}

@test "an output that takes messages as a whole" {
	for options in "" "-b 4M -n 2"; do
		# shellcheck disable=SC2086
		timeout 60 perl -MSocket -e '
			socketpair my $ours, my $theirs, AF_UNIX,
				SOCK_SEQPACKET, 0 or die;
			my $pid = fork // die;
			if ($pid == 0) {
				open STDOUT, ">&", $theirs or die;
				exec @ARGV or exit 99;
			}
			close $theirs;
			while (sysread $ours, my $part, 1 << 20) {
				print $part;
			}
			waitpid $pid, 0;
			exit $? >> 8;
		' "$B" $options -- emit -n 5000000 | slurp -n 5000000
		[ "${PIPESTATUS[*]}" = "0 0" ]
	done
}
