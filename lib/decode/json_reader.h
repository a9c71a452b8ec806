/*
 * A pull reader of JSON text: values are pieces of the text, nothing is built. cJSON would make every number a double; a
 * time of 1715000000000000.123 µs must stay exact.
 */
#ifndef TF_DECODE_JSON_READER_H
#define TF_DECODE_JSON_READER_H

#include <stdbool.h>

#include "lib/base/bytes.h"
#include "lib/base/text.h"

enum tf_json_kind { TF_JSON_NULL, TF_JSON_BOOL, TF_JSON_NUMBER, TF_JSON_STRING, TF_JSON_ARRAY, TF_JSON_OBJECT };

/* One value. `raw` is its text: of a string what stands between the quotes, of a container all of it. */
struct tf_json_value {
	enum tf_json_kind kind;
	struct tf_bytes raw;
	bool escaped; /* a string with a backslash in it */
};

enum tf_json_fault { TF_JSON_FINE, TF_JSON_CUT /* the text ends inside a value */, TF_JSON_SYNTAX };

struct tf_json_reader {
	const uint8_t *p, *end;
	enum tf_json_fault fault;
	bool take_cut; /* the last item of a text that ends early counts, a container as far as it goes; `fault` is then TF_JSON_CUT */
	bool lenient; /* a quote ends a string only where the text then goes on like JSON: for writers that do not escape */
};

/* A reader of the text. Borrowed. */
struct tf_json_reader tf_json_of(struct tf_bytes text);

/* A reader of what stands inside an array or object. */
struct tf_json_reader tf_json_inside(const struct tf_json_value *container);

/* Reads the next value, containers as a whole. False with `fault` set. */
bool tf_json_value(struct tf_json_reader *j, struct tf_json_value *v);

/* Next member of an object, or element of an array, whose opening bracket is behind; false at its end (then the closing bracket
 * is behind, or the text of tf_json_inside() over) or with `fault` set. Commas too many are passed over. */
bool tf_json_member(struct tf_json_reader *j, struct tf_bytes *key, struct tf_json_value *v);
bool tf_json_element(struct tf_json_reader *j, struct tf_json_value *v);

/* The string's bytes, escapes resolved into `scratch` if it has any; of another kind its text. Borrowed from text or scratch. */
struct tf_bytes tf_json_as_text(const struct tf_json_value *v, struct tf_buf *scratch);

/* An integer written without fraction or exponent, bare or in quotes, that fits. False otherwise. */
bool tf_json_as_i64(const struct tf_json_value *v, int64_t *out);
bool tf_json_as_u64(const struct tf_json_value *v, uint64_t *out);

/* A finite number, bare or in quotes. */
bool tf_json_as_double(const struct tf_json_value *v, double *out);

/* A decimal number, bare or in quotes, times 10^6 and rounded to the nearest integer, in two parts: value = million × 10^6 + rest,
 * 0 <= rest < 10^6. Exact where a double is not. False if it is no number or `million` does not fit. */
bool tf_json_as_millionths(const struct tf_json_value *v, int64_t *million, int32_t *rest);

#endif
