/* What the points of one scalar tag say: range, trend, jumps, gaps, pace (METRICS.md §10). */
#ifndef TF_ANALYZE_SCALAR_SERIES_H
#define TF_ANALYZE_SCALAR_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/error.h"

struct tf_scalar_point {
	int64_t step;
	double wall_time; /* s since 1970, NaN if it is not finite */
	double value;	  /* may be NaN or infinite */
};

/* One tag of one run, in order of step. */
struct tf_series {
	const char *run, *tag;
	int64_t superseded; /* points that a later write of their step replaced */
	struct tf_scalar_point *points;
	size_t count;
};

struct tf_scalar_jump {
	int64_t step;	      /* the first at the new level */
	double before, after; /* levels: medians of the points around */
};

struct tf_scalar_gap {
	int64_t after_step, next_step;
	double seconds; /* between the two, NaN if unknown */
};

enum tf_trend { TF_TREND_NONE, TF_TREND_UP, TF_TREND_DOWN };

enum { TF_SCALAR_LISTED = 20 }; /* jumps and gaps: a series with more of them has none worth listing */

struct tf_scalar_summary {
	size_t count, nonfinite;
	int64_t first_step, last_step; /* TF_NONE without a point */
	double first, last;	       /* of those steps */
	double min, max, mean;	       /* of the finite values, NaN without any */
	double slope_per_step;	       /* since slope_from; NaN for fewer than two finite points */
	int64_t slope_from;	       /* the last jump's step, else the first one */
	enum tf_trend trend;	       /* of the same points */
	double steps_per_s;	       /* NaN if unknown */
	struct tf_scalar_jump jumps[TF_SCALAR_LISTED];
	struct tf_scalar_gap gaps[TF_SCALAR_LISTED];
	size_t jump_count, gap_count; /* all of them: the first ones are listed */
};

/* Summarises a series. 0, or -1 when out of memory. */
int tf_summarise_scalars(const struct tf_series *series, struct tf_scalar_summary *out, struct tf_error *err);

#endif
