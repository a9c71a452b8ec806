/*
 * Patterns over metric names: '*' is any text, '?' any character, all else itself. They do not reach into brackets or over the '@':
 * "memory.*" means no allocator's figure, "memory.peak_bytes[*]" all of them, "step_time_ms.mean@*" that of each host.
 */
#ifndef TF_ANALYZE_METRIC_PATTERN_H
#define TF_ANALYZE_METRIC_PATTERN_H

#include "lib/analyze/metric_names.h"

/* Whether the text has a '*' or '?'. A tag's own star makes a pattern too, which matches that tag among others. */
bool tf_metric_is_pattern(const char *text);

/* Whether the name ("memory.peak_bytes[GPU_0_bfc]@host") is one that the pattern means; a name matches itself. */
bool tf_metric_matches(const char *pattern, const char *name);

/* Whether some name of the kind could match; the host is left out of account. */
bool tf_metric_could_match(const char *pattern, const struct tf_metric_kind *kind);

/* Whether some metric could have the name, or one like the pattern. */
bool tf_metric_means_something(const char *pattern);

#endif
