/*
 * Each instant of a step goes to the most important thing then going on (METRICS.md §3): the parts are filled from the
 * most important down, each with what its intervals add to the union of those before.
 */
#include <stdlib.h>

#include "lib/analyze/classify.h"
#include "lib/analyze/steps.h"
#include "lib/base/vec.h"

/* An interval of one part of one step. */
struct piece {
	int32_t step;
	uint32_t part;
	struct tf_interval at;
};

struct pieces {
	struct piece *list;
	size_t count, cap;
};

/* Parts by importance; what is left of the step is TF_PART_OTHER. */
static const enum tf_part importance[] = {
	TF_PART_DEVICE_COMPUTE_16, TF_PART_DEVICE_COMPUTE_32,  TF_PART_DEVICE_TO_HOST, TF_PART_DEVICE_TO_DEVICE,
	TF_PART_INPUT_WAIT,	   TF_PART_DEVICE_COLLECTIVES, TF_PART_KERNEL_LAUNCH,  TF_PART_HOST_TO_DEVICE,
	TF_PART_HOST_TO_HOST,	   TF_PART_COMPILE,	       TF_PART_HOST_COMPUTE,
};

static uint32_t rank_of(enum tf_part part)
{
	for (uint32_t i = 0; i < sizeof importance / sizeof importance[0]; i++)
		if (importance[i] == part)
			return i;
	return UINT32_MAX;
}

static int add_piece(struct pieces *p, const struct tf_trace *t, int32_t step, enum tf_part part, size_t event,
		     struct tf_error *err)
{
	if (tf_vec_reserve((void **)&p->list, &p->cap, p->count + 1, sizeof *p->list) < 0)
		return tf_fail_nomem(err);
	p->list[p->count++] = (struct piece){
		step, rank_of(part), {t->events.start_ps[event], tf_event_end(t, event)}};
	return 0;
}

/* What a line's events are to be told apart by. */
struct sorter {
	const struct tf_derived *d;
	struct tf_host *host;
	bool has_device;
	bool *owners;	  /* by step: a group of its own says what belongs to it */
	bool all_own;
	uint8_t *part_of; /* by event */
	struct pieces pieces;
	struct tf_error *err;
};

/* Inside a parent of the same part and step an event adds nothing to a union. */
static bool is_covered(const struct sorter *s, size_t i, enum tf_part part)
{
	uint32_t parent = s->d->parent[i];

	return parent != UINT32_MAX && s->part_of[parent] == part && s->d->step[parent] == s->d->step[i]
	       && s->d->group[parent] == s->d->group[i];
}

static int collect_device(struct sorter *s, const struct tf_line *line)
{
	const struct tf_trace *t = s->d->trace;

	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++)
		if (s->d->step[i] >= 0 && tf_event_counts(t, i)
		    && add_piece(&s->pieces, t, s->d->step[i], tf_device_part(s->d, i), i, s->err) < 0)
			return -1;
	return 0;
}

/* An op that is open on a core's line, and how far its time is told. */
struct open_op {
	uint32_t event;
	int64_t end_ps;
};

static int add_core_piece(struct sorter *s, const struct open_op *o, int64_t begin_ps, int64_t end_ps)
{
	struct pieces *p = &s->pieces;

	if (s->d->step[o->event] < 0 || begin_ps >= end_ps)
		return 0;
	if (tf_vec_reserve((void **)&p->list, &p->cap, p->count + 1, sizeof *p->list) < 0)
		return tf_fail_nomem(s->err);
	p->list[p->count++] = (struct piece){
		s->d->step[o->event], rank_of(tf_core_part(s->d, o->event)), {begin_ps, end_ps}};
	return 0;
}

/* A core's ops nest (a while holds its body): each instant is the innermost op's. */
static int collect_core(struct sorter *s, const struct tf_line *line)
{
	const struct tf_trace *t = s->d->trace;
	struct open_op *open = NULL;
	size_t depth = 0, cap = 0;
	int64_t told = INT64_MIN;
	int rc = 0;

	for (size_t i = line->event_first; rc == 0 && i <= line->event_first + line->event_count; i++) {
		bool last = i == line->event_first + line->event_count;
		int64_t now = last ? INT64_MAX : t->events.start_ps[i];
		if (!last && !tf_event_counts(t, i))
			continue;
		for (; rc == 0 && depth && open[depth - 1].end_ps <= now; depth--) {
			rc = add_core_piece(s, &open[depth - 1], told, open[depth - 1].end_ps);
			told = open[depth - 1].end_ps > told ? open[depth - 1].end_ps : told;
		}
		if (last || rc < 0)
			break;
		if (depth)
			rc = add_core_piece(s, &open[depth - 1], told, now);
		told = now;
		if (tf_vec_reserve((void **)&open, &cap, depth + 1, sizeof *open) < 0)
			rc = tf_fail_nomem(s->err);
		else
			open[depth++] = (struct open_op){(uint32_t)i, tf_event_end(t, i)};
	}
	free(open);
	return rc;
}

static bool is_core(const struct tf_plane *p)
{
	return p->kind == TF_PLANE_TPU || p->kind == TF_PLANE_SPARSE;
}

/* A wait that reaches into later steps is theirs too, but for those that have a group. */
static int add_wait(struct sorter *s, size_t event)
{
	const struct tf_steps *steps = &s->host->steps;
	const struct tf_trace *t = s->d->trace;
	int64_t end = tf_event_end(t, event), dur_ps;

	for (size_t i = tf_step_after(steps, t->events.start_ps[event]); i < steps->count; i++) {
		if (tf_step_marked_begin(&steps->list[i], &dur_ps) >= end)
			break;
		if (!s->owners[i] && add_piece(&s->pieces, t, (int32_t)i, TF_PART_INPUT_WAIT, event, s->err) < 0)
			return -1;
	}
	return 0;
}

/*
 * A step with a group takes the host events of this group alone, so that what runs beside it does not count; a step
 * without one (nominated, inferred, of a device's line) takes what begins in it, and waits that began before.
 */
static int collect_host(struct sorter *s, const struct tf_line *line)
{
	const struct tf_derived *d = s->d;
	const struct tf_trace *t = d->trace;

	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++) {
		int32_t own = d->group[i] >= 0 ? d->group_step[d->group[i]] : -1, timed = d->step[i];
		s->part_of[i] = TF_PART_COUNT;
		if (timed >= 0 && s->owners[timed])
			timed = -1;
		if ((own < 0 && timed < 0 && s->all_own) || !tf_event_counts(t, i))
			continue;
		enum tf_part part = tf_host_part(d, i, s->has_device);
		s->part_of[i] = (uint8_t)part;
		if (part == TF_PART_COUNT || is_covered(s, i, part))
			continue;
		if (part == TF_PART_INPUT_WAIT && add_wait(s, i) < 0)
			return -1;
		if ((own >= 0 && add_piece(&s->pieces, t, own, part, i, s->err) < 0)
		    || (timed >= 0 && add_piece(&s->pieces, t, timed, part, i, s->err) < 0))
			return -1;
	}
	return 0;
}

static int collect(struct sorter *s)
{
	const struct tf_trace *t = s->d->trace;

	for (size_t g = 0; g < s->d->group_count; g++)
		if (s->d->group_step[g] >= 0)
			s->owners[s->d->group_step[g]] = true;
	s->all_own = true;
	for (size_t i = 0; i < s->host->steps.count; i++)
		s->all_own &= s->owners[i];
	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		if ((tf_line_is_host(t, line) && collect_host(s, line) < 0)
		    || (tf_line_is_raw_device(t, line)
			&& (is_core(&t->planes[line->plane]) ? collect_core : collect_device)(s, line) < 0))
			return -1;
	}
	return 0;
}

static int by_step_and_rank(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->at.begin_ps < y->at.begin_ps ? -1 : x->at.begin_ps > y->at.begin_ps;
}

/* Sweeps the pieces of one step, sorted by rank. `covered` has room for all of them. */
static void sweep(struct tf_step *step, const struct piece *p, size_t n, struct tf_interval *covered)
{
	int64_t begin = step->start_ps, end = step->start_ps + step->step_ps;
	int64_t before = 0;
	size_t used = 0;

	for (size_t i = 0; i < n;) {
		uint32_t rank = p[i].part;
		for (; i < n && p[i].part == rank; i++)
			covered[used++] = p[i].at;
		used = tf_interval_merge(covered, used);
		int64_t now = tf_interval_within(covered, used, begin, end);
		step->part_ps[importance[rank]] = now - before;
		before = now;
	}
	step->part_ps[TF_PART_OTHER] = step->step_ps - before;
	step->has_breakdown = true;
}

static int sweep_steps(struct sorter *s)
{
	struct piece *list = s->pieces.list;
	size_t count = s->pieces.count;
	struct tf_interval *covered = malloc((count + 1) * sizeof *covered);

	if (!covered)
		return tf_fail_nomem(s->err);
	if (count)
		qsort(list, count, sizeof *list, by_step_and_rank);
	for (size_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && list[i + n].step == list[i].step; n++)
			;
		sweep(&s->host->steps.list[list[i].step], list + i, n, covered);
	}
	for (size_t i = 0; i < s->host->steps.count; i++)
		if (!s->host->steps.list[i].has_breakdown)
			sweep(&s->host->steps.list[i], NULL, 0, covered);
	free(covered);
	return 0;
}

int tf_break_down(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	struct sorter s = {.d = d, .host = h, .has_device = tf_has_device_events(d->trace), .err = err};
	int rc = -1;

	(void)a;
	if (h->steps.count == 0)
		return 0;
	s.part_of = malloc(d->trace->events.count + 1);
	s.owners = calloc(h->steps.count, sizeof *s.owners);
	if (!s.part_of || !s.owners) {
		tf_fail_nomem(err);
		goto out;
	}
	if (collect(&s) < 0 || sweep_steps(&s) < 0)
		goto out;
	rc = 0;
out:
	free(s.part_of);
	free(s.owners);
	free(s.pieces.list);
	return rc;
}
