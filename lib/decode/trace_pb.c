/* Trace { 1 map<uint64, Device> devices, 4 repeated TraceEvent }. */
#include "lib/decode/trace_pb.h"

#include "lib/decode/trace_tracks.h"
#include "lib/decode/wire.h"

enum { TRACE_DEVICES = 1, TRACE_EVENTS = 4 };
enum { DEVICE_NAME = 1, DEVICE_ID = 2, DEVICE_RESOURCES = 3 };
enum { RESOURCE_NAME = 1, RESOURCE_ID = 2 };
enum { EVENT_DEVICE = 1, EVENT_RESOURCE = 2, EVENT_NAME = 3, EVENT_TIMESTAMP = 9, EVENT_DURATION = 10, EVENT_ARGS = 11 };

struct decoder {
	struct tf_tracks tracks;
	const uint8_t *base;
	struct tf_ledger_file *file;
	struct tf_arena *arena;
	struct tf_error *err;
};

static int note_fault(struct decoder *d, const struct tf_wire *w, const char *what)
{
	bool cut = w->fault == TF_WIRE_TRUNCATED;

	d->tracks.t->truncated = true;
	d->file->skipped_records++;
	d->file->skipped_bytes += w->end - w->p;
	if (cut)
		d->file->tail = TF_TAIL_PARTIAL_RECORD;
	return tf_ledger_issue(d->arena, d->file, cut ? TF_ISSUE_TRUNCATED : TF_ISSUE_PROTO_ERROR, w->p - d->base, d->err, "%s: %s", what,
			       tf_wire_fault_text(w->fault));
}

/* The id of a device or resource as text, as trace JSONs have it. */
static int number_text(struct decoder *d, uint64_t number, uint32_t *id)
{
	struct tf_buf *b = &d->tracks.scratch;

	b->len = 0;
	tf_buf_printf(b, "%llu", (unsigned long long)number);
	if (b->failed)
		return tf_fail_nomem(d->err);
	return tf_trace_intern(d->tracks.t, (struct tf_bytes){(uint8_t *)b->data, b->len}, id, d->err);
}

/* Key and value of an entry of a map; the value is a message or text. */
static void read_entry(struct tf_bytes entry, struct tf_field *key, struct tf_bytes *value)
{
	struct tf_wire w = tf_wire_of(entry);
	struct tf_field f;

	*key = (struct tf_field){.bytes = {entry.data, 0}};
	*value = (struct tf_bytes){entry.data, 0};
	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_BYTES)
			key->bytes = f.bytes;
		else if (f.number == 1)
			key->value = f.value;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			*value = f.bytes;
	}
}

/* Name and id of a device or a resource: both messages begin alike. */
static void read_name(struct tf_bytes message, struct tf_bytes *name, uint64_t *id)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.number == DEVICE_NAME && f.type == TF_WIRE_BYTES)
			*name = f.bytes;
		else if (f.number == DEVICE_ID && f.type == TF_WIRE_VARINT)
			*id = f.value;
	}
}

static int read_resource(struct decoder *d, uint32_t pid, struct tf_bytes entry)
{
	struct tf_field key;
	struct tf_bytes message, name = {entry.data, 0};
	uint32_t tid, text;

	read_entry(entry, &key, &message);
	uint64_t id = key.value;
	read_name(message, &name, &id);
	if (!name.len)
		return 0;
	if (number_text(d, id, &tid) < 0 || tf_trace_intern(d->tracks.t, name, &text, d->err) < 0)
		return -1;
	return tf_map_put(&d->tracks.thread_names, (uint64_t)pid << 32 | tid, text, d->err);
}

static int read_device(struct decoder *d, struct tf_bytes entry)
{
	struct tf_field key, f;
	struct tf_bytes message, name = {entry.data, 0};
	uint32_t pid, process, text;

	read_entry(entry, &key, &message);
	uint64_t id = key.value;
	read_name(message, &name, &id);
	if (number_text(d, id, &pid) < 0 || tf_tracks_process(&d->tracks, pid, &process) < 0
	    || tf_trace_intern(d->tracks.t, name, &text, d->err) < 0)
		return -1;
	d->tracks.processes[process].name = text;
	struct tf_wire w = tf_wire_of(message);
	while (tf_wire_next(&w, &f))
		if (f.number == DEVICE_RESOURCES && f.type == TF_WIRE_BYTES && read_resource(d, pid, f.bytes) < 0)
			return -1;
	return w.fault ? note_fault(d, &w, "device") : 0;
}

static int read_argument(struct decoder *d, struct tf_bytes entry)
{
	struct tf_field key;
	struct tf_bytes value;
	uint32_t name;

	read_entry(entry, &key, &value);
	if (tf_trace_intern(d->tracks.t, key.bytes, &name, d->err) < 0)
		return -1;
	return name ? tf_tracks_argument(&d->tracks, name, value) : 0;
}

static int read_event(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_bytes name = {message.data, 0};
	uint64_t device = 0, resource = 0, start_ps = 0, dur_ps = 0;
	size_t stat_first = d->tracks.t->stats.count;
	uint32_t pid, tid, process, track, meta, text;

	while (tf_wire_next(&w, &f)) {
		if (f.type == TF_WIRE_BYTES && f.number == EVENT_NAME)
			name = f.bytes;
		else if (f.type == TF_WIRE_BYTES && f.number == EVENT_ARGS && read_argument(d, f.bytes) < 0)
			return -1;
		if (f.type != TF_WIRE_VARINT)
			continue;
		device = f.number == EVENT_DEVICE ? f.value : device;
		resource = f.number == EVENT_RESOURCE ? f.value : resource;
		start_ps = f.number == EVENT_TIMESTAMP ? f.value : start_ps;
		dur_ps = f.number == EVENT_DURATION ? f.value : dur_ps;
	}
	if (w.fault) {
		d->tracks.t->stats.count = stat_first;
		return note_fault(d, &w, "event");
	}
	if (number_text(d, device, &pid) < 0 || number_text(d, resource, &tid) < 0 || tf_tracks_process(&d->tracks, pid, &process) < 0
	    || tf_tracks_find(&d->tracks, process, 0, tid, false, &track) < 0 || tf_trace_intern(d->tracks.t, name, &text, d->err) < 0
	    || tf_tracks_meta(&d->tracks, text, TF_NAME_EMPTY, &meta) < 0)
		return -1;
	struct tf_fine_time at = {(int64_t)(start_ps / 1000), (int16_t)(start_ps % 1000)};
	d->file->records++;
	return tf_tracks_add(&d->tracks, track, meta, at, dur_ps > INT64_MAX ? INT64_MAX : (int64_t)dur_ps, stat_first, false);
}

static int read_trace(struct decoder *d, struct tf_bytes content)
{
	struct tf_wire w = tf_wire_of(content);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if (f.number == TRACE_DEVICES && read_device(d, f.bytes) < 0)
			return -1;
		if (f.number == TRACE_EVENTS && read_event(d, f.bytes) < 0)
			return -1;
	}
	if (w.fault && note_fault(d, &w, "trace") < 0)
		return -1;
	if (d->tracks.t->events.count == 0 && d->tracks.process_count == 0)
		return tf_fail(d->err, TF_EFORMAT, "no device and no event in the trace");
	return tf_tracks_settle(&d->tracks);
}

int tf_decode_trace_pb(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
		       struct tf_error *err)
{
	struct decoder d = {.tracks = {.t = t, .err = err}, .base = content.data, .file = file, .arena = arena, .err = err};
	int rc = read_trace(&d, content);

	tf_tracks_release(&d.tracks);
	return rc;
}
