/* Segments and changes of a metric over sessions, and what the last one means. */
#include "lib/analyze/metric_trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"

const char *tf_trend_verdict_name(enum tf_trend_verdict verdict)
{
	static const char *const names[] = {"stable", "regression", "improvement", "changed", "inconclusive"};

	return names[verdict];
}

/* The used values, and where they are among the points. */
struct series {
	double *values, *sorted;
	size_t *points;
	size_t count;
};

static struct tf_trend_segment segment_of(const struct series *s, const struct tf_trend_point *points, size_t first, size_t count)
{
	struct tf_trend_segment g = {.first = s->points[first], .last = s->points[first + count - 1], .count = count,
				     .mean = tf_stats_mean(s->values + first, count), .environment = points[s->points[first]].environment};

	memcpy(s->sorted, s->values + first, count * sizeof *s->sorted);
	g.median = tf_stats_percentile(s->sorted, count, 0.5);
	g.min = tf_stats_percentile(s->sorted, count, 0);
	g.max = tf_stats_percentile(s->sorted, count, 1);
	for (size_t i = first; i < first + count; i++) {
		if (g.environment && strcmp(points[s->points[i]].environment, g.environment) != 0)
			g.environment = NULL;
	}
	return g;
}

static enum tf_trend_verdict judge(const struct tf_trend_change *c, const struct tf_trend_options *o)
{
	if (o->worse == TF_WORSE_NONE || c->change == 0 || fabs(c->change) <= o->min_effect * fabs(c->before))
		return TF_TREND_CHANGED;
	return (c->change > 0) == (o->worse == TF_WORSE_UP) ? TF_TREND_REGRESSION : TF_TREND_IMPROVEMENT;
}

static struct tf_trend_change change_of(const struct tf_change_point *found, const struct tf_trend_segment *before,
					const struct tf_trend_segment *after, const struct tf_trend_options *o)
{
	struct tf_trend_change c = {.point = after->first, .before = before->median, .after = after->median,
				    .change = after->median - before->median, .q = found->q, .p_value = found->p};

	c.change_pct = before->median != 0 ? 100 * c.change / fabs(before->median) : (double)NAN;
	c.verdict = judge(&c, o);
	c.environment_differs = !before->environment || !after->environment || strcmp(before->environment, after->environment) != 0;
	return c;
}

/* What the last change means: a regression outweighs what is not known. */
static void settle(struct tf_metric_trend *t, const struct tf_trend_options *o)
{
	const struct tf_trend_change *last = t->change_count ? &t->changes[t->change_count - 1] : NULL;

	t->verdict = last ? last->verdict : TF_TREND_STABLE;
	if (last && last->environment_differs && !o->allow_env) {
		t->verdict = TF_TREND_INCONCLUSIVE;
		t->reason = "environment_differs";
	} else if (t->verdict != TF_TREND_REGRESSION && t->used_count < TF_TREND_LEAST) {
		t->verdict = TF_TREND_INCONCLUSIVE;
		t->reason = "too_few_sessions";
	} else if (t->verdict != TF_TREND_REGRESSION && t->points[t->point_count - 1].reason) {
		t->verdict = TF_TREND_INCONCLUSIVE;
		t->reason = "latest_not_used";
	}
}

static int divide(struct tf_metric_trend *t, const struct series *s, const struct tf_change_point *found, size_t count,
		  const struct tf_trend_options *o, struct tf_arena *a)
{
	t->segments = tf_arena_array(a, count + 1, sizeof *t->segments);
	t->changes = tf_arena_array(a, count + 1, sizeof *t->changes);
	if (!t->segments || !t->changes)
		return -1;
	for (size_t i = 0; s->count && i <= count; i++) {
		size_t first = i ? found[i - 1].at : 0, end = i < count ? found[i].at : s->count;
		t->segments[t->segment_count++] = segment_of(s, t->points, first, end - first);
	}
	for (size_t i = 0; i < count; i++)
		t->changes[t->change_count++] = change_of(&found[i], &t->segments[i], &t->segments[i + 1], o);
	return 0;
}

int tf_trend_find(const struct tf_trend_point *points, size_t count, const struct tf_trend_options *o, struct tf_arena *a,
		  struct tf_metric_trend *out, struct tf_error *err)
{
	struct series s = {tf_arena_array(a, count + 1, sizeof(double)), tf_arena_array(a, count + 1, sizeof(double)),
			   tf_arena_array(a, count + 1, sizeof(size_t)), 0};
	struct tf_change_point *found = NULL;
	size_t found_count = 0;

	*out = (struct tf_metric_trend){.points = points, .point_count = count};
	if (!s.values || !s.sorted || !s.points)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < count; i++)
		if (!points[i].reason) {
			s.values[s.count] = points[i].value;
			s.points[s.count++] = i;
		}
	out->used_count = s.count;
	if (s.count >= TF_TREND_LEAST && tf_change_points(s.values, s.count, &o->find, &found, &found_count, err) < 0)
		return -1;
	int rc = divide(out, &s, found, found_count, o, a) < 0 ? tf_fail_nomem(err) : 0;
	free(found);
	if (rc == 0 && count)
		settle(out, o);
	return rc;
}
