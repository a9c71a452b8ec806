/* The steps of a session or host, and the values of its figures in each of them. */
#include "lib/analyze/step_samples.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/metric_names.h"

#define PS_PER_MS 1e9

/* By number and series, the slowest first. */
static int by_number(const void *a, const void *b)
{
	const struct tf_step *x = ((const struct tf_step_view *)a)->step, *y = ((const struct tf_step_view *)b)->step;
	int order;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if ((order = strcmp(x->series, y->series)))
		return order;
	if (x->step_ps != y->step_ps)
		return x->step_ps > y->step_ps ? -1 : 1;
	return x->start_ps < y->start_ps ? -1 : x->start_ps > y->start_ps;
}

/* One step a number and series: the slowest, steady if all hosts' are. Returns how many are left. */
static size_t merge_hosts(struct tf_step_view *views, size_t n)
{
	size_t kept = 0;

	qsort(views, n, sizeof *views, by_number);
	for (size_t i = 0; i < n; i++) {
		struct tf_step_view *to = kept ? &views[kept - 1] : NULL;
		if (!to || to->step->number != views[i].step->number
		    || strcmp(to->step->series, views[i].step->series) != 0) {
			views[kept++] = views[i];
			continue;
		}
		to->steady &= views[i].steady;
		if (views[i].kernel_count != TF_NONE)
			to->kernel_count = (to->kernel_count == TF_NONE ? 0 : to->kernel_count) + views[i].kernel_count;
	}
	return kept;
}

struct tf_step_view *tf_step_views(const struct tf_host *hosts, size_t host_count, size_t *count)
{
	size_t total = 0, n = 0;

	for (size_t i = 0; i < host_count; i++)
		total += hosts[i].steps.count;
	struct tf_step_view *views = malloc((total + 1) * sizeof *views);
	if (!views)
		return NULL;
	for (size_t i = 0; i < host_count; i++)
		for (size_t j = 0; j < hosts[i].steps.count; j++) {
			const struct tf_step *s = &hosts[i].steps.list[j];
			views[n++] = (struct tf_step_view){s, &hosts[i], s->kernel_count, tf_step_is_steady(s)};
		}
	if (host_count > 1)
		n = merge_hosts(views, n);
	*count = n;
	return views;
}

/* How a figure of a step is read: NaN where the step does not tell. */
typedef double read_step(const struct tf_step *s);

static double ms_of(int64_t ps)
{
	return ps == TF_NONE ? (double)NAN : (double)ps / PS_PER_MS;
}

static double share_of(int64_t ps, const struct tf_step *s)
{
	return ps == TF_NONE || s->step_ps <= 0 ? (double)NAN : (double)ps / (double)s->step_ps;
}

static double step_time(const struct tf_step *s)
{
	return ms_of(s->step_ps);
}

static double step_period(const struct tf_step *s)
{
	return ms_of(s->period_ps);
}

static double input_share(const struct tf_step *s)
{
	return share_of(s->input_ps, s);
}

static double exposed_share(const struct tf_step *s)
{
	double exposed = (double)s->part_ps[TF_PART_INPUT_WAIT] + (double)s->part_ps[TF_PART_HOST_TO_DEVICE];

	return s->has_breakdown && s->step_ps > 0 ? exposed / (double)s->step_ps : (double)NAN;
}

static double stall_share(const struct tf_step *s)
{
	return share_of(s->stall_ps, s);
}

static double input_wait(const struct tf_step *s)
{
	return ms_of(s->input_ps);
}

/* The reader of a figure; NULL for one that is no mean or median of a value that each step has. */
static read_step *reader_of(const char *metric, size_t len)
{
	static const struct {
		const char *metric;
		read_step *read;
	} readers[] = {
		{"step_time_ms.mean", step_time},	{"step_time_ms.median", step_time},
		{"step_period_ms.mean", step_period},	{"step_period_ms.median", step_period},
		{"input.share", input_share},		{"input.exposed_share", exposed_share},
		{"input.stall_share", stall_share},	{"input.wait_ms_per_step", input_wait},
	};

	for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
		if (strlen(readers[i].metric) == len && memcmp(readers[i].metric, metric, len) == 0)
			return readers[i].read;
	return NULL;
}

/*
 * The parts that a breakdown's figure sums up; false if it is none, or if a report lists it for no step: the two kinds of
 * device compute are listed as one.
 */
static bool parts_of(const char *metric, size_t len, enum tf_part *first, enum tf_part *last)
{
	static const char prefix[] = "step_breakdown_ms.";
	size_t skip = sizeof prefix - 1;

	if (len <= skip || memcmp(metric, prefix, skip) != 0)
		return false;
	const char *part = metric + skip;
	len -= skip;
	*first = TF_PART_DEVICE_COMPUTE_16;
	*last = TF_PART_DEVICE_COMPUTE_32;
	if (len == strlen("device_compute") && memcmp(part, "device_compute", len) == 0)
		return true;
	for (enum tf_part p = *last + 1; p < TF_PART_COUNT; p++)
		if (strlen(tf_part_name(p)) == len && memcmp(tf_part_name(p), part, len) == 0) {
			*first = *last = p;
			return true;
		}
	return false;
}

static double sum_of_parts(const struct tf_step *s, enum tf_part first, enum tf_part last)
{
	double sum = 0;

	if (!s->has_breakdown)
		return NAN;
	for (enum tf_part p = first; p <= last; p++)
		sum += ms_of(s->part_ps[p]);
	return sum;
}

/* The hosts that a figure is about. */
static const struct tf_host *hosts_of(const struct tf_session *s, const char *host, size_t *count)
{
	*count = host ? 1 : s->host_count;
	for (size_t i = 0; host && i < s->host_count; i++)
		if (s->hosts[i].name && strcmp(s->hosts[i].name, host) == 0)
			return &s->hosts[i];
	return host ? NULL : s->hosts;
}

/* The steady ones of the views, moved to the front; how many. */
static size_t keep_steady(struct tf_step_view *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].steady)
			v[kept++] = v[i];
	return kept;
}

int tf_step_samples(const struct tf_session *s, const char *metric, int64_t steady, double **samples, size_t *count,
		    struct tf_error *err)
{
	const char *host = tf_metric_host(metric);
	size_t len = host ? (size_t)(host - metric) - 1 : strlen(metric), host_count, n = 0;
	read_step *read = reader_of(metric, len);
	enum tf_part first = 0, last = 0;
	const struct tf_host *hosts = hosts_of(s, host, &host_count);

	*samples = NULL;
	*count = 0;
	if ((!read && !parts_of(metric, len, &first, &last)) || !hosts)
		return 0;
	struct tf_step_view *v = tf_step_views(hosts, host_count, &n);
	double *x = malloc((n + 1) * sizeof *x);
	if (!v || !x) {
		free(v);
		free(x);
		return tf_fail_nomem(err);
	}
	n = keep_steady(v, n);
	for (size_t i = n > TF_MOST_SAMPLES ? n - TF_MOST_SAMPLES : 0; (int64_t)n == steady && i < n; i++) {
		double value = read ? read(v[i].step) : sum_of_parts(v[i].step, first, last);
		if (!isnan(value))
			x[(*count)++] = value;
	}
	free(v);
	*samples = x;
	return 0;
}
