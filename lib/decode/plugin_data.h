/* What the mesh and custom scalars plugins say of their tags and charts. */
#ifndef TF_DECODE_PLUGIN_DATA_H
#define TF_DECODE_PLUGIN_DATA_H

#include "lib/decode/summary.h"

/* A MeshPluginData message. 0 or -1 (the sink's error). */
int tf_read_mesh(struct tf_values *s, const struct tf_point *at, struct tf_bytes content, struct tf_error *err);

/* A Layout message of custom scalars: a row for each curve. False in *is_layout if it is none. 0 or -1. */
int tf_read_layout(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, bool *is_layout, struct tf_error *err);

#endif
