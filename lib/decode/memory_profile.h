/*
 * Memory profiles that TensorFlow and XProf made of a capture: memory_profile.json and memory_profile.pb.
 *
 * Snapshots become the events that they were made of, MemoryAllocation and MemoryDeallocation on a host line per allocator, so that
 * the same analysis gives the same answer. Where a profile keeps only what was live at the peak, its sampled timeline becomes events
 * MemorySample, which say how much was in use and nothing else; so do reservations and expansions.
 */
#ifndef TF_DECODE_MEMORY_PROFILE_H
#define TF_DECODE_MEMORY_PROFILE_H

#include "lib/trace/rows.h"
#include "lib/trace/trace.h"

/*
 * Decode whole contents into `t` (initialised). A profile without allocators is a trace without events. Damage is noted in `file`;
 * t->truncated says that snapshots are missing. Return 0, or -1: TF_EFORMAT, TF_ENOMEM.
 */
int tf_decode_memory_json(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			  struct tf_error *err);
int tf_decode_memory_pb(struct tf_bytes content, struct tf_trace *t, struct tf_ledger_file *file, struct tf_arena *arena,
			struct tf_error *err);

#endif
