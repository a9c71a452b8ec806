/* Differences between sessions (METRICS.md, "Differences"): whole numbers that sum, and what is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/diff.h"
#include "tests/unit/support_session.h"

/* A session of one host, to which add_step() adds. */
static void start(struct tf_session *s)
{
	ms_init(s, "r", "s");
	ms_host(s, "h");
	s->hosts[0].input.reason = "no_input_events";
}

/* A step with these parts. */
static void add_step(struct tf_session *s, int64_t host_compute, int64_t input_wait, int64_t other)
{
	struct tf_step *p = ms_step(s, &s->hosts[0], (int64_t)s->hosts[0].steps.count, 0, host_compute + input_wait + other);

	p->has_breakdown = true;
	p->part_ps[TF_PART_HOST_COMPUTE] = host_compute;
	p->part_ps[TF_PART_INPUT_WAIT] = input_wait;
	p->part_ps[TF_PART_OTHER] = other;
}

static void add_cost(struct tf_session *s, const char *op, int64_t total_ps)
{
	struct tf_step_cost *c = tf_arena_push(&s->arena, (void **)&s->costs, &s->cost_count, &s->cost_cap, sizeof *c);

	assert_non_null(c);
	*c = (struct tf_step_cost){TF_PART_HOST_COMPUTE, op, NULL, total_ps};
}

/* The two sessions compared; they are released with the result. */
static struct tf_session a, b;
static struct tf_diff_side sides[2] = {{&a, "a", false}, {&b, "b", false}};

static void compare(struct tf_diff *d)
{
	struct tf_error err = {0};

	*d = (struct tf_diff){0};
	assert_int_equal(tf_metrics_build(&a, &err), 0);
	assert_int_equal(tf_metrics_build(&b, &err), 0);
	assert_int_equal(tf_diff_make(sides, 2, 0, d, &err), 0);
}

static void release(struct tf_diff *d)
{
	tf_arena_release(&d->arena);
	tf_session_release(&a);
	tf_session_release(&b);
}

/* The part of this name, which must be there. */
static const struct tf_delta *part(const struct tf_delta *node, const char *name)
{
	for (size_t i = 0; i < node->child_count; i++)
		if (strcmp(node->children[i].name, name) == 0)
			return &node->children[i];
	fail_msg("no part '%s'", name);
	return NULL;
}

static void parts_of_odd_means_still_sum(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	add_step(&a, 1, 0, 0);
	add_step(&a, 0, 1, 0);
	add_step(&a, 0, 0, 2); /* 4 over 3 steps is 1.33, rounded 1; parts 0.33, 0.33 and 0.67: the largest remainder is rounded up */
	start(&b);
	add_step(&b, 1, 1, 2);
	add_step(&b, 0, 1, 0); /* 5 over 2 steps is 2.5, rounded 3; parts 0.5, 1 and 1 */
	compare(&d);
	assert_int_equal(d.step.values[0], 1);
	assert_int_equal(d.step.values[1], 3);
	assert_int_equal(part(&d.step, "other")->values[0], 1);
	assert_int_equal(part(&d.step, "host_compute")->values[0], 0);
	assert_int_equal(part(&d.step, "input_wait")->values[0], 0);
	assert_int_equal(part(&d.step, "host_compute")->values[1], 1);
	assert_int_equal(d.step.delta, 2);
	release(&d);
}

static void an_op_of_one_session_is_added_or_removed(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	add_step(&a, 10, 0, 0);
	add_cost(&a, "MatMul", 7);
	add_cost(&a, "Gone", 3);
	start(&b);
	add_step(&b, 20, 0, 0);
	add_cost(&b, "MatMul", 19);
	add_cost(&b, "New", 1);
	compare(&d);
	const struct tf_delta *ops = part(&d.step, "host_compute");
	assert_string_equal(ops->children[0].name, "MatMul"); /* the largest change first */
	assert_int_equal(ops->children[0].delta, 12);
	assert_int_equal(part(ops, "Gone")->change, TF_CHANGE_REMOVED);
	assert_true(part(ops, "Gone")->values[1] == TF_NONE);
	assert_int_equal(part(ops, "Gone")->delta, -3);
	assert_int_equal(part(ops, "New")->change, TF_CHANGE_ADDED);
	assert_int_equal(part(ops, "New")->delta, 1);
	release(&d);
}

static void ops_that_one_session_does_not_tell_are_not_compared(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	add_step(&a, 10, 0, 0);
	add_cost(&a, "MatMul", 10);
	start(&b);
	add_step(&b, 20, 0, 0);
	b.cost_reason = "not_recorded";
	compare(&d);
	assert_int_equal(part(&d.step, "host_compute")->child_count, 0);
	assert_int_equal(d.note_count, 1);
	ms_has(d.notes[0], "b: no ops and kernels of its steps to compare: not_recorded");
	release(&d);
}

static void costs_over_their_part_are_not_believed(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	add_step(&a, 10, 0, 0);
	add_cost(&a, "MatMul", 11);
	start(&b);
	add_step(&b, 10, 0, 0);
	compare(&d);
	assert_int_equal(part(&d.step, "host_compute")->child_count, 0);
	ms_has(d.notes[0], "a: no ops and kernels of its steps to compare: they exceed the parts of the steps");
	release(&d);
}

static void what_costs_leave_of_a_part_is_named(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	add_step(&a, 10, 0, 0);
	add_cost(&a, "MatMul", 4);
	start(&b);
	add_step(&b, 20, 0, 0);
	compare(&d);
	const struct tf_delta *ops = part(&d.step, "host_compute");
	assert_int_equal(part(ops, "(not listed)")->values[0], 6);
	assert_int_equal(part(ops, "(not listed)")->values[1], 20);
	release(&d);
}

static void steps_without_a_breakdown_leave_one_part(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	ms_step(&a, &a.hosts[0], 1, 0, 40);
	start(&b);
	add_step(&b, 30, 20, 0);
	compare(&d);
	assert_int_equal(d.step.child_count, 1);
	assert_string_equal(d.step.children[0].name, "(unaccounted)");
	assert_int_equal(d.step.children[0].delta, 10);
	release(&d);
}

static void without_steps_nothing_is_taken_for_zero(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	a.hosts[0].steps.reason = "no_step_marker";
	start(&b);
	add_step(&b, 30, 20, 0);
	compare(&d);
	assert_int_equal(d.step.change, TF_CHANGE_UNKNOWN);
	assert_true(d.step.values[0] == TF_NONE && d.step.delta == TF_NONE);
	assert_int_equal(d.step.values[1], 50);
	assert_int_equal(d.step.child_count, 0);
	ms_has(d.notes[0], "a: the step time is unknown (no_step_marker)");
	release(&d);
}

static void sums_beyond_an_integer_are_refused(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	for (int i = 0; i < 5; i++)
		add_step(&a, INT64_MAX / 2, 0, 0);
	start(&b);
	add_step(&b, 1, 0, 0);
	compare(&d);
	assert_int_equal(d.step.change, TF_CHANGE_UNKNOWN);
	ms_has(d.notes[0], "inconsistent");
	release(&d);
}

static void tensors_sum_to_the_peak(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	struct tf_allocator *m = ms_allocator(&a, &a.hosts[0], "GPU_0_bfc", 100);
	ms_tensor(&a, m, "x", 90)->shape = "[1]";
	start(&b);
	m = ms_allocator(&b, &b.hosts[0], "GPU_0_bfc", 130);
	ms_tensor(&b, m, "x", 150)->shape = "[2]";
	ms_tensor(&b, m, "(over_counted)", -20);
	compare(&d);
	const struct tf_delta *g = &d.memory[0];
	assert_int_equal(g->delta, 30);
	assert_int_equal(part(g, "(not listed)")->delta, -10);
	assert_int_equal(part(g, "(over_counted)")->delta, -20);
	int64_t sum = 0;
	for (size_t i = 0; i < g->child_count; i++)
		sum += g->children[i].delta;
	assert_int_equal(sum, 30); /* x of another shape is another tensor: -90, +150 */
	assert_int_equal(g->child_count, 4);
	release(&d);
}

static void what_differs_in_the_setup_is_told(void **state)
{
	(void)state;
	struct tf_diff d;
	start(&a);
	a.hosts[0].framework = "jax";
	ms_device(&a, &a.hosts[0], "/device:GPU:0")->model = "A100";
	ms_device(&a, &a.hosts[0], "/device:GPU:1")->model = "A100";
	start(&b);
	compare(&d);
	assert_string_equal(d.facts[0].key, "framework");
	assert_true(d.facts[0].differs);
	assert_string_equal(d.facts[0].values[0], "jax");
	assert_null(d.facts[0].values[1]);
	assert_false(d.facts[1].differs); /* one host each */
	assert_string_equal(d.facts[2].values[0], "gpu A100 x 2");
	assert_string_equal(d.facts[2].values[1], "none");
	release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_odd_means_still_sum),
		cmocka_unit_test(an_op_of_one_session_is_added_or_removed),
		cmocka_unit_test(ops_that_one_session_does_not_tell_are_not_compared),
		cmocka_unit_test(costs_over_their_part_are_not_believed),
		cmocka_unit_test(what_costs_leave_of_a_part_is_named),
		cmocka_unit_test(steps_without_a_breakdown_leave_one_part),
		cmocka_unit_test(without_steps_nothing_is_taken_for_zero),
		cmocka_unit_test(sums_beyond_an_integer_are_refused),
		cmocka_unit_test(tensors_sum_to_the_peak),
		cmocka_unit_test(what_differs_in_the_setup_is_told),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
