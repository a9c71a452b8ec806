/* What is live when: allocations and frees of one allocator matched by address (METRICS.md §6). */
#include <stdlib.h>

#include "lib/analyze/memory.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"

/* Growth is judged over the last steps, this many at most. */
enum { GROWTH_STEPS = 64, GROWTH_LEAST = 3 };

/* An allocation that is live, or free for reuse. */
struct slot {
	uint32_t group;
	int64_t bytes, requested_bytes, ps;
};

/* A series of bytes at the same phase of successive steps. */
struct trend {
	int64_t first, last, samples, rises;
	bool fell;
};

struct live_group {
	struct tf_tensor_group about;
	int64_t live_bytes, live_requested, live_count;
	int64_t peak_bytes, peak_requested, peak_count, peak_oldest_ps; /* at the allocator's peak */
	struct trend trend;
};

struct replay {
	const struct tf_derived *d;
	struct tf_arena *arena;
	struct tf_host *host;
	struct tf_allocator *m;
	struct tf_map live;  /* address → slot */
	struct tf_map names; /* string id → text of the arena */
	struct tf_map index; /* hash of a group's key → group; equal hashes are told apart by probing the next key */
	struct slot *slots;
	size_t slot_count, slot_cap;
	int64_t live_bytes; /* of all slots: the larger of requested and allocated */
	struct live_group *groups;
	size_t group_count, group_cap;
	struct trend trend;
	struct tf_error *err;
};

static const char *dtype_name(int64_t type, struct tf_arena *a)
{
	static const char *const names[] = {
		"INVALID",  "float",   "double", "int32",   "uint8",   "int16",	 "int8",     "string", "complex64",
		"int64",    "bool",    "qint8",	 "quint8",  "qint32",  "bfloat16", "qint16", "quint16", "uint16",
		"complex128", "half",  "resource", "variant", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn", NULL,
		NULL,	    NULL,      "int4",	 "uint4"};
	int64_t plain = type > 100 ? type - 100 : type;

	if (type <= 0)
		return NULL;
	if (plain >= (int64_t)(sizeof names / sizeof names[0]) || !names[plain])
		return tf_arena_printf(a, "dtype_%lld", (long long)type);
	return type > 100 ? tf_arena_printf(a, "%s_ref", names[plain]) : names[plain];
}

/* The text of a string stat, repaired once an id; NULL if absent or empty. */
static int text_stat(struct replay *r, uint32_t event, uint32_t name, const char **text)
{
	const struct tf_trace *t = r->d->trace;
	uint32_t id = tf_stat_text(t, tf_event_stats(t, event), name);
	uint64_t *found = tf_map_find(&r->names, id);

	*text = NULL;
	if (!id)
		return 0;
	if (!found) {
		char *repaired = tf_utf8_repair(r->arena, tf_strtab_bytes(&t->strings, id));
		if (!repaired)
			return tf_fail_nomem(r->err);
		*text = repaired;
		return tf_map_put(&r->names, id, (uint64_t)(uintptr_t)repaired, r->err);
	}
	*text = (const char *)(uintptr_t)*found;
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_group(const struct tf_tensor_group *a, const struct tf_tensor_group *b)
{
	return same_text(a->op, b->op) && same_text(a->shape, b->shape) && same_text(a->dtype, b->dtype)
	       && same_text(a->region, b->region);
}

static uint64_t group_hash(const struct tf_tensor_group *g)
{
	const char *const parts[] = {g->op, g->shape, g->dtype, g->region};
	uint64_t h = 0;

	for (size_t i = 0; i < 4; i++)
		h = tf_hash_u64(h ^ (parts[i] ? tf_hash_bytes(parts[i], strlen(parts[i])) : i + 1));
	return h;
}

/* The group of an allocation's op, shape, dtype and region. */
static int group_of(struct replay *r, uint32_t event, uint32_t *group)
{
	struct tf_tensor_group about = {.first_ps = TF_NONE, .last_ps = TF_NONE};

	if (text_stat(r, event, TF_NAME_tf_op, &about.op) < 0 || text_stat(r, event, TF_NAME_shape, &about.shape) < 0
	    || text_stat(r, event, TF_NAME_region_type, &about.region) < 0)
		return -1;
	/* A capture has the number of the type, a memory profile its name. */
	if (text_stat(r, event, TF_NAME_data_type, &about.dtype) < 0)
		return -1;
	if (!about.dtype)
		about.dtype = dtype_name(tf_memory_stat(r->d->trace, event, TF_NAME_data_type), r->arena);
	if (!about.op)
		about.op = "(unattributed)";
	uint64_t key = group_hash(&about);
	for (uint64_t *found; (found = tf_map_find(&r->index, key)); key++)
		if (same_group(&r->groups[*found].about, &about)) {
			*group = (uint32_t)*found;
			return 0;
		}
	if (tf_vec_reserve((void **)&r->groups, &r->group_cap, r->group_count + 1, sizeof *r->groups) < 0)
		return tf_fail_nomem(r->err);
	r->groups[r->group_count] = (struct live_group){.about = about};
	*group = (uint32_t)r->group_count++;
	return tf_map_put(&r->index, key, *group, r->err);
}

/* Sums of what is live stay below this, and so do all sums with a recorded peak. */
#define MOST_LIVE_BYTES (INT64_C(1) << 61)

static int64_t weight(const struct slot *s)
{
	return s->bytes > s->requested_bytes ? s->bytes : s->requested_bytes;
}

static void leave(struct replay *r, uint64_t address, const struct slot *s)
{
	struct live_group *g = &r->groups[s->group];

	g->live_bytes -= s->bytes;
	g->live_requested -= s->requested_bytes;
	g->live_count--;
	r->live_bytes -= weight(s);
	tf_map_remove(&r->live, address);
}

static int note_event(struct replay *r, const struct tf_memory_record *rec, uint64_t address, const struct slot *s)
{
	struct tf_memory_event *e = tf_arena_push(r->arena, (void **)&r->m->events, &r->m->event_list_count,
						  &r->m->event_list_cap, sizeof *e);
	int32_t step = r->d->step[rec->event];

	if (!e)
		return tf_fail_nomem(r->err);
	*e = (struct tf_memory_event){.ps = rec->ps, .alloc = rec->kind == TF_MEMORY_ALLOC, .address = address};
	e->step = step < 0 ? SIZE_MAX : (size_t)step;
	e->requested_bytes = tf_memory_stat(r->d->trace, rec->event, TF_NAME_requested_bytes);
	e->bytes = tf_memory_stat(r->d->trace, rec->event, TF_NAME_allocation_bytes);
	if (s) {
		const struct tf_tensor_group *about = &r->groups[s->group].about;
		e->op = about->op;
		e->shape = about->shape;
		e->dtype = about->dtype;
		e->region = about->region;
	}
	return 0;
}

static int allocate(struct replay *r, const struct tf_memory_record *rec, uint64_t address, bool has_address)
{
	struct slot s = {.ps = rec->ps};

	if (group_of(r, rec->event, &s.group) < 0)
		return -1;
	s.bytes = tf_memory_stat(r->d->trace, rec->event, TF_NAME_allocation_bytes);
	s.requested_bytes = tf_memory_stat(r->d->trace, rec->event, TF_NAME_requested_bytes);
	if (s.requested_bytes == TF_NONE)
		s.requested_bytes = 0;
	if (s.bytes == TF_NONE || s.bytes == 0)
		s.bytes = s.requested_bytes;
	if (note_event(r, rec, address, &s) < 0)
		return -1;
	if (!has_address)
		return 0;
	uint64_t *old = tf_map_find(&r->live, address);
	if (old) /* its free was not recorded */
		leave(r, address, &r->slots[*old]);
	if (weight(&s) > MOST_LIVE_BYTES - r->live_bytes) {
		r->host->anomaly_count++;
		return 0;
	}
	struct live_group *g = &r->groups[s.group];
	r->live_bytes += weight(&s);
	g->live_bytes += s.bytes;
	g->live_requested += s.requested_bytes;
	g->live_count++;
	if (g->live_bytes > g->about.max_live_bytes) {
		g->about.max_live_bytes = g->live_bytes;
		g->about.bytes = g->live_bytes;
		g->about.requested_bytes = g->live_requested;
		g->about.count = g->live_count;
	}
	if (g->about.first_ps == TF_NONE)
		g->about.first_ps = rec->ps;
	g->about.last_ps = rec->ps;
	if (tf_vec_reserve((void **)&r->slots, &r->slot_cap, r->slot_count + 1, sizeof *r->slots) < 0)
		return tf_fail_nomem(r->err);
	r->slots[r->slot_count] = s;
	return tf_map_put(&r->live, address, r->slot_count++, r->err);
}

static int apply(struct replay *r, const struct tf_memory_record *rec)
{
	size_t at;
	bool has_address = tf_stat_find(r->d->trace, tf_event_stats(r->d->trace, rec->event), TF_NAME_addr, &at);
	uint64_t address = has_address ? (uint64_t)r->d->trace->stats.value[at] : 0;

	if (rec->kind == TF_MEMORY_SAMPLE)
		return 0;
	if (rec->kind == TF_MEMORY_ALLOC)
		return allocate(r, rec, address, has_address);
	uint64_t *found = has_address ? tf_map_find(&r->live, address) : NULL;
	if (!found) {
		r->m->unmatched_frees++;
		return note_event(r, rec, address, NULL);
	}
	struct slot s = r->slots[*found];
	leave(r, address, &s);
	return note_event(r, rec, address, &s);
}

/* Remembers what is live now: this is the peak. */
static void mark_peak(struct replay *r)
{
	for (size_t i = 0; i < r->group_count; i++) {
		struct live_group *g = &r->groups[i];
		g->peak_bytes = g->live_bytes;
		g->peak_requested = g->live_requested;
		g->peak_count = g->live_count;
		g->peak_oldest_ps = TF_NONE;
	}
	for (size_t i = 0; i < r->live.slot_count; i++) {
		if (!r->live.full[i])
			continue;
		const struct slot *s = &r->slots[r->live.values[i]];
		int64_t *oldest = &r->groups[s->group].peak_oldest_ps;
		if (*oldest == TF_NONE || s->ps < *oldest)
			*oldest = s->ps;
	}
}

static void sample(struct trend *t, int64_t bytes)
{
	if (t->samples == 0)
		t->first = bytes;
	else if (bytes < t->last)
		t->fell = true;
	else if (bytes > t->last)
		t->rises++;
	t->last = bytes;
	t->samples++;
}

/* Bytes at the end of a step, of the allocator and of each group. */
static void sample_step(struct replay *r, int64_t heap_bytes)
{
	sample(&r->trend, heap_bytes);
	for (size_t i = 0; i < r->group_count; i++) {
		struct live_group *g = &r->groups[i];
		if (g->trend.samples == 0 && r->trend.samples > 1) {
			g->trend.samples = r->trend.samples - 1; /* not there before: 0 bytes */
			g->trend.first = g->trend.last = 0;
		}
		sample(&g->trend, g->live_bytes);
	}
}

static bool grows(const struct trend *t)
{
	return t->samples > GROWTH_LEAST && !t->fell && t->rises >= GROWTH_LEAST && t->rises * 2 >= t->samples - 1;
}

static int add_growth(struct replay *r, const struct tf_tensor_group *about, const struct trend *t)
{
	if (!grows(t))
		return 0;
	struct tf_growth *g = tf_arena_push(r->arena, (void **)&r->m->growth, &r->m->growth_count, &r->m->growth_cap,
					    sizeof *g);
	if (!g)
		return tf_fail_nomem(r->err);
	*g = (struct tf_growth){.first_bytes = t->first,
				.last_bytes = t->last,
				.bytes_per_step = (t->last - t->first) / (t->samples - 1),
				.step_count = t->samples};
	if (about) {
		g->op = about->op;
		g->shape = about->shape;
		g->dtype = about->dtype;
		g->region = about->region;
	}
	return 0;
}

static int add_row(struct replay *r, const struct tf_tensor_group *row)
{
	struct tf_tensor_group *to = tf_arena_push(r->arena, (void **)&r->m->at_peak, &r->m->at_peak_count,
						   &r->m->at_peak_cap, sizeof *to);
	if (!to)
		return tf_fail_nomem(r->err);
	*to = *row;
	return 0;
}

static int text_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Most bytes first, then by name. */
static int by_bytes(const void *a, const void *b)
{
	const struct tf_tensor_group *x = a, *y = b;
	int order;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if ((order = text_order(x->op, y->op)) || (order = text_order(x->shape, y->shape))
	    || (order = text_order(x->dtype, y->dtype)))
		return order;
	return text_order(x->region, y->region);
}

/* The rows at the peak: tensors, what was there before, the stack, what tensors have too much. They sum to the peak. */
static int build_at_peak(struct replay *r, int64_t stack_bytes)
{
	int64_t tensors = 0, rest;

	for (size_t i = 0; i < r->group_count; i++) {
		const struct live_group *g = &r->groups[i];
		if (g->peak_count == 0)
			continue;
		struct tf_tensor_group row = g->about;
		row.bytes = g->peak_bytes;
		row.requested_bytes = g->peak_requested;
		row.count = g->peak_count;
		row.age_ps = g->peak_oldest_ps == TF_NONE ? TF_NONE : r->m->peak_ps - g->peak_oldest_ps;
		tensors += row.bytes;
		if (add_row(r, &row) < 0)
			return -1;
	}
	rest = r->m->peak_bytes - stack_bytes - tensors;
	r->m->pre_existing_bytes = rest > 0 ? rest : 0;
	struct tf_tensor_group special = {.count = 1, .age_ps = TF_NONE, .first_ps = TF_NONE, .last_ps = TF_NONE};
	if (rest != 0) {
		special.op = rest > 0 ? "(pre_existing)" : "(over_counted)";
		special.bytes = special.requested_bytes = rest;
		r->host->anomaly_count += rest < 0;
		if (add_row(r, &special) < 0)
			return -1;
	}
	if (stack_bytes != 0) {
		special.op = "(stack)";
		special.bytes = special.requested_bytes = stack_bytes;
		if (add_row(r, &special) < 0)
			return -1;
	}
	if (r->m->at_peak_count)
		qsort(r->m->at_peak, r->m->at_peak_count, sizeof *r->m->at_peak, by_bytes);
	return 0;
}

static int build_by_tensor(struct replay *r)
{
	for (size_t i = 0; i < r->group_count; i++) {
		struct tf_tensor_group *to = tf_arena_push(r->arena, (void **)&r->m->by_tensor, &r->m->by_tensor_count,
							   &r->m->by_tensor_cap, sizeof *to);
		if (!to)
			return tf_fail_nomem(r->err);
		*to = r->groups[i].about;
		to->age_ps = TF_NONE;
	}
	if (r->m->by_tensor_count)
		qsort(r->m->by_tensor, r->m->by_tensor_count, sizeof *r->m->by_tensor, by_bytes);
	if (add_growth(r, NULL, &r->trend) < 0)
		return -1;
	for (size_t i = 0; i < r->group_count; i++)
		if (add_growth(r, &r->groups[i].about, &r->groups[i].trend) < 0)
			return -1;
	return 0;
}

/* The next steady step from i on: what warms up grows anyway. */
static size_t next_step(const struct tf_steps *s, size_t i)
{
	while (i < s->count && !tf_step_is_steady(&s->list[i]))
		i++;
	return i;
}

static size_t first_sampled_step(const struct tf_steps *s)
{
	size_t i = s->count, kept = 0;

	while (i > 0 && kept < GROWTH_STEPS)
		kept += tf_step_is_steady(&s->list[--i]);
	return next_step(s, i);
}

int tf_memory_replay(const struct tf_derived *d, const struct tf_memory_record *records, size_t count, size_t peak,
		     struct tf_arena *a, struct tf_host *h, struct tf_allocator *m, struct tf_error *err)
{
	struct replay r = {.d = d, .arena = a, .host = h, .m = m, .err = err};
	const struct tf_steps *s = &h->steps;
	size_t step = first_sampled_step(s);
	int64_t heap = 0, now, stack = 0;
	int rc = -1;

	for (size_t i = 0; i <= count; i++) {
		for (; step < s->count; step = next_step(s, step + 1)) {
			int64_t end = tf_ps_add(s->list[step].start_ps, s->list[step].step_ps);
			if (i < count && records[i].ps <= end)
				break;
			if (i > 0)
				sample_step(&r, heap);
		}
		if (i == count)
			break;
		if (apply(&r, &records[i]) < 0)
			goto out;
		now = tf_memory_stat(d->trace, records[i].event, TF_NAME_bytes_allocated);
		heap = now == TF_NONE ? heap : now;
		if (i == peak) {
			stack = tf_memory_stat(d->trace, records[i].event, TF_NAME_bytes_reserved);
			mark_peak(&r);
		}
	}
	if ((peak != SIZE_MAX && build_at_peak(&r, stack == TF_NONE ? 0 : stack) < 0) || build_by_tensor(&r) < 0)
		goto out;
	rc = 0;
out:
	tf_map_release(&r.live);
	tf_map_release(&r.names);
	tf_map_release(&r.index);
	free(r.slots);
	free(r.groups);
	return rc;
}
