/* Builds traces from one-liners, for tests of the analyses. Failures abort the test. */
#ifndef TESTS_SUPPORT_TRACE_H
#define TESTS_SUPPORT_TRACE_H

#include "lib/trace/trace.h"

/* A fresh, initialised trace. Owned: mk_free(). */
struct tf_trace *mk_trace(void);
void mk_free(struct tf_trace *t);

/* A plane; `stats` as in mk_event. Planes, their lines and events are added in this order. */
void mk_plane(struct tf_trace *t, const char *name, const char *stats);

/* A line of the last plane. */
void mk_line(struct tf_trace *t, int64_t id, const char *name, int64_t timestamp_ns);

/*
 * An event of the last line. `stats` is "name=value;name=value": a whole number is int64, with a leading u uint64, with a
 * '.' (and digits) a double, anything else text. "" is none. Events with one name share their metadata per plane.
 */
void mk_event(struct tf_trace *t, const char *name, int64_t offset_ps, int64_t dur_ps, const char *stats);

/* Stats of the metadata of all events called `name` on the last plane (which has at least one). */
void mk_meta_stats(struct tf_trace *t, const char *name, const char *stats);

/* tf_trace_finish(). Returns t. */
struct tf_trace *mk_finish(struct tf_trace *t);

/* The index of the n-th event (from 0) of this name, after finishing. */
size_t mk_find(const struct tf_trace *t, const char *name, size_t n);

#endif
