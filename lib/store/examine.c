/* Soundness: SQLite's own check, rows without the row they belong to, files that changed or went. */
#include "lib/store/examine.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/io/walk.h"
#include "lib/store/db.h"

/* Columns of these names hold keys, whatever table they are in; NULL is no key. */
static const struct {
	const char *column, *parent, *key;
	bool is_part; /* a row without it is worth nothing; else only the key goes */
} keys[] = {
	{"run_id", "_run", "run_id", true},
	{"session_id", "_session", "session_id", true},
	{"file_id", "_source_file", "file_id", true},
	{"host_id", "_host", "host_id", true},
	{"device_id", "_device", "device_id", true},
	{"line_id", "_line", "line_id", true},
	{"name_id", "_name", "name_id", true},
	{"allocator_id", "_allocator", "allocator_id", true},
	{"tag_id", "_tag", "tag_id", true},
	{"module_id", "_hlo_module", "id", true},
	{"experiment_id", "_experiment", "id", true},
	{"graph_id", "_graph", "id", true},
	{"trial_id", "_trial", "id", false},
	{"step_id", "_step", "step_id", false},
	{"arg_set_id", "_arg_set", "arg_set_id", false},
};

static int collect(struct tf_store *s, struct tf_arena *a, const char *sql, const char ***list, size_t *count, size_t *cap,
		   struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err, sql, "");
	int step, rc = 0;

	if (!q)
		return -1;
	while ((step = sqlite3_step(q)) == SQLITE_ROW) {
		const char **slot = tf_arena_push(a, (void **)list, count, cap, sizeof *slot);
		if (!slot || !(*slot = tf_db_text(q, 0, a))) {
			rc = tf_fail_nomem(err);
			break;
		}
	}
	tf_db_done(q);
	return rc == 0 && step != SQLITE_DONE ? tf_db_fail(s, err, "store") : rc;
}

/* One statement whose text names tables: it cannot be kept. Its first column; -1 on failure. */
static int run_named(struct tf_store *s, char *sql, int64_t *value, struct tf_error *err)
{
	sqlite3_stmt *q = NULL;
	int step = SQLITE_NOMEM;

	if (sql && sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK)
		step = sqlite3_step(q);
	if (step == SQLITE_ROW && value)
		*value = sqlite3_column_int64(q, 0);
	int rc = !sql ? tf_fail_nomem(err) : step == SQLITE_ROW || step == SQLITE_DONE ? 0 : tf_db_fail(s, err, "store");
	sqlite3_finalize(q);
	sqlite3_free(sql);
	return rc;
}

/* Calls `use` for every private table and column that holds keys. */
static int each_key(struct tf_store *s, int (*use)(struct tf_store *s, const char *table, size_t key, void *ctx, struct tf_error *err),
		    void *ctx, struct tf_error *err)
{
	struct tf_arena a = {0};
	const char **tables = NULL;
	size_t count = 0, cap = 0;
	int rc = collect(s, &a, "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\\_%' ESCAPE '\\' ORDER BY name",
			 &tables, &count, &cap, err);

	for (size_t t = 0; rc == 0 && t < count; t++)
		for (size_t k = 0; rc == 0 && k < sizeof keys / sizeof keys[0]; k++) {
			int64_t has = 0;
			if (strcmp(tables[t], keys[k].parent) == 0)
				continue;
			rc = run_named(s, sqlite3_mprintf("SELECT count(*) FROM pragma_table_info('%q') WHERE name = '%q'", tables[t],
							  keys[k].column), &has, err);
			if (rc == 0 && has)
				rc = use(s, tables[t], k, ctx, err);
		}
	tf_arena_release(&a);
	return rc;
}

#define WHERE_ORPHAN " WHERE %s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM %s p WHERE p.%s = %s.%s)"

static int count_orphans(struct tf_store *s, const char *table, size_t k, void *ctx, struct tf_error *err)
{
	struct tf_examination *e = ctx;
	int64_t count = 0;

	if (run_named(s, sqlite3_mprintf("SELECT count(*) FROM %s" WHERE_ORPHAN, table, keys[k].column, keys[k].parent, keys[k].key, table,
					 keys[k].column), &count, err) < 0)
		return -1;
	if (count == 0)
		return 0;
	struct tf_orphans *o = tf_arena_push(&e->arena, (void **)&e->orphans, &e->orphan_count, &e->orphan_cap, sizeof *o);
	if (!o || !(o->table = tf_arena_strdup(&e->arena, table)))
		return tf_fail_nomem(err);
	o->column = keys[k].column;
	o->count = count;
	return 0;
}

/* Of a member of an archive the stat is the archive's but for the size. */
static enum tf_source_fate fate_of(sqlite3_stmt *q, struct tf_arena *a)
{
	const char *path = (const char *)sqlite3_column_text(q, 1), *file;
	struct stat st;

	if (sqlite3_column_type(q, 2) == SQLITE_NULL)
		return TF_SOURCE_UNREAD;
	file = path ? tf_file_around(a, path) : NULL;
	if (!file || stat(file, &st) < 0)
		return TF_SOURCE_GONE;
	int64_t mtime_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	int64_t ctime_ns = st.st_ctim.tv_sec * INT64_C(1000000000) + st.st_ctim.tv_nsec;
	bool same = tf_db_i64(q, 2) == (int64_t)st.st_ino && tf_db_i64(q, 4) == mtime_ns && tf_db_i64(q, 5) == ctime_ns
		    && (tf_db_i64(q, 3) == (int64_t)st.st_size || strcmp(file, path) != 0);
	return same ? TF_SOURCE_SAME : TF_SOURCE_CHANGED;
}

static int check_sources(struct tf_store *s, struct tf_examination *e, struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err, "SELECT path, real_path, inode, size_bytes, mtime_ns, ctime_ns FROM _source_file"
					     " WHERE real_path <> '-' AND real_path NOT LIKE '-/%' ORDER BY path", "");
	int step, rc = 0;

	if (!q)
		return -1;
	while ((step = sqlite3_step(q)) == SQLITE_ROW) {
		enum tf_source_fate fate = fate_of(q, &e->arena);
		e->fates[fate]++;
		if (fate == TF_SOURCE_SAME)
			continue;
		struct tf_source_check *c = tf_arena_push(&e->arena, (void **)&e->sources, &e->source_count, &e->source_cap, sizeof *c);
		if (!c || !(c->path = tf_db_text(q, 0, &e->arena))) {
			rc = tf_fail_nomem(err);
			break;
		}
		c->fate = fate;
	}
	tf_db_done(q);
	return rc == 0 && step != SQLITE_DONE ? tf_db_fail(s, err, "store") : rc;
}

int tf_store_examine(struct tf_store *s, struct tf_examination *e, struct tf_error *err)
{
	e->store = tf_arena_strdup(&e->arena, tf_store_path(s) ? tf_store_path(s) : "");
	if (!e->store)
		return tf_fail_nomem(err);
	return tf_db_integer(s, err, &e->version, "PRAGMA user_version", "") < 0
			       || collect(s, &e->arena, "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'", &e->damage,
					  &e->damage_count, &e->damage_cap, err) < 0
			       || each_key(s, count_orphans, e, err) < 0 || check_sources(s, e, err) < 0
			       || collect(s, &e->arena, "SELECT r.name || '/' || s.name FROM _session s JOIN _run r USING (run_id)"
							" WHERE s.complete IS NOT 1 ORDER BY r.name, s.name",
					  &e->incomplete, &e->incomplete_count, &e->incomplete_cap, err) < 0
		       ? -1 : 0;
}

static int drop_orphans(struct tf_store *s, const char *table, size_t k, void *ctx, struct tf_error *err)
{
	int64_t *dropped = ctx;
	const char *column = keys[k].column, *parent = keys[k].parent, *key = keys[k].key;
	char *sql = keys[k].is_part
			    ? sqlite3_mprintf("DELETE FROM %s" WHERE_ORPHAN, table, column, parent, key, table, column)
			    : sqlite3_mprintf("UPDATE %s SET %s = NULL" WHERE_ORPHAN, table, column, column, parent, key, table, column);

	if (run_named(s, sql, NULL, err) < 0)
		return -1;
	*dropped += sqlite3_changes(s->db);
	return 0;
}

static int refresh_sessions(struct tf_store *s, struct tf_error *err)
{
	int64_t id = 0;

	for (;;) {
		if (tf_db_integer(s, err, &id, "SELECT min(session_id) FROM _session WHERE session_id > ?", "i", id) < 0)
			return -1;
		if (id == TF_NONE)
			return 0;
		if (tf_store_refresh_session(s, id, err) < 0)
			return -1;
	}
}

int tf_store_repair(struct tf_store *s, struct tf_error *err)
{
	struct tf_arena a = {0};
	const char **damage = NULL;
	size_t count = 0, cap = 0;
	int64_t dropped;

	int rc = collect(s, &a, "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'", &damage, &count, &cap, err);
	tf_arena_release(&a);
	if (rc == 0 && count) {
		rc = tf_fail(err, TF_ESTORE, "the file itself is damaged");
		tf_hint(err, "ingest the logs into a new store");
	}
	if (rc < 0 || tf_db_script(s, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	do { /* what an orphan was parent of is one after it */
		dropped = 0;
		rc = each_key(s, drop_orphans, &dropped, err);
	} while (rc == 0 && dropped);
	if (rc < 0 || refresh_sessions(s, err) < 0 || tf_db_run(s, err, NULL, "DELETE FROM _meta WHERE key = 'views'", "") < 0
	    || tf_store_build_views(s, err) < 0 || tf_db_script(s, "COMMIT", err) < 0) {
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
		return -1;
	}
	return 0;
}
