/* The documentation of the views, read from the comments inside their CREATE VIEW. */
#include <string.h>

#include "lib/store/db.h"
#include "lib/store/sql.h"

enum { COLUMNS = 6 };

/* A part of the embedded SQL, data NULL if there is none. */
static struct tf_cell text_cell(struct tf_bytes part)
{
	return (struct tf_cell){.kind = part.data ? TF_CELL_TEXT : TF_CELL_NULL, .bytes = part};
}

static struct tf_bytes bytes_of(const char *from, size_t len)
{
	return (struct tf_bytes){(const uint8_t *)from, len};
}

/* The unit that a column's name ends in, none for columns without one. Ratios have none: they lie in 0..1. */
static struct tf_bytes unit_of(const char *name, size_t len)
{
	static const char *const units[][2] = {{"ps_per_step", "ps"}, {"bytes_per_s", "B/s"}, {"bytes", "B"},	{"wall_time", "s"},
					       {"peak_flops", "FLOP/s"}, {"flops", "FLOP"}, {"ps", "ps"},	{"_ns", "ns"},
					       {"_us", "us"},		{"width", "px"},     {"height", "px"}, {"offset", "B"},
					       {"_hz", "Hz"}};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		size_t end = strlen(units[i][0]);
		if (len >= end && memcmp(name + len - end, units[i][0], end) == 0)
			return bytes_of(units[i][1], strlen(units[i][1]));
	}
	return bytes_of(NULL, 0);
}

/* What a null means: the clause "null …" or "null: …" that ends the documentation. None: the column is never null. */
static struct tf_bytes null_of(struct tf_bytes doc)
{
	const char *text = (const char *)doc.data;

	for (size_t at = doc.len; at-- > 0;) {
		bool begins = at == 0 || (at >= 2 && memcmp(text + at - 2, "; ", 2) == 0);
		if (!begins || doc.len - at < 5 || memcmp(text + at, "null", 4) != 0 || (text[at + 4] != ' ' && text[at + 4] != ':'))
			continue;
		at += 4 + strspn(text + at + 4, ": ");
		return bytes_of(text + at, doc.len - at);
	}
	return bytes_of(NULL, 0);
}

/* Takes "[type] " off the documentation of an expression; the type of other columns is that of their table's column. */
static struct tf_bytes take_type(struct tf_bytes *doc, const char *declared)
{
	static const char *const types[][2] = {{"INTEGER", "integer"}, {"REAL", "real"}, {"TEXT", "text"}, {"BLOB", "blob"}};
	const uint8_t *end = doc->len > 2 && doc->data[0] == '[' ? memchr(doc->data, ']', doc->len) : NULL;

	if (end && (size_t)(end + 2 - doc->data) < doc->len && end[1] == ' ') {
		struct tf_bytes type = {doc->data + 1, (size_t)(end - doc->data) - 1};
		doc->len -= (size_t)(end + 2 - doc->data);
		doc->data = end + 2;
		return type;
	}
	for (size_t i = 0; declared && i < sizeof types / sizeof types[0]; i++)
		if (strcmp(declared, types[i][0]) == 0)
			return bytes_of(types[i][1], strlen(types[i][1]));
	return bytes_of(NULL, 0);
}

/* One line of a CREATE VIEW: "\tcolumn, -- documentation" or "\t-- documentation of the view". `column` counts the former. */
static int send_doc(struct tf_bytes view, const char *line, size_t len, sqlite3_stmt *select, int *column,
		    const struct tf_row_receiver *to, struct tf_error *err)
{
	const char *end = line + len, *dashes = line;

	while (dashes + 3 <= end && memcmp(dashes, "-- ", 3) != 0)
		dashes++;
	if (dashes + 3 > end)
		return 0;
	const char *name = line + strspn(line, "\t\"");
	size_t name_len = name < dashes ? strcspn(name, ", \"") : 0;
	struct tf_bytes none = {NULL, 0}, doc = bytes_of(dashes + 3, (size_t)(end - dashes) - 3);
	struct tf_bytes type = name_len ? take_type(&doc, sqlite3_column_decltype(select, (*column)++)) : none;
	struct tf_cell row[COLUMNS] = {text_cell(view), text_cell(name_len ? bytes_of(name, name_len) : none), text_cell(type),
				       text_cell(name_len ? unit_of(name, name_len) : none), text_cell(name_len ? null_of(doc) : none),
				       text_cell(doc)};
	return to->row(to->ctx, row, COLUMNS, err);
}

static int send_view(struct tf_store *s, const struct tf_sql *sql, struct tf_bytes view, const struct tf_row_receiver *to,
		     struct tf_error *err)
{
	char select[128];
	sqlite3_stmt *stmt = NULL;
	int column = 0, rc = 0;

	sqlite3_snprintf(sizeof select, select, "SELECT * FROM \"%.*s\"", (int)view.len, (const char *)view.data);
	if (sqlite3_prepare_v2(s->db, select, -1, &stmt, NULL) != SQLITE_OK)
		return tf_db_fail(s, err, "store");
	for (const char *line = strchr(sql->text, '\n'); rc == 0 && line && line[1] == '\t'; line = strchr(line + 1, '\n'))
		rc = send_doc(view, line + 1, strcspn(line + 1, "\n"), stmt, &column, to, err);
	sqlite3_finalize(stmt);
	return rc;
}

static int send_views(struct tf_store *s, const char *wanted, const struct tf_row_receiver *to, struct tf_error *err)
{
	bool found = false;

	for (const struct tf_sql *sql = tf_sql_all; sql->name; sql++) {
		if (strncmp(sql->name, "views/", 6) != 0 || sql->name[6] == '_') /* those that others are made of are private */
			continue;
		struct tf_bytes view = bytes_of(sql->name + 6, strlen(sql->name + 6) - 4); /* without ".sql" */
		if (wanted && (strlen(wanted) != view.len || memcmp(view.data, wanted, view.len) != 0))
			continue;
		found = true;
		if (send_view(s, sql, view, to, err) < 0)
			return -1;
	}
	return found ? 0 : tf_fail(err, TF_EUSAGE, "no view '%s'", wanted ? wanted : "");
}

int tf_store_schema(const char *view, const struct tf_row_receiver *to, struct tf_error *err)
{
	static const char *const columns[COLUMNS] = {"view", "column", "type", "unit", "null", "documentation"};
	struct tf_store *s;
	struct tf_error closing;

	if (to->columns(to->ctx, columns, COLUMNS, err) < 0 || tf_store_open(&s, "", TF_STORE_MEMORY, err) < 0)
		return -1;
	int rc = send_views(s, view, to, err);
	tf_store_close(s, &closing);
	return rc;
}
