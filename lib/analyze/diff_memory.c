/* Memory of each allocator at its peak, by tensor: the tensors sum to the peak. */
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/diff.h"

/* The allocator of this name on the host where it takes most, as in memory.peak_bytes[…]; NULL: there is none. */
static const struct tf_allocator *find_largest(const struct tf_session *s, const char *name)
{
	const struct tf_allocator *largest = NULL;

	for (size_t i = 0; i < s->host_count; i++)
		for (size_t k = 0; k < s->hosts[i].memory_count; k++) {
			const struct tf_allocator *m = &s->hosts[i].memory[k];
			if (m->name && strcmp(m->name, name) == 0 && m->peak_bytes != TF_NONE
			    && (!largest || m->peak_bytes > largest->peak_bytes))
				largest = m;
		}
	return largest;
}

static bool has_memory(const struct tf_session *s)
{
	for (size_t i = 0; i < s->host_count; i++)
		if (s->hosts[i].memory_count)
			return true;
	return false;
}

/* One cell a tensor of the peak; what the list lacks of the peak (a report may have been cut) is a cell of its own. */
static size_t add_cells(struct tf_diff_cell *cells, const struct tf_allocator *m, size_t side)
{
	static const struct tf_tensor_group rest = {.op = "(not listed)"};
	int64_t left = m->peak_bytes;
	size_t count = 0;

	for (size_t k = 0; k < m->at_peak_count; k++) {
		const struct tf_tensor_group *g = &m->at_peak[k];
		cells[count++] = (struct tf_diff_cell){.keys = {g->op ? g->op : "(no op)", g->shape, g->dtype, g->region}, .side = side,
						       .value = g->bytes, .count = g->count, .tensor = g};
		left = tf_ps_between(g->bytes, left);
	}
	if (left)
		cells[count++] = (struct tf_diff_cell){.keys = {rest.op}, .side = side, .value = left, .count = 1, .tensor = &rest};
	return count;
}

static int add_tensors(struct tf_diff *d, struct tf_delta *node, struct tf_error *err)
{
	static const int levels[] = {4, 0};
	size_t most = 0, count = 0;

	for (size_t i = 0; i < d->side_count; i++) {
		const struct tf_allocator *m = find_largest(d->sides[i].session, node->name);
		most += m ? m->at_peak_count + 1 : 0;
	}
	struct tf_diff_cell *cells = tf_arena_array(&d->arena, most + 1, sizeof *cells);
	if (!cells)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < d->side_count; i++) {
		const struct tf_allocator *m = find_largest(d->sides[i].session, node->name);
		count += m ? add_cells(cells + count, m, i) : 0;
	}
	return tf_diff_build(d, node, cells, count, levels, err);
}

/* The node of an allocator, made at its first mention. */
static int note_allocator(struct tf_diff *d, const struct tf_allocator *m, struct tf_error *err)
{
	if (!m->name || m->peak_bytes == TF_NONE)
		return 0;
	for (size_t k = 0; k < d->memory_count; k++)
		if (strcmp(d->memory[k].name, m->name) == 0)
			return 0;
	struct tf_delta *node = tf_arena_push(&d->arena, (void **)&d->memory, &d->memory_count, &d->memory_cap, sizeof *node);
	if (!node || !tf_diff_node(d, node, m->name))
		return tf_fail_nomem(err);
	for (size_t i = 0; i < d->side_count; i++) {
		const struct tf_allocator *largest = find_largest(d->sides[i].session, m->name);
		if (largest)
			node->values[i] = largest->peak_bytes;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tf_delta *)a)->name, ((const struct tf_delta *)b)->name);
}

int tf_diff_memory(struct tf_diff *d, size_t top, struct tf_error *err)
{
	bool told = has_memory(d->sides[0].session) && has_memory(d->sides[d->side_count - 1].session);

	for (size_t i = 0; i < d->side_count; i++) {
		const struct tf_session *s = d->sides[i].session;
		for (size_t h = 0; h < s->host_count; h++)
			for (size_t k = 0; k < s->hosts[h].memory_count; k++)
				if (note_allocator(d, &s->hosts[h].memory[k], err) < 0)
					return -1;
	}
	for (size_t i = 0; d->memory_count && i < d->side_count; i++)
		if (!has_memory(d->sides[i].session) && tf_diff_note(d, i, "no memory to compare") < 0)
			return tf_fail_nomem(err);
	if (d->memory_count)
		qsort(d->memory, d->memory_count, sizeof *d->memory, by_name);
	for (size_t k = 0; k < d->memory_count; k++) {
		struct tf_delta *node = &d->memory[k];
		if ((told && add_tensors(d, node, err) < 0) || tf_diff_finish(d, node, top, err) < 0)
			return -1;
		if (!told) {
			node->change = TF_CHANGE_UNKNOWN;
			node->delta = TF_NONE;
		}
	}
	return 0;
}
