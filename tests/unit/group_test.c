/* Nesting and grouping of events (METRICS.md §2; cases C06 to C16). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

/* A host plane with one line. */
static struct tf_trace *host(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	return t;
}

static void what_ends_with_its_parent_stays_nested(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "outer", 0, 100, "");
	mk_event(t, "inner", 20, 80, "");
	mk_event(t, "innermost", 60, 40, "");
	mk_event(t, "next", 100, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.parent[0], UINT32_MAX);
	assert_int_equal(a->d.parent[1], 0);
	assert_int_equal(a->d.parent[2], 1);
	assert_int_equal(a->d.depth[2], 2);
	assert_int_equal(a->d.parent[3], UINT32_MAX);
	assert_int_equal(a->d.self_ps[0], 20); /* 100 - 80 */
	assert_int_equal(a->d.self_ps[1], 40); /* 80 - 40 */
	mk_analysis_free(a);
}

static void equal_spans_nest_in_the_order_of_the_file(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "first", 10, 50, "");
	mk_event(t, "second", 10, 50, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.parent[mk_find(t, "second", 0)], mk_find(t, "first", 0));
	assert_int_equal(a->d.self_ps[mk_find(t, "first", 0)], 0);
	mk_analysis_free(a);
}

static void a_partial_overlap_is_no_nesting(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "a", 0, 50, "");
	mk_event(t, "b", 30, 50, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.parent[1], UINT32_MAX);
	assert_int_equal(a->d.self_ps[0], 50);
	mk_analysis_free(a);
}

static void c06_executor_runs_the_tpu_op_of_its_iteration(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 100, "step_num=1;_r=1");
	mk_event(t, "ExecutorState::Process", 10, 20, "id=123;iter_num=456");
	mk_event(t, "ExecutorState::Process", 40, 20, "id=124");
	mk_line(t, 2, "tpu", 0);
	mk_event(t, "TpuExecuteOp", 200, 10, "id=123;iter_num=456");
	mk_event(t, "TpuExecuteOp", 220, 10, "id=123;iter_num=789");
	mk_event(t, "TpuExecuteOp", 240, 10, "id=124");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "TpuExecuteOp", 0), 0);
	assert_int_equal(mk_group(a, "TpuExecuteOp", 1), -1);
	assert_int_equal(mk_group(a, "TpuExecuteOp", 2), -1);
	mk_analysis_free(a);
}

static void c07_run_ids_meet_in_their_low_27_bits(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 100, "step_num=1;_r=1");
	mk_event(t, "DoEnqueueProgram", 10, 20, "run_id=582974244;queue_id=0;device_ordinal=1");
	mk_line(t, 2, "callbacks", 0);
	mk_event(t, "CompleteCallbacks", 200, 10, "run_id=46103332;queue_id=0;device_ordinal=1");
	mk_event(t, "CompleteCallbacks", 220, 10, "run_id=46103332;queue_id=0;device_ordinal=2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "CompleteCallbacks", 0), 0);
	assert_int_equal(mk_group(a, "CompleteCallbacks", 1), -1);
	mk_analysis_free(a);
}

static void c07_without_a_run_id_nothing_is_joined(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 100, "step_num=1;_r=1");
	mk_event(t, "DoEnqueueProgram", 10, 20, "queue_id=0;device_ordinal=1");
	mk_event(t, "DoEnqueueContinuationProgram", 40, 20, "queue_id=0;device_ordinal=1");
	mk_line(t, 2, "callbacks", 0);
	mk_event(t, "CompleteCallbacks", 200, 10, "queue_id=0;device_ordinal=1");
	mk_event(t, "TpuExecuteOp", 220, 10, "run_id=46103332");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "DoEnqueueContinuationProgram", 0), 0); /* by nesting */
	assert_int_equal(mk_group(a, "CompleteCallbacks", 0), -1);
	assert_int_equal(mk_group(a, "TpuExecuteOp", 0), -1);
	mk_analysis_free(a);
}

/* Case C09 with this root. */
static void one_group_to_the_kernel(const char *root, const char *stats)
{
	struct tf_trace *t = host();
	mk_event(t, root, 0, 100, stats);
	mk_event(t, "FunctionRun", 10, 90, "id=0;_pt=2;_p=0");
	mk_line(t, 2, "executor", 0);
	mk_event(t, "ExecutorState::Process", 20, 80, "id=0;_ct=2;_c=0");
	mk_event(t, "matmul", 30, 70, "correlation_id=100");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "matmul", 200, 300, "correlation_id=100");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.group_count, 1);
	for (size_t i = 0; i < t->events.count; i++)
		assert_int_equal(a->d.group[i], 0);
	assert_int_equal(a->host.steps.count, 1);
	assert_int_equal(a->host.steps.list[0].number, 123);
	assert_string_equal(a->host.steps.list[0].name, root);
	assert_int_equal(a->host.steps.list[0].device_ps, 300);
	assert_int_equal(a->d.eager[mk_find(t, "matmul", 1)], 0);
	mk_analysis_free(a);
}

static void c09_ids_lead_from_the_step_to_its_kernel(void **state)
{
	(void)state;
	one_group_to_the_kernel("train", "step_num=123;_r=1");
	one_group_to_the_kernel("TraceContext", "graph_type=train;step_num=123");
}

static void c10_an_executor_loop_is_a_group(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "ExecutorState::Process", 5, 10, "id=0;iter_num=10;_ct=2;_c=0");
	mk_event(t, "ExecutorState::Process", 20, 80, "id=0;iter_num=10;_ct=2;_c=0");
	mk_event(t, "matmul", 30, 70, "correlation_id=100");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "matmul", 200, 300, "correlation_id=100");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.group_count, 1);
	for (size_t i = 0; i < t->events.count; i++)
		assert_int_equal(a->d.group[i], 0);
	assert_int_equal(a->host.steps.source, TF_STEPS_EXECUTOR);
	assert_int_equal(a->host.steps.list[0].number, 10);
	assert_int_equal(a->host.steps.list[0].host_ps, 95); /* 5 to 100 */
	assert_int_equal(a->host.steps.list[0].device_ps, 300);
	mk_analysis_free(a);
}

/* Groups of C12 with these ids of producer and consumer. */
static void context_joins(const char *producer, const char *consumer, bool joined)
{
	char stats[64];
	struct tf_trace *t = host();
	mk_event(t, "TraceContext", 0, 100, "_r=1;step_num=100");
	snprintf(stats, sizeof stats, "_pt=123;_p=%s", producer);
	mk_event(t, "FunctionRun", 10, 90, stats);
	mk_line(t, 2, "executor", 0);
	snprintf(stats, sizeof stats, "_ct=123;_c=%s", consumer);
	mk_event(t, "ExecutorState::Process", 20, 80, stats);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "TraceContext", 0), 0);
	assert_int_equal(mk_group(a, "FunctionRun", 0), 0);
	assert_int_equal(mk_group(a, "ExecutorState::Process", 0), joined ? 0 : -1);
	mk_analysis_free(a);
}

static void c12_context_ids_are_compared_in_full(void **state)
{
	(void)state;
	context_joins("u456", "u456", true);
	context_joins("u456", "u789", false);
	context_joins("u18446744073709551615", "u18446744073709551614", false);
}

static void c13_asynchronous_events_do_not_nest(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "parent", 0, 100, "_r=1");
	mk_event(t, "async", 10, 200, "_a=1");
	mk_event(t, "child", 20, 80, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "parent", 0), 0);
	assert_int_equal(mk_group(a, "async", 0), -1);
	assert_int_equal(mk_group(a, "child", 0), 0);
	mk_analysis_free(a);
}

static void c15_eager_is_what_a_call_without_function_launches(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "launch", 10, 90, "correlation_id=100");
	mk_event(t, "EagerExecute", 100, 200, "");
	mk_event(t, "launch", 110, 190, "correlation_id=101");
	mk_event(t, "EagerExecute", 300, 200, "is_func=0");
	mk_event(t, "launch", 310, 190, "correlation_id=102");
	mk_event(t, "EagerExecute", 500, 200, "is_func=1");
	mk_event(t, "launch", 510, 190, "correlation_id=103");
	mk_event(t, "EagerExecute", 700, 100, "is_func=0");
	mk_event(t, "eager_op_cpu_kernel:Matmul", 710, 90, "");
	mk_event(t, "EagerExecute", 800, 100, "is_func=1");
	mk_event(t, "eager_func_cpu_kernel:Matmul", 810, 90, "");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "kernel", 1000, 10, "correlation_id=100");
	mk_event(t, "kernel", 1010, 10, "correlation_id=101");
	mk_event(t, "kernel", 1020, 10, "correlation_id=102");
	mk_event(t, "kernel", 1030, 10, "correlation_id=103");
	struct mk_analysis *a = mk_analyze(t, NULL);
	static const int eager[] = {0, 0, 1, 0};
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(a->d.eager[mk_find(t, "kernel", i)], eager[i]);
	assert_int_equal(a->d.eager[mk_find(t, "eager_op_cpu_kernel:Matmul", 0)], 1);
	assert_int_equal(a->d.eager[mk_find(t, "eager_func_cpu_kernel:Matmul", 0)], 0);
	mk_analysis_free(a);
}

static void ops_of_a_function_are_not_eager(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "EagerExecute", 0, 100, "");
	mk_event(t, "FunctionRun", 10, 90, "_pt=2;_p=7");
	mk_line(t, 2, "executor", 0);
	mk_event(t, "ExecutorState::Process", 20, 80, "_ct=2;_c=7");
	mk_event(t, "matmul:MatMul", 30, 70, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.eager[mk_find(t, "matmul:MatMul", 0)], 0);
	mk_analysis_free(a);
}

static void c16_tpu_requests_belong_to_the_step_that_queued_them(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "SessionRun", 0, 100, "_r=1");
	mk_event(t, "EnqueueRequestLocked", 20, 50, "queue_addr=123;request_id=456");
	mk_line(t, 2, "runtime", 0);
	mk_event(t, "RunProgramRequest", 200, 50, "queue_addr=123;request_id=456");
	mk_event(t, "RunProgramRequest", 300, 50, "queue_addr=123;request_id=457");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.group_count, 1);
	assert_int_equal(mk_group(a, "EnqueueRequestLocked", 0), 0);
	assert_int_equal(mk_group(a, "RunProgramRequest", 0), 0);
	assert_int_equal(mk_group(a, "RunProgramRequest", 1), -1);
	mk_analysis_free(a);
}

static void c16_one_iteration_alone_is_a_group(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "ExecutorState::Process", 20, 50, "id=123;iter_num=456");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.group_count, 1);
	mk_analysis_free(a);
}

/* A step that launches on two devices, whose ids count from 1 on each. */
static void correlation_ids_are_of_one_device(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 100, "step_num=1;_r=1");
	mk_event(t, "cuLaunchKernel", 10, 5, "correlation_id=7;device_id=0");
	mk_event(t, "train", 200, 100, "step_num=2;_r=1");
	mk_event(t, "cuLaunchKernel", 210, 5, "correlation_id=7;device_id=1");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "k0", 50, 10, "correlation_id=7");
	mk_plane(t, "/device:GPU:1", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "k1", 250, 10, "correlation_id=7;device_id=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "k0", 0), 0);
	assert_int_equal(mk_group(a, "k1", 0), 1);
	mk_analysis_free(a);
}

/* Of two launches in two steps the second one's kernel runs while the first one's does. */
static void a_launched_kernel_inside_another_belongs_where_its_launch_does(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 100, "step_num=1;_r=1");
	mk_event(t, "launch", 10, 10, "correlation_id=7");
	mk_event(t, "train", 200, 100, "step_num=2;_r=1");
	mk_event(t, "launch", 210, 10, "correlation_id=8");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "outer", 50, 400, "correlation_id=7");
	mk_event(t, "inner", 250, 100, "correlation_id=8");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "outer", 0), mk_group(a, "train", 0));
	assert_int_equal(mk_group(a, "inner", 0), mk_group(a, "train", 1));
	mk_analysis_free(a);
}

/* Case C39: XProf gives such a kernel to the group of the one before it. */
static void c39_a_kernel_without_launch_belongs_to_no_group(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 10 * US, "step_num=1;_r=1");
	mk_event(t, "cuLaunchKernel", 1 * US, 1 * US, "correlation_id=1");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "k", 300 * US, 100 * US, "correlation_id=1");
	mk_event(t, "eager", 500 * US, 50 * US, "correlation_id=2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "k", 0), 0);
	assert_int_equal(mk_group(a, "eager", 0), -1);
	assert_int_equal(a->host.steps.list[0].device_ps, 100 * US);
	mk_analysis_free(a);
}

static void an_op_with_a_correlation_id_is_no_launch(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 100, "step_num=1;_r=1");
	mk_event(t, "matmul:MatMul", 10, 50, "correlation_id=1");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "k", 300, 100, "correlation_id=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "k", 0), -1);
	mk_analysis_free(a);
}

/* One producer on the main line; `count` consumers, and as many producers in all. */
static void crowd(int count, bool joined)
{
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 1000, "step_num=1;_r=1");
	for (int i = 0; i < count; i++)
		mk_event(t, "producer", 10 + i, 1, "_pt=2;_p=5");
	mk_line(t, 2, "other", 0);
	for (int i = 0; i < count; i++)
		mk_event(t, "consumer", 10 + i, 1, "_ct=2;_c=5");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "consumer", 0), joined ? 0 : -1);
	mk_analysis_free(a);
}

static void sixty_four_of_both_sides_are_a_coincidence(void **state)
{
	(void)state;
	crowd(63, true);
	crowd(64, false);
}

/* A coincidence of ids is no launch: what hangs from the kernel around it still does. */
static void a_kernel_in_a_crowd_stays_where_it_is_nested(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 100, "step_num=1;_r=1");
	mk_event(t, "launch", 10, 10, "correlation_id=7");
	mk_line(t, 2, "other", 0);
	for (int i = 0; i < 64; i++)
		mk_event(t, "producer", 10 + i, 1, "_pt=2;_p=5");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "outer", 200, 400, "correlation_id=7");
	for (int i = 0; i < 64; i++)
		mk_event(t, "inner", 210 + i, 1, "_ct=2;_c=5");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "outer", 0), 0);
	assert_int_equal(mk_group(a, "inner", 0), 0);
	mk_analysis_free(a);
}

static void ids_of_another_process_do_not_join(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "process_id=10");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 100, "step_num=1;_r=1");
	mk_event(t, "FunctionRun", 10, 50, "_pt=2;_p=7");
	mk_plane(t, "/host:CPU [11]", "process_id=11");
	mk_line(t, 1, "main", 0);
	mk_event(t, "own", 10, 50, "_ct=2;_c=7");
	mk_event(t, "named", 70, 20, "_ct=2;_c=7;_pid=10");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(t->planes[1].kind, TF_PLANE_HOST);
	assert_int_equal(mk_group(a, "own", 0), -1);
	assert_int_equal(mk_group(a, "named", 0), 0);
	mk_analysis_free(a);
}

static void a_recorded_loop_op_switches_grouping_off(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 100, "step_num=1;_r=1");
	mk_event(t, "WhileOp-StartBody", 10, 50, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.group_count, 0);
	assert_int_equal(a->host.steps.count, 1); /* the marker says so itself */
	mk_analysis_free(a);
}

static void executors_that_tfdata_runs_are_no_roots(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "InstantiatedCapturedFunction::Run", 0, 100, "id=5");
	mk_event(t, "FunctionRun", 10, 50, "id=5;_r=1");
	mk_event(t, "ExecutorState::Process", 200, 50, "id=5;iter_num=3");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->d.group_count, 0);
	assert_int_equal(a->host.steps.count, 0);
	mk_analysis_free(a);
}

static void a_higher_root_level_takes_its_events_first(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "BatchingSessionRun", 0, 100, "_pt=4;_p=1");
	mk_line(t, 2, "batch", 0);
	mk_event(t, "ProcessBatch", 50, 100, "_ct=4;_c=1");
	mk_event(t, "work", 60, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(mk_group(a, "ProcessBatch", 0), 0);
	assert_int_equal(mk_group(a, "work", 0), 0);
	assert_int_equal(mk_group(a, "BatchingSessionRun", 0), 1);
	mk_analysis_free(a);
}

static void circular_ids_come_to_an_end(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "a", 0, 10, "_r=1;_pt=1;_p=1;_ct=1;_c=2");
	mk_event(t, "b", 20, 10, "_r=1;_pt=1;_p=2;_ct=1;_c=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	/* Each is an ancestor of the other, of one level: neither is a root. */
	assert_int_equal(a->d.group_count, 0);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_ends_with_its_parent_stays_nested),
		cmocka_unit_test(equal_spans_nest_in_the_order_of_the_file),
		cmocka_unit_test(a_partial_overlap_is_no_nesting),
		cmocka_unit_test(c06_executor_runs_the_tpu_op_of_its_iteration),
		cmocka_unit_test(c07_run_ids_meet_in_their_low_27_bits),
		cmocka_unit_test(c07_without_a_run_id_nothing_is_joined),
		cmocka_unit_test(c09_ids_lead_from_the_step_to_its_kernel),
		cmocka_unit_test(c10_an_executor_loop_is_a_group),
		cmocka_unit_test(c12_context_ids_are_compared_in_full),
		cmocka_unit_test(c13_asynchronous_events_do_not_nest),
		cmocka_unit_test(c15_eager_is_what_a_call_without_function_launches),
		cmocka_unit_test(ops_of_a_function_are_not_eager),
		cmocka_unit_test(c16_tpu_requests_belong_to_the_step_that_queued_them),
		cmocka_unit_test(c16_one_iteration_alone_is_a_group),
		cmocka_unit_test(correlation_ids_are_of_one_device),
		cmocka_unit_test(a_launched_kernel_inside_another_belongs_where_its_launch_does),
		cmocka_unit_test(c39_a_kernel_without_launch_belongs_to_no_group),
		cmocka_unit_test(an_op_with_a_correlation_id_is_no_launch),
		cmocka_unit_test(sixty_four_of_both_sides_are_a_coincidence),
		cmocka_unit_test(a_kernel_in_a_crowd_stays_where_it_is_nested),
		cmocka_unit_test(ids_of_another_process_do_not_join),
		cmocka_unit_test(a_recorded_loop_op_switches_grouping_off),
		cmocka_unit_test(executors_that_tfdata_runs_are_no_roots),
		cmocka_unit_test(a_higher_root_level_takes_its_events_first),
		cmocka_unit_test(circular_ids_come_to_an_end),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
