/* Summary values: scalars, histograms, text, tensors, media and hparams of TF 1 and TF 2. */
#include "lib/decode/summary.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/limits.h"
#include "lib/base/vec.h"
#include "lib/decode/graph_def.h"
#include "lib/decode/hparams.h"
#include "lib/decode/media.h"
#include "lib/decode/plugin_data.h"

enum { V_TAG = 1, V_SIMPLE = 2, V_IMAGE = 4, V_HISTO = 5, V_AUDIO = 6, V_NODE_NAME = 7, V_TENSOR = 8, V_METADATA = 9 };

/* One value as it lies in the message. */
struct value {
	struct tf_point at;
	bool has_simple;
	float simple;
	struct tf_bytes image, histo, audio, tensor, plugin_content;
	bool has_image, has_histo, has_audio, has_tensor;
};

static void read_metadata(struct tf_bytes message, struct value *v)
{
	struct tf_wire w = tf_wire_of(message), p;
	struct tf_field f, g;

	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if (f.number == 2)
			v->at.display_name = f.bytes;
		else if (f.number == 3)
			v->at.description = f.bytes;
		else if (f.number == 1)
			for (p = tf_wire_of(f.bytes); tf_wire_next(&p, &g);) {
				if (g.number == 1 && g.type == TF_WIRE_BYTES)
					v->at.plugin = g.bytes;
				else if (g.number == 2 && g.type == TF_WIRE_BYTES)
					v->plugin_content = g.bytes;
			}
	}
}

static bool read_value(struct tf_bytes message, struct value *v)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_bytes node_name = {0};

	while (tf_wire_next(&w, &f)) {
		switch (f.number << 3 | f.type) {
		case V_NODE_NAME << 3 | TF_WIRE_BYTES:
			node_name = f.bytes;
			break;
		case V_TAG << 3 | TF_WIRE_BYTES:
			v->at.tag = f.bytes;
			break;
		case V_SIMPLE << 3 | TF_WIRE_FIXED32:
			v->simple = tf_wire_float(f.value);
			v->has_simple = true;
			break;
		case V_IMAGE << 3 | TF_WIRE_BYTES:
			v->image = f.bytes;
			v->has_image = true;
			break;
		case V_HISTO << 3 | TF_WIRE_BYTES:
			v->histo = f.bytes;
			v->has_histo = true;
			break;
		case V_AUDIO << 3 | TF_WIRE_BYTES:
			v->audio = f.bytes;
			v->has_audio = true;
			break;
		case V_TENSOR << 3 | TF_WIRE_BYTES:
			v->tensor = f.bytes;
			v->has_tensor = true;
			break;
		case V_METADATA << 3 | TF_WIRE_BYTES:
			read_metadata(f.bytes, v);
			break;
		default:
			break;
		}
	}
	if (v->has_tensor && v->at.tag.len == 0) /* what tensors went by before there were plugins */
		v->at.tag = node_name;
	return w.fault == TF_WIRE_FINE;
}

/* The plugin of the value's tag: its own, else that of an earlier value. */
static int find_plugin(struct tf_values *s, const struct value *v, struct tf_bytes *plugin, struct tf_error *err)
{
	struct tf_bytes tag = v->at.tag.len ? v->at.tag : (struct tf_bytes){(const uint8_t *)"", 1};
	uint32_t id;

	if (tf_strtab_add(&s->tags, tag, &id, err) < 0)
		return -1;
	if (id > s->plugin_count) {
		if (tf_vec_reserve((void **)&s->plugins, &s->plugin_cap, id, sizeof *s->plugins) < 0)
			return tf_fail_nomem(err);
		s->plugins[s->plugin_count++] = (struct tf_bytes){(const uint8_t *)"", 0};
	}
	struct tf_bytes *known = &s->plugins[id - 1];
	if (known->len == 0 && v->at.plugin.len) {
		char *copy = tf_arena_strndup(&s->plugin_arena, (const char *)v->at.plugin.data, v->at.plugin.len);
		if (!copy)
			return tf_fail_nomem(err);
		*known = (struct tf_bytes){(uint8_t *)copy, v->at.plugin.len};
	}
	*plugin = *known;
	return 0;
}

static bool is(struct tf_bytes b, const char *text)
{
	return tf_bytes_equal(b, tf_bytes_of(text));
}

/* A packed or unpacked list of doubles, in the record's arena. */
struct doubles {
	double *list;
	size_t count, cap;
};

static int add_doubles(struct tf_values *s, struct doubles *d, const struct tf_field *f, struct tf_error *err)
{
	size_t n = f->type == TF_WIRE_BYTES ? f->bytes.len / 8 : 1;

	for (size_t i = 0; i < n; i++) {
		uint64_t bits = f->value;
		double *at = tf_arena_push(&s->arena, (void **)&d->list, &d->count, &d->cap, sizeof *at);
		if (!at)
			return tf_fail_nomem(err);
		if (f->type == TF_WIRE_BYTES)
			memcpy(&bits, f->bytes.data + 8 * i, 8);
		*at = tf_wire_double(bits);
	}
	return 0;
}

/* TF 1: limits are right edges; the first bucket begins at the minimum, as TensorBoard draws it. */
static int old_histogram(struct tf_values *s, struct value *v, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(v->histo);
	struct tf_field f;
	struct doubles limits = {0}, weights = {0};
	double head[6] = {0};

	while (tf_wire_next(&w, &f)) {
		if (f.number >= 1 && f.number <= 5 && f.type == TF_WIRE_FIXED64)
			head[f.number] = tf_wire_double(f.value);
		else if ((f.number == 6 || f.number == 7) && (f.type == TF_WIRE_BYTES || f.type == TF_WIRE_FIXED64)
			 && add_doubles(s, f.number == 6 ? &limits : &weights, &f, err) < 0)
			return -1;
	}
	size_t n = limits.count < weights.count ? limits.count : weights.count;
	double *left = tf_arena_array(&s->arena, n + 1, sizeof *left);
	if (!left)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < n; i++)
		left[i] = i ? limits.list[i - 1] : head[1];
	struct tf_histogram h = {.count = head[3], .min = head[1], .max = head[2], .sum = head[4], .sum_squares = head[5],
				 .left = left, .right = limits.list, .weight = weights.list, .bucket_count = n};
	return s->sink->histogram(s->sink->ctx, &v->at, &h, err);
}

/* TF 2: rows of (left, right, count). Sums were not recorded. */
static int new_histogram(struct tf_values *s, struct value *v, const struct tf_tensor *t, struct tf_error *err)
{
	size_t n = (size_t)t->elements / 3;
	double *cells = tf_arena_array(&s->arena, 3 * n + 1, sizeof *cells), total = 0;
	double low = NAN, high = NAN;

	if (!cells)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < 3; k++)
			cells[k * n + i] = tf_tensor_number(t, 3 * i + k);
		total += cells[2 * n + i];
		if (cells[2 * n + i] > 0) {
			low = isnan(low) ? cells[i] : low;
			high = cells[n + i];
		}
	}
	struct tf_histogram h = {.count = total, .min = low, .max = high, .sum = NAN, .sum_squares = NAN, .left = cells,
				 .right = cells + n, .weight = cells + 2 * n, .bucket_count = n};
	return s->sink->histogram(s->sink->ctx, &v->at, &h, err);
}

/* A tensor of (buckets, 3) that is all there; one of no buckets too. */
static bool is_histogram(const struct tf_tensor *t)
{
	return !t->is_text && t->rank == 2 && t->dims[1] == 3 && t->elements >= 0 && t->elements / 3 <= TF_LIMIT_HISTOGRAM_BUCKETS
	       && (t->count || t->elements == 0);
}

static int text_value(struct tf_values *s, struct value *v, const struct tf_tensor *t, struct tf_error *err)
{
	struct tf_buf b = {0};

	if (t->count == 1)
		return s->sink->text(s->sink->ctx, &v->at, t->texts[0], err);
	for (size_t i = 0; i < t->count; i++) {
		if (i)
			tf_buf_char(&b, '\n');
		tf_buf_add(&b, (const char *)t->texts[i].data, t->texts[i].len);
	}
	int rc = b.failed ? tf_fail_nomem(err)
			  : s->sink->text(s->sink->ctx, &v->at, (struct tf_bytes){(uint8_t *)b.data, b.len}, err);
	tf_buf_release(&b);
	return rc;
}

static int plain_tensor(struct tf_values *s, struct value *v, const struct tf_tensor *t, struct tf_error *err)
{
	struct tf_buf shape = {0}, value = {0};
	bool whole = t->elements >= 0 && t->elements <= TF_LIMIT_TENSOR_VALUES && t->count && !t->is_text;
	int rc;

	tf_buf_char(&shape, '[');
	for (size_t i = 0; i < t->rank; i++)
		tf_buf_printf(&shape, "%s%lld", i ? "," : "", (long long)t->dims[i]);
	tf_buf_char(&shape, ']');
	tf_buf_char(&value, '[');
	for (int64_t i = 0; whole && i < t->elements; i++) {
		if (i)
			tf_buf_char(&value, ',');
		tf_buf_json_double(&value, tf_tensor_number(t, (size_t)i));
	}
	tf_buf_char(&value, ']');
	rc = shape.failed || value.failed ? tf_fail_nomem(err)
					  : s->sink->tensor(s->sink->ctx, &v->at, t->dtype_name, shape.data, t->content_bytes,
							    whole ? value.data : NULL, err);
	tf_buf_release(&shape);
	tf_buf_release(&value);
	return rc;
}

int tf_values_malformed(struct tf_values *s, const char *what, struct tf_error *err)
{
	s->file->skipped_records++;
	return tf_ledger_issue(s->ledger, s->file, TF_ISSUE_PROTO_ERROR, s->offset, err, "malformed %s in the record", what);
}

/* Strings that are messages of a plugin: the layout of charts, and what was traced of functions. */
static int message_value(struct tf_values *s, struct value *v, const struct tf_tensor *t, bool layout, struct tf_error *err)
{
	for (size_t i = 0; i < t->count; i++) {
		bool whole = true;
		int rc = layout ? tf_read_layout(s, &v->at, t->texts[i], &whole, err)
				: tf_read_function_graphs(s, &v->at, t->texts[i], &whole, err);
		if (rc < 0 || (!whole && tf_values_malformed(s, layout ? "layout" : "run metadata", err) < 0))
			return -1;
	}
	return s->sink->counted(s->sink->ctx, &v->at, layout ? "layout" : "run_metadata", err);
}

static int text_tensor(struct tf_values *s, struct value *v, const struct tf_tensor *t, struct tf_bytes plugin, struct tf_error *err)
{
	if (is(plugin, "images") && t->count >= 2)
		return tf_read_images(s, &v->at, t, err);
	if (is(plugin, "audio"))
		return tf_read_audio(s, &v->at, t, err);
	if (is(plugin, "custom_scalars"))
		return message_value(s, v, t, true, err);
	if (is(plugin, "graph_run_metadata") || is(plugin, "graph_run_metadata_graph"))
		return message_value(s, v, t, false, err);
	return t->count ? text_value(s, v, t, err) : s->sink->counted(s->sink->ctx, &v->at, "empty", err);
}

static int tensor_value(struct tf_values *s, struct value *v, struct tf_bytes plugin, struct tf_error *err)
{
	struct tf_tensor t;
	struct tf_error failed = {0};
	bool is_mesh = is(plugin, "mesh");

	if (tf_decode_tensor(v->tensor, &s->arena, &t, &failed) < 0)
		return failed.code == TF_ENOMEM ? tf_fail_nomem(err) : tf_values_malformed(s, "tensor", err);
	if (t.is_text)
		return text_tensor(s, v, &t, plugin, err);
	if (is(plugin, "histograms") && is_histogram(&t))
		return new_histogram(s, v, &t, err);
	if (is_mesh && v->plugin_content.len && tf_read_mesh(s, &v->at, v->plugin_content, err) < 0)
		return -1;
	if (t.elements == 1 && t.count && !is_mesh && !is(plugin, "pr_curves"))
		return s->sink->scalar(s->sink->ctx, &v->at, t.numbers[0], err);
	return plain_tensor(s, v, &t, err);
}

static int pass_value(struct tf_values *s, struct value *v, struct tf_error *err)
{
	struct tf_bytes plugin = {0};

	if (find_plugin(s, v, &plugin, err) < 0)
		return -1;
	if (is(plugin, "hparams")) {
		if (tf_read_hparams(s, &v->at, v->plugin_content, err) < 0)
			return -1;
		return s->sink->counted(s->sink->ctx, &v->at, "hparams", err);
	}
	if (v->has_simple)
		return s->sink->scalar(s->sink->ctx, &v->at, (double)v->simple, err);
	if (v->has_tensor)
		return tensor_value(s, v, plugin, err);
	if (v->has_histo)
		return old_histogram(s, v, err);
	if (v->has_image || v->has_audio)
		return tf_read_old_media(s, &v->at, v->has_image ? v->image : v->audio, v->has_image, err);
	return s->sink->counted(s->sink->ctx, &v->at, "other", err);
}

int tf_read_summary(struct tf_values *s, struct tf_bytes message, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		struct value v = {.at = {.step = s->step, .wall_time = s->wall_time, .offset = s->offset}};
		if (f.number != 1 || f.type != TF_WIRE_BYTES)
			continue;
		if ((!read_value(f.bytes, &v) ? tf_values_malformed(s, "value", err) : pass_value(s, &v, err)) < 0)
			return -1;
	}
	return w.fault ? tf_values_malformed(s, "summary", err) : 0;
}

void tf_values_release(struct tf_values *s)
{
	tf_arena_release(&s->arena);
	tf_arena_release(&s->plugin_arena);
	tf_strtab_release(&s->tags);
	free(s->plugins);
}
