// SPDX-License-Identifier: MIT
// Sizes and times: what is accepted, and everything else.

#include "size.h"
#include "tap.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void
accepted(void)
{
	static const struct {
		const char *text;
		size_t size;
	} sizes[] = {
	    {"0", 0},
	    {"1", 1},
	    {"010", 10},
	    {"000000000000000000000000000001", 1},
	    {"65537", 65537},
	    {"1K", 1024},
	    {"1k", 1024},
	    {"1KiB", 1024},
	    {"1kiB", 1024},
	    {"1KB", 1000},
	    {"3m", (size_t)3 << 20},
	    {"3MB", 3000000},
	    {"2GiB", (size_t)2 << 30},
	    {"2gB", 2000000000},
	    {"4T", (size_t)4 << 40},
	    {"4TB", 4000000000000},
	    {"0T", 0},
	    {"8388607T", (size_t)8388607 << 40},
	    {"9223372036854775807", PTRDIFF_MAX},
	};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		size_t size = 77;
		CHECK_INT(size_parse(sizes[i].text, &size), 0);
		CHECK_INT(size, sizes[i].size);
	}
}

// Each of these must give `error` and leave the size alone.
static void
check_refused(const char *const *texts, size_t count, int error)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = 77;
		errno = 0;
		if (size_parse(texts[i], &size) != -1 || errno != error ||
		    size != 77)
			tap_fail(__FILE__, __LINE__, texts[i]);
	}
}

static void
no_sizes(void)
{
	static const char *const texts[] = {"", " ", "K", "KiB", "B", "-1",
	    "+1", " 7", "7 ", "1 K", "abc", "5x", "12B", "1iB", "1Ki", "1Kb",
	    "1KIB", "1KiBx", "1KBx", "1kk", "1.5M", "1,5M", "1e3", "0x10", "1P",
	    "1E", "1Y", "1R", "9223372036854775808000000000000%", "1\n", "1K\n",
	    "\xd9\xa1"};

	check_refused(texts, COUNT(texts), EINVAL);
}

static void
too_large(void)
{
	static const char *const texts[] = {"9223372036854775808",
	    "18446744073709551615", "18446744073709551616",
	    "18014398509482112K", "9007199254740992K", "8388608T", "20000000T",
	    "9223373TB", "99999999999999999999999999999999999999"};

	check_refused(texts, COUNT(texts), ERANGE);
}

static void
times_accepted(void)
{
	static const struct {
		const char *text;
		int64_t ns;
	} times[] = {
	    {"0", 0},
	    {"0s", 0},
	    {"1", 1000000000},
	    {"1s", 1000000000},
	    {"010", 10000000000},
	    {"1ms", 1000000},
	    {"200us", 200000},
	    {"17ns", 17},
	    {"1.5ms", 1500000},
	    {".5", 500000000},
	    {"2.", 2000000000},
	    {"0.0000000004", 0},
	    {"3m", 180000000000},
	    {"2h", 7200000000000},
	    {"1d", 86400000000000},
	    {"36500d", 3153600000000000000},
	};

	for (size_t i = 0; i < COUNT(times); i++) {
		int64_t ns = 77;
		CHECK_INT(size_parse_time(times[i].text, &ns), 0);
		CHECK_INT(ns, times[i].ns);
	}
}

// As check_refused().
static void
check_time_refused(const char *const *texts, size_t count, int error)
{
	for (size_t i = 0; i < count; i++) {
		int64_t ns = 77;
		errno = 0;
		if (size_parse_time(texts[i], &ns) != -1 || errno != error ||
		    ns != 77)
			tap_fail(__FILE__, __LINE__, texts[i]);
	}
}

static void
no_times(void)
{
	static const char *const texts[] = {"", " ", ".", "..5", "1.2.3", "s",
	    "ms", "-1", "+1", " 7", "7 ", "1 s", "abc", "1x", "1S", "1MS",
	    "1sec", "1mss", "1,5", "1e3", "1e-3s", "0x10", "0x1p3", "inf",
	    "nan", "1K", "1\n", "\xc2\xb5s", "1\xc2\xb5s"};

	check_time_refused(texts, COUNT(texts), EINVAL);
}

static void
too_long(void)
{
	static const char *const texts[] = {"36526d", "3155760001",
	    "9223372036854775808ns", "99999999999999999999999999999999999999s",
	    "876601h"};

	check_time_refused(texts, COUNT(texts), ERANGE);
}

int
main(void)
{
	TEST(accepted);
	TEST(no_sizes);
	TEST(too_large);
	TEST(times_accepted);
	TEST(no_times);
	TEST(too_long);
	return tap_done();
}
