/*
 * Ends the building of a trace: puts events on session time, orders them, tells derived lines, spans the capture and
 * flags absurd times (METRICS.md §0.4, §1).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/trace/trace.h"

/* Differences of times within this (26 days) of the start never overflow, nor do sums of a few. */
#define FAR_PS (INT64_C(1) << 61)
#define HOUR_PS (INT64_C(3600) * 1000 * 1000 * 1000 * 1000)

/* Ids of the lines that XProf derives: 0xDEADBEEF as a signed 32-bit number, and as some tools print it. */
#define DERIVED_ID_FIRST INT64_C(-559038737)
#define DERIVED_ID_FIRST_UNSIGNED INT64_C(3735928559)
#define DERIVED_ID_COUNT 390

static bool in_derived_range(int64_t id)
{
	return (id >= DERIVED_ID_FIRST && id < DERIVED_ID_FIRST + DERIVED_ID_COUNT)
	       || (id >= DERIVED_ID_FIRST_UNSIGNED && id < DERIVED_ID_FIRST_UNSIGNED + DERIVED_ID_COUNT);
}

/* Lines that annotate a device's work by their name alone. XLA Ops is one only beside raw streams. */
static bool is_annotation(const struct tf_line *l)
{
	switch (l->name) {
	case TF_NAME_line_steps:
	case TF_NAME_line_sparse_steps:
	case TF_NAME_line_xla_modules:
	case TF_NAME_line_sparse_modules:
	case TF_NAME_line_framework_ops:
	case TF_NAME_line_framework_scope:
	case TF_NAME_line_tensorflow_ops:
	case TF_NAME_line_tensorflow_scope:
	case TF_NAME_line_source:
	case TF_NAME_line_launch_stats:
		return true;
	default:
		return in_derived_range(l->id);
	}
}

static bool is_xla_ops(const struct tf_line *l)
{
	return l->name == TF_NAME_line_xla_ops || l->name == TF_NAME_line_async_xla_ops;
}

/* A plane of a kind of its own that holds no event is no device: it may carry nothing but a graph. */
static void drop_empty_devices(struct tf_trace *t)
{
	for (size_t p = 0; p < t->plane_count; p++) {
		struct tf_plane *plane = &t->planes[p];
		size_t events = 0;
		for (size_t l = plane->line_first; l < plane->line_first + plane->line_count; l++)
			events += t->lines[l].event_count;
		if (plane->kind == TF_PLANE_DEVICE && events == 0)
			plane->kind = TF_PLANE_OTHER;
	}
}

static void mark_derived_lines(struct tf_trace *t)
{
	for (size_t p = 0; p < t->plane_count; p++) {
		const struct tf_plane *plane = &t->planes[p];
		struct tf_line *lines;
		bool streams = false;

		if (!plane->line_count)
			continue;
		lines = t->lines + plane->line_first;
		for (size_t i = 0; i < plane->line_count; i++) {
			lines[i].derived |= in_derived_range(lines[i].id)
					    || (tf_plane_is_device(plane) && is_annotation(&lines[i]));
			streams |= !lines[i].derived && !is_xla_ops(&lines[i]) && lines[i].event_count > 0;
		}
		if (!streams || plane->kind == TF_PLANE_TPU || plane->kind == TF_PLANE_SPARSE)
			continue;
		for (size_t i = 0; i < plane->line_count; i++)
			lines[i].derived |= is_xla_ops(&lines[i]) && tf_plane_is_device(plane);
	}
}

/* The value of a stat of the Task Environment plane. */
static int64_t environment_ns(const struct tf_trace *t, uint32_t name)
{
	for (size_t p = 0; p < t->plane_count; p++)
		if (t->planes[p].name == TF_NAME_task_environment) {
			int64_t value = tf_stat_i64(t, t->planes[p].stats, name);
			if (value != TF_NONE && value > 0)
				return value;
		}
	return TF_NONE;
}

/* The earliest line that has events, of those from `from_ns` on. */
static int64_t earliest_line_ns(const struct tf_trace *t, int64_t from_ns)
{
	int64_t earliest = TF_NONE;

	for (size_t i = 0; i < t->line_count; i++) {
		const struct tf_line *l = &t->lines[i];
		if (l->event_count && l->timestamp_ns >= from_ns
		    && (earliest == TF_NONE || l->timestamp_ns < earliest))
			earliest = l->timestamp_ns;
	}
	return earliest;
}

static void set_base(struct tf_trace *t)
{
	t->start_ns = environment_ns(t, TF_NAME_profile_start_time);
	if (t->start_ns == TF_NONE)
		t->start_ns = earliest_line_ns(t, TF_WALL_CLOCK_NS);
	t->base_ns = t->start_ns;
	if (t->base_ns == TF_NONE) {
		int64_t first_ns = earliest_line_ns(t, INT64_MIN);
		t->base_ns = first_ns > TF_DAY_NS ? first_ns : 0;
	}
}

/* Sets start_ps of a line's events from their offsets. Sums that leave int64 saturate and are flagged. */
static void place_events(struct tf_trace *t, const struct tf_line *l)
{
	bool is_based = l->timestamp_ns >= TF_WALL_CLOCK_NS || (t->start_ns == TF_NONE && l->timestamp_ns >= t->base_ns);
	int64_t line_ps, from_base = is_based ? l->timestamp_ns - t->base_ns : l->timestamp_ns;
	bool bad_line = __builtin_mul_overflow(from_base, INT64_C(1000), &line_ps);

	for (size_t i = l->event_first; i < l->event_first + l->event_count; i++) {
		int64_t *start = &t->events.start_ps[i], end;
		int64_t offset = *start;
		if (bad_line || __builtin_add_overflow(line_ps, offset, start)) {
			*start = from_base < 0 ? INT64_MIN + 1 : INT64_MAX;
			t->events.flags[i] |= TF_EVENT_ABSURD;
		}
		if (t->events.dur_ps[i] < 0 || __builtin_add_overflow(*start, t->events.dur_ps[i], &end)
		    || *start < -FAR_PS || end > FAR_PS)
			t->events.flags[i] |= TF_EVENT_ABSURD;
	}
}

struct placed {
	int64_t start_ps, dur_ps;
	uint32_t meta, stat_first;
	uint32_t from;
	uint16_t stat_count;
	uint8_t flags;
};

/* By start, then longer first, then as they came. */
static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	if (x->dur_ps != y->dur_ps)
		return x->dur_ps > y->dur_ps ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static bool is_ordered(const struct tf_events *e, size_t first, size_t count)
{
	for (size_t i = first + 1; i < first + count; i++)
		if (e->start_ps[i] < e->start_ps[i - 1]
		    || (e->start_ps[i] == e->start_ps[i - 1] && e->dur_ps[i] > e->dur_ps[i - 1]))
			return false;
	return true;
}

/* Sparse counts follow their events: `moved[old - first]` is the new place. */
static void move_counts(struct tf_trace *t, size_t first, size_t count, const uint32_t *moved)
{
	for (size_t i = 0; i < t->count_count; i++) {
		uint32_t *event = &t->counts[i].event;
		if (*event >= first && *event < first + count)
			*event = moved[*event - first];
	}
}

static int order_line(struct tf_trace *t, const struct tf_line *l, struct tf_error *err)
{
	struct tf_events *e = &t->events;
	size_t first = l->event_first, count = l->event_count;

	if (is_ordered(e, first, count))
		return 0;
	struct placed *sorted = malloc(count * sizeof *sorted);
	uint32_t *moved = malloc(count * sizeof *moved);
	if (!sorted || !moved) {
		free(sorted);
		free(moved);
		return tf_fail_nomem(err);
	}
	for (size_t i = 0; i < count; i++) {
		size_t at = first + i;
		sorted[i] = (struct placed){e->start_ps[at], e->dur_ps[at],	e->meta[at], e->stat_first[at],
					    (uint32_t)i,     e->stat_count[at], e->flags[at]};
	}
	qsort(sorted, count, sizeof *sorted, compare_placed);
	for (size_t i = 0; i < count; i++) {
		size_t at = first + i;
		e->start_ps[at] = sorted[i].start_ps;
		e->dur_ps[at] = sorted[i].dur_ps;
		e->meta[at] = sorted[i].meta;
		e->stat_first[at] = sorted[i].stat_first;
		e->stat_count[at] = sorted[i].stat_count;
		e->flags[at] = sorted[i].flags;
		moved[sorted[i].from] = (uint32_t)at;
	}
	move_counts(t, first, count, moved);
	free(sorted);
	free(moved);
	return 0;
}

static int compare_counts(const void *a, const void *b)
{
	const struct tf_event_count *x = a, *y = b;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Widens the hull [*begin, *end] by event i. */
static void widen(const struct tf_trace *t, size_t i, int64_t *begin, int64_t *end)
{
	int64_t start = t->events.start_ps[i], stop = tf_event_end(t, i);

	if (*begin == TF_NONE || start < *begin)
		*begin = start;
	if (*end == TF_NONE || stop > *end)
		*end = stop;
}

/*
 * Where the file does not say when the capture ran: the hull of the raw events that last at most an hour and at most
 * 1000 times all others together. A record that was never filled in (time 0, length 0) is no evidence of when it ran.
 */
static void guess_span(const struct tf_trace *t, int64_t *begin, int64_t *end)
{
	double total = 0;
	bool any_length = false;

	for (size_t i = 0; i < t->events.count; i++)
		if (!t->events.flags[i] && t->events.dur_ps[i] <= HOUR_PS) {
			total += (double)t->events.dur_ps[i];
			any_length |= t->events.dur_ps[i] > 0;
		}
	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first; !line->derived && i < line->event_first + line->event_count; i++) {
			int64_t dur = t->events.dur_ps[i];
			double others = total - (double)dur;
			bool unset = dur == 0 && t->events.start_ps[i] == 0 && line->timestamp_ns == 0;
			if (t->events.flags[i] || dur > HOUR_PS || (any_length && unset))
				continue;
			if (others > 0 && (double)dur > 1000 * others)
				continue;
			widen(t, i, begin, end);
		}
	}
}

static void flag_absurd(struct tf_trace *t, int64_t begin, int64_t end)
{
	int64_t length, low, high;

	if (begin == TF_NONE || __builtin_sub_overflow(end, begin, &length))
		return;
	if (__builtin_sub_overflow(begin, length, &low))
		low = INT64_MIN;
	if (__builtin_add_overflow(end, length, &high))
		high = INT64_MAX;
	for (size_t i = 0; i < t->events.count; i++)
		if (!t->events.flags[i] && (t->events.start_ps[i] < low || tf_event_end(t, i) > high))
			t->events.flags[i] |= TF_EVENT_ABSURD;
}

/* The hull of the raw events that count. */
static void raw_span(const struct tf_trace *t, int64_t *begin, int64_t *end)
{
	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first; !line->derived && i < line->event_first + line->event_count; i++)
			if (tf_event_counts(t, i))
				widen(t, i, begin, end);
	}
}

static void span_capture(struct tf_trace *t)
{
	int64_t start_ns = environment_ns(t, TF_NAME_profile_start_time);
	int64_t stop_ns = environment_ns(t, TF_NAME_profile_stop_time);
	int64_t begin = TF_NONE, end = TF_NONE, stop_ps;

	t->declared = start_ns != TF_NONE && stop_ns != TF_NONE && stop_ns > start_ns
		      && !__builtin_mul_overflow(stop_ns - start_ns, INT64_C(1000), &stop_ps);
	if (t->declared) {
		t->begin_ps = 0;
		t->end_ps = stop_ps;
		flag_absurd(t, 0, stop_ps);
	} else {
		guess_span(t, &begin, &end);
		flag_absurd(t, begin, end);
		raw_span(t, &t->begin_ps, &t->end_ps);
	}
	for (size_t i = 0; i < t->events.count; i++)
		t->anomaly_count += (t->events.flags[i] & TF_EVENT_ABSURD) != 0;
}

int tf_trace_finish(struct tf_trace *t, struct tf_error *err)
{
	set_base(t);
	for (size_t i = 0; i < t->line_count; i++) {
		place_events(t, &t->lines[i]);
		if (order_line(t, &t->lines[i], err) < 0)
			return -1;
	}
	if (t->count_count)
		qsort(t->counts, t->count_count, sizeof *t->counts, compare_counts);
	drop_empty_devices(t);
	mark_derived_lines(t);
	span_capture(t);
	return 0;
}
