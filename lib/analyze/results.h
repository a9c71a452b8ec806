/*
 * What the analyses found: plain structs that the store keeps and the renderers print. Definitions: METRICS.md beside
 * this file. Everything hangs on the arena of struct tf_session, strings included (valid UTF-8). Unknown integers are
 * TF_NONE, unknown doubles NaN, unknown strings NULL.
 */
#ifndef TF_ANALYZE_RESULTS_H
#define TF_ANALYZE_RESULTS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/text.h"
#include "lib/trace/trace.h"

/* Parts of a step, exclusive; the order is that of the output. Identifier, name. */
#define TF_PARTS(X) \
	X(TF_PART_DEVICE_COMPUTE_16, "device_compute_16") \
	X(TF_PART_DEVICE_COMPUTE_32, "device_compute_32") \
	X(TF_PART_DEVICE_TO_HOST, "device_to_host") \
	X(TF_PART_DEVICE_TO_DEVICE, "device_to_device") \
	X(TF_PART_INPUT_WAIT, "input_wait") \
	X(TF_PART_DEVICE_COLLECTIVES, "device_collectives") \
	X(TF_PART_KERNEL_LAUNCH, "kernel_launch") \
	X(TF_PART_HOST_TO_DEVICE, "host_to_device") \
	X(TF_PART_HOST_TO_HOST, "host_to_host") \
	X(TF_PART_COMPILE, "compile") \
	X(TF_PART_HOST_COMPUTE, "host_compute") \
	X(TF_PART_OTHER, "other")

enum tf_part {
#define TF_PART_ENUM(id, name) id,
	TF_PARTS(TF_PART_ENUM)
#undef TF_PART_ENUM
	TF_PART_COUNT
};
const char *tf_part_name(enum tf_part part);
/* As reports call it: both kinds of device compute are "device_compute". */
const char *tf_part_report_name(enum tf_part part);

/* Where steps come from (METRICS.md §2), best first. */
enum tf_step_source { TF_STEPS_HOST_MARKER, TF_STEPS_EXECUTOR, TF_STEPS_DEVICE_MARKER, TF_STEPS_INFERRED, TF_STEPS_NONE };
const char *tf_step_source_name(enum tf_step_source source); /* "none" for TF_STEPS_NONE */

struct tf_step {
	int64_t number;
	const char *name;   /* the marker's: "train", "Profiled batch" */
	const char *series; /* markers of one series have one step after the other */
	bool main_series;
	int64_t start_ps; /* of the step's interval (METRICS.md §2): the longer of the two spans, the host's if equal */
	int64_t step_ps;  /* its length: max(host, device) */
	int64_t host_start_ps, host_ps;
	int64_t device_start_ps, device_ps;
	int64_t period_ps;
	bool complete, warmup;
	bool device_by_overlap;		/* no ids linked device events: attributed by time */
	bool has_breakdown;		/* false: no part is known */
	int64_t part_ps[TF_PART_COUNT]; /* sum to step_ps */
	int64_t input_ps;		/* union of input waits inside the step; TF_NONE without evidence */
	int64_t stall_ps;		/* those waits while no device worked */
	int64_t kernel_count;		/* launched by this step; TF_NONE without a device */
};

/* The steps over which headline figures are taken (METRICS.md §2). */
static inline bool tf_step_is_steady(const struct tf_step *s)
{
	return s->main_series && s->complete && !s->warmup;
}

/*
 * Who takes which part of the steps: each instant is that of one event, of those that make it this part the one that began last.
 * The owners of a part sum to it in each step; TF_PART_OTHER has none.
 */
struct tf_step_owner {
	enum tf_part part;
	const char *op, *kernel; /* op: NULL, or "(others)" for those that took least; kernel: of a device, else NULL */
	int64_t *step_ps;	 /* one for each of steps.list */
};

struct tf_step_series {
	const char *name;
	size_t count;
	int64_t total_ps;
	bool main;
};

struct tf_steps {
	enum tf_step_source source;
	const char *event;	/* marker or, for inferred steps, the event whose period it is */
	double confidence;	/* of inferred steps: 0..1; 1 for markers */
	const char *looked_for; /* without steps: what was looked for, and what repeats */
	const char *reason;	/* without steps: "no_step_marker", … */
	struct tf_step *list;	/* by start */
	size_t count, cap;
	struct tf_step_series *series;
	size_t series_count, series_cap;
	struct tf_step_owner *owners; /* most time first; none: not known, or nothing is */
	size_t owner_count, owner_cap;
	bool device_unreliable; /* over 20 % of device busy time lies outside every step */
};

struct tf_gap {
	int64_t start_ps, dur_ps;
	const char *before, *after; /* names of the device events; NULL at the window's ends */
	const char *host_event;	    /* what the host did meanwhile: the longest-overlapping innermost event */
};

struct tf_device {
	const char *name;  /* "/device:GPU:0" */
	const char *kind;  /* "gpu", "tpu", "sparse_core", "device" */
	const char *model; /* NULL if not recorded */
	int64_t ordinal, memory_bytes;
	double peak_flops, memory_bytes_per_s; /* what it could do at best; NaN if its plane does not tell */
	bool traced;		   /* it has raw events */
	const char *window_source; /* "steps", "each_step", "device_events"; NULL without figures */
	const char *reason;	   /* without figures: "device_not_traced" */
	int64_t window_start_ps, window_ps;
	int64_t busy_ps, kernel_ps, memcpy_ps, comm_ps, exposed_comm_ps; /* unions, within the window */
	double idle_ratio;
	struct tf_gap *gaps; /* longest first */
	size_t gap_count, gap_cap, gap_total;
};

struct tf_stage {
	const char *pipeline; /* "Host:0", "Device:0" */
	const char *name;     /* last part */
	const char *long_name, *parent; /* parent: long name, NULL for the root */
	int64_t calls, total_ps, self_ps, max_ps, slow_calls;
	bool bottleneck, on_critical_path;
	/* As its calls tell on average; NaN if none does. The buffer's limit is a prefetch's, or a shuffle's size. */
	double parallelism, buffer_limit, buffered_elements;
	int64_t empty_calls; /* that found nothing in the buffer; TF_NONE if none tells */
};

struct tf_input {
	const char *evidence; /* "iterator_get_next", "iterator_root", "ipl_stage", "data_loader", "input_analysis"; NULL: none */
	const char *reason;   /* without evidence: "no_input_events" */
	int64_t get_next_count, get_next_total_ps, get_next_max_ps; /* TF_NONE without evidence of them */
	struct tf_stage *stages;
	size_t stage_count, stage_cap;
};

/* One group of tensors: op, shape, dtype, region. */
struct tf_tensor_group {
	const char *op, *shape, *dtype, *region; /* op may be "(pre_existing)", "(stack)", "(over_counted)"; others may be NULL */
	int64_t count, requested_bytes, bytes;
	int64_t max_live_bytes, first_ps, last_ps; /* by_tensor only */
	int64_t age_ps;				   /* at_peak: of its oldest allocation */
};

struct tf_memory_point {
	int64_t ps, heap_bytes, stack_bytes, free_bytes;
	double fragmentation;
};

/* One allocation or free, for the store's memory_event. */
struct tf_memory_event {
	int64_t ps;
	bool alloc;
	uint64_t address;
	const char *op, *shape, *dtype, *region;
	int64_t requested_bytes, bytes;
	size_t step; /* index in steps.list, SIZE_MAX: none */
};

/* Bytes live at the same phase of successive steps (METRICS.md §6, growth). */
struct tf_growth {
	const char *op, *shape, *dtype, *region; /* op NULL: the allocator as a whole */
	int64_t first_bytes, last_bytes, bytes_per_step;
	int64_t step_count;
};

struct tf_allocator {
	const char *name;
	bool on_device; /* a device's memory rather than the host's */
	int64_t peak_bytes, peak_ps;
	size_t peak_step; /* index in steps.list, SIZE_MAX: none */
	int64_t peak_step_number; /* TF_NONE: none */
	int64_t ties;
	int64_t lifetime_peak_bytes, capacity_bytes, pre_existing_bytes, unmatched_frees;
	double fragmentation;
	int64_t event_count;
	struct tf_tensor_group *at_peak, *by_tensor;
	size_t at_peak_count, at_peak_cap, by_tensor_count, by_tensor_cap;
	struct tf_memory_point *timeline;
	size_t timeline_count, timeline_cap;
	struct tf_memory_event *events; /* NULL when loaded from a store */
	size_t event_list_count, event_list_cap;
	struct tf_growth *growth;
	size_t growth_count, growth_cap;
};

struct tf_op {
	const char *side; /* "host", "device" */
	const char *device; /* device name, NULL for the host */
	const char *name, *type;
	int64_t count, total_ps, self_ps;
	bool eager;
	double flops, bytes; /* totals; NaN if not recorded */
	/* One execution's time: the median, the 99th percentile, the longest with its start and its step. TF_NONE if not known. */
	int64_t p50_ps, p99_ps, max_ps, max_start_ps, max_step_number;
	size_t max_step; /* index in steps.list, SIZE_MAX: none */
};

struct tf_kernel {
	const char *device, *name, *op; /* op NULL: unattributed */
	int64_t count, total_ps, min_ps, max_ps;
	int64_t registers, shared_bytes; /* TF_NONE if not recorded */
	const char *grid, *block;	 /* "x,y,z" */
	double occupancy;		 /* 0..1 */
	bool tensor_core;
};

/* One host of a session: all that one capture file says. */
struct tf_host {
	int64_t id;	  /* host_id in the store, TF_NONE before */
	const char *name; /* stem of the file's name */
	const char *framework; /* "tensorflow", "jax", "pytorch", NULL: nothing tells */
	int64_t start_ns, begin_ps, end_ps;
	int64_t event_count, anomaly_count, dropped_count; /* dropped: TF_NONE if the file does not say */
	bool complete;
	const char **errors, **warnings; /* of the profiler */
	size_t error_count, warning_count;
	struct tf_steps steps;
	struct tf_input input;
	struct tf_device *devices;
	size_t device_count, device_cap;
	const char *device_reason; /* without devices: "no_device_plane" */
	struct tf_allocator *memory;
	size_t memory_count, memory_cap;
	const char *memory_reason; /* without allocators: "no_memory_events" */
	struct tf_op *ops;
	size_t op_count, op_cap;
	const char *op_reason;
	struct tf_kernel *kernels;
	size_t kernel_count, kernel_cap;
	int64_t launched_kernels; /* kernel executions with a known step */
};

enum tf_xla_category { TF_XLA_PARAMETER, TF_XLA_OUTPUT, TF_XLA_THREAD_LOCAL, TF_XLA_CONSTANT, TF_XLA_TEMPORARY };

/* Memory that an XLA program needs for a result of one of its instructions. */
struct tf_xla_buffer {
	const char *instruction, *op, *shape; /* NULL if not recorded */
	enum tf_xla_category category;
	int64_t color, offset, bytes; /* color 0: the device's main memory; offset TF_NONE: in an allocation of its own */
	bool live_at_peak;
};

/* An XLA program and the memory that its compiler planned (METRICS.md §6). */
struct tf_xla_module {
	const char *name;
	int64_t instruction_count;
	/* TF_NONE if the compiler saved no plan. peak = always + heap, the largest sum of temporaries; allocated is what it reserves. */
	int64_t peak_bytes, always_bytes, heap_bytes, allocated_bytes;
	const char *reason; /* without a peak: "not_recorded", "inconsistent" */
	struct tf_xla_buffer *buffers; /* live at the peak first, largest first */
	size_t buffer_count, buffer_cap;
};

struct tf_note {
	const char *code, *message;
};

/* What one op or kernel takes of the steady steps, as their breakdown has it: the costs of a part sum to it. */
struct tf_step_cost {
	enum tf_part part;
	const char *op, *kernel; /* NULL: none is known; kernel: of a device */
	int64_t total_ps;	 /* over all steady steps; of several hosts those of the slowest */
};

/* A hyperparameter of the run. */
struct tf_setting {
	const char *name, *value;
};

struct tf_scalar_series {
	const char *tag;
	int64_t count; /* points by the default reading */
	double last, min, max, mean; /* over the finite ones; last NaN if it is not finite */
	bool last_nonfinite;
};

/* A metric of METRICS.md §8. */
enum tf_worse { TF_WORSE_NONE, TF_WORSE_UP, TF_WORSE_DOWN };

struct tf_metric {
	const char *name;
	const char *host; /* NULL: the session's */
	bool known, is_integer;
	int64_t integer; /* when is_integer */
	double value;	 /* when known; also set for integers */
	enum tf_unit unit;
	enum tf_worse worse;
	int64_t n;	    /* samples behind it, TF_NONE if that means nothing */
	const char *reason; /* when not known */
};

/* How input-bound a step is by its exposed share: XProf's thresholds of 5 and 20 %. */
enum tf_input_class { TF_INPUT_UNKNOWN, TF_INPUT_NONE, TF_INPUT_MODERATE, TF_INPUT_HIGH };

/* The class of `input.exposed_share`; unknown for NaN. */
static inline enum tf_input_class tf_input_classify(double exposed_share)
{
	if (isnan(exposed_share))
		return TF_INPUT_UNKNOWN;
	return exposed_share >= 0.20 ? TF_INPUT_HIGH : exposed_share >= 0.05 ? TF_INPUT_MODERATE : TF_INPUT_NONE;
}

struct tf_session {
	struct tf_arena arena;
	int64_t id; /* session_id in the store, TF_NONE if there is none */
	const char *run, *name; /* name NULL: a run without a profile */
	int64_t start_ns, duration_ps;
	const char *framework; /* "tensorflow", "jax", "pytorch", NULL */
	bool complete;
	struct tf_note *issues;
	size_t issue_count, issue_cap;
	int64_t lost_count;	/* captures of the session that could not be read */
	int64_t damaged_events; /* event files of the run that lost records */
	struct tf_host *hosts; /* by name */
	size_t host_count, host_cap;
	struct tf_xla_module *xla; /* programs, the largest peak first */
	size_t xla_count, xla_cap;
	struct tf_step_cost *costs; /* by part, op and kernel */
	size_t cost_count, cost_cap;
	const char *cost_reason; /* why they are not known, else NULL */
	struct tf_setting *settings; /* by name */
	size_t setting_count, setting_cap;
	struct tf_scalar_series *scalars; /* of the run, by tag */
	size_t scalar_count, scalar_cap;
	struct tf_metric *metrics; /* filled by tf_metrics_build() */
	size_t metric_count, metric_cap;
};

/* Gives the arena back. Idempotent; accepts a zeroed session. */
void tf_session_release(struct tf_session *s);

#endif
