/* What the store knows of source files: found again, unchanged, for now unreadable, gone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/io/walk.h"
#include "lib/store/db.h"

int tf_store_find_source(struct tf_store *s, const struct tf_source *source, struct tf_source_known *known,
			 struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err,
		"SELECT file_id, device = ?3 AND inode = ?4 AND size_bytes = ?5 AND mtime_ns = ?6 AND ctime_ns = ?7, content_hash,"
		" kind, state, records FROM _source_file WHERE run_prefix = ?1 AND real_path = ?2",
		"ttiiiii", source->run_prefix, source->real_path, source->device, source->inode, source->size_bytes,
		source->mtime_ns, source->ctime_ns);

	*known = (struct tf_source_known){0};
	if (!q)
		return -1;
	int step = sqlite3_step(q);
	if (step == SQLITE_ROW) {
		const char *kind = (const char *)sqlite3_column_text(q, 3), *state = (const char *)sqlite3_column_text(q, 4);
		known->found = true;
		known->file_id = sqlite3_column_int64(q, 0);
		known->same_stat = sqlite3_column_int(q, 1);
		known->content_hash = (uint64_t)sqlite3_column_int64(q, 2);
		known->records = sqlite3_column_int64(q, 5);
		for (int k = TF_FILE_UNKNOWN; kind && k <= TF_FILE_HOST_METRICS; k++)
			if (strcmp(kind, tf_file_kind_name((enum tf_file_kind)k)) == 0)
				known->kind = (enum tf_file_kind)k;
		for (int k = TF_STATE_NEW; state && k <= TF_STATE_FAILED; k++)
			if (strcmp(state, tf_state_name((enum tf_file_state)k)) == 0)
				known->state = (enum tf_file_state)k;
	}
	tf_db_done(q);
	return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : tf_db_fail(s, err, "store");
}

static int put_stat(struct tf_store *s, int64_t file_id, const struct tf_source *f, struct tf_error *err)
{
	return tf_db_run(s, err, NULL,
			 "UPDATE _source_file SET device = ?, inode = ?, size_bytes = ?, mtime_ns = ?, ctime_ns = ? WHERE file_id = ?",
			 "iiiiii", f->device, f->inode, f->size_bytes, f->mtime_ns, f->ctime_ns, file_id);
}

/* In one transaction: the file's stat (without an inode while it cannot be read) and why, and whether its session is complete. */
static int put_reading(struct tf_store *s, int64_t file_id, const struct tf_source *source, const struct tf_ledger_file *why,
		       struct tf_error *err)
{
	int64_t session;

	if (tf_db_script(s, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	s->file_id = file_id;
	if (put_stat(s, file_id, source, err) < 0
	    || tf_db_run(s, err, NULL, "DELETE FROM _ingest_issue WHERE file_id = ? AND code = ?", "it", file_id,
			 tf_issue_name(TF_ISSUE_IO_ERROR)) < 0
	    || (why && tf_store_put_issues(s, why, err) < 0)
	    || tf_db_integer(s, err, &session, "SELECT session_id FROM _source_file WHERE file_id = ?", "i", file_id) < 0
	    || (session != TF_NONE && tf_store_refresh_session(s, session, err) < 0) || tf_db_script(s, "COMMIT", err) < 0) {
		tf_store_abandon_file(s);
		return -1;
	}
	return 0;
}

int tf_store_touch_source(struct tf_store *s, int64_t file_id, const struct tf_source *source, struct tf_error *err)
{
	int64_t unread;

	if (tf_db_integer(s, err, &unread, "SELECT inode IS NULL FROM _source_file WHERE file_id = ?", "i", file_id) < 0)
		return -1;
	return unread == 1 ? put_reading(s, file_id, source, NULL, err) : put_stat(s, file_id, source, err);
}

int tf_store_note_unreadable(struct tf_store *s, const struct tf_source *source, const struct tf_source_known *known,
			     struct tf_ledger_file *file, struct tf_error *err)
{
	struct tf_source unread = *source;

	unread.inode = TF_NONE;
	if (known->found && known->state != TF_STATE_FAILED && known->state != TF_STATE_SKIPPED)
		return put_reading(s, known->file_id, &unread, file, err);
	return tf_store_begin_file(s, &unread, err) < 0 ? -1 : tf_store_end_file(s, file, err);
}

/* The row of tf_store_list_sources(): a file that still has the stat it was read with, or a member of an archive that has. */
static bool is_as_read(sqlite3_stmt *q, struct tf_arena *a)
{
	const char *path = (const char *)sqlite3_column_text(q, 0);
	const char *file = path ? tf_file_around(a, path) : NULL;
	struct stat st;

	if (!file || stat(file, &st) < 0)
		return false;
	int64_t mtime_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	return tf_db_i64(q, 1) == (int64_t)st.st_dev && tf_db_i64(q, 2) == (int64_t)st.st_ino && tf_db_i64(q, 4) == mtime_ns
	       && (tf_db_i64(q, 3) == (int64_t)st.st_size || strcmp(file, path) != 0);
}

int tf_store_list_sources(struct tf_store *s, const struct tf_target *target, struct tf_arena *a, const char ***paths, size_t *count,
			  struct tf_error *err)
{
	size_t cap = 0;
	int rc = 0, step = SQLITE_DONE;
	sqlite3_stmt *q = tf_db_bind(s, err,
		"SELECT real_path, device, inode, size_bytes, mtime_ns FROM _source_file"
		" WHERE session_id = ?1 OR (run_id = ?2 AND session_id IS NULL) ORDER BY file_id", "ii", target->session_id,
		target->run_id);

	*paths = NULL;
	*count = 0;
	if (!q)
		return -1;
	while (rc == 0 && (step = sqlite3_step(q)) == SQLITE_ROW) {
		if (!is_as_read(q, a)) {
			rc = tf_fail(err, TF_EFORMAT, "no more what was read: '%s'", (const char *)sqlite3_column_text(q, 0));
			break;
		}
		const char **slot = tf_arena_push(a, (void **)paths, count, &cap, sizeof *slot);
		if (!slot || !(*slot = tf_db_text(q, 0, a)))
			rc = tf_fail_nomem(err);
	}
	tf_db_done(q);
	return rc < 0 || step == SQLITE_DONE ? rc : tf_db_fail(s, err, "store");
}

int tf_store_note_left(struct tf_store *s, int64_t file_id, struct tf_error *err)
{
	return tf_db_integer(s, err, &s->left_session_id, "SELECT session_id FROM _source_file WHERE file_id = ?", "i", file_id) < 0
			       || tf_db_integer(s, err, &s->left_run_id, "SELECT run_id FROM _source_file WHERE file_id = ?", "i",
						file_id) < 0 ? -1 : 0;
}

int tf_store_settle_left(struct tf_store *s, struct tf_error *err)
{
	static const char *const drops[] = {
		"DELETE FROM _metric WHERE session_id = ?1 AND NOT EXISTS (SELECT 1 FROM _source_file WHERE session_id = ?1)",
		"DELETE FROM _session WHERE session_id = ?1 AND NOT EXISTS (SELECT 1 FROM _source_file WHERE session_id = ?1)"};

	if (s->left_session_id != TF_NONE && s->left_session_id != s->session_id) {
		if (tf_store_refresh_session(s, s->left_session_id, err) < 0)
			return -1;
		for (size_t i = 0; i < sizeof drops / sizeof drops[0]; i++)
			if (tf_db_run(s, err, NULL, drops[i], "i", s->left_session_id) < 0)
				return -1;
	}
	if (s->left_run_id == TF_NONE || s->left_run_id == s->run_id)
		return 0;
	return tf_db_run(s, err, NULL, "DELETE FROM _run WHERE run_id = ?1 AND NOT EXISTS (SELECT 1 FROM _source_file WHERE run_id = ?1)",
			 "i", s->left_run_id);
}

/* Removes one file, and the run and session that it leaves empty. Points that its own had replaced count again. */
static int forget(struct tf_store *s, int64_t file_id, struct tf_error *err)
{
	if (tf_db_script(s, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	s->session_id = TF_NONE;
	s->file_id = file_id;
	if (tf_store_note_left(s, file_id, err) < 0 || tf_store_drop_file(s, file_id, err) < 0
	    || tf_db_run(s, err, NULL, "DELETE FROM _source_file WHERE file_id = ?", "i", file_id) < 0)
		goto fail;
	s->run_id = s->left_run_id;
	if (tf_store_end_rows(s, err) < 0)
		goto fail;
	s->run_id = TF_NONE;
	if (tf_store_settle_left(s, err) < 0 || tf_db_script(s, "COMMIT", err) < 0)
		goto fail;
	tf_store_forget_tags(s);
	return 0;
fail:
	tf_store_abandon_file(s);
	return -1;
}

/* Forgets the files of a query (file_id, real_path) that `is_gone` says are to go. */
static int forget_each(struct tf_store *s, sqlite3_stmt *q, bool (*is_gone)(const char *path, const void *ctx), const void *ctx,
		       struct tf_error *err)
{
	struct tf_arena a = {0};
	int64_t *gone = NULL;
	size_t count = 0, cap = 0;
	int rc = 0, step = SQLITE_DONE;

	while (rc == 0 && (step = sqlite3_step(q)) == SQLITE_ROW) {
		const char *path = (const char *)sqlite3_column_text(q, 1);
		int64_t *slot;
		if (!path || !is_gone(path, ctx))
			continue;
		slot = tf_arena_push(&a, (void **)&gone, &count, &cap, sizeof *gone);
		if (slot)
			*slot = sqlite3_column_int64(q, 0);
		else
			rc = tf_fail_nomem(err);
	}
	tf_db_done(q);
	if (rc == 0 && step != SQLITE_DONE)
		rc = tf_db_fail(s, err, "store");
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = forget(s, gone[i], err);
	tf_arena_release(&a);
	return rc;
}

/* A folder that could not be read is looked at anew. What is inside a file, an archive, is not gone. */
static bool is_gone_or_folder(const char *path, const void *ctx)
{
	const char *root = ctx;
	size_t root_len = strcmp(root, "/") == 0 ? 0 : strlen(root);
	struct stat st;

	if (strncmp(path, root, root_len) != 0 || (path[root_len] != '/' && path[root_len]))
		return false;
	return lstat(path, &st) < 0 ? errno == ENOENT : S_ISDIR(st.st_mode);
}

int tf_store_forget_unread(struct tf_store *s, const char *root, struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err, "SELECT file_id, real_path FROM _source_file WHERE state = 'failed'", "");
	return q ? forget_each(s, q, is_gone_or_folder, root, err) : -1;
}

/* The members that stay, and where their archive's path ends. */
struct kept {
	const struct tf_map *paths;
	size_t archive_len;
};

static bool is_kept_no_more(const char *path, const void *ctx)
{
	const struct kept *k = ctx;
	const char *member = path + k->archive_len + 1;

	for (size_t len = strlen(member); len > 0; len--) /* of a member of a member, the latter counts */
		if ((member[len] == '/' || member[len] == '\0') && tf_map_find(k->paths, tf_hash_bytes(member, len)))
			return false;
	return true;
}

int tf_store_forget_members(struct tf_store *s, const struct tf_source *source, const struct tf_map *kept, struct tf_error *err)
{
	struct kept k = {kept, strlen(source->real_path)};
	sqlite3_stmt *q = tf_db_bind(s, err,
		"SELECT file_id, real_path FROM _source_file WHERE run_prefix = ?1 AND real_path > ?2 || '/' AND real_path < ?2 || '0'",
		"tt", source->run_prefix, source->real_path);

	return q ? forget_each(s, q, is_kept_no_more, &k, err) : -1;
}

int tf_store_touch_members(struct tf_store *s, const struct tf_source *source, struct tf_error *err)
{
	return tf_db_run(s, err, NULL,
			 "UPDATE _source_file SET device = ?3, inode = ?4, mtime_ns = ?5, ctime_ns = ?6"
			 " WHERE run_prefix = ?1 AND real_path > ?2 || '/' AND real_path < ?2 || '0' AND inode IS NOT NULL", "ttiiii",
			 source->run_prefix, source->real_path, source->device, source->inode, source->mtime_ns, source->ctime_ns);
}
