// SPDX-License-Identifier: MIT

#include "memlimit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define CGROUPS "/sys/fs/cgroup"

static void
lower(size_t *limit, uintmax_t value)
{
	if (value < *limit)
		*limit = (size_t)value;
}

// Lower the limit to the number in a file; "max" is none.
static void
lower_by_file(size_t *limit, const char *path)
{
	FILE *file = fopen(path, "re");
	char text[32];
	char *end;

	if (file == NULL)
		return;
	if (fgets(text, sizeof(text), file) != NULL) {
		errno = 0;
		uintmax_t value = strtoumax(text, &end, 10);
		if (end != text && errno == 0)
			lower(limit, value);
	}
	fclose(file);
}

// Of the group that has the path `group`, and of those above it. What is not
// there, as the parents in a container, limits nothing that can be read.
static void
lower_by_group(size_t *limit, const char *mount, char *group, const char *name)
{
	char path[4096];

	for (;;) {
		size_t length = strlen(group);
		while (length > 0 && group[length - 1] == '/')
			group[--length] = '\0';
		snprintf(path, sizeof(path), "%s%s/%s", mount, group, name);
		lower_by_file(limit, path);
		char *slash = strrchr(group, '/');
		if (slash == NULL)
			return;
		*slash = '\0';
	}
}

// Does a comma-separated list have the word "memory"?
static bool
has_memory(const char *list)
{
	static const char word[] = "memory";

	for (;;) {
		size_t length = strcspn(list, ",");
		if (length == strlen(word) && strncmp(list, word, length) == 0)
			return true;
		if (list[length] == '\0')
			return false;
		list += length + 1;
	}
}

// A line of /proc/self/cgroup: number, controllers (none: version 2), path.
static void
lower_by_line(size_t *limit, char *line)
{
	char *controllers = strchr(line, ':');

	if (controllers == NULL)
		return;
	char *group = strchr(++controllers, ':');
	if (group == NULL)
		return;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	if (controllers[0] == '\0')
		lower_by_group(limit, CGROUPS, group, "memory.max");
	else if (has_memory(controllers))
		lower_by_group(
		    limit, CGROUPS "/memory", group, "memory.limit_in_bytes");
}

size_t
memlimit_get(void)
{
	size_t limit = SIZE_MAX;
	struct rlimit most;
	FILE *groups = fopen("/proc/self/cgroup", "re");
	char *line = NULL;
	size_t size = 0;

	// RLIM_INFINITY is the largest number there is.
	if (getrlimit(RLIMIT_AS, &most) == 0)
		lower(&limit, most.rlim_cur);
	if (getrlimit(RLIMIT_DATA, &most) == 0)
		lower(&limit, most.rlim_cur);
	while (groups != NULL && getline(&line, &size, groups) > 0)
		lower_by_line(&limit, line);
	free(line);
	if (groups != NULL)
		fclose(groups);
	return limit;
}
