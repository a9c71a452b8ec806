/* Rows of plugins: hparams, charts, meshes, graphs. */
#include <math.h>

#include "lib/store/db.h"

/* The bytes as text; NULL where nothing was recorded. False when out of memory. */
static bool text_of(struct tf_arena *a, struct tf_bytes bytes, const char **text)
{
	*text = bytes.len ? tf_utf8_repair(a, bytes) : NULL;
	return *text || !bytes.len;
}

int tf_store_put_hparam(void *store, const struct tf_point *at, const struct tf_hparam *h, struct tf_error *err)
{
	static const char sql_text[] = "INSERT INTO _hparam(run_id, name, value, type, file_id, trial_id) VALUES(?,?,?,?,?,?)";
	struct tf_store *s = store;
	struct tf_arena a = {0};
	char *name = tf_utf8_repair(&a, h->name), *text = tf_utf8_repair(&a, h->text);
	bool is_text = strcmp(h->type, "string") == 0;
	int rc;

	(void)at;
	if (!name || !text)
		rc = tf_fail_nomem(err);
	else if (is_text)
		rc = tf_db_run(s, err, NULL, sql_text, "itTtii", s->run_id, name, tf_bytes_of(text), h->type, s->file_id, s->trial_id);
	else
		rc = tf_db_run(s, err, NULL, sql_text, "itdtii", s->run_id, name, h->number, h->type, s->file_id, s->trial_id);
	tf_arena_release(&a);
	return rc;
}

static int put_experiment(struct tf_store *s, struct tf_arena *a, const struct tf_point *at, const struct tf_plugin_row *row,
			  struct tf_error *err)
{
	const char *name, *description, *user;

	if (!text_of(a, row->u.experiment.name, &name) || !text_of(a, row->u.experiment.description, &description)
	    || !text_of(a, row->u.experiment.user, &user))
		return tf_fail_nomem(err);
	return tf_db_run(s, err, &s->experiment_id, "INSERT INTO _experiment VALUES(NULL,?,?,?,?,0,?,?,?,?)", "iidi" "tttd", s->run_id,
			 s->file_id, at->wall_time, at->offset, name, description, user, row->u.experiment.created_s);
}

static int put_hparam_info(struct tf_store *s, struct tf_arena *a, const struct tf_plugin_row *row, struct tf_error *err)
{
	const char *name, *display, *description;

	if (!text_of(a, row->u.hparam.name, &name) || !text_of(a, row->u.hparam.display_name, &display)
	    || !text_of(a, row->u.hparam.description, &description))
		return tf_fail_nomem(err);
	return tf_db_run(s, err, NULL, "INSERT INTO _hparam_info VALUES(NULL,?,?,?,?,?,?,?,?,?)", "ii" "ttttt" "dd", s->experiment_id,
			 s->file_id, name, display, description, row->u.hparam.type, row->u.hparam.domain_json, row->u.hparam.min,
			 row->u.hparam.max);
}

static int put_metric_info(struct tf_store *s, struct tf_arena *a, const struct tf_plugin_row *row, struct tf_error *err)
{
	const char *group, *tag, *display, *description;

	if (!text_of(a, row->u.metric.group, &group) || !text_of(a, row->u.metric.tag, &tag)
	    || !text_of(a, row->u.metric.display_name, &display) || !text_of(a, row->u.metric.description, &description))
		return tf_fail_nomem(err);
	return tf_db_run(s, err, NULL, "INSERT INTO _metric_info VALUES(NULL,?,?,?,?,?,?,?)", "ii" "ttttt", s->experiment_id, s->file_id,
			 group, tag, display, description, row->u.metric.dataset);
}

static int put_trial(struct tf_store *s, struct tf_arena *a, const struct tf_point *at, const struct tf_plugin_row *row,
		     struct tf_error *err)
{
	const char *group, *monitor, *model;

	if (row->kind == TF_ROW_TRIAL_END)
		return tf_db_run(s, err, NULL, "INSERT INTO _trial_end VALUES(NULL,?,?,?,?,0,?,?)", "iidi" "td", s->run_id, s->file_id,
				 at->wall_time, at->offset, row->u.trial.status, row->u.trial.at_s);
	if (!text_of(a, row->u.trial.group, &group) || !text_of(a, row->u.trial.monitor_url, &monitor)
	    || !text_of(a, row->u.trial.model_uri, &model))
		return tf_fail_nomem(err);
	return tf_db_run(s, err, &s->trial_id, "INSERT INTO _trial VALUES(NULL,?,?,?,?,0,?,?,?,?)", "iidi" "tttd", s->run_id, s->file_id,
			 at->wall_time, at->offset, group, monitor, model, row->u.trial.at_s);
}

static int put_chart(struct tf_store *s, struct tf_arena *a, const struct tf_point *at, int64_t tag_id, const struct tf_plugin_row *row,
		     struct tf_error *err)
{
	const char *category, *title, *value, *lower, *upper;

	if (!text_of(a, row->u.chart.category, &category) || !text_of(a, row->u.chart.title, &title)
	    || !text_of(a, row->u.chart.value, &value) || !text_of(a, row->u.chart.lower, &lower)
	    || !text_of(a, row->u.chart.upper, &upper))
		return tf_fail_nomem(err);
	return tf_db_run(s, err, NULL, "INSERT INTO _chart VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?)", "iiidi" "tttttt", tag_id, s->file_id,
			 at->step, at->wall_time, at->offset, category, title, row->u.chart.is_margin ? "margin" : "multiline", value,
			 lower, upper);
}

/* The first description of a tag in a file is all of them. */
static int put_mesh(struct tf_store *s, struct tf_arena *a, int64_t tag_id, const struct tf_plugin_row *row, struct tf_error *err)
{
	const char *name, *config;

	if (!text_of(a, row->u.mesh.name, &name) || !text_of(a, row->u.mesh.config_json, &config))
		return tf_fail_nomem(err);
	return tf_db_run(s, err, NULL,
			 "INSERT INTO _mesh SELECT NULL, ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS"
			 " (SELECT 1 FROM _mesh WHERE tag_id = ?1 AND file_id = ?2)",
			 "iittt", tag_id, s->file_id, name, row->u.mesh.content, config);
}

/* A row below a tag. */
static int put_of_tag(struct tf_store *s, struct tf_arena *a, const struct tf_point *at, const struct tf_plugin_row *row,
		      struct tf_error *err)
{
	int64_t tag_id = tf_store_tag_id(s, at, err);

	if (tag_id == TF_NONE)
		return -1;
	if (row->kind == TF_ROW_CHART)
		return put_chart(s, a, at, tag_id, row, err);
	if (row->kind == TF_ROW_MESH)
		return put_mesh(s, a, tag_id, row, err);
	return tf_db_run(s, err, &s->graph_id, "INSERT INTO _graph VALUES(NULL,?,?,?,?,?,?,?,0)", "iiit" "idi", s->run_id, tag_id,
			 s->file_id, row->u.graph, at->step, at->wall_time, at->offset);
}

int tf_store_put_plugin_row(void *store, const struct tf_point *at, const struct tf_plugin_row *row, struct tf_error *err)
{
	struct tf_store *s = store;
	struct tf_arena a = {0};
	int rc;

	switch (row->kind) {
	case TF_ROW_EXPERIMENT:
		rc = put_experiment(s, &a, at, row, err);
		break;
	case TF_ROW_HPARAM_INFO:
		rc = put_hparam_info(s, &a, row, err);
		break;
	case TF_ROW_METRIC_INFO:
		rc = put_metric_info(s, &a, row, err);
		break;
	case TF_ROW_TRIAL_START:
	case TF_ROW_TRIAL_END:
		rc = put_trial(s, &a, at, row, err);
		break;
	default:
		rc = put_of_tag(s, &a, at, row, err);
		break;
	}
	tf_arena_release(&a);
	return rc;
}

int tf_store_put_graph_node(void *store, const struct tf_graph_node *node, struct tf_error *err)
{
	struct tf_store *s = store;
	struct tf_arena a = {0};
	const char *function, *name, *op, *device;
	int rc = -1;

	if (!text_of(&a, node->function, &function) || !text_of(&a, node->name, &name) || !text_of(&a, node->op, &op)
	    || !text_of(&a, node->device, &device))
		tf_fail_nomem(err);
	else
		rc = tf_db_run(s, err, NULL, "INSERT INTO _graph_node VALUES(NULL,?,?,?,?,?,?,?,?)", "ii" "tttttt", s->graph_id,
			       s->file_id, function, name, op, device, node->shapes_json, node->inputs_json);
	tf_arena_release(&a);
	return rc;
}

int tf_store_put_metadata_node(void *store, const struct tf_point *at, const struct tf_metadata_node *node, struct tf_error *err)
{
	struct tf_store *s = store;
	struct tf_arena a = {0};
	const char *tag, *device, *name, *op;
	int rc = -1;

	if (!text_of(&a, at->tag, &tag) || !text_of(&a, node->device, &device) || !text_of(&a, node->name, &name)
	    || !text_of(&a, node->op, &op))
		tf_fail_nomem(err);
	else
		rc = tf_db_run(s, err, NULL, "INSERT INTO _run_metadata_node VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?)", "iitittt" "iiiii",
			       s->run_id, s->file_id, tag, at->step, device, name, op, node->start_us, node->dur_us, node->output_bytes,
			       node->peak_bytes, node->temp_bytes);
	tf_arena_release(&a);
	return rc;
}

int tf_store_end_plugin_rows(struct tf_store *s, struct tf_error *err)
{
	/* Of trials and experiments the first of the run counts; of graphs the last, of meta graphs only where there is no graph. */
	static const char *const marks[] = {
		"UPDATE _trial SET superseded = id <> (SELECT id FROM _trial WHERE run_id = ?1 ORDER BY wall_time, file_id, byte_offset, id"
		" LIMIT 1) WHERE run_id = ?1",
		"UPDATE _trial_end SET superseded = id <> (SELECT id FROM _trial_end WHERE run_id = ?1"
		" ORDER BY wall_time, file_id, byte_offset, id LIMIT 1) WHERE run_id = ?1",
		"UPDATE _experiment SET superseded = id <> (SELECT id FROM _experiment WHERE run_id = ?1"
		" ORDER BY wall_time, file_id, byte_offset, id LIMIT 1) WHERE run_id = ?1",
		"UPDATE _graph SET superseded = id <> (SELECT id FROM _graph WHERE run_id = ?1 AND kind <> 'function' ORDER BY kind,"
		" wall_time DESC, file_id DESC, byte_offset DESC LIMIT 1) WHERE run_id = ?1 AND kind <> 'function'"};

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (tf_db_run(s, err, NULL, marks[i], "i", s->run_id) < 0)
			return -1;
	return 0;
}
