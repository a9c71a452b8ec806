/* TensorBoard event files: records, events, summary values. */
#ifndef TF_DECODE_EVENT_H
#define TF_DECODE_EVENT_H

#include "lib/trace/rows.h"
#include "lib/trace/trace.h"

/*
 * Passes every value of an event file to the sink, in file order, and fills `file` (records, damage, tail, writer version;
 * issues copied into `arena`). CRCs are always checked; damage costs its record. Returns 0, or -1: out of memory or what
 * the sink said.
 */
int tf_decode_events(struct tf_bytes content, const struct tf_row_sink *sink, struct tf_ledger_file *file,
		     struct tf_arena *arena, struct tf_error *err);

#endif
