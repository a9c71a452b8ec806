/* What TensorFlow's step statistics, and the Timelines made of them, call devices, nodes and kernels. */
#ifndef TF_DECODE_STEP_NAMES_H
#define TF_DECODE_STEP_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/text.h"

enum tf_stream_kind {
	TF_STREAM_NONE,	  /* an executor: nodes as the host saw them */
	TF_STREAM_ONE,	  /* "/device:GPU:0/stream:13": what a GPU did */
	TF_STREAM_ALL,	  /* "/stream:all": the same once more, of all streams */
	TF_STREAM_COPIES, /* "/memcpy": copies, once more or only here */
	TF_STREAM_WAITS,  /* "/sync": a host thread that waits for the GPU */
};

struct tf_stream_name {
	enum tf_stream_kind kind;
	struct tf_bytes device; /* of a stream: the part before it */
	struct tf_bytes stream; /* "stream:13", "memcpy" */
	int64_t ordinal;	/* of the GPU, an executor's too; -1: it is none */
};

/* Reads a device's name, with or without the " Compute" of a Timeline. Borrowed. */
struct tf_stream_name tf_stream_name_read(struct tf_bytes device);

struct tf_node_op {
	struct tf_bytes name, type; /* type empty: not told */
};

/* The node of an executor, by its label "name = Type(inputs)". Borrowed. */
struct tf_node_op tf_node_op_read(struct tf_bytes node, struct tf_bytes label);

/* "name:Type", or "name:" where the type is not told. Returns what is in `to` then; its `failed` tells of lack of memory. */
struct tf_bytes tf_node_op_print(struct tf_node_op op, struct tf_buf *to);

struct tf_kernel_label {
	struct tf_node_op op; /* that launched it; type empty: not told */
	struct tf_bytes name; /* of the kernel or copy; that of the op's type where it is not told */
	struct tf_bytes details; /* "regs:… grid:…", "kind_src:…"; empty: none */
	bool is_copy;
};

/* A record of a stream: its node is "name:Type", also behind "@@" in its label "kernel details@@name:Type#…". Borrowed. */
struct tf_kernel_label tf_kernel_label_read(struct tf_bytes node, struct tf_bytes label);

#endif
