/* What the gate found: a line a check, JSON (schema tfprof.check/1), JUnit XML. */
#include <math.h>
#include <string.h>

#include "lib/render/json_writer.h"
#include "lib/render/render.h"

int tf_render_check_json(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	struct tf_json j = {0};

	tf_json_object(&j, NULL);
	tf_json_text(&j, "schema", "tfprof.check/1");
	tf_json_text(&j, "verdict", tf_verdict_name(v->verdict));
	tf_json_text(&j, "session", v->session);
	tf_json_text(&j, "baseline", v->baseline);
	tf_json_list(&j, "checks");
	for (size_t i = 0; i < v->check_count; i++) {
		const struct tf_check *c = &v->checks[i];
		bool regress = c->rule.kind == TF_CHECK_REGRESS;
		tf_json_object(&j, NULL);
		tf_json_text(&j, "metric", c->rule.metric);
		tf_json_text(&j, "kind", tf_check_kind_name(c->rule.kind));
		tf_json_double(&j, "value", c->value);
		tf_json_double(&j, "limit", regress ? (double)NAN : c->rule.limit);
		tf_json_double(&j, "baseline", c->baseline);
		tf_json_double(&j, "change", c->change);
		tf_json_double(&j, "change_pct", c->change_pct);
		tf_json_double(&j, "p_value", (double)NAN);
		tf_json_i64(&j, "n", c->n);
		tf_json_i64(&j, "n_baseline", c->n_baseline);
		tf_json_text(&j, "verdict", tf_verdict_name(c->verdict));
		tf_json_text(&j, "reason", c->reason);
		tf_json_object_end(&j);
	}
	tf_json_list_end(&j);
	tf_json_object_end(&j);
	return tf_json_finish(&j, to, err);
}

/* One check in words, without its verdict. */
static void describe(struct tf_buf *b, const struct tf_check *c)
{
	const char *unit = tf_unit_name(c->rule.unit);

	tf_buf_text(b, c->rule.metric);
	if (isnan(c->value))
		tf_buf_text(b, " unknown");
	else
		tf_buf_printf(b, " %.6g %s", c->value, unit);
	if (c->rule.kind != TF_CHECK_REGRESS)
		tf_buf_printf(b, " (%s %.6g)", tf_check_kind_name(c->rule.kind), c->rule.limit);
	else if (!isnan(c->baseline))
		tf_buf_printf(b, " (baseline %.6g)", c->baseline);
	if (!isnan(c->change))
		tf_buf_printf(b, " %+.6g", c->change);
	if (!isnan(c->change_pct))
		tf_buf_printf(b, " %+.1f %%", c->change_pct);
	if (c->rule.kind == TF_CHECK_REGRESS)
		tf_buf_printf(b, " allowed %.6g %% + %.6g %s", 100 * c->rule.relative, c->rule.absolute, unit);
	if (c->reason)
		tf_buf_printf(b, ": %s", c->reason);
}

int tf_render_check_text(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	struct tf_buf b = {0};

	for (size_t i = 0; i < v->check_count; i++) {
		b.len = 0;
		describe(&b, &v->checks[i]);
		if (!b.failed)
			fprintf(to, "%-12s  %s\n", tf_verdict_name(v->checks[i].verdict), b.data);
	}
	fprintf(to, "%s: %s%s%s\n", tf_verdict_name(v->verdict), v->session, v->baseline ? " against " : "",
		v->baseline ? v->baseline : "");
	int rc = b.failed ? tf_fail_nomem(err) : fflush(to) != 0 ? tf_fail_errno(err, TF_ESYSTEM, "cannot write") : 0;
	tf_buf_release(&b);
	return rc;
}

/* Text inside XML: markup escaped, characters that XML 1.0 forbids replaced. */
static void put_xml(FILE *to, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '<')
			fputs("&lt;", to);
		else if (c == '>')
			fputs("&gt;", to);
		else if (c == '&')
			fputs("&amp;", to);
		else if (c == '"')
			fputs("&quot;", to);
		else
			fputc(c < 0x20 ? '?' : c, to);
	}
}

/* A failed check is a failure, an inconclusive one an error: both stop a build unless the caller maps the exit status. */
int tf_render_check_junit(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	size_t count[4] = {0};
	struct tf_buf b = {0};

	for (size_t i = 0; i < v->check_count; i++)
		count[v->checks[i].verdict]++;
	fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"tfprof check\" tests=\"%zu\" failures=\"%zu\" "
		    "errors=\"%zu\" skipped=\"%zu\">\n", v->check_count, count[TF_FAIL], count[TF_INCONCLUSIVE], count[TF_SKIPPED]);
	for (size_t i = 0; i < v->check_count; i++) {
		static const char *const elements[] = {NULL, "failure", "error", "skipped"};
		const struct tf_check *c = &v->checks[i];
		fputs("  <testcase classname=\"tfprof.", to);
		fputs(tf_check_kind_name(c->rule.kind), to);
		fputs("\" name=\"", to);
		put_xml(to, c->rule.metric);
		fputs("\"", to);
		if (c->verdict == TF_PASS) {
			fputs("/>\n", to);
			continue;
		}
		b.len = 0;
		describe(&b, c);
		fprintf(to, "><%s message=\"", elements[c->verdict]);
		put_xml(to, b.failed ? "" : b.data);
		fputs("\"/></testcase>\n", to);
	}
	fputs("</testsuite>\n", to);
	tf_buf_release(&b);
	return fflush(to) == 0 ? 0 : tf_fail_errno(err, TF_ESYSTEM, "cannot write");
}
