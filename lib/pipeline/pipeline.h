/* Walk → sniff → decode → analyze → store: what `ingest` does to a store, and `report PATH` to one in memory. */
#ifndef TF_PIPELINE_PIPELINE_H
#define TF_PIPELINE_PIPELINE_H

#include "lib/base/progress.h"
#include "lib/store/store.h"

struct tf_ingest_options {
	const char *run;	/* --run NAME, or NULL */
	const char *const *include, *const *exclude; /* NULL-terminated globs over paths, or NULL */
	const char *const *only; /* NULL-terminated paths beside which nothing is loaded, or NULL */
	enum tf_events_kept events;
	const regex_t *step_event;
	enum tf_progress_mode progress;
	FILE *progress_to;
};

/*
 * Loads everything found under the paths ("-": stdin) into the store and fills the ledger (zeroed by the caller;
 * release its arena). Damage costs records and is in the ledger; -1 only for what ends the run: none of the paths
 * exists (TF_EIO; of several the others are loaded and ledger->missing is set), store and system errors.
 */
int tf_ingest(struct tf_store *store, const char *const *paths, size_t path_count,
	      const struct tf_ingest_options *options, struct tf_ledger *ledger, struct tf_error *err);

/*
 * The last session (or the run, if it has none) under the paths, through a store in memory and without event rows.
 * TF_EFORMAT if nothing readable is there. `session` and `ledger` are zeroed by the caller and released by it.
 */
int tf_report_paths(const char *const *paths, size_t path_count, const struct tf_ingest_options *options, struct tf_session *session,
		    struct tf_ledger *ledger, struct tf_error *err);

#endif
