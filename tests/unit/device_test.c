/* How busy devices are (METRICS.md §4). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

static struct tf_trace *gpu(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 7, "Stream #7(Compute)", 0);
	return t;
}

static const struct tf_device *device(const struct mk_analysis *a, size_t i)
{
	assert_true(i < a->host.device_count);
	return &a->host.devices[i];
}

static void busy_is_a_union_over_streams(void **state)
{
	struct tf_trace *t = gpu();

	(void)state;
	mk_event(t, "k", 0, 60 * US, "");
	mk_line(t, 8, "Stream #8(Compute)", 0);
	mk_event(t, "k", 30 * US, 50 * US, "");
	mk_event(t, "k", 90 * US, 10 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_device *d = device(a, 0);
	assert_string_equal(d->name, "/device:GPU:0");
	assert_string_equal(d->kind, "gpu");
	assert_int_equal(d->ordinal, 0);
	assert_string_equal(d->window_source, "device_events");
	assert_int_equal(d->window_ps, 100 * US);
	assert_int_equal(d->busy_ps, 90 * US);
	assert_int_equal(d->kernel_ps, 90 * US);
	assert_true(fabs(d->idle_ratio - 0.1) < 1e-12);
	mk_analysis_free(a);
}

static void kinds_of_work_are_told_apart(void **state)
{
	struct tf_trace *t = gpu();

	(void)state;
	mk_event(t, "sgemm", 0, 30 * US, "");
	mk_event(t, "MemcpyH2D", 30 * US, 20 * US, "");
	mk_event(t, "Memset", 50 * US, 10 * US, "");
	mk_event(t, "ncclDevKernel_AllReduce", 60 * US, 40 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(device(a, 0)->busy_ps, 100 * US);
	assert_int_equal(device(a, 0)->kernel_ps, 30 * US);
	assert_int_equal(device(a, 0)->memcpy_ps, 20 * US);
	assert_int_equal(device(a, 0)->comm_ps, 40 * US);
	assert_int_equal(device(a, 0)->exposed_comm_ps, 40 * US);
	mk_analysis_free(a);
}

static void communication_behind_kernels_is_not_exposed(void **state)
{
	struct tf_trace *t = gpu();

	(void)state;
	mk_event(t, "sgemm", 0, 50 * US, "");
	mk_line(t, 8, "Stream #8", 0);
	mk_event(t, "ncclDevKernel_AllReduce", 20 * US, 60 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(device(a, 0)->comm_ps, 60 * US);
	assert_int_equal(device(a, 0)->exposed_comm_ps, 30 * US);
	assert_int_equal(device(a, 0)->busy_ps, 80 * US);
	mk_analysis_free(a);
}

static void annotation_lines_keep_no_device_busy(void **state)
{
	struct tf_trace *t = gpu();

	(void)state;
	mk_event(t, "k", 0, 10 * US, "");
	mk_event(t, "k", 90 * US, 10 * US, "");
	mk_line(t, -559038737 + 4, "XLA Modules", 0);
	mk_event(t, "jit_f", 0, 100 * US, "");
	mk_line(t, 99, "XLA Ops", 0);
	mk_event(t, "fusion", 0, 100 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(device(a, 0)->busy_ps, 20 * US);
	mk_analysis_free(a);
}

/* Three steps of 100 us, each with a kernel of 40 that it launched; one kernel before the first step. */
static struct tf_trace *steps(void)
{
	struct tf_trace *t = mk_trace();
	char stats[64];

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	for (int i = 0; i < 3; i++) {
		snprintf(stats, sizeof stats, "step_num=%d", i);
		mk_event(t, "train", (100 + 100 * i) * US, 100 * US, stats);
		snprintf(stats, sizeof stats, "correlation_id=%d", i + 1);
		mk_event(t, "cuLaunchKernel", (110 + 100 * i) * US, 5 * US, stats);
	}
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 7, "Stream #7(Compute)", 0);
	mk_event(t, "early", 0, 10 * US, "");
	for (int i = 0; i < 3; i++) {
		snprintf(stats, sizeof stats, "correlation_id=%d", i + 1);
		mk_event(t, "sgemm", (120 + 100 * i) * US, 40 * US, stats);
	}
	return t;
}

static void the_window_is_that_of_the_steady_steps(void **state)
{
	struct mk_analysis *a = mk_analyze(steps(), NULL);
	const struct tf_device *d = device(a, 0);

	(void)state;
	assert_string_equal(d->window_source, "steps");
	assert_int_equal(d->window_start_ps, 100 * US);
	assert_int_equal(d->window_ps, 300 * US);
	assert_int_equal(d->busy_ps, 120 * US); /* not the early one */
	assert_true(fabs(d->idle_ratio - 0.6) < 1e-12);
	mk_analysis_free(a);
}

static void kernels_of_each_step_are_counted(void **state)
{
	struct mk_analysis *a = mk_analyze(steps(), NULL);

	(void)state;
	assert_int_equal(a->host.steps.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(a->host.steps.list[i].kernel_count, 1);
	assert_int_equal(a->host.launched_kernels, 3); /* the early one is of no step */
	mk_analysis_free(a);
}

static void gaps_are_listed_longest_first(void **state)
{
	struct tf_trace *t = gpu();

	(void)state;
	mk_event(t, "a", 0, 10 * US, "");
	mk_event(t, "b", 15 * US, 10 * US, "");
	mk_event(t, "c", 60 * US, 10 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_device *d = device(a, 0);
	assert_int_equal(d->gap_total, 2);
	assert_int_equal(d->gap_count, 2);
	assert_int_equal(d->gaps[0].start_ps, 25 * US);
	assert_int_equal(d->gaps[0].dur_ps, 35 * US);
	assert_string_equal(d->gaps[0].before, "b");
	assert_string_equal(d->gaps[0].after, "c");
	assert_null(d->gaps[0].host_event);
	assert_int_equal(d->gaps[1].dur_ps, 5 * US);
	mk_analysis_free(a);
}

static void the_window_ends_bound_gaps_too(void **state)
{
	struct mk_analysis *a = mk_analyze(steps(), NULL);
	const struct tf_device *d = device(a, 0);

	(void)state;
	/* 60 us between kernels twice, 40 at the end of the window, 20 at its begin */
	assert_int_equal(d->gap_total, 4);
	assert_int_equal(d->gaps[2].dur_ps, 40 * US);
	assert_string_equal(d->gaps[2].before, "sgemm");
	assert_null(d->gaps[2].after);
	assert_int_equal(d->gaps[3].dur_ps, 20 * US);
	assert_null(d->gaps[3].before);
	mk_analysis_free(a);
}

/* A device with work at 0..10 and at 100..110 us, so with one gap of 90, beside a host line. */
static struct tf_trace *one_gap(void)
{
	struct tf_trace *t = gpu();

	mk_event(t, "a", 0, 10 * US, "");
	mk_event(t, "b", 100 * US, 10 * US, "");
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	return t;
}

static const char *activity(struct mk_analysis *a)
{
	assert_int_equal(device(a, 0)->gap_total, 1);
	return device(a, 0)->gaps[0].host_event;
}

static void the_host_activity_of_a_gap_is_what_took_most_of_it(void **state)
{
	struct tf_trace *t = one_gap();

	(void)state;
	mk_event(t, "outer", 0, 200 * US, "");
	mk_event(t, "short", 15 * US, 20 * US, "");
	mk_event(t, "IteratorGetNext", 40 * US, 55 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(activity(a), "IteratorGetNext"); /* outer's own time in the gap: 15 */
	mk_analysis_free(a);
}

static void time_of_nested_events_is_not_their_parents(void **state)
{
	struct tf_trace *t = one_gap();

	(void)state;
	mk_event(t, "outer", 0, 200 * US, "");
	mk_event(t, "one", 15 * US, 30 * US, "");
	mk_event(t, "two", 60 * US, 25 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(activity(a), "outer"); /* 90 - 30 - 25 = 35 of its own */
	mk_analysis_free(a);
}

static void an_event_that_began_before_the_gap_counts(void **state)
{
	struct tf_trace *t = one_gap();

	(void)state;
	mk_event(t, "wait", 0, 90 * US, "");
	mk_event(t, "inside", 1 * US, 2 * US, "");
	mk_event(t, "after", 120 * US, 2 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(activity(a), "wait");
	mk_analysis_free(a);
}

static void markers_are_no_activity(void **state)
{
	struct tf_trace *t = one_gap();

	(void)state;
	mk_event(t, "Profiled batch", 0, 110 * US, "step_num=1");
	mk_event(t, "work", 20 * US, 1 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	for (size_t i = 0; i < device(a, 0)->gap_count; i++)
		if (device(a, 0)->gaps[i].host_event)
			assert_string_equal(device(a, 0)->gaps[i].host_event, "work");
	mk_analysis_free(a);
}

static void other_threads_are_searched_too(void **state)
{
	struct tf_trace *t = one_gap();

	(void)state;
	mk_event(t, "short", 20 * US, 10 * US, "");
	mk_line(t, 2, "worker", 0);
	mk_event(t, "long", 20 * US, 50 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(activity(a), "long");
	mk_analysis_free(a);
}

static void a_device_without_events_is_idle_beside_a_traced_one(void **state)
{
	struct tf_trace *t = gpu();

	(void)state;
	mk_event(t, "k", 0, 10 * US, "");
	mk_plane(t, "/device:GPU:1", "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_false(device(a, 1)->traced);
	assert_true(device(a, 1)->idle_ratio == 1);
	assert_int_equal(device(a, 1)->busy_ps, 0);
	assert_null(device(a, 1)->reason);
	mk_analysis_free(a);
}

static void of_devices_without_any_event_nothing_is_known(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "train", 0, 10 * US, "step_num=1");
	mk_plane(t, "/device:GPU:0", "memory_size=1000");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(device(a, 0)->reason, "device_not_traced");
	assert_true(isnan(device(a, 0)->idle_ratio));
	assert_int_equal(device(a, 0)->busy_ps, TF_NONE);
	assert_int_equal(device(a, 0)->memory_bytes, 1000);
	assert_null(a->host.device_reason);
	mk_analysis_free(a);
}

static void without_a_device_plane_there_is_a_reason(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "train", 0, 10 * US, "step_num=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.device_count, 0);
	assert_string_equal(a->host.device_reason, "no_device_plane");
	assert_int_equal(a->host.steps.list[0].kernel_count, TF_NONE);
	mk_analysis_free(a);
}

static void a_custom_plane_is_a_device_if_it_has_events(void **state)
{
	struct tf_trace *t = gpu();

	(void)state;
	mk_event(t, "k", 0, 10 * US, "");
	mk_plane(t, "/device:CUSTOM:Megascale Trace", "");
	mk_plane(t, "/device:CUSTOM:MPS:0", "");
	mk_line(t, 1, "queue", 0);
	mk_event(t, "kernel", 0, 5 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.device_count, 2);
	assert_string_equal(device(a, 1)->name, "/device:CUSTOM:MPS:0");
	assert_string_equal(device(a, 1)->kind, "device");
	assert_int_equal(device(a, 1)->busy_ps, 5 * US);
	mk_analysis_free(a);
}

static void a_tpu_is_busy_when_its_op_line_is(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/device:TPU:3", "device_type_string=TPU v6 Lite");
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "1", 0, 100 * US, "");
	mk_line(t, 2, "XLA Ops", 0);
	mk_event(t, "fusion.1", 0, 20 * US, "");
	mk_event(t, "fusion.2", 60 * US, 40 * US, "");
	mk_line(t, 3, "Async XLA Ops", 0);
	mk_event(t, "copy-start", 10 * US, 50 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(device(a, 0)->kind, "tpu");
	assert_string_equal(device(a, 0)->model, "TPU v6 Lite");
	assert_int_equal(device(a, 0)->ordinal, 3);
	assert_int_equal(device(a, 0)->busy_ps, 60 * US);
	mk_analysis_free(a);
}

static void models_are_named_as_xprof_does(void **state)
{
	static const struct {
		const char *stats, *model;
	} cases[] = {
		{"device_vendor=Nvidia;compute_cap_major=7;compute_cap_minor=0", "Nvidia GPU (Volta)"},
		{"device_vendor=Nvidia;compute_cap_major=7;compute_cap_minor=5", "Nvidia GPU (Turing)"},
		{"device_vendor=Nvidia;compute_cap_major=8;compute_cap_minor=0", "Nvidia GPU (Ampere)"},
		{"device_vendor=Nvidia;compute_cap_major=8;compute_cap_minor=9", "Nvidia GPU (Ada Lovelace)"},
		{"device_vendor=Nvidia;compute_cap_major=9;compute_cap_minor=0", "Nvidia GPU (Hopper)"},
		{"device_vendor=Nvidia;compute_cap_major=10;compute_cap_minor=0", "Nvidia GPU (Blackwell)"},
		{"device_vendor=Nvidia;compute_cap_major=12;compute_cap_minor=0", "Nvidia GPU"},
		{"device_vendor=AMD;compute_cap_major=9;compute_cap_minor=4", "AMD GPU - gfx942"},
		{"device_vendor=AMD;compute_cap_major=9;compute_cap_minor=5", "AMD GPU - gfx950"},
		{"device_vendor=AMD;compute_cap_major=9;compute_cap_minor=0", "AMD GPU - gfx-9XX series"},
		{"device_vendor=AMD;gpu_device_name=AMD gfx90a:sramecc+", "AMD GPU - gfx90a"},
		{"device_vendor=AMD", "AMD GPU"},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = mk_trace();
		mk_plane(t, "/device:GPU:0", cases[i].stats);
		mk_line(t, 1, "Stream", 0);
		mk_event(t, "k", 0, 10, "");
		struct mk_analysis *a = mk_analyze(t, NULL);
		if (cases[i].model)
			assert_string_equal(device(a, 0)->model, cases[i].model);
		else
			assert_null(device(a, 0)->model);
		mk_analysis_free(a);
	}
}

static void at_most_a_hundred_gaps_are_kept(void **state)
{
	struct tf_trace *t = gpu();

	(void)state;
	for (int i = 0; i < 150; i++)
		mk_event(t, "k", (int64_t)i * 10 * US, 5 * US + i, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(device(a, 0)->gap_total, 149);
	assert_int_equal(device(a, 0)->gap_count, 100);
	assert_int_equal(device(a, 0)->gaps[0].start_ps, 5 * US); /* behind the shortest kernel */
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_is_a_union_over_streams),
		cmocka_unit_test(kinds_of_work_are_told_apart),
		cmocka_unit_test(communication_behind_kernels_is_not_exposed),
		cmocka_unit_test(annotation_lines_keep_no_device_busy),
		cmocka_unit_test(the_window_is_that_of_the_steady_steps),
		cmocka_unit_test(kernels_of_each_step_are_counted),
		cmocka_unit_test(gaps_are_listed_longest_first),
		cmocka_unit_test(the_window_ends_bound_gaps_too),
		cmocka_unit_test(the_host_activity_of_a_gap_is_what_took_most_of_it),
		cmocka_unit_test(time_of_nested_events_is_not_their_parents),
		cmocka_unit_test(an_event_that_began_before_the_gap_counts),
		cmocka_unit_test(markers_are_no_activity),
		cmocka_unit_test(other_threads_are_searched_too),
		cmocka_unit_test(a_device_without_events_is_idle_beside_a_traced_one),
		cmocka_unit_test(of_devices_without_any_event_nothing_is_known),
		cmocka_unit_test(without_a_device_plane_there_is_a_reason),
		cmocka_unit_test(a_custom_plane_is_a_device_if_it_has_events),
		cmocka_unit_test(a_tpu_is_busy_when_its_op_line_is),
		cmocka_unit_test(models_are_named_as_xprof_does),
		cmocka_unit_test(at_most_a_hundred_gaps_are_kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
