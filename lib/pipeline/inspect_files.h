/* Looking into files without a store. */
#ifndef TF_PIPELINE_INSPECT_FILES_H
#define TF_PIPELINE_INSPECT_FILES_H

#include "lib/analyze/inspection.h"

/* Everything under the path. `out` zeroed by the caller; release its arena. 0, or -1: TF_EIO, TF_ENOMEM. */
int tf_inspect(const char *path, struct tf_inspection *out, struct tf_error *err);

#endif
