// SPDX-License-Identifier: MIT
// Run a command and leave word of how it ended, which a shell cannot tell.
//
//	watched command [argument ...]
//
// The file "pid" has its process number, and when it is gone "ended" has
// "exited 3" or "killed 15", with ", core" behind it if it left a core dump.
// Both files are in the working directory and appear complete.

#include <err.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void
leave_word(const char *path, const char *text, int number, const char *more)
{
	FILE *file = fopen("word", "we");

	if (file == NULL)
		err(1, "word");
	fprintf(file, "%s%d%s\n", text, number, more);
	if (fclose(file) != 0 || rename("word", path) != 0)
		err(1, "%s", path);
}

int
main(int argc, char **argv)
{
	int status;

	if (argc < 2)
		errx(2, "no command");
	unlink("ended");
	pid_t pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		err(1, "%s", argv[1]);
	}
	leave_word("pid", "", pid, "");
	// The command alone is to hold what it reads and writes.
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	if (WIFEXITED(status))
		leave_word("ended", "exited ", WEXITSTATUS(status), "");
	else
		leave_word("ended", "killed ", WTERMSIG(status),
		    WCOREDUMP(status) ? ", core" : "");
	return 0;
}
