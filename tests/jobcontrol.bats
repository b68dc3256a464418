# SPDX-License-Identifier: MIT
# On a terminal bibuf and its command are one job, as the command alone is.
#
# shellcheck disable=SC2016 # what inner shells expand

load helper
load process

@test "A55: Ctrl-Z stops both, fg resumes both" {
	tty_start "$B" -- sh -c 'echo $$ >child; exec sigshow -x QUIT=6'
	wait_for shown ready
	for _ in 1 2 3; do
		tty_do ^Z
		tty_expect "stopped 20"
		wait_for stopped "$(cat child)"
		tty_do fg
		tty_expect "continued"
		run ! stopped "$(cat child)"
	done
	tty_do "^\\"
	tty_expect "exited 6"
	# It gets what the terminal and the shell sent.
	shown "QUIT kernel"
	shown "CONT user"
}

@test "A55: no byte is lost meanwhile" {
	tty_start sh -c 'exec "$B" -b 5000 -- emit -c 3000 -p 500 >out'
	for _ in 1 2 3; do
		wait_for_more out
		tty_do ^Z
		tty_expect "stopped 20"
		tty_do fg
		tty_expect "continued"
	done
	wait_for_more out
	tty_do ^C
	tty_expect "killed 2"
	slurp <out
}

@test "A55: bg lets it go on" {
	mkfifo gate
	tty_start -t sh -c 'exec "$B" -- sh -c "echo \$\$; exec cat gate" >out'
	wait_for filled out
	tty_do ^Z
	tty_expect "stopped 20"
	wait_for stopped "$(cat out)"
	tty_do bg
	tty_expect "continued"
	echo end >gate
	tty_expect "exited 0"
	has_line out end
}

@test "A55: a filter" {
	tty_start "$B"
	for word in one two three; do
		tty_do type $word
		wait_for shown_twice $word
		tty_do ^Z
		tty_expect "stopped 20"
		tty_do fg
		tty_expect "continued"
	done
	tty_do ^D
	tty_expect "exited 0"
}

@test "signals of job control that are sent to bibuf act on it alone" {
	tty_start sh -c 'exec "$B" -- sigshow -x TERM=0 >log'
	wait_for has_line log ready
	bibuf=$(parent_of sigshow)
	for name in TSTP TTIN TTOU STOP; do
		kill -$name "$bibuf"
		tty_expect "stopped $(kill -l $name)"
		run ! stopped "$(processes sigshow)"
		kill -CONT "$bibuf"
		tty_expect "continued"
	done
	kill -TERM "$bibuf"
	tty_expect "exited 0"
	run ! grep CONT log
}

@test "A59: Ctrl-C reaches the command once" {
	tty_start sh -c 'exec "$B" -- sigshow -x TERM=4 >log'
	wait_for has_line log ready
	expected=(blocked ignored ready)
	for _ in 1 2 3; do
		for name in INT QUIT WINCH; do
			case $name in
			INT) tty_do ^C ;;
			QUIT) tty_do "^\\" ;;
			# A size that it did not have.
			WINCH) tty_do size ${#expected[@]} 80 ;;
			esac
			expected+=("$name kernel 0")
			wait_for has_lines log ${#expected[@]}
		done
	done
	kill -TERM "$(parent_of sigshow)"
	tty_expect "exited 4"
	printf '%s\n' "${expected[@]}" "TERM user 0" | diff - log
}

@test "A59: Ctrl-C ends both" {
	for key in C "\\"; do
		rm -f child orders events screen
		(
			ulimit -c 0
			tty_start "$B" -- sh -c 'echo $$ >child; exec sleep 60'
			wait_for filled child
			tty_do "^$key"
			case $key in
			C) tty_expect "killed 2" ;;
			*) tty_expect "killed 3" ;;
			esac
			reaped "$(cat child)"
		)
	done
}

@test "A59: Ctrl-C ends a filter" {
	tty_start "$B"
	tty_do type word
	wait_for shown_twice word
	tty_do ^C
	tty_expect "killed 2"
}

@test "Ctrl-C ends a script whose command it has killed" {
	tty_start bash -c '"$B" -- sh -c "echo up; exec sleep 60"; echo went on'
	wait_for shown up
	tty_do ^C
	tty_expect "killed 2"
	run ! shown "went on"
}

@test "Ctrl-C does not end a script whose command goes on" {
	mkfifo gate
	tty_start bash -c '"$B" -- sh -c "
			trap \"echo caught\" INT
			echo up
			read -r _ <gate || read -r _ <gate
			exit 3"
		echo "then $?"'
	wait_for shown up
	tty_do ^C
	wait_for shown ^C
	echo >gate
	tty_expect "exited 0"
	shown caught
	shown "then 3"
}

@test "A61: Ctrl-C at any moment of the start" {
	# Looking for the command takes long.
	long=$(printf '/no%d:' {1..5000})
	for _ in {1..40}; do
		rm -f orders events
		tty_start env PATH="$long$PATH" "$B" -- sleep 60
		sleep "0.0$((RANDOM % 30 + 10))"
		tty_do ^C
		tty_expect "killed 2"
	done
}

@test "Ctrl-C reaches a command that has a process group of its own" {
	tty_start "$B" -- timeout 60 sh -c "echo up >up; exec sleep 60"
	wait_for filled up
	tty_do ^C
	tty_expect "killed 2"
}

@test "Ctrl-C ends a pipeline" {
	tty_start sh -c '"$B" -- yes | "$B" | { sleep 60; cat; } >out'
	wait_for runs yes
	tty_do ^C
	tty_expect "killed 2"
}

@test "a hang-up reaches the command once" {
	tty_start -l sh -c '"$B" -- sigshow >log; :'
	wait_for has_line log ready
	tty_do hangup
	tty_expect "killed 1"
	wait_for has_line log "CONT kernel 0"
	kill -USR1 "$(parent_of sigshow)"
	wait_for has_line log "USR1 user 0"
	printf '%s\n' blocked ignored ready "HUP kernel 0" "CONT kernel 0" \
		"USR1 user 0" | diff - log
}

@test "a hang-up when bibuf is the first on the terminal" {
	tty_start -l sh -c 'exec "$B" -- sh -c "echo up >up; exec sleep 60"'
	wait_for filled up
	tty_do hangup
	tty_expect "killed 1"
}

@test "a hang-up of bibuf as a filter" {
	tty_start -l "$B"
	tty_do type word
	wait_for shown_twice word
	tty_do hangup
	tty_expect "killed 1"
}

@test "A62: a hang-up that nohup has forbidden" {
	mkfifo gate
	tty_start -l sh -c 'nohup "$B" -- sh -c "
			echo up; cat gate; exit 5" >out
		echo $? >status'
	wait_for filled out
	tty_do hangup
	tty_expect "killed 1"
	echo end >gate
	wait_for has_line out end
}

@test "A56: in the background" {
	for option in -b -bt; do
		rm -f orders events screen
		tty_start $option sh -c 'exec "$B" -- sh -c "echo done" >out'
		tty_expect "exited 0"
		holds out 'done'
	done
}

@test "A56: as a filter in the background" {
	seq 1000 >in
	tty_start -bt sh -c 'exec "$B" <in >out'
	tty_expect "exited 0"
	cmp in out
}

@test "writing to the terminal from the background" {
	mkfifo gate
	tty_start -bt "$B" -- sh -c "seq 200; exec cat gate"
	tty_expect "stopped 22"
	tty_do fg
	tty_expect "continued"
	: >gate
	tty_expect "exited 0"
	tr -d '\r' <screen | diff - <(seq 200)
}

@test "writing to the terminal from the background, without tostop" {
	tty_start -b "$B" -- seq 200
	tty_expect "exited 0"
	tr -d '\r' <screen | diff - <(seq 200)
}

@test "reading the terminal from the background" {
	for command in "-- cat" ""; do
		rm -f orders events screen
		# shellcheck disable=SC2086
		tty_start -b "$B" $command
		# A filter waits in poll(2) first, which does not stop it.
		tty_do type word
		tty_expect "stopped 21"
		tty_do fg
		tty_expect "continued"
		wait_for shown_twice word
		tty_do ^D
		tty_expect "exited 0"
	done
}

@test "A57: the terminal's modes stay as they were" {
	tty_start sh -c 'stty -g >before
		seq 9 | "$B" | "$B" | "$B" >/dev/null
		"$B" -- seq 9
		stty -g >after'
	tty_expect "exited 0"
	cmp before after
}

@test "A58: an interactive shell as the command" {
	tty_start "$B" -- bash --norc -ic 'echo ok; (exit 3)'
	tty_expect "exited 3"
	shown ok
	run ! grep -qi -e "job control" -e "inappropriate ioctl" screen
}

@test "A58: a command that asks for a password" {
	tty_start "$B" -- sh -c 'stty -echo </dev/tty
		printf "Password: " >/dev/tty
		read -r word </dev/tty
		stty echo </dev/tty
		echo "got $word"'
	wait_for shown Password:
	tty_do type secret
	tty_expect "exited 0"
	shown "got secret"
	run ! grep -q '^secret' screen
}

@test "A73: terminals of odd sizes" {
	for columns in 0 1 500; do
		rm -f orders events screen
		tty_start sh -c "stty cols $columns
			exec \"\$B\" -- sh -c 'seq 9; exec sigshow -n 1'"
		wait_for shown ready
		tty_do size 3 $((columns + 1))
		tty_expect "exited 0"
		shown "WINCH kernel 0"
	done
}

# The bytes that a process has written, so far.
written() {
	sed -n 's/^wchar: //p' "/proc/$1/io"
}

@test "A106: Ctrl-C ends what nobody wants to see" {
	skip_if_sanitized
	tty_start "$B" -- sh -c 'echo $$ >child; exec emit'
	tty_do look away
	wait_for filled child
	wait_for asleep "$(cat child)"
	# Not much is read ahead for somebody who looks at it.
	(($(written "$(cat child)") <= 1500000))
	tty_do ^C
	tty_expect "killed 2"
	gone "$(cat child)"
}

@test "A106: so does a signal that is passed on" {
	tty_start sh -c 'echo $$ >job; exec "$B" -m 4M -- \
		sh -c "echo \$\$ >child; exec emit"'
	tty_do look away
	wait_for filled child
	wait_for asleep "$(cat child)"
	kill -TERM "$(cat job)"
	tty_expect "killed 15"
}

@test "a command that stops itself: bibuf waits until it goes on" {
	start_watched "$B" -- \
		sh -c 'echo before; kill -STOP $$; echo after; exit 3' >out
	wait_for holds out before
	command=$(pgrep -P "$(cat pid)")
	wait_for stopped "$command"
	run ! stopped "$(cat pid)"
	kill -CONT "$command"
	ended "exited 3"
	[ "$(cat out)" = $'before\nafter' ]
}
