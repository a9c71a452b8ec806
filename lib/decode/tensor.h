/* TensorProto: dtype, shape, and elements as doubles or strings. */
#ifndef TF_DECODE_TENSOR_H
#define TF_DECODE_TENSOR_H

#include <stdbool.h>

#include "lib/base/arena.h"
#include "lib/base/bytes.h"
#include "lib/base/error.h"

struct tf_tensor {
	int64_t dtype;
	const char *dtype_name;
	int64_t dims[16]; /* sizes; -1 unknown */
	size_t rank;
	int64_t elements; /* product of the sizes; -1 if unknown or too large */
	bool is_text;	  /* strings below, else numbers */
	double *numbers;  /* arena; only as many as are encoded */
	struct tf_bytes *texts;
	size_t count; /* encoded elements: fewer than `elements` means that the last repeats */
	int64_t content_bytes;
};

/* Decodes a tensor; pieces are borrowed from the message or live in the arena. 0, or -1: TF_EFORMAT, TF_ENOMEM. */
int tf_decode_tensor(struct tf_bytes message, struct tf_arena *a, struct tf_tensor *out, struct tf_error *err);

/* Element i with the repetition of the last one. `count` must not be 0. */
double tf_tensor_number(const struct tf_tensor *t, size_t i);

#endif
