/* The fields of a `report --json` document, for those who read it back. */
#ifndef TF_RENDER_REPORT_FIELDS_H
#define TF_RENDER_REPORT_FIELDS_H

#include <cjson/cJSON.h>

#include "lib/analyze/results.h"
#include "lib/base/hash.h"
#include "lib/render/json_writer.h"

/* The text of a key as valid UTF-8, NULL if there is none (or no memory). Arena. */
const char *tf_field_text(struct tf_arena *a, const cJSON *object, const char *key);

/* A time in ms as integer picoseconds: the report's text has all digits of them. Null and what is none: TF_NONE. */
int64_t tf_field_ps(const cJSON *object, const char *key);

/* A whole number below 2^53; null and what is none: TF_NONE. */
int64_t tf_field_i64(const cJSON *object, const char *key);

bool tf_field_true(const cJSON *object, const char *key);

/* The host that an item names; `hosts`: from the hash of a name to an index. NULL: the session does not name it. */
struct tf_host *tf_field_host(const cJSON *item, const struct tf_map *hosts, struct tf_session *s);

/*
 * Input stages, allocators with the tensors at their peak, and what ops and kernels take of the steps. What is no such thing is
 * passed over. 0, or -1 when out of memory.
 */
int tf_report_read_lists(const cJSON *root, const struct tf_map *hosts, struct tf_session *out, struct tf_error *err);

/* The costs of a session's steps, the first `count`: the fields "costs" (null: not known) and "costs_reason" of "steps". */
void tf_report_put_costs(struct tf_json *j, const struct tf_session *s, size_t count);

/* Reads them back; reports of older programs do not have them. 0, or -1 when out of memory. */
int tf_report_read_costs(const cJSON *steps, struct tf_session *out, struct tf_error *err);

#endif
