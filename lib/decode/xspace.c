/*
 * XSpace decoder. A plane's metadata comes after its lines in the file, so each plane is read twice: first names and
 * stats, then lines. Lines of one id, and planes of one name, stay apart as they are in the file.
 */
#include "lib/decode/xspace.h"

#include <stdlib.h>

#include "lib/base/hash.h"
#include "lib/base/text.h"
#include "lib/base/vec.h"
#include "lib/decode/wire.h"

/* Field numbers of the messages; the format is fixed. */
enum { SPACE_PLANES = 1, SPACE_ERRORS = 2, SPACE_WARNINGS = 3, SPACE_HOSTNAMES = 4 };
enum { PLANE_ID = 1, PLANE_NAME = 2, PLANE_LINES = 3, PLANE_EVENT_META = 4, PLANE_STAT_META = 5, PLANE_STATS = 6 };
enum { LINE_ID = 1, LINE_NAME = 2, LINE_TIMESTAMP = 3, LINE_EVENTS = 4, LINE_DURATION = 9, LINE_DISPLAY_ID = 10,
       LINE_DISPLAY_NAME = 11 };
enum { EVENT_META = 1, EVENT_OFFSET = 2, EVENT_DURATION = 3, EVENT_STATS = 4, EVENT_OCCURRENCES = 5 };
enum { STAT_META = 1, STAT_DOUBLE = 2, STAT_UINT64 = 3, STAT_INT64 = 4, STAT_STR = 5, STAT_BYTES = 6, STAT_REF = 7 };
enum { META_ID = 1, META_NAME = 2, META_BYTES = 3, META_DISPLAY_NAME = 4, META_STATS = 5 };

struct decoder {
	struct tf_trace *t;
	struct tf_ledger_file *file;
	struct tf_arena *arena;
	const uint8_t *base;
	struct tf_map event_meta; /* of the plane: metadata id → index in t->metas */
	struct tf_map stat_meta;  /* metadata id → string id */
	struct tf_error *err;
};

static int64_t offset_of(const struct decoder *d, const uint8_t *p)
{
	return p - d->base;
}

/* Notes a fault inside a message; what follows it in that message is lost. */
static int note_fault(struct decoder *d, const struct tf_wire *w, const char *message)
{
	bool cut = w->fault == TF_WIRE_TRUNCATED;

	d->file->skipped_records++;
	d->file->skipped_bytes += w->end - w->p;
	d->t->truncated = true;
	if (cut)
		d->file->tail = TF_TAIL_PARTIAL_RECORD;
	return tf_ledger_issue(d->arena, d->file, cut ? TF_ISSUE_TRUNCATED : TF_ISSUE_PROTO_ERROR,
			       offset_of(d, w->p), d->err, "%s: %s, %lld bytes lost", message,
			       tf_wire_fault_text(w->fault), (long long)(w->end - w->p));
}

/*
 * At the end of the file a length may promise more than is there: the message is then what is there. True if a bytes field
 * was cut so; `f` holds the rest and the reader is at its end.
 */
static bool take_cut(struct tf_wire *w, struct tf_field *f)
{
	struct tf_wire at = *w;
	uint64_t key, len;

	at.fault = TF_WIRE_FINE;
	if (w->fault != TF_WIRE_TRUNCATED || !tf_wire_varint(&at, &key) || (key & 7) != TF_WIRE_BYTES
	    || !tf_wire_varint(&at, &len) || key >> 3 == 0 || key >> 32)
		return false;
	f->number = (uint32_t)(key >> 3);
	f->type = TF_WIRE_BYTES;
	f->bytes = (struct tf_bytes){at.p, (size_t)(at.end - at.p)};
	w->p = w->end;
	return true;
}

static int intern(struct decoder *d, struct tf_bytes text, uint32_t *id)
{
	return tf_trace_intern(d->t, text, id, d->err);
}

/* The name of a stat metadata id; "" if the file does not say. */
static uint32_t stat_name(const struct decoder *d, uint64_t id)
{
	const uint64_t *found = tf_map_find(&d->stat_meta, id);
	return found ? (uint32_t)*found : TF_NAME_EMPTY;
}

/* The value field of a stat. 1: it is one, 0: it is something else, -1: out of memory. */
static int stat_value(struct decoder *d, const struct tf_field *f, enum tf_stat_kind *kind, int64_t *value)
{
	uint32_t id;

	switch (f->number << 3 | f->type) {
	case STAT_DOUBLE << 3 | TF_WIRE_FIXED64:
		*kind = TF_STAT_DOUBLE;
		*value = (int64_t)f->value;
		return 1;
	case STAT_UINT64 << 3 | TF_WIRE_VARINT:
		*kind = TF_STAT_U64;
		*value = (int64_t)f->value;
		return 1;
	case STAT_INT64 << 3 | TF_WIRE_VARINT:
		*kind = TF_STAT_I64;
		*value = (int64_t)f->value;
		return 1;
	case STAT_REF << 3 | TF_WIRE_VARINT:
		*kind = TF_STAT_TEXT;
		*value = stat_name(d, f->value);
		return 1;
	case STAT_STR << 3 | TF_WIRE_BYTES:
	case STAT_BYTES << 3 | TF_WIRE_BYTES:
		*kind = f->number == STAT_STR ? TF_STAT_TEXT : TF_STAT_BYTES;
		if (intern(d, f->bytes, &id) < 0)
			return -1;
		*value = id;
		return 1;
	default:
		return 0;
	}
}

static int read_stat(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	uint64_t meta = 0;
	enum tf_stat_kind kind = TF_STAT_I64;
	int64_t value = 0;
	bool has_value = false;

	while (tf_wire_next(&w, &f)) {
		if (f.number == STAT_META && f.type == TF_WIRE_VARINT) {
			meta = f.value;
			continue;
		}
		int is_value = stat_value(d, &f, &kind, &value);
		if (is_value < 0)
			return -1;
		has_value |= is_value > 0;
	}
	if (w.fault)
		return note_fault(d, &w, "stat");
	uint32_t name = stat_name(d, meta);
	if (!has_value || name == TF_NAME_EMPTY)
		return 0; /* nothing that could be asked for by name */
	return tf_trace_add_stat(d->t, name, kind, value, d->err);
}

static int unknown_meta(struct decoder *d, uint64_t id, uint32_t *at)
{
	char text[40];
	uint32_t name;
	struct tf_buf b = {0};

	tf_buf_printf(&b, "(unknown %lld)", (long long)id);
	if (b.failed || b.len >= sizeof text) {
		tf_buf_release(&b);
		return tf_fail_nomem(d->err);
	}
	memcpy(text, b.data, b.len + 1);
	tf_buf_release(&b);
	if (intern(d, tf_bytes_of(text), &name) < 0 || tf_trace_add_meta(d->t, name, 0, at, d->err) < 0)
		return -1;
	return tf_map_put(&d->event_meta, id, *at, d->err);
}

static int meta_index(struct decoder *d, uint64_t id, uint32_t *at)
{
	const uint64_t *found = tf_map_find(&d->event_meta, id);

	if (!found)
		return unknown_meta(d, id, at);
	*at = (uint32_t)*found;
	return 0;
}

static int read_event(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	uint64_t meta_id = 0;
	int64_t offset_ps = 0, dur_ps = 0, count = TF_NONE;
	size_t stat_first = d->t->stats.count;
	uint32_t meta;

	while (tf_wire_next(&w, &f)) {
		if (f.number == EVENT_STATS && f.type == TF_WIRE_BYTES) {
			if (read_stat(d, f.bytes) < 0)
				return -1;
		} else if (f.type != TF_WIRE_VARINT) {
			continue;
		} else if (f.number == EVENT_META) {
			meta_id = f.value;
		} else if (f.number == EVENT_OFFSET) {
			offset_ps = (int64_t)f.value;
			count = TF_NONE; /* the last of a oneof wins */
		} else if (f.number == EVENT_DURATION) {
			dur_ps = (int64_t)f.value;
		} else if (f.number == EVENT_OCCURRENCES) {
			count = (int64_t)f.value;
		}
	}
	if (w.fault) {
		d->t->stats.count = stat_first;
		return note_fault(d, &w, "event");
	}
	if (meta_index(d, meta_id, &meta) < 0)
		return -1;
	d->file->records++;
	return tf_trace_add_event(d->t, meta, offset_ps, dur_ps, count, stat_first, d->err);
}

/* The line's own fields; returns how many events it lists. */
static int read_line_head(struct decoder *d, struct tf_bytes message, struct tf_line *line, size_t *events)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	uint32_t display_name = 0;

	*events = 0;
	while (tf_wire_next(&w, &f)) {
		switch (f.number << 3 | f.type) {
		case LINE_ID << 3 | TF_WIRE_VARINT:
			line->id = (int64_t)f.value;
			break;
		case LINE_DISPLAY_ID << 3 | TF_WIRE_VARINT:
			line->display_id = (int64_t)f.value;
			break;
		case LINE_TIMESTAMP << 3 | TF_WIRE_VARINT:
			line->timestamp_ns = (int64_t)f.value;
			break;
		case LINE_DURATION << 3 | TF_WIRE_VARINT:
			line->duration_ps = (int64_t)f.value;
			break;
		case LINE_NAME << 3 | TF_WIRE_BYTES:
			if (intern(d, f.bytes, &line->name) < 0)
				return -1;
			break;
		case LINE_DISPLAY_NAME << 3 | TF_WIRE_BYTES:
			if (intern(d, f.bytes, &display_name) < 0)
				return -1;
			break;
		case LINE_EVENTS << 3 | TF_WIRE_BYTES:
			++*events;
			break;
		default:
			break;
		}
	}
	if (display_name)
		line->name = display_name;
	if (line->display_id == 0)
		line->display_id = line->id;
	return 0;
}

static int read_line(struct decoder *d, size_t plane, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_line line = {0};
	struct tf_field f;
	size_t events, at;

	if (read_line_head(d, message, &line, &events) < 0 || tf_trace_add_line(d->t, plane, &line, &at, d->err) < 0
	    || tf_trace_reserve_events(d->t, events, d->err) < 0)
		return -1;
	while (tf_wire_next(&w, &f))
		if (f.number == LINE_EVENTS && f.type == TF_WIRE_BYTES && read_event(d, f.bytes) < 0)
			return -1;
	return w.fault ? note_fault(d, &w, "line") : 0;
}

/* The stats of a plane or of an event metadata, appended to the trace. */
static int read_stats(struct decoder *d, struct tf_bytes message, uint32_t number, struct tf_stat_range *range)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	range->first = (uint32_t)d->t->stats.count;
	while (tf_wire_next(&w, &f))
		if (f.number == number && f.type == TF_WIRE_BYTES && read_stat(d, f.bytes) < 0)
			return -1;
	range->count = (uint32_t)(d->t->stats.count - range->first);
	return 0;
}

static int read_event_meta(struct decoder *d, uint64_t id, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	uint32_t name = 0, display_name = 0, at;

	while (tf_wire_next(&w, &f)) {
		if (f.number == META_NAME && f.type == TF_WIRE_BYTES && intern(d, f.bytes, &name) < 0)
			return -1;
		if (f.number == META_DISPLAY_NAME && f.type == TF_WIRE_BYTES && intern(d, f.bytes, &display_name) < 0)
			return -1;
	}
	if (w.fault && note_fault(d, &w, "event metadata") < 0)
		return -1;
	if (tf_trace_add_meta(d->t, name, display_name, &at, d->err) < 0)
		return -1;
	return tf_map_put(&d->event_meta, id, at, d->err);
}

static int read_stat_meta(struct decoder *d, uint64_t id, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	uint32_t name = 0;

	while (tf_wire_next(&w, &f))
		if (f.number == META_NAME && f.type == TF_WIRE_BYTES && intern(d, f.bytes, &name) < 0)
			return -1;
	if (w.fault && note_fault(d, &w, "stat metadata") < 0)
		return -1;
	return tf_map_put(&d->stat_meta, id, name, d->err);
}

/* One entry of a map field: key 1, value 2. */
static void read_entry(struct tf_bytes message, uint64_t *key, struct tf_bytes *value)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	*key = 0;
	*value = (struct tf_bytes){message.data, 0};
	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_VARINT)
			*key = f.value;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			*value = f.bytes;
	}
}

/* Walks the fields of a plane; the last one may be cut by the end of the file. */
static bool next_of_plane(struct tf_wire *w, struct tf_field *f)
{
	return tf_wire_next(w, f) || (w->fault == TF_WIRE_TRUNCATED && w->p != w->end && take_cut(w, f));
}

/* Names of the plane, its metadata maps, its own stats. Stat names first: metadata and plane stats refer to them. */
static int read_maps(struct decoder *d, struct tf_bytes message, uint32_t number)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_bytes value;
	uint64_t key;

	while (tf_wire_next(&w, &f)) {
		if (f.number != number || f.type != TF_WIRE_BYTES)
			continue;
		read_entry(f.bytes, &key, &value);
		if ((number == PLANE_STAT_META ? read_stat_meta : read_event_meta)(d, key, value) < 0)
			return -1;
	}
	return 0;
}

/* The HLO programs that metadata holds, among its stats or (in old files) as its own bytes. They are left where they are. */
static int note_programs(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_program program = {0};

	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if (f.number == META_NAME)
			program.name = f.bytes;
		if (f.number != META_BYTES && f.number != META_STATS)
			continue;
		program.content = f.bytes;
		if (f.number == META_STATS) {
			struct tf_wire stat = tf_wire_of(f.bytes);
			program.content.len = 0;
			while (tf_wire_next(&stat, &f))
				if (f.number == STAT_BYTES && f.type == TF_WIRE_BYTES)
					program.content = f.bytes;
		}
		if (program.content.len == 0)
			continue;
		if (tf_vec_reserve((void **)&d->t->programs, &d->t->program_cap, d->t->program_count + 1, sizeof program) < 0)
			return tf_fail_nomem(d->err);
		d->t->programs[d->t->program_count++] = program;
	}
	return 0;
}

/* Stats of event metadata, once all names are known. */
static int read_meta_stats(struct decoder *d, const struct tf_plane *plane, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_bytes value;
	uint64_t key;

	while (tf_wire_next(&w, &f)) {
		if (f.number != PLANE_EVENT_META || f.type != TF_WIRE_BYTES)
			continue;
		struct tf_stat_range range;
		read_entry(f.bytes, &key, &value);
		if (plane->name == TF_NAME_host_metadata) {
			if (note_programs(d, value) < 0)
				return -1;
			continue;
		}
		const uint64_t *at = tf_map_find(&d->event_meta, key);
		if (!at)
			continue;
		if (read_stats(d, value, META_STATS, &range) < 0)
			return -1;
		d->t->metas[*at].stats = range;
	}
	return 0;
}

static int read_lines(struct decoder *d, size_t plane, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (next_of_plane(&w, &f))
		if (f.number == PLANE_LINES && f.type == TF_WIRE_BYTES && read_line(d, plane, f.bytes) < 0)
			return -1;
	return w.fault && w.p != w.end ? note_fault(d, &w, "plane") : 0;
}

static int read_plane(struct decoder *d, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_bytes name = {message.data, 0};
	int64_t id = 0;
	size_t at;

	tf_map_release(&d->event_meta);
	tf_map_release(&d->stat_meta);
	while (tf_wire_next(&w, &f)) {
		if (f.number == PLANE_ID && f.type == TF_WIRE_VARINT)
			id = (int64_t)f.value;
		else if (f.number == PLANE_NAME && f.type == TF_WIRE_BYTES)
			name = f.bytes;
	}
	if (tf_trace_add_plane(d->t, name, id, &at, d->err) < 0 || read_maps(d, message, PLANE_STAT_META) < 0
	    || read_maps(d, message, PLANE_EVENT_META) < 0)
		return -1;
	struct tf_stat_range stats;
	if (read_meta_stats(d, &d->t->planes[at], message) < 0 || read_stats(d, message, PLANE_STATS, &stats) < 0)
		return -1;
	d->t->planes[at].stats = stats;
	if (read_lines(d, at, message) < 0)
		return -1;
	struct tf_plane *plane = &d->t->planes[at];
	plane->meta_count = (uint32_t)d->t->meta_count - plane->meta_first;
	return 0;
}

static int add_text(struct decoder *d, struct tf_bytes text, uint32_t **list, size_t *count, size_t *cap)
{
	uint32_t id;

	if (intern(d, text, &id) < 0)
		return -1;
	if (tf_vec_reserve((void **)list, cap, *count + 1, sizeof **list) < 0)
		return tf_fail_nomem(d->err);
	(*list)[(*count)++] = id;
	return 0;
}

static int read_space_field(struct decoder *d, const struct tf_field *f)
{
	struct tf_trace *t = d->t;

	if (f->type != TF_WIRE_BYTES)
		return 0;
	switch (f->number) {
	case SPACE_PLANES:
		return read_plane(d, f->bytes);
	case SPACE_ERRORS:
		return add_text(d, f->bytes, &t->errors, &t->error_count, &t->error_cap);
	case SPACE_WARNINGS:
		return add_text(d, f->bytes, &t->warnings, &t->warning_count, &t->warning_cap);
	case SPACE_HOSTNAMES:
		return add_text(d, f->bytes, &t->hostnames, &t->hostname_count, &t->hostname_cap);
	default:
		return 0;
	}
}

/* What a fault among the planes left: a plane cut by the end of the file is read as far as it goes. */
static int read_tail(struct decoder *d, struct tf_wire *w)
{
	int64_t issues = (int64_t)d->file->issue_total;
	struct tf_field f;

	if (!take_cut(w, &f))
		return note_fault(d, w, "capture");
	d->t->truncated = true;
	d->file->tail = TF_TAIL_PARTIAL_RECORD;
	if (read_space_field(d, &f) < 0)
		return -1;
	if ((int64_t)d->file->issue_total != issues)
		return 0; /* the cut was met, and told, inside */
	d->file->skipped_records++;
	return tf_ledger_issue(d->arena, d->file, TF_ISSUE_TRUNCATED, offset_of(d, w->end), d->err,
			       "capture: the file ends inside its last plane");
}

int tf_decode_xspace(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
		     struct tf_error *err)
{
	struct decoder d = {.t = t, .file = file, .arena = arena, .base = content.data, .err = err};
	struct tf_wire w = tf_wire_of(content);
	struct tf_field f;
	int rc = -1;

	while (tf_wire_next(&w, &f))
		if (read_space_field(&d, &f) < 0)
			goto out;
	if (w.fault && read_tail(&d, &w) < 0)
		goto out;
	if (t->plane_count == 0) {
		tf_fail(err, TF_EFORMAT, "no plane in the capture");
		goto out;
	}
	rc = 0;
out:
	tf_map_release(&d.event_meta);
	tf_map_release(&d.stat_meta);
	return rc;
}
