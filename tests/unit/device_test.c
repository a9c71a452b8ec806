/* Devices, kernels and ops (METRICS.md §4, §7). Case numbers are those of the reference's worked cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "tests/unit/support_analyze.h"

#define NS INT64_C(1000)

static struct tf_trace *gpu(const char *stats)
{
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:GPU:0", stats);
	mk_line(t, 14, "Stream #14(Compute)", 0);
	return t;
}

static const struct tf_op *op(const struct mk_analysis *a, const char *side, const char *name)
{
	for (size_t i = 0; i < a->host.op_count; i++)
		if (strcmp(a->host.ops[i].side, side) == 0 && strcmp(a->host.ops[i].name, name) == 0)
			return &a->host.ops[i];
	return NULL;
}

static void overlapping_streams_are_a_union(void **state)
{
	(void)state;
	struct tf_trace *t = gpu("");
	mk_event(t, "a", 0, 400, "");
	mk_line(t, 15, "Stream #15(Compute)", 0);
	mk_event(t, "b", 200, 400, "");
	mk_event(t, "c", 900, 100, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_device *d = &a->host.devices[0];
	assert_string_equal(d->window_source, "device_events");
	assert_int_equal(d->window_ps, 1000);
	assert_int_equal(d->busy_ps, 700);
	assert_true(fabs(d->idle_ratio - 0.3) < 1e-12);
	mk_analysis_free(a);
}

static void copies_and_communication_are_told_apart(void **state)
{
	(void)state;
	struct tf_trace *t = gpu("");
	mk_event(t, "gemm", 0, 400, "");
	mk_event(t, "MemcpyH2D", 500, 100, "");
	mk_event(t, "Memset", 700, 50, "");
	mk_line(t, 15, "Stream #15(Compute)", 0);
	mk_event(t, "ncclDevKernel_AllReduce", 300, 200, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_device *d = &a->host.devices[0];
	assert_int_equal(d->kernel_ps, 400);
	assert_int_equal(d->memcpy_ps, 100);
	assert_int_equal(d->comm_ps, 200);
	assert_int_equal(d->exposed_comm_ps, 100); /* 400 to 500: the gemm hides the rest */
	assert_int_equal(d->busy_ps, 650);
	mk_analysis_free(a);
}

static void the_longest_gap_names_its_neighbours(void **state)
{
	(void)state;
	struct tf_trace *t = gpu("");
	mk_event(t, "a", 0, 100, "");
	mk_event(t, "b", 150, 50, "");
	mk_event(t, "c", 1000, 100, "");
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "IteratorGetNext", 210, 700, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_device *d = &a->host.devices[0];
	assert_int_equal(d->gap_total, 2);
	assert_int_equal(d->gaps[0].dur_ps, 800);
	assert_string_equal(d->gaps[0].before, "b");
	assert_string_equal(d->gaps[0].after, "c");
	assert_string_equal(d->gaps[0].host_event, "IteratorGetNext");
	mk_analysis_free(a);
}

static void a_device_without_events_is_idle_beside_a_traced_one(void **state)
{
	(void)state;
	struct tf_trace *t = gpu("");
	mk_event(t, "a", 0, 100, "");
	mk_plane(t, "/device:GPU:1", "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.device_count, 2);
	assert_true(a->host.devices[1].idle_ratio == 1);
	mk_analysis_free(a);
}

static void alone_it_is_unknown(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:GPU:0", "device_vendor=Nvidia;compute_cap_major=8;compute_cap_minor=0");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(isnan(a->host.devices[0].idle_ratio));
	assert_string_equal(a->host.devices[0].reason, "device_not_traced");
	assert_string_equal(a->host.devices[0].model, "Nvidia GPU (Ampere)");
	mk_analysis_free(a);
}

/* Case C57: three kernels by total time; `occ_pct=13.0` is not occupancy; s884 uses tensor cores (≠XProf: with no vendor too). */
static void case_c57(void **state)
{
	(void)state;
	struct tf_trace *t = gpu("");
	mk_event(t, "kernel_name_shortest", 10000, 1000,
		 "tf_op=mul_786;kernel_details=regs:16 static_shared:0 dynamic_shared:0 grid:1,1,1 block:1,1,1 occ_pct:50.0");
	mk_event(t, "kernel_name_middle", 20000, 2000,
		 "tf_op=Conv2D;kernel_details=regs:32 static_shared:0 dynamic_shared:16384 grid:2,1,1 block:32,1,1 occ_pct=13.0");
	mk_event(t, "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn", 30000, 3000,
		 "tf_op=Einsum_80;kernel_details=regs:32\nstatic_shared:0\ndynamic_shared:16384\ngrid:3,1,1\nblock:64,1,1\nocc_pct:25.0");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_kernel *k = a->host.kernels;
	assert_int_equal(a->host.kernel_count, 3);
	assert_int_equal(k[0].total_ps, 3000);
	assert_true(k[0].tensor_core && !k[1].tensor_core && !k[2].tensor_core);
	assert_true(k[0].occupancy == 0.25 && isnan(k[1].occupancy) && k[2].occupancy == 0.5);
	assert_int_equal(k[1].shared_bytes, 16384);
	assert_string_equal(k[1].grid, "2,1,1");
	assert_string_equal(k[1].block, "32,1,1");
	mk_analysis_free(a);
}

/* Case C58: unknown tokens are passed over. */
static void case_c58(void **state)
{
	(void)state;
	struct tf_trace *t = gpu("");
	mk_event(t, "k", 0, 10, "kernel_details=block:1,2,3 odd grid:4,5,6 static_shared:7 dynamic_shared:8");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(a->host.kernels[0].block, "1,2,3");
	assert_string_equal(a->host.kernels[0].grid, "4,5,6");
	assert_int_equal(a->host.kernels[0].shared_bytes, 15);
	mk_analysis_free(a);
}

/* Case C60, ≠XProf: matrix kernels by name, whatever the vendor; a kernel of 0 ps is none, one of 1 ps is one. */
static void case_c60(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool tensor_core;
	} cases[] = {{"volta_fp16_s884gemm", true}, {"foo_16816_x", true}, {"sm90_xmma_gemm_f16", true},
		     {"sm80_tensorop", true}, {"nvjet_hsh", true}, {"Cijk_Ailk_MI16x16x16", true}, {"relu", false}};
	struct tf_trace *t = gpu("");
	for (size_t i = 0; i < 7; i++)
		mk_event(t, cases[i].name, (int64_t)i * 10000, 3000 - (int64_t)i, "");
	mk_event(t, "one", 90000, 1, "");
	mk_event(t, "none", 90010, 0, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 8);
	for (size_t i = 0; i < 7; i++) {
		assert_string_equal(a->host.kernels[i].name, cases[i].name);
		assert_int_equal(a->host.kernels[i].tensor_core, cases[i].tensor_core);
	}
	mk_analysis_free(a);
}

/* Case C48: ops of two lines are summed; idle is between the ops of a line. */
static void case_c48(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 10, "l10", 0);
	mk_event(t, "TfOp1:TfOp1", 100000 * NS, 8000 * NS, "");
	mk_line(t, 20, "l20", 0);
	mk_event(t, "TfOp1:TfOp1", 100000 * NS, 8000 * NS, "");
	mk_event(t, "TfOp2:TfOp2", 110000 * NS, 10000 * NS, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(op(a, "host", "TfOp1")->count, 2);
	assert_int_equal(op(a, "host", "TfOp1")->total_ps, 16000 * NS);
	assert_int_equal(op(a, "host", "TfOp2")->self_ps, 10000 * NS);
	assert_int_equal(op(a, "host", "IDLE")->self_ps, 2000 * NS);
	assert_int_equal(op(a, "host", "IDLE")->count, 0);
	mk_analysis_free(a);
}

/* Case C54, ≠XProf: an op that ends with its parent is inside it, and nothing around it is lost. */
static void case_c54(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "l", 0);
	mk_event(t, "G:G", 0, 2000 * US, "");
	mk_event(t, "Outer:Outer", 0, 1000 * US, "");
	mk_event(t, "Inner:Inner", 500 * US, 500 * US, "");
	mk_event(t, "Tail:Tail", 1500 * US, 100 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(op(a, "host", "G")->self_ps, 900 * US);
	assert_int_equal(op(a, "host", "Outer")->self_ps, 500 * US);
	assert_int_equal(op(a, "host", "Inner")->self_ps, 500 * US);
	assert_int_equal(op(a, "host", "Tail")->self_ps, 100 * US);
	assert_int_equal(op(a, "host", "IDLE")->self_ps, 0);
	mk_analysis_free(a);
}

/* Case C55: relu under EagerExecute without a function is eager, the others are not; idle is 310. */
static void case_c55(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "l", 0);
	mk_event(t, "EagerExecute", 0, 100, "is_func=0");
	mk_event(t, "x:Relu", 10, 50, "");
	mk_event(t, "EagerExecute", 200, 100, "is_func=1");
	mk_event(t, "y:Relu", 210, 30, "");
	mk_event(t, "z:Relu", 400, 20, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(op(a, "host", "x")->eager);
	assert_false(op(a, "host", "y")->eager);
	assert_false(op(a, "host", "z")->eager);
	assert_int_equal(op(a, "host", "IDLE")->self_ps, 310);
	mk_analysis_free(a);
}

static void memory_events_with_an_op_are_no_occurrence(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "l", 0);
	mk_event(t, "d/MatMul:MatMul", 0, 100, "");
	mk_event(t, "MemoryAllocation", 10, 1, "tf_op=d/MatMul:MatMul;allocator_name=cpu;addr=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(op(a, "host", "d/MatMul")->count, 1);
	mk_analysis_free(a);
}

/* Case C51, in part: costs of a TPU op are on its metadata and count for each event. */
static void costs_of_tpu_ops_are_summed(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:TPU:0", "");
	mk_line(t, 2, "XLA Ops", 0);
	mk_event(t, "fusion.1", 0, 10, "");
	mk_event(t, "fusion.1", 20, 10, "");
	mk_meta_stats(t, "fusion.1", "flops=34;hlo_category=convolution fusion");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(op(a, "device", "fusion.1")->flops == 68);
	assert_string_equal(op(a, "device", "fusion.1")->type, "convolution fusion");
	assert_int_equal(a->host.kernel_count, 0); /* a TPU runs ops, not kernels */
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlapping_streams_are_a_union),
		cmocka_unit_test(copies_and_communication_are_told_apart),
		cmocka_unit_test(the_longest_gap_names_its_neighbours),
		cmocka_unit_test(a_device_without_events_is_idle_beside_a_traced_one),
		cmocka_unit_test(alone_it_is_unknown),
		cmocka_unit_test(case_c57),
		cmocka_unit_test(case_c58),
		cmocka_unit_test(case_c60),
		cmocka_unit_test(case_c48),
		cmocka_unit_test(case_c54),
		cmocka_unit_test(case_c55),
		cmocka_unit_test(memory_events_with_an_op_are_no_occurrence),
		cmocka_unit_test(costs_of_tpu_ops_are_summed),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
