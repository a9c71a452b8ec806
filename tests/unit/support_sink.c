/* The sink that writes down what it is given. */
#include "tests/unit/support_sink.h"

#include <math.h>

#include "lib/trace/trace.h"

static void begin(struct tf_buf *log, const char *kind, const struct tf_point *at)
{
	tf_buf_printf(log, "%s %.*s", kind, (int)at->tag.len, (const char *)at->tag.data);
}

static int on_scalar(void *log, const struct tf_point *at, double value, struct tf_error *err)
{
	(void)err;
	begin(log, "scalar", at);
	tf_buf_printf(log, " %g\n", value);
	return 0;
}

static int on_histogram(void *log, const struct tf_point *at, const struct tf_histogram *h, struct tf_error *err)
{
	(void)err;
	begin(log, "histogram", at);
	tf_buf_printf(log, " n=%g min=%g max=%g sum=%g squares=%g", h->count, h->min, h->max, h->sum, h->sum_squares);
	for (size_t i = 0; i < h->bucket_count; i++)
		tf_buf_printf(log, " %g..%g:%g", h->left[i], h->right[i], h->weight[i]);
	tf_buf_char(log, '\n');
	return 0;
}

static int on_text(void *log, const struct tf_point *at, struct tf_bytes value, struct tf_error *err)
{
	(void)err;
	begin(log, "text", at);
	tf_buf_printf(log, " '%.*s'\n", (int)value.len, (const char *)value.data);
	return 0;
}

static int on_tensor(void *log, const struct tf_point *at, const char *dtype, const char *shape, int64_t bytes, const char *value,
		     struct tf_error *err)
{
	(void)err;
	begin(log, "tensor", at);
	tf_buf_printf(log, " %s%s %lld bytes %s\n", dtype, shape, (long long)bytes, value ? value : "-");
	return 0;
}

static int on_media(void *log, const struct tf_point *at, const struct tf_media *m, struct tf_error *err)
{
	(void)err;
	begin(log, m->kind == TF_MEDIA_IMAGE ? "image" : "audio", at);
	if (m->width != TF_NONE || m->height != TF_NONE)
		tf_buf_printf(log, " %lldx%lld", (long long)m->width, (long long)m->height);
	tf_buf_printf(log, " %s %lld bytes", m->encoding ? m->encoding : "-", (long long)m->bytes);
	if (!isnan(m->sample_rate_hz))
		tf_buf_printf(log, " %g Hz", m->sample_rate_hz);
	if (m->channels != TF_NONE)
		tf_buf_printf(log, " %lld", (long long)m->channels);
	if (m->frames != TF_NONE)
		tf_buf_printf(log, " x %lld", (long long)m->frames);
	tf_buf_char(log, '\n');
	return 0;
}

static int on_counted(void *log, const struct tf_point *at, const char *kind, struct tf_error *err)
{
	(void)err;
	begin(log, "counted", at);
	tf_buf_printf(log, " %s\n", kind);
	return 0;
}

static int on_hparam(void *log, const struct tf_point *at, const struct tf_hparam *h, struct tf_error *err)
{
	(void)at, (void)err;
	tf_buf_printf(log, "hparam %.*s %s %g '%.*s'\n", (int)h->name.len, (const char *)h->name.data, h->type, h->number,
		      (int)h->text.len, (const char *)h->text.data);
	return 0;
}

static int on_start(void *log, int64_t step, double wall_time, int64_t offset, struct tf_error *err)
{
	(void)log, (void)step, (void)wall_time, (void)offset, (void)err;
	return 0;
}

/* " word='text'" for each text that is not empty. */
static void words(struct tf_buf *log, size_t n, const char *const *names, const struct tf_bytes *texts)
{
	for (size_t i = 0; i < n; i++)
		if (texts[i].len)
			tf_buf_printf(log, " %s='%.*s'", names[i], (int)texts[i].len, (const char *)texts[i].data);
}

static void number(struct tf_buf *log, const char *name, double value)
{
	if (!isnan(value))
		tf_buf_printf(log, " %s=%g", name, value);
}

static int on_plugin(void *log, const struct tf_point *at, const struct tf_plugin_row *row, struct tf_error *err)
{
	static const char *const kinds[] = {"experiment", "hparam_info", "metric_info", "trial", "trial_end", "chart", "mesh", "graph"};

	(void)at, (void)err;
	tf_buf_text(log, kinds[row->kind]);
	switch (row->kind) {
	case TF_ROW_EXPERIMENT:
		words(log, 3, (const char *const[]){"name", "description", "user"},
		      (struct tf_bytes[]){row->u.experiment.name, row->u.experiment.description, row->u.experiment.user});
		number(log, "created", row->u.experiment.created_s);
		break;
	case TF_ROW_HPARAM_INFO:
		words(log, 3, (const char *const[]){"name", "display", "description"},
		      (struct tf_bytes[]){row->u.hparam.name, row->u.hparam.display_name, row->u.hparam.description});
		tf_buf_printf(log, " %s %s", row->u.hparam.type ? row->u.hparam.type : "-",
			      row->u.hparam.domain_json ? row->u.hparam.domain_json : "-");
		number(log, "min", row->u.hparam.min);
		number(log, "max", row->u.hparam.max);
		break;
	case TF_ROW_METRIC_INFO:
		words(log, 4, (const char *const[]){"group", "tag", "display", "description"},
		      (struct tf_bytes[]){row->u.metric.group, row->u.metric.tag, row->u.metric.display_name, row->u.metric.description});
		tf_buf_printf(log, " %s", row->u.metric.dataset ? row->u.metric.dataset : "-");
		break;
	case TF_ROW_TRIAL_START:
	case TF_ROW_TRIAL_END:
		words(log, 3, (const char *const[]){"group", "monitor", "model"},
		      (struct tf_bytes[]){row->u.trial.group, row->u.trial.monitor_url, row->u.trial.model_uri});
		number(log, "at", row->u.trial.at_s);
		if (row->u.trial.status)
			tf_buf_printf(log, " %s", row->u.trial.status);
		break;
	case TF_ROW_CHART:
		words(log, 5, (const char *const[]){"category", "title", "value", "lower", "upper"},
		      (struct tf_bytes[]){row->u.chart.category, row->u.chart.title, row->u.chart.value, row->u.chart.lower,
					  row->u.chart.upper});
		tf_buf_text(log, row->u.chart.is_margin ? " margin" : " multiline");
		break;
	case TF_ROW_MESH:
		words(log, 2, (const char *const[]){"name", "config"}, (struct tf_bytes[]){row->u.mesh.name, row->u.mesh.config_json});
		tf_buf_printf(log, " %s", row->u.mesh.content ? row->u.mesh.content : "-");
		break;
	case TF_ROW_GRAPH:
		tf_buf_printf(log, " %s", row->u.graph);
		break;
	}
	tf_buf_char(log, '\n');
	return 0;
}

static int on_node(void *log, const struct tf_graph_node *n, struct tf_error *err)
{
	(void)err;
	tf_buf_text(log, "node");
	words(log, 4, (const char *const[]){"function", "name", "op", "device"}, (struct tf_bytes[]){n->function, n->name, n->op, n->device});
	tf_buf_printf(log, " %s %s\n", n->shapes_json ? n->shapes_json : "-", n->inputs_json);
	return 0;
}

static int on_metadata(void *log, const struct tf_point *at, const struct tf_metadata_node *n, struct tf_error *err)
{
	(void)err;
	tf_buf_printf(log, "metadata %lld", (long long)at->step);
	words(log, 4, (const char *const[]){"tag", "device", "name", "op"}, (struct tf_bytes[]){at->tag, n->device, n->name, n->op});
	tf_buf_printf(log, " %lld+%lld\n", (long long)n->start_us, (long long)n->dur_us);
	return 0;
}

struct tf_row_sink sk_sink(struct tf_buf *log)
{
	return (struct tf_row_sink){log, on_scalar, on_histogram, on_text, on_tensor, on_media, on_counted, on_hparam, on_start,
				    on_plugin, on_node, on_metadata};
}
