/* Sessions in the order of time, and what they say of one metric. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/metric_names.h"
#include "lib/store/db.h"

static bool is_same(const struct tf_target *a, const struct tf_target *b)
{
	return a->run_id == b->run_id && a->session_id == b->session_id;
}

/* The targets that the selectors name, in any order. */
static int select_named(struct tf_store *s, const char *const *selectors, size_t count, struct tf_arena *a, struct tf_target **named,
			size_t *named_count, struct tf_error *err)
{
	size_t cap = 0;

	for (size_t i = 0; i < count; i++) {
		struct tf_target *found;
		size_t found_count;
		if (tf_store_select(s, selectors[i], a, &found, &found_count, err) < 0)
			return -1;
		if (found_count == 0) {
			tf_fail(err, TF_EFORMAT, "nothing in the store is called '%s'", selectors[i]);
			tf_hint(err, "'tfprof ls sessions' and 'tfprof ls runs' list what there is");
			return -1;
		}
		for (size_t k = 0; k < found_count; k++) {
			struct tf_target *t = tf_arena_push(a, (void **)named, named_count, &cap, sizeof *t);
			if (!t)
				return tf_fail_nomem(err);
			*t = found[k];
		}
	}
	return 0;
}

static bool is_among(const struct tf_target *t, const struct tf_target *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_same(t, &list[i]))
			return true;
	return false;
}

/* Scalars are a run's: of its sessions the newest stands for it, and a run may have none. */
static bool is_asked_for(const struct tf_history_query *q, const struct tf_target *t, const struct tf_target *chosen, size_t count)
{
	if (q->run && !tf_glob_match(q->run, t->run))
		return false;
	if (!q->of_runs)
		return t->session_id != TF_NONE;
	for (size_t i = 0; i < count; i++)
		if (chosen[i].run_id == t->run_id)
			return false;
	return true;
}

/* When a session began, else when the run logged its first scalar; TF_NONE: not recorded. */
static int read_start(struct tf_store *s, const struct tf_target *t, int64_t *start_ns, struct tf_error *err)
{
	return tf_db_integer(s, err, start_ns,
			     "SELECT coalesce((SELECT start_ns FROM _session WHERE session_id = ?), (SELECT CAST(min(p.wall_time) * 1e9 AS"
			     " INTEGER) FROM _tag t JOIN _scalar p ON p.tag_id = t.tag_id WHERE t.run_id = ?))",
			     "ii", t->session_id, t->run_id);
}

struct started {
	struct tf_target target;
	int64_t start_ns;
	size_t place;
};

/* The latest first, those of unknown start last; else as they stood. */
static int by_start(const void *a, const void *b)
{
	const struct started *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns > y->start_ns ? -1 : 1; /* TF_NONE is the least */
	return (x->place > y->place) - (x->place < y->place);
}

/* Runs without a profile, which a store lists last, go where they belong in time. */
static int order_runs(struct tf_store *s, struct tf_target *list, size_t n, struct tf_arena *a, struct tf_error *err)
{
	struct started *sorted = tf_arena_array(a, n + 1, sizeof *sorted);

	if (!sorted)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = (struct started){.target = list[i], .place = i};
		if (read_start(s, &list[i], &sorted[i].start_ns, err) < 0)
			return -1;
	}
	if (n)
		qsort(sorted, n, sizeof *sorted, by_start);
	for (size_t i = 0; i < n; i++)
		list[i] = sorted[i].target;
	return 0;
}

int tf_store_list_history(struct tf_store *s, const struct tf_history_query *q, struct tf_arena *a, struct tf_target **targets,
			  size_t *count, struct tf_error *err)
{
	struct tf_target *all, *named = NULL;
	size_t all_count, named_count = 0, n = 0;

	if (tf_store_select(s, "*", a, &all, &all_count, err) < 0
	    || select_named(s, q->selectors, q->selector_count, a, &named, &named_count, err) < 0)
		return -1;
	struct tf_target *list = tf_arena_array(a, all_count + 1, sizeof *list);
	if (!list)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < all_count; i++)
		if ((!q->selector_count || is_among(&all[i], named, named_count)) && is_asked_for(q, &all[i], list, n))
			list[n++] = all[i];
	if (q->of_runs && order_runs(s, list, n, a, err) < 0)
		return -1;
	n = q->last && n > q->last ? q->last : n;
	for (size_t i = 0; i < n / 2; i++) { /* they were newest first */
		struct tf_target kept = list[i];
		list[i] = list[n - 1 - i];
		list[n - 1 - i] = kept;
	}
	*targets = list;
	*count = n;
	return 0;
}

/* Start, completeness and environment. */
static int read_session(struct tf_store *s, const struct tf_target *t, struct tf_arena *a, struct tf_trend_point *p, bool *complete,
			struct tf_error *err)
{
	static const char sql[] =
		"SELECT complete, coalesce(framework, 'unknown framework') || ', ' || (SELECT count(DISTINCT name) FROM _host h"
		" WHERE h.session_id = s.session_id) || ' host(s), '"
		" || coalesce((SELECT group_concat(x, ', ') FROM (SELECT coalesce(d.kind, 'device') || coalesce(' ' || d.model, '')"
		" || ' x ' || count(*) AS x FROM _device d JOIN _host h ON h.host_id = d.host_id WHERE h.session_id = s.session_id"
		" GROUP BY d.kind, d.model ORDER BY x)), 'no device') FROM _session s WHERE session_id = ?";

	p->environment = "no profile";
	*complete = true;
	if (read_start(s, t, &p->start_ns, err) < 0)
		return -1;
	if (t->session_id == TF_NONE)
		return 0;
	sqlite3_stmt *q = tf_db_bind(s, err, sql, "i", t->session_id);
	if (!q)
		return -1;
	int step = sqlite3_step(q);
	if (step == SQLITE_ROW) {
		*complete = sqlite3_column_int(q, 0);
		p->environment = tf_db_text(q, 1, a);
	}
	tf_db_done(q);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return tf_db_fail(s, err, "store");
	return p->environment ? 0 : tf_fail_nomem(err);
}

/* A metric of the session as it is stored. `name` is without the host. */
static int read_metric(struct tf_store *s, const char *name, const char *host, int64_t session_id, struct tf_arena *a,
		       struct tf_trend_point *p, struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err,
		"SELECT coalesce(integer_value, value), reason FROM _metric WHERE session_id = ? AND name = ? AND host IS ?", "itt",
		session_id, name, host);

	if (!q)
		return -1;
	int step = sqlite3_step(q);
	p->reason = "not_in_session";
	if (step == SQLITE_ROW) {
		p->value = tf_db_double(q, 0);
		p->reason = isfinite(p->value) ? NULL : tf_db_text(q, 1, a);
		if (!isfinite(p->value) && !p->reason)
			p->reason = "unknown";
	}
	tf_db_done(q);
	return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : tf_db_fail(s, err, "store");
}

static int take_value(void *ctx, const struct tf_cell *cells, size_t n, struct tf_error *err)
{
	double *value = ctx;

	(void)err;
	if (n && cells[0].kind != TF_CELL_NULL)
		*value = cells[0].kind == TF_CELL_INTEGER ? (double)cells[0].integer : cells[0].real;
	return 0;
}

static int no_columns(void *ctx, const char *const *names, size_t n, struct tf_error *err)
{
	(void)ctx, (void)names, (void)n, (void)err;
	return 0;
}

/* A scalar's figure, which is not kept but computed by its explanation. */
static int read_scalar(struct tf_store *s, const struct tf_explanation *e, const struct tf_target *t, struct tf_trend_point *p,
		       struct tf_error *err)
{
	struct tf_row_receiver to = {&p->value, no_columns, take_value};
	int64_t tags;

	if (tf_store_explain(s, e, e->value_sql, t, 0, &to, err) < 0)
		return -1;
	if (isfinite(p->value))
		return 0;
	if (tf_db_integer(s, err, &tags, "SELECT count(*) FROM _tag WHERE run_id = ? AND name = ?", "it", t->run_id, e->part) < 0)
		return -1;
	p->reason = tags ? "nonfinite" : "not_in_session";
	return 0;
}

int tf_store_read_history(struct tf_store *s, const char *metric, const struct tf_target *targets, size_t count, struct tf_arena *a,
			  struct tf_trend_point **points, struct tf_error *err)
{
	bool scalar = tf_metric_is_scalar(metric), complete;
	struct tf_explanation e = {0};

	*points = tf_arena_array(a, count + 1, sizeof **points);
	if (!*points)
		return tf_fail_nomem(err);
	if (tf_store_explanation(metric, a, &e, err) < 0)
		return -1;
	const char *name = *e.host ? tf_arena_strndup(a, metric, (size_t)(e.host - 1 - metric)) : metric;
	if (!name)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < count; i++) {
		const struct tf_target *t = &targets[i];
		struct tf_trend_point *p = &(*points)[i];
		*p = (struct tf_trend_point){.run = t->run, .name = t->name, .session_id = t->session_id, .value = NAN};
		if (read_session(s, t, a, p, &complete, err) < 0
		    || (scalar ? read_scalar(s, &e, t, p, err)
			       : read_metric(s, name, *e.host ? e.host : NULL, t->session_id, a, p, err)) < 0)
			return -1;
		if (!p->reason && !complete && !scalar)
			p->reason = "incomplete";
	}
	return 0;
}
