// SPDX-License-Identifier: MIT
// Count blocks of memory: the mappings of a little more than BLOCK_SIZE bytes,
// which are those of a pool or queue with blocks of that size (pool.c). To be
// included by one file of a program. A sanitizer has its own ways to map;
// COUNTS_BLOCKS tells whether anything is counted.

#ifndef TESTS_BLOCKS_H
#define TESTS_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK_SIZE ((size_t)64 << 10)

static _Atomic int blocks_now;
static _Atomic int blocks_most;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_BLOCKS false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS_BLOCKS false
#endif
#endif

#ifndef COUNTS_BLOCKS
#define COUNTS_BLOCKS true

static bool
is_block(size_t size)
{
	return size >= BLOCK_SIZE && size < BLOCK_SIZE + 4096;
}

void *
mmap(void *place, size_t size, int access, int flags, int fd, off_t offset)
{
	if (is_block(size)) {
		int now = ++blocks_now;
		int most = blocks_most;
		while (now > most &&
		       !atomic_compare_exchange_weak(&blocks_most, &most, now))
			;
	}
	return (void *)syscall(
	    SYS_mmap, place, size, access, flags, fd, offset);
}

int
munmap(void *place, size_t size)
{
	int result = (int)syscall(SYS_munmap, place, size);

	if (is_block(size))
		blocks_now--;
	return result;
}

#endif

#endif
