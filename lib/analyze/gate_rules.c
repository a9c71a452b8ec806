/* Rules of the gate, as people type them. */
#include <math.h>
#include <string.h>

#include "lib/analyze/gate.h"
#include "lib/analyze/metric_names.h"

const char *tf_check_kind_name(enum tf_check_kind kind)
{
	static const char *const names[] = {"max", "min", "regress"};
	return names[kind];
}

const char *tf_verdict_name(enum tf_verdict_kind verdict)
{
	static const char *const names[] = {"pass", "fail", "inconclusive", "skipped"};
	return names[verdict];
}

/* The three known names that are nearest to a wrong one, as a hint. */
static void suggest(const char *name, struct tf_error *err)
{
	struct tf_buf text = {0};

	for (int limit = 1, shown = 0; limit <= 8 && shown < 3; limit++)
		for (const struct tf_metric_kind *k = tf_metric_kinds; k->name && shown < 3; k++)
			if (tf_text_distance(name, k->name, 8) == limit) {
				tf_buf_printf(&text, "%s'%s'", shown++ ? ", " : "", k->name);
			}
	if (text.len && !text.failed)
		tf_hint(err, "did you mean %s?", text.data);
	tf_buf_release(&text);
}

/* "5%+0.1ms", "5%", "+16MiB", "+0.05": allowances, the relative one first. */
static int parse_allowance(const char *text, struct tf_rule *r, struct tf_error *err)
{
	char first[64];
	const char *plus = strchr(text + (*text == '+'), '+');
	const char *absolute = *text == '+' ? text + 1 : plus ? plus + 1 : NULL;
	size_t len = *text == '+' ? 0 : plus ? (size_t)(plus - text) : strlen(text);

	r->relative = r->absolute = 0;
	if (len >= sizeof first || (*text == '+' && plus))
		return tf_fail(err, TF_EUSAGE, "not an allowance: '%s'", text);
	memcpy(first, text, len);
	first[len] = '\0';
	if (len && tf_parse_quantity(first, TF_UNIT_RATIO, &r->relative, err) < 0)
		return -1;
	if (absolute && tf_parse_quantity(absolute, r->unit, &r->absolute, err) < 0)
		return -1;
	if (r->relative < 0 || r->absolute < 0 || (!len && !absolute))
		return tf_fail(err, TF_EUSAGE, "not an allowance: '%s'", text);
	return 0;
}

/* "NAME:up" or "NAME:down" says which direction is worse. */
static void take_direction(char *name, struct tf_rule *r)
{
	char *colon = strrchr(name, ':');

	if (!colon || (strcmp(colon, ":up") != 0 && strcmp(colon, ":down") != 0))
		return;
	r->worse = strcmp(colon, ":up") == 0 ? TF_WORSE_UP : TF_WORSE_DOWN;
	*colon = '\0';
}

int tf_gate_add(struct tf_gate *g, enum tf_check_kind kind, const char *text, struct tf_error *err)
{
	const char *close = strchr(text, ']'), *equals = strchr(close ? close : text, '=');
	struct tf_rule r = {.kind = kind};
	enum tf_worse worse;

	if (!equals || equals == text || !equals[1])
		return tf_fail(err, TF_EUSAGE, "not METRIC=VALUE: '%s'", text);
	char *name = tf_arena_strndup(&g->arena, text, (size_t)(equals - text));
	if (!name)
		return tf_fail_nomem(err);
	take_direction(name, &r);
	if (!tf_metric_known(name, &r.unit, &worse)) {
		tf_fail(err, TF_EUSAGE, "no metric '%s'", name);
		suggest(name, err);
		return -1;
	}
	r.metric = name;
	if (r.worse == TF_WORSE_NONE)
		r.worse = worse;
	if (kind == TF_CHECK_REGRESS && r.worse == TF_WORSE_NONE) {
		tf_fail(err, TF_EUSAGE, "neither direction of '%s' is worse", name);
		tf_hint(err, "say which: '%s:up=…' or '%s:down=…'", name, name);
		return -1;
	}
	if ((kind == TF_CHECK_REGRESS ? parse_allowance(equals + 1, &r, err)
				      : tf_parse_quantity(equals + 1, r.unit, &r.limit, err)) < 0)
		return tf_wrap(err, "'%s'", text);
	struct tf_rule *to = tf_arena_push(&g->arena, (void **)&g->rules, &g->rule_count, &g->rule_cap, sizeof *to);
	if (!to)
		return tf_fail_nomem(err);
	*to = r;
	return 0;
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
