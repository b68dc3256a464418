# SPDX-License-Identifier: MIT
# The command is found and started as env(1) would, and gets what it would get
# without bibuf.

load helper
load process

setup() {
	helper_setup
	# What the PATH is set to in the tests need not have it.
	env=$(type -P env)
}

# Make a script that prints its name, its first line and its arguments.
script() {
	printf '%s\nprintf "<%%s>\\n" "%s" "$@"\n' "$2" "$1" >"$1"
	chmod +x -- "$1"
}

# Run a command with env and with bibuf, each itself run by env with the given
# settings up to "--": the same output and the same status, and one line of
# errors at most.
as_env() {
	local settings=() expected=0 status=0

	while [ "$1" != -- ]; do
		settings+=("$1")
		shift
	done
	shift
	"$env" "${settings[@]}" "$env" -- "$@" >expected 2>/dev/null ||
		expected=$?
	"$env" "${settings[@]}" "$B" -- "$@" >out 2>errors || status=$?
	cat out errors
	echo "status $status, expected $expected"
	[ "$status" = "$expected" ] && cmp expected out
	(($(wc -l <errors) <= 1))
}

# Fail, with 126 or 127, saying one line that begins with bibuf and the command.
refuses() {
	local expected=$1 status=0

	shift
	"$B" -- "$@" >out 2>errors || status=$?
	cat out errors
	[ "$status" = "$expected" ]
	[ "$(wc -l <errors)" = 1 ]
	[[ $(cat errors) == "bibuf: $1: "* ]]
	holds out ""
}

@test "A16: a later entry of the PATH, if an earlier one is not executable" {
	mkdir d1 d2
	echo x >d1/zz
	script d2/zz '#!/bin/sh'
	as_env PATH="$PWD/d1:$PWD/d2:$PATH" -- zz
	holds out "<d2/zz>"
}

@test "A16: only one that is not executable" {
	mkdir d1
	echo x >d1/zz
	as_env PATH="$PWD/d1:$PATH" -- zz
	PATH=$PWD/d1:$PATH refuses 126 zz
	refuses 126 d1/zz
}

@test "PATH: the first that has the command" {
	mkdir d1 d2
	script d1/zz '#!/bin/sh'
	script d2/zz '#!/bin/sh'
	as_env PATH="$PWD/d1:$PWD/d2:$PATH" -- zz
	holds out "<d1/zz>"
}

@test "PATH: empty entries are the working directory" {
	script zz '#!/bin/sh'
	for path in "" : :/no /no: /no::/no ::: .; do
		as_env PATH="$path" -- zz
		holds out "<zz>"
	done
	for path in /no /no:/nowhere /; do
		as_env PATH="$path" -- zz
		holds out ""
	done
}

@test "PATH: not set" {
	script zz '#!/bin/sh'
	as_env -u PATH -- sh -c 'echo found'
	holds out found
	as_env -u PATH -- zz
	holds out ""
	as_env -u PATH -- ./zz
	holds out "<zz>"
}

@test "PATH: a directory of that name" {
	mkdir -p d1/zz d2
	script d2/zz '#!/bin/sh'
	as_env PATH="$PWD/d1:$PWD/d2:$PATH" -- zz
	holds out "<d2/zz>"
	as_env PATH="$PWD/d1:$PATH" -- zz
	PATH=$PWD/d1:$PATH refuses 126 zz
	refuses 126 d1/zz
	refuses 126 /
	refuses 126 .
}

@test "PATH: entries that are files, links or do not exist" {
	mkdir d2
	script d2/zz '#!/bin/sh'
	: >file
	ln -s nowhere dangling
	ln -s loop loop
	ln -s d2 link
	for first in file dangling no link d2/zz; do
		as_env PATH="$PWD/$first:$PWD/d2:$PATH" -- zz
		holds out "<d2/zz>"
	done
	as_env PATH="$PWD/loop:$PWD/d2" -- zz
}

@test "PATH: a directory that may not be searched" {
	mkdir locked d2
	script locked/zz '#!/bin/sh'
	script d2/zz '#!/bin/sh'
	# To root it is like any other.
	chmod 0 locked
	as_env PATH="$PWD/locked:$PWD/d2:$PATH" -- zz
	as_env PATH="$PWD/locked:$PATH" -- zz
	as_env PATH="$PATH" -- ./locked/zz
	chmod 700 locked
}

@test "PATH: names and entries that are too long" {
	mkdir d2
	script d2/zz '#!/bin/sh'
	long=$(printf %5000s "" | tr ' ' x)
	as_env PATH="$PATH" -- "${long:0:255}"
	as_env PATH="$PATH" -- "${long:0:256}"
	as_env PATH="$PATH" -- "/${long:0:256}"
	as_env PATH="/${long:0:255}:$PWD/d2:$PATH" -- zz
	as_env PATH="/$long:$PWD/d2:$PATH" -- zz
}

@test "PATH: a name with a slash is not looked for" {
	mkdir -p d1/sub
	script d1/sub/zz '#!/bin/sh'
	as_env PATH="$PWD/d1:$PATH" -- sub/zz
	PATH=$PWD/d1:$PATH refuses 127 sub/zz
}

@test "A17: a script without #! is run by sh" {
	script zz ""
	as_env PATH="$PATH" -- ./zz
	holds out "<zz>"
	as_env PATH="$PATH" -- "$PWD/zz" "a  b" "" "*" -c --
	[ "$(wc -l <out)" = 6 ]
}

@test "A17: also one found through the PATH" {
	mkdir d1 d2
	echo x >d1/zz
	script d2/zz ""
	as_env PATH="$PWD/d1:$PWD/d2:$PATH" -- zz 1 "2 3"
	holds out $'<d2/zz>\n<1>\n<2 3>'
	script -zz ""
	as_env PATH=":$PATH" -- -zz 1
	mkdir d3
	# shellcheck disable=SC2016
	printf 'echo "$0"\nexit 7\n' >d3/yy
	chmod +x d3/yy
	as_env PATH="$PWD/d3:$PATH" -- yy
	holds out "$PWD/d3/yy"
}

@test "A17: what is no script either" {
	: >nothing
	printf '\177ELF\1\1\1' >broken
	printf '\0\1\2\n\3' >bytes
	chmod +x nothing broken bytes
	for file in nothing broken bytes; do
		as_env PATH="$PATH" -- ./$file || {
			# sh says so itself, perhaps at length.
			[ $file != nothing ]
			holds expected "$(cat out)"
		}
	done
}

@test "A18: an interpreter that does not exist" {
	script zz '#!/no/such/interpreter'
	as_env PATH="$PATH" -- ./zz
	refuses 127 ./zz
	PATH=$PWD:$PATH refuses 127 zz
}

@test "A18: an interpreter that can not be run" {
	: >plain
	script zz "#!$PWD/plain"
	as_env PATH="$PATH" -- ./zz
	refuses 126 ./zz
	script zz "#!$PWD"
	as_env PATH="$PATH" -- ./zz
	refuses 126 ./zz
}

@test "an interpreter with an argument" {
	printf '#!/bin/sh -e\nfalse\necho "went on"\n' >zz
	chmod +x zz
	as_env PATH="$PATH" -- ./zz
	holds out ""
}

@test "A19: a command that is not there" {
	refuses 127 ./not.here
	refuses 127 no-such-command
	refuses 127 ""
	refuses 127 --
	refuses 127 -V
	refuses 126 /dev/null/file
	for name in ./not.here no-such-command "" /dev/null/file; do
		as_env PATH="$PATH" -- "$name"
	done
}

@test "A20: bibuf's own failures have a status of their own" {
	for options in --bogus -x "-b 0"; do
		# shellcheck disable=SC2086
		run -125 "$B" $options -- touch started
	done
	[ ! -e started ]
}

@test "A23: when standard error can not be written" {
	ends "exited 127" "$B" -- no-such-command 2>/dev/full
	ends "exited 126" "$B" -- / 2>/dev/full
	ends "exited 125" "$B" --bogus 2>/dev/full
	ends "exited 127" "$B" -- no-such-command 2>&-
	ends "exited 126" "$B" -- / 2>&-
	ends "exited 125" "$B" --bogus 2>&-
}

@test "arguments and environment that are too large together" {
	# A name of three thousand bytes, which is on no command line.
	dir=$PWD
	for _ in $(seq 15); do
		dir+=/$(printf %200s "" | tr ' ' d)
	done
	mkdir -p "$dir"
	cp "$(type -P true)" "$dir/zz"
	# shellcheck disable=SC2030
	PATH=$dir:$PATH
	# A quarter of the stack is for them (execve(2)).
	ulimit -S -s 1024
	A=$(printf %120000s "")
	export A
	# How much more is just not too much for bibuf itself?
	low=0 high=260000
	while ((high - low > 1)); do
		middle=$(((low + high) / 2))
		if C=${A:0:middle/2} D=${A:0:middle-middle/2} "$B" -V \
			>/dev/null 2>&1; then
			low=$middle
		else
			high=$middle
		fi
	done
	low=$((low - 500))
	status=0
	C=${A:0:low/2} D=${A:0:low-low/2} "$B" -- zz >out 2>errors || status=$?
	unset A
	cat errors
	[ "$status" = 126 ]
	[[ $(cat errors) == "bibuf: zz: "* ]]
	[ "$(wc -l <errors)" = 1 ]
}

@test "arguments are as they were" {
	# shellcheck disable=SC1003,SC2016
	as_env A=1 -- printf '<%s>' "" " " "a  b" $'\n' $'\t\r' $'\377\1' \
		- -- -n -h '*' '$x' '\' "'" '"' ""
	# shellcheck disable=SC2046
	as_env A=1 -- printf '<%s>' $(seq 20000)
	"$B" -- sh -c 'tr "\0" "\n" </proc/$$/cmdline' name "" "x y" >out
	[[ $(cat out) == sh$'\n'-c$'\n'*$'\n'name$'\n\n'"x y" ]]
}

@test "the environment is as it was" {
	as_env -i -- "$env"
	# shellcheck disable=SC2031
	as_env -i A= B="x y" C=$'two\nlines' D==x 'E.-e=1' F=$'\377' "PATH=$PATH" \
		POSIXLY_CORRECT=1 -- env -0
	as_env A=1 -- env -0
}

@test "the working directory" {
	mkdir sub gone
	cd sub
	as_env A=1 -- pwd -P
	# One that is gone is no obstacle.
	cd ../gone
	rmdir ../gone
	[ "$("$B" -- echo ok)" = ok ]
}

@test "umask, priority and limits" {
	umask 027
	ulimit -S -n 200
	ulimit -S -c 0
	ulimit -S -f 10000
	as_env A=1 -- bash -c 'umask; ulimit -a; ulimit -Ha'
	as_env A=1 -- cat /proc/self/limits
	expected=$(nice -n 3 nice)
	[ "$(nice -n 3 "$B" -- nice)" = "$expected" ]
}

@test "process group, session and terminal" {
	# shellcheck disable=SC2016
	"$B" -- sh -c 'for pid in $$ $PPID; do
			read -r stat </proc/$pid/stat
			set -- ${stat##*) }
			echo "$3 $4 $5 $6"
		done' >out
	[ "$(wc -l <out)" = 2 ]
	[ "$(uniq out | wc -l)" = 1 ]
	# shellcheck disable=SC2016
	start_watched "$B" -- sh -c 'echo $PPID' >out
	ended "exited 0"
	holds out "$(cat pid)"
}

@test "affinity, timers and privileges" {
	as_env A=1 -- grep -E \
		'^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp|Cpus|Mems)' \
		/proc/self/status
	as_env A=1 -- cat /proc/self/timerslack_ns /proc/self/oom_score_adj
}

# Compare what the command gets of signals.
signals_as_env() {
	as_env "$@" -- grep -E '^(SigPnd|ShdPnd|SigBlk)' /proc/self/status
	# Not SigIgn: posix_spawn(3) of the GNU C library sets the two signals
	# ignored that the library keeps to itself, 32 and 33.
	as_env "$@" -- sigshow -n 0
}

@test "signals that are blocked or ignored" {
	signals_as_env A=1
	signals_as_env --ignore-signal=PIPE
	grep -qx "ignored PIPE" out
	signals_as_env --block-signal=TERM
	grep -qx "blocked TERM" out
	signals_as_env --ignore-signal=HUP
	signals_as_env --ignore-signal=INT,QUIT --block-signal=USR1,PIPE,CHLD
	signals_as_env --block-signal=SEGV,TSTP,CONT,WINCH,XFSZ
	signals_as_env --ignore-signal=RTMIN+3 --block-signal=RTMAX
}

@test "all signals blocked" {
	signals_as_env --block-signal
}

@test "all signals ignored" {
	# A sanitizer handles faults itself.
	skip_if_sanitized
	# SIGCHLD alone is set to its default: bibuf(1), CAVEATS.
	signals_as_env --ignore-signal --default-signal=CHLD
	signals_as_env --ignore-signal --default-signal=CHLD --block-signal
}

@test "A64: the command can wait for its own children" {
	# shellcheck disable=SC2016
	ends "exited 4" "$B" -- sh -c 'sh -c "exit 4"; exit $?'
	# shellcheck disable=SC2016
	ends "exited 4" timeout 10 env --ignore-signal=CHLD \
		"$B" -- sh -c 'sh -c "exit 4"; exit $?'
	ends "exited 3" env --block-signal=CHLD "$B" -- sh -c 'exit 3'
	env --ignore-signal=CHLD "$B" -- sigshow -n 0 >out
	has_line out "ignored"
}

@test "descriptors are the caller's" {
	exec 5<"$BATS_TEST_FILENAME" 9>file 8<>another
	fds | sed '/^1 /d' >expected
	"$B" -- fds | sed '/^1 /d' >out
	diff expected out
	fds <&- 2>&- | sed '/^1 /d' >expected
	"$B" -- fds <&- 2>&- | sed '/^1 /d' >out
	diff expected out
}
