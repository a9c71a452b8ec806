/* The executions of an op far from its usual ones (METRICS.md §7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/analyze/op_tails.h"
#include "tests/unit/support_analyze.h"

static struct tf_error err;

static struct tf_trace *ops(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	return t;
}

static const struct tf_op *op(const struct mk_analysis *a, const char *name)
{
	for (size_t i = 0; i < a->host.op_count; i++)
		if (strcmp(a->host.ops[i].name, name) == 0)
			return &a->host.ops[i];
	fail_msg("no op '%s'", name);
	return NULL;
}

/* `n` executions of "x" with times from `dur`, 1 ms apart. */
static struct mk_analysis *run_of(const int64_t *dur, size_t n)
{
	struct tf_trace *t = ops();

	for (size_t i = 0; i < n; i++)
		mk_event(t, "x:MatMul", (int64_t)(i + 1) * 1000 * US, dur[i], "");
	return mk_analyze(t, NULL);
}

static void one_execution_is_its_own_median(void **state)
{
	(void)state;
	struct mk_analysis *a = run_of((int64_t[]){7 * US}, 1);
	assert_int_equal(op(a, "x")->p50_ps, 7 * US);
	assert_int_equal(op(a, "x")->p99_ps, 7 * US);
	assert_int_equal(op(a, "x")->max_ps, 7 * US);
	mk_analysis_free(a);
}

static void percentiles_lie_between_neighbours(void **state)
{
	(void)state;
	struct mk_analysis *a = run_of((int64_t[]){40 * US, 10 * US, 30 * US, 20 * US + 1}, 4);
	assert_int_equal(op(a, "x")->p50_ps, 25 * US); /* rank 0.5 x 3 = 1.5, rounded down */
	assert_int_equal(op(a, "x")->p99_ps, 30 * US + 97 * 10 * US / 100); /* rank 2.97 */
	mk_analysis_free(a);
}

static void the_longest_execution_is_named_by_its_start(void **state)
{
	(void)state;
	struct mk_analysis *a = run_of((int64_t[]){1 * US, 9 * US, 9 * US, 2 * US}, 4);
	assert_int_equal(op(a, "x")->max_ps, 9 * US);
	assert_int_equal(op(a, "x")->max_start_ps, 2000 * US); /* the first of equals */
	assert_int_equal(op(a, "x")->max_step_number, TF_NONE);
	mk_analysis_free(a);
}

static void and_by_its_step(void **state)
{
	(void)state;
	struct tf_trace *t = ops();
	for (int64_t i = 0; i < 3; i++) {
		char stats[64];
		snprintf(stats, sizeof stats, "step_num=%lld;_r=1", (long long)(40 + i));
		mk_event(t, "train", i * 100 * US, 100 * US, stats);
		mk_event(t, "x:MatMul", i * 100 * US + US, (i == 1 ? 50 : 10) * US, "");
	}
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(op(a, "x")->max_step_number, 41);
	assert_int_equal(a->host.steps.list[op(a, "x")->max_step].number, 41);
	mk_analysis_free(a);
}

static void idle_time_has_no_executions(void **state)
{
	(void)state;
	struct mk_analysis *a = run_of((int64_t[]){1, 1}, 2);
	assert_int_equal(op(a, "IDLE")->p50_ps, TF_NONE);
	assert_int_equal(op(a, "IDLE")->max_ps, TF_NONE);
	assert_int_equal(tf_op_excess_ps(op(a, "IDLE")), TF_NONE);
	mk_analysis_free(a);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* All shapes of data that a selection may dislike: rising, falling, equal, few values, an organ pipe, random. */
static int64_t shape(int kind, int64_t i, int64_t n)
{
	switch (kind) {
	case 0: return i;
	case 1: return n - i;
	case 2: return 5;
	case 3: return i % 3;
	case 4: return i < n / 2 ? i : n - i;
	default: return (int64_t)((uint64_t)i * UINT64_C(6364136223846793005) >> 52);
	}
}

static void selection_agrees_with_sorting(void **state)
{
	(void)state;
	for (int kind = 0; kind < 6; kind++)
		for (int64_t n = 1; n < 700; n += n < 40 ? 1 : 97) {
			int64_t dur[700], sorted[700];
			for (int64_t i = 0; i < n; i++)
				dur[i] = sorted[i] = shape(kind, i, n) * US;
			qsort(sorted, (size_t)n, sizeof *sorted, by_value);
			struct mk_analysis *a = run_of(dur, (size_t)n);
			int64_t at = 99 * (n - 1) / 100, rest = 99 * (n - 1) % 100;
			int64_t want = sorted[at] + (rest ? (sorted[at + 1] - sorted[at]) * rest / 100 : 0);
			assert_int_equal(op(a, "x")->p99_ps, want);
			want = n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
			assert_int_equal(op(a, "x")->p50_ps, want);
			assert_int_equal(op(a, "x")->max_ps, sorted[n - 1]);
			mk_analysis_free(a);
		}
}

/* A session of one host with these ops. */
static struct tf_tail *tails_of(struct tf_op *list, size_t n, struct tf_session *s, struct tf_host *h, size_t *count)
{
	*h = (struct tf_host){.name = "h", .ops = list, .op_count = n};
	s->hosts = h;
	s->host_count = 1;
	return tf_long_tails(s, &s->arena, count, &err);
}

static void a_tail_needs_executions_and_distance(void **state)
{
	(void)state;
	struct tf_op list[] = {
		{.name = "few", .count = 19, .p50_ps = 10, .p99_ps = 100, .total_ps = 1000},
		{.name = "near", .count = 100, .p50_ps = 10, .p99_ps = 32, .total_ps = 2000},
		{.name = "far", .count = 20, .p50_ps = 10, .p99_ps = 33, .total_ps = 400},
		{.name = "unknown", .count = 100, .p50_ps = TF_NONE, .p99_ps = TF_NONE, .total_ps = 400},
	};
	struct tf_session s = {0};
	struct tf_host h;
	size_t n;
	struct tf_tail *t = tails_of(list, 4, &s, &h, &n);
	assert_int_equal(n, 1);
	assert_string_equal(t[0].op->name, "far");
	assert_ptr_equal(t[0].host, &h);
	tf_arena_release(&s.arena);
}

static void what_costs_most_comes_first(void **state)
{
	(void)state;
	struct tf_op list[] = {
		{.name = "b", .count = 20, .p50_ps = 10, .p99_ps = 100, .total_ps = 300}, /* 100 beyond */
		{.name = "a", .count = 20, .p50_ps = 10, .p99_ps = 100, .total_ps = 300},
		{.name = "most", .count = 50, .p50_ps = 1, .p99_ps = 100, .total_ps = 400}, /* 350 beyond */
	};
	struct tf_session s = {0};
	struct tf_host h;
	size_t n;
	struct tf_tail *t = tails_of(list, 3, &s, &h, &n);
	assert_int_equal(n, 3);
	assert_string_equal(t[0].op->name, "most");
	assert_int_equal(tf_op_excess_ps(t[0].op), 350);
	assert_string_equal(t[1].op->name, "a");
	assert_string_equal(t[2].op->name, "b");
	tf_arena_release(&s.arena);
}

static void without_ops_the_list_is_empty(void **state)
{
	(void)state;
	struct tf_session s = {0};
	size_t n = 9;
	assert_non_null(tf_long_tails(&s, &s.arena, &n, &err));
	assert_int_equal(n, 0);
	tf_arena_release(&s.arena);
}

static void an_excess_beyond_all_bounds_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(tf_op_excess_ps(&(struct tf_op){.count = INT64_MAX, .p50_ps = 2, .total_ps = 5}), TF_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_execution_is_its_own_median),
		cmocka_unit_test(percentiles_lie_between_neighbours),
		cmocka_unit_test(the_longest_execution_is_named_by_its_start),
		cmocka_unit_test(and_by_its_step),
		cmocka_unit_test(idle_time_has_no_executions),
		cmocka_unit_test(selection_agrees_with_sorting),
		cmocka_unit_test(a_tail_needs_executions_and_distance),
		cmocka_unit_test(what_costs_most_comes_first),
		cmocka_unit_test(without_ops_the_list_is_empty),
		cmocka_unit_test(an_excess_beyond_all_bounds_is_unknown),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
