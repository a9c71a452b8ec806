/* Timelines of TensorFlow 1. */
#include "lib/decode/timeline.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/base/vec.h"
#include "lib/decode/step_names.h"
#include "lib/decode/step_streams.h"

static int intern(struct tf_timeline *l, struct tf_bytes text, uint32_t *id)
{
	return tf_trace_intern(l->tracks->t, text, id, l->tracks->err);
}

static int intern_argument(struct tf_timeline *l, const struct tf_json_value *v, uint32_t *id)
{
	struct tf_bytes text = tf_json_as_text(v, &l->scratch);
	return l->scratch.failed ? tf_fail_nomem(l->tracks->err) : intern(l, text, id);
}

/* name, op, and of ROCm builds kernel, which are text. */
static int read_arguments(struct tf_timeline *l, const struct tf_json_value *args, uint32_t ids[3])
{
	static const char *const names[] = {"name", "op", "kernel"};
	struct tf_json_reader j = tf_json_inside(args);
	struct tf_json_value v;
	struct tf_bytes key;

	while (tf_json_member(&j, &key, &v))
		for (size_t i = 0; i < 3 && v.kind == TF_JSON_STRING; i++)
			if (tf_bytes_equal(key, tf_bytes_of(names[i])) && intern_argument(l, &v, &ids[i]) < 0)
				return -1;
	return 0;
}

/* What ran on a stream: its kernel, a copy as the stream is called ("stream:20<MemcpyH2D>"), else the op that launched it. */
static struct tf_bytes stream_event(const struct tf_stream_name *s, struct tf_bytes kernel, struct tf_node_op op)
{
	const uint8_t *open = memchr(s->stream.data, '<', s->stream.len);
	size_t after = open ? (size_t)(open - s->stream.data) + 1 : 0;

	if (open && s->stream.len > after + 1)
		return (struct tf_bytes){open + 1, s->stream.len - after - 1};
	if (kernel.len)
		return tf_kernel_label_read(op.name, kernel).name;
	if (s->kind == TF_STREAM_COPIES && !(op.type.len >= 6 && strncasecmp((const char *)op.type.data, "memcpy", 6) == 0))
		return tf_bytes_of("MemcpyOther");
	return op.type.len ? op.type : op.name;
}

int tf_timeline_read_op(struct tf_timeline *l, const struct tf_json_value *args, uint32_t process, struct tf_timeline_op *op, bool *is_op)
{
	struct tf_strtab *strings = &l->tracks->t->strings;
	uint32_t ids[3] = {0};

	if (read_arguments(l, args, ids) < 0)
		return -1;
	*is_op = ids[0] && ids[1];
	*op = (struct tf_timeline_op){0};
	if (!*is_op)
		return 0;
	struct tf_node_op node = {tf_strtab_bytes(strings, ids[0]), tf_strtab_bytes(strings, ids[1])};
	struct tf_stream_name s = tf_stream_name_read(tf_strtab_bytes(strings, l->tracks->processes[process].name));
	if (tf_bytes_equal(node.type, tf_bytes_of("unknown")))
		node.type.len = 0;
	struct tf_bytes text = tf_node_op_print(node, &l->text);
	if (l->text.failed)
		return tf_fail_nomem(l->tracks->err);
	bool is_stream = s.kind != TF_STREAM_NONE && s.kind != TF_STREAM_WAITS;
	if ((!is_stream || node.type.len) && intern(l, text, is_stream ? &op->tf_op : &op->event_name) < 0)
		return -1;
	if (is_stream && intern(l, stream_event(&s, tf_strtab_bytes(strings, ids[2]), node), &op->event_name) < 0)
		return -1;
	if (tf_bytes_equal(node.name, tf_bytes_of("_SOURCE"))) {
		l->repeats |= tf_map_find(&l->sources, process) != NULL;
		return tf_map_put(&l->sources, process, 1, l->tracks->err);
	}
	return 0;
}

int tf_timeline_add(struct tf_timeline *l, const struct tf_timeline_op *op, struct tf_fine_time at, int64_t dur_ps)
{
	int64_t end_ns;

	if (dur_ps >= 0 && at.ns > 0 && !__builtin_add_overflow(at.ns, dur_ps / 1000, &end_ns)) {
		l->begin_ns = l->ops == 0 || at.ns < l->begin_ns ? at.ns : l->begin_ns;
		l->end_ns = l->ops == 0 || end_ns > l->end_ns ? end_ns : l->end_ns;
		l->ops++;
	}
	if (op->tf_op && tf_trace_add_stat(l->tracks->t, TF_NAME_tf_op, TF_STAT_TEXT, op->tf_op, l->tracks->err) < 0)
		return -1;
	return tf_tracks_link_to_run(l->tracks, 0);
}

/* ---- tensors ---- */

/* The next word of a message printed as text. */
static struct tf_bytes next_word(struct tf_bytes *rest)
{
	size_t from = 0, to;

	while (from < rest->len && isspace(rest->data[from]))
		from++;
	for (to = from; to < rest->len && !isspace(rest->data[to]); to++)
		;
	struct tf_bytes word = {rest->data + from, to - from};
	*rest = (struct tf_bytes){rest->data + to, rest->len - to};
	return word;
}

static int64_t number_of(struct tf_bytes word)
{
	struct tf_json_value v = {TF_JSON_NUMBER, word, false};
	int64_t n;
	return tf_json_as_i64(&v, &n) ? n : 0;
}

/* "DT_FLOAT" is called float elsewhere. */
static int intern_dtype(struct tf_timeline *l, struct tf_bytes word, uint32_t *id)
{
	l->text.len = 0;
	for (size_t i = tf_bytes_begin(word, "DT_") ? 3 : 0; i < word.len; i++)
		tf_buf_char(&l->text, (char)tolower(word.data[i]));
	return l->text.failed ? tf_fail_nomem(l->tracks->err) : intern(l, (struct tf_bytes){(uint8_t *)l->text.data, l->text.len}, id);
}

/* A TensorDescription printed as text: "dtype: DT_FLOAT shape { dim { size: 64 } } allocation_description { requested_bytes: 256 … }". */
static int read_description(struct tf_timeline *l, struct tf_bytes text, struct tf_allocation *a)
{
	struct tf_buf shape = {0};
	int64_t size = INT64_MIN;
	int rc = 0;

	tf_buf_char(&shape, '[');
	for (struct tf_bytes word; rc == 0 && (word = next_word(&text)).len;) {
		if (tf_bytes_equal(word, tf_bytes_of("dtype:"))) {
			rc = intern_dtype(l, next_word(&text), &a->dtype_name);
		} else if (tf_bytes_equal(word, tf_bytes_of("allocator_name:"))) {
			rc = intern(l, next_word(&text), &a->allocator);
		} else if (tf_bytes_equal(word, tf_bytes_of("requested_bytes:"))) {
			a->bytes = number_of(next_word(&text));
		} else if (tf_bytes_equal(word, tf_bytes_of("size:"))) {
			size = number_of(next_word(&text));
		} else if (tf_bytes_equal(word, tf_bytes_of("dim"))) {
			size = 0; /* printed only if it is not */
		} else if (tf_bytes_equal(word, tf_bytes_of("}")) && size != INT64_MIN) {
			tf_buf_printf(&shape, shape.len > 1 ? ",%lld" : "%lld", (long long)size);
			size = INT64_MIN;
		}
	}
	tf_buf_char(&shape, ']');
	if (rc == 0)
		rc = shape.failed ? tf_fail_nomem(l->tracks->err)
				  : intern(l, (struct tf_bytes){(uint8_t *)shape.data, shape.len}, &a->shape);
	tf_buf_release(&shape);
	return rc;
}

/* The description in {"snapshot": {"tensor_description": "…"}}. */
static struct tf_bytes find_description(struct tf_timeline *l, const struct tf_json_value *args)
{
	struct tf_json_reader j = tf_json_inside(args), inner;
	struct tf_json_value v, description;
	struct tf_bytes key;

	while (tf_json_member(&j, &key, &v)) {
		if (v.kind != TF_JSON_OBJECT || !tf_bytes_equal(key, tf_bytes_of("snapshot")))
			continue;
		for (inner = tf_json_inside(&v); tf_json_member(&inner, &key, &description);)
			if (tf_bytes_equal(key, tf_bytes_of("tensor_description")) && description.kind == TF_JSON_STRING)
				return tf_json_as_text(&description, &l->scratch);
	}
	return (struct tf_bytes){args->raw.data, 0};
}

static int describe(struct tf_timeline *l, uint64_t key, uint32_t name, int64_t us, const struct tf_json_value *args)
{
	const uint64_t *created = tf_map_find(&l->created, key);
	struct tf_allocation a = {.us = created ? (int64_t)*created : us, .op = name, .is_output = true};
	struct tf_bytes text = find_description(l, args);

	if (l->scratch.failed)
		return tf_fail_nomem(l->tracks->err);
	if (read_description(l, text, &a) < 0)
		return -1;
	if (!a.allocator || a.bytes <= 0)
		return 0;
	return tf_map_put(&l->live, key, l->memory.count, l->tracks->err) < 0 || tf_step_memory_allocate(&l->memory, &a) < 0 ? -1 : 0;
}

int tf_timeline_tensor(struct tf_timeline *l, char phase, uint64_t key, uint32_t name, struct tf_fine_time at,
		       const struct tf_json_value *args)
{
	int64_t us = at.ns / 1000;
	const uint64_t *live;

	if (phase == 'N') {
		tf_map_remove(&l->live, key);
		return tf_map_put(&l->created, key, (uint64_t)us, l->tracks->err);
	}
	if (phase == 'O')
		return args && args->kind == TF_JSON_OBJECT ? describe(l, key, name, us, args) : 0;
	live = tf_map_find(&l->live, key);
	if (!live)
		return 0;
	size_t block = (size_t)*live;
	tf_map_remove(&l->live, key);
	return tf_step_memory_free(&l->memory, block, us);
}

int tf_timeline_end(struct tf_timeline *l)
{
	if (l->ops == 0)
		return 0;
	if (tf_step_memory_end_step(&l->memory, l->end_ns) < 0)
		return -1;
	return l->repeats ? 0 : tf_tracks_add_session_run(l->tracks, 0, l->begin_ns, l->end_ns, 0);
}

void tf_timeline_release(struct tf_timeline *l)
{
	tf_step_memory_release(&l->memory);
	tf_map_release(&l->sources);
	tf_map_release(&l->created);
	tf_map_release(&l->live);
	tf_buf_release(&l->text);
	tf_buf_release(&l->scratch);
}
