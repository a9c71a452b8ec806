/* The peak of an XLA program by its compiler's plan (METRICS.md §6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/analyze/xla_memory.h"
#include "lib/trace/trace.h"

static struct tf_hlo hlo;
static struct tf_session session;
static struct tf_error err;

static int reset(void **state)
{
	(void)state;
	tf_arena_release(&hlo.arena);
	hlo = (struct tf_hlo){.name = tf_bytes_of("jit_f"), .has_buffers = true};
	tf_session_release(&session);
	return 0;
}

#define PUSH(list, n, max) tf_arena_push(&hlo.arena, (void **)&hlo.list, &hlo.n, &hlo.max, sizeof *hlo.list)

static void buffer(int64_t id, int64_t bytes, const char *name)
{
	struct tf_hlo_buffer *b = PUSH(buffers, buffer_count, buffer_cap);
	*b = (struct tf_hlo_buffer){.id = id, .bytes = bytes, .instruction = tf_bytes_of(name)};
}

/* An allocation with these buffers (a list ended by -1), one behind the other. */
static struct tf_hlo_allocation *allocation(int64_t bytes, const int64_t *ids)
{
	struct tf_hlo_allocation *a = PUSH(allocations, allocation_count, allocation_cap);
	*a = (struct tf_hlo_allocation){.bytes = bytes, .assigned_first = hlo.assigned_count};
	for (; *ids >= 0; ids++, a->assigned_count++) {
		struct tf_hlo_assigned *at = PUSH(assigned, assigned_count, assigned_cap);
		*at = (struct tf_hlo_assigned){.buffer_id = *ids, .offset = 64 * (int64_t)a->assigned_count};
	}
	return a;
}

static void trace(void)
{
	struct tf_hlo_trace *t = PUSH(traces, trace_count, trace_cap);
	*t = (struct tf_hlo_trace){.event_first = hlo.event_count};
}

static void event(int64_t kind, int64_t buffer_id, int64_t shared_id)
{
	struct tf_hlo_event *e = PUSH(events, event_count, event_cap);
	*e = (struct tf_hlo_event){kind, buffer_id, shared_id};
	hlo.traces[hlo.trace_count - 1].event_count++;
}

static const struct tf_xla_module *measure(void)
{
	assert_int_equal(tf_measure_xla(&hlo, tf_bytes_of(""), &session, &err), 0);
	return &session.xla[session.xla_count - 1];
}

static int64_t live_bytes(const struct tf_xla_module *m)
{
	int64_t sum = 0;
	for (size_t i = 0; i < m->buffer_count; i++)
		sum += m->buffers[i].live_at_peak ? m->buffers[i].bytes : 0;
	return sum;
}

/* Three temporaries of 100, 200 and 300 bytes in an allocation of 600. */
static void temporaries(void)
{
	buffer(1, 100, "a");
	buffer(2, 200, "b");
	buffer(3, 300, "c");
	allocation(600, (int64_t[]){1, 2, 3, -1});
	trace();
}

static void the_peak_is_the_most_that_lives_at_one_time(void **state)
{
	(void)state;
	temporaries();
	event(TF_HLO_ALLOC, 1, 0); /* 100 */
	event(TF_HLO_ALLOC, 2, 0); /* 300 */
	event(TF_HLO_FREE, 1, 0);  /* 200 */
	event(TF_HLO_ALLOC, 3, 0); /* 500 */
	event(TF_HLO_FREE, 2, 0);
	event(TF_HLO_FREE, 3, 0);
	const struct tf_xla_module *m = measure();
	assert_int_equal(m->peak_bytes, 500);
	assert_int_equal(m->heap_bytes, 500);
	assert_int_equal(m->always_bytes, 0);
	assert_int_equal(m->allocated_bytes, 600);
	assert_int_equal(live_bytes(m), 500);
	assert_int_equal(m->buffer_count, 3);
	assert_string_equal(m->buffers[0].instruction, "c");
	assert_string_equal(m->buffers[1].instruction, "b");
	assert_false(m->buffers[2].live_at_peak);
	assert_string_equal(m->buffers[2].instruction, "a");
}

static void the_first_of_equal_peaks_counts(void **state)
{
	(void)state;
	buffer(1, 100, "a");
	buffer(2, 100, "b");
	allocation(200, (int64_t[]){1, 2, -1});
	trace();
	event(TF_HLO_ALLOC, 1, 0);
	event(TF_HLO_FREE, 1, 0);
	event(TF_HLO_ALLOC, 2, 0);
	const struct tf_xla_module *m = measure();
	assert_int_equal(m->peak_bytes, 100);
	assert_string_equal(m->buffers[0].instruction, "a");
	assert_true(m->buffers[0].live_at_peak);
	assert_false(m->buffers[1].live_at_peak);
}

static void who_shares_takes_no_more(void **state)
{
	(void)state;
	temporaries();
	event(TF_HLO_ALLOC, 3, 0);
	event(TF_HLO_SHARE, 1, 3);
	event(TF_HLO_FREE, 3, 0); /* still held by 1 */
	event(TF_HLO_ALLOC, 2, 0);
	event(TF_HLO_FREE, 1, 0);
	event(TF_HLO_FREE, 2, 0);
	const struct tf_xla_module *m = measure();
	assert_int_equal(m->peak_bytes, 500);
	assert_int_equal(live_bytes(m), 500);
}

static void memory_that_was_free_goes_by_the_name_of_who_shares_it(void **state)
{
	(void)state;
	temporaries();
	event(TF_HLO_ALLOC, 3, 0);
	event(TF_HLO_FREE, 3, 0);
	event(TF_HLO_SHARE, 1, 3); /* 300 bytes again, as "a" */
	event(TF_HLO_ALLOC, 2, 0);
	const struct tf_xla_module *m = measure();
	assert_int_equal(m->peak_bytes, 500);
	assert_string_equal(m->buffers[0].instruction, "a");
	assert_int_equal(m->buffers[0].bytes, 300);
}

static void what_lives_always_is_added(void **state)
{
	(void)state;
	temporaries();
	event(TF_HLO_ALLOC, 1, 0);
	buffer(10, 40, "x");
	buffer(11, 50, "y");
	allocation(50, (int64_t[]){10, 11, -1})->parameter = true;
	allocation(7, (int64_t[]){-1})->constant = true;
	allocation(9, (int64_t[]){-1})->live_out = true;
	allocation(11, (int64_t[]){-1})->thread_local = true;
	const struct tf_xla_module *m = measure();
	assert_int_equal(m->always_bytes, 50 + 7 + 9 + 11);
	assert_int_equal(m->peak_bytes, 100 + 77);
	assert_int_equal(m->allocated_bytes, 600 + 77);
	assert_int_equal(live_bytes(m), m->peak_bytes);
	assert_string_equal(m->buffers[1].instruction, "y"); /* the largest names its allocation */
	assert_int_equal(m->buffers[1].category, TF_XLA_PARAMETER);
	assert_int_equal(m->buffers[1].offset, TF_NONE);
	assert_int_equal(m->buffers[2].category, TF_XLA_THREAD_LOCAL);
	assert_int_equal(m->buffers[3].category, TF_XLA_OUTPUT);
	assert_int_equal(m->buffers[4].category, TF_XLA_CONSTANT);
	assert_null(m->buffers[4].instruction);
}

static void another_memory_space_is_not_the_main_one(void **state)
{
	(void)state;
	temporaries();
	event(TF_HLO_ALLOC, 1, 0);
	struct tf_hlo_allocation *a = allocation(1000, (int64_t[]){-1});
	a->parameter = true;
	a->color = 1;
	const struct tf_xla_module *m = measure();
	assert_int_equal(m->peak_bytes, 100);
	assert_int_equal(m->allocated_bytes, 600);
	assert_int_equal(live_bytes(m), 100);
}

static void without_a_trace_only_what_lives_always_is_known(void **state)
{
	(void)state;
	allocation(64, (int64_t[]){-1})->parameter = true;
	const struct tf_xla_module *m = measure();
	assert_int_equal(m->peak_bytes, 64);
	assert_int_equal(m->heap_bytes, 0);
}

static void the_trace_is_the_one_of_the_main_memory(void **state)
{
	(void)state;
	buffer(7, 5000, "elsewhere");
	hlo.buffers[0].color = 1;
	allocation(5000, (int64_t[]){7, -1})->color = 1;
	trace();
	event(TF_HLO_ALLOC, 7, 0);
	temporaries();
	event(TF_HLO_ALLOC, 2, 0);
	assert_int_equal(measure()->peak_bytes, 200);
}

static void without_a_plan_the_peak_is_unknown(void **state)
{
	(void)state;
	hlo.has_buffers = false;
	hlo.instruction_count = 5;
	const struct tf_xla_module *m = measure();
	assert_int_equal(m->peak_bytes, TF_NONE);
	assert_string_equal(m->reason, "not_recorded");
	assert_int_equal(m->instruction_count, 5);
}

static void assert_inconsistent(void)
{
	const struct tf_xla_module *m = measure();
	assert_int_equal(m->peak_bytes, TF_NONE);
	assert_string_equal(m->reason, "inconsistent");
	assert_int_equal(m->buffer_count, 0);
}

static void a_free_of_what_is_free_makes_no_figure(void **state)
{
	(void)state;
	temporaries();
	event(TF_HLO_ALLOC, 1, 0);
	event(TF_HLO_FREE, 1, 0);
	event(TF_HLO_FREE, 1, 0);
	assert_inconsistent();
}

static void nor_does_an_unknown_buffer(void **state)
{
	(void)state;
	temporaries();
	event(TF_HLO_ALLOC, 1, 0);
	event(TF_HLO_ALLOC, 99, 0);
	assert_inconsistent();
}

static void nor_a_share_of_an_unknown_one(void **state)
{
	(void)state;
	temporaries();
	event(TF_HLO_ALLOC, 1, 0);
	event(TF_HLO_SHARE, 2, 99);
	assert_inconsistent();
}

static void nor_an_event_of_no_kind(void **state)
{
	(void)state;
	temporaries();
	event(7, 1, 0);
	assert_inconsistent();
}

static void nor_a_negative_size(void **state)
{
	(void)state;
	temporaries();
	allocation(-5, (int64_t[]){-1})->parameter = true;
	assert_inconsistent();
}

static void nor_a_sum_beyond_all_bounds(void **state)
{
	(void)state;
	allocation(INT64_MAX, (int64_t[]){-1})->parameter = true;
	allocation(INT64_MAX, (int64_t[]){-1})->parameter = true;
	assert_inconsistent();
}

static void nor_a_buffer_that_lies_nowhere(void **state)
{
	(void)state;
	temporaries();
	buffer(20, 1000, "nowhere");
	event(TF_HLO_ALLOC, 1, 0);
	event(TF_HLO_ALLOC, 20, 0);
	assert_inconsistent();
}

static void a_label_that_begins_like_the_module_is_its_name(void **state)
{
	(void)state;
	assert_int_equal(tf_measure_xla(&hlo, tf_bytes_of("jit_f(12)"), &session, &err), 0);
	assert_string_equal(session.xla[0].name, "jit_f(12)");
	assert_int_equal(tf_measure_xla(&hlo, tf_bytes_of("something"), &session, &err), 0);
	assert_string_equal(session.xla[1].name, "jit_f");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_peak_is_the_most_that_lives_at_one_time, reset),
		cmocka_unit_test_setup(the_first_of_equal_peaks_counts, reset),
		cmocka_unit_test_setup(who_shares_takes_no_more, reset),
		cmocka_unit_test_setup(memory_that_was_free_goes_by_the_name_of_who_shares_it, reset),
		cmocka_unit_test_setup(what_lives_always_is_added, reset),
		cmocka_unit_test_setup(another_memory_space_is_not_the_main_one, reset),
		cmocka_unit_test_setup(without_a_trace_only_what_lives_always_is_known, reset),
		cmocka_unit_test_setup(the_trace_is_the_one_of_the_main_memory, reset),
		cmocka_unit_test_setup(without_a_plan_the_peak_is_unknown, reset),
		cmocka_unit_test_setup(a_free_of_what_is_free_makes_no_figure, reset),
		cmocka_unit_test_setup(nor_does_an_unknown_buffer, reset),
		cmocka_unit_test_setup(nor_a_share_of_an_unknown_one, reset),
		cmocka_unit_test_setup(nor_an_event_of_no_kind, reset),
		cmocka_unit_test_setup(nor_a_negative_size, reset),
		cmocka_unit_test_setup(nor_a_sum_beyond_all_bounds, reset),
		cmocka_unit_test_setup(nor_a_buffer_that_lies_nowhere, reset),
		cmocka_unit_test_setup(a_label_that_begins_like_the_module_is_its_name, reset),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	reset(NULL);
	return failed;
}
