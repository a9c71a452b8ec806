/*
 * Timelines: what TensorFlow 1 made of one step's statistics for chrome://tracing (timeline.Timeline(step_stats)
 * .generate_chrome_trace_format()). Their processes are "DEVICE Compute", "DEVICE Tensors" and "Allocators", their ops have the category
 * Op and arguments name and op. They become what the RunMetadata itself becomes (run_metadata.h), to the microsecond; memory is that of
 * the tensors (show_memory=True), which is all that they tell.
 */
#ifndef TF_DECODE_TIMELINE_H
#define TF_DECODE_TIMELINE_H

#include "lib/decode/json_reader.h"
#include "lib/decode/step_memory.h"

struct tf_timeline {
	struct tf_tracks *tracks;
	struct tf_step_memory memory;
	size_t ops;
	int64_t begin_ns, end_ns; /* of all ops */
	struct tf_map sources;	  /* processes that have begun */
	struct tf_map created, live; /* tensors: hash of process and id → the microsecond; index in memory.list */
	bool repeats; /* a process began twice: it was made of several steps, and nothing tells which op is of which */
	struct tf_buf text, scratch;
};

/* An op of a Timeline. */
struct tf_timeline_op {
	uint32_t event_name; /* string id: "name:Type", or what ran on a stream */
	uint32_t tf_op;	     /* of what ran on a stream; 0: none */
};

/*
 * Reads the arguments of an event of category Op on the process. *is_op is false if they are not those of a Timeline; otherwise
 * tf_timeline_add() follows with the time. 0 or -1 (memory).
 */
int tf_timeline_read_op(struct tf_timeline *l, const struct tf_json_value *args, uint32_t process, struct tf_timeline_op *op, bool *is_op);

/* Adds the stats of an op to those of the event that is added next. 0 or -1 (memory). */
int tf_timeline_add(struct tf_timeline *l, const struct tf_timeline_op *op, struct tf_fine_time at, int64_t dur_ps);

/* An object of category Tensor: made (N), described (O), gone (D). `key` tells the objects apart, `args` NULL: none. 0 or -1 (memory). */
int tf_timeline_tensor(struct tf_timeline *l, char phase, uint64_t key, uint32_t name, struct tf_fine_time at,
		       const struct tf_json_value *args);

/* When all is read: the step's SessionRun, and its memory. Nothing if it was no Timeline. 0 or -1 (memory). */
int tf_timeline_end(struct tf_timeline *l);

void tf_timeline_release(struct tf_timeline *l);

#endif
