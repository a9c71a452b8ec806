/*
 * From a trace to results: pure functions without I/O, SQL or text output. tf_analyze_host() runs them in order; each
 * has its own file. Numbers are defined in METRICS.md beside this file.
 */
#ifndef TF_ANALYZE_ANALYZE_H
#define TF_ANALYZE_ANALYZE_H

#include <regex.h>

#include "lib/analyze/results.h"
#include "lib/base/hash.h"

/* Columns that analysis adds to each event of a trace, and facts of each metadata. Heap, one entry an event. */
struct tf_derived {
	const struct tf_trace *trace;
	uint32_t *parent; /* enclosing event on the same line, UINT32_MAX: none */
	uint16_t *depth;
	int64_t *self_ps; /* duration less that of direct children */
	int32_t *group;	  /* XProf's group (XSpace grouping), -1: none */
	int32_t *step;	  /* index in steps.list, -1: none */
	uint8_t *eager;	  /* 1: an op run eagerly, outside any function */
	uint32_t group_count;
	uint32_t *group_root; /* by group: the event it began with */
	int32_t *group_step;  /* by group: the step that its root marks, -1: none */
	struct tf_map fed_stages; /* events that are input-pipeline stages and run for another event */
	bool linked_devices;  /* some device event has a group: ids link host and devices */
	struct tf_name_info *info; /* one a metadata (metas[]) */
	uint8_t *device_names; /* one a metadata: what classify.c reads in the name of device work */
};

/* What an event's name says, parsed once a metadata. */
enum tf_op_category {
	TF_OP_UNKNOWN,
	TF_OP_TENSORFLOW,
	TF_OP_TFDATA,
	TF_OP_JAX,
	TF_OP_PYTORCH, /* by category: Kineto's cpu_op */
	TF_OP_MEMCPY_H2D,
	TF_OP_MEMCPY_D2H,
	TF_OP_MEMCPY_D2D,
	TF_OP_MEMCPY_H2H,
};

struct tf_name_info {
	struct tf_bytes op_name, op_type; /* borrowed from the trace's strings */
	enum tf_op_category category;
	bool input_wait; /* begins with IteratorGetNext, or (≠XProf) MultiDeviceIteratorGetNext */
	bool compile;	 /* a compiler of XLA at work (≠XProf, which never finds any) */
	bool is_kernel;	 /* by category: Kineto's kernel; one of less than a microsecond lasts 0 */
	bool loader_wait; /* holds DataLoader, and no name of the trace is an input_wait */
};

/*
 * Parses a full op name (METRICS.md §7): "name:type", "Iterator::A::B", JAX and copy names. Pieces point into `full`
 * or static text.
 */
struct tf_name_info tf_op_name_parse(struct tf_bytes full);

struct tf_analyze_options {
	const regex_t *step_event; /* --step-event: names the marker; NULL: the sources of METRICS.md §2 */
};

/* Prepares the columns: nesting, name facts. Groups and steps are -1. 0, or -1 when out of memory. */
int tf_derived_init(struct tf_derived *d, const struct tf_trace *t, struct tf_error *err);
void tf_derived_release(struct tf_derived *d);

/*
 * Runs every analysis on one finished trace and fills `host` (zeroed but for its name) and `d` (initialised here; the
 * caller releases it). Results are allocated in `arena`. Returns 0, or -1: out of memory.
 */
int tf_analyze_host(const struct tf_trace *t, const struct tf_analyze_options *options, struct tf_arena *arena,
		    struct tf_host *host, struct tf_derived *d, struct tf_error *err);

/* The line's plane is the host's main one (/host:CPU and what merges into it); such lines hold steps and host ops. */
static inline bool tf_line_is_host(const struct tf_trace *t, const struct tf_line *l)
{
	return t->planes[l->plane].kind == TF_PLANE_HOST && !l->derived;
}

/* The line holds raw device activity that may make a device busy. */
bool tf_line_is_raw_device(const struct tf_trace *t, const struct tf_line *l);

/* Number of a step marker (METRICS.md §2): its step_num; TF_NONE if it has none. */
static inline int64_t tf_step_number(const struct tf_trace *t, size_t event)
{
	return tf_stat_i64(t, tf_event_stats(t, event), TF_NAME_step_num);
}

/* The analyses, in the order in which they run; each may read what earlier ones left. All return 0 or -1 (memory). */
int tf_group_events(struct tf_derived *d, struct tf_error *err);
int tf_find_steps(struct tf_derived *d, const struct tf_analyze_options *o, struct tf_arena *a, struct tf_host *h,
		  struct tf_error *err);
int tf_break_down(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err);
int tf_measure_devices(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err);
int tf_measure_input(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err);
int tf_read_tfdata(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err);
int tf_measure_memory(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err);
int tf_count_ops(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err);
int tf_count_kernels(struct tf_derived *d, struct tf_arena *a, struct tf_host *h, struct tf_error *err);

/*
 * Start, framework, completeness of a session with its hosts, and what the profiler complained of as issues; those from the ledger are
 * already in the list. 0, or -1: out of memory. session.c
 */
int tf_session_settle(struct tf_session *s, struct tf_error *err);

/*
 * Makes one host of those of one name, which lie together, best first: what the first does not know comes from the next. 0 or -1
 * (memory). merge_hosts.c
 */
int tf_hosts_merge(struct tf_session *s, struct tf_error *err);

/*
 * Session figures from its hosts: start, duration, complete, framework's issues, and the metrics of METRICS.md §8, the
 * session's and, with several hosts, each host's. Replaces what s->metrics held. 0 or -1 (memory). metrics.c
 */
int tf_metrics_build(struct tf_session *s, struct tf_error *err);

/* The metric of a name ("x", "x@host"), NULL if there is none. Borrowed from the session. */
const struct tf_metric *tf_metric_find(const struct tf_session *s, const char *name);

/* The sum of two times; forged ones may be too long for int64, and then the result is its end. */
static inline int64_t tf_ps_add(int64_t a, int64_t b)
{
	int64_t sum;
	return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

/* The time from `begin` to `end`, with the same care. */
static inline int64_t tf_ps_between(int64_t begin, int64_t end)
{
	int64_t length;
	return !__builtin_sub_overflow(end, begin, &length) ? length : end < begin ? INT64_MIN : INT64_MAX;
}

/* A host beside the others of its session (METRICS.md §8). */
struct tf_host_standing {
	double step_ps;	   /* median of its steady steps; NaN without any */
	bool straggler;	   /* over 5 % above the median host's */
	int64_t offset_ps; /* its steps begin so much later than the first host's, by the clocks in both files; TF_NONE: not known */
};

/* One standing for each host, in the arena; NULL when out of memory. hosts.c */
struct tf_host_standing *tf_compare_hosts(const struct tf_session *s, struct tf_arena *a, struct tf_error *err);

/*
 * The kernels of all devices and hosts of a session, rows that differ in nothing but device made one, most time first. `device`
 * is NULL where there are several. NULL with *count 0 if there are none, or out of memory (err). Arena. kernels.c
 */
struct tf_kernel *tf_kernels_merged(const struct tf_session *s, struct tf_arena *a, size_t *count, struct tf_error *err);

/* An interval [begin, end) in ps. */
struct tf_interval {
	int64_t begin_ps, end_ps;
};

/* Sorts and merges in place; returns how many disjoint, ascending intervals are left. Empty ones vanish. interval.c */
size_t tf_interval_merge(struct tf_interval *iv, size_t n);
/* Total length of merged intervals inside [begin, end). */
int64_t tf_interval_within(const struct tf_interval *iv, size_t n, int64_t begin_ps, int64_t end_ps);
/* Length of the intersection of two merged lists inside [begin, end). */
int64_t tf_interval_common(const struct tf_interval *a, size_t an, const struct tf_interval *b, size_t bn,
			   int64_t begin_ps, int64_t end_ps);

/* Sample statistics; NaN where n is too small. The array is sorted in place by the percentile. stats.c */
double tf_stats_mean(const double *x, size_t n);
double tf_stats_stddev(const double *x, size_t n); /* sample: n - 1; 0 for n = 1 */
void tf_stats_sort(double *x, size_t n); /* ascending, in place */
double tf_stats_percentile(double *x, size_t n, double p); /* p in 0..1, linear between order statistics */

#endif
