/*
 * The model of one capture: what one profiler file says of one host. Decoders build it, analyses read it, the
 * store writes its events. Columns, not objects: an event costs 25 bytes, and 12 more for each stat.
 */
#ifndef TF_TRACE_TRACE_H
#define TF_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/strtab.h"

/* An integer that is not known: never 0. A double that is not known is NaN. */
#define TF_NONE INT64_MIN

/* Line timestamps from here on are wall clock (1e17 ns is 1973), below they count from the start of the profile. */
#define TF_WALL_CLOCK_NS INT64_C(100000000000000000)
/* Times without a wall clock that begin beyond a day count from the start of the machine. */
#define TF_DAY_NS (INT64_C(86400) * 1000 * 1000 * 1000)

/* String ids of the names in names.def; every trace has them. Id 0 is "". */
enum tf_name {
	TF_NAME_EMPTY,
#define TF_NAME(identifier, text) TF_NAME_##identifier,
#include "lib/trace/names.def"
#undef TF_NAME
	TF_NAME_COUNT
};

enum tf_stat_kind {
	TF_STAT_I64,	/* value: the integer */
	TF_STAT_U64,	/* value: the bits of a uint64 */
	TF_STAT_DOUBLE, /* value: the bits of a double */
	TF_STAT_TEXT,	/* value: a string id (str_value, or the name that ref_value means) */
	TF_STAT_BYTES,	/* value: a string id of bytes that are no text */
};

/* All stats, in the order in which their owners were read. */
struct tf_stats {
	uint32_t *key;	/* string id of the name << 3 | enum tf_stat_kind */
	int64_t *value; /* by kind */
	size_t count, key_cap, value_cap;
};

/* A run of stats: of an event, an event metadata, a plane. */
struct tf_stat_range {
	uint32_t first, count;
};

/* Event metadata: what all events with one metadata id of a plane share. */
struct tf_event_meta {
	uint32_t name, display_name; /* string ids; display_name 0: none */
	struct tf_stat_range stats;
};

enum tf_event_flag {
	TF_EVENT_ABSURD = 1,	 /* METRICS.md §0.4: kept, takes part in no figure */
	TF_EVENT_AGGREGATED = 2, /* num_occurrences instead of a start: dur_ps is a total, start_ps is the line's */
};

/* Columns of all events, grouped by line; within a line by start ascending, then duration descending. */
struct tf_events {
	int64_t *start_ps; /* session time: METRICS.md §1 */
	int64_t *dur_ps;
	uint32_t *meta; /* index into metas */
	uint32_t *stat_first;
	uint16_t *stat_count;
	uint8_t *flags; /* enum tf_event_flag */
	size_t count;
	size_t cap[6]; /* room of each column, in this order */
};

/* One timeline of a plane: a host thread, a stream, a derived line. */
struct tf_line {
	int64_t id, display_id;
	uint32_t name; /* string id: the display name if there is one, else the name */
	uint32_t plane;
	int64_t timestamp_ns, duration_ps; /* as recorded */
	size_t event_first, event_count;
	bool derived; /* annotation: never busy time (METRICS.md §1); the decoder may know, finishing adds what names tell */
};

enum tf_plane_kind {
	TF_PLANE_HOST,	     /* /host:CPU and what merges into it */
	TF_PLANE_HOST_OTHER, /* other host planes: metadata, tfstreamz, … */
	TF_PLANE_GPU,	     /* /device:GPU:n */
	TF_PLANE_TPU,	     /* /device:TPU:n */
	TF_PLANE_SPARSE,     /* a SparseCore of a TPU */
	TF_PLANE_DEVICE,     /* any other device */
	TF_PLANE_OTHER,	     /* Task Environment and the like: no events that count */
};

struct tf_plane {
	int64_t id;
	uint32_t name; /* string id */
	enum tf_plane_kind kind;
	int64_t ordinal; /* n of /device:GPU:n, else TF_NONE */
	size_t line_first, line_count;
	uint32_t meta_first, meta_count;
	struct tf_stat_range stats;
};

/* Counts of aggregated events (XEvent.num_occurrences): few, so sparse, ascending by event. */
struct tf_event_count {
	uint32_t event;
	int64_t count;
};

struct tf_trace {
	struct tf_strtab strings;
	struct tf_stats stats;
	struct tf_event_meta *metas;
	size_t meta_count, meta_cap;
	struct tf_events events;
	struct tf_event_count *counts;
	size_t count_count, count_cap;
	struct tf_line *lines;
	size_t line_count, line_cap;
	struct tf_plane *planes;
	size_t plane_count, plane_cap;
	uint32_t *errors, *warnings, *hostnames; /* string ids */
	size_t error_count, error_cap, warning_count, warning_cap, hostname_count, hostname_cap;
	struct tf_program {
		struct tf_bytes name, content; /* "module(program id)"; the HloProto */
	} *programs; /* HLO programs in /host:metadata, borrowed from the content */
	size_t program_count, program_cap;

	/* Set by tf_trace_finish(). */
	int64_t start_ns; /* wall clock of session time 0, TF_NONE if the file has none */
	int64_t base_ns;  /* subtracted from line timestamps */
	int64_t begin_ps, end_ps; /* the capture, TF_NONE if it holds no event and no time */
	bool declared;		  /* begin and end come from the file (profile_start_time, profile_stop_time) */
	size_t anomaly_count;
	bool truncated; /* the decoder met damage that cost events */
	bool sampled;	/* it holds single steps, and nothing of what ran between them (TensorFlow 1) */
};

/* Prepares a zeroed trace: interns names.def. Returns 0, or -1 (out of memory). */
int tf_trace_init(struct tf_trace *t, struct tf_error *err);

/* Gives everything back. Idempotent; accepts a zeroed trace. */
void tf_trace_release(struct tf_trace *t);

/* Append to the growing arrays. Return 0 (index or id in *at where asked), or -1 when out of memory. */
int tf_trace_add_stat(struct tf_trace *t, uint32_t name, enum tf_stat_kind kind, int64_t value, struct tf_error *err);
int tf_trace_add_meta(struct tf_trace *t, uint32_t name, uint32_t display_name, uint32_t *at, struct tf_error *err);
int tf_trace_add_plane(struct tf_trace *t, struct tf_bytes name, int64_t id, size_t *at, struct tf_error *err);
int tf_trace_add_line(struct tf_trace *t, size_t plane, const struct tf_line *line, size_t *at, struct tf_error *err);

/*
 * Appends an event to the last line. `offset_ps` is relative to the line; `count` is num_occurrences, or TF_NONE for
 * an event that has a start. Its stats are those from stat_first to the end of t->stats. Returns 0 or -1.
 */
int tf_trace_add_event(struct tf_trace *t, uint32_t meta, int64_t offset_ps, int64_t dur_ps, int64_t count,
		       size_t stat_first, struct tf_error *err);

/*
 * For formats whose events come in any order: adds an event to no line yet, and later moves all events to their lines. `line_of` has
 * one index into lines[] for each event; the order of a line's events is kept. Return 0 or -1.
 */
int tf_trace_add_loose_event(struct tf_trace *t, uint32_t meta, int64_t offset_ps, int64_t dur_ps, size_t stat_first,
			     struct tf_error *err);
int tf_trace_gather(struct tf_trace *t, const uint32_t *line_of, struct tf_error *err);

/* Makes room for `more` events at once. Returns 0 or -1. */
int tf_trace_reserve_events(struct tf_trace *t, size_t more, struct tf_error *err);

/* Interns text. Returns 0, or -1 when out of memory. */
int tf_trace_intern(struct tf_trace *t, struct tf_bytes text, uint32_t *id, struct tf_error *err);

/*
 * Ends the building: session time (METRICS.md §1), order within lines, derived lines, the capture's span, absurd
 * times. Call once. Returns 0, or -1 when out of memory.
 */
int tf_trace_finish(struct tf_trace *t, struct tf_error *err);

/* True if the range has the stat; the last one of that name counts. `at` is then its index in t->stats. */
bool tf_stat_find(const struct tf_trace *t, struct tf_stat_range range, uint32_t name, size_t *at);

/* An integer stat (I64 or U64 as bits, DOUBLE truncated, TEXT if it is a whole decimal), TF_NONE if absent. */
int64_t tf_stat_i64(const struct tf_trace *t, struct tf_stat_range range, uint32_t name);

/* A numeric stat as double; NaN if absent or not a number. */
double tf_stat_double(const struct tf_trace *t, struct tf_stat_range range, uint32_t name);

/* The string id of a text stat (an integer or double is not text), 0 if absent or empty. */
uint32_t tf_stat_text(const struct tf_trace *t, struct tf_stat_range range, uint32_t name);

/* The stats of event i. */
static inline struct tf_stat_range tf_event_stats(const struct tf_trace *t, size_t i)
{
	return (struct tf_stat_range){t->events.stat_first[i], t->events.stat_count[i]};
}

/* The metadata, and the string id of the name, of event i. */
static inline const struct tf_event_meta *tf_event_meta_of(const struct tf_trace *t, size_t i)
{
	return &t->metas[t->events.meta[i]];
}
static inline uint32_t tf_event_name(const struct tf_trace *t, size_t i)
{
	return t->metas[t->events.meta[i]].name;
}

/* The end of event i; an absurd one saturates at INT64_MAX. */
static inline int64_t tf_event_end(const struct tf_trace *t, size_t i)
{
	int64_t end;
	return __builtin_add_overflow(t->events.start_ps[i], t->events.dur_ps[i], &end) ? INT64_MAX : end;
}

/* True if event i may take part in a figure: neither absurd nor aggregated. */
static inline bool tf_event_counts(const struct tf_trace *t, size_t i)
{
	return t->events.flags[i] == 0;
}

/* The line that event i lies on (binary search). */
size_t tf_trace_line_of(const struct tf_trace *t, size_t event);

/* True for GPU, TPU, SparseCore and other device planes. */
bool tf_plane_is_device(const struct tf_plane *p);

#endif
