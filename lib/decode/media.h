/* Pictures and sounds in summary values: format, size and length; their content is not decoded. */
#ifndef TF_DECODE_MEDIA_H
#define TF_DECODE_MEDIA_H

#include "lib/decode/summary.h"
#include "lib/decode/tensor.h"

/* A TF 1 Image or Audio message. 0 or -1 (the sink's error). */
int tf_read_old_media(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, bool image, struct tf_error *err);

/* The strings of a TF 2 value: images are width, height and pictures; audio has one clip in each row. 0 or -1. */
int tf_read_images(struct tf_values *s, const struct tf_point *at, const struct tf_tensor *t, struct tf_error *err);
int tf_read_audio(struct tf_values *s, const struct tf_point *at, const struct tf_tensor *t, struct tf_error *err);

#endif
