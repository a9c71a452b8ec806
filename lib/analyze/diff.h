/*
 * What differs between sessions, and by how much each part of it: parts sum to their whole in every session, to the picosecond
 * and the byte, and so do their differences. What a session does not have or tell is TF_NONE, never 0. METRICS.md, "Differences".
 */
#ifndef TF_ANALYZE_DIFF_H
#define TF_ANALYZE_DIFF_H

#include "lib/analyze/results.h"

/* How a quantity goes from the first session to the last. */
enum tf_change {
	TF_CHANGE_SAME,	   /* in all sessions, equal */
	TF_CHANGE_CHANGED, /* in all sessions */
	TF_CHANGE_ADDED,   /* not in the first */
	TF_CHANGE_REMOVED, /* not in the last */
	TF_CHANGE_SOME,	   /* in the first and the last or in neither, and not in all between */
	TF_CHANGE_UNKNOWN, /* the first or the last does not tell */
};
const char *tf_change_name(enum tf_change change); /* "same", "changed", "added", "removed", "some", "unknown" */

/* A quantity in each session (ps a step, or bytes), and the parts that sum to it in each. */
struct tf_delta {
	const char *name; /* a part of a step, an op, a kernel, an allocator; in parentheses what is none */
	int64_t *values;  /* one a session; TF_NONE: not there */
	int64_t *counts;  /* of tensors; NULL elsewhere */
	int64_t delta;	  /* last less first, one that is not there counting as nothing; TF_NONE where the change is unknown */
	enum tf_change change;
	const struct tf_tensor_group *tensor; /* of tensors: what they are, in the first session that has them; else NULL */
	struct tf_delta *children; /* largest |delta| first; none: no finer detail is known, or there is none */
	size_t child_count, child_cap;
};

/* A fact about where and how the sessions ran. */
struct tf_fact {
	const char *key;
	const char **values; /* one a session; NULL: not known */
	bool differs;	     /* two known values are not equal, or only some are known */
};

struct tf_metric_change {
	const char *name; /* with @host where it is one host's */
	enum tf_unit unit;
	enum tf_worse worse;
	const struct tf_metric **values; /* one a session; NULL: it has no such metric */
	double change, change_pct;	 /* last less first, and in percent of the first; NaN where there is none */
};

/* A stage of the input pipelines of all hosts. */
struct tf_stage_change {
	const char *pipeline, *name; /* name: the long one */
	int64_t *calls, *self_ps;    /* one a session, self_ps of one call; TF_NONE: not there */
	int64_t delta_ps;	     /* of self_ps, last less first; TF_NONE unless both have it */
	enum tf_change change;
};

/* One of the sessions that are compared. */
struct tf_diff_side {
	const struct tf_session *session; /* borrowed */
	const char *label;		  /* how it was named; borrowed */
	bool is_report;			  /* read from a `report --json` document */
};

struct tf_diff {
	struct tf_arena arena;
	const struct tf_diff_side *sides; /* borrowed */
	size_t side_count;
	struct tf_fact *facts;
	size_t fact_count, fact_cap;
	struct tf_metric_change *metrics;
	size_t metric_count, metric_cap;
	struct tf_delta step; /* the mean steady step and its parts; children: part → op → kernel */
	struct tf_stage_change *stages;
	size_t stage_count, stage_cap;
	struct tf_delta *memory; /* an allocator each, by its peak; children: tensors live then */
	size_t memory_count, memory_cap;
	const char **notes; /* what could not be compared, and why */
	size_t note_count, note_cap;
};

/*
 * Compares `count` sessions, two at least. `top` cuts each list of parts to so many, the rest summed up as one; 0: none is cut.
 * `out` is zeroed by the caller, who releases its arena; it borrows the sides and their sessions. 0, or -1 when out of memory.
 */
int tf_diff_make(const struct tf_diff_side *sides, size_t count, size_t top, struct tf_diff *out, struct tf_error *err);

/* The pieces that tf_diff_make() puts together, each 0 or -1 (memory): diff_steps.c, diff_facts.c, diff_memory.c. */
int tf_diff_steps(struct tf_diff *d, size_t top, struct tf_error *err);
int tf_diff_facts(struct tf_diff *d, struct tf_error *err);
int tf_diff_metrics(struct tf_diff *d, struct tf_error *err);
int tf_diff_input(struct tf_diff *d, struct tf_error *err);
int tf_diff_memory(struct tf_diff *d, size_t top, struct tf_error *err);

/* What is said of one session: "LABEL: …". 0 or -1 (memory). */
int tf_diff_note(struct tf_diff *d, size_t side, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* One quantity of one session, to be put in its place by its keys. */
struct tf_diff_cell {
	const char *keys[4]; /* NULL comes first */
	size_t side;
	int64_t value, count; /* count: of tensors */
	const struct tf_tensor_group *tensor;
};

/*
 * Makes a tree below `node` of cells: `levels` has how many keys each level of it has, 0 at its end. Values are sums; `node` keeps
 * its own. Sorts the cells. 0 or -1 (memory).
 */
int tf_diff_build(struct tf_diff *d, struct tf_delta *node, struct tf_diff_cell *cells, size_t count, const int *levels,
		  struct tf_error *err);

/*
 * Divides the sums below `node` by `n` (one a session) so that whole numbers again sum to their whole, whose value is already that of
 * a mean: each is rounded down, and those with the largest remainders up. 0 or -1 (memory).
 */
int tf_diff_divide(struct tf_diff *d, struct tf_delta *node, const int64_t *n, struct tf_error *err);

/* Fills in delta and change of a node and all below it, sorts, and sums up what `top` cuts. 0 or -1 (memory). */
int tf_diff_finish(struct tf_diff *d, struct tf_delta *node, size_t top, struct tf_error *err);

/* A node without values (TF_NONE), its name borrowed; false when out of memory. */
bool tf_diff_node(struct tf_diff *d, struct tf_delta *node, const char *name);

/* A value of each session from `of`, as a change. */
enum tf_change tf_change_of(const int64_t *values, size_t count);

#endif
