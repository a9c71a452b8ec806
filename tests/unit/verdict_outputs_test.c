/* Verdicts as Markdown, SARIF and annotations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/check_words.h"
#include "lib/render/render.h"

typedef int renderer(FILE *to, const struct tf_verdict *v, struct tf_error *err);

static struct tf_check check_of(enum tf_check_kind kind, const char *metric, enum tf_verdict_kind verdict, double value, double limit)
{
	return (struct tf_check){.rule = {.kind = kind, .metric = metric, .limit = limit, .place = {"ci/tf prof,1.json", 7}}, .value = value,
				 .baseline = NAN, .change = NAN, .change_pct = NAN, .n = TF_NONE, .n_baseline = TF_NONE, .p_value = NAN,
				 .p_adjusted = NAN, .shift = NAN, .ci_low = NAN, .ci_high = NAN, .verdict = verdict,
				 .reason = verdict == TF_FAIL ? "limit_broken" : NULL};
}

/* What is written of these checks; freed by the caller. */
static char *render(renderer *to_file, struct tf_check *checks, size_t count, struct tf_verdict v)
{
	struct tf_error err = {0};
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	v.session = v.session ? v.session : "r/s";
	v.checks = checks;
	v.check_count = count;
	assert_non_null(to);
	assert_int_equal(to_file(to, &v, &err), 0);
	fclose(to);
	return text;
}

static void expect(renderer *to_file, struct tf_check c, struct tf_verdict v, const char *part)
{
	char *text = render(to_file, &c, 1, v);

	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
	free(text);
}

static size_t count_of(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static const struct tf_verdict failed = {.verdict = TF_FAIL}, lenient = {.verdict = TF_INCONCLUSIVE, .lenient = true};

static void annotations_are_escaped_as_the_runner_reads_them(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "scalar[a:b,50%\n].last", TF_FAIL, 3, 2);
	expect(tf_render_check_github, c, failed,
	       "::error file=ci/tf prof%2C1.json,line=7,title=tfprof%3A scalar[a%3Ab%2C50%25?].last::fail: scalar[a:b,50%25?].last: 3, at most 2: "
	       "limit_broken\n");
	c.rule.place.file = NULL;
	expect(tf_render_check_github, c, failed, "::error title=tfprof%3A ");
	c.verdict = TF_INCONCLUSIVE;
	expect(tf_render_check_github, c, failed, "::error title=");
	expect(tf_render_check_github, c, lenient, "::warning title=");
}

static void what_passes_is_no_annotation(void **state)
{
	(void)state;
	static const enum tf_verdict_kind fine[] = {TF_PASS, TF_SKIPPED, TF_WAIVED};
	for (size_t i = 0; i < 3; i++) {
		struct tf_check c = check_of(TF_CHECK_MAX, "steps.count", fine[i], 1, 2);
		char *text = render(tf_render_check_github, &c, 1, (struct tf_verdict){.verdict = TF_PASS});
		assert_string_equal(text, "");
		free(text);
	}
}

/* Limits of 1: the values say how many times each is reached. */
static void the_ten_worst_are_annotated(void **state)
{
	(void)state;
	struct tf_check c[14];
	char names[14][32], *at, *next;
	for (size_t i = 0; i < 12; i++) {
		snprintf(names[i], sizeof names[i], "scalar[t%02zu].last", i);
		c[i] = check_of(TF_CHECK_MAX, names[i], TF_FAIL, 2 + (double)((i * 5) % 12), 1);
	}
	c[12] = check_of(TF_CHECK_MAX, "steps.count", TF_INCONCLUSIVE, NAN, 1);
	c[13] = check_of(TF_CHECK_MIN, "kernels.count", TF_FAIL, 1, 99);
	char *text = render(tf_render_check_github, c, 14, failed);
	assert_int_equal(count_of(text, "::error "), 10);
	assert_non_null(at = strstr(text, "kernels.count")); /* 99 times */
	assert_null(strstr(text, "steps.count"));
	for (size_t value = 13; value >= 5; value--) { /* (i · 5) mod 12 = value − 2: i = 5 · (value − 2) mod 12 */
		assert_non_null(next = strstr(at, names[5 * (value - 2) % 12]));
		at = next;
	}
	free(text);
}

static void a_verdict_without_checks_is_an_annotation(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "steps.count", TF_SKIPPED, NAN, 1);
	struct tf_verdict v = {.verdict = TF_INCONCLUSIVE, .reason = "nothing_compared"};
	expect(tf_render_check_github, c, v, "::error title=tfprof::inconclusive: nothing_compared\n");
}

static void markdown_takes_names_for_text(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "scalar[<b>|`@x`*:tada: _a_ $1 [l](http://u)].last", TF_FAIL, 3, 2);
	expect(tf_render_check_md, c, failed,
	       "| fail | <code>scalar&#91;&#60;b&#62;&#124;&#96;&#64;x&#96;&#42;&#58;tada: &#95;a&#95; &#36;1 &#91;l&#93;(http&#58;//u)&#93;.last</code>"
	       " | max | 3 | – |  | 2 |  | limit_broken |\n");
	expect(tf_render_check_md, c, failed, "### tfprof check: fail\n\nfail: r/s\n");
	c.detail = "there is 'a|b'";
	expect(tf_render_check_md, c, failed, "limit_broken (there is 'a&#124;b') |\n");
}

static void markdown_fits_a_comment(void **state)
{
	(void)state;
	enum { MANY = 3000 };
	struct tf_check *c = calloc(MANY, sizeof *c);
	char *session = malloc(100001);
	assert_true(c && session);
	for (size_t i = 0; i < MANY; i++)
		c[i] = check_of(TF_CHECK_MAX, i == MANY - 1 ? "steps.count" : "scalar[<<<<<<<<<<<<<<<<<<<<].last", i == MANY - 1 ? TF_FAIL : TF_PASS, 3, 2);
	for (size_t i = 0; i < 100000; i++)
		session[i] = "\xc3\xa9"[i % 2];
	session[100000] = '\0';
	char *text = render(tf_render_check_md, c, MANY, (struct tf_verdict){.verdict = TF_FAIL, .session = session});
	assert_true(strlen(text) <= 65536);
	assert_true(tf_utf8_valid(tf_bytes_of(text)));
	assert_non_null(strstr(text, "| fail | <code>steps.count")); /* the worst is there */
	size_t rows = count_of(text, "<code>");
	char last[64];
	snprintf(last, sizeof last, "\n%zu more checks are not shown.\n", MANY - rows);
	assert_non_null(strstr(text, last));
	free(text);
	free(session);
	free(c);
}

static void sarif_has_place_level_and_suppression(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "scalar[{0}].last", TF_FAIL, 3, 2);
	expect(tf_render_check_sarif, c, failed, "\"ruleId\":\"tfprof/max\",\"ruleIndex\":0,\"kind\":\"fail\",\"level\":\"error\","
						 "\"message\":{\"text\":\"scalar[{{0}}].last: 3, at most 2: limit_broken\"},"
						 "\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"ci/tf%20prof%2C1.json\","
						 "\"uriBaseId\":\"%SRCROOT%\"},\"region\":{\"startLine\":7}}}],"
						 "\"partialFingerprints\":{\"tfprofMetric/v1\":\"scalar[{0}].last\"}}");
	c.rule.place.file = "/etc/c.json";
	expect(tf_render_check_sarif, c, failed, "{\"artifactLocation\":{\"uri\":\"file:///etc/c.json\"},");
	c.verdict = TF_WAIVED;
	c.detail = "waived until 2027-01-01: bug 7";
	expect(tf_render_check_sarif, c, failed, "\"suppressions\":[{\"kind\":\"external\",\"status\":\"accepted\",\"justification\":"
						 "\"waived until 2027-01-01: bug 7\"}]");
	c.verdict = TF_PASS;
	expect(tf_render_check_sarif, c, failed, "\"kind\":\"pass\",\"level\":\"none\"");
	c.verdict = TF_SKIPPED;
	expect(tf_render_check_sarif, c, failed, "\"kind\":\"notApplicable\",\"level\":\"none\"");
	c.verdict = TF_INCONCLUSIVE;
	expect(tf_render_check_sarif, c, failed, "\"kind\":\"fail\",\"level\":\"warning\"");
	expect(tf_render_check_sarif, c, lenient, "\"kind\":\"fail\",\"level\":\"note\"");
	c.rule.place.file = NULL;
	char *text = render(tf_render_check_sarif, &c, 1, failed);
	assert_null(strstr(text, "locations"));
	free(text);
}

static void waivers_are_counted(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "steps.count", TF_PASS, 1, 2);
	struct tf_waiver_use w[] = {{{"a", -1, "2027-01-01", "r", {"f", 1}}, TF_WAIVER_EXPIRED, 0}};
	struct tf_verdict v = {.verdict = TF_PASS, .waivers = w, .waiver_count = 1};
	expect(tf_render_check_md, c, v, "\nwaivers: 0 used, 1 expired, 0 unused\n");
	expect(tf_render_check_github, c, v, "::notice title=tfprof::waivers: 0 used, 1 expired, 0 unused\n");
	expect(tf_render_check_sarif, c, v, "\"waiversUsed\":0,\"waiversExpired\":1,\"waiversUnused\":0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(annotations_are_escaped_as_the_runner_reads_them),
		cmocka_unit_test(what_passes_is_no_annotation),
		cmocka_unit_test(the_ten_worst_are_annotated),
		cmocka_unit_test(a_verdict_without_checks_is_an_annotation),
		cmocka_unit_test(markdown_takes_names_for_text),
		cmocka_unit_test(markdown_fits_a_comment),
		cmocka_unit_test(sarif_has_place_level_and_suppression),
		cmocka_unit_test(waivers_are_counted),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
