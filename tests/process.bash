# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the bats files share that look at processes: how one ended, and a
# terminal. To be loaded after helper.bash.

# Did the command of watched (watched.c) end so: "exited 3", "killed 15"?
ended() {
	wait_for test -e ended
	holds ended "$1" || {
		echo "# $(cat ended), expected $1" >&3
		return 1
	}
}

# Run a command and compare how it ends.
ends() {
	local expected=$1

	shift
	watched "$@" 3>&-
	ended "$expected"
}

# Start a command; ended() tells how it ends. It is not $pid but $(cat pid).
start_watched() {
	rm -f pid ended
	start watched "$@"
	wait_for test -e pid
}

# Does the file have this line?
has_line() {
	grep -qsxF -e "$2" "$1"
}

# Has the file so many lines?
has_lines() {
	(($(wc -l <"$1") == $2))
}

# Has the file more bytes than so many?
larger() {
	[ -e "$1" ] && (($(size "$1") > $2))
}

# Wait until a file, which may not be there yet, has more than it has now.
wait_for_more() {
	local bytes=0

	[ ! -e "$1" ] || bytes=$(size "$1")
	wait_for larger "$1" "$bytes"
}

# Is there no such process, not even a zombie?
reaped() {
	[ -z "$(state "$1")" ]
}

# Is the file there, and not empty?
filled() {
	[ -s "$1" ]
}

# Fill a pipe, standard output, to the brim, as a consumer that is stuck has it.
# Nobody must be reading it.
fill_pipe() {
	perl -MFcntl -e '
		my $flags = fcntl(STDOUT, F_GETFL, 0);
		fcntl(STDOUT, 1031, 1 << 20);	# F_SETPIPE_SZ
		fcntl(STDOUT, F_SETFL, $flags | O_NONBLOCK);
		1 while syswrite STDOUT, "x" x 4096;
		fcntl(STDOUT, F_SETFL, $flags)'
}

# A perl program that waits until its standard output has lost its
# reader, and then makes the file "noticed".
# shellcheck disable=SC2016,SC2034
notice='use IO::Poll qw(POLLERR);
	my $poll = IO::Poll->new;
	$poll->mask(STDOUT, POLLERR);
	$poll->poll(60) > 0 or die "nobody left";
	open my $file, ">", "noticed" or die;
	close $file;'

# Start a command on a terminal (terminal.c) with the given options; what the
# terminal shows is in the file "screen".
tty_start() {
	mkfifo orders events
	terminal -o screen "$@" <orders >events 3>&- &
	# Each of them waits for the other end.
	exec 7>orders 8<events
}

# Give the terminal an order.
tty_do() {
	echo "$*" >&7
}

# The next thing that becomes of the command is this.
tty_expect() {
	local event

	read -r -t 60 -u 8 event || event="nothing"
	echo "$event, expected $1"
	[ "$event" = "$1" ]
}

# Has the terminal shown this text?
shown() {
	grep -qsF -e "$1" screen
}

# Has it shown a word twice: its echo, and what came of it?
shown_twice() {
	[ "$(grep -csF -e "$1" screen)" = 2 ]
}

# Print the processes of this test that run a program of this name.
processes() {
	local pid comm

	for pid in $(left_behind); do
		{ read -r comm <"/proc/$pid/comm"; } 2>/dev/null || continue
		[ "$comm" != "$1" ] || echo "$pid"
	done
}

# Does one run?
runs() {
	[ -n "$(processes "$1")" ]
}

# Print the parent of the one process that runs it.
parent_of() {
	status_of "$(processes "$1")" PPid
}

# Has the process no child, not even a dead one?
childless() {
	[ -z "$(pgrep -P "$1")" ]
}
