/* Shifts of series whose steps depend on each other. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/rank_pairs.h"
#include "lib/analyze/significance.h"
#include "lib/base/random.h"

/* Resamples: as many as cost about so much, within these bounds. */
#define RESAMPLED_VALUES 1000000
#define LEAST_RESAMPLES 499
#define MOST_RESAMPLES 1999
/* Lags in a row without correlation that end the dependence. */
#define QUIET_LAGS 5
/* Any number does; it makes the answer the same each time. */
#define SEED UINT64_C(0x7466707266)

/* Autocovariance at a lag, by the n of the series. */
static double autocovariance(const double *series, size_t n, double mean, size_t lag)
{
	double sum = 0;

	for (size_t i = lag; i < n; i++)
		sum += (series[i] - mean) * (series[i - lag] - mean);
	return sum / (double)n;
}

/* The last lag whose correlation stands out, before QUIET_LAGS in a row that do not. */
static size_t last_dependent_lag(const double *series, size_t n, double mean, size_t most)
{
	double variance = autocovariance(series, n, mean, 0);
	double threshold = 2 * sqrt(log10((double)n) / (double)n) * variance;
	size_t last = 0;

	for (size_t lag = 1; lag < n && lag <= most && lag <= last + QUIET_LAGS; lag++)
		if (fabs(autocovariance(series, n, mean, lag)) > threshold)
			last = lag;
	return last;
}

/* The best length for a variance by the dependence up to lag `last`: cbrt(2 G² / (4/3 g²) n), through the flat-top window. */
static double best_length(const double *series, size_t n, double mean, size_t last, size_t most)
{
	size_t width = 2 * last < most ? 2 * last : most;
	double spectrum = 0, slope = 0;

	for (size_t lag = 0; lag <= width && lag < n; lag++) {
		double weight = fmin(1, 2 * (1 - (double)lag / (double)width));
		double covariance = weight * (lag ? 2 : 1) * autocovariance(series, n, mean, lag);
		spectrum += covariance;
		slope += (double)lag * covariance;
	}
	return cbrt(1.5 * slope * slope / (spectrum * spectrum) * (double)n);
}

size_t tf_block_length(const double *series, size_t n)
{
	double mean = tf_stats_mean(series, n), root = cbrt((double)n), length = root;
	size_t most = (size_t)ceil(sqrt((double)n)) + QUIET_LAGS, last = last_dependent_lag(series, n, mean, most);
	double longest = fmin(3 * sqrt((double)n), (double)n / 3);

	if (last)
		length = fmax(root, best_length(series, n, mean, last, most));
	return (size_t)ceil(length < longest ? length : longest);
}

/* Blocks drawn until the series is as long again, sorted. */
static void resample(const struct tf_block_series *s, uint64_t *state, double *to)
{
	for (size_t filled = 0; filled < s->count;) {
		size_t start = tf_random_below(state, s->count - s->block + 1);
		for (size_t i = 0; i < s->block && filled < s->count; i++)
			to[filled++] = s->values[start + i];
	}
	tf_stats_sort(to, s->count);
}

static size_t resamples_for(size_t values)
{
	size_t count = RESAMPLED_VALUES / values;

	return count < LEAST_RESAMPLES ? LEAST_RESAMPLES : count > MOST_RESAMPLES ? MOST_RESAMPLES : count;
}

/*
 * What resamples fall short of in scatter: blocks of b out of n values give (n − b) / n of the variance, as a sample of n gives
 * (n − 1) / n. Of two sides alike their sum says the same.
 */
static double scatter_lost(const struct tf_block_series *x, const struct tf_block_series *y)
{
	double all = (double)(x->count + y->count), blocks = (double)(x->block + y->block);

	return all > blocks ? sqrt(all / (all - blocks)) : 1;
}

/* The data's own shift, then those of its resamples, made up for the scatter that they lose. */
static double draw_shifts(const struct tf_block_series *x, const struct tf_block_series *y, double *a, double *b,
			  double *shifts, size_t count)
{
	double wider = scatter_lost(x, y);
	uint64_t state = SEED;

	memcpy(a, x->values, x->count * sizeof *a);
	memcpy(b, y->values, y->count * sizeof *b);
	tf_stats_sort(a, x->count);
	tf_stats_sort(b, y->count);
	double own = tf_pairs_median(a, x->count, b, y->count);
	for (size_t i = 0; i < count; i++) {
		resample(x, &state, a);
		resample(y, &state, b);
		shifts[i] = own + wider * (tf_pairs_median(a, x->count, b, y->count) - own);
	}
	return own;
}

int tf_block_bootstrap(const struct tf_block_series *x, const struct tf_block_series *y, double margin, double alpha, double *p,
		       double *least, struct tf_shift *out, struct tf_error *err)
{
	size_t count = resamples_for(x->count + y->count), short_of = 0, as_far = 0;
	double *a = malloc((x->count + y->count + count) * sizeof *a);

	if (!a)
		return tf_fail_nomem(err);
	double *b = a + x->count, *shifts = b + y->count;
	out->shift = draw_shifts(x, y, a, b, shifts, count);
	for (size_t i = 0; i < count; i++) {
		short_of += shifts[i] <= margin;
		as_far += shifts[i] - out->shift >= out->shift - margin;
	}
	*least = 1 / ((double)count + 1);
	*p = ((double)(short_of > as_far ? short_of : as_far) + 1) / ((double)count + 1);
	out->low = tf_stats_percentile(shifts, count, alpha / 2);
	out->high = tf_stats_percentile(shifts, count, 1 - alpha / 2);
	free(a);
	return 0;
}
