/*
 * Where a series changes: E-divisive (Matteson and James 2014), chosen over PELT because it supposes nothing about the distribution
 * (medians of step times are neither normal nor of known variance), needs no penalty to be tuned, and gives each change a p.
 */
#ifndef TF_ANALYZE_CHANGE_POINTS_H
#define TF_ANALYZE_CHANGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"

struct tf_change_point {
	size_t at; /* the first value after the change */
	double q;  /* n m / (n + m) times the energy distance of the values before and after, within the segment that it splits */
	double p;  /* the share of permutations that split as well */
};

struct tf_change_options {
	size_t min_size; /* values a segment has at least, from 2 */
	double alpha;	 /* a change has at most this p */
};

enum { TF_CHANGE_PERMUTATIONS = 999 };

/*
 * The changes of a series of finite values that are supposed to be independent, in its order; the caller frees *list. The best split
 * of any segment is taken, again and again, until one is not significant against permutations within the segments. The seed is fixed.
 * O(n log n) for each permutation. 0, or -1 when out of memory.
 */
int tf_change_points(const double *x, size_t n, const struct tf_change_options *o, struct tf_change_point **list, size_t *count,
		     struct tf_error *err);

#endif
