/* What is written to a store and read back is the same: every field of a host, what is unknown, several hosts, scalars of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/step_owners.h"
#include "tests/unit/support_session.h"
#include "tests/unit/support_store.h"

static struct tf_store *store;
static struct tf_session s, loaded; /* by hand; from the store */
static struct tf_error err;

static int fresh(void **state)
{
	(void)state;
	store = st_memory();
	ms_init(&s, "r", "t");
	loaded = (struct tf_session){0};
	return 0;
}

static int gone(void **state)
{
	(void)state;
	tf_session_release(&s);
	tf_session_release(&loaded);
	return tf_store_close(store, &err);
}

/* Writes the hosts of the session by hand, each as a file. */
static void write_hosts(void)
{
	for (size_t i = 0; i < s.host_count; i++) {
		struct tf_trace *t = mk_finish(mk_trace());
		struct tf_derived d;
		char path[32];
		assert_int_equal(tf_derived_init(&d, t, &err), 0);
		snprintf(path, sizeof path, "f%zu", i);
		st_begin(store, path, s.run, s.name, s.hosts[i].name);
		if (tf_store_put_host(store, t, &s.hosts[i], &d, TF_EVENTS_NONE, &err) < 0)
			fail_msg("%s", err.text);
		st_end(store);
		tf_derived_release(&d);
		mk_free(t);
	}
}

static void load(int64_t run_id, int64_t session_id)
{
	struct tf_target target = {run_id, session_id, s.run, session_id == TF_NONE ? NULL : s.name};

	tf_session_release(&loaded);
	loaded = (struct tf_session){0};
	if (tf_store_load_session(store, &target, &loaded, &err) < 0)
		fail_msg("%s", err.text);
}

static struct tf_host *written_and_read(void)
{
	write_hosts();
	load(1, 1);
	assert_int_equal(loaded.host_count, s.host_count);
	return loaded.hosts;
}

#define SAME_INT(a, b, field) \
	do { if ((a)->field != (b)->field) fail_msg(#field ": %lld, then %lld", (long long)(a)->field, (long long)(b)->field); } while (0)
#define SAME_TEXT(a, b, field) \
	do { if (!(a)->field != !(b)->field || ((a)->field && strcmp((a)->field, (b)->field) != 0)) \
		fail_msg(#field ": %s, then %s", (a)->field, (b)->field); } while (0)
#define SAME_REAL(a, b, field) \
	do { if (isnan((a)->field) ? !isnan((b)->field) : (a)->field != (b)->field) \
		fail_msg(#field ": %.17g, then %.17g", (a)->field, (b)->field); } while (0)

static void facts_of_a_host_survive(void **state)
{
	(void)state;
	struct tf_host *a = ms_host(&s, "vm-0");
	a->framework = "jax";
	a->start_ns = INT64_C(1700000000123456789);
	a->begin_ps = -5;
	a->end_ps = INT64_MAX / 2;
	a->event_count = 7;
	a->anomaly_count = 2;
	a->dropped_count = 3;
	a->complete = false;
	a->steps = (struct tf_steps){.source = TF_STEPS_INFERRED, .event = "IteratorGetNext", .confidence = 0.75, .looked_for = "all",
				     .reason = "no_step_marker", .device_unreliable = true};
	a->input.evidence = "iterator_root";
	a->input.reason = "why";
	a->input.get_next_count = 5;
	a->input.get_next_total_ps = 50;
	a->input.get_next_max_ps = 20;
	a->device_reason = "no_device_plane";
	a->memory_reason = "no_memory_events";
	a->op_reason = "no_op_events";
	a->launched_kernels = 11;
	struct tf_host *b = written_and_read();
	a = s.hosts;
	SAME_TEXT(a, b, name);
	SAME_TEXT(a, b, framework);
	SAME_INT(a, b, start_ns);
	SAME_INT(a, b, begin_ps);
	SAME_INT(a, b, end_ps);
	SAME_INT(a, b, event_count);
	SAME_INT(a, b, anomaly_count);
	SAME_INT(a, b, dropped_count);
	SAME_INT(a, b, complete);
	SAME_INT(a, b, steps.source);
	SAME_TEXT(a, b, steps.event);
	SAME_REAL(a, b, steps.confidence);
	SAME_TEXT(a, b, steps.looked_for);
	SAME_TEXT(a, b, steps.reason);
	SAME_INT(a, b, steps.device_unreliable);
	SAME_TEXT(a, b, input.evidence);
	SAME_TEXT(a, b, input.reason);
	SAME_INT(a, b, input.get_next_count);
	SAME_INT(a, b, input.get_next_total_ps);
	SAME_INT(a, b, input.get_next_max_ps);
	SAME_TEXT(a, b, device_reason);
	SAME_TEXT(a, b, memory_reason);
	SAME_TEXT(a, b, op_reason);
	SAME_INT(a, b, launched_kernels);
}

static void notes_of_the_profiler_survive_in_order(void **state)
{
	(void)state;
	const char *errors[] = {"e1", "e2"}, *warnings[] = {"w1", "w2", "w3"};
	struct tf_host *a = ms_host(&s, "h");
	a->errors = errors;
	a->error_count = 2;
	a->warnings = warnings;
	a->warning_count = 3;
	struct tf_host *b = written_and_read();
	assert_int_equal(b->error_count, 2);
	assert_string_equal(b->errors[0], "e1");
	assert_string_equal(b->errors[1], "e2");
	assert_int_equal(b->warning_count, 3);
	assert_string_equal(b->warnings[2], "w3");
}

static void same_step(const struct tf_step *a, const struct tf_step *b)
{
	SAME_INT(a, b, number);
	SAME_TEXT(a, b, name);
	SAME_TEXT(a, b, series);
	SAME_INT(a, b, main_series);
	SAME_INT(a, b, start_ps);
	SAME_INT(a, b, step_ps);
	SAME_INT(a, b, host_start_ps);
	SAME_INT(a, b, host_ps);
	SAME_INT(a, b, device_start_ps);
	SAME_INT(a, b, device_ps);
	SAME_INT(a, b, period_ps);
	SAME_INT(a, b, complete);
	SAME_INT(a, b, warmup);
	SAME_INT(a, b, device_by_overlap);
	SAME_INT(a, b, has_breakdown);
	for (int i = 0; i < TF_PART_COUNT; i++)
		SAME_INT(a, b, part_ps[i]);
	SAME_INT(a, b, input_ps);
	SAME_INT(a, b, stall_ps);
	SAME_INT(a, b, kernel_count);
}

static void steps_survive(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_step *p = ms_step(&s, h, 4, 1, 78);
	p->device_start_ps = 12;
	p->device_ps = 13;
	p->period_ps = 14;
	p->warmup = p->device_by_overlap = p->has_breakdown = true;
	for (int i = 0; i < TF_PART_COUNT; i++)
		p->part_ps[i] = i + 1;
	p->input_ps = 5;
	p->stall_ps = 4;
	p->kernel_count = 3;
	p = ms_step(&s, h, -1, 100, 10); /* all else unknown */
	p->complete = false;
	struct tf_host *b = written_and_read();
	assert_int_equal(b->steps.count, 2);
	for (size_t i = 0; i < 2; i++)
		same_step(&s.hosts->steps.list[i], &b->steps.list[i]);
}

static void series_are_counted_again(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	for (int i = 0; i < 5; i++) {
		struct tf_step *p = ms_step(&s, h, i, i * 10, i < 3 ? 10 : 4);
		p->main_series = i < 3;
		p->series = i < 3 ? "train" : "test";
	}
	struct tf_host *b = written_and_read();
	assert_int_equal(b->steps.series_count, 2);
	assert_string_equal(b->steps.series[0].name, "train");
	assert_int_equal(b->steps.series[0].count, 3);
	assert_int_equal(b->steps.series[0].total_ps, 3 * 10);
	assert_true(b->steps.series[0].main);
	assert_string_equal(b->steps.series[1].name, "test");
	assert_int_equal(b->steps.series[1].total_ps, 2 * 4);
	assert_false(b->steps.series[1].main);
}

static void devices_survive(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_device *a = ms_device(&s, h, "/device:GPU:0");
	*a = (struct tf_device){.name = "/device:GPU:0", .kind = "gpu", .model = "H200", .ordinal = 3, .memory_bytes = 141, .peak_flops = 9e14,
				.memory_bytes_per_s = 4.8e12, .traced = true, .window_source = "steps", .reason = "x", .window_start_ps = 1,
				.window_ps = 100, .busy_ps = 60, .kernel_ps = 50, .memcpy_ps = 10, .comm_ps = 5, .exposed_comm_ps = 4,
				.idle_ratio = 0.4};
	struct tf_gap *g = ms_gap(&s, a, 5, 30);
	g->before = "gemm";
	g->after = "relu";
	g->host_event = "IteratorGetNext";
	ms_gap(&s, a, 50, 10);
	a->gap_total = 17;
	ms_device(&s, h, "/device:GPU:1"); /* of which nothing is known */
	struct tf_host *host = written_and_read();
	assert_int_equal(host->device_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct tf_device *b = &host->devices[i];
		a = &s.hosts->devices[i];
		SAME_TEXT(a, b, name);
		SAME_TEXT(a, b, kind);
		SAME_TEXT(a, b, model);
		SAME_INT(a, b, ordinal);
		SAME_INT(a, b, memory_bytes);
		SAME_REAL(a, b, peak_flops);
		SAME_REAL(a, b, memory_bytes_per_s);
		SAME_INT(a, b, traced);
		SAME_TEXT(a, b, window_source);
		SAME_TEXT(a, b, reason);
		SAME_INT(a, b, window_start_ps);
		SAME_INT(a, b, window_ps);
		SAME_INT(a, b, busy_ps);
		SAME_INT(a, b, kernel_ps);
		SAME_INT(a, b, memcpy_ps);
		SAME_INT(a, b, comm_ps);
		SAME_INT(a, b, exposed_comm_ps);
		SAME_REAL(a, b, idle_ratio);
		SAME_INT(a, b, gap_total);
		SAME_INT(a, b, gap_count);
		for (size_t k = 0; k < a->gap_count; k++) {
			SAME_INT(&a->gaps[k], &b->gaps[k], start_ps);
			SAME_INT(&a->gaps[k], &b->gaps[k], dur_ps);
			SAME_TEXT(&a->gaps[k], &b->gaps[k], before);
			SAME_TEXT(&a->gaps[k], &b->gaps[k], after);
			SAME_TEXT(&a->gaps[k], &b->gaps[k], host_event);
		}
	}
}

static void input_stages_survive(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_stage *a = ms_stage(&s, h, "Iterator::Root::Map");
	*a = (struct tf_stage){.pipeline = "Device:0", .name = "Map", .long_name = "Iterator::Root::Map", .parent = "Iterator::Root",
			       .calls = 7, .total_ps = 70, .self_ps = 60, .max_ps = 20, .slow_calls = 2, .bottleneck = true,
			       .on_critical_path = true, .parallelism = 16, .buffer_limit = 8, .buffered_elements = 0.5, .empty_calls = 3};
	ms_stage(&s, h, "Iterator::Root");
	struct tf_host *host = written_and_read();
	assert_int_equal(host->input.stage_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct tf_stage *b = &host->input.stages[i];
		a = &s.hosts->input.stages[i];
		SAME_TEXT(a, b, pipeline);
		SAME_TEXT(a, b, name);
		SAME_TEXT(a, b, long_name);
		SAME_TEXT(a, b, parent);
		SAME_INT(a, b, calls);
		SAME_INT(a, b, total_ps);
		SAME_INT(a, b, self_ps);
		SAME_INT(a, b, max_ps);
		SAME_INT(a, b, slow_calls);
		SAME_INT(a, b, bottleneck);
		SAME_INT(a, b, on_critical_path);
		SAME_REAL(a, b, parallelism);
		SAME_REAL(a, b, buffer_limit);
		SAME_REAL(a, b, buffered_elements);
		SAME_INT(a, b, empty_calls);
	}
}

static void same_group(const struct tf_tensor_group *a, const struct tf_tensor_group *b)
{
	SAME_TEXT(a, b, op);
	SAME_TEXT(a, b, shape);
	SAME_TEXT(a, b, dtype);
	SAME_TEXT(a, b, region);
	SAME_INT(a, b, count);
	SAME_INT(a, b, requested_bytes);
	SAME_INT(a, b, bytes);
	SAME_INT(a, b, max_live_bytes);
	SAME_INT(a, b, first_ps);
	SAME_INT(a, b, last_ps);
	SAME_INT(a, b, age_ps);
}

static void memory_survives(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_allocator *a = ms_allocator(&s, h, "GPU_0_bfc", 300);
	a->on_device = true;
	a->peak_ps = 5;
	a->peak_step_number = 4;
	a->ties = 2;
	a->lifetime_peak_bytes = 400;
	a->capacity_bytes = 1000;
	a->fragmentation = 0.125;
	a->pre_existing_bytes = 100;
	a->unmatched_frees = 6;
	a->event_count = 9;
	struct tf_tensor_group *g = ms_tensor(&s, a, "dense/MatMul", 200);
	g->shape = "[2,3]";
	g->dtype = "float";
	g->region = "temp";
	g->requested_bytes = 150;
	g->age_ps = 77;
	ms_tensor(&s, a, "(pre_existing)", 100);
	struct tf_tensor_group live = {.op = "x", .count = 3, .requested_bytes = 30, .bytes = 33, .max_live_bytes = 32, .first_ps = 1,
				       .last_ps = 9, .age_ps = TF_NONE};
	a->by_tensor = &live;
	a->by_tensor_count = 1;
	struct tf_memory_point points[2] = {{1, 10, 2, 988, 0.5}, {2, 20, 0, 980, NAN}};
	a->timeline = points;
	a->timeline_count = 2;
	struct tf_growth *w = ms_growth(&s, a, "dense/Relu", 64);
	w->shape = "[1]";
	w->dtype = "half";
	w->region = "output";
	w->first_bytes = 11;
	struct tf_allocator *b = written_and_read()->memory;
	a = s.hosts->memory;
	SAME_TEXT(a, b, name);
	SAME_INT(a, b, on_device);
	SAME_INT(a, b, peak_bytes);
	SAME_INT(a, b, peak_ps);
	SAME_INT(a, b, peak_step_number);
	SAME_INT(a, b, ties);
	SAME_INT(a, b, lifetime_peak_bytes);
	SAME_INT(a, b, capacity_bytes);
	SAME_REAL(a, b, fragmentation);
	SAME_INT(a, b, pre_existing_bytes);
	SAME_INT(a, b, unmatched_frees);
	SAME_INT(a, b, event_count);
	assert_int_equal(b->at_peak_count, 2);
	same_group(&a->at_peak[0], &b->at_peak[0]);
	same_group(&a->at_peak[1], &b->at_peak[1]);
	assert_int_equal(b->by_tensor_count, 1);
	same_group(&live, &b->by_tensor[0]);
	assert_int_equal(b->timeline_count, 2);
	for (size_t i = 0; i < 2; i++) {
		SAME_INT(&points[i], &b->timeline[i], ps);
		SAME_INT(&points[i], &b->timeline[i], heap_bytes);
		SAME_INT(&points[i], &b->timeline[i], stack_bytes);
		SAME_INT(&points[i], &b->timeline[i], free_bytes);
		SAME_REAL(&points[i], &b->timeline[i], fragmentation);
	}
	assert_int_equal(b->growth_count, 1);
	SAME_TEXT(a->growth, b->growth, op);
	SAME_TEXT(a->growth, b->growth, shape);
	SAME_TEXT(a->growth, b->growth, dtype);
	SAME_TEXT(a->growth, b->growth, region);
	SAME_INT(a->growth, b->growth, first_bytes);
	SAME_INT(a->growth, b->growth, last_bytes);
	SAME_INT(a->growth, b->growth, bytes_per_step);
	SAME_INT(a->growth, b->growth, step_count);
}

static void ops_survive(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	ms_step(&s, h, 4, 0, 10);
	ms_device(&s, h, "/device:GPU:0");
	struct tf_op *a = ms_op(&s, h, "dense/MatMul", 7, 70);
	*a = (struct tf_op){.side = "device", .device = h->devices[0].name, .name = "dense/MatMul", .type = "MatMul", .count = 7,
			    .total_ps = 70, .self_ps = 60, .eager = true, .flops = 1e12, .bytes = 2e9, .p50_ps = 9, .p99_ps = 15,
			    .max_ps = 16, .max_start_ps = 3, .max_step_number = 4, .max_step = 0};
	ms_op(&s, h, "Relu", 1, 1);
	struct tf_host *host = written_and_read();
	assert_int_equal(host->op_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct tf_op *b = &host->ops[i];
		a = &s.hosts->ops[i];
		SAME_TEXT(a, b, side);
		SAME_TEXT(a, b, device);
		SAME_TEXT(a, b, name);
		SAME_TEXT(a, b, type);
		SAME_INT(a, b, count);
		SAME_INT(a, b, total_ps);
		SAME_INT(a, b, self_ps);
		SAME_INT(a, b, eager);
		SAME_REAL(a, b, flops);
		SAME_REAL(a, b, bytes);
		SAME_INT(a, b, p50_ps);
		SAME_INT(a, b, p99_ps);
		SAME_INT(a, b, max_ps);
		SAME_INT(a, b, max_start_ps);
		SAME_INT(a, b, max_step_number);
	}
}

static void kernels_survive(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	ms_device(&s, h, "/device:GPU:0");
	struct tf_kernel *a = ms_kernel(&s, h, "gemm", 7, 70);
	*a = (struct tf_kernel){.device = h->devices[0].name, .name = "gemm", .op = "dense/MatMul", .count = 7, .total_ps = 70, .min_ps = 8,
				.max_ps = 16, .registers = 128, .shared_bytes = 4096, .grid = "8,1,1", .block = "128,1,1",
				.occupancy = 0.375, .tensor_core = true};
	ms_kernel(&s, h, "relu", 1, 1)->device = NULL;
	struct tf_host *host = written_and_read();
	assert_int_equal(host->kernel_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct tf_kernel *b = &host->kernels[i];
		a = &s.hosts->kernels[i];
		SAME_TEXT(a, b, device);
		SAME_TEXT(a, b, name);
		SAME_TEXT(a, b, op);
		SAME_INT(a, b, count);
		SAME_INT(a, b, total_ps);
		SAME_INT(a, b, min_ps);
		SAME_INT(a, b, max_ps);
		SAME_INT(a, b, registers);
		SAME_INT(a, b, shared_bytes);
		SAME_TEXT(a, b, grid);
		SAME_TEXT(a, b, block);
		SAME_REAL(a, b, occupancy);
		SAME_INT(a, b, tensor_core);
	}
}

static void the_report_from_the_store_is_the_direct_one(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	for (int i = 0; i < 8; i++) {
		char number[32];
		snprintf(number, sizeof number, "step_num=%d;_r=1", i);
		mk_event(t, "train", i * 100 * US, (90 + i) * US, number);
		mk_event(t, "IteratorGetNext:IteratorGetNext", i * 100 * US + US, 30 * US, "");
		mk_event(t, "d/MatMul:MatMul", i * 100 * US + 40 * US, 20 * US, "");
	}
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 7, "Stream #7(Compute)", 0);
	for (int i = 0; i < 8; i++)
		mk_event(t, "gemm", i * 100 * US + 50 * US, 33 * US, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	struct tf_host *h = ms_host(&s, "h");
	*h = a->host;
	h->name = "h";
	st_begin(store, "f", "r", "t", "h");
	assert_int_equal(tf_store_put_host(store, t, h, &a->d, TF_EVENTS_ALL, &err), 0);
	st_end(store);
	load(1, 1);
	assert_int_equal(tf_metrics_build(&s, &err), 0);
	assert_int_equal(tf_step_costs_build(&s, &err), 0);
	assert_int_equal(s.cost_count, 3); /* gemm, the wait, what is left of MatMul */
	char *direct = ms_json(&s, NULL), *stored = ms_json(&loaded, NULL);
	assert_string_equal(stored, direct);
	ms_has(stored, "\"count\":8");
	free(direct);
	free(stored);
	direct = ms_text(&s, NULL);
	stored = ms_text(&loaded, NULL);
	assert_string_equal(stored, direct);
	free(direct);
	free(stored);
	mk_analysis_free(a);
}

static void hosts_are_read_by_name(void **state)
{
	(void)state;
	ms_host(&s, "h2");
	ms_host(&s, "h10");
	ms_host(&s, "h1");
	struct tf_host *b = written_and_read();
	assert_string_equal(b[0].name, "h1");
	assert_string_equal(b[1].name, "h10");
	assert_string_equal(b[2].name, "h2");
}

static void lists_of_hosts_do_not_mix(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tf_host *h = ms_host(&s, i ? "h1" : "h0");
		for (int k = 0; k <= i; k++) {
			ms_op(&s, h, i ? "one" : "zero", 1, 1);
			ms_kernel(&s, h, i ? "one" : "zero", 1, 1);
			ms_step(&s, h, k, k * 10, 10)->name = i ? "one" : "zero";
			ms_tensor(&s, ms_allocator(&s, h, i ? "one" : "zero", 1), i ? "one" : "zero", 1);
		}
	}
	struct tf_host *b = written_and_read();
	for (size_t i = 0; i < 2; i++) {
		const char *name = i ? "one" : "zero";
		assert_int_equal(b[i].op_count, i + 1);
		assert_int_equal(b[i].kernel_count, i + 1);
		assert_int_equal(b[i].steps.count, i + 1);
		assert_int_equal(b[i].memory_count, i + 1);
		assert_string_equal(b[i].ops[i].name, name);
		assert_string_equal(b[i].kernels[i].name, name);
		assert_string_equal(b[i].steps.list[i].name, name);
		assert_int_equal(b[i].memory[i].at_peak_count, 1);
		assert_string_equal(b[i].memory[i].at_peak[0].op, name);
	}
}

static void a_session_knows_its_name_and_run(void **state)
{
	(void)state;
	ms_host(&s, "h");
	written_and_read();
	assert_int_equal(loaded.id, 1);
	assert_string_equal(loaded.run, "r");
	assert_string_equal(loaded.name, "t");
	assert_true(tf_metric_find(&loaded, "steps.count") != NULL);
}

static void scalars_are_summed_up_by_the_default_reading(void **state)
{
	(void)state;
	s.name = NULL;
	st_begin(store, "e", "r", NULL, NULL);
	st_scalar(store, "loss", 1, 1, 0, 9); /* superseded by the next */
	st_scalar(store, "loss", 1, 2, 40, 3);
	st_scalar(store, "loss", 2, 3, 80, 1);
	st_scalar(store, "loss", 3, 4, 120, 2);
	st_scalar(store, "acc", 1, 4, 160, 0.5);
	st_end(store);
	load(1, TF_NONE);
	assert_null(loaded.name);
	assert_int_equal(loaded.id, TF_NONE);
	assert_int_equal(loaded.host_count, 0);
	assert_int_equal(loaded.scalar_count, 2);
	assert_string_equal(loaded.scalars[0].tag, "acc");
	const struct tf_scalar_series *t = &loaded.scalars[1];
	assert_string_equal(t->tag, "loss");
	assert_int_equal(t->count, 3);
	assert_true(t->min == 1 && t->max == 3 && t->last == 2 && t->mean == 2);
	assert_false(t->last_nonfinite);
	assert_true(tf_metric_find(&loaded, "scalar[loss].last")->value == 2);
}

static void what_is_no_number_counts_in_no_extreme(void **state)
{
	(void)state;
	s.name = NULL;
	st_begin(store, "e", "r", NULL, NULL);
	st_scalar(store, "loss", 1, 1, 0, 4);
	st_scalar(store, "loss", 2, 2, 40, INFINITY);
	st_scalar(store, "loss", 3, 3, 80, -INFINITY);
	st_scalar(store, "loss", 4, 4, 120, NAN);
	st_end(store);
	load(1, TF_NONE);
	const struct tf_scalar_series *t = loaded.scalars;
	assert_int_equal(t->count, 4);
	assert_true(t->min == 4 && t->max == 4 && t->mean == 4);
	assert_true(isnan(t->last));
	assert_true(t->last_nonfinite);
	const struct tf_metric *m = tf_metric_find(&loaded, "scalar[loss].last");
	assert_false(m->known);
	assert_string_equal(m->reason, "nonfinite");
}

static void an_infinite_last_value_is_no_figure(void **state)
{
	(void)state;
	s.name = NULL;
	st_begin(store, "e", "r", NULL, NULL);
	st_scalar(store, "loss", 1, 1, 0, 4);
	st_scalar(store, "loss", 2, 2, 40, INFINITY);
	st_end(store);
	load(1, TF_NONE);
	assert_true(loaded.scalars[0].last_nonfinite);
	assert_string_equal(tf_metric_find(&loaded, "scalar[loss].last")->reason, "nonfinite");
	assert_true(tf_metric_find(&loaded, "scalar[loss].max")->value == 4);
}

static void scalars_of_other_runs_are_not_ones_own(void **state)
{
	(void)state;
	st_begin(store, "e", "r", NULL, NULL);
	st_scalar(store, "loss", 1, 1, 0, 4);
	st_end(store);
	st_begin(store, "f", "other", NULL, NULL);
	st_scalar(store, "acc", 1, 1, 0, 4);
	st_end(store);
	load(1, TF_NONE);
	assert_int_equal(loaded.scalar_count, 1);
	assert_string_equal(loaded.scalars[0].tag, "loss");
}

static void issues_of_its_files_come_with_the_place(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	struct tf_ledger_file f = {.first_bad_offset = TF_NONE};
	st_begin(store, "logs/h.xplane.pb", "r", "t", "h");
	assert_int_equal(tf_ledger_issue(&a, &f, TF_ISSUE_TRUNCATED, 4096, &err, "it ends early"), 0);
	assert_int_equal(tf_ledger_issue(&a, &f, TF_ISSUE_UNSUPPORTED, TF_NONE, &err, "not yet"), 0);
	assert_int_equal(tf_store_end_file(store, &f, &err), 0);
	tf_arena_release(&a);
	load(1, 1);
	assert_int_equal(loaded.issue_count, 2);
	assert_string_equal(loaded.issues[0].code, "truncated");
	assert_string_equal(loaded.issues[0].message, "logs/h.xplane.pb: byte 4096: it ends early");
	assert_string_equal(loaded.issues[1].message, "logs/h.xplane.pb: not yet");
}

static void text_with_anything_in_it_survives(void **state)
{
	(void)state;
	static const char odd[] = "'; DROP TABLE _op; --\"\n\xe2\x82\xac%s\\";
	ms_op(&s, ms_host(&s, odd), odd, 1, 1);
	struct tf_host *b = written_and_read();
	assert_string_equal(b->name, odd);
	assert_string_equal(b->ops[0].name, odd);
}

static void a_session_that_is_not_there_is_empty(void **state)
{
	(void)state;
	load(77, 99);
	assert_int_equal(loaded.host_count, 0);
	assert_int_equal(loaded.scalar_count, 0);
	assert_int_equal(loaded.start_ns, TF_NONE);
	for (size_t i = 0; i < loaded.metric_count; i++)
		if (loaded.metrics[i].known && loaded.metrics[i].value != 0)
			fail_msg("%s is %g", loaded.metrics[i].name, loaded.metrics[i].value);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(facts_of_a_host_survive),
		TEST(notes_of_the_profiler_survive_in_order),
		TEST(steps_survive),
		TEST(series_are_counted_again),
		TEST(devices_survive),
		TEST(input_stages_survive),
		TEST(memory_survives),
		TEST(ops_survive),
		TEST(kernels_survive),
		TEST(the_report_from_the_store_is_the_direct_one),
		TEST(hosts_are_read_by_name),
		TEST(lists_of_hosts_do_not_mix),
		TEST(a_session_knows_its_name_and_run),
		TEST(scalars_are_summed_up_by_the_default_reading),
		TEST(what_is_no_number_counts_in_no_extreme),
		TEST(an_infinite_last_value_is_no_figure),
		TEST(scalars_of_other_runs_are_not_ones_own),
		TEST(issues_of_its_files_come_with_the_place),
		TEST(text_with_anything_in_it_survives),
		TEST(a_session_that_is_not_there_is_empty),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
