/* XSpace: the profiler's capture, streamed into a trace by our own wire reader. */
#ifndef TF_DECODE_XSPACE_H
#define TF_DECODE_XSPACE_H

#include "lib/trace/rows.h"
#include "lib/trace/trace.h"

/*
 * Decodes a whole capture into `t` (initialised, unfinished). Damage costs the smallest message around it; what was
 * lost is in `file` (issues copied into `arena`), and t->truncated is set when events may be missing. file->records is
 * the number of events. Returns 0, or -1: TF_EFORMAT when no plane could be read, TF_ENOMEM.
 */
int tf_decode_xspace(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
		     struct tf_error *err);

#endif
