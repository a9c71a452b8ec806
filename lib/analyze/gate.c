/* The gate: each rule against the session and its baseline. Unknown, missing or damaged never passes. */
#include "lib/analyze/gate.h"

#include <math.h>
#include <string.h>

#include "lib/analyze/analyze.h"

/* Figures over steady steps: they need a number of them. */
static bool is_step_figure(const char *name)
{
	static const char *const prefixes[] = {"step_", "input.", "kernels.launches_per_step"};

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool is_scalar(const char *name)
{
	return strncmp(name, "scalar[", 7) == 0;
}

static int64_t steady_steps(const struct tf_session *s)
{
	const struct tf_metric *m = tf_metric_find(s, "steps.steady_count");
	return m && m->is_integer ? m->integer : 0;
}

static bool has_inferred_steps(const struct tf_session *s)
{
	for (size_t i = 0; i < s->host_count; i++)
		if (s->hosts[i].steps.source == TF_STEPS_INFERRED)
			return true;
	return false;
}

/* Why a side cannot be judged by this metric; NULL if it can. */
static const char *doubt(const struct tf_gate *g, const struct tf_session *s, const char *name)
{
	const struct tf_metric *m = tf_metric_find(s, name);

	if (!m)
		return "no_such_metric_here";
	if (!m->known)
		return m->reason ? m->reason : "unknown";
	if (is_scalar(name))
		return NULL;
	if (!s->complete)
		return "incomplete";
	if (is_step_figure(name) && has_inferred_steps(s))
		return "inferred_steps";
	return is_step_figure(name) && steady_steps(s) < g->min_steps ? "too_few_steps" : NULL;
}

static void judge_limit(const struct tf_gate *g, const struct tf_session *s, struct tf_check *c)
{
	const struct tf_metric *m = tf_metric_find(s, c->rule.metric);

	c->value = m && m->known ? m->value : NAN;
	c->n = m ? m->n : TF_NONE;
	c->reason = doubt(g, s, c->rule.metric);
	/* A limit that is broken is broken whatever else is in doubt, but what is not whole may not pass. */
	bool broken = c->rule.kind == TF_CHECK_MAX ? c->value > c->rule.limit : c->value < c->rule.limit;
	c->verdict = !isnan(c->value) && broken && !(c->reason && strcmp(c->reason, "inferred_steps") == 0) ? TF_FAIL
		     : c->reason ? TF_INCONCLUSIVE : TF_PASS;
	if (c->verdict == TF_FAIL)
		c->reason = "limit_broken";
}

/* What differs between the machines and programs that two sessions ran on. */
static const char *environment_difference(const struct tf_session *a, const struct tf_session *b)
{
	size_t devices[2] = {0, 0};

	if (!a->name || !b->name)
		return NULL;
	if (a->host_count != b->host_count)
		return "environment_differs: hosts";
	for (size_t i = 0; i < a->host_count; i++) {
		devices[0] += a->hosts[i].device_count;
		devices[1] += b->hosts[i].device_count;
	}
	if (devices[0] != devices[1])
		return "environment_differs: devices";
	for (size_t i = 0; i < a->host_count; i++)
		for (size_t k = 0; k < a->hosts[i].device_count && k < b->hosts[i].device_count; k++) {
			const char *x = a->hosts[i].devices[k].model, *y = b->hosts[i].devices[k].model;
			if (x && y && strcmp(x, y) != 0)
				return "environment_differs: device model";
		}
	return NULL;
}

static bool same_reason(const struct tf_session *a, const struct tf_session *b, const char *name)
{
	const struct tf_metric *x = tf_metric_find(a, name), *y = tf_metric_find(b, name);

	return (!x && !y) || (x && y && !x->known && !y->known && strcmp(x->reason, y->reason) == 0);
}

static void judge_regression(const struct tf_gate *g, const struct tf_session *s, const struct tf_session *base,
			     struct tf_check *c)
{
	const char *name = c->rule.metric;
	const struct tf_metric *m = tf_metric_find(s, name), *b = tf_metric_find(base, name);

	c->value = m && m->known ? m->value : NAN;
	c->baseline = b && b->known ? b->value : NAN;
	c->n = m ? m->n : TF_NONE;
	c->n_baseline = b ? b->n : TF_NONE;
	c->verdict = TF_INCONCLUSIVE;
	if (c->rule.by_default && same_reason(s, base, name)) {
		c->verdict = TF_SKIPPED;
		c->reason = m && m->reason ? m->reason : "no_such_metric_here";
		return;
	}
	if ((c->reason = doubt(g, s, name)))
		return;
	if (doubt(g, base, name)) {
		c->reason = "baseline_unusable";
		return;
	}
	if ((c->reason = environment_difference(s, base)))
		return;
	c->change = c->value - c->baseline;
	c->change_pct = c->baseline != 0 ? 100 * c->change / fabs(c->baseline) : NAN;
	double worse = c->rule.worse == TF_WORSE_DOWN ? -c->change : c->change;
	/* Worse by more than the relative and the absolute allowance; a baseline of zero has only the absolute one. */
	bool over = worse > c->rule.absolute && (c->baseline == 0 || worse > c->rule.relative * fabs(c->baseline));
	c->verdict = over && worse > 0 ? TF_FAIL : TF_PASS;
	c->reason = c->verdict == TF_FAIL ? "regression"
		    : c->baseline != 0 && -worse > 0.5 * fabs(c->baseline) ? "suspicious_improvement" : NULL;
}

static const char *session_label(struct tf_arena *a, const struct tf_session *s)
{
	return s->name ? tf_arena_printf(a, "%s/%s", s->run, s->name) : tf_arena_strdup(a, s->run);
}

int tf_gate_judge(const struct tf_gate *g, const struct tf_session *s, const struct tf_session *baseline,
		  struct tf_verdict *out, struct tf_error *err)
{
	bool any = false;

	out->session = session_label(&out->arena, s);
	out->baseline = baseline ? session_label(&out->arena, baseline) : NULL;
	out->verdict = TF_PASS;
	for (size_t i = 0; i < g->rule_count; i++) {
		struct tf_check *c = tf_arena_push(&out->arena, (void **)&out->checks, &out->check_count, &out->check_cap,
						   sizeof *c);
		if (!c)
			return tf_fail_nomem(err);
		*c = (struct tf_check){.rule = g->rules[i], .value = NAN, .baseline = NAN, .change = NAN, .change_pct = NAN,
				       .n = TF_NONE, .n_baseline = TF_NONE};
		c->rule.metric = tf_arena_strdup(&out->arena, g->rules[i].metric);
		if (!c->rule.metric)
			return tf_fail_nomem(err);
		if (c->rule.kind != TF_CHECK_REGRESS) {
			judge_limit(g, s, c);
		} else if (baseline) {
			judge_regression(g, s, baseline, c);
		} else {
			c->verdict = TF_INCONCLUSIVE;
			c->reason = "no_baseline";
		}
		any |= c->verdict != TF_SKIPPED;
		if (c->verdict == TF_FAIL || (c->verdict == TF_INCONCLUSIVE && out->verdict == TF_PASS))
			out->verdict = c->verdict;
		c->reason = c->reason ? tf_arena_strdup(&out->arena, c->reason) : NULL;
	}
	if (!any)
		out->verdict = TF_INCONCLUSIVE; /* nothing was compared */
	return 0;
}
