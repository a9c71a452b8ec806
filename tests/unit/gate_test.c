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
	struct tf_gate g = {.min_steps = 5, .alpha = TF_GATE_ALPHA};
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
	struct tf_gate g = {.min_steps = 5, .alpha = TF_GATE_ALPHA};
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
		   {TF_CHECK_REGRESS, "step_time_ms.mean=5%+1ms+1ms"}, {TF_CHECK_REGRESS, "step_time_ms.mean=5%+-1ms"},
		   {TF_CHECK_REGRESS, "step_time_ms.mean=5%++1ms"}, {TF_CHECK_REGRESS, "step_time_ms.mean=+"},
		   {TF_CHECK_REGRESS, "step_time_ms.mean=%"}, {TF_CHECK_REGRESS, "step_time_ms.mean=+5%"},
		   {TF_CHECK_MAX, "stpe_time_ms.mean=5"}};
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

/* One rule on two sessions, which the caller has changed as the case needs; the check that comes of it. */
struct case_of_two {
	struct tf_gate gate;
	struct tf_session now, before;
	struct tf_verdict verdict;
};

static void begin_case(struct case_of_two *c)
{
	const double x[] = {10, 10, 10, 10, 10, 10}, y[] = {8, 8, 8, 8, 8, 8};

	*c = (struct case_of_two){.gate = {.min_steps = 5, .alpha = TF_GATE_ALPHA}};
	session_of(&c->now, x, 6);
	session_of(&c->before, y, 6);
}

static const struct tf_check *judge_case(struct case_of_two *c, enum tf_check_kind kind, const char *rule)
{
	struct tf_error err = {0};

	tf_gate_release(&c->gate);
	c->gate.min_steps = 5;
	c->gate.alpha = TF_GATE_ALPHA;
	tf_arena_release(&c->verdict.arena);
	c->verdict = (struct tf_verdict){0};
	assert_int_equal(tf_gate_add(&c->gate, kind, rule, &err), 0);
	assert_int_equal(tf_gate_judge(&c->gate, &c->now, &c->before, &c->verdict, &err), 0);
	return &c->verdict.checks[0];
}

static void end_case(struct case_of_two *c)
{
	tf_gate_release(&c->gate);
	tf_arena_release(&c->verdict.arena);
	tf_session_release(&c->now);
	tf_session_release(&c->before);
}

/* Gives the session one device with these figures. */
static void add_device(struct tf_session *s, const char *model, const char *window, double idle_ratio)
{
	struct tf_error err = {0};
	struct tf_host *h = &s->hosts[0];

	h->devices = tf_arena_alloc(&s->arena, sizeof *h->devices);
	h->devices[0] = (struct tf_device){.name = "/device:GPU:0", .kind = "gpu", .model = model, .traced = true,
					   .window_source = window, .window_ps = 1000, .idle_ratio = idle_ratio};
	h->device_count = 1;
	assert_int_equal(tf_metrics_build(s, &err), 0);
}

static void a_change_has_sign_percentage_and_limit(void **state)
{
	(void)state;
	struct case_of_two c;
	begin_case(&c);
	const struct tf_check *k = judge_case(&c, TF_CHECK_REGRESS, "step_time_ms.mean=5%+0.1ms");
	assert_int_equal(k->verdict, TF_FAIL); /* 8 ms → 10 ms; 0.4 ms were allowed */
	assert_string_equal(k->reason, "regression");
	assert_true(k->change == 2);
	assert_true(k->change_pct == 25);
	assert_true(fabs(k->rule.limit - 8.4) < 1e-12);
	assert_int_equal(k->n, 6);
	assert_int_equal(k->n_baseline, 6);
	end_case(&c);
}

static void rounding_is_no_regression(void **state)
{
	(void)state;
	struct case_of_two c;
	begin_case(&c);
	add_device(&c.now, "A100", "steps", 0.20);
	add_device(&c.before, "A100", "steps", 0.15);
	assert_true(0.20 - 0.15 > 0.05); /* as doubles */
	assert_int_equal(judge_case(&c, TF_CHECK_REGRESS, "device.idle_ratio.mean=+0.05")->verdict, TF_PASS);
	assert_int_equal(judge_case(&c, TF_CHECK_REGRESS, "device.idle_ratio.mean=+0.0499")->verdict, TF_FAIL);
	end_case(&c);
}

/* With a device there, the host's memory is not what the gate is about. */
static void memory_of_the_host_is_no_memory_of_a_device(void **state)
{
	(void)state;
	struct case_of_two c;
	struct tf_error err = {0};
	begin_case(&c);
	struct tf_host *h = &c.now.hosts[0];
	h->memory = tf_arena_alloc(&c.now.arena, sizeof *h->memory);
	h->memory[0] = (struct tf_allocator){.name = "host_bfc", .peak_bytes = 1 << 20, .lifetime_peak_bytes = TF_NONE,
					     .capacity_bytes = TF_NONE, .pre_existing_bytes = TF_NONE, .fragmentation = NAN};
	h->memory_count = 1;
	assert_int_equal(tf_metrics_build(&c.now, &err), 0);
	assert_int_equal(judge_case(&c, TF_CHECK_MAX, "memory.peak_bytes=1GiB")->verdict, TF_PASS);
	add_device(&c.now, "A100", "steps", 0.20);
	assert_int_equal(judge_case(&c, TF_CHECK_MAX, "memory.peak_bytes=1GiB")->verdict, TF_INCONCLUSIVE);
	assert_string_equal(judge_case(&c, TF_CHECK_MAX, "memory.peak_bytes=1GiB")->reason, "no_memory_events");
	assert_int_equal(judge_case(&c, TF_CHECK_MAX, "memory.peak_bytes[host_bfc]=1GiB")->verdict, TF_PASS);
	h->memory[0].on_device = true;
	assert_int_equal(tf_metrics_build(&c.now, &err), 0);
	assert_int_equal(judge_case(&c, TF_CHECK_MAX, "memory.peak_bytes=1GiB")->verdict, TF_PASS);
	end_case(&c);
}

static void a_cut_capture_neither_passes_nor_fails(void **state)
{
	(void)state;
	struct case_of_two c;
	begin_case(&c);
	c.now.complete = false;
	/* What was cut off could have had more steps, and faster ones. */
	assert_int_equal(judge_case(&c, TF_CHECK_MIN, "steps.count=7")->verdict, TF_INCONCLUSIVE);
	assert_int_equal(judge_case(&c, TF_CHECK_MAX, "step_time_ms.mean=1")->verdict, TF_INCONCLUSIVE);
	assert_string_equal(judge_case(&c, TF_CHECK_REGRESS, "step_time_ms.mean=5%")->reason, "incomplete");
	end_case(&c);
}

static void a_cut_baseline_is_named_as_such(void **state)
{
	(void)state;
	struct case_of_two c;
	begin_case(&c);
	c.before.complete = false;
	const struct tf_check *k = judge_case(&c, TF_CHECK_REGRESS, "step_time_ms.mean=5%");
	assert_int_equal(k->verdict, TF_INCONCLUSIVE);
	assert_string_equal(k->reason, "incomplete");
	assert_string_equal(k->detail, "in the baseline");
	end_case(&c);
}

static void dropped_events_can_be_gated(void **state)
{
	(void)state;
	struct case_of_two c;
	struct tf_error err = {0};
	begin_case(&c);
	c.now.hosts[0].dropped_count = 3;
	c.now.hosts[0].complete = false;
	assert_int_equal(tf_metrics_build(&c.now, &err), 0);
	assert_int_equal(judge_case(&c, TF_CHECK_MAX, "capture.dropped=0")->verdict, TF_FAIL);
	end_case(&c);
}

static void another_environment_is_no_baseline(void **state)
{
	(void)state;
	struct case_of_two c;
	struct tf_error err = {0};
	begin_case(&c);
	c.now.framework = "jax";
	c.before.framework = "tensorflow";
	const struct tf_check *k = judge_case(&c, TF_CHECK_REGRESS, "step_time_ms.mean=5%");
	assert_int_equal(k->verdict, TF_INCONCLUSIVE);
	assert_string_equal(k->reason, "environment_differs");
	assert_string_equal(k->detail, "framework 'jax', not 'tensorflow'");
	add_device(&c.now, "V100", "steps", 0.1);
	add_device(&c.before, "A100", "steps", 0.1);
	assert_string_equal(judge_case(&c, TF_CHECK_REGRESS, "step_time_ms.mean=5%")->detail,
			    "device gpu 'V100', not gpu 'A100'");
	c.gate.allow_env = true;
	tf_arena_release(&c.verdict.arena);
	c.verdict = (struct tf_verdict){0};
	assert_int_equal(tf_gate_judge(&c.gate, &c.now, &c.before, &c.verdict, &err), 0);
	assert_int_equal(c.verdict.verdict, TF_FAIL);
	end_case(&c);
}

static void devices_are_compared_in_any_order(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	struct tf_device xy[] = {{.kind = "gpu", .model = "X"}, {.kind = "gpu", .model = "Y"}};
	struct tf_device yx[] = {{.kind = "gpu", .model = "Y"}, {.kind = "gpu", .model = "X"}};
	struct tf_host h[] = {{.devices = xy, .device_count = 2}, {.devices = yx, .device_count = 2}};
	struct tf_session s = {.hosts = h, .host_count = 1}, t = {.hosts = h + 1, .host_count = 1};
	assert_null(tf_environment_difference(&s, &t, &a));
	yx[0].model = NULL; /* unknown is not the same */
	assert_non_null(tf_environment_difference(&s, &t, &a));
	t.host_count = 0;
	assert_string_equal(tf_environment_difference(&s, &t, &a), "1 hosts, not 0");
	tf_arena_release(&a);
}

static void a_difference_survives_a_lack_of_memory(void **state)
{
	(void)state;
	struct tf_arena tight = {.limit_bytes = 1};
	struct tf_session s = {.framework = "jax"}, t = {.framework = "pytorch"};
	assert_non_null(tf_environment_difference(&s, &t, &tight));
	tf_arena_release(&tight);
}

static void device_figures_over_steps_need_steps(void **state)
{
	(void)state;
	struct case_of_two c;
	struct tf_error err = {0};
	begin_case(&c);
	add_device(&c.now, "A100", "steps", 0.5);
	c.now.hosts[0].steps.count = 4;
	assert_int_equal(tf_metrics_build(&c.now, &err), 0);
	const struct tf_check *k = judge_case(&c, TF_CHECK_MAX, "device.idle_ratio.mean=0.9");
	assert_string_equal(k->reason, "too_few_steps");
	assert_string_equal(k->detail, "the session has 4 steady steps of 5");
	c.now.hosts[0].devices[0].window_source = "device_events"; /* no step is behind the figure */
	assert_int_equal(judge_case(&c, TF_CHECK_MAX, "device.idle_ratio.mean=0.9")->verdict, TF_PASS);
	end_case(&c);
}

static void windows_of_two_kinds_do_not_compare(void **state)
{
	(void)state;
	struct case_of_two c;
	begin_case(&c);
	add_device(&c.now, "A100", "steps", 0.5);
	add_device(&c.before, "A100", "device_events", 0.5);
	assert_string_equal(judge_case(&c, TF_CHECK_REGRESS, "device.idle_ratio.mean=+0.05")->reason, "window_differs");
	end_case(&c);
}

static void inferred_steps_do_not_count_unless_accepted(void **state)
{
	(void)state;
	struct case_of_two c;
	struct tf_error err = {0};
	begin_case(&c);
	c.now.hosts[0].steps.source = TF_STEPS_INFERRED;
	assert_string_equal(judge_case(&c, TF_CHECK_MAX, "step_time_ms.mean=1")->reason, "inferred_steps");
	assert_string_equal(judge_case(&c, TF_CHECK_MIN, "steps.count=1")->reason, "inferred_steps");
	assert_int_equal(judge_case(&c, TF_CHECK_MIN, "capture.events=0")->verdict, TF_PASS);
	judge_case(&c, TF_CHECK_MAX, "step_time_ms.mean=1");
	c.gate.accept_inferred = true;
	tf_arena_release(&c.verdict.arena);
	c.verdict = (struct tf_verdict){0};
	assert_int_equal(tf_gate_judge(&c.gate, &c.now, NULL, &c.verdict, &err), 0);
	assert_int_equal(c.verdict.verdict, TF_FAIL);
	end_case(&c);
}

static void scalars_do_not_depend_on_the_capture(void **state)
{
	(void)state;
	struct case_of_two c;
	struct tf_error err = {0};
	begin_case(&c);
	c.now.scalars = tf_arena_alloc(&c.now.arena, sizeof *c.now.scalars);
	c.now.scalars[0] = (struct tf_scalar_series){.tag = "loss", .count = 3, .last = 0.5, .min = 0.5, .max = 2, .mean = 1};
	c.now.scalar_count = 1;
	c.now.hosts[0].complete = false;
	assert_int_equal(tf_metrics_build(&c.now, &err), 0);
	assert_int_equal(judge_case(&c, TF_CHECK_MAX, "scalar[loss].last=1")->verdict, TF_PASS);
	const struct tf_check *k = judge_case(&c, TF_CHECK_MAX, "scalar[los].last=1");
	assert_string_equal(k->reason, "not_in_session");
	assert_string_equal(k->detail, "there is 'scalar[loss].last'");
	end_case(&c);
}

/* The default gate on two sessions. */
static void judge_default(struct case_of_two *c)
{
	struct tf_error err = {0};

	assert_int_equal(tf_gate_add_default(&c->gate, &err), 0);
	assert_int_equal(c->gate.rule_count, 4);
	assert_int_equal(tf_gate_judge(&c->gate, &c->now, &c->before, &c->verdict, &err), 0);
}

static void the_default_gate_skips_what_neither_side_has(void **state)
{
	(void)state;
	struct case_of_two c;
	begin_case(&c);
	judge_default(&c);
	assert_int_equal(c.verdict.checks[0].verdict, TF_FAIL);	   /* 8 ms → 10 ms */
	assert_int_equal(c.verdict.checks[1].verdict, TF_SKIPPED); /* no memory events on both sides */
	assert_string_equal(c.verdict.checks[1].reason, "no_memory_events");
	assert_int_equal(c.verdict.checks[2].verdict, TF_SKIPPED);
	assert_int_equal(c.verdict.checks[3].verdict, TF_SKIPPED);
	assert_int_equal(c.verdict.verdict, TF_FAIL);
	end_case(&c);
}

static void null_for_two_reasons_is_not_skipped(void **state)
{
	(void)state;
	struct case_of_two c;
	struct tf_error err = {0};
	begin_case(&c);
	c.before.hosts[0].input.reason = "something_else";
	assert_int_equal(tf_metrics_build(&c.before, &err), 0);
	judge_default(&c);
	assert_int_equal(c.verdict.checks[2].verdict, TF_INCONCLUSIVE);
	end_case(&c);
}

static void an_empty_capture_passes_no_gate(void **state)
{
	(void)state;
	struct case_of_two c = {.gate = {.min_steps = 5, .alpha = TF_GATE_ALPHA}};
	session_of(&c.now, NULL, 0);
	session_of(&c.before, NULL, 0);
	judge_default(&c);
	for (int i = 0; i < 4; i++)
		assert_int_equal(c.verdict.checks[i].verdict, TF_SKIPPED);
	assert_int_equal(c.verdict.verdict, TF_INCONCLUSIVE);
	assert_string_equal(c.verdict.reason, "nothing_compared");
	end_case(&c);
}

static void a_collapse_passes_with_a_remark(void **state)
{
	(void)state;
	struct case_of_two c;
	begin_case(&c);
	for (int i = 0; i < 6; i++)
		c.now.hosts[0].steps.list[i].step_ps = INT64_C(240000000); /* 8 ms → 0.24 ms */
	struct tf_error err = {0};
	assert_int_equal(tf_metrics_build(&c.now, &err), 0);
	const struct tf_check *k = judge_case(&c, TF_CHECK_REGRESS, "step_time_ms.mean=5%+0.1ms");
	assert_int_equal(k->verdict, TF_PASS);
	assert_string_equal(k->reason, "suspicious_improvement");
	/* Within the absolute allowance even 97 % is noise. */
	assert_null(judge_case(&c, TF_CHECK_REGRESS, "step_time_ms.mean=5%+10ms")->reason);
	end_case(&c);
}

static void down_is_worse_where_it_says_so(void **state)
{
	(void)state;
	struct case_of_two c;
	begin_case(&c);
	assert_int_equal(judge_case(&c, TF_CHECK_REGRESS, "steps.count:down=+0")->verdict, TF_PASS);
	c.now.hosts[0].steps.count = 5;
	struct tf_error err = {0};
	assert_int_equal(tf_metrics_build(&c.now, &err), 0);
	assert_int_equal(judge_case(&c, TF_CHECK_REGRESS, "steps.count:down=+0")->verdict, TF_FAIL);
	assert_int_equal(judge_case(&c, TF_CHECK_REGRESS, "steps.count:up=+0")->verdict, TF_PASS);
	end_case(&c);
}

/* A rule that must be refused; its error. */
static struct tf_error refused(enum tf_check_kind kind, const char *text)
{
	struct tf_gate g = {0};
	struct tf_error err = {0};

	assert_int_equal(tf_gate_add(&g, kind, text, &err), -1);
	assert_int_equal(err.code, TF_EUSAGE);
	tf_gate_release(&g);
	return err;
}

static struct tf_rule accepted(enum tf_check_kind kind, const char *text)
{
	struct tf_gate g = {0};
	struct tf_error err = {0};

	assert_int_equal(tf_gate_add(&g, kind, text, &err), 0);
	struct tf_rule r = g.rules[0];
	r.metric = NULL; /* it dies with the gate */
	tf_gate_release(&g);
	return r;
}

static void a_number_alone_is_no_allowance(void **state)
{
	(void)state;
	/* "5" could mean 5 %, 500 % or 5 ms. */
	assert_non_null(strstr(refused(TF_CHECK_REGRESS, "step_time_ms.mean=5").hint, "'5%+0.1ms'"));
	refused(TF_CHECK_REGRESS, "step_time_ms.mean=5ms");
	refused(TF_CHECK_REGRESS, "input.share=0.05");
	assert_true(accepted(TF_CHECK_REGRESS, "step_time_ms.mean=+5ms").absolute == 5);
	assert_true(accepted(TF_CHECK_REGRESS, "step_time_ms.mean=+5ms").relative == 0);
	assert_true(accepted(TF_CHECK_REGRESS, "input.share=+5%").absolute == 0.05); /* points of the share itself */
	assert_true(accepted(TF_CHECK_REGRESS, "memory.peak_bytes=1%+16MiB").absolute == 16 << 20);
	assert_true(accepted(TF_CHECK_REGRESS, "memory.peak_bytes=1%+16MiB").relative == 0.01);
}

static void limits_that_cannot_fail_or_pass_are_refused(void **state)
{
	(void)state;
	refused(TF_CHECK_MAX, "step_time_ms.mean=-5");
	refused(TF_CHECK_MIN, "steps.count=-1");
	refused(TF_CHECK_MAX, "step_time_ms.mean=1e308s"); /* finite as typed, infinite in ms */
	refused(TF_CHECK_REGRESS, "step_time_ms.mean=+1e308s");
	assert_non_null(strstr(refused(TF_CHECK_MAX, "input.share=20").hint, "'20%'"));
	assert_true(accepted(TF_CHECK_MAX, "input.share=100%").limit == 1);
	assert_true(accepted(TF_CHECK_MIN, "scalar[reward].last=-3").limit == -3);
}

static void directions_may_be_given_but_not_contradicted(void **state)
{
	(void)state;
	assert_int_equal(accepted(TF_CHECK_REGRESS, "scalar[loss].last:up=5%").worse, TF_WORSE_UP);
	assert_int_equal(accepted(TF_CHECK_REGRESS, "scalar[acc].last:down=5%").worse, TF_WORSE_DOWN);
	assert_int_equal(accepted(TF_CHECK_REGRESS, "step_time_ms.mean:up=5%").worse, TF_WORSE_UP);
	assert_int_equal(accepted(TF_CHECK_REGRESS, "device.kernel_ratio=+0.1").worse, TF_WORSE_DOWN);
	refused(TF_CHECK_REGRESS, "step_time_ms.mean:down=5%");
	refused(TF_CHECK_MAX, "scalar[loss].last:down=5");
}

static void tags_may_hold_what_rules_are_made_of(void **state)
{
	(void)state;
	assert_true(accepted(TF_CHECK_MAX, "scalar[a=b:up].last=3").limit == 3);
	assert_true(accepted(TF_CHECK_MAX, "scalar[a]=b].last=3").limit == 3);
}

static void near_names_are_suggested(void **state)
{
	(void)state;
	assert_non_null(strstr(refused(TF_CHECK_MAX, "step_time=1").hint, "'step_time_ms.mean'"));
	assert_non_null(strstr(refused(TF_CHECK_MAX, "memory.peek_bytes[GPU_0_bfc]=1").hint, "'memory.peak_bytes[]'"));
	assert_non_null(strstr(refused(TF_CHECK_MAX, "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq=1").hint, "report --json"));
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
		cmocka_unit_test(a_change_has_sign_percentage_and_limit),
		cmocka_unit_test(rounding_is_no_regression),
		cmocka_unit_test(a_cut_capture_neither_passes_nor_fails),
		cmocka_unit_test(memory_of_the_host_is_no_memory_of_a_device),
		cmocka_unit_test(a_cut_baseline_is_named_as_such),
		cmocka_unit_test(dropped_events_can_be_gated),
		cmocka_unit_test(another_environment_is_no_baseline),
		cmocka_unit_test(devices_are_compared_in_any_order),
		cmocka_unit_test(a_difference_survives_a_lack_of_memory),
		cmocka_unit_test(device_figures_over_steps_need_steps),
		cmocka_unit_test(windows_of_two_kinds_do_not_compare),
		cmocka_unit_test(inferred_steps_do_not_count_unless_accepted),
		cmocka_unit_test(scalars_do_not_depend_on_the_capture),
		cmocka_unit_test(the_default_gate_skips_what_neither_side_has),
		cmocka_unit_test(null_for_two_reasons_is_not_skipped),
		cmocka_unit_test(an_empty_capture_passes_no_gate),
		cmocka_unit_test(a_collapse_passes_with_a_remark),
		cmocka_unit_test(down_is_worse_where_it_says_so),
		cmocka_unit_test(a_number_alone_is_no_allowance),
		cmocka_unit_test(limits_that_cannot_fail_or_pass_are_refused),
		cmocka_unit_test(directions_may_be_given_but_not_contradicted),
		cmocka_unit_test(tags_may_hold_what_rules_are_made_of),
		cmocka_unit_test(near_names_are_suggested),
		cmocka_unit_test(the_slowest_host_makes_the_step),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
