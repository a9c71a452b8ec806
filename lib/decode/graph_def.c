/* GraphDef, MetaGraphDef and the graphs of a RunMetadata by the wire. */
#include "lib/decode/graph_def.h"

enum { N_NAME = 1, N_OP = 2, N_INPUT = 3, N_DEVICE = 4, N_ATTR = 5 };

/* A node's lists as JSON; reused from node to node. */
struct node_text {
	struct tf_buf shapes, inputs;
};

/* TensorShapeProto: a list of sizes, -1 where unknown; null if not even their number is known. */
static void add_shape(struct tf_buf *json, struct tf_bytes shape)
{
	struct tf_wire w = tf_wire_of(shape), dim;
	struct tf_field f, g;
	bool any = false, unknown_rank = false;
	size_t begin = json->len;

	tf_buf_char(json, '[');
	while (tf_wire_next(&w, &f)) {
		unknown_rank |= f.number == 3 && f.type == TF_WIRE_VARINT && f.value;
		if (f.number != 2 || f.type != TF_WIRE_BYTES)
			continue;
		int64_t size = 0;
		for (dim = tf_wire_of(f.bytes); tf_wire_next(&dim, &g);)
			if (g.number == 1 && g.type == TF_WIRE_VARINT)
				size = (int64_t)g.value;
		if (any)
			tf_buf_char(json, ',');
		any = true;
		tf_buf_i64(json, size);
	}
	tf_buf_char(json, ']');
	if (unknown_rank && !json->failed) {
		json->len = begin;
		tf_buf_text(json, "null");
	}
}

/* AttrValue: a shape, or a list of them. */
static void add_shapes(struct tf_buf *json, struct tf_bytes value)
{
	struct tf_wire w = tf_wire_of(value), list;
	struct tf_field f, g;
	bool any = false;

	json->len = 0;
	tf_buf_char(json, '[');
	while (tf_wire_next(&w, &f)) {
		if (f.number == 7 && f.type == TF_WIRE_BYTES)
			add_shape(json, f.bytes);
		if (f.number != 1 || f.type != TF_WIRE_BYTES)
			continue;
		for (list = tf_wire_of(f.bytes); tf_wire_next(&list, &g);) {
			if (g.number != 7 || g.type != TF_WIRE_BYTES)
				continue;
			if (any)
				tf_buf_char(json, ',');
			any = true;
			add_shape(json, g.bytes);
		}
	}
	tf_buf_char(json, ']');
}

/* An attribute: the shapes of all outputs, else what the node itself calls its shape. True if it told of shapes. */
static bool read_attribute(struct tf_bytes entry, struct node_text *text, bool *has_outputs)
{
	struct tf_wire w = tf_wire_of(entry);
	struct tf_field f;
	struct tf_bytes key = {0}, value = {0};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_BYTES)
			key = f.bytes;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			value = f.bytes;
	}
	bool outputs = tf_bytes_equal(key, tf_bytes_of("_output_shapes"));
	if (!outputs && (*has_outputs || !tf_bytes_equal(key, tf_bytes_of("shape"))))
		return false;
	*has_outputs = outputs;
	add_shapes(&text->shapes, value);
	return true;
}

static int pass_node(struct tf_values *s, struct tf_bytes function, struct tf_bytes message, struct node_text *text, bool *is_whole,
		     struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_graph_node node = {.function = function};
	bool has_shapes = false, has_outputs = false;

	text->inputs.len = 0;
	tf_buf_char(&text->inputs, '[');
	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if (f.number == N_NAME)
			node.name = f.bytes;
		else if (f.number == N_OP)
			node.op = f.bytes;
		else if (f.number == N_DEVICE)
			node.device = f.bytes;
		else if (f.number == N_ATTR)
			has_shapes |= read_attribute(f.bytes, text, &has_outputs);
		else if (f.number == N_INPUT) {
			if (text->inputs.len > 1)
				tf_buf_char(&text->inputs, ',');
			tf_buf_json_string(&text->inputs, f.bytes);
		}
	}
	tf_buf_char(&text->inputs, ']');
	if (w.fault != TF_WIRE_FINE) {
		*is_whole = false;
		return 0;
	}
	if (text->inputs.failed || text->shapes.failed)
		return tf_fail_nomem(err);
	node.inputs_json = text->inputs.data;
	node.shapes_json = has_shapes ? text->shapes.data : NULL;
	return s->sink->graph_node(s->sink->ctx, &node, err);
}

static int pass_library(struct tf_values *s, struct tf_bytes library, struct node_text *text, bool *is_whole, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(library), body;
	struct tf_field function, f;

	while (tf_wire_next(&w, &function)) {
		if (function.number != 1 || function.type != TF_WIRE_BYTES)
			continue;
		struct tf_bytes name = tf_wire_find(tf_wire_find(function.bytes, 1), 1); /* of its OpDef */
		for (body = tf_wire_of(function.bytes); tf_wire_next(&body, &f);)
			if (f.number == 3 && f.type == TF_WIRE_BYTES && pass_node(s, name, f.bytes, text, is_whole, err) < 0)
				return -1;
		*is_whole &= body.fault == TF_WIRE_FINE;
	}
	*is_whole &= w.fault == TF_WIRE_FINE;
	return 0;
}

int tf_read_graph(struct tf_values *s, const struct tf_point *at, const char *kind, struct tf_bytes message, bool *is_whole,
		  struct tf_error *err)
{
	struct tf_plugin_row row = {.kind = TF_ROW_GRAPH, .u.graph = kind};
	struct tf_wire w = tf_wire_of(message);
	struct node_text text = {0};
	struct tf_field f;
	int rc = s->sink->plugin(s->sink->ctx, at, &row, err);

	*is_whole = true;
	while (rc == 0 && tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if (f.number == 1)
			rc = pass_node(s, (struct tf_bytes){0}, f.bytes, &text, is_whole, err);
		else if (f.number == 2)
			rc = pass_library(s, f.bytes, &text, is_whole, err);
	}
	*is_whole &= w.fault == TF_WIRE_FINE;
	tf_buf_release(&text.shapes);
	tf_buf_release(&text.inputs);
	return rc;
}

int tf_read_meta_graph(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, bool *is_whole, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	bool whole = true;

	while (tf_wire_next(&w, &f)) {
		if (f.number == 2 && f.type == TF_WIRE_BYTES && tf_read_graph(s, at, "meta_graph", f.bytes, is_whole, err) < 0)
			return -1;
		whole &= f.number != 2 || f.type != TF_WIRE_BYTES || *is_whole;
	}
	*is_whole = whole && w.fault == TF_WIRE_FINE;
	return 0;
}

int tf_read_function_graphs(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, bool *is_whole,
			    struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message), graphs;
	struct tf_field f, g;
	bool whole = true;

	while (tf_wire_next(&w, &f)) {
		if (f.number != 4 || f.type != TF_WIRE_BYTES)
			continue;
		for (graphs = tf_wire_of(f.bytes); tf_wire_next(&graphs, &g);) {
			if (g.number != 2 || g.type != TF_WIRE_BYTES)
				continue;
			if (tf_read_graph(s, at, "function", g.bytes, is_whole, err) < 0)
				return -1;
			whole &= *is_whole;
		}
		whole &= graphs.fault == TF_WIRE_FINE;
	}
	*is_whole = whole && w.fault == TF_WIRE_FINE;
	return 0;
}
