/* Worked cases of ops, kernels and memory that the tests of these files leave (METRICS.md §6, §7; C49, C54, C55, C60, C64). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

#define NS INT64_C(1000)

static struct tf_trace *on_plane(const char *plane)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, plane, "");
	mk_line(t, 1, "line", 0);
	return t;
}

static double metric_of(struct mk_analysis *a, const char *name)
{
	struct tf_session s = {.hosts = &a->host, .host_count = 1};
	struct tf_error err = {0};

	assert_int_equal(tf_metrics_build(&s, &err), 0);
	const struct tf_metric *m = tf_metric_find(&s, name);
	assert_true(m && m->known);
	double value = m->value;
	tf_session_release(&s);
	return value;
}

static const struct tf_op *op_row(const struct mk_analysis *a, const char *name)
{
	for (size_t i = 0; i < a->host.op_count; i++)
		if (strcmp(a->host.ops[i].name, name) == 0)
			return &a->host.ops[i];
	fail_msg("no op '%s'", name);
	return NULL;
}

static struct mk_analysis *c49(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/device:GPU:0", "");
	for (int64_t stream = 10; stream <= 20; stream += 10) {
		mk_line(t, stream, "Stream", 0);
		mk_event(t, "kernel1", 100000 * NS, 8000 * NS, "tf_op=TfOp1:TfOp1");
		mk_event(t, "kernel2", 110000 * NS, 10000 * NS, "tf_op=TfOp1:TfOp1");
	}
	mk_event(t, "kernel3", 120000 * NS, 10000 * NS, "tf_op=TfOp2:TfOp2");
	return mk_analyze(t, NULL);
}

/* XProf's rows TfOp1/kernel1, TfOp1/kernel2 and TfOp2/kernel3. */
static void c49_kernels_of_each_op(void **state)
{
	static const struct {
		const char *name, *op;
		int64_t count, us;
	} rows[] = {{"kernel2", "TfOp1", 2, 20}, {"kernel1", "TfOp1", 2, 16}, {"kernel3", "TfOp2", 1, 10}};
	struct mk_analysis *a = c49();

	(void)state;
	assert_int_equal(a->host.kernel_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct tf_kernel *k = &a->host.kernels[i];
		assert_string_equal(k->name, rows[i].name);
		assert_string_equal(k->op, rows[i].op);
		assert_int_equal(k->count, rows[i].count);
		assert_int_equal(k->total_ps, rows[i].us * US);
	}
	mk_analysis_free(a);
}

static void c49_ops_take_46_microseconds(void **state)
{
	struct mk_analysis *a = c49();

	(void)state;
	assert_true(fabs(metric_of(a, "ops.device_total_ms") - 0.046) < 1e-12);
	mk_analysis_free(a);
}

static void c54_ops_that_meet_leave_no_idle_time(void **state)
{
	struct tf_trace *t = on_plane("/host:CPU");

	(void)state;
	mk_event(t, "A:A", 0, 500 * US, "");
	mk_event(t, "B:B", 500 * US, 500 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(op_row(a, "A")->self_ps, 500 * US);
	assert_int_equal(op_row(a, "B")->self_ps, 500 * US);
	assert_int_equal(op_row(a, "IDLE")->total_ps, 0);
	mk_analysis_free(a);
}

/* Outer of 1.0 µs around an inner of 0.3. */
static void c54_an_inner_op_is_no_time_of_the_outers_own(void **state)
{
	struct tf_trace *t = on_plane("/host:CPU");

	(void)state;
	mk_event(t, "Outer:Outer", 0, 1000000, "");
	mk_event(t, "Inner:Inner", 200000, 300000, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(op_row(a, "Outer")->total_ps, 1000000);
	assert_int_equal(op_row(a, "Outer")->self_ps, 700000);
	assert_int_equal(op_row(a, "Inner")->self_ps, 300000);
	assert_int_equal(op_row(a, "IDLE")->total_ps, 0);
	mk_analysis_free(a);
}

/* XProf drops Inner, and Outer's own time is 1000. */
static void c54_two_ops_that_end_together_both_count(void **state)
{
	struct tf_trace *t = on_plane("/host:CPU");

	(void)state;
	mk_event(t, "Outer:Outer", 0, 1000 * US, "");
	mk_event(t, "Inner:Inner", 500 * US, 500 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(op_row(a, "Outer")->self_ps, 500 * US);
	assert_int_equal(op_row(a, "Inner")->self_ps, 500 * US);
	mk_analysis_free(a);
}

static void c55_half_of_the_time_is_eager(void **state)
{
	struct tf_trace *t = on_plane("/host:CPU");

	(void)state;
	mk_event(t, "EagerExecute", 0, 100 * US, "is_func=0");
	mk_event(t, "x:Relu", 10 * US, 50 * US, "");
	mk_event(t, "EagerExecute", 200 * US, 100 * US, "is_func=1");
	mk_event(t, "y:Relu", 210 * US, 30 * US, "");
	mk_event(t, "z:Relu", 400 * US, 20 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(fabs(metric_of(a, "ops.eager_ratio") - 0.5) < 1e-12);
	mk_analysis_free(a);
}

static void c60_shared_memory_is_static_and_dynamic(void **state)
{
	struct tf_trace *t = on_plane("/device:GPU:0");

	(void)state;
	mk_event(t, "k", 0, 3000, "kernel_details=regs:1 static_shared:10 dynamic_shared:16384 grid:1,1,1 block:1,1,1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernels[0].shared_bytes, 16394);
	mk_analysis_free(a);
}

/* XProf leaves out a kernel without details; it ran all the same. */
static void c60_a_kernel_without_details_counts(void **state)
{
	struct tf_trace *t = on_plane("/device:GPU:0");

	(void)state;
	mk_event(t, "k", 0, 3000, "");
	mk_event(t, "none", 5000, 0, "kernel_details=regs:1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 1);
	assert_string_equal(a->host.kernels[0].name, "k");
	mk_analysis_free(a);
}

/* All that was allocated up to the peak is live: 6, 501 and 1251 (XProf's lists have two rows more, of what is no tensor). */
static void c64_all_allocations_up_to_the_peak_are_live(void **state)
{
	static const int cases[][2] = {{10, 6}, {1000, 501}, {2500, 1251}};
	char stats[128];

	(void)state;
	for (size_t c = 0; c < 3; c++) {
		struct tf_trace *t = on_plane("/host:CPU");
		int64_t live = 0;
		for (int i = 0, n = cases[c][0]; i < n; i++) {
			snprintf(stats, sizeof stats, "allocator_name=cpu;bytes_reserved=100;bytes_allocated=%d;allocation_bytes=1;addr=%d;tf_op=a",
				 1000 + 10 * (i < n / 2 ? i : n - i), i + 1);
			mk_event(t, "MemoryAllocation", 1000 * (i + 1), 0, stats);
		}
		struct mk_analysis *a = mk_analyze(t, NULL);
		const struct tf_allocator *m = &a->host.memory[0];
		for (size_t i = 0; i < m->at_peak_count; i++)
			if (strcmp(m->at_peak[i].op, "a") == 0)
				live += m->at_peak[i].count;
		assert_int_equal(live, cases[c][1]);
		mk_analysis_free(a);
	}
}

/* XProf reports what the last event says (1010); the largest that was recorded is the peak of the allocator's life. */
static void c64_the_lifetime_peak_is_the_largest_recorded(void **state)
{
	struct tf_trace *t = on_plane("/host:CPU");

	(void)state;
	mk_event(t, "MemoryAllocation", 1000, 0, "allocator_name=cpu;bytes_allocated=1050;peak_bytes_in_use=1050;addr=1");
	mk_event(t, "MemoryAllocation", 2000, 0, "allocator_name=cpu;bytes_allocated=1010;peak_bytes_in_use=1010;addr=2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.memory[0].lifetime_peak_bytes, 1050);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c49_kernels_of_each_op),
		cmocka_unit_test(c49_ops_take_46_microseconds),
		cmocka_unit_test(c54_ops_that_meet_leave_no_idle_time),
		cmocka_unit_test(c54_an_inner_op_is_no_time_of_the_outers_own),
		cmocka_unit_test(c54_two_ops_that_end_together_both_count),
		cmocka_unit_test(c55_half_of_the_time_is_eager),
		cmocka_unit_test(c60_shared_memory_is_static_and_dynamic),
		cmocka_unit_test(c60_a_kernel_without_details_counts),
		cmocka_unit_test(c64_all_allocations_up_to_the_peak_are_live),
		cmocka_unit_test(c64_the_lifetime_peak_is_the_largest_recorded),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
