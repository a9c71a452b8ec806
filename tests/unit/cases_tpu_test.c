/* Worked cases of TPU cores (METRICS.md §2 to §5, §7; C16, C30 to C34, C46, C51, C73). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

#define NS INT64_C(1000)
#define MS (1000 * US)

static struct tf_trace *core(const char *plane)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, plane, "");
	return t;
}

static void op(struct tf_trace *t, const char *name, int64_t begin_ps, int64_t dur_ps, const char *category)
{
	char stats[96];

	mk_event(t, name, begin_ps, dur_ps, "");
	snprintf(stats, sizeof stats, "hlo_category=%s", category);
	mk_meta_stats(t, name, stats);
}

static const struct tf_op *op_row(const struct mk_analysis *a, const char *name)
{
	for (size_t i = 0; i < a->host.op_count; i++)
		if (strcmp(a->host.ops[i].name, name) == 0)
			return &a->host.ops[i];
	fail_msg("no op '%s'", name);
	return NULL;
}

static void c16_an_enqueued_program_is_of_its_session_run(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "SessionRun", 0, 100, "_r=1");
	mk_event(t, "DoEnqueueProgram", 20, 50, "run_id=123;queue_id=0;device_ordinal=1");
	mk_plane(t, "/device:TPU:0", "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.group_count, 1);
	assert_int_equal(mk_group(a, "SessionRun", 0), 0);
	assert_int_equal(mk_group(a, "DoEnqueueProgram", 0), 0);
	mk_analysis_free(a);
}

/* XProf keeps what all cores have (step 1); here every step is listed, from its first begin to its last end. */
static void c30_steps_of_two_cores_are_all_listed(void **state)
{
	struct tf_trace *t = core("/device:TPU:0");

	(void)state;
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "1", 100, 100000, "");
	mk_line(t, 2, "XLA Ops", 0);
	op(t, "infeed.1", 100, 90000, "infeed");
	mk_plane(t, "/device:TPU:1", "");
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "1", 300, 100, "");
	mk_event(t, "2", 300, 100, "");
	mk_line(t, 2, "XLA Ops", 0);
	op(t, "infeed.1", 300, 50, "infeed");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 2);
	assert_int_equal(a->host.steps.list[0].number, 1);
	assert_int_equal(a->host.steps.list[0].start_ps, 100);
	assert_int_equal(a->host.steps.list[0].step_ps, 100000);
	assert_int_equal(a->host.steps.list[1].number, 2);
	assert_int_equal(a->host.steps.list[1].start_ps, 300);
	assert_int_equal(a->host.steps.list[1].step_ps, 100);
	mk_analysis_free(a);
}

/* A TensorCore and its SparseCore: one step, which lasts as long as the longer of both. */
static void c30_a_sparse_core_shares_the_step(void **state)
{
	struct tf_trace *t = core("/device:TPU:0");

	(void)state;
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "1", 100, 100000, "");
	mk_line(t, 2, "XLA Ops", 0);
	op(t, "fusion.1", 100, 90000, "fusion");
	mk_plane(t, "/device:TPU:0 SparseCore 0", "");
	mk_line(t, 1, "Sparse Core Steps", 0);
	mk_event(t, "1", 1000, 10000, "step_idle_time_ps=9000");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 1);
	assert_int_equal(a->host.steps.list[0].start_ps, 100);
	assert_int_equal(a->host.steps.list[0].step_ps, 100000);
	mk_analysis_free(a);
}

/*
 * XProf moves 210 of idle time to infeed, as much as the host waits and copies in all; here waits and work are laid over each
 * other, and the copy from 430 to 500 is hidden behind the core's work.
 */
static void c31_waits_count_where_the_core_is_idle(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {0, 400, 0, 0, 50, 300, 0, 90, 0, 0, 0, 160};
	struct tf_trace *t = core("/device:TPU:0");

	(void)state;
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "1", 40, 1000, "");
	mk_line(t, 2, "XLA Ops", 0);
	op(t, "multiply.1", 340, 300, "multiply");
	op(t, "all-gather.1", 640, 300, "all-gather");
	op(t, "async-start.1", 940, 50, "async-start");
	op(t, "async-done.1", 990, 50, "async-done");
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "IteratorGetNext:IteratorGetNext", 50, 50, "");
	mk_event(t, "MemcpyHToD", 110, 90, "");
	mk_event(t, "MemcpyHToD", 430, 70, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, 1, parts);
	mk_analysis_free(a);
}

/*
 * The host waits from 500 on, before the step begins at 1000, to 2800. XProf moves all idle time (2000) to infeed; here the wait
 * is the step's while nothing else goes on in it, from 1000 to 2000.
 */
static void c33_a_wait_from_before_the_step_is_in_it(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {0, 8000, 0, 0, 1000, 0, 0, 0, 0, 0, 0, 1000};
	struct tf_trace *t = core("/device:TPU:0");

	(void)state;
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "Step 1", 1000, 10000, "");
	mk_line(t, 2, "XLA Ops", 0);
	op(t, "op.1", 2000, 8000, "arithmetic");
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "Iterator::Batch::Map::TFRecord", 500, 2300, "_ipl_stage_id=1;_ipl_stage_name=TFRecord");
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, 1, parts);
	assert_int_equal(a->host.steps.list[0].input_ps, 1800);
	assert_int_equal(a->host.steps.list[0].stall_ps, 1000);
	mk_analysis_free(a);
}

/* Idle 200 of 1000 ms. */
static void c34_a_sparse_core_alone_has_steps(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {0, 800, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200};
	struct tf_trace *t = core("/device:TPU:0 SparseCore 0");

	(void)state;
	mk_line(t, 1, "Sparse Core Steps", 0);
	mk_event(t, "1", 0, 1000 * MS, "step_idle_time_ps=200000000000");
	mk_line(t, 2, "Sparse Core Ops", 0);
	op(t, "fusion.1", 0, 500 * MS, "sparse fusion");
	op(t, "fusion.2", 600 * MS, 300 * MS, "sparse fusion");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 1);
	mk_assert_parts(a, 0, MS, parts);
	assert_string_equal(a->host.devices[0].kind, "sparse_core");
	assert_int_equal(a->host.devices[0].busy_ps, 800 * MS);
	assert_int_equal(a->host.end_ps, 900 * MS); /* a Steps line is no work */
	mk_analysis_free(a);
}

static struct mk_analysis *c46(void)
{
	struct tf_trace *t = core("/device:TPU:0");

	mk_line(t, 1, "Steps", 0);
	for (int i = 0; i < 3; i++)
		mk_event(t, "step", i * MS, 900 * US, "");
	mk_line(t, 3, "XLA Ops", 0);
	for (int i = 0; i < 3; i++) {
		op(t, "infeed.1", i * MS + 50 * US, 100 * US, "infeed");
		op(t, "fusion.1", i * MS + 150 * US, 400 * US, "convolution fusion;flops=1000");
		op(t, "all-reduce.1", i * MS + 600 * US, 100 * US, "all-reduce");
		op(t, "outfeed.1", i * MS + 700 * US, 50 * US, "outfeed");
	}
	return mk_analyze(t, NULL);
}

static void c46_ops_of_a_core(void **state)
{
	static const struct {
		const char *name;
		int64_t count, us;
	} rows[] = {{"fusion.1", 3, 1200}, {"all-reduce.1", 3, 300}, {"infeed.1", 3, 300}, {"outfeed.1", 3, 150}};
	struct mk_analysis *a = c46();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(op_row(a, rows[i].name)->count, rows[i].count);
		assert_int_equal(op_row(a, rows[i].name)->total_ps, rows[i].us * US);
		assert_int_equal(op_row(a, rows[i].name)->self_ps, rows[i].us * US);
	}
	mk_analysis_free(a);
}

static void c46_a_fusion_does_two_and_a_half_megaflops_a_second(void **state)
{
	struct mk_analysis *a = c46();
	const struct tf_op *fusion = op_row(a, "fusion.1");

	(void)state;
	assert_true(fabs(fusion->flops / ((double)fusion->total_ps / 1e12) - .0025e9) < 1);
	mk_analysis_free(a);
}

/* XProf: 950, from the begin of the first step to the end of the last; here from the first op to the last. */
static void c46_a_core_is_idle_between_its_ops(void **state)
{
	struct mk_analysis *a = c46();

	(void)state;
	assert_int_equal(op_row(a, "IDLE")->total_ps, 750 * US); /* 50 to 2750 less 1950 */
	mk_analysis_free(a);
}

/* XProf counts a SparseCore's ops within its module of 100 ns (idle 90); here from the first op to the last. */
static void c51_ops_of_a_sparse_core(void **state)
{
	struct tf_trace *t = core("/device:TPU:0 SparseCore 0");

	(void)state;
	mk_line(t, 1, "Sparse Core Modules", 0);
	mk_event(t, "module", 0, 100 * NS, "");
	mk_line(t, 2, "Sparse Core Ops", 0);
	op(t, "Fusion", 0, 5 * NS, "sparse fusion;flops=20");
	op(t, "Fusion", 5 * NS, 5 * NS, "sparse fusion;flops=20");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(op_row(a, "Fusion")->count, 2);
	assert_int_equal(op_row(a, "Fusion")->total_ps, 10 * NS);
	assert_true(op_row(a, "Fusion")->flops == 40);
	assert_int_equal(op_row(a, "IDLE")->total_ps, 0);
	assert_int_equal(a->host.op_count, 2); /* a module is no op */
	assert_int_equal(a->host.end_ps, 10 * NS); /* and no work */
	mk_analysis_free(a);
}

/* XProf takes costs from the module's analysis; what is not recorded with the op is unknown, and not 0. */
static void c51_a_gpus_custom_call_has_no_recorded_cost(void **state)
{
	struct tf_trace *t = core("/device:GPU:0");

	(void)state;
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "custom_kernel", 100 * NS, 10 * NS, "hlo_op=custom-call");
	mk_event(t, "custom_kernel", 110 * NS, 15 * NS, "hlo_op=custom-call");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(op_row(a, "custom-call")->count, 2);
	assert_int_equal(op_row(a, "custom-call")->total_ps, 25 * NS);
	assert_true(isnan(op_row(a, "custom-call")->flops));
	assert_true(isnan(op_row(a, "custom-call")->bytes));
	mk_analysis_free(a);
}

/* Busy 70, idle 30: a duty cycle of 70 %. */
static void c73_a_core_is_busy_seven_tenths(void **state)
{
	struct tf_trace *t = core("/device:TPU:0");

	(void)state;
	mk_line(t, 2, "XLA Ops", 0);
	op(t, "fusion.1", 0, 30, "fusion");
	op(t, "fusion.1", 60, 40, "fusion");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.devices[0].window_ps, 100);
	assert_int_equal(a->host.devices[0].busy_ps, 70);
	assert_true(fabs(a->host.devices[0].idle_ratio - 0.3) < 1e-12);
	mk_analysis_free(a);
}

/*
 * Two convolutions in 2 µs, 1000 flops and 1000 bytes each, of a core that could do 2 GFLOP/s and 2 GB/s: half of both. The loop
 * around them has a row of its own.
 */
static void c73_a_convolution_does_half_of_what_the_core_could(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/device:TPU:0", "peak_teraflops_per_second=0.002;memory_bandwidth=2000000000");
	mk_line(t, 1, "XLA Ops", 0);
	op(t, "while.1", 0, 2 * US, "while;flops=5000");
	op(t, "conv.1", 0, US, "convolution;flops=1000;bytes_accessed=1000");
	op(t, "conv.1", US, US, "convolution;flops=1000;bytes_accessed=1000");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_op *conv = op_row(a, "conv.1");
	const struct tf_device *d = &a->host.devices[0];
	double seconds = (double)conv->self_ps / 1e12;
	assert_true(fabs(conv->flops / seconds / d->peak_flops - 0.5) < 1e-9);
	assert_true(fabs(conv->bytes / seconds / d->memory_bytes_per_s - 0.5) < 1e-9);
	assert_int_equal(op_row(a, "while.1")->self_ps, 0);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c16_an_enqueued_program_is_of_its_session_run),
		cmocka_unit_test(c30_steps_of_two_cores_are_all_listed),
		cmocka_unit_test(c30_a_sparse_core_shares_the_step),
		cmocka_unit_test(c31_waits_count_where_the_core_is_idle),
		cmocka_unit_test(c33_a_wait_from_before_the_step_is_in_it),
		cmocka_unit_test(c34_a_sparse_core_alone_has_steps),
		cmocka_unit_test(c46_ops_of_a_core),
		cmocka_unit_test(c46_a_fusion_does_two_and_a_half_megaflops_a_second),
		cmocka_unit_test(c46_a_core_is_idle_between_its_ops),
		cmocka_unit_test(c51_ops_of_a_sparse_core),
		cmocka_unit_test(c51_a_gpus_custom_call_has_no_recorded_cost),
		cmocka_unit_test(c73_a_core_is_busy_seven_tenths),
		cmocka_unit_test(c73_a_convolution_does_half_of_what_the_core_could),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
