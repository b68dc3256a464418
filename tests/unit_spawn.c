// SPDX-License-Identifier: MIT
// Starting a command: how it is found, what it gets, what is told of failure.

#include "io.h"
#include "spawn.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char dir[] = "/tmp/unit_spawn.XXXXXX";

// Arguments as exec wants them, which are not written to all the same.
static char **
arguments(const char *const command[])
{
	static char *argv[8];
	size_t count = 0;

	while (command[count] != NULL)
		count++;
	CHECK(count < sizeof(argv) / sizeof(*argv));
	memcpy(argv, command, (count + 1) * sizeof(*argv));
	return argv;
}

// Run a command to its end. Returns its exit status, or -1 with errno; what it
// wrote, up to 200 bytes, is stored as a string.
static int
capture(const char *const command[], char text[201])
{
	char **argv = arguments(command);
	sigset_t mask;
	int ends[2];
	int status;
	pid_t pid;
	size_t size = 0;

	sigemptyset(&mask);
	CHECK_INT(bi_io_pipe(ends), 0);
	int result = bi_spawn(&pid, argv, environ, &mask, ends[1]);
	int error = errno;
	close(ends[1]);
	if (result == 0) {
		ssize_t n;
		while ((n = bi_io_read(ends[0], text + size, 200 - size)) > 0)
			size += (size_t)n;
		CHECK_INT(waitpid(pid, &status, 0), pid);
		result = bi_spawn_status(status);
	}
	text[size] = '\0';
	close(ends[0]);
	errno = error;
	return result;
}

// Make a file of the test directory.
static void
make_file(const char *name, const char *content, mode_t mode)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK_INT(write(fd, content, strlen(content)), strlen(content));
	CHECK_INT(fchmod(fd, mode), 0);
	close(fd);
}

// Set PATH; each @ stands for the test directory.
static void
set_path(const char *format)
{
	char path[300] = "";

	for (const char *p = format; *p != '\0'; p++) {
		size_t used = strlen(path);
		if (*p == '@')
			snprintf(path + used, sizeof(path) - used, "%s", dir);
		else
			snprintf(path + used, sizeof(path) - used, "%c", *p);
	}
	setenv("PATH", path, 1);
}

static void
status_and_output(void)
{
	char text[201];

	CHECK_INT(capture((const char *[]){"sh", "-c", "echo it; exit 7", NULL},
		      text),
	    7);
	CHECK(strcmp(text, "it\n") == 0);
	CHECK_INT(
	    capture((const char *[]){"sh", "-c", "kill -9 $$", NULL}, text),
	    137);
	CHECK_INT(capture((const char *[]){"/bin/true", NULL}, text), 0);
}

static void
the_path_is_searched_as_execvp_does(void)
{
	static const struct {
		const char *path;
		int result;
		const char *text;
	} paths[] = {
	    {"@/good", 0, "good"},
	    {"@/none:@/good", 0, "good"},
	    {"@/plain:@/good", 0, "good"},
	    {"@/folder:@/good", 0, "good"},
	    {"@/good/tool:@/good", 0, "good"},
	    {"@/good:@/other", 0, "good"},
	    {"@/other:@/good", 0, "other"},
	    {":@/good", 0, "here"},
	    {"@/none::@/good", 0, "here"},
	    {"@/none:", 0, "here"},
	    {"", 0, "here"},
	    {"@/none", ENOENT, ""},
	    {"@/plain", EACCES, ""},
	    {"@/folder:@/none", EACCES, ""},
	};
	char text[201];

	CHECK_INT(chdir(dir), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		set_path(paths[i].path);
		int result = capture((const char *[]){"tool", NULL}, text);
		CHECK_INT(result < 0 ? errno : result, paths[i].result);
		if (strcmp(text, paths[i].text) != 0)
			tap_fail(__FILE__, __LINE__, paths[i].path);
	}
	CHECK_INT(chdir("/"), 0);
}

// Only an ordinary user is kept out of a directory.
static void
a_forbidden_directory_of_the_path_has_not_the_command(void)
{
	char text[201];
	char path[100];

	snprintf(path, sizeof(path), "%s/other", dir);
	CHECK_INT(chmod(path, 0), 0);
	set_path("@/other:@/none");
	int result = capture((const char *[]){"tool", NULL}, text);
	if (geteuid() != 0) {
		CHECK_INT(result, -1);
		CHECK_INT(errno, ENOENT);
	}
	CHECK_INT(chmod(path, 0700), 0);
}

static void
without_a_path_the_standard_one_is_searched(void)
{
	char text[201];

	unsetenv("PATH");
	CHECK_INT(capture((const char *[]){"true", NULL}, text), 0);
}

static void
a_script_without_a_first_line_is_run_by_sh(void)
{
	char text[201];

	set_path("@/good");
	CHECK_INT(
	    capture((const char *[]){"script", "a b", "", NULL}, text), 3);
	CHECK(strcmp(text, "[a b][]") == 0);
}

static void
failures(void)
{
	char text[201];

	set_path("@/good");
	CHECK_INT(capture((const char *[]){"", NULL}, text), -1);
	CHECK_INT(errno, ENOENT);
	CHECK_INT(capture((const char *[]){"./not.here", NULL}, text), -1);
	CHECK_INT(errno, ENOENT);
	CHECK_INT(capture((const char *[]){"/", NULL}, text), -1);
	CHECK_INT(errno, EACCES);
	CHECK_INT(capture((const char *[]){"lost", NULL}, text), -1);
	CHECK_INT(errno, ENOENT);
}

static void
the_mask_is_the_one_given(void)
{
	sigset_t mask;
	int status;
	pid_t pid;
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC);

	setenv("PATH", "/usr/bin:/bin", 1);
	for (int blocked = 0; blocked < 2; blocked++) {
		sigemptyset(&mask);
		if (blocked)
			sigaddset(&mask, SIGTERM);
		CHECK_INT(bi_spawn(&pid,
			      arguments((const char *[]){
				  "sh", "-c", "kill $$; exit 5", NULL}),
			      environ, &mask, out),
		    0);
		CHECK_INT(waitpid(pid, &status, 0), pid);
		CHECK_INT(bi_spawn_status(status), blocked ? 5 : 143);
	}
	close(out);
}

static void
make_files(void)
{
	static const char *const folders[] = {
	    "good", "other", "plain", "folder", "folder/tool"};
	char path[100];

	CHECK(mkdtemp(dir) != NULL);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, folders[i]);
		CHECK_INT(mkdir(path, 0700), 0);
	}
	make_file("tool", "#!/bin/sh\nprintf here\n", 0700);
	make_file("good/tool", "#!/bin/sh\nprintf good\n", 0700);
	make_file("other/tool", "#!/bin/sh\nprintf other\n", 0700);
	make_file("plain/tool", "#!/bin/sh\nprintf plain\n", 0600);
	make_file("good/script", "printf '[%s]' \"$@\"; exit 3\n", 0700);
	make_file("good/lost", "#!/no/such/interpreter\n", 0700);
}

static void
remove_files(void)
{
	char text[201];

	setenv("PATH", "/usr/bin:/bin", 1);
	CHECK_INT(capture((const char *[]){"rm", "-r", dir, NULL}, text), 0);
}

int
main(void)
{
	TEST(status_and_output);
	TEST(make_files);
	TEST(the_path_is_searched_as_execvp_does);
	TEST(a_forbidden_directory_of_the_path_has_not_the_command);
	TEST(without_a_path_the_standard_one_is_searched);
	TEST(a_script_without_a_first_line_is_run_by_sh);
	TEST(failures);
	TEST(the_mask_is_the_one_given);
	TEST(remove_files);
	return tap_done();
}
