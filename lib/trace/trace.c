/* The model of one capture: building it, and looking at stats, lines and planes. */
#include "lib/trace/trace.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/base/text.h"
#include "lib/base/vec.h"

static const char *const known_names[] = {
	"",
#define TF_NAME(identifier, text) text,
#include "lib/trace/names.def"
#undef TF_NAME
};

int tf_trace_init(struct tf_trace *t, struct tf_error *err)
{
	for (uint32_t i = 0; i < TF_NAME_COUNT; i++) {
		uint32_t id;
		if (tf_strtab_add(&t->strings, tf_bytes_of(known_names[i]), &id, err) < 0)
			return -1;
		assert(id == i); /* names.def lists no name twice */
	}
	t->start_ns = t->begin_ps = t->end_ps = TF_NONE;
	return 0;
}

void tf_trace_release(struct tf_trace *t)
{
	tf_strtab_release(&t->strings);
	free(t->stats.key);
	free(t->stats.value);
	free(t->metas);
	free(t->events.start_ps);
	free(t->events.dur_ps);
	free(t->events.meta);
	free(t->events.stat_first);
	free(t->events.stat_count);
	free(t->events.flags);
	free(t->counts);
	free(t->lines);
	free(t->planes);
	free(t->errors);
	free(t->warnings);
	free(t->hostnames);
	free(t->programs);
	*t = (struct tf_trace){0};
}

int tf_trace_intern(struct tf_trace *t, struct tf_bytes text, uint32_t *id, struct tf_error *err)
{
	return tf_strtab_add(&t->strings, text, id, err);
}

int tf_trace_add_stat(struct tf_trace *t, uint32_t name, enum tf_stat_kind kind, int64_t value, struct tf_error *err)
{
	struct tf_stats *s = &t->stats;
	size_t need = s->count + 1;

	if (need >= UINT32_MAX || tf_vec_reserve((void **)&s->key, &s->key_cap, need, sizeof *s->key) < 0
	    || tf_vec_reserve((void **)&s->value, &s->value_cap, need, sizeof *s->value) < 0)
		return tf_fail_nomem(err);
	s->key[s->count] = name << 3 | (uint32_t)kind;
	s->value[s->count++] = value;
	return 0;
}

int tf_trace_add_meta(struct tf_trace *t, uint32_t name, uint32_t display_name, uint32_t *at, struct tf_error *err)
{
	if (t->meta_count >= UINT32_MAX - 1
	    || tf_vec_reserve((void **)&t->metas, &t->meta_cap, t->meta_count + 1, sizeof *t->metas) < 0)
		return tf_fail_nomem(err);
	t->metas[t->meta_count] = (struct tf_event_meta){.name = name, .display_name = display_name};
	*at = (uint32_t)t->meta_count++;
	return 0;
}

/* The number behind a prefix, when nothing follows it; else TF_NONE. */
static int64_t ordinal_after(const char *text, const char *prefix)
{
	int64_t n;
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) == 0 && tf_parse_i64(text + len, &n) && n >= 0 ? n : TF_NONE;
}

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void classify_plane(struct tf_plane *p, const char *name)
{
	static const char *const host[] = {"/host:CPU",		"/host:CUPTI",	    "/host:NVTX-CUPTI",
					   "/host:ROCTRACER",	"/host:TPU-runtime", "/host:python-tracer"};

	p->ordinal = TF_NONE;
	p->kind = TF_PLANE_OTHER;
	for (size_t i = 0; i < sizeof host / sizeof host[0]; i++)
		if (begins(name, host[i])) {
			p->kind = TF_PLANE_HOST;
			return;
		}
	if (begins(name, "/host:") || begins(name, "Host CPUs") || begins(name, "Syscalls") || begins(name, "/device:CPU")) {
		p->kind = TF_PLANE_HOST_OTHER;
	} else if (begins(name, "/device:GPU:")) {
		p->kind = TF_PLANE_GPU;
		p->ordinal = ordinal_after(name, "/device:GPU:");
	} else if (begins(name, "/device:TPU:")) {
		p->ordinal = ordinal_after(name, "/device:TPU:");
		p->kind = p->ordinal != TF_NONE ? TF_PLANE_TPU
			  : strstr(name, "SparseCore") ? TF_PLANE_SPARSE
						       : TF_PLANE_DEVICE;
	} else if (begins(name, "/device:")) {
		p->kind = TF_PLANE_DEVICE;
	}
}

int tf_trace_add_plane(struct tf_trace *t, struct tf_bytes name, int64_t id, size_t *at, struct tf_error *err)
{
	struct tf_plane p = {.id = id, .line_first = t->line_count, .meta_first = (uint32_t)t->meta_count};

	if (tf_strtab_add(&t->strings, name, &p.name, err) < 0)
		return -1;
	if (tf_vec_reserve((void **)&t->planes, &t->plane_cap, t->plane_count + 1, sizeof *t->planes) < 0)
		return tf_fail_nomem(err);
	classify_plane(&p, tf_strtab_text(&t->strings, p.name));
	*at = t->plane_count;
	t->planes[t->plane_count++] = p;
	return 0;
}

int tf_trace_add_line(struct tf_trace *t, size_t plane, const struct tf_line *line, size_t *at, struct tf_error *err)
{
	assert(plane + 1 == t->plane_count); /* the lines of a plane lie together */
	if (tf_vec_reserve((void **)&t->lines, &t->line_cap, t->line_count + 1, sizeof *t->lines) < 0)
		return tf_fail_nomem(err);
	*at = t->line_count;
	struct tf_line *l = &t->lines[t->line_count++];
	*l = *line;
	l->plane = (uint32_t)plane;
	l->event_first = t->events.count;
	l->event_count = 0;
	t->planes[plane].line_count++;
	return 0;
}

static int reserve_event(struct tf_events *e, size_t need)
{
	struct {
		void **column;
		size_t size;
	} columns[] = {
		{(void **)&e->start_ps, sizeof *e->start_ps},	  {(void **)&e->dur_ps, sizeof *e->dur_ps},
		{(void **)&e->meta, sizeof *e->meta},		  {(void **)&e->stat_first, sizeof *e->stat_first},
		{(void **)&e->stat_count, sizeof *e->stat_count}, {(void **)&e->flags, sizeof *e->flags},
	};

	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (tf_vec_reserve(columns[i].column, &e->cap[i], need, columns[i].size) < 0)
			return -1;
	return 0;
}

int tf_trace_reserve_events(struct tf_trace *t, size_t more, struct tf_error *err)
{
	if (more > UINT32_MAX - 1 - t->events.count || reserve_event(&t->events, t->events.count + more) < 0)
		return tf_fail_nomem(err);
	return 0;
}

int tf_trace_add_loose_event(struct tf_trace *t, uint32_t meta, int64_t offset_ps, int64_t dur_ps, size_t stat_first,
			     struct tf_error *err)
{
	struct tf_events *e = &t->events;
	size_t i = e->count;

	assert(meta < t->meta_count && stat_first <= t->stats.count);
	if (e->cap[5] == i && tf_trace_reserve_events(t, 1, err) < 0) /* the last column is grown last */
		return -1;
	size_t stats = t->stats.count - stat_first;
	e->start_ps[i] = offset_ps;
	e->dur_ps[i] = dur_ps;
	e->meta[i] = meta;
	e->stat_first[i] = (uint32_t)stat_first;
	e->stat_count[i] = (uint16_t)(stats < TF_LIMIT_EVENT_STATS ? stats : TF_LIMIT_EVENT_STATS);
	e->flags[i] = 0;
	e->count++;
	return 0;
}

int tf_trace_add_event(struct tf_trace *t, uint32_t meta, int64_t offset_ps, int64_t dur_ps, int64_t count,
		       size_t stat_first, struct tf_error *err)
{
	size_t i = t->events.count;

	assert(t->line_count);
	if (tf_trace_add_loose_event(t, meta, count == TF_NONE ? offset_ps : 0, dur_ps, stat_first, err) < 0)
		return -1;
	t->lines[t->line_count - 1].event_count++;
	if (count == TF_NONE)
		return 0;
	if (tf_vec_reserve((void **)&t->counts, &t->count_cap, t->count_count + 1, sizeof *t->counts) < 0)
		return tf_fail_nomem(err);
	t->counts[t->count_count++] = (struct tf_event_count){(uint32_t)i, count};
	t->events.flags[i] = TF_EVENT_AGGREGATED;
	return 0;
}

/* Moves the elements of a column to their new places, by way of `spare`. */
static void move_column(void *column, size_t size, size_t count, const uint32_t *to, void *spare)
{
	const char *from = column;
	char *moved = spare;

	for (size_t i = 0; i < count; i++)
		memcpy(moved + to[i] * size, from + i * size, size);
	if (count) /* an empty column is NULL */
		memcpy(column, spare, count * size);
}

int tf_trace_gather(struct tf_trace *t, const uint32_t *line_of, struct tf_error *err)
{
	struct tf_events *e = &t->events;
	uint32_t *to = malloc((e->count + 1) * sizeof *to);
	void *spare = malloc((e->count + 1) * sizeof(int64_t));
	size_t at = 0;

	assert(t->count_count == 0);
	if (!to || !spare) {
		free(to);
		free(spare);
		return tf_fail_nomem(err);
	}
	for (size_t i = 0; i < e->count; i++)
		t->lines[line_of[i]].event_count++;
	for (size_t l = 0; l < t->line_count; l++) {
		t->lines[l].event_first = at;
		at += t->lines[l].event_count;
		t->lines[l].event_count = 0;
	}
	for (size_t i = 0; i < e->count; i++) {
		struct tf_line *l = &t->lines[line_of[i]];
		to[i] = (uint32_t)(l->event_first + l->event_count++);
	}
	move_column(e->start_ps, sizeof *e->start_ps, e->count, to, spare);
	move_column(e->dur_ps, sizeof *e->dur_ps, e->count, to, spare);
	move_column(e->meta, sizeof *e->meta, e->count, to, spare);
	move_column(e->stat_first, sizeof *e->stat_first, e->count, to, spare);
	move_column(e->stat_count, sizeof *e->stat_count, e->count, to, spare);
	move_column(e->flags, sizeof *e->flags, e->count, to, spare);
	free(to);
	free(spare);
	return 0;
}

bool tf_stat_find(const struct tf_trace *t, struct tf_stat_range range, uint32_t name, size_t *at)
{
	for (size_t i = (size_t)range.first + range.count; i-- > range.first;)
		if (t->stats.key[i] >> 3 == name) {
			*at = i;
			return true;
		}
	return false;
}

/* The stat's value as a double. */
static double bits_to_double(int64_t bits)
{
	double d;
	memcpy(&d, &bits, sizeof d);
	return d;
}

int64_t tf_stat_i64(const struct tf_trace *t, struct tf_stat_range range, uint32_t name)
{
	size_t i;
	int64_t value;

	if (!tf_stat_find(t, range, name, &i))
		return TF_NONE;
	switch (t->stats.key[i] & 7) {
	case TF_STAT_I64:
	case TF_STAT_U64:
		return t->stats.value[i];
	case TF_STAT_DOUBLE: {
		double d = bits_to_double(t->stats.value[i]);
		return d > -9.2e18 && d < 9.2e18 ? (int64_t)d : TF_NONE;
	}
	case TF_STAT_TEXT:
		return tf_parse_i64(tf_strtab_text(&t->strings, (uint32_t)t->stats.value[i]), &value) ? value : TF_NONE;
	default:
		return TF_NONE;
	}
}

double tf_stat_double(const struct tf_trace *t, struct tf_stat_range range, uint32_t name)
{
	size_t i;
	double value;

	if (!tf_stat_find(t, range, name, &i))
		return NAN;
	switch (t->stats.key[i] & 7) {
	case TF_STAT_I64:
		return (double)t->stats.value[i];
	case TF_STAT_U64:
		return (double)(uint64_t)t->stats.value[i];
	case TF_STAT_DOUBLE:
		return bits_to_double(t->stats.value[i]);
	case TF_STAT_TEXT:
		return tf_parse_double(tf_strtab_text(&t->strings, (uint32_t)t->stats.value[i]), &value) ? value : NAN;
	default:
		return NAN;
	}
}

uint32_t tf_stat_text(const struct tf_trace *t, struct tf_stat_range range, uint32_t name)
{
	size_t i;

	if (!tf_stat_find(t, range, name, &i) || (t->stats.key[i] & 7) != TF_STAT_TEXT)
		return 0;
	return (uint32_t)t->stats.value[i];
}

size_t tf_trace_line_of(const struct tf_trace *t, size_t event)
{
	size_t low = 0, high = t->line_count;

	assert(event < t->events.count);
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (t->lines[middle].event_first <= event)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool tf_plane_is_device(const struct tf_plane *p)
{
	return p->kind == TF_PLANE_GPU || p->kind == TF_PLANE_TPU || p->kind == TF_PLANE_SPARSE
	       || p->kind == TF_PLANE_DEVICE;
}
