#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Any bytes, in any amounts and pieces, arrive as they were.

# A file is read at both ends of a pipeline; $pid and $status are helper.bash's.
# shellcheck disable=SC2094,SC2154

load helper

setup() {
	helper_setup
	set -o pipefail
}

# Send $total bytes in chunks of $chunk from a command through bibuf with the
# given options into the consumer "${consumer[@]}".
through_command() {
	"$B" "$@" -- emit "${first[@]}" -c "$chunk" -n "$total" |
		"${consumer[@]}" -n "$total"
}

# The same, as a filter.
through_filter() {
	emit "${first[@]}" -c "$chunk" -n "$total" |
		"$B" "$@" |
		"${consumer[@]}" -n "$total"
}

# How much goes through so many blocks of this size: one block more than fits.
amount() {
	case $1 in
	1) echo 2500 ;;
	*) echo $((($2 + 1) * $1 + 1234)) ;;
	esac
}

# A million writes of a byte would take long: fill the first blocks at once, up
# to shortly before the end of one, and cross that in small steps.
choose_first() {
	first=()
	if ((chunk < 100 && total > 100000)); then
		first=(-f $((total - 1234 - 1500)))
	fi
}

# One part of the grid: every size of chunk and three numbers of blocks.
grid() {
	local way=$1 block=$2 most=$3
	local blocks chunk first total

	for blocks in 2 3 16; do
		for chunk in 1 13 350 4095 4096 4097 65536 1048576; do
			total=$(amount "$block" "$blocks")
			((total <= most)) || total=$most
			choose_first
			if ! "$way" -b "$block" -n "$blocks"; then
				echo "$way, $blocks blocks of $block," \
					"chunks of $chunk, ${consumer[*]}"
				return 1
			fi
		done
	done
}

grid_of_blocks() {
	for block in 1 4096 1048576; do
		grid through_command "$block" "$1"
		grid through_filter "$block" "$1"
	done
}

@test "grid of chunks and blocks, a fast consumer" {
	consumer=(slurp -r 1000000)
	grid_of_blocks 100000000
}

@test "grid of chunks and blocks, a slow consumer" {
	consumer=(slurp -r 50000 -d 100)
	grid_of_blocks 100000000
}

@test "grid of chunks and blocks, one byte at a time" {
	consumer=(slurp -r 1)
	grid_of_blocks 5000
}

@test "A43: an empty stream" {
	"$B" -- true >out
	holds out ""
	"$B" </dev/null >out
	holds out ""
	: | "$B" >out
	holds out ""
}

@test "A44: the last byte needs no newline behind it" {
	printf abc | "$B" >out
	printf abc | cmp - out
	"$B" -- printf abc >out
	printf abc | cmp - out
}

@test "A45: NUL and carriage return are bytes like others" {
	printf 'a\0b\r\n\0' >in
	"$B" <in | cmp - in
	"$B" -- cat in | cmp - in
}

@test "every value of a byte" {
	printf '%b' "$(printf '\\x%02x' {0..255})" >in
	[ "$(size in)" = 256 ]
	"$B" -b 3 <in | cmp - in
	"$B" -b 3 -- cat in | cmp - in
}

@test "A46: 300 MB without a newline, in constant memory" {
	skip_if_sanitized
	mkfifo gate pipe
	(cmp -n 300000000 - /dev/zero <pipe && touch right) 3>&- &
	start "$B" -n 2 -- sh -c 'head -c 300000000 /dev/zero
		touch written
		read -r _ <gate' >pipe
	# The command lives on, so that the peak can be looked at.
	wait_for test -e written
	(($(status_of "$pid" VmHWM) <= 2 * 1024 + 4096))
	echo >gate
	reap "$pid"
	[ "$status" = 0 ]
	wait_for test -e right
}

@test "A47: sizes around one and two blocks" {
	for block in 1 2 3 4095 4096 4097; do
		for total in 0 1 2 3 4095 4096 4097 8191 8192 8193; do
			emit -n $total | "$B" -b $block | slurp -n $total
			"$B" -b $block -- emit -n $total | slurp -n $total
		done
	done
}

@test "sizes around one and two blocks of the default" {
	for total in 1048575 1048576 1048577 2097151 2097152 2097153; do
		emit -n $total >in
		"$B" <in | slurp -n $total
		"$B" -n 2 -- cat in | slurp -n $total
	done
}

@test "A48: a few bytes stay in front of the bulk" {
	mkfifo gate
	start "$B" -- sh -c 'printf first; read -r _ <gate; seq 1 200000' >out
	wait_for holds out first
	echo >gate
	reap "$pid"
	[ "$status" = 0 ]
	{
		printf first
		seq 1 200000
	} | cmp - out
}

@test "A48: and of many more, again and again" {
	emit -f 3 -c 100000 -p 1000 -n 2000000 | "$B" -b 4096 | cat |
		slurp -n 2000000
}

@test "A50: blocks do not change under a consumer that starts late" {
	"$B" -- sh -c 'emit -n 12000000; touch written' | cat | {
		wait_for test -e written
		slurp -n 12000000
	}
}

@test "A50: nor when they have been used many times" {
	emit -c 300000 -n 50000000 | "$B" -b 100000 -n 3 | cat |
		slurp -r 300000 -d 200 -n 50000000
}

@test "A54: stopped and resumed" {
	mkfifo pipe
	(slurp -n 2000000 <pipe && touch right) 3>&- &
	start "$B" -b 10000 -- emit -c 1000 -p 50 -n 2000000 >pipe
	for _ in 1 2 3 4 5; do
		kill -STOP "$pid"
		wait_for stopped "$pid"
		kill -CONT "$pid"
	done
	reap "$pid"
	[ "$status" = 0 ]
	wait_for test -e right
}
