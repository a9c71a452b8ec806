/* Where the sessions ran, how they were set up, and what their metrics and input pipelines say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/diff.h"
#include "lib/base/hash.h"

/* Where a value goes: a new fact of this key. NULL when out of memory. */
static const char **add_fact(struct tf_diff *d, const char *key)
{
	struct tf_fact *f = tf_arena_push(&d->arena, (void **)&d->facts, &d->fact_count, &d->fact_cap, sizeof *f);

	if (!f)
		return NULL;
	f->key = key;
	f->values = tf_arena_array(&d->arena, d->side_count, sizeof *f->values);
	return f->values;
}

/* What a fact is read from; NULL: not known, or out of memory (`failed`). */
typedef const char *read_fact(struct tf_diff *d, const struct tf_session *s, bool *failed);

static const char *checked(const char *text, bool *failed)
{
	*failed |= !text;
	return text;
}

static const char *framework(struct tf_diff *d, const struct tf_session *s, bool *failed)
{
	(void)d, (void)failed;
	return s->framework;
}

static const char *hosts(struct tf_diff *d, const struct tf_session *s, bool *failed)
{
	return s->host_count ? checked(tf_arena_printf(&d->arena, "%zu", s->host_count), failed) : NULL;
}

/* A run of devices of one kind and model, in the order of hosts and planes: "gpu A100 x 8, gpu V100 x 1". */
static const char *devices(struct tf_diff *d, const struct tf_session *s, bool *failed)
{
	struct tf_buf text = {0};
	size_t run = 0;
	const struct tf_device *last = NULL;

	for (size_t i = 0; i <= s->host_count; i++)
		for (size_t k = 0; k < (i < s->host_count ? s->hosts[i].device_count : 1); k++) {
			const struct tf_device *v = i < s->host_count ? &s->hosts[i].devices[k] : NULL;
			bool same = v && last && strcmp(v->kind ? v->kind : "", last->kind ? last->kind : "") == 0
				    && strcmp(v->model ? v->model : "", last->model ? last->model : "") == 0;
			if (last && !same)
				tf_buf_printf(&text, "%s%s%s%s x %zu", text.len ? ", " : "", last->kind ? last->kind : "device",
					      last->model ? " " : "", last->model ? last->model : "", run);
			run = same ? run + 1 : 1;
			last = v;
		}
	const char *result = text.failed ? checked(NULL, failed)
			     : s->host_count ? checked(tf_arena_strdup(&d->arena, text.len ? text.data : "none"), failed) : NULL;
	tf_buf_release(&text);
	return result;
}

/* What marks the steps of the first host that has any. */
static const char *steps(struct tf_diff *d, const struct tf_session *s, bool *failed)
{
	for (size_t i = 0; i < s->host_count; i++) {
		const struct tf_steps *p = &s->hosts[i].steps;
		if (p->source == TF_STEPS_NONE || (p->count == 0 && !p->event))
			continue;
		return p->event ? checked(tf_arena_printf(&d->arena, "%s %s", tf_step_source_name(p->source), p->event), failed)
				: tf_step_source_name(p->source);
	}
	return NULL;
}

static const char *steady_steps(struct tf_diff *d, const struct tf_session *s, bool *failed)
{
	const struct tf_metric *m = tf_metric_find(s, "steps.steady_count");

	return m && m->known ? checked(tf_arena_printf(&d->arena, "%.0f", m->value), failed) : NULL;
}

static const char *capture(struct tf_diff *d, const struct tf_session *s, bool *failed)
{
	(void)d, (void)failed;
	return !s->name ? NULL : s->complete ? "complete" : "incomplete";
}

/* Hyperparameters by name, those of all sessions. */
static int add_settings(struct tf_diff *d)
{
	for (size_t i = 0; i < d->side_count; i++)
		for (size_t k = 0; k < d->sides[i].session->setting_count; k++) {
			const struct tf_setting *g = &d->sides[i].session->settings[k];
			const char *key = tf_arena_printf(&d->arena, "hparam[%s]", g->name);
			const char **values = NULL;
			if (!key)
				return -1;
			for (size_t f = 0; f < d->fact_count && !values; f++)
				if (strcmp(d->facts[f].key, key) == 0)
					values = d->facts[f].values;
			if (!values && !(values = add_fact(d, key)))
				return -1;
			values[i] = g->value;
		}
	return 0;
}

static bool differs(const struct tf_diff *d, const struct tf_fact *f)
{
	for (size_t i = 1; i < d->side_count; i++)
		if (!f->values[i] != !f->values[0] || (f->values[i] && strcmp(f->values[i], f->values[0]) != 0))
			return true;
	return false;
}

int tf_diff_facts(struct tf_diff *d, struct tf_error *err)
{
	static const struct {
		const char *key;
		read_fact *read;
	} facts[] = {{"framework", framework},	{"hosts", hosts},		{"devices", devices},
		     {"steps marked by", steps}, {"steady steps", steady_steps}, {"capture", capture}};
	bool failed = false;

	for (size_t f = 0; f < sizeof facts / sizeof facts[0]; f++) {
		const char **values = add_fact(d, facts[f].key);
		for (size_t i = 0; values && i < d->side_count; i++)
			values[i] = facts[f].read(d, d->sides[i].session, &failed);
		if (!values || failed)
			return tf_fail_nomem(err);
	}
	if (add_settings(d) < 0)
		return tf_fail_nomem(err);
	for (size_t f = 0; f < d->fact_count; f++)
		d->facts[f].differs = differs(d, &d->facts[f]);
	for (size_t i = 0; i < d->side_count; i++)
		if (d->sides[i].is_report && tf_diff_note(d, i, "a report does not tell hyperparameters") < 0)
			return tf_fail_nomem(err);
	return 0;
}

static struct tf_metric_change *add_metric(struct tf_diff *d, const struct tf_metric *m, const char *name)
{
	struct tf_metric_change *c = tf_arena_push(&d->arena, (void **)&d->metrics, &d->metric_count, &d->metric_cap, sizeof *c);

	if (!c || !(c->values = tf_arena_array(&d->arena, d->side_count, sizeof *c->values)))
		return NULL;
	c->name = name;
	c->unit = m->unit;
	c->worse = m->worse;
	c->change = c->change_pct = NAN;
	return c;
}

/* One metric of one session goes to that of its name. */
static int put_metric(struct tf_diff *d, struct tf_map *places, size_t side, const struct tf_metric *m, struct tf_error *err)
{
	const char *name = m->host ? tf_arena_printf(&d->arena, "%s@%s", m->name, m->host) : m->name;

	if (!name)
		return tf_fail_nomem(err);
	uint64_t key = tf_hash_bytes(name, strlen(name));
	const uint64_t *place = tf_map_find(places, key);
	if (!place) {
		if (tf_map_put(places, key, d->metric_count, err) < 0)
			return -1;
		if (!add_metric(d, m, name))
			return tf_fail_nomem(err);
		place = tf_map_find(places, key);
	}
	if (strcmp(d->metrics[*place].name, name) == 0)
		d->metrics[*place].values[side] = m;
	return 0;
}

int tf_diff_metrics(struct tf_diff *d, struct tf_error *err)
{
	struct tf_map places = {0};
	int rc = 0;

	for (size_t i = 0; i < d->side_count; i++)
		for (size_t k = 0; rc == 0 && k < d->sides[i].session->metric_count; k++)
			rc = put_metric(d, &places, i, &d->sides[i].session->metrics[k], err);
	tf_map_release(&places);
	for (size_t k = 0; rc == 0 && k < d->metric_count; k++) {
		struct tf_metric_change *c = &d->metrics[k];
		const struct tf_metric *first = c->values[0], *last = c->values[d->side_count - 1];
		if (!first || !last || !first->known || !last->known)
			continue;
		c->change = last->value - first->value;
		c->change_pct = first->value != 0 ? 100 * c->change / fabs(first->value) : (double)NAN;
	}
	return rc;
}

/* The place of a stage, made at its first mention; NULL when out of memory. */
static struct tf_stage_change *find_stage(struct tf_diff *d, struct tf_map *places, const struct tf_stage *g, struct tf_error *err)
{
	const char *name = g->long_name ? g->long_name : g->name;
	uint64_t key = tf_hash_u64(tf_hash_bytes(g->pipeline, strlen(g->pipeline))) ^ tf_hash_bytes(name, strlen(name));
	const uint64_t *place = tf_map_find(places, key);

	if (place)
		return &d->stages[*place];
	struct tf_stage_change *c = tf_arena_push(&d->arena, (void **)&d->stages, &d->stage_count, &d->stage_cap, sizeof *c);
	if (!c || tf_map_put(places, key, d->stage_count - 1, err) < 0)
		return NULL;
	c->name = name;
	c->pipeline = g->pipeline;
	c->calls = tf_arena_array(&d->arena, d->side_count, sizeof *c->calls);
	c->self_ps = tf_arena_array(&d->arena, d->side_count, sizeof *c->self_ps);
	for (size_t i = 0; c->calls && c->self_ps && i < d->side_count; i++)
		c->calls[i] = c->self_ps[i] = TF_NONE;
	return c->calls && c->self_ps ? c : NULL;
}

static void add_to(int64_t *to, int64_t value)
{
	*to = *to == TF_NONE ? value : tf_ps_add(*to, value);
}

/* Sessions without any stage do not tell: their stages are neither added nor removed. */
static bool has_stages(const struct tf_session *s)
{
	for (size_t i = 0; i < s->host_count; i++)
		if (s->hosts[i].input.stage_count)
			return true;
	return false;
}

static void settle_stage(struct tf_diff *d, struct tf_stage_change *c)
{
	size_t last = d->side_count - 1;

	for (size_t i = 0; i < d->side_count; i++)
		if (c->self_ps[i] != TF_NONE)
			c->self_ps[i] = c->calls[i] > 0 ? c->self_ps[i] / c->calls[i] : TF_NONE;
	c->change = has_stages(d->sides[0].session) && has_stages(d->sides[last].session) ? tf_change_of(c->self_ps, d->side_count)
											    : TF_CHANGE_UNKNOWN;
	c->delta_ps = c->self_ps[0] != TF_NONE && c->self_ps[last] != TF_NONE ? c->self_ps[last] - c->self_ps[0] : TF_NONE;
}

/* Calls and own time of the stages of one session's hosts. */
static int add_stages(struct tf_diff *d, struct tf_map *places, size_t side, struct tf_error *err)
{
	const struct tf_session *s = d->sides[side].session;

	for (size_t h = 0; h < s->host_count; h++)
		for (size_t k = 0; k < s->hosts[h].input.stage_count; k++) {
			const struct tf_stage *g = &s->hosts[h].input.stages[k];
			struct tf_stage_change *c = find_stage(d, places, g, err);
			if (!c)
				return tf_fail_nomem(err);
			add_to(&c->calls[side], g->calls);
			add_to(&c->self_ps[side], g->self_ps);
		}
	return 0;
}

int tf_diff_input(struct tf_diff *d, struct tf_error *err)
{
	struct tf_map places = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < d->side_count; i++)
		rc = add_stages(d, &places, i, err);
	tf_map_release(&places);
	for (size_t i = 0; rc == 0 && d->stage_count && i < d->side_count; i++)
		if (!has_stages(d->sides[i].session) && tf_diff_note(d, i, "no stages of an input pipeline to compare") < 0)
			rc = tf_fail_nomem(err);
	for (size_t k = 0; rc == 0 && k < d->stage_count; k++)
		settle_stage(d, &d->stages[k]);
	return rc;
}
