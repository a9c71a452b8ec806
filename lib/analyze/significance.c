/* Rank tests and shifts of two samples; Holm's correction. */
#include "lib/analyze/significance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/analyze/rank_pairs.h"

/* Up to so many samples on a side the distribution of U is counted rather than approximated, as SciPy does. */
#define EXACT_SAMPLES 8

/* The share of a normal distribution above z. */
static double normal_above(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

/* The z that leaves this share above it. */
static double normal_quantile(double above)
{
	double low = -40, high = 40;

	for (int i = 0; i < 200; i++) {
		double middle = (low + high) / 2;
		*(normal_above(middle) > above ? &low : &high) = middle;
	}
	return low;
}

static double all_pairs(size_t n, size_t m)
{
	return (double)n * (double)m;
}

/*
 * The number of ways to each U of n and m samples, as shares of all: the coefficients of the product over i = 1…n of
 * (1 − q^(m + i)) / (1 − q^i), n the smaller side. n · m + 1 shares, freed by the caller; NULL when out of memory.
 */
static double *distribution(size_t n, size_t m)
{
	size_t count = n * m + 1;
	double *share = calloc(count, sizeof *share), total = 1;

	if (!share)
		return NULL;
	share[0] = 1;
	for (size_t i = 1; i <= n; i++) {
		total *= (double)(m + i) / (double)i;
		for (size_t u = count; u-- > m + i;)
			share[u] -= share[u - m - i];
		for (size_t u = i; u < count; u++)
			share[u] += share[u - i];
	}
	for (size_t u = 0; u < count; u++)
		share[u] /= total;
	return share;
}

/* The least and the largest of two counts, in this order. */
static void in_order(size_t *n, size_t *m)
{
	size_t larger = *n > *m ? *n : *m;

	*n = *n < *m ? *n : *m;
	*m = larger;
}

static bool is_exact(size_t n, size_t m)
{
	return n <= EXACT_SAMPLES || m <= EXACT_SAMPLES;
}

/* P(U ≥ u): summed from the nearer end, whose terms are exact. */
static int exact_above(size_t n, size_t m, size_t u, double *p, struct tf_error *err)
{
	size_t pairs = n * m, far = pairs - u; /* P(U ≥ u) = P(U ≤ far) */
	double sum = 0;

	in_order(&n, &m);
	double *share = distribution(n, m);
	if (!share)
		return tf_fail_nomem(err);
	bool from_below = far < pairs / 2;
	size_t end = from_below ? far + 1 : u;
	for (size_t i = 0; i < end; i++)
		sum += share[i];
	*p = from_below ? sum : 1 - sum;
	free(share);
	return 0;
}

/* Sum over the ties of both samples of t³ − t, t being how many values are equal. */
static double tie_term(const double *x, size_t n, const double *y, size_t m)
{
	double sum = 0;

	for (size_t i = 0, j = 0; i < n || j < m;) {
		double value = j == m || (i < n && x[i] < y[j]) ? x[i] : y[j], t = 0;
		for (; i < n && x[i] <= value; i++)
			t++;
		for (; j < m && y[j] <= value; j++)
			t++;
		sum += t * t * t - t;
	}
	return sum;
}

static double deviation_of_u(size_t n, size_t m, double ties)
{
	double all = (double)n + (double)m;

	return sqrt(all_pairs(n, m) / 12 * (all + 1 - ties / (all * (all - 1))));
}

/* Samples that are all equal deviate by 0: -0.5 / 0 is far below, and p is 1. */
static double approximate_above(size_t n, size_t m, double u, double ties)
{
	return normal_above((u - all_pairs(n, m) / 2 - 0.5) / deviation_of_u(n, m, ties));
}

int tf_mann_whitney(const double *x, size_t n, const double *y, size_t m, double *p, struct tf_error *err)
{
	double u = 0, ties = tie_term(x, n, y, m);

	/* U counts the pairs of which x is above, and half of those that are equal. */
	for (size_t i = 0, less = 0, upto = 0; i < n; i++) {
		while (less < m && y[less] < x[i])
			less++;
		while (upto < m && y[upto] <= x[i])
			upto++;
		u += ((double)less + (double)upto) / 2;
	}
	if (ties == 0 && is_exact(n, m))
		return exact_above(n, m, (size_t)u, p, err);
	*p = approximate_above(n, m, u, ties);
	return 0;
}

int tf_mann_whitney_least(size_t n, size_t m, double *p, struct tf_error *err)
{
	if (is_exact(n, m))
		return exact_above(n, m, n * m, p, err);
	*p = approximate_above(n, m, all_pairs(n, m), 0);
	return 0;
}

/* The largest C with P(U ≤ C − 1) ≤ tail; 0 if there is none. */
static int critical_count(size_t n, size_t m, double tail, size_t *count, struct tf_error *err)
{
	size_t c = 0;

	if (!is_exact(n, m)) {
		double at = all_pairs(n, m) / 2 - normal_quantile(tail) * deviation_of_u(n, m, 0);
		*count = at >= 1 ? (size_t)at : 0;
		return 0;
	}
	in_order(&n, &m);
	double *share = distribution(n, m), sum = 0;
	if (!share)
		return tf_fail_nomem(err);
	while (c <= n * m / 2 && (sum += share[c]) <= tail)
		c++;
	*count = c;
	free(share);
	return 0;
}

int tf_hodges_lehmann(const double *x, size_t n, const double *y, size_t m, double alpha, struct tf_shift *out,
		      struct tf_error *err)
{
	size_t c = 0;

	if (critical_count(n, m, alpha / 2, &c, err) < 0)
		return -1;
	out->shift = tf_pairs_median(x, n, y, m);
	out->low = c ? tf_pairs_select(x, n, y, m, c) : (double)NAN;
	out->high = c ? tf_pairs_select(x, n, y, m, n * m + 1 - c) : (double)NAN;
	return 0;
}

void tf_holm(const double *p, size_t n, double *out)
{
	for (size_t i = 0; i < n; i++) {
		size_t smaller = 0;
		for (size_t j = 0; j < n; j++)
			smaller += p[j] < p[i];
		out[i] = fmin(1, (double)(n - smaller) * p[i]);
	}
	/* None may pass before one that is smaller. */
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (p[j] < p[i] && out[j] > out[i])
				out[i] = out[j];
}
