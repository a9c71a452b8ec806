/* Allowances from repeats (METRICS.md, "The gate"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/calibrate.h"
#include "lib/render/render.h"
#include "tests/unit/support_gate.h"

/* Allowances for runs of six equal steps of so many ms, and a tag with so much; released by the caller. */
static void calibrate(const char *const *rules, size_t rule_count, const double *ms, const double *loss, size_t n,
		      struct tf_calibration *out)
{
	struct tf_session s[8];
	struct tf_gate g = {.min_steps = 5, .alpha = 0.05};
	struct tf_error err = {0};

	*out = (struct tf_calibration){0};
	for (size_t i = 0; i < n; i++) {
		const double steps[] = {ms[i], ms[i], ms[i], ms[i], ms[i], ms[i]};
		gate_session(&s[i], "s", steps, 6);
		gate_add_scalar(&s[i], "loss", loss[i]);
	}
	for (size_t i = 0; i < rule_count; i++)
		assert_int_equal(tf_gate_add(&g, TF_CHECK_REGRESS, rules[i], &err), 0);
	if (tf_gate_calibrate(&g, (struct tf_runs){s, n}, out, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < n; i++)
		tf_session_release(&s[i]);
	tf_gate_release(&g);
}

static const char *const one[] = {"step_time_ms.mean=1%"};
static const char *const two[] = {"step_time_ms.mean=1%", "scalar[loss].last:up=1%"};

/* 10, 11, 12: s = 1, and t(95 %, 2) = 2.919986, times √2 is 4.1295 ms of 11 ms: 37.54 %. */
static void an_allowance_is_what_two_runs_differ_by(void **state)
{
	(void)state;
	struct tf_calibration c;
	const double ms[] = {12, 10, 11}, loss[] = {0, 0, 0};
	calibrate(one, 1, ms, loss, 3, &c);
	assert_int_equal(c.count, 1);
	assert_true(c.list[0].median == 11 && fabs(c.list[0].deviation - 1) < 1e-12);
	assert_true(c.list[0].is_relative && fabs(c.list[0].amount - 0.376) < 1e-12);
	tf_arena_release(&c.arena);
}

/* Of two figures each has half of the level: t(97.5 %, 2) = 4.302653, times √2 is 6.0849 of 11: 55.32 %. */
static void the_level_is_shared_by_all_figures(void **state)
{
	(void)state;
	struct tf_calibration c;
	const double ms[] = {12, 10, 11}, loss[] = {0, 0, 0};
	calibrate(two, 2, ms, loss, 3, &c);
	assert_int_equal(c.count, 2);
	assert_true(fabs(c.list[0].amount - 0.554) < 1e-12);
	assert_true(!c.list[1].is_relative && c.list[1].amount == 0 && c.list[1].worse == TF_WORSE_UP);
	tf_arena_release(&c.arena);
}

static void figures_that_never_differ_keep_the_least(void **state)
{
	(void)state;
	struct tf_calibration c;
	const double ms[] = {10, 10, 10}, loss[] = {0, 0, 0};
	calibrate(one, 1, ms, loss, 3, &c);
	assert_true(c.list[0].amount == 0.001);
	tf_arena_release(&c.arena);
}

static void it_is_printed_as_a_configuration(void **state)
{
	(void)state;
	struct tf_calibration c;
	struct tf_error err = {0};
	const double ms[] = {12, 10, 11}, loss[] = {-1, 0, 1};
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	calibrate(two, 2, ms, loss, 3, &c);
	assert_int_equal(tf_render_calibration(to, &c, &err), 0);
	fclose(to);
	assert_string_equal(text, "{\n  \"schema\": \"tfprof.config/1\",\n  \"limits\": {\n"
				  "    \"step_time_ms.mean\": {\"max_regress\": \"55.4%\"},\n"
				  "    \"scalar[loss].last\": {\"max_regress\": \"+6.1\", \"worse\": \"up\"}\n  }\n}\n");
	free(text);
	tf_arena_release(&c.arena);
}

static void a_run_that_cannot_be_judged_is_refused(void **state)
{
	(void)state;
	struct tf_session s[3];
	struct tf_gate g = {.min_steps = 5, .alpha = 0.05};
	struct tf_calibration c = {0};
	struct tf_error err = {0};
	const double ms[] = {10, 10, 10, 10, 10, 10};
	for (size_t i = 0; i < 3; i++)
		gate_session(&s[i], "s", ms, i == 1 ? 2 : 6);
	assert_int_equal(tf_gate_add(&g, TF_CHECK_REGRESS, one[0], &err), 0);
	assert_int_equal(tf_gate_calibrate(&g, (struct tf_runs){s, 3}, &c, &err), -1);
	assert_int_equal(err.code, TF_EINCONCLUSIVE);
	assert_non_null(strstr(err.text, "too_few_steps"));
	for (size_t i = 0; i < 3; i++)
		tf_session_release(&s[i]);
	tf_arena_release(&c.arena);
	tf_gate_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_allowance_is_what_two_runs_differ_by),
		cmocka_unit_test(the_level_is_shared_by_all_figures),
		cmocka_unit_test(figures_that_never_differ_keep_the_least),
		cmocka_unit_test(it_is_printed_as_a_configuration),
		cmocka_unit_test(a_run_that_cannot_be_judged_is_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
