/* HParamsPluginData by the wire. */
#include "lib/decode/hparams.h"

#include <math.h>

static const char *const value_types[] = {NULL, "string", "bool", "number"};
static const char *const datasets[] = {NULL, "training", "validation"};
static const char *const statuses[] = {NULL, "success", "failure", "running"};

/* The name that a number of an enumeration has; NULL if it has none. */
#define NAMED(names, number) ((number) < sizeof (names) / sizeof (names)[0] ? (names)[number] : NULL)

static int pass(struct tf_values *s, const struct tf_point *at, const struct tf_plugin_row *row, struct tf_error *err)
{
	return s->sink->plugin(s->sink->ctx, at, row, err);
}

/* google.protobuf.Value: number, string or bool; others have no type. */
static struct tf_hparam read_value(struct tf_bytes message)
{
	struct tf_hparam h = {.type = NULL, .text = {(const uint8_t *)"", 0}, .name = {(const uint8_t *)"", 0}};
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.number == 2 && f.type == TF_WIRE_FIXED64) {
			h.type = "number";
			h.number = tf_wire_double(f.value);
		} else if (f.number == 3 && f.type == TF_WIRE_BYTES) {
			h.type = "string";
			h.text = f.bytes;
		} else if (f.number == 4 && f.type == TF_WIRE_VARINT) {
			h.type = "bool";
			h.number = f.value != 0;
		}
	}
	return h;
}

static int pass_hparam(struct tf_values *s, const struct tf_point *at, struct tf_bytes entry, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(entry);
	struct tf_field f;
	struct tf_bytes name = {(const uint8_t *)"", 0};
	struct tf_hparam h = {.type = NULL};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_BYTES)
			name = f.bytes;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			h = read_value(f.bytes);
	}
	h.name = name;
	return h.type ? s->sink->hparam(s->sink->ctx, at, &h, err) : 0;
}

static int read_start(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_plugin_row row = {.kind = TF_ROW_TRIAL_START, .u.trial.at_s = (double)NAN};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 2 && f.type == TF_WIRE_BYTES)
			row.u.trial.model_uri = f.bytes;
		else if (f.number == 3 && f.type == TF_WIRE_BYTES)
			row.u.trial.monitor_url = f.bytes;
		else if (f.number == 4 && f.type == TF_WIRE_BYTES)
			row.u.trial.group = f.bytes;
		else if (f.number == 5 && f.type == TF_WIRE_FIXED64)
			row.u.trial.at_s = tf_wire_double(f.value);
	}
	if (pass(s, at, &row, err) < 0)
		return -1;
	for (w = tf_wire_of(message); tf_wire_next(&w, &f);)
		if (f.number == 1 && f.type == TF_WIRE_BYTES && pass_hparam(s, at, f.bytes, err) < 0)
			return -1;
	return 0;
}

static int read_end(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_plugin_row row = {.kind = TF_ROW_TRIAL_END, .u.trial.at_s = (double)NAN};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_VARINT)
			row.u.trial.status = NAMED(statuses, f.value);
		else if (f.number == 2 && f.type == TF_WIRE_FIXED64)
			row.u.trial.at_s = tf_wire_double(f.value);
	}
	return pass(s, at, &row, err);
}

/* google.protobuf.ListValue as JSON. */
static void add_domain(struct tf_buf *json, struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	bool any = false;

	tf_buf_char(json, '[');
	while (tf_wire_next(&w, &f)) {
		if (f.number != 1 || f.type != TF_WIRE_BYTES)
			continue;
		struct tf_hparam h = read_value(f.bytes);
		if (any)
			tf_buf_char(json, ',');
		any = true;
		if (!h.type)
			tf_buf_text(json, "null");
		else if (h.type[0] == 's')
			tf_buf_json_string(json, h.text);
		else if (h.type[0] == 'b')
			tf_buf_text(json, h.number != 0 ? "true" : "false");
		else
			tf_buf_json_double(json, h.number);
	}
	tf_buf_char(json, ']');
}

static void read_interval(struct tf_bytes message, double *min, double *max)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	*min = *max = 0; /* proto3 leaves out what is zero */
	while (tf_wire_next(&w, &f))
		if ((f.number == 1 || f.number == 2) && f.type == TF_WIRE_FIXED64)
			*(f.number == 1 ? min : max) = tf_wire_double(f.value);
}

static int read_hparam_info(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_plugin_row row = {.kind = TF_ROW_HPARAM_INFO, .u.hparam = {.min = (double)NAN, .max = (double)NAN}};
	struct tf_buf domain = {0};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_BYTES)
			row.u.hparam.name = f.bytes;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			row.u.hparam.display_name = f.bytes;
		else if (f.number == 3 && f.type == TF_WIRE_BYTES)
			row.u.hparam.description = f.bytes;
		else if (f.number == 4 && f.type == TF_WIRE_VARINT)
			row.u.hparam.type = NAMED(value_types, f.value);
		else if (f.number == 5 && f.type == TF_WIRE_BYTES && !domain.len)
			add_domain(&domain, f.bytes);
		else if (f.number == 6 && f.type == TF_WIRE_BYTES)
			read_interval(f.bytes, &row.u.hparam.min, &row.u.hparam.max);
	}
	row.u.hparam.domain_json = domain.data;
	int rc = domain.failed ? tf_fail_nomem(err) : pass(s, at, &row, err);
	tf_buf_release(&domain);
	return rc;
}

static void read_metric_name(struct tf_bytes message, struct tf_plugin_row *row)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_BYTES)
			row->u.metric.group = f.bytes;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			row->u.metric.tag = f.bytes;
	}
}

static int read_metric_info(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_plugin_row row = {.kind = TF_ROW_METRIC_INFO};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_BYTES)
			read_metric_name(f.bytes, &row);
		else if (f.number == 3 && f.type == TF_WIRE_BYTES)
			row.u.metric.display_name = f.bytes;
		else if (f.number == 4 && f.type == TF_WIRE_BYTES)
			row.u.metric.description = f.bytes;
		else if (f.number == 5 && f.type == TF_WIRE_VARINT)
			row.u.metric.dataset = NAMED(datasets, f.value);
	}
	return pass(s, at, &row, err);
}

static int read_experiment(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_plugin_row row = {.kind = TF_ROW_EXPERIMENT, .u.experiment.created_s = (double)NAN};

	while (tf_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TF_WIRE_BYTES)
			row.u.experiment.description = f.bytes;
		else if (f.number == 2 && f.type == TF_WIRE_BYTES)
			row.u.experiment.user = f.bytes;
		else if (f.number == 3 && f.type == TF_WIRE_FIXED64)
			row.u.experiment.created_s = tf_wire_double(f.value);
		else if (f.number == 6 && f.type == TF_WIRE_BYTES)
			row.u.experiment.name = f.bytes;
	}
	if (pass(s, at, &row, err) < 0)
		return -1;
	for (w = tf_wire_of(message); tf_wire_next(&w, &f);) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if ((f.number == 4 && read_hparam_info(s, at, f.bytes, err) < 0)
		    || (f.number == 5 && read_metric_info(s, at, f.bytes, err) < 0))
			return -1;
	}
	return 0;
}

int tf_read_hparams(struct tf_values *s, const struct tf_point *at, struct tf_bytes content, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(content);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.type != TF_WIRE_BYTES)
			continue;
		if ((f.number == 2 && read_experiment(s, at, f.bytes, err) < 0)
		    || (f.number == 3 && read_start(s, at, f.bytes, err) < 0)
		    || (f.number == 4 && read_end(s, at, f.bytes, err) < 0))
			return -1;
	}
	return 0;
}
