/* Subcommands: what each file of this folder registers, and the option parser they share. */
#ifndef TF_CMD_H
#define TF_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/error.h"

enum tf_opt_kind {
	TF_OPT_FLAG, /* bool */
	TF_OPT_TEXT, /* const char * */
	TF_OPT_LIST, /* struct tf_list_arg: may be given several times */
	TF_OPT_I64,  /* int64_t, not negative */
};

/* A growing list of argument texts (borrowed from argv). NULL-terminated; zeroed is empty. */
struct tf_list_arg {
	const char **items;
	size_t count;
};

/* One option: drives parsing, --help and completion. The last row is zeroed. */
struct tf_opt {
	const char *name; /* without "--" */
	char letter;	  /* or 0 */
	enum tf_opt_kind kind;
	const char *value; /* how help names the value; NULL for flags */
	const char *help;
	size_t offset; /* of the field in the command's args struct */
};

struct tf_cmd {
	const char *name, *synopsis, *summary;
	const char *help; /* paragraphs after the options, or NULL */
	const struct tf_opt *options;
	size_t args_size;
	/* Runs with parsed options (a zeroed struct of args_size, filled) and operands. Returns the exit status. */
	int (*run)(void *args, const char **operands, size_t operand_count, struct tf_error *err);
};

#define TF_CMD(name) extern const struct tf_cmd tf_cmd_##name;
#include "cmd/cmds.def"
#undef TF_CMD

/* The store's path: `db` if given, else $TFPROF_DB, else "tfprof.db". */
const char *tf_db_path(const char *db);

/* Prints err as "tfprof CMD: text" and its hint to stderr; returns its exit status. */
int tf_complain(const char *cmd, const struct tf_error *err);

/* Whether text for a person may be coloured on this stream: a terminal, and no NO_COLOR. */
bool tf_color_wanted(FILE *to);

/* Parses, runs and reports one command. Returns the exit status. options.c */
int tf_run_command(const struct tf_cmd *cmd, int argc, char **argv);

#endif
