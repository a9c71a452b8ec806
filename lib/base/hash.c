/* Hash of bytes, and an open-addressed map from 64-bit keys to 64-bit values. */
#include "lib/base/hash.h"

#include <stdlib.h>
#include <string.h>

uint64_t tf_hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ len;
	uint64_t word;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	word = 0;
	if (len)
		memcpy(&word, p, len);
	return tf_hash_u64(h ^ word);
}

static size_t find_slot(const struct tf_map *m, uint64_t key)
{
	size_t mask = m->slot_count - 1;
	size_t i = tf_hash_u64(key) & mask;

	while (m->full[i] && m->keys[i] != key)
		i = (i + 1) & mask;
	return i;
}

uint64_t *tf_map_find(const struct tf_map *m, uint64_t key)
{
	if (m->slot_count == 0)
		return NULL;
	size_t i = find_slot(m, key);
	return m->full[i] ? &m->values[i] : NULL;
}

static int grow(struct tf_map *m, struct tf_error *err)
{
	size_t wider = m->slot_count ? m->slot_count * 2 : 64;
	struct tf_map to = {.slot_count = wider};

	to.keys = malloc(wider * sizeof *to.keys);
	to.values = malloc(wider * sizeof *to.values);
	to.full = calloc(wider, 1);
	if (!to.keys || !to.values || !to.full) {
		tf_map_release(&to);
		return tf_fail_nomem(err);
	}
	for (size_t i = 0; i < m->slot_count; i++) {
		if (!m->full[i])
			continue;
		size_t j = find_slot(&to, m->keys[i]);
		to.full[j] = 1;
		to.keys[j] = m->keys[i];
		to.values[j] = m->values[i];
	}
	to.count = m->count;
	tf_map_release(m);
	*m = to;
	return 0;
}

int tf_map_put(struct tf_map *m, uint64_t key, uint64_t value, struct tf_error *err)
{
	if (m->count * 2 >= m->slot_count && grow(m, err) < 0)
		return -1;
	size_t i = find_slot(m, key);
	if (!m->full[i]) {
		m->full[i] = 1;
		m->keys[i] = key;
		m->count++;
	}
	m->values[i] = value;
	return 0;
}

void tf_map_remove(struct tf_map *m, uint64_t key)
{
	if (m->slot_count == 0)
		return;
	size_t mask = m->slot_count - 1;
	size_t i = find_slot(m, key);
	if (!m->full[i])
		return;
	m->count--;
	/* Close the hole: move back each follower whose home is not behind the hole. */
	for (size_t j = (i + 1) & mask; m->full[j]; j = (j + 1) & mask) {
		size_t home = tf_hash_u64(m->keys[j]) & mask;
		if (((j - home) & mask) >= ((j - i) & mask)) {
			m->keys[i] = m->keys[j];
			m->values[i] = m->values[j];
			i = j;
		}
	}
	m->full[i] = 0;
}

void tf_map_release(struct tf_map *m)
{
	free(m->keys);
	free(m->values);
	free(m->full);
	*m = (struct tf_map){0};
}
