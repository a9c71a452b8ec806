/*
 * Each instant of a step goes to the most important thing then going on (METRICS.md §3): the parts are filled from the
 * most important down, each with what its intervals add to the union of those before.
 */
#include <stdlib.h>

#include "lib/analyze/classify.h"
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

/*
 * The step that a host event's time belongs to: that of its group, so that work of another step does not count; by time
 * where the capture has no groups at all.
 */
static int32_t step_of(const struct tf_derived *d, size_t event)
{
	return d->group_count && d->group[event] < 0 ? -1 : d->step[event];
}

static int collect_line(const struct tf_derived *d, const struct tf_line *line, uint8_t *part_of, bool has_device,
			struct pieces *p, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;
	bool host = tf_line_is_host(t, line), device = tf_line_is_raw_device(t, line);

	for (size_t i = line->event_first; (host || device) && i < line->event_first + line->event_count; i++) {
		int32_t step = device ? d->step[i] : step_of(d, i);
		part_of[i] = TF_PART_COUNT;
		if (step < 0 || !tf_event_counts(t, i))
			continue;
		enum tf_part part = device ? tf_device_part(t, i) : tf_host_part(d, i, has_device);
		uint32_t parent = d->parent[i];
		part_of[i] = (uint8_t)part;
		/* Inside a parent of the same part and step nothing is added to a union. */
		if (part == TF_PART_COUNT || (parent != UINT32_MAX && part_of[parent] == part && d->step[parent] == step))
			continue;
		if (add_piece(p, t, step, part, i, err) < 0)
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

int tf_break_down(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;
	bool has_device = tf_has_device_events(t);
	struct pieces p = {0};
	struct tf_interval *covered = NULL;
	uint8_t *part_of = malloc(t->events.count + 1);
	int rc = -1;

	(void)a;
	if (!part_of) {
		tf_fail_nomem(err);
		goto out;
	}
	for (size_t l = 0; h->steps.count && l < t->line_count; l++)
		if (collect_line(d, &t->lines[l], part_of, has_device, &p, err) < 0)
			goto out;
	covered = malloc((p.count + 1) * sizeof *covered);
	if (!covered) {
		tf_fail_nomem(err);
		goto out;
	}
	if (p.count)
		qsort(p.list, p.count, sizeof *p.list, by_step_and_rank);
	for (size_t i = 0, n; i < p.count; i += n) {
		for (n = 1; i + n < p.count && p.list[i + n].step == p.list[i].step; n++)
			;
		sweep(&h->steps.list[p.list[i].step], p.list + i, n, covered);
	}
	for (size_t i = 0; i < h->steps.count; i++)
		if (!h->steps.list[i].has_breakdown)
			sweep(&h->steps.list[i], NULL, 0, covered);
	rc = 0;
out:
	free(part_of);
	free(covered);
	free(p.list);
	return rc;
}
