/* Memory profiles as JSON and as protobuf: the same message in two forms. */
#include "lib/decode/memory_profile.h"

#include <string.h>

#include "lib/decode/json_reader.h"
#include "lib/decode/memory_snapshots.h"
#include "lib/decode/wire.h"

struct profile {
	struct tf_snapshots snapshots;
	const uint8_t *base; /* of the content, for offsets */
	struct tf_ledger_file *file;
	struct tf_arena *arena;
	struct tf_buf scratch[5]; /* strings of one snapshot with their escapes resolved, and a key */
	struct tf_error *err;
};

static int note_fault(struct profile *p, const uint8_t *at, bool cut, enum tf_issue_code code, const char *what)
{
	p->snapshots.t->truncated = true;
	p->file->skipped_records++;
	if (cut)
		p->file->tail = TF_TAIL_PARTIAL_RECORD;
	return tf_ledger_issue(p->arena, p->file, cut ? TF_ISSUE_TRUNCATED : code, at - p->base, p->err,
			       "%s cannot be read to its end", what);
}

/* ---- JSON ---- */

/* Items of a container, the last of which may be cut. */
static struct tf_json_reader inside(const struct tf_json_value *container)
{
	struct tf_json_reader j = tf_json_inside(container);

	j.take_cut = true;
	return j;
}

/* A fault is told where it was met, not again by the containers around it. */
static int note_json(struct profile *p, const struct tf_json_reader *j, size_t issues, const char *what)
{
	if (!j->fault || p->file->issue_total != issues)
		return 0;
	return note_fault(p, j->p, j->fault == TF_JSON_CUT, TF_ISSUE_JSON_ERROR, what);
}

static int64_t json_integer(const struct tf_json_value *v)
{
	int64_t value;
	return tf_json_as_i64(v, &value) ? value : TF_NONE;
}

static enum tf_activity json_activity(const struct tf_json_value *v)
{
	static const char *const names[] = {"UNKNOWN_ACTIVITY", "ALLOCATION", "DEALLOCATION", "RESERVATION", "EXPANSION"};
	int64_t number = json_integer(v);

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (tf_bytes_equal(v->raw, tf_bytes_of(names[i])) || number == (int64_t)i)
			return (enum tf_activity)i;
	return TF_ACTIVITY_UNKNOWN;
}

/* proto3 JSON names a field in lowerCamelCase or as in the message. */
static bool is_key(struct tf_bytes key, const char *camel, const char *snake)
{
	return tf_bytes_equal(key, tf_bytes_of(camel)) || tf_bytes_equal(key, tf_bytes_of(snake));
}

static bool read_stats(struct tf_snapshot *n, const struct tf_json_value *object)
{
	struct tf_json_reader j = tf_json_inside(object);
	struct tf_json_value v;
	struct tf_bytes key;

	while (tf_json_member(&j, &key, &v)) {
		if (is_key(key, "stackReservedBytes", "stack_reserved_bytes"))
			n->stack_bytes = json_integer(&v);
		else if (is_key(key, "heapAllocatedBytes", "heap_allocated_bytes"))
			n->heap_bytes = json_integer(&v);
		else if (is_key(key, "freeMemoryBytes", "free_memory_bytes"))
			n->free_bytes = json_integer(&v);
		else if (is_key(key, "peakBytesInUse", "peak_bytes_in_use"))
			n->peak_bytes = json_integer(&v);
		else if (is_key(key, "fragmentation", "fragmentation") && !tf_json_as_double(&v, &n->fragmentation))
			n->fragmentation = tf_snapshot_init().fragmentation;
	}
	return j.fault == TF_JSON_FINE;
}

static bool read_activity(struct profile *p, struct tf_snapshot *n, const struct tf_json_value *object)
{
	struct tf_json_reader j = tf_json_inside(object);
	struct tf_json_value v;
	struct tf_bytes key;

	while (tf_json_member(&j, &key, &v)) {
		if (is_key(key, "memoryActivity", "memory_activity"))
			n->activity = json_activity(&v);
		else if (is_key(key, "requestedBytes", "requested_bytes"))
			n->requested_bytes = json_integer(&v);
		else if (is_key(key, "allocationBytes", "allocation_bytes"))
			n->bytes = json_integer(&v);
		else if (is_key(key, "address", "address") && !tf_json_as_u64(&v, &n->address))
			n->address = (uint64_t)json_integer(&v);
		else if (is_key(key, "stepId", "step_id"))
			n->step = json_integer(&v);
		else if (is_key(key, "tfOpName", "tf_op_name"))
			n->op = tf_json_as_text(&v, &p->scratch[0]);
		else if (is_key(key, "regionType", "region_type"))
			n->region = tf_json_as_text(&v, &p->scratch[1]);
		else if (is_key(key, "dataType", "data_type"))
			n->dtype = tf_json_as_text(&v, &p->scratch[2]);
		else if (is_key(key, "tensorShape", "tensor_shape"))
			n->shape = tf_json_as_text(&v, &p->scratch[3]);
	}
	return j.fault == TF_JSON_FINE;
}

static int read_snapshot(struct profile *p, const struct tf_json_value *object)
{
	struct tf_json_reader j = tf_json_inside(object);
	struct tf_json_value v;
	struct tf_bytes key;
	struct tf_snapshot n = tf_snapshot_init();
	bool fine = true;

	while (tf_json_member(&j, &key, &v)) {
		if (is_key(key, "timeOffsetPs", "time_offset_ps"))
			n.ps = json_integer(&v);
		else if (is_key(key, "aggregationStats", "aggregation_stats") && v.kind == TF_JSON_OBJECT)
			fine &= read_stats(&n, &v);
		else if (is_key(key, "activityMetadata", "activity_metadata") && v.kind == TF_JSON_OBJECT)
			fine &= read_activity(p, &n, &v);
	}
	if (!fine || j.fault || n.ps == TF_NONE)
		return note_fault(p, object->raw.data, j.fault == TF_JSON_CUT, TF_ISSUE_JSON_ERROR, "snapshot");
	for (size_t i = 0; i < 4; i++)
		if (p->scratch[i].failed)
			return tf_fail_nomem(p->err);
	p->file->records++;
	return tf_snapshots_add(&p->snapshots, &n);
}

static int read_snapshots(struct profile *p, const struct tf_json_value *list)
{
	struct tf_json_reader j = inside(list);
	struct tf_json_value v;
	size_t issues = p->file->issue_total;

	while (tf_json_element(&j, &v))
		if (v.kind == TF_JSON_OBJECT && read_snapshot(p, &v) < 0)
			return -1;
	return note_json(p, &j, issues, "list of snapshots");
}

static int64_t lifetime_peak(const struct tf_json_value *summary)
{
	struct tf_json_reader j = tf_json_inside(summary);
	struct tf_json_value v;
	struct tf_bytes key;
	int64_t peak = TF_NONE;

	while (tf_json_member(&j, &key, &v))
		if (is_key(key, "peakBytesUsageLifetime", "peak_bytes_usage_lifetime"))
			peak = json_integer(&v);
	return peak;
}

static int read_allocator(struct profile *p, struct tf_bytes raw_name, const struct tf_json_value *object)
{
	struct tf_json_reader j = inside(object);
	struct tf_json_value v, all = {0}, sampled = {0};
	struct tf_json_value name = {TF_JSON_STRING, raw_name, memchr(raw_name.data, '\\', raw_name.len) != NULL};
	struct tf_bytes key;
	int64_t peak = TF_NONE;
	size_t issues = p->file->issue_total;

	if (tf_snapshots_allocator(&p->snapshots, tf_json_as_text(&name, &p->scratch[4])) < 0)
		return -1;
	while (tf_json_member(&j, &key, &v)) {
		if (is_key(key, "memoryProfileSnapshots", "memory_profile_snapshots"))
			all = v;
		else if (is_key(key, "sampledTimelineSnapshots", "sampled_timeline_snapshots"))
			sampled = v;
		else if (is_key(key, "profileSummary", "profile_summary") && v.kind == TF_JSON_OBJECT)
			peak = lifetime_peak(&v);
	}
	if (all.kind == TF_JSON_ARRAY && read_snapshots(p, &all) < 0)
		return -1;
	p->snapshots.sampled_only = true;
	if (sampled.kind == TF_JSON_ARRAY && read_snapshots(p, &sampled) < 0)
		return -1;
	if (note_json(p, &j, issues, "allocator") < 0)
		return -1;
	return tf_snapshots_lifetime_peak(&p->snapshots, peak);
}

/* The member of the document that holds the allocators; a document that is cut ends inside it. */
static int read_document(struct profile *p, struct tf_bytes content)
{
	struct tf_json_reader j = tf_json_of(content);
	struct tf_json_value document, v;
	struct tf_bytes key;
	size_t issues = p->file->issue_total;

	j.take_cut = true;
	if (!tf_json_value(&j, &document) || document.kind != TF_JSON_OBJECT)
		return tf_fail(p->err, TF_EFORMAT, "no memory profile in the text");
	for (j = inside(&document); tf_json_member(&j, &key, &v);) {
		if (!is_key(key, "memoryProfilePerAllocator", "memory_profile_per_allocator") || v.kind != TF_JSON_OBJECT)
			continue;
		struct tf_json_reader each = inside(&v);
		struct tf_json_value allocator;
		while (tf_json_member(&each, &key, &allocator))
			if (allocator.kind == TF_JSON_OBJECT && read_allocator(p, key, &allocator) < 0)
				return -1;
		if (note_json(p, &each, issues, "list of allocators") < 0)
			return -1;
	}
	return note_json(p, &j, issues, "profile");
}

/* ---- protobuf ---- */

static int note_wire(struct profile *p, const struct tf_wire *w, const char *what)
{
	return w->fault ? note_fault(p, w->p, w->fault == TF_WIRE_TRUNCATED, TF_ISSUE_PROTO_ERROR, what) : 0;
}

static bool wire_stats(struct tf_snapshot *n, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	/* proto3 leaves out what is 0. */
	n->stack_bytes = n->heap_bytes = n->free_bytes = n->peak_bytes = 0;
	n->fragmentation = 0;
	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_VARINT)
			n->stack_bytes = (int64_t)f.value;
		else if (f.number == 2 && f.type == TF_WIRE_VARINT)
			n->heap_bytes = (int64_t)f.value;
		else if (f.number == 3 && f.type == TF_WIRE_VARINT)
			n->free_bytes = (int64_t)f.value;
		else if (f.number == 4 && f.type == TF_WIRE_FIXED64)
			memcpy(&n->fragmentation, &f.value, sizeof n->fragmentation);
		else if (f.number == 5 && f.type == TF_WIRE_VARINT)
			n->peak_bytes = (int64_t)f.value;
	}
	return w.fault == TF_WIRE_FINE;
}

static bool wire_activity(struct tf_snapshot *n, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_bytes *const texts[] = {[5] = &n->op, [7] = &n->region, [8] = &n->dtype, [9] = &n->shape};

	n->requested_bytes = n->bytes = n->step = 0;
	while (tf_wire_next(&w, &f)) {
		if (f.type == TF_WIRE_BYTES && f.number >= 5 && f.number <= 9 && texts[f.number])
			*texts[f.number] = f.bytes;
		if (f.type != TF_WIRE_VARINT)
			continue;
		if (f.number == 1)
			n->activity = f.value <= TF_ACTIVITY_EXPANSION ? (enum tf_activity)f.value : TF_ACTIVITY_UNKNOWN;
		else if (f.number == 2)
			n->requested_bytes = (int64_t)f.value;
		else if (f.number == 3)
			n->bytes = (int64_t)f.value;
		else if (f.number == 4)
			n->address = f.value;
		else if (f.number == 6)
			n->step = (int64_t)f.value;
	}
	return w.fault == TF_WIRE_FINE;
}

static int wire_snapshot(struct profile *p, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_snapshot n = tf_snapshot_init();
	bool fine = true;

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_VARINT)
			n.ps = (int64_t)f.value;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			fine &= wire_stats(&n, f.bytes);
		else if (f.number == 3 && f.type == TF_WIRE_BYTES)
			fine &= wire_activity(&n, f.bytes);
	}
	if (w.fault)
		return note_wire(p, &w, "snapshot");
	if (!fine)
		return note_fault(p, message.data, false, TF_ISSUE_PROTO_ERROR, "snapshot");
	p->file->records++;
	return tf_snapshots_add(&p->snapshots, &n);
}

/* The snapshots of an allocator: those of field 1, or the sampled ones of field 5. */
static int wire_snapshots(struct profile *p, struct tf_bytes message, uint32_t number)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		if (f.number == number && f.type == TF_WIRE_BYTES && wire_snapshot(p, f.bytes) < 0)
			return -1;
	return number == 1 ? note_wire(p, &w, "allocator") : 0;
}

static int wire_summary(struct profile *p, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message), inner;
	struct tf_field f, g;

	while (tf_wire_next(&w, &f)) {
		if (f.number != 2 || f.type != TF_WIRE_BYTES)
			continue;
		inner = tf_wire_of(f.bytes);
		while (tf_wire_next(&inner, &g))
			if (g.number == 1 && g.type == TF_WIRE_VARINT && tf_snapshots_lifetime_peak(&p->snapshots, (int64_t)g.value) < 0)
				return -1;
	}
	return 0;
}

static int wire_allocator(struct profile *p, struct tf_bytes entry)
{
	struct tf_wire w = tf_wire_of(entry);
	struct tf_field f;
	struct tf_bytes name = {entry.data, 0}, message = {entry.data, 0};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_BYTES)
			name = f.bytes;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			message = f.bytes;
	}
	if (note_wire(p, &w, "allocator") < 0 || tf_snapshots_allocator(&p->snapshots, name) < 0 || wire_snapshots(p, message, 1) < 0)
		return -1;
	p->snapshots.sampled_only = true;
	return wire_snapshots(p, message, 5) < 0 ? -1 : wire_summary(p, message);
}

static int read_message(struct profile *p, struct tf_bytes content)
{
	struct tf_wire w = tf_wire_of(content);
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		if (f.number == 1 && f.type == TF_WIRE_BYTES && wire_allocator(p, f.bytes) < 0)
			return -1;
	return note_wire(p, &w, "profile");
}

static int decode(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err,
		  int (*read)(struct profile *, struct tf_bytes))
{
	struct profile p = {.snapshots = {.t = t, .err = err}, .base = content.data, .file = file, .arena = arena, .err = err};
	int rc = tf_snapshots_begin(&p.snapshots) < 0 ? -1 : read(&p, content);

	tf_snapshots_release(&p.snapshots);
	for (size_t i = 0; i < sizeof p.scratch / sizeof p.scratch[0]; i++)
		tf_buf_release(&p.scratch[i]);
	return rc;
}

int tf_decode_memory_json(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			  struct tf_error *err)
{
	return decode(content, t, file, arena, err, read_document);
}

int tf_decode_memory_pb(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			struct tf_error *err)
{
	return decode(content, t, file, arena, err, read_message);
}
