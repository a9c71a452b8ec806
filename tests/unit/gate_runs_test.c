/* Several runs a side: a run is one observation (METRICS.md, "The gate"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/significance.h"
#include "tests/unit/support_gate.h"

enum { MOST_RUNS = 8, STEPS = 21 };

/* Runs of six equal steps of so many ms. */
static struct tf_runs runs_of(struct tf_session *list, const char *const *names, const double *ms, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const double steps[] = {ms[i], ms[i], ms[i], ms[i], ms[i], ms[i]};
		gate_session(&list[i], names[i], steps, 6);
	}
	return (struct tf_runs){list, n};
}

static const char *const now_names[] = {"n1", "n2", "n3", "n4"}, *const before_names[] = {"b1", "b2", "b3", "b4"};

/* The check of one rule over runs of these step times. */
static struct tf_check judge(enum tf_check_kind kind, const char *rule, const double *now, size_t n, const double *before, size_t m,
			     struct tf_verdict *v)
{
	struct tf_session a[4], b[4];
	struct tf_gate g = {.min_steps = 5, .alpha = 0.05};
	struct tf_error err = {0};

	*v = (struct tf_verdict){0};
	assert_int_equal(tf_gate_add(&g, kind, rule, &err), 0);
	assert_int_equal(tf_gate_judge_runs(&g, runs_of(a, now_names, now, n), runs_of(b, before_names, before, m), v, &err), 0);
	for (size_t i = 0; i < n; i++)
		tf_session_release(&a[i]);
	for (size_t i = 0; i < m; i++)
		tf_session_release(&b[i]);
	tf_gate_release(&g);
	return v->checks[0];
}

static void t_is_that_of_the_tables(void **state)
{
	(void)state;
	assert_true(fabs(tf_student_t_upper(1, 1) - 0.25) < 1e-15);
	assert_true(fabs(tf_student_t_upper(sqrt(2), 2) - (0.5 - sqrt(2) / 4)) < 1e-15);
	assert_true(fabs(tf_student_t_upper(-1, 1) - 0.75) < 1e-15);
	assert_true(tf_student_t_upper(0, 7) == 0.5);
	assert_true(tf_student_t_upper(1e9, 30) >= 0);
	assert_true(fabs(tf_student_t_quantile(0.025, 10) - 2.228139) < 1e-6);
	assert_true(fabs(tf_student_t_quantile(0.05, 4) - 2.131847) < 1e-6);
	assert_true(fabs(tf_student_t_quantile(0.025, 1) - 12.706205) < 1e-6);
	assert_true(fabs(tf_student_t_quantile(0.005, 3) - 5.840909) < 1e-6);
}

/* 10, 11, 12 against 8, 9, 10: 2 ms, of a standard error of √(1 · (1/3 + 1/3)); with 4 degrees of freedom 2.1318 is 5 %, 2.7764 2.5 %. */
static void runs_are_compared_by_their_scatter(void **state)
{
	(void)state;
	struct tf_verdict v;
	const double now[] = {12, 10, 11}, before[] = {8, 10, 9}, reach = 2.776445 * sqrt(2.0 / 3);
	struct tf_check c = judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", now, 3, before, 3, &v);

	assert_true(c.value == 11 && c.baseline == 9); /* the medians */
	assert_true(c.n == 3 && c.n_baseline == 3);
	assert_true(c.p_value > 0.025 && c.p_value < 0.05);
	assert_int_equal(c.verdict, TF_FAIL);
	assert_true(fabs(c.shift - 2) < 1e-12);
	assert_true(fabs(c.ci_low - (2 - reach)) < 1e-5 && fabs(c.ci_high - (2 + reach)) < 1e-5);
	assert_string_equal(v.session, "r/n1, r/n2, r/n3");
	assert_string_equal(v.baseline, "r/b1, r/b2, r/b3");
	tf_arena_release(&v.arena);
}

/* 11 against 8, 9, 10: 2 ms, of 1 · √(1 + 1/3), is t = 1.73 with 2 degrees of freedom: 2.92 would be 5 %. */
static void one_run_is_judged_by_the_scatter_of_the_baseline(void **state)
{
	(void)state;
	struct tf_verdict v;
	const double now[] = {11}, far[] = {13}, before[] = {8, 10, 9};
	struct tf_check c = judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", now, 1, before, 3, &v);

	assert_int_equal(c.verdict, TF_INCONCLUSIVE);
	assert_string_equal(c.reason, "not_significant");
	assert_true(c.n == 1 && c.n_baseline == 3); /* runs */
	tf_arena_release(&v.arena);
	c = judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", far, 1, before, 3, &v); /* 4 of 1.1547: 3.46 */
	assert_int_equal(c.verdict, TF_FAIL);
	tf_arena_release(&v.arena);
}

static void runs_that_all_agree_leave_no_room_for_chance(void **state)
{
	(void)state;
	struct tf_verdict v;
	const double now[] = {11, 11}, before[] = {10, 10};
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", now, 2, before, 2, &v).verdict, TF_FAIL);
	tf_arena_release(&v.arena);
	assert_int_equal(judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", before, 2, before, 2, &v).verdict, TF_PASS);
	tf_arena_release(&v.arena);
}

/* One broken run of the baseline neither moves its median nor hides in a mean. */
static void an_outlier_does_not_move_the_baseline(void **state)
{
	(void)state;
	struct tf_verdict v;
	const double now[] = {10, 10.1, 9.9}, before[] = {10, 10.1, 100};
	struct tf_check c = judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", now, 3, before, 3, &v);
	assert_true(c.baseline == 10.1);
	assert_int_equal(c.verdict, TF_PASS);
	tf_arena_release(&v.arena);
	const double slow[] = {12, 12.1, 11.9};
	c = judge(TF_CHECK_REGRESS, "step_time_ms.mean=5%", slow, 3, before, 3, &v);
	assert_int_equal(c.verdict, TF_INCONCLUSIVE); /* never a pass */
	tf_arena_release(&v.arena);
}

static void each_run_must_hold_a_limit(void **state)
{
	(void)state;
	struct tf_verdict v;
	const double now[] = {10, 14, 11};
	struct tf_check c = judge(TF_CHECK_MAX, "step_time_ms.mean=12ms", now, 3, NULL, 0, &v);
	assert_true(c.verdict == TF_FAIL && c.value == 14);
	tf_arena_release(&v.arena);
	c = judge(TF_CHECK_MAX, "step_time_ms.mean=14ms", now, 3, NULL, 0, &v);
	assert_int_equal(c.verdict, TF_PASS);
	tf_arena_release(&v.arena);
	c = judge(TF_CHECK_MIN, "step_time_ms.mean=10.5ms", now, 3, NULL, 0, &v);
	assert_true(c.verdict == TF_FAIL && c.value == 10);
	tf_arena_release(&v.arena);
}

static void one_doubtful_run_is_named(void **state)
{
	(void)state;
	struct tf_session a[2], b[2];
	struct tf_gate g = {.min_steps = 5, .alpha = TF_GATE_ALPHA};
	struct tf_verdict v = {0};
	struct tf_error err = {0};
	const double ms[] = {10, 10};
	struct tf_runs now = runs_of(a, now_names, ms, 2), before = runs_of(b, before_names, ms, 2);
	assert_int_equal(tf_gate_add(&g, TF_CHECK_REGRESS, "step_time_ms.mean=5%", &err), 0);
	b[1].complete = false;
	assert_int_equal(tf_gate_judge_runs(&g, now, before, &v, &err), 0);
	assert_string_equal(v.checks[0].reason, "incomplete");
	assert_string_equal(v.checks[0].detail, "in the baseline's run r/b2");
	tf_arena_release(&v.arena);
	v = (struct tf_verdict){0};
	b[1].complete = true;
	a[1].framework = "jax";
	assert_int_equal(tf_gate_judge_runs(&g, now, before, &v, &err), 0);
	assert_string_equal(v.checks[0].reason, "environment_differs");
	tf_arena_release(&v.arena);
	tf_gate_release(&g);
	for (size_t i = 0; i < 2; i++) {
		tf_session_release(&a[i]);
		tf_session_release(&b[i]);
	}
}

/* Uniform in 0..1: Knuth's MMIX generator, its upper bits. */
static double draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

/* Normal, mean 0 and standard deviation 1 (Box and Muller). */
static double draw_normal(uint64_t *state)
{
	double a = draw(state), b = draw(state);
	return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

/* Runs of STEPS steps of 10 ms times `factor`: 3 % from run to run and 6 % from step to step. */
static struct tf_runs draw_runs(struct tf_session *list, size_t n, double factor, uint64_t *state)
{
	for (size_t i = 0; i < n; i++) {
		double ms[STEPS], level = 10 * factor * (1 + 0.03 * draw_normal(state));
		for (size_t k = 0; k < STEPS; k++)
			ms[k] = level * (1 + 0.06 * draw_normal(state));
		gate_session(&list[i], "s", ms, STEPS);
	}
	return (struct tf_runs){list, n};
}

static void count_verdicts(int pairs, size_t n, size_t m, double factor, int verdicts[TF_VERDICT_KINDS])
{
	struct tf_gate g = {.min_steps = 5, .alpha = TF_GATE_ALPHA};
	struct tf_error err = {0};
	uint64_t state = 1;

	memset(verdicts, 0, TF_VERDICT_KINDS * sizeof *verdicts);
	assert_int_equal(tf_gate_add(&g, TF_CHECK_REGRESS, "step_time_ms.mean=1%", &err), 0);
	for (int i = 0; i < pairs; i++) {
		struct tf_session a[MOST_RUNS], b[MOST_RUNS];
		struct tf_verdict v = {0};
		struct tf_runs now = draw_runs(a, n, factor, &state), before = draw_runs(b, m, 1, &state);
		assert_int_equal(tf_gate_judge_runs(&g, now, before, &v, &err), 0);
		verdicts[v.verdict]++;
		tf_arena_release(&v.arena);
		for (size_t k = 0; k < n; k++)
			tf_session_release(&a[k]);
		for (size_t k = 0; k < m; k++)
			tf_session_release(&b[k]);
	}
	tf_gate_release(&g);
	printf("# %zu against %zu runs times %.2f: %d pass, %d fail, %d inconclusive of %d\n", n, m, factor, verdicts[TF_PASS],
	       verdicts[TF_FAIL], verdicts[TF_INCONCLUSIVE], pairs);
}

/* 1000 pairs at a level of 1 %: 10 fail at most, up to 3 standard deviations of chance (√(1000 · 0.01 · 0.99) = 3.1). */
static void runs_that_differ_by_themselves_seldom_fail(void **state)
{
	(void)state;
	int v[TF_VERDICT_KINDS];
	count_verdicts(1000, 1, 3, 1, v);
	assert_true(v[TF_FAIL] <= 19);
	count_verdicts(1000, 3, 3, 1, v);
	assert_true(v[TF_FAIL] <= 19);
	count_verdicts(200, 1, 1, 1, v);
	assert_true(v[TF_FAIL] > 20); /* two runs alone cannot tell: that is what several are for */
}

/* 25 % over 3 % + 6 % / √21 from run to run, of both sides' middle: t = 25 / (1.125 · 3.27 √(2/3)) = 8.3, where 3.75 is the level. */
static void a_true_change_of_runs_is_found(void **state)
{
	(void)state;
	int v[TF_VERDICT_KINDS];
	count_verdicts(1000, 3, 3, 1.25, v);
	assert_true(v[TF_FAIL] >= 950);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_is_that_of_the_tables),
		cmocka_unit_test(runs_are_compared_by_their_scatter),
		cmocka_unit_test(one_run_is_judged_by_the_scatter_of_the_baseline),
		cmocka_unit_test(runs_that_all_agree_leave_no_room_for_chance),
		cmocka_unit_test(an_outlier_does_not_move_the_baseline),
		cmocka_unit_test(each_run_must_hold_a_limit),
		cmocka_unit_test(one_doubtful_run_is_named),
		cmocka_unit_test(runs_that_differ_by_themselves_seldom_fail),
		cmocka_unit_test(a_true_change_of_runs_is_found),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
