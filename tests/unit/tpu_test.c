/* TPU cores: parts of a step by HLO category, infeed as input, busy time (METRICS.md §3 to §5; cases C28, C46, C51). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/analyze/classify.h"
#include "tests/unit/support_analyze.h"

static struct tf_trace *core(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/device:TPU:0", "");
	return t;
}

static void op(struct tf_trace *t, const char *name, int64_t begin_us, int64_t dur_us, const char *category)
{
	char stats[96];

	mk_event(t, name, begin_us * US, dur_us * US, "");
	snprintf(stats, sizeof stats, "hlo_category=%s", category);
	mk_meta_stats(t, name, stats);
}

/* Steps of 900 µs, a period of 1000. */
static struct tf_trace *c46(void)
{
	struct tf_trace *t = core();

	mk_line(t, 1, "Steps", 0);
	for (int i = 0; i < 3; i++)
		mk_event(t, "step", i * 1000 * US, 900 * US, "");
	mk_line(t, 2, "XLA Modules", 0);
	for (int i = 0; i < 3; i++)
		mk_event(t, "jit_train(1)", (i * 1000 + 50) * US, 800 * US, "");
	mk_line(t, 3, "XLA Ops", 0);
	for (int i = 0; i < 3; i++) {
		op(t, "infeed.1", i * 1000 + 50, 100, "infeed");
		op(t, "fusion.1", i * 1000 + 150, 400, "convolution fusion");
		op(t, "all-reduce.1", i * 1000 + 600, 100, "all-reduce");
		op(t, "outfeed.1", i * 1000 + 700, 50, "outfeed");
	}
	return t;
}

/* XProf counts the all-reduce as computing too (0.5 ms); the parts here are exclusive. */
static void c46_a_core_computes_waits_and_sends(void **state)
{
	/* Other: 0 to 50, 550 to 600, 750 to 900. */
	static const int64_t parts[TF_PART_COUNT] = {0, 400, 50, 0, 100, 100, 0, 0, 0, 0, 0, 250};
	(void)state;
	struct mk_analysis *a = mk_analyze(c46(), NULL);
	assert_int_equal(a->host.steps.source, TF_STEPS_DEVICE_MARKER);
	assert_int_equal(a->host.steps.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(a->host.steps.list[i].step_ps, 900 * US);
		mk_assert_parts(a, i, US, parts);
	}
	mk_analysis_free(a);
}

/* XProf prints 11.1 % of the step. */
static void c46_infeed_is_input(void **state)
{
	(void)state;
	struct mk_analysis *a = mk_analyze(c46(), NULL);
	assert_string_equal(a->host.input.evidence, "infeed");
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(a->host.steps.list[i].input_ps, 100 * US);
		assert_int_equal(a->host.steps.list[i].stall_ps, 100 * US); /* the core does nothing else */
	}
	mk_analysis_free(a);
}

/*
 * A core is busy while its op line is: 650 of 900. Raw events run from 50 to 2750, so the capture cuts the first and the last step;
 * the window is the step between.
 */
static void c46_a_core_is_busy_with_its_ops(void **state)
{
	(void)state;
	struct mk_analysis *a = mk_analyze(c46(), NULL);
	assert_int_equal(a->host.device_count, 1);
	assert_int_equal(a->host.devices[0].busy_ps, 650 * US);
	assert_int_equal(a->host.devices[0].window_ps, 900 * US);
	mk_analysis_free(a);
}

static void each_category_has_its_part(void **state)
{
	static const struct {
		const char *category;
		enum tf_part part;
	} cases[] = {{"infeed", TF_PART_INPUT_WAIT},
		     {"outfeed", TF_PART_DEVICE_TO_HOST},
		     {"host send-done", TF_PART_DEVICE_TO_HOST},
		     {"host recv", TF_PART_HOST_TO_DEVICE},
		     {"send-done", TF_PART_DEVICE_TO_DEVICE},
		     {"recv", TF_PART_DEVICE_TO_DEVICE},
		     {"all-reduce fusion", TF_PART_DEVICE_COLLECTIVES},
		     {"all-gather", TF_PART_DEVICE_COLLECTIVES},
		     {"all-to-all", TF_PART_DEVICE_COLLECTIVES},
		     {"reduce-scatter", TF_PART_DEVICE_COLLECTIVES},
		     {"collective-permute", TF_PART_DEVICE_COLLECTIVES},
		     {"copy-done", TF_PART_DEVICE_COMPUTE_32},
		     {"loop fusion", TF_PART_DEVICE_COMPUTE_32}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = core();
		mk_line(t, 3, "XLA Ops", 0);
		op(t, "x", 0, 10, cases[i].category);
		struct mk_analysis *a = mk_analyze(t, NULL);
		assert_int_equal(tf_core_part(&a->d, 0), cases[i].part);
		mk_analysis_free(a);
	}
}

static void without_a_category_the_name_tells(void **state)
{
	(void)state;
	struct tf_trace *t = core();
	mk_line(t, 3, "XLA Ops", 0);
	mk_event(t, "%infeed.5 = (f32[8]) infeed(token)", 0, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(tf_core_part(&a->d, 0), TF_PART_INPUT_WAIT);
	mk_analysis_free(a);
}

/* while 0..100 holds fusion 10..40 and infeed 50..70: the innermost op has each instant. */
static void a_loop_does_not_hide_its_body(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {0, 80, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0};
	(void)state;
	struct tf_trace *t = core();
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "step", 0, 100 * US, "");
	mk_line(t, 3, "XLA Ops", 0);
	op(t, "while.1", 0, 100, "while");
	op(t, "fusion.1", 10, 30, "loop fusion");
	op(t, "infeed.1", 50, 20, "infeed");
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, US, parts);
	mk_analysis_free(a);
}

/* Ops that touch or overlap in part: no instant counts twice. */
static void ops_that_overlap_count_once(void **state)
{
	static const int64_t parts[TF_PART_COUNT] = {0, 70, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30};
	(void)state;
	struct tf_trace *t = core();
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "step", 0, 100 * US, "");
	mk_line(t, 3, "XLA Ops", 0);
	op(t, "a", 0, 50, "fusion");
	op(t, "b", 30, 40, "fusion");
	struct mk_analysis *a = mk_analyze(t, NULL);
	mk_assert_parts(a, 0, US, parts);
	mk_analysis_free(a);
}

/* The wait begins with the step and ends 800 into the work of the core. */
static void a_wait_behind_work_of_the_core_is_hidden(void **state)
{
	(void)state;
	struct tf_trace *t = core();
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "Step 1", 1000, 10000, "");
	mk_line(t, 3, "XLA Ops", 0);
	mk_event(t, "op.1", 2000, 8000, "");
	mk_meta_stats(t, "op.1", "hlo_category=arithmetic");
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "Iterator::Batch::Map::TFRecord", 1000, 1800, "_ipl_stage_id=1;_ipl_stage_name=TFRecord");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_step *s = &a->host.steps.list[0];
	assert_int_equal(s->part_ps[TF_PART_DEVICE_COMPUTE_32], 8000);
	assert_int_equal(s->part_ps[TF_PART_INPUT_WAIT], 1000); /* 1000 to 2000: behind it the core works */
	assert_int_equal(s->part_ps[TF_PART_OTHER], 1000);
	assert_int_equal(s->input_ps, 1800);
	mk_analysis_free(a);
}

static void c28_steps_are_those_of_the_steps_line(void **state)
{
	(void)state;
	struct tf_trace *t = core();
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "1", 0, 100, "");
	mk_event(t, "2", 100, 100, "");
	mk_line(t, 3, "XLA Ops", 0);
	mk_event(t, "op_name", 0, 50, "");
	mk_event(t, "op_name2", 50, 50, "");
	mk_event(t, "op_name", 100, 50, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 2);
	assert_int_equal(a->host.steps.list[0].number, 1);
	assert_int_equal(a->d.step[mk_find(t, "op_name", 0)], 0);
	assert_int_equal(a->d.step[mk_find(t, "op_name2", 0)], 0);
	assert_int_equal(a->d.step[mk_find(t, "op_name", 1)], 1);
	mk_analysis_free(a);
}

static void c28_an_empty_steps_line_marks_nothing(void **state)
{
	(void)state;
	struct tf_trace *t = core();
	mk_line(t, 1, "Steps", 0);
	mk_line(t, 3, "XLA Ops", 0);
	mk_event(t, "op_name", 0, 50, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.steps.count, 0);
	mk_analysis_free(a);
}

/* 34 flops an execution, two executions: 68. Occurrences without a start have no place in time and count in no figure. */
static void c51_an_op_sums_the_flops_of_its_executions(void **state)
{
	(void)state;
	struct tf_trace *t = core();
	mk_line(t, 3, "XLA Ops", 0);
	mk_event(t, "MatMul", 0, 5000, "");
	mk_event(t, "MatMul", 6000, 5000, "");
	mk_meta_stats(t, "MatMul", "flops=34;bytes_accessed=20;hlo_category=convolution");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_op *o = a->host.ops;
	while (strcmp(o->name, "MatMul") != 0)
		o++;
	assert_int_equal(o->count, 2);
	assert_int_equal(o->total_ps, 10000);
	assert_true(o->flops == 68);
	assert_true(o->bytes == 40);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c46_a_core_computes_waits_and_sends),
		cmocka_unit_test(c46_infeed_is_input),
		cmocka_unit_test(c46_a_core_is_busy_with_its_ops),
		cmocka_unit_test(each_category_has_its_part),
		cmocka_unit_test(without_a_category_the_name_tells),
		cmocka_unit_test(a_loop_does_not_hide_its_body),
		cmocka_unit_test(ops_that_overlap_count_once),
		cmocka_unit_test(a_wait_behind_work_of_the_core_is_hidden),
		cmocka_unit_test(c28_steps_are_those_of_the_steps_line),
		cmocka_unit_test(c28_an_empty_steps_line_marks_nothing),
		cmocka_unit_test(c51_an_op_sums_the_flops_of_its_executions),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
