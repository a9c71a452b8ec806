/* Several runs a side: each run is one observation of a figure, since the steps of one run share what sets it apart from others. */
#include <math.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/gate.h"
#include "lib/analyze/significance.h"

static double sum_of_squares(const double *x, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum;
}

void tf_gate_test_runs(const struct tf_gate *g, const double *now, size_t n, const double *before, size_t m, struct tf_check *c)
{
	double a = tf_stats_mean(now, n), b = tf_stats_mean(before, m), margin = g->min_effect * fabs(c->baseline);
	double worse = (c->rule.worse == TF_WORSE_DOWN ? b - a : a - b) - margin;
	int64_t df = (int64_t)(n + m) - 2;
	double variance = (sum_of_squares(now, n, a) + sum_of_squares(before, m, b)) / (double)df;
	double error = sqrt(variance * (1 / (double)n + 1 / (double)m));

	/* Runs that all agree, as bytes do, leave no room for chance. */
	if (error > 0)
		c->p_value = tf_student_t_upper(worse / error, df);
	else
		c->p_value = worse > 0 ? 0 : 1;
	double reach = error > 0 ? error * tf_student_t_quantile(g->alpha / 2, df) : 0;
	c->of_runs = true;
	c->p_least = 0;
	c->shift = a - b;
	c->ci_low = a - b - reach;
	c->ci_high = a - b + reach;
}
