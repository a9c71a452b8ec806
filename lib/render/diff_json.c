/* Differences as JSON, schema tfprof.diff/1. */
#include <math.h>

#include "lib/render/diff_out.h"
#include "lib/render/json_writer.h"

static void put_sessions(struct tf_json *j, const struct tf_diff *d)
{
	tf_json_list(j, "sessions");
	for (size_t i = 0; i < d->side_count; i++) {
		const struct tf_session *s = d->sides[i].session;
		tf_json_object(j, NULL);
		tf_json_text(j, "label", d->sides[i].label);
		tf_json_text(j, "run", s->run);
		tf_json_text(j, "name", s->name);
		tf_json_bool(j, "report", d->sides[i].is_report);
		tf_json_bool(j, "complete", s->complete);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

static void put_facts(struct tf_json *j, const struct tf_diff *d)
{
	tf_json_list(j, "environment");
	for (size_t k = 0; k < d->fact_count; k++) {
		tf_json_object(j, NULL);
		tf_json_text(j, "key", d->facts[k].key);
		tf_json_list(j, "values");
		for (size_t i = 0; i < d->side_count; i++)
			tf_json_text(j, NULL, d->facts[k].values[i]);
		tf_json_list_end(j);
		tf_json_bool(j, "differs", d->facts[k].differs);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

static void put_metric(struct tf_json *j, const struct tf_diff *d, const struct tf_metric_change *c)
{
	static const char *const worse[] = {NULL, "up", "down"};

	tf_json_object(j, NULL);
	tf_json_text(j, "name", c->name);
	tf_json_text(j, "unit", tf_unit_name(c->unit));
	tf_json_text(j, "worse", worse[c->worse]);
	tf_json_list(j, "values");
	for (size_t i = 0; i < d->side_count; i++) {
		const struct tf_metric *m = c->values[i];
		if (m && m->is_integer)
			tf_json_i64(j, NULL, m->integer);
		else
			tf_json_double(j, NULL, m && m->known ? m->value : NAN);
	}
	tf_json_list_end(j);
	tf_json_list(j, "reasons");
	for (size_t i = 0; i < d->side_count; i++)
		tf_json_text(j, NULL, !c->values[i] ? "not_in_session" : c->values[i]->known ? NULL : c->values[i]->reason);
	tf_json_list_end(j);
	tf_json_double(j, "change", c->change);
	tf_json_double(j, "change_pct", c->change_pct);
	tf_json_object_end(j);
}

/* How the levels of the waterfall call what they list. */
static const char *const levels[] = {"category", "op", "kernel"};

static void put_ps_values(struct tf_json *j, const struct tf_diff *d, const int64_t *values)
{
	tf_json_list(j, "values");
	for (size_t i = 0; i < d->side_count; i++)
		tf_json_ms(j, NULL, values[i]);
	tf_json_list_end(j);
	tf_json_list(j, "values_ps");
	for (size_t i = 0; i < d->side_count; i++)
		tf_json_i64(j, NULL, values[i]);
	tf_json_list_end(j);
}

/* The depth is that of the tree: three. */
static void put_parts(struct tf_json *j, const struct tf_diff *d, const char *key, const struct tf_delta *node, int level)
{
	tf_json_list(j, key);
	for (size_t k = 0; k < node->child_count; k++) {
		const struct tf_delta *c = &node->children[k];
		tf_json_object(j, NULL);
		tf_json_text(j, levels[level], c->name);
		put_ps_values(j, d, c->values);
		tf_json_ms(j, "delta_ms", c->delta);
		tf_json_i64(j, "delta_ps", c->delta);
		tf_json_text(j, "change", tf_change_name(c->change));
		if (level < 2)
			put_parts(j, d, "children", c, level + 1);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

static void put_step(struct tf_json *j, const struct tf_diff *d)
{
	tf_json_object(j, "step_time");
	put_ps_values(j, d, d->step.values);
	tf_json_ms(j, "delta_ms", d->step.delta);
	tf_json_i64(j, "delta_ps", d->step.delta);
	tf_json_text(j, "change", tf_change_name(d->step.change));
	tf_json_object_end(j);
	put_parts(j, d, "waterfall", &d->step, 0);
}

static void put_integers(struct tf_json *j, const char *key, const int64_t *values, size_t count)
{
	tf_json_list(j, key);
	for (size_t i = 0; i < count; i++)
		tf_json_i64(j, NULL, values[i]);
	tf_json_list_end(j);
}

static void put_input(struct tf_json *j, const struct tf_diff *d)
{
	tf_json_list(j, "input");
	for (size_t k = 0; k < d->stage_count; k++) {
		const struct tf_stage_change *c = &d->stages[k];
		tf_json_object(j, NULL);
		tf_json_text(j, "pipeline", c->pipeline);
		tf_json_text(j, "stage", c->name);
		put_integers(j, "calls", c->calls, d->side_count);
		tf_json_list(j, "self_us_per_call");
		for (size_t i = 0; i < d->side_count; i++)
			tf_json_us(j, NULL, c->self_ps[i]);
		tf_json_list_end(j);
		tf_json_us(j, "delta_us", c->delta_ps);
		tf_json_text(j, "change", tf_change_name(c->change));
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

static void put_bytes(struct tf_json *j, const struct tf_diff *d, const struct tf_delta *c)
{
	put_integers(j, "values", c->values, d->side_count);
	tf_json_i64(j, "delta_bytes", c->delta);
	tf_json_text(j, "change", tf_change_name(c->change));
}

static void put_memory(struct tf_json *j, const struct tf_diff *d)
{
	tf_json_list(j, "memory");
	for (size_t k = 0; k < d->memory_count; k++) {
		const struct tf_delta *m = &d->memory[k];
		tf_json_object(j, NULL);
		tf_json_text(j, "allocator", m->name);
		put_bytes(j, d, m);
		tf_json_list(j, "children");
		for (size_t i = 0; i < m->child_count; i++) {
			const struct tf_delta *c = &m->children[i];
			tf_json_object(j, NULL);
			tf_json_text(j, "op", c->name);
			tf_json_text(j, "shape", c->tensor ? c->tensor->shape : NULL);
			tf_json_text(j, "dtype", c->tensor ? c->tensor->dtype : NULL);
			tf_json_text(j, "region", c->tensor ? c->tensor->region : NULL);
			if (c->counts)
				put_integers(j, "counts", c->counts, d->side_count);
			else
				tf_json_text(j, "counts", NULL);
			put_bytes(j, d, c);
			tf_json_object_end(j);
		}
		tf_json_list_end(j);
		tf_json_object_end(j);
	}
	tf_json_list_end(j);
}

int tf_render_diff_json(FILE *to, const struct tf_diff *d, struct tf_error *err)
{
	struct tf_json j = {0};

	tf_json_object(&j, NULL);
	tf_json_text(&j, "schema", "tfprof.diff/1");
	put_sessions(&j, d);
	put_facts(&j, d);
	tf_json_list(&j, "metrics");
	for (size_t k = 0; k < d->metric_count; k++)
		put_metric(&j, d, &d->metrics[k]);
	tf_json_list_end(&j);
	put_step(&j, d);
	put_input(&j, d);
	put_memory(&j, d);
	tf_json_list(&j, "notes");
	for (size_t k = 0; k < d->note_count; k++)
		tf_json_text(&j, NULL, d->notes[k]);
	tf_json_list_end(&j);
	tf_json_object_end(&j);
	return tf_json_finish(&j, to, err);
}
