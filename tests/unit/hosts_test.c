/* The hosts of a session beside each other (METRICS.md §8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>

#include <cmocka.h>

#include "lib/analyze/analyze.h"

#define MS INT64_C(1000000000)

static struct tf_error err;

/* Up to 3 hosts of up to 4 steps. */
struct fixture {
	struct tf_session s;
	struct tf_host hosts[3];
	struct tf_step steps[3][4];
	struct tf_host_standing *list;
};

/* A host with `n` steady steps of `step_ps`, numbered from `number`, the first at `start_ps`, one each 100 ms. */
static void add(struct fixture *f, const char *name, int64_t start_ns, int64_t number, int64_t start_ps, int64_t step_ps, size_t n)
{
	size_t h = f->s.host_count++;

	for (size_t i = 0; i < n; i++)
		f->steps[h][i] = (struct tf_step){.number = number + (int64_t)i, .start_ps = start_ps + (int64_t)i * 100 * MS,
						  .step_ps = step_ps, .main_series = true, .complete = true};
	f->hosts[h] = (struct tf_host){.name = name, .start_ns = start_ns, .steps = {.list = f->steps[h], .count = n}};
	f->s.hosts = f->hosts;
}

static void compare(struct fixture *f)
{
	f->list = tf_compare_hosts(&f->s, &f->s.arena, &err);
	assert_non_null(f->list);
}

static void done(struct fixture *f)
{
	tf_arena_release(&f->s.arena);
}

static void a_host_alone_is_no_straggler(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", 0, 1, 0, 10 * MS, 4);
	compare(&f);
	assert_true(f.list[0].step_ps == 10.0 * MS);
	assert_false(f.list[0].straggler);
	assert_int_equal(f.list[0].offset_ps, 0);
	done(&f);
}

static void a_straggler_is_over_five_percent_above_the_median(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", 0, 1, 0, 100 * MS, 4);
	add(&f, "b", 0, 1, 0, 100 * MS, 4);
	add(&f, "c", 0, 1, 0, 106 * MS, 4);
	compare(&f);
	assert_false(f.list[0].straggler);
	assert_true(f.list[2].straggler);
	f.steps[2][0].step_ps = f.steps[2][1].step_ps = f.steps[2][2].step_ps = f.steps[2][3].step_ps = 105 * MS;
	compare(&f);
	assert_false(f.list[2].straggler);
	done(&f);
}

static void an_offset_is_counted_by_the_wall_clocks(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", INT64_C(1700000000000000000), 1, 5 * MS, 10 * MS, 4);
	add(&f, "b", INT64_C(1700000000002000000), 1, 6 * MS, 10 * MS, 4); /* 2 ms and 1 ms later */
	compare(&f);
	assert_int_equal(f.list[1].offset_ps, 3 * MS);
	done(&f);
}

static void without_wall_clocks_by_session_time(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", TF_NONE, 1, 5 * MS, 10 * MS, 4);
	add(&f, "b", TF_NONE, 1, 3 * MS, 10 * MS, 4);
	compare(&f);
	assert_int_equal(f.list[1].offset_ps, -2 * MS);
	done(&f);
}

static void with_one_wall_clock_it_is_unknown(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", INT64_C(1700000000000000000), 1, 5 * MS, 10 * MS, 4);
	add(&f, "b", TF_NONE, 1, 3 * MS, 10 * MS, 4);
	compare(&f);
	assert_int_equal(f.list[1].offset_ps, TF_NONE);
	done(&f);
}

static void steps_are_paired_by_number(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", 0, 1, 0, 10 * MS, 4);	  /* 1 at 0, 2 at 100, 3 at 200 */
	add(&f, "b", 0, 3, 207 * MS, 10 * MS, 2); /* 3 at 207, 4 at 307 */
	compare(&f);
	assert_int_equal(f.list[1].offset_ps, 7 * MS);
	done(&f);
}

static void hosts_without_a_common_number_have_no_offset(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", 0, 1, 0, 10 * MS, 2);
	add(&f, "b", 0, 9, 0, 10 * MS, 2);
	compare(&f);
	assert_int_equal(f.list[1].offset_ps, TF_NONE);
	done(&f);
}

static void the_median_ignores_one_late_step(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", 0, 1, 0, 10 * MS, 3);
	add(&f, "b", 0, 1, 4 * MS, 10 * MS, 3);
	f.steps[1][2].start_ps += 5000 * MS;
	compare(&f);
	assert_int_equal(f.list[1].offset_ps, 4 * MS);
	done(&f);
}

static void a_host_without_steps_has_no_standing(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", 0, 1, 0, 10 * MS, 0);
	add(&f, "b", 0, 1, 3 * MS, 10 * MS, 3);
	compare(&f);
	assert_true(isnan(f.list[0].step_ps));
	assert_int_equal(f.list[0].offset_ps, TF_NONE);
	assert_int_equal(f.list[1].offset_ps, 0); /* the first with steps */
	assert_false(f.list[1].straggler);
	done(&f);
}

static void clocks_beyond_all_bounds_are_unknown(void **state)
{
	(void)state;
	struct fixture f = {0};
	add(&f, "a", INT64_MAX, 1, 0, 10 * MS, 3);
	add(&f, "b", 1, 1, 0, 10 * MS, 3);
	compare(&f);
	assert_int_equal(f.list[1].offset_ps, TF_NONE);
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_alone_is_no_straggler),
		cmocka_unit_test(a_straggler_is_over_five_percent_above_the_median),
		cmocka_unit_test(an_offset_is_counted_by_the_wall_clocks),
		cmocka_unit_test(without_wall_clocks_by_session_time),
		cmocka_unit_test(with_one_wall_clock_it_is_unknown),
		cmocka_unit_test(steps_are_paired_by_number),
		cmocka_unit_test(hosts_without_a_common_number_have_no_offset),
		cmocka_unit_test(the_median_ignores_one_late_step),
		cmocka_unit_test(a_host_without_steps_has_no_standing),
		cmocka_unit_test(clocks_beyond_all_bounds_are_unknown),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
