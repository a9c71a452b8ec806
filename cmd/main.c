/* tfprof: `tfprof X` and `tfprof-X` are one program and one path. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "lib/base/text.h"
#include "lib/base/version.h"

static const struct tf_cmd *const commands[] = {
#define TF_CMD(name) &tf_cmd_##name,
#include "cmd/cmds.def"
#undef TF_CMD
	NULL};

static const struct tf_cmd *find_command(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static void print_help(FILE *to)
{
	fprintf(to, "usage: tfprof COMMAND [OPTION]… [ARGUMENT]…\n\n"
		    "Reads TensorBoard event files and profiler captures into an SQLite store, and answers.\n\n");
	for (size_t i = 0; commands[i]; i++)
		fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(to, "\n`tfprof COMMAND --help` tells more; `tfprof-COMMAND` is the same as `tfprof COMMAND`.\n");
}

static int unknown_command(const char *name)
{
	const char *nearest = NULL;
	int best = 3;

	for (size_t i = 0; commands[i]; i++) {
		int distance = tf_text_distance(name, commands[i]->name, 3);
		if (distance < best) {
			best = distance;
			nearest = commands[i]->name;
		}
	}
	struct tf_error err = {0};
	tf_fail(&err, TF_EUSAGE, "no command '%s'", name);
	fprintf(stderr, "tfprof: %s\n", err.text);
	if (nearest)
		fprintf(stderr, "hint: did you mean '%s'?\n", nearest);
	return 2;
}

static int run(int argc, char **argv)
{
	const char *base = strrchr(argv[0], '/');

	base = base ? base + 1 : argv[0];
	if (strncmp(base, "tfprof-", 7) == 0) {
		const struct tf_cmd *cmd = find_command(base + 7);
		return cmd ? tf_run_command(cmd, argc - 1, argv + 1) : unknown_command(base + 7);
	}
	if (argc < 2) {
		print_help(stderr);
		return 2;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("tfprof " TF_VERSION);
		return 0;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		const struct tf_cmd *cmd = argc > 2 ? find_command(argv[2]) : NULL;
		char help[] = "--help", *args[] = {help, NULL};
		if (argc > 2)
			return cmd ? tf_run_command(cmd, 1, args) : unknown_command(argv[2]);
		print_help(stdout);
		return 0;
	}
	const struct tf_cmd *cmd = find_command(argv[1]);
	return cmd ? tf_run_command(cmd, argc - 2, argv + 2) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	/* A file over the limit is a full disk, not the end by a signal. */
	signal(SIGXFSZ, SIG_IGN);
	int status = argc > 0 ? run(argc, argv) : 2;

	/* A full disk must not look like success; where it failed already, that has been said. */
	if ((fflush(stdout) != 0 || ferror(stdout)) && status != 4) {
		fprintf(stderr, "tfprof: cannot write to stdout: %s\n", strerror(errno));
		return 4;
	}
	return status;
}
