/* The sorted differences of two samples, searched by value. */
#include "lib/analyze/rank_pairs.h"

#include <math.h>

/* Where a limit cuts the differences. */
struct cut {
	size_t upto;	     /* how many are the limit at most */
	double below, above; /* the largest of those, the least of the others; infinite: there is none */
};

static struct cut cut_at(const double *x, size_t n, const double *y, size_t m, double limit)
{
	struct cut c = {0, -INFINITY, INFINITY};
	size_t from = 0; /* x[i] − y[from] and with later y are within the limit */

	for (size_t i = 0; i < n; i++) {
		while (from < m && x[i] - y[from] > limit)
			from++;
		c.upto += m - from;
		if (from > 0 && x[i] - y[from - 1] < c.above)
			c.above = x[i] - y[from - 1];
		if (from < m && x[i] - y[from] > c.below)
			c.below = x[i] - y[from];
	}
	return c;
}

/* The range is halved between two differences, so that few steps suffice, and each end is one. */
double tf_pairs_select(const double *x, size_t n, const double *y, size_t m, size_t k)
{
	double low = x[0] - y[m - 1], high = x[n - 1] - y[0];

	while (low < high) {
		double middle = low + (high - low) / 2;
		struct cut c = cut_at(x, n, y, m, middle < high ? middle : low);
		if (c.upto >= k)
			high = c.below;
		else
			low = c.above;
	}
	return low;
}

double tf_pairs_median(const double *x, size_t n, const double *y, size_t m)
{
	size_t pairs = n * m;
	double lower = tf_pairs_select(x, n, y, m, (pairs + 1) / 2);

	if (pairs % 2)
		return lower;
	struct cut c = cut_at(x, n, y, m, lower);
	return c.upto > pairs / 2 ? lower : lower + (c.above - lower) / 2;
}
