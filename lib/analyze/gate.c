/* The gate: each rule against the session and its baseline, or several runs of each. Unknown, missing or damaged never passes. */
#include "lib/analyze/gate.h"

#include <math.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/gate_side.h"
#include "lib/analyze/metric_pattern.h"
#include "lib/base/hash.h"

/* An improvement by more than this share of the baseline is more likely a broken measurement. */
#define SUSPICIOUS_SHARE 0.5
/* Differences of doubles carry rounding errors: within this share of the numbers they do not exceed an allowance. */
#define ROUNDING_SHARE 1e-12

/* What all runs of a side say of a figure. Arena of the verdict. */
struct figure {
	struct tf_side *runs;
	double *values; /* of the runs, NaN: unknown */
	size_t count;
	double value;	  /* that stands for all runs, NaN: unknown */
	int64_t n;	  /* samples of the one run, else runs */
	size_t doubtful;  /* the first run that cannot be judged; count: none */
};

/* Names of the same kind that the session has instead: its allocators, its tags. */
static const char *others_of_kind(const struct tf_session *s, const char *metric, struct tf_arena *a)
{
	const char *open = strchr(metric, '['), *close = strrchr(metric, ']');
	struct tf_buf text = {0};
	int shown = 0;

	for (size_t i = 0; open && close && i < s->metric_count && shown < 3; i++) {
		const char *name = s->metrics[i].name, *end = strrchr(name, ']');
		if (s->metrics[i].host || !end || strcmp(end, close) != 0
		    || strncmp(name, metric, (size_t)(open - metric) + 1) != 0)
			continue;
		tf_buf_printf(&text, "%s'%s'", shown++ ? ", " : "there is ", name);
	}
	const char *kept = shown && !text.failed ? tf_arena_strdup(a, text.data) : NULL;
	tf_buf_release(&text);
	return kept;
}

static const char *run_label(struct tf_arena *a, const struct tf_session *s)
{
	return s->name ? tf_arena_printf(a, "%s/%s", s->run, s->name) : tf_arena_strdup(a, s->run);
}

/* What the reason leaves open, in words: which side, which of several runs. NULL if nothing, or without memory. */
static const char *detail_of(const struct tf_gate *g, const struct figure *f, bool is_baseline, const char *metric, struct tf_arena *a)
{
	const struct tf_side *x = &f->runs[f->doubtful];
	const char *whose = is_baseline ? "the baseline" : "the session", *run = f->count > 1 ? run_label(a, x->s) : NULL;

	if (run)
		whose = tf_arena_printf(a, "%s%s", is_baseline ? "the baseline's run " : "the run ", run);
	if (!whose)
		return NULL;
	if (!x->metric && !is_baseline && !run)
		return others_of_kind(x->s, metric, a);
	if (strcmp(x->reason, "too_few_steps") == 0)
		return tf_arena_printf(a, "%s has %lld steady steps of %lld", whose, (long long)x->steady, (long long)g->min_steps);
	return is_baseline || run ? tf_arena_printf(a, "in %s", whose) : NULL;
}

/* Leaves the check inconclusive if a run of the side is in doubt. */
static bool is_doubtful(const struct tf_gate *g, const struct figure *f, bool is_baseline, struct tf_arena *a, struct tf_check *c)
{
	if (f->doubtful == f->count)
		return false;
	c->verdict = TF_INCONCLUSIVE;
	c->reason = f->runs[f->doubtful].reason;
	c->detail = detail_of(g, f, is_baseline, c->rule.metric, a);
	return true;
}

/* The worst run for a limit, which each run must hold; the median one for a comparison. */
static double value_of_runs(const struct figure *f, enum tf_check_kind kind, struct tf_arena *a)
{
	double *sorted = tf_arena_array(a, f->count, sizeof *sorted);

	for (size_t i = 0; i < f->count; i++)
		if (!sorted || isnan(f->values[i]))
			return NAN;
	memcpy(sorted, f->values, f->count * sizeof *sorted);
	tf_stats_sort(sorted, f->count);
	if (kind == TF_CHECK_REGRESS)
		return tf_stats_percentile(sorted, f->count, 0.5);
	return sorted[kind == TF_CHECK_MAX ? f->count - 1 : 0];
}

static int take_figure(const struct tf_gate *g, struct tf_runs runs, const struct tf_rule *r, struct tf_arena *a, struct figure *f,
		       struct tf_error *err)
{
	*f = (struct figure){.runs = tf_arena_array(a, runs.count, sizeof *f->runs),
			     .values = tf_arena_array(a, runs.count, sizeof *f->values), .count = runs.count, .doubtful = runs.count};
	if (!f->runs || !f->values)
		return tf_fail_nomem(err);
	for (size_t i = runs.count; i-- > 0;) {
		f->runs[i] = tf_side_of(g, &runs.list[i], r->metric);
		f->values[i] = tf_side_value(&f->runs[i]);
		if (f->runs[i].reason)
			f->doubtful = i;
	}
	f->value = runs.count == 1 ? f->values[0] : value_of_runs(f, r->kind, a);
	f->n = runs.count == 1 ? tf_side_samples(&f->runs[0]) : (int64_t)runs.count;
	return 0;
}

/* Whether what was measured is measured on the wanted machines; scalars are of no machine. */
static bool is_out_of_place(const struct tf_gate *g, const struct figure *f, struct tf_check *c)
{
	bool allowed = true;

	for (size_t i = 0; i < f->count && allowed && g->environment_count; i++) {
		allowed = !(f->runs[i].needs & TF_NEED_CAPTURE);
		for (size_t k = 0; k < g->environment_count && !allowed; k++)
			allowed = tf_environment_holds(&g->environments[k], f->runs[i].s);
	}
	if (allowed)
		return false;
	c->verdict = TF_INCONCLUSIVE;
	c->reason = "environment_not_allowed";
	c->detail = NULL;
	return true;
}

static int judge_limit(const struct tf_gate *g, struct tf_runs now, struct tf_arena *a, struct tf_check *c, struct tf_error *err)
{
	struct figure x;

	if (take_figure(g, now, &c->rule, a, &x, err) < 0)
		return -1;
	c->value = x.value;
	c->n = x.n;
	if (is_doubtful(g, &x, false, a, c) || is_out_of_place(g, &x, c))
		return 0;
	bool broken = c->rule.kind == TF_CHECK_MAX ? c->value > c->rule.limit : c->value < c->rule.limit;
	c->verdict = broken ? TF_FAIL : TF_PASS;
	c->reason = broken ? "limit_broken" : NULL;
	return 0;
}

static bool exceeds(double amount, double allowance, double scale)
{
	return amount - allowance > ROUNDING_SHARE * scale;
}

/* Both sides are known and comparable. Of a baseline of 0 the relative allowance is 0: only the absolute one is left. */
static void compare(struct tf_check *c)
{
	bool down = c->rule.worse == TF_WORSE_DOWN;
	double size = fabs(c->baseline), scale = fmax(size, fabs(c->value));
	double relative = c->rule.relative * size;
	double allowed = fmax(relative, c->rule.absolute);

	c->change = c->value - c->baseline;
	c->change_pct = size > 0 ? 100 * c->change / size : (double)NAN;
	c->rule.limit = c->baseline + (down ? -allowed : allowed);
	double worse = down ? -c->change : c->change;
	c->verdict = exceeds(worse, allowed, scale) ? TF_FAIL : TF_PASS;
	if (c->verdict == TF_FAIL)
		c->reason = "regression";
	else if (size > 0 && exceeds(-worse, c->rule.absolute, scale) && -worse > SUSPICIOUS_SHARE * size)
		c->reason = "suspicious_improvement";
}

/* A figure of the default gate that no run has, for one reason, is of no concern. */
static bool is_nowhere(const struct figure *x, const struct figure *y)
{
	const struct figure *const sides[] = {x, y};

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < sides[k]->count; i++) {
			const struct tf_side *s = &sides[k]->runs[i];
			if (!s->metric || s->metric->known || strcmp(s->reason, x->runs[0].reason ? x->runs[0].reason : "") != 0)
				return false;
		}
	return true;
}

/* Leaves the check inconclusive if runs of one side or both were measured over other things, or on other machines. */
static bool differs(const struct tf_gate *g, const struct figure *x, const struct figure *y, struct tf_arena *a, struct tf_check *c)
{
	const struct figure *const sides[] = {x, y};
	const struct tf_side *first = &y->runs[0];

	c->verdict = TF_INCONCLUSIVE;
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < sides[k]->count; i++) {
			const struct tf_side *s = &sides[k]->runs[i];
			if (s->window && first->window && strcmp(s->window, first->window) != 0) {
				c->reason = "window_differs";
				c->detail = tf_arena_printf(a, "over %s, not %s", s->window, first->window);
				return true;
			}
			if ((s->needs & TF_NEED_CAPTURE) && !g->allow_env
			    && (c->detail = tf_environment_difference(s->s, first->s, a))) {
				c->reason = "environment_differs";
				return true;
			}
		}
	/* What no capture tells, the batch size say, is only in the keys. */
	if ((first->needs & TF_NEED_CAPTURE) && !g->allow_env && g->env_key && g->baseline_env_key
	    && strcmp(g->env_key, g->baseline_env_key) != 0) {
		c->reason = "environment_differs";
		c->detail = tf_arena_printf(a, "%s, not %s", g->env_key, g->baseline_env_key);
		return true;
	}
	return false;
}

static int judge_regression(const struct tf_gate *g, struct tf_runs now, struct tf_runs base, struct tf_arena *a, struct tf_check *c,
			    struct tf_error *err)
{
	struct figure x, y;

	if (take_figure(g, now, &c->rule, a, &x, err) < 0 || take_figure(g, base, &c->rule, a, &y, err) < 0)
		return -1;
	c->value = x.value;
	c->baseline = y.value;
	c->n = x.n;
	c->n_baseline = y.n;
	c->rule.limit = NAN;
	if (c->rule.by_default && is_nowhere(&x, &y)) {
		c->verdict = TF_SKIPPED;
		c->reason = x.runs[0].reason;
		return 0;
	}
	if (is_doubtful(g, &x, false, a, c) || is_doubtful(g, &y, true, a, c) || is_out_of_place(g, &x, c)
	    || differs(g, &x, &y, a, c))
		return 0;
	compare(c);
	if (x.count == 1 && y.count == 1)
		return tf_gate_test(g, now.list, base.list, c, err);
	c->n = (int64_t)x.count;
	c->n_baseline = (int64_t)y.count;
	tf_gate_test_runs(g, x.values, x.count, y.values, y.count, c);
	return 0;
}

/* Texts of sessions and gate into the verdict's arena, which outlives both. */
static int keep_texts(struct tf_verdict *v, struct tf_error *err)
{
	struct tf_arena *a = &v->arena;

	for (size_t i = 0; i < v->check_count; i++) {
		struct tf_check *c = &v->checks[i];
		const char **const texts[] = {&c->rule.metric, &c->rule.place.file, &c->reason, &c->detail};
		for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
			if (*texts[k] && !(*texts[k] = tf_arena_strdup(a, *texts[k])))
				return tf_fail_nomem(err);
	}
	for (size_t i = 0; i < v->waiver_count; i++) {
		struct tf_waiver *w = &v->waivers[i].waiver;
		const char **const texts[] = {&w->metric, &w->expires, &w->reason, &w->place.file};
		for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
			if (*texts[k] && !(*texts[k] = tf_arena_strdup(a, *texts[k])))
				return tf_fail_nomem(err);
	}
	return 0;
}

/* One check of the rule, of the metric of this name. */
static int judge_metric(const struct tf_gate *g, const struct tf_rule *r, const char *metric, struct tf_runs now, struct tf_runs base,
			struct tf_verdict *out, struct tf_error *err)
{
	struct tf_arena *a = &out->arena;
	struct tf_check *c = tf_arena_push(a, (void **)&out->checks, &out->check_count, &out->check_cap, sizeof *c);

	if (!c)
		return tf_fail_nomem(err);
	*c = (struct tf_check){.rule = *r, .value = NAN, .baseline = NAN, .change = NAN, .change_pct = NAN, .n = TF_NONE,
			       .n_baseline = TF_NONE, .p_value = NAN, .p_adjusted = NAN, .p_least = NAN, .shift = NAN,
			       .ci_low = NAN, .ci_high = NAN, .verdict = TF_INCONCLUSIVE};
	c->rule.metric = metric;
	if (r->kind != TF_CHECK_REGRESS)
		return judge_limit(g, now, a, c, err);
	if (base.count)
		return judge_regression(g, now, base, a, c, err);
	c->reason = "no_baseline";
	return 0;
}

/* Whether another rule of the kind names the metric itself: what is said of one counts before what is said of many. */
static bool is_named_itself(const struct tf_gate *g, enum tf_check_kind kind, const char *metric)
{
	for (size_t i = 0; i < g->rule_count; i++)
		if (g->rules[i].kind == kind && strcmp(g->rules[i].metric, metric) == 0)
			return true;
	return false;
}

/* Adds the session's metrics that the pattern means to the names, but for those that are there. 0, or -1 when out of memory. */
static int find_matching(const struct tf_session *s, const char *pattern, struct tf_map *seen, struct tf_arena *a,
			 const char ***names, size_t *count, size_t *cap, struct tf_error *err)
{
	struct tf_buf name = {0};
	int rc = 0;

	for (size_t i = 0; i < s->metric_count && rc == 0; i++) {
		const struct tf_metric *m = &s->metrics[i];
		name.len = 0;
		tf_buf_printf(&name, m->host ? "%s@%s" : "%s", m->name, m->host ? m->host : "");
		uint64_t hash = name.failed ? 0 : tf_hash_bytes(name.data, name.len);
		if (!name.failed && (!tf_metric_matches(pattern, name.data) || tf_map_find(seen, hash)))
			continue;
		const char **to = name.failed || tf_map_put(seen, hash, 1, err) < 0
					  ? NULL : tf_arena_push(a, (void **)names, count, cap, sizeof *to);
		rc = to && (*to = tf_arena_strdup(a, name.data)) ? 0 : tf_fail_nomem(err);
	}
	tf_buf_release(&name);
	return rc;
}

/* A check a metric that the pattern means; what only the baseline has is missing. A pattern without any is a rule that guards nothing. */
static int judge_pattern(const struct tf_gate *g, const struct tf_rule *r, struct tf_runs now, struct tf_runs base,
			 struct tf_verdict *out, struct tf_error *err)
{
	const struct tf_runs sides[] = {now, base};
	const char **names = NULL;
	size_t count = 0, cap = 0;
	struct tf_map seen = {0};
	int rc = 0;

	for (size_t k = 0; k < (r->kind == TF_CHECK_REGRESS ? 2 : 1); k++)
		for (size_t i = 0; i < sides[k].count && rc == 0; i++)
			rc = find_matching(&sides[k].list[i], r->metric, &seen, &out->arena, &names, &count, &cap, err);
	tf_map_release(&seen);
	for (size_t i = 0; i < count && rc == 0; i++)
		if (!is_named_itself(g, r->kind, names[i]))
			rc = judge_metric(g, r, names[i], now, base, out, err);
	return rc == 0 && count == 0 ? judge_metric(g, r, r->metric, now, base, out, err) : rc;
}

/* "A, B and 3 more" would name nothing: all runs, by comma. */
static const char *label_of(struct tf_arena *a, struct tf_runs runs)
{
	const char *label = runs.count ? run_label(a, &runs.list[0]) : NULL;

	for (size_t i = 1; i < runs.count && label; i++) {
		const char *next = run_label(a, &runs.list[i]);
		label = next ? tf_arena_printf(a, "%s, %s", label, next) : NULL;
	}
	return label;
}

static void sum_up(struct tf_verdict *v)
{
	bool any = false;

	v->verdict = TF_PASS;
	for (size_t i = 0; i < v->check_count; i++) {
		enum tf_verdict_kind verdict = v->checks[i].verdict;
		any |= verdict != TF_SKIPPED;
		if (verdict == TF_FAIL || (verdict == TF_INCONCLUSIVE && v->verdict == TF_PASS))
			v->verdict = verdict;
	}
	if (!any) {
		v->verdict = TF_INCONCLUSIVE;
		v->reason = "nothing_compared";
	}
}

int tf_gate_judge_runs(const struct tf_gate *g, struct tf_runs now, struct tf_runs baseline, struct tf_verdict *out,
		       struct tf_error *err)
{
	out->alpha = g->alpha;
	out->session = label_of(&out->arena, now);
	out->baseline = label_of(&out->arena, baseline);
	out->run_count = now.count;
	out->baseline_run_count = baseline.count;
	if (!out->session || (baseline.count && !out->baseline))
		return tf_fail_nomem(err);
	for (size_t i = 0; i < g->rule_count; i++) {
		const struct tf_rule *r = &g->rules[i];
		int rc = tf_metric_is_pattern(r->metric) ? judge_pattern(g, r, now, baseline, out, err)
							 : judge_metric(g, r, r->metric, now, baseline, out, err);
		if (rc < 0)
			return -1;
	}
	if (tf_gate_weigh(g, out, err) < 0 || tf_gate_waive(g, out, err) < 0 || keep_texts(out, err) < 0)
		return -1;
	sum_up(out);
	return 0;
}

int tf_gate_judge(const struct tf_gate *g, const struct tf_session *s, const struct tf_session *baseline,
		  struct tf_verdict *out, struct tf_error *err)
{
	return tf_gate_judge_runs(g, (struct tf_runs){s, 1}, (struct tf_runs){baseline, baseline != NULL}, out, err);
}
