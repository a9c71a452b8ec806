/* RunMetadata: node by node into a trace. */
#include "lib/decode/run_metadata.h"

#include <ctype.h>
#include <stdlib.h>

#include "lib/base/limits.h"
#include "lib/base/vec.h"
#include "lib/decode/step_memory.h"
#include "lib/decode/step_names.h"
#include "lib/decode/step_streams.h"
#include "lib/io/tfrecord.h"

/* A process of the statistics, with the ends of its lanes. */
struct executor {
	uint32_t process;
	bool is_stream;
	int64_t *lane_end_ns;
	size_t lane_count, lane_cap;
};

struct builder {
	struct tf_tracks tracks;
	struct tf_step_memory memory;
	struct executor *executors;
	size_t executor_count, executor_cap;
	struct tf_map executor_of;   /* string id of the device → index */
	int64_t begin_ns, end_ns;    /* of the step being read */
	size_t nodes, steps;
	const uint8_t *base; /* of the content, for offsets */
	struct tf_ledger_file *file;
	struct tf_arena *arena;
	struct tf_buf text;
	struct tf_error *err;
};

static int intern(struct builder *b, struct tf_bytes text, uint32_t *id)
{
	return tf_trace_intern(b->tracks.t, text, id, b->err);
}

static int executor_of(struct builder *b, struct tf_bytes device, struct executor **out)
{
	struct executor e = {0};
	uint32_t name;

	if (intern(b, device, &name) < 0)
		return -1;
	const uint64_t *found = tf_map_find(&b->executor_of, name);
	if (found) {
		*out = &b->executors[*found];
		return 0;
	}
	enum tf_stream_kind kind = tf_stream_name_read(device).kind;
	e.is_stream = kind != TF_STREAM_NONE && kind != TF_STREAM_WAITS;
	if (tf_tracks_process(&b->tracks, name, &e.process) < 0)
		return -1;
	b->tracks.processes[e.process].name = name;
	if (tf_vec_reserve((void **)&b->executors, &b->executor_cap, b->executor_count + 1, sizeof *b->executors) < 0)
		return tf_fail_nomem(b->err);
	b->executors[b->executor_count] = e;
	*out = &b->executors[b->executor_count];
	return tf_map_put(&b->executor_of, name, b->executor_count++, b->err);
}

/* The first lane on which nothing runs any more. */
static int take_lane(struct builder *b, struct executor *e, const struct tf_node_stats *n, size_t *lane)
{
	for (*lane = 0; *lane < e->lane_count && e->lane_end_ns[*lane] > n->start_ns; ++*lane)
		;
	if (*lane == TF_LIMIT_EXECUTOR_LINES)
		--*lane;
	if (*lane == e->lane_count) {
		if (tf_vec_reserve((void **)&e->lane_end_ns, &e->lane_cap, e->lane_count + 1, sizeof *e->lane_end_ns) < 0)
			return tf_fail_nomem(b->err);
		e->lane_count++;
	}
	e->lane_end_ns[*lane] = n->start_ns + n->end_ns;
	return 0;
}

static int find_track(struct builder *b, const struct tf_node_stats *n, uint32_t *track, bool *is_stream)
{
	struct executor *e = NULL;
	uint32_t thread;
	size_t lane = 0;

	if (executor_of(b, n->device, &e) < 0 || (!n->is_absurd && take_lane(b, e, n, &lane) < 0))
		return -1;
	b->text.len = 0;
	tf_buf_printf(&b->text, "%zu", lane);
	if (b->text.failed)
		return tf_fail_nomem(b->err);
	*is_stream = e->is_stream;
	return intern(b, (struct tf_bytes){(uint8_t *)b->text.data, b->text.len}, &thread) < 0
			       || tf_tracks_find(&b->tracks, e->process, 0, thread, false, track) < 0 ? -1 : 0;
}

static int intern_op(struct builder *b, struct tf_node_op op, uint32_t *id)
{
	struct tf_bytes text = tf_node_op_print(op, &b->text);
	return b->text.failed ? tf_fail_nomem(b->err) : intern(b, text, id);
}

/* A record of a stream: the kernel or copy, and the op that launched it. */
static int name_kernel(struct builder *b, const struct tf_node_stats *n, uint32_t *name)
{
	struct tf_trace *t = b->tracks.t;
	struct tf_kernel_label k = tf_kernel_label_read(n->node, n->label);
	uint32_t op, details;

	if (intern(b, k.name, name) < 0 || intern_op(b, k.op, &op) < 0 || intern(b, k.details, &details) < 0
	    || (k.op.type.len && tf_trace_add_stat(t, TF_NAME_tf_op, TF_STAT_TEXT, op, b->err) < 0))
		return -1;
	return !details ? 0
			: tf_trace_add_stat(t, k.is_copy ? TF_NAME_memcpy_details : TF_NAME_kernel_details, TF_STAT_TEXT, details, b->err);
}

static int add_node(void *ctx, const struct tf_node_stats *n, struct tf_error *err)
{
	struct builder *b = ctx;
	struct tf_trace *t = b->tracks.t;
	size_t first = t->stats.count;
	uint32_t track, name, meta, op;
	bool is_stream = false;
	int64_t dur_ps;

	(void)err;
	if (find_track(b, n, &track, &is_stream) < 0 || tf_tracks_link_to_run(&b->tracks, (int64_t)b->steps) < 0
	    || (is_stream ? name_kernel(b, n, &name) : intern_op(b, tf_node_op_read(n->node, n->label), &name)) < 0
	    || tf_tracks_meta(&b->tracks, name, 0, &meta) < 0)
		return -1;
	if (__builtin_mul_overflow(n->end_ns, INT64_C(1000), &dur_ps))
		dur_ps = INT64_MAX;
	b->nodes++;
	if (tf_tracks_add(&b->tracks, track, meta, (struct tf_fine_time){n->start_ns, 0}, dur_ps, first, n->is_absurd) < 0)
		return -1;
	if (!n->is_absurd) {
		b->begin_ns = b->begin_ns == TF_NONE || n->start_ns < b->begin_ns ? n->start_ns : b->begin_ns;
		b->end_ns = n->start_ns + n->end_ns > b->end_ns ? n->start_ns + n->end_ns : b->end_ns;
	}
	return is_stream ? 0 : intern(b, n->node, &op) < 0 ? -1 : tf_step_memory_add(&b->memory, n, op);
}

static int note_fault(void *ctx, const struct tf_wire *w, const char *what, struct tf_error *err)
{
	struct builder *b = ctx;
	bool cut = w->fault == TF_WIRE_TRUNCATED;

	b->tracks.t->truncated = true;
	b->file->skipped_records++;
	b->file->skipped_bytes += w->end - w->p;
	return tf_ledger_issue(b->arena, b->file, cut ? TF_ISSUE_TRUNCATED : TF_ISSUE_PROTO_ERROR, w->p - b->base, err, "%s: %s", what,
			       tf_wire_fault_text(w->fault));
}

static int read_step(struct builder *b, struct tf_bytes message, int64_t number)
{
	struct tf_step_stats_sink sink = {b, add_node, note_fault};

	b->begin_ns = TF_NONE;
	b->end_ns = INT64_MIN;
	if (tf_read_step_stats(message, &sink, b->err) < 0 || tf_step_memory_end_step(&b->memory, b->end_ns) < 0)
		return -1;
	if (b->begin_ns == TF_NONE)
		return 0;
	return tf_tracks_add_session_run(&b->tracks, (int64_t)b->steps++, b->begin_ns, b->end_ns, number);
}

static void init(struct builder *b, struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
		 struct tf_error *err)
{
	*b = (struct builder){.tracks = {.t = t, .err = err}, .base = content.data, .file = file, .arena = arena, .err = err};
	b->memory.tracks = &b->tracks;
}

static void release(struct builder *b)
{
	for (size_t i = 0; i < b->executor_count; i++)
		free(b->executors[i].lane_end_ns);
	free(b->executors);
	tf_map_release(&b->executor_of);
	tf_step_memory_release(&b->memory);
	tf_tracks_release(&b->tracks);
	tf_buf_release(&b->text);
}

int tf_decode_run_metadata(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			   struct tf_error *err)
{
	struct builder b;
	int rc = -1;

	init(&b, content, t, file, arena, err);
	if (read_step(&b, content, 0) < 0)
		goto out;
	file->records = (int64_t)b.nodes;
	if (b.nodes == 0) {
		tf_fail(err, TF_EFORMAT, "no step statistics: it was not made with trace_level=FULL_TRACE");
		goto out;
	}
	if (file->issue_total && file->issues[file->issue_count - 1].code == TF_ISSUE_TRUNCATED)
		file->tail = TF_TAIL_PARTIAL_RECORD;
	rc = tf_tracks_settle(&b.tracks);
out:
	release(&b);
	return rc;
}

/* ---- event files ---- */

enum { EVENT_STEP = 2, EVENT_RUN_METADATA = 8, TAGGED_TAG = 1, TAGGED_RUN_METADATA = 2 };

/* One RunMetadata of an event file. */
struct tagged {
	struct tf_bytes tag, run_metadata;
	int64_t step;
	bool superseded;
};

struct tagged_list {
	struct tagged *list;
	size_t count, cap;
	struct tf_map last; /* hash of a tag → the index of its last one */
};

static bool read_tagged(struct tf_bytes event, struct tagged *out)
{
	struct tf_wire w = tf_wire_of(event);
	struct tf_field f;
	struct tf_bytes message = {0};

	*out = (struct tagged){0};
	while (tf_wire_next(&w, &f)) {
		if (f.number == EVENT_STEP && f.type == TF_WIRE_VARINT)
			out->step = (int64_t)f.value;
		else if (f.number == EVENT_RUN_METADATA && f.type == TF_WIRE_BYTES)
			message = f.bytes;
		else if (f.number > EVENT_STEP && f.number != EVENT_RUN_METADATA && !message.data)
			break; /* an event is one thing */
	}
	if (!message.data || w.fault)
		return false;
	out->tag = tf_wire_find(message, TAGGED_TAG);
	out->run_metadata = tf_wire_find(message, TAGGED_RUN_METADATA);
	return true;
}

static int list_tagged(struct tf_bytes content, struct tagged_list *all, struct tf_error *err)
{
	struct tf_record_reader reader = {.content = content};
	struct tf_record rec;

	while ((rec = tf_record_next(&reader)).kind != TF_RECORD_END) {
		struct tagged t;
		if (rec.kind != TF_RECORD_DATA || !read_tagged(rec.data, &t))
			continue;
		uint64_t key = tf_hash_bytes(t.tag.data ? t.tag.data : (const uint8_t *)"", t.tag.len) ^ tf_hash_u64((uint64_t)t.step);
		const uint64_t *before = tf_map_find(&all->last, key);
		if (before && tf_bytes_equal(all->list[*before].tag, t.tag) && all->list[*before].step == t.step)
			all->list[*before].superseded = true;
		if (tf_vec_reserve((void **)&all->list, &all->cap, all->count + 1, sizeof *all->list) < 0)
			return tf_fail_nomem(err);
		all->list[all->count] = t;
		if (tf_map_put(&all->last, key, all->count++, err) < 0)
			return -1;
	}
	return 0;
}

/* The event's step; add_run_metadata() without one leaves 0, and then the tag may tell: "step_120". */
static int64_t number_of(const struct tagged *t)
{
	size_t at = t->tag.len;
	int64_t n = 0;

	if (t->step != 0)
		return t->step;
	while (at > 0 && t->tag.len - at < 18 && isdigit(t->tag.data[at - 1]))
		at--;
	for (; at < t->tag.len; at++)
		n = n * 10 + (t->tag.data[at] - '0');
	return n;
}

int tf_decode_event_runs(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			 struct tf_error *err)
{
	struct tagged_list all = {0};
	struct builder b;
	int rc = -1;

	init(&b, content, t, file, arena, err);
	if (list_tagged(content, &all, err) < 0)
		goto out;
	for (size_t i = 0; i < all.count; i++)
		if (!all.list[i].superseded && read_step(&b, all.list[i].run_metadata, number_of(&all.list[i])) < 0)
			goto out;
	t->sampled = b.steps > 1;
	rc = b.nodes ? tf_tracks_settle(&b.tracks) : 0;
out:
	free(all.list);
	tf_map_release(&all.last);
	release(&b);
	return rc;
}

/* ---- rows ---- */

struct passing {
	const struct tf_row_sink *sink;
	const struct tf_point *at;
};

static int pass_node(void *ctx, const struct tf_node_stats *n, struct tf_error *err)
{
	const struct passing *p = ctx;
	enum tf_stream_kind kind = tf_stream_name_read(n->device).kind;
	bool is_stream = kind != TF_STREAM_NONE && kind != TF_STREAM_WAITS;
	struct tf_node_op op = is_stream ? tf_kernel_label_read(n->node, n->label).op : tf_node_op_read(n->node, n->label);
	struct tf_node_sizes sizes = tf_node_sizes_of(n);
	struct tf_metadata_node row = {.device = n->device, .name = op.name, .op = op.type, .start_us = n->start_ns / 1000,
				       .output_bytes = sizes.output_bytes, .peak_bytes = sizes.peak_bytes, .temp_bytes = sizes.temp_bytes};

	/* From one whole microsecond to another, as TensorFlow's own microseconds. */
	row.dur_us = n->is_absurd ? TF_NONE : (n->start_ns + n->end_ns) / 1000 - row.start_us;
	return p->sink->metadata_node(p->sink->ctx, p->at, &row, err);
}

static int pass_fault(void *ctx, const struct tf_wire *w, const char *what, struct tf_error *err)
{
	(void)ctx, (void)w, (void)what, (void)err;
	return 0;
}

int tf_pass_run_metadata(struct tf_bytes content, const struct tf_row_sink *sink, const struct tf_point *at, struct tf_error *err)
{
	struct passing p = {sink, at};
	struct tf_step_stats_sink nodes = {&p, pass_node, pass_fault};

	return tf_read_step_stats(content, &nodes, err);
}
