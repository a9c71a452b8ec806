/* Results of a session from a result file that a profiler wrote (METRICS.md §9). */
#ifndef TF_ANALYZE_FROM_SIDECAR_H
#define TF_ANALYZE_FROM_SIDECAR_H

#include "lib/analyze/results.h"
#include "lib/trace/sidecar.h"

/*
 * Fills `host` (zeroed but for its name) with what the file says; everything else is unknown. `truncated`: records are missing.
 * Results are allocated in `arena`. Returns 0, or -1 when out of memory.
 */
int tf_host_from_sidecar(const struct tf_sidecar *s, bool truncated, struct tf_arena *arena, struct tf_host *host,
			 struct tf_error *err);

#endif
