/* What the nodes of one step allocated and freed, on its way into a trace. */
#ifndef TF_DECODE_STEP_MEMORY_H
#define TF_DECODE_STEP_MEMORY_H

#include "lib/decode/step_stats.h"
#include "lib/decode/trace_tracks.h"

/* An allocation or a free. */
struct tf_allocation {
	int64_t us, bytes; /* bytes below 0: freed */
	uint32_t allocator, order; /* string id; as they were read */
	uint32_t op, shape;	   /* string ids */
	uint32_t dtype, dtype_name; /* the number of a DataType, or its name as a string id; 0: not told */
	uint32_t block;	  /* that an allocation makes and a free ends; 0: a free of what is not known */
	uint32_t before;  /* an allocation's: the one of its size that is open below it, UINT32_MAX: none */
	bool is_output, at_once; /* at_once: a free in the microsecond of its allocation */
};

struct tf_step_memory {
	struct tf_tracks *tracks;
	struct tf_allocation *list;
	size_t count, cap;
	uint32_t blocks;	 /* of all steps so far */
	uint32_t process, metas[3]; /* once there is one: allocation, deallocation, sample */
	bool begun;
	struct tf_map sampled; /* allocators that tell how much is in use */
};

/*
 * Adds what a node used. `op` is the string id of its name. Samples (how much an allocator had in use as the node ended) become events
 * at once, allocations at the step's end. 0 or -1 (memory).
 */
int tf_step_memory_add(struct tf_step_memory *m, const struct tf_node_stats *node, uint32_t op);

/* Adds one allocation, list[count], and the free of list[at]: at once, it was none. 0 or -1 (memory). */
int tf_step_memory_allocate(struct tf_step_memory *m, const struct tf_allocation *a);
int tf_step_memory_free(struct tf_step_memory *m, size_t at, int64_t us);

/*
 * Ends the step: its allocations and frees become events in order of time. Of an allocator that does not tell how much is in use, they
 * carry what the step's own allocations sum to. What was not freed by `end_ns` is freed then, since nothing tells of it later. 0 or -1.
 */
int tf_step_memory_end_step(struct tf_step_memory *m, int64_t end_ns);

void tf_step_memory_release(struct tf_step_memory *m);

#endif
