// SPDX-License-Identifier: MIT
// The smallest harness for unit tests: one result of the Test Anything Protocol
// (testanything.org) for each function that TEST() is given.
//
// A check that fails is told with its place and does not end the test, and any
// thread may check.
//
//	static void
//	sum_of_nothing_is_zero(void)
//	{
//		CHECK_INT(sum(NULL, 0), 0);
//	}
//
//	int
//	main(void)
//	{
//		TEST(sum_of_nothing_is_zero);
//		return tap_done();
//	}

#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static struct {
	int tests;
	int failed_tests;
	_Atomic int failures; // in the test that runs now
} tap;

// Use as TEST(function).
#define TEST(function) tap_run(#function, function)

// Fails unless the expression is true.
#define CHECK(expression) \
	((expression) ? (void)0 : tap_fail(__FILE__, __LINE__, #expression))

// Fails unless both integers are the same, and tells them.
#define CHECK_INT(a, b) \
	tap_check_int( \
	    (long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)

static inline void
tap_fail(const char *file, int line, const char *what)
{
	tap.failures++;
	printf("# %s:%d: %s\n", file, line, what);
	fflush(stdout);
}

static inline void
tap_check_int(
    long long a, long long b, const char *file, int line, const char *what)
{
	if (a == b)
		return;
	tap.failures++;
	printf("# %s:%d: %s: %lld, %lld\n", file, line, what, a, b);
	fflush(stdout);
}

static inline void
tap_run(const char *name, void (*test)(void))
{
	tap.failures = 0;
	test();
	bool ok = tap.failures == 0;
	if (!ok)
		tap.failed_tests++;
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tap.tests, name);
	// A test may fork, and the child must have nothing to print again.
	fflush(stdout);
}

// Tell how many tests there were. Returns the exit status for main().
static inline int
tap_done(void)
{
	printf("1..%d\n", tap.tests);
	return tap.failed_tests > 0;
}

#endif
