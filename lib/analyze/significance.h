/*
 * Whether one sample lies above another beyond chance, and by how much. Pure functions of numbers; the bootstrap's seed is
 * fixed, so that the same numbers give the same answer. All of them return 0, or -1 when out of memory.
 */
#ifndef TF_ANALYZE_SIGNIFICANCE_H
#define TF_ANALYZE_SIGNIFICANCE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

/* How far one sample lies above another: the Hodges–Lehmann estimate and an interval. NaN ends: too few for the level. */
struct tf_shift {
	double shift, low, high;
};

/*
 * The one-sided Mann–Whitney test of "x lies above y" (Mann and Whitney 1947): exact where a side has 8 samples or fewer and no
 * two are equal, else the normal approximation with corrections for ties and continuity. Both arrays ascend, neither is empty.
 */
int tf_mann_whitney(const double *x, size_t n, const double *y, size_t m, double *p, struct tf_error *err);

/* The least p that samples of these sizes can give. */
int tf_mann_whitney_least(size_t n, size_t m, double *p, struct tf_error *err);

/*
 * The median of all differences x − y and the two-sided interval of level 1 − alpha that the same order statistics give (Moses;
 * Hollander and Wolfe, Nonparametric Statistical Methods, ch. 4): from the C-th to the C-th last difference, C the largest with
 * P(U ≤ C − 1) ≤ alpha / 2, by the exact distribution where a side has 8 samples or fewer, else the normal one. Arrays as above.
 */
int tf_hodges_lehmann(const double *x, size_t n, const double *y, size_t m, double alpha, struct tf_shift *out,
		      struct tf_error *err);

/*
 * Steps a block needs to keep the dependence of a series, which is in the order of time: by the rule of Politis and White (2004;
 * corrected with Patton 2009) for circular and moving blocks where autocorrelation stands out. Few steps hide what there is, so
 * that it is ∛n at least (the order that a variance asks for: Hall, Horowitz and Jing 1995); min(3 √n, n / 3) at most; rounded up.
 */
size_t tf_block_length(const double *series, size_t n);

/* Both series in the order of time, and the lengths of their blocks. */
struct tf_block_series {
	const double *values;
	size_t count, block;
};

/*
 * Moving-block bootstrap (Künsch 1989) of the Hodges–Lehmann shift: *p, the share of resamples, counting the data as one and widened
 * by the scatter that blocks lose, whose shift is `margin` at most, or whose shift lies as far above the data's as that above
 * `margin`; of these two, which are the same where resamples scatter evenly, the larger. In *out the data's shift with the percentile
 * interval of level 1 − alpha. *least is the least p that as many resamples can give.
 */
int tf_block_bootstrap(const struct tf_block_series *x, const struct tf_block_series *y, double margin, double alpha, double *p,
		       double *least, struct tf_shift *out, struct tf_error *err);

/* P(T > t) of Student's t with `df` degrees of freedom, at least 1; to 1e-15, so that a smaller one may be 0. student_t.c */
double tf_student_t_upper(double t, int64_t df);

/* The t above which T lies with probability p, which is over 0 and 0.5 at most. student_t.c */
double tf_student_t_quantile(double p, int64_t df);

/* Holm's step-down (1979): out[i] is p[i] adjusted for the family of n, at most 1. */
void tf_holm(const double *p, size_t n, double *out);

#endif
