/* Memory by allocator and tensor (METRICS.md §6). Case numbers are those of the reference's worked cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/limits.h"
#include "tests/unit/support_analyze.h"

#define KIB 1024

/* Stats of a memory event; `more` is appended. */
static void mem(struct tf_trace *t, bool alloc, int64_t ps, int64_t heap, int64_t bytes, int64_t address, const char *more)
{
	char stats[512];
	snprintf(stats, sizeof stats,
		 "allocator_name=GPU_0_bfc;bytes_reserved=0;bytes_allocated=%lld;bytes_available=%lld;requested_bytes=%lld;"
		 "allocation_bytes=%lld;addr=%lld%s%s",
		 (long long)heap, (long long)(10000 - heap), (long long)bytes, (long long)bytes, (long long)address,
		 *more ? ";" : "", more);
	mk_event(t, alloc ? "MemoryAllocation" : "MemoryDeallocation", ps, 0, stats);
}

static struct tf_trace *host(void)
{
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "t1", 0);
	return t;
}

static int64_t row_bytes(const struct tf_allocator *m, const char *op)
{
	for (size_t i = 0; i < m->at_peak_count; i++)
		if (strcmp(m->at_peak[i].op, op) == 0)
			return m->at_peak[i].bytes;
	return -1;
}

static int64_t sum_rows(const struct tf_allocator *m)
{
	int64_t sum = 0;
	for (size_t i = 0; i < m->at_peak_count; i++)
		sum += m->at_peak[i].bytes;
	return sum;
}

/* Case C62: lifetime peak 9500; peak 7000 at 70000; capacity 10000; what was there before is 5000 − 300. */
static void case_c62(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "MemoryAllocation", 40000, 1000,
		 "allocator_name=GPU_0_bfc;bytes_reserved=2000;bytes_allocated=3000;bytes_available=5000;peak_bytes_in_use=8500;"
		 "requested_bytes=200;allocation_bytes=256;addr=222333;data_type=1;tf_op=foo/bar;region_type=output;"
		 "shape=[3, 3, 512, 512]");
	mk_event(t, "MemoryDeallocation", 50000, 0,
		 "allocator_name=GPU_0_bfc;bytes_reserved=2000;bytes_allocated=2744;bytes_available=5256;peak_bytes_in_use=8500;"
		 "requested_bytes=200;allocation_bytes=256;addr=222333;data_type=0");
	mk_event(t, "MemoryAllocation", 70000, 0,
		 "allocator_name=GPU_0_bfc;bytes_reserved=2000;bytes_allocated=5000;bytes_available=3000;peak_bytes_in_use=9500;"
		 "requested_bytes=300;allocation_bytes=300;addr=345678;data_type=9;tf_op=mul_grad/Sum;region_type=temp;shape=[1, 2]");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = &a->host.memory[0];
	assert_int_equal(a->host.memory_count, 1);
	assert_int_equal(m->lifetime_peak_bytes, 9500);
	assert_int_equal(m->peak_bytes, 7000);
	assert_int_equal(m->peak_ps, 70000);
	assert_int_equal(m->capacity_bytes, 10000);
	assert_int_equal(row_bytes(m, "mul_grad/Sum"), 300);
	assert_int_equal(row_bytes(m, "(stack)"), 2000);
	assert_int_equal(row_bytes(m, "(pre_existing)"), 4700);
	assert_int_equal(sum_rows(m), 7000);
	assert_string_equal(m->events[1].op, "foo/bar"); /* a free knows what it frees */
	mk_analysis_free(a);
}

/* Case C63, ≠XProf: an event on a line that starts 1000 ns later lies 10^6 ps later; its allocator is its index. */
static void case_c63(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_line(t, 2, "t2", 1000);
	mk_event(t, "MemoryAllocation", 80000, 0,
		 "bytes_allocated=100;requested_bytes=10;allocation_bytes=16;addr=1;device_ordinal=3;index_on_host=5");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(a->host.memory[0].name, "5");
	assert_int_equal(a->host.memory[0].peak_ps, 1000 * 1000 + 80000);
	assert_int_equal(row_bytes(&a->host.memory[0], "(pre_existing)"), 84);
	mk_analysis_free(a);
}

/* Case C64: heap 1000 + 10·(i < n/2 ? i : n − i), n = 2500: 1000 points, the first four at 2000, 4000, 6000, 8000; the last at 2498000. */
static void case_c64_down_samples_without_losing_the_peak(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	const int64_t n = 2500;
	for (int64_t i = 0; i < n; i++)
		mem(t, true, 1000 * (i + 1), 1000 + 10 * (i < n / 2 ? i : n - i), 10, 1000 + i, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = &a->host.memory[0];
	assert_int_equal(m->timeline_count, TF_LIMIT_TIMELINE_POINTS);
	for (int64_t i = 0; i < 4; i++)
		assert_int_equal(m->timeline[i].ps, 2000 * (i + 1));
	assert_int_equal(m->timeline[999].ps, 2498000);
	assert_int_equal(m->peak_bytes, 1000 + 10 * (n / 2)); /* at i = n/2: n − i */
	mk_analysis_free(a);
}

static void lines_with_different_starts_are_ordered_by_time(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mem(t, true, 1 * US, 1000, 1000, 16, "tf_op=a/MatMul;shape=[10,25]");
	mem(t, true, 2 * US, 3000, 2000, 32, "tf_op=b/Conv;shape=[500]");
	mk_line(t, 2, "t2", 10 * 1000); /* 10 µs later; the offset alone would put the free before the peak */
	mem(t, false, 1 * US, 2000, 1000, 16, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = &a->host.memory[0];
	assert_int_equal(m->peak_bytes, 3000);
	assert_int_equal(row_bytes(m, "a/MatMul"), 1000);
	assert_int_equal(m->pre_existing_bytes, 0);
	assert_int_equal(m->unmatched_frees, 0);
	mk_analysis_free(a);
}

static void ties_are_counted_and_the_first_is_the_peak(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mem(t, true, 10, 500, 500, 1, "");
	mem(t, false, 20, 0, 500, 1, "");
	mem(t, true, 30, 500, 500, 1, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.memory[0].peak_ps, 10);
	assert_int_equal(a->host.memory[0].ties, 1);
	mk_analysis_free(a);
}

static void frees_without_allocation_are_counted(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mem(t, false, 10, 900, 4096, 77, "");
	mem(t, true, 20, 1000, 100, 5, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.memory[0].unmatched_frees, 1);
	assert_int_equal(a->host.memory[0].pre_existing_bytes, 900);
	mk_analysis_free(a);
}

static void tensors_beyond_the_peak_are_over_counted(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mem(t, true, 10, 100, 400, 1, "tf_op=x");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(row_bytes(&a->host.memory[0], "(over_counted)"), -300);
	assert_int_equal(sum_rows(&a->host.memory[0]), 100);
	assert_int_equal(a->host.anomaly_count, 1);
	mk_analysis_free(a);
}

static void addresses_are_unsigned(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mk_event(t, "MemoryAllocation", 1, 0,
		 "allocator_name=g;bytes_allocated=8;requested_bytes=8;allocation_bytes=8;addr=u18446744073709551600");
	mk_event(t, "MemoryAllocation", 2, 0,
		 "allocator_name=g;bytes_allocated=16;requested_bytes=8;allocation_bytes=8;addr=u18446744073709551608");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.memory[0].at_peak[0].count, 2);
	assert_int_equal(a->host.memory[0].pre_existing_bytes, 0);
	mk_analysis_free(a);
}

static void fragmentation_that_is_no_number_is_unknown(void **state)
{
	(void)state;
	struct tf_trace *t = host();
	mem(t, true, 10, 100, 100, 1, "fragmentation=nan");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(isnan(a->host.memory[0].fragmentation));
	mk_analysis_free(a);
	t = host();
	mem(t, true, 10, 100, 100, 1, "fragmentation=0"); /* a whole number is stored as int64 */
	a = mk_analyze(t, NULL);
	assert_true(a->host.memory[0].fragmentation == 0);
	mk_analysis_free(a);
}

/* Six steps of 10 µs; one KiB is kept a step, and one is freed again. */
static struct tf_trace *steps_that(bool leak)
{
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	for (int64_t i = 0; i < 6; i++) {
		char stats[32];
		snprintf(stats, sizeof stats, "step_num=%lld;_r=1", (long long)i);
		mk_event(t, "train", 10 * US * i, 10 * US, stats);
	}
	mk_line(t, 2, "alloc", 0);
	for (int64_t i = 0; i < 6; i++) {
		int64_t base = leak ? KIB * i : 0;
		mem(t, true, 10 * US * i + 1, base + KIB, KIB, 100 + i, "tf_op=kept;shape=[256]");
		mem(t, true, 10 * US * i + 2, base + 2 * KIB, KIB, 500, "tf_op=temp;shape=[256]");
		mem(t, false, 10 * US * i + 3, base + KIB, KIB, 500, "");
		if (!leak)
			mem(t, false, 10 * US * i + 4, 0, KIB, 100 + i, "");
	}
	return t;
}

static void growth_names_the_tensors_that_grow(void **state)
{
	(void)state;
	struct mk_analysis *a = mk_analyze(steps_that(true), NULL);
	const struct tf_allocator *m = &a->host.memory[0];
	assert_int_equal(m->growth_count, 2); /* the allocator as a whole, and the tensor that is kept */
	assert_null(m->growth[0].op);
	assert_string_equal(m->growth[1].op, "kept");
	assert_int_equal(m->growth[1].bytes_per_step, KIB);
	assert_int_equal(m->growth[1].step_count, 6);
	mk_analysis_free(a);
}

static void what_is_freed_again_does_not_grow(void **state)
{
	(void)state;
	struct mk_analysis *a = mk_analyze(steps_that(false), NULL);
	assert_int_equal(a->host.memory[0].growth_count, 0);
	mk_analysis_free(a);
}

static void without_events_there_is_a_reason(void **state)
{
	(void)state;
	struct mk_analysis *a = mk_analyze(host(), NULL);
	assert_int_equal(a->host.memory_count, 0);
	assert_string_equal(a->host.memory_reason, "no_memory_events");
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_c62),
		cmocka_unit_test(case_c63),
		cmocka_unit_test(case_c64_down_samples_without_losing_the_peak),
		cmocka_unit_test(lines_with_different_starts_are_ordered_by_time),
		cmocka_unit_test(ties_are_counted_and_the_first_is_the_peak),
		cmocka_unit_test(frees_without_allocation_are_counted),
		cmocka_unit_test(tensors_beyond_the_peak_are_over_counted),
		cmocka_unit_test(addresses_are_unsigned),
		cmocka_unit_test(fragmentation_that_is_no_number_is_unknown),
		cmocka_unit_test(growth_names_the_tensors_that_grow),
		cmocka_unit_test(what_is_freed_again_does_not_grow),
		cmocka_unit_test(without_events_there_is_a_reason),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
