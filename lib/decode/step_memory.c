/* Allocations of one step. */
#include "lib/decode/step_memory.h"

#include <stdlib.h>

#include "lib/base/vec.h"

/* Outputs of one node that are compared with its allocations: real nodes have fewer. */
enum { OUTPUTS = 64 };

enum { META_ALLOCATION, META_DEALLOCATION, META_SAMPLE };

static int intern(struct tf_step_memory *m, struct tf_bytes text, uint32_t *id)
{
	return tf_trace_intern(m->tracks->t, text, id, m->tracks->err);
}

static int begin(struct tf_step_memory *m)
{
	static const uint32_t names[] = {TF_NAME_memory_allocation, TF_NAME_memory_deallocation, TF_NAME_memory_sample};
	struct tf_tracks *k = m->tracks;
	uint32_t pid;

	if (m->begun)
		return 0;
	if (intern(m, tf_bytes_of("allocators"), &pid) < 0 || tf_tracks_process(k, pid, &m->process) < 0)
		return -1;
	k->processes[m->process].name = TF_NAME_host_cpu;
	for (size_t i = 0; i < 3; i++)
		if (tf_tracks_meta(k, names[i], 0, &m->metas[i]) < 0)
			return -1;
	m->begun = true;
	return 0;
}

static int add_integer(struct tf_step_memory *m, uint32_t name, int64_t value)
{
	return tf_trace_add_stat(m->tracks->t, name, TF_STAT_I64, value, m->tracks->err);
}

static int add_text(struct tf_step_memory *m, uint32_t name, uint32_t text)
{
	return text ? tf_trace_add_stat(m->tracks->t, name, TF_STAT_TEXT, text, m->tracks->err) : 0;
}

/* An event of an allocator whose stats are those from `first` on. */
static int add_event(struct tf_step_memory *m, int meta, uint32_t allocator, int64_t ns, size_t first)
{
	struct tf_tracks *k = m->tracks;
	uint32_t track;

	if (tf_tracks_find(k, m->process, 0, allocator, false, &track) < 0)
		return -1;
	return tf_tracks_add(k, track, m->metas[meta], (struct tf_fine_time){ns, 0}, 0, first, false);
}

static int add_sample(struct tf_step_memory *m, uint32_t allocator, int64_t ns, int64_t bytes)
{
	size_t first = m->tracks->t->stats.count;

	if (tf_map_put(&m->sampled, allocator, 1, m->tracks->err) < 0 || add_text(m, TF_NAME_allocator_name, allocator) < 0
	    || add_integer(m, TF_NAME_bytes_allocated, bytes) < 0)
		return -1;
	return add_event(m, META_SAMPLE, allocator, ns, first);
}

/* "[64,256]"; 0 for an unknown rank. */
static int print_shape(struct tf_step_memory *m, struct tf_bytes shape, uint32_t *text)
{
	struct tf_wire w = tf_wire_of(shape);
	struct tf_field f, g;
	struct tf_buf *b = &m->tracks->scratch;
	bool unknown = false;

	b->len = 0;
	tf_buf_char(b, '[');
	while (tf_wire_next(&w, &f)) {
		unknown |= f.number == 3 && f.type == TF_WIRE_VARINT && f.value;
		if (f.number != 2 || f.type != TF_WIRE_BYTES)
			continue;
		int64_t size = 0;
		for (struct tf_wire dim = tf_wire_of(f.bytes); tf_wire_next(&dim, &g);)
			if (g.number == 1 && g.type == TF_WIRE_VARINT)
				size = (int64_t)g.value;
		tf_buf_printf(b, b->len > 1 ? ",%lld" : "%lld", (long long)size);
	}
	tf_buf_char(b, ']');
	*text = 0;
	if (b->failed)
		return tf_fail_nomem(m->tracks->err);
	return unknown ? 0 : intern(m, (struct tf_bytes){(uint8_t *)b->data, b->len}, text);
}

/* The outputs of a node that no allocation was found for as yet. */
struct outputs {
	struct tf_node_output list[OUTPUTS];
	size_t count;
};

static void list_outputs(const struct tf_node_stats *node, struct outputs *out)
{
	struct tf_wire w = tf_wire_of(node->message);

	out->count = 0;
	while (out->count < OUTPUTS && tf_node_output_next(&w, &out->list[out->count]))
		out->count++;
}

/* An allocation is for an output of its size on its allocator, else temporary. */
static int take_output(struct tf_step_memory *m, struct outputs *out, struct tf_bytes allocator, struct tf_allocation *a)
{
	for (size_t i = 0; i < out->count; i++) {
		struct tf_node_output o = out->list[i];
		if ((o.requested_bytes != a->bytes && o.allocated_bytes != a->bytes) || !tf_bytes_equal(o.allocator, allocator))
			continue;
		out->list[i] = out->list[--out->count];
		a->is_output = true;
		a->dtype = o.dtype > 0 && o.dtype < 1000 ? (uint32_t)o.dtype : 0;
		return print_shape(m, o.shape, &a->shape);
	}
	return 0;
}

/* A free ends the latest open allocation of its size of the same node, the head of a chain. */
static void match_free(struct tf_step_memory *m, struct tf_map *open, struct tf_allocation *a)
{
	uint64_t *head = tf_map_find(open, (uint64_t)-a->bytes);

	if (!head || *head == UINT32_MAX)
		return;
	const struct tf_allocation *made = &m->list[*head];
	*head = made->before;
	a->block = made->block;
	a->dtype = made->dtype;
	a->shape = made->shape;
	a->is_output = made->is_output;
	a->at_once = made->us == a->us;
}

/* Opens an allocation, which will be list[m->count]. */
static int open_block(struct tf_step_memory *m, struct tf_map *open, struct tf_allocation *a)
{
	const uint64_t *head = tf_map_find(open, (uint64_t)a->bytes);

	a->block = ++m->blocks;
	a->before = head ? (uint32_t)*head : UINT32_MAX;
	return tf_map_put(open, (uint64_t)a->bytes, m->count, m->tracks->err);
}

static int push(struct tf_step_memory *m, const struct tf_allocation *a)
{
	if (tf_vec_reserve((void **)&m->list, &m->cap, m->count + 1, sizeof *m->list) < 0)
		return tf_fail_nomem(m->tracks->err);
	m->list[m->count] = *a;
	m->list[m->count].order = (uint32_t)m->count;
	m->count++;
	return 0;
}

int tf_step_memory_allocate(struct tf_step_memory *m, const struct tf_allocation *a)
{
	if (begin(m) < 0 || push(m, a) < 0)
		return -1;
	m->list[m->count - 1].block = ++m->blocks;
	return 0;
}

int tf_step_memory_free(struct tf_step_memory *m, size_t at, int64_t us)
{
	struct tf_allocation a = m->list[at];

	if (a.us == us) {
		m->list[at].bytes = 0;
		return 0;
	}
	a.bytes = -a.bytes;
	a.us = us;
	return push(m, &a);
}

static int add_records(struct tf_step_memory *m, const struct tf_node_memory *used, uint32_t allocator, uint32_t op, struct outputs *out)
{
	struct tf_wire w = tf_wire_of(used->message);
	struct tf_map open = {0}; /* size → the last allocation of it that is not freed */
	int64_t us, bytes;
	int rc = 0;

	while (rc == 0 && tf_node_allocation_next(&w, &us, &bytes)) {
		struct tf_allocation a = {.us = us, .bytes = bytes, .allocator = allocator, .op = op};
		if (bytes == 0 || bytes == INT64_MIN)
			continue;
		if (bytes < 0)
			match_free(m, &open, &a);
		else if ((rc = take_output(m, out, used->allocator, &a)) == 0)
			rc = open_block(m, &open, &a);
		if (rc == 0)
			rc = push(m, &a);
	}
	tf_map_release(&open);
	return rc;
}

int tf_step_memory_add(struct tf_step_memory *m, const struct tf_node_stats *node, uint32_t op)
{
	struct tf_wire w = tf_wire_of(node->message);
	struct tf_node_memory used;
	struct outputs out;
	bool listed = false;
	uint32_t allocator;

	while (tf_node_memory_next(&w, &used)) {
		if (!listed)
			list_outputs(node, &out);
		listed = true;
		if (begin(m) < 0 || intern(m, used.allocator.len ? used.allocator : tf_bytes_of("(unnamed)"), &allocator) < 0
		    || (used.in_use_bytes > 0 && !node->is_absurd
			&& add_sample(m, allocator, node->start_ns + node->op_end_ns, used.in_use_bytes) < 0)
		    || add_records(m, &used, allocator, op, &out) < 0)
			return -1;
	}
	return 0;
}

/*
 * By allocator, then time. Of one microsecond: frees of what was there before, allocations, frees of what was allocated in it: the peak is
 * never more than it was.
 */
static int compare(const void *a, const void *b)
{
	const struct tf_allocation *x = a, *y = b;
	int first = x->bytes > 0 ? 1 : x->at_once ? 2 : 0, second = y->bytes > 0 ? 1 : y->at_once ? 2 : 0;

	if (x->allocator != y->allocator)
		return x->allocator < y->allocator ? -1 : 1;
	if (x->us != y->us)
		return x->us < y->us ? -1 : 1;
	if (first != second)
		return first - second;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Sizes that no allocator has take part in no sum; the analysis counts them as anomalies. */
#define MOST_BYTES (INT64_C(1) << 56)

static int put(struct tf_step_memory *m, const struct tf_allocation *a, int64_t ns, int64_t level)
{
	struct tf_trace *t = m->tracks->t;
	size_t first = t->stats.count;
	int64_t size = a->bytes > 0 ? a->bytes : -a->bytes;

	if (add_text(m, TF_NAME_allocator_name, a->allocator) < 0
	    || (level != TF_NONE && add_integer(m, TF_NAME_bytes_allocated, level) < 0)
	    || add_integer(m, TF_NAME_requested_bytes, size) < 0 || add_integer(m, TF_NAME_allocation_bytes, size) < 0
	    || (a->block && add_integer(m, TF_NAME_addr, a->block) < 0) || add_text(m, TF_NAME_tf_op, a->op) < 0
	    || (a->dtype && add_integer(m, TF_NAME_data_type, a->dtype) < 0)
	    || add_text(m, TF_NAME_data_type, a->dtype_name) < 0 || add_text(m, TF_NAME_shape, a->shape) < 0)
		return -1;
	uint32_t region;
	if (intern(m, tf_bytes_of(a->is_output ? "output" : "temp"), &region) < 0 || add_text(m, TF_NAME_region_type, region) < 0)
		return -1;
	return add_event(m, a->bytes > 0 ? META_ALLOCATION : META_DEALLOCATION, a->allocator, ns, first);
}

/* Frees what the allocations of one allocator, list[from..to), leave. */
static int put_left(struct tf_step_memory *m, size_t from, size_t to, int64_t end_ns, int64_t level)
{
	struct tf_map freed = {0};
	int rc = 0;

	for (size_t i = from; rc == 0 && i < to; i++)
		if (m->list[i].bytes < 0 && m->list[i].block)
			rc = tf_map_put(&freed, m->list[i].block, 1, m->tracks->err);
	for (size_t i = from; rc == 0 && i < to; i++) {
		struct tf_allocation left = m->list[i];
		if (left.bytes <= 0 || tf_map_find(&freed, left.block))
			continue;
		if (level != TF_NONE && left.bytes < MOST_BYTES)
			level = level > left.bytes ? level - left.bytes : 0;
		left.bytes = -left.bytes;
		rc = put(m, &left, end_ns, level);
	}
	tf_map_release(&freed);
	return rc;
}

/* The allocations of one allocator, list[from..to). */
static int put_allocator(struct tf_step_memory *m, size_t from, size_t to, int64_t end_ns)
{
	int64_t level = tf_map_find(&m->sampled, m->list[from].allocator) ? TF_NONE : 0, last_ns = end_ns;

	for (size_t i = from; i < to; i++) {
		const struct tf_allocation *a = &m->list[i];
		int64_t ns, bytes = a->bytes < MOST_BYTES && a->bytes > -MOST_BYTES ? a->bytes : 0;
		if (__builtin_mul_overflow(a->us, INT64_C(1000), &ns))
			ns = INT64_MAX;
		if (level != TF_NONE)
			level = level + bytes < 0 ? 0 : level + bytes >= MOST_BYTES ? level : level + bytes;
		if (a->bytes != 0 && put(m, a, ns, level) < 0)
			return -1;
		last_ns = ns > last_ns ? ns : last_ns;
	}
	return put_left(m, from, to, last_ns, level);
}

int tf_step_memory_end_step(struct tf_step_memory *m, int64_t end_ns)
{
	if (m->count)
		qsort(m->list, m->count, sizeof *m->list, compare);
	for (size_t i = 0, n; i < m->count; i += n) {
		for (n = 1; i + n < m->count && m->list[i + n].allocator == m->list[i].allocator; n++)
			;
		if (put_allocator(m, i, i + n, end_ns) < 0)
			return -1;
	}
	m->count = 0;
	return 0;
}

void tf_step_memory_release(struct tf_step_memory *m)
{
	free(m->list);
	tf_map_release(&m->sampled);
}
