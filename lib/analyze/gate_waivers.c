/* Waivers: what may fail until a day. An unknown figure is no matter of a waiver. */
#include <string.h>

#include "lib/analyze/gate.h"
#include "lib/analyze/metric_pattern.h"

const char *tf_waiver_state_name(enum tf_waiver_state state)
{
	static const char *const names[] = {"unused", "used", "expired"};
	return names[state];
}

static int number_at(const char *text, int digits)
{
	int value = 0;

	for (int i = 0; i < digits; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = 10 * value + (text[i] - '0');
	}
	return value;
}

bool tf_date_valid(const char *text)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	if (strlen(text) != strlen("2026-12-31") || text[4] != '-' || text[7] != '-')
		return false;
	int year = number_at(text, 4), month = number_at(text + 5, 2), day = number_at(text + 8, 2);
	if (year < 0 || month < 1 || month > 12)
		return false;
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

int tf_gate_add_waiver(struct tf_gate *g, const struct tf_waiver *w, struct tf_error *err)
{
	if (!tf_metric_means_something(w->metric)) {
		tf_fail(err, TF_EUSAGE, "no metric '%s'", w->metric);
		tf_metric_suggest(w->metric, err);
		return -1;
	}
	if (!tf_date_valid(w->expires))
		return tf_fail(err, TF_EUSAGE, "not a day (YYYY-MM-DD): '%s'", w->expires);
	if (!w->reason[strspn(w->reason, " \t\r\n")])
		return tf_fail(err, TF_EUSAGE, "a waiver needs a reason");
	struct tf_waiver *to = tf_arena_push(&g->arena, (void **)&g->waivers, &g->waiver_count, &g->waiver_cap, sizeof *to);
	if (!to)
		return tf_fail_nomem(err);
	*to = *w;
	to->metric = tf_arena_strdup(&g->arena, w->metric);
	to->expires = tf_arena_strdup(&g->arena, w->expires);
	to->reason = tf_arena_strdup(&g->arena, w->reason);
	return to->metric && to->expires && to->reason ? 0 : tf_fail_nomem(err);
}

/* Past its limit or allowances, by chance or not. */
static bool can_be_waived(const struct tf_check *c)
{
	if (c->verdict == TF_FAIL)
		return true;
	return c->verdict == TF_INCONCLUSIVE && c->reason
	       && (strcmp(c->reason, "not_significant") == 0 || strcmp(c->reason, "too_few_samples") == 0);
}

static bool covers(const struct tf_waiver *w, const struct tf_check *c)
{
	return (w->kind < 0 || w->kind == (int)c->rule.kind) && tf_metric_matches(w->metric, c->rule.metric);
}

/* The first waiver that still holds decides; one that has expired only tells so. */
static int waive(struct tf_verdict *v, struct tf_check *c, struct tf_error *err)
{
	struct tf_waiver_use *holds = NULL, *expired = NULL;

	for (size_t i = 0; i < v->waiver_count; i++) {
		struct tf_waiver_use *u = &v->waivers[i];
		if (!covers(&u->waiver, c))
			continue;
		if (u->state != TF_WAIVER_EXPIRED && !holds)
			holds = u;
		else if (u->state == TF_WAIVER_EXPIRED && !expired)
			expired = u;
	}
	struct tf_waiver_use *u = holds ? holds : expired;
	if (!u)
		return 0;
	u->checks++;
	c->detail = tf_arena_printf(&v->arena, "%s %s: %s", holds ? "waived until" : "a waiver expired on", u->waiver.expires,
				    u->waiver.reason);
	if (holds) {
		u->state = TF_WAIVER_USED;
		c->verdict = TF_WAIVED;
	}
	return c->detail ? 0 : tf_fail_nomem(err);
}

int tf_gate_waive(const struct tf_gate *g, struct tf_verdict *v, struct tf_error *err)
{
	if (g->waiver_count == 0)
		return 0;
	v->waivers = tf_arena_array(&v->arena, g->waiver_count, sizeof *v->waivers);
	if (!v->waivers)
		return tf_fail_nomem(err);
	v->waiver_count = g->waiver_count;
	for (size_t i = 0; i < v->waiver_count; i++) {
		const struct tf_waiver *w = &g->waivers[i];
		bool expired = !g->today || strcmp(w->expires, g->today) < 0;
		v->waivers[i] = (struct tf_waiver_use){*w, expired ? TF_WAIVER_EXPIRED : TF_WAIVER_UNUSED, 0};
	}
	for (size_t i = 0; i < v->check_count; i++)
		if (can_be_waived(&v->checks[i]) && waive(v, &v->checks[i], err) < 0)
			return -1;
	return 0;
}
