/* An explained metric: definition, source, statements and what they give. */
#ifndef TF_RENDER_EXPLANATION_H
#define TF_RENDER_EXPLANATION_H

#include <stdio.h>

#include "lib/analyze/results.h"

struct tf_explained {
	const char *metric, *session; /* session: "run/session" */
	const struct tf_metric *recorded; /* NULL: the session has no such metric */
	const char *definition, *source, *value_sql, *rows_sql;
	double recomputed; /* NaN: the statement gives NULL */
};

/* All but the rows. 0, or -1: TF_ESYSTEM, TF_ENOMEM. */
int tf_render_explained_text(FILE *to, const struct tf_explained *e, struct tf_error *err);
int tf_render_explained_json(FILE *to, const struct tf_explained *e, struct tf_error *err);

#endif
