// SPDX-License-Identifier: MIT

#include "spawn.h"

#include <errno.h>
#include <limits.h>
#include <paths.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// What posix_spawn(3) is told, the same for every file that is tried.
struct plan {
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char *const *argv;
	char *const *env;
};

// Run `file` as a script of sh, as execvp(3) does with what exec refuses with
// ENOEXEC.
static int
spawn_script(pid_t *pid, char *file, const struct plan *plan)
{
	char shell[] = _PATH_BSHELL;
	size_t count = 0;

	while (plan->argv[count] != NULL)
		count++;
	// The shell, the file, the arguments behind argv[0], NULL.
	char **argv = calloc(count + 2, sizeof(*argv));
	if (argv == NULL)
		return ENOMEM;
	argv[0] = shell;
	argv[1] = file;
	for (size_t i = 1; i < count; i++)
		argv[i + 1] = plan->argv[i];
	int error = posix_spawn(
	    pid, shell, &plan->actions, &plan->attributes, argv, plan->env);
	free(argv);
	return error;
}

// Run `file`. Returns 0 or an error number, as posix_spawn(3) does.
static int
spawn_file(pid_t *pid, char *file, const struct plan *plan)
{
	struct stat st;

	// Asking first spares a process for each directory of the PATH.
	if (stat(file, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
		return errno;
	int error = posix_spawn(pid, file, &plan->actions, &plan->attributes,
	    plan->argv, plan->env);
	return error == ENOEXEC ? spawn_script(pid, file, plan) : error;
}

// May a later entry of the PATH still have the command? The errors are those
// after which glibc's execvp(3) goes on.
static bool
search_on(int error)
{
	return error == ENOENT || error == EACCES || error == ENOTDIR ||
	       error == ESTALE || error == ENODEV || error == ETIMEDOUT ||
	       error == ENAMETOOLONG;
}

// Try `name` in each entry of `path`; an empty entry is the working directory.
static int
spawn_along(
    pid_t *pid, const char *name, const char *path, const struct plan *plan)
{
	int result = ENOENT;
	char *file = malloc(strlen(path) + strlen(name) + 2);

	if (file == NULL)
		return ENOMEM;
	for (const char *entry = path;; entry++) {
		const char *end = strchrnul(entry, ':');
		sprintf(file, "%.*s%s%s", (int)(end - entry), entry,
		    end > entry ? "/" : "", name);
		int error = spawn_file(pid, file, plan);
		if (error == 0 || !search_on(error)) {
			result = error;
			break;
		}
		// A directory that may not be searched has not the command.
		struct stat st;
		if (error == EACCES && stat(file, &st) == 0)
			result = EACCES;
		entry = end;
		if (*entry == '\0')
			break;
	}
	free(file);
	return result;
}

static int
spawn_search(pid_t *pid, const struct plan *plan)
{
	char *name = plan->argv[0];
	const char *path = getenv("PATH");
	char standard[PATH_MAX];

	if (name[0] == '\0')
		return ENOENT;
	if (strchr(name, '/') != NULL)
		return spawn_file(pid, name, plan);
	if (path == NULL) {
		confstr(_CS_PATH, standard, sizeof(standard));
		path = standard;
	}
	return spawn_along(pid, name, path, plan);
}

int
bi_spawn(pid_t *pid, char *const argv[], char *const env[],
    const sigset_t *mask, int out)
{
	struct plan plan = {.argv = argv, .env = env};

	int error = posix_spawn_file_actions_init(&plan.actions);
	if (error != 0)
		goto out;
	error = posix_spawnattr_init(&plan.attributes);
	if (error != 0)
		goto out_actions;
	error =
	    posix_spawn_file_actions_adddup2(&plan.actions, out, STDOUT_FILENO);
	if (error != 0)
		goto out_attributes;
	posix_spawnattr_setsigmask(&plan.attributes, mask);
	posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSIGMASK);
	error = spawn_search(pid, &plan);

out_attributes:
	posix_spawnattr_destroy(&plan.attributes);
out_actions:
	posix_spawn_file_actions_destroy(&plan.actions);
out:
	errno = error;
	return error == 0 ? 0 : -1;
}

int
bi_spawn_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
