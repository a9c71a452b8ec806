/*
 * Groups of events that belong to one run of a step (METRICS.md §2, "Grouping"): edges by nesting, by producer and
 * consumer ids and by correlation ids; roots in order; breadth first from each root.
 */
#include <stdlib.h>

#include "lib/analyze/group.h"
#include "lib/analyze/loops.h"
#include "lib/base/vec.h"

/* Ancestors looked at for one root (real chains are a few dozen long), and producers followed to an eager call. */
enum { ANCESTOR_LIMIT = 10000, EAGER_HOPS = 64 };

struct grouping {
	struct tf_derived *d;
	const struct tf_trace *t;
	struct tf_edges e;
	uint32_t *queue; /* room for all events */
	size_t group_cap;
	size_t ancestors_left; /* that all roots together may look at: ids could be forged to make this endless */
	struct tf_error *err;
};

static int64_t stat(const struct grouping *g, size_t event, uint32_t name)
{
	return tf_stat_i64(g->t, tf_event_stats(g->t, event), name);
}

/* Root level of a host event: 0 is none. */
static int64_t root_level(const struct grouping *g, size_t i)
{
	uint32_t name = tf_event_name(g->t, i);

	if (name == TF_NAME_process_batch || name == TF_NAME_orbax_process_batch)
		return 2;
	if (name == TF_NAME_batching_session_run || name == TF_NAME_trace_context)
		return 1;
	if (!g->t->events.stat_count[i])
		return 0;
	int64_t level = stat(g, i, TF_NAME_root);
	if (level != TF_NONE && level > 0)
		return level;
	/* ≠XProf: a step number marks a step, root flag or not (Keras 3 writes no flag). */
	return tf_step_number(g->t, i) != TF_NONE ? 1 : 0;
}

static void reach(struct grouping *g, uint32_t event, int32_t group, size_t *tail)
{
	if (g->d->group[event] >= 0)
		return;
	g->d->group[event] = group;
	g->queue[(*tail)++] = event;
}

static void expand(struct grouping *g, uint32_t event, int32_t group, size_t *tail)
{
	struct tf_edges *e = &g->e;

	for (uint32_t c = e->first_child[event]; c != UINT32_MAX; c = e->next_sibling[c])
		reach(g, c, group, tail);
	for (size_t m = tf_edges_find(e, true, event);
	     m < e->producer_count && e->producers[m].event == event; m++) {
		struct tf_bucket *k = &e->buckets[e->producers[m].bucket];
		if (k->expanded || tf_bucket_is_crowd(k))
			continue;
		k->expanded = true;
		for (uint32_t j = 0; j < k->consumer_count; j++)
			reach(g, e->consumer_of[k->consumer_first + j], group, tail);
	}
}

/* A new group of everything that these events reach and no earlier group did; the first is its root. */
static int spread(struct grouping *g, const uint32_t *events, size_t count)
{
	struct tf_derived *d = g->d;
	size_t head = 0, tail = 0;

	if (tf_vec_reserve((void **)&d->group_root, &g->group_cap, d->group_count + 1, sizeof *d->group_root) < 0)
		return tf_fail_nomem(g->err);
	int32_t group = (int32_t)d->group_count;
	d->group_root[d->group_count++] = events[0];
	for (size_t i = 0; i < count; i++)
		reach(g, events[i], group, &tail);
	while (head < tail)
		expand(g, g->queue[head++], group, &tail);
	return 0;
}

struct root {
	uint32_t event;
	int64_t level;
	const struct tf_trace *t;
};

static int compare_roots(const void *a, const void *b)
{
	const struct root *x = a, *y = b;
	const struct tf_events *e = &x->t->events;

	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	if (e->start_ps[x->event] != e->start_ps[y->event])
		return e->start_ps[x->event] < e->start_ps[y->event] ? -1 : 1;
	if (e->dur_ps[x->event] != e->dur_ps[y->event])
		return e->dur_ps[x->event] > e->dur_ps[y->event] ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Queues what the event hangs from: the event around it and the producers that it consumes from. */
static int queue_parents(struct grouping *g, uint32_t event, struct tf_map *seen, size_t *tail)
{
	const struct tf_edges *e = &g->e;
	size_t n = g->t->events.count;

	if (g->d->parent[event] != UINT32_MAX && *tail < n)
		g->queue[(*tail)++] = g->d->parent[event];
	for (size_t m = tf_edges_find(e, false, event);
	     m < e->consumer_count && e->consumers[m].event == event; m++) {
		const struct tf_bucket *k = &e->buckets[e->consumers[m].bucket];
		if (tf_bucket_is_crowd(k) || tf_map_find(seen, e->consumers[m].bucket))
			continue;
		if (tf_map_put(seen, e->consumers[m].bucket, 1, g->err) < 0)
			return -1;
		for (uint32_t j = 0; j < k->producer_count && *tail < n; j++)
			g->queue[(*tail)++] = e->producer_of[k->producer_first + j];
	}
	return 0;
}

/* Whether an ancestor of the event, by any edge, is a root of the same level. The queue is free between groups. */
static int has_ancestor_root(struct grouping *g, uint32_t event, int64_t level, bool *found)
{
	size_t head = 0, tail = 0;
	struct tf_map seen = {0};
	int rc = 0;

	*found = false;
	g->queue[tail++] = event;
	while (rc == 0 && !*found && head < tail && tail < ANCESTOR_LIMIT && g->ancestors_left) {
		uint32_t at = g->queue[head++];
		g->ancestors_left--;
		*found = at != event && root_level(g, at) == level;
		rc = queue_parents(g, at, &seen, &tail);
	}
	tf_map_release(&seen);
	return rc;
}

static int collect_roots(struct grouping *g, struct root **roots, size_t *count)
{
	const struct tf_trace *t = g->t;
	struct tf_map tfdata_ids = {0};
	size_t cap = 0;
	int rc = -1;

	if (tf_loops_tfdata_ids(t, &tfdata_ids, g->err) < 0)
		goto out;
	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_host(t, line) && i < line->event_first + line->event_count; i++) {
			int64_t level = tf_event_counts(t, i) ? root_level(g, i) : 0;
			int64_t id = level > 0 ? stat(g, i, TF_NAME_id) : TF_NONE;
			if (level <= 0 || (id != TF_NONE && tf_map_find(&tfdata_ids, (uint64_t)id)))
				continue;
			if (tf_vec_reserve((void **)roots, &cap, *count + 1, sizeof **roots) < 0) {
				tf_fail_nomem(g->err);
				goto out;
			}
			(*roots)[(*count)++] = (struct root){(uint32_t)i, level, t};
		}
	}
	if (*count)
		qsort(*roots, *count, sizeof **roots, compare_roots);
	rc = 0;
out:
	tf_map_release(&tfdata_ids);
	return rc;
}

static int group_roots(struct grouping *g, const struct root *roots, size_t count)
{
	for (size_t r = 0; r < count; r++) {
		bool inner;
		if (g->d->group[roots[r].event] >= 0)
			continue;
		if (has_ancestor_root(g, roots[r].event, roots[r].level, &inner) < 0
		    || (!inner && spread(g, &roots[r].event, 1) < 0))
			return -1;
	}
	return 0;
}

/* Where no root names its step, iterations of a loop are the roots, and then the only ones. */
static int group_loops(struct grouping *g, const struct root *roots, size_t count)
{
	struct tf_loops loops = {0};
	int rc = -1;

	for (size_t r = 0; r < count; r++)
		if (!tf_is_implicit_root(tf_event_name(g->t, roots[r].event)))
			return 0;
	if (tf_loops_find(g->t, &loops, g->err) < 0)
		goto out;
	for (size_t i = 0; i < loops.count; i++)
		if (spread(g, loops.events + loops.list[i].first, loops.list[i].count) < 0)
			goto out;
	rc = 0;
out:
	tf_loops_release(&loops);
	return rc;
}

/*
 * PyTorch marks steps on one thread and launches the backward pass from another, with no id between them: what no root reached
 * forms groups of its own, an outermost event each. Their steps follow from their time.
 */
static int group_threads(struct grouping *g)
{
	const struct tf_trace *t = g->t;
	bool pytorch = false;

	for (size_t i = 0; i < t->meta_count && !pytorch; i++)
		pytorch = g->d->info[i].category == TF_OP_PYTORCH;
	for (size_t l = 0; pytorch && l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first; tf_line_is_host(t, line) && i < line->event_first + line->event_count; i++) {
			uint32_t event = (uint32_t)i;
			if (g->d->parent[i] == UINT32_MAX && g->d->group[i] < 0 && tf_event_counts(t, i) && spread(g, &event, 1) < 0)
				return -1;
		}
	}
	return 0;
}

static int group_events(struct grouping *g)
{
	struct root *roots = NULL;
	size_t count = 0;
	int rc = collect_roots(g, &roots, &count);

	if (rc == 0)
		rc = group_loops(g, roots, count);
	if (rc == 0 && g->d->group_count == 0)
		rc = group_roots(g, roots, count);
	if (rc == 0)
		rc = group_threads(g);
	free(roots);
	return rc;
}

enum eager { EAGER_UNKNOWN, EAGER_YES, EAGER_NO };

/* Top-down on each line: the nearest EagerExecute around each event, and the outermost event around it. */
static void find_eager_on_lines(struct grouping *g, uint8_t *state, uint32_t *top)
{
	for (size_t i = 0; i < g->t->events.count; i++) {
		uint32_t parent = g->d->parent[i];
		top[i] = parent == UINT32_MAX ? (uint32_t)i : top[parent];
		state[i] = parent == UINT32_MAX ? EAGER_UNKNOWN : state[parent];
		if (tf_event_name(g->t, i) == TF_NAME_eager_execute)
			state[i] = stat(g, i, TF_NAME_is_func) == 0 ? EAGER_YES : EAGER_NO;
	}
}

/* An op is eager when the nearest EagerExecute around it, or around what launched it, runs no function. */
static bool is_eager(const struct grouping *g, const uint8_t *state, const uint32_t *top, uint32_t event)
{
	for (int hops = 0; hops < EAGER_HOPS && state[event] == EAGER_UNKNOWN; hops++) {
		size_t m = tf_edges_find(&g->e, false, event);
		if (m == g->e.consumer_count)
			m = tf_edges_find(&g->e, false, top[event]);
		if (m == g->e.consumer_count)
			return false;
		const struct tf_bucket *k = &g->e.buckets[g->e.consumers[m].bucket];
		if (k->producer_count == 0 || tf_bucket_is_crowd(k))
			return false;
		event = g->e.producer_of[k->producer_first];
	}
	return state[event] == EAGER_YES;
}

static int mark_eager(struct grouping *g)
{
	const struct tf_trace *t = g->t;
	uint8_t *state = malloc(t->events.count + 1);
	uint32_t *top = g->queue; /* no longer needed for groups */

	if (!state)
		return tf_fail_nomem(g->err);
	find_eager_on_lines(g, state, top);
	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		bool device = tf_line_is_raw_device(t, line);
		for (size_t i = line->event_first; i < line->event_first + line->event_count; i++) {
			enum tf_op_category category = g->d->info[t->events.meta[i]].category;
			g->d->linked_devices |= device && g->d->group[i] >= 0;
			if (device || (tf_line_is_host(t, line) && category == TF_OP_TENSORFLOW))
				g->d->eager[i] = is_eager(g, state, top, (uint32_t)i);
		}
	}
	free(state);
	return 0;
}

/* Loops of the old executor confuse all edges: where one is recorded nothing is grouped. */
static bool has_loop_ops(const struct tf_trace *t)
{
	for (size_t i = 0; i < t->meta_count; i++)
		if (t->metas[i].name >= TF_NAME_while_eval_cond && t->metas[i].name <= TF_NAME_forever_op)
			return true;
	return false;
}

int tf_group_events(struct tf_derived *d, struct tf_error *err)
{
	struct grouping g = {.d = d, .t = d->trace, .err = err};
	int rc = -1;

	if (has_loop_ops(d->trace))
		return 0;
	g.ancestors_left = 1000000 + 16 * d->trace->events.count;
	g.queue = malloc((d->trace->events.count + 1) * sizeof *g.queue);
	if (!g.queue) {
		tf_fail_nomem(err);
		goto out;
	}
	if (tf_edges_build(&g.e, d, err) < 0 || group_events(&g) < 0 || mark_eager(&g) < 0)
		goto out;
	rc = 0;
out:
	tf_edges_release(&g.e);
	free(g.queue);
	return rc;
}
