/* Read-only SQL: what a statement may do, its parameters, its limits, its rows. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/store/db.h"
#include "lib/store/sql_functions.h"

/* What SQLite may hold while it runs a statement: larger sorts go to temporary files. */
enum { HEAP_MIB = 1024, TEXT_MIB = 256 };

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

int tf_db_send_rows(struct tf_store *s, sqlite3_stmt *stmt, const struct tf_row_receiver *to, struct tf_error *err)
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
		rc = to->row(to->ctx, cells, (size_t)n, err);
		if (rc != 0)
			break;
	}
	if (rc > 0 || (rc < 0 && code == SQLITE_ROW))
		rc = rc > 0 ? 0 : -1;
	else if (code == SQLITE_INTERRUPT)
		rc = tf_fail(err, TF_ELIMIT, "query stopped: it took longer than its time limit");
	else
		rc = code == SQLITE_DONE ? 0 : fail_statement(s, err);
out:
	free(names);
	free(cells);
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

static void bind_one(sqlite3_stmt *stmt, int at, const char *value)
{
	int64_t integer;
	double real;

	if (tf_parse_i64(value, &integer))
		sqlite3_bind_int64(stmt, at, integer);
	else if (tf_parse_double(value, &real))
		sqlite3_bind_double(stmt, at, real);
	else
		sqlite3_bind_text(stmt, at, value, -1, SQLITE_TRANSIENT);
}

/* A parameter's name without the :, @, $ or ? that it may begin with. */
static const char *bare(const char *name)
{
	return name + (*name && strchr(":@$?", *name) ? 1 : 0);
}

/* Each value goes to all parameters of its name; of two values for one the later counts. */
static int bind_params(sqlite3_stmt *stmt, const struct tf_param *params, size_t count, struct tf_error *err)
{
	int places = sqlite3_bind_parameter_count(stmt);

	for (int at = 1; at <= places; at++) {
		const char *name = sqlite3_bind_parameter_name(stmt, at);
		bool given = false;
		for (size_t i = 0; name && i < count; i++)
			if (strcmp(bare(name), bare(params[i].name)) == 0) {
				bind_one(stmt, at, params[i].value);
				given = true;
			}
		if (!given)
			return tf_fail(err, TF_EUSAGE, "no value for parameter '%s'", name ? name : "?");
	}
	for (size_t i = 0; i < count; i++) {
		bool used = false;
		for (int at = 1; at <= places; at++)
			used |= strcmp(bare(sqlite3_bind_parameter_name(stmt, at)), bare(params[i].name)) == 0;
		if (!used)
			return tf_fail(err, TF_EUSAGE, "the statement has no parameter '%s'", params[i].name);
	}
	return 0;
}

/* True if nothing but blanks, semicolons and comments of one line follows the statement. */
static bool is_blank(const char *tail)
{
	tail += strspn(tail, " \t\r\n;");
	while (strncmp(tail, "--", 2) == 0) {
		tail += strcspn(tail, "\n");
		tail += strspn(tail, " \t\r\n;");
	}
	return *tail == '\0';
}

/*
 * Functions and table-valued functions. SQLite makes a table-valued one at its first use, by what looks to the authoriser like a
 * write: so each is used before there is one. Those that this SQLite lacks are left out.
 */
static int add_functions(struct tf_store *s, struct tf_error *err)
{
	static const char *const tables[] = {
		"json_each('[]')", "json_tree('[]')", "interval_intersect(NULL, NULL)", "pragma_table_info('x')", "pragma_table_xinfo('x')",
		"pragma_index_list('x')", "pragma_index_info('x')", "pragma_function_list", "pragma_table_list", "pragma_compile_options"};

	if (s->has_functions)
		return 0;
	if (tf_sql_functions_add(s->db) != SQLITE_OK)
		return tf_db_fail(s, err, "SQL functions");
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
		char sql[80];
		sqlite3_stmt *stmt = NULL;
		sqlite3_snprintf(sizeof sql, sql, "SELECT 1 FROM %s", tables[i]);
		sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
		sqlite3_finalize(stmt);
	}
	s->has_functions = true;
	return 0;
}

int tf_store_query(struct tf_store *s, const char *sql, const struct tf_param *params, size_t param_count,
		   int64_t timeout_ms, const struct tf_row_receiver *to, struct tf_error *err)
{
	sqlite3_stmt *stmt = NULL;
	const char *tail = "";
	int64_t deadline = now_ms() + timeout_ms;
	int length = sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, TEXT_MIB << 20), rc = -1;
	sqlite3_int64 heap = sqlite3_hard_heap_limit64((sqlite3_int64)HEAP_MIB << 20);

	if (add_functions(s, err) < 0)
		goto out;
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
	if (bind_params(stmt, params, param_count, err) < 0 || tf_db_send_rows(s, stmt, to, err) < 0)
		goto out;
	rc = 0;
out:
	sqlite3_finalize(stmt);
	sqlite3_set_authorizer(s->db, NULL, NULL);
	sqlite3_progress_handler(s->db, 0, NULL, NULL);
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, length);
	sqlite3_hard_heap_limit64(heap);
	return rc;
}

