/* Host and device ops (METRICS.md §7; cases C48, C49, C52, C54, C55). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

#define NS INT64_C(1000)

static struct tf_trace *host(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	return t;
}

/* The only op of this side and name. */
static const struct tf_op *op(const struct mk_analysis *a, const char *side, const char *name)
{
	const struct tf_op *found = NULL;

	for (size_t i = 0; i < a->host.op_count; i++) {
		const struct tf_op *o = &a->host.ops[i];
		if (strcmp(o->side, side) != 0 || strcmp(o->name, name) != 0)
			continue;
		if (found)
			fail_msg("two ops '%s'", name);
		found = o;
	}
	if (!found)
		fail_msg("no op '%s'", name);
	return found;
}

static void assert_op(const struct mk_analysis *a, const char *side, const char *name, int64_t count, int64_t total_ps,
		      int64_t self_ps)
{
	const struct tf_op *o = op(a, side, name);

	assert_int_equal(o->count, count);
	assert_int_equal(o->total_ps, total_ps);
	assert_int_equal(o->self_ps, self_ps);
}

static void c48_host_ops_of_two_threads(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "TfOp1:TfOp1", 100000 * NS, 8000 * NS, "");
	mk_line(t, 2, "worker", 0);
	mk_event(t, "TfOp1:TfOp1", 100000 * NS, 8000 * NS, "");
	mk_event(t, "TfOp2:TfOp2", 110000 * NS, 10000 * NS, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.op_count, 3);
	assert_op(a, "host", "TfOp1", 2, 16 * US, 16 * US);
	assert_op(a, "host", "TfOp2", 1, 10 * US, 10 * US);
	assert_op(a, "host", "IDLE", 0, 2 * US, 2 * US);
	assert_string_equal(a->host.ops[0].name, "TfOp1"); /* most self time first */
	assert_string_equal(a->host.ops[2].name, "IDLE");
	mk_analysis_free(a);
}

/* XProf lists TfOp1/kernel1 and TfOp1/kernel2 apart; the framework's op is the row here, the kernels have their own table. */
static void c49_device_ops_of_two_streams(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/device:GPU:0", "");
	for (int64_t stream = 10; stream <= 20; stream += 10) {
		mk_line(t, stream, "Stream", 0);
		mk_event(t, "kernel1", 100000 * NS, 8000 * NS, "tf_op=TfOp1:TfOp1");
		mk_event(t, "kernel2", 110000 * NS, 10000 * NS, "tf_op=TfOp1:TfOp1");
	}
	mk_event(t, "kernel3", 120000 * NS, 10000 * NS, "tf_op=TfOp2:TfOp2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_op(a, "device", "TfOp1", 4, 36 * US, 36 * US);
	assert_op(a, "device", "TfOp2", 1, 10 * US, 10 * US);
	assert_string_equal(op(a, "device", "TfOp2")->type, "TfOp2");
	assert_string_equal(op(a, "device", "TfOp2")->device, "/device:GPU:0");
	assert_op(a, "device", "IDLE", 0, 4 * US, 4 * US); /* 2 between kernel1 and kernel2, on each stream */
	mk_analysis_free(a);
}

static void c52_xla_ops_of_the_host_go_by_tf_op(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "xla_op", 100000 * NS, 8000 * NS, "tf_op=tf_op");
	mk_event(t, "xla_op2", 110000 * NS, 10000 * NS, "tf_op=tf_op2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_op(a, "host", "tf_op", 1, 8 * US, 8 * US);
	assert_op(a, "host", "tf_op2", 1, 10 * US, 10 * US);
	assert_op(a, "host", "IDLE", 0, 2 * US, 2 * US);
	mk_analysis_free(a);
}

static void c52_each_input_stage_is_a_row(void **state)
{
	struct tf_trace *t = host();
	int64_t rows = 0, self = 0;

	(void)state;
	mk_event(t, "Shuffle", 100 * US, 10 * US, "_ipl_stage_id=1;_ipl_stage_cat=preprocessing");
	mk_event(t, "Map", 100 * US, 8 * US, "_ipl_stage_id=2;_ipl_stage_cat=preprocessing");
	mk_event(t, "Shuffle", 120 * US, 10 * US, "_ipl_stage_id=3;_ipl_stage_cat=preprocessing");
	mk_event(t, "Map", 120 * US, 8 * US, "_ipl_stage_id=4;_ipl_stage_cat=preprocessing");
	struct mk_analysis *a = mk_analyze(t, NULL);
	for (size_t i = 0; i < a->host.op_count; i++) {
		if (strcmp(a->host.ops[i].name, "IDLE") == 0)
			continue;
		rows++;
		self += a->host.ops[i].self_ps;
		assert_int_equal(a->host.ops[i].self_ps, strcmp(a->host.ops[i].name, "Map") ? 2 * US : 8 * US);
		assert_string_equal(a->host.ops[i].type, "preprocessing");
	}
	assert_int_equal(rows, 4);
	assert_int_equal(self, 20 * US);
	assert_op(a, "host", "IDLE", 0, 10 * US, 10 * US);
	mk_analysis_free(a);
}

/* XProf drops Inner and what stands around it. */
static void c54_an_op_that_ends_with_its_parent_stays(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "G:G", 0, 2000 * US, "");
	mk_event(t, "Outer:Outer", 0, 1000 * US, "");
	mk_event(t, "Inner:Inner", 500 * US, 500 * US, "");
	mk_event(t, "Tail:Tail", 1500 * US, 100 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_op(a, "host", "G", 1, 2000 * US, 900 * US); /* less Outer and Tail */
	assert_op(a, "host", "Outer", 1, 1000 * US, 500 * US);
	assert_op(a, "host", "Inner", 1, 500 * US, 500 * US);
	assert_op(a, "host", "Tail", 1, 100 * US, 100 * US);
	assert_op(a, "host", "IDLE", 0, 0, 0);
	mk_analysis_free(a);
}

static void c54_ops_that_overlap_by_part_both_count(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "A:A", 0, 1000 * US, "");
	mk_event(t, "B:B", 500 * US, 1000 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_op(a, "host", "A", 1, 1000 * US, 1000 * US);
	assert_op(a, "host", "B", 1, 1000 * US, 1000 * US);
	assert_op(a, "host", "IDLE", 0, 0, 0);
	mk_analysis_free(a);
}

static void c54_idle_is_the_time_between_ops(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "A:A", 100 * US, 500 * US, "");
	mk_event(t, "B:B", 900 * US, 500 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_op(a, "host", "IDLE", 0, 300 * US, 300 * US);
	mk_analysis_free(a);
}

static void self_time_is_less_nested_ops_alone(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "Outer:Outer", 0, 100 * US, "");
	mk_event(t, "no op at all", 10 * US, 80 * US, "");
	mk_event(t, "Inner:Inner", 20 * US, 30 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_op(a, "host", "Outer", 1, 100 * US, 70 * US);
	assert_op(a, "host", "Inner", 1, 30 * US, 30 * US);
	mk_analysis_free(a);
}

static void c55_ops_outside_functions_are_eager(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "EagerExecute", 0, 100 * US, "is_func=0");
	mk_event(t, "x:Relu", 10 * US, 50 * US, "");
	mk_event(t, "EagerExecute", 200 * US, 100 * US, "is_func=1");
	mk_event(t, "y:Relu", 210 * US, 30 * US, "");
	mk_event(t, "z:Relu", 400 * US, 20 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(op(a, "host", "x")->eager);
	assert_false(op(a, "host", "y")->eager);
	assert_false(op(a, "host", "z")->eager);
	assert_op(a, "host", "IDLE", 0, 310 * US, 310 * US);
	mk_analysis_free(a);
}

/* XProf counts it as one more occurrence of the op. */
static void an_allocation_is_no_occurrence_of_its_op(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "dense/MatMul:MatMul", 0, 10 * US, "");
	mk_event(t, "MemoryAllocation", 2 * US, 0, "tf_op=dense/MatMul;allocator_name=cpu;allocation_bytes=64;addr=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_op(a, "host", "dense/MatMul", 1, 10 * US, 10 * US);
	mk_analysis_free(a);
}

static void iterators_keep_their_full_name(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "Iterator::Root::Prefetch", 0, 10 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(op(a, "host", "Iterator::Root::Prefetch")->type, "Dataset");
	mk_analysis_free(a);
}

static void xla_work_goes_by_its_instruction(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream", 0);
	mk_event(t, "copy.kd", 0, 3 * US, "tf_op=XlaModule:;hlo_op=copy.12");
	mk_event(t, "loop_fusion.kd", 5 * US, 4 * US, "hlo_op=while.3::loop_fusion");
	mk_event(t, "bare", 10 * US, 9 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_op(a, "device", "copy.12", 1, 3 * US, 3 * US);
	assert_string_equal(op(a, "device", "copy.12")->type, "copy");
	assert_string_equal(op(a, "device", "while.3::loop_fusion")->type, "loop_fusion");
	assert_int_equal(a->host.op_count, 3); /* with IDLE; what belongs to no op is no op */
	mk_analysis_free(a);
}

static void tpu_ops_carry_flops_and_bytes(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/device:TPU:0", "");
	mk_line(t, 1, "XLA Ops", 0);
	mk_event(t, "fusion.1", 0, 10 * US, "");
	mk_event(t, "fusion.1", 20 * US, 10 * US, "");
	mk_event(t, "copy.2", 40 * US, 5 * US, "");
	mk_meta_stats(t, "fusion.1", "hlo_category=convolution fusion;flops=34;bytes_accessed=100");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_op *fusion = op(a, "device", "fusion.1");
	assert_string_equal(fusion->type, "convolution fusion");
	assert_true(fusion->flops == 68 && fusion->bytes == 200);
	assert_true(isnan(op(a, "device", "copy.2")->flops));
	assert_op(a, "device", "IDLE", 0, 20 * US, 20 * US);
	mk_analysis_free(a);
}

static void a_capture_without_ops_says_so(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "some python function", 0, 10 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.op_count, 0);
	assert_string_equal(a->host.op_reason, "no_op_events");
	mk_analysis_free(a);
}

static void absurd_events_are_no_ops(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "A:A", 0, 10 * US, "");
	mk_event(t, "A:A", 20 * US, -5 * US, "");
	mk_event(t, "A:A", 30 * US, INT64_MAX, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_op(a, "host", "A", 1, 10 * US, 10 * US);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c48_host_ops_of_two_threads),
		cmocka_unit_test(c49_device_ops_of_two_streams),
		cmocka_unit_test(c52_xla_ops_of_the_host_go_by_tf_op),
		cmocka_unit_test(c52_each_input_stage_is_a_row),
		cmocka_unit_test(c54_an_op_that_ends_with_its_parent_stays),
		cmocka_unit_test(c54_ops_that_overlap_by_part_both_count),
		cmocka_unit_test(c54_idle_is_the_time_between_ops),
		cmocka_unit_test(self_time_is_less_nested_ops_alone),
		cmocka_unit_test(c55_ops_outside_functions_are_eager),
		cmocka_unit_test(an_allocation_is_no_occurrence_of_its_op),
		cmocka_unit_test(iterators_keep_their_full_name),
		cmocka_unit_test(xla_work_goes_by_its_instruction),
		cmocka_unit_test(tpu_ops_carry_flops_and_bytes),
		cmocka_unit_test(a_capture_without_ops_says_so),
		cmocka_unit_test(absurd_events_are_no_ops),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
