/* The waterfall: from one session's mean steady step to another's, by part, op and kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/diff.h"
#include "lib/analyze/step_samples.h"

/* What the parts of a step leave of it. */
static const char unaccounted[] = "(unaccounted)";

/* The sums over the steady steps of one session. */
struct sums {
	int64_t n, total_ps, part_ps[TF_PART_COUNT];
	int64_t rest_ps; /* of steps without a breakdown, or of means that were rounded */
	bool broken_down; /* some step is */
	bool listed;	  /* they are of its steps, not of its metrics */
	const char *reason; /* without steps: why */
};

static bool add(int64_t *to, int64_t value)
{
	return value >= 0 && !__builtin_add_overflow(*to, value, to);
}

static bool add_step(struct sums *s, const struct tf_step *step)
{
	int64_t left = step->step_ps;

	if (!add(&s->total_ps, step->step_ps))
		return false;
	s->n++;
	for (enum tf_part p = 0; step->has_breakdown && p < TF_PART_COUNT; p++) {
		if (step->part_ps[p] > left || !add(&s->part_ps[p], step->part_ps[p]))
			return false;
		left -= step->part_ps[p];
	}
	s->broken_down |= step->has_breakdown;
	return add(&s->rest_ps, left);
}

/* A mean in ms as ps; false if it is not known. */
static bool metric_ps(const struct tf_session *s, const char *name, int64_t *ps)
{
	const struct tf_metric *m = tf_metric_find(s, name);

	if (!m || !m->known || !(fabs(m->value) < 9e9))
		return false;
	*ps = llround(m->value * 1e9);
	return true;
}

/* A report that lists only some of its steps still has their means. */
static void sum_metrics(const struct tf_session *s, struct sums *to)
{
	const struct tf_metric *m = tf_metric_find(s, "step_time_ms.mean");
	char name[64];

	*to = (struct sums){.n = 1, .broken_down = true};
	if (!metric_ps(s, "step_time_ms.mean", &to->total_ps)) {
		to->reason = m && m->reason ? m->reason : "not_recorded";
		return;
	}
	to->rest_ps = to->total_ps;
	for (enum tf_part p = TF_PART_DEVICE_COMPUTE_32; p < TF_PART_COUNT; p++) {
		snprintf(name, sizeof name, "step_breakdown_ms.%s", tf_part_report_name(p));
		to->broken_down &= metric_ps(s, name, &to->part_ps[p]);
		to->rest_ps -= to->part_ps[p];
	}
}

static int sum_steps(const struct tf_session *s, struct sums *to, struct tf_error *err)
{
	const struct tf_metric *steady = tf_metric_find(s, "steps.steady_count");
	size_t n;
	struct tf_step_view *v = tf_step_views(s->hosts, s->host_count, &n);
	bool sound = true;

	if (!v)
		return tf_fail_nomem(err);
	*to = (struct sums){.listed = true};
	for (size_t i = 0; i < n && sound; i++)
		if (v[i].steady)
			sound = add_step(to, v[i].step);
	free(v);
	if (!sound)
		to->reason = "inconsistent";
	else if (to->n == 0 || (steady && steady->known && steady->integer != to->n))
		sum_metrics(s, to);
	return 0;
}

/* One cell for each part that takes time in some session. */
static int add_parts(struct tf_diff *d, const struct sums *sums, struct tf_error *err)
{
	static const int levels[] = {1, 0};
	struct tf_diff_cell *cells = tf_arena_array(&d->arena, d->side_count * (TF_PART_COUNT + 1), sizeof *cells);
	size_t count = 0;

	if (!cells)
		return tf_fail_nomem(err);
	for (enum tf_part p = 0; p <= TF_PART_COUNT; p++) {
		bool rest = p == TF_PART_COUNT, some = false;
		for (size_t i = 0; i < d->side_count; i++)
			some |= (rest ? sums[i].rest_ps : sums[i].part_ps[p]) != 0;
		for (size_t i = 0; some && i < d->side_count; i++)
			cells[count++] = (struct tf_diff_cell){
				.keys = {rest ? unaccounted : tf_part_report_name(p)}, .side = i,
				.value = rest ? sums[i].rest_ps : sums[i].part_ps[p]};
	}
	return tf_diff_build(d, &d->step, cells, count, levels, err);
}

/* The costs of one part in all sessions, and what they leave of it. */
static int add_costs(struct tf_diff *d, struct tf_delta *part, struct tf_diff_cell *cells, struct tf_error *err)
{
	static const int levels[] = {1, 1, 0};
	int64_t *left = tf_arena_array(&d->arena, d->side_count, sizeof *left);
	size_t count = 0;

	if (!left)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < d->side_count; i++) {
		const struct tf_session *s = d->sides[i].session;
		left[i] = part->values[i];
		for (size_t k = 0; k < s->cost_count; k++) {
			const struct tf_step_cost *c = &s->costs[k];
			if (strcmp(tf_part_report_name(c->part), part->name) != 0 || c->total_ps <= 0)
				continue;
			cells[count++] = (struct tf_diff_cell){.keys = {c->op ? c->op : "(no op)", c->kernel}, .side = i,
							       .value = c->total_ps};
			left[i] = tf_ps_between(c->total_ps, left[i]);
		}
	}
	bool some = count > 0;
	for (size_t i = 0; some && i < d->side_count; i++)
		if (left[i] > 0)
			cells[count++] = (struct tf_diff_cell){.keys = {"(not listed)"}, .side = i, .value = left[i]};
	return tf_diff_build(d, part, cells, count, levels, err);
}

/* True if the costs of no part exceed it. */
static bool are_consistent(const struct tf_session *s, const struct sums *sums)
{
	int64_t left[TF_PART_COUNT];

	memcpy(left, sums->part_ps, sizeof left);
	left[TF_PART_DEVICE_COMPUTE_32] = tf_ps_add(left[TF_PART_DEVICE_COMPUTE_32], left[TF_PART_DEVICE_COMPUTE_16]);
	for (size_t k = 0; k < s->cost_count; k++) {
		enum tf_part p = s->costs[k].part == TF_PART_DEVICE_COMPUTE_16 ? TF_PART_DEVICE_COMPUTE_32 : s->costs[k].part;
		if (s->costs[k].total_ps < 0 || s->costs[k].total_ps > left[p])
			return false;
		left[p] -= s->costs[k].total_ps;
	}
	return true;
}

/* Ops and kernels, where all sessions tell them. */
static int add_ops(struct tf_diff *d, const struct sums *sums, struct tf_error *err)
{
	size_t most = 0;
	bool told = true;

	for (size_t i = 0; i < d->side_count; i++) {
		const struct tf_session *s = d->sides[i].session;
		const char *reason = !sums[i].listed ? "not all of its steps are listed"
				     : s->cost_reason ? s->cost_reason
				     : are_consistent(s, &sums[i]) ? NULL : "they exceed the parts of the steps";
		most += s->cost_count + 1;
		told &= !reason;
		if (reason && tf_diff_note(d, i, "no ops and kernels of its steps to compare: %s", reason) < 0)
			return tf_fail_nomem(err);
	}
	struct tf_diff_cell *cells = told ? tf_arena_array(&d->arena, most, sizeof *cells) : NULL;
	if (told && !cells)
		return tf_fail_nomem(err);
	for (size_t k = 0; told && k < d->step.child_count; k++)
		if (add_costs(d, &d->step.children[k], cells, err) < 0)
			return -1;
	return 0;
}

/* Which sessions have a step time, and what it consists of; false: one has none. */
static int weigh(struct tf_diff *d, struct sums *sums, bool *known, bool *broken_down, struct tf_error *err)
{
	*known = *broken_down = true;
	for (size_t i = 0; i < d->side_count; i++) {
		if (sum_steps(d->sides[i].session, &sums[i], err) < 0)
			return -1;
		const char *reason = sums[i].reason;
		*known &= !reason;
		*broken_down &= sums[i].broken_down;
		if ((reason && tf_diff_note(d, i, "the step time is unknown (%s)", reason) < 0)
		    || (!reason && !sums[i].broken_down && tf_diff_note(d, i, "its steps are not broken down into parts") < 0))
			return tf_fail_nomem(err);
		if (!reason)
			d->step.values[i] = sums[i].total_ps / sums[i].n + (sums[i].total_ps % sums[i].n >= (sums[i].n + 1) / 2);
	}
	return 0;
}

int tf_diff_steps(struct tf_diff *d, size_t top, struct tf_error *err)
{
	struct sums *sums = tf_arena_array(&d->arena, d->side_count, sizeof *sums);
	int64_t *n = tf_arena_array(&d->arena, d->side_count, sizeof *n);
	bool known, broken_down;

	if (!sums || !n || !tf_diff_node(d, &d->step, "step_time_ms.mean"))
		return tf_fail_nomem(err);
	if (weigh(d, sums, &known, &broken_down, err) < 0)
		return -1;
	if (!known) {
		d->step.change = TF_CHANGE_UNKNOWN;
		d->step.delta = TF_NONE;
		return 0;
	}
	for (size_t i = 0; i < d->side_count; i++) {
		n[i] = sums[i].n;
		if (!broken_down) {
			memset(sums[i].part_ps, 0, sizeof sums[i].part_ps);
			sums[i].rest_ps = sums[i].total_ps;
		}
	}
	if (add_parts(d, sums, err) < 0 || (broken_down && add_ops(d, sums, err) < 0) || tf_diff_divide(d, &d->step, n, err) < 0)
		return -1;
	return tf_diff_finish(d, &d->step, top, err);
}
