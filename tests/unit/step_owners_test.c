/* Who takes the time of a step (METRICS.md §3, owners), and what a session's steps cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/analyze/step_owners.h"
#include "lib/base/limits.h"
#include "tests/unit/support_analyze.h"

/* What an owner takes of a step; 0 if there is none. A NULL kernel or op must be NULL. */
static int64_t taken(const struct tf_steps *s, size_t step, enum tf_part part, const char *op, const char *kernel)
{
	for (size_t k = 0; k < s->owner_count; k++) {
		const struct tf_step_owner *o = &s->owners[k];
		if (o->part == part && !o->op == !op && !o->kernel == !kernel && (!op || strcmp(o->op, op) == 0)
		    && (!kernel || strcmp(o->kernel, kernel) == 0))
			return o->step_ps[step];
	}
	return 0;
}

static void an_inner_event_owns_its_time(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 100 * US, "_r=1;step_num=1");
	mk_event(t, "outer", 10 * US, 60 * US, "");
	mk_event(t, "model/dense/MatMul:MatMul", 20 * US, 30 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(taken(&a->host.steps, 0, TF_PART_HOST_COMPUTE, "outer", NULL), 30 * US);
	assert_int_equal(taken(&a->host.steps, 0, TF_PART_HOST_COMPUTE, "model/dense/MatMul", NULL), 30 * US);
	assert_int_equal(a->host.steps.owner_count, 2); /* the 40 that nothing covers are nobody's */
	mk_analysis_free(a);
}

static void of_two_streams_the_kernel_that_began_last_owns(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "train", 0, 100 * US, "_r=1;step_num=1");
	mk_event(t, "launch", 1 * US, 1 * US, "correlation_id=1");
	mk_event(t, "launch", 3 * US, 1 * US, "correlation_id=2");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "sgemm", 10 * US, 50 * US, "correlation_id=1;tf_op=dense/MatMul:MatMul");
	mk_line(t, 2, "Stream #2", 0);
	mk_event(t, "relu", 30 * US, 10 * US, "correlation_id=2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(taken(&a->host.steps, 0, TF_PART_DEVICE_COMPUTE_32, "dense/MatMul", "sgemm"), 40 * US);
	assert_int_equal(taken(&a->host.steps, 0, TF_PART_DEVICE_COMPUTE_32, NULL, "relu"), 10 * US);
	mk_analysis_free(a);
}

enum { EVENTS = 40, LENGTH = 300 };

/* Events e0, e1, …, of which the pieces are made. */
static struct mk_analysis *plain_events(int count)
{
	struct tf_trace *t = mk_trace();
	char name[16];

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof name, "e%d", i);
		mk_event(t, name, i, 1, "");
	}
	return mk_analyze(t, NULL);
}

/* How important a part is, by METRICS.md §3. */
static int importance(int part)
{
	static const int order[] = {TF_PART_DEVICE_COMPUTE_16, TF_PART_DEVICE_COMPUTE_32, TF_PART_DEVICE_TO_HOST,
				    TF_PART_DEVICE_TO_DEVICE, TF_PART_INPUT_WAIT, TF_PART_DEVICE_COLLECTIVES, TF_PART_KERNEL_LAUNCH,
				    TF_PART_HOST_TO_DEVICE, TF_PART_HOST_TO_HOST, TF_PART_COMPILE, TF_PART_HOST_COMPUTE};
	int i = 0;

	while (order[i] != part)
		i++;
	return i;
}

/* Each picosecond looked at by itself must come to the same. */
static void random_pieces_go_where_each_instant_does(void **state)
{
	(void)state;
	struct mk_analysis *a = plain_events(EVENTS);
	srand(8);
	for (int round = 0; round < 300; round++) {
		struct tf_step_piece p[EVENTS], sorted[EVENTS];
		int64_t want[EVENTS] = {0}, other = 0;
		struct tf_arena arena = {0};
		struct tf_error err = {0};
		struct tf_step step = {.start_ps = 100, .step_ps = LENGTH};
		struct tf_steps steps = {.list = &step, .count = 1};
		int n = rand() % EVENTS;
		for (int i = 0; i < n; i++) {
			int64_t begin = rand() % 500;
			p[i] = (struct tf_step_piece){0, (uint32_t)i, (uint8_t)(rand() % TF_PART_OTHER), false,
						      {begin, begin + 1 + rand() % 120}};
		}
		for (int64_t now = 100; now < 100 + LENGTH; now++) {
			int best = -1;
			for (int i = 0; i < n; i++) {
				if (p[i].at.begin_ps > now || p[i].at.end_ps <= now)
					continue;
				int mine = importance(p[i].part), its = best < 0 ? 99 : importance(p[best].part);
				if (mine < its || (mine == its && p[i].at.begin_ps >= p[best].at.begin_ps))
					best = i;
			}
			if (best < 0)
				other++;
			else
				want[best]++;
		}
		memcpy(sorted, p, sizeof p);
		assert_int_equal(tf_steps_divide(&a->d, sorted, (size_t)n, &arena, &steps, &err), 0);
		assert_int_equal(step.part_ps[TF_PART_OTHER], other);
		for (int i = 0; i < n; i++) {
			char name[16];
			snprintf(name, sizeof name, "e%d", i);
			assert_int_equal(taken(&steps, 0, (enum tf_part)p[i].part, name, NULL), want[i]);
		}
		tf_arena_release(&arena);
	}
	mk_analysis_free(a);
}

/* So many steps that each may have only the least number of owners. */
static void those_that_take_least_are_summed_up(void **state)
{
	(void)state;
	enum { STEPS = TF_LIMIT_OWNER_CELLS / 16, OWNERS = TF_LEAST_OWNERS + 10 };
	struct mk_analysis *a = plain_events(OWNERS);
	struct tf_step_piece p[OWNERS];
	struct tf_arena arena = {0};
	struct tf_error err = {0};
	struct tf_steps steps = {.count = STEPS, .list = calloc(STEPS, sizeof(struct tf_step))};
	assert_non_null(steps.list);
	for (int i = 0; i < STEPS; i++)
		steps.list[i] = (struct tf_step){.start_ps = 1000 * (int64_t)i, .step_ps = 1000};
	for (int i = 0; i < OWNERS; i++)
		p[i] = (struct tf_step_piece){7, (uint32_t)i, TF_PART_COMPILE, false, {7000 + 10 * i, 7000 + 10 * i + 10}};
	for (int i = 0; i < OWNERS; i++)
		p[i].at.end_ps -= i >= (int)TF_LEAST_OWNERS; /* they take 9, the others 10 */
	assert_int_equal(tf_steps_divide(&a->d, p, OWNERS, &arena, &steps, &err), 0);
	assert_int_equal(steps.owner_count, TF_LEAST_OWNERS + 1);
	assert_int_equal(taken(&steps, 7, TF_PART_COMPILE, "(others)", NULL), 90);
	assert_int_equal(taken(&steps, 7, TF_PART_COMPILE, "e0", NULL), 10);
	assert_int_equal(taken(&steps, 8, TF_PART_COMPILE, "e0", NULL), 0);
	free(steps.list);
	tf_arena_release(&arena);
	mk_analysis_free(a);
}

/* A host whose one owner takes all of two steps. */
static void fill_host(struct tf_session *s, struct tf_host *h, const char *op, int64_t first_ps, int64_t second_ps)
{
	h->steps.list = tf_arena_array(&s->arena, 2, sizeof *h->steps.list);
	h->steps.count = 2;
	for (int i = 0; i < 2; i++) {
		int64_t ps = i ? second_ps : first_ps;
		h->steps.list[i] = (struct tf_step){.number = i, .name = "train", .series = "train", .main_series = true, .complete = true,
						    .step_ps = ps, .has_breakdown = true, .part_ps[TF_PART_HOST_COMPUTE] = ps};
	}
	h->steps.owners = tf_arena_alloc(&s->arena, sizeof *h->steps.owners);
	h->steps.owner_count = 1;
	h->steps.owners[0] = (struct tf_step_owner){.part = TF_PART_HOST_COMPUTE, .op = op,
						    .step_ps = tf_arena_array(&s->arena, 2, sizeof(int64_t))};
	h->steps.owners[0].step_ps[0] = first_ps;
	h->steps.owners[0].step_ps[1] = second_ps;
}

static void of_several_hosts_the_slowest_of_each_step_counts(void **state)
{
	(void)state;
	struct tf_session s = {.run = "r"};
	struct tf_host hosts[2] = {{.name = "h0"}, {.name = "h1"}};
	struct tf_error err = {0};
	s.hosts = hosts;
	s.host_count = 2;
	fill_host(&s, &hosts[0], "a", 100, 7);
	fill_host(&s, &hosts[1], "b", 60, 80);
	assert_int_equal(tf_step_costs_build(&s, &err), 0);
	assert_null(s.cost_reason);
	assert_int_equal(s.cost_count, 2);
	assert_string_equal(s.costs[0].op, "a");
	assert_int_equal(s.costs[0].total_ps, 100);
	assert_int_equal(s.costs[1].total_ps, 80);
	hosts[1].steps.owners[0].step_ps[1] = 79; /* what does not add up is not believed */
	assert_int_equal(tf_step_costs_build(&s, &err), 0);
	assert_string_equal(s.cost_reason, "not_recorded");
	assert_int_equal(s.cost_count, 0);
	tf_arena_release(&s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_inner_event_owns_its_time),
		cmocka_unit_test(of_two_streams_the_kernel_that_began_last_owns),
		cmocka_unit_test(random_pieces_go_where_each_instant_does),
		cmocka_unit_test(those_that_take_least_are_summed_up),
		cmocka_unit_test(of_several_hosts_the_slowest_of_each_step_counts),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
