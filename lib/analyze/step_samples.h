/* The steps of a session or of one of its hosts, and the values of its figures in each of them. */
#ifndef TF_ANALYZE_STEP_SAMPLES_H
#define TF_ANALYZE_STEP_SAMPLES_H

#include "lib/analyze/results.h"

/* A step: of several hosts, the slowest one of each number. */
struct tf_step_view {
	const struct tf_step *step;
	const struct tf_host *host; /* its own */
	int64_t kernel_count; /* of all hosts; TF_NONE: of none known */
	bool steady;
};

/* The steps of the hosts, *count of them in the order of time, in an array that the caller frees; NULL when out of memory. */
struct tf_step_view *tf_step_views(const struct tf_host *hosts, size_t host_count, size_t *count);

/* Of more steady steps the last so many are samples. */
enum { TF_MOST_SAMPLES = 10000 };

/*
 * What each steady step says of a figure ("step_time_ms.mean", "input.share@host"), in the figure's unit and the order of time;
 * the caller frees *samples. None (*count 0) of a figure that is no mean or median of a value that each step has, and where the
 * steps listed are not `steady` many: those of a report may have been cut. 0, or -1 when out of memory.
 */
int tf_step_samples(const struct tf_session *s, const char *metric, int64_t steady, double **samples, size_t *count,
		    struct tf_error *err);

#endif
