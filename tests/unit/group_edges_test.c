/* What connects events (METRICS.md §2, grouping): children, contexts, launches, executors, TPU queues and programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/analyze/group.h"
#include "tests/unit/support_trace.h"

struct built {
	struct tf_trace *t;
	struct tf_derived d;
	struct tf_edges e;
};

static struct built build(struct tf_trace *t)
{
	struct built b = {.t = mk_finish(t)};
	struct tf_error err = {0};

	assert_int_equal(tf_derived_init(&b.d, t, &err), 0);
	assert_int_equal(tf_edges_build(&b.e, &b.d, &err), 0);
	return b;
}

static void release(struct built *b)
{
	tf_edges_release(&b->e);
	tf_derived_release(&b->d);
	mk_free(b->t);
}

/* How many edges lead from a producer to a consumer. */
static int edges(const struct built *b, size_t from, size_t to)
{
	int n = 0;

	for (size_t m = tf_edges_find(&b->e, true, (uint32_t)from); m < b->e.producer_count && b->e.producers[m].event == from; m++) {
		const struct tf_bucket *k = &b->e.buckets[b->e.producers[m].bucket];
		for (uint32_t j = 0; j < k->consumer_count; j++)
			n += b->e.consumer_of[k->consumer_first + j] == to;
	}
	return n;
}

/* The same for the n-th events of two names. */
static int joined(const struct built *b, const char *from, size_t n, const char *to, size_t m)
{
	return edges(b, mk_find(b->t, from, n), mk_find(b->t, to, m));
}

static struct tf_trace *host(const char *stats)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", stats);
	mk_line(t, 1, "main", 0);
	return t;
}

static void children_stand_in_order(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "parent", 0, 100, "");
	mk_event(t, "a", 10, 20, "");
	mk_event(t, "inner", 12, 5, "");
	mk_event(t, "b", 40, 20, "");
	mk_event(t, "next", 200, 10, "");
	struct built b = build(t);
	size_t parent = mk_find(t, "parent", 0), a = mk_find(t, "a", 0);
	assert_int_equal(b.e.first_child[parent], a);
	assert_int_equal(b.e.next_sibling[a], mk_find(t, "b", 0));
	assert_int_equal(b.e.next_sibling[mk_find(t, "b", 0)], UINT32_MAX);
	assert_int_equal(b.e.first_child[a], mk_find(t, "inner", 0));
	assert_int_equal(b.e.first_child[mk_find(t, "next", 0)], UINT32_MAX);
	release(&b);
}

static void a_context_joins_type_and_id(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "p", 0, 10, "_pt=2;_p=7");
	mk_line(t, 2, "other", 0);
	mk_event(t, "c", 20, 10, "_ct=2;_c=7");
	mk_event(t, "c", 40, 10, "_ct=3;_c=7");
	mk_event(t, "c", 60, 10, "_ct=2;_c=8");
	mk_event(t, "c", 80, 10, "_c=7"); /* no type */
	mk_event(t, "c", 100, 10, "_ct=2"); /* no id */
	struct built b = build(t);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(joined(&b, "p", 0, "c", i), i == 0);
	release(&b);
}

static void type_and_id_may_not_be_exchanged(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "p", 0, 10, "_pt=1;_p=2");
	mk_event(t, "c", 20, 10, "_ct=2;_c=1");
	struct built b = build(t);
	assert_int_equal(joined(&b, "p", 0, "c", 0), 0);
	release(&b);
}

static void all_producers_of_a_context_lead_to_all_its_consumers(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	for (int i = 0; i < 3; i++)
		mk_event(t, "p", 20 * i, 10, "_pt=1;_p=1");
	for (int i = 0; i < 4; i++)
		mk_event(t, "c", 100 + 20 * i, 10, "_ct=1;_c=1");
	struct built b = build(t);
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 4; k++)
			assert_int_equal(joined(&b, "p", i, "c", k), 1);
	release(&b);
}

static void an_event_may_be_both(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "a", 0, 10, "_pt=1;_p=1");
	mk_event(t, "b", 20, 10, "_ct=1;_c=1;_pt=1;_p=2");
	mk_event(t, "c", 40, 10, "_ct=1;_c=2");
	struct built b = build(t);
	assert_int_equal(joined(&b, "a", 0, "b", 0), 1);
	assert_int_equal(joined(&b, "b", 0, "c", 0), 1);
	assert_int_equal(joined(&b, "a", 0, "c", 0), 0);
	assert_int_equal(b.e.role[mk_find(t, "b", 0)], TF_EDGE_PRODUCER | TF_EDGE_CONSUMER);
	release(&b);
}

static void an_event_without_ids_is_neither(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "p", 0, 10, "_pt=1;_p=1");
	mk_event(t, "plain", 20, 10, "step_num=1");
	struct built b = build(t);
	uint32_t plain = (uint32_t)mk_find(t, "plain", 0);
	assert_int_equal(tf_edges_find(&b.e, true, plain), b.e.producer_count);
	assert_int_equal(tf_edges_find(&b.e, false, plain), b.e.consumer_count);
	release(&b);
}

static void a_crowd_needs_both_sides(void **state)
{
	(void)state;
	static const struct {
		uint32_t producers, consumers;
		bool crowd;
	} cases[] = {{64, 64, true}, {63, 64, false}, {64, 63, false}, {1, 100000, false}, {100000, 1, false}, {1000, 1000, true}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_bucket b = {.producer_count = cases[i].producers, .consumer_count = cases[i].consumers};
		assert_int_equal(tf_bucket_is_crowd(&b), cases[i].crowd);
	}
}

static void of_repeated_launches_the_last_counts(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "launch", 0, 10, "correlation_id=7");
	mk_event(t, "launch", 20, 10, "correlation_id=7");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "kernel", 50, 10, "correlation_id=7");
	struct built b = build(t);
	assert_int_equal(joined(&b, "launch", 0, "kernel", 0), 0);
	assert_int_equal(joined(&b, "launch", 1, "kernel", 0), 1);
	release(&b);
}

static void a_launch_reaches_every_device_event_of_its_id(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "cudaGraphLaunch", 0, 10, "correlation_id=7");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	for (int i = 0; i < 3; i++)
		mk_event(t, "kernel", 50 + 20 * i, 10, i == 2 ? "correlation_id=8" : "correlation_id=7");
	struct built b = build(t);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(joined(&b, "cudaGraphLaunch", 0, "kernel", i), i < 2);
	release(&b);
}

static void launches_are_found_where_the_device_comes_first(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:GPU:1", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "kernel", 50, 10, "correlation_id=7");
	mk_event(t, "kernel", 70, 10, "correlation_id=7;device_id=1");
	mk_event(t, "kernel", 90, 10, "correlation_id=8");
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "launch", 0, 10, "correlation_id=7;device_id=1");
	mk_event(t, "launch", 20, 10, "correlation_id=8"); /* does not say where */
	struct built b = build(t);
	assert_int_equal(joined(&b, "launch", 0, "kernel", 0), 1);
	assert_int_equal(joined(&b, "launch", 0, "kernel", 1), 1);
	assert_int_equal(joined(&b, "launch", 1, "kernel", 2), 1);
	for (size_t i = 1; i < b.e.producer_count; i++)
		assert_true(b.e.producers[i - 1].event <= b.e.producers[i].event);
	release(&b);
}

/* Hosts are joined before devices: what consumes on both is out of order until it is sorted. */
static void members_are_found_whatever_the_order_of_planes(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	for (int i = 0; i < 5; i++)
		mk_event(t, "kernel", 50 + 20 * i, 10, "correlation_id=7;_pt=3;_p=3");
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "launch", 0, 10, "correlation_id=7");
	for (int i = 0; i < 5; i++)
		mk_event(t, "done", 200 + 20 * i, 10, "_ct=3;_c=3");
	struct built b = build(t);
	for (size_t i = 0; i < 5; i++) {
		size_t kernel = mk_find(t, "kernel", i), done = mk_find(t, "done", i);
		assert_int_equal(joined(&b, "launch", 0, "kernel", i), 1);
		for (size_t k = 0; k < 5; k++)
			assert_int_equal(joined(&b, "kernel", i, "done", k), 1);
		assert_int_equal(b.e.consumers[tf_edges_find(&b.e, false, (uint32_t)kernel)].event, kernel);
		assert_int_equal(b.e.consumers[tf_edges_find(&b.e, false, (uint32_t)done)].event, done);
	}
	release(&b);
}

static void derived_lines_and_other_planes_join_nothing(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "launch", 0, 10, "correlation_id=7");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "real", 50, 10, "correlation_id=7");
	mk_line(t, 2, "TensorFlow Ops", 0);
	mk_event(t, "annotation", 50, 10, "correlation_id=7");
	mk_plane(t, "Task Environment", "");
	mk_line(t, 1, "x", 0);
	mk_event(t, "elsewhere", 50, 10, "correlation_id=7");
	struct built b = build(t);
	assert_int_equal(joined(&b, "launch", 0, "real", 0), 1);
	assert_int_equal(joined(&b, "launch", 0, "annotation", 0), 0);
	assert_int_equal(joined(&b, "launch", 0, "elsewhere", 0), 0);
	release(&b);
}

static void absurd_events_join_nothing(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "launch", 0, 10, "correlation_id=7");
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, "good", 50, 10, "correlation_id=7");
	mk_event(t, "bad", 60, -1, "correlation_id=7");
	struct built b = build(t);
	assert_int_equal(joined(&b, "launch", 0, "good", 0), 1);
	assert_int_equal(joined(&b, "launch", 0, "bad", 0), 0);
	release(&b);
}

static void an_executor_runs_the_get_next_of_its_iteration(void **state)
{
	(void)state;
	static const char *const names[] = {"IteratorGetNextOp::DoCompute", "IteratorGetNextAsOptionalOp::DoCompute"};
	for (size_t i = 0; i < 2; i++) {
		struct tf_trace *t = host("");
		mk_event(t, "ExecutorState::Process", 0, 10, "id=1;iter_num=2");
		mk_line(t, 2, "other", 0);
		mk_event(t, names[i], 20, 10, "id=1;iter_num=2");
		mk_event(t, names[i], 40, 10, "id=1;iter_num=3");
		mk_event(t, names[i], 60, 10, "id=2;iter_num=1");
		struct built b = build(t);
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(joined(&b, "ExecutorState::Process", 0, names[i], k), k == 0);
		release(&b);
	}
}

static void a_request_joins_its_queue(void **state)
{
	(void)state;
	static const char *const requests[] = {"RunProgramRequest", "HostCallbackRequest", "TransferH2DRequest", "TransferD2HRequest",
					       "OnDeviceSendRequest", "OnDeviceRecvRequestMulti", "CustomWait", "PjrtAsyncWait"};
	for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
		struct tf_trace *t = host("");
		mk_event(t, "EnqueueRequestLocked", 0, 10, "queue_addr=1;request_id=2");
		mk_event(t, requests[i], 20, 10, "queue_addr=1;request_id=2");
		mk_event(t, requests[i], 40, 10, "queue_addr=2;request_id=1");
		mk_event(t, requests[i], 60, 10, "request_id=2");
		struct built b = build(t);
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(joined(&b, "EnqueueRequestLocked", 0, requests[i], k), k == 0);
		release(&b);
	}
}

static void a_program_completes_where_it_was_queued(void **state)
{
	(void)state;
	static const struct {
		const char *stats;
		int joined;
	} cases[] = {
		{"run_id=5;queue_id=1;device_ordinal=0;core_type=2", 1},
		{"run_id=134217733;queue_id=1;device_ordinal=0;core_type=2", 1}, /* 2^27 more: the same low bits */
		{"run_id=6;queue_id=1;device_ordinal=0;core_type=2", 0},
		{"run_id=5;queue_id=2;device_ordinal=0;core_type=2", 0},
		{"run_id=5;queue_id=1;device_ordinal=1;core_type=2", 0},
		{"run_id=5;queue_id=1;device_ordinal=0;core_type=1", 0},
		{"run_id=5;queue_id=1;core_type=2", 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = host("");
		mk_event(t, "DoEnqueueProgram", 0, 10, "run_id=5;queue_id=1;device_ordinal=0;core_type=2");
		mk_event(t, "CompleteCallbacks", 20, 10, cases[i].stats);
		struct built b = build(t);
		assert_int_equal(joined(&b, "DoEnqueueProgram", 0, "CompleteCallbacks", 0), cases[i].joined);
		release(&b);
	}
}

/* One id in two roles: a context, a launch, an executor and a queue of the same numbers. */
static void joins_of_different_kinds_do_not_mix(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "p", 0, 10, "_pt=1;_p=1");
	mk_event(t, "launch", 20, 10, "correlation_id=1;device_id=1");
	mk_event(t, "EnqueueRequestLocked", 40, 10, "queue_addr=1;request_id=1");
	mk_event(t, "IteratorGetNextOp::DoCompute", 60, 10, "id=1;iter_num=1");
	mk_event(t, "c", 80, 10, "_ct=1;_c=1");
	struct built b = build(t);
	assert_int_equal(joined(&b, "p", 0, "c", 0), 1);
	assert_int_equal(joined(&b, "launch", 0, "c", 0), 0);
	assert_int_equal(joined(&b, "EnqueueRequestLocked", 0, "c", 0), 0);
	assert_int_equal(joined(&b, "p", 0, "IteratorGetNextOp::DoCompute", 0), 0);
	release(&b);
}

static void one_process_needs_no_process_id(void **state)
{
	(void)state;
	struct tf_trace *t = host("process_id=10");
	mk_event(t, "p", 0, 10, "_pt=1;_p=1");
	mk_plane(t, "/host:python-tracer", "");
	mk_line(t, 1, "x", 0);
	mk_event(t, "c", 20, 10, "_ct=1;_c=1");
	struct built b = build(t);
	assert_int_equal(joined(&b, "p", 0, "c", 0), 1);
	release(&b);
}

static void stages_with_a_producer_are_fed(void **state)
{
	(void)state;
	struct tf_trace *t = host("");
	mk_event(t, "p", 0, 10, "_pt=1;_p=1");
	mk_event(t, "stage", 20, 10, "_ct=1;_c=1;_ipl_stage_name=map");
	mk_event(t, "stage", 40, 10, "_ct=1;_c=9;_ipl_stage_name=map"); /* nobody produces 9 */
	mk_event(t, "c", 60, 10, "_ct=1;_c=1");
	struct built b = build(t);
	assert_int_equal(b.d.fed_stages.count, 1);
	assert_non_null(tf_map_find(&b.d.fed_stages, mk_find(t, "stage", 0)));
	release(&b);
}

static void an_empty_trace_has_no_edges(void **state)
{
	(void)state;
	struct built b = build(mk_trace());
	assert_int_equal(b.e.producer_count, 0);
	assert_int_equal(b.e.consumer_count, 0);
	release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_stand_in_order),
		cmocka_unit_test(a_context_joins_type_and_id),
		cmocka_unit_test(type_and_id_may_not_be_exchanged),
		cmocka_unit_test(all_producers_of_a_context_lead_to_all_its_consumers),
		cmocka_unit_test(an_event_may_be_both),
		cmocka_unit_test(an_event_without_ids_is_neither),
		cmocka_unit_test(a_crowd_needs_both_sides),
		cmocka_unit_test(of_repeated_launches_the_last_counts),
		cmocka_unit_test(a_launch_reaches_every_device_event_of_its_id),
		cmocka_unit_test(launches_are_found_where_the_device_comes_first),
		cmocka_unit_test(members_are_found_whatever_the_order_of_planes),
		cmocka_unit_test(derived_lines_and_other_planes_join_nothing),
		cmocka_unit_test(absurd_events_join_nothing),
		cmocka_unit_test(an_executor_runs_the_get_next_of_its_iteration),
		cmocka_unit_test(a_request_joins_its_queue),
		cmocka_unit_test(a_program_completes_where_it_was_queued),
		cmocka_unit_test(joins_of_different_kinds_do_not_mix),
		cmocka_unit_test(one_process_needs_no_process_id),
		cmocka_unit_test(stages_with_a_producer_are_fed),
		cmocka_unit_test(an_empty_trace_has_no_edges),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
