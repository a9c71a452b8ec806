/* Memory by allocator, in absolute time: peak, capacity, fragmentation, timeline (METRICS.md §6). */
#include "lib/analyze/memory.h"

#include <math.h>
#include <stdlib.h>

#include "lib/analyze/classify.h"
#include "lib/base/hash.h"
#include "lib/base/limits.h"
#include "lib/base/vec.h"

int64_t tf_memory_stat(const struct tf_trace *t, uint32_t event, uint32_t name)
{
	return tf_stat_i64(t, tf_event_stats(t, event), name);
}

static bool is_absurd(int64_t bytes)
{
	return bytes != TF_NONE && (bytes < 0 || bytes >= TF_ABSURD_BYTES);
}

/* Sizes that cannot be: the event takes part in no figure. */
static bool has_absurd_size(const struct tf_trace *t, uint32_t event)
{
	static const uint32_t sizes[] = {TF_NAME_bytes_reserved, TF_NAME_bytes_allocated, TF_NAME_allocation_bytes,
					 TF_NAME_requested_bytes};

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		if (is_absurd(tf_memory_stat(t, event, sizes[i])))
			return true;
	return false;
}

/* Stack and heap; TF_NONE if neither is recorded. */
static int64_t in_use(const struct tf_trace *t, uint32_t event)
{
	int64_t stack = tf_memory_stat(t, event, TF_NAME_bytes_reserved);
	int64_t heap = tf_memory_stat(t, event, TF_NAME_bytes_allocated);

	if (stack == TF_NONE || heap == TF_NONE)
		return stack == TF_NONE ? heap : stack;
	return stack + heap;
}

/* An allocator is a name; on a TPU an index. The stat that comes last says which. */
static char *allocator_name(const struct tf_trace *t, uint32_t event, struct tf_arena *a)
{
	struct tf_stat_range r = tf_event_stats(t, event);

	for (size_t i = (size_t)r.first + r.count; i-- > r.first;) {
		uint32_t name = t->stats.key[i] >> 3, kind = t->stats.key[i] & 7;
		if (name == TF_NAME_allocator_name && kind == TF_STAT_TEXT)
			return tf_utf8_repair(a, tf_strtab_bytes(&t->strings, (uint32_t)t->stats.value[i]));
		if ((name == TF_NAME_index_on_host || name == TF_NAME_device_ordinal)
		    && (kind == TF_STAT_I64 || kind == TF_STAT_U64))
			return tf_arena_printf(a, "%lld", (long long)t->stats.value[i]);
	}
	return tf_arena_strdup(a, "(unnamed)");
}

bool tf_allocator_is_on_device(const char *allocator)
{
	static const char *const host[] = {"cpu", "host"};

	return !tf_bytes_contain_any(tf_bytes_of(allocator), host, 2);
}

struct memory_reader {
	const struct tf_derived *d;
	struct tf_arena *arena;
	struct tf_host *host;
	struct tf_strtab names; /* allocator names; id - 1 is the index in host->memory */
	struct tf_memory_record *records;
	size_t count, cap;
	struct tf_error *err;
};

static int allocator_of(struct memory_reader *r, uint32_t event, uint32_t *at)
{
	char *name = allocator_name(r->d->trace, event, r->arena);
	uint32_t id;

	if (!name)
		return tf_fail_nomem(r->err);
	if (!*name)
		name = tf_arena_strdup(r->arena, "(unnamed)");
	if (!name || tf_strtab_add(&r->names, tf_bytes_of(name), &id, r->err) < 0)
		return -1;
	*at = id - 1;
	if (*at < r->host->memory_count)
		return 0;
	struct tf_allocator *m = tf_arena_push(r->arena, (void **)&r->host->memory, &r->host->memory_count,
					       &r->host->memory_cap, sizeof *m);
	if (!m)
		return tf_fail_nomem(r->err);
	m->name = name;
	m->on_device = tf_allocator_is_on_device(name);
	return 0;
}

static int collect(struct memory_reader *r)
{
	const struct tf_trace *t = r->d->trace;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_host(t, line) && i < line->event_first + line->event_count; i++) {
			uint32_t name = tf_event_name(t, i), allocator = 0;
			if (name < TF_NAME_memory_allocation || name > TF_NAME_memory_sample || !tf_event_counts(t, i))
				continue;
			if (has_absurd_size(t, (uint32_t)i)) {
				r->host->anomaly_count++;
				continue;
			}
			if (allocator_of(r, (uint32_t)i, &allocator) < 0)
				return -1;
			if (tf_vec_reserve((void **)&r->records, &r->cap, r->count + 1, sizeof *r->records) < 0)
				return tf_fail_nomem(r->err);
			r->records[r->count++] = (struct tf_memory_record){
				allocator, (uint32_t)i, t->events.start_ps[i],
				(enum tf_memory_kind)(name - TF_NAME_memory_allocation)};
		}
	}
	return 0;
}

/* By allocator, then time; equal times as they lie in the file. */
static int compare_records(const void *a, const void *b)
{
	const struct tf_memory_record *x = a, *y = b;

	if (x->allocator != y->allocator)
		return x->allocator < y->allocator ? -1 : 1;
	if (x->ps != y->ps)
		return x->ps < y->ps ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* The first record with the most bytes in use, SIZE_MAX if none says; how often that is reached again. */
static size_t find_peak(const struct tf_trace *t, const struct tf_memory_record *r, size_t n, struct tf_allocator *m)
{
	size_t peak = SIZE_MAX;

	m->peak_bytes = m->lifetime_peak_bytes = TF_NONE;
	for (size_t i = 0; i < n; i++) {
		int64_t bytes = in_use(t, r[i].event);
		int64_t lifetime = tf_memory_stat(t, r[i].event, TF_NAME_peak_bytes_in_use);
		if (bytes != TF_NONE && (peak == SIZE_MAX || bytes > m->peak_bytes)) {
			m->peak_bytes = bytes;
			m->ties = 0;
			peak = i;
		} else if (bytes != TF_NONE && bytes == m->peak_bytes) {
			m->ties++;
		}
		if (!is_absurd(lifetime) && lifetime > m->lifetime_peak_bytes)
			m->lifetime_peak_bytes = lifetime;
	}
	return peak;
}

/* Of an allocator whose peak no record tells, nothing is known of it. */
static void describe_no_peak(struct tf_allocator *m)
{
	m->peak_ps = m->peak_step_number = m->capacity_bytes = m->pre_existing_bytes = TF_NONE;
	m->peak_step = SIZE_MAX;
	m->fragmentation = NAN;
}

static void describe_peak(const struct tf_derived *d, const struct tf_memory_record *peak, const struct tf_host *h,
			  struct tf_allocator *m)
{
	int64_t available = tf_memory_stat(d->trace, peak->event, TF_NAME_bytes_available);
	int32_t step = d->step[peak->event];
	double fragmentation = tf_stat_double(d->trace, tf_event_stats(d->trace, peak->event), TF_NAME_fragmentation);

	m->peak_ps = peak->ps;
	m->peak_step = step < 0 ? SIZE_MAX : (size_t)step;
	m->peak_step_number = step < 0 ? TF_NONE : h->steps.list[step].number;
	m->capacity_bytes = is_absurd(available) || available == TF_NONE ? TF_NONE : m->peak_bytes + available;
	m->fragmentation = fragmentation >= 0 && fragmentation <= 1 ? fragmentation : NAN;
}

/*
 * At most TF_LIMIT_TIMELINE_POINTS points: n records fall into as many windows of n / limit or one more records, and
 * each window yields its first maximum.
 */
static int keep_timeline(const struct tf_trace *t, const struct tf_memory_record *r, size_t n, struct tf_arena *a,
			 struct tf_allocator *m, struct tf_error *err)
{
	size_t limit = TF_LIMIT_TIMELINE_POINTS, width = n / limit, narrow = limit * (width + 1) - n;
	size_t window = 0;

	for (size_t i = 0, size; i < n; i += size, window++) {
		size = n <= limit ? 1 : window < narrow ? width : width + 1;
		uint32_t best = r[i].event;
		size_t at = i;
		for (size_t j = i + 1; j < i + size; j++)
			if (in_use(t, r[j].event) > in_use(t, best)) {
				best = r[j].event;
				at = j;
			}
		struct tf_memory_point *p = tf_arena_push(a, (void **)&m->timeline, &m->timeline_count,
							  &m->timeline_cap, sizeof *p);
		if (!p)
			return tf_fail_nomem(err);
		double fragmentation = tf_stat_double(t, tf_event_stats(t, best), TF_NAME_fragmentation);
		*p = (struct tf_memory_point){
			.ps = r[at].ps,
			.heap_bytes = tf_memory_stat(t, best, TF_NAME_bytes_allocated),
			.stack_bytes = tf_memory_stat(t, best, TF_NAME_bytes_reserved),
			.free_bytes = tf_memory_stat(t, best, TF_NAME_bytes_available),
			.fragmentation = fragmentation >= 0 && fragmentation <= 1 ? fragmentation : NAN,
		};
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tf_allocator *)a)->name, ((const struct tf_allocator *)b)->name);
}

int tf_measure_memory(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err)
{
	struct memory_reader r = {.d = d, .arena = a, .host = h, .err = err};
	int rc = -1;

	if (collect(&r) < 0)
		goto out;
	if (r.count)
		qsort(r.records, r.count, sizeof *r.records, compare_records);
	for (size_t i = 0, n; i < r.count; i += n) {
		struct tf_allocator *m = &h->memory[r.records[i].allocator];
		for (n = 1; i + n < r.count && r.records[i + n].allocator == r.records[i].allocator; n++)
			;
		m->event_count = (int64_t)n;
		size_t peak = find_peak(d->trace, r.records + i, n, m);
		if (peak == SIZE_MAX)
			describe_no_peak(m);
		else
			describe_peak(d, &r.records[i + peak], h, m);
		if (keep_timeline(d->trace, r.records + i, n, a, m, err) < 0
		    || tf_memory_replay(d, r.records + i, n, peak, a, h, m, err) < 0)
			goto out;
	}
	if (h->memory_count)
		qsort(h->memory, h->memory_count, sizeof *h->memory, by_name);
	else
		h->memory_reason = "no_memory_events";
	rc = 0;
out:
	tf_strtab_release(&r.names);
	free(r.records);
	return rc;
}
