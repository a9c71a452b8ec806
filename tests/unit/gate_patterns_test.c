/* Rules over many metrics, waivers and environments (METRICS.md, "The gate"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "tests/unit/support_gate.h"

struct fixture {
	struct tf_gate gate;
	struct tf_session now, before;
	struct tf_verdict verdict;
};

static void begin(struct fixture *f)
{
	const double x[] = {10, 10, 10, 10, 10, 10}, y[] = {8, 8, 8, 8, 8, 8};

	*f = (struct fixture){.gate = {.min_steps = 5, .alpha = TF_GATE_ALPHA, .today = "2026-06-15"}};
	gate_session(&f->now, "now", x, 6);
	gate_session(&f->before, "before", y, 6);
}

static void end(struct fixture *f)
{
	tf_arena_release(&f->verdict.arena);
	tf_gate_release(&f->gate);
	tf_session_release(&f->now);
	tf_session_release(&f->before);
}

static void add(struct fixture *f, enum tf_check_kind kind, const char *rule)
{
	struct tf_error err = {0};

	if (tf_gate_add(&f->gate, kind, rule, &err) < 0)
		fail_msg("%s: %s", rule, err.text);
}

static void waive(struct fixture *f, const char *metric, int kind, const char *expires)
{
	struct tf_error err = {0};

	if (tf_gate_add_waiver(&f->gate, &(struct tf_waiver){metric, kind, expires, "bug 7", {"c.json", 3}}, &err) < 0)
		fail_msg("%s: %s", metric, err.text);
}

static const struct tf_verdict *judge(struct fixture *f)
{
	struct tf_error err = {0};

	tf_arena_release(&f->verdict.arena);
	f->verdict = (struct tf_verdict){0};
	assert_int_equal(tf_gate_judge(&f->gate, &f->now, &f->before, &f->verdict, &err), 0);
	return &f->verdict;
}

static void a_pattern_is_a_check_a_metric(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	gate_add_scalar(&f.now, "a/loss", 1);
	gate_add_scalar(&f.now, "b/loss", 3);
	gate_add_scalar(&f.now, "accuracy", 9);
	add(&f, TF_CHECK_MAX, "scalar[*loss].last=2");
	const struct tf_verdict *v = judge(&f);
	assert_int_equal(v->check_count, 2);
	assert_string_equal(v->checks[0].rule.metric, "scalar[a/loss].last");
	assert_int_equal(v->checks[0].verdict, TF_PASS);
	assert_string_equal(v->checks[1].rule.metric, "scalar[b/loss].last");
	assert_int_equal(v->checks[1].verdict, TF_FAIL);
	end(&f);
}

static void what_is_said_of_one_counts_before_what_is_said_of_many(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	gate_add_scalar(&f.now, "a", 1);
	gate_add_scalar(&f.now, "b", 3);
	add(&f, TF_CHECK_MAX, "scalar[*].last=2");
	add(&f, TF_CHECK_MAX, "scalar[b].last=4");
	assert_int_equal(judge(&f)->check_count, 2);
	assert_int_equal(f.verdict.verdict, TF_PASS);
	end(&f);
}

static void a_pattern_without_any_metric_guards_nothing(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	add(&f, TF_CHECK_MAX, "scalar[*].last=2");
	assert_int_equal(judge(&f)->verdict, TF_INCONCLUSIVE);
	assert_string_equal(f.verdict.checks[0].reason, "not_in_session");
	assert_string_equal(f.verdict.checks[0].rule.metric, "scalar[*].last");
	end(&f);
}

static void a_tag_that_is_gone_is_missing(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	gate_add_scalar(&f.now, "a", 1);
	gate_add_scalar(&f.before, "a", 1);
	gate_add_scalar(&f.before, "b", 1);
	add(&f, TF_CHECK_REGRESS, "scalar[*].last:up=5%");
	assert_int_equal(judge(&f)->check_count, 2);
	assert_int_equal(f.verdict.checks[0].verdict, TF_PASS);
	assert_string_equal(f.verdict.checks[1].reason, "not_in_session");
	end(&f);
}

static void figures_of_hosts_are_asked_for(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	add(&f, TF_CHECK_MAX, "step_time_ms.me*=20");
	assert_int_equal(judge(&f)->check_count, 3); /* mean, median, mean_all */
	end(&f);
	begin(&f);
	struct tf_metric *m = tf_arena_push(&f.now.arena, (void **)&f.now.metrics, &f.now.metric_count, &f.now.metric_cap, sizeof *m);
	assert_non_null(m);
	*m = *tf_metric_find(&f.now, "step_time_ms.mean");
	m->host = "h";
	add(&f, TF_CHECK_MAX, "step_time_ms.mean@*=20");
	assert_int_equal(judge(&f)->check_count, 1);
	assert_string_equal(f.verdict.checks[0].rule.metric, "step_time_ms.mean@h");
	end(&f);
}

static void patterns_of_different_kinds_are_refused(void **state)
{
	(void)state;
	static const struct {
		enum tf_check_kind kind;
		const char *rule;
	} bad[] = {{TF_CHECK_MAX, "memory.*[*]=1GiB"},   /* bytes and a ratio */
		   {TF_CHECK_REGRESS, "kernels.*_*=5%"}, /* ms, launches and a ratio */
		   {TF_CHECK_REGRESS, "device.*_ratio=5%"}, /* up and down */
		   {TF_CHECK_REGRESS, "scalar[*].last=5%"}, /* without a direction */
		   {TF_CHECK_MAX, "steptime*=1"}};
	struct tf_gate g = {0};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct tf_error err = {0};
		assert_int_equal(tf_gate_add(&g, bad[i].kind, bad[i].rule, &err), -1);
		assert_int_equal(err.code, TF_EUSAGE);
	}
	tf_gate_release(&g);
}

static void a_waiver_lets_through_until_its_day_is_over(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	add(&f, TF_CHECK_MAX, "step_time_ms.mean=5ms");
	waive(&f, "step_time_ms.*", -1, "2026-06-15");
	assert_int_equal(judge(&f)->verdict, TF_PASS);
	assert_int_equal(f.verdict.checks[0].verdict, TF_WAIVED);
	assert_string_equal(f.verdict.checks[0].reason, "limit_broken");
	assert_string_equal(f.verdict.checks[0].detail, "waived until 2026-06-15: bug 7");
	assert_int_equal(f.verdict.waivers[0].state, TF_WAIVER_USED);
	assert_int_equal(f.verdict.waivers[0].checks, 1);
	f.gate.today = "2026-06-16";
	assert_int_equal(judge(&f)->verdict, TF_FAIL);
	assert_string_equal(f.verdict.checks[0].detail, "a waiver expired on 2026-06-15: bug 7");
	assert_int_equal(f.verdict.waivers[0].state, TF_WAIVER_EXPIRED);
	end(&f);
}

static void a_waiver_of_another_kind_or_metric_is_not_used(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	add(&f, TF_CHECK_MAX, "step_time_ms.mean=5ms");
	waive(&f, "step_time_ms.mean", TF_CHECK_REGRESS, "2027-01-01");
	waive(&f, "step_time_ms.median", -1, "2027-01-01");
	assert_int_equal(judge(&f)->verdict, TF_FAIL);
	assert_int_equal(f.verdict.waivers[0].state, TF_WAIVER_UNUSED);
	assert_int_equal(f.verdict.waivers[1].state, TF_WAIVER_UNUSED);
	end(&f);
}

static void the_unknown_cannot_be_waived(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	add(&f, TF_CHECK_MAX, "device.idle_ratio.mean=0.5");
	waive(&f, "device.*", -1, "2027-01-01");
	assert_int_equal(judge(&f)->verdict, TF_INCONCLUSIVE);
	assert_int_equal(f.verdict.waivers[0].state, TF_WAIVER_UNUSED);
	end(&f);
}

static void what_may_be_noise_can_be_waived(void **state)
{
	(void)state;
	struct fixture f;
	const double x[] = {10, 12, 8, 11, 9.5, 13}, y[] = {9, 11, 8.5, 10, 9.2, 12};
	begin(&f);
	tf_session_release(&f.now);
	tf_session_release(&f.before);
	gate_session(&f.now, "now", x, 6);
	gate_session(&f.before, "before", y, 6);
	add(&f, TF_CHECK_REGRESS, "step_time_ms.mean=1%");
	assert_int_equal(judge(&f)->verdict, TF_INCONCLUSIVE);
	waive(&f, "step_time_ms.mean", TF_CHECK_REGRESS, "2027-01-01");
	assert_int_equal(judge(&f)->verdict, TF_PASS);
	end(&f);
}

static void malformed_waivers_are_refused(void **state)
{
	(void)state;
	static const struct tf_waiver bad[] = {
		{"step_time_ms.maen", -1, "2026-12-31", "x", {0}}, {"*.maen", -1, "2026-12-31", "x", {0}},
		{"step_time_ms.mean", -1, "2026-12-31", " \t", {0}}, {"step_time_ms.mean", -1, "2026-02-29", "x", {0}},
		{"step_time_ms.mean", -1, "31.12.2026", "x", {0}}, {"step_time_ms.mean", -1, "2026-1-31", "x", {0}},
		{"step_time_ms.mean", -1, "", "x", {0}}, {"step_time_ms.mean", -1, "2026-00-10", "x", {0}},
		{"step_time_ms.mean", -1, "2026-12-310", "x", {0}}};
	struct tf_gate g = {0};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct tf_error err = {0};
		assert_int_equal(tf_gate_add_waiver(&g, &bad[i], &err), -1);
		assert_int_equal(err.code, TF_EUSAGE);
	}
	assert_true(tf_date_valid("2028-02-29"));
	assert_false(tf_date_valid("2100-02-29"));
	assert_true(tf_date_valid("2000-02-29"));
	tf_gate_release(&g);
}

static void a_limit_is_for_the_machines_that_it_names(void **state)
{
	(void)state;
	struct fixture f;
	struct tf_environment any = {TF_NONE, TF_NONE, NULL, NULL};
	begin(&f);
	f.gate.environments = &any;
	f.gate.environment_count = 1;
	add(&f, TF_CHECK_MAX, "step_time_ms.mean=50ms");
	assert_int_equal(judge(&f)->verdict, TF_PASS);
	any.model = "*A100*"; /* there is no device */
	assert_int_equal(judge(&f)->verdict, TF_INCONCLUSIVE);
	assert_string_equal(f.verdict.checks[0].reason, "environment_not_allowed");
	any = (struct tf_environment){1, 0, NULL, NULL};
	assert_int_equal(judge(&f)->verdict, TF_PASS);
	any.hosts = 2;
	assert_int_equal(judge(&f)->verdict, TF_INCONCLUSIVE);
	any = (struct tf_environment){TF_NONE, TF_NONE, NULL, "jax"};
	assert_int_equal(judge(&f)->verdict, TF_INCONCLUSIVE);
	f.now.framework = "jax";
	assert_int_equal(judge(&f)->verdict, TF_PASS);
	f.gate.environment_count = 0;
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_is_a_check_a_metric),
		cmocka_unit_test(what_is_said_of_one_counts_before_what_is_said_of_many),
		cmocka_unit_test(a_pattern_without_any_metric_guards_nothing),
		cmocka_unit_test(a_tag_that_is_gone_is_missing),
		cmocka_unit_test(figures_of_hosts_are_asked_for),
		cmocka_unit_test(patterns_of_different_kinds_are_refused),
		cmocka_unit_test(a_waiver_lets_through_until_its_day_is_over),
		cmocka_unit_test(a_waiver_of_another_kind_or_metric_is_not_used),
		cmocka_unit_test(the_unknown_cannot_be_waived),
		cmocka_unit_test(what_may_be_noise_can_be_waived),
		cmocka_unit_test(malformed_waivers_are_refused),
		cmocka_unit_test(a_limit_is_for_the_machines_that_it_names),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
