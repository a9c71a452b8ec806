/* Result files as results: their figures, in ps, under our names. */
#include "lib/analyze/from_sidecar.h"

#include <math.h>
#include <string.h>

#include "lib/analyze/classify.h"
#include "lib/analyze/kernel_names.h"
#include "lib/analyze/steps.h"
#include "lib/base/limits.h"

struct builder {
	const struct tf_sidecar *s;
	struct tf_arena *arena;
	struct tf_host *host;
	struct tf_error *err;
};

static const char *text(struct builder *b, struct tf_bytes bytes)
{
	return tf_utf8_repair(b->arena, bytes);
}

/* A time of the file in whole ps; what cannot be one is 0. */
static int64_t to_ps(double value, double ps_each)
{
	double ps = value * ps_each;
	return ps > 0 && ps < 9e18 ? (int64_t)llround(ps) : 0;
}

/* The parts sum to the step: what the file's parts leave is `other`, what they have too much shortens the longest. */
static void fill_parts(const struct tf_sidecar_step *from, struct tf_step *to)
{
	static const enum tf_part parts[TF_SIDECAR_PARTS] = {
		[TF_SIDECAR_UNKNOWN] = TF_PART_OTHER,
		[TF_SIDECAR_INPUT_WAIT] = TF_PART_INPUT_WAIT,
		[TF_SIDECAR_HOST_TO_DEVICE] = TF_PART_HOST_TO_DEVICE,
		[TF_SIDECAR_OUTPUT] = TF_PART_DEVICE_TO_HOST,
		[TF_SIDECAR_DEVICE_COMPUTE] = TF_PART_DEVICE_COMPUTE_32,
		[TF_SIDECAR_DEVICE_TO_DEVICE] = TF_PART_DEVICE_TO_DEVICE,
		[TF_SIDECAR_COLLECTIVES] = TF_PART_DEVICE_COLLECTIVES,
		[TF_SIDECAR_HOST_COMPUTE] = TF_PART_HOST_COMPUTE,
		[TF_SIDECAR_HOST_PREPARE] = TF_PART_KERNEL_LAUNCH,
		[TF_SIDECAR_HOST_COMPILE] = TF_PART_COMPILE,
	};
	int64_t sum = 0;

	for (size_t i = 0; i < TF_SIDECAR_PARTS; i++) {
		int64_t ps = to_ps(from->part_ms[i], 1e9), with;
		if (__builtin_add_overflow(sum, ps, &with)) /* no step holds it beside the rest: no time */
			continue;
		to->part_ps[parts[i]] += ps;
		sum = with;
	}
	to->step_ps = from->step_ms > 0 ? to_ps(from->step_ms, 1e9) : sum;
	to->part_ps[TF_PART_OTHER] += to->step_ps - sum;
	for (enum tf_part part = 0; to->part_ps[TF_PART_OTHER] < 0 && part < TF_PART_OTHER; part++) {
		int64_t debt = -to->part_ps[TF_PART_OTHER], taken = debt < to->part_ps[part] ? debt : to->part_ps[part];
		to->part_ps[part] -= taken;
		to->part_ps[TF_PART_OTHER] += taken;
	}
	to->has_breakdown = true;
}

static int add_steps(struct builder *b)
{
	struct tf_steps *steps = &b->host->steps;

	for (size_t i = 0; i < b->s->step_count; i++) {
		const struct tf_sidecar_step *from = &b->s->steps[i];
		struct tf_step *to = tf_arena_push(b->arena, (void **)&steps->list, &steps->count, &steps->cap, sizeof *to);
		if (!to)
			return tf_fail_nomem(b->err);
		to->number = from->number;
		to->name = from->name.len ? text(b, from->name) : "step";
		to->series = "step";
		to->main_series = to->complete = true;
		to->start_ps = to->host_start_ps = to->host_ps = to->device_start_ps = to->device_ps = TF_NONE;
		to->period_ps = to->input_ps = to->stall_ps = to->kernel_count = TF_NONE;
		if (!to->name)
			return tf_fail_nomem(b->err);
		fill_parts(from, to);
	}
	if (steps->count == 0) {
		steps->source = TF_STEPS_NONE;
		steps->reason = "no_step_marker";
		steps->looked_for = "the steps that the file lists: it lists none";
		return 0;
	}
	steps->source = TF_STEPS_HOST_MARKER;
	steps->confidence = 1;
	steps->event = "step";
	steps->series = tf_arena_push(b->arena, (void **)&steps->series, &steps->series_count, &steps->series_cap, sizeof *steps->series);
	if (!steps->series)
		return tf_fail_nomem(b->err);
	*steps->series = (struct tf_step_series){.name = "step", .count = steps->count, .main = true};
	for (size_t i = 0; i < steps->count; i++) {
		steps->list[i].series = steps->series->name;
		steps->series->total_ps = tf_ps_add(steps->series->total_ps, steps->list[i].step_ps);
	}
	return tf_steps_flag_warmup(steps, b->err);
}

static int add_input(struct builder *b)
{
	struct tf_input *in = &b->host->input;

	in->get_next_count = in->get_next_total_ps = in->get_next_max_ps = TF_NONE;
	in->evidence = b->s->has_input ? "input_analysis" : NULL;
	in->reason = b->s->has_input ? NULL : "not_recorded";
	for (size_t i = 0; i < b->s->stage_count; i++) {
		const struct tf_sidecar_stage *from = &b->s->stages[i];
		struct tf_stage *to = tf_arena_push(b->arena, (void **)&in->stages, &in->stage_count, &in->stage_cap, sizeof *to);
		if (!to)
			return tf_fail_nomem(b->err);
		to->pipeline = "Host:0";
		to->long_name = to->name = text(b, from->name);
		to->calls = from->count;
		to->total_ps = to_ps(from->total_ms, 1e9);
		to->self_ps = to_ps(from->self_ms, 1e9);
		to->max_ps = to->slow_calls = to->empty_calls = TF_NONE;
		to->parallelism = to->buffer_limit = to->buffered_elements = NAN;
		if (!to->name)
			return tf_fail_nomem(b->err);
	}
	return 0;
}

/* Devices that the file counts but of which it has no events. */
static int add_devices(struct builder *b)
{
	bool gpu = tf_bytes_contain(b->s->device_type, "GPU"), tpu = tf_bytes_contain(b->s->device_type, "TPU");
	const char *model = text(b, b->s->device_type);

	if (!model)
		return tf_fail_nomem(b->err);
	for (int64_t i = 0; (gpu || tpu) && i < b->s->device_count && i < TF_LIMIT_SIDECAR_DEVICES; i++) {
		struct tf_device *to = tf_arena_push(b->arena, (void **)&b->host->devices, &b->host->device_count, &b->host->device_cap,
						     sizeof *to);
		if (!to)
			return tf_fail_nomem(b->err);
		to->name = tf_arena_printf(b->arena, "/device:%s:%lld", gpu ? "GPU" : "TPU", (long long)i);
		to->kind = gpu ? "gpu" : "tpu";
		to->model = model;
		to->ordinal = i;
		to->reason = "not_recorded";
		to->memory_bytes = to->window_start_ps = to->window_ps = to->busy_ps = to->kernel_ps = TF_NONE;
		to->memcpy_ps = to->comm_ps = to->exposed_comm_ps = TF_NONE;
		to->idle_ratio = to->peak_flops = to->memory_bytes_per_s = NAN;
		if (!to->name)
			return tf_fail_nomem(b->err);
	}
	if (b->host->device_count == 0)
		b->host->device_reason = "no_device_plane";
	return 0;
}

static int add_ops(struct builder *b)
{
	for (size_t i = 0; i < b->s->op_count; i++) {
		const struct tf_sidecar_op *from = &b->s->ops[i];
		struct tf_op *to = tf_arena_push(b->arena, (void **)&b->host->ops, &b->host->op_count, &b->host->op_cap, sizeof *to);
		if (!to)
			return tf_fail_nomem(b->err);
		to->side = from->on_device ? "device" : "host";
		to->name = text(b, from->name);
		to->type = text(b, from->type);
		to->count = tf_bytes_equal(from->name, tf_bytes_of("IDLE")) ? 0 : from->count; /* the file says 1 */
		to->total_ps = to_ps(from->total_us, 1e6);
		to->self_ps = to_ps(from->self_us, 1e6);
		to->eager = from->eager;
		to->flops = to->bytes = NAN;
		to->p50_ps = to->p99_ps = to->max_ps = to->max_start_ps = to->max_step_number = TF_NONE;
		to->max_step = SIZE_MAX;
		if (!to->name || !to->type)
			return tf_fail_nomem(b->err);
	}
	if (b->host->op_count == 0)
		b->host->op_reason = "not_recorded";
	return 0;
}

static int64_t ns_to_ps(int64_t ns)
{
	int64_t ps;
	return __builtin_mul_overflow(ns, INT64_C(1000), &ps) || ps < 0 ? 0 : ps;
}

static int add_kernels(struct builder *b)
{
	for (size_t i = 0; i < b->s->kernel_count; i++) {
		const struct tf_sidecar_kernel *from = &b->s->kernels[i];
		struct tf_kernel *to = tf_arena_push(b->arena, (void **)&b->host->kernels, &b->host->kernel_count, &b->host->kernel_cap,
						     sizeof *to);
		if (!to)
			return tf_fail_nomem(b->err);
		to->name = text(b, from->name);
		to->op = from->op.len ? text(b, from->op) : NULL;
		to->grid = from->grid.len ? text(b, from->grid) : NULL;
		to->block = from->block.len ? text(b, from->block) : NULL;
		to->count = from->count;
		to->total_ps = ns_to_ps(from->total_ns);
		to->min_ps = ns_to_ps(from->min_ns);
		to->max_ps = ns_to_ps(from->max_ns);
		to->registers = from->registers;
		to->shared_bytes = tf_ps_add(from->static_bytes, from->dynamic_bytes);
		to->occupancy = tf_occupancy(from->occupancy);
		to->tensor_core = from->tensor_core;
		if (!to->name)
			return tf_fail_nomem(b->err);
	}
	return 0;
}

static int add_notes(struct builder *b)
{
	struct tf_host *h = b->host;

	h->errors = tf_arena_array(b->arena, b->s->error_count + 1, sizeof *h->errors);
	h->warnings = tf_arena_array(b->arena, b->s->warning_count + 1, sizeof *h->warnings);
	if (!h->errors || !h->warnings)
		return tf_fail_nomem(b->err);
	for (size_t i = 0; i < b->s->error_count; i++)
		if (!(h->errors[h->error_count++] = text(b, b->s->errors[i])))
			return tf_fail_nomem(b->err);
	for (size_t i = 0; i < b->s->warning_count; i++)
		if (!(h->warnings[h->warning_count++] = text(b, b->s->warnings[i])))
			return tf_fail_nomem(b->err);
	return 0;
}

int tf_host_from_sidecar(const struct tf_sidecar *s, bool truncated, struct tf_arena *arena, struct tf_host *host,
			 struct tf_error *err)
{
	struct builder b = {s, arena, host, err};

	host->id = host->start_ns = host->begin_ps = host->end_ps = TF_NONE;
	host->event_count = host->dropped_count = TF_NONE;
	host->memory_reason = "not_recorded";
	if (add_steps(&b) < 0 || add_input(&b) < 0 || add_devices(&b) < 0 || add_ops(&b) < 0 || add_kernels(&b) < 0 || add_notes(&b) < 0)
		return -1;
	host->complete = !truncated && host->error_count == 0;
	return 0;
}
