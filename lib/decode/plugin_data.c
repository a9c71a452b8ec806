/* MeshPluginData and the custom scalars Layout by the wire. */
#include "lib/decode/plugin_data.h"

int tf_read_mesh(struct tf_values *s, const struct tf_point *at, struct tf_bytes content, struct tf_error *err)
{
	static const char *const contents[] = {NULL, "vertex", "face", "color"};
	struct tf_wire w = tf_wire_of(content);
	struct tf_field f;
	struct tf_plugin_row row = {.kind = TF_ROW_MESH};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 2 && f.type == TF_WIRE_BYTES)
			row.u.mesh.name = f.bytes;
		else if (f.number == 3 && f.type == TF_WIRE_VARINT)
			row.u.mesh.content = f.value < sizeof contents / sizeof contents[0] ? contents[f.value] : NULL;
		else if (f.number == 5 && f.type == TF_WIRE_BYTES)
			row.u.mesh.config_json = f.bytes;
	}
	return s->sink->plugin(s->sink->ctx, at, &row, err);
}

/* MarginChartContent.Series. */
static void read_series(struct tf_bytes message, struct tf_plugin_row *row)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	row->u.chart.value = row->u.chart.lower = row->u.chart.upper = (struct tf_bytes){0};
	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if (f.number == 1)
			row->u.chart.value = f.bytes;
		else if (f.number == 2)
			row->u.chart.lower = f.bytes;
		else if (f.number == 3)
			row->u.chart.upper = f.bytes;
	}
}

/* The curves of a multiline or margin chart. */
static int pass_curves(struct tf_values *s, const struct tf_point *at, struct tf_bytes content, struct tf_plugin_row *row,
		       struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(content);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.number != 1 || f.type != TF_WIRE_BYTES)
			continue;
		if (row->u.chart.is_margin)
			read_series(f.bytes, row);
		else
			row->u.chart.value = f.bytes;
		if (s->sink->plugin(s->sink->ctx, at, row, err) < 0)
			return -1;
	}
	return 0;
}

static int read_category(struct tf_values *s, const struct tf_point *at, struct tf_bytes category, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(category), c;
	struct tf_field chart, f;
	struct tf_plugin_row row = {.kind = TF_ROW_CHART, .u.chart.category = tf_wire_find(category, 1)};

	while (tf_wire_next(&w, &chart)) {
		if (chart.number != 2 || chart.type != TF_WIRE_BYTES)
			continue;
		row.u.chart.title = tf_wire_find(chart.bytes, 1);
		for (c = tf_wire_of(chart.bytes); tf_wire_next(&c, &f);) {
			if ((f.number != 2 && f.number != 3) || f.type != TF_WIRE_BYTES)
				continue;
			row.u.chart.is_margin = f.number == 3;
			row.u.chart.lower = row.u.chart.upper = (struct tf_bytes){0};
			if (pass_curves(s, at, f.bytes, &row, err) < 0)
				return -1;
		}
	}
	return 0;
}

int tf_read_layout(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, bool *is_layout, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		;
	*is_layout = w.fault == TF_WIRE_FINE;
	for (w = tf_wire_of(message); *is_layout && tf_wire_next(&w, &f);)
		if (f.number == 2 && f.type == TF_WIRE_BYTES && read_category(s, at, f.bytes, err) < 0)
			return -1;
	return 0;
}
