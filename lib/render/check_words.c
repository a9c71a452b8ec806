/* Checks of the gate in words. */
#include "lib/render/check_words.h"

#include <math.h>
#include <stdlib.h>

#include "lib/render/put_text.h"

void tf_check_put_value(struct tf_buf *b, double value, enum tf_unit unit)
{
	static const char *const sizes[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	const char *name = unit == TF_UNIT_RATIO ? "" : tf_unit_name(unit);

	for (int i = 0; unit == TF_UNIT_BYTES && i < 4 && fabs(value) >= 1024; i++) {
		value /= 1024;
		name = sizes[i + 1];
	}
	tf_buf_printf(b, "%.6g%s%s", value, *name ? " " : "", name);
}

static void put_allowance(struct tf_buf *b, const struct tf_rule *r)
{
	tf_buf_text(b, ", allowed ");
	if (r->relative > 0)
		tf_buf_printf(b, "%.6g %%%s", 100 * r->relative, r->absolute > 0 ? " and " : "");
	if (r->absolute > 0 || r->relative <= 0)
		tf_check_put_value(b, r->absolute, r->unit);
}

/* How far the steps, or runs, shifted, and how likely noise does as much. */
static void put_test(struct tf_buf *b, const struct tf_check *c, double alpha)
{
	if (isnan(c->p_value))
		return;
	tf_buf_printf(b, "; %s shifted by %s", c->of_runs ? "runs" : "steps", c->shift < 0 ? "" : "+");
	tf_check_put_value(b, c->shift, c->rule.unit);
	if (isfinite(c->ci_low)) {
		tf_buf_printf(b, " (%.6g %%: ", 100 * (1 - alpha));
		tf_check_put_value(b, c->ci_low, c->rule.unit);
		tf_buf_text(b, " to ");
		tf_check_put_value(b, c->ci_high, c->rule.unit);
		tf_buf_text(b, ")");
	}
	tf_buf_printf(b, ", p = %.2g", c->p_adjusted);
}

/* What was compared, in words. */
static void put_comparison(struct tf_buf *b, const struct tf_check *c, double alpha)
{
	if (c->rule.kind != TF_CHECK_REGRESS) {
		tf_buf_text(b, c->rule.kind == TF_CHECK_MAX ? ", at most " : ", at least ");
		tf_check_put_value(b, c->rule.limit, c->rule.unit);
		return;
	}
	if (isnan(c->baseline)) {
		tf_buf_text(b, ", baseline unknown");
		return;
	}
	tf_buf_text(b, ", baseline ");
	tf_check_put_value(b, c->baseline, c->rule.unit);
	if (isnan(c->change))
		return;
	tf_buf_text(b, c->change < 0 ? ", " : ", +");
	tf_check_put_value(b, c->change, c->rule.unit);
	if (isfinite(c->change_pct))
		tf_buf_printf(b, " (%+.1f %%)", c->change_pct);
	put_allowance(b, &c->rule);
	put_test(b, c, alpha);
}

void tf_check_describe(struct tf_buf *b, const struct tf_check *c, double alpha)
{
	b->len = 0;
	tf_buf_printf(b, "%s: ", c->rule.metric);
	if (isnan(c->value))
		tf_buf_text(b, "unknown");
	else
		tf_check_put_value(b, c->value, c->rule.unit);
	put_comparison(b, c, alpha);
	if (c->reason)
		tf_buf_printf(b, ": %s", c->reason);
	if (c->detail)
		tf_buf_printf(b, " (%s)", c->detail);
	if (!b->failed)
		tf_make_printable(b->data, b->len);
}

void tf_verdict_describe(struct tf_buf *b, const struct tf_verdict *v)
{
	b->len = 0;
	tf_buf_printf(b, "%s: %s", tf_verdict_name(v->verdict), v->session);
	if (v->baseline)
		tf_buf_printf(b, " against %s", v->baseline);
	if (v->reason)
		tf_buf_printf(b, ": %s", v->reason);
	if (!b->failed)
		tf_make_printable(b->data, b->len);
}

void tf_verdict_count_waivers(const struct tf_verdict *v, size_t count[3])
{
	count[TF_WAIVER_UNUSED] = count[TF_WAIVER_USED] = count[TF_WAIVER_EXPIRED] = 0;
	for (size_t i = 0; i < v->waiver_count; i++)
		count[v->waivers[i].state]++;
}

void tf_verdict_describe_waivers(struct tf_buf *b, const struct tf_verdict *v)
{
	size_t count[3];

	b->len = 0;
	tf_buf_text(b, "");
	tf_verdict_count_waivers(v, count);
	if (v->waiver_count)
		tf_buf_printf(b, "waivers: %zu used, %zu expired, %zu unused", count[TF_WAIVER_USED], count[TF_WAIVER_EXPIRED],
			      count[TF_WAIVER_UNUSED]);
}

/* How many times what is allowed a figure reaches; 0 where that says nothing. */
static double excess(const struct tf_check *c)
{
	const struct tf_rule *r = &c->rule;
	double allowed = fmax(r->relative * fabs(c->baseline), r->absolute), times = 0;

	if (r->kind == TF_CHECK_MAX)
		times = c->value / r->limit;
	else if (r->kind == TF_CHECK_MIN)
		times = r->limit / c->value;
	else
		times = fabs(c->change) / allowed;
	return isnan(times) ? 0 : times;
}

static int by_weight(const void *a, const void *b)
{
	static const int weights[TF_VERDICT_KINDS] = {4, 0, 1, 3, 2}; /* pass, fail, inconclusive, skipped, waived */
	const struct tf_check *x = *(const struct tf_check *const *)a, *y = *(const struct tf_check *const *)b;
	double p = excess(x), q = excess(y);

	if (weights[x->verdict] != weights[y->verdict])
		return weights[x->verdict] - weights[y->verdict];
	if (x->verdict == TF_FAIL && p != q)
		return p > q ? -1 : 1;
	return x < y ? -1 : x > y; /* as they were asked for: both are of one array */
}

const struct tf_check **tf_verdict_worst_first(const struct tf_verdict *v)
{
	const struct tf_check **list = calloc(v->check_count + 1, sizeof *list);

	for (size_t i = 0; list && i < v->check_count; i++)
		list[i] = &v->checks[i];
	if (list && v->check_count)
		qsort(list, v->check_count, sizeof *list, by_weight);
	return list;
}

int tf_check_write(FILE *to, struct tf_buf *b, struct tf_error *err)
{
	int rc = 0;

	if (b->failed)
		rc = tf_fail_nomem(err);
	else if (fwrite(b->data, 1, b->len, to) != b->len || fflush(to) != 0 || ferror(to))
		rc = tf_fail_errno(err, TF_ESYSTEM, "cannot write");
	tf_buf_release(b);
	return rc;
}
