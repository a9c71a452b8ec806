/* Worked cases of order, planes, lines and derived lines (METRICS.md §1; C03, C04, C18 to C25, C79, C82). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

#define SECOND (1000 * 1000 * US)

static struct tf_trace *on_plane(const char *plane, const char *line)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, plane, "");
	mk_line(t, 1, line, 0);
	return t;
}

/* Whether the event `b` lies inside `a` on one line; spans are begin and length. */
static bool holds(int64_t a_begin, int64_t a_dur, int64_t b_begin, int64_t b_dur)
{
	struct tf_trace *t = on_plane("/host:CPU", "main");

	mk_event(t, "a", a_begin, a_dur, "");
	mk_event(t, "b", b_begin, b_dur, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	bool inside = a->d.parent[mk_find(t, "b", 0)] == mk_find(t, "a", 0);
	mk_analysis_free(a);
	return inside;
}

static void c03_a_span_holds_its_ends(void **state)
{
	(void)state;
	assert_true(holds(10, 2, 12, 0));
	assert_true(holds(10, 5, 10, 5));
	assert_false(holds(10, 5, 10, 6));
	assert_true(holds(10, 0, 10, 0));
	assert_false(holds(10, 0, 8, 0));
	assert_false(holds(12, 0, 9, 100));
}

static void c04_empty_planes_are_no_evidence(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "first", 0);
	mk_line(t, 2, "second", 0);
	mk_plane(t, "/device:GPU:0", "");
	mk_plane(t, "/host:CPU [1]", "");
	mk_line(t, 1, "first", 0);
	mk_plane(t, "/device:CUSTOM:0", "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.event_count, 0);
	assert_int_equal(a->host.begin_ps, TF_NONE);
	assert_string_equal(a->host.steps.reason, "no_step_marker");
	assert_int_equal(a->host.device_count, 1);
	assert_string_equal(a->host.devices[0].reason, "device_not_traced");
	mk_analysis_free(a);
}

/* Lines of 2, 0, 1 and 0 events: the empty ones, though earlier, say nothing of when the session began. */
static void c04_empty_lines_have_no_time(void **state)
{
	const int64_t wall_ns = INT64_C(1700000000000000000);
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "two", wall_ns + 5);
	mk_event(t, "A:A", 0, 10, "");
	mk_event(t, "A:A", 20, 10, "");
	mk_line(t, 2, "none", wall_ns);
	mk_line(t, 3, "one", wall_ns + 5);
	mk_event(t, "B:B", 100, 10, "");
	mk_line(t, 4, "none", wall_ns);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.start_ns, wall_ns + 5);
	assert_int_equal(a->host.begin_ps, 0);
	assert_int_equal(a->host.end_ps, 110);
	mk_analysis_free(a);
}

/* Streams of a GPU with two kernels of one op and a launched graph of it: 500 of 600 busy. */
static struct tf_trace *c18(const char *stats)
{
	struct tf_trace *t = on_plane("/device:GPU:0", "Stream #0");
	char all[160];

	snprintf(all, sizeof all, "kernel_details=regs:1;%s", stats);
	mk_event(t, "op1", 0, 100, all);
	mk_event(t, "op2", 200, 300, all);
	return t;
}

/* XProf spans an event `mul:Mul` of 600 over the gap; such a line, where a file has it, adds nothing to its executions. */
static void c18_an_op_has_its_executions_not_its_span(void **state)
{
	struct tf_trace *t = c18("tf_op=mul:Mul");

	(void)state;
	mk_event(t, "op3", 500, 100, "tf_op=mul:Mul;cuda_graph_exec_id=1");
	mk_line(t, INT64_C(-559038734), "TensorFlow Ops", 0);
	mk_event(t, "mul:Mul", 0, 600, "tf_op=mul:Mul");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.op_count, 2); /* with IDLE */
	const struct tf_op *mul = &a->host.ops[strcmp(a->host.ops[0].name, "IDLE") == 0];
	assert_string_equal(mul->name, "mul");
	assert_int_equal(mul->count, 3);
	assert_int_equal(mul->total_ps, 500);
	assert_int_equal(a->host.devices[0].busy_ps, 500);
	mk_analysis_free(a);
}

static void c18_without_op_stats_there_is_no_op(void **state)
{
	(void)state;
	struct mk_analysis *a = mk_analyze(c18("correlation_id=1"), NULL);
	assert_int_equal(a->host.op_count, 0);
	assert_int_equal(a->host.kernel_count, 2);
	mk_analysis_free(a);
}

/* Work of two scopes: one module event or two, the kernels stay two and busy 400. */
static void c19_modules_are_no_work(void **state)
{
	struct tf_trace *t = c18("hlo_module=m;scope_range_id=10");

	(void)state;
	mk_line(t, INT64_C(-559038733), "XLA Modules", 0);
	mk_event(t, "m(1)", 0, 100, "scope_range_id=10");
	mk_event(t, "m(1)", 150, 350, "scope_range_id=20");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 2);
	assert_int_equal(a->host.devices[0].busy_ps, 400);
	mk_analysis_free(a);
}

static void c21_name_scopes_are_no_work(void **state)
{
	struct tf_trace *t = c18("tf_op=scope1/scope2/mul:Mul");

	(void)state;
	mk_line(t, INT64_C(-559038735), "TensorFlow Name Scope", 0);
	mk_event(t, "scope1", 0, 500, "");
	mk_event(t, "scope2", 0, 499, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.devices[0].busy_ps, 400);
	assert_string_equal(a->host.ops[0].name, "scope1/scope2/mul");
	assert_int_equal(a->host.ops[0].total_ps, 400);
	mk_analysis_free(a);
}

/* Ten events a plane in reverse order. XProf makes one op of 1900 of them; the gaps between them are idle. */
static void c24_planes_are_ordered_each(void **state)
{
	struct tf_trace *t = mk_trace();
	char name[32];

	(void)state;
	for (int p = 0; p < 4; p++) {
		snprintf(name, sizeof name, "/device:TPU:%d", p);
		mk_plane(t, name, "");
		mk_line(t, 1, "XLA Ops", 0);
		for (int i = 9; i >= 0; i--)
			mk_event(t, "op", i * 200, 100, "");
	}
	struct mk_analysis *a = mk_analyze(t, NULL);
	for (size_t i = 0; i < 40; i++)
		assert_int_equal(t->events.start_ps[i], i % 10 * 200);
	assert_int_equal(a->host.op_count, 8);
	for (size_t i = 0; i < 8; i += 2) {
		assert_int_equal(a->host.ops[i].count, 10);
		assert_int_equal(a->host.ops[i].total_ps, 1000);
		assert_string_equal(a->host.ops[i + 1].name, "IDLE");
		assert_int_equal(a->host.ops[i + 1].total_ps, 900);
	}
	mk_analysis_free(a);
}

static void c25_a_graphs_kernels_are_one_row_of_their_instruction(void **state)
{
	static const char stats[] = "hlo_module=m;hlo_op=fusion.1;correlation_id=10000;cuda_graph_id=20;kernel_details=regs:1";
	struct tf_trace *t = on_plane("/device:GPU:0", "Stream #0");

	(void)state;
	mk_event(t, "fusion_kernel", 0, 100, stats);
	mk_event(t, "fusion_kernel", 200, 100, stats);
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 1);
	assert_int_equal(a->host.kernels[0].count, 2);
	assert_string_equal(a->host.kernels[0].op, "fusion.1");
	mk_analysis_free(a);
}

static void c79_an_error_that_repeats_is_told_once(void **state)
{
	struct tf_trace *t = on_plane("/host:CPU", "main");
	struct tf_error err = {0};
	uint32_t ids[3];

	(void)state;
	mk_event(t, "e", 0, 10, "");
	assert_int_equal(tf_trace_intern(t, tf_bytes_of("no libcupti"), &ids[0], &err), 0);
	assert_int_equal(tf_trace_intern(t, tf_bytes_of("other"), &ids[1], &err), 0);
	ids[2] = ids[0];
	t->errors = malloc(sizeof ids);
	assert_non_null(t->errors);
	memcpy(t->errors, ids, sizeof ids);
	t->error_count = 3;
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.error_count, 2);
	assert_string_equal(a->host.errors[0], "no libcupti");
	assert_string_equal(a->host.errors[1], "other");
	mk_analysis_free(a);
}

static struct tf_trace *c82_counters(const char *plane)
{
	struct tf_trace *t = on_plane(plane, "_counters_");

	mk_event(t, "Counter 1", SECOND, 0, "counter_value=100");
	mk_event(t, "Counter 1", 2 * SECOND, 0, "counter_value=200");
	mk_event(t, "Counter 2", SECOND, 0, "counter_value=300");
	mk_event(t, "Counter 2", 2 * SECOND, 0, "counter_value=400");
	return t;
}

static void c82_counters_have_their_times(void **state)
{
	struct tf_trace *t = mk_finish(c82_counters("/host:CPU"));

	(void)state;
	assert_int_equal(t->events.count, 4);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(t->events.start_ps[mk_find(t, "Counter 1", i)], (int64_t)(i + 1) * SECOND);
		assert_int_equal(t->events.start_ps[mk_find(t, "Counter 2", i)], (int64_t)(i + 1) * SECOND);
	}
	mk_free(t);
}

/* Samples of a device's counters before and after its only kernel. */
static void c82_counters_are_no_work_of_a_device(void **state)
{
	struct tf_trace *t = c82_counters("/device:GPU:0");

	(void)state;
	mk_line(t, 2, "Stream #1", 0);
	mk_event(t, "k", SECOND + SECOND / 2, SECOND / 4, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.devices[0].window_ps, SECOND / 4);
	assert_true(a->host.devices[0].idle_ratio == 0);
	mk_analysis_free(a);
}

static void c82_a_line_has_a_time_of_its_own(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "async", INT64_C(2000000000));
	mk_event(t, "e", 0, SECOND, "");
	mk_finish(t);
	assert_int_equal(t->events.start_ps[0], 2 * SECOND);
	mk_free(t);
}

static void c82_a_subprocess_is_of_the_host(void **state)
{
	struct tf_trace *t = on_plane("/host:CPU", "main");

	(void)state;
	mk_event(t, "a", 0, 10, "");
	mk_plane(t, "/host:CPU [100]", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 10, "step_num=3");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.device_count, 0);
	assert_int_equal(a->host.steps.count, 1);
	assert_int_equal(a->host.steps.list[0].number, 3);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c03_a_span_holds_its_ends),
		cmocka_unit_test(c04_empty_planes_are_no_evidence),
		cmocka_unit_test(c04_empty_lines_have_no_time),
		cmocka_unit_test(c18_an_op_has_its_executions_not_its_span),
		cmocka_unit_test(c18_without_op_stats_there_is_no_op),
		cmocka_unit_test(c19_modules_are_no_work),
		cmocka_unit_test(c21_name_scopes_are_no_work),
		cmocka_unit_test(c24_planes_are_ordered_each),
		cmocka_unit_test(c25_a_graphs_kernels_are_one_row_of_their_instruction),
		cmocka_unit_test(c79_an_error_that_repeats_is_told_once),
		cmocka_unit_test(c82_counters_have_their_times),
		cmocka_unit_test(c82_counters_are_no_work_of_a_device),
		cmocka_unit_test(c82_a_line_has_a_time_of_its_own),
		cmocka_unit_test(c82_a_subprocess_is_of_the_host),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
