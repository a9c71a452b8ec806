/* Options from the tables of the commands: parsing, help, complaints. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "lib/base/text.h"

static const struct tf_opt *find_option(const struct tf_cmd *cmd, const char *name, size_t len)
{
	for (const struct tf_opt *o = cmd->options; o->name; o++)
		if (strlen(o->name) == len && memcmp(o->name, name, len) == 0)
			return o;
	return NULL;
}

static const struct tf_opt *find_letter(const struct tf_cmd *cmd, char letter)
{
	for (const struct tf_opt *o = cmd->options; o->name; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

static int unknown_option(const struct tf_cmd *cmd, const char *name, struct tf_error *err)
{
	const char *nearest = NULL;
	int best = 4;

	tf_fail(err, TF_EUSAGE, "no option '%s'", name);
	for (const struct tf_opt *o = cmd->options; o->name; o++) {
		int distance = tf_text_distance(name + strspn(name, "-"), o->name, 4);
		if (distance < best) {
			best = distance;
			nearest = o->name;
		}
	}
	if (nearest)
		tf_hint(err, "did you mean '--%s'?", nearest);
	return -1;
}

/* Lists share one allocation for all of argv: nothing outgrows the number of arguments. */
static int set_value(const struct tf_opt *o, char *args, const char *value, int argc, struct tf_error *err)
{
	void *field = args + o->offset;
	struct tf_list_arg *list = field;

	switch (o->kind) {
	case TF_OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case TF_OPT_TEXT:
		*(const char **)field = value;
		return 0;
	case TF_OPT_I64:
		return tf_parse_i64(value, field) && *(int64_t *)field >= 0
			       ? 0
			       : tf_fail(err, TF_EUSAGE, "option '--%s' needs a whole number, not '%s'", o->name, value);
	case TF_OPT_LIST:
		if (!list->items)
			list->items = calloc((size_t)argc + 1, sizeof *list->items);
		if (!list->items)
			return tf_fail_nomem(err);
		list->items[list->count++] = value;
		return 0;
	}
	return 0;
}

/* An option with its value, which may be the next argument: *at is then moved over it. */
static int take_option(const struct tf_opt *o, const char *value, int argc, char **argv, int *at, char *args, struct tf_error *err)
{
	if (o->kind == TF_OPT_FLAG && value)
		return tf_fail(err, TF_EUSAGE, "option '--%s' takes no value", o->name);
	if (o->kind != TF_OPT_FLAG && !value) {
		if (*at + 1 >= argc)
			return tf_fail(err, TF_EUSAGE, "option '--%s' needs a value", o->name);
		value = argv[++*at];
	}
	return set_value(o, args, value, argc, err);
}

/* One argument that begins with '-': --name, --name=value, or letters, of which the last may have a value. */
static int parse_option(const struct tf_cmd *cmd, int argc, char **argv, int *at, char *args, struct tf_error *err)
{
	const char *text = argv[*at];

	if (text[1] == '-') {
		const char *equals = strchr(text, '=');
		const struct tf_opt *o = find_option(cmd, text + 2, equals ? (size_t)(equals - text) - 2 : strlen(text) - 2);
		return o ? take_option(o, equals ? equals + 1 : NULL, argc, argv, at, args, err) : unknown_option(cmd, text, err);
	}
	for (const char *letter = text + 1; *letter; letter++) {
		const struct tf_opt *o = find_letter(cmd, *letter);
		if (!o)
			return unknown_option(cmd, text, err);
		if (o->kind != TF_OPT_FLAG)
			return take_option(o, letter[1] ? letter + 1 : NULL, argc, argv, at, args, err);
		if (take_option(o, NULL, argc, argv, at, args, err) < 0)
			return -1;
	}
	return 0;
}

static void print_help(const struct tf_cmd *cmd)
{
	printf("usage: tfprof %s %s\n\n%s\n\n", cmd->name, cmd->synopsis, cmd->summary);
	for (const struct tf_opt *o = cmd->options; o->name; o++) {
		char left[64];
		int n = snprintf(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
		if (o->letter)
			printf("  -%c, %-28s%s", o->letter, left, n > 27 ? "\n                                  " : "");
		else
			printf("      %-28s%s", left, n > 27 ? "\n                                  " : "");
		printf("%s\n", o->help);
	}
	printf("  -h, %-28s%s\n", "--help", "show this");
	if (cmd->help)
		printf("\n%s\n", cmd->help);
}

static void release_lists(const struct tf_cmd *cmd, char *args)
{
	for (const struct tf_opt *o = cmd->options; o->name; o++)
		if (o->kind == TF_OPT_LIST)
			free(((struct tf_list_arg *)(void *)(args + o->offset))->items);
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

int tf_run_command(const struct tf_cmd *cmd, int argc, char **argv)
{
	struct tf_error err = {0};
	char *args = calloc(1, cmd->args_size);
	const char **operands = calloc((size_t)argc + 1, sizeof *operands);
	size_t count = 0;
	bool only_operands = false;
	int status;

	if (!args || !operands) {
		tf_fail_nomem(&err);
		goto fail;
	}
	if (asks_for_help(argc, argv)) {
		print_help(cmd);
		status = 0;
		goto out;
	}
	for (int i = 0; i < argc; i++) {
		if (!only_operands && strcmp(argv[i], "--") == 0)
			only_operands = true;
		else if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0')
			operands[count++] = argv[i];
		else if (parse_option(cmd, argc, argv, &i, args, &err) < 0)
			goto fail;
	}
	status = cmd->run(args, operands, count, &err);
	if (err.code == TF_OK)
		goto out;
fail:
	status = tf_complain(cmd->name, &err);
out:
	if (args)
		release_lists(cmd, args);
	free(args);
	free(operands);
	return status;
}

int tf_complain(const char *cmd, const struct tf_error *err)
{
	fflush(stdout);
	fprintf(stderr, "tfprof %s: %s\n", cmd, err->text);
	if (err->hint[0])
		fprintf(stderr, "hint: %s\n", err->hint);
	return tf_exit_status(err->code);
}

const char *tf_db_path(const char *db)
{
	const char *from_environment = getenv("TFPROF_DB");
	return db ? db : from_environment && *from_environment ? from_environment : "tfprof.db";
}

bool tf_color_wanted(FILE *to)
{
	const char *no = getenv("NO_COLOR");
	return isatty(fileno(to)) && !(no && *no);
}
