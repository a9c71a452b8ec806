/* The memory that an XLA program needs, from its compiler's buffer assignment (METRICS.md §6). */
#ifndef TF_ANALYZE_XLA_MEMORY_H
#define TF_ANALYZE_XLA_MEMORY_H

#include "lib/analyze/results.h"
#include "lib/trace/hlo.h"

/* "parameter", "output", "thread_local", "constant", "temporary". Static. */
const char *tf_xla_category_name(enum tf_xla_category category);

/*
 * Adds the program to the session's. Its name is the label, "module(program id)", if that begins with the module's, since several
 * programs may have the same; else the module's. Text is copied into the session's arena. Returns 0, or -1 when out of memory.
 */
int tf_measure_xla(const struct tf_hlo *hlo, struct tf_bytes label, struct tf_session *s, struct tf_error *err);

#endif
