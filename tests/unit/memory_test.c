/* Memory by allocator and tensor (METRICS.md §6; cases C62, C63, C64). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/limits.h"
#include "tests/unit/support_analyze.h"

static struct tf_trace *host(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	return t;
}

/* An event of allocator "cpu" with these figures; `more` is added to its stats. */
static void event(struct tf_trace *t, bool alloc, int64_t ps, int64_t heap, int64_t bytes, int64_t address, const char *more)
{
	char stats[512];

	snprintf(stats, sizeof stats,
		 "allocator_name=cpu;bytes_reserved=0;bytes_allocated=%lld;bytes_available=1000000;requested_bytes=%lld;"
		 "allocation_bytes=%lld;addr=%lld%s%s",
		 (long long)heap, (long long)bytes, (long long)bytes, (long long)address, *more ? ";" : "", more);
	mk_event(t, alloc ? "MemoryAllocation" : "MemoryDeallocation", ps, 0, stats);
}

static const struct tf_allocator *allocator(const struct mk_analysis *a, const char *name)
{
	for (size_t i = 0; i < a->host.memory_count; i++)
		if (strcmp(a->host.memory[i].name, name) == 0)
			return &a->host.memory[i];
	fail_msg("no allocator '%s'", name);
	return NULL;
}

static const struct tf_tensor_group *find(const struct tf_tensor_group *list, size_t count, const char *op)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].op, op) == 0)
			return &list[i];
	return NULL;
}

static const struct tf_tensor_group *at_peak(const struct tf_allocator *m, const char *op)
{
	return find(m->at_peak, m->at_peak_count, op);
}

static void assert_rows_sum_to_peak(const struct tf_allocator *m)
{
	int64_t sum = 0;

	for (size_t i = 0; i < m->at_peak_count; i++)
		sum += m->at_peak[i].bytes;
	assert_int_equal(sum, m->peak_bytes);
}

static struct tf_trace *c62(void)
{
	struct tf_trace *t = host();

	mk_event(t, "MemoryAllocation", 40000, 1000,
		 "bytes_reserved=2000;bytes_allocated=3000;bytes_available=5000;peak_bytes_in_use=8500;requested_bytes=200;"
		 "allocation_bytes=256;addr=222333;data_type=1;allocator_name=GPU_0_bfc;tf_op=foo/bar;region_type=output;"
		 "shape=[3, 3, 512, 512]");
	mk_event(t, "MemoryDeallocation", 50000, 0,
		 "bytes_reserved=2000;bytes_allocated=2744;bytes_available=5256;peak_bytes_in_use=8500;requested_bytes=200;"
		 "allocation_bytes=256;addr=222333;data_type=0;allocator_name=GPU_0_bfc");
	mk_event(t, "MemoryAllocation", 70000, 0,
		 "bytes_reserved=2000;bytes_allocated=5000;bytes_available=3000;peak_bytes_in_use=9500;requested_bytes=300;"
		 "allocation_bytes=300;addr=345678;data_type=9;allocator_name=GPU_0_bfc;tf_op=mul_grad/Sum;region_type=temp;"
		 "shape=[1, 2]");
	return t;
}

static void c62_peak_of_an_allocator(void **state)
{
	struct mk_analysis *a = mk_analyze(c62(), NULL);
	const struct tf_allocator *m = allocator(a, "GPU_0_bfc");

	(void)state;
	assert_int_equal(a->host.memory_count, 1);
	assert_true(m->on_device);
	assert_int_equal(m->peak_bytes, 7000);
	assert_int_equal(m->peak_ps, 70000);
	assert_int_equal(m->ties, 0);
	assert_int_equal(m->lifetime_peak_bytes, 9500);
	assert_int_equal(m->capacity_bytes, 10000);
	assert_int_equal(m->event_count, 3);
	assert_int_equal(m->timeline_count, 3);
	assert_true(isnan(m->fragmentation)); /* not recorded */
	mk_analysis_free(a);
}

static void c62_rows_at_the_peak(void **state)
{
	struct mk_analysis *a = mk_analyze(c62(), NULL);
	const struct tf_allocator *m = allocator(a, "GPU_0_bfc");

	(void)state;
	assert_int_equal(m->at_peak_count, 3);
	assert_int_equal(at_peak(m, "(pre_existing)")->bytes, 4700);
	assert_int_equal(m->pre_existing_bytes, 4700);
	assert_int_equal(at_peak(m, "(stack)")->bytes, 2000);
	const struct tf_tensor_group *sum = at_peak(m, "mul_grad/Sum");
	assert_int_equal(sum->bytes, 300);
	assert_int_equal(sum->count, 1);
	assert_int_equal(sum->age_ps, 0);
	assert_string_equal(sum->shape, "[1, 2]");
	assert_string_equal(sum->dtype, "int64");
	assert_string_equal(sum->region, "temp");
	assert_rows_sum_to_peak(m);
	mk_analysis_free(a);
}

static void c62_a_free_is_told_by_its_allocation(void **state)
{
	struct mk_analysis *a = mk_analyze(c62(), NULL);
	const struct tf_allocator *m = allocator(a, "GPU_0_bfc");

	(void)state;
	assert_int_equal(m->unmatched_frees, 0);
	assert_false(m->events[1].alloc);
	assert_string_equal(m->events[1].op, "foo/bar");
	assert_string_equal(m->events[1].region, "output");
	assert_string_equal(m->events[1].dtype, "float");
	assert_string_equal(m->events[1].shape, "[3, 3, 512, 512]");
	mk_analysis_free(a);
}

/* XProf: time 80000 (within the line), special row 84, capacity 100 (what is free counts as 0). */
static void c63_lines_have_times_of_their_own(void **state)
{
	struct tf_trace *t = c62();

	(void)state;
	mk_line(t, 2, "other", 1000);
	mk_event(t, "MemoryAllocation", 80000, 0,
		 "bytes_allocated=100;requested_bytes=10;allocation_bytes=16;addr=1;device_ordinal=3;index_on_host=5");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "5"); /* the stat that comes last */
	assert_int_equal(m->peak_ps, 1000 * 1000 + 80000);
	assert_int_equal(m->peak_bytes, 100);
	assert_int_equal(m->pre_existing_bytes, 84);
	assert_int_equal(m->capacity_bytes, TF_NONE);
	assert_int_equal(m->lifetime_peak_bytes, TF_NONE);
	assert_rows_sum_to_peak(m);
	mk_analysis_free(a);
}

static void events_of_several_lines_are_in_order_of_time(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 3000, 300, 300, 3, "tf_op=late");
	mk_line(t, 2, "worker", 0);
	event(t, true, 1000, 100, 100, 1, "tf_op=early");
	event(t, false, 2000, 0, 100, 1, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_int_equal(m->events[0].ps, 1000);
	assert_int_equal(m->events[2].ps, 3000);
	assert_int_equal(m->unmatched_frees, 0);
	assert_null(at_peak(m, "early"));
	assert_int_equal(at_peak(m, "late")->bytes, 300);
	mk_analysis_free(a);
}

/* XProf takes the last. */
static void of_equal_peaks_the_first_counts(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 1000, 64, 64, 1, "tf_op=first");
	event(t, false, 2000, 0, 64, 1, "");
	event(t, true, 3000, 64, 64, 2, "tf_op=second");
	event(t, false, 4000, 0, 64, 2, "");
	event(t, true, 5000, 64, 64, 3, "tf_op=third");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_int_equal(m->peak_ps, 1000);
	assert_int_equal(m->ties, 2);
	assert_non_null(at_peak(m, "first"));
	assert_int_equal(m->pre_existing_bytes, 0);
	mk_analysis_free(a);
}

static void equal_times_are_in_the_order_of_the_file(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 1000, 64, 64, 1, "tf_op=a");
	event(t, false, 1000, 0, 64, 1, "");
	event(t, true, 1000, 64, 64, 1, "tf_op=b");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_int_equal(m->unmatched_frees, 0);
	assert_string_equal(m->events[1].op, "a");
	mk_analysis_free(a);
}

/* XProf books it as unused memory: it counts what the peak's step allocated alone. */
static void tensors_of_earlier_steps_stay_live(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "train", 0, 1000, "step_num=1");
	mk_event(t, "train", 1000, 1000, "step_num=2");
	event(t, true, 500, 100, 100, 1, "tf_op=variable");
	event(t, true, 1500, 150, 50, 2, "tf_op=activation");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_int_equal(at_peak(m, "variable")->bytes, 100);
	assert_int_equal(at_peak(m, "variable")->age_ps, 1000);
	assert_int_equal(at_peak(m, "activation")->bytes, 50);
	assert_int_equal(m->pre_existing_bytes, 0);
	assert_int_equal(m->peak_step_number, 2);
	assert_int_equal(m->peak_step, 1);
	assert_int_equal(m->events[0].step, 0);
	mk_analysis_free(a);
}

static void alike_tensors_are_one_row(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 1000, 64, 64, 1, "tf_op=a;shape=[16];data_type=1;region_type=output");
	event(t, true, 2000, 128, 64, 2, "tf_op=a;shape=[16];data_type=1;region_type=output");
	event(t, true, 3000, 192, 64, 3, "tf_op=a;shape=[16];data_type=3;region_type=output");
	event(t, true, 4000, 256, 64, 4, "tf_op=a;shape=[16];data_type=1;region_type=temp");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_int_equal(m->at_peak_count, 3);
	assert_int_equal(m->at_peak[0].count, 2); /* most bytes first */
	assert_int_equal(m->at_peak[0].bytes, 128);
	assert_int_equal(m->at_peak[0].age_ps, 3000); /* of the oldest */
	assert_rows_sum_to_peak(m);
	mk_analysis_free(a);
}

static void requested_and_allocated_bytes_are_told_apart(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "MemoryAllocation", 1000, 0,
		 "allocator_name=cpu;bytes_reserved=0;bytes_allocated=256;requested_bytes=4;allocation_bytes=256;addr=1;tf_op=a");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_tensor_group *row = at_peak(allocator(a, "cpu"), "a");
	assert_int_equal(row->requested_bytes, 4);
	assert_int_equal(row->bytes, 256);
	mk_analysis_free(a);
}

static void a_free_of_what_was_there_before_is_unmatched(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, false, 1000, 936, 64, 7, "");
	event(t, true, 2000, 1000, 64, 8, "tf_op=a");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_int_equal(m->unmatched_frees, 1);
	assert_null(m->events[0].op);
	assert_int_equal(m->pre_existing_bytes, 936);
	mk_analysis_free(a);
}

static void addresses_beyond_int64_are_addresses(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "MemoryAllocation", 1000, 0,
		 "allocator_name=cpu;bytes_allocated=64;allocation_bytes=64;addr=u18446744073709551552;tf_op=a");
	mk_event(t, "MemoryAllocation", 2000, 0,
		 "allocator_name=cpu;bytes_allocated=128;allocation_bytes=64;addr=u18446744073709551488;tf_op=b");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_true(m->events[0].address == UINT64_C(18446744073709551552));
	assert_int_equal(at_peak(m, "a")->bytes, 64);
	assert_int_equal(at_peak(m, "b")->bytes, 64);
	mk_analysis_free(a);
}

static void an_address_given_out_again_was_free(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 1000, 64, 64, 1, "tf_op=a");
	event(t, true, 2000, 100, 100, 1, "tf_op=b");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_null(at_peak(allocator(a, "cpu"), "a"));
	assert_int_equal(at_peak(allocator(a, "cpu"), "b")->bytes, 100);
	mk_analysis_free(a);
}

static void tensors_over_the_recorded_peak_are_one_negative_row(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 1000, 1000, 1024, 1, "tf_op=a");
	event(t, true, 2000, 3000, 2048, 2, "tf_op=b");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_int_equal(at_peak(m, "(over_counted)")->bytes, -72);
	assert_int_equal(m->pre_existing_bytes, 0);
	assert_int_equal(a->host.anomaly_count, 1);
	assert_rows_sum_to_peak(m);
	mk_analysis_free(a);
}

static void fragmentation_is_that_of_the_peak(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 1000, 64, 64, 1, "fragmentation=0.25");
	event(t, true, 2000, 128, 64, 2, "fragmentation=0.5");
	event(t, false, 3000, 64, 64, 2, "fragmentation=0.75");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(allocator(a, "cpu")->fragmentation == 0.5);
	assert_true(allocator(a, "cpu")->timeline[2].fragmentation == 0.75);
	mk_analysis_free(a);
}

/* XProf reads an integer as 0. */
static void a_whole_fragmentation_is_an_integer_in_the_file(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 1000, 64, 64, 1, "fragmentation=1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(allocator(a, "cpu")->fragmentation == 1);
	mk_analysis_free(a);
}

static void a_fragmentation_that_is_no_ratio_is_unknown(void **state)
{
	static const char *const bad[] = {"fragmentation=nan", "fragmentation=-1", "fragmentation=1.5"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct tf_trace *t = host();
		event(t, true, 1000, 64, 64, 1, bad[i]);
		struct mk_analysis *a = mk_analyze(t, NULL);
		assert_true(isnan(allocator(a, "cpu")->fragmentation));
		mk_analysis_free(a);
	}
}

static void hosts_allocators_go_by_name(void **state)
{
	static const struct {
		const char *name;
		bool on_device;
	} cases[] = {{"GPU_0_bfc", true}, {"gpu_host_bfc", false}, {"cpu", false}, {"mklcpu", false}, {"0", true}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = host();
		char stats[96];
		snprintf(stats, sizeof stats, "%s=%s;bytes_allocated=1;addr=1",
			 strcmp(cases[i].name, "0") ? "allocator_name" : "index_on_host", cases[i].name);
		mk_event(t, "MemoryAllocation", 1000, 0, stats);
		struct mk_analysis *a = mk_analyze(t, NULL);
		assert_int_equal(allocator(a, cases[i].name)->on_device, cases[i].on_device);
		mk_analysis_free(a);
	}
}

static void each_group_has_a_maximum_of_its_own(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 1000, 512, 512, 1, "tf_op=c/Add");
	event(t, false, 2000, 0, 512, 1, "");
	event(t, true, 3000, 900, 900, 2, "tf_op=d/Mul");
	event(t, true, 4000, 1100, 200, 3, "tf_op=c/Add");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	const struct tf_tensor_group *add = find(m->by_tensor, m->by_tensor_count, "c/Add");
	assert_int_equal(add->max_live_bytes, 512);
	assert_int_equal(add->first_ps, 1000);
	assert_int_equal(add->last_ps, 4000);
	assert_int_equal(at_peak(m, "c/Add")->bytes, 200);
	mk_analysis_free(a);
}

/* Case C64: event i at 1000 (i + 1) ps, heap 1000 + 10 (i < n/2 ? i : n - i), stack 100. */
static struct mk_analysis *c64(int n)
{
	struct tf_trace *t = host();
	char stats[128];

	for (int i = 0; i < n; i++) {
		snprintf(stats, sizeof stats, "allocator_name=cpu;bytes_reserved=100;bytes_allocated=%d;addr=%d",
			 1000 + 10 * (i < n / 2 ? i : n - i), i + 1);
		mk_event(t, "MemoryAllocation", 1000 * (i + 1), 0, stats);
	}
	return mk_analyze(t, NULL);
}

static void c64_the_timeline_has_at_most_a_thousand_points(void **state)
{
	static const int cases[][2] = {{10, 10}, {999, 999}, {1000, 1000}, {1001, 1000}, {2500, 1000}, {3001, 1000}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mk_analysis *a = c64(cases[i][0]);
		assert_int_equal(allocator(a, "cpu")->timeline_count, cases[i][1]);
		mk_analysis_free(a);
	}
	assert_int_equal(TF_LIMIT_TIMELINE_POINTS, 1000);
}

static void c64_each_window_yields_its_maximum(void **state)
{
	static const int64_t first[] = {2000, 4000, 6000, 8000}, last[] = {2492000, 2495000, 2498000};
	struct mk_analysis *a = c64(2500);
	const struct tf_allocator *m = allocator(a, "cpu");

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(m->timeline[i].ps, first[i]);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(m->timeline[997 + i].ps, last[i]);
	mk_analysis_free(a);
}

static void c64_peaks(void **state)
{
	static const int64_t cases[][3] = {{10, 1150, 6000}, {1000, 6100, 501000}, {2500, 13600, 1251000}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct mk_analysis *a = c64((int)cases[i][0]);
		assert_int_equal(allocator(a, "cpu")->peak_bytes, cases[i][1]);
		assert_int_equal(allocator(a, "cpu")->peak_ps, cases[i][2]);
		mk_analysis_free(a);
	}
}

/* Steps of 1000 ps; each allocates `kept` bytes that it keeps and 50 that it frees. */
static struct mk_analysis *leak(int steps, int64_t kept)
{
	struct tf_trace *t = host();
	int64_t heap = 0;
	char stats[64];

	for (int i = 0; i < steps; i++) {
		snprintf(stats, sizeof stats, "step_num=%d", i);
		mk_event(t, "train", i * 1000, 1000, stats);
	}
	for (int i = 0; i < steps; i++) {
		event(t, true, i * 1000 + 100, heap + 50, 50, 1, "tf_op=temporary;shape=[50]");
		event(t, false, i * 1000 + 200, heap, 50, 1, "");
		heap += kept;
		if (kept)
			event(t, true, i * 1000 + 300, heap, kept, 100 + i, "tf_op=dense_1/Relu;shape=[128,2048]");
	}
	return mk_analyze(t, NULL);
}

static void bytes_that_grow_with_every_step_are_listed(void **state)
{
	struct mk_analysis *a = leak(6, 10);
	const struct tf_allocator *m = allocator(a, "cpu");

	(void)state;
	assert_int_equal(m->growth_count, 2);
	assert_null(m->growth[0].op); /* the allocator as a whole */
	assert_int_equal(m->growth[0].bytes_per_step, 10);
	assert_string_equal(m->growth[1].op, "dense_1/Relu");
	assert_string_equal(m->growth[1].shape, "[128,2048]");
	assert_int_equal(m->growth[1].first_bytes, 10);
	assert_int_equal(m->growth[1].last_bytes, 60);
	assert_int_equal(m->growth[1].step_count, 6);
	mk_analysis_free(a);
}

static void stable_memory_does_not_grow(void **state)
{
	struct mk_analysis *a = leak(6, 0);

	(void)state;
	assert_int_equal(allocator(a, "cpu")->growth_count, 0);
	mk_analysis_free(a);
}

static void three_steps_are_too_few_to_tell(void **state)
{
	struct mk_analysis *a = leak(3, 10);

	(void)state;
	assert_int_equal(allocator(a, "cpu")->growth_count, 0);
	mk_analysis_free(a);
}

static void absurd_sizes_take_part_in_nothing(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	event(t, true, 1000, 64, 64, 1, "tf_op=a");
	event(t, true, 2000, INT64_MAX, 64, 2, "tf_op=b");
	event(t, true, 3000, 128, INT64_MIN + 1, 3, "tf_op=c");
	event(t, true, 4000, -5, 64, 4, "tf_op=d");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_int_equal(m->peak_bytes, 64);
	assert_int_equal(m->event_count, 1);
	assert_int_equal(a->host.anomaly_count, 3);
	mk_analysis_free(a);
}

static void allocations_that_cannot_all_be_real_do_not_add_up(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	for (int i = 0; i < 200; i++)
		event(t, true, 1000 + i, 64, (INT64_C(1) << 56) - 1, i + 1, "tf_op=a");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_true(a->host.anomaly_count > 0);
	assert_rows_sum_to_peak(allocator(a, "cpu"));
	mk_analysis_free(a);
}

static void an_allocator_that_never_says_how_much_it_holds_has_no_peak(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "MemoryAllocation", 1000, 0, "allocator_name=cpu;allocation_bytes=64;addr=1;tf_op=a");
	struct mk_analysis *a = mk_analyze(t, NULL);
	const struct tf_allocator *m = allocator(a, "cpu");
	assert_int_equal(m->peak_bytes, TF_NONE);
	assert_int_equal(m->capacity_bytes, TF_NONE);
	assert_int_equal(m->at_peak_count, 0);
	assert_int_equal(m->by_tensor[0].max_live_bytes, 64);
	mk_analysis_free(a);
}

static void a_capture_without_memory_says_so(void **state)
{
	struct tf_trace *t = host();

	(void)state;
	mk_event(t, "work", 0, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.memory_count, 0);
	assert_string_equal(a->host.memory_reason, "no_memory_events");
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c62_peak_of_an_allocator),
		cmocka_unit_test(c62_rows_at_the_peak),
		cmocka_unit_test(c62_a_free_is_told_by_its_allocation),
		cmocka_unit_test(c63_lines_have_times_of_their_own),
		cmocka_unit_test(events_of_several_lines_are_in_order_of_time),
		cmocka_unit_test(of_equal_peaks_the_first_counts),
		cmocka_unit_test(equal_times_are_in_the_order_of_the_file),
		cmocka_unit_test(tensors_of_earlier_steps_stay_live),
		cmocka_unit_test(alike_tensors_are_one_row),
		cmocka_unit_test(requested_and_allocated_bytes_are_told_apart),
		cmocka_unit_test(a_free_of_what_was_there_before_is_unmatched),
		cmocka_unit_test(addresses_beyond_int64_are_addresses),
		cmocka_unit_test(an_address_given_out_again_was_free),
		cmocka_unit_test(tensors_over_the_recorded_peak_are_one_negative_row),
		cmocka_unit_test(fragmentation_is_that_of_the_peak),
		cmocka_unit_test(a_whole_fragmentation_is_an_integer_in_the_file),
		cmocka_unit_test(a_fragmentation_that_is_no_ratio_is_unknown),
		cmocka_unit_test(hosts_allocators_go_by_name),
		cmocka_unit_test(each_group_has_a_maximum_of_its_own),
		cmocka_unit_test(c64_the_timeline_has_at_most_a_thousand_points),
		cmocka_unit_test(c64_each_window_yields_its_maximum),
		cmocka_unit_test(c64_peaks),
		cmocka_unit_test(bytes_that_grow_with_every_step_are_listed),
		cmocka_unit_test(stable_memory_does_not_grow),
		cmocka_unit_test(three_steps_are_too_few_to_tell),
		cmocka_unit_test(absurd_sizes_take_part_in_nothing),
		cmocka_unit_test(allocations_that_cannot_all_be_real_do_not_add_up),
		cmocka_unit_test(an_allocator_that_never_says_how_much_it_holds_has_no_peak),
		cmocka_unit_test(a_capture_without_memory_says_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
