/*
 * What TensorFlow 1 records of one Session.run(): a RunMetadata or the StepStats in it, node by node. Nothing is copied; graphs and
 * cost models beside the statistics are passed over.
 */
#ifndef TF_DECODE_STEP_STATS_H
#define TF_DECODE_STEP_STATS_H

#include "lib/base/error.h"
#include "lib/decode/wire.h"

/* One execution of a node. Borrowed from the message. */
struct tf_node_stats {
	struct tf_bytes device, node, label;
	int64_t start_ns;  /* wall clock; to the nanosecond where that is recorded, else to the microsecond */
	int64_t op_end_ns; /* of its kernel, after start_ns */
	int64_t end_ns;	   /* of all that the executor did for it, after start_ns */
	bool is_absurd;	   /* times beyond int64 */
	struct tf_bytes message;
};

/* Receives the nodes in file order, and what damage cost: `at` is where it lies, `w->p` too. Each returns 0, or -1 to stop. */
struct tf_step_stats_sink {
	void *ctx;
	int (*node)(void *ctx, const struct tf_node_stats *node, struct tf_error *err);
	int (*fault)(void *ctx, const struct tf_wire *w, const char *what, struct tf_error *err);
};

/* True if the content looks like a RunMetadata with step statistics, or like StepStats alone; it may be cut. */
bool tf_is_step_stats(struct tf_bytes content);

/* Passes on the nodes of a RunMetadata, or of StepStats alone. 0 or -1 (what the sink said). */
int tf_read_step_stats(struct tf_bytes content, const struct tf_step_stats_sink *sink, struct tf_error *err);

/* An output of a node: a tensor and where it was put. Sizes are 0 where they are not recorded. */
struct tf_node_output {
	int64_t dtype; /* number of its DataType */
	struct tf_bytes shape; /* a TensorShapeProto */
	int64_t requested_bytes, allocated_bytes;
	struct tf_bytes allocator;
};

/* The next output; `w` is a reader of the node's message. False at the end. */
bool tf_node_output_next(struct tf_wire *w, struct tf_node_output *out);

/* What a node used of one allocator. Sizes are 0 where they are not recorded. */
struct tf_node_memory {
	struct tf_bytes allocator;
	int64_t total_bytes, peak_bytes, live_bytes, in_use_bytes; /* in_use: of the whole allocator, as the node ended */
	struct tf_bytes message; /* AllocatorMemoryUsed, for its records */
};

bool tf_node_memory_next(struct tf_wire *w, struct tf_node_memory *out);

/* One allocation, or with negative bytes a free. `w` is a reader of an AllocatorMemoryUsed. False at the end. */
bool tf_node_allocation_next(struct tf_wire *w, int64_t *us, int64_t *bytes);

/* Sums of a node: its outputs (the larger of requested and allocated), its peaks on all allocators, its temporaries. */
struct tf_node_sizes {
	int64_t output_bytes, peak_bytes, temp_bytes; /* TF_NONE-like INT64_MIN: not recorded */
};
struct tf_node_sizes tf_node_sizes_of(const struct tf_node_stats *node);

#endif
