/* Steps: the best source that the capture has, their spans on host and devices, warm-up and periods (METRICS.md §2). */
#include "lib/analyze/steps.h"

#include <ctype.h>
#include <stdlib.h>

#include "lib/base/vec.h"

/* Warm-up steps at most: a capture whose steps shrink for longer has no steady state to speak of. */
enum { WARMUP_LIMIT = 32 };

/* The number at the end of a name, and where it begins; TF_NONE if there is none. */
static int64_t trailing_number(const char *name, size_t *begin)
{
	size_t len = strlen(name), at = len;
	int64_t number;

	while (at > 0 && isdigit((unsigned char)name[at - 1]))
		at--;
	*begin = at;
	return at < len && tf_parse_i64(name + at, &number) ? number : TF_NONE;
}

/* The name without the step's number: "train 0", "train 1" and "ProfilerStep#7" are of one series each, and so are numbers alone. */
static char *series_name(struct tf_arena *a, const char *name, int64_t number)
{
	size_t len;
	int64_t trailing = trailing_number(name, &len);
	bool separated = len > 0 && strchr(" #:", name[len - 1]);

	if (trailing != TF_NONE && len == 0)
		return tf_arena_strdup(a, "step");
	if (trailing == TF_NONE || (!separated && trailing != number))
		return tf_arena_strdup(a, name);
	while (len > 1 && strchr(" #:", name[len - 1]))
		len--;
	return tf_arena_strndup(a, name, len);
}

static struct tf_step *push_step(struct tf_step_finder *f)
{
	struct tf_steps *s = &f->host->steps;
	struct tf_step *step = tf_arena_push(f->arena, (void **)&s->list, &s->count, &s->cap, sizeof *step);

	if (!step) {
		tf_fail_nomem(f->err);
		return NULL;
	}
	step->number = step->host_start_ps = step->host_ps = step->device_start_ps = step->device_ps = TF_NONE;
	step->period_ps = step->input_ps = step->stall_ps = step->kernel_count = TF_NONE;
	return step;
}

int tf_step_add(struct tf_step_finder *f, struct tf_bytes name, int64_t number, int64_t start_ps, int64_t dur_ps,
		bool on_device)
{
	struct tf_step *step = push_step(f);
	size_t begin;

	if (!step)
		return -1;
	step->name = tf_utf8_repair(f->arena, name);
	if (!step->name)
		return tf_fail_nomem(f->err);
	if (number == TF_NONE)
		number = trailing_number(step->name, &begin);
	if (number == TF_NONE)
		number = (int64_t)f->host->steps.count - 1;
	step->number = number;
	step->series = series_name(f->arena, step->name, number);
	if (on_device) {
		step->device_start_ps = start_ps;
		step->device_ps = dur_ps;
	} else {
		step->host_start_ps = start_ps;
		step->host_ps = dur_ps;
	}
	return step->series ? 0 : tf_fail_nomem(f->err);
}

int64_t tf_step_marked_begin(const struct tf_step *step, int64_t *dur_ps)
{
	bool host = step->host_start_ps != TF_NONE;

	*dur_ps = host ? step->host_ps : step->device_ps;
	return host ? step->host_start_ps : step->device_start_ps;
}

static int by_begin(const void *a, const void *b)
{
	const struct tf_step *x = a, *y = b;
	int64_t dur_ps, xs = tf_step_marked_begin(x, &dur_ps), ys = tf_step_marked_begin(y, &dur_ps);

	if (xs != ys)
		return xs < ys ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Gives each event of a group to the step that the group's root marks. */
static int assign_groups(struct tf_step_finder *f)
{
	struct tf_derived *d = f->d;
	struct tf_steps *s = &f->host->steps;

	d->group_step = malloc((d->group_count + 1) * sizeof *d->group_step);
	if (!d->group_step)
		return tf_fail_nomem(f->err);
	for (size_t g = 0; g < d->group_count; g++)
		d->group_step[g] = -1;
	for (size_t i = s->count; i-- > 0;) {
		uint64_t *event = tf_map_find(&f->markers, (uint64_t)s->list[i].host_start_ps);
		if (event && d->group[*event] >= 0 && d->group_root[d->group[*event]] == *event)
			d->group_step[d->group[*event]] = (int32_t)i;
	}
	for (size_t i = 0; i < d->trace->events.count; i++)
		if (d->group[i] >= 0)
			d->step[i] = d->group_step[d->group[i]];
	return 0;
}

size_t tf_step_after(const struct tf_steps *s, int64_t ps)
{
	size_t low = 0, high = s->count;
	int64_t dur_ps;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (tf_step_marked_begin(&s->list[middle], &dur_ps) <= ps)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The last step whose marker holds the time, -1: none. Steps are sorted by their begin. The answer is the same for
 * later times before *until.
 */
static int32_t step_at(const struct tf_steps *s, int64_t ps, int64_t *until)
{
	size_t low = tf_step_after(s, ps);
	int64_t dur_ps;

	*until = low < s->count ? tf_step_marked_begin(&s->list[low], &dur_ps) : INT64_MAX;
	/* Steps may nest or overlap: look back over a few. */
	for (size_t back = 0; low-- > 0 && back < 8; back++) {
		int64_t begin = tf_step_marked_begin(&s->list[low], &dur_ps);
		if (ps >= begin + dur_ps)
			continue;
		*until = begin + dur_ps < *until ? begin + dur_ps : *until;
		return (int32_t)low;
	}
	return -1;
}

/*
 * Host events that no group gives to a step belong to the step during which they begin, and so do those inside a
 * marker that is no root, such as a nominated one. `owners` tells which steps have a group.
 */
static void assign_host(struct tf_step_finder *f, const struct tf_line *line, const bool *owners, bool all_own)
{
	struct tf_derived *d = f->d;
	const struct tf_trace *t = d->trace;

	int32_t at = -1;
	int64_t until = INT64_MIN; /* `at` is known to be right up to here */

	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++) {
		if ((d->step[i] >= 0 && all_own) || !tf_event_counts(t, i))
			continue;
		if (t->events.start_ps[i] >= until)
			at = step_at(&f->host->steps, t->events.start_ps[i], &until);
		if (d->step[i] < 0 || (at >= 0 && !owners[at]))
			d->step[i] = at;
	}
}

/*
 * Device events follow what launched them: a group whose root marks no step belongs to the step during which the root
 * begins. Only where no id links any device event does their own time decide.
 */
static void assign_device(struct tf_step_finder *f, const struct tf_line *line)
{
	struct tf_derived *d = f->d;
	const struct tf_trace *t = d->trace;
	struct tf_steps *s = &f->host->steps;
	bool own_markers = s->source == TF_STEPS_DEVICE_MARKER;
	bool linked = d->linked_devices && !own_markers;
	int64_t until;

	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++) {
		if (d->step[i] >= 0 || !tf_event_counts(t, i) || (linked && d->group[i] < 0))
			continue;
		d->step[i] = step_at(s, t->events.start_ps[linked ? d->group_root[d->group[i]] : i], &until);
		if (d->step[i] >= 0 && !linked && !own_markers)
			s->list[d->step[i]].device_by_overlap = true;
	}
}

static int assign_rest(struct tf_step_finder *f)
{
	struct tf_derived *d = f->d;
	const struct tf_trace *t = d->trace;
	bool *owners = calloc(f->host->steps.count + 1, sizeof *owners);
	bool all_own = true;

	if (!owners)
		return tf_fail_nomem(f->err);
	for (size_t g = 0; g < d->group_count; g++)
		if (d->group_step[g] >= 0)
			owners[d->group_step[g]] = true;
	for (size_t i = 0; i < f->host->steps.count; i++)
		all_own &= owners[i];
	for (size_t l = 0; l < t->line_count; l++) {
		if (tf_line_is_host(t, &t->lines[l]))
			assign_host(f, &t->lines[l], owners, all_own);
		else if (tf_line_is_raw_device(t, &t->lines[l]))
			assign_device(f, &t->lines[l]);
	}
	free(owners);
	return 0;
}

static void widen(struct tf_step *step, int64_t begin, int64_t end)
{
	if (step->device_ps == TF_NONE) {
		step->device_start_ps = begin;
		step->device_ps = end - begin;
		return;
	}
	int64_t last = step->device_start_ps + step->device_ps;
	if (begin < step->device_start_ps)
		step->device_start_ps = begin;
	step->device_ps = (end > last ? end : last) - step->device_start_ps;
}

/* Device spans: first begin to last end of the raw device events of the step. */
static void span_devices(struct tf_step_finder *f)
{
	const struct tf_trace *t = f->d->trace;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_raw_device(t, line) && i < line->event_first + line->event_count; i++)
			if (tf_event_counts(t, i) && f->d->step[i] >= 0)
				widen(&f->host->steps.list[f->d->step[i]], t->events.start_ps[i], tf_event_end(t, i));
	}
}

/* Busy time of one device: in all, and of the events that belong to a step. */
static int measure_busy(const struct tf_derived *d, const struct tf_plane *p, int64_t *busy_ps, int64_t *inside_ps,
			struct tf_error *err)
{
	const struct tf_trace *t = d->trace;
	struct tf_interval *all = NULL, *inside = NULL;
	size_t all_count = 0, all_cap = 0, inside_count = 0, inside_cap = 0;
	int rc = 0;

	for (size_t l = p->line_first; rc == 0 && l < p->line_first + p->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     rc == 0 && tf_line_is_raw_device(t, line) && i < line->event_first + line->event_count; i++) {
			if (!tf_event_counts(t, i))
				continue;
			if (tf_vec_reserve((void **)&all, &all_cap, all_count + 1, sizeof *all) < 0
			    || tf_vec_reserve((void **)&inside, &inside_cap, inside_count + 1, sizeof *inside) < 0)
				rc = tf_fail_nomem(err);
			struct tf_interval at = {t->events.start_ps[i], tf_event_end(t, i)};
			if (rc == 0)
				all[all_count++] = at;
			if (rc == 0 && d->step[i] >= 0)
				inside[inside_count++] = at;
		}
	}
	all_count = tf_interval_merge(all, all_count);
	inside_count = tf_interval_merge(inside, inside_count);
	*busy_ps = tf_ps_add(*busy_ps, tf_interval_within(all, all_count, INT64_MIN, INT64_MAX));
	*inside_ps = tf_ps_add(*inside_ps, tf_interval_within(inside, inside_count, INT64_MIN, INT64_MAX));
	free(all);
	free(inside);
	return rc;
}

static int judge_devices(struct tf_step_finder *f)
{
	const struct tf_trace *t = f->d->trace;
	int64_t busy_ps = 0, inside_ps = 0;

	for (size_t p = 0; p < t->plane_count; p++)
		if (tf_plane_is_device(&t->planes[p])
		    && measure_busy(f->d, &t->planes[p], &busy_ps, &inside_ps, f->err) < 0)
			return -1;
	f->host->steps.device_unreliable = (double)(busy_ps - inside_ps) > 0.2 * (double)busy_ps;
	return 0;
}

/* The step's interval is the longer span, the host's if both are equal. */
static void choose_interval(const struct tf_trace *t, struct tf_step *step)
{
	bool device = step->device_ps != TF_NONE && (step->host_ps == TF_NONE || step->device_ps > step->host_ps);
	int64_t end;

	step->start_ps = device ? step->device_start_ps : step->host_start_ps;
	step->step_ps = device ? step->device_ps : step->host_ps;
	end = step->start_ps + step->step_ps;
	step->complete = t->begin_ps != TF_NONE && step->start_ps >= t->begin_ps && end <= t->end_ps;
}

static struct tf_step_series *series_of(struct tf_step_finder *f, const char *name)
{
	struct tf_steps *s = &f->host->steps;

	for (size_t i = 0; i < s->series_count; i++)
		if (strcmp(s->series[i].name, name) == 0)
			return &s->series[i];
	struct tf_step_series *series = tf_arena_push(f->arena, (void **)&s->series, &s->series_count, &s->series_cap,
						      sizeof *series);
	if (series)
		series->name = name;
	return series;
}

static int build_series(struct tf_step_finder *f)
{
	struct tf_steps *s = &f->host->steps;
	size_t best = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct tf_step_series *series = series_of(f, s->list[i].series);
		if (!series)
			return tf_fail_nomem(f->err);
		s->list[i].series = series->name; /* one pointer a series: compared as such below */
		series->count++;
		series->total_ps = tf_ps_add(series->total_ps, s->list[i].step_ps);
	}
	for (size_t i = 1; i < s->series_count; i++)
		if (s->series[i].total_ps > s->series[best].total_ps)
			best = i;
	if (s->series_count)
		s->series[best].main = true;
	for (size_t i = 0; i < s->count; i++)
		s->list[i].main_series = s->list[i].series == s->series[best].name;
	return 0;
}

/*
 * True if nothing tells that `step` is not the one after `before`. Steps are in order of their markers: one that the device makes long may
 * start after the next.
 */
static bool is_next(const struct tf_step *before, const struct tf_step *step, bool sampled)
{
	return step->start_ps >= before->start_ps && (!sampled || (before->number < INT64_MAX && step->number == before->number + 1));
}

/* Start to start within a series. Where nothing is recorded between steps, others may have run there. */
static void measure_periods(struct tf_steps *s, bool sampled)
{
	for (size_t k = 0; k < s->series_count; k++) {
		struct tf_step *before = NULL;
		for (size_t i = 0; i < s->count; i++) {
			struct tf_step *step = &s->list[i];
			if (step->series != s->series[k].name)
				continue;
			if (before && is_next(before, step, sampled))
				before->period_ps = step->start_ps - before->start_ps;
			before = step;
		}
	}
}

int tf_steps_flag_warmup(struct tf_steps *s, struct tf_error *err)
{
	double *later = malloc((s->count + 1) * sizeof *later);
	int flagged = 0;

	if (!later)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < s->count && flagged < WARMUP_LIMIT; i++) {
		size_t n = 0;
		if (!s->list[i].complete || !s->list[i].main_series)
			continue;
		for (size_t j = i + 1; j < s->count; j++)
			if (s->list[j].complete && s->list[j].main_series)
				later[n++] = (double)s->list[j].step_ps;
		if (n == 0 || (double)s->list[i].step_ps <= 2 * tf_stats_percentile(later, n, 0.5))
			break;
		s->list[i].warmup = true;
		flagged++;
	}
	free(later);
	return 0;
}

static int complete_steps(struct tf_step_finder *f)
{
	struct tf_steps *s = &f->host->steps;

	qsort(s->list, s->count, sizeof *s->list, by_begin);
	if (assign_groups(f) < 0 || assign_rest(f) < 0 || judge_devices(f) < 0)
		return -1;
	if (s->source != TF_STEPS_DEVICE_MARKER)
		span_devices(f);
	for (size_t i = 0; i < s->count; i++)
		choose_interval(f->d->trace, &s->list[i]);
	if (build_series(f) < 0)
		return -1;
	measure_periods(s, f->d->trace->sampled);
	return tf_steps_flag_warmup(s, f->err);
}

int tf_find_steps(struct tf_derived *d, const struct tf_analyze_options *o, struct tf_arena *a, struct tf_host *h,
		  struct tf_error *err)
{
	struct tf_step_finder f = {.d = d, .options = o, .arena = a, .host = h, .err = err};
	int (*const sources[])(struct tf_step_finder *) = {
		tf_steps_from_markers, tf_steps_from_executor, tf_steps_from_device, tf_steps_from_period};
	struct tf_steps *s = &h->steps;
	int rc = -1;

	s->source = TF_STEPS_NONE;
	/* A nominated marker or nothing. */
	int wanted = o && o->step_event ? TF_STEPS_HOST_MARKER + 1 : TF_STEPS_NONE;

	for (int i = 0; i < wanted && s->count == 0; i++) {
		if (sources[i](&f) < 0)
			goto out;
		if (s->count)
			s->source = (enum tf_step_source)i;
	}
	if (s->count == 0) {
		s->reason = "no_step_marker";
		rc = tf_steps_explain(&f);
		goto out;
	}
	if (s->source != TF_STEPS_INFERRED)
		s->confidence = 1;
	if (!s->event)
		s->event = s->list[0].series;
	rc = complete_steps(&f);
out:
	tf_map_release(&f.markers);
	return rc;
}
