/* Worked cases of the memory that an XLA program needs (METRICS.md §6; C66, C67). Sizes that XProf calls unpadded are not kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/analyze/xla_memory.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

static struct tf_hlo hlo;
static struct tf_hlo_buffer buffers[4];
static struct tf_hlo_assigned assigned[4];
static struct tf_hlo_allocation allocations[2];
static struct tf_session session;

static int reset(void **state)
{
	(void)state;
	tf_session_release(&session);
	memset(buffers, 0, sizeof buffers);
	memset(assigned, 0, sizeof assigned);
	memset(allocations, 0, sizeof allocations);
	hlo = (struct tf_hlo){.name = tf_bytes_of("m"), .has_buffers = true, .buffers = buffers, .assigned = assigned,
			      .allocations = allocations};
	return 0;
}

/* A buffer in the last allocation; its id counts from 1. */
static void buffer(const char *instruction, int64_t offset, int64_t bytes)
{
	size_t n = hlo.buffer_count++;

	buffers[n] = (struct tf_hlo_buffer){.id = (int64_t)n + 1, .bytes = bytes, .instruction = tf_bytes_of(instruction)};
	assigned[n] = (struct tf_hlo_assigned){.buffer_id = (int64_t)n + 1, .offset = offset, .bytes = bytes};
	hlo.assigned_count++;
	allocations[hlo.allocation_count - 1].assigned_count++;
}

static void allocation(int64_t bytes)
{
	allocations[hlo.allocation_count] = (struct tf_hlo_allocation){
		.index = (int64_t)hlo.allocation_count, .bytes = bytes, .assigned_first = hlo.assigned_count};
	hlo.allocation_count++;
}

static const struct tf_xla_module *measure(struct tf_hlo_event *events, size_t count)
{
	struct tf_hlo_trace trace = {0, count};
	struct tf_error err = {0};

	hlo.traces = &trace;
	hlo.trace_count = 1;
	hlo.events = events;
	hlo.event_count = count;
	assert_int_equal(tf_measure_xla(&hlo, tf_bytes_of(""), &session, &err), 0);
	hlo.traces = NULL;
	return &session.xla[0];
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Two temporaries in one allocation of 1 MiB, and a constant of 1 MiB. */
static void c66(void)
{
	allocation(MIB);
	buffer("fusion.1", 0, 512 * KIB);
	buffer("fusion.2", 512 * KIB, 512 * KIB);
	allocation(MIB);
	buffer("fusion.3", 0, MIB);
	allocations[1].constant = true;
}

static void is_c66(const struct tf_xla_module *m)
{
	assert_int_equal(m->peak_bytes, MIB + 512 * KIB);
	assert_int_equal(m->always_bytes, MIB);
	assert_int_equal(m->allocated_bytes, 2 * MIB);
	/* The constant, then what lives of the temporaries. */
	assert_int_equal(m->buffers[0].category, TF_XLA_CONSTANT);
	assert_true(m->buffers[1].live_at_peak);
	assert_string_equal(m->buffers[1].instruction, "fusion.1");
	assert_int_equal(m->buffers[1].offset, 0);
	assert_int_equal(m->buffers[1].bytes, 524288);
	assert_int_equal(m->buffers[1].category, TF_XLA_TEMPORARY);
	assert_false(m->buffers[2].live_at_peak);
}

static void c66_a_sharer_takes_no_memory_of_its_own(void **state)
{
	struct tf_hlo_event events[] = {{TF_HLO_ALLOC, 1, 0}, {TF_HLO_SHARE, 2, 1}, {TF_HLO_FREE, 1, 0}, {TF_HLO_FREE, 2, 0}};

	(void)state;
	c66();
	is_c66(measure(events, COUNT(events)));
}

static void c66_nor_one_that_takes_it_when_it_is_free(void **state)
{
	struct tf_hlo_event events[] = {{TF_HLO_ALLOC, 1, 0}, {TF_HLO_FREE, 1, 0}, {TF_HLO_SHARE, 2, 1}, {TF_HLO_FREE, 2, 0}};

	(void)state;
	c66();
	is_c66(measure(events, COUNT(events)));
}

static size_t live_count(const struct tf_xla_module *m)
{
	size_t n = 0;

	while (n < m->buffer_count && m->buffers[n].live_at_peak)
		n++;
	return n;
}

static void c67_a_chain_of_sharers_is_one_buffer(void **state)
{
	struct tf_hlo_event events[] = {{TF_HLO_ALLOC, 1, 0}, {TF_HLO_SHARE, 2, 1}, {TF_HLO_FREE, 1, 0},
					{TF_HLO_FREE, 2, 0},  {TF_HLO_SHARE, 3, 2}, {TF_HLO_FREE, 3, 0}};

	(void)state;
	allocation(MIB + 512 * KIB);
	buffer("fusion.1", 0, 512 * KIB);
	buffer("fusion.2", 0, 512 * KIB);
	buffer("fusion.3", 0, 512 * KIB);
	const struct tf_xla_module *m = measure(events, COUNT(events));
	assert_int_equal(m->peak_bytes, 512 * KIB);
	assert_int_equal(live_count(m), 1);
}

/* XProf's case is of memory space 1; only the main one is measured here, with the same figures. */
static void c67_memory_goes_by_who_holds_it_at_the_peak(void **state)
{
	struct tf_hlo_event events[] = {{TF_HLO_ALLOC, 1, 0}, {TF_HLO_SHARE, 2, 1}, {TF_HLO_FREE, 1, 0}, {TF_HLO_FREE, 2, 0},
					{TF_HLO_ALLOC, 4, 0}, {TF_HLO_SHARE, 3, 2}, {TF_HLO_FREE, 3, 0}, {TF_HLO_FREE, 4, 0}};

	(void)state;
	allocation(MIB + 512 * KIB);
	buffer("fusion.1", 0, 256 * KIB);
	buffer("fusion.2", 0, 256 * KIB);
	buffer("fusion.3", 0, 256 * KIB);
	buffer("fusion.4", 256 * KIB, 512 * KIB);
	const struct tf_xla_module *m = measure(events, COUNT(events));
	assert_int_equal(m->peak_bytes, 768 * KIB);
	assert_int_equal(live_count(m), 2);
	assert_string_equal(m->buffers[0].instruction, "fusion.4");
	assert_string_equal(m->buffers[1].instruction, "fusion.3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(c66_a_sharer_takes_no_memory_of_its_own, reset),
		cmocka_unit_test_setup(c66_nor_one_that_takes_it_when_it_is_free, reset),
		cmocka_unit_test_setup(c67_a_chain_of_sharers_is_one_buffer, reset),
		cmocka_unit_test_setup(c67_memory_goes_by_who_holds_it_at_the_peak, reset),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	reset(NULL);
	return failed;
}
