/* Jumps are level shifts that stand out of the changes around them; trend and slope are rank statistics, which no outlier bends. */
#include "lib/analyze/scalar_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"

enum {
	LEVEL_POINTS = 5,   /* a level is the median of so many points */
	SIDE_POINTS = 3,    /* a jump has at least so many on each side */
	NOISE_POINTS = 20,  /* the changes on each side that a jump must stand out of */
	BLOCKS = 200,	    /* a longer series is reduced to so many medians: slopes of all pairs are quadratic */
	TREND_POINTS = 10,  /* a trend is told of at least so many */
};

static const double jump_over_noise = 8 * 1.4826; /* 8 standard deviations of normal noise, by its median */
static const double least_shift = 0.05;		  /* of the level */
static const double trend_p = 0.01;

static double median_of(const double *x, size_t n)
{
	double copy[2 * NOISE_POINTS];

	memcpy(copy, x, n * sizeof *x);
	return tf_stats_percentile(copy, n, 0.5);
}

/* The median change between neighbours around the one that leads to x[i], that one left out. */
static double noise_around(const double *x, size_t n, size_t i)
{
	double changes[2 * NOISE_POINTS];
	size_t count = 0, from = i > NOISE_POINTS ? i - NOISE_POINTS : 1;

	for (size_t k = from; k < n && k <= i + NOISE_POINTS; k++)
		if (k != i)
			changes[count++] = fabs(x[k] - x[k - 1]);
	return tf_stats_percentile(changes, count, 0.5);
}

static bool is_jump(const double *x, size_t n, size_t i, struct tf_scalar_jump *jump)
{
	double change = x[i] - x[i - 1];
	size_t left = i < LEVEL_POINTS ? i : LEVEL_POINTS, right = n - i < LEVEL_POINTS ? n - i : LEVEL_POINTS;

	if (fabs(change) < 0.5 * least_shift * fmax(fabs(x[i]), fabs(x[i - 1])) || change == 0)
		return false;
	jump->before = median_of(x + i - left, left);
	jump->after = median_of(x + i, right);
	double shift = jump->after - jump->before;
	return shift * change > 0 && fabs(shift) >= 0.5 * fabs(change)
	       && fabs(shift) >= least_shift * fmax(fabs(jump->before), fabs(jump->after))
	       && fabs(change) > jump_over_noise * noise_around(x, n, i);
}

/* Of changes that lie as near as the levels reach, the largest is the jump. Returns the index of the last one's point. */
static size_t find_jumps(const struct tf_scalar_point *points, const double *x, size_t n, struct tf_scalar_summary *out)
{
	struct tf_scalar_jump jump;
	size_t last = 0;
	double last_change = 0;

	for (size_t i = SIDE_POINTS; i + SIDE_POINTS <= n; i++) {
		if (!is_jump(x, n, i, &jump))
			continue;
		double change = fabs(x[i] - x[i - 1]);
		bool same = last && i - last < LEVEL_POINTS;
		if (same && change <= last_change)
			continue;
		out->jump_count += !same;
		last = i;
		last_change = change;
		jump.step = points[i].step;
		if (out->jump_count <= TF_SCALAR_LISTED)
			out->jumps[out->jump_count - 1] = jump;
	}
	return last;
}

/* Reduces a long series to medians of blocks of equal length. Returns how many there are. */
static size_t reduce(const struct tf_scalar_point *points, const double *x, size_t n, double *step, double *value, double *scratch)
{
	size_t blocks = n < BLOCKS ? n : BLOCKS;

	for (size_t b = 0; b < blocks; b++) {
		size_t from = b * n / blocks, to = (b + 1) * n / blocks;
		step[b] = 0;
		for (size_t i = from; i < to; i++)
			step[b] += (double)points[i].step / (double)(to - from);
		memcpy(scratch, x + from, (to - from) * sizeof *x);
		value[b] = tf_stats_percentile(scratch, to - from, 0.5);
	}
	return blocks;
}

/* Mann–Kendall, two-sided, with the correction for ties. */
static enum tf_trend trend_of(const double *value, size_t n, double *sorted)
{
	double s = 0, variance = (double)n * (double)(n - 1) * (double)(2 * n + 5);

	if (n < TREND_POINTS)
		return TF_TREND_NONE;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			s += (value[k] > value[i]) - (value[k] < value[i]);
	memcpy(sorted, value, n * sizeof *value);
	tf_stats_percentile(sorted, n, 0.5); /* sorts */
	for (size_t i = 0, ties; i < n; i += ties) {
		for (ties = 1; i + ties < n && sorted[i + ties] == sorted[i];)
			ties++;
		variance -= (double)ties * (double)(ties - 1) * (double)(2 * ties + 5);
	}
	double z = variance > 0 ? (fabs(s) - 1) / sqrt(variance / 18) : 0;
	if (s == 0 || erfc(z / sqrt(2)) >= trend_p)
		return TF_TREND_NONE;
	return s > 0 ? TF_TREND_UP : TF_TREND_DOWN;
}

/* Theil–Sen: the median of the slopes of all pairs. */
static double slope_of(const double *step, const double *value, size_t n, double *slopes)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (step[k] > step[i])
				slopes[count++] = (value[k] - value[i]) / (step[k] - step[i]);
	return tf_stats_percentile(slopes, count, 0.5);
}

/* Gaps and pace, by the medians of the distances between neighbours. */
static void find_gaps(const struct tf_scalar_point *p, size_t n, double *scratch, struct tf_scalar_summary *out)
{
	size_t steps = 0, times = 0, rates = 0;

	for (size_t i = 1; i < n; i++)
		if (p[i].step > p[i - 1].step)
			scratch[steps++] = (double)p[i].step - (double)p[i - 1].step;
	double usual_steps = tf_stats_percentile(scratch, steps, 0.5);
	for (size_t i = 1; i < n; i++)
		if (p[i].wall_time > p[i - 1].wall_time)
			scratch[times++] = p[i].wall_time - p[i - 1].wall_time;
	double usual_s = tf_stats_percentile(scratch, times, 0.5);
	for (size_t i = 1; i < n; i++)
		if (p[i].step > p[i - 1].step && p[i].wall_time > p[i - 1].wall_time)
			scratch[rates++] = ((double)p[i].step - (double)p[i - 1].step) / (p[i].wall_time - p[i - 1].wall_time);
	out->steps_per_s = tf_stats_percentile(scratch, rates, 0.5);
	for (size_t i = 1; i < n; i++) {
		double apart = (double)p[i].step - (double)p[i - 1].step, seconds = p[i].wall_time - p[i - 1].wall_time;
		if (!(apart >= 3 * usual_steps) && !(seconds >= 10 * usual_s && seconds >= 1))
			continue;
		if (out->gap_count < TF_SCALAR_LISTED)
			out->gaps[out->gap_count] = (struct tf_scalar_gap){p[i - 1].step, p[i].step, seconds};
		out->gap_count++;
	}
}

static void find_range(const struct tf_scalar_point *points, size_t n, struct tf_scalar_summary *out)
{
	double sum = 0;

	*out = (struct tf_scalar_summary){.count = n, .first_step = TF_NONE, .last_step = TF_NONE, .slope_from = TF_NONE, .first = NAN,
					  .last = NAN, .min = NAN, .max = NAN, .mean = NAN, .slope_per_step = NAN, .steps_per_s = NAN};
	if (n == 0)
		return;
	out->first_step = points[0].step;
	out->last_step = points[n - 1].step;
	out->first = points[0].value;
	out->last = points[n - 1].value;
	for (size_t i = 0; i < n; i++) {
		double value = points[i].value;
		if (!isfinite(value)) {
			out->nonfinite++;
			continue;
		}
		out->min = value < out->min || isnan(out->min) ? value : out->min;
		out->max = value > out->max || isnan(out->max) ? value : out->max;
		sum += value / (double)n; /* a sum of large values could overflow */
	}
	if (out->nonfinite < n)
		out->mean = sum * ((double)n / (double)(n - out->nonfinite));
}

/* What is left of a series without values that are not finite. */
static size_t keep_finite(const struct tf_series *s, struct tf_scalar_point *finite, double *x)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		if (isfinite(s->points[i].value)) {
			finite[count] = s->points[i];
			x[count++] = s->points[i].value;
		}
	return count;
}

int tf_summarise_scalars(const struct tf_series *series, struct tf_scalar_summary *out, struct tf_error *err)
{
	size_t n = series->count;
	struct tf_scalar_point *finite = calloc(n + 1, sizeof *finite);
	double *x = calloc(n + 1, sizeof *x), *spare = calloc(n + BLOCKS, sizeof *spare);
	double *slopes = calloc(BLOCKS * BLOCKS / 2, sizeof *slopes), step[BLOCKS], value[BLOCKS];
	int rc = finite && x && spare && slopes ? 0 : tf_fail_nomem(err);

	if (rc < 0)
		goto out;
	find_range(series->points, n, out);
	find_gaps(series->points, n, spare, out);
	size_t count = keep_finite(series, finite, x);
	if (count < 2)
		goto out;
	size_t from = find_jumps(finite, x, count, out);
	size_t blocks = reduce(finite + from, x + from, count - from, step, value, spare);
	out->slope_from = finite[from].step;
	out->slope_per_step = slope_of(step, value, blocks, slopes);
	out->trend = trend_of(value, blocks, spare);
out:
	free(finite);
	free(x);
	free(spare);
	free(slopes);
	return rc;
}
