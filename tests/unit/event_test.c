/* Event files: scalars of every encoding, histograms, text, media, hparams, restarts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/decode/event.h"
#include "tests/unit/support_proto.h"

/* What the sink got. */
struct got {
	int scalars, histograms, texts, tensors, media, counted, hparams, starts, graphs, nodes;
	double value, wall, count, sum;
	int64_t step, offset, width;
	size_t buckets;
	double left, right;
	char tag[64], text[64], dtype[16], shape[32], kind[32], json[64], writer[32];
};

static void note(struct got *g, const struct tf_point *at)
{
	g->step = at->step;
	g->wall = at->wall_time;
	g->offset = at->offset;
	memcpy(g->tag, at->tag.data, at->tag.len);
	g->tag[at->tag.len] = '\0';
}

static int on_scalar(void *c, const struct tf_point *at, double v, struct tf_error *e)
{
	struct got *g = c;
	(void)e;
	note(g, at);
	g->scalars++;
	g->value = v;
	return 0;
}

static int on_histogram(void *c, const struct tf_point *at, const struct tf_histogram *h, struct tf_error *e)
{
	struct got *g = c;
	(void)e;
	note(g, at);
	g->histograms++;
	g->count = h->count;
	g->sum = h->sum;
	g->buckets = h->bucket_count;
	g->left = h->left[0];
	g->right = h->right[h->bucket_count - 1];
	return 0;
}

static int on_text(void *c, const struct tf_point *at, struct tf_bytes v, struct tf_error *e)
{
	struct got *g = c;
	(void)e;
	note(g, at);
	g->texts++;
	memcpy(g->text, v.data, v.len);
	g->text[v.len] = '\0';
	return 0;
}

static int on_tensor(void *c, const struct tf_point *at, const char *d, const char *s, int64_t b, const char *v,
		     struct tf_error *e)
{
	struct got *g = c;
	(void)e, (void)b;
	note(g, at);
	g->tensors++;
	strcpy(g->dtype, d);
	strcpy(g->shape, s);
	strcpy(g->json, v ? v : "");
	return 0;
}

static int on_media(void *c, const struct tf_point *at, const struct tf_media *m, struct tf_error *e)
{
	struct got *g = c;
	(void)e;
	note(g, at);
	g->media++;
	g->width = m->width;
	strcpy(g->kind, m->encoding ? m->encoding : "");
	return 0;
}

static int on_counted(void *c, const struct tf_point *at, const char *k, struct tf_error *e)
{
	struct got *g = c;
	(void)e;
	note(g, at);
	g->counted++;
	strcpy(g->kind, k);
	return 0;
}

static int on_hparam(void *c, const struct tf_point *at, const struct tf_hparam *h, struct tf_error *e)
{
	struct got *g = c;
	(void)at, (void)e;
	g->hparams++;
	g->value = h->number;
	strcpy(g->kind, h->type);
	return 0;
}

static int on_start(void *c, int64_t step, double wall, int64_t offset, struct tf_error *e)
{
	struct got *g = c;
	(void)e, (void)offset;
	g->starts++;
	g->step = step;
	g->wall = wall;
	return 0;
}

static int on_plugin(void *c, const struct tf_point *at, const struct tf_plugin_row *row, struct tf_error *e)
{
	struct got *g = c;
	(void)at, (void)e;
	g->graphs += row->kind == TF_ROW_GRAPH;
	return 0;
}

static int on_node(void *c, const struct tf_graph_node *node, struct tf_error *e)
{
	struct got *g = c;
	(void)node, (void)e;
	g->nodes++;
	return 0;
}

static int on_metadata(void *c, const struct tf_point *at, const struct tf_metadata_node *node, struct tf_error *e)
{
	struct got *g = c;
	(void)at, (void)node, (void)e;
	g->nodes++;
	return 0;
}

/* Decodes and releases a file. */
static struct got decode(struct tf_buf *file, struct tf_ledger_file *ledger)
{
	struct got g = {0};
	struct tf_row_sink sink = {&g, on_scalar, on_histogram, on_text, on_tensor, on_media, on_counted, on_hparam, on_start,
				   on_plugin, on_node, on_metadata};
	struct tf_arena arena = {0};
	struct tf_error err = {0};
	struct tf_ledger_file own = {.first_bad_offset = TF_NONE};

	assert_int_equal(tf_decode_events(pb_view(file), &sink, &own, &arena, &err), 0);
	if (ledger)
		*ledger = own;
	if (own.writer_version)
		snprintf(g.writer, sizeof g.writer, "%s", own.writer_version);
	tf_arena_release(&arena);
	tf_buf_release(file);
	return g;
}

/* A record with one summary value; the value's fields are in `entry`, which is released. */
static void put_value(struct tf_buf *file, struct tf_buf *entry)
{
	struct tf_buf event = {0}, summary = {0};

	pb_message(&summary, 1, entry);
	pb_double(&event, 1, 1001);
	pb_varint(&event, 2, 7);
	pb_message(&event, 5, &summary);
	pb_record(file, &event);
	tf_buf_release(&event);
}

static void put_metadata(struct tf_buf *entry, const char *plugin, const struct tf_buf *content)
{
	struct tf_buf metadata = {0}, data = {0};

	pb_text(&data, 1, plugin);
	if (content)
		pb_bytes(&data, 2, content->data, content->len);
	pb_message(&metadata, 1, &data);
	pb_message(entry, 9, &metadata);
}

/* A tensor value of tag "t"; the tensor is released. */
static void put_tensor(struct tf_buf *file, const char *plugin, struct tf_buf *tensor)
{
	struct tf_buf entry = {0};

	pb_text(&entry, 1, "t");
	if (plugin)
		put_metadata(&entry, plugin, NULL);
	pb_message(&entry, 8, tensor);
	put_value(file, &entry);
}

static void put_dim(struct tf_buf *tensor, const int64_t *sizes, size_t n)
{
	struct tf_buf shape = {0};

	for (size_t i = 0; i < n; i++) {
		struct tf_buf dim = {0};
		pb_varint(&dim, 1, (uint64_t)sizes[i]);
		pb_message(&shape, 2, &dim);
	}
	tf_buf_add(&shape, "", 0);
	pb_message(tensor, 2, &shape);
}

static void scalars_of_tf1(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	struct tf_ledger_file f;
	pb_version(&b);
	pb_scalar(&b, 1001, 3, "loss", 0.5f);
	struct got g = decode(&b, &f);
	assert_int_equal(g.scalars, 1);
	assert_string_equal(g.tag, "loss");
	assert_true(g.value == 0.5 && g.step == 3 && g.wall == 1001 && g.offset == 40);
	assert_int_equal(f.records, 2);
	assert_string_equal(g.writer, "brain.Event:2");
}

/* One case of a scalar tensor: dtype, field, how the value is encoded. All mean 2.5, or 7 for integers. */
struct encoding {
	int dtype;
	uint32_t field;
	const char *bytes; /* a bytes field, or NULL: a varint of `value` */
	size_t len;
	uint64_t value;
	double want;
};

static void scalar_tensors_of_every_encoding(void **state)
{
	(void)state;
	static const struct encoding cases[] = {
		{1, 4, "\0\0\x20\x40", 4, 0, 2.5},		   /* float, tensor_content */
		{1, 5, "\0\0\x20\x40", 4, 0, 2.5},		   /* float_val, packed */
		{2, 6, "\0\0\0\0\0\0\x04\x40", 8, 0, 2.5},	   /* double_val, packed */
		{9, 10, "\x07", 1, 0, 7},			   /* int64_val, packed */
		{9, 10, NULL, 0, 7, 7},				   /* int64_val, unpacked */
		{3, 7, "\x07", 1, 0, 7},			   /* int32 */
		{3, 7, "\xf9\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, 0, -7}, /* int32, negative */
		{4, 4, "\x07", 1, 0, 7},			   /* uint8 content */
		{6, 4, "\xf9", 1, 0, -7},			   /* int8 content */
		{5, 4, "\xf9\xff", 2, 0, -7},			   /* int16 content */
		{17, 4, "\xf9\xff", 2, 0, 65529},		   /* uint16 content */
		{22, 16, "\x07", 1, 0, 7},			   /* uint32_val */
		{23, 17, "\x07", 1, 0, 7},			   /* uint64_val */
		{10, 11, "\x01", 1, 0, 1},			   /* bool */
		{14, 13, NULL, 0, 0x4020, 2.5},			   /* bfloat16 in half_val */
		{19, 13, NULL, 0, 0x4100, 2.5},			   /* half in half_val */
		{19, 4, "\0\x41", 2, 0, 2.5},			   /* half, tensor_content */
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_buf b = {0}, t = {0};
		pb_varint(&t, 1, (uint64_t)cases[i].dtype);
		put_dim(&t, NULL, 0);
		if (cases[i].bytes)
			pb_bytes(&t, cases[i].field, cases[i].bytes, cases[i].len);
		else
			pb_varint(&t, cases[i].field, cases[i].value);
		put_tensor(&b, i % 2 ? "scalars" : NULL, &t); /* whatever the plugin */
		struct got g = decode(&b, NULL);
		assert_int_equal(g.scalars, 1);
		assert_true(g.value == cases[i].want);
	}
}

static void a_short_list_repeats_its_last_value(void **state)
{
	(void)state;
	struct tf_buf b = {0}, t = {0};
	const int64_t sizes[] = {4};
	pb_varint(&t, 1, 9);
	put_dim(&t, sizes, 1);
	pb_bytes(&t, 10, "\x01\x02", 2);
	put_tensor(&b, NULL, &t);
	struct got g = decode(&b, NULL);
	assert_int_equal(g.tensors, 1);
	assert_string_equal(g.dtype, "int64");
	assert_string_equal(g.shape, "[4]");
	assert_string_equal(g.json, "[1,2,2,2]");
}

static void histograms_of_tf2_are_rows_of_three(void **state)
{
	(void)state;
	struct tf_buf b = {0}, t = {0};
	const int64_t sizes[] = {2, 3};
	const double cells[] = {0, 1, 4, 1, 2, 6};
	pb_varint(&t, 1, 2);
	put_dim(&t, sizes, 2);
	pb_bytes(&t, 4, (const char *)cells, sizeof cells);
	put_tensor(&b, "histograms", &t);
	struct got g = decode(&b, NULL);
	assert_int_equal(g.histograms, 1);
	assert_true(g.count == 10 && isnan(g.sum) && g.buckets == 2 && g.left == 0 && g.right == 2);
}

static void histograms_of_tf1_begin_at_the_minimum(void **state)
{
	(void)state;
	struct tf_buf b = {0}, entry = {0}, h = {0};
	const double limits[] = {1, 2}, weights[] = {4, 6};
	pb_double(&h, 1, -0.5);
	pb_double(&h, 2, 1.5);
	pb_double(&h, 3, 10);
	pb_double(&h, 4, 12);
	pb_bytes(&h, 6, (const char *)limits, sizeof limits);
	pb_bytes(&h, 7, (const char *)weights, sizeof weights);
	pb_text(&entry, 1, "t");
	pb_message(&entry, 5, &h);
	put_value(&b, &entry);
	struct got g = decode(&b, NULL);
	assert_int_equal(g.histograms, 1);
	assert_true(g.count == 10 && g.sum == 12 && g.buckets == 2 && g.left == -0.5 && g.right == 2);
}

static void text_is_a_string_tensor(void **state)
{
	(void)state;
	struct tf_buf b = {0}, t = {0};
	pb_varint(&t, 1, 7);
	put_dim(&t, NULL, 0);
	pb_text(&t, 8, "hello");
	put_tensor(&b, "text", &t);
	struct got g = decode(&b, NULL);
	assert_int_equal(g.texts, 1);
	assert_string_equal(g.text, "hello");
}

static void the_plugin_of_the_first_value_counts_for_all(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	for (int i = 0; i < 2; i++) {
		struct tf_buf t = {0};
		const int64_t sizes[] = {3};
		pb_varint(&t, 1, 7);
		put_dim(&t, sizes, 1);
		pb_text(&t, 8, "32");
		pb_text(&t, 8, "16");
		pb_text(&t, 8, "\x89PNG....");
		put_tensor(&b, i == 0 ? "images" : NULL, &t); /* TF 2 names it once a tag */
	}
	struct got g = decode(&b, NULL);
	assert_int_equal(g.media, 2);
	assert_int_equal(g.width, 32);
	assert_string_equal(g.kind, "png");
}

static void hparams_are_read_from_the_plugin_data(void **state)
{
	(void)state;
	struct tf_buf b = {0}, entry = {0}, content = {0}, start = {0}, pair = {0}, value = {0};
	pb_double(&value, 2, 0.25);
	pb_text(&pair, 1, "lr");
	pb_message(&pair, 2, &value);
	pb_message(&start, 1, &pair);
	pb_message(&content, 3, &start);
	pb_text(&entry, 1, "_hparams_/session_start_info");
	put_metadata(&entry, "hparams", &content);
	tf_buf_release(&content);
	put_value(&b, &entry);
	struct got g = decode(&b, NULL);
	assert_int_equal(g.hparams, 1);
	assert_true(g.value == 0.25);
}

/* An event of step 3 with a graph in this field, that it is a restart, and a scalar behind it in the file. */
static struct got decode_graph(uint32_t field, const struct tf_buf *graph, struct tf_ledger_file *ledger)
{
	struct tf_buf b = {0}, event = {0}, log = {0};
	pb_varint(&log, 1, 1);
	pb_double(&event, 1, 1100);
	pb_varint(&event, 2, 3);
	pb_bytes(&event, field, graph->data, graph->len);
	pb_message(&event, 7, &log);
	pb_record(&b, &event);
	tf_buf_release(&event);
	pb_scalar(&b, 1101, 3, "loss", 1);
	return decode(&b, ledger);
}

static void session_starts_and_graphs_are_told(void **state)
{
	(void)state;
	struct tf_ledger_file ledger;
	struct tf_buf node = {0}, graph = {0}, meta = {0};
	pb_text(&node, 1, "x");
	pb_message(&graph, 1, &node);
	struct got g = decode_graph(4, &graph, &ledger);
	assert_int_equal(g.starts, 1);
	assert_int_equal(g.graphs, 1);
	assert_int_equal(g.nodes, 1);
	assert_int_equal(g.counted, 1);
	assert_int_equal(ledger.skipped_records, 0);
	assert_true(g.scalars == 1 && g.step == 3 && g.wall == 1101);
	pb_message(&meta, 2, &graph);
	g = decode_graph(9, &meta, &ledger);
	assert_int_equal(g.graphs, 1);
	assert_int_equal(g.nodes, 1);
	assert_int_equal(ledger.skipped_records, 0);
	tf_buf_release(&meta);
}

static void a_malformed_graph_costs_itself(void **state)
{
	(void)state;
	struct tf_ledger_file ledger;
	struct tf_buf graph = {0};
	tf_buf_text(&graph, "graph bytes, whatever they are");
	for (uint32_t field = 4; field <= 9; field += 5) {
		struct got g = decode_graph(field, &graph, &ledger);
		assert_int_equal(g.nodes, 0);
		assert_int_equal(g.starts, 1);
		assert_int_equal(g.scalars, 1);
		assert_int_equal(ledger.skipped_records, 1);
		assert_int_equal(ledger.first_bad_offset, 0);
	}
	tf_buf_release(&graph);
}

static void nonfinite_values_and_times_pass(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	pb_scalar(&b, NAN, 0, "loss", INFINITY);
	struct got g = decode(&b, NULL);
	assert_int_equal(g.scalars, 1);
	assert_true(isinf(g.value) && isnan(g.wall));
}

static void a_record_that_is_no_event_costs_itself(void **state)
{
	(void)state;
	struct tf_buf b = {0}, junk = {0};
	struct tf_ledger_file f;
	pb_version(&b);
	tf_buf_add(&junk, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9);
	pb_record(&b, &junk);
	tf_buf_release(&junk);
	pb_scalar(&b, 1002, 1, "loss", 2);
	struct got g = decode(&b, &f);
	assert_int_equal(g.scalars, 1);
	assert_int_equal(f.issue_total, 1);
	assert_int_equal(f.skipped_records, 1);
	assert_int_equal(f.first_bad_offset, 40);
}

/* No byte of a valid file, flipped, gives a value that the file does not hold. */
static void flips_never_give_a_wrong_value(void **state)
{
	(void)state;
	struct tf_buf whole = {0};
	pb_version(&whole);
	pb_scalar(&whole, 1001, 0, "loss", 0.5f);
	pb_scalar(&whole, 1002, 1, "loss", 0.5f);
	for (size_t i = 0; i < whole.len; i++) {
		struct tf_buf b = {0};
		tf_buf_add(&b, whole.data, whole.len);
		b.data[i] ^= 0x10;
		struct got g = decode(&b, NULL);
		assert_true(g.scalars >= 1);
		assert_true(g.value == 0.5);
	}
	tf_buf_release(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scalars_of_tf1),
		cmocka_unit_test(scalar_tensors_of_every_encoding),
		cmocka_unit_test(a_short_list_repeats_its_last_value),
		cmocka_unit_test(histograms_of_tf2_are_rows_of_three),
		cmocka_unit_test(histograms_of_tf1_begin_at_the_minimum),
		cmocka_unit_test(text_is_a_string_tensor),
		cmocka_unit_test(the_plugin_of_the_first_value_counts_for_all),
		cmocka_unit_test(hparams_are_read_from_the_plugin_data),
		cmocka_unit_test(session_starts_and_graphs_are_told),
		cmocka_unit_test(a_malformed_graph_costs_itself),
		cmocka_unit_test(nonfinite_values_and_times_pass),
		cmocka_unit_test(a_record_that_is_no_event_costs_itself),
		cmocka_unit_test(flips_never_give_a_wrong_value),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
