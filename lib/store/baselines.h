/* Named baselines in the store: reports of runs, by a name and an environment. */
#ifndef TF_STORE_BASELINES_H
#define TF_STORE_BASELINES_H

#include "lib/base/bytes.h"
#include "lib/store/store.h"

/* One run of a baseline. */
struct tf_baseline_run {
	const char *label;     /* its session's name */
	struct tf_bytes report; /* a `report --json` document */
};

struct tf_baseline {
	const char *name, *environment; /* tf_environment_key() */
	const char *saved_on;		/* "2026-12-07" */
	const char *reason;		/* NULL: none was given */
	struct tf_baseline_run *runs;
	size_t run_count;
};

/*
 * Saves a baseline, in a transaction of its own. Where there is one of this name and environment: TF_EUSAGE, or, if `promote`, it is
 * superseded and kept. `promote` without one there is TF_EUSAGE. 0 or -1.
 */
int tf_store_save_baseline(struct tf_store *s, const struct tf_baseline *b, bool promote, struct tf_error *err);

/*
 * The baseline of this name that counts: for the environment, else (or for NULL) the one saved last for another. *found is false
 * without any. Arena. 0 or -1.
 */
int tf_store_find_baseline(struct tf_store *s, const char *name, const char *environment, struct tf_arena *a, bool *found,
			   struct tf_baseline *out, struct tf_error *err);

/* Removes all of a name, what was superseded too, for one environment (NULL: all). TF_EFORMAT if there are none. 0 or -1. */
int tf_store_drop_baseline(struct tf_store *s, const char *name, const char *environment, struct tf_error *err);

/* Rows (name, environment, saved_on, runs, reason, superseded): those of a name (TF_EFORMAT without any), else (NULL) all that count. */
int tf_store_list_baselines(struct tf_store *s, const char *name, const struct tf_row_receiver *to, struct tf_error *err);

#endif
