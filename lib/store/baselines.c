/* Named baselines. */
#include "lib/store/baselines.h"

#include "lib/store/db.h"

static int put_rows(struct tf_store *s, const struct tf_baseline *b, struct tf_error *err)
{
	int64_t id;

	if (tf_db_run(s, err, &id, "INSERT INTO _baseline(name, environment, saved_on, reason) VALUES(?,?,?,?)", "tttt", b->name,
		      b->environment, b->saved_on, b->reason) < 0)
		return -1;
	for (size_t i = 0; i < b->run_count; i++)
		if (tf_db_run(s, err, NULL, "INSERT INTO _baseline_run(baseline_id, label, report) VALUES(?,?,?)", "itT", id,
			      b->runs[i].label, b->runs[i].report) < 0)
			return -1;
	return 0;
}

/* Makes way for the new one, or says why there is none. */
static int supersede(struct tf_store *s, const struct tf_baseline *b, bool promote, struct tf_error *err)
{
	int64_t present;

	if (tf_db_integer(s, err, &present, "SELECT count(*) FROM _baseline WHERE name = ? AND environment = ? AND superseded = 0", "tt",
			  b->name, b->environment) < 0)
		return -1;
	if (present && !promote) {
		tf_fail(err, TF_EUSAGE, "there is a baseline '%s' for %s", b->name, b->environment);
		tf_hint(err, "'tfprof baseline promote --name %s --reason TEXT' replaces it", b->name);
		return -1;
	}
	if (!present && promote) {
		tf_fail(err, TF_EUSAGE, "no baseline '%s' for %s", b->name, b->environment);
		tf_hint(err, "'tfprof baseline save --name %s' makes one", b->name);
		return -1;
	}
	return tf_db_run(s, err, NULL, "UPDATE _baseline SET superseded = 1 WHERE name = ? AND environment = ?", "tt", b->name,
			 b->environment);
}

int tf_store_save_baseline(struct tf_store *s, const struct tf_baseline *b, bool promote, struct tf_error *err)
{
	if (tf_db_script(s, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (supersede(s, b, promote, err) == 0 && put_rows(s, b, err) == 0 && tf_db_script(s, "COMMIT", err) == 0)
		return 0;
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

static int load_runs(struct tf_store *s, int64_t id, struct tf_arena *a, struct tf_baseline *out, struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err, "SELECT label, report FROM _baseline_run WHERE baseline_id = ? ORDER BY id", "i", id);
	size_t cap = 0;
	int step, rc = 0;

	if (!q)
		return -1;
	while (rc == 0 && (step = sqlite3_step(q)) == SQLITE_ROW) {
		struct tf_baseline_run *r = tf_arena_push(a, (void **)&out->runs, &out->run_count, &cap, sizeof *r);
		const char *label = tf_db_text(q, 0, a), *report = tf_db_text(q, 1, a);
		if (!r || !label || !report)
			rc = tf_fail_nomem(err);
		else
			*r = (struct tf_baseline_run){label, tf_bytes_of(report)};
	}
	if (rc == 0 && step != SQLITE_DONE)
		rc = tf_db_fail(s, err, "store");
	tf_db_done(q);
	return rc;
}

int tf_store_find_baseline(struct tf_store *s, const char *name, const char *environment, struct tf_arena *a, bool *found,
			   struct tf_baseline *out, struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err, "SELECT baseline_id, name, environment, saved_on, reason FROM _baseline"
					     " WHERE name = ? AND superseded = 0 ORDER BY environment IS NOT ?, baseline_id DESC LIMIT 1",
				     "tt", name, environment);

	if (!q)
		return -1;
	int step = sqlite3_step(q);
	int64_t id = step == SQLITE_ROW ? tf_db_i64(q, 0) : TF_NONE;
	*found = step == SQLITE_ROW;
	*out = (struct tf_baseline){0};
	if (*found)
		*out = (struct tf_baseline){.name = tf_db_text(q, 1, a), .environment = tf_db_text(q, 2, a),
					    .saved_on = tf_db_text(q, 3, a), .reason = tf_db_text(q, 4, a)};
	int rc = *found || step == SQLITE_DONE ? 0 : tf_db_fail(s, err, "store");
	tf_db_done(q);
	return rc == 0 && *found ? load_runs(s, id, a, out, err) : rc;
}

static int fail_missing(const char *name, const char *environment, struct tf_error *err)
{
	tf_fail(err, TF_EFORMAT, "no baseline '%s'%s%s", name, environment ? " for " : "", environment ? environment : "");
	tf_hint(err, "'tfprof baseline list' lists what there is");
	return -1;
}

int tf_store_drop_baseline(struct tf_store *s, const char *name, const char *environment, struct tf_error *err)
{
	int64_t present;

	if (tf_db_script(s, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (tf_db_integer(s, err, &present, "SELECT count(*) FROM _baseline WHERE name = ?1 AND (?2 IS NULL OR environment = ?2)", "tt",
			  name, environment) < 0)
		goto fail;
	if (present == 0) {
		fail_missing(name, environment, err);
		goto fail;
	}
	if (tf_db_run(s, err, NULL, "DELETE FROM _baseline_run WHERE baseline_id IN (SELECT baseline_id FROM _baseline"
				    " WHERE name = ?1 AND (?2 IS NULL OR environment = ?2))", "tt", name, environment) < 0
	    || tf_db_run(s, err, NULL, "DELETE FROM _baseline WHERE name = ?1 AND (?2 IS NULL OR environment = ?2)", "tt", name,
			 environment) < 0
	    || tf_db_script(s, "COMMIT", err) < 0)
		goto fail;
	return 0;
fail:
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

static const char list_sql[] =
	"SELECT b.name, b.environment, b.saved_on, (SELECT group_concat(label, ', ') FROM (SELECT label FROM _baseline_run r"
	" WHERE r.baseline_id = b.baseline_id ORDER BY r.id)) AS runs, b.reason, b.superseded FROM _baseline b"
	" WHERE b.name = ?1 OR (?1 IS NULL AND b.superseded = 0) ORDER BY b.name, b.environment, b.baseline_id";

int tf_store_list_baselines(struct tf_store *s, const char *name, const struct tf_row_receiver *to, struct tf_error *err)
{
	int64_t present = 1;

	if (name && tf_db_integer(s, err, &present, "SELECT count(*) FROM _baseline WHERE name = ?", "t", name) < 0)
		return -1;
	if (present == 0)
		return fail_missing(name, NULL, err);
	sqlite3_stmt *q = tf_db_bind(s, err, list_sql, "t", name);
	if (!q)
		return -1;
	int rc = tf_db_send_rows(s, q, to, err);
	tf_db_done(q);
	return rc;
}
