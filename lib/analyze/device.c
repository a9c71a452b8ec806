/* How busy each device is, with what, and what stands in its gaps (METRICS.md §4). */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/classify.h"
#include "lib/analyze/device_peaks.h"
#include "lib/analyze/kernel_names.h"
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

static int collect(const struct tf_derived *d, size_t plane, struct device_work *w, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;
	const struct tf_plane *p = &t->planes[plane];

	for (size_t l = p->line_first; l < p->line_first + p->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_raw_device(t, line) && i < line->event_first + line->event_count; i++) {
			struct tf_interval at = {t->events.start_ps[i], tf_event_end(t, i)};
			if (!tf_event_counts(t, i))
				continue;
			enum tf_work work = tf_device_work(d, i);
			int failed = push(&w->all, &w->all_count, &w->all_cap, at);
			if (work == TF_WORK_KERNEL)
				failed |= push(&w->kernel, &w->kernel_count, &w->kernel_cap, at);
			else if (work == TF_WORK_COMM)
				failed |= push(&w->comm, &w->comm_count, &w->comm_cap, at);
			else if (work != TF_WORK_SET)
				failed |= push(&w->copy, &w->copy_count, &w->copy_cap, at);
			failed |= tf_vec_reserve((void **)&w->order, &w->order_cap, w->order_count + 1,
						 sizeof *w->order);
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

/* What a device is measured in: one interval, or where single steps were recorded one a step. Apart and in order. */
struct windows {
	struct tf_interval *list;
	size_t count, cap;
};

/* The host's and the device's span of a step together. */
static struct tf_interval span_of(const struct tf_step *step)
{
	const int64_t spans[][2] = {{step->host_start_ps, step->host_ps}, {step->device_start_ps, step->device_ps}};
	struct tf_interval span = {INT64_MAX, INT64_MIN};

	for (int k = 0; k < 2; k++) {
		if (spans[k][1] == TF_NONE)
			continue;
		int64_t stop = tf_ps_add(spans[k][0], spans[k][1]);
		span.begin_ps = spans[k][0] < span.begin_ps ? spans[k][0] : span.begin_ps;
		span.end_ps = stop > span.end_ps ? stop : span.end_ps;
	}
	return span;
}

/* The steady steps, device spans included: their envelope, or each. None without steady steps. 0 or -1 (memory). */
static int steady_windows(const struct tf_steps *s, bool apart, struct windows *w, struct tf_error *err)
{
	for (size_t i = 0; i < s->count; i++) {
		struct tf_interval span = span_of(&s->list[i]);
		if (!tf_step_is_steady(&s->list[i]))
			continue;
		if (apart || w->count == 0) {
			if (push(&w->list, &w->count, &w->cap, span) < 0)
				return tf_fail_nomem(err);
			continue;
		}
		w->list->begin_ps = span.begin_ps < w->list->begin_ps ? span.begin_ps : w->list->begin_ps;
		w->list->end_ps = span.end_ps > w->list->end_ps ? span.end_ps : w->list->end_ps;
	}
	if (apart)
		w->count = tf_interval_merge(w->list, w->count);
	return 0;
}

/* An NVIDIA model's family by compute capability. */
static const char *nvidia_family(int64_t major, int64_t minor)
{
	static const char *const families[] = {NULL,	  NULL,	    "Fermi", "Kepler", NULL,	    "Maxwell",
					       "Pascal", "Volta", "Ampere", "Hopper", "Blackwell"};

	if (major < 0 || major > 10)
		return NULL;
	if (major == 7 && minor >= 5)
		return "Turing";
	return major == 8 && minor >= 9 ? "Ada Lovelace" : families[major];
}

/* "gfx" and at least three hexadecimal digits in a device's name, or what its capability means; NULL if neither. */
static const char *amd_chip(struct tf_bytes name, int64_t major, int64_t minor, struct tf_arena *a)
{
	for (size_t i = 0; i + 6 <= name.len; i++) {
		size_t n = i + 3;
		if (memcmp(name.data + i, "gfx", 3) != 0)
			continue;
		while (n < name.len && ((name.data[n] >= '0' && name.data[n] <= '9')
					|| (name.data[n] >= 'a' && name.data[n] <= 'f')))
			n++;
		if (n >= i + 6)
			return tf_arena_strndup(a, (const char *)name.data + i, n - i);
	}
	if (major == 9)
		return minor == 4 ? "gfx942" : minor == 5 ? "gfx950" : "gfx-9XX series";
	return major == 10 ? "gfx-10XX series" : major == 11 ? "gfx-11XX series" : NULL;
}

/* What the device is called, NULL if its plane does not say. */
static const char *model_name(const struct tf_trace *t, const struct tf_plane *p, struct tf_arena *a)
{
	uint32_t own = tf_stat_text(t, p->stats, TF_NAME_gpu_device_name);
	uint32_t type = tf_stat_text(t, p->stats, TF_NAME_device_type_string);
	int64_t major = tf_stat_i64(t, p->stats, TF_NAME_compute_cap_major);
	int64_t minor = tf_stat_i64(t, p->stats, TF_NAME_compute_cap_minor);
	const char *detail;

	switch (tf_device_vendor(t, p)) {
	case TF_VENDOR_AMD:
		detail = amd_chip(tf_strtab_bytes(&t->strings, own), major, minor, a);
		return detail ? tf_arena_printf(a, "AMD GPU - %s", detail) : "AMD GPU";
	case TF_VENDOR_NVIDIA:
		detail = nvidia_family(major, minor);
		return detail ? tf_arena_printf(a, "Nvidia GPU (%s)", detail) : "Nvidia GPU";
	case TF_VENDOR_UNKNOWN:
		break;
	}
	return own || type ? tf_utf8_repair(a, tf_strtab_bytes(&t->strings, own ? own : type)) : NULL;
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

/* NULL for UINT32_MAX, which is no event. */
static const char *event_name(const struct tf_trace *t, uint32_t event, struct tf_arena *a)
{
	return event == UINT32_MAX ? NULL : tf_utf8_repair(a, tf_strtab_bytes(&t->strings, tf_event_name(t, event)));
}

/* A host event that is open while a gap is read, with the time that it spent there outside its children. */
struct open_event {
	uint32_t event;
	int64_t own_ps;
};

/* What the host did in a gap [begin, end). */
struct host_search {
	const struct tf_derived *d;
	int64_t begin_ps, end_ps;
	struct open_event *open; /* outermost first */
	size_t open_count, open_cap;
	uint32_t best; /* UINT32_MAX: none yet */
	int64_t best_ps;
};

static void close_event(struct host_search *s)
{
	const struct open_event *o = &s->open[--s->open_count];

	/* Markers, and wrappers around real work, are no activity. */
	if (o->own_ps > s->best_ps && tf_host_part(s->d, o->event, true) != TF_PART_COUNT) {
		s->best_ps = o->own_ps;
		s->best = o->event;
	}
}

static int open_event(struct host_search *s, uint32_t event, struct tf_error *err)
{
	int64_t from = s->d->trace->events.start_ps[event], to = tf_event_end(s->d->trace, event);
	int64_t common = tf_ps_between(from > s->begin_ps ? from : s->begin_ps, to < s->end_ps ? to : s->end_ps);

	if (common <= 0)
		return 0;
	while (s->open_count && s->open[s->open_count - 1].event != s->d->parent[event])
		close_event(s);
	if (s->open_count)
		s->open[s->open_count - 1].own_ps -= common;
	if (tf_vec_reserve((void **)&s->open, &s->open_cap, s->open_count + 1, sizeof *s->open) < 0)
		return tf_fail_nomem(err);
	s->open[s->open_count++] = (struct open_event){event, common};
	return 0;
}

/* The first event of the line that begins at `ps` or later. */
static size_t first_from(const struct tf_trace *t, const struct tf_line *l, int64_t ps)
{
	size_t low = l->event_first, high = l->event_first + l->event_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->events.start_ps[middle] < ps)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many events before a gap are asked what stands around it. */
enum { EVENTS_BEFORE_GAP = 256 };

/*
 * Opens what stands around the gap's begin, outermost first: the innermost event that is still open then, and its
 * parents. It is one of the events before `first` or a parent of one.
 */
static int open_around(struct host_search *s, const struct tf_line *l, size_t first, struct tf_error *err)
{
	const struct tf_trace *t = s->d->trace;
	uint32_t inner = UINT32_MAX;
	size_t depth = 0;

	for (size_t i = first; inner == UINT32_MAX && i-- > l->event_first && first - i <= EVENTS_BEFORE_GAP;)
		for (inner = tf_event_counts(t, i) ? (uint32_t)i : UINT32_MAX;
		     inner != UINT32_MAX && tf_event_end(t, inner) <= s->begin_ps;)
			inner = s->d->parent[inner];
	for (uint32_t e = inner; e != UINT32_MAX; e = s->d->parent[e])
		depth++;
	if (tf_vec_reserve((void **)&s->open, &s->open_cap, depth + 1, sizeof *s->open) < 0)
		return tf_fail_nomem(err);
	s->open_count = depth;
	for (int64_t below = 0; inner != UINT32_MAX; inner = s->d->parent[inner]) {
		int64_t end = tf_event_end(t, inner);
		int64_t common = tf_ps_between(s->begin_ps, end < s->end_ps ? end : s->end_ps);
		s->open[--depth] = (struct open_event){inner, common - below};
		below = common;
	}
	return 0;
}

/* The host event that spent most of [begin, end) outside its children; *best is UINT32_MAX if there is none. */
static int host_activity(struct host_search *s, int64_t begin_ps, int64_t end_ps, struct tf_error *err)
{
	const struct tf_trace *t = s->d->trace;

	s->begin_ps = begin_ps;
	s->end_ps = end_ps;
	s->best = UINT32_MAX;
	s->best_ps = 0;
	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		if (!tf_line_is_host(t, line))
			continue;
		size_t first = first_from(t, line, begin_ps), last = line->event_first + line->event_count;
		if (open_around(s, line, first, err) < 0)
			return -1;
		for (size_t i = first; i < last && t->events.start_ps[i] < end_ps; i++)
			if (tf_event_counts(t, i) && open_event(s, (uint32_t)i, err) < 0)
				return -1;
		while (s->open_count)
			close_event(s);
	}
	return 0;
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
	int64_t xd = tf_ps_between(x->begin_ps, x->end_ps), yd = tf_ps_between(y->begin_ps, y->end_ps);
	if (xd != yd)
		return xd > yd ? -1 : 1;
	return x->begin_ps < y->begin_ps ? -1 : x->begin_ps > y->begin_ps;
}

/* Where the reading of a device's events in order stands: what came before reaches to reached_ps. */
struct gap_search {
	const struct device_work *w;
	size_t next;
	int64_t reached_ps;
	uint32_t reached_by;
	struct found_gap *gaps;
	size_t count, cap;
};

static void pass_event(const struct busy *b, int64_t *reached_ps, uint32_t *reached_by)
{
	if (b->at.end_ps < *reached_ps)
		return;
	*reached_ps = b->at.end_ps;
	*reached_by = b->event;
}

/* The gaps of a window, which begins at or after the one before, its ends included. 0 or -1 (memory). */
static int find_gaps(struct gap_search *s, struct tf_interval window, struct tf_error *err)
{
	const struct device_work *w = s->w;

	while (s->next < w->order_count && w->order[s->next].at.begin_ps < window.begin_ps)
		pass_event(&w->order[s->next++], &s->reached_ps, &s->reached_by);
	bool reaches = s->reached_ps >= window.begin_ps;
	int64_t busy_until = reaches ? s->reached_ps : window.begin_ps;
	uint32_t before = reaches ? s->reached_by : UINT32_MAX;
	for (size_t i = s->next; i <= w->order_count; i++) {
		bool last = i == w->order_count || w->order[i].at.begin_ps >= window.end_ps;
		int64_t until = last ? window.end_ps : w->order[i].at.begin_ps;
		if (until > busy_until) {
			if (tf_vec_reserve((void **)&s->gaps, &s->cap, s->count + 1, sizeof *s->gaps) < 0)
				return tf_fail_nomem(err);
			s->gaps[s->count++] = (struct found_gap){busy_until, until, before, last ? UINT32_MAX : w->order[i].event};
		}
		if (last)
			break;
		pass_event(&w->order[i], &busy_until, &before);
	}
	return 0;
}

static int keep_gaps(const struct tf_derived *d, struct device_work *w, const struct windows *windows, struct tf_arena *a,
		     struct tf_device *dev, struct tf_error *err)
{
	struct host_search search = {.d = d};
	struct gap_search found = {.w = w, .reached_ps = INT64_MIN, .reached_by = UINT32_MAX};
	int rc = -1;

	if (w->order_count)
		qsort(w->order, w->order_count, sizeof *w->order, by_begin);
	for (size_t i = 0; i < windows->count; i++)
		if (find_gaps(&found, windows->list[i], err) < 0)
			goto out;
	if (found.count)
		qsort(found.gaps, found.count, sizeof *found.gaps, longest_first);
	dev->gap_total = found.count;
	for (size_t i = 0; i < found.count && i < TF_LIMIT_DEVICE_GAPS; i++) {
		const struct found_gap *gap = &found.gaps[i];
		struct tf_gap *g = tf_arena_push(a, (void **)&dev->gaps, &dev->gap_count, &dev->gap_cap, sizeof *g);
		if (!g) {
			tf_fail_nomem(err);
			goto out;
		}
		if (host_activity(&search, gap->begin_ps, gap->end_ps, err) < 0)
			goto out;
		g->start_ps = gap->begin_ps;
		g->dur_ps = tf_ps_between(gap->begin_ps, gap->end_ps);
		g->before = event_name(d->trace, gap->before, a);
		g->after = event_name(d->trace, gap->after, a);
		g->host_event = event_name(d->trace, search.best, a);
	}
	rc = 0;
out:
	free(search.open);
	free(found.gaps);
	return rc;
}

/* Adds up what the device did in one window. Of communication, what no kernel hides is exposed. */
static void add_window(const struct device_work *w, struct tf_interval at, struct tf_device *dev)
{
	int64_t begin = at.begin_ps, end = at.end_ps, comm_ps = tf_interval_within(w->comm, w->comm_count, begin, end);

	dev->window_ps = tf_ps_add(dev->window_ps, tf_ps_between(begin, end));
	dev->busy_ps += tf_interval_within(w->all, w->all_count, begin, end);
	dev->kernel_ps += tf_interval_within(w->kernel, w->kernel_count, begin, end);
	dev->memcpy_ps += tf_interval_within(w->copy, w->copy_count, begin, end);
	dev->comm_ps += comm_ps;
	dev->exposed_comm_ps += comm_ps - tf_interval_common(w->comm, w->comm_count, w->kernel, w->kernel_count, begin, end);
}

static int measure(const struct tf_derived *d, size_t plane, struct tf_arena *a, const struct tf_steps *steps,
		   struct tf_device *dev, struct tf_error *err)
{
	struct device_work w = {0};
	struct windows windows = {0};
	int rc = -1;

	if (collect(d, plane, &w, err) < 0 || steady_windows(steps, d->trace->sampled, &windows, err) < 0)
		goto out;
	dev->traced = w.order_count > 0;
	if (windows.count) {
		dev->window_source = d->trace->sampled ? "each_step" : "steps";
	} else if (w.all_count) {
		struct tf_interval all = {w.all[0].begin_ps, w.all[w.all_count - 1].end_ps};
		if (push(&windows.list, &windows.count, &windows.cap, all) < 0) {
			tf_fail_nomem(err);
			goto out;
		}
		dev->window_source = "device_events";
	}
	dev->window_start_ps = windows.count ? windows.list->begin_ps : 0;
	for (size_t i = 0; i < windows.count; i++)
		add_window(&w, windows.list[i], dev);
	if (dev->window_ps > 0)
		dev->idle_ratio = (double)(dev->window_ps - dev->busy_ps) / (double)dev->window_ps;
	if (dev->traced && dev->window_ps > 0 && keep_gaps(d, &w, &windows, a, dev, err) < 0)
		goto out;
	rc = 0;
out:
	release(&w);
	free(windows.list);
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

/* Kernels of each step; where no device has kernels (a TPU runs ops), their number is not known. */
static void count_step_kernels(const struct tf_derived *d, struct tf_host *h)
{
	const struct tf_trace *t = d->trace;
	bool any = false;

	for (size_t p = 0; p < t->plane_count; p++)
		any |= t->planes[p].kind == TF_PLANE_GPU || t->planes[p].kind == TF_PLANE_DEVICE;
	for (size_t i = 0; any && i < h->steps.count; i++)
		h->steps.list[i].kernel_count = 0;
	for (size_t l = 0; any && l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		if (!tf_line_is_raw_device(t, line))
			continue;
		for (size_t i = line->event_first; i < line->event_first + line->event_count; i++)
			if (d->step[i] >= 0 && tf_is_kernel(d, &t->planes[line->plane], i)) {
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
		struct tf_device_peaks peaks = tf_device_peaks_of(t, &t->planes[p]);
		dev->peak_flops = peaks.flops;
		dev->memory_bytes_per_s = peaks.memory_bytes_per_s;
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
