/* Loops of the TensorFlow executor: iterations that follow one another are steps (METRICS.md §2). */
#ifndef TF_ANALYZE_LOOPS_H
#define TF_ANALYZE_LOOPS_H

#include "lib/analyze/analyze.h"

/* One iteration: the hull of its ExecutorState::Process events. */
struct tf_iteration {
	int64_t id, number, begin_ps, end_ps;
	size_t first, count; /* its events in struct tf_loops.events, by begin */
};

struct tf_loops {
	uint32_t *events;
	struct tf_iteration *list;
	size_t count;
};

/*
 * Finds the iterations of loops whose iterations do not overlap and that do not all run inside one root; executors that
 * tf.data runs are left out. `loops` zeroed by the caller and released by it. 0, or -1 when out of memory.
 */
int tf_loops_find(const struct tf_trace *t, struct tf_loops *loops, struct tf_error *err);
void tf_loops_release(struct tf_loops *loops);

/* Ids that tf.data gives to the functions it runs: their executors are no steps. 0, or -1 when out of memory. */
int tf_loops_tfdata_ids(const struct tf_trace *t, struct tf_map *ids, struct tf_error *err);

/* Names of roots that run a step without naming it. */
static inline bool tf_is_implicit_root(uint32_t name)
{
	return name == TF_NAME_function_run || name == TF_NAME_session_run || name == TF_NAME_run_graph
	       || name == TF_NAME_executor_process;
}

#endif
