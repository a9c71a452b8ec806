/* Whether a change of a figure of steps is more than chance: the steps of both sides, each against each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/gate.h"
#include "lib/analyze/significance.h"
#include "lib/analyze/step_samples.h"

/* One side's steps, as they came and sorted. */
struct sample {
	double *values, *sorted;
	size_t count;
};

static void release(struct sample *x)
{
	free(x->values);
	free(x->sorted);
}

static int take_sample(const struct tf_session *s, const char *metric, int64_t steady, struct sample *x, struct tf_error *err)
{
	if (tf_step_samples(s, metric, steady, &x->values, &x->count, err) < 0)
		return -1;
	if (x->count == 0)
		return 0;
	if (!(x->sorted = malloc(x->count * sizeof *x->sorted)))
		return tf_fail_nomem(err);
	memcpy(x->sorted, x->values, x->count * sizeof *x->sorted);
	tf_stats_sort(x->sorted, x->count);
	return 0;
}

/*
 * Steps that depend on each other tell less than as many independent ones: the larger p counts, and the wider interval. In
 * blocks of one step a resample would tell nothing that the ranks do not.
 */
static int allow_for_dependence(const struct tf_gate *g, const struct sample *x, const struct sample *y, double margin,
				struct tf_check *c, struct tf_error *err)
{
	const struct tf_block_series a = {x->values, x->count, tf_block_length(x->values, x->count)};
	const struct tf_block_series b = {y->values, y->count, tf_block_length(y->values, y->count)};
	struct tf_shift shift;
	double p, least;

	if (a.block == 1 && b.block == 1)
		return 0;
	if (tf_block_bootstrap(&a, &b, margin, g->alpha, &p, &least, &shift, err) < 0)
		return -1;
	c->p_value = fmax(c->p_value, p);
	c->p_least = fmax(c->p_least, least);
	if (!isnan(c->ci_low)) {
		c->ci_low = fmin(c->ci_low, shift.low);
		c->ci_high = fmax(c->ci_high, shift.high);
	}
	return 0;
}

/* Fills in p, shift and interval of a check whose two sides have samples. */
static int test_samples(const struct tf_gate *g, struct sample *x, const struct sample *y, struct tf_check *c,
			struct tf_error *err)
{
	double margin = g->min_effect * fabs(c->baseline);
	struct tf_shift shift;

	if (tf_hodges_lehmann(x->sorted, x->count, y->sorted, y->count, g->alpha, &shift, err) < 0)
		return -1;
	c->shift = shift.shift;
	c->ci_low = shift.low;
	c->ci_high = shift.high;
	for (size_t i = 0; i < x->count; i++)
		x->sorted[i] -= margin;
	if (tf_mann_whitney(x->sorted, x->count, y->sorted, y->count, &c->p_value, err) < 0
	    || tf_mann_whitney_least(x->count, y->count, &c->p_least, err) < 0)
		return -1;
	return allow_for_dependence(g, x, y, margin, c, err);
}

int tf_gate_test(const struct tf_gate *g, const struct tf_session *s, const struct tf_session *baseline, struct tf_check *c,
		 struct tf_error *err)
{
	struct sample x = {0}, y = {0};
	int rc = -1;

	if (take_sample(s, c->rule.metric, c->n, &x, err) == 0
	    && take_sample(baseline, c->rule.metric, c->n_baseline, &y, err) == 0)
		rc = x.count && y.count ? test_samples(g, &x, &y, c, err) : 0;
	release(&x);
	release(&y);
	return rc;
}

/* The p of check k after the correction if its test had come out as clear as so few steps allow, the others as they are. */
static double best_adjusted(const struct tf_check *c, double *p, double *scratch, size_t n, size_t k)
{
	p[k] = c->p_least;
	tf_holm(p, n, scratch);
	p[k] = c->p_value;
	return scratch[k];
}

int tf_gate_weigh(const struct tf_gate *g, struct tf_verdict *v, struct tf_error *err)
{
	size_t n = 0, k = 0;
	double *p = malloc((3 * v->check_count + 1) * sizeof *p);

	if (!p)
		return tf_fail_nomem(err);
	double *adjusted = p + v->check_count, *scratch = adjusted + v->check_count;
	for (size_t i = 0; i < v->check_count; i++)
		if (!isnan(v->checks[i].p_value))
			p[n++] = v->checks[i].p_value;
	tf_holm(p, n, adjusted);
	for (size_t i = 0; i < v->check_count; i++) {
		struct tf_check *c = &v->checks[i];
		if (isnan(c->p_value))
			continue;
		c->p_adjusted = adjusted[k];
		if (c->verdict == TF_FAIL && c->p_adjusted > g->alpha) {
			/* Past its allowances, but maybe by chance: neither a pass nor a failure. */
			c->verdict = TF_INCONCLUSIVE;
			c->reason = best_adjusted(c, p, scratch, n, k) > g->alpha ? "too_few_samples" : "not_significant";
		}
		k++;
	}
	free(p);
	return 0;
}
