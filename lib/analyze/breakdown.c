/*
 * Each instant of a step goes to the most important thing then going on (METRICS.md §3): here the events that make it something
 * are told apart; step_owners.c divides the step among them.
 */
#include <stdlib.h>

#include "lib/analyze/classify.h"
#include "lib/analyze/step_owners.h"
#include "lib/analyze/steps.h"
#include "lib/base/vec.h"

struct pieces {
	struct tf_step_piece *list;
	size_t count, cap;
};

static int add_piece(struct pieces *p, struct tf_step_piece piece, struct tf_error *err)
{
	if (piece.at.begin_ps >= piece.at.end_ps)
		return 0;
	if (tf_vec_reserve((void **)&p->list, &p->cap, p->count + 1, sizeof *p->list) < 0)
		return tf_fail_nomem(err);
	p->list[p->count++] = piece;
	return 0;
}

/* What a line's events are to be told apart by. */
struct sorter {
	const struct tf_derived *d;
	struct tf_host *host;
	bool has_device;
	bool *owners;	  /* by step: a group of its own says what belongs to it */
	bool all_own;
	struct pieces pieces;
	struct tf_error *err;
};

static int add_event(struct sorter *s, int32_t step, enum tf_part part, size_t event, bool on_device)
{
	const struct tf_trace *t = s->d->trace;
	struct tf_interval at = {t->events.start_ps[event], tf_event_end(t, event)};

	return add_piece(&s->pieces, (struct tf_step_piece){step, (uint32_t)event, (uint8_t)part, on_device, at}, s->err);
}

static int collect_device(struct sorter *s, const struct tf_line *line)
{
	const struct tf_trace *t = s->d->trace;

	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++)
		if (s->d->step[i] >= 0 && tf_event_counts(t, i)
		    && add_event(s, s->d->step[i], tf_device_part(s->d, i), i, true) < 0)
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
	if (s->d->step[o->event] < 0)
		return 0;
	return add_piece(&s->pieces, (struct tf_step_piece){s->d->step[o->event], o->event, (uint8_t)tf_core_part(s->d, o->event), true,
							    {begin_ps, end_ps}}, s->err);
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
		if (!s->owners[i] && add_event(s, (int32_t)i, TF_PART_INPUT_WAIT, event, false) < 0)
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
		if (timed >= 0 && s->owners[timed])
			timed = -1;
		if ((own < 0 && timed < 0 && s->all_own) || !tf_event_counts(t, i))
			continue;
		enum tf_part part = tf_host_part(d, i, s->has_device);
		if (part == TF_PART_COUNT)
			continue;
		if (part == TF_PART_INPUT_WAIT && add_wait(s, i) < 0)
			return -1;
		if ((own >= 0 && add_event(s, own, part, i, false) < 0) || (timed >= 0 && add_event(s, timed, part, i, false) < 0))
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

int tf_break_down(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	struct sorter s = {.d = d, .host = h, .has_device = tf_has_device_events(d->trace), .err = err};
	int rc = -1;

	if (h->steps.count == 0)
		return 0;
	s.owners = calloc(h->steps.count, sizeof *s.owners);
	if (!s.owners) {
		tf_fail_nomem(err);
		goto out;
	}
	if (collect(&s) < 0 || tf_steps_divide(d, s.pieces.list, s.pieces.count, a, &h->steps, err) < 0)
		goto out;
	rc = 0;
out:
	free(s.owners);
	free(s.pieces.list);
	return rc;
}
