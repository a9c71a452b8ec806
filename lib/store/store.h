/*
 * The SQLite store: the only user of sqlite3. One source file is one transaction; at rest the store is one file.
 * Tables begin with '_', documented views are the public face (schemas/). A store in memory serves `report PATH`.
 */
#ifndef TF_STORE_STORE_H
#define TF_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/scalar_series.h"
#include "lib/analyze/metric_trend.h"
#include "lib/base/hash.h"
#include "lib/base/table.h"
#include "lib/trace/rows.h"

struct tf_store;

enum tf_store_mode {
	TF_STORE_READ,	 /* must exist; nothing is written, not even views; works in a read-only folder */
	TF_STORE_WRITE,	 /* created if missing, migrated if older */
	TF_STORE_MEMORY, /* empty, private, in memory; path is ignored */
};

/*
 * Opens a store. Refused with a clear error (TF_ESTORE): a file that is no tfprof store, a newer one (by number), for reading an
 * older one, a locked one. TF_STORE_READ of a missing file is TF_EIO with a hint. Owned: tf_store_close().
 */
int tf_store_open(struct tf_store **out, const char *path, enum tf_store_mode mode, struct tf_error *err);

/* Leaves one file (no -wal) behind. Accepts NULL. 0, or -1 if the last bytes could not be written. */
int tf_store_close(struct tf_store *s, struct tf_error *err);

/* The absolute path of its file; NULL for one in memory. Borrowed. */
const char *tf_store_path(const struct tf_store *s);

/* ---- writing: one source file at a time ---- */

/* How a source file is recognised again. Strings borrowed. */
struct tf_source {
	const char *run_prefix; /* of --run, "" */
	const char *real_path;	/* absolute; "-" for stdin. With run_prefix the key */
	const char *path;	/* as shown */
	enum tf_file_kind kind;
	const char *run;	  /* run name, "." for the PATH itself */
	const char *run_path;	  /* folder of the run, as shown */
	const char *session_name; /* NULL: belongs to no session */
	const char *host_name;	  /* NULL */
	int64_t device, inode, size_bytes, mtime_ns, ctime_ns;
	uint64_t content_hash; /* of the bytes on disk */
};

/* What the store knows of a source. */
struct tf_source_known {
	bool found;
	bool same_stat; /* device, inode, size, mtime and ctime are all equal */
	uint64_t content_hash;
	int64_t file_id;
	enum tf_file_kind kind;
	enum tf_file_state state; /* as last ingested: TF_STATE_FAILED and TF_STATE_SKIPPED stay such */
	int64_t records;
};
int tf_store_find_source(struct tf_store *s, const struct tf_source *source, struct tf_source_known *known,
			 struct tf_error *err);

/* Same content under a new stat: notes the stat, keeps the rows; what is said of an earlier failure to read it goes. */
int tf_store_touch_source(struct tf_store *s, int64_t file_id, const struct tf_source *source, struct tf_error *err);

/*
 * Notes a source that cannot be read now, and why (the issues of `file`): what an earlier look left of it stays, but its session is
 * incomplete until it can be read. Its own transaction. 0 or -1.
 */
int tf_store_note_unreadable(struct tf_store *s, const struct tf_source *source, const struct tf_source_known *known,
			     struct tf_ledger_file *file, struct tf_error *err);

/*
 * Forgets those members of an archive (real paths below that of `source`, of the same run prefix) whose path below it, or a part of that
 * which ends at a slash, is not in `kept` (keys: tf_hash_bytes). 0 or -1.
 */
int tf_store_forget_members(struct tf_store *s, const struct tf_source *source, const struct tf_map *kept, struct tf_error *err);

/* Notes the stat of an archive, whose bytes are what they were, as that of its members. 0 or -1. */
int tf_store_touch_members(struct tf_store *s, const struct tf_source *source, struct tf_error *err);

/* Forgets the files below an absolute path of which nothing could be read and that are no more, and folders. 0 or -1. */
int tf_store_forget_unread(struct tf_store *s, const char *root, struct tf_error *err);

/* What the store has of the host of a file, from a better one: its listed steps of the main series. */
struct tf_better {
	bool found;
	int64_t step_count, mean_step_ps; /* TF_NONE: no step */
};

/*
 * Whether the store has a better file of the same host and session than one of this kind (supersede.c): it then need not be loaded.
 * 0 or -1.
 */
int tf_store_find_better(struct tf_store *s, const struct tf_source *source, struct tf_better *better, struct tf_error *err);

/*
 * Begins the transaction of a source file: removes what an earlier ingest of it left. The file's rows follow, then
 * tf_store_end_file() or tf_store_abandon_file(). One at a time.
 */
int tf_store_begin_file(struct tf_store *s, const struct tf_source *source, struct tf_error *err);

/* Where the rows of an event file go, valid until the file ends. */
struct tf_row_sink tf_store_row_sink(struct tf_store *s);

enum tf_events_kept { TF_EVENTS_ALL, TF_EVENTS_DEVICE, TF_EVENTS_NONE };

/* The results of one host of the file's session, and (as asked) its planes, lines, events and arguments. */
int tf_store_put_host(struct tf_store *s, const struct tf_trace *t, const struct tf_host *host,
		      const struct tf_derived *d, enum tf_events_kept kept, struct tf_error *err);

/* The XLA programs of the file's session. */
int tf_store_put_xla(struct tf_store *s, const struct tf_session *session, struct tf_error *err);


/*
 * Ends the file: its ledger row and issues, the marks of superseded and orphaned points of its run, its session's
 * merged metrics; drops files of its host that it makes needless; commits. Sets file->new_rows.
 */
int tf_store_end_file(struct tf_store *s, struct tf_ledger_file *file, struct tf_error *err);

/* Rolls the file's transaction back; the store is as before tf_store_begin_file(). */
void tf_store_abandon_file(struct tf_store *s);

/* ---- reading ---- */

/* One thing that can be reported: a session, or a run without a profile. */
struct tf_target {
	int64_t run_id, session_id; /* session_id TF_NONE: a run alone */
	const char *run, *name;	    /* arena */
};

/*
 * What a selector names, best match first: "latest", "latest~N", "run/session", a run ("run:NAME" or NAME: its last
 * session), an id, a glob over "run/session". NULL means "latest". An empty list is no error.
 */
int tf_store_select(struct tf_store *s, const char *selector, struct tf_arena *arena, struct tf_target **targets,
		    size_t *count, struct tf_error *err);

/*
 * The paths of the files (ARCHIVE/MEMBER too) that a target was read from. TF_EFORMAT if one of them is no more what was read. Arena.
 * 0 or -1.
 */
int tf_store_list_sources(struct tf_store *s, const struct tf_target *target, struct tf_arena *a, const char ***paths, size_t *count,
			  struct tf_error *err);

/* Loads everything that a report shows of one target. `out` is zeroed by the caller; owned: tf_session_release(). */
int tf_store_load_session(struct tf_store *s, const struct tf_target *target, struct tf_session *out,
			  struct tf_error *err);

/* Which of several writes of one step counts: the last (the default reading), the first, their mean, or each. */
enum tf_duplicates { TF_DUPLICATES_LAST, TF_DUPLICATES_FIRST, TF_DUPLICATES_MEAN, TF_DUPLICATES_ALL };

struct tf_series_query {
	const struct tf_target *targets; /* of whose runs; none: of all runs */
	size_t target_count;
	const char *const *tags; /* globs, NULL at the end; NULL or none: all tags */
	enum tf_duplicates duplicates;
};

/* Passes each scalar series that is asked for to `use`, by run and tag; it returns 0, or -1 to stop. One is in memory at a time. */
int tf_store_each_series(struct tf_store *s, const struct tf_series_query *query,
			 int (*use)(void *ctx, const struct tf_series *series, struct tf_error *err), void *ctx, struct tf_error *err);

/* The id of the session that a selector names, the first of several. TF_EFORMAT if there is none. 0 or -1. */
int tf_store_session_id(struct tf_store *s, const char *selector, int64_t *id, struct tf_error *err);

enum tf_list { TF_LIST_RUNS, TF_LIST_SESSIONS, TF_LIST_TAGS, TF_LIST_FILES, TF_LIST_ISSUES };
int tf_store_list(struct tf_store *s, enum tf_list what, const struct tf_row_receiver *to, struct tf_error *err);

struct tf_param {
	const char *name, *value;
};

/*
 * Runs one read-only statement (SELECT, WITH, EXPLAIN, PRAGMA table_info and the like); anything that would write, attach or load is
 * TF_EUSAGE. The functions of schemas/FUNCTIONS.md are there. A parameter's name may begin with :, @ or $; of two values the later
 * counts. `timeout_ms` 0: none; over it TF_ELIMIT. Over 1 GiB of memory TF_ENOMEM.
 */
int tf_store_query(struct tf_store *s, const char *sql, const struct tf_param *params, size_t param_count,
		   int64_t timeout_ms, const struct tf_row_receiver *to, struct tf_error *err);

/* Opens one more store for reading beside the first one; its views are NAME.step and so on. Call before any query. 0 or -1. */
int tf_store_attach(struct tf_store *s, const char *path, const char *name, struct tf_error *err);

/* A query that has a name: schemas/queries/NAME.sql or a file of the user's. Strings in an arena. */
struct tf_named_query {
	const char *name, *title, *sql;
	struct tf_named_param {
		const char *name, *value, *help; /* value: the default */
		bool is_session;		 /* called session or …_session: the value is a selector */
	} *params;
	size_t param_count;
};

/*
 * Reads a named query: "-- TITLE" first, then "-- :NAME = DEFAULT -- what it is" lines, then one statement. TF_EUSAGE if it does not
 * begin so. 0 or -1.
 */
int tf_named_query_parse(const char *name, const char *text, struct tf_arena *a, struct tf_named_query *out, struct tf_error *err);

/* The named queries of the program, by name. Arena. 0 or -1. */
int tf_named_queries(struct tf_arena *a, struct tf_named_query **list, size_t *count, struct tf_error *err);

/* Which sessions' history is asked for. */
struct tf_history_query {
	const char *const *selectors; /* any of these; none: all */
	size_t selector_count;
	const char *run; /* only runs whose name matches this glob; NULL: all */
	size_t last;	 /* the last so many; 0: all */
	bool of_runs;	 /* runs, with a profile or without; else sessions */
};

/* What a query asks for, in the order of time. A selector that names nothing is TF_EFORMAT. Arena. 0 or -1. */
int tf_store_list_history(struct tf_store *s, const struct tf_history_query *query, struct tf_arena *a, struct tf_target **targets,
			  size_t *count, struct tf_error *err);

/* What each target says of a metric ("x", "x@host", "scalar[tag].last"), one point each. TF_EUSAGE for an unknown one. Arena. 0 or -1. */
int tf_store_read_history(struct tf_store *s, const char *metric, const struct tf_target *targets, size_t count, struct tf_arena *a,
			  struct tf_trend_point **points, struct tf_error *err);

/* How a metric comes about (schemas/explain/metrics.sql). Arena. */
struct tf_explanation {
	const char *definition, *source; /* source: a section of METRICS.md */
	const char *value_sql, *rows_sql; /* over public views */
	const char *part, *figure, *host; /* values of :part, :figure and :host; host is borrowed from the metric's name */
};

/* Finds the explanation of a metric. TF_EUSAGE, with the nearest names as hint, if there is no such metric. 0 or -1. */
int tf_store_explanation(const char *metric, struct tf_arena *a, struct tf_explanation *out, struct tf_error *err);

/* Runs one of its statements for a target, the first `limit` rows (0: all). 0 or -1. */
int tf_store_explain(struct tf_store *s, const struct tf_explanation *e, const char *sql, const struct tf_target *target, size_t limit,
		     const struct tf_row_receiver *to, struct tf_error *err);

/*
 * The public views with their documentation: rows (view, column, type, unit, null, documentation). column NULL: the view's own.
 * type: integer, real, text, blob, or any where rows differ. unit NULL: none. null: what a null means, NULL if there is none.
 * `view` NULL: all; an unknown one is TF_EUSAGE. 0 or -1.
 */
int tf_store_schema(const char *view, const struct tf_row_receiver *to, struct tf_error *err);

#endif
