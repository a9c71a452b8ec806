/* Scalar series and what they say, one after the other: text, JSON (schemas/scalars.schema.json) or CSV. */
#ifndef TF_RENDER_SCALARS_OUT_H
#define TF_RENDER_SCALARS_OUT_H

#include "lib/analyze/scalar_series.h"
#include "lib/render/json_writer.h"
#include "lib/render/render.h"

struct tf_scalars_out {
	FILE *to;
	enum { TF_SCALARS_TEXT, TF_SCALARS_JSON, TF_SCALARS_CSV } form;
	bool points; /* list them too; CSV: instead */
	struct tf_json json;
	const struct tf_table_format *csv;
	struct tf_row_receiver row;
	char *last_run; /* that text stands under; owned */
	size_t count;	/* series */
};

/* Begin with `to`, `form` and `points` set and the rest zeroed; end in any case. All return 0, or -1: TF_ENOMEM, TF_ESYSTEM. */
int tf_scalars_begin(struct tf_scalars_out *o, struct tf_error *err);
int tf_scalars_add(struct tf_scalars_out *o, const struct tf_series *series, const struct tf_scalar_summary *summary,
		   struct tf_error *err);
int tf_scalars_end(struct tf_scalars_out *o, struct tf_error *err);

#endif
