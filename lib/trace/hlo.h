/*
 * An XLA program as its compiler saved it: instructions, and which of their results share which memory when. Decoders fill it,
 * analyze/xla_memory.c computes the peak. Everything lies in the arena; text is borrowed from the content.
 */
#ifndef TF_TRACE_HLO_H
#define TF_TRACE_HLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/bytes.h"

/* A result of an instruction, or a part of it if that is a tuple, that needs memory. */
struct tf_hlo_buffer {
	int64_t id, bytes, color; /* color 0: the device's main memory */
	struct tf_bytes instruction, op_name; /* op_name: the framework's, empty if none */
	const char *shape;		      /* "f32[64,128]"; NULL if not known */
};

/* A buffer's place in an allocation. */
struct tf_hlo_assigned {
	int64_t buffer_id, offset, bytes;
};

struct tf_hlo_allocation {
	int64_t index, bytes, color;
	bool thread_local, parameter, constant, live_out, tuple;
	size_t assigned_first, assigned_count;
};

enum { TF_HLO_ALLOC, TF_HLO_FREE, TF_HLO_SHARE };

struct tf_hlo_event {
	int64_t kind; /* of these; others mean nothing */
	int64_t buffer_id, shared_id; /* shared_id: whose memory it shares */
};

/* The order in which the buffers of one allocation come and go. */
struct tf_hlo_trace {
	size_t event_first, event_count;
};

/* Zeroed is empty. Release the arena. */
struct tf_hlo {
	struct tf_arena arena;
	struct tf_bytes name;
	int64_t instruction_count;
	struct tf_hlo_buffer *buffers;
	size_t buffer_count, buffer_cap;
	struct tf_hlo_allocation *allocations;
	size_t allocation_count, allocation_cap;
	struct tf_hlo_assigned *assigned;
	size_t assigned_count, assigned_cap;
	struct tf_hlo_trace *traces;
	size_t trace_count, trace_cap;
	struct tf_hlo_event *events;
	size_t event_count, event_cap;
	bool has_buffers; /* its compiler saved the assignment */
};

#endif
