/* What of the configuration holds on a branch and a machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/pipeline/gate_config.h"
#include "lib/pipeline/gate_layers.h"

/* What has been applied so far. */
struct applied {
	const char *branch;
	const struct tf_session *session;
	const struct tf_config_layer **done;
	size_t done_count;
	struct tf_config_limit *limits;
	size_t limit_count;
	struct tf_gate *gate;
	struct tf_gate_settings *settings;
	const struct tf_config_layer *environments; /* the file that says which; NULL: none */
};

/* A later bound replaces the earlier one of the same metric; null takes it back. */
static void apply_limit(struct applied *a, const struct tf_config_limit *from)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->limit_count; i++) {
		struct tf_config_limit *l = &a->limits[i];
		if (l->kind != from->kind || strcmp(l->metric, from->metric) != 0)
			a->limits[kept++] = *l;
	}
	a->limit_count = kept;
	if (from->value)
		a->limits[a->limit_count++] = *from;
}

static bool counts(const struct applied *a, const struct tf_config_extension *x)
{
	if (x->branch && (!a->branch || !tf_glob_match(x->branch, a->branch)))
		return false;
	return x->anywhere || (a->session && tf_environment_holds(&x->environment, a->session));
}

/* A file that is reached twice counts where it is reached first. */
static int apply_layer(struct applied *a, const struct tf_config_layer *l, struct tf_error *err)
{
	for (size_t i = 0; i < a->done_count; i++)
		if (a->done[i] == l)
			return 0;
	a->done[a->done_count++] = l;
	for (size_t i = 0; i < l->extension_count; i++)
		if (counts(a, &l->extensions[i]) && apply_layer(a, l->extensions[i].layer, err) < 0)
			return -1;
	struct tf_gate *g = a->gate;
	g->alpha = isnan(l->alpha) ? g->alpha : l->alpha;
	g->min_effect = isnan(l->min_effect) ? g->min_effect : l->min_effect;
	g->min_steps = l->min_steps == TF_NONE ? g->min_steps : l->min_steps;
	g->allow_env = l->allow_env < 0 ? g->allow_env : l->allow_env;
	g->accept_inferred = l->accept_inferred < 0 ? g->accept_inferred : l->accept_inferred;
	if (l->inconclusive)
		a->settings->inconclusive = l->inconclusive;
	if (l->has_baselines)
		*a->settings = (struct tf_gate_settings){l->baselines, l->baseline_count, a->settings->inconclusive};
	if (l->has_environments)
		a->environments = l;
	for (size_t i = 0; i < l->limit_count; i++)
		apply_limit(a, &l->limits[i]);
	for (size_t i = 0; i < l->waiver_count; i++)
		if (tf_gate_add_waiver(g, &l->waivers[i], err) < 0)
			return -1;
	return 0;
}

/* Environments go into the gate's own memory. */
static int put_environments(struct tf_gate *g, const struct tf_config_layer *l, struct tf_error *err)
{
	for (size_t i = 0; l && i < l->environment_count; i++) {
		struct tf_environment *to = tf_arena_push(&g->arena, (void **)&g->environments, &g->environment_count,
							  &g->environment_cap, sizeof *to);
		if (!to)
			return tf_fail_nomem(err);
		*to = l->environments[i];
	}
	return 0;
}

int tf_gate_config_apply(const struct tf_gate_config *c, const char *branch, const struct tf_session *s, struct tf_gate *g,
			 struct tf_gate_settings *out, struct tf_error *err)
{
	struct applied a = {.branch = branch, .session = s, .gate = g, .settings = out};
	int rc = -1;

	*out = (struct tf_gate_settings){0};
	a.done = calloc(c->file_count + 1, sizeof *a.done);
	a.limits = calloc(c->limit_count + 1, sizeof *a.limits);
	if (!a.done || !a.limits)
		tf_fail_nomem(err);
	else if (apply_layer(&a, c->root, err) == 0)
		rc = put_environments(g, a.environments, err);
	for (size_t i = 0; i < a.limit_count && rc == 0; i++)
		rc = tf_gate_add_rule(g, a.limits[i].kind, a.limits[i].typed, a.limits[i].value, a.limits[i].place, err);
	free(a.done);
	free(a.limits);
	return rc;
}
