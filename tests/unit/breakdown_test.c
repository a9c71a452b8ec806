/* Exclusive parts of a step (METRICS.md §3; cases C26, C27, C35 to C45). Parts are in the order of TF_PARTS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/analyze/classify.h"
#include "tests/unit/support_analyze.h"

/* A step on the host from 0 to 10 µs that launches what carries correlation id 1. */
static struct tf_trace *short_host_step(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 10 * US, "_r=1;step_num=1");
	mk_event(t, "cuLaunchKernel", 1 * US, 1 * US, "correlation_id=1");
	return t;
}

static void stream(struct tf_trace *t, int64_t id)
{
	mk_line(t, id, "Stream #1", 0);
}

static void work(struct tf_trace *t, const char *name, int64_t begin_us, int64_t dur_us, const char *stats)
{
	char all[128];

	snprintf(all, sizeof all, "correlation_id=1%s%s", stats[0] ? ";" : "", stats);
	mk_event(t, name, begin_us * US, dur_us * US, all);
}

/* Cases C35 and C36 (the same with the names that CUPTI writes): three steps of 900 µs, device work from 300 to 840. */
static void gpu_steps(const char *h2d, const char *d2h, const char *d2d)
{
	/*
	 * Launch: ExecutorState::Process from 100 to 300 less the wait of 50. Other: 0 to 100, 700 to 720, 820 to 830,
	 * 840 to 900.
	 */
	static const int64_t parts[TF_PART_COUNT] = {400, 0, 20, 10, 50, 40, 150, 40, 0, 0, 0, 190};
	struct tf_trace *t = mk_trace();
	char stats[64];

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	for (int i = 0; i < 3; i++) {
		snprintf(stats, sizeof stats, "_r=1;step_num=%d", 10 + i);
		mk_event(t, "train", i * 1000 * US, 900 * US, stats);
		snprintf(stats, sizeof stats, "id=%d;_pt=2;_p=%d", i, i);
		mk_event(t, "FunctionRun", (i * 1000 + 50) * US, 800 * US, stats);
	}
	mk_line(t, 2, "executor", 0);
	for (int i = 0; i < 3; i++) {
		snprintf(stats, sizeof stats, "_ct=2;_c=%d", i);
		mk_event(t, "ExecutorState::Process", (i * 1000 + 100) * US, 300 * US, stats);
		mk_event(t, "IteratorGetNext:IteratorGetNext", (i * 1000 + 110) * US, 50 * US, "");
		mk_event(t, "matmul:MatMul", (i * 1000 + 190) * US, 120 * US, "");
		snprintf(stats, sizeof stats, "correlation_id=u%d;device_id=u0", 100 + i);
		mk_event(t, "cuLaunchKernel", (i * 1000 + 200) * US, 100 * US, stats);
	}
	mk_plane(t, "/device:GPU:0", "");
	stream(t, 1);
	for (int i = 0; i < 3; i++) {
		snprintf(stats, sizeof stats, "correlation_id=u%d", 100 + i);
		mk_event(t, "gemm_half", (i * 1000 + 300) * US, 400 * US, stats);
		mk_event(t, h2d, (i * 1000 + 720) * US, 40 * US, stats);
		mk_event(t, "ncclAllReduce", (i * 1000 + 760) * US, 40 * US, stats);
		mk_event(t, d2h, (i * 1000 + 800) * US, 20 * US, stats);
		mk_event(t, d2d, (i * 1000 + 830) * US, 10 * US, stats);
	}
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(a->host.steps.list[i].device_ps, 540 * US);
		mk_assert_parts(a, i, US, parts);
	}
	mk_analysis_free(a);
}

static void c35_host_and_device_share_a_step(void **state)
{
	(void)state;
	gpu_steps("MemcpyHToD", "MemcpyDToH", "MemcpyDToD");
}

static void c36_copies_count_by_their_real_names(void **state)
{
	(void)state;
	gpu_steps("MemcpyH2D", "MemcpyD2H", "MemcpyD2D");
	gpu_steps("CopyHostToDevice", "CopyDeviceToHost", "MemcpyP2P");
}

static void c37_a_cpu_alone_computes_and_waits(void **state)
{
	/* 300 of the executor, less 50 of waiting and two copies of 20. */
	static const int64_t parts[TF_PART_COUNT] = {0, 0, 0, 0, 50, 0, 0, 20, 20, 0, 210, 600};
	struct tf_trace *t = mk_trace();
	char stats[64];

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	for (int i = 0; i < 7; i++) {
		snprintf(stats, sizeof stats, "_r=1;step_num=%d", 10 + i);
		mk_event(t, "train", i * 1000 * US, 900 * US, stats);
		snprintf(stats, sizeof stats, "id=%d;_pt=2;_p=%d", i, i);
		mk_event(t, "FunctionRun", (i * 1000 + 50) * US, 800 * US, stats);
	}
	mk_line(t, 2, "executor", 0);
	for (int i = 0; i < 7; i++) {
		snprintf(stats, sizeof stats, "_ct=2;_c=%d", i);
		mk_event(t, "ExecutorState::Process", (i * 1000 + 100) * US, 300 * US, stats);
		mk_event(t, "IteratorGetNext:IteratorGetNext", (i * 1000 + 110) * US, 50 * US, "");
		mk_event(t, "matmul:MatMul", (i * 1000 + 190) * US, 120 * US, "");
		mk_event(t, "MemcpyHToH", (i * 1000 + 320) * US, 20 * US, "");
		mk_event(t, "MemcpyHToD", (i * 1000 + 350) * US, 20 * US, "");
	}
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 7); /* XProf drops the first and the last */
	for (size_t i = 0; i < 7; i++)
		mk_assert_parts(a, i, US, parts);
	mk_analysis_free(a);
}

static struct mk_analysis *c26(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 0, "main", 0);
	mk_event(t, "TraceContext", 0, 100, "step_num=123");
	mk_event(t, "FunctionRun", 10, 90, "id=0;_pt=1;_p=0");
	mk_event(t, "TraceContext", 300, 100, "step_num=456");
	mk_event(t, "FunctionRun", 310, 90, "id=1;_pt=1;_p=1");
	mk_line(t, 1, "executor", 0);
	mk_event(t, "ExecutorState::Process", 20, 20, "_ct=1;_c=0");
	mk_event(t, "matmul", 30, 10, "correlation_id=100");
	mk_event(t, "ExecutorState::Process", 320, 20, "_ct=1;_c=1");
	mk_event(t, "matmul", 330, 10, "correlation_id=200");
	mk_plane(t, "/device:GPU:0", "");
	stream(t, 1);
	mk_event(t, "matmul", 50, 40, "correlation_id=100");
	return mk_analyze(t, NULL);
}

static void c26_a_kernel_and_its_launch(void **state)
{
	/* Process 20 to 40 launches; matmul runs from 50 to 90. */
	static const int64_t first[TF_PART_COUNT] = {0, 40, 0, 0, 0, 0, 20, 0, 0, 0, 0, 40};
	static const int64_t second[TF_PART_COUNT] = {0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 80};
	struct mk_analysis *a = c26();

	(void)state;
	assert_int_equal(a->host.steps.count, 2);
	mk_assert_parts(a, 0, 1, first);
	mk_assert_parts(a, 1, 1, second);
	mk_analysis_free(a);
}

/* 16 bits: 0, 32 bits: 40. */
static void c27_a_kernel_of_unknown_precision_has_32_bits(void **state)
{
	struct mk_analysis *a = c26();

	(void)state;
	assert_int_equal(a->host.steps.list[0].part_ps[TF_PART_DEVICE_COMPUTE_16], 0);
	assert_int_equal(a->host.steps.list[0].part_ps[TF_PART_DEVICE_COMPUTE_32], 40);
	mk_analysis_free(a);
}

static void c40_the_shape_decides_over_the_name(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {100, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100};
	struct tf_trace *t = short_host_step();

	(void)state;
	mk_plane(t, "/device:GPU:0", "");
	stream(t, 1);
	work(t, "k_fp16", 300, 100, "shape=(float[1] half[2])");
	work(t, "k_fp16", 500, 50, "shape=(float[1])");
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, US, parts);
	mk_analysis_free(a);
}

static void sixteen_bits_go_by_many_names(void **state)
{
	static const struct {
		const char *name, *stats;
		bool is_16;
	} cases[] = {
		{"gemm_half", "", true},
		{"gemm_fp16", "", true},
		{"gemm_bf16_128x64", "", true}, /* XProf: 32 bits */
		{"gemm_bfloat16", "", true},
		{"sgemm", "", false},
		{"gemm", "shape=(bfloat16[8])", true},
		{"gemm", "shape=(bf16[8])", true},
		{"gemm", "shape=(f16[8])", true},
		{"gemm_half", "shape=(float[8])", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = mk_trace();
		mk_plane(t, "/device:GPU:0", "");
		stream(t, 1);
		mk_event(t, cases[i].name, 0, 10, cases[i].stats);
		struct mk_analysis *a = mk_analyze(t, NULL);
		assert_int_equal(tf_is_16_bit(&a->d, 0), cases[i].is_16);
		mk_analysis_free(a);
	}
}

static void c42_compute_hides_communication(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {0, 100, 0, 0, 0, 150, 0, 0, 0, 0, 0, 0};
	struct tf_trace *t = short_host_step();

	(void)state;
	mk_plane(t, "/device:GPU:0", "");
	stream(t, 1);
	work(t, "k", 300, 100, "");
	stream(t, 2);
	work(t, "ncclDevKernel_AllReduce", 350, 200, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, US, parts);
	mk_analysis_free(a);
}

static void c42_devices_add_up_within_a_step(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {0, 550, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	struct tf_trace *t = short_host_step();

	(void)state;
	mk_plane(t, "/device:GPU:0", "");
	stream(t, 1);
	work(t, "k", 300, 100, "");
	mk_plane(t, "/device:GPU:1", "");
	stream(t, 1);
	work(t, "k", 350, 500, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, US, parts);
	mk_analysis_free(a);
}

static void c43_streams_share_a_step_by_importance(void **state)
{
	/* k 100 to 200 and 320 to 350; D2H 240 to 300; what H2D (150 to 250) has left is 200 to 240. */
	static const int64_t parts[TF_PART_COUNT] = {30, 100, 60, 0, 0, 0, 0, 40, 0, 0, 0, 20};
	struct tf_trace *t = short_host_step();

	(void)state;
	mk_plane(t, "/device:GPU:0", "");
	stream(t, 7);
	work(t, "k", 100, 100, "");
	work(t, "k_fp16", 320, 30, "");
	stream(t, 8);
	work(t, "MemcpyHToD", 150, 100, "");
	work(t, "MemcpyDToH", 240, 60, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.list[0].start_ps, 100 * US);
	mk_assert_parts(a, 0, US, parts);
	mk_analysis_free(a);
}

static void c45_waits_and_ops_of_one_host_step(void **state)
{
	static const int64_t cases[][2] = {{200, 800}, {199, 801}, {50, 950}, {49, 921}, {0, 970}, {100, 750}, {0, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t wait = cases[i][0], op = cases[i][1];
		int64_t parts[TF_PART_COUNT] = {
			[TF_PART_INPUT_WAIT] = wait, [TF_PART_HOST_COMPUTE] = op, [TF_PART_OTHER] = 1000 - wait - op};
		struct tf_trace *t = mk_trace();
		mk_plane(t, "/host:CPU", "");
		mk_line(t, 1, "main", 0);
		mk_event(t, "train", 0, 1000 * US, "_r=1;step_num=1");
		if (wait)
			mk_event(t, "IteratorGetNext:IteratorGetNext", 0, wait * US, "");
		if (op)
			mk_event(t, "C:MatMul", wait * US, op * US, "");
		struct mk_analysis *a = mk_analyze(t, NULL);
		mk_assert_parts(a, 0, US, parts);
		mk_analysis_free(a);
	}
}

static void collectives_go_by_many_names(void **state)
{
	static const char *const names[] = {
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "rcclGenericKernel", "all-reduce.1", "all-gather-start.3",
		"reduce-scatter.7", "all-to-all.2", "AllReduceKernel", "ncclKernel_SendRecv"};
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/device:GPU:0", "");
	stream(t, 1);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		mk_event(t, names[i], (int64_t)i * 10, 5, "");
	mk_event(t, "reduce_kernel", 200, 5, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_int_equal(tf_device_part(&a->d, mk_find(t, names[i], 0)), TF_PART_DEVICE_COLLECTIVES);
	assert_int_equal(tf_device_part(&a->d, mk_find(t, "reduce_kernel", 0)), TF_PART_DEVICE_COMPUTE_32);
	mk_analysis_free(a);
}

static void copies_without_a_telling_name_go_by_their_details(void **state)
{
	static const struct {
		const char *details;
		enum tf_part part;
	} cases[] = {
		{"memcpy_details=kind_src:pinned kind_dst:device size:64 dest:0 async:1", TF_PART_HOST_TO_DEVICE},
		{"memcpy_details=kind_src:device kind_dst:pageable size:64 dest:0 async:1", TF_PART_DEVICE_TO_HOST},
		{"memcpy_details=kind_src:device kind_dst:device size:64 dest:0 async:1", TF_PART_DEVICE_TO_DEVICE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = mk_trace();
		mk_plane(t, "/device:GPU:0", "");
		stream(t, 1);
		mk_event(t, "copyBuffer", 0, 10, cases[i].details);
		struct mk_analysis *a = mk_analyze(t, NULL);
		assert_int_equal(tf_device_part(&a->d, 0), cases[i].part);
		mk_analysis_free(a);
	}
}

/* The part of a host event with this name and these stats inside a step. */
static enum tf_part host_part(const char *name, const char *stats, bool has_device)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "outer", 0, 100, "_r=1;step_num=1");
	mk_event(t, name, 10, 20, stats);
	struct mk_analysis *a = mk_analyze(t, NULL);
	enum tf_part part = tf_host_part(&a->d, mk_find(t, name, 0), has_device);
	mk_analysis_free(a);
	return part;
}

static void host_events_fill_the_part_of_their_kind(void **state)
{
	(void)state;
	assert_int_equal(host_part("infeed/1:InfeedEnqueueTuple", "", false), TF_PART_HOST_TO_DEVICE);
	assert_int_equal(host_part("matmul:MatMul", "", true), TF_PART_HOST_COMPUTE);
	assert_int_equal(host_part("ExecutorState::Process", "", false), TF_PART_HOST_COMPUTE);
	assert_int_equal(host_part("ExecutorState::Process", "", true), TF_PART_KERNEL_LAUNCH);
	assert_int_equal(host_part("cuLaunchKernel", "correlation_id=5", true), TF_PART_KERNEL_LAUNCH);
	assert_int_equal(host_part("cuLaunchKernel", "correlation_id=5", false), TF_PART_HOST_COMPUTE);
	assert_int_equal(host_part("IteratorGetNextOp::DoCompute", "", false), TF_PART_INPUT_WAIT);
}

static void wrappers_and_markers_fill_nothing(void **state)
{
	(void)state;
	assert_int_equal(host_part("EagerExecute: MatMul", "", false), TF_PART_COUNT);
	assert_int_equal(host_part("EagerLocalExecute: f", "", false), TF_PART_COUNT);
	assert_int_equal(host_part("FunctionRun", "", false), TF_PART_COUNT);
	assert_int_equal(host_part("train", "", false), TF_PART_COUNT);
	assert_int_equal(host_part("train/layer", "", false), TF_PART_HOST_COMPUTE);
	assert_int_equal(host_part("outer", "_r=1;step_num=1", false), TF_PART_COUNT);
}

static void a_stage_of_the_input_pipeline_waits_if_it_is_the_outermost(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "step", 0, 100, "_r=1;step_num=1");
	mk_event(t, "batch", 10, 50, "_ipl_stage_name=Batch");
	mk_event(t, "read", 20, 20, "_ipl_stage_name=Read");
	mk_event(t, "ask", 70, 5, "_pt=1;_p=3");
	mk_line(t, 2, "worker", 0);
	mk_event(t, "prefetch", 10, 80, "_ipl_stage_name=Prefetch;_ct=1;_c=3");
	mk_event(t, "alone", 95, 5, "_ipl_stage_name=Alone;_ct=1;_c=4");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(tf_host_part(&a->d, mk_find(t, "batch", 0), false), TF_PART_INPUT_WAIT);
	assert_int_equal(tf_host_part(&a->d, mk_find(t, "read", 0), false), TF_PART_HOST_COMPUTE);
	assert_int_equal(tf_host_part(&a->d, mk_find(t, "prefetch", 0), false), TF_PART_HOST_COMPUTE);
	assert_int_equal(tf_host_part(&a->d, mk_find(t, "alone", 0), false), TF_PART_INPUT_WAIT);
	mk_analysis_free(a);
}

static void what_runs_beside_a_step_is_not_its_work(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {[TF_PART_HOST_COMPUTE] = 30, [TF_PART_OTHER] = 70};
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 100, "_r=1;step_num=1");
	mk_event(t, "matmul:MatMul", 10, 30, "");
	mk_line(t, 2, "other", 0);
	mk_event(t, "loose:MatMul", 50, 20, ""); /* of no group */
	mk_event(t, "FunctionRun", 75, 20, "_r=1"); /* of a group that is no step's */
	mk_event(t, "inner:MatMul", 80, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.step[mk_find(t, "inner:MatMul", 0)], 0); /* by time it is there all the same */
	mk_assert_parts(a, 0, 1, parts);
	mk_analysis_free(a);
}

static void a_session_run_without_marker_is_its_own_work(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {[TF_PART_HOST_COMPUTE] = 100};
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "SessionRun", 0, 100, "_r=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, 1, parts);
	mk_analysis_free(a);
}

static void a_marker_inside_another_has_parts_of_its_own(void **state)
{
	static const int64_t outer[TF_PART_COUNT] = {[TF_PART_HOST_COMPUTE] = 30, [TF_PART_OTHER] = 70};
	static const int64_t inner[TF_PART_COUNT] = {[TF_PART_HOST_COMPUTE] = 20, [TF_PART_OTHER] = 20};
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "epoch", 0, 100, "_r=1;step_num=1");
	mk_event(t, "a:MatMul", 5, 10, "");
	mk_event(t, "batch", 20, 40, "_r=1;step_num=8");
	mk_event(t, "b:MatMul", 30, 20, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 2);
	mk_assert_parts(a, 0, 1, outer);
	mk_assert_parts(a, 1, 1, inner);
	mk_analysis_free(a);
}

static void equal_parts_that_touch_or_nest_count_once(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {[TF_PART_HOST_COMPUTE] = 60, [TF_PART_OTHER] = 40};
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 100, "_r=1;step_num=1;_pt=1;_p=1");
	mk_event(t, "a:MatMul", 10, 40, "");
	mk_event(t, "b:MatMul", 20, 10, "");
	mk_line(t, 2, "other", 0);
	mk_event(t, "c:MatMul", 40, 30, "_ct=1;_c=1"); /* 40 to 70 */
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, 1, parts);
	mk_analysis_free(a);
}

/* A device of which only damage is left is none: what the host does is then no launching. */
static void absurd_device_work_makes_no_device(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 100 * US, "step_num=1;_r=1");
	mk_event(t, "cuLaunchKernel", 10 * US, 20 * US, "correlation_id=u1");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 7, "stream", 0);
	mk_event(t, "k", 50 * US, -1, "correlation_id=u1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_false(tf_has_device_events(a->trace));
	assert_int_equal(a->host.steps.list[0].part_ps[TF_PART_KERNEL_LAUNCH], 0);
	assert_int_equal(a->host.steps.list[0].part_ps[TF_PART_HOST_COMPUTE], 20 * US);
	mk_analysis_free(a);
}

/* A step of 100 µs that compiles from 10 to 70, its passes inside, waits for input from 60 to 65, then computes to 80. */
static void compiling_is_told_from_computing(void **state)
{
	(void)state;
	static const char *const names[] = {"backend_compile", "TfrtGpuClient::Compile", "cluster:_XlaCompile"};
	/* compile: 60 less the wait of 5; host_compute: 70 to 80; other: 0 to 10 and 80 to 100. */
	static const int64_t parts[TF_PART_COUNT] = {0, 0, 0, 0, 5, 0, 0, 0, 0, 55, 10, 30};
	for (size_t i = 0; i < 3; i++) {
		struct tf_trace *t = mk_trace();
		mk_plane(t, "/host:CPU", "");
		mk_line(t, 1, "main", 0);
		mk_event(t, "train", 0, 100 * US, "_r=1;step_num=1");
		mk_event(t, names[i], 10 * US, 60 * US, "");
		mk_event(t, "HloPassPipeline", 20 * US, 30 * US, "");
		mk_event(t, "IteratorGetNext:IteratorGetNext", 60 * US, 5 * US, "");
		mk_event(t, "matmul:MatMul", 70 * US, 10 * US, "");
		struct mk_analysis *a = mk_analyze(t, NULL);
		mk_assert_parts(a, 0, US, parts);
		mk_analysis_free(a);
	}
}

static void what_only_sounds_like_it_computes(void **state)
{
	(void)state;
	static const int64_t parts[TF_PART_COUNT] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 50};
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 100 * US, "_r=1;step_num=1");
	mk_event(t, "compile_loss/mul:Mul", 10 * US, 20 * US, "");
	mk_event(t, "re::Compiled", 30 * US, 30 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, US, parts);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c26_a_kernel_and_its_launch),
		cmocka_unit_test(c27_a_kernel_of_unknown_precision_has_32_bits),
		cmocka_unit_test(c35_host_and_device_share_a_step),
		cmocka_unit_test(c36_copies_count_by_their_real_names),
		cmocka_unit_test(c37_a_cpu_alone_computes_and_waits),
		cmocka_unit_test(c40_the_shape_decides_over_the_name),
		cmocka_unit_test(sixteen_bits_go_by_many_names),
		cmocka_unit_test(c42_compute_hides_communication),
		cmocka_unit_test(c42_devices_add_up_within_a_step),
		cmocka_unit_test(c43_streams_share_a_step_by_importance),
		cmocka_unit_test(c45_waits_and_ops_of_one_host_step),
		cmocka_unit_test(collectives_go_by_many_names),
		cmocka_unit_test(copies_without_a_telling_name_go_by_their_details),
		cmocka_unit_test(host_events_fill_the_part_of_their_kind),
		cmocka_unit_test(wrappers_and_markers_fill_nothing),
		cmocka_unit_test(a_stage_of_the_input_pipeline_waits_if_it_is_the_outermost),
		cmocka_unit_test(what_runs_beside_a_step_is_not_its_work),
		cmocka_unit_test(a_session_run_without_marker_is_its_own_work),
		cmocka_unit_test(a_marker_inside_another_has_parts_of_its_own),
		cmocka_unit_test(equal_parts_that_touch_or_nest_count_once),
		cmocka_unit_test(absurd_device_work_makes_no_device),
		cmocka_unit_test(compiling_is_told_from_computing),
		cmocka_unit_test(what_only_sounds_like_it_computes),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
