/* Reads a `report --json` document back: what the gate needs of a baseline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "lib/base/hash.h"
#include "lib/render/render.h"

/* A report of a thousand steps is under a megabyte. */
#define DOCUMENT_LIMIT ((size_t)256 << 20)

static int read_file(const char *path, struct tf_buf *text, struct tf_error *err)
{
	FILE *from = fopen(path, "rb");
	char piece[65536];
	size_t n;
	int rc = 0;

	if (!from)
		return tf_fail_errno(err, TF_EIO, "cannot read '%s'", path);
	while ((n = fread(piece, 1, sizeof piece, from)) > 0 && text->len < DOCUMENT_LIMIT)
		tf_buf_add(text, piece, n);
	if (ferror(from))
		rc = tf_fail_errno(err, TF_EIO, "cannot read '%s'", path);
	else if (text->failed)
		rc = tf_fail_nomem(err);
	else if (text->len >= DOCUMENT_LIMIT)
		rc = tf_fail(err, TF_EFORMAT, "too long for a report: '%s'", path);
	fclose(from);
	return rc;
}

/* The text of a key, NULL if there is none (or no memory). cJSON passes bad UTF-8 on. */
static const char *text_of(struct tf_arena *a, const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(item) ? tf_utf8_repair(a, tf_bytes_of(item->valuestring)) : NULL;
}

/* *key is one that the object has twice, NULL if there is none. 0, or -1 when out of memory. */
static int has_repeated_key(const cJSON *object, const char **key, struct tf_error *err)
{
	struct tf_map seen = {0};
	const cJSON *item;
	int rc = 0;

	*key = NULL;
	cJSON_ArrayForEach(item, object) {
		uint64_t hash = tf_hash_bytes(item->string, strlen(item->string));
		if (tf_map_find(&seen, hash))
			*key = item->string;
		if (tf_map_put(&seen, hash, 1, err) < 0) {
			rc = -1;
			break;
		}
	}
	tf_map_release(&seen);
	return rc;
}

static int read_metrics(const cJSON *root, struct tf_session *out, struct tf_error *err)
{
	const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(root, "metrics");
	const cJSON *reasons = cJSON_GetObjectItemCaseSensitive(root, "reasons"), *item;
	const char *repeated;

	if (!cJSON_IsObject(metrics))
		return tf_fail(err, TF_EFORMAT, "the report has no 'metrics'");
	if (has_repeated_key(metrics, &repeated, err) < 0)
		return -1;
	if (repeated)
		return tf_fail(err, TF_EFORMAT, "the report says '%s' more than once", repeated);
	cJSON_ArrayForEach(item, metrics) {
		struct tf_metric *m = tf_arena_push(&out->arena, (void **)&out->metrics, &out->metric_count, &out->metric_cap,
						    sizeof *m);
		if (!m || !(m->name = tf_utf8_repair(&out->arena, tf_bytes_of(item->string))))
			return tf_fail_nomem(err);
		tf_metric_known(m->name, &m->unit, &m->worse);
		m->n = TF_NONE;
		m->known = cJSON_IsNumber(item) && isfinite(item->valuedouble);
		m->value = m->known ? item->valuedouble : (double)NAN;
		m->is_integer = m->known && m->value == floor(m->value) && fabs(m->value) < 9e15;
		m->integer = m->is_integer ? (int64_t)m->value : 0;
		if (!m->known && !(m->reason = text_of(&out->arena, reasons, item->string)))
			m->reason = "unknown";
	}
	return 0;
}

/* What the figures of the devices are over; the lists of sessions and devices are in one order. */
static void read_windows(const cJSON *root, struct tf_host *h)
{
	const cJSON *item;
	size_t i = 0;

	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "devices")) {
		const cJSON *window = cJSON_GetObjectItemCaseSensitive(item, "window");
		if (i == h->device_count)
			return;
		if (cJSON_IsString(window))
			h->devices[i].window_source = strcmp(window->valuestring, "steps") == 0 ? "steps" : "device_events";
		i++;
	}
}

/* The report does not say which host a device is of, and the gate does not ask: the first one gets all. */
static int read_devices(const cJSON *root, const cJSON *session, struct tf_session *out, struct tf_error *err)
{
	struct tf_host *h = out->hosts;
	const cJSON *item;

	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(session, "devices")) {
		struct tf_device *d = h ? tf_arena_push(&out->arena, (void **)&h->devices, &h->device_count, &h->device_cap,
							sizeof *d) : NULL;
		if (!d)
			return h ? tf_fail_nomem(err) : tf_fail(err, TF_EFORMAT, "the report has devices but no hosts");
		d->kind = text_of(&out->arena, item, "kind");
		d->model = text_of(&out->arena, item, "model");
	}
	if (h)
		read_windows(root, h);
	return 0;
}

/* Where the session ran, as far as the gate compares it. */
static int read_session(const cJSON *root, struct tf_session *out, struct tf_error *err)
{
	const cJSON *session = cJSON_GetObjectItemCaseSensitive(root, "session"), *item;
	const cJSON *source = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "steps"), "source");
	bool inferred = cJSON_IsString(source) && strcmp(source->valuestring, "inferred") == 0;

	out->id = TF_NONE;
	out->run = text_of(&out->arena, session, "run");
	out->name = text_of(&out->arena, session, "name");
	out->framework = text_of(&out->arena, session, "framework");
	out->complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(session, "complete"));
	if (!out->run)
		out->run = "baseline";
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(session, "hosts")) {
		struct tf_host *h = tf_arena_push(&out->arena, (void **)&out->hosts, &out->host_count, &out->host_cap, sizeof *h);
		if (!h)
			return tf_fail_nomem(err);
		h->steps.source = inferred ? TF_STEPS_INFERRED : TF_STEPS_HOST_MARKER;
	}
	return read_devices(root, session, out, err);
}

int tf_report_read(const char *path, struct tf_session *out, struct tf_error *err)
{
	struct tf_buf text = {0};
	const char *end = NULL;
	cJSON *root = NULL;
	int rc = -1;

	if (read_file(path, &text, err) < 0)
		goto out;
	root = text.data ? cJSON_ParseWithLengthOpts(text.data, text.len + 1, &end, 1) : NULL;
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
	if (!root) {
		tf_fail(err, TF_EFORMAT, "not JSON: '%s' at byte %zu", path, end ? (size_t)(end - text.data) : 0);
		goto out;
	}
	if (!cJSON_IsString(schema) || strcmp(schema->valuestring, "tfprof.report/1") != 0) {
		tf_fail(err, TF_EFORMAT, "not a report: '%s'", path);
		tf_hint(err, "a baseline is written by: tfprof report --json -o FILE");
		goto out;
	}
	if (read_metrics(root, out, err) < 0 || read_session(root, out, err) < 0) {
		tf_wrap(err, "'%s'", path);
		goto out;
	}
	rc = 0;
out:
	cJSON_Delete(root);
	tf_buf_release(&text);
	return rc;
}
