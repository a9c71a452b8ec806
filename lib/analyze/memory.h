/* Between the reading of an allocator's events (memory.c) and the replay of what was live (memory_replay.c). */
#ifndef TF_ANALYZE_MEMORY_H
#define TF_ANALYZE_MEMORY_H

#include "lib/analyze/analyze.h"

/* No real allocator has this much: sizes from here on are damage. A few of them still add up within int64. */
#define TF_ABSURD_BYTES (INT64_C(1) << 56)

enum tf_memory_kind { TF_MEMORY_ALLOC, TF_MEMORY_FREE, TF_MEMORY_SAMPLE };

/* One MemoryAllocation, MemoryDeallocation or MemorySample, by time. */
struct tf_memory_record {
	uint32_t allocator; /* index in host->memory */
	uint32_t event;
	int64_t ps;
	enum tf_memory_kind kind;
};

/* By its name: "cpu", "mklcpu", "gpu_host_bfc" are the host's memory; GPU_0_bfc and a TPU's index the device's. */
bool tf_allocator_is_on_device(const char *allocator);

/* A stat of a memory event as it was recorded, TF_NONE if absent. */
int64_t tf_memory_stat(const struct tf_trace *t, uint32_t event, uint32_t name);

/*
 * Replays the records of one allocator, by time: tensors at the peak and by their own maximum, unmatched frees, the
 * event list, growth. `peak` is the index of the record with the peak, SIZE_MAX if none has one. Adds an anomaly where
 * tensors exceed the recorded peak, and for allocations that cannot all be real.
 * Returns 0, or -1 when out of memory.
 */
int tf_memory_replay(const struct tf_derived *d, const struct tf_memory_record *records, size_t count, size_t peak,
		     struct tf_arena *a, struct tf_host *h, struct tf_allocator *m, struct tf_error *err);

#endif
