/* Renderers of an inspection. 0 or -1 (TF_ESYSTEM, TF_ENOMEM). */
#ifndef TF_RENDER_INSPECTION_OUT_H
#define TF_RENDER_INSPECTION_OUT_H

#include <stdio.h>

#include "lib/analyze/inspection.h"

int tf_render_inspection_json(FILE *to, const struct tf_inspection *in, struct tf_error *err);
int tf_render_inspection_text(FILE *to, const struct tf_inspection *in, struct tf_error *err);

#endif
