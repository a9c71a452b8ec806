/* Worked cases of steps and their figures (METRICS.md §2, §3, §5, §8; C37, C45, C75, C76, C78). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

#define MS (1000 * US)

/* The metric of a session that has these hosts; NaN if it is null. */
static double metric_of(struct tf_host *hosts, size_t count, const char *name)
{
	struct tf_session s = {.hosts = hosts, .host_count = count};
	struct tf_error err = {0};

	assert_int_equal(tf_metrics_build(&s, &err), 0);
	const struct tf_metric *m = tf_metric_find(&s, name);
	assert_non_null(m);
	double value = m->known ? m->value : (double)NAN;
	tf_session_release(&s);
	return value;
}

/* A step of 1000 µs that waits for input and then computes for so many; the exposed share of its input. */
static double c45(int64_t wait_us, int64_t op_us)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 1000 * US, "_r=1;step_num=1");
	if (wait_us)
		mk_event(t, "IteratorGetNext:IteratorGetNext", 0, wait_us * US, "");
	if (op_us)
		mk_event(t, "C:MatMul", wait_us * US, op_us * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	double share = metric_of(&a->host, 1, "input.exposed_share");
	mk_analysis_free(a);
	return share;
}

static void c45_a_fifth_of_waiting_is_high(void **state)
{
	(void)state;
	assert_true(fabs(c45(200, 800) - 0.2) < 1e-12);
	assert_int_equal(tf_input_classify(c45(200, 800)), TF_INPUT_HIGH);
}

static void c45_below_a_fifth_it_is_moderate(void **state)
{
	(void)state;
	assert_int_equal(tf_input_classify(c45(199, 801)), TF_INPUT_MODERATE);
	assert_int_equal(tf_input_classify(c45(100, 750)), TF_INPUT_MODERATE);
	assert_int_equal(tf_input_classify(c45(50, 950)), TF_INPUT_MODERATE);
}

/* XProf's POTENTIALLY (much other time) is no class of input here: other time is a part of the step. */
static void c45_below_a_twentieth_it_is_none(void **state)
{
	(void)state;
	assert_int_equal(tf_input_classify(c45(49, 951)), TF_INPUT_NONE);
	assert_int_equal(tf_input_classify(c45(49, 921)), TF_INPUT_NONE);
}

/* XProf says NOT or POTENTIALLY input-bound; without any event of input nothing is known of it. */
static void c45_without_waits_it_is_unknown(void **state)
{
	static const int64_t ops_us[] = {971, 970, 850, 0};

	(void)state;
	for (size_t i = 0; i < sizeof ops_us / sizeof ops_us[0]; i++)
		assert_int_equal(tf_input_classify(c45(0, ops_us[i])), TF_INPUT_UNKNOWN);
}

/* Waits of 50 and a copy to the device of 20 in 900: 7.8 %. */
static void c37_copies_to_the_device_are_exposed_input(void **state)
{
	struct tf_trace *t = mk_trace();
	char stats[64];

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	for (int i = 0; i < 7; i++) {
		snprintf(stats, sizeof stats, "_r=1;step_num=%d", 10 + i);
		mk_event(t, "train", i * MS, 900 * US, stats);
		mk_event(t, "IteratorGetNext:IteratorGetNext", i * MS + 110 * US, 50 * US, "");
		mk_event(t, "MemcpyHToD", i * MS + 350 * US, 20 * US, "");
	}
	struct mk_analysis *a = mk_analyze(t, NULL);
	double share = metric_of(&a->host, 1, "input.exposed_share");
	assert_true(fabs(share - 70.0 / 900) < 1e-12);
	assert_int_equal(tf_input_classify(share), TF_INPUT_MODERATE);
	mk_analysis_free(a);
}

/*
 * A step of 1000 with 50 of each kind and 350 of collectives. XProf also has two waits of devices and the unknown, which no capture
 * records: these 150 are other, and input is 100 instead of 150.
 */
static struct mk_analysis *c75(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 1000, "_r=1;step_num=2");
	mk_event(t, "IteratorGetNext:IteratorGetNext", 550, 50, "");
	mk_event(t, "cuLaunchKernel", 600, 50, "correlation_id=1");
	mk_event(t, "MemcpyHToD", 650, 50, "");
	mk_event(t, "MemcpyHToH", 700, 50, "");
	mk_event(t, "work:MatMul", 750, 50, "");
	mk_event(t, "backend_compile", 800, 50, "");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "k_half", 0, 50, "correlation_id=1");
	mk_event(t, "k", 50, 50, "correlation_id=1");
	mk_event(t, "MemcpyD2H", 100, 50, "correlation_id=1");
	mk_event(t, "MemcpyD2D", 150, 50, "correlation_id=1");
	mk_event(t, "ncclAllReduce", 200, 350, "correlation_id=1");
	return mk_analyze(t, NULL);
}

static void c75_each_kind_has_its_part(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {50, 50, 50, 50, 50, 350, 50, 50, 50, 50, 50, 150};
	struct mk_analysis *a = c75();

	(void)state;
	assert_int_equal(a->host.steps.list[0].number, 2);
	mk_assert_parts(a, 0, 1, parts);
	mk_analysis_free(a);
}

static void c75_compute_is_of_both_precisions(void **state)
{
	struct mk_analysis *a = c75();

	(void)state;
	assert_true(fabs(metric_of(&a->host, 1, "step_breakdown_ms.device_compute") - 100e-9) < 1e-15);
	assert_true(fabs(metric_of(&a->host, 1, "input.exposed_share") - 0.1) < 1e-12);
	mk_analysis_free(a);
}

enum { HOSTS = 4, STEPS = 10 };

struct fleet {
	struct tf_host hosts[HOSTS];
	struct tf_step steps[HOSTS][STEPS];
};

/* A host of so many steps of 2 ms, one after the other from `first` on. */
static void add_host(struct fleet *f, size_t at, const char *name, int64_t first, size_t count)
{
	struct tf_host *h = &f->hosts[at];

	*h = (struct tf_host){.name = name, .start_ns = TF_NONE, .dropped_count = TF_NONE, .end_ps = 100 * MS, .complete = true};
	h->device_reason = "no_device_plane";
	h->memory_reason = "no_memory_events";
	h->input.reason = "no_input_events";
	h->steps.list = f->steps[at];
	h->steps.count = count;
	h->steps.source = count ? TF_STEPS_HOST_MARKER : TF_STEPS_NONE;
	h->steps.reason = count ? NULL : "no_step_marker";
	for (size_t i = 0; i < count; i++)
		h->steps.list[i] = (struct tf_step){
			.number = first + (int64_t)i, .name = "train", .series = "train", .main_series = true, .complete = true,
			.start_ps = (first + (int64_t)i) * 2 * MS, .step_ps = 2 * MS, .host_ps = 2 * MS, .device_ps = TF_NONE,
			.period_ps = TF_NONE, .input_ps = TF_NONE, .stall_ps = TF_NONE, .kernel_count = TF_NONE};
}

static const char *const names[HOSTS] = {"a", "b", "c", "d"};

/* The clocks of hosts may differ: steps meet by number. XProf meets them by time, and of ten keeps the seven that overlap. */
static void c76_steps_of_hosts_meet_by_number(void **state)
{
	struct fleet f;

	(void)state;
	for (size_t i = 0; i < HOSTS; i++) {
		add_host(&f, i, names[i], 0, STEPS);
		for (size_t k = 0; k < STEPS; k++)
			f.steps[i][k].start_ps += (int64_t)i * 2 * MS;
	}
	f.steps[0][STEPS - 1].step_ps -= 1;
	assert_true(metric_of(f.hosts, HOSTS, "steps.count") == 10);
	assert_true(metric_of(f.hosts, HOSTS, "step_time_ms.mean") == 2);
}

static void c76_a_hundred_picoseconds_make_no_difference(void **state)
{
	struct fleet f;

	(void)state;
	for (size_t i = 0; i < HOSTS; i++) {
		add_host(&f, i, names[i], 0, STEPS);
		for (size_t k = 0; k < STEPS; k++)
			f.steps[i][k].start_ps += (int64_t)i * 100;
	}
	assert_true(metric_of(f.hosts, HOSTS, "steps.count") == 10);
}

/* XProf keeps what all have (5, 0); here all steps are listed. */
static void c76_steps_of_one_host_alone_are_listed(void **state)
{
	struct fleet f;

	(void)state;
	add_host(&f, 0, "a", 0, 5);
	add_host(&f, 1, "b", 0, 10);
	assert_true(metric_of(f.hosts, 2, "steps.count") == 10);
	add_host(&f, 1, "b", 0, 0);
	assert_true(metric_of(f.hosts, 2, "steps.count") == 5);
}

/* XProf: no step, since no instant is of all three. */
static void c76_hosts_without_a_common_step_have_theirs(void **state)
{
	struct fleet f;

	(void)state;
	add_host(&f, 0, "a", 0, 10);
	add_host(&f, 1, "b", 8, 5);
	add_host(&f, 2, "c", 11, 10);
	assert_true(metric_of(f.hosts, 3, "steps.count") == 21); /* 0 to 20 */
}

static void c76_hosts_without_steps_have_none(void **state)
{
	struct fleet f;

	(void)state;
	add_host(&f, 0, "a", 0, 0);
	add_host(&f, 1, "b", 0, 0);
	assert_true(metric_of(f.hosts, 2, "steps.count") == 0);
	assert_true(isnan(metric_of(f.hosts, 2, "step_time_ms.mean")));
}

static void c76_a_step_without_length_is_a_step(void **state)
{
	struct fleet f;

	(void)state;
	add_host(&f, 0, "a", 0, 3);
	add_host(&f, 1, "b", 0, 3);
	f.steps[0][1].step_ps = f.steps[1][1].step_ps = 0;
	assert_true(metric_of(f.hosts, 2, "steps.count") == 3);
	assert_true(metric_of(f.hosts, 2, "step_time_ms.min") == 0);
}

/* 100 ms and 0. */
static void c78_the_longest_capture_counts(void **state)
{
	struct fleet f;

	(void)state;
	add_host(&f, 0, "a", 0, 0);
	add_host(&f, 1, "b", 0, 0);
	f.hosts[1].end_ps = 0;
	assert_true(metric_of(f.hosts, 2, "capture.duration_ms") == 100);
	f.hosts[0].end_ps = 0;
	f.hosts[1].end_ps = 100 * MS;
	assert_true(metric_of(f.hosts, 2, "capture.duration_ms") == 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c37_copies_to_the_device_are_exposed_input),
		cmocka_unit_test(c45_a_fifth_of_waiting_is_high),
		cmocka_unit_test(c45_below_a_fifth_it_is_moderate),
		cmocka_unit_test(c45_below_a_twentieth_it_is_none),
		cmocka_unit_test(c45_without_waits_it_is_unknown),
		cmocka_unit_test(c75_each_kind_has_its_part),
		cmocka_unit_test(c75_compute_is_of_both_precisions),
		cmocka_unit_test(c76_steps_of_hosts_meet_by_number),
		cmocka_unit_test(c76_a_hundred_picoseconds_make_no_difference),
		cmocka_unit_test(c76_steps_of_one_host_alone_are_listed),
		cmocka_unit_test(c76_hosts_without_a_common_step_have_theirs),
		cmocka_unit_test(c76_hosts_without_steps_have_none),
		cmocka_unit_test(c76_a_step_without_length_is_a_step),
		cmocka_unit_test(c78_the_longest_capture_counts),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
