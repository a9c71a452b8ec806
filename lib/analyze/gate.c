/* The gate: each rule against the session and its baseline. Unknown, missing or damaged never passes. */
#include "lib/analyze/gate.h"

#include <math.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/metric_names.h"

/* An improvement by more than this share of the baseline is more likely a broken measurement. */
#define SUSPICIOUS_SHARE 0.5
/* Differences of doubles carry rounding errors: within this share of the numbers they do not exceed an allowance. */
#define ROUNDING_SHARE 1e-12

/* What a metric depends on. */
enum need {
	NEED_CAPTURE = 1, /* a whole capture */
	NEED_STEPS = 2,	  /* steps that something marks */
	NEED_STEADY = 4,  /* enough steady ones */
	NEED_WINDOW = 8,  /* the window of the devices: steady steps or, without any, what was recorded */
	NEED_EVENTS = 16, /* event files that lost nothing */
};

static unsigned needs_of(const char *metric)
{
	static const struct {
		const char *prefix;
		unsigned needs;
	} kinds[] = {
		{"scalar[", NEED_EVENTS},
		{"capture.dropped", 0}, /* says itself how incomplete the capture is */
		{"steps.", NEED_CAPTURE | NEED_STEPS},
		{"step_", NEED_CAPTURE | NEED_STEPS | NEED_STEADY},
		{"input.", NEED_CAPTURE | NEED_STEPS | NEED_STEADY},
		{"kernels.launches_per_step", NEED_CAPTURE | NEED_STEPS | NEED_STEADY},
		{"device.count", NEED_CAPTURE},
		{"device.", NEED_CAPTURE | NEED_WINDOW},
		{"", NEED_CAPTURE},
	};
	size_t i = 0;

	while (strncmp(metric, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
		i++;
	return kinds[i].needs;
}

/* The session or its baseline, as one rule sees it. */
struct side {
	const struct tf_session *s;
	const struct tf_metric *metric; /* NULL: it has none of this name */
	unsigned needs;
	const char *window; /* "steps", "each_step", "device_events"; NULL: none is known */
	const char *host;   /* that the metric is of, NULL: the session's */
	int64_t steady;	    /* steps */
	const char *reason; /* why it cannot be judged, NULL if it can */
};

static int64_t steady_steps(const struct tf_session *s, const char *host)
{
	struct tf_buf name = {0};

	tf_buf_printf(&name, host ? "steps.steady_count@%s" : "steps.steady_count", host);
	const struct tf_metric *m = name.failed ? NULL : tf_metric_find(s, name.data);
	tf_buf_release(&name);
	return m && m->is_integer ? m->integer : 0;
}

/* What the figures of the devices are over; with several of them, steps if any is over steps. */
static const char *device_window(const struct tf_session *s)
{
	const char *window = NULL;

	for (size_t i = 0; i < s->host_count; i++)
		for (size_t k = 0; k < s->hosts[i].device_count; k++) {
			const char *own = s->hosts[i].devices[k].window_source;
			if (own && (!window || strcmp(own, "steps") == 0))
				window = own;
		}
	return window;
}

static bool has_inferred_steps(const struct tf_session *s)
{
	for (size_t i = 0; i < s->host_count; i++)
		if (s->hosts[i].steps.source == TF_STEPS_INFERRED)
			return true;
	return false;
}

/* What the session's figure leaves out: a host of which it is not known, but for hosts without any accelerator. */
static const char *unknown_of_host(const struct tf_session *s, const char *metric, const char *host)
{
	struct tf_buf name = {0};

	tf_buf_printf(&name, "%s@%s", metric, host);
	const struct tf_metric *m = name.failed ? NULL : tf_metric_find(s, name.data);
	tf_buf_release(&name);
	if (!m || m->known || (m->reason && strcmp(m->reason, "no_device_plane") == 0))
		return NULL;
	return m->reason ? m->reason : "unknown";
}

/*
 * Why a figure of all hosts cannot be judged by what one of them lacks; of step figures it is the slowest host's of each step. A
 * baseline read from JSON has no names of hosts, and was judged when it was made.
 */
static const char *host_doubt(const struct tf_gate *g, const struct side *x)
{
	for (size_t i = 0; x->s->host_count > 1 && i < x->s->host_count; i++) {
		const char *host = x->s->hosts[i].name;
		const char *reason = host ? unknown_of_host(x->s, x->metric->name, host) : NULL;
		if (reason)
			return reason;
		if (host && (x->needs & NEED_STEADY) && steady_steps(x->s, host) < g->min_steps)
			return "too_few_steps";
	}
	return NULL;
}

/* Where there are accelerators, the memory of the host is not what memory.peak_bytes is about. */
static bool lacks_device_memory(const struct tf_session *s, const char *metric)
{
	bool devices = false, memory = false, hosts = false;

	if (strcmp(metric, "memory.peak_bytes") != 0)
		return false;
	for (size_t i = 0; i < s->host_count; i++) {
		const struct tf_host *h = &s->hosts[i];
		devices |= h->device_count > 0;
		for (size_t k = 0; k < h->memory_count; k++) {
			memory |= h->memory[k].on_device;
			hosts = true;
		}
	}
	return devices && hosts && !memory;
}

/* Minimum, maximum and mean are over finite points: they say nothing of a run whose last point is none. */
static bool ends_nonfinite(const struct tf_session *s, const char *metric)
{
	const char *dot = strrchr(metric, '.');
	struct tf_buf name = {0};

	if (!dot)
		return false;
	tf_buf_printf(&name, "%.*s.last", (int)(dot - metric), metric);
	const struct tf_metric *last = name.failed ? NULL : tf_metric_find(s, name.data);
	tf_buf_release(&name);
	return last && !last->known && last->reason && strcmp(last->reason, "nonfinite") == 0;
}

/* Why a side cannot be judged; NULL if it can. */
static const char *doubt(const struct tf_gate *g, const struct side *x)
{
	if (!x->metric)
		return "not_in_session";
	if (!x->metric->known)
		return x->metric->reason ? x->metric->reason : "unknown";
	if ((x->needs & NEED_CAPTURE) && !x->s->complete)
		return "incomplete";
	if ((x->needs & NEED_EVENTS) && x->s->damaged_events)
		return "damaged";
	if ((x->needs & NEED_EVENTS) && ends_nonfinite(x->s, x->metric->name))
		return "nonfinite";
	if ((x->needs & NEED_STEPS) && !g->accept_inferred && has_inferred_steps(x->s))
		return "inferred_steps";
	if ((x->needs & NEED_STEADY) && x->steady < g->min_steps)
		return "too_few_steps";
	if (lacks_device_memory(x->s, x->metric->name))
		return "no_memory_events";
	return x->host ? NULL : host_doubt(g, x);
}

static struct side side_of(const struct tf_gate *g, const struct tf_session *s, const char *metric)
{
	struct side x = {.s = s, .metric = tf_metric_find(s, metric), .needs = needs_of(metric)};

	if (x.needs & NEED_WINDOW)
		x.window = device_window(s);
	if (x.window && strcmp(x.window, "steps") == 0)
		x.needs |= NEED_STEPS | NEED_STEADY;
	x.host = tf_metric_host(metric);
	x.steady = steady_steps(s, x.host);
	x.reason = doubt(g, &x);
	return x;
}

static double value_of(const struct side *x)
{
	return x->metric && x->metric->known ? x->metric->value : (double)NAN;
}

static int64_t samples_of(const struct side *x)
{
	if (!x->metric || !x->metric->known)
		return TF_NONE;
	return x->needs & NEED_STEADY ? x->steady : x->metric->n;
}

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

/* Leaves the check inconclusive if the side is in doubt. */
static bool is_doubtful(const struct tf_gate *g, const struct side *x, bool is_baseline, struct tf_arena *a,
			struct tf_check *c)
{
	const char *whose = is_baseline ? "the baseline" : "the session";

	if (!x->reason)
		return false;
	c->verdict = TF_INCONCLUSIVE;
	c->reason = x->reason;
	if (!x->metric && !is_baseline)
		c->detail = others_of_kind(x->s, c->rule.metric, a);
	else if (strcmp(x->reason, "too_few_steps") == 0)
		c->detail = tf_arena_printf(a, "%s has %lld steady steps of %lld", whose, (long long)x->steady,
					    (long long)g->min_steps);
	else if (is_baseline)
		c->detail = "in the baseline";
	return true;
}

static void judge_limit(const struct tf_gate *g, const struct tf_session *s, struct tf_arena *a, struct tf_check *c)
{
	struct side x = side_of(g, s, c->rule.metric);

	c->value = value_of(&x);
	c->n = samples_of(&x);
	if (is_doubtful(g, &x, false, a, c))
		return;
	bool broken = c->rule.kind == TF_CHECK_MAX ? c->value > c->rule.limit : c->value < c->rule.limit;
	c->verdict = broken ? TF_FAIL : TF_PASS;
	c->reason = broken ? "limit_broken" : NULL;
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

/* A figure of the default gate that neither side has, for one reason, is of no concern. */
static bool is_nowhere(const struct side *x, const struct side *y)
{
	return x->metric && y->metric && !x->metric->known && !y->metric->known && strcmp(x->reason, y->reason) == 0;
}

static int judge_regression(const struct tf_gate *g, const struct tf_session *s, const struct tf_session *base,
			    struct tf_arena *a, struct tf_check *c, struct tf_error *err)
{
	struct side x = side_of(g, s, c->rule.metric), y = side_of(g, base, c->rule.metric);

	c->value = value_of(&x);
	c->baseline = value_of(&y);
	c->n = samples_of(&x);
	c->n_baseline = samples_of(&y);
	c->rule.limit = NAN;
	if (c->rule.by_default && is_nowhere(&x, &y)) {
		c->verdict = TF_SKIPPED;
		c->reason = x.reason;
		return 0;
	}
	if (is_doubtful(g, &x, false, a, c) || is_doubtful(g, &y, true, a, c))
		return 0;
	c->verdict = TF_INCONCLUSIVE;
	if (x.window && y.window && strcmp(x.window, y.window) != 0) {
		c->reason = "window_differs";
		c->detail = tf_arena_printf(a, "over %s, not %s", x.window, y.window);
		return 0;
	}
	if ((x.needs & NEED_CAPTURE) && !g->allow_env && (c->detail = tf_environment_difference(s, base, a))) {
		c->reason = "environment_differs";
		return 0;
	}
	compare(c);
	return tf_gate_test(g, s, base, c, err);
}

static const char *session_label(struct tf_arena *a, const struct tf_session *s)
{
	return s->name ? tf_arena_printf(a, "%s/%s", s->run, s->name) : tf_arena_strdup(a, s->run);
}

/* Texts of sessions and gate into the verdict's arena, which outlives both. */
static int keep_texts(struct tf_check *c, struct tf_arena *a, struct tf_error *err)
{
	const char **const texts[] = {&c->rule.metric, &c->reason, &c->detail};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (*texts[i] && !(*texts[i] = tf_arena_strdup(a, *texts[i])))
			return tf_fail_nomem(err);
	return 0;
}

static int judge_rule(const struct tf_gate *g, const struct tf_rule *r, const struct tf_session *s,
		      const struct tf_session *baseline, struct tf_verdict *out, struct tf_error *err)
{
	struct tf_arena *a = &out->arena;
	struct tf_check *c = tf_arena_push(a, (void **)&out->checks, &out->check_count, &out->check_cap, sizeof *c);

	if (!c)
		return tf_fail_nomem(err);
	*c = (struct tf_check){.rule = *r, .value = NAN, .baseline = NAN, .change = NAN, .change_pct = NAN, .n = TF_NONE,
			       .n_baseline = TF_NONE, .p_value = NAN, .p_adjusted = NAN, .p_least = NAN, .shift = NAN,
			       .ci_low = NAN, .ci_high = NAN, .verdict = TF_INCONCLUSIVE};
	if (r->kind != TF_CHECK_REGRESS)
		judge_limit(g, s, a, c);
	else if (baseline)
		return judge_regression(g, s, baseline, a, c, err);
	else
		c->reason = "no_baseline";
	return 0;
}

int tf_gate_judge(const struct tf_gate *g, const struct tf_session *s, const struct tf_session *baseline,
		  struct tf_verdict *out, struct tf_error *err)
{
	struct tf_arena *a = &out->arena;
	bool any = false;

	out->alpha = g->alpha;
	out->session = session_label(a, s);
	out->baseline = baseline ? session_label(a, baseline) : NULL;
	out->verdict = TF_PASS;
	if (!out->session || (baseline && !out->baseline))
		return tf_fail_nomem(err);
	for (size_t i = 0; i < g->rule_count; i++)
		if (judge_rule(g, &g->rules[i], s, baseline, out, err) < 0)
			return -1;
	if (tf_gate_weigh(g, out, err) < 0)
		return -1;
	for (size_t i = 0; i < out->check_count; i++) {
		struct tf_check *c = &out->checks[i];
		if (keep_texts(c, a, err) < 0)
			return -1;
		any |= c->verdict != TF_SKIPPED;
		if (c->verdict == TF_FAIL || (c->verdict == TF_INCONCLUSIVE && out->verdict == TF_PASS))
			out->verdict = c->verdict;
	}
	if (!any) {
		out->verdict = TF_INCONCLUSIVE;
		out->reason = "nothing_compared";
	}
	return 0;
}
