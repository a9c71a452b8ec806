/* An examination of a store as text and JSON (schemas/doctor.schema.json). */
#ifndef TF_RENDER_EXAMINATION_OUT_H
#define TF_RENDER_EXAMINATION_OUT_H

#include <stdio.h>

#include "lib/analyze/examination.h"
#include "lib/base/error.h"

/* 0, or -1: TF_ESYSTEM, TF_ENOMEM. */
int tf_render_examination_text(FILE *to, const struct tf_examination *e, struct tf_error *err);
int tf_render_examination_json(FILE *to, const struct tf_examination *e, struct tf_error *err);

#endif
