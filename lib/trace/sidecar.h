/*
 * What a result file that a profiler wrote says: the figures of a session without the events behind them. Decoders fill it,
 * analyze/sidecar.c makes results of it. Text lives in the arena, is as in the file, and NULL where absent.
 */
#ifndef TF_TRACE_SIDECAR_H
#define TF_TRACE_SIDECAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/bytes.h"

/* Parts of a step, as the file has them. */
enum tf_sidecar_part {
	TF_SIDECAR_UNKNOWN,
	TF_SIDECAR_INPUT_WAIT,
	TF_SIDECAR_HOST_TO_DEVICE,
	TF_SIDECAR_OUTPUT,
	TF_SIDECAR_DEVICE_COMPUTE,
	TF_SIDECAR_DEVICE_TO_DEVICE,
	TF_SIDECAR_COLLECTIVES,
	TF_SIDECAR_HOST_COMPUTE,
	TF_SIDECAR_HOST_PREPARE,
	TF_SIDECAR_HOST_COMPILE,
	TF_SIDECAR_PARTS
};

struct tf_sidecar_step {
	int64_t number;
	struct tf_bytes name;
	double step_ms; /* 0: not told, the parts sum to it */
	double part_ms[TF_SIDECAR_PARTS];
};

struct tf_sidecar_op {
	bool on_device, eager;
	struct tf_bytes name, type;
	int64_t count;
	double total_us, self_us;
};

struct tf_sidecar_kernel {
	struct tf_bytes name, op, grid, block;
	int64_t count, total_ns, min_ns, max_ns, registers, static_bytes, dynamic_bytes;
	double occupancy; /* 0..1 or percent, as in the file */
	bool tensor_core;
};

/* An op of the input pipeline. */
struct tf_sidecar_stage {
	struct tf_bytes name, category;
	int64_t count;
	double total_ms, self_ms;
};

struct tf_sidecar {
	struct tf_arena arena;
	struct tf_sidecar_step *steps;
	size_t step_count, step_cap;
	struct tf_sidecar_op *ops;
	size_t op_count, op_cap;
	struct tf_sidecar_kernel *kernels;
	size_t kernel_count, kernel_cap;
	struct tf_sidecar_stage *stages;
	size_t stage_count, stage_cap;
	bool has_input; /* the file analyses the input pipeline */
	struct tf_bytes device_type;
	int64_t device_count; /* cores */
	struct tf_bytes *warnings, *errors;
	size_t warning_count, warning_cap, error_count, error_cap;
};

#endif
