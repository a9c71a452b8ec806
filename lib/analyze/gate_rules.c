/* Rules of the gate, as people type them: what could never fail, or means two things, is refused. */
#include <math.h>
#include <string.h>

#include "lib/analyze/gate.h"
#include "lib/analyze/metric_pattern.h"

const char *tf_check_kind_name(enum tf_check_kind kind)
{
	static const char *const names[] = {"max", "min", "regress"};
	return names[kind];
}

const char *tf_verdict_name(enum tf_verdict_kind verdict)
{
	static const char *const names[] = {"pass", "fail", "inconclusive", "skipped", "waived"};
	return names[verdict];
}

/* A quantity without a sign. tf_parse_quantity() scales, so that a finite number may still become infinite. */
static int parse_unsigned(const char *text, enum tf_unit unit, double *value, struct tf_error *err)
{
	if (*text == '-' || *text == '+')
		return tf_fail(err, TF_EUSAGE, "a sign in '%s'", text);
	if (tf_parse_quantity(text, unit, value, err) < 0)
		return -1;
	return isfinite(*value) ? 0 : tf_fail(err, TF_EUSAGE, "too large: '%s'", text);
}

/* "5%+0.1ms", "5%", "+16MiB", "+0.05": allowances. The percent sign tells the relative one from the absolute one. */
static int parse_allowance(const char *text, struct tf_rule *r, struct tf_error *err)
{
	char relative[64];
	const char *percent = strchr(text, '%');
	size_t len = *text == '+' ? 0 : percent ? (size_t)(percent - text) + 1 : sizeof relative;

	r->relative = r->absolute = 0;
	if (len >= sizeof relative || (text[len] && text[len] != '+')) {
		tf_fail(err, TF_EUSAGE, "not an allowance: '%s'", text);
		tf_hint(err, "an allowance is relative ('5%%'), absolute ('+0.1ms') or both ('5%%+0.1ms')");
		return -1;
	}
	memcpy(relative, text, len);
	relative[len] = '\0';
	if (len && parse_unsigned(relative, TF_UNIT_RATIO, &r->relative, err) < 0)
		return -1;
	return text[len] ? parse_unsigned(text + len + 1, r->unit, &r->absolute, err) : 0;
}

/* Only scalars can be negative, and a ratio is at most 1: any other limit is always or never broken. */
static int parse_limit(const char *text, struct tf_rule *r, struct tf_error *err)
{
	bool scalar = tf_metric_is_scalar(r->metric);

	if (scalar ? tf_parse_quantity(text, r->unit, &r->limit, err) < 0
		   : parse_unsigned(text, r->unit, &r->limit, err) < 0)
		return -1;
	if (r->unit == TF_UNIT_RATIO && r->limit > 1) {
		tf_fail(err, TF_EUSAGE, "a ratio is at most 1: '%s'", text);
		tf_hint(err, "'20%%' and '0.2' are the same");
		return -1;
	}
	return 0;
}

enum tf_worse tf_metric_take_direction(char *name)
{
	char *colon = strrchr(name, ':');
	bool up = colon && strcmp(colon, ":up") == 0;

	if (!up && !(colon && strcmp(colon, ":down") == 0))
		return TF_WORSE_NONE;
	*colon = '\0';
	return up ? TF_WORSE_UP : TF_WORSE_DOWN;
}

/* The direction of a rule: the metric's own, or the one that was typed where it has none. */
static int settle_direction(struct tf_rule *r, enum tf_worse typed, enum tf_worse own, struct tf_error *err)
{
	const char *name = r->metric;

	if (r->kind != TF_CHECK_REGRESS && typed != TF_WORSE_NONE)
		return tf_fail(err, TF_EUSAGE, "a limit on '%s' has a direction already", name);
	if (typed != TF_WORSE_NONE && own != TF_WORSE_NONE && typed != own)
		return tf_fail(err, TF_EUSAGE, "%s is worse for '%s'", own == TF_WORSE_UP ? "up" : "down", name);
	r->worse = own == TF_WORSE_NONE ? typed : own;
	if (r->kind == TF_CHECK_REGRESS && r->worse == TF_WORSE_NONE) {
		tf_fail(err, TF_EUSAGE, "neither direction of '%s' is worse", name);
		tf_hint(err, "say which: '%s:up=…' or '%s:down=…'", name, name);
		return -1;
	}
	return 0;
}

/* Unit and direction of all names that a pattern means: they must agree. `typed` is the direction of those that have none. */
static int settle_pattern(const char *pattern, enum tf_worse typed, enum tf_unit *unit, enum tf_worse *worse, struct tf_error *err)
{
	const struct tf_metric_kind *first = NULL;

	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++) {
		enum tf_worse own = k->worse == TF_WORSE_NONE ? typed : k->worse;
		if (!tf_metric_could_match(pattern, k))
			continue;
		if (first && (*unit != k->unit || *worse != own)) {
			tf_fail(err, TF_EUSAGE, "'%s' means figures of different kinds", pattern);
			tf_hint(err, "'%s' and '%s' have no common unit and direction", first->name, k->name);
			return -1;
		}
		if (first)
			continue;
		first = k;
		*unit = k->unit;
		*worse = own;
	}
	return first ? 0 : tf_fail(err, TF_EUSAGE, "no metric is like '%s'", pattern);
}

/* What is known of the name or pattern. */
static int settle_metric(struct tf_rule *r, enum tf_worse typed, struct tf_error *err)
{
	enum tf_worse own;

	if (tf_metric_is_pattern(r->metric)) {
		if (settle_pattern(r->metric, typed, &r->unit, &own, err) < 0)
			return -1;
	} else if (!tf_metric_known(r->metric, &r->unit, &own)) {
		tf_fail(err, TF_EUSAGE, "no metric '%s'", r->metric);
		tf_metric_suggest(r->metric, err);
		return -1;
	}
	return settle_direction(r, typed, own, err);
}

/* What is typed on the command line replaces what a file says of the same metric. */
static void drop_written(struct tf_gate *g, const struct tf_rule *typed)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->rule_count; i++) {
		const struct tf_rule *r = &g->rules[i];
		if (!r->place.file || r->kind != typed->kind || strcmp(r->metric, typed->metric) != 0)
			g->rules[kept++] = *r;
	}
	g->rule_count = kept;
}

int tf_gate_add_rule(struct tf_gate *g, enum tf_check_kind kind, const char *metric, const char *value, struct tf_place place,
		     struct tf_error *err)
{
	struct tf_rule r = {.kind = kind, .place = place};
	char *name = tf_utf8_repair(&g->arena, tf_bytes_of(metric));

	if (!name)
		return tf_fail_nomem(err);
	enum tf_worse typed = tf_metric_take_direction(name);
	r.metric = name;
	if (settle_metric(&r, typed, err) < 0)
		return -1;
	if ((kind == TF_CHECK_REGRESS ? parse_allowance : parse_limit)(value, &r, err) < 0)
		return tf_wrap(err, "'%s=%s'", metric, value);
	if (!place.file)
		drop_written(g, &r);
	struct tf_rule *to = tf_arena_push(&g->arena, (void **)&g->rules, &g->rule_count, &g->rule_cap, sizeof *to);
	if (!to)
		return tf_fail_nomem(err);
	*to = r;
	return 0;
}

int tf_gate_add(struct tf_gate *g, enum tf_check_kind kind, const char *text, struct tf_error *err)
{
	const char *equals = strrchr(text, '='); /* a tag may hold one, a value does not */

	if (!equals || equals == text || !equals[1])
		return tf_fail(err, TF_EUSAGE, "not METRIC=VALUE: '%s'", text);
	const char *metric = tf_arena_strndup(&g->arena, text, (size_t)(equals - text));
	return metric ? tf_gate_add_rule(g, kind, metric, equals + 1, (struct tf_place){0}, err) : tf_fail_nomem(err);
}

int tf_gate_add_default(struct tf_gate *g, struct tf_error *err)
{
	static const char *const rules[] = {"step_time_ms.mean=5%+0.1ms", "memory.peak_bytes=1%+16MiB",
					    "input.exposed_share=+0.05", "device.idle_ratio.mean=+0.05"};

	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		if (tf_gate_add(g, TF_CHECK_REGRESS, rules[i], err) < 0)
			return -1;
		g->rules[g->rule_count - 1].by_default = true;
	}
	return 0;
}

void tf_gate_release(struct tf_gate *g)
{
	tf_arena_release(&g->arena);
	*g = (struct tf_gate){0};
}
