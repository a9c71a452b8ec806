/* The messages of an XLA program, field by field. */
#include "lib/decode/hlo_proto.h"

#include <stdlib.h>

#include "lib/base/hash.h"
#include "lib/base/text.h"
#include "lib/base/vec.h"
#include "lib/decode/wire.h"

enum { PROTO_MODULE = 1, PROTO_ASSIGNMENT = 3 };
enum { MODULE_NAME = 1, MODULE_COMPUTATIONS = 3 };
enum { COMPUTATION_INSTRUCTIONS = 2 };
enum { INSTRUCTION_NAME = 1, INSTRUCTION_SHAPE = 3, INSTRUCTION_METADATA = 7, INSTRUCTION_ID = 35 };
enum { METADATA_OP_NAME = 2 };
enum { SHAPE_TYPE = 2, SHAPE_DIMENSIONS = 3, SHAPE_TUPLE = 4 };
enum { ASSIGNMENT_BUFFERS = 1, ASSIGNMENT_ALLOCATIONS = 3, ASSIGNMENT_TRACES = 4 };
enum { BUFFER_ID = 1, BUFFER_SIZE = 2, BUFFER_DEFINED_AT = 3, BUFFER_COLOR = 4 };
enum { LOCATION_NAME = 2, LOCATION_INDEX = 3, LOCATION_ID = 4 };
enum { ALLOCATION_INDEX = 1, ALLOCATION_SIZE = 2, ALLOCATION_THREAD_LOCAL = 3, ALLOCATION_PARAMETER = 5, ALLOCATION_LIVE_OUT = 7,
       ALLOCATION_COLOR = 8, ALLOCATION_ASSIGNED = 9, ALLOCATION_TUPLE = 11, ALLOCATION_CONSTANT = 12 };
enum { ASSIGNED_ID = 1, ASSIGNED_OFFSET = 2, ASSIGNED_SIZE = 3 };
enum { TRACE_EVENTS = 1 };
enum { EVENT_KIND = 1, EVENT_BUFFER = 2, EVENT_SHARED = 5 };

/* Tuples within tuples, and dimensions, that a shape is printed with. */
enum { TUPLE_DEPTH = 16, DIMENSIONS = 32 };

struct instruction {
	int64_t id;
	struct tf_bytes name, op_name, shape;
};

struct decoder {
	struct tf_hlo *hlo;
	struct instruction *instructions;
	size_t count, cap;
	struct tf_map by_id, by_name; /* id, hash of the name → index */
	struct tf_hlo_fault *fault;
	struct tf_error *err;
};

/* Where a buffer is defined: an instruction's id (or, in old files, its name), and which part of its result. */
struct location {
	int64_t id;
	struct tf_bytes name;
	int64_t index[TUPLE_DEPTH];
	size_t depth;
};

#define PUSH(d, list, n, max) \
	tf_arena_push(&(d)->hlo->arena, (void **)&(d)->hlo->list, &(d)->hlo->n, &(d)->hlo->max, sizeof *(d)->hlo->list)

static void note_fault(struct decoder *d, const struct tf_wire *w)
{
	if (w->fault && !d->fault->reason)
		*d->fault = (struct tf_hlo_fault){w->p, tf_wire_fault_text(w->fault), w->fault == TF_WIRE_TRUNCATED};
}

static int64_t number(const struct tf_field *f)
{
	return f->type == TF_WIRE_VARINT ? (int64_t)f->value : 0;
}

/* A repeated integer, packed or not: adds what the field holds. */
static void add_numbers(const struct tf_field *f, int64_t *list, size_t *count, size_t max)
{
	struct tf_wire w = tf_wire_of(f->type == TF_WIRE_BYTES ? f->bytes : (struct tf_bytes){NULL, 0});
	uint64_t value;

	if (f->type == TF_WIRE_VARINT && *count < max)
		list[(*count)++] = (int64_t)f->value;
	while (f->type == TF_WIRE_BYTES && w.p < w.end && tf_wire_varint(&w, &value) && *count < max)
		list[(*count)++] = (int64_t)value;
}

static struct tf_bytes op_name_of(struct tf_bytes metadata)
{
	struct tf_wire w = tf_wire_of(metadata);
	struct tf_bytes name = {NULL, 0};
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		if (f.number == METADATA_OP_NAME && f.type == TF_WIRE_BYTES)
			name = f.bytes;
	return name;
}

static int read_instruction(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct instruction *to;

	if (tf_vec_reserve((void **)&d->instructions, &d->cap, d->count + 1, sizeof *d->instructions) < 0)
		return tf_fail_nomem(d->err);
	to = &d->instructions[d->count];
	*to = (struct instruction){0};
	while (tf_wire_next(&w, &f)) {
		if (f.number == INSTRUCTION_ID)
			to->id = number(&f);
		if (f.type != TF_WIRE_BYTES)
			continue;
		if (f.number == INSTRUCTION_NAME)
			to->name = f.bytes;
		else if (f.number == INSTRUCTION_SHAPE)
			to->shape = f.bytes;
		else if (f.number == INSTRUCTION_METADATA)
			to->op_name = op_name_of(f.bytes);
	}
	note_fault(d, &w);
	if (tf_map_put(&d->by_name, tf_hash_bytes(to->name.data, to->name.len), d->count, d->err) < 0)
		return -1;
	return tf_map_put(&d->by_id, (uint64_t)to->id, d->count++, d->err);
}

static int read_module(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message), c;
	struct tf_field f, g;

	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if (f.number == MODULE_NAME)
			d->hlo->name = f.bytes;
		if (f.number != MODULE_COMPUTATIONS)
			continue;
		c = tf_wire_of(f.bytes);
		while (tf_wire_next(&c, &g))
			if (g.number == COMPUTATION_INSTRUCTIONS && g.type == TF_WIRE_BYTES && read_instruction(d, g.bytes) < 0)
				return -1;
		note_fault(d, &c);
	}
	note_fault(d, &w);
	return 0;
}

/* The shape of one part of a result, as XLA prints it, without the layout. NULL: the shape has no such part. */
static const char *shape_text(struct decoder *d, struct tf_bytes shape, const struct location *at)
{
	static const char *const types[] = {
		"?", "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "tuple", "opaque", "c64", "bf16",
		"token", "c128", "f8e5m2", "f8e4m3fn", "s4", "u4", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "s2", "u2", "f8e4m3",
		"f8e3m4", "s1", "u1", "f4e2m1fn", "f8e8m0fnu"};
	struct tf_field f;
	struct tf_buf text = {0};
	int64_t dimensions[DIMENSIONS], type = 0;
	size_t n = 0;

	for (size_t depth = 0; depth < at->depth; depth++) {
		struct tf_wire w = tf_wire_of(shape);
		int64_t part = 0;
		bool found = false;
		while (!found && tf_wire_next(&w, &f))
			if (f.number == SHAPE_TUPLE && f.type == TF_WIRE_BYTES && part++ == at->index[depth]) {
				shape = f.bytes;
				found = true;
			}
		if (!found)
			return NULL;
	}
	struct tf_wire w = tf_wire_of(shape);
	while (tf_wire_next(&w, &f)) {
		if (f.number == SHAPE_TYPE)
			type = number(&f);
		else if (f.number == SHAPE_DIMENSIONS)
			add_numbers(&f, dimensions, &n, DIMENSIONS);
	}
	tf_buf_printf(&text, "%s[", type > 0 && type < (int64_t)(sizeof types / sizeof types[0]) ? types[type] : "?");
	for (size_t i = 0; i < n; i++)
		tf_buf_printf(&text, i ? ",%lld" : "%lld", (long long)dimensions[i]);
	tf_buf_printf(&text, "]");
	const char *copy = text.failed ? NULL : tf_arena_strdup(&d->hlo->arena, text.data);
	tf_buf_release(&text);
	return copy;
}

static const struct instruction *instruction_at(const struct decoder *d, const struct location *at)
{
	const uint64_t *found = at->id ? tf_map_find(&d->by_id, (uint64_t)at->id) : NULL;

	if (!found && at->name.len)
		found = tf_map_find(&d->by_name, tf_hash_bytes(at->name.data, at->name.len));
	return found ? &d->instructions[*found] : NULL;
}

static void read_location(struct decoder *d, struct tf_bytes message, struct location *to)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.number == LOCATION_INDEX)
			add_numbers(&f, to->index, &to->depth, TUPLE_DEPTH);
		else if (f.number == LOCATION_ID)
			to->id = number(&f);
		else if (f.number == LOCATION_NAME && f.type == TF_WIRE_BYTES)
			to->name = f.bytes;
	}
	note_fault(d, &w);
}

static int read_buffer(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_hlo_buffer *to = PUSH(d, buffers, buffer_count, buffer_cap);
	struct location at = {0};
	struct tf_field f;

	if (!to)
		return tf_fail_nomem(d->err);
	while (tf_wire_next(&w, &f)) {
		if (f.number == BUFFER_ID)
			to->id = number(&f);
		else if (f.number == BUFFER_SIZE)
			to->bytes = number(&f);
		else if (f.number == BUFFER_COLOR)
			to->color = number(&f);
		else if (f.number == BUFFER_DEFINED_AT && f.type == TF_WIRE_BYTES)
			read_location(d, f.bytes, &at);
	}
	note_fault(d, &w);
	const struct instruction *from = instruction_at(d, &at);
	to->instruction = from ? from->name : at.name;
	if (from) {
		to->op_name = from->op_name;
		to->shape = shape_text(d, from->shape, &at);
	}
	return 0;
}

static int read_assigned(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_hlo_assigned *to = PUSH(d, assigned, assigned_count, assigned_cap);
	struct tf_field f;

	if (!to)
		return tf_fail_nomem(d->err);
	while (tf_wire_next(&w, &f)) {
		if (f.number == ASSIGNED_ID)
			to->buffer_id = number(&f);
		else if (f.number == ASSIGNED_OFFSET)
			to->offset = number(&f);
		else if (f.number == ASSIGNED_SIZE)
			to->bytes = number(&f);
	}
	note_fault(d, &w);
	return 0;
}

static int read_allocation(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_hlo_allocation to = {.assigned_first = d->hlo->assigned_count};
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		switch (f.number) {
		case ALLOCATION_INDEX: to.index = number(&f); break;
		case ALLOCATION_SIZE: to.bytes = number(&f); break;
		case ALLOCATION_COLOR: to.color = number(&f); break;
		case ALLOCATION_THREAD_LOCAL: to.thread_local = number(&f); break;
		case ALLOCATION_PARAMETER: to.parameter = number(&f); break;
		case ALLOCATION_CONSTANT: to.constant = number(&f); break;
		case ALLOCATION_LIVE_OUT: to.live_out = number(&f); break;
		case ALLOCATION_TUPLE: to.tuple = number(&f); break;
		case ALLOCATION_ASSIGNED:
			if (f.type == TF_WIRE_BYTES && read_assigned(d, f.bytes) < 0)
				return -1;
			break;
		default: break;
		}
	note_fault(d, &w);
	to.assigned_count = d->hlo->assigned_count - to.assigned_first;
	struct tf_hlo_allocation *added = PUSH(d, allocations, allocation_count, allocation_cap);
	if (!added)
		return tf_fail_nomem(d->err);
	*added = to;
	return 0;
}

static int read_event(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_hlo_event *to = PUSH(d, events, event_count, event_cap);
	struct tf_field f;

	if (!to)
		return tf_fail_nomem(d->err);
	while (tf_wire_next(&w, &f)) {
		if (f.number == EVENT_KIND)
			to->kind = number(&f);
		else if (f.number == EVENT_BUFFER)
			to->buffer_id = number(&f);
		else if (f.number == EVENT_SHARED)
			to->shared_id = number(&f);
	}
	note_fault(d, &w);
	return 0;
}

static int read_trace(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	size_t first = d->hlo->event_count;
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		if (f.number == TRACE_EVENTS && f.type == TF_WIRE_BYTES && read_event(d, f.bytes) < 0)
			return -1;
	note_fault(d, &w);
	struct tf_hlo_trace *to = PUSH(d, traces, trace_count, trace_cap);
	if (!to)
		return tf_fail_nomem(d->err);
	*to = (struct tf_hlo_trace){first, d->hlo->event_count - first};
	return 0;
}

static int read_assignment(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	int rc = 0;

	d->hlo->has_buffers = true;
	while (rc == 0 && tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if (f.number == ASSIGNMENT_BUFFERS)
			rc = read_buffer(d, f.bytes);
		else if (f.number == ASSIGNMENT_ALLOCATIONS)
			rc = read_allocation(d, f.bytes);
		else if (f.number == ASSIGNMENT_TRACES)
			rc = read_trace(d, f.bytes);
	}
	note_fault(d, &w);
	return rc;
}

/* The program before the assignment, which refers to it, in whatever order they lie. */
int tf_decode_hlo(struct tf_bytes content, struct tf_hlo *hlo, struct tf_hlo_fault *fault, struct tf_error *err)
{
	struct decoder d = {.hlo = hlo, .fault = fault, .err = err};
	static const uint32_t order[] = {PROTO_MODULE, PROTO_ASSIGNMENT};
	int rc = 0;

	*fault = (struct tf_hlo_fault){0};
	for (size_t i = 0; i < 2; i++) {
		struct tf_wire w = tf_wire_of(content);
		struct tf_field f;
		while (rc == 0 && tf_wire_next(&w, &f))
			if (f.number == order[i] && f.type == TF_WIRE_BYTES)
				rc = (i ? read_assignment : read_module)(&d, f.bytes);
		note_fault(&d, &w);
	}
	hlo->instruction_count = (int64_t)d.count;
	tf_map_release(&d.by_id);
	tf_map_release(&d.by_name);
	free(d.instructions);
	return rc;
}
