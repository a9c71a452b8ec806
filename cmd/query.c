/* tfprof query: one read-only SQL statement. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/cookbook.h"
#include "cmd/output.h"
#include "lib/base/text.h"
#include "lib/render/render.h"
#include "lib/store/store.h"

/* Rows that a table shows where no limit is given: it is laid out in memory. */
enum { TABLE_ROWS = 10000 };

struct args {
	const char *file, *format, *timeout, *output, *limit;
	struct tf_list_arg dbs, params;
	bool list, show;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_LIST, "FILE", "the store (default: $TFPROF_DB, else tfprof.db); more, or NAME=FILE: as schemas",
	 offsetof(struct args, dbs)},
	{"file", 'f', TF_OPT_TEXT, "FILE", "read the statement from there; - is stdin", offsetof(struct args, file)},
	{"format", 0, TF_OPT_TEXT, "NAME", "table (default), csv, tsv, json, jsonl or md", offsetof(struct args, format)},
	{"limit", 0, TF_OPT_TEXT, "N", "stop after N rows, 0: never (default; a table stops after 10000)", offsetof(struct args, limit)},
	{"list", 0, TF_OPT_FLAG, NULL, "list the named queries", offsetof(struct args, list)},
	{"output", 'o', TF_OPT_TEXT, "FILE", "write there instead of stdout", offsetof(struct args, output)},
	{"param", 0, TF_OPT_LIST, "K=V", "value of the parameter :K", offsetof(struct args, params)},
	{"show", 0, TF_OPT_FLAG, NULL, "print the text of a named query", offsetof(struct args, show)},
	{"timeout", 0, TF_OPT_TEXT, "TIME", "stop after this long (default 60s)", offsetof(struct args, timeout)},
	{0}};

/* What is asked: the statement and its parameters. Arena, but for operands. */
struct question {
	struct tf_arena a;
	struct tf_buf text;
	struct tf_named_query named;
	const char *sql;
	struct tf_param *params;
	size_t param_count;
	double timeout_ms;
	int64_t limit;
};

/* Takes as many rows as the limit, and remembers whether there were more. */
struct limited {
	const struct tf_row_receiver *to;
	int64_t left; /* negative: no limit */
	bool cut;
};

static int limited_columns(void *ctx, const char *const *names, size_t n, struct tf_error *err)
{
	struct limited *l = ctx;
	return l->to->columns(l->to->ctx, names, n, err);
}

static int limited_row(void *ctx, const struct tf_cell *cells, size_t n, struct tf_error *err)
{
	struct limited *l = ctx;

	l->cut = l->left == 0;
	if (l->cut)
		return 1;
	l->left -= l->left > 0;
	return l->to->row(l->to->ctx, cells, n, err);
}

/* "k=v" pairs of --param, after the defaults of a named query. */
static int take_params(struct question *q, const struct tf_list_arg *list, struct tf_error *err)
{
	q->params = tf_arena_alloc(&q->a, (q->named.param_count + list->count + 1) * sizeof *q->params);
	if (!q->params)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < q->named.param_count; i++)
		q->params[q->param_count++] = (struct tf_param){q->named.params[i].name, q->named.params[i].value};
	for (size_t i = 0; i < list->count; i++) {
		const char *equals = strchr(list->items[i], '=');
		if (!equals || equals == list->items[i])
			return tf_fail(err, TF_EUSAGE, "not NAME=VALUE: '%s'", list->items[i]);
		const char *name = tf_arena_strndup(&q->a, list->items[i], (size_t)(equals - list->items[i]));
		if (!name)
			return tf_fail_nomem(err);
		q->params[q->param_count++] = (struct tf_param){name, equals + 1};
	}
	return 0;
}

/* Selectors among the parameters of a named query become the ids of sessions. */
static int resolve_sessions(struct question *q, struct tf_store *store, struct tf_error *err)
{
	for (size_t i = 0; i < q->named.param_count; i++) {
		const struct tf_named_param *known = &q->named.params[i];
		struct tf_param *last = NULL;
		for (size_t k = 0; k < q->param_count && known->is_session; k++)
			if (strcmp(q->params[k].name + strspn(q->params[k].name, ":@$"), known->name) == 0)
				last = &q->params[k];
		if (!last)
			continue;
		int64_t id;
		char *text = tf_arena_alloc(&q->a, 24);
		if (tf_store_session_id(store, last->value, &id, err) < 0)
			return -1;
		if (!text)
			return tf_fail_nomem(err);
		snprintf(text, 24, "%lld", (long long)id);
		last->value = text;
	}
	return 0;
}

/* 0 is no limit: only who says so gets none. */
static int parse_limits(const struct args *a, struct question *q, struct tf_error *err)
{
	bool table = !a->format || strcmp(a->format, "table") == 0;

	q->timeout_ms = 60000;
	q->limit = table ? TABLE_ROWS : 0;
	if (a->limit && (!tf_parse_i64(a->limit, &q->limit) || q->limit < 0))
		return tf_fail(err, TF_EUSAGE, "option '--limit' needs a whole number, not '%s'", a->limit);
	if (!a->timeout)
		return 0;
	if (tf_parse_quantity(a->timeout, TF_UNIT_MS, &q->timeout_ms, err) < 0)
		return -1;
	return q->timeout_ms >= 0 && q->timeout_ms <= 1e12
		       ? 0
		       : tf_fail(err, TF_EUSAGE, "option '--timeout' needs a time from 0 to 1e12ms, not '%s'", a->timeout);
}

/* The further stores, each by the name that is given or by its file's. */
static int attach_others(const struct tf_list_arg *dbs, struct tf_store *store, struct tf_error *err)
{
	int rc = 0;

	for (size_t i = 1; i < dbs->count && rc == 0; i++) {
		const char *text = dbs->items[i], *equals = strchr(text, '='), *slash = strrchr(text, '/');
		const char *path = equals && !(slash && slash < equals) ? equals + 1 : text;
		const char *from = path == text ? (slash ? slash + 1 : text) : text;
		char *name = strndup(from, path == text ? strcspn(from, ".") : (size_t)(equals - text));
		if (!name)
			rc = tf_fail_nomem(err);
		else if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(name)) {
			rc = tf_fail(err, TF_EUSAGE, "'%s' is no name for a schema", name);
			tf_hint(err, "say it: --db NAME=FILE");
		} else
			rc = tf_store_attach(store, path, name, err);
		free(name);
	}
	return rc;
}

static int ask(const struct args *a, struct question *q, const struct tf_row_receiver *to, struct tf_error *err)
{
	struct tf_store *store = NULL;
	struct tf_error closing;
	const char *first = a->dbs.count ? a->dbs.items[0] : NULL;
	int rc = tf_store_open(&store, tf_db_path(first), TF_STORE_READ, err);

	if (rc == 0)
		rc = attach_others(&a->dbs, store, err);
	if (rc == 0)
		rc = resolve_sessions(q, store, err);
	if (rc == 0)
		rc = tf_store_query(store, q->sql, q->params, q->param_count, (int64_t)ceil(q->timeout_ms), to, err);
	tf_store_close(store, &closing);
	return rc;
}

/* The answer, or the list of named queries, in the format asked for. */
static int answer(const struct args *a, struct question *q, FILE *to, struct tf_error *err)
{
	const struct tf_table_format *format = tf_table_format_find(a->format ? a->format : "table");
	struct tf_row_receiver rows;
	struct tf_error ending = {0};

	if (!format)
		return tf_fail(err, TF_EUSAGE, "no format '%s'", a->format);
	if (format->begin(to, &rows, err) < 0)
		return -1;
	struct limited limited = {&rows, q->limit ? q->limit : -1, false};
	const struct tf_row_receiver some = {&limited, limited_columns, limited_row};
	int rc = a->list ? tf_cookbook_list(&rows, err) : ask(a, q, &some, err);
	if (format->end(&rows, &ending) < 0 && rc == 0) {
		*err = ending;
		rc = -1;
	}
	if (limited.cut)
		fprintf(stderr, "tfprof query: there are more than %lld rows; --limit 0 shows all\n", (long long)q->limit);
	return rc;
}

static int write_answer(const struct args *a, struct question *q, struct tf_error *err)
{
	FILE *to = tf_output_open(a->output, err);
	int rc;

	if (!to)
		return -1;
	if (a->show)
		rc = fputs(q->sql, to) < 0 || fflush(to) != 0 ? tf_fail_errno(err, TF_ESYSTEM, "cannot write") : 0;
	else
		rc = answer(a, q, to, err);
	return tf_output_close(to, a->output, rc, err);
}

/* Finds the statement: named, in a file, or as it stands. */
static int take_statement(const struct args *a, const char *operand, struct question *q, struct tf_error *err)
{
	if (a->file) {
		int rc = tf_read_text(a->file, &q->text, err);
		q->sql = q->text.data;
		return rc;
	}
	q->sql = operand;
	if (*operand != '@')
		return a->show ? tf_fail(err, TF_EUSAGE, "'--show' needs a @NAME") : 0;
	int rc = tf_cookbook_find(operand + 1, &q->a, &q->named, err);
	q->sql = q->named.sql;
	return rc;
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	struct question q = {0};

	if (count + (a->file != NULL) != (a->list ? 0 : 1))
		tf_fail(err, TF_EUSAGE, a->list ? "'--list' stands alone" : "one SQL statement is needed, as argument or with '--file'");
	else if ((a->list || take_statement(a, operands[0], &q, err) == 0) && take_params(&q, &a->params, err) == 0
		 && parse_limits(a, &q, err) == 0)
		write_answer(a, &q, err);
	tf_buf_release(&q.text);
	tf_arena_release(&q.a);
	return 0;
}

const struct tf_cmd tf_cmd_query = {
	.name = "query",
	.synopsis = "[OPTION]… SQL|@NAME",
	.summary = "run one read-only SQL statement on the store",
	.help = "'tfprof schema' lists the views. Tables that begin with _ are private. @NAME runs a named query; its parameters have\n"
		"defaults, and those called session take a selector: tfprof query @slow-steps --param n=5 --param session=latest~1.\n"
		"Queries of your own: NAME.sql in a folder of $TFPROF_QUERY_PATH.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
