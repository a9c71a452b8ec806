/* Where steps come from (METRICS.md §2): which source wins, what it takes for a step, and what is said when there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/support_analyze.h"

static struct tf_trace *host(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	return t;
}

/* Analyses and releases; the steps must be of this source, each as "name#number@begin+length" of its marker in us. */
static void steps(struct tf_trace *t, const char *step_event, enum tf_step_source source, const char *want)
{
	struct mk_analysis *a = mk_analyze(t, step_event);
	const struct tf_steps *s = &a->host.steps;
	struct tf_buf got = {0};

	tf_buf_text(&got, "");
	for (size_t i = 0; i < s->count; i++) {
		const struct tf_step *x = &s->list[i];
		bool on_host = x->host_start_ps != TF_NONE;
		tf_buf_printf(&got, "%s%s#%lld@%lld+%lld", i ? " " : "", x->name, (long long)x->number,
			      (long long)((on_host ? x->host_start_ps : x->device_start_ps) / US),
			      (long long)((on_host ? x->host_ps : x->device_ps) / US));
	}
	assert_string_equal(got.data, want);
	assert_string_equal(tf_step_source_name(s->source), tf_step_source_name(source));
	tf_buf_release(&got);
	mk_analysis_free(a);
}

/* Every source at once, the best left out one after the other. */
static void sources_in_order(void **state)
{
	(void)state;
	static const struct {
		enum tf_step_source source;
		const char *want;
	} cases[] = {
		{TF_STEPS_HOST_MARKER, "numbered#3@0+10"},
		{TF_STEPS_HOST_MARKER, "root#0@20+10"},
		{TF_STEPS_EXECUTOR, "ExecutorState::Process#1@40+10 ExecutorState::Process#2@60+10"},
		{TF_STEPS_EXECUTOR, "SessionRun#0@80+10"},
		{TF_STEPS_DEVICE_MARKER, "7#7@0+90"},
		{TF_STEPS_INFERRED, "IteratorGetNextOp::DoCompute#0@100+20 IteratorGetNextOp::DoCompute#1@120+20"},
		{TF_STEPS_NONE, ""},
	};
	for (size_t left_out = 0; left_out < sizeof cases / sizeof cases[0]; left_out++) {
		struct tf_trace *t = host();
		mk_event(t, "something", 500 * US, 10 * US, "");
		if (left_out < 1)
			mk_event(t, "numbered", 0, 10 * US, "step_num=3");
		if (left_out < 2)
			mk_event(t, "root", 20 * US, 10 * US, "_r=1");
		if (left_out < 3)
			for (int i = 1; i <= 2; i++)
				mk_event(t, "ExecutorState::Process", (20 + 20 * i) * US, 10 * US, i == 1 ? "id=1;iter_num=1" : "id=1;iter_num=2");
		if (left_out < 4)
			mk_event(t, "SessionRun", 80 * US, 10 * US, "_r=1");
		for (int i = 0; left_out < 6 && i < 3; i++)
			mk_event(t, "IteratorGetNextOp::DoCompute", (100 + 20 * i) * US, 5 * US, "");
		if (left_out < 5) {
			mk_plane(t, "/device:TPU:0", "");
			mk_line(t, 1, "Steps", 0);
			mk_event(t, "7", 0, 90 * US, "");
		}
		steps(t, NULL, cases[left_out].source, cases[left_out].want);
	}
}

static void numbers_of_zero_and_below_are_numbers(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "s", 0, 10 * US, "step_num=0");
	mk_event(t, "s", 20 * US, 10 * US, "step_num=-5");
	steps(t, NULL, TF_STEPS_HOST_MARKER, "s#0@0+10 s#-5@20+10");
}

static void markers_of_the_device_or_other_planes_do_not_count(void **state)
{
	(void)state;
	static const char *const planes[] = {"/device:GPU:0", "/host:metadata", "Task Environment"};
	for (size_t i = 0; i < 3; i++) {
		struct tf_trace *t = host();
		mk_event(t, "x", 0, 10 * US, "");
		mk_plane(t, planes[i], "");
		mk_line(t, 1, "line", 0);
		mk_event(t, "s", 0, 10 * US, "step_num=1");
		steps(t, NULL, TF_STEPS_NONE, "");
	}
}

static void names_that_mark_a_root_need_no_flag(void **state)
{
	(void)state;
	static const char *const names[] = {"TraceContext", "ProcessBatch", "BatchingSessionRun"};
	for (size_t i = 0; i < 3; i++) {
		char want[64];
		struct tf_trace *t = host();
		mk_event(t, names[i], 10 * US, 10 * US, "");
		snprintf(want, sizeof want, "%s#0@10+10", names[i]);
		steps(t, NULL, TF_STEPS_HOST_MARKER, want);
	}
}

static void a_root_level_of_zero_is_none(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "x", 0, 10 * US, "_r=0");
	mk_event(t, "y", 20 * US, 10 * US, "_r=-1");
	steps(t, NULL, TF_STEPS_NONE, "");
}

static void a_marker_inside_another_number_is_a_step_too(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "epoch", 0, 100 * US, "step_num=1");
	mk_event(t, "batch", 10 * US, 20 * US, "step_num=7");
	mk_event(t, "inner", 12 * US, 5 * US, "step_num=7"); /* the same step once more */
	mk_event(t, "batch", 40 * US, 20 * US, "step_num=1"); /* of the epoch's number */
	steps(t, NULL, TF_STEPS_HOST_MARKER, "epoch#1@0+100 batch#7@10+20");
}

static void unnumbered_roots_repeat_by_name(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "a", 0, 100 * US, "_r=1");
	mk_event(t, "a", 10 * US, 10 * US, "_r=1");
	mk_event(t, "b", 30 * US, 10 * US, "_r=1");
	steps(t, NULL, TF_STEPS_HOST_MARKER, "a#0@0+100 b#1@30+10");
}

static void implicit_roots_must_have_made_their_group(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "SessionRun", 0, 100 * US, "_r=1");
	mk_event(t, "FunctionRun", 10 * US, 20 * US, "_r=1"); /* inside it: no step of its own */
	mk_event(t, "FunctionRun", 200 * US, 20 * US, "_r=1");
	mk_event(t, "RunGraph", 300 * US, 20 * US, ""); /* no flag */
	steps(t, NULL, TF_STEPS_EXECUTOR, "SessionRun#0@0+100 FunctionRun#1@200+20");
}

static void nominated_events_are_matched_anywhere_in_the_name(void **state)
{
	(void)state;
	for (int k = 0; k < 3; k++) {
		struct tf_trace *t = host();
		mk_event(t, "my_step_7", 0, 10 * US, "");
		mk_event(t, "step", 20 * US, 10 * US, "step_num=4");
		mk_event(t, "other", 40 * US, 10 * US, "step_num=5");
		static const char *const patterns[] = {"step", "^step$", "^my_step_[0-9]+$"};
		static const char *const want[] = {"my_step_7#7@0+10 step#4@20+10", "step#4@20+10", "my_step_7#7@0+10"};
		steps(t, patterns[k], TF_STEPS_HOST_MARKER, want[k]);
	}
}

static void steps_lines_of_several_devices_are_one_series(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "x", 0, US, "");
	for (int d = 0; d < 2; d++) {
		mk_plane(t, d ? "/device:TPU:1" : "/device:TPU:0", "");
		mk_line(t, 1, "Steps", 0);
		mk_event(t, "1", (d ? 5 : 10) * US, 20 * US, "");  /* 5-25 and 10-30 */
		mk_event(t, "2", 40 * US, (d ? 5 : 20) * US, ""); /* 40-60 and 40-45 */
	}
	mk_line(t, 2, "Other", 0);
	mk_event(t, "3", 70 * US, 5 * US, "");
	steps(t, NULL, TF_STEPS_DEVICE_MARKER, "1#1@5+25 2#2@40+20");
}

static void a_steps_line_of_the_host_is_none(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "x", 0, US, "");
	mk_line(t, 2, "Steps", 0);
	mk_event(t, "1", 0, 10 * US, "");
	steps(t, NULL, TF_STEPS_NONE, "");
}

static void two_repeats_are_no_period(void **state)
{
	(void)state;
	for (int n = 2; n <= 3; n++) {
		struct tf_trace *t = host();
		for (int i = 0; i < n; i++)
			mk_event(t, "IteratorGetNext", 20 * i * US, 5 * US, "");
		steps(t, NULL, n == 2 ? TF_STEPS_NONE : TF_STEPS_INFERRED, n == 2 ? "" : "IteratorGetNext#0@0+20 IteratorGetNext#1@20+20");
	}
}

/* Waits for input say more than programs, programs of a device more than launches, launches more than nothing. */
static void periods_by_what_repeats(void **state)
{
	(void)state;
	static const char *const events[] = {"IteratorGetNext", "module", "jit_f", "PjitFunction(f)"};
	for (int from = 0; from < 5; from++) {
		struct tf_trace *t = host();
		for (int k = from; k < 4; k++)
			for (int i = 0; k != 1 && i < 3; i++)
				mk_event(t, events[k], (100 * i + 20 * k) * US, (5 - k) * US, "");
		mk_event(t, "Iterator", 900 * US, US, "");
		if (from <= 1) {
			mk_plane(t, "/device:GPU:0", "");
			mk_line(t, 1, "XLA Modules", 0);
			for (int i = 0; i < 3; i++)
				mk_event(t, "module", (100 * i + 20) * US, 5 * US, "");
		}
		struct mk_analysis *a = mk_analyze(t, NULL);
		assert_int_equal(a->host.steps.source, from < 4 ? TF_STEPS_INFERRED : TF_STEPS_NONE);
		if (from < 4)
			assert_string_equal(a->host.steps.event, events[from]); /* of equal rank the one that takes more time */
		mk_analysis_free(a);
	}
}

static void sends_of_a_wait_and_nested_launches_are_no_period(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	for (int i = 0; i < 5; i++) {
		mk_event(t, "IteratorGetNext/_2:_Send", 100 * i * US, 5 * US, "");
		mk_event(t, "outer", (100 * i + 10) * US, 50 * US, "");
		mk_event(t, "jit_f", (100 * i + 20) * US, 20 * US, "");
	}
	steps(t, NULL, TF_STEPS_NONE, "");
}

/* 1 / (1 + coefficient of variation): periods of 10, 20 and 30 have mean 20 and a standard deviation of 10. */
static void confidence_falls_with_variation(void **state)
{
	(void)state;
	static const int64_t at[] = {0, 10, 30, 60};
	struct tf_trace *t = host();
	for (size_t i = 0; i < 4; i++)
		mk_event(t, "IteratorGetNext", at[i] * US, US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 3);
	assert_true(fabs(a->host.steps.confidence - 1 / 1.5) < 1e-12);
	mk_analysis_free(a);
}

static void the_same_instant_over_and_over_has_no_confidence(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	for (int i = 0; i < 4; i++)
		mk_event(t, "IteratorGetNext", 5 * US, 0, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	if (a->host.steps.source == TF_STEPS_INFERRED)
		assert_true(a->host.steps.confidence == 0);
	for (size_t i = 0; i < a->host.steps.count; i++)
		assert_int_equal(a->host.steps.list[i].step_ps, 0);
	mk_analysis_free(a);
}

static void without_steps_it_says_what_repeats_most(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	for (int k = 0; k < 7; k++)
		for (int i = 0; i <= k; i++) {
			char name[8] = {'w', 'o', 'r', 'k', (char)('0' + k), 0};
			mk_event(t, name, (100 * k + 10 * i) * US, 5 * US, "");
		}
	struct mk_analysis *a = mk_analyze(t, NULL);
	const char *said = a->host.steps.looked_for;
	assert_string_equal(a->host.steps.reason, "no_step_marker");
	assert_non_null(strstr(said, "what repeats: work6 (7), work5 (6), work4 (5), work3 (4), work2 (3)"));
	assert_null(strstr(said, "work1")); /* five are enough */
	mk_analysis_free(a);
}

static void names_in_words_are_text(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	for (int i = 0; i < 2; i++)
		mk_event(t, "b\xff", 10 * i * US, 5 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_non_null(strstr(a->host.steps.looked_for, "b\xef\xbf\xbd (2)"));
	mk_analysis_free(a);
}

static void what_is_there_once_does_not_repeat(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "a", 0, 5 * US, "");
	mk_event(t, "b", 10 * US, 5 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_non_null(strstr(a->host.steps.looked_for, "what repeats: nothing"));
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_in_order),
		cmocka_unit_test(numbers_of_zero_and_below_are_numbers),
		cmocka_unit_test(markers_of_the_device_or_other_planes_do_not_count),
		cmocka_unit_test(names_that_mark_a_root_need_no_flag),
		cmocka_unit_test(a_root_level_of_zero_is_none),
		cmocka_unit_test(a_marker_inside_another_number_is_a_step_too),
		cmocka_unit_test(unnumbered_roots_repeat_by_name),
		cmocka_unit_test(implicit_roots_must_have_made_their_group),
		cmocka_unit_test(nominated_events_are_matched_anywhere_in_the_name),
		cmocka_unit_test(steps_lines_of_several_devices_are_one_series),
		cmocka_unit_test(a_steps_line_of_the_host_is_none),
		cmocka_unit_test(two_repeats_are_no_period),
		cmocka_unit_test(periods_by_what_repeats),
		cmocka_unit_test(sends_of_a_wait_and_nested_launches_are_no_period),
		cmocka_unit_test(confidence_falls_with_variation),
		cmocka_unit_test(the_same_instant_over_and_over_has_no_confidence),
		cmocka_unit_test(without_steps_it_says_what_repeats_most),
		cmocka_unit_test(names_in_words_are_text),
		cmocka_unit_test(what_is_there_once_does_not_repeat),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
