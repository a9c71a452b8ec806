/* Checks of the gate in words. */
#include "lib/render/check_words.h"

#include <math.h>

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
