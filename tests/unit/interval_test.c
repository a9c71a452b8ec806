/* Unions and intersections of intervals (METRICS.md §0.2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/analyze/analyze.h"

/* Case C03: the overlap of two spans given by begin and end. */
static void c03_overlaps_end_before_the_end(void **state)
{
	static const struct {
		struct tf_interval a, b;
		int64_t common;
	} cases[] = {
		{{12, 14}, {9, 13}, 1},	 {{12, 14}, {9, 14}, 2},  {{12, 14}, {9, 15}, 2},  {{12, 14}, {13, 14}, 1},
		{{12, 14}, {13, 15}, 1}, {{12, 14}, {14, 16}, 0}, {{12, 17}, {13, 15}, 2}, {{12, 14}, {13, 13}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_interval a = cases[i].a, b = cases[i].b;
		assert_int_equal(tf_interval_within(&a, 1, b.begin_ps, b.end_ps), cases[i].common);
		assert_int_equal(tf_interval_common(&a, 1, &b, 1, 0, 100), cases[i].common);
		assert_int_equal(tf_interval_common(&b, 1, &a, 1, 0, 100), cases[i].common);
	}
}

static void merging_sorts_joins_and_drops_empty_ones(void **state)
{
	struct tf_interval iv[] = {{30, 40}, {0, 10}, {5, 12}, {12, 15}, {20, 20}, {35, 38}, {50, 45}};

	(void)state;
	assert_int_equal(tf_interval_merge(iv, 7), 2); /* [0,15) and [30,40) */
	assert_int_equal(iv[0].begin_ps, 0);
	assert_int_equal(iv[0].end_ps, 15);
	assert_int_equal(iv[1].begin_ps, 30);
	assert_int_equal(iv[1].end_ps, 40);
}

static void merging_nothing_leaves_nothing(void **state)
{
	(void)state;
	assert_int_equal(tf_interval_merge(NULL, 0), 0);
	assert_int_equal(tf_interval_within(NULL, 0, 0, 10), 0);
}

static void a_window_cuts_both_ends(void **state)
{
	const struct tf_interval iv[] = {{0, 10}, {20, 30}, {40, 50}};

	(void)state;
	assert_int_equal(tf_interval_within(iv, 3, 5, 45), 5 + 10 + 5);
	assert_int_equal(tf_interval_within(iv, 3, 10, 20), 0);
	assert_int_equal(tf_interval_within(iv, 3, INT64_MIN, INT64_MAX), 30);
}

static void lists_meet_piece_by_piece(void **state)
{
	const struct tf_interval a[] = {{0, 10}, {20, 30}, {40, 50}}, b[] = {{5, 25}, {28, 45}};

	(void)state;
	/* [5,10) [20,25) [28,30) [40,45) */
	assert_int_equal(tf_interval_common(a, 3, b, 2, 0, 100), 5 + 5 + 2 + 5);
	assert_int_equal(tf_interval_common(a, 3, b, 2, 8, 41), 2 + 5 + 2 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c03_overlaps_end_before_the_end),
		cmocka_unit_test(merging_sorts_joins_and_drops_empty_ones),
		cmocka_unit_test(merging_nothing_leaves_nothing),
		cmocka_unit_test(a_window_cuts_both_ends),
		cmocka_unit_test(lists_meet_piece_by_piece),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
