/* Scalar points, tag by tag. */
#include <math.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/store/db.h"

struct tag {
	int64_t id, run_id;
	const char *run, *name;
};

static bool is_wanted(const struct tag *t, const struct tf_series_query *q)
{
	bool run = q->target_count == 0, tag = !q->tags || !q->tags[0];

	for (size_t i = 0; i < q->target_count; i++)
		run |= q->targets[i].run_id == t->run_id;
	for (size_t i = 0; q->tags && q->tags[i]; i++)
		tag |= tf_glob_match(q->tags[i], t->name);
	return run && tag;
}

static int list_tags(struct tf_store *s, const struct tf_series_query *query, struct tf_arena *a, struct tag **tags, size_t *count,
		     struct tf_error *err)
{
	size_t cap = 0;
	int step, rc = 0;
	sqlite3_stmt *q = tf_db_bind(s, err,
		"SELECT t.tag_id, t.run_id, r.name, t.name FROM _tag t JOIN _run r ON r.run_id = t.run_id"
		" WHERE EXISTS (SELECT 1 FROM _scalar p WHERE p.tag_id = t.tag_id) ORDER BY r.name, t.name, t.tag_id", "");

	if (!q)
		return -1;
	while ((step = sqlite3_step(q)) == SQLITE_ROW) {
		struct tag t = {tf_db_i64(q, 0), tf_db_i64(q, 1), tf_db_text(q, 2, a), tf_db_text(q, 3, a)};
		struct tag *slot = NULL;
		if (!t.run || !t.name || (is_wanted(&t, query) && !(slot = tf_arena_push(a, (void **)tags, count, &cap, sizeof t)))) {
			rc = tf_fail_nomem(err);
			break;
		}
		if (slot)
			*slot = t;
	}
	tf_db_done(q);
	return rc == 0 && step != SQLITE_DONE ? tf_db_fail(s, err, "store") : rc;
}

static double value_of(sqlite3_stmt *q)
{
	const char *nonfinite = (const char *)sqlite3_column_text(q, 3);

	if (!nonfinite)
		return sqlite3_column_double(q, 2);
	return strcmp(nonfinite, "inf") == 0 ? (double)INFINITY : strcmp(nonfinite, "-inf") == 0 ? -(double)INFINITY : (double)NAN;
}

/* Adds a write of a step to those before it. */
static void merge(struct tf_scalar_point *last, const struct tf_scalar_point *p, enum tf_duplicates how, size_t *writes)
{
	if (how == TF_DUPLICATES_FIRST)
		return;
	++*writes;
	last->value += (p->value - last->value) / (double)*writes;
	last->wall_time = p->wall_time;
}

static int read_points(struct tf_store *s, const struct tag *t, enum tf_duplicates how, struct tf_arena *a, struct tf_series *out,
		       struct tf_error *err)
{
	size_t cap = 0, writes = 1;
	int step, rc = 0;
	sqlite3_stmt *q = tf_db_bind(s, err,
		"SELECT step, wall_time, value, nonfinite, superseded FROM _scalar WHERE tag_id = ?"
		" ORDER BY step, wall_time, file_id, byte_offset", "i", t->id);

	if (!q)
		return -1;
	*out = (struct tf_series){.run = t->run, .tag = t->name};
	while ((step = sqlite3_step(q)) == SQLITE_ROW) {
		struct tf_scalar_point p = {sqlite3_column_int64(q, 0), tf_db_double(q, 1), value_of(q)}, *last;
		bool superseded = sqlite3_column_int(q, 4);
		out->superseded += superseded;
		if (superseded && how == TF_DUPLICATES_LAST)
			continue;
		last = out->count ? &out->points[out->count - 1] : NULL;
		if (last && last->step == p.step && (how == TF_DUPLICATES_FIRST || how == TF_DUPLICATES_MEAN)) {
			merge(last, &p, how, &writes);
			continue;
		}
		writes = 1;
		struct tf_scalar_point *slot = tf_arena_push(a, (void **)&out->points, &out->count, &cap, sizeof p);
		if (!slot) {
			rc = tf_fail_nomem(err);
			break;
		}
		*slot = p;
	}
	tf_db_done(q);
	return rc == 0 && step != SQLITE_DONE ? tf_db_fail(s, err, "store") : rc;
}

int tf_store_each_series(struct tf_store *s, const struct tf_series_query *query,
			 int (*use)(void *ctx, const struct tf_series *series, struct tf_error *err), void *ctx, struct tf_error *err)
{
	struct tf_arena names = {0};
	struct tag *tags = NULL;
	size_t count = 0;
	int rc = list_tags(s, query, &names, &tags, &count, err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct tf_arena a = {0};
		struct tf_series series;
		rc = read_points(s, &tags[i], query->duplicates, &a, &series, err);
		if (rc == 0)
			rc = use(ctx, &series, err);
		tf_arena_release(&a);
	}
	tf_arena_release(&names);
	return rc;
}
