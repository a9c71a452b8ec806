/* The table of metric names (metrics.def) and patterns over it. */
#ifndef TF_ANALYZE_METRIC_NAMES_H
#define TF_ANALYZE_METRIC_NAMES_H

#include <string.h>

#include "lib/analyze/results.h"

struct tf_metric_kind {
	const char *name; /* "[]" stands for "[anything]" */
	enum tf_unit unit;
	enum tf_worse worse;
};

/* The kinds in the order of the output; the last one has no name. */
extern const struct tf_metric_kind tf_metric_kinds[];

/* The kind that a name ("memory.peak_bytes[GPU_0_bfc]", with or without "@host") is of; NULL if none. */
const struct tf_metric_kind *tf_metric_kind_find(const char *name);

/* The host that a metric's name ends in ("@host"), borrowed; NULL: the session's. An '@' in brackets belongs to a tag. */
const char *tf_metric_host(const char *name);

/* Whether it is a figure of a scalar tag, which is a run's rather than a session's. */
static inline bool tf_metric_is_scalar(const char *name)
{
	return strncmp(name, "scalar[", 7) == 0;
}

/* The known names that are nearest to a wrong one, as the error's hint. */
void tf_metric_suggest(const char *name, struct tf_error *err);

#endif
