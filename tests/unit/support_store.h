/* Fills stores by hand and asks them. Failures abort the test. */
#ifndef TESTS_SUPPORT_STORE_H
#define TESTS_SUPPORT_STORE_H

#include "lib/store/store.h"
#include "tests/unit/support_analyze.h"

/* A store in memory; tf_store_close(). */
struct tf_store *st_memory(void);

/* A source file's transaction; `session` and `host` NULL for an event file. */
void st_begin(struct tf_store *s, const char *path, const char *run, const char *session, const char *host);
void st_end(struct tf_store *s);

/* A point of an event file that has begun. */
void st_scalar(struct tf_store *s, const char *tag, int64_t step, double wall, int64_t offset, double value);

/* Analyses a trace made with support_trace.h and stores it as a file's transaction; releases the trace. */
void st_put(struct tf_store *s, struct tf_trace *t, const char *path, const char *run, const char *session, const char *host,
	    enum tf_events_kept kept);

/* A trace of two steps "train", each of so many microseconds; it begins at the time in ns since 1970, 0: not recorded. */
struct tf_trace *st_two_steps(int64_t us, int64_t start_ns);

/* The first cells of a query's rows, as text one behind the other, are these. */
void st_gives(struct tf_store *s, const char *sql, const char *want);

/* The integer that a query gives. */
int64_t st_integer(struct tf_store *s, const char *sql);

#endif
