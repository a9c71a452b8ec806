/* What unchanged runs differ by, and so what a change may. */
#include "lib/analyze/calibrate.h"

#include <math.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/gate_side.h"
#include "lib/analyze/significance.h"

/* The least allowances, and what they are rounded up to: what is printed of a figure is no finer. */
#define LEAST_SHARE 0.001
#define LEAST_RATIO 0.001

/* Rounded up to two significant digits. */
static double round_up(double value)
{
	if (value <= 0)
		return 0;
	double unit = pow(10, floor(log10(value)) - 1);
	return ceil(value / unit - 1e-9) * unit;
}

/*
 * What two unchanged runs differ by at most, but for a chance of `q`: t of the difference of two, by the deviation that the repeats
 * show; and never less than they did differ by.
 */
static double allowed_difference(const double *sorted, size_t n, double deviation, double q)
{
	double reach = tf_student_t_quantile(q, (int64_t)n - 1) * sqrt(2) * deviation;

	return fmax(reach, sorted[n - 1] - sorted[0]);
}

static void settle(struct tf_allowance *a, double difference)
{
	a->is_relative = a->unit != TF_UNIT_RATIO && a->median != 0;
	if (a->is_relative)
		a->amount = fmax(LEAST_SHARE, ceil(1000 * difference / fabs(a->median) - 1e-9) / 1000);
	else if (a->unit == TF_UNIT_RATIO)
		a->amount = fmax(LEAST_RATIO, ceil(1000 * difference - 1e-9) / 1000);
	else
		a->amount = round_up(difference);
}

static int calibrate(const struct tf_gate *g, struct tf_runs runs, const struct tf_check *c, size_t family, struct tf_calibration *out,
		     struct tf_error *err)
{
	double *values = tf_arena_array(&out->arena, runs.count, sizeof *values);
	struct tf_allowance *a = tf_arena_push(&out->arena, (void **)&out->list, &out->count, &out->cap, sizeof *a);
	enum tf_worse own;

	if (!a || !values || !(a->metric = tf_arena_strdup(&out->arena, c->rule.metric)))
		return tf_fail_nomem(err);
	tf_metric_known(a->metric, &a->unit, &own);
	a->worse = own == TF_WORSE_NONE ? c->rule.worse : TF_WORSE_NONE;
	for (size_t i = 0; i < runs.count; i++) {
		const struct tf_side x = tf_side_of(g, &runs.list[i], a->metric);
		values[i] = tf_side_value(&x);
	}
	tf_stats_sort(values, runs.count);
	a->median = tf_stats_percentile(values, runs.count, 0.5);
	a->deviation = tf_stats_stddev(values, runs.count);
	settle(a, allowed_difference(values, runs.count, a->deviation, g->alpha / (double)family));
	return 0;
}

/* The runs against themselves: which metrics the rules mean, and what keeps a run from being judged. */
static int calibrate_all(const struct tf_gate *g, struct tf_runs runs, const struct tf_verdict *v, struct tf_calibration *out,
			 struct tf_error *err)
{
	size_t family = 0;

	for (size_t i = 0; i < v->check_count; i++) {
		const struct tf_check *c = &v->checks[i];
		if (c->verdict == TF_INCONCLUSIVE && isnan(c->change))
			return tf_fail(err, TF_EINCONCLUSIVE, "%s cannot be calibrated: %s%s%s%s", c->rule.metric, c->reason,
				       c->detail ? " (" : "", c->detail ? c->detail : "", c->detail ? ")" : "");
		family += c->rule.kind == TF_CHECK_REGRESS && c->verdict != TF_SKIPPED;
	}
	for (size_t i = 0; i < v->check_count; i++)
		if (v->checks[i].rule.kind == TF_CHECK_REGRESS && v->checks[i].verdict != TF_SKIPPED
		    && calibrate(g, runs, &v->checks[i], family, out, err) < 0)
			return -1;
	return family ? 0 : tf_fail(err, TF_EINCONCLUSIVE, "the runs have none of the figures");
}

int tf_gate_calibrate(const struct tf_gate *g, struct tf_runs runs, struct tf_calibration *out, struct tf_error *err)
{
	struct tf_verdict v = {0};
	int rc = tf_gate_judge_runs(g, runs, runs, &v, err);

	if (rc == 0)
		rc = calibrate_all(g, runs, &v, out, err);
	tf_arena_release(&v.arena);
	return rc;
}
