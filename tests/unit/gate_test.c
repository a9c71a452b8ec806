/* Metrics, statistics and the gate (METRICS.md §8, "The gate"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/gate.h"

/* A session of one host with steps of these lengths in ms. */
static void session_of(struct tf_session *s, const double *ms, size_t n)
{
	struct tf_error err = {0};
	*s = (struct tf_session){.run = "r", .name = "s", .start_ns = TF_NONE};
	struct tf_host *h = s->hosts = tf_arena_alloc(&s->arena, sizeof *h);
	s->host_count = 1;
	*h = (struct tf_host){.name = "h", .complete = true, .begin_ps = 0, .end_ps = 1000, .start_ns = TF_NONE,
			      .dropped_count = TF_NONE, .device_reason = "no_device_plane",
			      .memory_reason = "no_memory_events", .op_reason = "no_op_events"};
	h->input.reason = "no_input_events";
	h->input.get_next_count = TF_NONE;
	h->steps.reason = n ? NULL : "no_step_marker";
	h->steps.list = tf_arena_array(&s->arena, n + 1, sizeof *h->steps.list);
	h->steps.count = n;
	for (size_t i = 0; i < n; i++)
		h->steps.list[i] = (struct tf_step){.number = (int64_t)i, .name = "train", .series = "train", .main_series = true,
						    .complete = true, .step_ps = (int64_t)(ms[i] * 1e9), .period_ps = TF_NONE,
						    .input_ps = TF_NONE, .stall_ps = TF_NONE, .kernel_count = TF_NONE};
	assert_int_equal(tf_metrics_build(s, &err), 0);
}

static double value(const struct tf_session *s, const char *name)
{
	const struct tf_metric *m = tf_metric_find(s, name);
	assert_non_null(m);
	return m->known ? m->value : (double)NAN;
}

static void statistics_of_known_numbers(void **state)
{
	(void)state;
	double x[] = {4, 1, 3, 2};
	assert_true(tf_stats_mean(x, 4) == 2.5);
	assert_true(fabs(tf_stats_stddev(x, 4) - sqrt(5.0 / 3)) < 1e-15); /* squares 2.25 + 2.25 + .25 + .25, over 3 */
	assert_true(tf_stats_percentile(x, 4, 0.5) == 2.5);
	assert_true(fabs(tf_stats_percentile(x, 4, 0.95) - 3.85) < 1e-12); /* 0.95 · 3 = 2.85: between 3 and 4 */
	assert_true(tf_stats_stddev(x, 1) == 0);
	assert_true(isnan(tf_stats_mean(x, 0)));
}

static void step_figures_are_over_the_steady_steps(void **state)
{
	(void)state;
	struct tf_session s;
	const double ms[] = {900, 100, 100, 100, 100};
	session_of(&s, ms, 5);
	s.hosts[0].steps.list[0].warmup = true;
	struct tf_error err = {0};
	assert_int_equal(tf_metrics_build(&s, &err), 0);
	assert_true(value(&s, "step_time_ms.mean") == 100);
	assert_true(value(&s, "step_time_ms.mean_all") == 260);
	assert_true(value(&s, "steps.count") == 5);
	assert_true(value(&s, "steps.steady_count") == 4);
	tf_session_release(&s);
}

static void every_unknown_metric_has_a_reason(void **state)
{
	(void)state;
	struct tf_session s;
	session_of(&s, NULL, 0);
	for (size_t i = 0; i < s.metric_count; i++)
		assert_true(s.metrics[i].known == (s.metrics[i].reason == NULL));
	assert_string_equal(tf_metric_find(&s, "step_time_ms.mean")->reason, "no_step_marker");
	assert_string_equal(tf_metric_find(&s, "device.idle_ratio.mean")->reason, "no_device_plane");
	assert_string_equal(tf_metric_find(&s, "input.share")->reason, "no_input_events");
	assert_string_equal(tf_metric_find(&s, "memory.peak_bytes")->reason, "no_memory_events");
	assert_true(value(&s, "device.count") == 0);
	tf_session_release(&s);
}

static void names_of_metrics_are_checked(void **state)
{
	(void)state;
	enum tf_unit unit;
	enum tf_worse worse;
	static const char *const known[] = {"step_time_ms.mean", "memory.peak_bytes[GPU_0_bfc]", "scalar[a/b].last",
					    "step_time_ms.mean@host-1", "scalar[x@y].max", "memory.peak_bytes"};
	static const char *const unknown[] = {"step_time_ms.maen", "", "memory.peak_bytes[]", "scalar[x]", "step_time_ms",
					      "step_time_ms.mean@", "steps"};
	for (size_t i = 0; i < 6; i++)
		assert_true(tf_metric_known(known[i], &unit, &worse));
	for (size_t i = 0; i < 7; i++)
		assert_false(tf_metric_known(unknown[i], &unit, &worse));
}

/* The verdict of one rule on two sessions of six steps each. */
static enum tf_verdict_kind judge(enum tf_check_kind kind, const char *rule, double now, double before)
{
	struct tf_gate g = {.min_steps = 5};
	struct tf_session a, b;
	struct tf_verdict v = {0};
	struct tf_error err = {0};
	const double x[] = {now, now, now, now, now, now}, y[] = {before, before, before, before, before, before};

	session_of(&a, x, 6);
	session_of(&b, y, 6);
	assert_int_equal(tf_gate_add(&g, kind, rule, &err), 0);
	assert_int_equal(tf_gate_judge(&g, &a, &b, &v, &err), 0);
	enum tf_verdict_kind verdict = v.verdict;
	tf_arena_release(&v.arena);
	tf_gate_release(&g);
	tf_session_release(&a);
	tf_session_release(&b);
	return verdict;
}

static void a_regression_exceeds_both_allowances(void **state)
{
	(void)state;
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=10%+20ms", 7, 5), TF_PASS);	  /* 40 %, but 2 ms */
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=10%+20ms", 225, 200), TF_FAIL); /* 12.5 % and 25 ms */
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=10%+20ms", 220, 200), TF_PASS); /* neither is exceeded */
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", 105, 100), TF_PASS);	  /* strictly greater */
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", 106, 100), TF_FAIL);
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", 3, 100), TF_PASS);
}

static void a_baseline_of_zero_has_only_the_absolute_allowance(void **state)
{
	(void)state;
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%+2ms", 1, 0), TF_PASS);
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%+2ms", 3, 0), TF_FAIL);
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%+2ms", 0, 0), TF_PASS);
}

static void limits_are_inclusive(void **state)
{
	(void)state;
	assert_int_equal(judge(TF_CHECK_MAX, "step_time_ms.mean=10", 10, 1), TF_PASS);
	assert_int_equal(judge(TF_CHECK_MAX, "step_time_ms.mean=10", 10.5, 1), TF_FAIL);
	assert_int_equal(judge(TF_CHECK_MIN, "steps.count=6", 10, 1), TF_PASS);
	assert_int_equal(judge(TF_CHECK_MIN, "steps.count=7", 10, 1), TF_FAIL);
}

static void what_is_unknown_never_passes(void **state)
{
	(void)state;
	assert_int_equal(judge(TF_CHECK_MAX, "device.idle_ratio.mean=1", 10, 10), TF_INCONCLUSIVE);
	assert_int_equal(judge(TF_CHECK_MAX, "memory.peak_bytes[none]=1", 10, 10), TF_INCONCLUSIVE);
	assert_int_equal(judge(TF_CHECK_REGRESS, "input.share=+0.05", 10, 10), TF_INCONCLUSIVE);
}

static void few_steps_and_cut_captures_are_inconclusive(void **state)
{
	(void)state;
	struct tf_session s;
	struct tf_gate g = {.min_steps = 5};
	struct tf_verdict v = {0};
	struct tf_error err = {0};
	const double ms[] = {10, 10, 10, 10};
	session_of(&s, ms, 4);
	assert_int_equal(tf_gate_add(&g, TF_CHECK_MAX, "step_time_ms.mean=20", &err), 0);
	assert_int_equal(tf_gate_judge(&g, &s, NULL, &v, &err), 0);
	assert_int_equal(v.verdict, TF_INCONCLUSIVE);
	assert_string_equal(v.checks[0].reason, "too_few_steps");
	tf_arena_release(&v.arena);
	v = (struct tf_verdict){0};
	g.min_steps = 2;
	s.complete = false;
	assert_int_equal(tf_gate_judge(&g, &s, NULL, &v, &err), 0);
	assert_string_equal(v.checks[0].reason, "incomplete");
	tf_arena_release(&v.arena);
	tf_gate_release(&g);
	tf_session_release(&s);
}

static void malformed_rules_are_refused(void **state)
{
	(void)state;
	static const struct {
		enum tf_check_kind kind;
		const char *text;
	} bad[] = {{TF_CHECK_MAX, "step_time_ms.mean"}, {TF_CHECK_MAX, "step_time_ms.mean="}, {TF_CHECK_MAX, "=5"},
		   {TF_CHECK_MAX, "step_time_ms.mean=nan"}, {TF_CHECK_MAX, "step_time_ms.mean=inf"},
		   {TF_CHECK_MAX, "step_time_ms.mean=5%"}, {TF_CHECK_MAX, "input.share=5%x"},
		   {TF_CHECK_REGRESS, "step_time_ms.mean=-5%"}, {TF_CHECK_REGRESS, "step_time_ms.mean=5%+"},
		   {TF_CHECK_REGRESS, "step_time_ms.mean=5%+1GiB"}, {TF_CHECK_REGRESS, "steps.count=5%"},
		   {TF_CHECK_REGRESS, "step_time_ms.mean=5%+1ms+1ms"}, {TF_CHECK_MAX, "stpe_time_ms.mean=5"}};
	struct tf_gate g = {0};
	struct tf_error err;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		err = (struct tf_error){0};
		assert_int_equal(tf_gate_add(&g, bad[i].kind, bad[i].text, &err), -1);
		assert_int_equal(err.code, TF_EUSAGE);
	}
	assert_non_null(strstr(err.hint, "'step_time_ms.mean'"));
	tf_gate_release(&g);
}

static void the_slowest_host_makes_the_step(void **state)
{
	(void)state;
	struct tf_session s;
	struct tf_error err = {0};
	const double fast[] = {10, 10, 10};
	session_of(&s, fast, 3);
	struct tf_host *two = tf_arena_array(&s.arena, 2, sizeof *two);
	two[0] = two[1] = s.hosts[0];
	two[0].name = "h0";
	two[1].name = "h1";
	two[1].steps.list = tf_arena_array(&s.arena, 3, sizeof *two[1].steps.list);
	for (int i = 0; i < 3; i++) {
		two[1].steps.list[i] = two[0].steps.list[i];
		two[1].steps.list[i].step_ps = INT64_C(12000000000);
	}
	s.hosts = two;
	s.host_count = 2;
	assert_int_equal(tf_metrics_build(&s, &err), 0);
	assert_true(value(&s, "steps.count") == 3);
	assert_true(value(&s, "step_time_ms.mean") == 12);
	assert_true(value(&s, "step_time_ms.mean@h0") == 10);
	assert_true(value(&s, "step_time_ms.mean@h1") == 12);
	tf_session_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics_of_known_numbers),
		cmocka_unit_test(step_figures_are_over_the_steady_steps),
		cmocka_unit_test(every_unknown_metric_has_a_reason),
		cmocka_unit_test(names_of_metrics_are_checked),
		cmocka_unit_test(a_regression_exceeds_both_allowances),
		cmocka_unit_test(a_baseline_of_zero_has_only_the_absolute_allowance),
		cmocka_unit_test(limits_are_inclusive),
		cmocka_unit_test(what_is_unknown_never_passes),
		cmocka_unit_test(few_steps_and_cut_captures_are_inconclusive),
		cmocka_unit_test(malformed_rules_are_refused),
		cmocka_unit_test(the_slowest_host_makes_the_step),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
