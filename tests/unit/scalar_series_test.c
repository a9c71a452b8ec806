/* Scalar series; expected values by arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/scalar_series.h"

enum { ROOM = 3000 };
static struct tf_scalar_point points[ROOM];
static struct tf_scalar_summary got;

static int fresh(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROOM; i++)
		points[i] = (struct tf_scalar_point){(int64_t)i, 1000 + 0.5 * (double)i, 0};
	return 0;
}

static void summarise(size_t n)
{
	struct tf_series series = {.run = ".", .tag = "x", .points = points, .count = n};
	struct tf_error err = {0};

	assert_int_equal(tf_summarise_scalars(&series, &got, &err), 0);
}

static bool near(double x, double want)
{
	return fabs(x - want) <= 1e-12 * fmax(1, fabs(want));
}

/* Noise without a pattern that a period could fit: -0.5 … 0.5. */
static double noise(size_t i)
{
	return (double)((i * i * 7919 + i * 104729) % 1009) / 1009.0 - 0.5;
}

static void nothing_has_no_figures(void **state)
{
	(void)state;
	summarise(0);
	assert_int_equal(got.first_step, TF_NONE);
	assert_true(isnan(got.first) && isnan(got.min) && isnan(got.mean) && isnan(got.slope_per_step) && isnan(got.steps_per_s));
	assert_int_equal(got.jump_count + got.gap_count, 0);
}

static void one_point_has_no_slope(void **state)
{
	(void)state;
	points[0].value = 7;
	summarise(1);
	assert_true(got.first == 7 && got.last == 7 && got.mean == 7);
	assert_true(isnan(got.slope_per_step));
	assert_int_equal(got.slope_from, TF_NONE);
}

static void the_range_is_over_finite_values(void **state)
{
	(void)state;
	const double values[] = {NAN, 3, -1, INFINITY, 4, -INFINITY};
	for (size_t i = 0; i < 6; i++)
		points[i].value = values[i];
	summarise(6);
	assert_int_equal(got.count, 6);
	assert_int_equal(got.nonfinite, 3);
	assert_true(got.min == -1 && got.max == 4 && near(got.mean, 2));
	assert_true(isnan(got.first) && isinf(got.last));
	assert_int_equal(got.last_step, 5);
}

static void the_mean_of_huge_values_is_finite(void **state)
{
	(void)state;
	for (size_t i = 0; i < 10; i++)
		points[i].value = 1.5e308;
	summarise(10);
	assert_true(near(got.mean / 1.5e308, 1));
}

static void the_slope_is_the_median_of_all_pairs(void **state)
{
	(void)state;
	/* Steps 0 1 2 10: the slopes are 1, 2, 0.5, 3, 0.444…, 0.125, in order 0.125 0.444 0.5 1 2 3. */
	const double values[] = {0, 1, 4, 5};
	const int64_t steps[] = {0, 1, 2, 10};
	for (size_t i = 0; i < 4; i++)
		points[i] = (struct tf_scalar_point){steps[i], NAN, values[i]};
	summarise(4);
	assert_true(near(got.slope_per_step, (0.5 + 1) / 2));
}

static void an_outlier_bends_no_slope(void **state)
{
	(void)state;
	for (size_t i = 0; i < 100; i++)
		points[i].value = 5 + 0.25 * (double)i;
	points[50].value = 1e9;
	summarise(100);
	assert_true(near(got.slope_per_step, 0.25));
	assert_int_equal(got.jump_count, 0); /* the level before and after is the same */
	assert_int_equal(got.trend, TF_TREND_UP);
}

static void a_long_line_has_its_slope(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROOM; i++)
		points[i].value = 8 - 0.001 * (double)i;
	summarise(ROOM);
	assert_true(fabs(got.slope_per_step + 0.001) < 1e-9);
	assert_int_equal(got.trend, TF_TREND_DOWN);
}

static void noise_has_no_trend_and_no_jump(void **state)
{
	(void)state;
	for (size_t i = 0; i < 500; i++)
		points[i].value = 10 + noise(i);
	summarise(500);
	assert_int_equal(got.trend, TF_TREND_NONE);
	assert_int_equal(got.jump_count, 0);
}

/* S = 45 of ten rising points, variance (10·9·25)/18 = 125: z = 44/√125 = 3.94; with nine there is no verdict. */
static void a_trend_needs_ten_points(void **state)
{
	(void)state;
	for (size_t i = 0; i < 10; i++)
		points[i].value = (double)(i * i);
	summarise(9);
	assert_int_equal(got.trend, TF_TREND_NONE);
	summarise(10);
	assert_int_equal(got.trend, TF_TREND_UP);
}

static void a_jump_is_found_with_its_levels_and_the_creep_after_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < 300; i++)
		points[i].value = i < 150 ? 4.1 + 0.02 * noise(i) : 7.85 + 0.002 * (double)(i - 150);
	summarise(300);
	assert_int_equal(got.jump_count, 1);
	assert_int_equal(got.jumps[0].step, 150);
	assert_true(fabs(got.jumps[0].before - 4.1) <= 0.01);
	assert_true(near(got.jumps[0].after, 7.854)); /* the median of 7.850 … 7.858 */
	assert_int_equal(got.slope_from, 150);
	assert_true(near(got.slope_per_step, 0.002));
	assert_int_equal(got.trend, TF_TREND_UP);
}

static void a_jump_over_two_points_is_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < 60; i++)
		points[i].value = i < 30 ? 1 : i == 30 ? 3 : 8;
	summarise(60);
	assert_int_equal(got.jump_count, 1);
	assert_int_equal(got.jumps[0].step, 31); /* 3 to 8 is the larger change */
}

static void a_small_shift_is_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < 60; i++)
		points[i].value = i < 30 ? 100 : 104; /* 4 % */
	summarise(60);
	assert_int_equal(got.jump_count, 0);
	for (size_t i = 30; i < 60; i++)
		points[i].value = 106; /* 5.7 % of 106 */
	summarise(60);
	assert_int_equal(got.jump_count, 1);
}

static void a_steep_curve_does_not_jump(void **state)
{
	(void)state;
	for (size_t i = 0; i < 200; i++)
		points[i].value = 2.3 * exp(-0.05 * (double)i);
	summarise(200);
	assert_int_equal(got.jump_count, 0);
	assert_int_equal(got.trend, TF_TREND_DOWN);
}

static void of_many_jumps_the_first_ones_are_listed(void **state)
{
	(void)state;
	for (size_t i = 0; i < 1000; i++)
		points[i].value = (double)(1 + (i / 10) % 2 * 9); /* 1 and 10 in turn, every 10 points */
	summarise(1000);
	assert_int_equal(got.jump_count, 99);
	assert_int_equal(got.jumps[TF_SCALAR_LISTED - 1].step, 200);
}

static void gaps_are_far_apart_in_steps_or_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < 50; i++)
		points[i] = (struct tf_scalar_point){(int64_t)(10 * i + (i >= 20 ? 20 : 0)), 0.5 * (double)i + (i >= 40 ? 4.5 : 0), 1};
	summarise(50);
	assert_int_equal(got.gap_count, 2);
	assert_int_equal(got.gaps[0].after_step, 190);
	assert_int_equal(got.gaps[0].next_step, 220); /* 30 steps, 3 × 10 */
	assert_int_equal(got.gaps[1].after_step, 410);
	assert_true(near(got.gaps[1].seconds, 5)); /* 10 × 0.5 */
	assert_true(near(got.steps_per_s, 20));
}

static void a_clock_that_stands_still_tells_no_pace(void **state)
{
	(void)state;
	for (size_t i = 0; i < 20; i++)
		points[i].wall_time = i % 2 ? 5 : NAN;
	summarise(20);
	assert_true(isnan(got.steps_per_s));
	assert_int_equal(got.gap_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_has_no_figures, fresh),
		cmocka_unit_test_setup(one_point_has_no_slope, fresh),
		cmocka_unit_test_setup(the_range_is_over_finite_values, fresh),
		cmocka_unit_test_setup(the_mean_of_huge_values_is_finite, fresh),
		cmocka_unit_test_setup(the_slope_is_the_median_of_all_pairs, fresh),
		cmocka_unit_test_setup(an_outlier_bends_no_slope, fresh),
		cmocka_unit_test_setup(a_long_line_has_its_slope, fresh),
		cmocka_unit_test_setup(noise_has_no_trend_and_no_jump, fresh),
		cmocka_unit_test_setup(a_trend_needs_ten_points, fresh),
		cmocka_unit_test_setup(a_jump_is_found_with_its_levels_and_the_creep_after_it, fresh),
		cmocka_unit_test_setup(a_jump_over_two_points_is_one, fresh),
		cmocka_unit_test_setup(a_small_shift_is_none, fresh),
		cmocka_unit_test_setup(a_steep_curve_does_not_jump, fresh),
		cmocka_unit_test_setup(of_many_jumps_the_first_ones_are_listed, fresh),
		cmocka_unit_test_setup(gaps_are_far_apart_in_steps_or_time, fresh),
		cmocka_unit_test_setup(a_clock_that_stands_still_tells_no_pace, fresh),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
