/* Kernels by name, launch shape and op, with what the profiler recorded of them (METRICS.md §7). */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/classify.h"
#include "lib/analyze/kernel_names.h"
#include "lib/base/vec.h"

struct kernel_counter {
	const struct tf_derived *d;
	struct tf_arena *arena;
	struct tf_host *host;
	const char *device;
	size_t first;	      /* the device's first row */
	struct tf_strtab keys; /* name, launch and op as text; id - 1 is the index of the row, from `first` on */
	struct tf_map launches; /* name << 32 | details (string ids) → number of the pair */
	struct tf_map rows;	/* pair << 32 | framework op (string id) → row */
	uint32_t *hlo; /* by row: the instruction of all its executions so far; 0: none, or several */
	size_t hlo_count, hlo_cap;
	struct tf_buf key;
	struct tf_error *err;
};

static int64_t shared_bytes(const struct tf_launch *l)
{
	if (l->static_bytes == TF_NONE || l->dynamic_bytes == TF_NONE)
		return l->static_bytes == TF_NONE ? l->dynamic_bytes : l->static_bytes;
	return tf_ps_add(l->static_bytes, l->dynamic_bytes);
}

static char *dimensions(struct tf_arena *a, const int64_t n[3])
{
	return tf_arena_printf(a, "%lld,%lld,%lld", (long long)n[0], (long long)n[1], (long long)n[2]);
}

static int new_row(struct kernel_counter *c, size_t i, const struct tf_launch *l, struct tf_bytes op,
		   const struct tf_plane *p)
{
	const struct tf_trace *t = c->d->trace;
	struct tf_bytes name = tf_strtab_bytes(&t->strings, tf_event_name(t, i));
	struct tf_kernel *n = tf_arena_push(c->arena, (void **)&c->host->kernels, &c->host->kernel_count,
					    &c->host->kernel_cap, sizeof *n);

	if (!n || tf_vec_reserve((void **)&c->hlo, &c->hlo_cap, c->hlo_count + 1, sizeof *c->hlo) < 0)
		return tf_fail_nomem(c->err);
	c->hlo[c->hlo_count++] = tf_stat_text(t, tf_event_stats(t, i), TF_NAME_hlo_op);
	n->device = c->device;
	n->name = tf_utf8_repair(c->arena, name);
	n->op = op.len ? tf_utf8_repair(c->arena, op) : NULL;
	n->registers = l->registers;
	n->shared_bytes = shared_bytes(l);
	n->grid = l->has_grid ? dimensions(c->arena, l->grid) : NULL;
	n->block = l->has_block ? dimensions(c->arena, l->block) : NULL;
	n->occupancy = l->occupancy;
	if (isnan(n->occupancy))
		n->occupancy = tf_occupancy(tf_stat_double(t, tf_event_stats(t, i), TF_NAME_theoretical_occupancy_pct));
	n->tensor_core = tf_is_tensor_core(name, tf_device_vendor(t, p));
	n->min_ps = INT64_MAX;
	bool failed = !n->name || (op.len && !n->op) || (l->has_grid && !n->grid) || (l->has_block && !n->block);
	return failed ? tf_fail_nomem(c->err) : 0;
}

/* Number of the pair of name and details: each pair is parsed once an op. */
static int pair_of(struct kernel_counter *c, uint32_t name, uint32_t details, uint64_t *pair)
{
	uint64_t key = (uint64_t)name << 32 | details;
	uint64_t *found = tf_map_find(&c->launches, key);

	*pair = found ? *found : c->launches.count;
	return found ? 0 : tf_map_put(&c->launches, key, *pair, c->err);
}

/* The row of a kernel of which no event with these ids has been seen: others may read alike. */
static int find_row(struct kernel_counter *c, size_t i, uint32_t details, uint32_t framework, const struct tf_plane *p,
		    uint64_t *row)
{
	const struct tf_trace *t = c->d->trace;
	struct tf_launch l = tf_launch_parse(tf_strtab_bytes(&t->strings, details));
	struct tf_bytes op = tf_op_name_parse(tf_strtab_bytes(&t->strings, framework)).op_name;
	uint32_t id;

	c->key.len = 0;
	tf_buf_printf(&c->key, "%lu|%lld,%lld,%lld|%lld,%lld,%lld|%lld|%lld|%lld|", (unsigned long)tf_event_name(t, i),
		      (long long)l.grid[0], (long long)l.grid[1], (long long)l.grid[2], (long long)l.block[0],
		      (long long)l.block[1], (long long)l.block[2], (long long)l.registers, (long long)l.static_bytes,
		      (long long)l.dynamic_bytes);
	tf_buf_add(&c->key, (const char *)op.data, op.len);
	if (c->key.failed)
		return tf_fail_nomem(c->err);
	if (tf_strtab_add(&c->keys, (struct tf_bytes){(uint8_t *)c->key.data, c->key.len}, &id, c->err) < 0)
		return -1;
	*row = c->first + id - 1;
	return *row < c->host->kernel_count ? 0 : new_row(c, i, &l, op, p);
}

static int count_kernel(struct kernel_counter *c, size_t i, const struct tf_plane *p)
{
	const struct tf_trace *t = c->d->trace;
	uint32_t details = tf_stat_text(t, tf_event_stats(t, i), TF_NAME_kernel_details), framework, hlo;
	uint64_t pair, row = 0;

	tf_device_op(t, i, &framework, &hlo);
	if (pair_of(c, tf_event_name(t, i), details, &pair) < 0)
		return -1;
	uint64_t *known = tf_map_find(&c->rows, pair << 32 | framework);
	if (known)
		row = *known;
	else if (find_row(c, i, details, framework, p, &row) < 0
		 || tf_map_put(&c->rows, pair << 32 | framework, row, c->err) < 0)
		return -1;
	struct tf_kernel *k = &c->host->kernels[row];
	int64_t dur = t->events.dur_ps[i];
	if (c->hlo[row] != hlo)
		c->hlo[row] = 0;
	k->count++;
	k->total_ps = tf_ps_add(k->total_ps, dur);
	k->min_ps = dur < k->min_ps ? dur : k->min_ps;
	k->max_ps = dur > k->max_ps ? dur : k->max_ps;
	return 0;
}

/* Kernels of no framework op are told by their HLO instruction, if it is one. */
static int name_ops(struct kernel_counter *c)
{
	for (size_t i = 0; i < c->hlo_count; i++) {
		struct tf_kernel *k = &c->host->kernels[i];
		if (k->op || !c->hlo[i])
			continue;
		k->op = tf_utf8_repair(c->arena, tf_strtab_bytes(&c->d->trace->strings, c->hlo[i]));
		if (!k->op)
			return tf_fail_nomem(c->err);
	}
	return 0;
}

static int text_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Most time first, then by name, shape, op, device. */
static int compare_kernels(const void *a, const void *b)
{
	const struct tf_kernel *x = a, *y = b;
	int order;

	if (x->total_ps != y->total_ps)
		return x->total_ps > y->total_ps ? -1 : 1;
	if ((order = strcmp(x->name, y->name)) || (order = text_order(x->grid, y->grid))
	    || (order = text_order(x->block, y->block)))
		return order;
	if (x->registers != y->registers)
		return x->registers < y->registers ? -1 : 1;
	if (x->shared_bytes != y->shared_bytes)
		return x->shared_bytes < y->shared_bytes ? -1 : 1;
	return (order = text_order(x->op, y->op)) ? order : text_order(x->device, y->device);
}

/* Forgets the rows of the device before. */
static void forget(struct kernel_counter *c)
{
	tf_strtab_release(&c->keys);
	tf_map_release(&c->launches);
	tf_map_release(&c->rows);
	c->first = c->host->kernel_count;
}

static int count_device(struct kernel_counter *c, const struct tf_plane *p)
{
	const struct tf_trace *t = c->d->trace;

	forget(c);
	for (size_t l = p->line_first; l < p->line_first + p->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		if (!tf_line_is_raw_device(t, line))
			continue;
		for (size_t i = line->event_first; i < line->event_first + line->event_count; i++)
			if (tf_is_kernel(c->d, p, i) && count_kernel(c, i, p) < 0)
				return -1;
	}
	return 0;
}

int tf_count_kernels(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;
	struct kernel_counter c = {.d = d, .arena = a, .host = h, .err = err};
	size_t device = 0;
	int rc = -1;

	for (size_t p = 0; p < t->plane_count; p++) {
		if (!tf_plane_is_device(&t->planes[p]))
			continue;
		c.device = h->devices[device++].name;
		if (count_device(&c, &t->planes[p]) < 0)
			goto out;
	}
	if (name_ops(&c) < 0)
		goto out;
	if (h->kernel_count)
		qsort(h->kernels, h->kernel_count, sizeof *h->kernels, compare_kernels);
	rc = 0;
out:
	forget(&c);
	tf_buf_release(&c.key);
	free(c.hlo);
	return rc;
}

/* By everything but device and time. */
static int compare_shapes(const void *a, const void *b)
{
	const struct tf_kernel *x = a, *y = b;
	int order;

	if ((order = strcmp(x->name, y->name)) || (order = text_order(x->grid, y->grid))
	    || (order = text_order(x->block, y->block)) || (order = text_order(x->op, y->op)))
		return order;
	if (x->registers != y->registers)
		return x->registers < y->registers ? -1 : 1;
	return x->shared_bytes < y->shared_bytes ? -1 : x->shared_bytes > y->shared_bytes;
}

struct tf_kernel *tf_kernels_merged(const struct tf_session *s, struct tf_arena *a, size_t *count, struct tf_error *err)
{
	size_t n = 0, kept = 0;

	*count = 0;
	for (size_t i = 0; i < s->host_count; i++)
		n += s->hosts[i].kernel_count;
	struct tf_kernel *list = tf_arena_array(a, n + 1, sizeof *list);
	if (!list) {
		tf_fail_nomem(err);
		return NULL;
	}
	n = 0;
	for (size_t i = 0; i < s->host_count; i++)
		for (size_t k = 0; k < s->hosts[i].kernel_count; k++)
			list[n++] = s->hosts[i].kernels[k];
	qsort(list, n, sizeof *list, compare_shapes);
	for (size_t i = 0; i < n; i++) {
		struct tf_kernel *to = kept ? &list[kept - 1] : NULL;
		if (!to || compare_shapes(to, &list[i]) != 0) {
			list[kept++] = list[i];
			continue;
		}
		to->device = NULL;
		to->count += list[i].count;
		to->total_ps = tf_ps_add(to->total_ps, list[i].total_ps);
		to->min_ps = list[i].min_ps < to->min_ps ? list[i].min_ps : to->min_ps;
		to->max_ps = list[i].max_ps > to->max_ps ? list[i].max_ps : to->max_ps;
	}
	qsort(list, kept, sizeof *list, compare_kernels);
	*count = kept;
	return list;
}
