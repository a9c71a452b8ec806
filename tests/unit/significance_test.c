/* Rank tests, shifts, blocks and Holm's correction: values worked out by hand. Random cases against SciPy: tests/scipy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "lib/analyze/rank_pairs.h"
#include "lib/analyze/significance.h"

static void expect(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12))
		fail_msg("%.17g, not %.17g", got, want);
}

static double p_of(const double *x, size_t n, const double *y, size_t m)
{
	struct tf_error err = {0};
	double p = NAN;

	assert_int_equal(tf_mann_whitney(x, n, y, m, &p, &err), 0);
	return p;
}

static void few_samples_are_counted_exactly(void **state)
{
	(void)state;
	const double low[] = {1, 2, 3}, high[] = {4, 5, 6}, mixed[] = {1.5, 5, 6};
	expect(p_of(high, 3, low, 3), 1.0 / 20); /* one of C(6, 3) orders */
	expect(p_of(low, 3, high, 3), 1);
	expect(p_of(mixed, 3, low, 3), 4.0 / 20); /* U = 1 + 3 + 3: U from 7 to 9 come about in 2 + 1 + 1 ways */
	const double one[] = {9}, five[] = {1, 2, 3, 4, 5};
	expect(p_of(one, 1, five, 5), 1.0 / 6);
	expect(p_of(five, 5, one, 1), 1);
}

static void ties_take_the_corrected_approximation(void **state)
{
	(void)state;
	const double x[] = {10, 10, 10, 10, 10, 10}, y[] = {8, 8, 8, 8, 8, 8};
	/* U = 36 of a mean of 18; variance 36 / 12 · (13 − 2 · (6³ − 6) / (12 · 11)). */
	double z = (36 - 18 - 0.5) / sqrt(3 * (13 - 420.0 / 132));
	expect(p_of(x, 6, y, 6), erfc(z / sqrt(2)) / 2);
	expect(p_of(x, 6, x, 6), 1); /* nothing to order */
}

static void many_samples_take_the_approximation(void **state)
{
	(void)state;
	double x[9], y[9];
	for (int i = 0; i < 9; i++) {
		y[i] = i;
		x[i] = 100 + i;
	}
	double z = (81 - 40.5 - 0.5) / sqrt(81 * 19 / 12.0);
	expect(p_of(x, 9, y, 9), erfc(z / sqrt(2)) / 2);
}

static void sizes_bound_the_p(void **state)
{
	(void)state;
	struct tf_error err = {0};
	double p;
	assert_int_equal(tf_mann_whitney_least(3, 3, &p, &err), 0);
	expect(p, 1.0 / 20);
	assert_int_equal(tf_mann_whitney_least(2, 20, &p, &err), 0);
	expect(p, 1.0 / 231); /* C(22, 2) */
	assert_int_equal(tf_mann_whitney_least(9, 9, &p, &err), 0);
	expect(p, erfc(40 / sqrt(81 * 19 / 12.0) / sqrt(2)) / 2);
	/* C(10008, 8) orders: the counts exceed what a double holds exactly, their share does not. */
	double orders = 1;
	for (int i = 1; i <= 8; i++)
		orders *= (10000.0 + i) / i;
	assert_int_equal(tf_mann_whitney_least(8, 10000, &p, &err), 0);
	assert_true(fabs(p * orders - 1) < 1e-9);
}

static void a_shift_is_the_median_of_all_differences(void **state)
{
	(void)state;
	struct tf_error err = {0};
	struct tf_shift s;
	const double x[] = {2, 4, 9}, y[] = {1, 2};
	/* Differences 1, 0, 3, 2, 8, 7: 2.5 lies between the third and the fourth. */
	assert_int_equal(tf_hodges_lehmann(x, 3, y, 2, 0.05, &s, &err), 0);
	expect(s.shift, 2.5);
	assert_true(isnan(s.low) && isnan(s.high)); /* C(5, 2) = 10 orders cannot give 95 % */
	const double sorted[] = {0, 1, 2, 3, 7, 8};
	for (size_t k = 1; k <= 6; k++)
		expect(tf_pairs_select(x, 3, y, 2, k), sorted[k - 1]);
	expect(tf_pairs_median(x, 1, y, 2), 0.5);
	const double negative[] = {-3, -1, 0}, zero[] = {0};
	expect(tf_pairs_median(negative, 3, zero, 1), -1);
}

static void an_interval_has_the_level_of_its_order_statistics(void **state)
{
	(void)state;
	struct tf_error err = {0};
	struct tf_shift s;
	const double x[] = {10, 20, 30, 40}, y[] = {1, 2, 3, 4};
	/* P(U ≤ 0) = 1 / 70 is within 2.5 %, P(U ≤ 1) = 2 / 70 is not: C = 1, from the least difference to the largest. */
	assert_int_equal(tf_hodges_lehmann(x, 4, y, 4, 0.05, &s, &err), 0);
	expect(s.low, 10 - 4);
	expect(s.high, 40 - 1);
	/* 10 %: P(U ≤ 1) = 2 / 70 is within 5 %, P(U ≤ 2) = 4 / 70 is not: C = 2. */
	assert_int_equal(tf_hodges_lehmann(x, 4, y, 4, 0.10, &s, &err), 0);
	expect(s.low, 10 - 3);
	expect(s.high, 40 - 2);
}

static void holm_steps_down(void **state)
{
	(void)state;
	double out[4];
	tf_holm((const double[]){0.01, 0.04, 0.03, 0.005}, 4, out);
	expect(out[3], 0.02); /* 4 · 0.005 */
	expect(out[0], 0.03); /* 3 · 0.01 */
	expect(out[2], 0.06); /* 2 · 0.03 */
	expect(out[1], 0.06); /* 1 · 0.04, but not before 0.03 */
	tf_holm((const double[]){0.6, 0.6}, 2, out);
	expect(out[0], 1);
	expect(out[1], 1);
	tf_holm((const double[]){0.02, 0.02, 0.5}, 3, out);
	expect(out[0], 0.06);
	expect(out[1], 0.06);
	expect(out[2], 0.5);
}

static void blocks_are_as_long_as_dependence_lasts(void **state)
{
	(void)state;
	double waves[40], flat[40];
	for (int i = 0; i < 40; i++) {
		waves[i] = i / 10 % 2; /* ten low, ten high */
		flat[i] = 3;
	}
	assert_true(tf_block_length(waves, 40) > 5);
	assert_true(tf_block_length(waves, 40) <= 14); /* 40 / 3, rounded up */
	assert_int_equal(tf_block_length(flat, 40), 4); /* ∛40 = 3.4 */
	assert_int_equal(tf_block_length(flat, 5), 2); /* ∛5 = 1.71, and 5 / 3 = 1.67 */
	/*
	 * 1 … 8 then 8 … 1, n = 16, mean 4.5. Sum of squares 2 · 42 = 84; lag 1: 2 · 24.5 + 12.25 (the 7 pairs in a row give
	 * Σ (i − 4.5)(i − 3.5) = 24.5, the two 8 give 3.5²): 61.25 / 84 = 0.729, above 2 √(log₁₀ 16 / 16) = 0.549.
	 */
	const double ramp[] = {1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1};
	assert_true(tf_block_length(ramp, 16) > 3); /* more than ∛16 = 2.5 */
	assert_int_equal(tf_block_length(ramp, 1), 1);
}

static void resampling_finds_a_shift_and_repeats_itself(void **state)
{
	(void)state;
	struct tf_error err = {0};
	struct tf_shift s, again;
	double x[20], y[20], p, q, least;
	for (int i = 0; i < 20; i++) {
		y[i] = i % 5;
		x[i] = y[i] + 10;
	}
	const struct tf_block_series a = {x, 20, 5}, b = {y, 20, 5};
	assert_int_equal(tf_block_bootstrap(&a, &b, 0, 0.05, &p, &least, &s, &err), 0);
	expect(s.shift, 10);
	expect(p, least); /* no resample of five-cycles moves the median of differences by 10 */
	expect(least, 1.0 / 2000);
	assert_true(s.low <= 10 && s.high >= 10 && s.high - s.low < 8);
	assert_int_equal(tf_block_bootstrap(&a, &b, 0, 0.05, &q, &least, &again, &err), 0);
	assert_true(p == q && s.low == again.low && s.high == again.high);
	/* The median difference of resampled five-cycles is 10 most often, and no resample reaches 14. */
	assert_int_equal(tf_block_bootstrap(&a, &b, 10, 0.05, &p, &least, &s, &err), 0);
	assert_true(p > 0.3);
	assert_int_equal(tf_block_bootstrap(&a, &b, 14, 0.05, &p, &least, &s, &err), 0);
	expect(p, 1);
	/* A block as long as the series leaves one resample, the data. */
	const struct tf_block_series whole_x = {x, 20, 20}, whole_y = {y, 20, 20};
	assert_int_equal(tf_block_bootstrap(&whole_x, &whole_y, 0, 0.05, &p, &least, &s, &err), 0);
	expect(s.low, 10);
	expect(s.high, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_samples_are_counted_exactly),
		cmocka_unit_test(ties_take_the_corrected_approximation),
		cmocka_unit_test(many_samples_take_the_approximation),
		cmocka_unit_test(sizes_bound_the_p),
		cmocka_unit_test(a_shift_is_the_median_of_all_differences),
		cmocka_unit_test(an_interval_has_the_level_of_its_order_statistics),
		cmocka_unit_test(holm_steps_down),
		cmocka_unit_test(blocks_are_as_long_as_dependence_lasts),
		cmocka_unit_test(resampling_finds_a_shift_and_repeats_itself),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
