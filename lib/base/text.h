/* Text: UTF-8 repair, growing strings, and the numbers that people type. */
#ifndef TF_BASE_TEXT_H
#define TF_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/bytes.h"
#include "lib/base/error.h"

/* A growing heap string. Zeroed is valid and empty. `data` is NUL-terminated once something was added. */
struct tf_buf {
	char *data;
	size_t len, cap;
	bool failed; /* out of memory at some point: the text is incomplete */
};

/* Append; on allocation failure `failed` is set and nothing more is added. */
void tf_buf_add(struct tf_buf *b, const char *text, size_t len);
void tf_buf_text(struct tf_buf *b, const char *text);
void tf_buf_char(struct tf_buf *b, char c);
void tf_buf_printf(struct tf_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends the decimal of a number. */
void tf_buf_i64(struct tf_buf *b, int64_t value);
/* Appends the bytes as a JSON string in quotes: escapes, and U+FFFD for each byte that is not UTF-8. */
void tf_buf_json_string(struct tf_buf *b, struct tf_bytes bytes);
/* Appends the shortest decimal that reads back as the same double; "null" if it is not finite. */
void tf_buf_json_double(struct tf_buf *b, double value);
void tf_buf_release(struct tf_buf *b);

/* True if the bytes are valid UTF-8 without NUL: no overlong form, surrogate or value over U+10FFFF. */
bool tf_utf8_valid(struct tf_bytes bytes);

/*
 * The bytes as a valid UTF-8 C string: each byte that is not part of a valid sequence, and each NUL,
 * becomes U+FFFD. NULL when out of memory. Arena.
 */
char *tf_utf8_repair(struct tf_arena *a, struct tf_bytes bytes);

/* Parses a whole decimal int64. False if it is anything else or overflows. */
bool tf_parse_i64(const char *text, int64_t *value);

/* Parses a whole finite decimal double: no NaN, infinity, hex or trailing text. */
bool tf_parse_double(const char *text, double *value);

/* Units of a number that a person typed. */
enum tf_unit {
	TF_UNIT_NONE,  /* a count or an unknown unit: plain number */
	TF_UNIT_RATIO, /* 0..1; "5%" is 0.05 */
	TF_UNIT_MS,    /* "20ms", "1.5s", "300us"; plain is ms */
	TF_UNIT_BYTES, /* "512MiB", "1G" (1024 each), plain is bytes */
	TF_UNIT_US,
	TF_UNIT_PS,
};

/* Reads a quantity in the given unit into the unit's base (ms, bytes, ratio). False with `err` filled otherwise. */
int tf_parse_quantity(const char *text, enum tf_unit unit, double *value, struct tf_error *err);

/* The unit's short name for output: "ms", "B", "ratio", "us", "ps" or "". Static. */
const char *tf_unit_name(enum tf_unit unit);

/*
 * Edit distance of two names (insert, delete, replace, swap neighbours), at most `limit`; more counts as limit + 1.
 * For "did you mean": names over 127 bytes count as far apart.
 */
int tf_text_distance(const char *a, const char *b, int limit);

/* True if the glob pattern (`*`, `?`, `[…]`; `*` crosses '/') matches the whole text. */
bool tf_glob_match(const char *pattern, const char *text);

#endif
