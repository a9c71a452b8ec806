/* Selecting what to report, and lists. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/vec.h"
#include "lib/store/db.h"

/*
 * All targets, newest first: sessions by (start, run, name), those without a start last; then runs without a session. Where no
 * capture of a session could be read, its files' time stands for the start: the session before it is not the latest.
 */
static const char targets_sql[] =
	"SELECT r.run_id, s.session_id, r.name, s.name, coalesce(s.start_ns, (SELECT max(f.mtime_ns) FROM _source_file f"
	" WHERE f.session_id = s.session_id AND f.state IN ('failed', 'skipped')"
	" AND NOT EXISTS (SELECT 1 FROM _host h WHERE h.session_id = s.session_id))) AS start"
	" FROM _run r LEFT JOIN _session s ON s.run_id = r.run_id"
	" ORDER BY s.session_id IS NULL, start IS NULL, start DESC, r.name DESC, s.name DESC";

static bool is_named(const struct tf_target *t, const char *selector)
{
	const char *run = strncmp(selector, "run:", 4) == 0 ? selector + 4 : selector;
	size_t len = strlen(t->run);

	if (strcmp(t->run, run) == 0)
		return true;
	return t->name && run == selector && strncmp(selector, t->run, len) == 0 && selector[len] == '/'
	       && strcmp(selector + len + 1, t->name) == 0;
}

static bool has_id(const struct tf_target *t, const char *selector)
{
	int64_t id;
	return t->session_id != TF_NONE && tf_parse_i64(selector, &id) && id == t->session_id;
}

static bool matches_glob(const struct tf_target *t, const char *selector)
{
	struct tf_buf whole = {0};

	tf_buf_printf(&whole, "%s/%s", t->run, t->name ? t->name : "");
	bool found = !whole.failed && (tf_glob_match(selector, whole.data) || tf_glob_match(selector, t->run));
	tf_buf_release(&whole);
	return found;
}

/* "latest", "latest~2" → 0, 2; -1 if it is neither. */
static int64_t latest_index(const char *selector)
{
	int64_t back;

	if (strcmp(selector, "latest") == 0)
		return 0;
	return strncmp(selector, "latest~", 7) == 0 && tf_parse_i64(selector + 7, &back) && back >= 0 ? back : -1;
}

static int load_targets(struct tf_store *s, struct tf_arena *a, struct tf_target **all, size_t *count, struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err, targets_sql, "");
	size_t cap = 0;
	int step;

	if (!q)
		return -1;
	while ((step = sqlite3_step(q)) == SQLITE_ROW) {
		struct tf_target *t = tf_arena_push(a, (void **)all, count, &cap, sizeof *t);
		if (!t)
			break;
		*t = (struct tf_target){tf_db_i64(q, 0), tf_db_i64(q, 1), tf_db_text(q, 2, a), tf_db_text(q, 3, a)};
	}
	tf_db_done(q);
	return step == SQLITE_DONE ? 0 : tf_db_fail(s, err, "store");
}

int tf_store_select(struct tf_store *s, const char *selector, struct tf_arena *a, struct tf_target **targets,
		    size_t *count, struct tf_error *err)
{
	static bool (*const ways[])(const struct tf_target *, const char *) = {is_named, has_id, matches_glob};
	struct tf_target *all = NULL;
	size_t n = 0, cap = 0;
	int64_t back = latest_index(selector ? selector : "latest");

	*targets = NULL;
	*count = 0;
	if (load_targets(s, a, &all, &n, err) < 0)
		return -1;
	if (back >= 0) {
		*targets = back < (int64_t)n ? &all[back] : NULL;
		*count = back < (int64_t)n;
		return 0;
	}
	for (int pass = 0; pass < 3 && *count == 0; pass++)
		for (size_t i = 0; i < n; i++) {
			if (!ways[pass](&all[i], selector))
				continue;
			struct tf_target *t = tf_arena_push(a, (void **)targets, count, &cap, sizeof *t);
			if (!t)
				return tf_fail_nomem(err);
			*t = all[i];
		}
	return 0;
}

int tf_store_session_id(struct tf_store *s, const char *selector, int64_t *id, struct tf_error *err)
{
	struct tf_arena a = {0};
	struct tf_target *targets;
	size_t count;
	int rc = tf_store_select(s, selector, &a, &targets, &count, err);

	if (rc == 0 && (count == 0 || targets[0].session_id == TF_NONE)) {
		rc = tf_fail(err, TF_EFORMAT, "no session in the store is called '%s'", selector);
		tf_hint(err, "'tfprof ls sessions' lists what there is");
	}
	if (rc == 0)
		*id = targets[0].session_id;
	tf_arena_release(&a);
	return rc;
}

int tf_store_list(struct tf_store *s, enum tf_list what, const struct tf_row_receiver *to, struct tf_error *err)
{
	static const char *const lists[] = {
		"SELECT r.name AS run, (SELECT count(*) FROM _session s WHERE s.run_id = r.run_id) AS sessions,"
		" (SELECT count(*) FROM _source_file f WHERE f.run_id = r.run_id) AS files,"
		" (SELECT count(DISTINCT t.tag_id) FROM _tag t WHERE t.run_id = r.run_id) AS tags FROM _run r ORDER BY r.name",
		"SELECT s.session_id AS id, r.name || '/' || s.name AS session, (SELECT count(DISTINCT name) FROM _host h"
		" WHERE h.session_id = s.session_id) AS hosts,"
		" (SELECT value FROM _metric m WHERE m.session_id = s.session_id AND m.name = 'steps.count'"
		" AND m.host IS NULL) AS steps, (SELECT value FROM _metric m WHERE m.session_id = s.session_id AND"
		" m.name = 'step_time_ms.mean' AND m.host IS NULL) AS step_ms, (SELECT value FROM _metric m WHERE m.session_id ="
		" s.session_id AND m.name = 'input.share' AND m.host IS NULL) AS input_share, s.complete FROM _session s JOIN _run r ON"
		" r.run_id = s.run_id ORDER BY s.start_ns IS NOT NULL, s.start_ns, r.name, s.name",
		"SELECT run, name AS tag, kind, plugin, count FROM tag ORDER BY run, name",
		"SELECT path, kind, state, records, size_bytes AS bytes, tail_state AS tail, skipped_records AS skipped FROM _source_file"
		" ORDER BY path",
		"SELECT f.path, i.code, i.byte_offset AS \"offset\", i.message FROM _ingest_issue i JOIN _source_file f ON f.file_id ="
		" i.file_id ORDER BY f.path, i.id",
	};
	sqlite3_stmt *q = tf_db_bind(s, err, lists[what], "");

	if (!q)
		return -1;
	int rc = tf_db_send_rows(s, q, to, err);
	tf_db_done(q);
	return rc;
}
