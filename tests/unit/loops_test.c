/* Loops of the executor (METRICS.md §2, executor): which iterations follow one another and are steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

#include "lib/analyze/loops.h"
#include "tests/unit/support_trace.h"

static struct tf_trace *host(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	return t;
}

static void process(struct tf_trace *t, int64_t id, int64_t number, int64_t begin_ps, int64_t dur_ps)
{
	char stats[96];

	snprintf(stats, sizeof stats, "id=%lld;iter_num=%lld", (long long)id, (long long)number);
	mk_event(t, "ExecutorState::Process", begin_ps, dur_ps, stats);
}

/* Finds the loops of a trace, which is released; each iteration as "id/number:begin-end×events". */
static void finds(struct tf_trace *t, const char *want)
{
	struct tf_loops loops = {0};
	struct tf_error err = {0};
	struct tf_buf got = {0};

	mk_finish(t);
	assert_int_equal(tf_loops_find(t, &loops, &err), 0);
	tf_buf_text(&got, "");
	for (size_t i = 0; i < loops.count; i++) {
		const struct tf_iteration *it = &loops.list[i];
		int64_t before = INT64_MIN;
		tf_buf_printf(&got, "%s%lld/%lld:%lld-%lldx%zu", i ? " " : "", (long long)it->id, (long long)it->number,
			      (long long)it->begin_ps, (long long)it->end_ps, it->count);
		for (size_t k = it->first; k < it->first + it->count; k++) {
			size_t event = loops.events[k]; /* of this iteration, in order of time */
			assert_int_equal(tf_event_name(t, event), TF_NAME_executor_process);
			assert_int_equal(tf_stat_i64(t, tf_event_stats(t, event), TF_NAME_iter_num), it->number);
			assert_true(t->events.start_ps[event] >= before);
			before = t->events.start_ps[event];
		}
	}
	assert_string_equal(got.data, want);
	tf_buf_release(&got);
	tf_loops_release(&loops);
	mk_free(t);
}

static void a_trace_without_executors_has_no_loops(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "train", 0, 10, "id=1;iter_num=1");
	finds(t, "");
}

static void iterations_in_a_row_are_a_loop(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	for (int i = 0; i < 3; i++)
		process(t, 5, i, 100 * i, 60);
	finds(t, "5/0:0-60x1 5/1:100-160x1 5/2:200-260x1");
}

static void an_iteration_is_the_hull_of_its_events(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	process(t, 5, 1, 40, 10);
	process(t, 5, 2, 100, 10);
	mk_line(t, 2, "other", 0);
	process(t, 5, 1, 0, 20);
	process(t, 5, 1, 30, 65);
	finds(t, "5/1:0-95x3 5/2:100-110x1");
}

static void iterations_may_touch(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	process(t, 5, 1, 0, 100);
	process(t, 5, 2, 100, 100);
	finds(t, "5/1:0-100x1 5/2:100-200x1");
}

static void iterations_that_overlap_by_a_picosecond_are_no_loop(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	process(t, 5, 1, 0, 101);
	mk_line(t, 2, "other", 0);
	process(t, 5, 2, 100, 100);
	finds(t, "");
}

static void numbers_that_fall_with_time_are_no_loop(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	process(t, 5, 2, 0, 10);
	process(t, 5, 1, 100, 10);
	finds(t, "");
}

/* A function that runs once has iteration 0; a loop of which one iteration was captured has another. */
static void iteration_zero_alone_is_no_loop(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	process(t, 5, 0, 0, 10);
	process(t, 6, 1, 100, 10);
	finds(t, "6/1:100-110x1");
}

static void each_executor_has_its_own_loop(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	for (int i = 1; i <= 2; i++) {
		process(t, 5, i, 100 * i, 40);
		process(t, 6, i, 100 * i + 50, 40);
	}
	finds(t, "5/1:100-140x1 6/1:150-190x1 5/2:200-240x1 6/2:250-290x1"); /* by time */
}

static void one_bad_executor_does_not_hide_another(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	process(t, 4, 1, 0, 500);
	mk_line(t, 2, "other", 0);
	process(t, 4, 2, 100, 10);
	process(t, 5, 1, 200, 10);
	process(t, 5, 2, 300, 10);
	finds(t, "5/1:200-210x1 5/2:300-310x1");
}

/* A root that encloses them all is the step, and the loop is inside it. */
static void a_loop_inside_one_root_is_none(void **state)
{
	(void)state;
	static const char *const roots[] = {"FunctionRun", "SessionRun", "RunGraph"};
	for (size_t i = 0; i < 3; i++) {
		struct tf_trace *t = host();
		mk_event(t, roots[i], 0, 1000, "");
		mk_line(t, 2, "executor", 0);
		process(t, 5, 1, 100, 10);
		process(t, 5, 2, 990, 10); /* ends with it */
		finds(t, "");
	}
}

static void a_loop_that_outlasts_its_root_is_one(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "FunctionRun", 0, 1000, "");
	mk_line(t, 2, "executor", 0);
	process(t, 5, 1, 100, 10);
	process(t, 5, 2, 990, 11);
	finds(t, "5/1:100-110x1 5/2:990-1001x1");
}

static void roots_around_single_iterations_leave_a_loop(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	for (int i = 0; i < 3; i++)
		mk_event(t, "FunctionRun", 100 * i, 90, "");
	mk_line(t, 2, "executor", 0);
	for (int i = 0; i < 3; i++)
		process(t, 5, i, 100 * i + 10, 50);
	finds(t, "5/0:10-60x1 5/1:110-160x1 5/2:210-260x1");
}

static void a_long_root_counts_behind_a_short_one(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "FunctionRun", 0, 1000, "");
	mk_line(t, 2, "short", 0);
	mk_event(t, "FunctionRun", 50, 10, ""); /* the last to begin before the loop */
	mk_line(t, 3, "executor", 0);
	process(t, 5, 1, 100, 10);
	process(t, 5, 2, 200, 10);
	finds(t, "");
}

static void executors_that_tfdata_runs_are_left_out(void **state)
{
	(void)state;
	static const char *const calls[] = {"InstantiatedCapturedFunction::Run", "InstantiatedCapturedFunction::RunWithBorrowedArgs",
					    "InstantiatedCapturedFunction::RunInstantiated", "InstantiatedCapturedFunction::RunAsync"};
	for (size_t i = 0; i < 4; i++) {
		struct tf_trace *t = host();
		mk_event(t, calls[i], 0, 10, "id=5");
		mk_line(t, 2, "executor", 0);
		process(t, 5, 1, 100, 10);
		process(t, 5, 2, 200, 10);
		process(t, 6, 1, 300, 10);
		finds(t, "6/1:300-310x1");
	}
}

static void events_without_id_or_number_take_no_part(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "ExecutorState::Process", 0, 10, "id=5");
	mk_event(t, "ExecutorState::Process", 20, 10, "iter_num=5");
	mk_event(t, "ExecutorState::Process", 40, 10, "");
	finds(t, "");
}

static void absurd_events_take_no_part(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	process(t, 5, 1, 0, 10);
	process(t, 5, 2, 100, -5);
	process(t, 5, 3, 200, 10);
	finds(t, "5/1:0-10x1 5/3:200-210x1");
}

static void ids_of_tfdata_are_collected(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	struct tf_map ids = {0};
	struct tf_error err = {0};
	mk_event(t, "InstantiatedCapturedFunction::Run", 0, 1, "id=7");
	mk_event(t, "InstantiatedCapturedFunction::Run", 2, 1, "");
	mk_event(t, "FunctionRun", 4, 1, "id=8");
	mk_finish(t);
	assert_int_equal(tf_loops_tfdata_ids(t, &ids, &err), 0);
	assert_int_equal(ids.count, 1);
	assert_non_null(tf_map_find(&ids, 7));
	tf_map_release(&ids);
	mk_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_without_executors_has_no_loops),
		cmocka_unit_test(iterations_in_a_row_are_a_loop),
		cmocka_unit_test(an_iteration_is_the_hull_of_its_events),
		cmocka_unit_test(iterations_may_touch),
		cmocka_unit_test(iterations_that_overlap_by_a_picosecond_are_no_loop),
		cmocka_unit_test(numbers_that_fall_with_time_are_no_loop),
		cmocka_unit_test(iteration_zero_alone_is_no_loop),
		cmocka_unit_test(each_executor_has_its_own_loop),
		cmocka_unit_test(one_bad_executor_does_not_hide_another),
		cmocka_unit_test(a_loop_inside_one_root_is_none),
		cmocka_unit_test(a_loop_that_outlasts_its_root_is_one),
		cmocka_unit_test(roots_around_single_iterations_leave_a_loop),
		cmocka_unit_test(a_long_root_counts_behind_a_short_one),
		cmocka_unit_test(executors_that_tfdata_runs_are_left_out),
		cmocka_unit_test(events_without_id_or_number_take_no_part),
		cmocka_unit_test(absurd_events_take_no_part),
		cmocka_unit_test(ids_of_tfdata_are_collected),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
