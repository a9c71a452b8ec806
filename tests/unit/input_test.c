/* Waiting for input: evidence, shares of steps, calls of GetNext (METRICS.md §5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

/* A step from 0 to 100 µs on one line; more events may follow. */
static struct tf_trace *one_step(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 100 * US, "_r=1;step_num=1");
	return t;
}

static void waits_are_a_union_inside_the_step(void **state)
{
	(void)state;
	struct tf_trace *t = one_step();
	mk_event(t, "IteratorGetNext:IteratorGetNext", 10 * US, 20 * US, "");
	mk_line(t, 2, "other", 0);
	mk_event(t, "IteratorGetNextOp::DoCompute", 20 * US, 20 * US, "");
	mk_event(t, "IteratorGetNext:IteratorGetNext", 90 * US, 20 * US, ""); /* 10 of it inside */
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(a->host.input.evidence, "iterator_get_next");
	assert_null(a->host.input.reason);
	assert_int_equal(a->host.steps.list[0].input_ps, 40 * US); /* 10 to 40, 90 to 100 */
	mk_analysis_free(a);
}

static void without_device_there_is_no_stall(void **state)
{
	(void)state;
	struct tf_trace *t = one_step();
	mk_event(t, "IteratorGetNext:IteratorGetNext", 10 * US, 20 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.list[0].stall_ps, TF_NONE);
	mk_analysis_free(a);
}

static void a_stall_is_a_wait_while_no_device_works(void **state)
{
	(void)state;
	struct tf_trace *t = one_step();
	mk_event(t, "IteratorGetNext:IteratorGetNext", 10 * US, 40 * US, "");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "k", 0, 20 * US, "");
	mk_plane(t, "/device:GPU:1", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "k", 15 * US, 15 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.list[0].input_ps, 40 * US);
	assert_int_equal(a->host.steps.list[0].stall_ps, 20 * US); /* 30 to 50 */
	mk_analysis_free(a);
}

static void without_evidence_nothing_is_known(void **state)
{
	(void)state;
	struct tf_trace *t = one_step();
	mk_event(t, "matmul:MatMul", 10 * US, 20 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_null(a->host.input.evidence);
	assert_string_equal(a->host.input.reason, "no_input_events");
	assert_int_equal(a->host.steps.list[0].input_ps, TF_NONE);
	assert_int_equal(a->host.input.get_next_count, TF_NONE);
	mk_analysis_free(a);
}

static void a_step_without_wait_waited_for_nothing(void **state)
{
	(void)state;
	struct tf_trace *t = one_step();
	mk_event(t, "train", 200 * US, 100 * US, "_r=1;step_num=2");
	mk_event(t, "IteratorGetNext:IteratorGetNext", 210 * US, 20 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.list[0].input_ps, 0);
	assert_int_equal(a->host.steps.list[1].input_ps, 20 * US);
	mk_analysis_free(a);
}

/* The evidence that a host event of this name and with these stats is. */
static void is_evidence(const char *name, const char *stats, const char *evidence, int64_t input_us)
{
	struct tf_trace *t = one_step();
	mk_event(t, name, 10 * US, 20 * US, stats);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(a->host.input.evidence, evidence);
	assert_int_equal(a->host.steps.list[0].input_ps, input_us * US);
	mk_analysis_free(a);
}

static void evidence_has_many_forms(void **state)
{
	(void)state;
	is_evidence("IteratorGetNextOp::DoCompute", "", "iterator_get_next", 20);
	is_evidence("MultiDeviceIteratorGetNextFromShard", "", "iterator_get_next", 20);
	is_evidence("Iterator::Prefetch", "id=1", "iterator_root", 20);
	is_evidence("next_batch", "_ipl_stage_name=Batch", "ipl_stage", 20);
	is_evidence("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "", "data_loader", 20);
}

static void the_best_evidence_alone_counts(void **state)
{
	(void)state;
	struct tf_trace *t = one_step();
	mk_event(t, "Iterator::Prefetch", 10 * US, 50 * US, "id=1");
	mk_event(t, "IteratorGetNextOp::DoCompute", 70 * US, 10 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(a->host.input.evidence, "iterator_get_next");
	assert_int_equal(a->host.steps.list[0].input_ps, 10 * US);
	mk_analysis_free(a);
}

static void only_root_iterators_are_waits(void **state)
{
	(void)state;
	struct tf_trace *t = one_step();
	mk_event(t, "Iterator::Prefetch", 10 * US, 20 * US, "id=1");
	mk_line(t, 2, "worker", 0);
	mk_event(t, "Iterator::Prefetch::Map", 10 * US, 80 * US, "id=2;parent_id=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.list[0].input_ps, 20 * US);
	mk_analysis_free(a);
}

static void calls_are_counted_by_their_computation(void **state)
{
	(void)state;
	struct tf_trace *t = one_step();
	mk_event(t, "IteratorGetNext:IteratorGetNext", 10 * US, 20 * US, "");
	mk_event(t, "IteratorGetNextOp::DoCompute", 12 * US, 10 * US, "");
	mk_event(t, "IteratorGetNextOp::DoCompute", 40 * US, 14 * US, "");
	mk_event(t, "IteratorGetNext/_3:_Send", 60 * US, 30 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.input.get_next_count, 2);
	assert_int_equal(a->host.input.get_next_total_ps, 24 * US);
	assert_int_equal(a->host.input.get_next_max_ps, 14 * US);
	mk_analysis_free(a);
}

static void without_computation_the_ops_are_counted_but_no_sends(void **state)
{
	(void)state;
	struct tf_trace *t = one_step();
	mk_event(t, "IteratorGetNext:IteratorGetNext", 10 * US, 20 * US, "");
	mk_event(t, "IteratorGetNext/_3:_Send", 60 * US, 30 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.input.get_next_count, 1);
	assert_int_equal(a->host.input.get_next_max_ps, 20 * US);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_a_union_inside_the_step),
		cmocka_unit_test(without_device_there_is_no_stall),
		cmocka_unit_test(a_stall_is_a_wait_while_no_device_works),
		cmocka_unit_test(without_evidence_nothing_is_known),
		cmocka_unit_test(a_step_without_wait_waited_for_nothing),
		cmocka_unit_test(evidence_has_many_forms),
		cmocka_unit_test(the_best_evidence_alone_counts),
		cmocka_unit_test(only_root_iterators_are_waits),
		cmocka_unit_test(calls_are_counted_by_their_computation),
		cmocka_unit_test(without_computation_the_ops_are_counted_but_no_sends),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
