/* Arena: a list of chunks, each twice the size of the one before, up to a bound. */
#include "lib/base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tf_arena_chunk {
	struct tf_arena_chunk *next;
	size_t size, used;
	alignas(max_align_t) unsigned char data[];
};

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

static size_t align_up(size_t n)
{
	size_t a = alignof(max_align_t);
	return (n + a - 1) & ~(a - 1);
}

static struct tf_arena_chunk *add_chunk(struct tf_arena *a, size_t need)
{
	size_t size = a->head ? a->head->size * 2 : FIRST_CHUNK;

	if (size > LARGEST_CHUNK)
		size = LARGEST_CHUNK;
	if (size < need)
		size = need;
	if (size > SIZE_MAX - sizeof(struct tf_arena_chunk))
		return NULL;
	struct tf_arena_chunk *c = malloc(sizeof *c + size);
	if (!c)
		return NULL;
	c->size = size;
	c->used = 0;
	c->next = a->head;
	a->head = c;
	return c;
}

void *tf_arena_alloc(struct tf_arena *a, size_t size)
{
	if (size > SIZE_MAX / 2)
		return NULL;
	size_t need = align_up(size ? size : 1);
	if (a->limit_bytes && (need > a->limit_bytes || a->used_bytes > a->limit_bytes - need))
		return NULL;
	struct tf_arena_chunk *c = a->head;
	if (!c || c->size - c->used < need) {
		c = add_chunk(a, need);
		if (!c)
			return NULL;
	}
	void *p = c->data + c->used;
	c->used += need;
	a->used_bytes += need;
	return memset(p, 0, need);
}

void *tf_arena_array(struct tf_arena *a, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return NULL;
	return tf_arena_alloc(a, count * size);
}

char *tf_arena_strndup(struct tf_arena *a, const char *text, size_t len)
{
	if (len == SIZE_MAX)
		return NULL;
	char *copy = tf_arena_alloc(a, len + 1);
	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

char *tf_arena_strdup(struct tf_arena *a, const char *text)
{
	return tf_arena_strndup(a, text, strlen(text));
}

char *tf_arena_printf(struct tf_arena *a, const char *fmt, ...)
{
	va_list ap, again;

	va_start(ap, fmt);
	va_copy(again, ap);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *text = len < 0 ? NULL : tf_arena_alloc(a, (size_t)len + 1);
	if (text)
		vsnprintf(text, (size_t)len + 1, fmt, again);
	va_end(again);
	return text;
}

void *tf_arena_push(struct tf_arena *a, void **items, size_t *count, size_t *cap, size_t size)
{
	assert(*count <= *cap);
	if (*count == *cap) {
		size_t wider = *cap ? *cap * 2 : 8;
		void *grown = tf_arena_array(a, wider, size);
		if (!grown)
			return NULL;
		if (*count)
			memcpy(grown, *items, *count * size);
		*items = grown;
		*cap = wider;
	}
	return (unsigned char *)*items + (*count)++ * size;
}

void tf_arena_reset(struct tf_arena *a)
{
	if (a->head) {
		struct tf_arena_chunk *c = a->head->next;
		while (c) {
			struct tf_arena_chunk *next = c->next;
			free(c);
			c = next;
		}
		a->head->next = NULL;
		a->head->used = 0;
	}
	a->used_bytes = 0;
}

void tf_arena_release(struct tf_arena *a)
{
	tf_arena_reset(a);
	free(a->head);
	a->head = NULL;
}
