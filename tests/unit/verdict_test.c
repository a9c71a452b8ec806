/* Verdicts as text, JSON and JUnit XML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/render.h"

static struct tf_check check_of(enum tf_check_kind kind, const char *metric, enum tf_unit unit)
{
	return (struct tf_check){.rule = {.kind = kind, .metric = metric, .unit = unit, .limit = NAN}, .value = NAN,
				 .baseline = NAN, .change = NAN, .change_pct = NAN, .n = TF_NONE, .n_baseline = TF_NONE, .p_value = NAN, .p_adjusted = NAN, .shift = NAN, .ci_low = NAN, .ci_high = NAN};
}

/* What a renderer writes of one check; freed by the caller. */
static char *render(int (*to_file)(FILE *, const struct tf_verdict *, struct tf_error *), struct tf_verdict *v,
		    struct tf_check *c)
{
	struct tf_error err = {0};
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	v->session = v->session ? v->session : "r/s";
	v->checks = c;
	v->check_count = 1;
	assert_non_null(to);
	assert_int_equal(to_file(to, v, &err), 0);
	fclose(to);
	return text;
}

static void expect(int (*to_file)(FILE *, const struct tf_verdict *, struct tf_error *), struct tf_verdict v,
		   struct tf_check c, const char *part)
{
	char *text = render(to_file, &v, &c);

	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
	free(text);
}

static void limits_are_put_into_words(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "step_time_ms.mean", TF_UNIT_MS);
	c.value = 12.5;
	c.rule.limit = 10;
	c.verdict = TF_FAIL;
	c.reason = "limit_broken";
	struct tf_verdict v = {.verdict = TF_FAIL};
	expect(tf_render_check_text, v, c, "fail          step_time_ms.mean: 12.5 ms, at most 10 ms: limit_broken\nfail: r/s\n");
	c.rule.kind = TF_CHECK_MIN;
	expect(tf_render_check_text, v, c, ", at least 10 ms");
}

static void regressions_are_put_into_words(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_REGRESS, "memory.peak_bytes", TF_UNIT_BYTES);
	c.value = 48 << 20;
	c.baseline = 32 << 20;
	c.change = 16 << 20;
	c.change_pct = 50;
	c.rule.relative = 0.01;
	c.rule.absolute = 1024;
	struct tf_verdict v = {.baseline = "b/t"};
	expect(tf_render_check_text, v, c,
	       "memory.peak_bytes: 48 MiB, baseline 32 MiB, +16 MiB (+50.0 %), allowed 1 % and 1 KiB\npass: r/s against b/t\n");
	c.rule.relative = 0;
	expect(tf_render_check_text, v, c, "allowed 1 KiB\n");
	c.rule.absolute = 0;
	expect(tf_render_check_text, v, c, "allowed 0 B\n");
	c.change = -(16 << 20);
	expect(tf_render_check_text, v, c, ", -16 MiB (");
}

static void the_unknown_is_called_so(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_REGRESS, "input.share", TF_UNIT_RATIO);
	c.verdict = TF_INCONCLUSIVE;
	c.reason = "no_input_events";
	c.detail = "in the baseline";
	expect(tf_render_check_text, (struct tf_verdict){.verdict = TF_INCONCLUSIVE}, c,
	       "inconclusive  input.share: unknown, baseline unknown: no_input_events (in the baseline)\n");
	expect(tf_render_check_json, (struct tf_verdict){.verdict = TF_INCONCLUSIVE}, c,
	       "\"value\":null,\"limit\":null,\"baseline\":null,\"change\":null,\"change_pct\":null,\"p_value\":null,\"n\":null,"
	       "\"n_baseline\":null,\"verdict\":\"inconclusive\",\"reason\":\"no_input_events\",\"detail\":\"in the baseline\"");
}

static void a_test_is_put_into_words_and_keys(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_REGRESS, "step_time_ms.mean", TF_UNIT_MS);
	c.value = 12;
	c.baseline = 10;
	c.change = 2;
	c.change_pct = 20;
	c.rule.relative = 0.05;
	c.p_value = 0.0125;
	c.p_adjusted = 0.025;
	c.shift = 1.5;
	struct tf_verdict v = {.alpha = 0.05};
	expect(tf_render_check_text, v, c, "allowed 5 %; steps shifted by +1.5 ms, p = 0.025\n");
	c.ci_low = -0.5;
	c.ci_high = 2.5;
	expect(tf_render_check_text, v, c, "steps shifted by +1.5 ms (95 %: -0.5 ms to 2.5 ms), p = 0.025\n");
	expect(tf_render_check_json, v, c, "\"p_value\":0.0125,\"n\":null");
	expect(tf_render_check_json, v, c, "\"p_adjusted\":0.025,\"shift\":1.5,\"ci_low\":-0.5,\"ci_high\":2.5,\"file\":null,\"line\":null}],\"alpha\":0.05,");
	c.of_runs = true;
	expect(tf_render_check_text, v, c, "; runs shifted by +1.5 ms");
}

static void json_has_the_keys_of_the_contract_first(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "steps.count", TF_UNIT_NONE);
	c.value = 3;
	c.rule.limit = 4;
	c.n = 3;
	expect(tf_render_check_json, (struct tf_verdict){0}, c,
	       "{\"schema\":\"tfprof.check/1\",\"verdict\":\"pass\",\"reason\":null,\"session\":\"r/s\",\"baseline\":null,\"checks\":[");
	expect(tf_render_check_json, (struct tf_verdict){0}, c,
	       "{\"metric\":\"steps.count\",\"kind\":\"max\",\"value\":3,\"limit\":4,");
}

static void junit_counts_each_kind(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "input.share", TF_UNIT_RATIO);
	expect(tf_render_check_junit, (struct tf_verdict){0}, c, "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\"");
	expect(tf_render_check_junit, (struct tf_verdict){0}, c, "<testcase classname=\"tfprof.max\" name=\"input.share\"/>");
	c.verdict = TF_FAIL;
	expect(tf_render_check_junit, (struct tf_verdict){0}, c, "failures=\"1\" errors=\"0\" skipped=\"0\"");
	c.verdict = TF_INCONCLUSIVE;
	expect(tf_render_check_junit, (struct tf_verdict){0}, c, "failures=\"0\" errors=\"1\" skipped=\"0\"");
	expect(tf_render_check_junit, (struct tf_verdict){.lenient = true}, c, "failures=\"0\" errors=\"0\" skipped=\"1\"");
	c.verdict = TF_SKIPPED;
	expect(tf_render_check_junit, (struct tf_verdict){0}, c, "failures=\"0\" errors=\"0\" skipped=\"1\"");
}

static void nothing_compared_is_an_error_in_junit(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_REGRESS, "input.share", TF_UNIT_RATIO);
	c.verdict = TF_SKIPPED;
	struct tf_verdict v = {.verdict = TF_INCONCLUSIVE, .reason = "nothing_compared"};
	expect(tf_render_check_junit, v, c, "tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\"");
	expect(tf_render_check_junit, v, c, "name=\"verdict\"><error message=\"nothing_compared\"/>");
	v.lenient = true;
	expect(tf_render_check_junit, v, c, "errors=\"0\" skipped=\"2\"");
}

static void junit_has_no_character_that_xml_forbids(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "scalar[<&\">\x01\x1b\n\xef\xbf\xbf\xef\xbf\xbe].last", TF_UNIT_NONE);
	expect(tf_render_check_junit, (struct tf_verdict){0}, c,
	       "name=\"scalar[&lt;&amp;&quot;&gt;???\xef\xbf\xbd\xef\xbf\xbd].last\"");
}

static void text_has_no_escape_sequence(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "scalar[\x1b[31m\xc2\x9b].last", TF_UNIT_NONE);
	struct tf_verdict v = {.session = "\x1b]0;x"};
	expect(tf_render_check_text, v, c, "scalar[?[31m??].last");
	expect(tf_render_check_text, v, c, "pass: ?]0;x\n");
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	int (*const all[])(FILE *, const struct tf_verdict *, struct tf_error *) = {tf_render_check_text, tf_render_check_json,
										    tf_render_check_junit};
	struct tf_check c = check_of(TF_CHECK_MAX, "input.share", TF_UNIT_RATIO);
	struct tf_verdict v = {.session = "r", .checks = &c, .check_count = 1};
	for (int i = 0; i < 3; i++) {
		struct tf_error err = {0};
		FILE *to = fopen("/dev/full", "w");
		if (!to)
			skip();
		assert_int_equal(all[i](to, &v, &err), -1);
		assert_int_equal(err.code, TF_ESYSTEM);
		fclose(to);
	}
}

static void waivers_are_counted_in_every_output(void **state)
{
	(void)state;
	struct tf_check c = check_of(TF_CHECK_MAX, "step_time_ms.mean", TF_UNIT_MS);
	c.verdict = TF_WAIVED;
	c.reason = "limit_broken";
	c.detail = "waived until 2027-01-01: bug 7";
	c.rule.place = (struct tf_place){"tfprof.json", 4};
	struct tf_waiver_use w[] = {
		{{"step_time_ms.*", -1, "2027-01-01", "bug 7", {"tfprof.json", 9}}, TF_WAIVER_USED, 1},
		{{"memory.*", TF_CHECK_MAX, "2020-01-01", "old", {"tfprof.json", 10}}, TF_WAIVER_EXPIRED, 0}};
	struct tf_verdict v = {.waivers = w, .waiver_count = 2, .run_count = 1};
	expect(tf_render_check_text, v, c, "waived        step_time_ms.mean");
	expect(tf_render_check_text, v, c, "\nwaivers: 1 used, 1 expired, 0 unused\npass: r/s\n");
	expect(tf_render_check_json, v, c, "\"file\":\"tfprof.json\",\"line\":4}],");
	expect(tf_render_check_json, v, c, "\"waivers\":{\"used\":1,\"expired\":1,\"unused\":0,\"list\":[{\"metric\":\"step_time_ms.*\","
					   "\"kind\":null,\"expires\":\"2027-01-01\",\"reason\":\"bug 7\",\"state\":\"used\","
					   "\"checks\":1,\"file\":\"tfprof.json\",\"line\":9},");
	expect(tf_render_check_junit, v, c, "skipped=\"1\"");
	expect(tf_render_check_junit, v, c, "<property name=\"waivers_used\" value=\"1\"/>");
	expect(tf_render_check_junit, v, c, "<property name=\"waivers_expired\" value=\"1\"/>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_put_into_words),
		cmocka_unit_test(regressions_are_put_into_words),
		cmocka_unit_test(the_unknown_is_called_so),
		cmocka_unit_test(a_test_is_put_into_words_and_keys),
		cmocka_unit_test(json_has_the_keys_of_the_contract_first),
		cmocka_unit_test(junit_counts_each_kind),
		cmocka_unit_test(nothing_compared_is_an_error_in_junit),
		cmocka_unit_test(junit_has_no_character_that_xml_forbids),
		cmocka_unit_test(text_has_no_escape_sequence),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(waivers_are_counted_in_every_output),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
