/* Renderers of a metric's history. All return 0 or -1 (TF_ESYSTEM, TF_ENOMEM). */
#ifndef TF_RENDER_TREND_OUT_H
#define TF_RENDER_TREND_OUT_H

#include <stdio.h>

#include "lib/analyze/metric_trend.h"

/* What is shown besides the result. */
struct tf_trend_view {
	const char *metric;
	enum tf_unit unit;
	const struct tf_trend_options *options;
	bool color, utf8; /* of the terminal */
};

/* Schema tfprof.trend/1 (schemas/trend.schema.json). */
int tf_render_trend_json(FILE *to, const struct tf_metric_trend *t, const struct tf_trend_view *v, struct tf_error *err);

/* For a person: a line of blocks, the verdict, a row a session. */
int tf_render_trend_text(FILE *to, const struct tf_metric_trend *t, const struct tf_trend_view *v, struct tf_error *err);

#endif
