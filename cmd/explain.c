/* tfprof explain: what a metric means, and the SQL and the rows that it comes from. */
#include <stddef.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/analyze/analyze.h"
#include "lib/render/explanation.h"
#include "lib/render/render.h"
#include "lib/store/store.h"

struct args {
	const char *db;
	int64_t top;
	bool json;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"json", 'j', TF_OPT_FLAG, NULL, "one JSON document (schemas/explain.schema.json), without the rows", offsetof(struct args, json)},
	{"top", 0, TF_OPT_I64, "N", "list N rows (default 20)", offsetof(struct args, top)},
	{0}};

static int no_columns(void *ctx, const char *const *names, size_t n, struct tf_error *err)
{
	(void)ctx, (void)names, (void)n, (void)err;
	return 0;
}

/* The first cell as a number. */
static int keep_value(void *ctx, const struct tf_cell *cells, size_t n, struct tf_error *err)
{
	double *value = ctx;

	(void)err;
	if (n && cells[0].kind == TF_CELL_INTEGER)
		*value = (double)cells[0].integer;
	else if (n && cells[0].kind == TF_CELL_REAL)
		*value = cells[0].real;
	return 0;
}

static int list_rows(struct tf_store *s, const struct tf_explanation *e, const struct tf_target *target, int64_t top, struct tf_error *err)
{
	const struct tf_table_format *format = tf_table_format_find("table");
	struct tf_row_receiver to;
	struct tf_error ending = {0};

	if (format->begin(stdout, &to, err) < 0)
		return -1;
	int rc = tf_store_explain(s, e, e->rows_sql, target, top > 0 ? (size_t)top : 20, &to, err);
	if (format->end(&to, &ending) < 0 && rc == 0) {
		*err = ending;
		rc = -1;
	}
	return rc;
}

static int explain(const struct args *a, struct tf_store *s, const struct tf_explanation *e, const char *metric,
		   const struct tf_target *target, struct tf_error *err)
{
	struct tf_explained out = {.metric = metric, .definition = e->definition, .source = e->source, .value_sql = e->value_sql,
				   .rows_sql = e->rows_sql, .recomputed = NAN};
	const struct tf_row_receiver to = {&out.recomputed, no_columns, keep_value};
	struct tf_session session = {0};
	int rc = -1;

	if (tf_store_load_session(s, target, &session, err) < 0 || tf_store_explain(s, e, e->value_sql, target, 0, &to, err) < 0)
		goto out;
	out.recorded = tf_metric_find(&session, metric);
	out.session = target->name ? tf_arena_printf(&session.arena, "%s/%s", target->run, target->name) : target->run;
	if (!out.session) {
		tf_fail_nomem(err);
		goto out;
	}
	rc = (a->json ? tf_render_explained_json : tf_render_explained_text)(stdout, &out, err);
	if (rc == 0 && !a->json)
		rc = list_rows(s, e, target, a->top, err);
out:
	tf_session_release(&session);
	return rc;
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	struct tf_store *store = NULL;
	struct tf_arena arena = {0};
	struct tf_explanation e;
	struct tf_target *targets;
	struct tf_error closing;
	size_t found;

	if (count < 1 || count > 2)
		return tf_fail(err, TF_EUSAGE, "a metric is needed, and a session if it is not the latest");
	if (tf_store_explanation(operands[0], &arena, &e, err) == 0 && tf_store_open(&store, tf_db_path(a->db), TF_STORE_READ, err) == 0
	    && tf_store_select(store, count > 1 ? operands[1] : NULL, &arena, &targets, &found, err) == 0) {
		if (found == 0)
			tf_fail(err, TF_EFORMAT, "nothing in the store is called '%s'", count > 1 ? operands[1] : "latest");
		else
			explain(a, store, &e, operands[0], &targets[0], err);
	}
	tf_store_close(store, &closing);
	tf_arena_release(&arena);
	return 0;
}

const struct tf_cmd tf_cmd_explain = {
	.name = "explain",
	.synopsis = "[OPTION]… METRIC [SELECTOR]",
	.summary = "what a metric means, the SQL that recomputes it, and the rows behind it",
	.help = "METRIC is a name of 'report --json', such as step_time_ms.mean or memory.peak_bytes[GPU_0_bfc],\n"
		"or one host's: step_time_ms.mean@worker-0.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
