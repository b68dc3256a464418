# SPDX-License-Identifier: MIT
# The command line: what is taken, for what, and what is refused.
#
# shellcheck disable=SC2016,SC2154 # what inner shells expand, and $stderr

load helper

# Both of these are used so often that they do without other programs.

# bibuf runs the command with these options, and says nothing.
takes() {
	rm -f started
	if ! "$B" "$@" -- touch started >out 2>errors ||
		[ ! -e started ] || [ -s out ] || [ -s errors ]; then
		echo "not taken: $*: $(cat out errors)"
		return 1
	fi
}

# bibuf refuses these options, in one line, and does not run the command.
refuses() {
	local status=0 lines

	"$B" "$@" -- touch refused >out 2>errors || status=$?
	mapfile -t lines <errors
	if [ "$status" != 125 ] || [ -e refused ] || [ -s out ] ||
		[ "${#lines[@]}" != 1 ] || [[ ${lines[0]} != "bibuf: "?* ]]; then
		echo "not refused: $*: status $status, $(cat out errors)"
		return 1
	fi
}

# As an amount of memory this text is worth so many bytes: exactly so many
# blocks of one byte fit. That needs no memory to speak of.
worth() {
	takes -m "$1" -n "$2" && refuses -m "$1" -n $(($2 + 1))
}

# The same of the size of a block, two of which are the memory.
block_worth() {
	takes -b "$1" -m $(($2 * 2)) && refuses -b "$1" -m $(($2 * 2 - 1))
}

# What is too much for a number of bytes, and the largest that is not.
limit() {
	takes -b 1 -m "$1"
	refuses -b 1 -m "$2"
}

@test "sizes: digits" {
	worth 2 2
	worth 65537 65537
	worth 4294967296 4294967296
	block_worth 1 1
	block_worth 4097 4097
}

@test "sizes: a leading zero means nothing" {
	worth 010 10
	block_worth 010 10
	worth 08 8
	worth 0000000000000000000000000000000000000012 12
	worth 010K 10240
}

@test "A40: sizes: letters" {
	value=1
	decimal=1
	for letter in K M G T; do
		value=$((value * 1024))
		decimal=$((decimal * 1000))
		for text in $letter ${letter,} ${letter}iB ${letter,}iB; do
			worth "3$text" $((3 * value))
		done
		for text in ${letter}B ${letter,}B; do
			worth "3$text" $((3 * decimal))
		done
	done
	for text in 2K 2k 2KiB 2kiB; do
		block_worth $text 2048
	done
	block_worth 2KB 2000
	block_worth 2kB 2000
	block_worth 1M 1048576
	block_worth 1MB 1000000
}

# shellcheck disable=SC2054
bad_sizes=(
	"" " " - + . 0x
	-1 -0 +1 +2K -9223372036854775807
	" 7" "7 " $'\t7' $'7\t' "7 K" $'7\r'
	abc x5 5x 5KK 5K5 5K1M K KB iB B kiB
	1.5 1.5M 1,5M 1,000 1_000 .5K 1. 5e3 1e3K 1E3
	0x10 0X10K 0b1 1h 1f 5o
	1B 1b 1iB 1i 1Ki 1KI 1KIB 1Kib 1kib 1Kb 1kb 1KBi 1Kibi 1KiBx 1KBx
	1P 1E 1Z 1Y 1R 1Q 1p 1c 1w 1s 1% 1KiB/s
	9223372036854775808000000000000%
	infinity inf nan max two $'\xc2\xb2' $'\xd9\xa3'
)

@test "A38, A39, A40: sizes that are none" {
	for text in "${bad_sizes[@]}"; do
		refuses -b "$text"
		refuses -m "$text"
		refuses -n "$text"
	done
}

@test "A39: sizes of nothing" {
	for text in 0 00 0K 0kB 0T 0TiB 0000000000000000000000000; do
		refuses -b $text
		refuses -m $text
		refuses -n $text
	done
	refuses -m 1
	refuses -n 1
	refuses -n 01
	takes -b 1
	takes -m 2
	takes -n 2
}

@test "A37: sizes that are too large by one" {
	limit 9223372036854775807 9223372036854775808
	limit 9007199254740991K 9007199254740992K
	limit 8796093022207M 8796093022208M
	limit 8589934591GiB 8589934592GiB
	limit 8388607T 8388608T
	limit 9223372036854775KB 9223372036854776KB
	limit 9223372036854MB 9223372036855MB
	limit 9223372036GB 9223372037GB
	limit 9223372TB 9223373TB
}

@test "A37: sizes that would wrap" {
	for text in 18446744073709551615 18446744073709551616 \
		18446744073709551618 18446744073709551626 36893488147419103234 \
		18014398509481984K 18014398509481985K 18014398509482112K \
		17592186044417M 17179869185G 16777216T 16777217T 20000000T \
		99999999999999999999999999999999999999999999999999 \
		00009223372036854775808; do
		refuses -b $text
		refuses -m $text
		refuses -n $text
	done
}

@test "numbers of blocks" {
	for n in 2 3 16 1000 002; do
		takes -n $n
	done
	takes -b 1 -n 9223372036854775807
	refuses -b 1 -n 9223372036854775808
	refuses -b 2 -n 9223372036854775807
	refuses -b 2 -n 4611686018427387904
	takes -b 2 -n 4611686018427387903
	# Their product is 2 to the power of 64.
	refuses -b 4294967296 -n 4294967296
	refuses -b 4611686018427387904 -n 2
	refuses -b 9223372036854775807
	refuses -n 9223372036854775807
}

@test "A41: blocks for which there is no memory" {
	skip_if_sanitized
	refuses -b 4611686018427387903 -n 2
	(
		ulimit -v 2000000
		refuses -b 64G
		refuses -m 64G -n 2
		# There may be many of them.
		takes -m 64G
	)
}

@test "two of three decide the third" {
	takes -b 6 -n 5
	takes -b 6 -m 12
	refuses -b 6 -m 11
	takes -n 5 -m 5
	refuses -n 5 -m 4
	takes -m 3
	refuses -b 6 -n 5 -m 30
	refuses -m 30 -n 5 -b 6
	# The block size is not what decides.
	takes -m 1K
	takes -m 2M
	takes -m 5G
}

@test "the last of equal options counts" {
	block_worth_last() {
		takes -b 1M -m 1M -b "$1" -m $(($1 * 2)) &&
			refuses -b 1 -b "$1" -m $(($1 * 2 - 1))
	}
	block_worth_last 100
	takes --copy --copy
	# It has to be right nonetheless.
	refuses -b 0 -b 1K
}

@test "forms of an option" {
	# The block size has been understood if two of them just fit.
	for form in "-b 1000" -b1000 "--block-size 1000" --block-size=1000 \
		--block-s=1000 "--block-s 1000" --block-=1000; do
		# shellcheck disable=SC2086
		takes -m 2000 $form
		# shellcheck disable=SC2086
		refuses -m 1999 $form
	done
	for form in "-m 1999" -m1999 "--memory 1999" --memory=1999 --mem=1999 \
		"--m 1999"; do
		# shellcheck disable=SC2086
		refuses -b 1000 $form
	done
	for form in "-n 7" -n7 "--blocks 7" --blocks=7; do
		# shellcheck disable=SC2086
		takes $form -m 7
		# shellcheck disable=SC2086
		refuses $form -m 6
	done
	for form in --copy --cop; do
		takes $form
	done
}

@test "times" {
	for time in 0 0s 1 1s 1ms 250us 17ns 0.5 .5s 1.5ms 1m 1h 1d 010; do
		takes --coalesce=$time
		takes --coalesce "$time"
	done
	for time in "" " " . s -1 +1 " 1" "1 " 1x 1S 1,5 1e3 0x10 inf nan 1.2.3 \
		40000d 99999999999999999999999; do
		refuses "--coalesce=$time"
	done
}

@test "capacities of pipes" {
	for size in keep max 1 4096 65537 128K 1M 3GB 9T; do
		takes --pipe-size=$size
		takes --pipe-size "$size"
	done
	for size in "" 0 0K -1 " 1" 1P 1.5M Max KEEP maximum 8388608T; do
		refuses "--pipe-size=$size"
	done
}

@test "forms that are none" {
	for form in -b=1K -n=3 -m=1M --block=1K --b=1K --blocks= --block-size= \
		--copy=1 --copy= --help=1 --version=1 --bogus --bogus=1 -x -1 \
		"-?" -c --blocksize=1K --block_size=1K --Copy -B1K --- --=; do
		refuses "$form"
	done
	# An argument is missing.
	for option in -b -n -m --block-size --blocks --memory; do
		run -125 --separate-stderr "$B" $option
		[ "$output" = "" ]
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "bibuf: "* ]]
	done
}

@test "A42: options end at the first operand" {
	[ "$("$B" echo -n -- x)" = "-- x" ]
	[ "$("$B" -- echo -e y)" = "$(env echo -e y)" ]
	[ "$("$B" -n 3 printf '<%s>' -n 1 --bogus -h)" = "<-n><1><--bogus><-h>" ]
	[ "$("$B" printf '<%s>' -- --)" = "<--><-->" ]
	[ "$(POSIXLY_CORRECT=1 "$B" printf '<%s>' -V)" = "<-V>" ]
}

@test "A42: one -- is removed" {
	[ "$("$B" -- printf '<%s>' a)" = "<a>" ]
	[ "$("$B" --copy -- printf '<%s>' -- a)" = "<--><a>" ]
	run -127 "$B" -- --
	run -127 "$B" -- -h
	run -127 "$B" -
	[ "$(echo x | "$B" --)" = x ]
	[ "$(echo x | "$B" -n 2 --)" = x ]
}

@test "the options are accepted by a filter" {
	for options in "-b 1" "-b 3 -n 2" "-m 2" "-m 1M --copy"; do
		# shellcheck disable=SC2086
		[ "$(seq 100 | "$B" $options)" = "$(seq 100)" ]
	done
}

@test "-h prints the synopsis of the manual" {
	page=$BATS_TEST_DIRNAME/../man/bibuf.1
	if type -P mandoc >/dev/null; then
		mandoc -T ascii "$page" >text
	elif type -P man >/dev/null; then
		man -l "$page" >text
	else
		skip "neither mandoc nor man is there"
	fi
	synopsis=$(sed 's/.\x08//g' text |
		sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' | sed '1d;$d')
	"$B" -h >out 2>errors
	holds errors ""
	[ "$(xargs <out)" = "usage: $(xargs <<<"$synopsis")" ]
}

@test "-h and --help" {
	"$B" -h >expected
	grep -q '^usage: bibuf ' expected
	for form in --help --h --hel -hV -hx "--copy -h" "-h true" "-b 1K -h"; do
		# shellcheck disable=SC2086
		"$B" $form <&- >out 2>errors
		cmp expected out
		holds errors ""
	done
}

@test "-V and --version" {
	version=$(sed -n "s/^  version: '\(.*\)',/\1/p" \
		"$BATS_TEST_DIRNAME/../meson.build")
	for form in -V --version --vers --v -Vh "-V true"; do
		# shellcheck disable=SC2086
		"$B" $form <&- >out 2>errors
		holds out "bibuf $version"
		holds errors ""
	done
}

@test "-h and -V when they can not be written" {
	for option in -h -V; do
		run -125 --separate-stderr bash -c '"$B" "$1" >/dev/full' - $option
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "bibuf: "*"o space left"* ]]
		run -125 --separate-stderr bash -c '"$B" "$1" >&-' - $option
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "bibuf: "* ]]
	done
}

@test "messages begin with the name that was called" {
	ln -s "$B" another
	for options in --bogus "-b 0" "-b" "-- /" "-- no-such-command"; do
		# shellcheck disable=SC2086
		! ./another $options >out 2>errors </dev/null
		[[ $(cat errors) == "another: "* ]]
		[ "$(wc -l <errors)" = 1 ]
	done
}

@test "a wrong option is told before anything is read" {
	echo x >in
	{
		run -125 "$B" -b 0
		cat >out
	} <in
	cmp in out
}

@test "what is strange in an argument is shown escaped, on one line" {
	for options in -$'\e' --$'\e[31m' --copy=$'\nx' -b$'1\nx' -m$'\r' \
		--coalesce=$'\x07' --pipe-size=$'\n' --output-error=$'\t' \
		--fifo=/$'no\n\e[0m'/where; do
		refuses "$options"
		run ! grep -q '[[:cntrl:]]' errors
	done
	run -127 --separate-stderr "$B" -- $'no\nsuch\e[31m'
	[ "$stderr" = 'bibuf: no\nsuch\^[[31m: command not found' ]
	run -127 --separate-stderr "$B" -- ./$'\e'
	[ "$stderr" = 'bibuf: ./\^[: No such file or directory' ]
}

@test "options that are none, or want a value, or want none" {
	while read -r options message; do
		run -125 --separate-stderr "$B" "$options"
		[ "$stderr" = "bibuf: $message" ]
	done <<-EOT
		-q no such option: '-q'
		--quiet no such option: '--quiet'
		--co no such option: '--co'
		-b option '-b' needs a value
		--blocks option '--blocks' needs a value
		--copy=1 option '--copy=1' takes no value
	EOT
	# A beginning will do if it is one option's only.
	takes --block-s=1
}

@test "output error modes" {
	takes --output-error=exit
	takes --output-error=exit-nopipe
	for mode in "" warn warn-nopipe Exit exit-nopipes; do
		refuses --output-error="$mode"
	done
}

@test "a time for a FIFO that is none" {
	refuses --fifo-timeout=1s
	refuses --fifo --fifo-timeout=x
}
