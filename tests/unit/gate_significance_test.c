/* The gate on figures of steps: what may be noise is neither a pass nor a failure (METRICS.md, "The gate"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/gate.h"
#include "lib/analyze/significance.h"
#include "lib/analyze/step_samples.h"

struct sides {
	struct tf_gate gate;
	struct tf_session now, before;
	struct tf_verdict verdict;
};

/* A session of one host: steps of these lengths in ms, a tenth of each an input wait. */
static void session_of(struct tf_session *s, const double *ms, size_t n)
{
	struct tf_error err = {0};

	*s = (struct tf_session){.run = "r", .name = "s", .start_ns = TF_NONE};
	struct tf_host *h = s->hosts = tf_arena_alloc(&s->arena, sizeof *h);
	s->host_count = 1;
	*h = (struct tf_host){.name = "h", .complete = true, .end_ps = 1000, .start_ns = TF_NONE, .dropped_count = TF_NONE,
			      .device_reason = "no_device_plane", .memory_reason = "no_memory_events", .op_reason = "no_op_events"};
	h->input = (struct tf_input){.evidence = "iterator_get_next", .get_next_count = TF_NONE};
	h->steps.list = tf_arena_array(&s->arena, n, sizeof *h->steps.list);
	h->steps.count = n;
	for (size_t i = 0; i < n; i++) {
		int64_t ps = (int64_t)(ms[i] * 1e9);
		struct tf_step *p = &h->steps.list[i];
		*p = (struct tf_step){.number = (int64_t)i, .name = "train", .series = "train", .main_series = true, .complete = true,
				      .step_ps = ps, .period_ps = TF_NONE, .input_ps = ps / 10, .stall_ps = TF_NONE,
				      .kernel_count = TF_NONE, .has_breakdown = true};
		p->part_ps[TF_PART_INPUT_WAIT] = ps / 10;
		p->part_ps[TF_PART_DEVICE_COMPUTE_16] = ps / 5;
		p->part_ps[TF_PART_DEVICE_COMPUTE_32] = ps / 2;
		p->part_ps[TF_PART_OTHER] = ps - ps / 10 - ps / 5 - ps / 2;
	}
	assert_int_equal(tf_metrics_build(s, &err), 0);
}

static void begin(struct sides *c, const double *now, size_t n, const double *before, size_t m)
{
	*c = (struct sides){.gate = {.min_steps = 1, .alpha = TF_GATE_ALPHA}};
	session_of(&c->now, now, n);
	session_of(&c->before, before, m);
}

static void add_rule(struct sides *c, const char *rule)
{
	struct tf_error err = {0};
	assert_int_equal(tf_gate_add(&c->gate, TF_CHECK_REGRESS, rule, &err), 0);
}

static const struct tf_check *judge(struct sides *c)
{
	struct tf_error err = {0};

	tf_arena_release(&c->verdict.arena);
	c->verdict = (struct tf_verdict){0};
	assert_int_equal(tf_gate_judge(&c->gate, &c->now, &c->before, &c->verdict, &err), 0);
	return c->verdict.checks;
}

static void end(struct sides *c)
{
	tf_gate_release(&c->gate);
	tf_arena_release(&c->verdict.arena);
	tf_session_release(&c->now);
	tf_session_release(&c->before);
}

/* Ten steps of 10 … 10.9 ms, in no order that repeats. */
static const double steady[] = {10.3, 10.8, 10.1, 10.6, 10.0, 10.9, 10.4, 10.2, 10.7, 10.5};

static void a_clear_shift_fails_with_its_figures(void **state)
{
	(void)state;
	struct sides c;
	double slow[10];
	for (int i = 0; i < 10; i++)
		slow[i] = steady[i] + 2;
	begin(&c, slow, 10, steady, 10);
	add_rule(&c, "step_time_ms.mean=5%+0.1ms");
	const struct tf_check *k = judge(&c);
	assert_int_equal(k->verdict, TF_FAIL);
	assert_true(fabs(k->shift - 2) < 1e-9);
	assert_true(k->ci_low > 1 && k->ci_low < 2 && k->ci_high > 2 && k->ci_high < 3);
	assert_true(k->p_value <= 0.001 && k->p_adjusted == k->p_value);
	assert_true(c.verdict.alpha == TF_GATE_ALPHA);
	end(&c);
}

static void one_slow_step_is_no_regression_but_no_pass(void **state)
{
	(void)state;
	struct sides c;
	double slow[10];
	memcpy(slow, steady, sizeof slow);
	slow[4] = 30; /* the mean is 19 % up; of the other nine none is slower than before */
	begin(&c, slow, 10, steady, 10);
	add_rule(&c, "step_time_ms.mean=5%+0.1ms");
	const struct tf_check *k = judge(&c);
	assert_int_equal(k->verdict, TF_INCONCLUSIVE);
	assert_string_equal(k->reason, "not_significant");
	assert_int_equal(c.verdict.verdict, TF_INCONCLUSIVE);
	assert_true(k->change_pct > 5);
	end(&c);
}

static void within_the_allowance_is_a_pass_however_significant(void **state)
{
	(void)state;
	struct sides c;
	double slow[10];
	for (int i = 0; i < 10; i++)
		slow[i] = steady[i] + 2;
	begin(&c, slow, 10, steady, 10);
	add_rule(&c, "step_time_ms.mean=50%");
	const struct tf_check *k = judge(&c);
	assert_int_equal(k->verdict, TF_PASS);
	assert_null(k->reason);
	assert_true(k->p_value <= 0.001);
	end(&c);
}

static void too_few_steps_cannot_show_it(void **state)
{
	(void)state;
	struct sides c;
	const double slow[] = {20, 21, 22}, fast[] = {10, 11, 12};
	begin(&c, slow, 3, fast, 3);
	c.gate.alpha = 0.04; /* the least p of 3 and 3 steps is 1 / 20 */
	add_rule(&c, "step_time_ms.mean=5%");
	const struct tf_check *k = judge(&c);
	assert_int_equal(k->verdict, TF_INCONCLUSIVE);
	assert_string_equal(k->reason, "too_few_samples");
	assert_true(fabs(k->p_value - 0.05) < 1e-12);
	c.gate.alpha = 0.05;
	assert_int_equal(judge(&c)->verdict, TF_FAIL);
	end(&c);
}

/* The least p of 3 and 3 steps is 1 / 20; of two metrics the smaller one needs 1 / 40. */
static void the_correction_counts_all_metrics(void **state)
{
	(void)state;
	struct sides c;
	const double slow[] = {20, 21, 22}, fast[] = {10, 11, 12};
	begin(&c, slow, 3, fast, 3);
	add_rule(&c, "step_time_ms.mean=5%");
	add_rule(&c, "step_breakdown_ms.other=5%");
	add_rule(&c, "step_time_ms.max=5%"); /* not sampled: outside the family */
	const struct tf_check *k = judge(&c);
	assert_true(fabs(k[0].p_adjusted - 0.1) < 1e-12);
	assert_true(fabs(k[1].p_adjusted - 0.1) < 1e-12);
	assert_string_equal(k[0].reason, "too_few_samples");
	assert_true(isnan(k[2].p_value) && isnan(k[2].shift));
	assert_int_equal(k[2].verdict, TF_FAIL);
	c.gate.alpha = 0.1;
	assert_int_equal(judge(&c)[0].verdict, TF_FAIL);
	end(&c);
}

static void a_least_effect_is_asked_for_beyond_the_baseline(void **state)
{
	(void)state;
	struct sides c;
	double slow[10];
	for (int i = 0; i < 10; i++)
		slow[i] = steady[i] + 2;
	begin(&c, slow, 10, steady, 10);
	add_rule(&c, "step_time_ms.mean=5%");
	c.gate.min_effect = 0.10; /* 1.045 of the 2 ms: every step still is slower */
	assert_int_equal(judge(&c)->verdict, TF_FAIL);
	c.gate.min_effect = 0.20; /* 2.09 ms: nothing is left */
	assert_string_equal(judge(&c)->reason, "not_significant");
	assert_true(fabs(c.verdict.checks[0].shift - 2) < 1e-9); /* as it is */
	end(&c);
}

static void dependence_widens_the_doubt(void **state)
{
	(void)state;
	struct sides c;
	struct tf_error err = {0};
	double slow[24], fast[24], x[24], y[24], p;
	/* Two levels, each held for many steps: two runs that spend other times on them. In ranks 24 steps, in truth two. */
	for (int i = 0; i < 24; i++) {
		y[i] = fast[i] = (i < 18 ? 10 : 14) + 0.01 * (i * 7 % 12);
		x[i] = slow[i] = (i < 6 ? 10 : 14) + 0.01 * (i * 5 % 12) + 0.001;
	}
	tf_stats_sort(x, 24);
	tf_stats_sort(y, 24);
	assert_int_equal(tf_mann_whitney(x, 24, y, 24, &p, &err), 0);
	assert_true(p < 0.005);
	begin(&c, slow, 24, fast, 24);
	c.gate.alpha = 0.005;
	add_rule(&c, "step_time_ms.mean=5%");
	const struct tf_check *k = judge(&c);
	assert_true(k->p_value > 0.005);
	assert_string_equal(k->reason, "not_significant");
	end(&c);
}

static size_t samples_of(const struct tf_session *s, const char *metric, int64_t count, double *first)
{
	struct tf_error err = {0};
	double *x;
	size_t n;

	assert_int_equal(tf_step_samples(s, metric, count, &x, &n, &err), 0);
	*first = n ? x[0] : NAN;
	free(x);
	return n;
}

static void each_step_tells_what_a_figure_is_the_mean_of(void **state)
{
	(void)state;
	struct tf_session s;
	const double ms[] = {20, 30};
	double first;
	session_of(&s, ms, 2);
	static const struct {
		const char *metric;
		double first;
	} sampled[] = {{"step_time_ms.mean", 20}, {"step_time_ms.median", 20}, {"input.share", 0.1}, {"input.exposed_share", 0.1},
		       {"input.wait_ms_per_step", 2}, {"step_breakdown_ms.input_wait", 2}, {"step_breakdown_ms.device_compute", 14},
		       {"step_breakdown_ms.other", 4}, {"step_time_ms.mean@h", 20}};
	for (size_t i = 0; i < sizeof sampled / sizeof sampled[0]; i++) {
		assert_int_equal(samples_of(&s, sampled[i].metric, 2, &first), 2);
		assert_true(fabs(first - sampled[i].first) < 1e-12);
	}
	static const char *const none[] = {"step_time_ms.p95", "step_time_ms.mean_all", "step_breakdown_ms.device_compute_16",
					   "step_breakdown_ms.device_compute_32", "input.stall_share", "step_period_ms.mean",
					   "memory.peak_bytes", "step_time_ms.mean@other"};
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		assert_int_equal(samples_of(&s, none[i], 2, &first), 0);
	assert_int_equal(samples_of(&s, "step_time_ms.mean", 3, &first), 0); /* one is not listed */
	s.hosts[0].steps.list[0].warmup = true;
	assert_int_equal(samples_of(&s, "step_time_ms.mean", 1, &first), 1);
	assert_true(first == 30);
	tf_session_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clear_shift_fails_with_its_figures),
		cmocka_unit_test(one_slow_step_is_no_regression_but_no_pass),
		cmocka_unit_test(within_the_allowance_is_a_pass_however_significant),
		cmocka_unit_test(too_few_steps_cannot_show_it),
		cmocka_unit_test(the_correction_counts_all_metrics),
		cmocka_unit_test(a_least_effect_is_asked_for_beyond_the_baseline),
		cmocka_unit_test(dependence_widens_the_doubt),
		cmocka_unit_test(each_step_tells_what_a_figure_is_the_mean_of),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
