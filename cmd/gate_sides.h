/* The runs that the gate compares. */
#ifndef TF_CMD_GATE_SIDES_H
#define TF_CMD_GATE_SIDES_H

#include "lib/analyze/gate.h"

/* Sessions of one side, and what each was asked for by (NULL: the latest; borrowed). Zeroed is empty. */
struct tf_side_runs {
	struct tf_session *list;
	struct tf_side_name {
		const char *what;
		bool saved; /* of a named baseline: as it was then */
	} *names;
	size_t count, cap;
};

/* Where the runs of the other side ran, by which a named baseline is found. */
struct tf_side_key {
	const char *environment; /* tf_environment_key(); NULL: not known */
	const char **found;	 /* gets the key of the named baseline that was found, in `arena`; else left alone */
	struct tf_arena *arena;
};

/* Adds what `what` names: a `report --json` document, else a path or a selector (cmd/target.h). 0 or -1. */
int tf_side_add_target(struct tf_side_runs *side, const char *db, const char *what, struct tf_error *err);

/*
 * Adds a baseline: a path (a `report --json` document, or what a report can be made of), all runs of a named baseline of the store
 * ("baseline:NAME" is nothing else), else a selector. 0 or -1.
 */
int tf_side_add_baseline(struct tf_side_runs *side, const char *db, const char *what, const struct tf_side_key *key,
			 struct tf_error *err);

/* Whether a session counts twice, on one side or on both. TF_EUSAGE, which names it; else 0. */
int tf_sides_differ(const struct tf_side_runs *now, const struct tf_side_runs *baseline, struct tf_error *err);

/* Of two errors the one whose status weighs more (2, 4, 3) is left in `err`. */
void tf_error_weigh(struct tf_error *err, const struct tf_error *other);

void tf_side_release(struct tf_side_runs *side);

#endif
