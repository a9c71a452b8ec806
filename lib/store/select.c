/* Selecting what to report, lists, read-only SQL, and the documentation of the views. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/vec.h"
#include "lib/store/db.h"
#include "lib/store/sql.h"

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

static struct tf_cell cell_of(sqlite3_stmt *stmt, int column)
{
	struct tf_cell c = {0};

	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		c.kind = TF_CELL_INTEGER;
		c.integer = sqlite3_column_int64(stmt, column);
		break;
	case SQLITE_FLOAT:
		c.kind = TF_CELL_REAL;
		c.real = sqlite3_column_double(stmt, column);
		break;
	case SQLITE_TEXT:
		c.kind = TF_CELL_TEXT;
		c.bytes.data = sqlite3_column_text(stmt, column);
		c.bytes.len = (size_t)sqlite3_column_bytes(stmt, column);
		break;
	case SQLITE_BLOB:
		c.kind = TF_CELL_BLOB;
		c.bytes.data = sqlite3_column_blob(stmt, column);
		c.bytes.len = (size_t)sqlite3_column_bytes(stmt, column);
		break;
	default:
		c.kind = TF_CELL_NULL;
	}
	return c;
}

/* Sends all rows of a prepared statement. */
/* What is wrong with a statement is its writer's fault, all else the store's or the system's. Returns -1. */
static int fail_statement(struct tf_store *s, struct tf_error *err)
{
	switch (sqlite3_errcode(s->db)) {
	case SQLITE_AUTH:
		return tf_fail(err, TF_EUSAGE, "only reading is allowed: %s", sqlite3_errmsg(s->db));
	case SQLITE_ERROR:
	case SQLITE_MISMATCH:
	case SQLITE_RANGE:
	case SQLITE_TOOBIG:
		return tf_fail(err, TF_EUSAGE, "SQL error: %s", sqlite3_errmsg(s->db));
	default:
		return tf_db_fail(s, err, "store");
	}
}

static int send_rows(struct tf_store *s, sqlite3_stmt *stmt, const struct tf_row_receiver *to, struct tf_error *err)
{
	int n = sqlite3_column_count(stmt), code, rc = -1;
	const char **names = calloc((size_t)n + 1, sizeof *names);
	struct tf_cell *cells = calloc((size_t)n + 1, sizeof *cells);

	if (!names || !cells) {
		tf_fail_nomem(err);
		goto out;
	}
	for (int i = 0; i < n; i++)
		names[i] = sqlite3_column_name(stmt, i);
	if (to->columns(to->ctx, names, (size_t)n, err) < 0)
		goto out;
	while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < n; i++)
			cells[i] = cell_of(stmt, i);
		if (to->row(to->ctx, cells, (size_t)n, err) < 0)
			goto out;
	}
	if (code == SQLITE_INTERRUPT)
		tf_fail(err, TF_ELIMIT, "query stopped: it took longer than its time limit");
	else if (code != SQLITE_DONE)
		fail_statement(s, err);
	else
		rc = 0;
out:
	free(names);
	free(cells);
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
	int rc = send_rows(s, q, to, err);
	tf_db_done(q);
	return rc;
}

/* What a read-only statement may do. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
	static const char *const pragmas[] = {"table_info", "table_xinfo", "index_list", "index_info", "user_version",
					      "application_id", "function_list", "table_list", "compile_options"};
	(void)ctx;
	(void)c;
	(void)d;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && (strcmp(b, "load_extension") == 0 || strcmp(b, "writefile") == 0) ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		for (size_t i = 0; a && i < sizeof pragmas / sizeof pragmas[0]; i++)
			if (sqlite3_stricmp(a, pragmas[i]) == 0
			    && (!b || (strcmp(pragmas[i], "user_version") != 0 && strcmp(pragmas[i], "application_id") != 0)))
				return SQLITE_OK;
		return SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int is_late(void *deadline)
{
	return now_ms() > *(const int64_t *)deadline;
}

static int bind_params(sqlite3_stmt *stmt, const struct tf_param *params, size_t count, struct tf_error *err)
{
	static const char prefixes[] = ":@$";

	for (size_t i = 0; i < count; i++) {
		int64_t integer;
		double real;
		int at = 0;
		for (const char *p = prefixes; *p && !at; p++) {
			char name[128];
			sqlite3_snprintf(sizeof name, name, "%c%s", *p, params[i].name);
			at = sqlite3_bind_parameter_index(stmt, name);
		}
		if (!at)
			return tf_fail(err, TF_EUSAGE, "the statement has no parameter '%s'", params[i].name);
		if (tf_parse_i64(params[i].value, &integer))
			sqlite3_bind_int64(stmt, at, integer);
		else if (tf_parse_double(params[i].value, &real))
			sqlite3_bind_double(stmt, at, real);
		else
			sqlite3_bind_text(stmt, at, params[i].value, -1, SQLITE_TRANSIENT);
	}
	for (int at = 1; at <= sqlite3_bind_parameter_count(stmt); at++) {
		const char *name = sqlite3_bind_parameter_name(stmt, at);
		bool given = false;
		for (size_t i = 0; name && i < count; i++)
			given |= strcmp(name + 1, params[i].name) == 0;
		if (!given)
			return tf_fail(err, TF_EUSAGE, "no value for parameter '%s'", name ? name : "?");
	}
	return 0;
}

/* True if nothing but blanks and semicolons follows the statement. */
static bool is_blank(const char *tail)
{
	return tail[strspn(tail, " \t\r\n;")] == '\0';
}

int tf_store_query(struct tf_store *s, const char *sql, const struct tf_param *params, size_t param_count,
		   int64_t timeout_ms, const struct tf_row_receiver *to, struct tf_error *err)
{
	sqlite3_stmt *stmt = NULL;
	const char *tail = "";
	int64_t deadline = now_ms() + timeout_ms;
	int rc = -1;

	sqlite3_set_authorizer(s->db, authorize, NULL);
	if (timeout_ms > 0)
		sqlite3_progress_handler(s->db, 10000, is_late, &deadline);
	if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, &tail) != SQLITE_OK) {
		fail_statement(s, err);
		goto out;
	}
	if (!stmt || !is_blank(tail) || !sqlite3_stmt_readonly(stmt)) {
		tf_fail(err, TF_EUSAGE, stmt && sqlite3_stmt_readonly(stmt) ? "more than one statement" : "not a reading statement");
		goto out;
	}
	if (bind_params(stmt, params, param_count, err) < 0 || send_rows(s, stmt, to, err) < 0)
		goto out;
	rc = 0;
out:
	sqlite3_finalize(stmt);
	sqlite3_set_authorizer(s->db, NULL, NULL);
	sqlite3_progress_handler(s->db, 0, NULL, NULL);
	return rc;
}

static struct tf_cell text_cell(const char *from, size_t len)
{
	return (struct tf_cell){.kind = from ? TF_CELL_TEXT : TF_CELL_NULL, .bytes = {(const uint8_t *)from, len}};
}

/* One line of a CREATE VIEW: "\tcolumn, -- documentation" or "\t-- documentation of the view". */
static int send_doc(const char *line, size_t len, struct tf_cell view, const struct tf_row_receiver *to, struct tf_error *err)
{
	const char *end = line + len, *dashes = line;

	while (dashes + 3 <= end && memcmp(dashes, "-- ", 3) != 0)
		dashes++;
	if (dashes + 3 > end)
		return 0;
	const char *name = line + strspn(line, "\t\"");
	size_t name_len = name < dashes ? strcspn(name, ", \"") : 0;
	struct tf_cell row[3] = {view, text_cell(name_len ? name : NULL, name_len),
				 text_cell(dashes + 3, (size_t)(end - dashes) - 3)};
	return to->row(to->ctx, row, 3, err);
}

int tf_store_schema(const char *view, const struct tf_row_receiver *to, struct tf_error *err)
{
	static const char *const columns[] = {"view", "column", "documentation"};
	bool found = false;

	if (to->columns(to->ctx, columns, 3, err) < 0)
		return -1;
	for (const struct tf_sql *sql = tf_sql_all; sql->name; sql++) {
		if (strncmp(sql->name, "views/", 6) != 0)
			continue;
		const char *name = sql->name + 6;
		size_t len = strlen(name) - 4; /* without ".sql" */
		if (view && (strlen(view) != len || memcmp(view, name, len) != 0))
			continue;
		found = true;
		for (const char *line = strchr(sql->text, '\n'); line && line[1] == '\t'; line = strchr(line + 1, '\n'))
			if (send_doc(line + 1, strcspn(line + 1, "\n"), text_cell(name, len), to, err) < 0)
				return -1;
	}
	return found ? 0 : tf_fail(err, TF_EUSAGE, "no view '%s'", view ? view : "");
}
