/* Sample statistics. */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/analyze.h"

double tf_stats_mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : NAN;
}

double tf_stats_stddev(const double *x, size_t n)
{
	double mean = tf_stats_mean(x, n), sum = 0;

	if (n < 2)
		return n ? 0 : NAN;
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

void tf_stats_sort(double *x, size_t n)
{
	if (n)
		qsort(x, n, sizeof *x, by_value);
}

double tf_stats_percentile(double *x, size_t n, double p)
{
	if (n == 0)
		return NAN;
	tf_stats_sort(x, n);
	double at = p * (double)(n - 1);
	size_t low = (size_t)at;
	if (low + 1 >= n)
		return x[n - 1];
	return x[low] + (at - (double)low) * (x[low + 1] - x[low]);
}
