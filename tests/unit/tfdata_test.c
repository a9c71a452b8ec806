/* tf.data pipelines (METRICS.md §5; cases C69 and C70). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

static struct tf_trace *host(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "consumer", 0);
	return t;
}

static const struct tf_stage *stage(const struct mk_analysis *a, const char *long_name)
{
	for (size_t i = 0; i < a->host.input.stage_count; i++)
		if (strcmp(a->host.input.stages[i].long_name, long_name) == 0)
			return &a->host.input.stages[i];
	fail_msg("no stage '%s'", long_name);
	return NULL;
}

static struct mk_analysis *c69(void)
{
	struct tf_trace *t = host();

	mk_event(t, "Iterator::Prefetch", 0, 100 * US, "id=123");
	mk_event(t, "PrefetchConsume", 80 * US, 20 * US, "element_id=100");
	mk_event(t, "Iterator::Prefetch", 200 * US, 20 * US, "id=123");
	mk_event(t, "PrefetchConsume", 210 * US, 10 * US, "element_id=200");
	mk_line(t, 2, "producer", 0);
	mk_event(t, "PrefetchProduce", 0, 80 * US, "element_id=100");
	mk_event(t, "Iterator::Prefetch::Range", 0, 80 * US, "id=456;parent_id=123");
	mk_event(t, "PrefetchProduce", 100 * US, 80 * US, "element_id=200");
	mk_event(t, "Iterator::Prefetch::Range", 100 * US, 80 * US, "id=456;parent_id=123");
	return mk_analyze(t, NULL);
}

static void c69_stages_of_a_pipeline(void **state)
{
	(void)state;
	struct mk_analysis *a = c69();
	assert_int_equal(a->host.input.stage_count, 2);
	const struct tf_stage *prefetch = stage(a, "Iterator::Prefetch");
	assert_string_equal(prefetch->pipeline, "Host:0");
	assert_string_equal(prefetch->name, "Prefetch");
	assert_null(prefetch->parent);
	assert_int_equal(prefetch->calls, 2);
	assert_int_equal(prefetch->total_ps, 120 * US); /* 60 on average */
	assert_int_equal(prefetch->max_ps, 100 * US);
	assert_int_equal(prefetch->slow_calls, 1);
	const struct tf_stage *range = stage(a, "Iterator::Prefetch::Range");
	assert_string_equal(range->pipeline, "Host:0");
	assert_string_equal(range->name, "Range");
	assert_string_equal(range->parent, "Iterator::Prefetch");
	assert_int_equal(range->calls, 2);
	mk_analysis_free(a);
}

static void c69_waiting_for_a_producer_is_no_time_of_its_own(void **state)
{
	(void)state;
	struct mk_analysis *a = c69();
	/* The first call: 100 less 80 of the producer. The second: 20, its element was long there. */
	assert_int_equal(stage(a, "Iterator::Prefetch")->self_ps, (20 + 20) * US);
	assert_int_equal(stage(a, "Iterator::Prefetch::Range")->self_ps, (80 + 80) * US);
	mk_analysis_free(a);
}

static void c69_the_bottleneck_holds_the_slowest_call_up(void **state)
{
	(void)state;
	struct mk_analysis *a = c69();
	assert_true(stage(a, "Iterator::Prefetch::Range")->bottleneck); /* 80 of its own, Prefetch 20 */
	assert_false(stage(a, "Iterator::Prefetch")->bottleneck);
	assert_true(stage(a, "Iterator::Prefetch")->on_critical_path);
	assert_true(stage(a, "Iterator::Prefetch::Range")->on_critical_path);
	mk_analysis_free(a);
}

static void a_producer_that_was_ready_is_not_on_the_critical_path(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "Iterator::Prefetch", 200 * US, 20 * US, "id=123");
	mk_event(t, "PrefetchConsume", 210 * US, 10 * US, "element_id=200");
	mk_line(t, 2, "producer", 0);
	mk_event(t, "PrefetchProduce", 100 * US, 80 * US, "element_id=200");
	mk_event(t, "Iterator::Prefetch::Range", 100 * US, 80 * US, "id=456;parent_id=123");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(stage(a, "Iterator::Prefetch")->bottleneck);
	assert_false(stage(a, "Iterator::Prefetch::Range")->on_critical_path);
	mk_analysis_free(a);
}

static void c70_a_device_pipeline_has_no_bottleneck(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "Iterator::Prefetch", 0, 30 * US, "id=123");
	mk_event(t, "Iterator::Prefetch", 100 * US, 100 * US, "id=123");
	mk_event(t, "PrefetchConsume", 180 * US, 20 * US, "element_id=100");
	mk_line(t, 2, "producer", 0);
	mk_event(t, "PrefetchProduce", 100 * US, 80 * US, "element_id=100");
	mk_event(t, "Iterator::Prefetch::Generator", 100 * US, 80 * US, "id=456;parent_id=123");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_stage *prefetch = stage(a, "Iterator::Prefetch");
	assert_string_equal(prefetch->pipeline, "Device:0");
	assert_int_equal(prefetch->total_ps, 130 * US); /* 65 on average */
	assert_int_equal(prefetch->max_ps, 100 * US);
	assert_int_equal(prefetch->slow_calls, 1);
	for (size_t i = 0; i < a->host.input.stage_count; i++)
		assert_false(a->host.input.stages[i].bottleneck);
	mk_analysis_free(a);
}

static void stages_nest_on_one_thread(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "Iterator::Batch", 0, 100 * US, "id=1");
	mk_event(t, "Iterator::Batch::Map", 10 * US, 30 * US, "id=2;parent_id=1");
	mk_event(t, "read:ReadFile", 15 * US, 20 * US, "");
	mk_event(t, "Iterator::Batch::Map::Range", 16 * US, 5 * US, "id=3;parent_id=2");
	mk_event(t, "Iterator::Batch::Map", 50 * US, 30 * US, "id=2;parent_id=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(stage(a, "Iterator::Batch")->self_ps, 40 * US);	 /* 100 - 2 x 30 */
	assert_int_equal(stage(a, "Iterator::Batch::Map")->self_ps, 55 * US);	 /* 2 x 30 - 5 */
	assert_int_equal(stage(a, "Iterator::Batch::Map::Range")->self_ps, 5 * US);
	assert_true(stage(a, "Iterator::Batch::Map")->bottleneck);
	mk_analysis_free(a);
}

static void fifty_microseconds_are_not_slow_yet(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "Iterator::Batch", 0, 50 * US, "id=1");
	mk_event(t, "Iterator::Batch", 100 * US, 50 * US + 1, "id=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(stage(a, "Iterator::Batch")->slow_calls, 1);
	mk_analysis_free(a);
}

static void pipelines_are_told_apart_by_their_roots(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "Iterator::Batch", 0, 50 * US, "id=1");
	mk_event(t, "Iterator::Batch", 100 * US, 60 * US, "id=2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.input.stage_count, 2);
	assert_string_equal(a->host.input.stages[0].pipeline, "Host:0");
	assert_string_equal(a->host.input.stages[1].pipeline, "Host:1");
	assert_true(a->host.input.stages[0].bottleneck);
	assert_true(a->host.input.stages[1].bottleneck);
	mk_analysis_free(a);
}

static void stages_without_a_root_are_listed_too(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "Iterator::Root::Prefetch::Map", 0, 50 * US, "id=7;parent_id=6");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.input.stage_count, 1);
	assert_int_equal(stage(a, "Iterator::Root::Prefetch::Map")->total_ps, 50 * US);
	mk_analysis_free(a);
}

static void iterators_that_are_their_own_ancestors_come_to_an_end(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "Iterator::A", 0, 50 * US, "id=1;parent_id=2");
	mk_event(t, "PrefetchConsume", 10 * US, 10 * US, "element_id=5");
	mk_event(t, "Iterator::A::B", 100 * US, 50 * US, "id=2;parent_id=1");
	mk_event(t, "PrefetchConsume", 110 * US, 10 * US, "element_id=5");
	mk_line(t, 2, "producer", 0);
	mk_event(t, "PrefetchProduce", 0, 200 * US, "element_id=5");
	mk_event(t, "Iterator::A::B", 10 * US, 20 * US, "id=2;parent_id=1");
	mk_event(t, "PrefetchProduce", 300 * US, 200 * US, "element_id=5");
	mk_event(t, "Iterator::A", 310 * US, 20 * US, "id=1;parent_id=2");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(stage(a, "Iterator::A")->calls, 2);
	assert_int_equal(stage(a, "Iterator::A::B")->calls, 2);
	mk_analysis_free(a);
}

/* Four calls of a prefetch: what was in its buffer, what it may hold. */
static struct mk_analysis *buffered(void)
{
	struct tf_trace *t = host();

	mk_event(t, "Iterator::Prefetch", 0, US, "id=1;buffered_elements=0;buffer_limit=2");
	mk_event(t, "Iterator::Prefetch", 10 * US, US, "id=1;buffered_elements=0;buffer_limit=4");
	mk_event(t, "Iterator::Prefetch", 20 * US, US, "id=1;buffered_elements=3;buffer_limit=4");
	mk_event(t, "Iterator::Prefetch", 30 * US, US, "id=1;buffer_limit=-1");
	mk_event(t, "Iterator::Prefetch::ParallelMapV2", 40 * US, US, "id=2;parent_id=1;parallelism=-1");
	mk_event(t, "Iterator::Prefetch::ParallelMapV2", 50 * US, US, "id=2;parent_id=1;parallelism=4");
	mk_event(t, "Iterator::Prefetch::ParallelMapV2", 60 * US, US, "id=2;parent_id=1;parallelism=8");
	mk_event(t, "Iterator::Prefetch::ParallelMapV2::Shuffle", 70 * US, US, "id=3;parent_id=2;buffer_size=1024");
	return mk_analyze(t, NULL);
}

static void a_buffer_is_told_on_average_by_the_calls_that_tell(void **state)
{
	(void)state;
	struct mk_analysis *a = buffered();
	const struct tf_stage *prefetch = stage(a, "Iterator::Prefetch");
	assert_true(prefetch->buffered_elements == 1.0);	 /* (0 + 0 + 3) / 3 */
	assert_true(prefetch->buffer_limit == (2.0 + 4 + 4) / 3); /* -1 is still to be chosen */
	assert_int_equal(prefetch->empty_calls, 2);
	assert_true(isnan(prefetch->parallelism));
	mk_analysis_free(a);
}

static void parallelism_is_told_once_it_is_chosen(void **state)
{
	(void)state;
	struct mk_analysis *a = buffered();
	const struct tf_stage *map = stage(a, "Iterator::Prefetch::ParallelMapV2");
	assert_true(map->parallelism == 6.0);
	assert_true(isnan(map->buffer_limit) && isnan(map->buffered_elements));
	assert_int_equal(map->empty_calls, TF_NONE);
	mk_analysis_free(a);
}

static void a_shuffle_tells_its_size(void **state)
{
	(void)state;
	struct mk_analysis *a = buffered();
	assert_true(stage(a, "Iterator::Prefetch::ParallelMapV2::Shuffle")->buffer_limit == 1024.0);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c69_stages_of_a_pipeline),
		cmocka_unit_test(c69_waiting_for_a_producer_is_no_time_of_its_own),
		cmocka_unit_test(c69_the_bottleneck_holds_the_slowest_call_up),
		cmocka_unit_test(a_producer_that_was_ready_is_not_on_the_critical_path),
		cmocka_unit_test(c70_a_device_pipeline_has_no_bottleneck),
		cmocka_unit_test(stages_nest_on_one_thread),
		cmocka_unit_test(fifty_microseconds_are_not_slow_yet),
		cmocka_unit_test(pipelines_are_told_apart_by_their_roots),
		cmocka_unit_test(stages_without_a_root_are_listed_too),
		cmocka_unit_test(iterators_that_are_their_own_ancestors_come_to_an_end),
		cmocka_unit_test(a_buffer_is_told_on_average_by_the_calls_that_tell),
		cmocka_unit_test(parallelism_is_told_once_it_is_chosen),
		cmocka_unit_test(a_shuffle_tells_its_size),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
