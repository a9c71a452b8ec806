/* Builds protobuf messages, event files and captures byte by byte, for tests of the decoders. */
#ifndef TESTS_SUPPORT_PROTO_H
#define TESTS_SUPPORT_PROTO_H

#include "lib/base/text.h"

/* Fields of a message, appended to a buffer. */
void pb_varint(struct tf_buf *b, uint32_t field, uint64_t value);
void pb_bytes(struct tf_buf *b, uint32_t field, const char *data, size_t len);
void pb_text(struct tf_buf *b, uint32_t field, const char *text);
void pb_double(struct tf_buf *b, uint32_t field, double value);
void pb_float(struct tf_buf *b, uint32_t field, float value);
/* Appends `message` as a field and releases it. */
void pb_message(struct tf_buf *b, uint32_t field, struct tf_buf *message);

/* A TFRecord with right CRCs around the data. */
void pb_record(struct tf_buf *file, const struct tf_buf *data);
/* Event records: the version record (40 bytes), and a TF 1 scalar (42 bytes for a tag of 4 letters). */
void pb_version(struct tf_buf *file);
void pb_scalar(struct tf_buf *file, double wall, int64_t step, const char *tag, float value);

/* The bytes of a buffer. */
static inline struct tf_bytes pb_view(const struct tf_buf *b)
{
	return (struct tf_bytes){(const uint8_t *)b->data, b->len};
}

#endif
