/* Where steps come from: markers on the host, executor loops, a device's Steps line, a period (METRICS.md §2). */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/loops.h"
#include "lib/analyze/steps.h"
#include "lib/base/vec.h"

/* Fewer repeats than this are no period. */
enum { PERIOD_LEAST = 3 };

static bool is_root(const struct tf_trace *t, size_t i)
{
	uint32_t name = tf_event_name(t, i);
	int64_t level = tf_stat_i64(t, tf_event_stats(t, i), TF_NAME_root);

	return name == TF_NAME_trace_context || name == TF_NAME_process_batch || name == TF_NAME_batching_session_run
	       || (level != TF_NONE && level > 0);
}

enum marker_kind { MARKER_NOMINATED, MARKER_NUMBERED, MARKER_ROOT, MARKER_IMPLICIT };

static bool is_marker(const struct tf_step_finder *f, size_t i, enum marker_kind kind)
{
	const struct tf_trace *t = f->d->trace;
	uint32_t name = tf_event_name(t, i);

	switch (kind) {
	case MARKER_NOMINATED:
		return f->nominated[t->events.meta[i]];
	case MARKER_NUMBERED:
		return t->events.stat_count[i] && tf_step_number(t, i) != TF_NONE;
	case MARKER_ROOT:
		return !tf_is_implicit_root(name) && is_root(t, i);
	case MARKER_IMPLICIT:
		return tf_is_implicit_root(name) && name != TF_NAME_executor_process && is_root(t, i)
		       && f->d->group[i] >= 0 && f->d->group_root[f->d->group[i]] == i;
	}
	return false;
}

/* A marker inside another of the same number is the same step (a function below the loop that calls it). */
static bool is_repeated(const struct tf_step_finder *f, size_t i, enum marker_kind kind)
{
	const struct tf_trace *t = f->d->trace;
	int64_t number = tf_step_number(t, i);
	int hops = 0;

	for (uint32_t p = f->d->parent[i]; p != UINT32_MAX && hops < 64; p = f->d->parent[p], hops++)
		if (is_marker(f, p, kind) && tf_step_number(t, p) == number
		    && (number != TF_NONE || tf_event_name(t, p) == tf_event_name(t, i)))
			return true;
	return false;
}

static int add_markers(struct tf_step_finder *f, enum marker_kind kind)
{
	const struct tf_trace *t = f->d->trace;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     tf_line_is_host(t, line) && i < line->event_first + line->event_count; i++) {
			if (!tf_event_counts(t, i) || !is_marker(f, i, kind) || is_repeated(f, i, kind))
				continue;
			struct tf_bytes name = tf_strtab_bytes(&t->strings, tf_event_name(t, i));
			if (tf_step_add(f, name, tf_step_number(t, i), t->events.start_ps[i], t->events.dur_ps[i],
					false) < 0
			    || tf_map_put(&f->markers, (uint64_t)t->events.start_ps[i], i, f->err) < 0)
				return -1;
		}
	}
	return 0;
}

/* The names that --step-event means, matched once each. */
static int match_names(struct tf_step_finder *f)
{
	const struct tf_trace *t = f->d->trace;

	f->nominated = tf_arena_array(f->arena, t->meta_count + 1, sizeof *f->nominated);
	if (!f->nominated)
		return tf_fail_nomem(f->err);
	for (size_t m = 0; m < t->meta_count; m++)
		f->nominated[m] = regexec(f->options->step_event,
					  tf_strtab_text(&t->strings, t->metas[m].name), 0, NULL, 0) == 0;
	return 0;
}

int tf_steps_from_markers(struct tf_step_finder *f)
{
	if (f->options && f->options->step_event)
		return match_names(f) < 0 ? -1 : add_markers(f, MARKER_NOMINATED);
	if (add_markers(f, MARKER_NUMBERED) < 0)
		return -1;
	return f->host->steps.count ? 0 : add_markers(f, MARKER_ROOT);
}

static int add_loops(struct tf_step_finder *f)
{
	struct tf_loops loops = {0};
	int rc = -1;

	if (tf_loops_find(f->d->trace, &loops, f->err) < 0)
		goto out;
	for (size_t i = 0; i < loops.count; i++) {
		const struct tf_iteration *it = &loops.list[i];
		if (tf_step_add(f, tf_bytes_of("ExecutorState::Process"), it->number, it->begin_ps,
				it->end_ps - it->begin_ps, false) < 0
		    || tf_map_put(&f->markers, (uint64_t)it->begin_ps, loops.events[it->first], f->err) < 0)
			goto out;
	}
	rc = 0;
out:
	tf_loops_release(&loops);
	return rc;
}

int tf_steps_from_executor(struct tf_step_finder *f)
{
	if (add_loops(f) < 0)
		return -1;
	return f->host->steps.count ? 0 : add_markers(f, MARKER_IMPLICIT);
}

/* Steps lines of all devices: events of one number are one step, from the first begin to the last end. */
int tf_steps_from_device(struct tf_step_finder *f)
{
	const struct tf_trace *t = f->d->trace;
	struct tf_map by_number = {0};
	int64_t number;
	int rc = -1;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		bool steps = (line->name == TF_NAME_line_steps || line->name == TF_NAME_line_sparse_steps)
			     && tf_plane_is_device(&t->planes[line->plane]);
		for (size_t i = line->event_first; steps && i < line->event_first + line->event_count; i++) {
			struct tf_bytes name = tf_strtab_bytes(&t->strings, tf_event_name(t, i));
			if (!tf_event_counts(t, i))
				continue;
			bool numbered = tf_parse_i64((const char *)name.data, &number);
			uint64_t *at = numbered ? tf_map_find(&by_number, (uint64_t)number) : NULL;
			if (!at) {
				if (tf_step_add(f, name, numbered ? number : TF_NONE, t->events.start_ps[i],
						t->events.dur_ps[i], true) < 0
				    || (numbered && tf_map_put(&by_number, (uint64_t)number, f->host->steps.count - 1,
							       f->err) < 0))
					goto out;
				continue;
			}
			struct tf_step *step = &f->host->steps.list[*at];
			int64_t end = step->device_start_ps + step->device_ps, own = tf_event_end(t, i);
			if (t->events.start_ps[i] < step->device_start_ps)
				step->device_start_ps = t->events.start_ps[i];
			step->device_ps = (own > end ? own : end) - step->device_start_ps;
		}
	}
	rc = 0;
out:
	tf_map_release(&by_number);
	return rc;
}

/* How often each event name begins outside others, and for how long in all, on lines that `wanted` admits. */
struct repeat {
	uint32_t name, line;
	size_t count;
	double total_ps;
};

static bool may_repeat(const struct tf_trace *t, const struct tf_line *line)
{
	return tf_line_is_host(t, line)
	       || (line->name == TF_NAME_line_xla_modules && tf_plane_is_device(&t->planes[line->plane]));
}

static int count_repeats(struct tf_step_finder *f, struct repeat **list, size_t *count)
{
	const struct tf_trace *t = f->d->trace;
	struct tf_map known = {0};
	size_t cap = 0;
	int rc = -1;

	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		for (size_t i = line->event_first;
		     may_repeat(t, line) && i < line->event_first + line->event_count; i++) {
			bool waits = f->d->info[t->events.meta[i]].input_wait;
			if (!tf_event_counts(t, i) || (f->d->parent[i] != UINT32_MAX && !waits))
				continue;
			uint64_t key = (uint64_t)l << 32 | tf_event_name(t, i);
			uint64_t *at = tf_map_find(&known, key);
			if (!at) {
				if (tf_vec_reserve((void **)list, &cap, *count + 1, sizeof **list) < 0
				    || tf_map_put(&known, key, *count, f->err) < 0) {
					tf_fail_nomem(f->err);
					goto out;
				}
				(*list)[(*count)++] = (struct repeat){tf_event_name(t, i), (uint32_t)l, 0, 0};
				at = tf_map_find(&known, key);
			}
			(*list)[*at].count++;
			(*list)[*at].total_ps += (double)t->events.dur_ps[i];
		}
	}
	rc = 0;
out:
	tf_map_release(&known);
	return rc;
}

/* Input waits say most about a step, then programs launched, by the time that they take. */
static int rank(const struct tf_step_finder *f, const struct repeat *r)
{
	const struct tf_trace *t = f->d->trace;
	struct tf_bytes name = tf_strtab_bytes(&t->strings, r->name);

	if (r->count < PERIOD_LEAST)
		return 0;
	if (tf_bytes_begin(name, "IteratorGetNext") || tf_bytes_begin(name, "MultiDeviceIteratorGetNext"))
		return memchr(name.data, '/', name.len) ? 0 : 3;
	if (t->lines[r->line].name == TF_NAME_line_xla_modules)
		return 2;
	return tf_bytes_begin(name, "jit_") || tf_bytes_begin(name, "PjitFunction(") ? 1 : 0;
}

/* 1 / (1 + coefficient of variation) of the periods: 1 for a clock. */
static double period_confidence(const struct tf_steps *s, struct tf_error *err)
{
	double *periods = malloc((s->count + 1) * sizeof *periods);

	if (!periods) {
		tf_fail_nomem(err);
		return NAN;
	}
	for (size_t i = 0; i < s->count; i++)
		periods[i] = (double)s->list[i].host_ps;
	double mean = tf_stats_mean(periods, s->count), spread = tf_stats_stddev(periods, s->count);
	free(periods);
	return mean > 0 ? 1 / (1 + spread / mean) : 0;
}

static int add_period(struct tf_step_finder *f, const struct repeat *r)
{
	const struct tf_trace *t = f->d->trace;
	const struct tf_line *line = &t->lines[r->line];
	struct tf_bytes name = tf_strtab_bytes(&t->strings, r->name);
	int64_t begin = TF_NONE, number = 0;

	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++) {
		if (tf_event_name(t, i) != r->name || !tf_event_counts(t, i))
			continue;
		if (begin != TF_NONE && tf_step_add(f, name, number++, begin, t->events.start_ps[i] - begin, false) < 0)
			return -1;
		begin = t->events.start_ps[i];
	}
	f->host->steps.event = tf_utf8_repair(f->arena, name);
	f->host->steps.confidence = period_confidence(&f->host->steps, f->err);
	return f->host->steps.event && !isnan(f->host->steps.confidence) ? 0 : tf_fail_nomem(f->err);
}

int tf_steps_from_period(struct tf_step_finder *f)
{
	struct repeat *list = NULL, *best = NULL;
	size_t count = 0;
	int rc = count_repeats(f, &list, &count);

	for (size_t i = 0; i < count; i++) {
		int own = rank(f, &list[i]), top = best ? rank(f, best) : 0;
		if (own > top || (own && own == top && list[i].total_ps > best->total_ps))
			best = &list[i];
	}
	if (rc == 0 && best)
		rc = add_period(f, best);
	free(list);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	const struct repeat *x = a, *y = b;
	return x->name < y->name ? -1 : x->name > y->name;
}

static int by_count(const void *a, const void *b)
{
	const struct repeat *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return by_name(a, b);
}

/* One entry a name, most frequent first; what is there once does not repeat. */
static size_t merge_repeats(struct repeat *list, size_t count)
{
	size_t kept = 0, repeated = 0;

	if (count == 0)
		return 0;
	qsort(list, count, sizeof *list, by_name);
	for (size_t i = 0; i < count; i++)
		if (kept && list[kept - 1].name == list[i].name)
			list[kept - 1].count += list[i].count;
		else
			list[kept++] = list[i];
	qsort(list, kept, sizeof *list, by_count);
	while (repeated < kept && list[repeated].count > 1)
		repeated++;
	return repeated;
}

int tf_steps_explain(struct tf_step_finder *f)
{
	const struct tf_trace *t = f->d->trace;
	struct repeat *list = NULL;
	size_t count = 0;
	struct tf_buf text = {0};
	int rc = -1;

	if (count_repeats(f, &list, &count) < 0)
		goto out;
	count = merge_repeats(list, count);
	tf_buf_text(&text, f->options && f->options->step_event
				   ? "looked for events that --step-event names"
				   : "looked for events with step_num, root events (_r), executor loops, SessionRun "
				     "and FunctionRun roots, a Steps line, a repeated IteratorGetNext or XLA module");
	tf_buf_text(&text, "; what repeats: ");
	for (size_t i = 0; i < count && i < 5; i++) {
		struct tf_bytes name = tf_strtab_bytes(&t->strings, list[i].name);
		tf_buf_text(&text, i ? ", " : "");
		tf_buf_add(&text, (const char *)name.data, name.len < 80 ? name.len : 80);
		tf_buf_printf(&text, " (%zu)", list[i].count);
	}
	if (count == 0)
		tf_buf_text(&text, "nothing");
	if (!text.failed)
		f->host->steps.looked_for =
			tf_utf8_repair(f->arena, (struct tf_bytes){(const uint8_t *)text.data, text.len});
	rc = f->host->steps.looked_for ? 0 : tf_fail_nomem(f->err);
out:
	tf_buf_release(&text);
	free(list);
	return rc;
}
