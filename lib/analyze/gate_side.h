/* One session as one rule of the gate sees it: the figure, and why it cannot be judged. METRICS.md, "The gate". */
#ifndef TF_ANALYZE_GATE_SIDE_H
#define TF_ANALYZE_GATE_SIDE_H

#include "lib/analyze/gate.h"

/* What a metric depends on. */
enum tf_need {
	TF_NEED_CAPTURE = 1, /* a whole capture */
	TF_NEED_STEPS = 2,	  /* steps that something marks */
	TF_NEED_STEADY = 4,  /* enough steady ones */
	TF_NEED_WINDOW = 8,  /* the window of the devices: steady steps or, without any, what was recorded */
	TF_NEED_EVENTS = 16, /* event files that lost nothing */
};

/* Borrowed from the session. */
struct tf_side {
	const struct tf_session *s;
	const struct tf_metric *metric; /* NULL: it has none of this name */
	unsigned needs;
	const char *window; /* "steps", "each_step", "device_events"; NULL: none is known */
	const char *host;   /* that the metric is of, NULL: the session's */
	int64_t steady;	    /* steps */
	const char *reason; /* why it cannot be judged, NULL if it can */
};

struct tf_side tf_side_of(const struct tf_gate *g, const struct tf_session *s, const char *metric);

/* The figure, NaN if it is not known. */
double tf_side_value(const struct tf_side *x);

/* Steady steps behind a figure of steps, points behind a scalar; TF_NONE if that means nothing. */
int64_t tf_side_samples(const struct tf_side *x);

#endif
