/* How busy each device is, with what, and what stands in its gaps (METRICS.md §4). */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/classify.h"
#include "lib/base/limits.h"
#include "lib/base/vec.h"

/* A raw event of the device, for its gaps. */
struct busy {
	struct tf_interval at;
	uint32_t event;
};

struct device_work {
	struct tf_interval *all, *kernel, *copy, *comm;
	size_t all_count, all_cap, kernel_count, kernel_cap, copy_count, copy_cap, comm_count, comm_cap;
	struct busy *order;
	size_t order_count, order_cap;
};

static int push(struct tf_interval **list, size_t *count, size_t *cap, struct tf_interval at)
{
	if (tf_vec_reserve((void **)list, cap, *count + 1, sizeof **list) < 0)
		return -1;
	(*list)[(*count)++] = at;
	return 0;
}

static int collect(const struct tf_trace *t, size_t plane, struct device_work *w, struct tf_error *err)
{
	const struct tf_plane *p = &t->planes[plane];

	for (size_t l = p->line_first; l < p->line_first + p->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_raw_device(t, line) && i < line->event_first + line->event_count; i++) {
			struct tf_interval at = {t->events.start_ps[i], tf_event_end(t, i)};
			if (!tf_event_counts(t, i))
				continue;
			enum tf_work work = tf_device_work(t, i);
			int failed = push(&w->all, &w->all_count, &w->all_cap, at);
			if (work == TF_WORK_KERNEL)
				failed |= push(&w->kernel, &w->kernel_count, &w->kernel_cap, at);
			else if (work == TF_WORK_COMM)
				failed |= push(&w->comm, &w->comm_count, &w->comm_cap, at);
			else if (work != TF_WORK_SET)
				failed |= push(&w->copy, &w->copy_count, &w->copy_cap, at);
			failed |= tf_vec_reserve((void **)&w->order, &w->order_cap, w->order_count + 1, sizeof *w->order);
			if (failed)
				return tf_fail_nomem(err);
			w->order[w->order_count++] = (struct busy){at, (uint32_t)i};
		}
	}
	w->all_count = tf_interval_merge(w->all, w->all_count);
	w->kernel_count = tf_interval_merge(w->kernel, w->kernel_count);
	w->copy_count = tf_interval_merge(w->copy, w->copy_count);
	w->comm_count = tf_interval_merge(w->comm, w->comm_count);
	return 0;
}

static void release(struct device_work *w)
{
	free(w->all);
	free(w->kernel);
	free(w->copy);
	free(w->comm);
	free(w->order);
}

/* The envelope of the steady steps, device spans included. False without steady steps. */
static bool steady_window(const struct tf_steps *s, int64_t *begin, int64_t *end)
{
	bool any = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct tf_step *step = &s->list[i];
		if (!step->complete || step->warmup || !step->main_series)
			continue;
		const int64_t spans[][2] = {{step->host_start_ps, step->host_ps}, {step->device_start_ps, step->device_ps}};
		for (int k = 0; k < 2; k++) {
			if (spans[k][1] == TF_NONE)
				continue;
			*begin = any && *begin < spans[k][0] ? *begin : spans[k][0];
			*end = any && *end > spans[k][0] + spans[k][1] ? *end : spans[k][0] + spans[k][1];
			any = true;
		}
	}
	return any;
}

static const char *model_name(const struct tf_trace *t, const struct tf_plane *p, struct tf_arena *a)
{
	static const char *const families[] = {NULL,	 NULL,	  "Fermi", "Kepler", NULL,
					       "Maxwell", "Pascal", "Volta", "Ampere", "Hopper", "Blackwell"};
	uint32_t own = tf_stat_text(t, p->stats, TF_NAME_gpu_device_name);
	uint32_t type = tf_stat_text(t, p->stats, TF_NAME_device_type_string);
	uint32_t vendor = tf_stat_text(t, p->stats, TF_NAME_device_vendor);
	int64_t major = tf_stat_i64(t, p->stats, TF_NAME_compute_cap_major);
	int64_t minor = tf_stat_i64(t, p->stats, TF_NAME_compute_cap_minor);

	if (own || type)
		return tf_utf8_repair(a, tf_strtab_bytes(&t->strings, own ? own : type));
	if (!vendor)
		return NULL;
	struct tf_bytes maker = tf_strtab_bytes(&t->strings, vendor);
	if (!tf_bytes_contain(maker, "nvidia") || major < 0 || major > 10 || !families[major])
		return tf_arena_printf(a, "%s GPU", tf_utf8_repair(a, maker));
	const char *family = major == 7 && minor >= 5 ? "Turing" : major == 8 && minor >= 9 ? "Ada Lovelace" : families[major];
	return tf_arena_printf(a, "Nvidia GPU (%s)", family);
}

static const char *kind_name(enum tf_plane_kind kind)
{
	switch (kind) {
	case TF_PLANE_GPU:
		return "gpu";
	case TF_PLANE_TPU:
		return "tpu";
	case TF_PLANE_SPARSE:
		return "sparse_core";
	default:
		return "device";
	}
}

static const char *event_name(const struct tf_trace *t, uint32_t event, struct tf_arena *a)
{
	return tf_utf8_repair(a, tf_strtab_bytes(&t->strings, tf_event_name(t, event)));
}

/* The innermost host event that overlaps [begin, end) longest, UINT32_MAX: none. */
static uint32_t host_activity(const struct tf_derived *d, int64_t begin, int64_t end)
{
	const struct tf_trace *t = d->trace;
	uint32_t best = UINT32_MAX;
	int64_t best_ps = 0;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_host(t, line) && i < line->event_first + line->event_count; i++) {
			int64_t from = t->events.start_ps[i], to = tf_event_end(t, i);
			if (from >= end)
				break;
			if (!tf_event_counts(t, i) || to <= begin || tf_host_part(d, i, true) == TF_PART_COUNT)
				continue; /* markers and wrappers are no activity */
			int64_t common = (to < end ? to : end) - (from > begin ? from : begin);
			if (common > best_ps || (common == best_ps && best != UINT32_MAX && d->depth[i] > d->depth[best])) {
				best_ps = common;
				best = (uint32_t)i;
			}
		}
	}
	return best;
}

static int by_begin(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;
	if (x->at.begin_ps != y->at.begin_ps)
		return x->at.begin_ps < y->at.begin_ps ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

struct found_gap {
	int64_t begin_ps, end_ps;
	uint32_t before, after; /* events, UINT32_MAX: the window's end */
};

static int longest_first(const void *a, const void *b)
{
	const struct found_gap *x = a, *y = b;
	int64_t xd = x->end_ps - x->begin_ps, yd = y->end_ps - y->begin_ps;
	if (xd != yd)
		return xd > yd ? -1 : 1;
	return x->begin_ps < y->begin_ps ? -1 : x->begin_ps > y->begin_ps;
}

/* All gaps of the window between raw events, the window's ends included. */
static int find_gaps(struct device_work *w, int64_t begin, int64_t end, struct found_gap **gaps, size_t *count,
		     struct tf_error *err)
{
	size_t cap = 0;
	int64_t busy_until = begin;
	uint32_t before = UINT32_MAX;

	if (w->order_count)
		qsort(w->order, w->order_count, sizeof *w->order, by_begin);
	for (size_t i = 0; i <= w->order_count; i++) {
		bool last = i == w->order_count || w->order[i].at.begin_ps >= end;
		int64_t until = last ? end : w->order[i].at.begin_ps;
		if (until > busy_until) {
			if (tf_vec_reserve((void **)gaps, &cap, *count + 1, sizeof **gaps) < 0)
				return tf_fail_nomem(err);
			(*gaps)[(*count)++] =
				(struct found_gap){busy_until, until, before, last ? UINT32_MAX : w->order[i].event};
		}
		if (last)
			break;
		if (w->order[i].at.end_ps >= busy_until) {
			busy_until = w->order[i].at.end_ps;
			before = w->order[i].event;
		}
	}
	if (*count)
		qsort(*gaps, *count, sizeof **gaps, longest_first);
	return 0;
}

static int keep_gaps(const struct tf_derived *d, struct device_work *w, struct tf_arena *a, struct tf_device *dev,
		     struct tf_error *err)
{
	struct found_gap *gaps = NULL;
	size_t count = 0;
	int rc = -1;

	if (find_gaps(w, dev->window_start_ps, dev->window_start_ps + dev->window_ps, &gaps, &count, err) < 0)
		goto out;
	dev->gap_total = count;
	for (size_t i = 0; i < count && i < TF_LIMIT_DEVICE_GAPS; i++) {
		struct tf_gap *g = tf_arena_push(a, (void **)&dev->gaps, &dev->gap_count, &dev->gap_cap, sizeof *g);
		if (!g) {
			tf_fail_nomem(err);
			goto out;
		}
		uint32_t host = host_activity(d, gaps[i].begin_ps, gaps[i].end_ps);
		g->start_ps = gaps[i].begin_ps;
		g->dur_ps = gaps[i].end_ps - gaps[i].begin_ps;
		g->before = gaps[i].before == UINT32_MAX ? NULL : event_name(d->trace, gaps[i].before, a);
		g->after = gaps[i].after == UINT32_MAX ? NULL : event_name(d->trace, gaps[i].after, a);
		g->host_event = host == UINT32_MAX ? NULL : event_name(d->trace, host, a);
	}
	rc = 0;
out:
	free(gaps);
	return rc;
}

/* Communication that no kernel hides. */
static int64_t exposed(const struct device_work *w, int64_t begin, int64_t end, int64_t comm_ps)
{
	return comm_ps - tf_interval_common(w->comm, w->comm_count, w->kernel, w->kernel_count, begin, end);
}

static int measure(const struct tf_derived *d, size_t plane, struct tf_arena *a, const struct tf_steps *steps,
		   struct tf_device *dev, struct tf_error *err)
{
	struct device_work w = {0};
	int64_t begin = 0, end = 0;
	int rc = -1;

	if (collect(d->trace, plane, &w, err) < 0)
		goto out;
	dev->traced = w.order_count > 0;
	if (steady_window(steps, &begin, &end)) {
		dev->window_source = "steps";
	} else if (w.all_count) {
		begin = w.all[0].begin_ps;
		end = w.all[w.all_count - 1].end_ps;
		dev->window_source = "device_events";
	}
	dev->window_start_ps = begin;
	dev->window_ps = end - begin;
	dev->busy_ps = tf_interval_within(w.all, w.all_count, begin, end);
	dev->kernel_ps = tf_interval_within(w.kernel, w.kernel_count, begin, end);
	dev->memcpy_ps = tf_interval_within(w.copy, w.copy_count, begin, end);
	dev->comm_ps = tf_interval_within(w.comm, w.comm_count, begin, end);
	dev->exposed_comm_ps = exposed(&w, begin, end, dev->comm_ps);
	if (dev->window_ps > 0)
		dev->idle_ratio = (double)(dev->window_ps - dev->busy_ps) / (double)dev->window_ps;
	if (dev->traced && dev->window_ps > 0 && keep_gaps(d, &w, a, dev, err) < 0)
		goto out;
	rc = 0;
out:
	release(&w);
	return rc;
}

/* A device without events is idle where another one was traced; otherwise nothing is known of it. */
static void settle_untraced(struct tf_host *h)
{
	const struct tf_device *traced = NULL;

	for (size_t i = 0; i < h->device_count && !traced; i++)
		if (h->devices[i].traced)
			traced = &h->devices[i];
	for (size_t i = 0; i < h->device_count; i++) {
		struct tf_device *dev = &h->devices[i];
		if (dev->traced)
			continue;
		if (traced && !dev->window_source) {
			dev->window_source = traced->window_source;
			dev->window_start_ps = traced->window_start_ps;
			dev->window_ps = traced->window_ps;
		}
		if (traced && dev->window_ps > 0) {
			dev->idle_ratio = 1;
			continue;
		}
		dev->window_source = NULL;
		dev->reason = "device_not_traced";
		dev->window_start_ps = dev->window_ps = dev->busy_ps = dev->kernel_ps = TF_NONE;
		dev->memcpy_ps = dev->comm_ps = dev->exposed_comm_ps = TF_NONE;
		dev->idle_ratio = NAN;
	}
}

static void count_step_kernels(const struct tf_derived *d, struct tf_host *h)
{
	const struct tf_trace *t = d->trace;

	for (size_t i = 0; i < h->steps.count; i++)
		h->steps.list[i].kernel_count = 0;
	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_raw_device(t, line) && i < line->event_first + line->event_count; i++)
			if (tf_event_counts(t, i) && d->step[i] >= 0 && t->events.dur_ps[i] > 0
			    && (tf_device_work(t, i) == TF_WORK_KERNEL || tf_device_work(t, i) == TF_WORK_COMM)) {
				h->steps.list[d->step[i]].kernel_count++;
				h->launched_kernels++;
			}
	}
}

int tf_measure_devices(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;

	for (size_t p = 0; p < t->plane_count; p++) {
		if (!tf_plane_is_device(&t->planes[p]))
			continue;
		struct tf_device *dev =
			tf_arena_push(a, (void **)&h->devices, &h->device_count, &h->device_cap, sizeof *dev);
		if (!dev)
			return tf_fail_nomem(err);
		dev->name = tf_utf8_repair(a, tf_strtab_bytes(&t->strings, t->planes[p].name));
		dev->kind = kind_name(t->planes[p].kind);
		dev->model = model_name(t, &t->planes[p], a);
		dev->ordinal = t->planes[p].ordinal;
		dev->memory_bytes = tf_stat_i64(t, t->planes[p].stats, TF_NAME_memory_size);
		dev->idle_ratio = NAN;
		if (!dev->name)
			return tf_fail_nomem(err);
		if (measure(d, p, a, &h->steps, dev, err) < 0)
			return -1;
	}
	settle_untraced(h);
	if (h->device_count == 0)
		h->device_reason = "no_device_plane";
	else
		count_step_kernels(d, h);
	return 0;
}
