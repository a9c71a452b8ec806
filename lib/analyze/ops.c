/* Host and device ops with total and self time (METRICS.md §7). */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/classify.h"
#include "lib/analyze/op_tails.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"

/* An op that is being summed up. */
struct sum {
	struct tf_bytes name, type;
	int64_t count, total_ps, self_ps;
	bool eager;
	double flops, bytes;
};

/* An op that is open on the line being read. */
struct open_op {
	size_t sum;
	int64_t end_ps, dur_ps, children_ps;
};

struct counter {
	const struct tf_derived *d;
	struct tf_arena *arena;
	struct tf_host *host;
	struct tf_strtab keys; /* key → sums[id - 1] */
	struct sum *sums;
	size_t sum_count, sum_cap;
	struct open_op *open;
	size_t open_count, open_cap;
	struct tf_executions executions;
	int64_t idle_ps;	  /* of the lines so far */
	int64_t line_self_ps;	  /* of the line being read */
	int64_t first_ps, last_ps; /* of its ops */
	struct tf_buf key;
	struct tf_error *err;
};

static int sum_of(struct counter *c, struct tf_bytes name, struct tf_bytes type, int64_t stage, size_t *at)
{
	uint32_t id;

	c->key.len = 0;
	tf_buf_add(&c->key, (const char *)name.data, name.len);
	if (stage != TF_NONE)
		tf_buf_printf(&c->key, "%c%lld", 1, (long long)stage);
	if (c->key.failed)
		return tf_fail_nomem(c->err);
	if (tf_strtab_add(&c->keys, (struct tf_bytes){(uint8_t *)c->key.data, c->key.len}, &id, c->err) < 0)
		return -1;
	/* An empty name has id 0, all others follow in order. */
	*at = id;
	if (*at < c->sum_count)
		return 0;
	if (tf_vec_reserve((void **)&c->sums, &c->sum_cap, *at + 1, sizeof *c->sums) < 0)
		return tf_fail_nomem(c->err);
	while (c->sum_count <= *at)
		c->sums[c->sum_count++] = (struct sum){.flops = NAN, .bytes = NAN};
	c->sums[*at].name = name;
	c->sums[*at].type = type;
	return 0;
}

/* Name, type and stage of a host event that is an op. False if it is none. */
static bool host_op(const struct tf_derived *d, size_t i, struct tf_bytes *name, struct tf_bytes *type, int64_t *stage)
{
	const struct tf_trace *t = d->trace;
	const struct tf_name_info *info = &d->info[t->events.meta[i]];
	struct tf_stat_range stats = tf_event_stats(t, i);
	uint32_t event_name = tf_event_name(t, i);

	*stage = TF_NONE;
	if (info->category == TF_OP_PYTORCH && tf_step_number(t, i) != TF_NONE)
		return false; /* Kineto's first versions call the marker of a step an op */
	if (info->category != TF_OP_UNKNOWN) {
		*name = info->op_name;
		*type = info->op_type;
		return true;
	}
	if (!stats.count || event_name == TF_NAME_memory_allocation || event_name == TF_NAME_memory_deallocation)
		return false;
	uint32_t category = tf_stat_text(t, stats, TF_NAME_ipl_stage_cat);
	*stage = tf_stat_i64(t, stats, TF_NAME_ipl_stage_id);
	if (category && *stage != TF_NONE) {
		*name = tf_strtab_bytes(&t->strings, event_name);
		*type = tf_strtab_bytes(&t->strings, category);
		return true;
	}
	*stage = TF_NONE;
	uint32_t op = tf_stat_text(t, stats, TF_NAME_tf_op);
	if (!op)
		return false;
	struct tf_name_info parsed = tf_op_name_parse(tf_strtab_bytes(&t->strings, op));
	*name = parsed.op_name;
	*type = parsed.op_type;
	return true;
}

static void close_op(struct counter *c)
{
	struct open_op *o = &c->open[--c->open_count];
	int64_t self = o->dur_ps > o->children_ps ? o->dur_ps - o->children_ps : 0;

	c->sums[o->sum].self_ps = tf_ps_add(c->sums[o->sum].self_ps, self);
	c->line_self_ps = tf_ps_add(c->line_self_ps, self);
}

/* Opens an event's op: those that do not contain it are closed first. */
static int open_op(struct counter *c, size_t sum, size_t event)
{
	int64_t start_ps = c->d->trace->events.start_ps[event], dur_ps = c->d->trace->events.dur_ps[event];
	int64_t end = tf_ps_add(start_ps, dur_ps);

	while (c->open_count && c->open[c->open_count - 1].end_ps < end)
		close_op(c);
	if (c->open_count)
		c->open[c->open_count - 1].children_ps = tf_ps_add(c->open[c->open_count - 1].children_ps, dur_ps);
	if (tf_vec_reserve((void **)&c->open, &c->open_cap, c->open_count + 1, sizeof *c->open) < 0)
		return tf_fail_nomem(c->err);
	c->open[c->open_count++] = (struct open_op){sum, end, dur_ps, 0};
	c->sums[sum].count++;
	c->sums[sum].total_ps = tf_ps_add(c->sums[sum].total_ps, dur_ps);
	if (c->first_ps == TF_NONE)
		c->first_ps = start_ps;
	if (c->last_ps == TF_NONE || end > c->last_ps)
		c->last_ps = end;
	return tf_executions_add(&c->executions, sum, event, c->err);
}

static void begin_line(struct counter *c)
{
	c->line_self_ps = 0;
	c->first_ps = c->last_ps = TF_NONE;
}

/* A line is idle between its first and its last op where no op runs. */
static void end_line(struct counter *c)
{
	while (c->open_count)
		close_op(c);
	if (c->first_ps == TF_NONE)
		return;
	int64_t span = tf_ps_between(c->first_ps, c->last_ps);
	if (span > c->line_self_ps)
		c->idle_ps = tf_ps_add(c->idle_ps, span - c->line_self_ps);
}

/* Of single steps, what lies between two is not known: their lines are taken apart. */
static void part_steps(struct counter *c, size_t event, int32_t *step)
{
	if (c->d->trace->sampled && c->first_ps != TF_NONE && c->d->step[event] != *step) {
		end_line(c);
		begin_line(c);
	}
	*step = c->d->step[event];
}

static int read_host_line(struct counter *c, const struct tf_line *line)
{
	const struct tf_trace *t = c->d->trace;
	struct tf_bytes name, type;
	int64_t stage;
	int32_t step = -1;
	size_t sum;

	begin_line(c);
	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++) {
		if (!tf_event_counts(t, i) || !host_op(c->d, i, &name, &type, &stage))
			continue;
		part_steps(c, i, &step);
		if (sum_of(c, name, type, stage, &sum) < 0
		    || open_op(c, sum, i) < 0)
			return -1;
		c->sums[sum].eager |= c->d->eager[i];
	}
	end_line(c);
	return 0;
}

/* "copy.1" is of type "copy": an HLO instruction's name less its number. Of nested ones the last part counts. */
static struct tf_bytes hlo_type(struct tf_bytes name)
{
	struct tf_bytes type = name;

	for (size_t i = 0; i + 1 < name.len; i++)
		if (name.data[i] == ':' && name.data[i + 1] == ':')
			type = (struct tf_bytes){name.data + i + 2, name.len - i - 2};
	for (size_t n = type.len; n > 0; n--) {
		if (type.data[n - 1] == '.' && n < type.len)
			return (struct tf_bytes){type.data, n - 1};
		if (type.data[n - 1] < '0' || type.data[n - 1] > '9')
			break;
	}
	return type;
}

/* Op of a raw device event: the framework's by tf_op, else the HLO instruction. False: it belongs to none. */
static bool device_op(const struct tf_trace *t, const struct tf_plane *p, size_t i, struct tf_bytes *name,
		      struct tf_bytes *type)
{
	const struct tf_event_meta *meta = tf_event_meta_of(t, i);
	uint32_t framework, hlo;

	if (p->kind == TF_PLANE_TPU || p->kind == TF_PLANE_SPARSE) {
		*name = tf_strtab_bytes(&t->strings, meta->display_name ? meta->display_name : meta->name);
		*type = tf_strtab_bytes(&t->strings, tf_stat_text(t, meta->stats, TF_NAME_hlo_category));
		return true;
	}
	if (!tf_device_op(t, i, &framework, &hlo))
		return false;
	if (framework) {
		struct tf_name_info parsed = tf_op_name_parse(tf_strtab_bytes(&t->strings, framework));
		*name = parsed.op_name;
		*type = parsed.op_type;
		return true;
	}
	*name = tf_strtab_bytes(&t->strings, hlo);
	*type = hlo_type(*name);
	return true;
}

static void add_cost(double *sum, double value)
{
	if (value >= 0)
		*sum = isnan(*sum) ? value : *sum + value;
}

static int read_device_line(struct counter *c, const struct tf_line *line)
{
	const struct tf_trace *t = c->d->trace;
	const struct tf_plane *p = &t->planes[line->plane];
	struct tf_bytes name, type;
	int32_t step = -1;
	size_t sum;

	begin_line(c);
	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++) {
		if (!tf_event_counts(t, i) || !device_op(t, p, i, &name, &type))
			continue;
		part_steps(c, i, &step);
		if (sum_of(c, name, type, TF_NONE, &sum) < 0
		    || open_op(c, sum, i) < 0)
			return -1;
		c->sums[sum].eager |= c->d->eager[i];
		add_cost(&c->sums[sum].flops, tf_stat_double(t, tf_event_meta_of(t, i)->stats, TF_NAME_flops));
		add_cost(&c->sums[sum].bytes, tf_stat_double(t, tf_event_meta_of(t, i)->stats, TF_NAME_bytes_accessed));
	}
	end_line(c);
	return 0;
}

static struct tf_op *push_op(struct counter *c, const char *side, const char *device)
{
	struct tf_op *op = tf_arena_push(c->arena, (void **)&c->host->ops, &c->host->op_count, &c->host->op_cap,
					 sizeof *op);
	if (op)
		*op = (struct tf_op){.side = side, .device = device, .flops = NAN, .bytes = NAN, .p50_ps = TF_NONE, .p99_ps = TF_NONE,
				     .max_ps = TF_NONE, .max_start_ps = TF_NONE, .max_step_number = TF_NONE, .max_step = SIZE_MAX};
	return op;
}

static void set_times(const struct counter *c, struct tf_op *op, const struct tf_op_times *times)
{
	int32_t step = c->d->step[times->slowest];

	op->p50_ps = times->p50_ps;
	op->p99_ps = times->p99_ps;
	op->max_ps = times->max_ps;
	op->max_start_ps = c->d->trace->events.start_ps[times->slowest];
	if (step >= 0) {
		op->max_step = (size_t)step;
		op->max_step_number = c->host->steps.list[step].number;
	}
}

/* Moves the sums into the host's list and begins anew. */
static int flush(struct counter *c, const char *side, const char *device)
{
	struct tf_op_times *times = tf_arena_array(c->arena, c->sum_count + 1, sizeof *times);
	bool any = false;

	if (!times)
		return tf_fail_nomem(c->err);
	if (tf_executions_measure(&c->executions, c->d->trace, times, c->sum_count, c->err) < 0)
		return -1;
	for (size_t i = 0; i < c->sum_count; i++) {
		const struct sum *s = &c->sums[i];
		if (!s->count)
			continue;
		struct tf_op *op = push_op(c, side, device);
		if (!op)
			return tf_fail_nomem(c->err);
		any = true;
		op->name = tf_utf8_repair(c->arena, s->name);
		op->type = tf_utf8_repair(c->arena, s->type);
		op->count = s->count;
		op->total_ps = s->total_ps;
		op->self_ps = s->self_ps;
		op->eager = s->eager;
		op->flops = s->flops;
		op->bytes = s->bytes;
		set_times(c, op, &times[i]);
		if (!op->name || !op->type)
			return tf_fail_nomem(c->err);
	}
	if (any) {
		struct tf_op *idle = push_op(c, side, device);
		if (!idle)
			return tf_fail_nomem(c->err);
		idle->name = idle->type = "IDLE";
		idle->total_ps = idle->self_ps = c->idle_ps;
	}
	tf_strtab_release(&c->keys);
	c->sum_count = 0;
	c->idle_ps = 0;
	return 0;
}

static int text_or_null(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Host before device, by device, most self time first, then by name. */
static int compare_ops(const void *a, const void *b)
{
	const struct tf_op *x = a, *y = b;
	int order;

	if ((order = strcmp(y->side, x->side)) || (order = text_or_null(x->device, y->device)))
		return order;
	if (x->self_ps != y->self_ps)
		return x->self_ps > y->self_ps ? -1 : 1;
	return (order = strcmp(x->name, y->name)) ? order : strcmp(x->type, y->type);
}

static int count_devices(struct counter *c)
{
	const struct tf_trace *t = c->d->trace;
	size_t device = 0;

	for (size_t p = 0; p < t->plane_count; p++) {
		const struct tf_plane *plane = &t->planes[p];
		if (!tf_plane_is_device(plane))
			continue;
		for (size_t l = plane->line_first; l < plane->line_first + plane->line_count; l++)
			if (tf_line_is_raw_device(t, &t->lines[l]) && read_device_line(c, &t->lines[l]) < 0)
				return -1;
		if (flush(c, "device", c->host->devices[device++].name) < 0)
			return -1;
	}
	return 0;
}

int tf_count_ops(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;
	struct counter c = {.d = d, .arena = a, .host = h, .err = err};
	int rc = -1;

	for (size_t l = 0; l < t->line_count; l++)
		if (tf_line_is_host(t, &t->lines[l]) && read_host_line(&c, &t->lines[l]) < 0)
			goto out;
	if (flush(&c, "host", NULL) < 0 || count_devices(&c) < 0)
		goto out;
	if (h->op_count)
		qsort(h->ops, h->op_count, sizeof *h->ops, compare_ops);
	else
		h->op_reason = "no_op_events";
	rc = 0;
out:
	tf_strtab_release(&c.keys);
	tf_buf_release(&c.key);
	tf_executions_release(&c.executions);
	free(c.sums);
	free(c.open);
	return rc;
}
