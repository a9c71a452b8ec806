/* Steps divided among the events that take their time. */
#ifndef TF_ANALYZE_STEP_OWNERS_H
#define TF_ANALYZE_STEP_OWNERS_H

#include "lib/analyze/analyze.h"

/* An event makes a step this part for a while. */
struct tf_step_piece {
	int32_t step; /* index in steps.list */
	uint32_t event;
	uint8_t part; /* enum tf_part */
	bool on_device;
	struct tf_interval at;
};

/*
 * Fills in the parts of all steps and who owns them: each instant goes to the most important part then going on, and of the events
 * that make it that to the one that began last. Owners beyond TF_LIMIT_OWNER_CELLS become "(others)". Sorts the pieces. 0, or -1 when
 * out of memory.
 */
int tf_steps_divide(const struct tf_derived *d, struct tf_step_piece *pieces, size_t count, struct tf_arena *a, struct tf_steps *steps,
		    struct tf_error *err);

/*
 * What ops and kernels take of the session's steady steps, of several hosts of the slowest one's, to s->costs by part and time; or
 * s->cost_reason says why it is not known. 0 or -1 (memory). step_costs.c
 */
int tf_step_costs_build(struct tf_session *s, struct tf_error *err);

#endif
