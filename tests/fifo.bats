#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --fifo: the stream is served to whoever opens a path.

# $path, $pid and the like are set in each test, a subshell; other shells and perl
# expand what is in single quotes.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

load helper
load process

setup() {
	helper_setup
	set -o pipefail
	# Whatever is left behind will be seen here.
	unset XDG_RUNTIME_DIR
	export TMPDIR=$BATS_TEST_TMPDIR/names
	mkdir "$TMPDIR"
}

# Start bibuf with a path to be told, and read it. The pipe it is told through
# stays open as descriptor 6.
serve() {
	exec 6< <(exec env --default-signal=INT,QUIT "$B" --fifo "$@" 3>&-)
	pid=$!
	IFS= read -r -t 60 -u 6 path
}

# The same as a filter of what is in the FIFO "in", where nothing is.
serve_silence() {
	rm -f in
	mkfifo in
	exec 5<>in
	serve <in 5>&-
}

# bibuf and the reader have ended well, and nothing is left of the names.
served() {
	reap "$pid"
	[ "$status" = "$1" ]
	nothing_left
}

nothing_left() {
	[ -z "$(ls -A "$TMPDIR")" ]
}

mode() {
	stat -c %a "$1"
}

@test "the FIFO is ours alone, in a directory of its own" {
	umask 022
	serve -- echo text
	[ "${path#"$TMPDIR"/bibuf.}" != "$path" ]
	[ -p "$path" ]
	[ "$(mode "$path")" = 600 ]
	[ "$(mode "$(dirname "$path")")" = 700 ]
	[ "$(cat "$path")" = text ]
	served 0
}

@test "only the path and a newline are told, and then the end" {
	serve -- echo text
	run ! read -r -t 60 -u 6 rest
	[ -z "${rest-}" ]
	[ "$(cat "$path")" = text ]
	served 0
}

# Is descriptor 1 of bibuf, while it waits, nothing but a mark of the FIFO?
place_kept() {
	[ "$(readlink "/proc/$pid/fd/1")" = "$path" ]
}

@test "the place of standard output is kept for the FIFO" {
	serve -- echo text
	wait_for place_kept
	[ "$(cat "$path")" = text ]
	served 0
}

@test "XDG_RUNTIME_DIR comes first, /tmp last" {
	mkdir run
	XDG_RUNTIME_DIR=$PWD/run serve -- true
	[ "$(dirname "$(dirname "$path")")" = "$PWD/run" ]
	cat "$path"
	served 0
	[ -z "$(ls -A run)" ]

	TMPDIR='' XDG_RUNTIME_DIR='' serve -- true
	[ "$(dirname "$(dirname "$path")")" = /tmp ]
	cat "$path"
	served 0
	[ ! -e "$path" ]
}

@test "the name is gone as soon as a reader has taken a byte" {
	mkfifo gate
	serve -- sh -c 'echo first; read -r _ <gate; echo last'
	exec 7<"$path"
	read -r line <&7
	[ "$line" = first ]
	wait_for nothing_left
	run ! gone "$pid"
	echo >gate
	[ "$(cat <&7)" = last ]
	served 0
}

@test "there is one reader: a second finds no name" {
	serve -- emit -n 10000000
	slurp -n 10000000 <"$path" 7>&- &
	reader=$!
	wait_for nothing_left
	run ! cat "$path"
	wait "$reader"
	served 0
}

@test "an early reader: the name is there before a byte is" {
	mkfifo gate
	serve -- sh -c 'read -r _ <gate; emit -n 3000000'
	slurp -n 3000000 <"$path" &
	reader=$!
	wait_for asleep "$reader"
	[ -p "$path" ]
	echo >gate
	wait "$reader"
	served 0
}

@test "a late reader: the command has run ahead and ended" {
	serve -- sh -c 'emit -n 3000000; touch ready; exit 3'
	wait_for test -e ready
	run ! gone "$pid"
	slurp -n 3000000 <"$path"
	served 3
}

@test "a late reader: ahead of it memory is bounded" {
	skip_if_sanitized
	serve -b 100K -n 3 -- emit -c 10000 -n 5000000
	wait_for asleep "$pid"
	(($(status_of "$pid" VmHWM) <= 300 + 4096))
	slurp -n 5000000 <"$path"
	served 0
}

@test "a filter serves a FIFO too" {
	serve < <(emit -n 3000000)
	slurp -n 3000000 <"$path"
	served 0
}

@test "a given path: made there, nothing told, removed" {
	start "$B" --fifo=here -- emit -n 3000000 >out
	wait_for test -p here
	[ "$(mode here)" = 600 ]
	slurp -n 3000000 <here
	served 0
	[ ! -e here ]
	holds out ""
}

@test "a given path: standard output may be closed" {
	start "$B" --fifo=here -- echo text >&-
	wait_for test -p here
	[ "$(cat here)" = text ]
	served 0
}

@test "a given path: a FIFO that is there is used and stays" {
	mkfifo -m 640 here
	start "$B" --fifo=here -- echo text
	[ "$(cat here)" = text ]
	served 0
	[ "$(mode here)" = 640 ]
}

@test "a given path: the FIFO that was made is served, whatever has its name" {
	start "$B" --fifo=here -- echo text
	wait_for test -p here
	mv here there
	echo mine >here
	[ "$(cat there)" = text ]
	served 0
	holds here mine
}

@test "a given path: a FIFO that may not be written to" {
	[ "$(id -u)" != 0 ] || skip "root may write anywhere"
	mkfifo -m 400 here
	run -125 --separate-stderr "$B" --fifo=here -- true
	[ "$stderr" = "bibuf: write here: Permission denied" ]
}

@test "the umask takes nothing from the mode" {
	(
		umask 777
		serve -- echo text
		[ "$(mode "$path")" = 600 ]
		[ "$(mode "$(dirname "$path")")" = 700 ]
		[ "$(cat "$path")" = text ]
		served 0
		serve -- sh -c umask
		[ "$(cat "$path")" = 0777 ]
		served 0
	)
}

@test "A108: a TMPDIR that is a link, or relative, or ends with a slash" {
	ln -s "$TMPDIR" link
	TMPDIR=$PWD/link serve -- echo text
	[ "${path#"$PWD"/link/bibuf.}" != "$path" ]
	[ "$(cat "$path")" = text ]
	served 0
	TMPDIR=$PWD/link/ serve -- echo text
	[ "$(cat "$path")" = text ]
	served 0
	TMPDIR=names serve -- echo text
	[ "${path#"$TMPDIR"/bibuf.}" != "$path" ]
	[ "$(cat "$path")" = text ]
	served 0
}

@test "A107: an XDG_RUNTIME_DIR that is of no use: the next place" {
	touch file
	mkdir two
	for place in "$PWD/missing" "$PWD/file" two \
		"/$(printf 'x%.0s' {1..5000})" /proc; do
		XDG_RUNTIME_DIR=$place serve -- echo text
		[ "${path#"$TMPDIR"/bibuf.}" != "$path" ]
		[ "$(cat "$path")" = text ]
		served 0
	done
}

@test "a path with a newline could not be told on a line" {
	mkdir "$TMPDIR"/$'two\nlines'
	XDG_RUNTIME_DIR=$TMPDIR/$'two\nlines' serve -- echo text
	[ "$(dirname "$(dirname "$path")")" = "$TMPDIR" ]
	[ "$(cat "$path")" = text ]
	rmdir "$TMPDIR"/$'two\nlines'
	served 0
}

@test "a reader that has come is served, whatever happens at that moment" {
	# The asker leaves by opening the FIFO.
	for i in {1..30}; do
		"$B" --fifo -- echo text | {
			read -r path
			sleep "0.04$((i % 10))"
			exec timeout 60 cat <"$path"
		} >out
		[ "${PIPESTATUS[*]}" = "0 0" ]
		holds out text
	done
	nothing_left
}

@test "one that comes when the command is killed does not wait for ever" {
	for _ in {1..30}; do
		serve -- sleep 60
		kill -TERM "$pid"
		status=0
		timeout 30 cat "$path" >out 2>errors || status=$?
		# It got the end, or there was no such name any more.
		[ "$status" -le 1 ]
		reap "$pid"
		[ "$status" = 143 ]
	done
	nothing_left
}

@test "a given path: who waits there sees the end if nothing can be started" {
	mkfifo here
	for command in no-such-command /etc/passwd; do
		start timeout 10 cat here
		reader=$pid
		wait_for runs cat
		wait_for asleep "$(processes cat)"
		status=0
		timeout 60 "$B" --fifo=here -- $command 2>errors || status=$?
		[ "$status" = 127 ] || [ "$status" = 126 ]
		reap "$reader"
		[ "$status" = 0 ]
		[ -p here ]
	done
}

@test "a given path: what is there and no FIFO is left alone" {
	echo mine >here
	mkdir there
	for path in here there; do
		run -125 --separate-stderr "$B" --fifo=$path -- touch started
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr = "bibuf: $path is there, and is not a FIFO" ]]
	done
	holds here mine
	[ ! -e started ]
}

@test "the command's status comes through" {
	for n in 0 3 124 127; do
		serve -- sh -c "echo text; exit $n"
		[ "$(cat "$path")" = text ]
		served $n
	done
	serve -- sh -c 'echo text; kill -KILL $$'
	[ "$(cat "$path")" = text ]
	served 137
}

@test "a command that fails before the reader came: the end, then the status" {
	serve -- sh -c 'touch failed; exit 4'
	wait_for test -e failed
	[ -z "$(cat "$path")" ]
	served 4
}

@test "a command that cannot be started: no path, no name, 127" {
	serve -- ./not.here 2>errors || :
	[ -z "$path" ]
	served 127
	grep -q not.here errors
}

@test "a reader that leaves early: as with a pipe" {
	serve -- yes
	[ "$(head -n 1 "$path")" = y ]
	served 141
	serve -- sh -c 'trap "" PIPE; yes 2>/dev/null; exit 6'
	[ "$(head -n 1 "$path")" = y ]
	served 6
}

@test "a reader that leaves is noticed while the command is silent" {
	serve -- perl -e 'print "x\n"; close STDERR; $| = 1; print "";
		'"$notice"' exit 6'
	[ "$(head -n 1 "$path")" = x ]
	wait_for test -e noticed
	served 6
}

@test "no reader, and the one who asked is gone" {
	mkfifo gate
	serve -- perl -e "$notice open my \$gate, '<', 'gate'; exit 6"
	exec 6<&-
	wait_for test -e noticed
	# Nobody is to wait at a name that is served no more.
	nothing_left
	run ! gone "$pid"
	: >gate
	served 6
}

@test "no reader, and the one who asked is gone: bytes were lost" {
	serve -- sh -c 'echo text; touch ready'
	wait_for test -e ready
	exec 6<&-
	served 141
}

@test "no reader, and the one who asked never was" {
	start "$B" --fifo -- sh -c 'exit 5' > >(:) 2>errors
	served 5
	holds errors ""
}

@test "no reader of a filter, and the one who asked is gone" {
	serve_silence
	exec 6<&-
	served 0
}

@test "no reader, and a signal that ends the command" {
	for name in TERM INT HUP; do
		serve -- sleep 60
		kill -$name "$pid"
		served $((128 + $(kill -l $name)))
	done
}

@test "no reader, and a signal after the command has ended" {
	serve -- sh -c 'touch ready'
	wait_for test -e ready
	wait_for asleep "$pid"
	kill -WINCH "$pid"
	[ -p "$path" ]
	kill -TERM "$pid"
	served 143
}

@test "no reader, and a signal, where the FIFO may not be read" {
	[ "$(id -u)" != 0 ] || skip "root may read anything"
	mkfifo -m 200 here
	start "$B" --fifo=here -- sleep 60
	wait_for asleep "$pid"
	kill -TERM "$pid"
	served 143
}

@test "no reader, and a signal, with no descriptor to spare" {
	# As many as it takes to wait, and from there one less each time.
	for limit in {20..6}; do
		status=0
		(
			ulimit -n "$limit"
			exec 0</dev/null 6>&- 7>&-
			exec timeout -s TERM 0.3 "$B" --fifo=here -- sleep 60
		) 2>errors || status=$?
		[ "$status" = 124 ] || [ "$status" = 125 ] || [ "$status" = 126 ]
		[ ! -e here ]
	done
}

@test "no reader, and a signal to the first process of a namespace" {
	unshare -pf true 2>/dev/null || skip "no namespaces"
	start unshare -pf "$B" --fifo=here -- sh -c 'touch ready'
	wait_for test -e ready
	first=$(pgrep -P "$pid")
	wait_for asleep "$first"
	kill -TERM "$first"
	served 143
	[ ! -e here ]
}

@test "no reader of a filter, and a signal" {
	for name in TERM INT HUP USR1; do
		serve_silence
		kill -$name "$pid"
		served $((128 + $(kill -l $name)))
	done
}

@test "a signal that the command survives: bytes wait for the reader" {
	serve -- sh -c 'trap "echo caught; exit 3" TERM; touch ready
		while :; do sleep 0.05; done'
	wait_for test -e ready
	kill -TERM "$pid"
	[ "$(cat "$path")" = caught ]
	served 3
}

@test "two hundred at once" {
	for i in {1..200}; do
		"$B" --fifo="fifo$i" -b 10K -- sh -c "seq $i 2000; exit $((i % 5))" &
		pids[i]=$!
	done
	for i in {1..200}; do
		wait_for test -p "fifo$i"
		cat "fifo$i" >"out$i" &
		readers[i]=$!
	done
	for i in {1..200}; do
		wait "${readers[i]}"
		reap "${pids[i]}"
		[ "$status" = $((i % 5)) ]
		seq "$i" 2000 | cmp - "out$i"
		[ ! -e "fifo$i" ]
	done
}

# With this TMPDIR there is one line on standard error, 125, and nothing starts.
refused() {
	TMPDIR=$1 run -125 --separate-stderr "$B" --fifo -- touch started
	[ "${#stderr_lines[@]}" = 1 ]
	[ -z "$output" ]
	[ ! -e started ]
}

@test "a TMPDIR that is missing, a file, too long, on two lines" {
	refused "$PWD/missing"
	[[ $stderr = *missing*"No such file or directory" ]]
	refused missing
	[[ $stderr = *missing*"No such file or directory" ]]
	touch file
	refused "$PWD/file"
	[[ $stderr = *file*"Not a directory" ]]
	refused "$PWD/file/"
	mkdir $'two\nlines'
	refused "$PWD"/$'two\nlines'
	[[ $stderr = *'two\nlines: Invalid argument' ]]
	refused "$PWD/$(printf 'x%.0s' {1..5000})"
	[[ $stderr = *"File name too long" ]]
	nothing_left
}

@test "a TMPDIR that may not be written to" {
	[ "$(id -u)" != 0 ] || skip "root may write anywhere"
	mkdir -m 500 closed
	refused "$PWD/closed"
	[[ $stderr = *closed*"Permission denied" ]]
}

@test "no place for the path: 125, and no name is left" {
	start "$B" --fifo -- echo text >/dev/full 2>errors
	served 125
	grep -q "No space left" errors
}

@test "an empty path is refused" {
	run -125 "$B" --fifo= -- touch started
	[ ! -e started ]
}

@test "under nohup, in the background, without a terminal" {
	exec 6< <(exec nohup setsid --wait "$B" --fifo -- \
		sh -c 'echo text; exit 3' </dev/null 2>errors 3>&-)
	pid=$!
	read -r -t 60 -u 6 path
	[ "$(cat "$path")" = text ]
	served 3
}

# A reader in another language: the interpreter, the program. It gets bibuf's
# path as its argument and prints how many lines there are, and the status.
reader() {
	command -v "$1" || skip "no $1"
	"$@" "$B" >out
	cat out
	holds out "100000 lines, status 3"
	nothing_left
}

@test "C reads a FIFO" {
	command -v cc || skip "no C compiler"
	cat >reader.c <<-'END'
		#define _POSIX_C_SOURCE 200809L
		#include <stdio.h>
		#include <string.h>
		#include <sys/wait.h>

		int main(int argc, char **argv)
		{
			char command[4096], path[4096], line[4096];
			long count = 0;

			snprintf(command, sizeof command,
			    "exec %s --fifo -- sh -c 'seq 100000; exit 3'",
			    argv[argc - 1]);
			FILE *bibuf = popen(command, "r");
			if (bibuf == NULL || fgets(path, sizeof path, bibuf) == NULL)
				return 1;
			path[strcspn(path, "\n")] = '\0';
			FILE *lines = fopen(path, "r");
			if (lines == NULL)
				return 1;
			setvbuf(lines, NULL, _IOFBF, 1 << 16);
			while (fgets(line, sizeof line, lines) != NULL)
				count++;
			fclose(lines);
			int status = pclose(bibuf);
			printf("%ld lines, status %d\n", count, WEXITSTATUS(status));
			return 0;
		}
	END
	cc -o reader reader.c
	reader ./reader
}

@test "Python reads a FIFO" {
	cat >reader.py <<-'END'
		import subprocess, sys

		command = [sys.argv[1], "--fifo", "--", "sh", "-c", "seq 100000; exit 3"]
		with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bibuf:
		    path = bibuf.stdout.readline().rstrip("\n")
		    with open(path, "rb") as lines:
		        count = sum(1 for line in lines)
		print(f"{count} lines, status {bibuf.returncode}")
	END
	reader python3 reader.py
}

@test "Node reads a FIFO" {
	cat >reader.js <<-'END'
		const { spawn } = require("child_process");
		const { once } = require("events");
		const fs = require("fs");
		const readline = require("readline");

		const bibuf = spawn(process.argv[2],
			["--fifo", "--", "sh", "-c", "seq 100000; exit 3"],
			{ stdio: ["inherit", "pipe", "inherit"] });
		(async () => {
			const ended = once(bibuf, "exit");
			const [path] = await once(
				readline.createInterface(bibuf.stdout), "line");
			let count = 0;
			const stream = fs.createReadStream(path);
			for await (const line of readline.createInterface(stream))
				count++;
			stream.destroy();
			const [code] = await ended;
			console.log(`${count} lines, status ${code}`);
		})();
	END
	reader node reader.js
}

@test "R reads a FIFO" {
	cat >reader.R <<-'END'
		command <- paste(shQuote(commandArgs(TRUE)[1]),
			"--fifo -- sh -c 'seq 100000; exit 3'")
		bibuf <- pipe(command, "r")
		stream <- file(readLines(bibuf, 1), "r", raw = TRUE)
		count <- 0L
		while (length(lines <- readLines(stream, 10000)) > 0)
			count <- count + length(lines)
		close(stream)
		# R tells the status as wait(2) does.
		cat(sprintf("%d lines, status %d\n", count, close(bibuf) %/% 256))
	END
	reader Rscript reader.R
}

@test "Ruby reads a FIFO" {
	cat >reader.rb <<-'END'
		command = [ARGV[0], "--fifo", "--", "sh", "-c", "seq 100000; exit 3"]
		count = IO.popen(command) do |bibuf|
		  File.open(bibuf.gets.chomp) { |lines| lines.each_line.count }
		end
		puts "#{count} lines, status #{$?.exitstatus}"
	END
	reader ruby reader.rb
}

@test "Perl reads a FIFO" {
	cat >reader.pl <<-'END'
		open my $bibuf, "-|", $ARGV[0], "--fifo", "--", "sh", "-c",
			"seq 100000; exit 3" or die;
		chomp(my $path = <$bibuf>);
		open my $lines, "<", $path or die;
		my $count = () = <$lines>;
		close $bibuf;
		print "$count lines, status ", $? >> 8, "\n";
	END
	reader perl reader.pl
}

@test "an opening that takes nothing is not that of the reader" {
	mkfifo gate
	for command in "echo text" "sleep 0.1; echo text" "emit -n 3000000"; do
		serve -- sh -c "$command; exit 3"
		for _ in 1 2 3; do
			: <"$path"
			sleep 0.03
		done
		[ -p "$path" ]
		cat "$path" >out
		served 3
		sh -c "$command" | cmp - out
	done
	serve < <(echo text)
	: <"$path"
	[ "$(cat "$path")" = text ]
	served 0
}

@test "an opening that takes nothing, and then nobody" {
	# The asker stays while somebody looks.
	for command in "sleep 60" "echo text; exec sleep 60"; do
		serve -- sh -c "$command"
		: <"$path"
		kill -TERM "$pid"
		served 143
	done
	serve -- sh -c 'echo text; touch ready; exit 4'
	wait_for test -e ready
	: <"$path"
	exec 6<&-
	served 4
	serve < <(sleep 0.1)
	: <"$path"
	exec 6<&-
	served 0
}

@test "--fifo-timeout: nobody comes" {
	serve --fifo-timeout=0.2s -- sh -c 'echo $$ >child; exec sleep 60'
	served 124
	gone "$(cat child)"
	serve --fifo-timeout=0 -- sh -c 'exit 3'
	served 124
	mkfifo in
	exec 5<>in
	serve --fifo-timeout=0.1 <in 5>&-
	: <"$path"
	served 124
	start "$B" --fifo=here --fifo-timeout=0.1 -- sleep 60
	served 124
	[ ! -e here ]
}

@test "--fifo-timeout: somebody comes, and takes his time" {
	serve --fifo-timeout=10s -- sh -c 'echo text; exit 3'
	[ "$(cat "$path")" = text ]
	served 3
	serve --fifo-timeout=0.1s -- sh -c 'sleep 0.3; echo text; exit 3'
	[ "$(cat "$path")" = text ]
	served 3
}

@test "no reader, and the one who asked through a named FIFO is gone" {
	mkfifo told
	start sh -c 'exec "$B" --fifo -- sh -c "exit 5" >told'
	path=$(head -n 1 told)
	served 5
	[ ! -e "$path" ]
}

@test "a path told through a named FIFO: served while it is held" {
	mkfifo told
	start sh -c 'exec "$B" --fifo -- echo text >told'
	exec 6<told
	read -r path <&6
	[ "$(cat "$path")" = text ]
	served 0
	run ! read -r -t 60 _ <&6
}

# A program with a socket to bibuf, as Node has it: it reads the path, and leaves
# when it is told so, or opens it.
# shellcheck disable=SC2016
socket_asker='use Socket;
	socketpair my $ours, my $theirs, AF_UNIX, SOCK_STREAM, 0 or die;
	my $pid = fork // die;
	if ($pid == 0) {
		open STDOUT, ">&", $theirs or die;
		exec @ARGV or exit 99;
	}
	close $theirs;
	chomp(my $path = <$ours>);
	if ($ENV{OPENS}) {
		open my $stream, "<", $path or die;
		print <$stream>;
	} else {
		close $ours;
	}
	waitpid $pid, 0;
	print $? >> 8, "\n";'

@test "the one who asked has a socket" {
	OPENS=1 timeout 60 perl -e "$socket_asker" "$B" --fifo -- \
		sh -c 'echo text; exit 3' >out
	[ "$(cat out)" = $'text\n3' ]
	timeout 60 perl -e "$socket_asker" "$B" --fifo -- \
		sh -c 'exit 5' >out
	holds out 5
	nothing_left
}

@test "the one who asked is another user" {
	[ "$(id -u)" = 0 ] || skip "only root is several users"
	dir=$(mktemp -d -p /tmp)
	cp "$B" "$dir/bibuf"
	chmod 777 "$dir"
	exec 6< <(cd "$dir" && TMPDIR=$dir exec setpriv --reuid 65431 \
		--regid 65431 --clear-groups ./bibuf --fifo -- \
		sh -c 'exit 5' 3>&-)
	pid=$!
	read -r -t 60 -u 6 path
	[ -p "$path" ]
	exec 6<&-
	served 5
	rm "$dir/bibuf"
	rmdir "$dir"
}

# Start bibuf where nothing is in /proc.
serve_without_proc() {
	unshare -rm true 2>/dev/null || skip "no namespaces"
	exec 6< <(exec unshare -rm sh -c 'mount -t tmpfs none /proc &&
		exec env --default-signal "$@"' - "$B" --fifo "$@" 3>&-)
	pid=$!
	read -r -t 60 -u 6 path
}

@test "without /proc" {
	serve_without_proc -- sh -c 'echo text; exit 3'
	: <"$path"
	[ "$(cat "$path")" = text ]
	served 3
	serve_without_proc -- sleep 60
	kill -TERM "$pid"
	served 143
	serve_without_proc -- sh -c 'exit 5'
	exec 6<&-
	served 5
	serve_without_proc --fifo-timeout=0.1 -- sleep 60
	served 124
}

@test "--fifo-timeout: a reader that comes at the last moment" {
	for i in {1..30}; do
		serve --fifo-timeout=0.04s -- sh -c 'sleep 0.2; echo text; exit 3'
		sleep "0.04$((i % 10))"
		timeout 30 cat "$path" >out 2>errors || :
		reap "$pid"
		echo "status $status, $(cat out)"
		# It has everything, or the time was over.
		if [ "$status" = 124 ]; then
			[ ! -s out ]
		else
			[ "$status" = 3 ]
			holds out text
		fi
	done
	nothing_left
}
