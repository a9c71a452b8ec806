/* Change points of published series and of made ones, and what a trend makes of them (METRICS.md, "Trends"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/metric_trend.h"
#include "lib/base/random.h"

static struct tf_change_point *found;
static size_t found_count;

static void find(const double *x, size_t n, size_t min_size)
{
	struct tf_change_options o = {min_size, 0.05};
	struct tf_error err = {0};

	free(found);
	assert_int_equal(tf_change_points(x, n, &o, &found, &found_count, &err), 0);
}

/* Annual flow of the Nile at Aswan, 1871 to 1970 (Cobb 1978): it fell between 1898 and 1899. */
static void the_nile_fell_after_1898(void **state)
{
	(void)state;
	static const double flow[] = {
		1120, 1160, 963, 1210, 1160, 1160, 813,	 1230, 1370, 1140, 995, 935,  1110, 994, 1020, 960,  1180, 799, 958, 1140,
		1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874,	694,  940,  833, 701,  916,  692,  1020, 1050, 969,
		831,  726,  456, 824,  702,  1120, 1100, 832,	764,  821,  768,	845,  864,  862, 698,  845,  744,  796, 1040, 759,
		781,  865,  845, 944,  984,  897,  822,	 1010, 771,  676,  649, 846,  812,  742, 801,  1040, 860,  874, 848, 890,
		744,  749,  838, 1050, 918,  986,  797,	 923,  975,  815,  1020, 906, 901,  1170, 912, 746,  919,  718, 714, 740};
	assert_int_equal(sizeof flow / sizeof flow[0], 100);
	find(flow, 100, 3);
	assert_int_equal(found_count, 1);
	assert_int_equal(1871 + found[0].at, 1899);
	assert_true(found[0].p == 1.0 / (TF_CHANGE_PERMUTATIONS + 1)); /* no permutation does as well */
}

/* Disasters in British coal mines a year, 1851 to 1962 (Jarrett 1979): 191 in all, fewer from about 1890 on (Raftery and Akman 1986). */
static void coal_mines_became_safer_about_1890(void **state)
{
	(void)state;
	static const double disasters[] = {
		4, 5, 4, 1, 0, 4, 3, 4, 0, 6, 3, 3, 4, 0, 2, 6, 3, 3, 5, 4, 5, 3, 1, 4, 4, 1, 5, 5, 3, 4, 2, 5, 2, 2, 3, 4, 2, 1,
		3, 2, 2, 1, 1, 1, 1, 3, 0, 0, 1, 0, 1, 1, 0, 0, 3, 1, 0, 3, 2, 2, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 2, 1, 0, 0, 0,
		1, 1, 0, 2, 3, 3, 1, 1, 2, 1, 1, 1, 1, 2, 4, 2, 0, 0, 0, 1, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1};
	double sum = 0;
	assert_int_equal(sizeof disasters / sizeof disasters[0], 112);
	for (size_t i = 0; i < 112; i++)
		sum += disasters[i];
	assert_true(sum == 191);
	find(disasters, 112, 3);
	assert_true(found_count >= 1);
	assert_in_range(1851 + found[0].at, 1887, 1895);
}

static void a_clean_step_is_found_where_it_is(void **state)
{
	(void)state;
	const double x[] = {1, 2, 1, 2, 1, 2, 1, 9, 8, 9, 8, 9, 8};
	find(x, 13, 3);
	assert_int_equal(found_count, 1);
	assert_int_equal(found[0].at, 7);
	/*
	 * By hand: before are four 1 and three 2, of whose 21 pairs 12 differ by 1; after are three 8 and three 9, of whose 15 pairs 9
	 * differ by 1; the mean distance between is 8.5 - 10 / 7. 7 values before and 6 after: the factor is 42 / 13.
	 */
	double energy = 2 * (8.5 - 10.0 / 7) - 12.0 / 21 - 9.0 / 15;
	assert_true(fabs(found[0].q - 42.0 / 13 * energy) < 1e-9);
}

static void two_steps_are_two_changes(void **state)
{
	(void)state;
	double x[30];
	for (int i = 0; i < 30; i++)
		x[i] = (i < 10 ? 100 : i < 20 ? 150 : 90) + i % 3;
	find(x, 30, 3);
	assert_int_equal(found_count, 2);
	assert_int_equal(found[0].at, 10);
	assert_int_equal(found[1].at, 20);
}

static void nothing_changes_in_a_constant_series(void **state)
{
	(void)state;
	double x[50];
	for (int i = 0; i < 50; i++)
		x[i] = 7;
	find(x, 50, 3);
	assert_int_equal(found_count, 0);
	find(x, 0, 3);
	assert_int_equal(found_count, 0);
	find(x, 5, 3);
	assert_int_equal(found_count, 0);
}

/* A double in 0..1. */
static double uniform(uint64_t *seed)
{
	return (double)(tf_random_next(seed) >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(seed);
	return sum;
}

/* At 5 %, noise seems to change in 5 % of the series: of 400, 20 and at most three standard deviations (4.4 each) more. */
static void noise_seldom_changes(void **state)
{
	(void)state;
	uint64_t seed = 1;
	int alarms = 0;
	for (int round = 0; round < 400; round++) {
		double x[30];
		for (int i = 0; i < 30; i++)
			x[i] = 10 + normal(&seed);
		find(x, 30, 3);
		alarms += found_count > 0;
	}
	assert_in_range(alarms, 5, 33);
}

/* The last three of 30 are 4 standard deviations higher: most of such changes are found as soon as that. */
static void a_late_change_is_found(void **state)
{
	(void)state;
	uint64_t seed = 2;
	int hits = 0;
	for (int round = 0; round < 100; round++) {
		double x[30];
		for (int i = 0; i < 30; i++)
			x[i] = 10 + normal(&seed) + (i < 27 ? 0 : 4);
		find(x, 30, 3);
		hits += found_count > 0 && found[found_count - 1].at == 27;
	}
	assert_in_range(hits, 80, 100);
}

/* The statistic of every split by its definition; the first change is the best of them. */
static void the_split_is_the_best_by_definition(void **state)
{
	(void)state;
	uint64_t seed = 3;
	for (int round = 0; round < 50; round++) {
		double x[40], best = 0;
		size_t at = 0;
		for (size_t i = 0; i < 40; i++)
			x[i] = (double)(int64_t)(tf_random_next(&seed) % 5) + (i < 17 ? 0 : 3); /* with ties */
		for (size_t k = 3; k <= 37; k++) {
			double within[2] = {0, 0}, between = 0, n = (double)k, m = (double)(40 - k);
			for (size_t i = 0; i < 40; i++)
				for (size_t j = 0; j < i; j++)
					*(i < k ? &within[0] : j >= k ? &within[1] : &between) += fabs(x[i] - x[j]);
			double q = n * m / (n + m)
				   * (2 * between / (n * m) - within[0] / (n * (n - 1) / 2) - within[1] / (m * (m - 1) / 2));
			if (q > best) {
				best = q;
				at = k;
			}
		}
		find(x, 40, 3);
		bool there = false;
		for (size_t i = 0; i < found_count; i++)
			there |= found[i].at == at && fabs(found[i].q - best) < 1e-9 * best;
		assert_true(there);
	}
}

static struct tf_trend_point points[20];

/* Twelve sessions that step from 10 to `after` at the ninth, found as `o` says. */
static struct tf_metric_trend trend_of(double after, const struct tf_trend_options *o, struct tf_arena *a)
{
	struct tf_metric_trend t;
	struct tf_error err = {0};

	for (int i = 0; i < 12; i++)
		points[i] = (struct tf_trend_point){.run = "r", .name = "s", .value = (i < 8 ? 10 : after) + 0.01 * (i * 5 % 7),
						    .environment = points[i].environment ? points[i].environment : "e",
						    .reason = points[i].reason};
	assert_int_equal(tf_trend_find(points, 12, o, a, &t, &err), 0);
	return t;
}

static void what_a_change_means_goes_by_the_metric(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	struct tf_trend_options o = {.find = {3, 0.05}, .worse = TF_WORSE_UP};
	assert_int_equal(trend_of(12, &o, &a).verdict, TF_TREND_REGRESSION);
	assert_int_equal(trend_of(9, &o, &a).verdict, TF_TREND_IMPROVEMENT);
	assert_int_equal(trend_of(10, &o, &a).verdict, TF_TREND_STABLE);
	o.worse = TF_WORSE_DOWN;
	assert_int_equal(trend_of(12, &o, &a).verdict, TF_TREND_IMPROVEMENT);
	o.worse = TF_WORSE_NONE;
	assert_int_equal(trend_of(12, &o, &a).verdict, TF_TREND_CHANGED);
	o = (struct tf_trend_options){.find = {3, 0.05}, .worse = TF_WORSE_UP, .min_effect = 0.25};
	assert_int_equal(trend_of(12, &o, &a).verdict, TF_TREND_CHANGED);
	assert_int_equal(trend_of(14, &o, &a).verdict, TF_TREND_REGRESSION);
	tf_arena_release(&a);
}

static void what_is_not_known_is_no_verdict(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	struct tf_trend_options o = {.find = {3, 0.05}, .worse = TF_WORSE_UP};
	points[11].reason = "incomplete";
	struct tf_metric_trend t = trend_of(10, &o, &a);
	assert_int_equal(t.verdict, TF_TREND_INCONCLUSIVE);
	assert_string_equal(t.reason, "latest_not_used");
	assert_int_equal(t.used_count, 11);
	assert_int_equal(trend_of(12, &o, &a).verdict, TF_TREND_REGRESSION); /* three others show it */
	for (int i = 0; i < 5; i++)
		points[i].reason = "no_step_marker";
	t = trend_of(12, &o, &a);
	assert_string_equal(t.reason, "too_few_sessions");
	memset(points, 0, sizeof points);
	for (int i = 8; i < 12; i++)
		points[i].environment = "other";
	t = trend_of(12, &o, &a);
	assert_string_equal(t.reason, "environment_differs");
	assert_true(t.changes[0].environment_differs);
	o.allow_env = true;
	assert_int_equal(trend_of(12, &o, &a).verdict, TF_TREND_REGRESSION);
	memset(points, 0, sizeof points);
	tf_arena_release(&a);
}

static void segments_are_told_by_their_medians(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	struct tf_trend_options o = {.find = {3, 0.05}, .worse = TF_WORSE_UP};
	points[3].reason = "incomplete";
	struct tf_metric_trend t = trend_of(20, &o, &a);
	assert_int_equal(t.segment_count, 2);
	assert_int_equal(t.changes[0].point, 8); /* of the points, not of the used ones */
	assert_int_equal(t.segments[0].count, 7);
	assert_int_equal(t.segments[0].last, 7);
	/* 0, 5, 3, 6, 4, 2, 0 hundredths (1 is not used) and 5, 3, 1, 6 */
	assert_true(fabs(t.changes[0].before - 10.03) < 1e-12);
	assert_true(fabs(t.changes[0].after - 20.04) < 1e-12);
	assert_true(fabs(t.changes[0].change_pct - 100 * (20.04 - 10.03) / 10.03) < 1e-9);
	memset(points, 0, sizeof points);
	tf_arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nile_fell_after_1898),
		cmocka_unit_test(coal_mines_became_safer_about_1890),
		cmocka_unit_test(a_clean_step_is_found_where_it_is),
		cmocka_unit_test(two_steps_are_two_changes),
		cmocka_unit_test(nothing_changes_in_a_constant_series),
		cmocka_unit_test(noise_seldom_changes),
		cmocka_unit_test(a_late_change_is_found),
		cmocka_unit_test(the_split_is_the_best_by_definition),
		cmocka_unit_test(what_a_change_means_goes_by_the_metric),
		cmocka_unit_test(what_is_not_known_is_no_verdict),
		cmocka_unit_test(segments_are_told_by_their_medians),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	free(found);
	return rc;
}
