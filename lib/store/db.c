/* Statements: preparing once, binding, stepping, and what SQLite says when it fails. */
#include "lib/store/db.h"

#include <math.h>
#include <stdarg.h>

#include "lib/base/vec.h"

int tf_db_fail(struct tf_store *s, struct tf_error *err, const char *what)
{
	int code = sqlite3_errcode(s->db);
	const char *path = tf_store_path(s);

	if (code == SQLITE_NOMEM)
		return tf_fail_nomem(err);
	tf_fail(err, TF_ESTORE, "%s: %s", what, sqlite3_errmsg(s->db));
	if (path)
		tf_wrap(err, "'%s'", path);
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		tf_hint(err, "another process writes to this store; try again when it has finished");
	if (code == SQLITE_CORRUPT)
		tf_hint(err, "the store's file is damaged: ingest the logs into a new store");
	return -1;
}

int tf_db_script(struct tf_store *s, const char *sql, struct tf_error *err)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : tf_db_fail(s, err, "store");
}

static sqlite3_stmt *prepared(struct tf_store *s, struct tf_error *err, const char *sql)
{
	for (size_t i = 0; i < s->statement_count; i++)
		if (s->statements[i].sql == sql)
			return s->statements[i].stmt;
	if (tf_vec_reserve((void **)&s->statements, &s->statement_cap, s->statement_count + 1, sizeof *s->statements) < 0) {
		tf_fail_nomem(err);
		return NULL;
	}
	sqlite3_stmt *stmt;
	if (sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) != SQLITE_OK) {
		tf_db_fail(s, err, "store");
		return NULL;
	}
	s->statements[s->statement_count++] = (struct tf_statement){sql, stmt};
	return stmt;
}

static void bind_double(sqlite3_stmt *stmt, int at, double value)
{
	if (isnan(value))
		sqlite3_bind_null(stmt, at);
	else
		sqlite3_bind_double(stmt, at, value);
}

static void bind_all(sqlite3_stmt *stmt, const char *types, va_list ap)
{
	for (int at = 1; *types; types++, at++) {
		int64_t integer;
		const char *text;
		struct tf_bytes bytes;
		switch (*types) {
		case 'i':
			integer = va_arg(ap, int64_t);
			if (integer == TF_NONE)
				sqlite3_bind_null(stmt, at);
			else
				sqlite3_bind_int64(stmt, at, integer);
			break;
		case 's':
			sqlite3_bind_int64(stmt, at, (int64_t)va_arg(ap, size_t));
			break;
		case 'b':
			sqlite3_bind_int(stmt, at, va_arg(ap, int));
			break;
		case 'd':
			bind_double(stmt, at, va_arg(ap, double));
			break;
		case 't':
			text = va_arg(ap, const char *);
			sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC);
			break;
		case 'T':
			bytes = va_arg(ap, struct tf_bytes);
			sqlite3_bind_text64(stmt, at, (const char *)bytes.data, bytes.len, SQLITE_STATIC, SQLITE_UTF8);
			break;
		default:
			bytes = va_arg(ap, struct tf_bytes);
			sqlite3_bind_blob64(stmt, at, bytes.len ? (const void *)bytes.data : "", bytes.len, SQLITE_STATIC);
			break;
		}
	}
}

sqlite3_stmt *tf_db_bind(struct tf_store *s, struct tf_error *err, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt = prepared(s, err, sql);
	va_list ap;

	if (!stmt)
		return NULL;
	va_start(ap, types);
	bind_all(stmt, types, ap);
	va_end(ap);
	return stmt;
}

void tf_db_done(sqlite3_stmt *stmt)
{
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

int tf_db_run(struct tf_store *s, struct tf_error *err, int64_t *id, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt = prepared(s, err, sql);
	va_list ap;

	if (!stmt)
		return -1;
	va_start(ap, types);
	bind_all(stmt, types, ap);
	va_end(ap);
	int step, rc = 0;
	while ((step = sqlite3_step(stmt)) == SQLITE_ROW)
		;
	if (step != SQLITE_DONE)
		rc = tf_db_fail(s, err, "store");
	else if (id)
		*id = sqlite3_last_insert_rowid(s->db);
	tf_db_done(stmt);
	return rc;
}

int tf_db_integer(struct tf_store *s, struct tf_error *err, int64_t *value, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt = prepared(s, err, sql);
	va_list ap;

	*value = TF_NONE;
	if (!stmt)
		return -1;
	va_start(ap, types);
	bind_all(stmt, types, ap);
	va_end(ap);
	int step = sqlite3_step(stmt), rc = 0;
	if (step == SQLITE_ROW)
		*value = tf_db_i64(stmt, 0);
	else if (step != SQLITE_DONE)
		rc = tf_db_fail(s, err, "store");
	tf_db_done(stmt);
	return rc;
}

int64_t tf_db_i64(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL ? TF_NONE : sqlite3_column_int64(stmt, column);
}

double tf_db_double(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL ? NAN : sqlite3_column_double(stmt, column);
}

const char *tf_db_text(sqlite3_stmt *stmt, int column, struct tf_arena *a)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);
	return text ? tf_arena_strdup(a, text) : NULL;
}

int tf_db_note_range(struct tf_store *s, const char *table, int64_t first_id, struct tf_error *err)
{
	int64_t last;
	char *sql = sqlite3_mprintf("SELECT max(rowid) FROM %s", table);
	sqlite3_stmt *stmt = NULL;

	if (!sql || sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK || sqlite3_step(stmt) != SQLITE_ROW) {
		sqlite3_free(sql);
		sqlite3_finalize(stmt);
		return tf_db_fail(s, err, "store");
	}
	last = sqlite3_column_type(stmt, 0) == SQLITE_NULL ? 0 : sqlite3_column_int64(stmt, 0);
	sqlite3_free(sql);
	sqlite3_finalize(stmt);
	if (last < first_id)
		return 0;
	s->rows += last - first_id + 1;
	return tf_db_run(s, err, NULL, "INSERT OR REPLACE INTO _row_range VALUES(?,?,?,?)", "itii", s->file_id, table,
			 first_id, last);
}
