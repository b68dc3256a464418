// SPDX-License-Identifier: MIT
// cli: how much memory this process is allowed.

#ifndef BIBUF_MEMLIMIT_H
#define BIBUF_MEMLIMIT_H

#include <stddef.h>

// The least of what limits the memory of this process, in bytes: its resource
// limits RLIMIT_AS and RLIMIT_DATA (getrlimit(2)) and, where they can be read,
// those of its control group and of all above that (cgroups(7), memory.max;
// memory.limit_in_bytes of version 1). SIZE_MAX if there is none.
size_t memlimit_get(void);

#endif
