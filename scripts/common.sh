# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the scripts share: where the tree is, how to install what is missing,
# how to build and to run the tests.

set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
self=scripts/${0##*/}

# What it takes to build, as Debian packages. The tests are set up with the rest,
# for which meson looks for bats.
build_packages=(gcc libc6-dev libbsd-dev meson ninja-build pkg-config bats)

# What the tests use beside that; the languages read the stream.
# shellcheck disable=SC2034
test_packages=(mandoc nodejs perl python3 r-base-core ruby)

die() {
	echo "$self: $*" >&2
	exit 1
}

# Is there what a Debian package brings? It may have come another way.
have() {
	case $1 in
	binutils) command -v nm ;;
	libbsd-dev) pkg-config --exists libbsd-overlay ;;
	libc6-dev) gcc -E -include stdio.h -x c /dev/null ;;
	libclang-rt-dev) compgen -G "$(clang -print-runtime-dir)/*tsan*" ;;
	libuv1-dev) pkg-config --exists libuv ;;
	ninja-build) command -v ninja ;;
	nodejs) command -v node ;;
	r-base-core) command -v Rscript ;;
	samtools-test) [ -d /usr/share/samtools/test ] ;;
	*) command -v "$1" ;;
	esac >/dev/null 2>&1
}

# Run a command silently. If it fails, show what it said, and end.
quietly() {
	local log

	log=$(mktemp)
	if ! "$@" >"$log" 2>&1 </dev/null; then
		cat "$log" >&2
		rm -f "$log"
		die "failed: $*"
	fi
	rm -f "$log"
}

# Install what is missing to build, and of the named packages.
require() {
	local package missing=() as_root=()

	for package in "${build_packages[@]}" "$@"; do
		have "$package" || missing+=("$package")
	done
	((${#missing[@]} > 0)) || return 0
	command -v apt-get >/dev/null ||
		die "please install (by their names in Debian): ${missing[*]}"
	if ((EUID != 0)); then
		sudo -n true 2>/dev/null ||
			die "please run as root: apt-get install ${missing[*]}"
		as_root=(sudo -n)
	fi
	echo "Installing ${missing[*]}"
	local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get
		-o DPkg::Lock::Timeout=300 --yes)
	# Old lists may do, if new ones cannot be had.
	"${apt[@]}" update >/dev/null 2>&1 </dev/null || :
	quietly "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

# End unless the tree and those of the named directories in it that exist can be
# written to.
require_writable() {
	local dir

	for dir in "$root" "${@/#/$root/}"; do
		[ ! -e "$dir" ] || [ -w "$dir" ] ||
			die "$dir is read-only for you; use a copy of your own"
	done
}

# Build in a directory, which is set up with the given options if it is new.
build() {
	local dir=$1

	shift
	[ -e "$dir/build.ninja" ] || quietly meson setup "$@" "$dir" "$root"
	quietly meson compile -C "$dir"
}

# Run the tests of a build; further arguments go to `meson test`. The last line
# tells the count. Succeeds if none failed and at least one passed.
run_tests() {
	local log=$1/meson-logs/testlog.json
	local status=0

	rm -f "$log"
	# Most of the time most tests wait for something.
	meson test -C "$1" --no-rebuild --num-processes $((4 * $(nproc))) \
		"${@:2}" </dev/null || status=$?
	"$root/scripts/results" "$log" || return
	((status == 0)) || die "meson test: exit status $status"
}
