/* Event files: the records, and the events in them. */
#include "lib/decode/event.h"

#include <math.h>

#include "lib/decode/graph_def.h"
#include "lib/decode/run_metadata.h"
#include "lib/decode/summary.h"
#include "lib/io/tfrecord.h"

enum { E_WALL = 1, E_STEP = 2, E_VERSION = 3, E_GRAPH = 4, E_SUMMARY = 5, E_SESSION_LOG = 7, E_RUN_METADATA = 8,
       E_META_GRAPH = 9 };

/* A step that falls by about 2^32 was counted in 32 bits. */
#define WRAP_STEPS INT64_C(2000000000)

static int session_log(struct tf_values *v, struct tf_bytes message, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	uint64_t status = 0;

	while (tf_wire_next(&w, &f))
		if (f.number == 1 && f.type == TF_WIRE_VARINT)
			status = f.value;
	return status != 1 ? 0 : v->sink->session_start(v->sink->ctx, v->step, v->wall_time, v->offset, err);
}

static int graph(struct tf_values *v, bool meta, struct tf_bytes message, struct tf_error *err)
{
	struct tf_point at = {.tag = tf_bytes_of(meta ? "__meta_graph__" : "__graph__"), .step = v->step, .wall_time = v->wall_time,
			      .offset = v->offset};
	bool whole;

	if ((meta ? tf_read_meta_graph(v, &at, message, &whole, err) : tf_read_graph(v, &at, "graph", message, &whole, err)) < 0)
		return -1;
	if (!whole && tf_values_malformed(v, "graph", err) < 0)
		return -1;
	return v->sink->counted(v->sink->ctx, &at, meta ? "meta_graph" : "graph", err);
}

static int run_metadata(struct tf_values *v, struct tf_bytes message, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_point at = {.step = v->step, .wall_time = v->wall_time, .offset = v->offset};
	struct tf_bytes content = {message.data, 0};

	at.tag = tf_bytes_of("__run_metadata__");
	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_BYTES)
			at.tag = f.bytes;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			content = f.bytes;
	}
	if (tf_pass_run_metadata(content, v->sink, &at, err) < 0)
		return -1;
	return v->sink->counted(v->sink->ctx, &at, "run_metadata", err);
}

/* Time and step of an event; false if the message is malformed. */
static bool read_head(struct tf_values *v, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	v->step = 0;
	v->wall_time = 0;
	while (tf_wire_next(&w, &f)) {
		if (f.number == E_WALL && f.type == TF_WIRE_FIXED64)
			v->wall_time = tf_wire_double(f.value);
		else if (f.number == E_STEP && f.type == TF_WIRE_VARINT)
			v->step = (int64_t)f.value;
	}
	if (!isfinite(v->wall_time))
		v->wall_time = NAN;
	return w.fault == TF_WIRE_FINE;
}

static int note_version(struct tf_values *v, struct tf_bytes version, struct tf_error *err)
{
	if (v->file->writer_version)
		return 0;
	v->file->writer_version = tf_utf8_repair(v->ledger, version);
	return v->file->writer_version ? 0 : tf_fail_nomem(err);
}

static int read_event(struct tf_values *v, struct tf_bytes message, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	int rc = 0;

	while (rc == 0 && tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		switch (f.number) {
		case E_VERSION:
			rc = note_version(v, f.bytes, err);
			break;
		case E_SUMMARY:
			rc = tf_read_summary(v, f.bytes, err);
			break;
		case E_SESSION_LOG:
			rc = session_log(v, f.bytes, err);
			break;
		case E_GRAPH:
			rc = graph(v, false, f.bytes, err);
			break;
		case E_META_GRAPH:
			rc = graph(v, true, f.bytes, err);
			break;
		case E_RUN_METADATA:
			rc = run_metadata(v, f.bytes, err);
			break;
		default:
			break;
		}
	}
	return rc;
}

static int lose(struct tf_values *v, enum tf_issue_code code, const struct tf_record *rec, const char *what,
		struct tf_error *err)
{
	v->file->skipped_records++;
	v->file->skipped_bytes += (int64_t)rec->size;
	return tf_ledger_issue(v->ledger, v->file, code, (int64_t)rec->offset, err, "%s, %zu bytes skipped", what, rec->size);
}

/* A stretch of damage: what it is, and whether it is the end of the file. */
static int read_damage(struct tf_values *v, const struct tf_record *rec, bool last, struct tf_error *err)
{
	switch (rec->kind) {
	case TF_RECORD_BAD_DATA:
		return lose(v, TF_ISSUE_DATA_CRC, rec, "data crc mismatch", err);
	case TF_RECORD_ZEROS:
		if (last) { /* no record is lost: the writer's file system filled the end */
			v->file->tail = TF_TAIL_ZERO_FILL;
			v->file->skipped_records--;
		}
		return lose(v, TF_ISSUE_ZERO_FILL, rec, "zero bytes", err);
	case TF_RECORD_TOO_LONG:
		return lose(v, TF_ISSUE_TOO_LONG, rec, "record longer than the file", err);
	case TF_RECORD_CUT: /* nothing is lost as yet: a live writer has not come to its end */
		v->file->tail = TF_TAIL_PARTIAL_RECORD;
		return tf_ledger_issue(v->ledger, v->file, TF_ISSUE_TRUNCATED, v->offset, err,
				       "the last record is not all there yet: %zu bytes are pending", rec->size);
	default:
		if (last)
			v->file->tail = TF_TAIL_GARBAGE;
		return lose(v, TF_ISSUE_LENGTH_CRC, rec, "length crc mismatch", err);
	}
}

static int check_wrap(struct tf_values *v, int64_t before, struct tf_error *err)
{
	int64_t fall;

	if (v->wrap_told || before == TF_NONE || __builtin_sub_overflow(before, v->step, &fall) || fall < WRAP_STEPS
	    || v->step >= 0)
		return 0;
	v->wrap_told = true;
	return tf_ledger_issue(v->ledger, v->file, TF_ISSUE_STEP_WRAP, v->offset, err,
			       "the step falls from %lld to %lld: counted in 32 bits?", (long long)before, (long long)v->step);
}

int tf_decode_events(struct tf_bytes content, const struct tf_row_sink *sink, struct tf_ledger_file *file,
		     struct tf_arena *arena, struct tf_error *err)
{
	struct tf_record_reader reader = {.content = content};
	struct tf_values v = {.sink = sink, .file = file, .ledger = arena};
	struct tf_record rec;
	int64_t before = TF_NONE;
	int rc = -1;

	while ((rec = tf_record_next(&reader)).kind != TF_RECORD_END) {
		v.offset = (int64_t)rec.offset;
		if (rec.kind != TF_RECORD_DATA) {
			if (read_damage(&v, &rec, reader.at == content.len, err) < 0)
				goto out;
			continue;
		}
		if (!read_head(&v, rec.data)) {
			if (lose(&v, TF_ISSUE_PROTO_ERROR, &rec, "not an Event message", err) < 0)
				goto out;
			continue;
		}
		file->records++;
		if (check_wrap(&v, before, err) < 0 || read_event(&v, rec.data, err) < 0)
			goto out;
		before = v.step;
		tf_arena_reset(&v.arena);
	}
	rc = 0;
out:
	tf_values_release(&v);
	return rc;
}
