/* The hosts of a session beside each other: who is slow, who is late (METRICS.md §8). */
#include <math.h>
#include <stdlib.h>

#include "lib/analyze/analyze.h"
#include "lib/base/hash.h"

static const struct tf_host *first_with_steps(const struct tf_session *s)
{
	for (size_t i = 0; i < s->host_count; i++)
		if (s->hosts[i].steps.count)
			return &s->hosts[i];
	return NULL;
}

/* How much later `b`'s session time begins than `a`'s. False: only one of both has a wall clock. */
static bool clocks_apart(const struct tf_host *a, const struct tf_host *b, int64_t *apart_ps)
{
	int64_t ns;

	*apart_ps = 0;
	if (a->start_ns == b->start_ns)
		return true;
	return a->start_ns != TF_NONE && b->start_ns != TF_NONE && !__builtin_sub_overflow(b->start_ns, a->start_ns, &ns)
	       && !__builtin_mul_overflow(ns, INT64_C(1000), apart_ps);
}

/* The median over the step numbers that both list. */
static int find_offset(const struct tf_session *s, const struct tf_host *host, int64_t *offset_ps, struct tf_error *err)
{
	const struct tf_host *first = first_with_steps(s);
	struct tf_map starts = {0};
	int64_t apart_ps;
	size_t n = 0;
	int rc = -1;

	*offset_ps = TF_NONE;
	if (!first || !host->steps.count || !clocks_apart(first, host, &apart_ps))
		return 0;
	double *offsets = calloc(host->steps.count, sizeof *offsets);
	if (!offsets)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < first->steps.count; i++)
		if (first->steps.list[i].main_series
		    && tf_map_put(&starts, (uint64_t)first->steps.list[i].number, (uint64_t)first->steps.list[i].start_ps, err) < 0)
			goto out;
	for (size_t i = 0; i < host->steps.count; i++) {
		const struct tf_step *p = &host->steps.list[i];
		const uint64_t *start = p->main_series ? tf_map_find(&starts, (uint64_t)p->number) : NULL;
		if (start)
			offsets[n++] = (double)tf_ps_add(tf_ps_between((int64_t)*start, p->start_ps), apart_ps);
	}
	double median = tf_stats_percentile(offsets, n, 0.5);
	if (median > -9e18 && median < 9e18)
		*offset_ps = (int64_t)median;
	rc = 0;
out:
	tf_map_release(&starts);
	free(offsets);
	return rc;
}

static double median_step_ps(const struct tf_host *h, double *steps)
{
	size_t n = 0;

	for (size_t i = 0; i < h->steps.count; i++)
		if (tf_step_is_steady(&h->steps.list[i]))
			steps[n++] = (double)h->steps.list[i].step_ps;
	return tf_stats_percentile(steps, n, 0.5);
}

struct tf_host_standing *tf_compare_hosts(const struct tf_session *s, struct tf_arena *a, struct tf_error *err)
{
	struct tf_host_standing *list = tf_arena_array(a, s->host_count + 1, sizeof *list);
	double *medians = tf_arena_array(a, s->host_count + 1, sizeof *medians);
	size_t known = 0;

	if (!list || !medians) {
		tf_fail_nomem(err);
		return NULL;
	}
	for (size_t i = 0; i < s->host_count; i++) {
		double *steps = tf_arena_array(a, s->hosts[i].steps.count + 1, sizeof *steps);
		if (!steps) {
			tf_fail_nomem(err);
			return NULL;
		}
		list[i].step_ps = median_step_ps(&s->hosts[i], steps);
		if (!isnan(list[i].step_ps))
			medians[known++] = list[i].step_ps;
		if (find_offset(s, &s->hosts[i], &list[i].offset_ps, err) < 0)
			return NULL;
	}
	double middle = tf_stats_percentile(medians, known, 0.5);
	for (size_t i = 0; i < s->host_count; i++)
		list[i].straggler = known > 1 && list[i].step_ps > 1.05 * middle;
	return list;
}
