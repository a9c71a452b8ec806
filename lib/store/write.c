/* Writing a source file: one transaction that removes what an earlier ingest of it left and adds its rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/store/db.h"

/* Removes the rows of a file from the tables that hold them in ranges. */
static int drop_ranges(struct tf_store *s, int64_t file_id, struct tf_error *err)
{
	for (;;) {
		sqlite3_stmt *q = tf_db_bind(s, err, "SELECT table_name, first_id, last_id FROM _row_range WHERE file_id = ? LIMIT 1",
					     "i", file_id);
		char *drop = NULL, *forget = NULL;
		if (!q)
			return -1;
		if (sqlite3_step(q) == SQLITE_ROW) {
			drop = sqlite3_mprintf("DELETE FROM %s WHERE rowid BETWEEN %lld AND %lld", sqlite3_column_text(q, 0),
					       sqlite3_column_int64(q, 1), sqlite3_column_int64(q, 2));
			forget = sqlite3_mprintf("DELETE FROM _row_range WHERE file_id = %lld AND table_name = '%q'", (long long)file_id,
						 sqlite3_column_text(q, 0));
		}
		tf_db_done(q);
		if (!drop)
			return 0;
		int rc = !forget || tf_db_script(s, drop, err) < 0 || tf_db_script(s, forget, err) < 0 ? -1 : 0;
		sqlite3_free(drop);
		sqlite3_free(forget);
		if (rc < 0)
			return -1;
	}
}

/* Removes what a file's capture left: the rows below its host. */
static int drop_host(struct tf_store *s, int64_t file_id, struct tf_error *err)
{
	static const char *const drops[] = {
		"DELETE FROM _device_gap WHERE device_id IN (SELECT device_id FROM _device WHERE host_id = ?)",
		"DELETE FROM _device WHERE host_id = ?",
		"DELETE FROM _line WHERE host_id = ?",
		"DELETE FROM _step WHERE host_id = ?",
		"DELETE FROM _step_owner WHERE host_id = ?",
		"DELETE FROM _op WHERE host_id = ?",
		"DELETE FROM _kernel WHERE host_id = ?",
		"DELETE FROM _input_stage WHERE host_id = ?",
		"DELETE FROM _tensor_group WHERE allocator_id IN (SELECT allocator_id FROM _allocator WHERE host_id = ?)",
		"DELETE FROM _memory_timeline WHERE allocator_id IN (SELECT allocator_id FROM _allocator WHERE host_id = ?)",
		"DELETE FROM _growth WHERE allocator_id IN (SELECT allocator_id FROM _allocator WHERE host_id = ?)",
		"DELETE FROM _allocator WHERE host_id = ?",
		"DELETE FROM _host_note WHERE host_id = ?",
		"DELETE FROM _host WHERE host_id = ?",
	};
	int64_t host;

	if (tf_db_integer(s, err, &host, "SELECT host_id FROM _host WHERE file_id = ?", "i", file_id) < 0)
		return -1;
	for (size_t i = 0; host != TF_NONE && i < sizeof drops / sizeof drops[0]; i++)
		if (tf_db_run(s, err, NULL, drops[i], "i", host) < 0)
			return -1;
	return 0;
}

int tf_store_drop_capture(struct tf_store *s, int64_t file_id, struct tf_error *err)
{
	return drop_ranges(s, file_id, err) < 0 || drop_host(s, file_id, err) < 0 ? -1 : 0;
}

int tf_store_drop_file(struct tf_store *s, int64_t file_id, struct tf_error *err)
{
	static const char *const drops[] = {
		"DELETE FROM _ingest_issue WHERE file_id = ?", "DELETE FROM _tag_count WHERE file_id = ?",
		"DELETE FROM _hlo_buffer WHERE module_id IN (SELECT id FROM _hlo_module WHERE file_id = ?)",
		"DELETE FROM _hlo_module WHERE file_id = ?"};

	if (tf_store_note_stale_tags(s, file_id, err) < 0 || tf_store_drop_capture(s, file_id, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof drops / sizeof drops[0]; i++)
		if (tf_db_run(s, err, NULL, drops[i], "i", file_id) < 0)
			return -1;
	return 0;
}

static int find_or_add_run(struct tf_store *s, const struct tf_source *f, struct tf_error *err)
{
	s->run_id = TF_NONE;
	if (!f->run)
		return 0;
	if (tf_db_integer(s, err, &s->run_id, "SELECT run_id FROM _run WHERE name = ?", "t", f->run) < 0)
		return -1;
	return s->run_id != TF_NONE ? 0
				    : tf_db_run(s, err, &s->run_id, "INSERT INTO _run(name, path) VALUES(?,?)", "tt", f->run,
						f->run_path);
}

static int find_or_add_session(struct tf_store *s, const struct tf_source *f, struct tf_error *err)
{
	s->session_id = TF_NONE;
	if (!f->session_name || s->run_id == TF_NONE)
		return 0;
	if (tf_db_integer(s, err, &s->session_id, "SELECT session_id FROM _session WHERE run_id = ? AND name = ?", "it",
			  s->run_id, f->session_name) < 0)
		return -1;
	return s->session_id != TF_NONE ? 0
					: tf_db_run(s, err, &s->session_id, "INSERT INTO _session(run_id, name) VALUES(?,?)",
						    "it", s->run_id, f->session_name);
}

static int add_source(struct tf_store *s, const struct tf_source *f, struct tf_error *err)
{
	int64_t old;

	if (tf_db_integer(s, err, &old, "SELECT file_id FROM _source_file WHERE run_prefix = ? AND real_path = ?", "tt",
			  f->run_prefix, f->real_path) < 0)
		return -1;
	s->replaced = old != TF_NONE;
	if (tf_store_note_left(s, old, err) < 0 || (s->replaced && tf_store_drop_file(s, old, err) < 0)
	    || find_or_add_run(s, f, err) < 0 || find_or_add_session(s, f, err) < 0)
		return -1;
	return tf_db_run(s, err, &s->file_id,
			 "INSERT OR REPLACE INTO _source_file(file_id, run_prefix, real_path, path, kind, run_id, session_id, device,"
			 " inode, size_bytes, mtime_ns, ctime_ns, content_hash) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
			 "itttt" "iiiiiiii", old, f->run_prefix, f->real_path, f->path, tf_file_kind_name(f->kind), s->run_id,
			 s->session_id, f->device, f->inode, f->size_bytes, f->mtime_ns, f->ctime_ns,
			 (int64_t)f->content_hash);
}

int tf_store_begin_file(struct tf_store *s, const struct tf_source *source, struct tf_error *err)
{
	if (tf_db_script(s, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	s->in_file = true;
	s->rows = 0;
	s->host_name = source->host_name;
	if (add_source(s, source, err) < 0) {
		tf_store_abandon_file(s);
		return -1;
	}
	return 0;
}

void tf_store_forget_tags(struct tf_store *s)
{
	s->in_file = false;
	tf_strtab_release(&s->tags);
	s->tag_count = s->stale_count = s->scalar_count = 0;
}

void tf_store_abandon_file(struct tf_store *s)
{
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	tf_store_forget_tags(s);
}

int tf_store_put_issues(struct tf_store *s, const struct tf_ledger_file *file, struct tf_error *err)
{
	for (size_t i = 0; i < file->issue_count; i++)
		if (tf_db_run(s, err, NULL, "INSERT INTO _ingest_issue(file_id, code, byte_offset, message) VALUES(?,?,?,?)",
			      "itit", s->file_id, tf_issue_name(file->issues[i].code), file->issues[i].offset,
			      file->issues[i].message) < 0)
			return -1;
	return 0;
}

static int put_metrics(struct tf_store *s, int64_t run_id, const struct tf_session *session, struct tf_error *err)
{
	static const char *const worse[] = {NULL, "up", "down"};

	if (tf_db_run(s, err, NULL, "DELETE FROM _metric WHERE session_id = ?", "i", session->id) < 0)
		return -1;
	for (size_t i = 0; i < session->metric_count; i++) {
		const struct tf_metric *m = &session->metrics[i];
		if (strncmp(m->name, "scalar[", 7) == 0)
			continue; /* of the run's event files, which come and go without this session */
		if (tf_db_run(s, err, NULL,
			      "INSERT INTO _metric(run_id, session_id, host, name, value, integer_value, unit, worse, n, reason)"
			      " VALUES(?,?,?,?,?,?,?,?,?,?)",
			      "iittdittit", run_id, session->id, m->host, m->name, m->known ? m->value : (double)NAN,
			      m->is_integer ? m->integer : TF_NONE, tf_unit_name(m->unit), worse[m->worse], m->n, m->reason) < 0)
			return -1;
	}
	return 0;
}

int tf_store_refresh_session(struct tf_store *s, int64_t session_id, struct tf_error *err)
{
	struct tf_session session = {0};
	struct tf_target target = {.session_id = session_id, .run = "", .name = ""};
	int rc = -1;

	if (tf_db_integer(s, err, &target.run_id, "SELECT run_id FROM _session WHERE session_id = ?", "i", session_id) < 0
	    || tf_store_load_session(s, &target, &session, err) < 0)
		goto out;
	if (tf_db_run(s, err, NULL, "UPDATE _session SET start_ns = ?, duration_ps = ?, complete = ?, framework = ? WHERE session_id = ?",
		      "iibti", session.start_ns, session.duration_ps, (int)session.complete, session.framework,
		      session_id) < 0
	    || put_metrics(s, target.run_id, &session, err) < 0)
		goto out;
	rc = 0;
out:
	tf_session_release(&session);
	return rc;
}

int tf_store_end_file(struct tf_store *s, struct tf_ledger_file *file, struct tf_error *err)
{
	if (file->state == TF_STATE_NEW && s->replaced)
		file->state = TF_STATE_REPLACED;
	if (tf_store_put_issues(s, file, err) < 0
	    || tf_db_run(s, err, NULL,
			 "UPDATE _source_file SET bytes_read = ?, records = ?, state = ?, tail_state = ?, skipped_records = ?,"
			 " skipped_bytes = ?, first_bad_offset = ?, writer_version = ? WHERE file_id = ?",
			 "iittiiiti", file->bytes_read, file->records, tf_state_name(file->state), tf_tail_name(file->tail),
			 file->skipped_records, file->skipped_bytes, file->first_bad_offset, file->writer_version,
			 s->file_id) < 0
	    || tf_store_end_rows(s, err) < 0
	    || (s->session_id != TF_NONE && (tf_store_drop_needless(s, err) < 0 || tf_store_refresh_session(s, s->session_id, err) < 0))
	    || tf_store_settle_left(s, err) < 0
	    || tf_db_script(s, "COMMIT", err) < 0) {
		tf_store_abandon_file(s);
		return -1;
	}
	file->new_rows = s->rows;
	tf_store_forget_tags(s);
	return 0;
}
