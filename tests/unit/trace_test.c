/* The trace model: session time, order, derived lines, absurd times (METRICS.md §0.4, §1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/support_trace.h"

#define MS INT64_C(1000000000)

static void relative_lines_count_from_zero(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 1000000000);
	mk_event(t, "a", 5 * MS, 2 * MS, "");
	mk_finish(t);
	assert_int_equal(t->start_ns, TF_NONE);
	assert_int_equal(t->events.start_ps[0], 1005 * MS); /* 1 s + 5 ms */
	assert_int_equal(t->begin_ps, 1005 * MS);
	assert_int_equal(t->end_ps, 1007 * MS);
	mk_free(t);
}

static void wall_clock_lines_lose_the_profile_start(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", INT64_C(1700000000000000500));
	mk_event(t, "a", 7, 10, "");
	mk_plane(t, "Task Environment",
		 "profile_start_time=1700000000000000000;profile_stop_time=1700000000000001000");
	mk_finish(t);
	assert_int_equal(t->start_ns, INT64_C(1700000000000000000));
	assert_int_equal(t->events.start_ps[0], 500 * 1000 + 7);
	assert_int_equal(t->begin_ps, 0);
	assert_int_equal(t->end_ps, 1000 * 1000);
	mk_free(t);
}

static void without_environment_the_earliest_wall_line_is_the_base(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "late", INT64_C(1700000000000000500));
	mk_event(t, "a", 0, 10, "");
	mk_line(t, 2, "early", INT64_C(1700000000000000100));
	mk_event(t, "b", 3, 10, "");
	mk_finish(t);
	assert_int_equal(t->start_ns, INT64_C(1700000000000000100));
	assert_int_equal(t->events.start_ps[mk_find(t, "a", 0)], 400 * 1000);
	assert_int_equal(t->events.start_ps[mk_find(t, "b", 0)], 3);
	mk_free(t);
}

static void times_since_the_start_of_the_machine_begin_with_the_first_line(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "late", 40 * 86400 * INT64_C(1000000000) + 500); /* up for 40 days */
	mk_event(t, "a", 0, 10, "");
	mk_line(t, 2, "early", 40 * 86400 * INT64_C(1000000000));
	mk_event(t, "b", 3, 10, "");
	mk_finish(t);
	assert_int_equal(t->start_ns, TF_NONE);
	assert_int_equal(t->events.start_ps[mk_find(t, "a", 0)], 500 * 1000);
	assert_int_equal(t->events.start_ps[mk_find(t, "b", 0)], 3);
	assert_int_equal(t->events.flags[mk_find(t, "a", 0)] & TF_EVENT_ABSURD, 0);
	mk_free(t);
}

/* Case C01: (offset, duration) (200,100) (100,100) (120,50) (120,30) are ordered by offset, the longer first. */
static void c01_events_of_a_line_are_ordered(void **state)
{
	(void)state;
	static const int64_t in[][2] = {{200, 100}, {100, 100}, {120, 30}, {120, 50}};
	static const int64_t out[][2] = {{100, 100}, {120, 50}, {120, 30}, {200, 100}};
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	for (size_t i = 0; i < 4; i++) {
		char stats[] = "id=0";
		stats[3] = (char)('0' + i);
		mk_event(t, "e", in[i][0], in[i][1], stats);
	}
	mk_finish(t);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(t->events.start_ps[i], out[i][0]);
		assert_int_equal(t->events.dur_ps[i], out[i][1]);
	}
	assert_int_equal(tf_stat_i64(t, tf_event_stats(t, 1), TF_NAME_id), 3); /* stats moved along */
	mk_free(t);
}

static void an_endless_event_is_absurd_and_spans_nothing(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 1000000000);
	mk_event(t, "a", 0, 10 * MS, "");
	mk_event(t, "b", 10 * MS, 10 * MS, "");
	mk_event(t, "bad", 5 * MS, INT64_MAX, "");
	mk_event(t, "negative", 6 * MS, -MS, "");
	mk_finish(t);
	assert_int_equal(t->anomaly_count, 2);
	assert_false(tf_event_counts(t, mk_find(t, "bad", 0)));
	assert_false(tf_event_counts(t, mk_find(t, "negative", 0)));
	assert_int_equal(t->end_ps - t->begin_ps, 20 * MS);
	mk_free(t);
}

static void an_instant_far_outside_does_not_stretch_the_capture(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 14, "Stream #14(Compute)", 1000000000);
	mk_event(t, "k", 0, 10 * MS, "");
	mk_line(t, 16, "Stream #16(Compute)", 0);
	mk_event(t, "ts0", 0, 0, "");
	mk_finish(t);
	assert_int_equal(t->end_ps - t->begin_ps, 10 * MS);
	assert_int_equal(t->anomaly_count, 1);
	mk_free(t);
}

static void an_instant_beside_work_on_its_line_belongs_to_the_capture(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "early", MS, 0, "");
	mk_event(t, "work", 100 * MS, 10 * MS, "");
	mk_finish(t);
	assert_int_equal(t->end_ps - t->begin_ps, 109 * MS);
	assert_int_equal(t->anomaly_count, 0);
	mk_free(t);
}

static void one_event_over_a_thousand_times_all_others_is_absurd(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "a", 0, 10, "");
	mk_event(t, "b", 10, 10, "");
	mk_event(t, "huge", 0, 20001, ""); /* others together: 20 */
	mk_finish(t);
	assert_false(tf_event_counts(t, mk_find(t, "huge", 0)));
	assert_int_equal(t->end_ps, 20);
	mk_free(t);
}

static void times_that_leave_int64_are_absurd(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "ok", 0);
	mk_event(t, "a", 0, 10, "");
	mk_line(t, 2, "bad", INT64_C(99999999999999999)); /* times 1000 leaves int64 */
	mk_event(t, "b", 0, 10, "");
	mk_finish(t);
	assert_true(tf_event_counts(t, mk_find(t, "a", 0)));
	assert_false(tf_event_counts(t, mk_find(t, "b", 0)));
	mk_free(t);
}

static void annotation_lines_of_a_device_are_derived(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Steps", 0);
	mk_event(t, "0", 0, 100, "");
	mk_line(t, 2, "XLA Ops", 0);
	mk_event(t, "op", 0, 100, "");
	mk_line(t, 14, "Stream #14(Compute)", 0);
	mk_event(t, "k", 0, 50, "");
	mk_plane(t, "/device:TPU:0", "");
	mk_line(t, 2, "XLA Ops", 0);
	mk_event(t, "op", 0, 100, "");
	mk_line(t, -559038737 + 7, "anything", 0);
	mk_event(t, "x", 0, 1, "");
	mk_finish(t);
	static const bool derived[] = {true, true, false, false, true};
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(t->lines[i].derived, derived[i]);
	mk_free(t);
}

static void xla_ops_alone_are_raw(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 2, "XLA Ops", 0);
	mk_event(t, "op", 0, 100, "");
	mk_finish(t);
	assert_false(t->lines[0].derived);
	mk_free(t);
}

static void stats_are_read_whatever_their_type(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "e", 0, 1, "id=5;addr=u18446744073709551615;fragmentation=0.25;tf_op=x:Y;run_id=12x;fragmentation=1");
	mk_finish(t);
	struct tf_stat_range r = tf_event_stats(t, 0);
	assert_int_equal(tf_stat_i64(t, r, TF_NAME_id), 5);
	assert_int_equal((uint64_t)tf_stat_i64(t, r, TF_NAME_addr), UINT64_MAX);
	assert_true(tf_stat_double(t, r, TF_NAME_fragmentation) == 1.0); /* the last one counts, stored as int64 */
	assert_string_equal(tf_strtab_text(&t->strings, tf_stat_text(t, r, TF_NAME_tf_op)), "x:Y");
	assert_int_equal(tf_stat_i64(t, r, TF_NAME_run_id), TF_NONE);
	assert_int_equal(tf_stat_i64(t, r, TF_NAME_step_num), TF_NONE);
	mk_free(t);
}

static void planes_are_told_apart_by_name(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum tf_plane_kind kind;
		int64_t ordinal;
	} cases[] = {
		{"/host:CPU", TF_PLANE_HOST, TF_NONE},
		{"/host:CPU [123]", TF_PLANE_HOST, TF_NONE},
		{"/host:metadata", TF_PLANE_HOST_OTHER, TF_NONE},
		{"/device:GPU:3", TF_PLANE_GPU, 3},
		{"/device:TPU:0", TF_PLANE_TPU, 0},
		{"/device:TPU:0 SparseCore 1", TF_PLANE_SPARSE, TF_NONE},
		{"/device:CUSTOM:MPS:0", TF_PLANE_DEVICE, TF_NONE},
		{"Task Environment", TF_PLANE_OTHER, TF_NONE},
		{"", TF_PLANE_OTHER, TF_NONE},
	};
	struct tf_trace *t = mk_trace();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		mk_plane(t, cases[i].name, "");
		assert_int_equal(t->planes[i].kind, cases[i].kind);
		assert_int_equal(t->planes[i].ordinal, cases[i].ordinal);
	}
	mk_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(relative_lines_count_from_zero),
		cmocka_unit_test(wall_clock_lines_lose_the_profile_start),
		cmocka_unit_test(without_environment_the_earliest_wall_line_is_the_base),
		cmocka_unit_test(times_since_the_start_of_the_machine_begin_with_the_first_line),
		cmocka_unit_test(c01_events_of_a_line_are_ordered),
		cmocka_unit_test(an_endless_event_is_absurd_and_spans_nothing),
		cmocka_unit_test(an_instant_far_outside_does_not_stretch_the_capture),
		cmocka_unit_test(an_instant_beside_work_on_its_line_belongs_to_the_capture),
		cmocka_unit_test(one_event_over_a_thousand_times_all_others_is_absurd),
		cmocka_unit_test(times_that_leave_int64_are_absurd),
		cmocka_unit_test(annotation_lines_of_a_device_are_derived),
		cmocka_unit_test(xla_ops_alone_are_raw),
		cmocka_unit_test(stats_are_read_whatever_their_type),
		cmocka_unit_test(planes_are_told_apart_by_name),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
