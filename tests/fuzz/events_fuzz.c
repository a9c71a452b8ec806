/* Event files: framing, events, summary values, tensors. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "lib/decode/event.h"
#include "lib/io/tfrecord.h"
#include "tests/unit/support_proto.h"

/* Adds up what it is given, so that all of it is read. */
static void touch(uint64_t *sum, struct tf_bytes b)
{
	for (size_t i = 0; i < b.len; i++)
		*sum += b.data[i];
}

static int point(void *sum, const struct tf_point *at)
{
	touch(sum, at->tag);
	touch(sum, at->plugin);
	touch(sum, at->display_name);
	touch(sum, at->description);
	return 0;
}

static int on_scalar(void *sum, const struct tf_point *at, double value, struct tf_error *err)
{
	(void)value, (void)err;
	return point(sum, at);
}

static int on_histogram(void *sum, const struct tf_point *at, const struct tf_histogram *h, struct tf_error *err)
{
	const size_t size = h->bucket_count * sizeof(double);

	(void)err;
	touch(sum, (struct tf_bytes){(const uint8_t *)h->left, size});
	touch(sum, (struct tf_bytes){(const uint8_t *)h->right, size});
	touch(sum, (struct tf_bytes){(const uint8_t *)h->weight, size});
	return point(sum, at);
}

static int on_text(void *sum, const struct tf_point *at, struct tf_bytes value, struct tf_error *err)
{
	(void)err;
	touch(sum, value);
	return point(sum, at);
}

static int on_tensor(void *sum, const struct tf_point *at, const char *dtype, const char *shape, int64_t bytes,
		     const char *value, struct tf_error *err)
{
	(void)err;
	HOLDS(bytes >= 0);
	HOLDS(shape[0] == '[' && shape[strlen(shape) - 1] == ']');
	HOLDS(!value || (value[0] == '[' && value[strlen(value) - 1] == ']'));
	touch(sum, tf_bytes_of(dtype));
	return point(sum, at);
}

static int on_media(void *sum, const struct tf_point *at, const struct tf_media *m, struct tf_error *err)
{
	(void)err;
	HOLDS(m->bytes >= 0);
	return point(sum, at);
}

static int on_counted(void *sum, const struct tf_point *at, const char *kind, struct tf_error *err)
{
	(void)err;
	HOLDS(kind[0]);
	return point(sum, at);
}

static int on_hparam(void *sum, const struct tf_point *at, const struct tf_hparam *h, struct tf_error *err)
{
	(void)at, (void)err;
	HOLDS(h->type);
	touch(sum, h->name);
	touch(sum, h->text);
	return 0;
}

static int on_start(void *sum, int64_t step, double wall_time, int64_t offset, struct tf_error *err)
{
	(void)sum, (void)step, (void)wall_time, (void)err;
	HOLDS(offset >= 0);
	return 0;
}

static int on_plugin(void *sum, const struct tf_point *at, const struct tf_plugin_row *row, struct tf_error *err)
{
	(void)err;
	switch (row->kind) {
	case TF_ROW_EXPERIMENT:
		touch(sum, row->u.experiment.name);
		touch(sum, row->u.experiment.user);
		break;
	case TF_ROW_HPARAM_INFO:
		touch(sum, row->u.hparam.name);
		HOLDS(!row->u.hparam.domain_json || row->u.hparam.domain_json[strlen(row->u.hparam.domain_json) - 1] == ']');
		break;
	case TF_ROW_METRIC_INFO:
		touch(sum, row->u.metric.group);
		touch(sum, row->u.metric.tag);
		break;
	case TF_ROW_TRIAL_START:
	case TF_ROW_TRIAL_END:
		touch(sum, row->u.trial.group);
		touch(sum, row->u.trial.monitor_url);
		break;
	case TF_ROW_CHART:
		touch(sum, row->u.chart.title);
		touch(sum, row->u.chart.value);
		touch(sum, row->u.chart.upper);
		break;
	case TF_ROW_MESH:
		touch(sum, row->u.mesh.name);
		touch(sum, row->u.mesh.config_json);
		break;
	case TF_ROW_GRAPH:
		HOLDS(row->u.graph[0]);
		break;
	}
	return point(sum, at);
}

static int on_node(void *sum, const struct tf_graph_node *node, struct tf_error *err)
{
	(void)err;
	touch(sum, node->function);
	touch(sum, node->name);
	touch(sum, node->op);
	touch(sum, node->device);
	HOLDS(node->inputs_json[0] == '[' && node->inputs_json[strlen(node->inputs_json) - 1] == ']');
	HOLDS(!node->shapes_json || (node->shapes_json[0] == '[' && node->shapes_json[strlen(node->shapes_json) - 1] == ']'));
	return 0;
}

static int on_metadata(void *sum, const struct tf_point *at, const struct tf_metadata_node *node, struct tf_error *err)
{
	(void)err;
	touch(sum, node->device);
	touch(sum, node->name);
	touch(sum, node->op);
	return point(sum, at);
}

/* Every byte is in exactly one record or stretch of damage. */
static void check_framing(struct tf_bytes content)
{
	struct tf_record_reader r = {.content = content};
	struct tf_record rec;
	size_t at = 0;

	while ((rec = tf_record_next(&r)).kind != TF_RECORD_END) {
		HOLDS(rec.offset == at && rec.size > 0);
		at += rec.size;
	}
	HOLDS(at == content.len);
}

static void decode(struct tf_bytes content)
{
	uint64_t sum = 0;
	const struct tf_row_sink sink = {&sum, on_scalar, on_histogram, on_text, on_tensor, on_media, on_counted, on_hparam, on_start,
					on_plugin, on_node, on_metadata};
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_arena arena = {0};
	struct tf_error err = {0};

	HOLDS(tf_decode_events(content, &sink, &file, &arena, &err) == 0);
	HOLDS(file.skipped_bytes >= 0 && file.skipped_bytes <= (int64_t)content.len);
	HOLDS((file.first_bad_offset == TF_NONE) == (file.skipped_records == 0 && file.tail == TF_TAIL_CLEAN));
	tf_arena_release(&arena);
}

/*
 * The input as a file, and as the payload of a record with right CRCs: mutations hardly ever get past those, and what
 * lies behind them would not be seen.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_bytes content = {data, size};
	struct tf_buf payload = {0}, file = {0};

	check_framing(content);
	decode(content);
	tf_buf_add(&payload, (const char *)data, size);
	pb_record(&file, &payload);
	HOLDS(!payload.failed && !file.failed);
	decode(pb_view(&file));
	tf_buf_release(&payload);
	tf_buf_release(&file);
	return 0;
}
