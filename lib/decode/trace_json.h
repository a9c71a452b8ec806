/*
 * Trace JSON (Chrome's trace event format), as TensorFlow, JAX, XProf, Perfetto and PyTorch's Kineto write it.
 *
 * It fills the same model as a capture, in the words of XSpace. A process named "/device:…" becomes a plane of that name; Kineto's
 * device events are told by their category and become planes "/device:GPU:n"; all other processes are host planes, their threads
 * lines. X events, B/E pairs and b/e pairs become events; instants and counters events of no length; M names things; flows (s, t, f)
 * become no events. On a line of their own, marked derived, are: what annotates a device (gpu_user_annotation, cuda_sync), instants
 * and counters of a device, b/e pairs, counters, the profiler's own span.
 *
 * Kineto's words are translated: args "correlation" into correlation_id, grid, block, registers and shared memory into
 * kernel_details, "ProfilerStep#7" gets step_num 7; a category is the stat "cat" of the metadata.
 *
 * Times are exact to the picosecond, whatever their size. An event of a device with time and length 0 was never filled in: absurd.
 */
#ifndef TF_DECODE_TRACE_JSON_H
#define TF_DECODE_TRACE_JSON_H

#include "lib/io/stream.h"
#include "lib/trace/rows.h"
#include "lib/trace/trace.h"

/*
 * Decodes into `t` (initialised), event by event: memory is that of the events and of the longest one. Damage costs an event and is
 * noted in `file` with its offset in the inflated text; t->truncated says that events are missing. Returns 0, or -1: TF_EFORMAT if
 * no event is there, TF_EIO, TF_ENOMEM, TF_ELIMIT. The caller goes on with tf_trace_finish().
 */
int tf_decode_trace_json(struct tf_stream *in, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			 struct tf_error *err);

#endif
