/*
 * Groups of events that belong to one run of a step (METRICS.md §2, "Grouping"): edges by nesting, by producer and
 * consumer ids and by correlation ids; roots in order; breadth first from each root.
 */
#include <stdlib.h>

#include "lib/analyze/analyze.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"

/* Both sides of a context with this many members are no context but a coincidence of ids. */
enum { CROWD = 64 };
/* Ancestors looked at for one root; real chains are a few dozen long. */
enum { ANCESTOR_LIMIT = 10000 };

enum join { JOIN_CONTEXT, JOIN_LAUNCH, JOIN_EXECUTOR, JOIN_TPU_OP, JOIN_TPU_QUEUE, JOIN_TPU_PROGRAM };

/* All producers of one key, connected to all its consumers. */
struct bucket {
	uint32_t producer_count, consumer_count;
	uint32_t producer_first, consumer_first; /* in producer_of, consumer_of; before that the last producer added */
	bool expanded;
};

struct member {
	uint32_t event, bucket;
};

struct grouping {
	struct tf_derived *d;
	const struct tf_trace *t;
	struct tf_map keys; /* join key → bucket */
	struct bucket *buckets;
	size_t bucket_count, bucket_cap;
	struct member *producers, *consumers; /* by event until sorted into members */
	size_t producer_count, producer_cap, consumer_count, consumer_cap;
	uint32_t *producer_of, *consumer_of; /* by bucket: events */
	uint32_t *first_child, *next_sibling; /* by event, UINT32_MAX: none */
	uint32_t *queue; /* by event */
	size_t group_cap;
	struct tf_error *err;
};

static uint64_t join_key(enum join join, uint64_t a, uint64_t b)
{
	/* For one join and one b, distinct a give distinct keys: ids are compared in full. */
	return tf_hash_u64(a) ^ ((uint64_t)join << 56) ^ (b * UINT64_C(0x9e3779b97f4a7c15));
}

static int bucket_of(struct grouping *g, uint64_t key, uint32_t *bucket)
{
	const uint64_t *found = tf_map_find(&g->keys, key);

	if (found) {
		*bucket = (uint32_t)*found;
		return 0;
	}
	if (tf_vec_reserve((void **)&g->buckets, &g->bucket_cap, g->bucket_count + 1, sizeof *g->buckets) < 0)
		return tf_fail_nomem(g->err);
	g->buckets[g->bucket_count] = (struct bucket){0};
	*bucket = (uint32_t)g->bucket_count++;
	return tf_map_put(&g->keys, key, *bucket, g->err);
}

static int add_producer(struct grouping *g, size_t event, uint64_t key)
{
	uint32_t bucket;

	if (bucket_of(g, key, &bucket) < 0
	    || tf_vec_reserve((void **)&g->producers, &g->producer_cap, g->producer_count + 1, sizeof *g->producers) < 0)
		return tf_fail_nomem(g->err);
	g->buckets[bucket].producer_first = (uint32_t)g->producer_count;
	g->producers[g->producer_count++] = (struct member){(uint32_t)event, bucket};
	g->buckets[bucket].producer_count++;
	return 0;
}

/* Where only the last producer of a key counts. */
static int set_producer(struct grouping *g, size_t event, uint64_t key)
{
	uint32_t bucket;

	if (bucket_of(g, key, &bucket) < 0)
		return -1;
	if (!g->buckets[bucket].producer_count)
		return add_producer(g, event, key);
	g->producers[g->buckets[bucket].producer_first].event = (uint32_t)event;
	return 0;
}

static int add_consumer(struct grouping *g, size_t event, uint64_t key)
{
	uint32_t bucket;

	if (bucket_of(g, key, &bucket) < 0
	    || tf_vec_reserve((void **)&g->consumers, &g->consumer_cap, g->consumer_count + 1, sizeof *g->consumers) < 0)
		return tf_fail_nomem(g->err);
	g->consumers[g->consumer_count++] = (struct member){(uint32_t)event, bucket};
	g->buckets[bucket].consumer_count++;
	return 0;
}

static int64_t stat(const struct grouping *g, size_t event, uint32_t name)
{
	return tf_stat_i64(g->t, tf_event_stats(g->t, event), name);
}

/* (_pt, _p) and (_ct, _c), with the process where the event names one. */
static int join_contexts(struct grouping *g, size_t i)
{
	int64_t producer = stat(g, i, TF_NAME_producer_id), producer_type = stat(g, i, TF_NAME_producer_type);
	int64_t consumer = stat(g, i, TF_NAME_consumer_id), consumer_type = stat(g, i, TF_NAME_consumer_type);

	if (producer != TF_NONE && producer_type != TF_NONE
	    && add_producer(g, i, join_key(JOIN_CONTEXT, (uint64_t)producer, (uint64_t)producer_type)) < 0)
		return -1;
	if (consumer != TF_NONE && consumer_type != TF_NONE
	    && add_consumer(g, i, join_key(JOIN_CONTEXT, (uint64_t)consumer, (uint64_t)consumer_type)) < 0)
		return -1;
	return 0;
}

/* Launch on the host to work on the device. Correlation ids repeat between devices, so the device is part of the key. */
static int join_launch(struct grouping *g, size_t i, const struct tf_plane *plane)
{
	int64_t correlation = stat(g, i, TF_NAME_correlation_id), device = stat(g, i, TF_NAME_device_id);
	enum tf_op_category category = g->d->info[g->t->events.meta[i]].category;
	uint64_t any = join_key(JOIN_LAUNCH, (uint64_t)correlation, UINT64_MAX);

	if (correlation == TF_NONE)
		return 0;
	if (plane->kind == TF_PLANE_HOST) {
		/* An op of the framework that carries the id of a launch inside it is no launch. */
		if (category == TF_OP_TENSORFLOW || category == TF_OP_TFDATA)
			return 0;
		return set_producer(g, i,
				    device == TF_NONE ? any : join_key(JOIN_LAUNCH, (uint64_t)correlation, (uint64_t)device));
	}
	if (device == TF_NONE)
		device = plane->ordinal;
	uint64_t own = join_key(JOIN_LAUNCH, (uint64_t)correlation, (uint64_t)device);
	return add_consumer(g, i, device != TF_NONE && tf_map_find(&g->keys, own) ? own : any);
}

/* Joins by (id, iter_num): an executor to the GetNext that it runs, and to a TPU program. */
static int join_executor(struct grouping *g, size_t i)
{
	uint32_t name = tf_event_name(g->t, i);
	int64_t id = stat(g, i, TF_NAME_id), iter = stat(g, i, TF_NAME_iter_num);

	if (id == TF_NONE || iter == TF_NONE)
		return 0;
	if (name == TF_NAME_executor_process)
		return set_producer(g, i, join_key(JOIN_EXECUTOR, (uint64_t)id, (uint64_t)iter)) < 0
				       || add_producer(g, i, join_key(JOIN_TPU_OP, (uint64_t)id, (uint64_t)iter)) < 0
			       ? -1
			       : 0;
	if (name == TF_NAME_get_next_compute || name == TF_NAME_get_next_optional_compute)
		return add_consumer(g, i, join_key(JOIN_EXECUTOR, (uint64_t)id, (uint64_t)iter));
	if (name == TF_NAME_tpu_execute_op)
		return add_consumer(g, i, join_key(JOIN_TPU_OP, (uint64_t)id, (uint64_t)iter));
	return 0;
}

static int join_tpu(struct grouping *g, size_t i)
{
	uint32_t name = tf_event_name(g->t, i);

	if (name >= TF_NAME_enqueue_request_locked && name <= TF_NAME_pjrt_async_wait) {
		int64_t request = stat(g, i, TF_NAME_request_id), queue = stat(g, i, TF_NAME_queue_addr);
		uint64_t key = join_key(JOIN_TPU_QUEUE, (uint64_t)request, (uint64_t)queue);
		if (request == TF_NONE || queue == TF_NONE)
			return 0;
		return (name == TF_NAME_enqueue_request_locked ? add_producer : add_consumer)(g, i, key);
	}
	if (name == TF_NAME_do_enqueue_program || name == TF_NAME_complete_callbacks) {
		int64_t run = stat(g, i, TF_NAME_run_id), queue = stat(g, i, TF_NAME_queue_id);
		int64_t device = stat(g, i, TF_NAME_device_ordinal), core = stat(g, i, TF_NAME_core_type);
		if (run == TF_NONE || queue == TF_NONE || device == TF_NONE)
			return 0;
		uint64_t where = (uint64_t)device * 1000003 + (uint64_t)queue * 31 + (core == TF_NONE ? 0 : (uint64_t)core);
		/* Only the low 27 bits of a run id are the same on both sides. */
		uint64_t key = join_key(JOIN_TPU_PROGRAM, (uint64_t)run & 0x7ffffff, where);
		return (name == TF_NAME_do_enqueue_program ? add_producer : add_consumer)(g, i, key);
	}
	return 0;
}

static int join_event(struct grouping *g, size_t i, const struct tf_plane *plane)
{
	if (join_contexts(g, i) < 0 || join_launch(g, i, plane) < 0)
		return -1;
	if (plane->kind != TF_PLANE_HOST || tf_event_name(g->t, i) >= TF_NAME_COUNT)
		return 0;
	return join_executor(g, i) < 0 || join_tpu(g, i) < 0 ? -1 : 0;
}

/* Host lines first, so that a device event finds the key of its launch. */
static int join_events(struct grouping *g, bool host)
{
	const struct tf_trace *t = g->t;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		const struct tf_plane *plane = &t->planes[line->plane];
		if (line->derived || (plane->kind == TF_PLANE_HOST) != host || (!host && !tf_plane_is_device(plane)))
			continue;
		for (size_t i = line->event_first; i < line->event_first + line->event_count; i++)
			if (t->events.stat_count[i] && tf_event_counts(t, i) && join_event(g, i, plane) < 0)
				return -1;
	}
	return 0;
}

/* Sorts members by bucket (counting sort) into the array that the buckets' firsts index. */
static uint32_t *sort_members(struct grouping *g, const struct member *members, size_t count, bool producers)
{
	uint32_t *sorted = malloc((count + 1) * sizeof *sorted);
	uint32_t at = 0;

	if (!sorted)
		return NULL;
	for (size_t b = 0; b < g->bucket_count; b++) {
		struct bucket *k = &g->buckets[b];
		*(producers ? &k->producer_first : &k->consumer_first) = at;
		at += producers ? k->producer_count : k->consumer_count;
		*(producers ? &k->producer_count : &k->consumer_count) = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct bucket *k = &g->buckets[members[i].bucket];
		sorted[producers ? k->producer_first + k->producer_count++ : k->consumer_first + k->consumer_count++] =
			members[i].event;
	}
	return sorted;
}

static bool is_crowd(const struct bucket *k)
{
	return k->producer_count >= CROWD && k->consumer_count >= CROWD;
}

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* The first member of an event in a list sorted by event. */
static size_t members_of(const struct member *members, size_t count, uint32_t event)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (members[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int build_edges(struct grouping *g)
{
	const struct tf_trace *t = g->t;
	size_t n = t->events.count + 1;

	if (join_events(g, true) < 0 || join_events(g, false) < 0)
		return -1;
	g->producer_of = sort_members(g, g->producers, g->producer_count, true);
	g->consumer_of = sort_members(g, g->consumers, g->consumer_count, false);
	g->first_child = malloc(n * sizeof *g->first_child);
	g->next_sibling = malloc(n * sizeof *g->next_sibling);
	g->queue = malloc(n * sizeof *g->queue);
	if (!g->producer_of || !g->consumer_of || !g->first_child || !g->next_sibling || !g->queue)
		return tf_fail_nomem(g->err);
	if (g->producer_count)
		qsort(g->producers, g->producer_count, sizeof *g->producers, compare_members);
	if (g->consumer_count)
		qsort(g->consumers, g->consumer_count, sizeof *g->consumers, compare_members);
	for (size_t i = 0; i < n; i++)
		g->first_child[i] = g->next_sibling[i] = UINT32_MAX;
	for (size_t i = t->events.count; i-- > 0;) {
		uint32_t parent = g->d->parent[i];
		if (parent == UINT32_MAX)
			continue;
		g->next_sibling[i] = g->first_child[parent];
		g->first_child[parent] = (uint32_t)i;
	}
	return 0;
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

static int expand(struct grouping *g, uint32_t event, int32_t group, size_t *tail)
{
	for (uint32_t c = g->first_child[event]; c != UINT32_MAX; c = g->next_sibling[c])
		if (g->d->group[c] < 0) {
			g->d->group[c] = group;
			g->queue[(*tail)++] = c;
		}
	for (size_t m = members_of(g->producers, g->producer_count, event);
	     m < g->producer_count && g->producers[m].event == event; m++) {
		struct bucket *k = &g->buckets[g->producers[m].bucket];
		if (k->expanded || is_crowd(k))
			continue;
		k->expanded = true;
		for (uint32_t j = 0; j < k->consumer_count; j++) {
			uint32_t c = g->consumer_of[k->consumer_first + j];
			if (g->d->group[c] < 0) {
				g->d->group[c] = group;
				g->queue[(*tail)++] = c;
			}
		}
	}
	return 0;
}

/* A new group of everything that the root reaches and no earlier root did. */
static int spread(struct grouping *g, uint32_t root)
{
	struct tf_derived *d = g->d;
	size_t head = 0, tail = 0;

	if (tf_vec_reserve((void **)&d->group_root, &g->group_cap, d->group_count + 1, sizeof *d->group_root) < 0)
		return tf_fail_nomem(g->err);
	int32_t group = (int32_t)d->group_count;
	d->group_root[d->group_count++] = root;
	d->group[root] = group;
	g->queue[tail++] = root;
	while (head < tail)
		if (expand(g, g->queue[head++], group, &tail) < 0)
			return -1;
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

/* True if an ancestor of the event, by any edge, is a root of the same level. The queue is free between groups. */
static bool has_ancestor_root(struct grouping *g, uint32_t event, int64_t level, struct tf_map *seen)
{
	size_t head = 0, tail = 0, n = g->t->events.count;

	g->queue[tail++] = event;
	while (head < tail && tail < ANCESTOR_LIMIT) {
		uint32_t at = g->queue[head++];
		if (at != event && root_level(g, at) == level)
			return true;
		if (g->d->parent[at] != UINT32_MAX && tail < n)
			g->queue[tail++] = g->d->parent[at];
		for (size_t m = members_of(g->consumers, g->consumer_count, at);
		     m < g->consumer_count && g->consumers[m].event == at; m++) {
			const struct bucket *k = &g->buckets[g->consumers[m].bucket];
			uint64_t key = (uint64_t)g->consumers[m].bucket;
			if (is_crowd(k) || tf_map_find(seen, key) || tf_map_put(seen, key, 1, g->err) < 0)
				continue;
			for (uint32_t j = 0; j < k->producer_count && tail < n; j++)
				g->queue[tail++] = g->producer_of[k->producer_first + j];
		}
	}
	return false;
}

/* Ids that tf.data gives to the functions it runs: their executors are no steps. */
static int collect_tfdata_ids(struct grouping *g, struct tf_map *ids)
{
	for (size_t i = 0; i < g->t->events.count; i++) {
		uint32_t name = tf_event_name(g->t, i);
		if (name < TF_NAME_captured_run || name > TF_NAME_captured_run_async)
			continue;
		int64_t id = stat(g, i, TF_NAME_id);
		if (id != TF_NONE && tf_map_put(ids, (uint64_t)id, 1, g->err) < 0)
			return -1;
	}
	return 0;
}

static int collect_roots(struct grouping *g, struct root **roots, size_t *count)
{
	const struct tf_trace *t = g->t;
	struct tf_map tfdata_ids = {0};
	size_t cap = 0;
	int rc = -1;

	if (collect_tfdata_ids(g, &tfdata_ids) < 0)
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

static int group_roots(struct grouping *g)
{
	struct root *roots = NULL;
	size_t count = 0;
	struct tf_map seen = {0};
	int rc = -1;

	if (collect_roots(g, &roots, &count) < 0)
		goto out;
	for (size_t r = 0; r < count; r++) {
		if (g->d->group[roots[r].event] >= 0)
			continue;
		bool inner = has_ancestor_root(g, roots[r].event, roots[r].level, &seen);
		tf_map_release(&seen);
		if (!inner && spread(g, roots[r].event) < 0)
			goto out;
	}
	rc = 0;
out:
	free(roots);
	tf_map_release(&seen);
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
	for (int hops = 0; hops < CROWD && state[event] == EAGER_UNKNOWN; hops++) {
		uint32_t from = event;
		size_t m = members_of(g->consumers, g->consumer_count, from);
		if (m == g->consumer_count || g->consumers[m].event != from) {
			from = top[event];
			m = members_of(g->consumers, g->consumer_count, from);
		}
		if (m == g->consumer_count || g->consumers[m].event != from)
			return false;
		const struct bucket *k = &g->buckets[g->consumers[m].bucket];
		if (k->producer_count == 0 || is_crowd(k))
			return false;
		event = g->producer_of[k->producer_first];
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
	if (build_edges(&g) < 0 || group_roots(&g) < 0 || mark_eager(&g) < 0)
		goto out;
	rc = 0;
out:
	tf_map_release(&g.keys);
	free(g.buckets);
	free(g.producers);
	free(g.consumers);
	free(g.producer_of);
	free(g.consumer_of);
	free(g.first_child);
	free(g.next_sibling);
	free(g.queue);
	return rc;
}
