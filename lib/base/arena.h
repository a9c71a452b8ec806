/* Memory that dies together: allocate piece by piece, release at once. It may have a byte limit. */
#ifndef TF_BASE_ARENA_H
#define TF_BASE_ARENA_H

#include <stddef.h>

struct tf_arena_chunk;

/* Zeroed is a valid, empty arena without a limit. */
struct tf_arena {
	struct tf_arena_chunk *head;
	size_t used_bytes;  /* sum of the pieces handed out since the last reset */
	size_t limit_bytes; /* 0: none */
};

/* A zeroed piece of `size` bytes, aligned for any type; NULL when out of memory or over the limit. Arena. */
void *tf_arena_alloc(struct tf_arena *a, size_t size);

/* As tf_arena_alloc for count × size; NULL too when the product overflows. */
void *tf_arena_array(struct tf_arena *a, size_t count, size_t size);

/* A NUL-terminated copy of len bytes; NULL when out of memory. Arena. */
char *tf_arena_strndup(struct tf_arena *a, const char *text, size_t len);
char *tf_arena_strdup(struct tf_arena *a, const char *text);

/* printf into the arena; NULL when out of memory. Arena. */
char *tf_arena_printf(struct tf_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Room for one more element in a growing array of the arena: `*items` has *count elements of `size` bytes
 * and room for *cap. Returns the zeroed new element, *count one higher, or NULL when out of memory.
 */
void *tf_arena_push(struct tf_arena *a, void **items, size_t *count, size_t *cap, size_t size);

/* Forgets all pieces but keeps one chunk for reuse. */
void tf_arena_reset(struct tf_arena *a);

/* Gives everything back. Idempotent; accepts a zeroed arena. */
void tf_arena_release(struct tf_arena *a);

#endif
