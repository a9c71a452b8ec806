/* tfprof query: one read-only SQL statement. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/base/text.h"
#include "lib/render/render.h"
#include "lib/store/store.h"

struct args {
	const char *db, *file, *format, *timeout;
	struct tf_list_arg params;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"file", 'f', TF_OPT_TEXT, "FILE", "read the statement from there; - is stdin", offsetof(struct args, file)},
	{"format", 0, TF_OPT_TEXT, "NAME", "table (default), csv, json, jsonl or md", offsetof(struct args, format)},
	{"param", 0, TF_OPT_LIST, "K=V", "value of the parameter :K", offsetof(struct args, params)},
	{"timeout", 0, TF_OPT_TEXT, "TIME", "stop after this long (default 60s)", offsetof(struct args, timeout)},
	{0}};

static int read_statement(const char *path, struct tf_buf *sql, struct tf_error *err)
{
	FILE *from = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	char piece[4096];
	size_t n;

	if (!from)
		return tf_fail_errno(err, TF_EUSAGE, "cannot read '%s'", path);
	while ((n = fread(piece, 1, sizeof piece, from)) > 0)
		tf_buf_add(sql, piece, n);
	if (from != stdin)
		fclose(from);
	return sql->failed ? tf_fail_nomem(err) : 0;
}

/* "k=v" pairs, cut in place in one copy each. */
static int split_params(const struct tf_list_arg *list, struct tf_param *params, struct tf_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *equals = strchr(list->items[i], '=');
		if (!equals || equals == list->items[i])
			return tf_fail(err, TF_EUSAGE, "not NAME=VALUE: '%s'", list->items[i]);
		params[i].value = equals + 1;
		params[i].name = strndup(list->items[i], (size_t)(equals - list->items[i]));
		if (!params[i].name)
			return tf_fail_nomem(err);
	}
	return 0;
}

/* 0 is no limit: only who says so gets none. */
static int parse_timeout(const char *text, double *ms, struct tf_error *err)
{
	if (tf_parse_quantity(text, TF_UNIT_MS, ms, err) < 0)
		return -1;
	return *ms >= 0 && *ms <= 1e12 ? 0 : tf_fail(err, TF_EUSAGE, "option '--timeout' needs a time from 0 to 1e12ms, not '%s'", text);
}

static int query(const struct args *a, const char *sql, const struct tf_param *params, double timeout_ms, struct tf_error *err)
{
	const struct tf_table_format *format = tf_table_format_find(a->format ? a->format : "table");
	struct tf_store *store;
	struct tf_row_receiver to;
	struct tf_error ending = {0}, closing;

	if (!format)
		return tf_fail(err, TF_EUSAGE, "no format '%s'", a->format);
	if (tf_store_open(&store, tf_db_path(a->db), TF_STORE_READ, err) < 0)
		return -1;
	if (format->begin(stdout, &to, err) == 0) {
		int rc = tf_store_query(store, sql, params, a->params.count, (int64_t)ceil(timeout_ms), &to, err);
		if (format->end(&to, &ending) < 0 && rc == 0)
			*err = ending;
	}
	tf_store_close(store, &closing);
	return 0;
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	struct tf_buf sql = {0};
	struct tf_param *params = calloc(a->params.count + 1, sizeof *params);
	double timeout_ms = 60000;

	if (!params)
		tf_fail_nomem(err);
	else if (count + (a->file != NULL) != 1)
		tf_fail(err, TF_EUSAGE, "one SQL statement is needed, as argument or with '--file'");
	else if (a->timeout && parse_timeout(a->timeout, &timeout_ms, err) < 0)
		;
	else if (split_params(&a->params, params, err) == 0 && (!a->file || read_statement(a->file, &sql, err) == 0))
		query(a, a->file ? (sql.data ? sql.data : "") : operands[0], params, timeout_ms, err);
	for (size_t i = 0; params && i < a->params.count; i++)
		free((void *)(uintptr_t)params[i].name);
	free(params);
	tf_buf_release(&sql);
	return 0;
}

const struct tf_cmd tf_cmd_query = {
	.name = "query",
	.synopsis = "[OPTION]… SQL",
	.summary = "run one read-only SQL statement on the store",
	.help = "'tfprof schema' lists the views. Tables that begin with _ are private.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
