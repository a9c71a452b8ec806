/* Builds sessions by hand and renders them, for tests of the renderers. Failures abort the test. */
#ifndef TESTS_SUPPORT_SESSION_H
#define TESTS_SUPPORT_SESSION_H

#include <cjson/cJSON.h>

#include "lib/render/render.h"

#define MS INT64_C(1000000000) /* ps */

/* A session in which nothing is known; release with tf_session_release(). `name` NULL: a run without a profile. */
void ms_init(struct tf_session *s, const char *run, const char *name);

/* Each adds one thing in which nothing is known but what is given, and returns it: valid until the next of its kind is added. */
struct tf_host *ms_host(struct tf_session *s, const char *name);
struct tf_step *ms_step(struct tf_session *s, struct tf_host *h, int64_t number, int64_t start_ps, int64_t step_ps);
struct tf_device *ms_device(struct tf_session *s, struct tf_host *h, const char *name);
struct tf_gap *ms_gap(struct tf_session *s, struct tf_device *d, int64_t start_ps, int64_t dur_ps);
struct tf_stage *ms_stage(struct tf_session *s, struct tf_host *h, const char *long_name);
struct tf_allocator *ms_allocator(struct tf_session *s, struct tf_host *h, const char *name, int64_t peak_bytes);
struct tf_tensor_group *ms_tensor(struct tf_session *s, struct tf_allocator *m, const char *op, int64_t bytes);
struct tf_growth *ms_growth(struct tf_session *s, struct tf_allocator *m, const char *op, int64_t bytes_per_step);
struct tf_op *ms_op(struct tf_session *s, struct tf_host *h, const char *name, int64_t count, int64_t total_ps);
struct tf_kernel *ms_kernel(struct tf_session *s, struct tf_host *h, const char *name, int64_t count, int64_t total_ps);
struct tf_scalar_series *ms_scalar(struct tf_session *s, const char *tag, double last);
void ms_issue(struct tf_session *s, const char *code, const char *message);

/* Metrics: a figure, an integer, one that is unknown for a reason. */
struct tf_metric *ms_metric(struct tf_session *s, const char *name, double value);
struct tf_metric *ms_integer(struct tf_session *s, const char *name, int64_t value);
struct tf_metric *ms_unknown(struct tf_session *s, const char *name, const char *reason);

/* What a renderer writes; freed by the caller. Options may be NULL. */
char *ms_json(const struct tf_session *s, const struct tf_report_options *o);
char *ms_text(const struct tf_session *s, const struct tf_report_options *o);

/* The JSON report, parsed; cJSON_Delete(). */
cJSON *ms_report(const struct tf_session *s, const struct tf_report_options *o);

/* The value at a path such as "memory/0/at_peak/1/op" ('/' between names and indices); NULL if there is none. Borrowed. */
const cJSON *ms_at(const cJSON *doc, const char *path);
/* That value is this text, this number, null; a list of so many. */
void ms_is_text(const cJSON *doc, const char *path, const char *want);
void ms_is_number(const cJSON *doc, const char *path, double want);
void ms_is_null(const cJSON *doc, const char *path);
void ms_is_long(const cJSON *doc, const char *path, int want);

/* The text holds the part; or does not. */
void ms_has(const char *text, const char *part);
void ms_lacks(const char *text, const char *part);
/* The widest line in columns: characters, not bytes. */
size_t ms_widest(const char *text);

#endif
