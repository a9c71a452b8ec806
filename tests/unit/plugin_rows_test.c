/* Views over what plugins wrote: trials and their metrics, curves, meshes, graphs; which value of each kind counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/store/store.h"
#include "tests/unit/support_store.h"

static struct tf_error err;

static struct tf_point point_of(const char *tag, int64_t step, double wall, int64_t offset)
{
	return (struct tf_point){.tag = tf_bytes_of(tag), .step = step, .wall_time = wall, .offset = offset};
}

static void put(struct tf_store *s, int64_t offset, struct tf_plugin_row row)
{
	const struct tf_row_sink sink = tf_store_row_sink(s);
	struct tf_point at = point_of("t", 0, 1000 + (double)offset, offset);
	assert_int_equal(sink.plugin(sink.ctx, &at, &row, &err), 0);
	assert_int_equal(sink.counted(sink.ctx, &at, "hparams", &err), 0); /* as the decoder does behind them */
}

static void put_number(struct tf_store *s, const char *name, double value)
{
	const struct tf_row_sink sink = tf_store_row_sink(s);
	struct tf_point at = point_of("t", 0, 1000, 0);
	struct tf_hparam h = {.name = tf_bytes_of(name), .type = "number", .number = value, .text = tf_bytes_of("")};
	assert_int_equal(sink.hparam(sink.ctx, &at, &h, &err), 0);
}

/* A file of a run with a trial whose rate is so much, and a loss that falls to 0.25 at step 2. */
static void trial(struct tf_store *s, const char *path, const char *run, double rate)
{
	st_begin(s, path, run, NULL, NULL);
	put(s, 0, (struct tf_plugin_row){.kind = TF_ROW_TRIAL_START, .u.trial.at_s = 100});
	put_number(s, "lr", rate);
	st_scalar(s, "loss", 1, 1001, 40, 0.5);
	st_scalar(s, "loss", 2, 1002, 80, 0.25);
	st_end(s);
}

static void a_trial_without_an_experiment_has_all_its_scalars(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	trial(s, "a", "runs/a", 0.5);
	st_begin(s, "v", "runs/a/validation", NULL, NULL);
	st_scalar(s, "loss", 3, 1001, 40, 0.75);
	st_end(s);
	st_begin(s, "b", "runs/ab", NULL, NULL); /* no part of runs/a */
	st_scalar(s, "loss", 3, 1001, 40, 9);
	st_end(s);
	st_gives(s, "SELECT hparams FROM hparam_trial", "{\"lr\":0.5}");
	st_gives(s, "SELECT metrics FROM hparam_trial", "{\"loss\":0.25,\"validation/loss\":0.75}");
	st_gives(s, "SELECT \"group\" FROM hparam_trial", "runs/a");
	st_gives(s, "SELECT group_concat(part || ':' || step) FROM (SELECT * FROM hparam_metric ORDER BY part)", ":2,validation:3");
	tf_store_close(s, &err);
}

static void the_nearest_experiment_names_the_metrics(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	static const char *const runs[] = {".", "runs"}, *const tags[] = {"loss", "acc"};
	for (int i = 0; i < 2; i++) {
		st_begin(s, runs[i], runs[i], NULL, NULL);
		put(s, 0, (struct tf_plugin_row){.kind = TF_ROW_EXPERIMENT, .u.experiment = {.name = tf_bytes_of(runs[i])}});
		put(s, 0, (struct tf_plugin_row){.kind = TF_ROW_METRIC_INFO, .u.metric.tag = tf_bytes_of(tags[i])});
		st_end(s);
	}
	trial(s, "a", "runs/a", 0.5);
	trial(s, "b", "b", 2);
	st_gives(s, "SELECT metrics FROM hparam_trial WHERE run = 'runs/a'", "{\"acc\":null}"); /* declared, never written */
	st_gives(s, "SELECT experiment FROM hparam_trial WHERE run = 'runs/a'", "runs");
	st_gives(s, "SELECT metrics FROM hparam_trial WHERE run = 'b'", "{\"loss\":0.25}");
	st_gives(s, "SELECT count(*) FROM hparam_metric WHERE value IS NULL", "1");
	tf_store_close(s, &err);
}

static void a_metric_group_is_a_run_below_the_trial(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", ".", NULL, NULL);
	put(s, 0, (struct tf_plugin_row){.kind = TF_ROW_EXPERIMENT, .u.experiment.created_s = (double)NAN});
	put(s, 0, (struct tf_plugin_row){.kind = TF_ROW_METRIC_INFO, .u.metric = {.group = tf_bytes_of("val"), .tag = tf_bytes_of("loss")}});
	st_end(s);
	trial(s, "a", "a", 1);
	trial(s, "av", "a/val", 1); /* its value there is the trial's */
	st_gives(s, "SELECT metrics FROM hparam_trial WHERE run = 'a'", "{\"val/loss\":0.25}");
	tf_store_close(s, &err);
}

static void of_two_sessions_of_a_run_the_first_counts(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	put(s, 10, (struct tf_plugin_row){.kind = TF_ROW_TRIAL_START, .u.trial.group = tf_bytes_of("first")});
	put_number(s, "lr", 1);
	put(s, 20, (struct tf_plugin_row){.kind = TF_ROW_TRIAL_END, .u.trial.status = "failure"});
	put(s, 30, (struct tf_plugin_row){.kind = TF_ROW_TRIAL_START, .u.trial.group = tf_bytes_of("second")});
	put_number(s, "lr", 2);
	put(s, 40, (struct tf_plugin_row){.kind = TF_ROW_TRIAL_END, .u.trial.status = "success"});
	st_end(s);
	st_gives(s, "SELECT group_concat(\"group\" || ' ' || status || ' ' || hparams) FROM hparam_trial", "first failure {\"lr\":1.0}");
	st_gives(s, "SELECT group_concat(value || ':' || superseded) FROM (SELECT * FROM hparam ORDER BY value)", "1.0:0,2.0:1");
	tf_store_close(s, &err);
}

static void declared_hparams_have_a_domain(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	put(s, 0, (struct tf_plugin_row){.kind = TF_ROW_EXPERIMENT, .u.experiment.name = tf_bytes_of("sweep")});
	put(s, 0, (struct tf_plugin_row){.kind = TF_ROW_HPARAM_INFO, .u.hparam = {.name = tf_bytes_of("lr"), .type = "number",
					 .domain_json = "[1,2]", .min = (double)NAN, .max = (double)NAN}});
	st_end(s);
	st_gives(s, "SELECT experiment || ' ' || name || ' ' || type || ' ' || domain FROM hparam_domain WHERE min IS NULL", "sweep lr number [1,2]");
	tf_store_close(s, &err);
}

static void tensor(struct tf_store *s, const char *plugin, const char *shape, const char *value)
{
	const struct tf_row_sink sink = tf_store_row_sink(s);
	struct tf_point at = point_of("c", 3, 1001, 40);
	at.plugin = tf_bytes_of(plugin);
	assert_int_equal(sink.tensor(sink.ctx, &at, "double", shape, 0, value, &err), 0);
}

/* Rows of true and false positives, true and false negatives, precision, recall; thresholds are 0, 1/2, 1. */
static void a_curve_has_a_row_for_each_threshold(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	tensor(s, "pr_curves", "[6,3]", "[9,6,1, 5,2,0, 0,3,5, 1,4,9, 0.625,0.75,1, 0.9,0.6,null]");
	st_end(s);
	st_gives(s, "SELECT group_concat(threshold) FROM pr_curve", "0.0,0.5,1.0");
	st_gives(s,
		 "SELECT true_positives || ' ' || false_positives || ' ' || true_negatives || ' ' || false_negatives || ' ' || \"precision\""
		 " || ' ' || recall FROM pr_curve WHERE threshold = 0.5", "6 2 3 4 0.75 0.6");
	st_gives(s, "SELECT count(*) FROM pr_curve WHERE recall IS NULL", "1");
	tf_store_close(s, &err);
}

static void what_is_no_curve_has_no_rows(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	tensor(s, "pr_curves", "[3]", "[1,2,3]");
	tensor(s, "pr_curves", "[6,5000]", NULL);
	st_end(s);
	st_begin(s, "f", "s", NULL, NULL);
	tensor(s, "mine", "[6,1]", "[1,2,3,4,5,6]");
	st_end(s);
	st_gives(s, "SELECT count(*) FROM pr_curve", "0");
	tf_store_close(s, &err);
}

static void a_curve_of_one_threshold_does_not_say_which(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	tensor(s, "pr_curves", "[6,1]", "[1,2,3,4,5,6]");
	st_end(s);
	st_gives(s, "SELECT count(*) || ' ' || recall FROM pr_curve WHERE threshold IS NULL", "1 6");
	tf_store_close(s, &err);
}

static void tensors_of_a_mesh_go_by_their_tags_first_description(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	const struct tf_row_sink sink = tf_store_row_sink(s);
	struct tf_point at = point_of("c", 3, 1001, 40);
	at.plugin = tf_bytes_of("mesh");
	struct tf_plugin_row row = {.kind = TF_ROW_MESH, .u.mesh = {.name = tf_bytes_of("m"), .content = "face"}};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sink.plugin(sink.ctx, &at, &row, &err), 0);
		tensor(s, "mesh", "[1,7,3]", NULL);
		row.u.mesh.content = "color";
	}
	st_end(s);
	st_gives(s, "SELECT group_concat(name || ' ' || content || ' ' || shape || ' ' || superseded) FROM mesh", "m face [1,7,3] 1,m face [1,7,3] 0");
	tf_store_close(s, &err);
}

static void graph(struct tf_store *s, const char *kind, const char *node, int64_t offset)
{
	const struct tf_row_sink sink = tf_store_row_sink(s);
	put(s, offset, (struct tf_plugin_row){.kind = TF_ROW_GRAPH, .u.graph = kind});
	struct tf_graph_node n = {.name = tf_bytes_of(node), .inputs_json = "[]"};
	assert_int_equal(sink.graph_node(sink.ctx, &n, &err), 0);
}

static void the_last_graph_counts_and_a_meta_graph_only_alone(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	static const char counting[] = "SELECT group_concat(name) FROM (SELECT name FROM graph_node WHERE superseded = 0 ORDER BY name)";
	st_begin(s, "e", "r", NULL, NULL);
	graph(s, "meta_graph", "m", 90);
	st_end(s);
	st_gives(s, counting, "m");
	st_begin(s, "e", "r", NULL, NULL);
	graph(s, "meta_graph", "m", 90);
	graph(s, "graph", "a", 10);
	graph(s, "graph", "b", 20);
	graph(s, "function", "f", 30); /* of a trace: beside the graph of the run */
	st_end(s);
	st_gives(s, counting, "b,f");
	st_gives(s, "SELECT count(*) FROM graph_node", "4"); /* the file's first rows went with their graph */
	tf_store_close(s, &err);
}

/* A step again in a later file, for every kind of value; of several pictures in one record all count. */
static void values_of_every_kind_are_superseded(void **state)
{
	(void)state;
	static const char *const views[] = {"histogram", "tensor", "text", "media"};
	struct tf_store *s = st_memory();
	for (int i = 0; i < 2; i++) {
		st_begin(s, i ? "e2" : "e1", "r", NULL, NULL);
		const struct tf_row_sink sink = tf_store_row_sink(s);
		struct tf_point at = point_of("t", 5, 1001 + i, 40);
		struct tf_histogram h = {.count = i};
		struct tf_media m = {.bytes = i};
		assert_int_equal(sink.histogram(sink.ctx, &at, &h, &err), 0);
		assert_int_equal(sink.tensor(sink.ctx, &at, "int32", "[0]", 0, NULL, &err), 0);
		assert_int_equal(sink.text(sink.ctx, &at, tf_bytes_of("x"), &err), 0);
		for (int k = 0; k < 3; k++)
			assert_int_equal(sink.media(sink.ctx, &at, &m, &err), 0);
		st_end(s);
	}
	for (size_t i = 0; i < 4; i++) {
		char sql[128];
		snprintf(sql, sizeof sql, "SELECT group_concat(DISTINCT wall_time || ':' || superseded) FROM (SELECT * FROM %s ORDER BY wall_time)", views[i]);
		st_gives(s, sql, "1001.0:1,1002.0:0");
	}
	tf_store_close(s, &err);
}

static void a_restart_orphans_values_of_every_kind(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	const struct tf_row_sink sink = tf_store_row_sink(s);
	for (int step = 0; step < 5; step++) {
		struct tf_point at = point_of("t", step, 1001 + step, 40 * step);
		assert_int_equal(sink.text(sink.ctx, &at, tf_bytes_of("x"), &err), 0);
	}
	assert_int_equal(sink.session_start(sink.ctx, 3, 1100, 500, &err), 0);
	st_end(s);
	st_gives(s, "SELECT group_concat(step) FROM text WHERE orphaned", "3,4");
	st_begin(s, "e", "r", NULL, NULL); /* the file again, without the restart */
	struct tf_point at = point_of("t", 4, 1001, 40);
	assert_int_equal(sink.text(sink.ctx, &at, tf_bytes_of("x"), &err), 0);
	st_end(s);
	st_gives(s, "SELECT count(*) FROM text WHERE orphaned", "0");
	tf_store_close(s, &err);
}

/* As TensorBoard does it: without a version, or before 2, a tag whose step falls was restarted there. */
static void in_files_of_old_writers_a_falling_step_is_a_restart(void **state)
{
	(void)state;
	static const struct {
		const char *version;
		int64_t bad_offset;
		const char *orphans;
	} cases[] = {{NULL, TF_NONE, "4,5"}, {"brain.Event:1", TF_NONE, "4,5"}, {"brain.Event:2", TF_NONE, NULL}, {NULL, 0, NULL}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_store *s = st_memory();
		struct tf_ledger_file f = {.first_bad_offset = cases[i].bad_offset, .writer_version = cases[i].version};
		st_begin(s, "e", "r", NULL, NULL);
		for (int step = 0; step < 6; step++)
			st_scalar(s, "loss", step, 1001 + step, 42 * step, 0);
		st_scalar(s, "acc", 1, 1050, 400, 0); /* another tag's step does not count */
		for (int step = 2; step < 4; step++)
			st_scalar(s, "loss", step, 1100 + step, 1000 + 42 * step, 1);
		assert_int_equal(tf_store_end_file(s, &f, &err), 0);
		if (cases[i].orphans)
			st_gives(s, "SELECT group_concat(step) FROM scalar WHERE orphaned", cases[i].orphans);
		else
			st_gives(s, "SELECT count(*) FROM scalar WHERE orphaned", "0");
		tf_store_close(s, &err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trial_without_an_experiment_has_all_its_scalars),
		cmocka_unit_test(the_nearest_experiment_names_the_metrics),
		cmocka_unit_test(a_metric_group_is_a_run_below_the_trial),
		cmocka_unit_test(of_two_sessions_of_a_run_the_first_counts),
		cmocka_unit_test(declared_hparams_have_a_domain),
		cmocka_unit_test(a_curve_has_a_row_for_each_threshold),
		cmocka_unit_test(what_is_no_curve_has_no_rows),
		cmocka_unit_test(a_curve_of_one_threshold_does_not_say_which),
		cmocka_unit_test(tensors_of_a_mesh_go_by_their_tags_first_description),
		cmocka_unit_test(the_last_graph_counts_and_a_meta_graph_only_alone),
		cmocka_unit_test(values_of_every_kind_are_superseded),
		cmocka_unit_test(a_restart_orphans_values_of_every_kind),
		cmocka_unit_test(in_files_of_old_writers_a_falling_step_is_a_restart),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
