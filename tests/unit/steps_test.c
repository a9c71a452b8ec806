/* Steps: their sources, spans, series and warm-up (METRICS.md §2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

static struct tf_trace *host(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	return t;
}

static void gpu(struct tf_trace *t, const char *name)
{
	mk_plane(t, name, "");
	mk_line(t, 1, "Stream #1", 0);
}

/* A marker called `name` with this number. */
static void marker(struct tf_trace *t, const char *name, int64_t number, int64_t begin_us, int64_t dur_us)
{
	char stats[32];

	snprintf(stats, sizeof stats, "step_num=%lld", (long long)number);
	mk_event(t, name, begin_us * US, dur_us * US, stats);
}

static const struct tf_step *step(const struct mk_analysis *a, size_t i)
{
	assert_true(i < a->host.steps.count);
	return &a->host.steps.list[i];
}

static void a_step_number_makes_a_step_whatever_the_name(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "Profiled batch", 7, 0, 10);
	marker(t, "Profiled batch", 8, 20, 30);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_HOST_MARKER);
	assert_int_equal(a->host.steps.count, 2);
	assert_int_equal(step(a, 0)->number, 7);
	assert_int_equal(step(a, 1)->number, 8);
	assert_int_equal(step(a, 1)->start_ps, 20 * US);
	assert_int_equal(step(a, 1)->step_ps, 30 * US);
	assert_string_equal(a->host.steps.event, "Profiled batch");
	assert_null(a->host.steps.reason);
	mk_analysis_free(a);
}

static void a_root_without_number_is_a_step(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "my_step", 0, 10 * US, "_r=1");
	mk_event(t, "my_step", 20 * US, 10 * US, "_r=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_HOST_MARKER);
	assert_int_equal(a->host.steps.count, 2);
	assert_int_equal(step(a, 1)->number, 1); /* its place in the list */
	mk_analysis_free(a);
}

static void nested_markers_of_one_number_are_one_step(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 3, 0, 100);
	marker(t, "FunctionRun", 3, 10, 80);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 1);
	assert_string_equal(step(a, 0)->name, "train");
	mk_analysis_free(a);
}

static void repeated_numbers_that_do_not_nest_are_steps_of_their_own(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 1, 0, 10);
	marker(t, "train", 2, 20, 10);
	marker(t, "train", 1, 40, 10);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 3);
	assert_int_equal(step(a, 2)->number, 1);
	assert_int_equal(step(a, 2)->start_ps, 40 * US);
	mk_analysis_free(a);
}

static void a_number_at_the_end_is_the_steps_and_not_the_names(void **state)
{
	static const struct {
		const char *first, *second, *series;
		int64_t numbers[2];
	} cases[] = {
		{"train 0", "train 1", "train", {0, 1}},
		{"ProfilerStep#7", "ProfilerStep#8", "ProfilerStep", {7, 8}},
		{"100", "101", "step", {100, 101}},
		{"layer2", "layer2", "layer2", {2, 2}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = host();
		mk_event(t, cases[i].first, 0, 10 * US, "_r=1");
		mk_event(t, cases[i].second, 20 * US, 10 * US, "_r=1");
		struct mk_analysis *a = mk_analyze(t, NULL);
		assert_int_equal(a->host.steps.series_count, 1);
		assert_int_equal(step(a, 0)->number, cases[i].numbers[0]);
		assert_int_equal(step(a, 1)->number, cases[i].numbers[1]);
		if (i < 3)
			assert_string_equal(a->host.steps.series[0].name, cases[i].series);
		mk_analysis_free(a);
	}
}

static void the_series_with_the_most_time_is_the_main_one(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "test", 0, 0, 10);
	marker(t, "train", 0, 20, 100);
	marker(t, "test", 1, 130, 10);
	marker(t, "test", 2, 150, 10);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.series_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct tf_step_series *s = &a->host.steps.series[i];
		bool train = strcmp(s->name, "train") == 0;
		assert_int_equal(s->main, train);
		assert_int_equal(s->count, train ? 1 : 3);
		assert_int_equal(s->total_ps, (train ? 100 : 30) * US);
	}
	assert_true(step(a, 1)->main_series);
	assert_false(step(a, 2)->main_series);
	mk_analysis_free(a);
}

static void the_period_runs_to_the_next_start_of_the_series(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 0, 0, 10);
	marker(t, "test", 0, 20, 5);
	marker(t, "train", 1, 30, 10);
	marker(t, "train", 2, 75, 10);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(step(a, 0)->period_ps, 30 * US);
	assert_int_equal(step(a, 1)->period_ps, TF_NONE);
	assert_int_equal(step(a, 2)->period_ps, 45 * US);
	assert_int_equal(step(a, 3)->period_ps, TF_NONE);
	mk_analysis_free(a);
}

static void warm_up_ends_with_the_first_ordinary_step(void **state)
{
	/* Medians of the later ones: 10, 10, 10 …; 21 is over twice 10, 20 is not; the late 50 is no warm-up. */
	static const int64_t us[] = {90, 21, 20, 10, 10, 50, 10, 10};
	struct tf_trace *t = host();

	(void)state;
	for (int i = 0; i < 8; i++)
		marker(t, "train", i, i * 100, us[i]);
	struct mk_analysis *a = mk_analyze(t, NULL);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(step(a, i)->warmup, i < 2);
	mk_analysis_free(a);
}

static void a_step_that_the_capture_cuts_is_incomplete(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 0, 0, 20);
	marker(t, "train", 1, 20, 20);
	marker(t, "train", 2, 40, 20);
	mk_plane(t, "Task Environment", "profile_start_time=1700000000000000000;profile_stop_time=1700000000000050000");
	struct mk_analysis *a = mk_analyze(t, NULL); /* from 0 to 50 µs */
	assert_true(step(a, 0)->complete);
	assert_true(step(a, 1)->complete);
	assert_false(step(a, 2)->complete);
	mk_analysis_free(a);
}

/* A step on the host that launches a kernel with this span. */
static struct mk_analysis *linked(int64_t begin_us, int64_t dur_us)
{
	struct tf_trace *t = host();
	marker(t, "train", 0, 0, 100);
	mk_event(t, "cuLaunchKernel", 10 * US, 5 * US, "correlation_id=1");
	gpu(t, "/device:GPU:0");
	mk_event(t, "k", begin_us * US, dur_us * US, "correlation_id=1");
	return mk_analyze(t, NULL);
}

static void the_interval_is_the_longer_span(void **state)
{
	(void)state;
	struct mk_analysis *a = linked(150, 30);
	assert_int_equal(step(a, 0)->start_ps, 0);
	assert_int_equal(step(a, 0)->step_ps, 100 * US);
	assert_int_equal(step(a, 0)->device_start_ps, 150 * US);
	assert_int_equal(step(a, 0)->device_ps, 30 * US);
	assert_false(step(a, 0)->device_by_overlap);
	mk_analysis_free(a);
	a = linked(150, 130);
	assert_int_equal(step(a, 0)->start_ps, 150 * US);
	assert_int_equal(step(a, 0)->step_ps, 130 * US);
	assert_int_equal(step(a, 0)->host_ps, 100 * US);
	mk_analysis_free(a);
	a = linked(150, 100); /* equal: the host's */
	assert_int_equal(step(a, 0)->start_ps, 0);
	mk_analysis_free(a);
}

/* The device's span is step 0's, the host's is step 1's: 150 is not before 110. */
static void a_next_step_that_starts_earlier_ends_no_period(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 0, 0, 100);
	mk_event(t, "cuLaunchKernel", 10 * US, 5 * US, "correlation_id=1");
	marker(t, "train", 1, 110, 100);
	marker(t, "train", 2, 220, 100);
	gpu(t, "/device:GPU:0");
	mk_event(t, "k", 150 * US, 130 * US, "correlation_id=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(step(a, 0)->start_ps, 150 * US);
	assert_int_equal(step(a, 1)->start_ps, 110 * US);
	assert_int_equal(step(a, 0)->period_ps, TF_NONE);
	assert_int_equal(step(a, 1)->period_ps, 110 * US); /* 110 to 220 */
	mk_analysis_free(a);
}

static void without_ids_device_events_are_taken_by_time_and_flagged(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 0, 0, 100);
	marker(t, "train", 1, 200, 100);
	gpu(t, "/device:GPU:0");
	mk_event(t, "k", 50 * US, 10 * US, "");
	mk_event(t, "k", 210 * US, 10 * US, "");
	mk_event(t, "k", 240 * US, 10 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(step(a, 0)->device_by_overlap);
	assert_int_equal(step(a, 0)->device_ps, 10 * US);
	assert_int_equal(step(a, 1)->device_ps, 40 * US); /* 210 to 250 */
	mk_analysis_free(a);
}

static void a_host_without_device_has_no_device_span(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 0, 0, 100);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(step(a, 0)->device_ps, TF_NONE);
	assert_false(step(a, 0)->device_by_overlap);
	mk_analysis_free(a);
}

/* Case C42, second part: XProf takes the longest span of one plane. */
static void c42_the_device_span_runs_over_all_devices(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 0, 0, 10);
	mk_event(t, "cuLaunchKernel", 1 * US, 1 * US, "correlation_id=1;device_id=0");
	mk_event(t, "cuLaunchKernel", 3 * US, 1 * US, "correlation_id=1;device_id=1");
	gpu(t, "/device:GPU:0");
	mk_event(t, "k", 300 * US, 100 * US, "correlation_id=1");
	gpu(t, "/device:GPU:1");
	mk_event(t, "k", 350 * US, 500 * US, "correlation_id=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(step(a, 0)->device_start_ps, 300 * US);
	assert_int_equal(step(a, 0)->step_ps, 550 * US);
	mk_analysis_free(a);
}

/* One kernel of the step for 80 µs and one of nobody for so long. */
static bool unreliable(int64_t outside_us)
{
	struct tf_trace *t = host();
	marker(t, "train", 0, 0, 100);
	mk_event(t, "cuLaunchKernel", 10 * US, 5 * US, "correlation_id=1");
	gpu(t, "/device:GPU:0");
	mk_event(t, "k", 10 * US, 80 * US, "correlation_id=1");
	mk_event(t, "stray", 500 * US, outside_us * US, "correlation_id=2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	bool flagged = a->host.steps.device_unreliable;
	mk_analysis_free(a);
	return flagged;
}

static void a_fifth_of_busy_time_outside_steps_may_be(void **state)
{
	(void)state;
	assert_false(unreliable(20)); /* 20 of 100 */
	assert_true(unreliable(21));
}

static void busy_time_outside_steps_is_a_union(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 0, 0, 100);
	mk_event(t, "cuLaunchKernel", 10 * US, 5 * US, "correlation_id=1");
	gpu(t, "/device:GPU:0");
	mk_event(t, "k", 10 * US, 80 * US, "correlation_id=1");
	for (int i = 0; i < 3; i++) { /* one after the other on streams of their own, all while k runs */
		mk_line(t, 2 + i, "Stream #2", 0);
		mk_event(t, "stray", 20 * US, 60 * US, "correlation_id=2");
	}
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_false(a->host.steps.device_unreliable);
	mk_analysis_free(a);
}

static void executor_iterations_in_a_row_are_steps(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "ExecutorState::Process", 0, 10 * US, "id=5;iter_num=1");
	mk_event(t, "ExecutorState::Process", 15 * US, 5 * US, "id=5;iter_num=1");
	mk_event(t, "ExecutorState::Process", 30 * US, 10 * US, "id=5;iter_num=2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_EXECUTOR);
	assert_int_equal(a->host.steps.count, 2);
	assert_int_equal(step(a, 0)->number, 1);
	assert_int_equal(step(a, 0)->host_ps, 20 * US);
	mk_analysis_free(a);
}

static void iterations_that_overlap_or_share_a_root_are_none(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "ExecutorState::Process", 0, 10 * US, "id=5;iter_num=1");
	mk_line(t, 2, "other", 0);
	mk_event(t, "ExecutorState::Process", 5 * US, 10 * US, "id=5;iter_num=2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_NONE);
	mk_analysis_free(a);

	t = host();
	mk_event(t, "FunctionRun", 0, 100 * US, "");
	mk_line(t, 2, "executor", 0);
	mk_event(t, "ExecutorState::Process", 5 * US, 10 * US, "id=5;iter_num=1");
	mk_event(t, "ExecutorState::Process", 25 * US, 10 * US, "id=5;iter_num=2");
	a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_NONE);
	mk_analysis_free(a);
}

static void a_session_run_is_a_step_of_the_executor(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "SessionRun", 0, 100 * US, "_r=1");
	mk_event(t, "SessionRun", 200 * US, 100 * US, "_r=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_EXECUTOR);
	assert_int_equal(a->host.steps.count, 2);
	mk_analysis_free(a);
}

static void a_steps_line_serves_where_the_host_marks_nothing(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "something", 0, 300 * US, "");
	mk_plane(t, "/device:TPU:0", "");
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "4", 0, 100 * US, "");
	mk_event(t, "5", 100 * US, 90 * US, "");
	mk_line(t, 2, "XLA Ops", 0);
	mk_event(t, "fusion.1", 10 * US, 50 * US, "");
	mk_plane(t, "/device:TPU:1", "");
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "4", 20 * US, 100 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_DEVICE_MARKER);
	assert_int_equal(a->host.steps.count, 2);
	assert_int_equal(step(a, 0)->number, 4);
	assert_int_equal(step(a, 0)->device_ps, 120 * US); /* both cores */
	assert_int_equal(step(a, 0)->host_ps, TF_NONE);
	assert_int_equal(step(a, 0)->part_ps[TF_PART_DEVICE_COMPUTE_32], 50 * US);
	mk_analysis_free(a);
}

static void the_period_of_get_next_is_inferred(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	for (int i = 0; i < 5; i++) {
		mk_event(t, "IteratorGetNextOp::DoCompute", i * 100 * US, 10 * US, "");
		mk_event(t, "work:MatMul", (i * 100 + 20) * US, 60 * US, "");
	}
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_INFERRED);
	assert_string_equal(a->host.steps.event, "IteratorGetNextOp::DoCompute");
	assert_int_equal(a->host.steps.count, 4);
	assert_int_equal(step(a, 0)->step_ps, 100 * US);
	assert_true(a->host.steps.confidence == 1); /* all alike */
	assert_int_equal(step(a, 1)->part_ps[TF_PART_INPUT_WAIT], 10 * US);
	assert_int_equal(step(a, 1)->part_ps[TF_PART_HOST_COMPUTE], 60 * US);
	assert_int_equal(step(a, 1)->part_ps[TF_PART_OTHER], 30 * US);
	mk_analysis_free(a);
}

static void without_steps_it_is_said_what_was_looked_for_and_what_repeats(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	for (int i = 0; i < 4; i++)
		mk_event(t, "my_loop", i * 100 * US, 50 * US, "");
	mk_event(t, "once", 500 * US, 50 * US, "");
	mk_line(t, 2, "other", 0);
	mk_event(t, "my_loop", 0, 50 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_NONE);
	assert_string_equal(a->host.steps.reason, "no_step_marker");
	assert_non_null(strstr(a->host.steps.looked_for, "step_num"));
	assert_non_null(strstr(a->host.steps.looked_for, "what repeats: my_loop (5)"));
	assert_null(strstr(a->host.steps.looked_for, "once"));
	mk_analysis_free(a);
}

static void an_empty_trace_has_no_steps(void **state)
{
	(void)state;
	struct mk_analysis *a = mk_analyze(mk_trace(), NULL);
	assert_int_equal(a->host.steps.count, 0);
	assert_string_equal(a->host.steps.reason, "no_step_marker");
	assert_non_null(strstr(a->host.steps.looked_for, "nothing"));
	mk_analysis_free(a);
}

static void a_nominated_event_wins_over_all_markers(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 1, 0, 300);
	mk_event(t, "my_loop", 10 * US, 50 * US, "");
	mk_event(t, "work:MatMul", 20 * US, 20 * US, "");
	mk_event(t, "my_loop", 100 * US, 50 * US, "");
	struct mk_analysis *a = mk_analyze(t, "^my_");
	assert_int_equal(a->host.steps.source, TF_STEPS_HOST_MARKER);
	assert_int_equal(a->host.steps.count, 2);
	assert_int_equal(step(a, 0)->host_ps, 50 * US);
	assert_int_equal(a->d.step[mk_find(t, "work:MatMul", 0)], 0);
	assert_int_equal(a->d.step[mk_find(t, "my_loop", 1)], 1);
	mk_analysis_free(a);
}

static void a_nominated_event_that_is_not_there_leaves_no_steps(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 1, 0, 300);
	struct mk_analysis *a = mk_analyze(t, "nothing_like_it");
	assert_int_equal(a->host.steps.source, TF_STEPS_NONE);
	assert_non_null(strstr(a->host.steps.looked_for, "--step-event"));
	mk_analysis_free(a);
}

static void kernels_follow_a_launch_inside_a_nominated_marker(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "my_loop", 0, 50 * US, "");
	mk_event(t, "FunctionRun", 10 * US, 30 * US, "_r=1");
	mk_event(t, "cuLaunchKernel", 20 * US, 5 * US, "correlation_id=1");
	mk_event(t, "my_loop", 100 * US, 50 * US, "");
	gpu(t, "/device:GPU:0");
	mk_event(t, "k", 120 * US, 10 * US, "correlation_id=1"); /* runs during the second step */
	struct mk_analysis *a = mk_analyze(t, "my_loop");
	assert_int_equal(a->d.step[mk_find(t, "k", 0)], 0);
	assert_int_equal(step(a, 0)->device_ps, 10 * US);
	assert_false(step(a, 0)->device_by_overlap);
	mk_analysis_free(a);
}

static void events_belong_to_the_step_of_their_group_else_of_their_time(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 1, 0, 100);
	mk_event(t, "FunctionRun", 10 * US, 20 * US, "_pt=2;_p=7");
	marker(t, "train", 2, 200, 100);
	mk_line(t, 2, "executor", 0);
	mk_event(t, "late", 220 * US, 10 * US, "_ct=2;_c=7");
	mk_event(t, "loose", 240 * US, 10 * US, "");
	mk_event(t, "between", 150 * US, 10 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.step[mk_find(t, "late", 0)], 0);
	assert_int_equal(a->d.step[mk_find(t, "loose", 0)], 1);
	assert_int_equal(a->d.step[mk_find(t, "between", 0)], -1);
	mk_analysis_free(a);
}

static void absurd_markers_are_no_steps(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	marker(t, "train", 1, 0, 100);
	marker(t, "train", 2, 200, 100);
	mk_event(t, "train", 400 * US, -5, "step_num=3");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 2);
	assert_int_equal(a->host.anomaly_count, 1);
	mk_analysis_free(a);
}

static void the_capture_says_what_it_lacks(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "dropped_traces=3");
	mk_line(t, 1, "main", 0);
	marker(t, "train", 1, 0, 100);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.dropped_count, 3);
	assert_false(a->host.complete);
	assert_int_equal(a->host.event_count, 1);
	mk_analysis_free(a);

	t = host();
	marker(t, "train", 1, 0, 100);
	a = mk_analyze(t, NULL);
	assert_int_equal(a->host.dropped_count, TF_NONE);
	assert_true(a->host.complete);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_number_makes_a_step_whatever_the_name),
		cmocka_unit_test(a_root_without_number_is_a_step),
		cmocka_unit_test(nested_markers_of_one_number_are_one_step),
		cmocka_unit_test(repeated_numbers_that_do_not_nest_are_steps_of_their_own),
		cmocka_unit_test(a_number_at_the_end_is_the_steps_and_not_the_names),
		cmocka_unit_test(the_series_with_the_most_time_is_the_main_one),
		cmocka_unit_test(the_period_runs_to_the_next_start_of_the_series),
		cmocka_unit_test(warm_up_ends_with_the_first_ordinary_step),
		cmocka_unit_test(a_step_that_the_capture_cuts_is_incomplete),
		cmocka_unit_test(the_interval_is_the_longer_span),
		cmocka_unit_test(a_next_step_that_starts_earlier_ends_no_period),
		cmocka_unit_test(without_ids_device_events_are_taken_by_time_and_flagged),
		cmocka_unit_test(a_host_without_device_has_no_device_span),
		cmocka_unit_test(c42_the_device_span_runs_over_all_devices),
		cmocka_unit_test(a_fifth_of_busy_time_outside_steps_may_be),
		cmocka_unit_test(busy_time_outside_steps_is_a_union),
		cmocka_unit_test(executor_iterations_in_a_row_are_steps),
		cmocka_unit_test(iterations_that_overlap_or_share_a_root_are_none),
		cmocka_unit_test(a_session_run_is_a_step_of_the_executor),
		cmocka_unit_test(a_steps_line_serves_where_the_host_marks_nothing),
		cmocka_unit_test(the_period_of_get_next_is_inferred),
		cmocka_unit_test(without_steps_it_is_said_what_was_looked_for_and_what_repeats),
		cmocka_unit_test(an_empty_trace_has_no_steps),
		cmocka_unit_test(a_nominated_event_wins_over_all_markers),
		cmocka_unit_test(a_nominated_event_that_is_not_there_leaves_no_steps),
		cmocka_unit_test(kernels_follow_a_launch_inside_a_nominated_marker),
		cmocka_unit_test(events_belong_to_the_step_of_their_group_else_of_their_time),
		cmocka_unit_test(absurd_markers_are_no_steps),
		cmocka_unit_test(the_capture_says_what_it_lacks),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
