/* What the gate found as JUnit XML. */
#include <string.h>

#include "lib/render/check_words.h"
#include "lib/render/put_text.h"
#include "lib/render/render.h"

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
	tf_check_describe(words, c, alpha);
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

/* The counts of waivers, as properties of the suite. */
static void put_waivers(struct tf_buf *xml, const struct tf_verdict *v)
{
	size_t count[3];

	tf_verdict_count_waivers(v, count);
	tf_buf_text(xml, "  <properties>\n");
	for (enum tf_waiver_state s = TF_WAIVER_UNUSED; s <= TF_WAIVER_EXPIRED; s++)
		tf_buf_printf(xml, "    <property name=\"waivers_%s\" value=\"%zu\"/>\n", tf_waiver_state_name(s), count[s]);
	tf_buf_text(xml, "  </properties>\n");
}

/*
 * A failed check is a failure. An inconclusive one is an error, which stops a build, unless the caller is lenient. What a waiver lets
 * through is skipped.
 */
int tf_render_check_junit(FILE *to, const struct tf_verdict *v, struct tf_error *err)
{
	const char *const elements[TF_VERDICT_KINDS] = {NULL, "failure", v->lenient ? "skipped" : "error", "skipped", "skipped"};
	struct tf_buf xml = {0}, words = {0};
	size_t count[TF_VERDICT_KINDS] = {0}, cases = v->check_count + (v->reason != NULL);

	for (size_t i = 0; i < v->check_count; i++)
		count[v->checks[i].verdict]++;
	count[v->verdict] += v->reason != NULL;
	size_t errors = v->lenient ? 0 : count[TF_INCONCLUSIVE];
	tf_buf_printf(&xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"tfprof check\" tests=\"%zu\" "
			    "failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", cases, count[TF_FAIL], errors,
		      count[TF_SKIPPED] + count[TF_WAIVED] + count[TF_INCONCLUSIVE] - errors);
	if (v->waiver_count)
		put_waivers(&xml, v);
	for (size_t i = 0; i < v->check_count; i++)
		put_case(&xml, &words, &v->checks[i], elements[v->checks[i].verdict], v->alpha);
	if (v->reason)
		put_reason(&xml, v, elements[v->verdict]);
	tf_buf_text(&xml, "</testsuite>\n");
	xml.failed |= words.failed;
	tf_buf_release(&words);
	return tf_check_write(to, &xml, err);
}
