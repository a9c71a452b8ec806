/* Between the finding of step markers (step_sources.c) and what is made of them (steps.c). */
#ifndef TF_ANALYZE_STEPS_H
#define TF_ANALYZE_STEPS_H

#include "lib/analyze/analyze.h"
#include "lib/base/hash.h"

struct tf_step_finder {
	struct tf_derived *d;
	const struct tf_analyze_options *options;
	struct tf_arena *arena;
	struct tf_host *host;
	struct tf_map markers; /* begin of a host marker → its event */
	uint8_t *nominated;    /* by metadata: --step-event names it */
	struct tf_error *err;
};

/*
 * Adds a step. `number` TF_NONE: the one at the end of the name, else the place in the list. Returns 0, or -1 when out
 * of memory.
 */
int tf_step_add(struct tf_step_finder *f, struct tf_bytes name, int64_t number, int64_t start_ps, int64_t dur_ps,
		bool on_device);

/* Where the step begins by its marker, on the host or on a device; its length in *dur_ps. Steps are sorted by it. */
int64_t tf_step_marked_begin(const struct tf_step *step, int64_t *dur_ps);

/* The first step whose marker begins after the time; the number of steps if none does. */
size_t tf_step_after(const struct tf_steps *s, int64_t ps);

/* The sources of METRICS.md §2, best first. Each adds the steps that it finds, or none. 0, or -1 when out of memory. */
int tf_steps_from_markers(struct tf_step_finder *f);
int tf_steps_from_executor(struct tf_step_finder *f);
int tf_steps_from_device(struct tf_step_finder *f);
int tf_steps_from_period(struct tf_step_finder *f);

/* Flags the first complete steps that take over twice the median of the later ones. 0, or -1 when out of memory. */
int tf_steps_flag_warmup(struct tf_steps *s, struct tf_error *err);

/* Without steps: says what was looked for and what repeats. 0 or -1. */
int tf_steps_explain(struct tf_step_finder *f);

#endif
