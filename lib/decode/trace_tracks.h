/* Events of a trace JSON on their way into a trace: they come in any order, and what their lines are called comes anywhere. */
#ifndef TF_DECODE_TRACE_TRACKS_H
#define TF_DECODE_TRACE_TRACKS_H

#include "lib/base/hash.h"
#include "lib/base/text.h"
#include "lib/trace/trace.h"

/* A time in ns and ps of it (0..999): wall clocks in ps do not fit int64. */
struct tf_fine_time {
	int64_t ns;
	int16_t ps;
};

/* A thread or stream of a process or of one of Kineto's devices. */
struct tf_track {
	uint32_t process; /* index; UINT32_MAX: of a device that only its category tells */
	int64_t device;	  /* then its ordinal */
	uint32_t thread;  /* string id of the tid as text */
	bool derived;
	size_t line; /* once lines exist */
};

struct tf_process {
	uint32_t pid;  /* string id of the pid as text */
	uint32_t name; /* string id, 0: not told */
	uint32_t home; /* index + 1 of the process whose tracks these became (step_streams.c), 0: its own */
};

/* Begin and end of a slice, to be paired when all are there. */
struct tf_mark {
	uint32_t track;
	uint32_t event; /* begin: the event that was added for it */
	struct tf_fine_time at;
	uint32_t stat_first, stat_count; /* end: arguments that it adds */
	bool begins;
};

struct tf_tracks {
	struct tf_trace *t;
	struct tf_strtab keys; /* track key → tracks[id - 1] */
	struct tf_track *tracks;
	size_t track_count, track_cap;
	struct tf_process *processes;
	size_t process_count, process_cap;
	struct tf_map process_of; /* string id of a pid → index */
	struct tf_map thread_names; /* pid << 32 | tid (string ids) → string id */
	struct tf_map facts_of; /* ordinal of a device (deviceProperties) → first stat << 32 | count */
	struct tf_map meta_of; /* name << 32 | category → metadata */
	uint32_t *track_of;    /* by event */
	int16_t *ps_of;	       /* by event: the ps of its start; start_ps holds ns until the end */
	size_t track_of_cap, ps_of_cap;
	struct tf_mark *marks;
	size_t mark_count, mark_cap;
	int64_t base_ns; /* added to times that are no wall clock (Kineto's baseTimeNanoseconds), 0: none */
	struct tf_buf scratch;
	size_t unpaired; /* ends without a begin, begins without an end */
	struct tf_error *err;
};

void tf_tracks_release(struct tf_tracks *k);

/* The process of a pid, added if new. 0 or -1 (memory). */
int tf_tracks_process(struct tf_tracks *k, uint32_t pid, uint32_t *at);

/* The track of these, added if new. `process` UINT32_MAX: of device `device`. 0 or -1 (memory). */
int tf_tracks_find(struct tf_tracks *k, uint32_t process, int64_t device, uint32_t thread, bool derived, uint32_t *at);

/* The metadata of a name and category (string ids), added if new. 0 or -1 (memory). */
int tf_tracks_meta(struct tf_tracks *k, uint32_t name, uint32_t category, uint32_t *at);

/* Adds an event whose stats are those from stat_first on. 0 or -1 (memory). */
int tf_tracks_add(struct tf_tracks *k, uint32_t track, uint32_t meta, struct tf_fine_time at, int64_t dur_ps, size_t stat_first,
		  bool absurd);

/*
 * Appends an argument that is text to the stats: an integer that reads back as the same text is one (XProf prints its integers as
 * strings), anything else stays text, integers beyond 64 bits too. 0 or -1 (memory).
 */
int tf_tracks_argument(struct tf_tracks *k, uint32_t name, struct tf_bytes text);

/* Notes a begin (of the event added last) or an end. 0 or -1 (memory). */
int tf_tracks_mark(struct tf_tracks *k, uint32_t track, struct tf_fine_time at, bool begins, size_t stat_first);

/* Pairs marks, makes planes and lines, moves the events to them. 0 or -1 (memory). */
int tf_tracks_settle(struct tf_tracks *k);

#endif
