/* Sample statistics; expected values by hand, percentiles as NumPy's default. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/analyze/analyze.h"

static void mean_of_values(void **state)
{
	const double x[] = {1, 2, 3, 6};

	(void)state;
	assert_true(tf_stats_mean(x, 4) == 3.0);
}

static void nothing_has_no_statistics(void **state)
{
	double x[1] = {0};

	(void)state;
	assert_true(isnan(tf_stats_mean(x, 0)));
	assert_true(isnan(tf_stats_stddev(x, 0)));
	assert_true(isnan(tf_stats_percentile(x, 0, 0.5)));
}

static void deviation_is_the_samples(void **state)
{
	const double x[] = {2, 4, 4, 4, 5, 5, 7, 9}; /* squares of differences: 32 */

	(void)state;
	assert_true(fabs(tf_stats_stddev(x, 8) - sqrt(32.0 / 7)) < 1e-12);
}

static void one_value_deviates_by_nothing(void **state)
{
	const double x[] = {5};

	(void)state;
	assert_true(tf_stats_stddev(x, 1) == 0);
}

static void c61_deviation_of_a_real_profile(void **state)
{
	const double x[] = {221.867763,  208.278057,  205.052138,  196.635661, 500.776402,
			    1113.057982, 1190.414077, 1080.975025, 1153.855422};

	(void)state;
	assert_true(fabs(tf_stats_mean(x, 9) - 652.323614) < 1e-5);
	assert_true(fabs(tf_stats_stddev(x, 9) - 467.738205) < 1e-5);
}

static void percentiles_interpolate_between_order_statistics(void **state)
{
	double x[] = {40, 10, 30, 20};

	(void)state;
	assert_true(tf_stats_percentile(x, 4, 0.5) == 25);
	assert_true(fabs(tf_stats_percentile(x, 4, 0.95) - 38.5) < 1e-12); /* 30 + .85 · 10 */
	assert_true(tf_stats_percentile(x, 4, 0) == 10);
	assert_true(tf_stats_percentile(x, 4, 1) == 40);
}

static void every_percentile_of_one_value_is_it(void **state)
{
	double x[] = {7};

	(void)state;
	assert_true(tf_stats_percentile(x, 1, 0.05) == 7);
	assert_true(tf_stats_percentile(x, 1, 0.95) == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mean_of_values),
		cmocka_unit_test(nothing_has_no_statistics),
		cmocka_unit_test(deviation_is_the_samples),
		cmocka_unit_test(one_value_deviates_by_nothing),
		cmocka_unit_test(c61_deviation_of_a_real_profile),
		cmocka_unit_test(percentiles_interpolate_between_order_statistics),
		cmocka_unit_test(every_percentile_of_one_value_is_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
