/* One event a snapshot. */
#include "lib/decode/memory_snapshots.h"

#include <math.h>
#include <string.h>

struct tf_snapshot tf_snapshot_init(void)
{
	return (struct tf_snapshot){.stack_bytes = TF_NONE, .heap_bytes = TF_NONE, .free_bytes = TF_NONE, .peak_bytes = TF_NONE,
				    .fragmentation = NAN, .requested_bytes = TF_NONE, .bytes = TF_NONE, .step = TF_NONE};
}

int tf_snapshots_begin(struct tf_snapshots *s)
{
	static const uint32_t names[] = {TF_NAME_memory_allocation, TF_NAME_memory_deallocation, TF_NAME_memory_sample};

	if (tf_trace_add_plane(s->t, tf_bytes_of("/host:CPU"), 0, &s->plane, s->err) < 0)
		return -1;
	for (size_t i = 0; i < 3; i++)
		if (tf_trace_add_meta(s->t, names[i], 0, &s->metas[i], s->err) < 0)
			return -1;
	s->t->planes[s->plane].meta_count = (uint32_t)s->t->meta_count;
	return 0;
}

int tf_snapshots_allocator(struct tf_snapshots *s, struct tf_bytes name)
{
	struct tf_line line = {.id = (int64_t)s->t->line_count};
	size_t at;

	tf_map_release(&s->seen);
	s->sampled_only = false;
	s->last = SIZE_MAX;
	if (tf_trace_intern(s->t, name, &s->allocator, s->err) < 0)
		return -1;
	line.name = s->allocator;
	line.display_id = line.id;
	return tf_trace_add_line(s->t, s->plane, &line, &at, s->err);
}

static int add_integer(struct tf_snapshots *s, uint32_t name, int64_t value)
{
	return value == TF_NONE ? 0 : tf_trace_add_stat(s->t, name, TF_STAT_I64, value, s->err);
}

static int add_text(struct tf_snapshots *s, uint32_t name, struct tf_bytes text)
{
	uint32_t id;

	if (!text.len)
		return 0;
	return tf_trace_intern(s->t, text, &id, s->err) < 0 ? -1 : tf_trace_add_stat(s->t, name, TF_STAT_TEXT, id, s->err);
}

/* What was in use, which every event tells. */
static int add_use(struct tf_snapshots *s, const struct tf_snapshot *n)
{
	int64_t bits;

	if (tf_trace_add_stat(s->t, TF_NAME_allocator_name, TF_STAT_TEXT, s->allocator, s->err) < 0
	    || add_integer(s, TF_NAME_bytes_reserved, n->stack_bytes) < 0 || add_integer(s, TF_NAME_bytes_allocated, n->heap_bytes) < 0
	    || add_integer(s, TF_NAME_bytes_available, n->free_bytes) < 0 || add_integer(s, TF_NAME_peak_bytes_in_use, n->peak_bytes) < 0)
		return -1;
	if (isnan(n->fragmentation))
		return 0;
	memcpy(&bits, &n->fragmentation, sizeof bits);
	return tf_trace_add_stat(s->t, TF_NAME_fragmentation, TF_STAT_DOUBLE, bits, s->err);
}

/* What was allocated or freed. */
static int add_block(struct tf_snapshots *s, const struct tf_snapshot *n)
{
	return add_integer(s, TF_NAME_requested_bytes, n->requested_bytes) < 0 || add_integer(s, TF_NAME_allocation_bytes, n->bytes) < 0
			       || tf_trace_add_stat(s->t, TF_NAME_addr, TF_STAT_U64, (int64_t)n->address, s->err) < 0
			       || add_integer(s, TF_NAME_group_id, n->step) < 0 || add_text(s, TF_NAME_tf_op, n->op) < 0
			       || add_text(s, TF_NAME_region_type, n->region) < 0 || add_text(s, TF_NAME_data_type, n->dtype) < 0
			       || add_text(s, TF_NAME_shape, n->shape) < 0
		       ? -1
		       : 0;
}

static uint64_t snapshot_hash(const struct tf_snapshot *n)
{
	return tf_hash_u64(tf_hash_u64((uint64_t)n->ps ^ n->address) + (uint64_t)n->heap_bytes * 3 + (uint64_t)n->activity);
}

int tf_snapshots_add(struct tf_snapshots *s, const struct tf_snapshot *n)
{
	bool block = !s->sampled_only && (n->activity == TF_ACTIVITY_ALLOCATION || n->activity == TF_ACTIVITY_DEALLOCATION);
	size_t first = s->t->stats.count;
	uint32_t meta = !block ? 2 : n->activity == TF_ACTIVITY_ALLOCATION ? 0 : 1;

	if (s->sampled_only && tf_map_find(&s->seen, snapshot_hash(n)))
		return 0;
	if (tf_map_put(&s->seen, snapshot_hash(n), 1, s->err) < 0 || add_use(s, n) < 0 || (block && add_block(s, n) < 0))
		return -1;
	s->last = s->t->events.count;
	return tf_trace_add_event(s->t, s->metas[meta], n->ps, 0, TF_NONE, first, s->err);
}

int tf_snapshots_lifetime_peak(struct tf_snapshots *s, int64_t bytes)
{
	struct tf_trace *t = s->t;

	if (s->last == SIZE_MAX || bytes == TF_NONE || bytes <= 0)
		return 0;
	/* The last event's stats are the last of the trace; of two with one name the last counts. */
	if (add_integer(s, TF_NAME_peak_bytes_in_use, bytes) < 0)
		return -1;
	t->events.stat_count[s->last]++;
	return 0;
}

void tf_snapshots_release(struct tf_snapshots *s)
{
	tf_map_release(&s->seen);
}
