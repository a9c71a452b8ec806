/* Snapshots of a memory profile on their way into a trace, from whichever form they were read. */
#ifndef TF_DECODE_MEMORY_SNAPSHOTS_H
#define TF_DECODE_MEMORY_SNAPSHOTS_H

#include "lib/base/hash.h"
#include "lib/trace/trace.h"

enum tf_activity { TF_ACTIVITY_UNKNOWN, TF_ACTIVITY_ALLOCATION, TF_ACTIVITY_DEALLOCATION, TF_ACTIVITY_RESERVATION, TF_ACTIVITY_EXPANSION };

/* One snapshot. Integers that are not told are TF_NONE, text is empty. Text is borrowed. */
struct tf_snapshot {
	int64_t ps;
	enum tf_activity activity;
	int64_t stack_bytes, heap_bytes, free_bytes, peak_bytes;
	double fragmentation; /* NaN: not told */
	int64_t requested_bytes, bytes, step;
	uint64_t address;
	struct tf_bytes op, region, dtype, shape;
};

/* A snapshot of which nothing is told. */
struct tf_snapshot tf_snapshot_init(void);

struct tf_snapshots {
	struct tf_trace *t;
	uint32_t metas[3]; /* allocation, deallocation, sample */
	size_t plane;
	struct tf_map seen; /* hashes of the snapshots of the allocator: a sampled one may be there already */
	bool sampled_only;  /* the next ones are samples */
	uint32_t allocator; /* string id */
	size_t last;	    /* its last event, SIZE_MAX: none yet */
	struct tf_error *err;
};

/* Begins the host plane. 0 or -1 (memory). */
int tf_snapshots_begin(struct tf_snapshots *s);

/* Begins an allocator: a line. 0 or -1 (memory). */
int tf_snapshots_allocator(struct tf_snapshots *s, struct tf_bytes name);

/* Adds a snapshot of the allocator, unless it is a sample of one that is there. 0 or -1 (memory). */
int tf_snapshots_add(struct tf_snapshots *s, const struct tf_snapshot *snapshot);

/* The summary's lifetime peak: the last snapshot's, whichever were kept. 0 or -1 (memory). */
int tf_snapshots_lifetime_peak(struct tf_snapshots *s, int64_t bytes);

void tf_snapshots_release(struct tf_snapshots *s);

#endif
