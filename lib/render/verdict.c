/* What the gate found: a line a check, JSON (schema tfprof.check/1), JUnit XML. */
#include <math.h>
#include <string.h>

#include "lib/render/json_writer.h"
#include "lib/render/put_text.h"
#include "lib/render/render.h"

int tf_render_check_json(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	struct tf_json j = {0};

	tf_json_object(&j, NULL);
	tf_json_text(&j, "schema", "tfprof.check/1");
	tf_json_text(&j, "verdict", tf_verdict_name(v->verdict));
	tf_json_text(&j, "reason", v->reason);
	tf_json_text(&j, "session", v->session);
	tf_json_text(&j, "baseline", v->baseline);
	tf_json_list(&j, "checks");
	for (size_t i = 0; i < v->check_count; i++) {
		const struct tf_check *c = &v->checks[i];
		tf_json_object(&j, NULL);
		tf_json_text(&j, "metric", c->rule.metric);
		tf_json_text(&j, "kind", tf_check_kind_name(c->rule.kind));
		tf_json_double(&j, "value", c->value);
		tf_json_double(&j, "limit", c->rule.limit);
		tf_json_double(&j, "baseline", c->baseline);
		tf_json_double(&j, "change", c->change);
		tf_json_double(&j, "change_pct", c->change_pct);
		tf_json_double(&j, "p_value", c->p_value);
		tf_json_i64(&j, "n", c->n);
		tf_json_i64(&j, "n_baseline", c->n_baseline);
		tf_json_text(&j, "verdict", tf_verdict_name(c->verdict));
		tf_json_text(&j, "reason", c->reason);
		tf_json_text(&j, "detail", c->detail);
		tf_json_double(&j, "p_adjusted", c->p_adjusted);
		tf_json_double(&j, "shift", c->shift);
		tf_json_double(&j, "ci_low", c->ci_low);
		tf_json_double(&j, "ci_high", c->ci_high);
		tf_json_object_end(&j);
	}
	tf_json_list_end(&j);
	tf_json_double(&j, "alpha", v->alpha);
	tf_json_object_end(&j);
	return tf_json_finish(&j, to, err);
}

/* A value with its unit; bytes in the largest one that they fill. */
static void put_value(struct tf_buf *b, double value, enum tf_unit unit)
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
		put_value(b, r->absolute, r->unit);
}

/* How far the steps shifted, and how likely noise does as much. */
static void put_test(struct tf_buf *b, const struct tf_check *c, double alpha)
{
	if (isnan(c->p_value))
		return;
	tf_buf_text(b, c->shift < 0 ? "; steps shifted by " : "; steps shifted by +");
	put_value(b, c->shift, c->rule.unit);
	if (isfinite(c->ci_low)) {
		tf_buf_printf(b, " (%.6g %%: ", 100 * (1 - alpha));
		put_value(b, c->ci_low, c->rule.unit);
		tf_buf_text(b, " to ");
		put_value(b, c->ci_high, c->rule.unit);
		tf_buf_text(b, ")");
	}
	tf_buf_printf(b, ", p = %.2g", c->p_adjusted);
}

/* What was compared, in words. */
static void put_comparison(struct tf_buf *b, const struct tf_check *c, double alpha)
{
	if (c->rule.kind != TF_CHECK_REGRESS) {
		tf_buf_text(b, c->rule.kind == TF_CHECK_MAX ? ", at most " : ", at least ");
		put_value(b, c->rule.limit, c->rule.unit);
		return;
	}
	if (isnan(c->baseline)) {
		tf_buf_text(b, ", baseline unknown");
		return;
	}
	tf_buf_text(b, ", baseline ");
	put_value(b, c->baseline, c->rule.unit);
	if (isnan(c->change))
		return;
	tf_buf_text(b, c->change < 0 ? ", " : ", +");
	put_value(b, c->change, c->rule.unit);
	if (isfinite(c->change_pct))
		tf_buf_printf(b, " (%+.1f %%)", c->change_pct);
	put_allowance(b, &c->rule);
	put_test(b, c, alpha);
}

/* One check in words without its verdict, printable. */
static void describe(struct tf_buf *b, const struct tf_check *c, double alpha)
{
	b->len = 0;
	tf_buf_printf(b, "%s: ", c->rule.metric);
	if (isnan(c->value))
		tf_buf_text(b, "unknown");
	else
		put_value(b, c->value, c->rule.unit);
	put_comparison(b, c, alpha);
	if (c->reason)
		tf_buf_printf(b, ": %s", c->reason);
	if (c->detail)
		tf_buf_printf(b, " (%s)", c->detail);
	if (!b->failed)
		tf_make_printable(b->data, b->len);
}

int tf_render_check_text(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	struct tf_buf b = {0};

	for (size_t i = 0; i < v->check_count && !b.failed; i++) {
		describe(&b, &v->checks[i], v->alpha);
		if (!b.failed)
			fprintf(to, "%-12s  %s\n", tf_verdict_name(v->checks[i].verdict), b.data);
	}
	b.len = 0;
	tf_buf_printf(&b, "%s: %s", tf_verdict_name(v->verdict), v->session);
	if (v->baseline)
		tf_buf_printf(&b, " against %s", v->baseline);
	if (v->reason)
		tf_buf_printf(&b, ": %s", v->reason);
	if (!b.failed) {
		tf_make_printable(b.data, b.len);
		fprintf(to, "%s\n", b.data);
	}
	int rc = b.failed ? tf_fail_nomem(err) : fflush(to) != 0 || ferror(to) ? tf_fail_errno(err, TF_ESYSTEM, "cannot write") : 0;
	tf_buf_release(&b);
	return rc;
}

/* Printable text as an attribute's value. U+FFFE and U+FFFF, which XML forbids, become U+FFFD. */
static void put_xml(struct tf_buf *b, const char *text)
{
	for (size_t len; *text; text += len) {
		len = 1;
		if (*text == '<') {
			tf_buf_text(b, "&lt;");
		} else if (*text == '>') {
			tf_buf_text(b, "&gt;");
		} else if (*text == '&') {
			tf_buf_text(b, "&amp;");
		} else if (*text == '"') {
			tf_buf_text(b, "&quot;");
		} else if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0) {
			tf_buf_text(b, "\xef\xbf\xbd");
			len = 3;
		} else {
			tf_buf_char(b, *text);
		}
	}
}

static void put_case(struct tf_buf *xml, struct tf_buf *words, const struct tf_check *c, const char *element, double alpha)
{
	words->len = 0;
	tf_buf_text(words, c->rule.metric);
	if (!words->failed)
		tf_make_printable(words->data, words->len);
	tf_buf_printf(xml, "  <testcase classname=\"tfprof.%s\" name=\"", tf_check_kind_name(c->rule.kind));
	put_xml(xml, words->failed ? "" : words->data);
	if (!element) {
		tf_buf_text(xml, "\"/>\n");
		return;
	}
	describe(words, c, alpha);
	tf_buf_printf(xml, "\"><%s message=\"", element);
	put_xml(xml, words->failed ? "" : words->data);
	tf_buf_text(xml, "\"/></testcase>\n");
}

/* A verdict that no check explains stands for itself. */
static void put_reason(struct tf_buf *xml, const struct tf_verdict *v, const char *element)
{
	tf_buf_printf(xml, "  <testcase classname=\"tfprof\" name=\"verdict\"><%s message=\"%s\"/></testcase>\n", element,
		      v->reason);
}

/* A failed check is a failure. An inconclusive one is an error, which stops a build, unless the caller is lenient. */
int tf_render_check_junit(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	const char *const elements[] = {NULL, "failure", v->lenient ? "skipped" : "error", "skipped"};
	struct tf_buf xml = {0}, words = {0};
	size_t count[4] = {0}, cases = v->check_count + (v->reason != NULL);
	int rc = 0;

	for (size_t i = 0; i < v->check_count; i++)
		count[v->checks[i].verdict]++;
	count[v->verdict] += v->reason != NULL;
	size_t errors = v->lenient ? 0 : count[TF_INCONCLUSIVE];
	tf_buf_printf(&xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"tfprof check\" tests=\"%zu\" "
			    "failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", cases, count[TF_FAIL], errors,
		      count[TF_SKIPPED] + count[TF_INCONCLUSIVE] - errors);
	for (size_t i = 0; i < v->check_count; i++)
		put_case(&xml, &words, &v->checks[i], elements[v->checks[i].verdict], v->alpha);
	if (v->reason)
		put_reason(&xml, v, elements[v->verdict]);
	tf_buf_text(&xml, "</testsuite>\n");
	if (xml.failed || words.failed)
		rc = tf_fail_nomem(err);
	else if (fwrite(xml.data, 1, xml.len, to) != xml.len || fflush(to) != 0)
		rc = tf_fail_errno(err, TF_ESYSTEM, "cannot write");
	tf_buf_release(&xml);
	tf_buf_release(&words);
	return rc;
}
