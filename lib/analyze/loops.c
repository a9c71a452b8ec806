/* Loops of the TensorFlow executor. */
#include "lib/analyze/loops.h"

#include <stdlib.h>

#include "lib/base/vec.h"

struct member {
	int64_t id, number, begin_ps, end_ps;
	uint32_t event;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->begin_ps != y->begin_ps)
		return x->begin_ps < y->begin_ps ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

int tf_loops_tfdata_ids(const struct tf_trace *t, struct tf_map *ids, struct tf_error *err)
{
	for (size_t i = 0; i < t->events.count; i++) {
		uint32_t name = tf_event_name(t, i);
		if (name < TF_NAME_captured_run || name > TF_NAME_captured_run_async)
			continue;
		int64_t id = tf_stat_i64(t, tf_event_stats(t, i), TF_NAME_id);
		if (id != TF_NONE && tf_map_put(ids, (uint64_t)id, 1, err) < 0)
			return -1;
	}
	return 0;
}

/* Roots that an iteration may lie inside, by begin, each with the latest end of all up to it. */
struct roots {
	struct tf_interval *list;
	size_t count, cap;
};

static int collect(const struct tf_trace *t, struct member **members, size_t *count, struct roots *roots,
		   struct tf_error *err)
{
	struct tf_map tfdata = {0};
	size_t cap = 0;
	int rc = tf_loops_tfdata_ids(t, &tfdata, err);

	for (size_t i = 0; rc == 0 && i < t->events.count; i++) {
		uint32_t name = tf_event_name(t, i);
		if (!tf_is_implicit_root(name) || !tf_event_counts(t, i))
			continue;
		if (name != TF_NAME_executor_process) {
			rc = tf_vec_reserve((void **)&roots->list, &roots->cap, roots->count + 1, sizeof *roots->list);
			if (rc == 0)
				roots->list[roots->count++] =
					(struct tf_interval){t->events.start_ps[i], tf_event_end(t, i)};
			continue;
		}
		int64_t id = tf_stat_i64(t, tf_event_stats(t, i), TF_NAME_id);
		int64_t number = tf_stat_i64(t, tf_event_stats(t, i), TF_NAME_iter_num);
		if (id == TF_NONE || number == TF_NONE || tf_map_find(&tfdata, (uint64_t)id))
			continue;
		rc = tf_vec_reserve((void **)members, &cap, *count + 1, sizeof **members);
		if (rc == 0)
			(*members)[(*count)++] = (struct member){id, number, t->events.start_ps[i], tf_event_end(t, i),
								 (uint32_t)i};
	}
	tf_map_release(&tfdata);
	return rc < 0 ? tf_fail_nomem(err) : 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct tf_interval *x = a, *y = b;
	return x->begin_ps < y->begin_ps ? -1 : x->begin_ps > y->begin_ps;
}

static void sort_roots(struct roots *r)
{
	if (r->count)
		qsort(r->list, r->count, sizeof *r->list, by_begin);
	for (size_t i = 1; i < r->count; i++)
		if (r->list[i].end_ps < r->list[i - 1].end_ps)
			r->list[i].end_ps = r->list[i - 1].end_ps;
}

static bool inside_root(const struct roots *r, int64_t begin_ps, int64_t end_ps)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (r->list[middle].begin_ps <= begin_ps)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && r->list[low - 1].end_ps >= end_ps;
}

/* True if the iterations run one after the other, are more than iteration 0, and not all inside one root. */
static bool is_loop(const struct roots *roots, const struct tf_iteration *it, size_t n)
{
	if (n == 1)
		return it[0].number > 0;
	for (size_t i = 1; i < n; i++)
		if (it[i].begin_ps < it[i - 1].end_ps)
			return false;
	return !inside_root(roots, it[0].begin_ps, it[n - 1].end_ps);
}

/* Makes iterations of the sorted members; those of no loop are dropped again. */
static void build(struct tf_loops *loops, const struct member *members, size_t count, const struct roots *roots)
{
	size_t begin = 0; /* of the iterations with the id at hand */

	for (size_t i = 0; i < count; i++) {
		const struct member *m = &members[i];
		struct tf_iteration *last = loops->count > begin ? &loops->list[loops->count - 1] : NULL;
		loops->events[i] = m->event;
		if (last && last->number == m->number) {
			last->end_ps = m->end_ps > last->end_ps ? m->end_ps : last->end_ps;
			last->count++;
		} else {
			loops->list[loops->count++] =
				(struct tf_iteration){m->id, m->number, m->begin_ps, m->end_ps, i, 1};
		}
		if (i + 1 == count || members[i + 1].id != m->id) {
			if (!is_loop(roots, loops->list + begin, loops->count - begin))
				loops->count = begin;
			begin = loops->count;
		}
	}
}

static int by_time(const void *a, const void *b)
{
	const struct tf_iteration *x = a, *y = b;

	if (x->begin_ps != y->begin_ps)
		return x->begin_ps < y->begin_ps ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

int tf_loops_find(const struct tf_trace *t, struct tf_loops *loops, struct tf_error *err)
{
	struct member *members = NULL;
	struct roots roots = {0};
	size_t count = 0;
	int rc = -1;

	if (collect(t, &members, &count, &roots, err) < 0)
		goto out;
	loops->events = malloc((count + 1) * sizeof *loops->events);
	loops->list = malloc((count + 1) * sizeof *loops->list);
	if (!loops->events || !loops->list) {
		tf_fail_nomem(err);
		goto out;
	}
	if (count)
		qsort(members, count, sizeof *members, compare_members);
	sort_roots(&roots);
	build(loops, members, count, &roots);
	if (loops->count)
		qsort(loops->list, loops->count, sizeof *loops->list, by_time);
	rc = 0;
out:
	free(members);
	free(roots.list);
	return rc;
}

void tf_loops_release(struct tf_loops *loops)
{
	free(loops->events);
	free(loops->list);
	*loops = (struct tf_loops){0};
}
