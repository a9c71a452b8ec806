/* Building a trace out of events in any order. */
#include "lib/decode/trace_tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/decode/json_reader.h"
#include "lib/decode/step_streams.h"
#include "lib/base/vec.h"

static int reserve(struct tf_tracks *k, void **items, size_t *cap, size_t need, size_t size)
{
	return tf_vec_reserve(items, cap, need, size) < 0 ? tf_fail_nomem(k->err) : 0;
}

void tf_tracks_release(struct tf_tracks *k)
{
	tf_strtab_release(&k->keys);
	tf_map_release(&k->process_of);
	tf_map_release(&k->thread_names);
	tf_map_release(&k->meta_of);
	tf_map_release(&k->facts_of);
	tf_buf_release(&k->scratch);
	free(k->tracks);
	free(k->processes);
	free(k->track_of);
	free(k->ps_of);
	free(k->marks);
}

int tf_tracks_process(struct tf_tracks *k, uint32_t pid, uint32_t *at)
{
	const uint64_t *found = tf_map_find(&k->process_of, pid);

	if (found) {
		*at = (uint32_t)*found;
		return 0;
	}
	if (reserve(k, (void **)&k->processes, &k->process_cap, k->process_count + 1, sizeof *k->processes) < 0)
		return -1;
	*at = (uint32_t)k->process_count;
	k->processes[k->process_count++] = (struct tf_process){.pid = pid};
	return tf_map_put(&k->process_of, pid, *at, k->err);
}

int tf_tracks_find(struct tf_tracks *k, uint32_t process, int64_t device, uint32_t thread, bool derived, uint32_t *at)
{
	uint32_t id;

	/* Never empty, so that ids count from 1. */
	k->scratch.len = 0;
	tf_buf_printf(&k->scratch, "%lu %lld %lu %d", (unsigned long)process, (long long)device, (unsigned long)thread, derived);
	if (k->scratch.failed)
		return tf_fail_nomem(k->err);
	if (tf_strtab_add(&k->keys, (struct tf_bytes){(uint8_t *)k->scratch.data, k->scratch.len}, &id, k->err) < 0)
		return -1;
	*at = id - 1;
	if (*at < k->track_count)
		return 0;
	if (reserve(k, (void **)&k->tracks, &k->track_cap, k->track_count + 1, sizeof *k->tracks) < 0)
		return -1;
	k->tracks[k->track_count++] =
		(struct tf_track){.process = process, .device = device, .thread = thread, .derived = derived};
	return 0;
}

int tf_tracks_meta(struct tf_tracks *k, uint32_t name, uint32_t category, uint32_t *at)
{
	uint64_t key = (uint64_t)name << 32 | category;
	const uint64_t *found = tf_map_find(&k->meta_of, key);

	if (found) {
		*at = (uint32_t)*found;
		return 0;
	}
	if (tf_trace_add_meta(k->t, name, 0, at, k->err) < 0)
		return -1;
	if (category) {
		struct tf_event_meta *meta = &k->t->metas[*at];
		meta->stats = (struct tf_stat_range){(uint32_t)k->t->stats.count, 1};
		if (tf_trace_add_stat(k->t, TF_NAME_cat, TF_STAT_TEXT, category, k->err) < 0)
			return -1;
	}
	return tf_map_put(&k->meta_of, key, *at, k->err);
}

int tf_tracks_add(struct tf_tracks *k, uint32_t track, uint32_t meta, struct tf_fine_time at, int64_t dur_ps, size_t stat_first,
		  bool absurd)
{
	size_t i = k->t->events.count;

	if (reserve(k, (void **)&k->track_of, &k->track_of_cap, i + 1, sizeof *k->track_of) < 0
	    || reserve(k, (void **)&k->ps_of, &k->ps_of_cap, i + 1, sizeof *k->ps_of) < 0
	    || tf_trace_add_loose_event(k->t, meta, at.ns, dur_ps, stat_first, k->err) < 0)
		return -1;
	k->track_of[i] = track;
	k->ps_of[i] = at.ps;
	if (absurd)
		k->t->events.flags[i] |= TF_EVENT_ABSURD;
	return 0;
}

int tf_tracks_argument(struct tf_tracks *k, uint32_t name, struct tf_bytes text)
{
	struct tf_json_value v = {.kind = TF_JSON_STRING, .raw = text};
	size_t sign = text.len && text.data[0] == '-';
	int64_t integer;
	uint64_t natural;
	uint32_t id;

	if (text.len > sign && (text.data[sign] != '0' || text.len == 1)) {
		if (tf_json_as_i64(&v, &integer))
			return tf_trace_add_stat(k->t, name, TF_STAT_I64, integer, k->err);
		if (tf_json_as_u64(&v, &natural))
			return tf_trace_add_stat(k->t, name, TF_STAT_U64, (int64_t)natural, k->err);
	}
	return tf_trace_intern(k->t, text, &id, k->err) < 0 ? -1 : tf_trace_add_stat(k->t, name, TF_STAT_TEXT, id, k->err);
}

int tf_tracks_mark(struct tf_tracks *k, uint32_t track, struct tf_fine_time at, bool begins, size_t stat_first)
{
	if (reserve(k, (void **)&k->marks, &k->mark_cap, k->mark_count + 1, sizeof *k->marks) < 0)
		return -1;
	k->marks[k->mark_count++] = (struct tf_mark){.track = track, .at = at, .begins = begins,
						     .event = (uint32_t)(k->t->events.count - 1),
						     .stat_first = (uint32_t)stat_first,
						     .stat_count = (uint32_t)(k->t->stats.count - stat_first)};
	return 0;
}

/* By track, then time. qsort need not be stable: `event` and `stat_first` only grow, so they keep the order in the file. */
static int compare_marks(const void *a, const void *b)
{
	const struct tf_mark *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->at.ns != y->at.ns)
		return x->at.ns < y->at.ns ? -1 : 1;
	if (x->at.ps != y->at.ps)
		return x->at.ps < y->at.ps ? -1 : 1;
	if (x->begins != y->begins)
		return x->begins ? 1 : -1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* From one time to a later one; saturates. */
static int64_t span_ps(struct tf_fine_time from, struct tf_fine_time to)
{
	int64_t ns, ps;

	if (__builtin_sub_overflow(to.ns, from.ns, &ns) || __builtin_mul_overflow(ns, INT64_C(1000), &ps)
	    || __builtin_add_overflow(ps, (int64_t)(to.ps - from.ps), &ps))
		return INT64_MAX;
	return ps;
}

/* Arguments of the end go behind a copy of those of the begin. */
static int add_end_stats(struct tf_tracks *k, uint32_t event, const struct tf_mark *end)
{
	struct tf_trace *t = k->t;
	struct tf_stat_range own = tf_event_stats(t, event);
	size_t first = t->stats.count;

	for (uint32_t i = 0; i < own.count + end->stat_count; i++) {
		uint32_t from = i < own.count ? own.first + i : end->stat_first + i - own.count;
		if (tf_trace_add_stat(t, t->stats.key[from] >> 3, (enum tf_stat_kind)(t->stats.key[from] & 7), t->stats.value[from],
				      k->err) < 0)
			return -1;
	}
	t->events.stat_first[event] = (uint32_t)first;
	t->events.stat_count[event] = (uint16_t)(own.count + end->stat_count < UINT16_MAX ? own.count + end->stat_count : UINT16_MAX);
	return 0;
}

static int close_slice(struct tf_tracks *k, const struct tf_mark *begin, const struct tf_mark *end)
{
	k->t->events.dur_ps[begin->event] = span_ps(begin->at, end->at);
	return end->stat_count ? add_end_stats(k, begin->event, end) : 0;
}

static bool same_moment(const struct tf_mark *a, const struct tf_mark *b)
{
	return a->track == b->track && a->at.ns == b->at.ns && a->at.ps == b->at.ps;
}

/*
 * Pairs begins and ends of each track, the last begin first. At one moment ends come before begins (what ends there began earlier);
 * ends that then find nothing open belong to begins of the same moment.
 */
static int pair_marks(struct tf_tracks *k)
{
	struct tf_mark *m = k->marks;
	size_t *open = malloc((k->mark_count + 1) * sizeof *open), depth = 0;
	int rc = open ? 0 : tf_fail_nomem(k->err);

	if (rc == 0 && k->mark_count)
		qsort(m, k->mark_count, sizeof *m, compare_marks);
	for (size_t i = 0; rc == 0 && i < k->mark_count;) {
		size_t next = i, ends = 0, late = 0;
		if (i && m[i].track != m[i - 1].track) {
			k->unpaired += depth;
			depth = 0;
		}
		for (; rc == 0 && next < k->mark_count && same_moment(&m[i], &m[next]); next++) {
			ends += !m[next].begins;
			if (m[next].begins)
				open[depth++] = next;
			else if (depth)
				rc = close_slice(k, &m[open[--depth]], &m[next]);
			else
				late++;
		}
		for (; rc == 0 && late && depth; late--)
			rc = close_slice(k, &m[open[--depth]], &m[i + ends - late]);
		k->unpaired += late;
		i = next;
	}
	k->unpaired += depth;
	free(open);
	return rc;
}

/* Adds Kineto's base to the times that count from it. */
static void add_base(struct tf_tracks *k)
{
	int64_t *ns = k->t->events.start_ps;

	for (size_t i = 0; k->base_ns && i < k->t->events.count; i++)
		if (ns[i] < TF_WALL_CLOCK_NS && __builtin_add_overflow(ns[i], k->base_ns, &ns[i]))
			ns[i] = INT64_MAX;
}

/* The time that line times count from: the first event's, of those on the wall clock if there are any. */
static int64_t first_ns(const struct tf_trace *t)
{
	int64_t any = INT64_MAX, wall = INT64_MAX;

	for (size_t i = 0; i < t->events.count; i++) {
		int64_t ns = t->events.start_ps[i];
		if (t->events.flags[i])
			continue;
		any = ns < any ? ns : any;
		wall = ns >= TF_WALL_CLOCK_NS && ns < wall ? ns : wall;
	}
	return wall != INT64_MAX ? wall : any != INT64_MAX && any > TF_DAY_NS ? any : 0;
}

/* From ns on the clock of the file to ps from `base_ns` on. */
static void place(struct tf_tracks *k, int64_t base_ns)
{
	struct tf_events *e = &k->t->events;

	for (size_t i = 0; i < e->count; i++) {
		bool early = e->start_ps[i] < base_ns;
		int64_t *start = &e->start_ps[i];
		if (__builtin_sub_overflow(*start, base_ns, start) || __builtin_mul_overflow(*start, INT64_C(1000), start)
		    || __builtin_add_overflow(*start, (int64_t)k->ps_of[i], start)) {
			*start = early ? INT64_MIN + 1 : INT64_MAX;
			e->flags[i] |= TF_EVENT_ABSURD;
		}
	}
}

static int add_line(struct tf_tracks *k, struct tf_track *track, size_t plane, uint32_t pid, int64_t base_ns, bool stream)
{
	struct tf_trace *t = k->t;
	struct tf_bytes tid = tf_strtab_bytes(&t->strings, track->thread);
	const uint64_t *named = tf_map_find(&k->thread_names, (uint64_t)pid << 32 | track->thread);
	struct tf_line line = {.timestamp_ns = base_ns, .derived = track->derived};
	bool number = tf_parse_i64((const char *)tid.data, &line.id);

	if (!number)
		line.id = (int64_t)t->line_count;
	line.display_id = line.id;
	line.name = named ? (uint32_t)*named : track->thread;
	if (!named && stream && number) {
		k->scratch.len = 0;
		tf_buf_printf(&k->scratch, "stream %lld", (long long)line.id);
		if (k->scratch.failed)
			return tf_fail_nomem(k->err);
		if (tf_trace_intern(t, (struct tf_bytes){(uint8_t *)k->scratch.data, k->scratch.len}, &line.name, k->err) < 0)
			return -1;
	}
	return tf_trace_add_line(t, plane, &line, &track->line, k->err);
}

/* What a process's plane is called, and which kind it is if its name does not tell. */
static int add_process_plane(struct tf_tracks *k, const struct tf_process *p, size_t *at)
{
	struct tf_bytes name = tf_strtab_bytes(&k->t->strings, p->name);
	const char *text = (const char *)name.data, *device = strstr(text, "/device:");
	int64_t id = (int64_t)k->t->plane_count;
	bool tensors = name.len > 8 && strcmp(text + name.len - 8, " Tensors") == 0;

	if (!name.len) {
		k->scratch.len = 0;
		tf_buf_printf(&k->scratch, "process %s", tf_strtab_text(&k->t->strings, p->pid));
		if (k->scratch.failed)
			return tf_fail_nomem(k->err);
		name = (struct tf_bytes){(uint8_t *)k->scratch.data, k->scratch.len};
	}
	/* "HOST /device:GPU:0". TensorFlow 1's "/job:…/device:GPU:0 Compute" is what the host's executor saw of the device. */
	if (device && device != text && device[-1] == ' ')
		name = tf_bytes_of(device);
	tf_parse_i64(tf_strtab_text(&k->t->strings, p->pid), &id);
	if (tf_trace_add_plane(k->t, name, id, at, k->err) < 0)
		return -1;
	struct tf_plane *plane = &k->t->planes[*at];
	if (tensors)
		plane->kind = TF_PLANE_OTHER;
	else if (plane->kind == TF_PLANE_OTHER)
		plane->kind = TF_PLANE_HOST;
	return 0;
}

static bool names_device(const struct tf_tracks *k, const struct tf_process *p)
{
	return strstr(tf_strtab_text(&k->t->strings, p->name), "/device:") != NULL;
}

/* Lines of the tracks of one process or device, which lie together in `order` from *at on. */
static int add_lines(struct tf_tracks *k, struct tf_track *const *order, size_t *at, size_t plane, uint32_t pid, int64_t base_ns)
{
	const struct tf_track *first = order[*at];

	for (; *at < k->track_count && order[*at]->process == first->process && order[*at]->device == first->device; (*at)++)
		if (add_line(k, order[*at], plane, pid, base_ns, first->process == UINT32_MAX) < 0)
			return -1;
	return 0;
}

static int add_processes(struct tf_tracks *k, struct tf_track *const *order, size_t *at, int64_t base_ns)
{
	for (uint32_t i = 0; i < k->process_count; i++) {
		const struct tf_process *p = &k->processes[i];
		bool used = *at < k->track_count && order[*at]->process == i;
		size_t plane;
		if (!used && (p->home || !names_device(k, p)))
			continue;
		if (add_process_plane(k, p, &plane) < 0 || (used && add_lines(k, order, at, plane, p->pid, base_ns) < 0))
			return -1;
	}
	return 0;
}

static int add_devices(struct tf_tracks *k, struct tf_track *const *order, size_t *at, int64_t base_ns)
{
	while (*at < k->track_count) {
		int64_t device = order[*at]->device;
		char name[48];
		size_t plane;
		struct tf_bytes text = {(uint8_t *)name, 0};
		text.len = (size_t)snprintf(name, sizeof name, "/device:GPU:%lld", (long long)device);
		if (tf_trace_add_plane(k->t, text, device, &plane, k->err) < 0)
			return -1;
		const uint64_t *facts = tf_map_find(&k->facts_of, (uint64_t)device);
		if (facts)
			k->t->planes[plane].stats = (struct tf_stat_range){(uint32_t)(*facts >> 32), (uint32_t)*facts};
		if (add_lines(k, order, at, plane, TF_NAME_EMPTY, base_ns) < 0)
			return -1;
	}
	return 0;
}

/* By process, devices last and by ordinal, then as they came. */
static int compare_tracks(const void *a, const void *b)
{
	const struct tf_track *x = *(struct tf_track *const *)a, *y = *(struct tf_track *const *)b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int add_planes(struct tf_tracks *k, int64_t base_ns)
{
	struct tf_track **order = malloc((k->track_count + 1) * sizeof *order);
	size_t at = 0;

	if (!order)
		return tf_fail_nomem(k->err);
	for (size_t i = 0; i < k->track_count; i++)
		order[i] = &k->tracks[i];
	qsort(order, k->track_count, sizeof *order, compare_tracks);
	int rc = add_processes(k, order, &at, base_ns);
	if (rc == 0)
		rc = add_devices(k, order, &at, base_ns);
	free(order);
	return rc;
}

int tf_tracks_settle(struct tf_tracks *k)
{
	struct tf_trace *t = k->t;

	if (pair_marks(k) < 0 || tf_tracks_fold_streams(k) < 0)
		return -1;
	add_base(k);
	int64_t base_ns = first_ns(t);
	place(k, base_ns);
	if (add_planes(k, base_ns) < 0)
		return -1;
	for (size_t p = 0; p < t->plane_count; p++) { /* all share their metadata */
		t->planes[p].meta_first = 0;
		t->planes[p].meta_count = (uint32_t)t->meta_count;
	}
	for (size_t i = 0; i < t->events.count; i++)
		k->track_of[i] = (uint32_t)k->tracks[k->track_of[i]].line;
	return tf_trace_gather(t, k->track_of, k->err);
}
