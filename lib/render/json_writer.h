/* A streaming JSON writer: strict JSON, keys in the order given, integers exact, unknown values null. */
#ifndef TF_RENDER_JSON_WRITER_H
#define TF_RENDER_JSON_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/base/text.h"

struct tf_json {
	struct tf_buf buf;
	bool comma; /* a value was written at this level */
};

/* Begin and end; key is NULL inside lists. */
void tf_json_object(struct tf_json *j, const char *key);
void tf_json_object_end(struct tf_json *j);
void tf_json_list(struct tf_json *j, const char *key);
void tf_json_list_end(struct tf_json *j);

/* Values. NULL text, TF_NONE and non-finite doubles are null. */
void tf_json_text(struct tf_json *j, const char *key, const char *value);
/* Text that may hold any byte, NUL too. */
void tf_json_bytes(struct tf_json *j, const char *key, struct tf_bytes value);
void tf_json_i64(struct tf_json *j, const char *key, int64_t value);
/* Any int64 as it is, the one that stands for TF_NONE too. */
void tf_json_integer(struct tf_json *j, const char *key, int64_t value);
void tf_json_double(struct tf_json *j, const char *key, double value);
void tf_json_bool(struct tf_json *j, const char *key, bool value);
/* Picoseconds as milliseconds, or microseconds. */
void tf_json_ms(struct tf_json *j, const char *key, int64_t ps);
void tf_json_us(struct tf_json *j, const char *key, int64_t ps);

/* Writes the document and a newline, and releases the buffer. 0, or -1: TF_ENOMEM, TF_ESYSTEM. */
int tf_json_finish(struct tf_json *j, FILE *to, struct tf_error *err);

#endif
