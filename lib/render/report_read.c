/* Reads a `report --json` document back: what the gate needs of a baseline, and what can be compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "lib/base/hash.h"
#include "lib/render/render.h"
#include "lib/render/report_fields.h"

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
		m->known = cJSON_IsNumber(item) && isfinite(item->valuedouble)
			   && !(m->unit == TF_UNIT_RATIO && (item->valuedouble < 0 || item->valuedouble > 1));
		m->value = m->known ? item->valuedouble : (double)NAN;
		m->is_integer = m->known && m->value == floor(m->value) && fabs(m->value) < 9e15;
		m->integer = m->is_integer ? (int64_t)m->value : 0;
		if (!m->known && !(m->reason = tf_field_text(&out->arena, reasons, item->string)))
			m->reason = "unknown";
	}
	return 0;
}

static const char *window_name(const char *text)
{
	static const char *const names[] = {"steps", "each_step"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(text, names[i]) == 0)
			return names[i];
	return "device_events";
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
			h->devices[i].window_source = window_name(window->valuestring);
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
		d->kind = tf_field_text(&out->arena, item, "kind");
		d->model = tf_field_text(&out->arena, item, "model");
	}
	if (h)
		read_windows(root, h);
	return 0;
}

/* What marked the steps; where the report does not tell, they may be inferred. */
static enum tf_step_source read_source(const cJSON *steps)
{
	const cJSON *source = cJSON_GetObjectItemCaseSensitive(steps, "source");

	for (enum tf_step_source s = TF_STEPS_HOST_MARKER; cJSON_IsString(source) && s < TF_STEPS_NONE; s++)
		if (strcmp(source->valuestring, tf_step_source_name(s)) == 0)
			return s;
	return cJSON_IsNull(source) ? TF_STEPS_NONE : TF_STEPS_INFERRED;
}

/* Where the session ran, as far as the gate compares it. */
static int read_session(const cJSON *root, struct tf_session *out, struct tf_error *err)
{
	const cJSON *session = cJSON_GetObjectItemCaseSensitive(root, "session"), *item;
	const cJSON *steps = cJSON_GetObjectItemCaseSensitive(root, "steps");
	enum tf_step_source source = read_source(steps);

	out->id = TF_NONE;
	out->run = tf_field_text(&out->arena, session, "run");
	out->name = tf_field_text(&out->arena, session, "name");
	out->framework = tf_field_text(&out->arena, session, "framework");
	out->complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(session, "complete"));
	if (!out->run)
		out->run = "baseline";
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(session, "hosts")) {
		struct tf_host *h = tf_arena_push(&out->arena, (void **)&out->hosts, &out->host_count, &out->host_cap, sizeof *h);
		if (!h)
			return tf_fail_nomem(err);
		h->name = cJSON_IsString(item) ? tf_utf8_repair(&out->arena, tf_bytes_of(item->valuestring)) : NULL;
		h->steps.source = source;
		h->steps.event = tf_field_text(&out->arena, steps, "event");
	}
	return read_devices(root, session, out, err);
}

/* The report adds up the two kinds of device compute. */
static void read_breakdown(const cJSON *item, struct tf_step *s)
{
	const cJSON *parts = cJSON_GetObjectItemCaseSensitive(item, "breakdown_ms");

	s->has_breakdown = cJSON_IsObject(parts);
	s->part_ps[TF_PART_DEVICE_COMPUTE_32] = tf_field_ps(parts, "device_compute");
	for (enum tf_part p = TF_PART_DEVICE_TO_HOST; s->has_breakdown && p < TF_PART_COUNT; p++)
		s->part_ps[p] = tf_field_ps(parts, tf_part_name(p));
	for (enum tf_part p = 0; p < TF_PART_COUNT; p++)
		s->has_breakdown &= s->part_ps[p] >= 0;
}

/* One step as far as its figures are sampled. Its series, by which hosts' steps are matched, shows only in the name. */
static int read_step(const cJSON *item, struct tf_host *h, struct tf_session *out, struct tf_error *err)
{
	const cJSON *number = cJSON_GetObjectItemCaseSensitive(item, "number");
	struct tf_step *s = tf_arena_push(&out->arena, (void **)&h->steps.list, &h->steps.count, &h->steps.cap, sizeof *s);

	if (!s)
		return tf_fail_nomem(err);
	*s = (struct tf_step){.name = tf_field_text(&out->arena, item, "name"), .main_series = tf_field_true(item, "main_series"),
			      .number = cJSON_IsNumber(number) && fabs(number->valuedouble) < 9e15 ? (int64_t)number->valuedouble : TF_NONE,
			      .start_ps = tf_field_ps(item, "start_ms"), .step_ps = tf_field_ps(item, "step_time_ms"),
			      .period_ps = tf_field_ps(item, "period_ms"), .complete = tf_field_true(item, "complete"),
			      .warmup = tf_field_true(item, "warmup"), .input_ps = tf_field_ps(item, "input_ms"),
			      .stall_ps = tf_field_ps(item, "stall_ms"), .kernel_count = TF_NONE};
	s->series = s->main_series || !s->name ? "" : s->name;
	read_breakdown(item, s);
	return 0;
}

/* The steps that the report lists, each with its host; those of a host that the session does not name are left out. */
static int read_steps(const cJSON *root, const struct tf_map *hosts, struct tf_session *out, struct tf_error *err)
{
	const cJSON *steps = cJSON_GetObjectItemCaseSensitive(root, "steps"), *item;

	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(steps, "list")) {
		struct tf_host *host = tf_field_host(item, hosts, out);
		if (host && read_step(item, host, out, err) < 0)
			return -1;
	}
	return 0;
}

/* What belongs to a host. */
static int read_lists(const cJSON *root, struct tf_session *out, struct tf_error *err)
{
	struct tf_map hosts = {0};
	int rc = 0;

	for (size_t i = 0; i < out->host_count && rc == 0; i++)
		if (out->hosts[i].name)
			rc = tf_map_put(&hosts, tf_hash_bytes(out->hosts[i].name, strlen(out->hosts[i].name)), i, err);
	if (rc == 0 && (read_steps(root, &hosts, out, err) < 0 || tf_report_read_lists(root, &hosts, out, err) < 0))
		rc = -1;
	tf_map_release(&hosts);
	return rc;
}

int tf_report_parse(struct tf_bytes text, const char *path, struct tf_session *out, struct tf_error *err)
{
	const char *end = NULL, *begin = (const char *)text.data;
	cJSON *root = begin ? cJSON_ParseWithLengthOpts(begin, text.len + 1, &end, 1) : NULL;
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
	int rc = -1;

	if (!root) {
		tf_fail(err, TF_EFORMAT, "not JSON: '%s' at byte %zu", path, end ? (size_t)(end - begin) : 0);
	} else if (!cJSON_IsString(schema) || strcmp(schema->valuestring, "tfprof.report/1") != 0) {
		tf_fail(err, TF_EFORMAT, "not a report: '%s'", path);
		tf_hint(err, "a baseline is written by: tfprof report --json -o FILE");
	} else if (read_metrics(root, out, err) < 0 || read_session(root, out, err) < 0 || read_lists(root, out, err) < 0) {
		tf_wrap(err, "'%s'", path);
	} else {
		rc = 0;
	}
	cJSON_Delete(root);
	return rc;
}

int tf_report_read(const char *path, struct tf_session *out, struct tf_error *err)
{
	struct tf_buf text = {0};
	int rc = read_file(path, &text, err);

	if (rc == 0)
		rc = tf_report_parse((struct tf_bytes){(const uint8_t *)text.data, text.len}, path, out, err);
	tf_buf_release(&text);
	return rc;
}
