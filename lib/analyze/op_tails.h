/* Which executions of an op are far from its usual ones (METRICS.md §7). */
#ifndef TF_ANALYZE_OP_TAILS_H
#define TF_ANALYZE_OP_TAILS_H

#include "lib/analyze/analyze.h"

/* Executions of ops as they are met. Zeroed is empty; release with tf_executions_release(). */
struct tf_executions {
	struct tf_execution {
		uint32_t op, event;
	} *list;
	size_t count, cap;
};

/* How long an op's executions take. `slowest` is the event of the longest, the first of equals. */
struct tf_op_times {
	int64_t p50_ps, p99_ps, max_ps; /* TF_NONE without executions */
	size_t slowest;
};

int tf_executions_add(struct tf_executions *x, size_t op, size_t event, struct tf_error *err);

/* Fills times[0..op_count) and forgets the executions. Returns 0, or -1 when out of memory. */
int tf_executions_measure(struct tf_executions *x, const struct tf_trace *t, struct tf_op_times *times, size_t op_count,
			  struct tf_error *err);

void tf_executions_release(struct tf_executions *x);

/*
 * The session's long-tail ops: at least 20 executions of which the 99th percentile takes more than 3 medians; what costs most beyond
 * the median comes first. NULL when out of memory. The list lies in the arena, the ops in the session.
 */
struct tf_tail {
	const struct tf_host *host;
	const struct tf_op *op;
};
struct tf_tail *tf_long_tails(const struct tf_session *s, struct tf_arena *a, size_t *count, struct tf_error *err);

/* What an op's executions take beyond its median, all in all; TF_NONE if its times are not known. */
int64_t tf_op_excess_ps(const struct tf_op *op);

#endif
