/*
 * What connects events: one inside another on a line, a producer and its consumers, a launch and what it launched,
 * and a few named pairs (METRICS.md §2).
 */
#include <stdlib.h>

#include "lib/analyze/group.h"
#include "lib/base/vec.h"

/* Both sides of a context with this many members are no context but a coincidence of ids. */
enum { CROWD = 64 };

enum join { JOIN_CONTEXT, JOIN_LAUNCH, JOIN_EXECUTOR, JOIN_TPU_OP, JOIN_TPU_QUEUE, JOIN_TPU_PROGRAM };

struct joiner {
	struct tf_edges *e;
	struct tf_derived *d;
	const struct tf_trace *t;
	bool processes; /* the planes are of several processes, whose ids say nothing to each other */
	struct tf_error *err;
};

static uint64_t join_key(enum join join, uint64_t a, uint64_t b)
{
	/* For one join and one b, distinct a give distinct keys: ids are compared in full. */
	return tf_hash_u64(a) ^ ((uint64_t)join << 56) ^ (b * UINT64_C(0x9e3779b97f4a7c15));
}

static int bucket_of(struct joiner *g, uint64_t key, uint32_t *bucket)
{
	struct tf_edges *e = g->e;
	const uint64_t *found = tf_map_find(&e->keys, key);

	if (found) {
		*bucket = (uint32_t)*found;
		return 0;
	}
	if (tf_vec_reserve((void **)&e->buckets, &e->bucket_cap, e->bucket_count + 1, sizeof *e->buckets) < 0)
		return tf_fail_nomem(g->err);
	e->buckets[e->bucket_count] = (struct tf_bucket){0};
	*bucket = (uint32_t)e->bucket_count++;
	return tf_map_put(&e->keys, key, *bucket, g->err);
}

static int push_member(struct tf_member **list, size_t *count, size_t *cap, size_t event, uint32_t bucket,
		       struct tf_error *err)
{
	if (tf_vec_reserve((void **)list, cap, *count + 1, sizeof **list) < 0)
		return tf_fail_nomem(err);
	(*list)[(*count)++] = (struct tf_member){(uint32_t)event, bucket};
	return 0;
}

static int add_producer(struct joiner *g, size_t event, uint64_t key)
{
	struct tf_edges *e = g->e;
	uint32_t bucket;

	if (bucket_of(g, key, &bucket) < 0)
		return -1;
	e->buckets[bucket].producer_first = (uint32_t)e->producer_count;
	e->buckets[bucket].producer_count++;
	return push_member(&e->producers, &e->producer_count, &e->producer_cap, event, bucket, g->err);
}

/* Where only the last producer of a key counts. */
static int set_producer(struct joiner *g, size_t event, uint64_t key)
{
	const uint64_t *bucket = tf_map_find(&g->e->keys, key);

	if (!bucket || !g->e->buckets[*bucket].producer_count)
		return add_producer(g, event, key);
	g->e->producers[g->e->buckets[*bucket].producer_first].event = (uint32_t)event;
	return 0;
}

static int add_consumer(struct joiner *g, size_t event, uint64_t key)
{
	struct tf_edges *e = g->e;
	uint32_t bucket;

	if (bucket_of(g, key, &bucket) < 0)
		return -1;
	e->buckets[bucket].consumer_count++;
	return push_member(&e->consumers, &e->consumer_count, &e->consumer_cap, event, bucket, g->err);
}

static int64_t stat(const struct joiner *g, size_t event, uint32_t name)
{
	return tf_stat_i64(g->t, tf_event_stats(g->t, event), name);
}

/* Ids of one process mean nothing in another: the consumer may name its producer's, else it is the plane's own. */
static uint64_t process_salt(const struct joiner *g, size_t i, const struct tf_plane *plane, bool consumer)
{
	int64_t process = consumer ? stat(g, i, TF_NAME_consumer_pid) : TF_NONE;

	if (process == TF_NONE)
		process = tf_stat_i64(g->t, plane->stats, TF_NAME_process_id);
	return process == TF_NONE ? 0 : tf_hash_u64((uint64_t)process);
}

/* (_pt, _p) and (_ct, _c). */
static int join_contexts(struct joiner *g, size_t i, const struct tf_plane *plane)
{
	int64_t producer = stat(g, i, TF_NAME_producer_id), producer_type = stat(g, i, TF_NAME_producer_type);
	int64_t consumer = stat(g, i, TF_NAME_consumer_id), consumer_type = stat(g, i, TF_NAME_consumer_type);

	if (producer != TF_NONE && producer_type != TF_NONE) {
		uint64_t key = join_key(JOIN_CONTEXT, (uint64_t)producer, (uint64_t)producer_type);
		if (add_producer(g, i, g->processes ? key ^ process_salt(g, i, plane, false) : key) < 0)
			return -1;
	}
	if (consumer != TF_NONE && consumer_type != TF_NONE) {
		uint64_t key = join_key(JOIN_CONTEXT, (uint64_t)consumer, (uint64_t)consumer_type);
		return add_consumer(g, i, g->processes ? key ^ process_salt(g, i, plane, true) : key);
	}
	return 0;
}

/* Launch on the host to work on the device. Correlation ids repeat between devices: the device is part of the key. */
static int join_launch(struct joiner *g, size_t i, const struct tf_plane *plane)
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
		uint64_t key = join_key(JOIN_LAUNCH, (uint64_t)correlation, (uint64_t)device);
		return set_producer(g, i, device == TF_NONE ? any : key);
	}
	if (device == TF_NONE)
		device = plane->ordinal;
	uint64_t own = join_key(JOIN_LAUNCH, (uint64_t)correlation, (uint64_t)device);
	return add_consumer(g, i, device != TF_NONE && tf_map_find(&g->e->keys, own) ? own : any);
}

/* Joins by (id, iter_num): an executor to the GetNext that it runs, and to a TPU program. */
static int join_executor(struct joiner *g, size_t i)
{
	uint32_t name = tf_event_name(g->t, i);

	if (name != TF_NAME_executor_process && name != TF_NAME_tpu_execute_op && name != TF_NAME_get_next_compute
	    && name != TF_NAME_get_next_optional_compute)
		return 0;
	int64_t id = stat(g, i, TF_NAME_id), iter = stat(g, i, TF_NAME_iter_num);
	if (id == TF_NONE || iter == TF_NONE)
		return 0;
	if (name == TF_NAME_executor_process)
		return set_producer(g, i, join_key(JOIN_EXECUTOR, (uint64_t)id, (uint64_t)iter)) < 0
				       || add_producer(g, i, join_key(JOIN_TPU_OP, (uint64_t)id, (uint64_t)iter)) < 0
			       ? -1
			       : 0;
	enum join join = name == TF_NAME_tpu_execute_op ? JOIN_TPU_OP : JOIN_EXECUTOR;
	return add_consumer(g, i, join_key(join, (uint64_t)id, (uint64_t)iter));
}

static int join_tpu(struct joiner *g, size_t i)
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
		uint64_t where = (uint64_t)device * 1000003 + (uint64_t)queue * 31;
		where += core == TF_NONE ? 0 : (uint64_t)core;
		/* Only the low 27 bits of a run id are the same on both sides. */
		uint64_t key = join_key(JOIN_TPU_PROGRAM, (uint64_t)run & 0x7ffffff, where);
		return (name == TF_NAME_do_enqueue_program ? add_producer : add_consumer)(g, i, key);
	}
	return 0;
}

/* What an event's stats can join, looked at once: most events have none of these. */
enum ids { IDS_CONTEXT = 1, IDS_LAUNCH = 2 };

static unsigned ids_of(const struct tf_trace *t, size_t i)
{
	struct tf_stat_range range = tf_event_stats(t, i);
	unsigned ids = 0;

	for (uint32_t k = range.first; k < range.first + range.count; k++) {
		uint32_t name = t->stats.key[k] >> 3;
		if (name == TF_NAME_producer_id || name == TF_NAME_consumer_id)
			ids |= IDS_CONTEXT;
		else if (name == TF_NAME_correlation_id)
			ids |= IDS_LAUNCH;
	}
	return ids;
}

static int join_event(struct joiner *g, size_t i, const struct tf_plane *plane)
{
	unsigned ids = ids_of(g->t, i);

	if (((ids & IDS_CONTEXT) && join_contexts(g, i, plane) < 0)
	    || ((ids & IDS_LAUNCH) && join_launch(g, i, plane) < 0))
		return -1;
	if (plane->kind != TF_PLANE_HOST || tf_event_name(g->t, i) >= TF_NAME_COUNT)
		return 0;
	return join_executor(g, i) < 0 || join_tpu(g, i) < 0 ? -1 : 0;
}

/* Host lines first, so that a device event finds the key of its launch. */
static int join_events(struct joiner *g, bool host)
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
static uint32_t *sort_members(struct joiner *g, const struct tf_member *members, size_t count, bool producers)
{
	uint32_t *sorted = malloc((count + 1) * sizeof *sorted);
	uint32_t at = 0;

	if (!sorted)
		return NULL;
	for (size_t b = 0; b < g->e->bucket_count; b++) {
		struct tf_bucket *k = &g->e->buckets[b];
		*(producers ? &k->producer_first : &k->consumer_first) = at;
		at += producers ? k->producer_count : k->consumer_count;
		*(producers ? &k->producer_count : &k->consumer_count) = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct tf_bucket *k = &g->e->buckets[members[i].bucket];
		sorted[producers ? k->producer_first + k->producer_count++ : k->consumer_first + k->consumer_count++] =
			members[i].event;
	}
	return sorted;
}

bool tf_bucket_is_crowd(const struct tf_bucket *b)
{
	return b->producer_count >= CROWD && b->consumer_count >= CROWD;
}

static int compare_members(const void *a, const void *b)
{
	const struct tf_member *x = a, *y = b;
	return x->event < y->event ? -1 : x->event > y->event;
}

size_t tf_edges_find(const struct tf_edges *e, bool producer, uint32_t event)
{
	const struct tf_member *members = producer ? e->producers : e->consumers;
	size_t count = producer ? e->producer_count : e->consumer_count, low = 0, high = count;

	if (!(e->role[event] & (producer ? TF_EDGE_PRODUCER : TF_EDGE_CONSUMER)))
		return count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (members[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* They are in order already unless a device's plane stands before the host's. */
static void sort_by_event(struct tf_member *members, size_t count, uint8_t *role, uint8_t bit)
{
	bool sorted = true;

	for (size_t i = 0; i < count; i++) {
		role[members[i].event] |= bit;
		sorted &= i == 0 || members[i - 1].event <= members[i].event;
	}
	if (!sorted)
		qsort(members, count, sizeof *members, compare_members);
}

/* Whether something recorded is connected to the event as its producer. */
static bool has_producer(const struct tf_edges *e, uint32_t event)
{
	for (size_t m = tf_edges_find(e, false, event); m < e->consumer_count && e->consumers[m].event == event; m++) {
		const struct tf_bucket *k = &e->buckets[e->consumers[m].bucket];
		if (k->producer_count && !tf_bucket_is_crowd(k))
			return true;
	}
	return false;
}

/*
 * Children of each event on its line, in order. Work of a device whose launch is known belongs where that does, whatever it
 * overlaps on its stream.
 */
static void link_children(struct joiner *g)
{
	struct tf_edges *e = g->e;

	for (size_t i = 0; i <= g->t->events.count; i++)
		e->first_child[i] = e->next_sibling[i] = UINT32_MAX;
	for (size_t l = g->t->line_count; l-- > 0;) {
		const struct tf_line *line = &g->t->lines[l];
		bool device = tf_line_is_raw_device(g->t, line);
		for (size_t i = line->event_first + line->event_count; i-- > line->event_first;) {
			uint32_t parent = g->d->parent[i];
			if (parent == UINT32_MAX || (device && has_producer(e, (uint32_t)i)))
				continue;
			e->next_sibling[i] = e->first_child[parent];
			e->first_child[parent] = (uint32_t)i;
		}
	}
}

/* Stages of an input pipeline that run for another event are no waits of their own. */
static int note_fed_stages(struct joiner *g)
{
	for (size_t m = 0; m < g->e->consumer_count; m++) {
		uint32_t event = g->e->consumers[m].event;
		if (g->e->buckets[g->e->consumers[m].bucket].producer_count
		    && tf_stat_text(g->t, tf_event_stats(g->t, event), TF_NAME_ipl_stage_name)
		    && tf_map_put(&g->d->fed_stages, event, 1, g->err) < 0)
			return -1;
	}
	return 0;
}

static bool has_processes(const struct tf_trace *t)
{
	int64_t first = TF_NONE;

	for (size_t p = 0; p < t->plane_count; p++) {
		int64_t id = tf_stat_i64(t, t->planes[p].stats, TF_NAME_process_id);
		if (id != TF_NONE && first != TF_NONE && id != first)
			return true;
		first = id == TF_NONE ? first : id;
	}
	return false;
}

int tf_edges_build(struct tf_edges *e, struct tf_derived *d, struct tf_error *err)
{
	struct joiner g = {.e = e, .d = d, .t = d->trace, .processes = has_processes(d->trace), .err = err};
	size_t n = d->trace->events.count + 1;

	if (join_events(&g, true) < 0 || join_events(&g, false) < 0)
		return -1;
	e->producer_of = sort_members(&g, e->producers, e->producer_count, true);
	e->consumer_of = sort_members(&g, e->consumers, e->consumer_count, false);
	e->first_child = malloc(n * sizeof *e->first_child);
	e->next_sibling = malloc(n * sizeof *e->next_sibling);
	e->role = calloc(n, 1);
	if (!e->producer_of || !e->consumer_of || !e->first_child || !e->next_sibling || !e->role)
		return tf_fail_nomem(err);
	sort_by_event(e->producers, e->producer_count, e->role, TF_EDGE_PRODUCER);
	sort_by_event(e->consumers, e->consumer_count, e->role, TF_EDGE_CONSUMER);
	link_children(&g);
	return note_fed_stages(&g);
}

void tf_edges_release(struct tf_edges *e)
{
	tf_map_release(&e->keys);
	free(e->buckets);
	free(e->producers);
	free(e->consumers);
	free(e->producer_of);
	free(e->consumer_of);
	free(e->first_child);
	free(e->next_sibling);
	free(e->role);
	*e = (struct tf_edges){0};
}
