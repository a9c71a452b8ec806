/* A fast, unkeyed 64-bit hash for tables in memory, and map from 64-bit keys. Not for digests. */
#ifndef TF_BASE_HASH_H
#define TF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

/* Spreads the bits of a 64-bit value (the finisher of MurmurHash3). */
static inline uint64_t tf_hash_u64(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	x ^= x >> 33;
	return x;
}

/* A 64-bit hash of len bytes. */
uint64_t tf_hash_bytes(const void *data, size_t len);

/* From 64-bit keys to 64-bit values. Zeroed is a valid, empty map. */
struct tf_map {
	uint64_t *keys, *values;
	uint8_t *full;
	size_t count, slot_count;
};

/* A pointer to the value of the key, or NULL. Borrowed until the next put or remove. */
uint64_t *tf_map_find(const struct tf_map *m, uint64_t key);

/* Sets the value of the key. 0, or -1 when out of memory. */
int tf_map_put(struct tf_map *m, uint64_t key, uint64_t value, struct tf_error *err);

/* Removes the key if it is there. */
void tf_map_remove(struct tf_map *m, uint64_t key);

/* Gives everything back. Idempotent. */
void tf_map_release(struct tf_map *m);

#endif
