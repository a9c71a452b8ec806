/* Renderers of differences. All return 0 or -1 (TF_ESYSTEM, TF_ENOMEM). */
#ifndef TF_RENDER_DIFF_OUT_H
#define TF_RENDER_DIFF_OUT_H

#include <stdio.h>

#include "lib/analyze/diff.h"

/* Schema tfprof.diff/1 (schemas/diff.schema.json). */
int tf_render_diff_json(FILE *to, const struct tf_diff *d, struct tf_error *err);

/* For a person: tables of at most 100 columns for two sessions, wider for more. `color`: headings are bold. */
int tf_render_diff_text(FILE *to, const struct tf_diff *d, bool color, struct tf_error *err);

/* The same as Markdown, for a comment on a pull request. */
int tf_render_diff_md(FILE *to, const struct tf_diff *d, struct tf_error *err);

#endif
