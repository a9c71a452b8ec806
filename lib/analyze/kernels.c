/* Kernels by name and launch shape, with what the profiler recorded of them (METRICS.md §7). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/analyze/classify.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"

/* What "regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:32,1,1 occ_pct:100" says. */
struct details {
	int64_t registers, static_bytes, dynamic_bytes;
	int64_t grid[3], block[3];
	double occupancy_pct;
	bool has_grid, has_block;
};

/* Names of kernels that use matrix units: NVIDIA's tensor cores, AMD's matrix instructions. */
static bool is_tensor_core(struct tf_bytes name)
{
	static const char *const marks[] = {
		"16816", "c1688", "conv1x1", "conv2d_c1_k1", "dgrad_1x1_stride_2x2", "direct_group",
		"first_layer_wgrad_kernel", "h1688", "h884", "hmma", "i16832", "i8816", "s884", "s1688", "xmma_gemm",
		"xmma_implicit_gemm", "xmma_sparse_conv", "xmma_sparse_gemm", "xmma_warp_specialized_implicit_gemm",
		"nvjet", "tensorop", "_MI16x16", "_MI32x32", "_MI4x4", "mfma", "gemm_fusion_dot", "ck_tile"};

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (tf_bytes_contain(name, marks[i]))
			return true;
	return false;
}

static bool three_numbers(const char *text, int64_t n[3])
{
	long long x, y, z;
	int used = 0;

	if (sscanf(text, "%lld,%lld,%lld%n", &x, &y, &z, &used) != 3 || text[used] || x < 0 || y < 0 || z < 0)
		return false;
	n[0] = x;
	n[1] = y;
	n[2] = z;
	return true;
}

static void read_token(char *token, struct details *d)
{
	char *value = strchr(token, ':');
	int64_t number;
	double real;

	if (!value || strchr(value + 1, ':'))
		return;
	*value++ = '\0';
	if (strcmp(token, "grid") == 0)
		d->has_grid |= three_numbers(value, d->grid);
	else if (strcmp(token, "block") == 0)
		d->has_block |= three_numbers(value, d->block);
	else if (strcmp(token, "occ_pct") == 0 && tf_parse_double(value, &real))
		d->occupancy_pct = real;
	else if (tf_parse_i64(value, &number) && number >= 0) {
		if (strcmp(token, "regs") == 0)
			d->registers = number;
		else if (strcmp(token, "static_shared") == 0)
			d->static_bytes = number;
		else if (strcmp(token, "dynamic_shared") == 0)
			d->dynamic_bytes = number;
	}
}

static struct details read_details(struct tf_bytes text)
{
	struct details d = {.registers = TF_NONE, .static_bytes = TF_NONE, .dynamic_bytes = TF_NONE,
			    .grid = {1, 1, 1}, .block = {1, 1, 1}, .occupancy_pct = NAN};
	char token[96];

	if (text.len) /* what details leave out is none */
		d.static_bytes = d.dynamic_bytes = 0;
	for (size_t i = 0; i < text.len;) {
		size_t begin = i;
		while (i < text.len && text.data[i] != ' ' && text.data[i] != '\n')
			i++;
		if (i > begin && i - begin < sizeof token) {
			memcpy(token, text.data + begin, i - begin);
			token[i - begin] = '\0';
			read_token(token, &d);
		}
		i++;
	}
	return d;
}

struct kernel_counter {
	const struct tf_derived *d;
	struct tf_arena *arena;
	struct tf_host *host;
	struct tf_strtab keys; /* → index of the kernel, id - 1 from `first` on */
	size_t first;
	struct tf_buf key;
	struct tf_error *err;
};

static int new_kernel(struct kernel_counter *c, size_t i, const struct details *k, struct tf_bytes op, bool tensor_core,
		      const char *device)
{
	const struct tf_trace *t = c->d->trace;
	struct tf_kernel *n = tf_arena_push(c->arena, (void **)&c->host->kernels, &c->host->kernel_count,
					    &c->host->kernel_cap, sizeof *n);
	if (!n)
		return tf_fail_nomem(c->err);
	double pct = isnan(k->occupancy_pct) ? tf_stat_double(t, tf_event_stats(t, i), TF_NAME_theoretical_occupancy_pct)
					     : k->occupancy_pct;
	n->device = device;
	n->name = tf_utf8_repair(c->arena, tf_strtab_bytes(&t->strings, tf_event_name(t, i)));
	n->op = op.len ? tf_utf8_repair(c->arena, op) : NULL;
	n->registers = k->registers;
	n->shared_bytes = k->static_bytes == TF_NONE ? k->dynamic_bytes
			  : k->dynamic_bytes == TF_NONE ? k->static_bytes : k->static_bytes + k->dynamic_bytes;
	if (k->has_grid)
		n->grid = tf_arena_printf(c->arena, "%lld,%lld,%lld", (long long)k->grid[0], (long long)k->grid[1],
					  (long long)k->grid[2]);
	if (k->has_block)
		n->block = tf_arena_printf(c->arena, "%lld,%lld,%lld", (long long)k->block[0], (long long)k->block[1],
					   (long long)k->block[2]);
	n->occupancy = pct >= 0 && pct <= 100 ? pct / 100 : NAN;
	n->tensor_core = tensor_core;
	n->min_ps = INT64_MAX;
	return n->name ? 0 : tf_fail_nomem(c->err);
}

static int count_kernel(struct kernel_counter *c, size_t i, const char *device)
{
	const struct tf_trace *t = c->d->trace;
	struct tf_stat_range stats = tf_event_stats(t, i);
	struct tf_bytes name = tf_strtab_bytes(&t->strings, tf_event_name(t, i));
	struct details k = read_details(tf_strtab_bytes(&t->strings, tf_stat_text(t, stats, TF_NAME_kernel_details)));
	uint32_t full = tf_stat_text(t, stats, TF_NAME_tf_op);
	struct tf_bytes op = full ? tf_op_name_parse(tf_strtab_bytes(&t->strings, full)).op_name : (struct tf_bytes){0};
	uint32_t id;

	if (!full)
		op = tf_strtab_bytes(&t->strings, tf_stat_text(t, stats, TF_NAME_hlo_op));
	c->key.len = 0;
	tf_buf_add(&c->key, (const char *)name.data, name.len);
	tf_buf_printf(&c->key, "%c%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld%c", 1, (long long)k.grid[0],
		      (long long)k.grid[1], (long long)k.grid[2], (long long)k.block[0], (long long)k.block[1],
		      (long long)k.block[2], (long long)k.registers, (long long)k.static_bytes,
		      (long long)k.dynamic_bytes, 1);
	tf_buf_add(&c->key, (const char *)op.data, op.len);
	if (c->key.failed)
		return tf_fail_nomem(c->err);
	if (tf_strtab_add(&c->keys, (struct tf_bytes){(uint8_t *)c->key.data, c->key.len}, &id, c->err) < 0)
		return -1;
	size_t at = c->first + id - 1;
	if (at == c->host->kernel_count && new_kernel(c, i, &k, op, is_tensor_core(name), device) < 0)
		return -1;
	struct tf_kernel *n = &c->host->kernels[at];
	int64_t dur = t->events.dur_ps[i];
	n->count++;
	n->total_ps += dur;
	n->min_ps = dur < n->min_ps ? dur : n->min_ps;
	n->max_ps = dur > n->max_ps ? dur : n->max_ps;
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

/* A kernel is a raw event on a GPU-like device that computes or communicates and takes time; a TPU runs ops, not kernels. */
static bool is_kernel(const struct tf_trace *t, size_t i)
{
	if (!tf_event_counts(t, i) || t->events.dur_ps[i] <= 0)
		return false;
	enum tf_work work = tf_device_work(t, i);
	return work == TF_WORK_KERNEL || work == TF_WORK_COMM;
}

int tf_count_kernels(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;
	struct kernel_counter c = {.d = d, .arena = a, .host = h, .err = err};
	size_t device = 0;
	int rc = -1;

	for (size_t p = 0; p < t->plane_count; p++) {
		const struct tf_plane *plane = &t->planes[p];
		if (!tf_plane_is_device(plane))
			continue;
		const char *name = h->devices[device++].name;
		bool kernels = plane->kind == TF_PLANE_GPU || plane->kind == TF_PLANE_DEVICE;
		tf_strtab_release(&c.keys);
		c.first = h->kernel_count;
		for (size_t l = plane->line_first; kernels && l < plane->line_first + plane->line_count; l++) {
			const struct tf_line *line = &t->lines[l];
			for (size_t i = line->event_first;
			     tf_line_is_raw_device(t, line) && i < line->event_first + line->event_count; i++)
				if (is_kernel(t, i) && count_kernel(&c, i, name) < 0)
					goto out;
		}
	}
	if (h->kernel_count)
		qsort(h->kernels, h->kernel_count, sizeof *h->kernels, compare_kernels);
	rc = 0;
out:
	tf_strtab_release(&c.keys);
	tf_buf_release(&c.key);
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
