/* Interned strings: an arena of bytes and an open-addressed table of ids. */
#include "lib/base/strtab.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/base/hash.h"
#include "lib/base/limits.h"
#include "lib/base/vec.h"

static size_t find_slot(const struct tf_strtab *t, struct tf_bytes bytes)
{
	size_t mask = t->slot_count - 1;
	size_t i = tf_hash_bytes(bytes.data, bytes.len) & mask;

	while (t->slots[i] && !tf_bytes_equal(t->strings[t->slots[i] - 1], bytes))
		i = (i + 1) & mask;
	return i;
}

static int grow_slots(struct tf_strtab *t)
{
	size_t wider = t->slot_count ? t->slot_count * 2 : 256;
	uint32_t *slots = calloc(wider, sizeof *slots);

	if (!slots)
		return -1;
	free(t->slots);
	t->slots = slots;
	t->slot_count = wider;
	for (size_t id = 0; id < t->count; id++)
		t->slots[find_slot(t, t->strings[id])] = (uint32_t)id + 1;
	return 0;
}

static int append(struct tf_strtab *t, struct tf_bytes bytes)
{
	if (t->count >= UINT32_MAX - 1
	    || tf_vec_reserve((void **)&t->strings, &t->cap, t->count + 1, sizeof *t->strings) < 0)
		return -1;
	char *copy = tf_arena_strndup(&t->arena, (const char *)bytes.data, bytes.len);
	if (!copy)
		return -1;
	t->strings[t->count++] = (struct tf_bytes){(uint8_t *)copy, bytes.len};
	return 0;
}

int tf_strtab_add(struct tf_strtab *t, struct tf_bytes bytes, uint32_t *id, struct tf_error *err)
{
	if (t->count == 0 && bytes.len != 0) {
		uint32_t zero;
		if (tf_strtab_add(t, (struct tf_bytes){(const uint8_t *)"", 0}, &zero, err) < 0)
			return -1;
		assert(zero == 0);
	}
	if (bytes.len > TF_LIMIT_STRING_BYTES)
		bytes.len = TF_LIMIT_STRING_BYTES;
	if (t->count * 2 >= t->slot_count && grow_slots(t) < 0)
		return tf_fail_nomem(err);
	size_t slot = find_slot(t, bytes);
	if (!t->slots[slot]) {
		if (append(t, bytes) < 0)
			return tf_fail_nomem(err);
		t->slots[slot] = (uint32_t)t->count;
	}
	*id = t->slots[slot] - 1;
	return 0;
}

uint32_t tf_strtab_find(const struct tf_strtab *t, struct tf_bytes bytes)
{
	if (t->slot_count == 0)
		return UINT32_MAX;
	size_t slot = find_slot(t, bytes);
	return t->slots[slot] ? t->slots[slot] - 1 : UINT32_MAX;
}

void tf_strtab_release(struct tf_strtab *t)
{
	tf_arena_release(&t->arena);
	free(t->strings);
	free(t->slots);
	*t = (struct tf_strtab){0};
}
