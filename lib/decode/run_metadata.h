/*
 * RunMetadata of TensorFlow 1: as a file of its own, and in event files (FileWriter.add_run_metadata()).
 *
 * Each is one step: an event SessionRun with step_num spans what it holds. A node of an executor is a host event "name:Type", its
 * executor a process, on as many lines as nodes ran at once (the statistics tell no threads). A record of a stream is a device event
 * with tf_op "name:Type". Allocations become what a capture has: MemoryAllocation, MemoryDeallocation, MemorySample.
 */
#ifndef TF_DECODE_RUN_METADATA_H
#define TF_DECODE_RUN_METADATA_H

#include "lib/trace/rows.h"
#include "lib/trace/trace.h"

/*
 * Decodes one RunMetadata, or StepStats alone, into `t` (initialised): step 0, since it tells no number. Damage costs a node and is noted
 * in `file`, whose records are nodes. Returns 0, or -1: TF_EFORMAT if no node is in it, TF_ENOMEM. The caller goes on with
 * tf_trace_finish().
 */
int tf_decode_run_metadata(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			   struct tf_error *err);

/*
 * Decodes all RunMetadata of an event file into `t` (initialised), a step each: its number is the event's step, or where that is 0 the
 * number at the end of the tag. Of one tag and step the last one written counts. Only damage inside them is noted in `file`. An event file
 * without any is a trace without events. Returns 0 or -1 (TF_ENOMEM).
 */
int tf_decode_event_runs(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			 struct tf_error *err);

/* Passes the nodes of one RunMetadata to the sink; of damage the decoders above tell. 0 or -1 (what the sink said). */
int tf_pass_run_metadata(struct tf_bytes content, const struct tf_row_sink *sink, const struct tf_point *at, struct tf_error *err);

#endif
