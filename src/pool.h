// SPDX-License-Identifier: MIT
// core: a pool of memory blocks of one size.
//
// Blocks are taken from the system when none is idle, and kept for reuse when
// they come back, up to a bound; beyond it they are given back to the system
// at once. Any thread may get and put.

#ifndef BIBUF_POOL_H
#define BIBUF_POOL_H

#include <stddef.h>

struct bi_pool;

// Create a pool of blocks of `block_size` bytes, at least one, that keeps at
// most `idle_most` of them while they are not used. Returns NULL with errno
// ENOMEM or EINVAL.
struct bi_pool *bi_pool_create(size_t block_size, size_t idle_most);

// Free the pool and its idle blocks. All blocks must have come back. NULL is
// allowed.
void bi_pool_destroy(struct bi_pool *pool);

// Take a block; its content is undefined, its alignment that of malloc(3).
// It belongs to the caller until bi_pool_put(). Returns NULL with errno
// ENOMEM.
void *bi_pool_get(struct bi_pool *pool);

// Give a block of this pool back. NULL is allowed.
void bi_pool_put(struct bi_pool *pool, void *block);

#endif
