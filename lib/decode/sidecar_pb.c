/* The messages of result files, field by field. */
#include "lib/decode/sidecar_pb.h"

#include <string.h>

#include "lib/decode/wire.h"

enum { OVERVIEW_INPUT = 2, OVERVIEW_ENVIRONMENT = 6, OVERVIEW_DIAGNOSTICS = 8 };
enum { ENVIRONMENT_DEVICE_TYPE = 4, ENVIRONMENT_CORES = 5 };
enum { DIAGNOSTICS_WARNINGS = 2, DIAGNOSTICS_ERRORS = 3 };
enum { INPUT_STEPS = 4, INPUT_OPS = 6, INPUT_DIAGNOSTICS = 12 };
enum { STATS_WITH_IDLE = 4, STATS_WITHOUT_IDLE = 5 };

struct decoder {
	struct tf_sidecar *s;
	const uint8_t *base;
	struct tf_ledger_file *file;
	struct tf_arena *arena;
	bool truncated;
	struct tf_error *err;
};

static int note_fault(struct decoder *d, const struct tf_wire *w, const char *what)
{
	bool cut = w->fault == TF_WIRE_TRUNCATED;

	if (!w->fault)
		return 0;
	d->truncated = true;
	d->file->skipped_records++;
	d->file->skipped_bytes += w->end - w->p;
	if (cut)
		d->file->tail = TF_TAIL_PARTIAL_RECORD;
	return tf_ledger_issue(d->arena, d->file, cut ? TF_ISSUE_TRUNCATED : TF_ISSUE_PROTO_ERROR, w->p - d->base, d->err, "%s: %s", what,
			       tf_wire_fault_text(w->fault));
}

static double as_double(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* A double of the message; 0 where another type stands. */
static double number(const struct tf_field *f)
{
	return f->type == TF_WIRE_FIXED64 ? as_double(f->value) : 0;
}

static int64_t count(const struct tf_field *f)
{
	return f->type == TF_WIRE_VARINT ? (int64_t)f->value : 0;
}

static struct tf_bytes text(const struct tf_field *f)
{
	return f->type == TF_WIRE_BYTES ? f->bytes : (struct tf_bytes){(const uint8_t *)"", 0};
}

/* A new element of one of the sidecar's lists. */
#define PUSH(d, list) \
	tf_arena_push(&(d)->s->arena, (void **)&(d)->s->list##s, &(d)->s->list##_count, &(d)->s->list##_cap, sizeof *(d)->s->list##s)

static int read_generic_step(struct decoder *d, struct tf_bytes message)
{
	static const enum tf_sidecar_part parts[] = {
		[3] = TF_SIDECAR_UNKNOWN,	  [5] = TF_SIDECAR_OUTPUT,	  [6] = TF_SIDECAR_DEVICE_COMPUTE,
		[7] = TF_SIDECAR_DEVICE_TO_DEVICE, [8] = TF_SIDECAR_HOST_COMPUTE, [9] = TF_SIDECAR_HOST_PREPARE,
		[10] = TF_SIDECAR_HOST_COMPILE,	  [11] = TF_SIDECAR_INPUT_WAIT,	  [12] = TF_SIDECAR_HOST_TO_DEVICE,
		[13] = TF_SIDECAR_COLLECTIVES,
	};
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_sidecar_step *step = PUSH(d, step);

	if (!step)
		return tf_fail_nomem(d->err);
	while (tf_wire_next(&w, &f)) {
		if (f.number == 1)
			step->number = count(&f);
		else if (f.number == 2)
			step->step_ms = number(&f);
		else if (f.number == 14)
			step->name = text(&f);
		else if (f.number == 3 || (f.number >= 5 && f.number <= 13))
			step->part_ms[parts[f.number]] = number(&f);
	}
	d->file->records++;
	return note_fault(d, &w, "step");
}

/* A TPU's step has no time of its own: what its core did sums to it. Infeed is waiting for input. */
static int read_tpu_step(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_sidecar_step *step = PUSH(d, step);

	if (!step)
		return tf_fail_nomem(d->err);
	while (tf_wire_next(&w, &f)) {
		if (f.number == 1)
			step->number = count(&f);
		else if (f.number == 13 || f.number == 16)
			step->part_ms[TF_SIDECAR_DEVICE_COMPUTE] += number(&f);
		else if (f.number == 3 || f.number == 17)
			step->part_ms[TF_SIDECAR_INPUT_WAIT] += number(&f);
		else if (f.number == 11 || f.number == 12)
			step->part_ms[TF_SIDECAR_COLLECTIVES] += number(&f);
		else if (f.number == 14)
			step->part_ms[TF_SIDECAR_UNKNOWN] = number(&f);
		else if (f.number == 15)
			step->part_ms[TF_SIDECAR_OUTPUT] = number(&f);
		else if (f.number == 18)
			step->part_ms[TF_SIDECAR_HOST_TO_DEVICE] = number(&f);
	}
	d->file->records++;
	return note_fault(d, &w, "step");
}

static bool ends_with(struct tf_bytes b, const char *suffix)
{
	size_t n = strlen(suffix);
	return b.len >= n && memcmp(b.data + b.len - n, suffix, n) == 0;
}

/* An Any: the type's URL, and the message. */
static int read_step(struct decoder *d, struct tf_bytes any)
{
	struct tf_wire w = tf_wire_of(any);
	struct tf_field f;
	struct tf_bytes type = {any.data, 0}, message = {any.data, 0};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1)
			type = text(&f);
		else if (f.number == 2)
			message = text(&f);
	}
	if (w.fault)
		return note_fault(d, &w, "step");
	if (ends_with(type, ".PerGenericStepDetails"))
		return read_generic_step(d, message);
	return ends_with(type, ".PerTpuStepDetails") ? read_tpu_step(d, message) : 0;
}

static int read_stage(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_sidecar_stage *stage = PUSH(d, stage);

	if (!stage)
		return tf_fail_nomem(d->err);
	while (tf_wire_next(&w, &f)) {
		if (f.number == 1)
			stage->name = text(&f);
		else if (f.number == 2)
			stage->count = count(&f);
		else if (f.number == 3)
			stage->total_ms = number(&f);
		else if (f.number == 5)
			stage->self_ms = number(&f);
		else if (f.number == 7)
			stage->category = text(&f);
	}
	d->file->records++;
	return note_fault(d, &w, "input op");
}

static int read_diagnostics(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES || (f.number != DIAGNOSTICS_WARNINGS && f.number != DIAGNOSTICS_ERRORS))
			continue;
		struct tf_bytes *to = f.number == DIAGNOSTICS_WARNINGS ? PUSH(d, warning) : PUSH(d, error);
		if (!to)
			return tf_fail_nomem(d->err);
		*to = f.bytes;
	}
	return note_fault(d, &w, "diagnostics");
}

static int read_input(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	d->s->has_input = true;
	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if ((f.number == INPUT_STEPS && read_step(d, f.bytes) < 0) || (f.number == INPUT_OPS && read_stage(d, f.bytes) < 0)
		    || (f.number == INPUT_DIAGNOSTICS && read_diagnostics(d, f.bytes) < 0))
			return -1;
	}
	return note_fault(d, &w, "input pipeline");
}

static int read_environment(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.number == ENVIRONMENT_DEVICE_TYPE)
			d->s->device_type = text(&f);
		else if (f.number == ENVIRONMENT_CORES)
			d->s->device_count = count(&f);
	}
	return note_fault(d, &w, "run environment");
}

static int read_overview(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if ((f.number == OVERVIEW_INPUT && read_input(d, f.bytes) < 0)
		    || (f.number == OVERVIEW_ENVIRONMENT && read_environment(d, f.bytes) < 0)
		    || (f.number == OVERVIEW_DIAGNOSTICS && read_diagnostics(d, f.bytes) < 0))
			return -1;
	}
	return note_fault(d, &w, "overview page");
}

static int read_op(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_sidecar_op *op = PUSH(d, op);

	if (!op)
		return tf_fail_nomem(d->err);
	while (tf_wire_next(&w, &f)) {
		switch (f.number) {
		case 2:
			op->on_device = tf_bytes_equal(text(&f), tf_bytes_of("Device"));
			break;
		case 3:
			op->type = text(&f);
			break;
		case 4:
			op->name = text(&f);
			break;
		case 5:
			op->count = count(&f);
			break;
		case 6:
			op->total_us = number(&f);
			break;
		case 8:
			op->self_us = number(&f);
			break;
		case 18:
			op->eager = f.type == TF_WIRE_VARINT ? f.value != 0 : tf_bytes_equal(text(&f), tf_bytes_of("Eager"));
			break;
		default:
			break;
		}
	}
	d->file->records++;
	return note_fault(d, &w, "op");
}

static int read_table(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		if (f.number == 1 && f.type == TF_WIRE_BYTES && read_op(d, f.bytes) < 0)
			return -1;
	return note_fault(d, &w, "table of ops");
}

/* Both tables list the same ops; the first one has the IDLE rows too. */
static int read_stats(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_bytes without_idle = {message.data, 0};

	while (tf_wire_next(&w, &f)) {
		if (f.number == STATS_WITH_IDLE && read_table(d, text(&f)) < 0)
			return -1;
		if (f.number == STATS_WITHOUT_IDLE)
			without_idle = text(&f);
	}
	if (d->s->op_count == 0 && read_table(d, without_idle) < 0)
		return -1;
	return note_fault(d, &w, "statistics");
}

/* Three packed numbers as "x,y,z". */
static int read_dimensions(struct decoder *d, const struct tf_field *f, struct tf_bytes *to)
{
	struct tf_wire w = tf_wire_of(text(f));
	uint64_t n[3] = {1, 1, 1};
	size_t at = 0;

	while (at < 3 && w.p < w.end && tf_wire_varint(&w, &n[at]))
		at++;
	char *shape = tf_arena_printf(&d->s->arena, "%llu,%llu,%llu", (unsigned long long)n[0], (unsigned long long)n[1],
				      (unsigned long long)n[2]);
	if (!shape)
		return tf_fail_nomem(d->err);
	*to = tf_bytes_of(shape);
	return 0;
}

static double float_number(const struct tf_field *f)
{
	uint32_t bits = (uint32_t)f->value;
	float value;

	memcpy(&value, &bits, sizeof value);
	return f->type == TF_WIRE_FIXED32 ? (double)value : 0;
}

static int read_kernel(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_sidecar_kernel *k = PUSH(d, kernel);

	if (!k)
		return tf_fail_nomem(d->err);
	int64_t *const integers[] = {[2] = &k->registers, [3] = &k->static_bytes, [4] = &k->dynamic_bytes, [7] = &k->total_ns,
				     [8] = &k->min_ns,	  [9] = &k->max_ns,	  [13] = &k->count};
	while (tf_wire_next(&w, &f)) {
		if (f.number < sizeof integers / sizeof integers[0] && integers[f.number])
			*integers[f.number] = count(&f);
		else if (f.number == 1)
			k->name = text(&f);
		else if (f.number == 10)
			k->tensor_core = count(&f) != 0;
		else if (f.number == 12)
			k->op = text(&f);
		else if (f.number == 14)
			k->occupancy = float_number(&f);
		else if ((f.number == 5 || f.number == 6) && read_dimensions(d, &f, f.number == 5 ? &k->block : &k->grid) < 0)
			return -1;
	}
	d->file->records++;
	return note_fault(d, &w, "kernel");
}

static int read_kernels(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		if (f.number == 1 && f.type == TF_WIRE_BYTES && read_kernel(d, f.bytes) < 0)
			return -1;
	return note_fault(d, &w, "kernel statistics");
}

int tf_decode_sidecar(struct tf_bytes content, enum tf_file_kind kind, struct tf_sidecar *s, bool *truncated,
		      struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err)
{
	struct decoder d = {.s = s, .base = content.data, .file = file, .arena = arena, .err = err};
	int (*const read)(struct decoder *, struct tf_bytes) = kind == TF_FILE_OVERVIEW_PB	    ? read_overview
							       : kind == TF_FILE_INPUT_PIPELINE_PB  ? read_input
							       : kind == TF_FILE_TENSORFLOW_STATS_PB ? read_stats
												     : read_kernels;
	int rc = read(&d, content);

	*truncated = d.truncated;
	return rc;
}
