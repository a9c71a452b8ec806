/*
 * Result files: *.overview_page.pb, *.input_pipeline.pb, *.tensorflow_stats.pb, *.kernel_stats.pb. TensorFlow up to 2.2 and cloud
 * tools wrote them instead of a capture.
 */
#ifndef TF_DECODE_SIDECAR_PB_H
#define TF_DECODE_SIDECAR_PB_H

#include "lib/base/error.h"
#include "lib/trace/rows.h"
#include "lib/trace/sidecar.h"

/*
 * Decodes a file of the given kind into `s` (zeroed; the caller releases its arena). Text is borrowed from the content. Damage is
 * noted in `file` and costs one record; *truncated says so. Returns 0, or -1 when out of memory.
 */
int tf_decode_sidecar(struct tf_bytes content, enum tf_file_kind kind, struct tf_sidecar *s, bool *truncated,
		      struct tf_ledger_file *file, struct tf_arena *arena, struct tf_error *err);

#endif
