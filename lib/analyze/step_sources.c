/* Where steps come from: markers on the host, executor loops, a device's Steps line, a period (METRICS.md §2). */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/steps.h"
#include "lib/base/vec.h"

/* Fewer repeats than this are no period. */
enum { PERIOD_LEAST = 3 };

static bool is_implicit_root(uint32_t name)
{
	return name == TF_NAME_function_run || name == TF_NAME_session_run || name == TF_NAME_run_graph
	       || name == TF_NAME_executor_process;
}

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
		return regexec(f->options->step_event, tf_strtab_text(&t->strings, name), 0, NULL, 0) == 0;
	case MARKER_NUMBERED:
		return t->events.stat_count[i] && tf_step_number(t, i) != TF_NONE;
	case MARKER_ROOT:
		return !is_implicit_root(name) && is_root(t, i);
	case MARKER_IMPLICIT:
		return is_implicit_root(name) && name != TF_NAME_executor_process && is_root(t, i)
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
			if (tf_map_put(&f->markers, (uint64_t)t->events.start_ps[i], i, f->err) < 0
			    || tf_step_add(f, name, tf_step_number(t, i), t->events.start_ps[i], t->events.dur_ps[i],
					   false) < 0)
				return -1;
		}
	}
	return 0;
}

int tf_steps_from_markers(struct tf_step_finder *f)
{
	if (f->options && f->options->step_event)
		return add_markers(f, MARKER_NOMINATED);
	if (add_markers(f, MARKER_NUMBERED) < 0)
		return -1;
	return f->host->steps.count ? 0 : add_markers(f, MARKER_ROOT);
}

/* One iteration of an executor: the hull of its Process events. */
struct iteration {
	int64_t id, number, begin_ps, end_ps;
};

static int compare_iterations(const void *a, const void *b)
{
	const struct iteration *x = a, *y = b;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->begin_ps < y->begin_ps ? -1 : x->begin_ps > y->begin_ps;
}

static int collect_iterations(struct tf_step_finder *f, struct iteration **list, size_t *count)
{
	const struct tf_trace *t = f->d->trace;
	size_t cap = 0;

	for (size_t i = 0; i < t->events.count; i++) {
		if (tf_event_name(t, i) != TF_NAME_executor_process || !tf_event_counts(t, i))
			continue;
		int64_t id = tf_stat_i64(t, tf_event_stats(t, i), TF_NAME_id);
		int64_t number = tf_stat_i64(t, tf_event_stats(t, i), TF_NAME_iter_num);
		if (id == TF_NONE || number == TF_NONE)
			continue;
		if (tf_vec_reserve((void **)list, &cap, *count + 1, sizeof **list) < 0)
			return tf_fail_nomem(f->err);
		(*list)[(*count)++] = (struct iteration){id, number, t->events.start_ps[i], tf_event_end(t, i)};
	}
	if (*count)
		qsort(*list, *count, sizeof **list, compare_iterations);
	size_t kept = 0;
	for (size_t i = 0; i < *count; i++) {
		struct iteration *it = &(*list)[i], *last = kept ? &(*list)[kept - 1] : NULL;
		if (last && last->id == it->id && last->number == it->number) {
			if (it->end_ps > last->end_ps)
				last->end_ps = it->end_ps;
		} else {
			(*list)[kept++] = *it;
		}
	}
	*count = kept;
	return 0;
}

/* True if the iterations run one after the other, more than iteration 0, and not all inside one root. */
static bool is_loop(const struct tf_step_finder *f, const struct iteration *it, size_t n)
{
	const struct tf_trace *t = f->d->trace;

	if (n < 2)
		return n == 1 && it[0].number > 0;
	for (size_t i = 1; i < n; i++)
		if (it[i].begin_ps < it[i - 1].end_ps)
			return false;
	for (size_t i = 0; i < t->events.count; i++)
		if (is_implicit_root(tf_event_name(t, i)) && tf_event_name(t, i) != TF_NAME_executor_process
		    && tf_event_counts(t, i) && t->events.start_ps[i] <= it[0].begin_ps
		    && tf_event_end(t, i) >= it[n - 1].end_ps)
			return false;
	return true;
}

static int add_loops(struct tf_step_finder *f)
{
	struct iteration *list = NULL;
	size_t count = 0, checked = 0;
	int rc = -1;

	if (collect_iterations(f, &list, &count) < 0)
		goto out;
	for (size_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && list[i + n].id == list[i].id; n++)
			;
		/* Each check reads all events; a capture has few loops. */
		if ((n == 1 && list[i].number == 0) || checked++ >= 64 || !is_loop(f, list + i, n))
			continue;
		for (size_t j = i; j < i + n; j++)
			if (tf_step_add(f, tf_bytes_of("ExecutorState::Process"), list[j].number, list[j].begin_ps,
					list[j].end_ps - list[j].begin_ps, false) < 0)
				goto out;
	}
	rc = 0;
out:
	free(list);
	return rc;
}

int tf_steps_from_executor(struct tf_step_finder *f)
{
	if (f->options && f->options->step_event)
		return 0;
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
		bool steps = line->name == TF_NAME_line_steps && tf_plane_is_device(&t->planes[line->plane]);
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
		for (size_t i = line->event_first; may_repeat(t, line) && i < line->event_first + line->event_count; i++) {
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
	int rc = f->options && f->options->step_event ? 0 : count_repeats(f, &list, &count);

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

static int by_count(const void *a, const void *b)
{
	const struct repeat *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

int tf_steps_explain(struct tf_step_finder *f)
{
	const struct tf_trace *t = f->d->trace;
	struct repeat *list = NULL;
	size_t count = 0;
	struct tf_buf text = {0};

	if (count_repeats(f, &list, &count) < 0) {
		free(list);
		return -1;
	}
	if (count)
		qsort(list, count, sizeof *list, by_count);
	tf_buf_text(&text, "looked for events with step_num, root events (_r), executor loops, SessionRun and FunctionRun "
			   "roots, a Steps line, a repeated IteratorGetNext or XLA module; what repeats: ");
	for (size_t i = 0; i < count && i < 5; i++) {
		struct tf_bytes name = tf_strtab_bytes(&t->strings, list[i].name);
		tf_buf_printf(&text, "%s%.*s (%zu)", i ? ", " : "", (int)(name.len < 80 ? name.len : 80),
			      (const char *)name.data, list[i].count);
	}
	if (count == 0)
		tf_buf_text(&text, "nothing");
	f->host->steps.looked_for = text.failed ? NULL : tf_utf8_repair(f->arena, (struct tf_bytes){(uint8_t *)text.data, text.len});
	tf_buf_release(&text);
	free(list);
	return f->host->steps.looked_for ? 0 : tf_fail_nomem(f->err);
}
