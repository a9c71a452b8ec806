/* Full op names (METRICS.md §7, case C84). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/analyze/analyze.h"

static void parses_to(const char *full, enum tf_op_category category, const char *name, const char *type)
{
	struct tf_name_info info = tf_op_name_parse(tf_bytes_of(full));

	if (info.category != category || !tf_bytes_equal(info.op_name, tf_bytes_of(name))
	    || !tf_bytes_equal(info.op_type, tf_bytes_of(type)))
		fail_msg("'%s': category %d, name '%.*s', type '%.*s'", full, info.category, (int)info.op_name.len,
			 (const char *)info.op_name.data, (int)info.op_type.len, (const char *)info.op_type.data);
}

static void c84_tensorflow_names_have_a_capital_type(void **state)
{
	(void)state;
	parses_to("OpName:OpType", TF_OP_TENSORFLOW, "OpName", "OpType");
	parses_to("OpName:_InternalOpType", TF_OP_TENSORFLOW, "OpName", "_InternalOpType");
	parses_to("path/to/name:OpType", TF_OP_TENSORFLOW, "path/to/name", "OpType");
	parses_to("scope-1/scope2/OpName:OpType", TF_OP_TENSORFLOW, "scope-1/scope2/OpName", "OpType");
	parses_to("input_pipeline_task0/while/body/_1/InfeedQueue/enqueue/1:InfeedEnqueueTuple", TF_OP_TENSORFLOW,
		  "input_pipeline_task0/while/body/_1/InfeedQueue/enqueue/1", "InfeedEnqueueTuple");
}

static void c84_a_missing_type_is_the_last_part_without_its_number(void **state)
{
	(void)state;
	parses_to("namescope/OpName_1:", TF_OP_TENSORFLOW, "namescope/OpName_1", "OpName");
	parses_to("namescope/OpName_a:", TF_OP_TENSORFLOW, "namescope/OpName_a", "OpName_a");
}

static void c84_jax_names_have_a_small_type(void **state)
{
	(void)state;
	parses_to("op_name:op_type", TF_OP_JAX, "op_name", "op_type");
	parses_to("op_name/op_type:", TF_OP_JAX, "op_name/op_type", "op_type");
	parses_to("op_name:op_type[array=([])]", TF_OP_JAX, "op_name", "op_type");
	parses_to("op_name/op_type[array=([])]:", TF_OP_JAX, "op_name/op_type[array=([])]", "op_type");
	parses_to("namescope.1/namespace__opname2d:namespace__opname2d", TF_OP_JAX,
		  "namescope.1/namespace__opname2d", "namespace__opname2d");
}

static void c84_iterators_are_datasets(void **state)
{
	(void)state;
	parses_to("Iterator::Batch", TF_OP_TFDATA, "Iterator::Batch", "Dataset");
	parses_to("Iterator::Batch::Map::TfRecord", TF_OP_TFDATA, "Iterator::Batch::Map::TfRecord", "Dataset");
}

static void c84_other_names_are_unknown(void **state)
{
	(void)state;
	parses_to("MyTraceMe", TF_OP_UNKNOWN, "MyTraceMe", "");
	parses_to("RunStep/Server:54635", TF_OP_UNKNOWN, "RunStep/Server:54635", "");
	parses_to("XLA::StartProgram", TF_OP_UNKNOWN, "XLA::StartProgram", "");
	parses_to("SessionRun ", TF_OP_UNKNOWN, "SessionRun ", "");
	parses_to("", TF_OP_UNKNOWN, "", "");
}

static void c84_copies_are_told_by_direction(void **state)
{
	(void)state;
	assert_int_equal(tf_op_name_parse(tf_bytes_of("MemcpyHToD")).category, TF_OP_MEMCPY_H2D);
	assert_int_equal(tf_op_name_parse(tf_bytes_of("MemcpyDToH")).category, TF_OP_MEMCPY_D2H);
	assert_int_equal(tf_op_name_parse(tf_bytes_of("MemcpyDToD")).category, TF_OP_MEMCPY_D2D);
	assert_int_equal(tf_op_name_parse(tf_bytes_of("MemcpyHToH")).category, TF_OP_MEMCPY_H2H);
	assert_int_equal(tf_op_name_parse(tf_bytes_of("MEMCPYHTOD")).category, TF_OP_MEMCPY_H2D);
}

static void waits_begin_with_get_next(void **state)
{
	(void)state;
	assert_true(tf_op_name_parse(tf_bytes_of("IteratorGetNext:IteratorGetNext")).input_wait);
	assert_true(tf_op_name_parse(tf_bytes_of("IteratorGetNextOp::DoCompute")).input_wait);
	assert_true(tf_op_name_parse(tf_bytes_of("iteratorgetnext")).input_wait);
	assert_true(tf_op_name_parse(tf_bytes_of("IteratorGetNext/_3:_Send")).input_wait);
	assert_true(tf_op_name_parse(tf_bytes_of("MultiDeviceIteratorGetNextFromShard")).input_wait);
	assert_false(tf_op_name_parse(tf_bytes_of("Iterator::Prefetch")).input_wait);
	assert_false(tf_op_name_parse(tf_bytes_of("matmul:MatMul")).input_wait);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c84_tensorflow_names_have_a_capital_type),
		cmocka_unit_test(c84_a_missing_type_is_the_last_part_without_its_number),
		cmocka_unit_test(c84_jax_names_have_a_small_type),
		cmocka_unit_test(c84_iterators_are_datasets),
		cmocka_unit_test(c84_other_names_are_unknown),
		cmocka_unit_test(c84_copies_are_told_by_direction),
		cmocka_unit_test(waits_begin_with_get_next),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
