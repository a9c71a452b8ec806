/* Reads a `report --json` document back: what the gate needs of a baseline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "lib/render/render.h"

/* A report of a thousand steps is under a megabyte. */
#define DOCUMENT_LIMIT ((size_t)256 << 20)

static int read_file(const char *path, struct tf_buf *text, struct tf_error *err)
{
	FILE *from = fopen(path, "rb");
	char piece[65536];
	size_t n;

	if (!from)
		return tf_fail_errno(err, TF_EIO, "cannot read '%s'", path);
	while ((n = fread(piece, 1, sizeof piece, from)) > 0 && text->len < DOCUMENT_LIMIT)
		tf_buf_add(text, piece, n);
	int failed = ferror(from);
	fclose(from);
	if (failed)
		return tf_fail_errno(err, TF_EIO, "cannot read '%s'", path);
	return text->failed ? tf_fail_nomem(err) : 0;
}

static const char *text_of(struct tf_arena *a, const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(item) ? tf_arena_strdup(a, item->valuestring) : NULL;
}

static int read_metrics(const cJSON *root, struct tf_session *out, struct tf_error *err)
{
	const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(root, "metrics");
	const cJSON *reasons = cJSON_GetObjectItemCaseSensitive(root, "reasons"), *item;

	cJSON_ArrayForEach(item, metrics) {
		struct tf_metric *m = tf_arena_push(&out->arena, (void **)&out->metrics, &out->metric_count, &out->metric_cap,
						    sizeof *m);
		enum tf_unit unit = TF_UNIT_NONE;
		if (!m || !(m->name = tf_arena_strdup(&out->arena, item->string)))
			return tf_fail_nomem(err);
		tf_metric_known(m->name, &unit, &m->worse);
		m->unit = unit;
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

/* Hosts with their devices, as far as the gate compares them. */
static int read_session(const cJSON *root, struct tf_session *out, struct tf_error *err)
{
	const cJSON *session = cJSON_GetObjectItemCaseSensitive(root, "session"), *item;
	const cJSON *source = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "steps"), "source");

	out->id = TF_NONE;
	out->run = text_of(&out->arena, session, "run");
	out->name = text_of(&out->arena, session, "name");
	out->complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(session, "complete"));
	if (!out->run)
		out->run = "baseline";
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(session, "hosts")) {
		struct tf_host *h = tf_arena_push(&out->arena, (void **)&out->hosts, &out->host_count, &out->host_cap, sizeof *h);
		if (!h)
			return tf_fail_nomem(err);
		h->steps.source = cJSON_IsString(source) && strcmp(source->valuestring, "inferred") == 0 ? TF_STEPS_INFERRED
												       : TF_STEPS_HOST_MARKER;
	}
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(session, "devices")) {
		struct tf_host *h = out->hosts;
		struct tf_device *d = h ? tf_arena_push(&out->arena, (void **)&h->devices, &h->device_count, &h->device_cap,
							sizeof *d) : NULL;
		if (!d)
			return h ? tf_fail_nomem(err) : 0;
		d->model = text_of(&out->arena, item, "model");
	}
	return 0;
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
	rc = read_metrics(root, out, err) < 0 ? -1 : read_session(root, out, err);
out:
	cJSON_Delete(root);
	tf_buf_release(&text);
	return rc;
}
