/* A borrowed piece of memory that is not a string: pointer and length, never assumed NUL-terminated. */
#ifndef TF_BASE_BYTES_H
#define TF_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tf_bytes {
	const uint8_t *data;
	size_t len;
};

/* The bytes of a NUL-terminated string, without the NUL. Borrowed from it. */
static inline struct tf_bytes tf_bytes_of(const char *text)
{
	return (struct tf_bytes){(const uint8_t *)text, strlen(text)};
}

/* Nonzero if both hold the same bytes. */
static inline int tf_bytes_equal(struct tf_bytes a, struct tf_bytes b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Nonzero if the bytes begin with the string. */
static inline int tf_bytes_begin(struct tf_bytes b, const char *prefix)
{
	size_t n = strlen(prefix);
	return b.len >= n && memcmp(b.data, prefix, n) == 0;
}

#endif
