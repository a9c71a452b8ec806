/* Interned strings: each distinct byte string has one small id. */
#ifndef TF_BASE_STRTAB_H
#define TF_BASE_STRTAB_H

#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/bytes.h"
#include "lib/base/error.h"

/* Zeroed is a valid, empty table. Id 0 is always the empty string once something was added. */
struct tf_strtab {
	struct tf_arena arena;
	struct tf_bytes *strings; /* by id; NUL-terminated after len */
	size_t count, cap;
	uint32_t *slots; /* open addressing: id + 1, 0 free */
	size_t slot_count;
};

/* The id of the bytes, added if new. 0, or -1 when out of memory. Bytes beyond TF_LIMIT_STRING_BYTES are cut off. */
int tf_strtab_add(struct tf_strtab *t, struct tf_bytes bytes, uint32_t *id, struct tf_error *err);

/* The id of the bytes if they are there, else UINT32_MAX. */
uint32_t tf_strtab_find(const struct tf_strtab *t, struct tf_bytes bytes);

/* The bytes of an id, NUL-terminated. Borrowed until release. */
static inline struct tf_bytes tf_strtab_bytes(const struct tf_strtab *t, uint32_t id)
{
	return t->strings[id];
}

/* The same as a C string (raw: it may not be UTF-8 and may hold a NUL). */
static inline const char *tf_strtab_text(const struct tf_strtab *t, uint32_t id)
{
	return (const char *)t->strings[id].data;
}

/* Gives everything back. Idempotent. */
void tf_strtab_release(struct tf_strtab *t);

#endif
