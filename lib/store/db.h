/* Inside the store: the connection, its statements and the file being written. Only lib/store sees this. */
#ifndef TF_STORE_DB_H
#define TF_STORE_DB_H

#include <sqlite3.h>

#include "lib/base/hash.h"
#include "lib/store/store.h"

struct tf_statement {
	const char *sql; /* static: compared by address */
	sqlite3_stmt *stmt;
};

/* A tag of the file being written. */
struct tf_tag_state {
	int64_t tag_id;
	int64_t last_step;
	bool any, unordered;
	int64_t counts[8]; /* by kind, see event_rows.c */
};

struct tf_store {
	sqlite3 *db;
	enum tf_store_mode mode;
	bool immutable;	    /* opened so that nothing is locked: in a folder that may not be written to */
	bool has_functions; /* tf_sql_functions_add() was done */
	struct tf_statement *statements;
	size_t statement_count, statement_cap;

	/* The file being written. */
	bool in_file;
	int64_t file_id, run_id, session_id; /* run and session TF_NONE: none */
	int64_t left_run_id, left_session_id; /* that the file was of until now, TF_NONE: of none */
	const char *host_name;		     /* borrowed for the time of the file */
	bool replaced;
	int64_t rows;
	int64_t *stale_tags; /* that the file held before it was replaced: others' points may count again */
	size_t stale_count, stale_cap;
	struct tf_strtab tags; /* raw tags of the file; index in tag_states */
	struct tf_tag_state *tag_states;
	size_t tag_count, tag_cap;
	struct tf_scalar_row *scalars; /* that wait to be written, see scalar_batch.c; kept from file to file */
	size_t scalar_count;
	int64_t trial_id, experiment_id, graph_id; /* that what follows belongs to; TF_NONE: to none */
};

/* Runs SQL text without parameters. 0 or -1. */
int tf_db_script(struct tf_store *s, const char *sql, struct tf_error *err);

/*
 * The prepared statement of a static SQL text with its parameters bound: i int64 (TF_NONE is NULL), s size_t as int64,
 * b int, t text (NULL is NULL), d double (NaN is NULL), B struct tf_bytes as a blob, T struct tf_bytes as text. NULL on
 * failure. Borrowed; tf_db_done() ends its use.
 */
sqlite3_stmt *tf_db_bind(struct tf_store *s, struct tf_error *err, const char *sql, const char *types, ...);
void tf_db_done(sqlite3_stmt *stmt);

/* Runs a statement to its end, as tf_db_bind; `id` (may be NULL) gets the last inserted rowid. 0 or -1. */
int tf_db_run(struct tf_store *s, struct tf_error *err, int64_t *id, const char *sql, const char *types, ...);

/* The first column of the first row as integer, TF_NONE if there is no row or it is NULL. 0 or -1. */
int tf_db_integer(struct tf_store *s, struct tf_error *err, int64_t *value, const char *sql, const char *types, ...);

/* Records what SQLite says, and of which store unless it is in memory. Returns -1. */
int tf_db_fail(struct tf_store *s, struct tf_error *err, const char *what);

/* Column values: NULL is TF_NONE, NaN or NULL; text is copied into the arena. */
int64_t tf_db_i64(sqlite3_stmt *stmt, int column);
double tf_db_double(sqlite3_stmt *stmt, int column);
const char *tf_db_text(sqlite3_stmt *stmt, int column, struct tf_arena *a);

/* Sends all rows of a prepared statement, or as many as the receiver takes. 0 or -1. read_only.c */
int tf_db_send_rows(struct tf_store *s, sqlite3_stmt *stmt, const struct tf_row_receiver *to, struct tf_error *err);

/* Notes that the table's rows above the last noted id up to max(id) belong to the current file. 0 or -1. */
int tf_db_note_range(struct tf_store *s, const char *table, int64_t first_id, struct tf_error *err);

/* Writes the events of a host by one INSERT … SELECT over a virtual table. event_vtab.c */
int tf_store_put_events(struct tf_store *s, const struct tf_trace *t, const struct tf_derived *d,
			const int64_t *line_ids, const int64_t *step_ids, const uint8_t *line_kept,
			int64_t first_event_id, struct tf_error *err);

/* Removes the rows of a file's capture or result file. write.c */
int tf_store_drop_capture(struct tf_store *s, int64_t file_id, struct tf_error *err);

/* Makes the views that this program knows, if the store has others. open.c */
int tf_store_build_views(struct tf_store *s, struct tf_error *err);

/* Removes all rows of a file but its own. write.c */
int tf_store_drop_file(struct tf_store *s, int64_t file_id, struct tf_error *err);

/* Adds the issues of a file to those of the current file_id. write.c */
int tf_store_put_issues(struct tf_store *s, const struct tf_ledger_file *file, struct tf_error *err);

/* The figures that a session has of all its hosts, after one of them came, changed or went. write.c */
int tf_store_refresh_session(struct tf_store *s, int64_t session_id, struct tf_error *err);

/* Ends the state of the file being written. write.c */
void tf_store_forget_tags(struct tf_store *s);

/* Remembers the run and session that a file is of (file_id TF_NONE: none), before it goes elsewhere. sources.c */
int tf_store_note_left(struct tf_store *s, int64_t file_id, struct tf_error *err);

/* Brings the run and session up to date that the file was of; without any file they go. sources.c */
int tf_store_settle_left(struct tf_store *s, struct tf_error *err);

/* Removes the rows of files of the current session that better ones make needless. supersede.c */
int tf_store_drop_needless(struct tf_store *s, struct tf_error *err);

/* Remembers the tags that the file's old rows are of, before they go. event_rows.c */
int tf_store_note_stale_tags(struct tf_store *s, int64_t file_id, struct tf_error *err);

/* Adds a scalar point of the current file; writes those that wait. scalar_batch.c. 0 or -1. */
int tf_store_add_scalar(struct tf_store *s, int64_t tag_id, const struct tf_point *at, double value, struct tf_error *err);
int tf_store_flush_scalars(struct tf_store *s, struct tf_error *err);

/* Rows of plugins and graphs of the file being written, members of tf_row_sink. plugin_rows.c */
int tf_store_put_hparam(void *store, const struct tf_point *at, const struct tf_hparam *h, struct tf_error *err);
int tf_store_put_plugin_row(void *store, const struct tf_point *at, const struct tf_plugin_row *row, struct tf_error *err);
int tf_store_put_graph_node(void *store, const struct tf_graph_node *node, struct tf_error *err);
int tf_store_put_metadata_node(void *store, const struct tf_point *at, const struct tf_metadata_node *node, struct tf_error *err);

/* Marks which trial, experiment and graph of the run count. plugin_rows.c */
int tf_store_end_plugin_rows(struct tf_store *s, struct tf_error *err);

/* The id of a point's tag in the file being written; TF_NONE with `err` filled. event_rows.c */
int64_t tf_store_tag_id(struct tf_store *s, const struct tf_point *at, struct tf_error *err);

/* Ends the rows of an event file: tag counts, superseded and orphaned marks. event_rows.c */
int tf_store_end_rows(struct tf_store *s, struct tf_error *err);

#endif
