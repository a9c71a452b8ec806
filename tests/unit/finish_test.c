/* Session time (METRICS.md §1) and absurd times (§0.4) at their bounds; order and derived lines. See trace_test.c for the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/support_trace.h"

#define WALL INT64_C(1700000000000000000) /* ns: 2023 */
#define HOUR (INT64_C(3600) * 1000000000000)
#define FAR (INT64_C(1) << 61)

static struct tf_trace *host_at(int64_t timestamp_ns)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", timestamp_ns);
	return t;
}

static bool absurd(const struct tf_trace *t, size_t i)
{
	return (t->events.flags[i] & TF_EVENT_ABSURD) != 0;
}

/* 10^17 ns is the first wall-clock time. */
static void wall_clock_begins_at_its_bound(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(TF_WALL_CLOCK_NS);
	mk_event(t, "x", 5, 1, "");
	mk_finish(t);
	assert_int_equal(t->start_ns, TF_WALL_CLOCK_NS);
	assert_int_equal(t->events.start_ps[0], 5);
	mk_free(t);
	t = host_at(TF_WALL_CLOCK_NS - 1);
	mk_event(t, "x", 5, 1, "");
	mk_finish(t);
	assert_int_equal(t->start_ns, TF_NONE);
	assert_int_equal(t->base_ns, TF_WALL_CLOCK_NS - 1); /* since the start of the machine */
	mk_free(t);
}

static void a_day_is_still_since_the_start_of_the_profile(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(TF_DAY_NS);
	mk_event(t, "x", 0, 1, "");
	mk_finish(t);
	assert_int_equal(t->base_ns, 0);
	assert_int_equal(t->events.start_ps[0], TF_DAY_NS * 1000);
	mk_free(t);
	t = host_at(TF_DAY_NS + 1);
	mk_event(t, "x", 0, 1, "");
	mk_finish(t);
	assert_int_equal(t->events.start_ps[0], 0);
	mk_free(t);
}

static void lines_without_events_set_no_time(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(WALL - 1000000);
	mk_line(t, 2, "busy", WALL);
	mk_event(t, "x", 0, 1, "");
	mk_finish(t);
	assert_int_equal(t->start_ns, WALL);
	mk_free(t);
}

static void lines_of_both_clocks_share_one_time(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(WALL + 3);
	mk_event(t, "wall", 0, 1, "");
	mk_line(t, 2, "relative", 7);
	mk_event(t, "relative", 0, 1, "");
	mk_plane(t, "Task Environment", "profile_start_time=1700000000000000000");
	mk_finish(t);
	assert_int_equal(t->events.start_ps[mk_find(t, "wall", 0)], 3000);
	assert_int_equal(t->events.start_ps[mk_find(t, "relative", 0)], 7000);
	mk_free(t);
}

static void a_line_may_begin_before_the_profile(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(WALL - 2);
	mk_event(t, "x", 500, 1000, "");
	mk_plane(t, "Task Environment", "profile_start_time=1700000000000000000");
	mk_finish(t);
	assert_int_equal(t->events.start_ps[0], -1500);
	assert_false(absurd(t, 0));
	mk_free(t);
}

static void a_start_that_is_no_time_is_ignored(void **state)
{
	(void)state;
	static const char *const stats[] = {"profile_start_time=0", "profile_start_time=-5", "profile_start_time=soon", ""};
	for (size_t i = 0; i < 4; i++) {
		struct tf_trace *t = host_at(WALL);
		mk_event(t, "x", 0, 1, "");
		mk_plane(t, "Task Environment", stats[i]);
		mk_finish(t);
		assert_int_equal(t->start_ns, WALL);
		assert_false(t->declared);
		mk_free(t);
	}
}

static void a_span_needs_a_stop_behind_the_start(void **state)
{
	(void)state;
	static const struct {
		const char *stats;
		bool declared;
		int64_t end_ps;
	} cases[] = {
		{"profile_start_time=1000;profile_stop_time=1005", true, 5000},
		{"profile_start_time=1000;profile_stop_time=1000", false, 8},
		{"profile_start_time=1000;profile_stop_time=999", false, 8},
		{"profile_start_time=1000", false, 8},
		{"profile_stop_time=1005", false, 8},
		{"profile_start_time=1;profile_stop_time=9223372036854775807", false, 8}, /* ps overflow */
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = host_at(0);
		mk_event(t, "x", 2, 6, "");
		mk_plane(t, "Task Environment", cases[i].stats);
		mk_finish(t);
		assert_int_equal(t->declared, cases[i].declared);
		assert_int_equal(t->begin_ps, cases[i].declared ? 0 : 2);
		assert_int_equal(t->end_ps, cases[i].end_ps);
		mk_free(t);
	}
}

/* Outside by more than the capture's length. */
static void absurd_is_beyond_a_length_on_either_side(void **state)
{
	(void)state;
	static const struct {
		int64_t begin_ps, dur_ps;
		bool absurd;
	} cases[] = {
		{0, 5000, false}, {-5000, 1, false}, {-5001, 1, true}, {9999, 1, false}, {9999, 2, true}, {5000, 5001, true}, {10000, 0, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = host_at(0);
		mk_event(t, "x", cases[i].begin_ps, cases[i].dur_ps, "");
		mk_plane(t, "Task Environment", "profile_start_time=1000;profile_stop_time=1005"); /* 5000 ps */
		mk_finish(t);
		assert_int_equal(absurd(t, 0), cases[i].absurd);
		assert_int_equal(t->anomaly_count, cases[i].absurd);
		mk_free(t);
	}
}

static void negative_lengths_and_far_times_are_absurd(void **state)
{
	(void)state;
	static const struct {
		int64_t begin_ps, dur_ps;
		bool absurd;
	} cases[] = {
		{0, 0, false}, {0, -1, true}, {FAR - 1, 1, false}, {FAR, 1, true}, {-FAR, 1, false}, {-FAR - 1, 1, true},
		{INT64_MAX, 0, true}, {INT64_MIN, 0, true}, {INT64_MAX, INT64_MAX, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = host_at(0);
		mk_event(t, "x", cases[i].begin_ps, cases[i].dur_ps, "");
		mk_finish(t);
		assert_int_equal(absurd(t, 0), cases[i].absurd);
		mk_free(t);
	}
}

static void timestamps_that_leave_int64_make_all_of_the_line_absurd(void **state)
{
	(void)state;
	static const int64_t timestamps[] = {INT64_MIN, -(INT64_MAX / 1000) - 2};
	for (size_t i = 0; i < 2; i++) {
		struct tf_trace *t = host_at(timestamps[i]);
		mk_event(t, "x", 0, 1, "");
		mk_event(t, "y", 5, 1, "");
		mk_finish(t);
		assert_true(absurd(t, 0) && absurd(t, 1));
		assert_int_equal(t->anomaly_count, 2);
		assert_int_equal(t->begin_ps, TF_NONE); /* nothing spans the capture */
		mk_free(t);
	}
}

static void an_hour_spans_and_more_does_not(void **state)
{
	(void)state;
	for (int64_t more = 0; more <= 1; more++) {
		struct tf_trace *t = host_at(0);
		mk_event(t, "long", 0, HOUR + more, "");
		mk_line(t, 2, "other", 0);
		mk_event(t, "work", 0, HOUR / 100, "");
		mk_finish(t);
		assert_int_equal(absurd(t, mk_find(t, "long", 0)), more);
		assert_int_equal(t->end_ps, more ? HOUR / 100 : HOUR);
		mk_free(t);
	}
}

static void a_thousand_times_all_others_spans_and_more_does_not(void **state)
{
	(void)state;
	for (int64_t more = 0; more <= 1; more++) {
		struct tf_trace *t = host_at(0);
		mk_event(t, "long", 0, 7000 + more, "");
		mk_line(t, 2, "other", 0);
		mk_event(t, "work", 0, 3, "");
		mk_event(t, "work", 3, 4, ""); /* 7 in all */
		mk_finish(t);
		assert_int_equal(absurd(t, mk_find(t, "long", 0)), more);
		assert_int_equal(t->end_ps, more ? 7 : 7000);
		mk_free(t);
	}
}

static void one_event_alone_is_never_too_long_for_others(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(0);
	mk_event(t, "only", 5, 1000000, "");
	mk_finish(t);
	assert_false(absurd(t, 0));
	assert_int_equal(t->begin_ps, 5);
	assert_int_equal(t->end_ps, 1000005);
	mk_free(t);
}

static void records_that_were_never_filled_in_span_nothing(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(0);
	mk_event(t, "unset", 0, 0, "");
	mk_line(t, 2, "work", 0);
	mk_event(t, "work", 1000, 100, "");
	mk_finish(t);
	assert_int_equal(t->begin_ps, 1000);
	assert_true(absurd(t, mk_find(t, "unset", 0))); /* 1000 before a capture of 100 */
	mk_free(t);
}

static void instants_alone_do_span_a_capture(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(0);
	mk_event(t, "a", 0, 0, "");
	mk_event(t, "b", 50, 0, "");
	mk_finish(t);
	assert_int_equal(t->begin_ps, 0);
	assert_int_equal(t->end_ps, 50);
	mk_free(t);
}

static void derived_lines_span_nothing(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "k", 100, 50, "");
	mk_line(t, 2, "Steps", 0);
	mk_event(t, "1", 90, 100, "");
	mk_finish(t);
	assert_int_equal(t->begin_ps, 100);
	assert_int_equal(t->end_ps, 150);
	mk_free(t);
}

/* XProf's own lines: 390 ids from 0xDEADBEEF, signed and unsigned, on any plane. */
static void ids_of_derived_lines_have_bounds(void **state)
{
	(void)state;
	static const int64_t firsts[] = {INT64_C(-559038737), INT64_C(3735928559)};
	for (size_t i = 0; i < 2; i++)
		for (int64_t k = -1; k <= 390; k += k == 0 ? 388 : 1) { /* -1, 0, 388, 389, 390 */
			struct tf_trace *t = mk_trace();
			mk_plane(t, "/host:CPU", "");
			mk_line(t, firsts[i] + k, "any", 0);
			mk_event(t, "x", 0, 1, "");
			mk_finish(t);
			assert_int_equal(t->lines[0].derived, k >= 0 && k < 390);
			mk_free(t);
		}
}

static void planes_without_lines_are_passed_over(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_plane(t, "/device:GPU:0", "");
	mk_plane(t, "/device:CUSTOM:x", "");
	mk_finish(t);
	assert_int_equal(t->planes[1].kind, TF_PLANE_GPU);
	assert_int_equal(t->planes[2].kind, TF_PLANE_OTHER); /* without events it is no device */
	assert_int_equal(t->begin_ps, TF_NONE);
	assert_int_equal(t->end_ps, TF_NONE);
	mk_free(t);
}

static void equal_events_stay_in_the_order_of_the_file(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(0);
	static const char *const names[] = {"c", "a", "b"};
	for (size_t i = 0; i < 3; i++)
		mk_event(t, names[i], 10, 5, "");
	mk_event(t, "first", 0, 1, "");
	mk_finish(t);
	assert_int_equal(mk_find(t, "first", 0), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(mk_find(t, names[i], 0), i + 1);
	mk_free(t);
}

static void counts_and_stats_follow_their_event(void **state)
{
	(void)state;
	struct tf_trace *t = host_at(0);
	struct tf_error err = {0};
	uint32_t meta;
	mk_event(t, "late", 100, 1, "id=1");
	assert_int_equal(tf_trace_add_meta(t, 0, 0, &meta, &err), 0);
	assert_int_equal(tf_trace_add_event(t, meta, 0, 7, 42, t->stats.count, &err), 0); /* aggregated */
	mk_event(t, "early", 50, 1, "id=2");
	mk_finish(t);
	assert_int_equal(tf_stat_i64(t, tf_event_stats(t, mk_find(t, "late", 0)), TF_NAME_id), 1);
	assert_int_equal(tf_stat_i64(t, tf_event_stats(t, mk_find(t, "early", 0)), TF_NAME_id), 2);
	assert_int_equal(t->count_count, 1);
	assert_int_equal(t->counts[0].count, 42);
	assert_int_equal(t->events.dur_ps[t->counts[0].event], 7);
	assert_true(t->events.flags[t->counts[0].event] & TF_EVENT_AGGREGATED);
	mk_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wall_clock_begins_at_its_bound),
		cmocka_unit_test(a_day_is_still_since_the_start_of_the_profile),
		cmocka_unit_test(lines_without_events_set_no_time),
		cmocka_unit_test(lines_of_both_clocks_share_one_time),
		cmocka_unit_test(a_line_may_begin_before_the_profile),
		cmocka_unit_test(a_start_that_is_no_time_is_ignored),
		cmocka_unit_test(a_span_needs_a_stop_behind_the_start),
		cmocka_unit_test(absurd_is_beyond_a_length_on_either_side),
		cmocka_unit_test(negative_lengths_and_far_times_are_absurd),
		cmocka_unit_test(timestamps_that_leave_int64_make_all_of_the_line_absurd),
		cmocka_unit_test(an_hour_spans_and_more_does_not),
		cmocka_unit_test(a_thousand_times_all_others_spans_and_more_does_not),
		cmocka_unit_test(one_event_alone_is_never_too_long_for_others),
		cmocka_unit_test(records_that_were_never_filled_in_span_nothing),
		cmocka_unit_test(instants_alone_do_span_a_capture),
		cmocka_unit_test(derived_lines_span_nothing),
		cmocka_unit_test(ids_of_derived_lines_have_bounds),
		cmocka_unit_test(planes_without_lines_are_passed_over),
		cmocka_unit_test(equal_events_stay_in_the_order_of_the_file),
		cmocka_unit_test(counts_and_stats_follow_their_event),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
