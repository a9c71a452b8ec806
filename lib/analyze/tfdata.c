/* tf.data pipelines: stages, their own time, and the one that holds the slowest call up (METRICS.md §5). */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/analyze.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"

/* A call slower than this is slower than memory. */
#define SLOW_CALL_PS INT64_C(50000000)
/* Iterators nest at most this deep; and what one pipeline's walk, or one search for an element's maker, may look at. */
enum { WALK_DEPTH = 100, WALK_EVENTS = 4000000, MAKER_EVENTS = 256 };

/* What is known of an iterator by its id. */
struct iterator {
	int64_t id, parent_id;
	uint32_t name; /* string id of the long name */
};

struct pipeline {
	int64_t root_id;
	size_t slowest; /* event of its slowest root call */
	bool device;
};

struct stage {
	size_t pipeline;
	uint32_t name, parent;
	int64_t calls, total_ps, self_ps, max_ps, slow_calls;
	int64_t walk_self_ps; /* in the slowest call */
	bool blocking, bottleneck;
	/* What its calls tell: sums, and how many tell. */
	struct told {
		double sum;
		int64_t calls;
	} parallelism, buffer_limit, buffered;
	int64_t empty_calls; /* found nothing in the buffer */
};

struct reader {
	const struct tf_derived *d;
	const struct tf_trace *t;
	struct tf_map iterators; /* id → iterator */
	struct tf_map made;	 /* hash of (consumer's iterator, element) → the iterator call that made it */
	struct tf_map stage_of;	 /* hash of (pipeline, long name) → stage */
	struct tf_map pipeline_of; /* root id → pipeline */
	struct iterator *list;
	size_t count, cap;
	struct pipeline *pipelines;
	size_t pipeline_count, pipeline_cap;
	struct stage *stages;
	size_t stage_count, stage_cap;
	size_t walked; /* events */
	struct tf_error *err;
};

static bool is_stage(const struct reader *r, size_t i)
{
	return r->d->info[r->t->events.meta[i]].category == TF_OP_TFDATA && tf_event_counts(r->t, i);
}

/* "Iterator::X" has 2 parts. */
static bool is_root(struct tf_bytes name)
{
	int parts = 1;

	for (size_t i = 0; i + 1 < name.len; i++)
		if (name.data[i] == ':' && name.data[i + 1] == ':') {
			parts++;
			i++;
		}
	return parts == 2;
}

static int64_t stat(const struct reader *r, size_t i, uint32_t name)
{
	return tf_stat_i64(r->t, tf_event_stats(r->t, i), name);
}

static uint64_t pair_key(int64_t a, int64_t b)
{
	return tf_hash_u64((uint64_t)a) ^ ((uint64_t)b * UINT64_C(0x9e3779b97f4a7c15));
}

static int note_iterator(struct reader *r, size_t i)
{
	int64_t id = stat(r, i, TF_NAME_id);

	if (id == TF_NONE || tf_map_find(&r->iterators, (uint64_t)id))
		return 0;
	if (tf_vec_reserve((void **)&r->list, &r->cap, r->count + 1, sizeof *r->list) < 0)
		return tf_fail_nomem(r->err);
	r->list[r->count] = (struct iterator){id, stat(r, i, TF_NAME_parent_id), tf_event_name(r->t, i)};
	return tf_map_put(&r->iterators, (uint64_t)id, r->count++, r->err);
}

/* The iterator call inside a "…Produce" made an element for its consumer. */
static int note_element(struct reader *r, size_t i, size_t line_end)
{
	int64_t element = stat(r, i, TF_NAME_element_id);

	if (element == TF_NONE)
		return 0;
	if (line_end - i > MAKER_EVENTS)
		line_end = i + MAKER_EVENTS;
	for (size_t j = i + 1; j < line_end && r->t->events.start_ps[j] <= tf_event_end(r->t, i); j++) {
		if (!is_stage(r, j))
			continue;
		int64_t parent = stat(r, j, TF_NAME_parent_id);
		return parent == TF_NONE ? 0 : tf_map_put(&r->made, pair_key(parent, element), j, r->err);
	}
	return 0;
}

static bool is_produce(uint32_t name)
{
	return name == TF_NAME_prefetch_produce || name == TF_NAME_parallel_interleave_produce
	       || name == TF_NAME_parallel_map_produce || name == TF_NAME_map_and_batch_produce
	       || name == TF_NAME_parse_example_produce || name == TF_NAME_parallel_batch_produce;
}

static bool is_consume(uint32_t name)
{
	return name == TF_NAME_prefetch_consume || name == TF_NAME_parallel_interleave_consume
	       || name == TF_NAME_parallel_map_consume || name == TF_NAME_map_and_batch_consume
	       || name == TF_NAME_parse_example_consume || name == TF_NAME_parallel_batch_consume;
}

static int note_line(struct reader *r, const struct tf_line *line)
{
	size_t end = line->event_first + line->event_count;

	for (size_t i = line->event_first; i < end; i++) {
		if (is_stage(r, i) && note_iterator(r, i) < 0)
			return -1;
		if (is_produce(tf_event_name(r->t, i)) && note_element(r, i, end) < 0)
			return -1;
	}
	return 0;
}

/* The root of an iterator: parents are followed, a bounded number of times since ids may form a circle. */
static int64_t root_of(const struct reader *r, int64_t id, bool *device)
{
	for (int hops = 0; hops < WALK_DEPTH; hops++) {
		const uint64_t *at = tf_map_find(&r->iterators, (uint64_t)id);
		if (!at)
			break;
		const struct iterator *it = &r->list[*at];
		*device |= it->name == TF_NAME_prefetch_generator;
		if (it->parent_id == TF_NONE || it->parent_id == id
		    || !tf_map_find(&r->iterators, (uint64_t)it->parent_id))
			break;
		id = it->parent_id;
	}
	return id;
}

static int pipeline_of(struct reader *r, size_t event, size_t *at)
{
	bool device = false;
	int64_t id = stat(r, event, TF_NAME_id);
	int64_t root = id == TF_NONE ? TF_NONE : root_of(r, id, &device);
	uint64_t *found = tf_map_find(&r->pipeline_of, (uint64_t)root);

	if (!found) {
		if (tf_vec_reserve((void **)&r->pipelines, &r->pipeline_cap, r->pipeline_count + 1,
				   sizeof *r->pipelines) < 0)
			return tf_fail_nomem(r->err);
		r->pipelines[r->pipeline_count] = (struct pipeline){root, SIZE_MAX, device};
		*at = r->pipeline_count++;
		return tf_map_put(&r->pipeline_of, (uint64_t)root, *at, r->err);
	}
	*at = *found;
	r->pipelines[*at].device |= device;
	return 0;
}

/* The nearest stage around an event on its line, UINT32_MAX: none. */
static uint32_t enclosing_stage(const struct reader *r, size_t i)
{
	int hops = 0;

	for (uint32_t p = r->d->parent[i]; p != UINT32_MAX && hops < WALK_DEPTH; p = r->d->parent[p], hops++)
		if (is_stage(r, p))
			return p;
	return UINT32_MAX;
}

static int stage_at(struct reader *r, size_t event, size_t *at)
{
	size_t pipeline = 0;
	uint32_t name = tf_event_name(r->t, event);

	if (pipeline_of(r, event, &pipeline) < 0)
		return -1;
	uint64_t key = (uint64_t)pipeline << 32 | name;
	uint64_t *found = tf_map_find(&r->stage_of, key);
	if (found) {
		*at = *found;
		return 0;
	}
	if (tf_vec_reserve((void **)&r->stages, &r->stage_cap, r->stage_count + 1, sizeof *r->stages) < 0)
		return tf_fail_nomem(r->err);
	r->stages[r->stage_count] = (struct stage){.pipeline = pipeline, .name = name};
	const uint64_t *parent = tf_map_find(&r->iterators, (uint64_t)stat(r, event, TF_NAME_parent_id));
	uint32_t around = enclosing_stage(r, event);
	r->stages[r->stage_count].parent = parent ? r->list[*parent].name
					   : around != UINT32_MAX ? tf_event_name(r->t, around) : 0;
	*at = r->stage_count++;
	return tf_map_put(&r->stage_of, key, *at, r->err);
}

static int64_t overlap(const struct tf_trace *t, size_t a, size_t b)
{
	int64_t begin = t->events.start_ps[a] > t->events.start_ps[b] ? t->events.start_ps[a] : t->events.start_ps[b];
	int64_t end = tf_event_end(t, a) < tf_event_end(t, b) ? tf_event_end(t, a) : tf_event_end(t, b);
	return end > begin ? end - begin : 0;
}

/* The call that made the element which a "…Consume" inside `call` takes; UINT32_MAX: none known. */
static uint32_t maker_of(const struct reader *r, size_t call, size_t consume)
{
	int64_t id = stat(r, call, TF_NAME_id), element = stat(r, consume, TF_NAME_element_id);
	bool known = id != TF_NONE && element != TF_NONE;
	const uint64_t *made = known ? tf_map_find(&r->made, pair_key(id, element)) : NULL;

	return made ? (uint32_t)*made : UINT32_MAX;
}

/* What a call waits for, on its own thread or on a producer's, is no time of its own. */
static int subtract(struct reader *r, size_t call, int64_t ps)
{
	size_t at = 0;

	if (stage_at(r, call, &at) < 0)
		return -1;
	r->stages[at].self_ps = tf_ps_add(r->stages[at].self_ps, -ps);
	return 0;
}

/* -1 is what is still to be chosen. */
static void note_told(struct told *told, int64_t value)
{
	if (value < 0)
		return;
	told->sum += (double)value;
	told->calls++;
}

static void note_settings(const struct reader *r, size_t i, struct stage *s)
{
	int64_t limit = stat(r, i, TF_NAME_buffer_limit), buffered = stat(r, i, TF_NAME_buffered_elements);

	note_told(&s->parallelism, stat(r, i, TF_NAME_parallelism));
	note_told(&s->buffer_limit, limit >= 0 ? limit : stat(r, i, TF_NAME_buffer_size));
	note_told(&s->buffered, buffered);
	s->empty_calls += buffered == 0;
}

static double mean_told(struct told told)
{
	return told.calls ? told.sum / (double)told.calls : NAN;
}

static int sum_call(struct reader *r, size_t i)
{
	int64_t dur = r->t->events.dur_ps[i];
	uint32_t around = enclosing_stage(r, i);
	size_t at = 0;

	if ((around != UINT32_MAX && subtract(r, around, overlap(r->t, around, i)) < 0) || stage_at(r, i, &at) < 0)
		return -1;
	struct stage *s = &r->stages[at];
	s->calls++;
	s->total_ps = tf_ps_add(s->total_ps, dur);
	s->self_ps = tf_ps_add(s->self_ps, dur);
	s->max_ps = dur > s->max_ps ? dur : s->max_ps;
	s->slow_calls += dur > SLOW_CALL_PS;
	note_settings(r, i, s);
	struct pipeline *p = &r->pipelines[s->pipeline];
	if (is_root(tf_strtab_bytes(&r->t->strings, s->name))
	    && (p->slowest == SIZE_MAX || dur > r->t->events.dur_ps[p->slowest]))
		p->slowest = i;
	return 0;
}

static int sum_line(struct reader *r, const struct tf_line *line)
{
	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++) {
		if (is_stage(r, i)) {
			if (sum_call(r, i) < 0)
				return -1;
		} else if (is_consume(tf_event_name(r->t, i))) {
			uint32_t call = enclosing_stage(r, i);
			uint32_t maker = call == UINT32_MAX ? UINT32_MAX : maker_of(r, call, i);
			if (maker != UINT32_MAX && subtract(r, call, overlap(r->t, call, maker)) < 0)
				return -1;
		}
	}
	return 0;
}

static int walk(struct reader *r, size_t call, bool blocking, int depth);

/* Walks to a child call; what it overlaps is not the parent's own time. */
static int visit(struct reader *r, size_t call, size_t child, bool blocking, int depth, int64_t *self)
{
	int64_t common = overlap(r->t, call, child);

	*self = tf_ps_add(*self, -common);
	return walk(r, child, blocking && common > 0, depth + 1);
}

/* One call of an iterator: its own time, then the calls that it waits for, on its thread or on a producer's. */
static int walk(struct reader *r, size_t call, bool blocking, int depth)
{
	const struct tf_line *line = &r->t->lines[tf_trace_line_of(r->t, call)];
	size_t end = line->event_first + line->event_count, at = 0;
	int64_t self = r->t->events.dur_ps[call];

	if (depth > WALK_DEPTH)
		return 0;
	for (size_t j = call + 1; j < end && r->t->events.start_ps[j] <= tf_event_end(r->t, call); j++) {
		if (r->walked++ > WALK_EVENTS)
			break;
		bool stage = is_stage(r, j), consume = is_consume(tf_event_name(r->t, j));
		if ((!stage && !consume) || enclosing_stage(r, j) != call)
			continue;
		if (stage) {
			if (visit(r, call, j, blocking, depth, &self) < 0)
				return -1;
			continue;
		}
		uint32_t maker = maker_of(r, call, j);
		if (maker != UINT32_MAX && visit(r, call, maker, blocking, depth, &self) < 0)
			return -1;
	}
	if (stage_at(r, call, &at) < 0)
		return -1;
	r->stages[at].walk_self_ps = tf_ps_add(r->stages[at].walk_self_ps, self > 0 ? self : 0);
	r->stages[at].blocking |= blocking;
	return 0;
}

/* The stage with the most own time of those that hold the slowest call up. A device's prefetching holds nothing up. */
static void mark_bottleneck(struct reader *r, size_t pipeline)
{
	struct stage *worst = NULL;

	if (r->pipelines[pipeline].device)
		return;
	for (size_t i = 0; i < r->stage_count; i++) {
		struct stage *s = &r->stages[i];
		if (s->pipeline == pipeline && s->blocking && s->walk_self_ps > (worst ? worst->walk_self_ps : 0))
			worst = s;
	}
	if (worst)
		worst->bottleneck = true;
}

static int emit(struct reader *r, struct tf_arena *a, struct tf_input *in)
{
	size_t host = 0, device = 0;

	for (size_t p = 0; p < r->pipeline_count; p++) {
		bool on_device = r->pipelines[p].device;
		const char *name = on_device ? tf_arena_printf(a, "Device:%zu", device++)
					     : tf_arena_printf(a, "Host:%zu", host++);
		for (size_t i = 0; i < r->stage_count; i++) {
			const struct stage *s = &r->stages[i];
			if (s->pipeline != p || !s->calls)
				continue;
			struct tf_stage *to = tf_arena_push(a, (void **)&in->stages, &in->stage_count, &in->stage_cap,
							    sizeof *to);
			char *full = tf_utf8_repair(a, tf_strtab_bytes(&r->t->strings, s->name));
			char *parent = tf_utf8_repair(a, tf_strtab_bytes(&r->t->strings, s->parent));
			if (!to || !full || !parent || !name)
				return tf_fail_nomem(r->err);
			char *last = full;
			for (char *at = full; (at = strstr(at, "::")); at += 2)
				last = at + 2;
			*to = (struct tf_stage){
				.pipeline = name, .name = last, .long_name = full,
				.parent = s->parent ? parent : NULL,
				.calls = s->calls, .total_ps = s->total_ps, .self_ps = s->self_ps > 0 ? s->self_ps : 0,
				.max_ps = s->max_ps, .slow_calls = s->slow_calls, .bottleneck = s->bottleneck,
				.on_critical_path = s->blocking, .parallelism = mean_told(s->parallelism),
				.buffer_limit = mean_told(s->buffer_limit), .buffered_elements = mean_told(s->buffered),
				.empty_calls = s->buffered.calls ? s->empty_calls : TF_NONE};
		}
	}
	return 0;
}

/* By pipeline, from the root down. */
static int compare_stages(const void *a, const void *b)
{
	const struct tf_stage *x = a, *y = b;
	int order = strcmp(x->pipeline, y->pipeline);
	return order ? order : strcmp(x->long_name, y->long_name);
}

int tf_read_tfdata(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	struct reader r = {.d = d, .t = d->trace, .err = err};
	int rc = -1;

	for (size_t l = 0; l < r.t->line_count; l++)
		if (tf_line_is_host(r.t, &r.t->lines[l]) && note_line(&r, &r.t->lines[l]) < 0)
			goto out;
	for (size_t l = 0; l < r.t->line_count; l++)
		if (tf_line_is_host(r.t, &r.t->lines[l]) && sum_line(&r, &r.t->lines[l]) < 0)
			goto out;
	for (size_t p = 0; p < r.pipeline_count; p++) {
		r.walked = 0;
		if (r.pipelines[p].slowest != SIZE_MAX && walk(&r, r.pipelines[p].slowest, true, 0) < 0)
			goto out;
		mark_bottleneck(&r, p);
	}
	if (emit(&r, a, &h->input) < 0)
		goto out;
	if (h->input.stage_count)
		qsort(h->input.stages, h->input.stage_count, sizeof *h->input.stages, compare_stages);
	rc = 0;
out:
	tf_map_release(&r.iterators);
	tf_map_release(&r.made);
	tf_map_release(&r.stage_of);
	tf_map_release(&r.pipeline_of);
	free(r.list);
	free(r.pipelines);
	free(r.stages);
	return rc;
}
