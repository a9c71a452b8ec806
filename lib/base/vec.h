/* Growing heap arrays: the one place that computes their sizes. */
#ifndef TF_BASE_VEC_H
#define TF_BASE_VEC_H

#include <stddef.h>

/*
 * Makes room for `need` elements of `size` bytes: *items is a heap pointer (or NULL) with room for *cap.
 * Grows by half at least. Returns 0, or -1 when out of memory; the array is then as before. Owned: free().
 */
int tf_vec_reserve(void **items, size_t *cap, size_t need, size_t size);

#endif
