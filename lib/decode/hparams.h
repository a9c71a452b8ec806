/* What the hparams plugin says: the experiment, the trial that a run is, its hyperparameters and its end. */
#ifndef TF_DECODE_HPARAMS_H
#define TF_DECODE_HPARAMS_H

#include "lib/decode/summary.h"

/* Passes on what an HParamsPluginData message holds. A malformed part is left out. 0 or -1 (memory, or the sink's error). */
int tf_read_hparams(struct tf_values *s, const struct tf_point *at, struct tf_bytes content, struct tf_error *err);

#endif
