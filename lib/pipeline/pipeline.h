/* Walk → sniff → decode → analyze → store: what `ingest` does to a store, and `report PATH` to one in memory. */
#ifndef TF_PIPELINE_PIPELINE_H
#define TF_PIPELINE_PIPELINE_H

#include "lib/base/progress.h"
#include "lib/store/store.h"

struct tf_ingest_options {
	const char *run;	/* --run NAME, or NULL */
	const char *const *include, *const *exclude; /* NULL-terminated globs over paths, or NULL */
	enum tf_events_kept events;
	const regex_t *step_event;
	enum tf_progress_mode progress;
	FILE *progress_to;
};

/*
 * Loads everything found under the paths ("-": stdin) into the store and fills the ledger (zeroed by the caller;
 * release its arena). Damage costs records and is in the ledger; -1 only for what ends the run: a path that does not
 * exist or cannot be read at all (TF_EIO), store and system errors.
 */
int tf_ingest(struct tf_store *store, const char *const *paths, size_t path_count,
	      const struct tf_ingest_options *options, struct tf_ledger *ledger, struct tf_error *err);

/*
 * The last session (or the run, if it has none) under one path, through a store in memory and without event rows.
 * TF_EFORMAT if nothing readable is there. `session` and `ledger` are zeroed by the caller and released by it.
 */
int tf_report_path(const char *path, const struct tf_ingest_options *options, struct tf_session *session,
		   struct tf_ledger *ledger, struct tf_error *err);

/* What `inspect` prints of one path: every file's kind, hosts, planes, lines, step candidates, completeness. */
struct tf_inspect_line {
	const char *plane, *line;
	int64_t events, dur_ps;
	bool derived;
};
struct tf_inspect_candidate {
	const char *name; /* event name */
	int64_t count, with_step_num, total_ps, period_ps; /* period: median start to start, TF_NONE if < 2 */
};
struct tf_inspect_file {
	struct tf_ledger_file *ledger;
	const char *run, *session, *host;
	const char **hostnames, **errors, **warnings;
	size_t hostname_count, error_count, warning_count;
	int64_t start_ns, begin_ps, end_ps, event_count, anomaly_count;
	bool complete;
	const char *step_source;
	int64_t step_count;
	struct tf_inspect_line *lines;
	size_t line_count, line_cap;
	struct tf_inspect_candidate *candidates; /* most likely first */
	size_t candidate_count, candidate_cap;
};
struct tf_inspection {
	struct tf_ledger ledger; /* its arena holds everything */
	struct tf_inspect_file *files;
	size_t file_count, file_cap;
};
int tf_inspect(const char *path, const struct tf_ingest_options *options, struct tf_inspection *out,
	       struct tf_error *err);

#endif
