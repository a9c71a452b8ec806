/* "*.trace": what TensorFlow 2.0 and 2.1 wrote of a capture, and older ones called local.trace. */
#ifndef TF_DECODE_TRACE_PB_H
#define TF_DECODE_TRACE_PB_H

#include "lib/trace/rows.h"
#include "lib/trace/trace.h"

/*
 * Decodes a Trace message into `t` (initialised): a device is a plane, a resource a line, arguments are stats. Damage costs an event
 * and is noted in `file`. Returns 0, or -1: TF_EFORMAT if nothing is in it, TF_ENOMEM. The caller goes on with tf_trace_finish().
 */
int tf_decode_trace_pb(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
		       struct tf_error *err);

#endif
