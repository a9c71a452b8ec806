/* The flat metrics of a session (METRICS.md §8). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/analyze/gate.h"
#include "lib/analyze/metric_names.h"
#include "tests/unit/support_analyze.h"

#define MS (1000 * US)

/* A session of one host or two with the steps and devices that a test sets. */
struct fixture {
	struct tf_session s;
	struct tf_host hosts[2];
	struct tf_step steps[2][8];
	struct tf_device devices[2][2];
	struct tf_allocator allocators[2][2];
	struct tf_kernel kernels[2];
	struct tf_op ops[4];
	struct tf_scalar_series scalars[2];
};

static void begin(struct fixture *f, size_t hosts)
{
	static const char *const names[] = {"a", "b"};

	*f = (struct fixture){0};
	f->s.hosts = f->hosts;
	f->s.host_count = hosts;
	for (size_t i = 0; i < 2; i++) {
		struct tf_host *h = &f->hosts[i];
		h->name = names[i];
		h->start_ns = h->dropped_count = TF_NONE;
		h->begin_ps = 0;
		h->end_ps = 100 * MS;
		h->complete = true;
		h->steps.list = f->steps[i];
		h->steps.source = TF_STEPS_NONE;
		h->steps.reason = "no_step_marker";
		h->devices = f->devices[i];
		h->device_reason = "no_device_plane";
		h->memory = f->allocators[i];
		h->memory_reason = "no_memory_events";
		h->input.reason = "no_input_events";
		h->input.get_next_count = h->input.get_next_total_ps = h->input.get_next_max_ps = TF_NONE;
	}
}

static struct tf_step *add_step(struct fixture *f, size_t host, int64_t ms)
{
	struct tf_steps *s = &f->hosts[host].steps;
	struct tf_step *p = &s->list[s->count];

	assert_true(s->count < 8);
	*p = (struct tf_step){.number = (int64_t)s->count, .name = "train", .series = "train", .main_series = true,
			      .start_ps = (int64_t)s->count * 20 * MS, .step_ps = ms * MS, .host_ps = ms * MS,
			      .device_ps = TF_NONE, .period_ps = TF_NONE, .complete = true, .has_breakdown = true,
			      .input_ps = TF_NONE, .stall_ps = TF_NONE, .kernel_count = TF_NONE};
	p->part_ps[TF_PART_HOST_COMPUTE] = p->step_ps;
	s->source = TF_STEPS_HOST_MARKER;
	s->reason = NULL;
	s->count++;
	return p;
}

static struct tf_device *add_device(struct fixture *f, size_t host, double idle)
{
	struct tf_host *h = &f->hosts[host];
	struct tf_device *d = &h->devices[h->device_count++];

	*d = (struct tf_device){.name = "/device:GPU:0", .kind = "gpu", .traced = true, .window_ps = 100 * MS,
				.idle_ratio = idle, .busy_ps = (int64_t)((1 - idle) * 100 * (double)MS)};
	d->kernel_ps = d->busy_ps;
	h->device_reason = NULL;
	return d;
}

static void build(struct fixture *f)
{
	struct tf_error err = {0};

	assert_int_equal(tf_metrics_build(&f->s, &err), 0);
}

static void done(struct fixture *f)
{
	tf_arena_release(&f->s.arena);
}

static const struct tf_metric *metric(struct fixture *f, const char *name)
{
	const struct tf_metric *m = tf_metric_find(&f->s, name);

	if (!m)
		fail_msg("no metric '%s'", name);
	return m;
}

static void assert_value(struct fixture *f, const char *name, double value)
{
	const struct tf_metric *m = metric(f, name);

	if (!m->known || fabs(m->value - value) > 1e-9)
		fail_msg("%s: %g instead of %g (%s)", name, m->value, value, m->known ? "known" : m->reason);
}

static void assert_null_because(struct fixture *f, const char *name, const char *reason)
{
	const struct tf_metric *m = metric(f, name);

	assert_false(m->known);
	assert_string_equal(m->reason, reason);
}

static void step_times_over_the_steady_steps(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	add_step(&f, 0, 50)->warmup = true;
	for (int64_t ms = 10; ms <= 13; ms++)
		add_step(&f, 0, ms);
	add_step(&f, 0, 3)->complete = false;
	add_step(&f, 0, 99)->main_series = false;
	build(&f);
	assert_value(&f, "steps.count", 7);
	assert_value(&f, "steps.steady_count", 4);
	assert_value(&f, "step_time_ms.mean", 11.5);
	assert_value(&f, "step_time_ms.median", 11.5);
	assert_value(&f, "step_time_ms.p95", 12.85);
	assert_value(&f, "step_time_ms.min", 10);
	assert_value(&f, "step_time_ms.max", 13);
	assert_value(&f, "step_time_ms.stddev", sqrt(5.0 / 3));
	assert_value(&f, "step_time_ms.mean_all", (50 + 10 + 11 + 12 + 13 + 3 + 99) / 7.0);
	assert_int_equal(metric(&f, "step_time_ms.mean")->n, 4);
	assert_int_equal(metric(&f, "step_time_ms.mean_all")->n, 7);
	assert_true(metric(&f, "steps.count")->is_integer);
	done(&f);
}

static void without_steps_their_figures_say_why(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	build(&f);
	assert_value(&f, "steps.count", 0); /* measured */
	assert_null_because(&f, "step_time_ms.mean", "no_step_marker");
	assert_null_because(&f, "step_time_ms.stddev", "no_step_marker");
	assert_null_because(&f, "step_period_ms.mean", "no_step_marker");
	assert_null_because(&f, "step_breakdown_ms.other", "no_step_marker");
	done(&f);
}

static void steps_that_are_all_cut_are_not_steady(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	add_step(&f, 0, 10)->complete = false;
	build(&f);
	assert_value(&f, "steps.count", 1);
	assert_null_because(&f, "step_time_ms.mean", "no_steady_steps");
	assert_value(&f, "step_time_ms.mean_all", 10);
	done(&f);
}

static void periods_are_those_that_are_known(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	add_step(&f, 0, 10)->period_ps = 20 * MS;
	add_step(&f, 0, 10)->period_ps = 30 * MS;
	add_step(&f, 0, 10);
	build(&f);
	assert_value(&f, "step_period_ms.mean", 25);
	assert_int_equal(metric(&f, "step_period_ms.mean")->n, 2);
	done(&f);
}

static void one_step_has_no_period(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	add_step(&f, 0, 10);
	build(&f);
	assert_null_because(&f, "step_period_ms.median", "too_few_steps");
	assert_value(&f, "step_time_ms.stddev", 0); /* as XProf */
	done(&f);
}

static void the_breakdown_is_the_mean_of_steady_steps(void **state)
{
	struct fixture f;
	double sum = 0;
	char name[64];

	(void)state;
	begin(&f, 1);
	for (int i = 0; i < 2; i++) {
		struct tf_step *p = add_step(&f, 0, 10);
		p->part_ps[TF_PART_HOST_COMPUTE] = 1 * MS;
		p->part_ps[TF_PART_DEVICE_COMPUTE_16] = 2 * MS;
		p->part_ps[TF_PART_DEVICE_COMPUTE_32] = 3 * MS;
		p->part_ps[TF_PART_OTHER] = 4 * MS;
	}
	add_step(&f, 0, 90)->complete = false;
	build(&f);
	assert_value(&f, "step_breakdown_ms.device_compute", 5);
	assert_value(&f, "step_breakdown_ms.device_compute_16", 2);
	assert_value(&f, "step_breakdown_ms.host_to_host", 0);
	for (enum tf_part part = 0; part < TF_PART_COUNT; part++) {
		snprintf(name, sizeof name, "step_breakdown_ms.%s", tf_part_name(part));
		sum += metric(&f, name)->value;
	}
	assert_true(fabs(sum - metric(&f, "step_time_ms.mean")->value) < 1e-9);
	done(&f);
}

static void input_shares_are_over_step_time(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	f.hosts[0].input.evidence = "iterator_get_next";
	f.hosts[0].input.reason = NULL;
	for (int i = 0; i < 2; i++) {
		struct tf_step *p = add_step(&f, 0, 10);
		p->input_ps = 8 * MS;
		p->stall_ps = 5 * MS;
		p->part_ps[TF_PART_INPUT_WAIT] = 6 * MS;
		p->part_ps[TF_PART_HOST_TO_DEVICE] = 1 * MS;
		p->part_ps[TF_PART_HOST_COMPUTE] = 3 * MS;
	}
	f.hosts[0].input.get_next_count = 4;
	f.hosts[0].input.get_next_total_ps = 16 * MS;
	f.hosts[0].input.get_next_max_ps = 7 * MS;
	build(&f);
	assert_value(&f, "input.share", 0.8);
	assert_value(&f, "input.exposed_share", 0.7);
	assert_value(&f, "input.stall_share", 0.5);
	assert_value(&f, "input.wait_ms_per_step", 8);
	assert_value(&f, "iterator_get_next.count", 4);
	assert_value(&f, "iterator_get_next.mean_ms", 4);
	assert_value(&f, "iterator_get_next.max_ms", 7);
	done(&f);
}

static void input_without_evidence_is_null(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	add_step(&f, 0, 10);
	build(&f);
	assert_null_because(&f, "input.share", "no_input_events");
	assert_null_because(&f, "input.exposed_share", "no_input_events");
	assert_null_because(&f, "iterator_get_next.count", "no_input_events");
	done(&f);
}

static void stalls_without_a_device_are_null(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	f.hosts[0].input.evidence = "iterator_root";
	add_step(&f, 0, 10)->input_ps = 1 * MS;
	build(&f);
	assert_value(&f, "input.share", 0.1);
	assert_null_because(&f, "input.stall_share", "no_device_plane");
	assert_null_because(&f, "iterator_get_next.count", "no_iterator_get_next");
	done(&f);
}

static void idle_is_over_all_devices(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	add_device(&f, 0, 0.2);
	add_device(&f, 0, 0.6);
	build(&f);
	assert_value(&f, "device.count", 2);
	assert_value(&f, "device.idle_ratio.mean", 0.4);
	assert_value(&f, "device.idle_ratio.min", 0.2);
	assert_value(&f, "device.idle_ratio.max", 0.6);
	assert_value(&f, "device.busy_ms", 120);
	assert_value(&f, "device.kernel_ratio", 0.6); /* 120 of 200 ms */
	assert_value(&f, "device.comm_ratio", 0);
	done(&f);
}

static void without_a_device_its_figures_say_why(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	build(&f);
	assert_value(&f, "device.count", 0);
	assert_null_because(&f, "device.idle_ratio.mean", "no_device_plane");
	assert_null_because(&f, "device.kernel_ratio", "no_device_plane");
	assert_null_because(&f, "kernels.count", "no_device_plane");
	assert_null_because(&f, "kernels.launches_per_step", "no_device_plane");
	done(&f);
}

static void devices_that_were_not_traced_are_unknown(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	struct tf_device *d = add_device(&f, 0, NAN);
	d->traced = false;
	d->reason = "device_not_traced";
	d->window_ps = d->busy_ps = d->kernel_ps = TF_NONE;
	build(&f);
	assert_value(&f, "device.count", 1);
	assert_null_because(&f, "device.idle_ratio.max", "device_not_traced");
	assert_null_because(&f, "device.busy_ms", "device_not_traced");
	assert_null_because(&f, "kernels.count", "device_not_traced");
	done(&f);
}

static struct tf_allocator *add_allocator(struct fixture *f, size_t host, const char *name, bool on_device, int64_t peak)
{
	struct tf_host *h = &f->hosts[host];
	struct tf_allocator *m = &h->memory[h->memory_count++];

	*m = (struct tf_allocator){.name = name, .on_device = on_device, .peak_bytes = peak,
				   .lifetime_peak_bytes = TF_NONE, .capacity_bytes = 2 * peak, .fragmentation = NAN};
	h->memory_reason = NULL;
	return m;
}

static void the_peak_is_the_largest_device_allocators(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	add_allocator(&f, 0, "GPU_0_bfc", true, 100);
	add_allocator(&f, 0, "gpu_host_bfc", false, 900)->pre_existing_bytes = 7;
	build(&f);
	assert_value(&f, "memory.peak_bytes", 100);
	assert_value(&f, "memory.peak_bytes[gpu_host_bfc]", 900);
	assert_value(&f, "memory.capacity_bytes[GPU_0_bfc]", 200);
	assert_value(&f, "memory.pre_existing_bytes[gpu_host_bfc]", 7);
	assert_null_because(&f, "memory.lifetime_peak_bytes[GPU_0_bfc]", "not_recorded");
	assert_null_because(&f, "memory.fragmentation[GPU_0_bfc]", "not_recorded");
	assert_true(metric(&f, "memory.peak_bytes")->unit == TF_UNIT_BYTES);
	done(&f);
}

static void without_a_device_the_peak_is_the_hosts(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	add_allocator(&f, 0, "cpu", false, 900);
	build(&f);
	assert_value(&f, "memory.peak_bytes", 900);
	done(&f);
}

static void memory_without_events_is_null(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	build(&f);
	assert_null_because(&f, "memory.peak_bytes", "no_memory_events");
	assert_null(tf_metric_find(&f.s, "memory.peak_bytes[cpu]"));
	done(&f);
}

static void kernels_are_counted_by_time_and_name(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	add_device(&f, 0, 0.5);
	add_step(&f, 0, 10)->kernel_count = 3;
	add_step(&f, 0, 10)->kernel_count = 4;
	add_step(&f, 0, 10)->complete = false;
	f.kernels[0] = (struct tf_kernel){.name = "gemm", .count = 2, .total_ps = 3 * MS, .tensor_core = true};
	f.kernels[1] = (struct tf_kernel){.name = "gemm", .count = 5, .total_ps = 9 * MS};
	f.hosts[0].kernels = f.kernels;
	f.hosts[0].kernel_count = 2;
	build(&f);
	assert_value(&f, "kernels.count", 7);
	assert_value(&f, "kernels.distinct", 1);
	assert_value(&f, "kernels.total_ms", 12);
	assert_value(&f, "kernels.tensor_core_ratio", 0.25);
	assert_value(&f, "kernels.launches_per_step", 3.5);
	done(&f);
}

static void ops_are_self_times_without_idle(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	f.ops[0] = (struct tf_op){.side = "host", .name = "a", .type = "A", .total_ps = 10 * MS, .self_ps = 6 * MS, .eager = true};
	f.ops[1] = (struct tf_op){.side = "host", .name = "b", .type = "B", .total_ps = 4 * MS, .self_ps = 4 * MS};
	f.ops[2] = (struct tf_op){.side = "host", .name = "IDLE", .type = "IDLE", .total_ps = 90 * MS, .self_ps = 90 * MS};
	f.ops[3] = (struct tf_op){.side = "device", .name = "c", .type = "C", .total_ps = 2 * MS, .self_ps = 2 * MS};
	f.hosts[0].ops = f.ops;
	f.hosts[0].op_count = 4;
	build(&f);
	assert_value(&f, "ops.host_total_ms", 10);
	assert_value(&f, "ops.device_total_ms", 2);
	assert_value(&f, "ops.eager_ratio", 0.5);
	done(&f);
}

static void scalars_by_tag(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0);
	f.scalars[0] = (struct tf_scalar_series){.tag = "epoch_loss", .count = 3, .last = 1, .min = 1, .max = 3, .mean = 2};
	f.scalars[1] = (struct tf_scalar_series){.tag = "bad", .count = 2, .last = NAN, .min = 1, .max = 1, .mean = 1,
						 .last_nonfinite = true};
	f.s.scalars = f.scalars;
	f.s.scalar_count = 2;
	build(&f);
	assert_value(&f, "scalar[epoch_loss].last", 1);
	assert_value(&f, "scalar[epoch_loss].mean", 2);
	assert_int_equal(metric(&f, "scalar[epoch_loss].max")->n, 3);
	assert_null_because(&f, "scalar[bad].last", "nonfinite");
	assert_value(&f, "scalar[bad].max", 1);
	assert_null_because(&f, "steps.count", "no_profile");
	assert_null_because(&f, "capture.events", "no_profile");
	done(&f);
}

static void a_tag_without_a_name_has_no_metric(void **state)
{
	static struct tf_scalar_series list[] = {{.tag = "", .count = 1, .last = 1, .min = 1, .max = 1, .mean = 1},
						 {.tag = "loss", .count = 1, .last = 2, .min = 2, .max = 2, .mean = 2}};
	struct fixture f;
	(void)state;
	begin(&f, 1);
	f.s.scalars = list;
	f.s.scalar_count = 2;
	build(&f);
	assert_value(&f, "scalar[loss].last", 2);
	for (size_t i = 0; i < f.s.metric_count; i++)
		assert_string_not_equal(f.s.metrics[i].name, "scalar[].last");
	done(&f);
}

static void the_capture(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	f.hosts[0].event_count = 12;
	f.hosts[0].anomaly_count = 1;
	f.hosts[0].start_ns = 5;
	build(&f);
	assert_value(&f, "capture.duration_ms", 100);
	assert_value(&f, "capture.events", 12);
	assert_value(&f, "capture.anomalies", 1);
	assert_null_because(&f, "capture.dropped", "not_recorded");
	assert_int_equal(f.s.duration_ps, 100 * MS);
	assert_int_equal(f.s.start_ns, 5);
	assert_true(f.s.complete);
	assert_string_equal(f.s.issues[0].code, "anomalies");
	done(&f);
}

static void an_empty_capture_has_no_duration(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	f.hosts[0].begin_ps = f.hosts[0].end_ps = TF_NONE;
	build(&f);
	assert_null_because(&f, "capture.duration_ms", "no_events");
	assert_value(&f, "capture.events", 0);
	done(&f);
}

static void two_hosts(struct fixture *f)
{
	begin(f, 2);
	add_step(f, 0, 10)->kernel_count = 1;
	add_step(f, 0, 20)->kernel_count = 1;
	add_step(f, 1, 12)->kernel_count = 2;
	add_step(f, 1, 14)->kernel_count = 2;
	add_device(f, 0, 0.1);
	add_device(f, 1, 0.3);
	add_allocator(f, 0, "GPU_0_bfc", true, 100);
	add_allocator(f, 1, "GPU_0_bfc", true, 300);
	f->kernels[0] = (struct tf_kernel){.name = "k", .count = 6, .total_ps = MS};
	f->hosts[0].kernels = f->kernels;
	f->hosts[0].kernel_count = 1;
	build(f);
}

static void of_several_hosts_the_slowest_counts(void **state)
{
	struct fixture f;

	(void)state;
	two_hosts(&f);
	assert_value(&f, "steps.count", 2);
	assert_value(&f, "step_time_ms.mean", 16); /* 12 and 20 */
	assert_value(&f, "step_time_ms.mean@a", 15);
	assert_value(&f, "step_time_ms.mean@b", 13);
	assert_value(&f, "device.idle_ratio.mean", 0.2);
	assert_value(&f, "device.idle_ratio.mean@b", 0.3);
	assert_value(&f, "memory.peak_bytes[GPU_0_bfc]", 300);
	assert_value(&f, "memory.peak_bytes[GPU_0_bfc]@a", 100);
	done(&f);
}

static void kernels_of_a_step_are_those_of_all_hosts(void **state)
{
	struct fixture f;

	(void)state;
	two_hosts(&f);
	assert_value(&f, "kernels.launches_per_step", 3);
	assert_value(&f, "kernels.launches_per_step@a", 1);
	done(&f);
}

static void a_step_is_steady_if_it_is_on_all_hosts(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 2);
	add_step(&f, 0, 10);
	add_step(&f, 0, 20);
	add_step(&f, 1, 50)->warmup = true;
	add_step(&f, 1, 14);
	build(&f);
	assert_value(&f, "steps.steady_count", 1);
	assert_value(&f, "step_time_ms.mean", 20);
	done(&f);
}

static void one_host_has_no_form_of_its_own(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1);
	build(&f);
	assert_null(tf_metric_find(&f.s, "steps.count@a"));
	done(&f);
}

static void every_null_has_a_reason_and_every_ratio_is_one(void **state)
{
	struct fixture f;

	(void)state;
	two_hosts(&f);
	for (size_t i = 0; i < f.s.metric_count; i++) {
		const struct tf_metric *m = &f.s.metrics[i];
		assert_true(m->known == (m->reason == NULL));
		assert_true(m->known || isnan(m->value));
		if (m->known && m->unit == TF_UNIT_RATIO)
			assert_true(m->value >= 0 && m->value <= 1);
	}
	done(&f);
}

static void every_plain_name_is_built(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0);
	build(&f);
	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++)
		if (!strstr(k->name, "[]"))
			assert_false(metric(&f, k->name)->known);
	done(&f);
}

static void names_have_units_and_directions(void **state)
{
	static const struct {
		const char *name;
		enum tf_unit unit;
		enum tf_worse worse;
	} cases[] = {
		{"step_time_ms.mean", TF_UNIT_MS, TF_WORSE_UP},
		{"steps.count", TF_UNIT_NONE, TF_WORSE_NONE},
		{"device.kernel_ratio", TF_UNIT_RATIO, TF_WORSE_DOWN},
		{"device.comm_ratio", TF_UNIT_RATIO, TF_WORSE_UP},
		{"kernels.tensor_core_ratio", TF_UNIT_RATIO, TF_WORSE_DOWN},
		{"memory.peak_bytes[GPU_0_bfc]", TF_UNIT_BYTES, TF_WORSE_UP},
		{"memory.capacity_bytes[x]", TF_UNIT_BYTES, TF_WORSE_NONE},
		{"scalar[a/b].last", TF_UNIT_NONE, TF_WORSE_NONE},
		{"step_time_ms.mean@host 1", TF_UNIT_MS, TF_WORSE_UP},
		{"memory.peak_bytes[a@b]", TF_UNIT_BYTES, TF_WORSE_UP},
		{"memory.peak_bytes[a]@h", TF_UNIT_BYTES, TF_WORSE_UP},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		enum tf_unit unit;
		enum tf_worse worse;
		if (!tf_metric_known(cases[i].name, &unit, &worse) || unit != cases[i].unit || worse != cases[i].worse)
			fail_msg("%s", cases[i].name);
	}
}

static void names_that_do_not_exist(void **state)
{
	static const char *const names[] = {"",	 "step_time_ms",      "step_time_ms.mea", "step_time_ms.mean@", "@h",
					    "x", "memory.peak_bytes[]", "scalar[].last",    "scalar[a].first",   "scalar[a]"};
	enum tf_unit unit;
	enum tf_worse worse;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (tf_metric_known(names[i], &unit, &worse))
			fail_msg("'%s'", names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(step_times_over_the_steady_steps),
		cmocka_unit_test(without_steps_their_figures_say_why),
		cmocka_unit_test(steps_that_are_all_cut_are_not_steady),
		cmocka_unit_test(periods_are_those_that_are_known),
		cmocka_unit_test(one_step_has_no_period),
		cmocka_unit_test(the_breakdown_is_the_mean_of_steady_steps),
		cmocka_unit_test(input_shares_are_over_step_time),
		cmocka_unit_test(input_without_evidence_is_null),
		cmocka_unit_test(stalls_without_a_device_are_null),
		cmocka_unit_test(idle_is_over_all_devices),
		cmocka_unit_test(without_a_device_its_figures_say_why),
		cmocka_unit_test(devices_that_were_not_traced_are_unknown),
		cmocka_unit_test(the_peak_is_the_largest_device_allocators),
		cmocka_unit_test(without_a_device_the_peak_is_the_hosts),
		cmocka_unit_test(memory_without_events_is_null),
		cmocka_unit_test(kernels_are_counted_by_time_and_name),
		cmocka_unit_test(ops_are_self_times_without_idle),
		cmocka_unit_test(scalars_by_tag),
		cmocka_unit_test(a_tag_without_a_name_has_no_metric),
		cmocka_unit_test(the_capture),
		cmocka_unit_test(an_empty_capture_has_no_duration),
		cmocka_unit_test(of_several_hosts_the_slowest_counts),
		cmocka_unit_test(kernels_of_a_step_are_those_of_all_hosts),
		cmocka_unit_test(a_step_is_steady_if_it_is_on_all_hosts),
		cmocka_unit_test(one_host_has_no_form_of_its_own),
		cmocka_unit_test(every_null_has_a_reason_and_every_ratio_is_one),
		cmocka_unit_test(every_plain_name_is_built),
		cmocka_unit_test(names_have_units_and_directions),
		cmocka_unit_test(names_that_do_not_exist),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
