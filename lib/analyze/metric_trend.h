/* A metric over the sessions of a store, and where it changes. METRICS.md, "Trends". */
#ifndef TF_ANALYZE_METRIC_TREND_H
#define TF_ANALYZE_METRIC_TREND_H

#include "lib/analyze/change_points.h"
#include "lib/analyze/results.h"

/* One session, in the order of time. Strings in an arena. */
struct tf_trend_point {
	const char *run, *name; /* name NULL: a run without a profile */
	int64_t session_id, start_ns; /* TF_NONE: none, not recorded */
	double value;		      /* NaN: not known */
	const char *reason;	      /* why it is not used: that of the metric, "incomplete"; NULL if it is used */
	const char *environment;      /* framework, hosts and devices */
};

enum tf_trend_verdict { TF_TREND_STABLE, TF_TREND_REGRESSION, TF_TREND_IMPROVEMENT, TF_TREND_CHANGED, TF_TREND_INCONCLUSIVE };
/* "stable", "regression", "improvement", "changed" (in no direction that is worse), "inconclusive" */
const char *tf_trend_verdict_name(enum tf_trend_verdict verdict);

/* Used sessions between two changes. */
struct tf_trend_segment {
	size_t first, last; /* points */
	size_t count;	    /* used ones */
	double median, mean, min, max;
	const char *environment; /* NULL: not one for all */
};

struct tf_trend_change {
	size_t point;		   /* the first one after the change */
	double before, after;	   /* medians of the segments on both sides */
	double change, change_pct; /* NaN where there is none */
	double q, p_value;
	enum tf_trend_verdict verdict; /* regression, improvement or changed */
	bool environment_differs;      /* the sessions before ran elsewhere, or on unlike machines among themselves */
};

struct tf_trend_options {
	struct tf_change_options find;
	enum tf_worse worse; /* what is worse for the metric */
	double min_effect;   /* a change up to this share of the level before is neither regression nor improvement */
	bool allow_env;	     /* judge a change with which the environment changed too */
};

/* Sessions that a change needs at least: 4 and 4 can be told apart at 5 % by their order, 3 and 3 cannot. */
enum { TF_TREND_LEAST = 8 };
/* Values a segment has at least: one outlier, or two, are no change. */
enum { TF_TREND_MIN_SIZE = 3 };

struct tf_metric_trend {
	const struct tf_trend_point *points; /* borrowed */
	size_t point_count, used_count;
	struct tf_trend_change *changes;
	size_t change_count;
	struct tf_trend_segment *segments; /* one more than changes; none without a used point */
	size_t segment_count;
	enum tf_trend_verdict verdict; /* of the last change; stable if there is none */
	const char *reason; /* of an inconclusive one: "too_few_sessions", "latest_not_used", "environment_differs"; else NULL */
};

/* Finds the changes. Results are in the arena; it borrows the points. 0, or -1 when out of memory. */
int tf_trend_find(const struct tf_trend_point *points, size_t count, const struct tf_trend_options *o, struct tf_arena *a,
		  struct tf_metric_trend *out, struct tf_error *err);

#endif
