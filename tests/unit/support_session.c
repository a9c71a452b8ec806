/* Builds sessions by hand and renders them. */
#include "tests/unit/support_session.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ADD(s, list, count, cap) ms_add(&(s)->arena, (void **)&(list), &(count), &(cap), sizeof *(list))

static void *ms_add(struct tf_arena *a, void **list, size_t *count, size_t *cap, size_t size)
{
	void *item = tf_arena_push(a, list, count, cap, size);

	assert_non_null(item);
	memset(item, 0, size);
	return item;
}

void ms_init(struct tf_session *s, const char *run, const char *name)
{
	*s = (struct tf_session){.id = TF_NONE, .run = run, .name = name, .start_ns = TF_NONE, .duration_ps = TF_NONE, .complete = true};
}

struct tf_host *ms_host(struct tf_session *s, const char *name)
{
	struct tf_host *h = ADD(s, s->hosts, s->host_count, s->host_cap);

	h->id = h->start_ns = h->begin_ps = h->end_ps = h->dropped_count = TF_NONE;
	h->name = name;
	h->complete = true;
	h->steps.source = TF_STEPS_NONE;
	h->input.get_next_count = h->input.get_next_total_ps = h->input.get_next_max_ps = TF_NONE;
	return h;
}

struct tf_step *ms_step(struct tf_session *s, struct tf_host *h, int64_t number, int64_t start_ps, int64_t step_ps)
{
	struct tf_step *p = ADD(s, h->steps.list, h->steps.count, h->steps.cap);

	h->steps.source = TF_STEPS_HOST_MARKER;
	h->steps.confidence = 1;
	*p = (struct tf_step){.number = number, .name = "train", .series = "train", .main_series = true, .complete = true,
			      .start_ps = start_ps, .step_ps = step_ps, .host_start_ps = start_ps, .host_ps = step_ps,
			      .device_start_ps = TF_NONE, .device_ps = TF_NONE, .period_ps = TF_NONE, .input_ps = TF_NONE,
			      .stall_ps = TF_NONE, .kernel_count = TF_NONE};
	return p;
}

struct tf_device *ms_device(struct tf_session *s, struct tf_host *h, const char *name)
{
	struct tf_device *d = ADD(s, h->devices, h->device_count, h->device_cap);

	*d = (struct tf_device){.name = name, .kind = "gpu", .ordinal = TF_NONE, .memory_bytes = TF_NONE, .peak_flops = NAN,
				.memory_bytes_per_s = NAN, .window_start_ps = TF_NONE, .window_ps = TF_NONE, .busy_ps = TF_NONE,
				.kernel_ps = TF_NONE, .memcpy_ps = TF_NONE, .comm_ps = TF_NONE, .exposed_comm_ps = TF_NONE,
				.idle_ratio = NAN};
	return d;
}

struct tf_gap *ms_gap(struct tf_session *s, struct tf_device *d, int64_t start_ps, int64_t dur_ps)
{
	struct tf_gap *g = ADD(s, d->gaps, d->gap_count, d->gap_cap);

	g->start_ps = start_ps;
	g->dur_ps = dur_ps;
	return g;
}

struct tf_stage *ms_stage(struct tf_session *s, struct tf_host *h, const char *long_name)
{
	struct tf_stage *g = ADD(s, h->input.stages, h->input.stage_count, h->input.stage_cap);

	*g = (struct tf_stage){.pipeline = "Host:0", .name = long_name, .long_name = long_name, .parallelism = NAN, .buffer_limit = NAN,
			       .buffered_elements = NAN, .empty_calls = TF_NONE};
	return g;
}

struct tf_allocator *ms_allocator(struct tf_session *s, struct tf_host *h, const char *name, int64_t peak_bytes)
{
	struct tf_allocator *m = ADD(s, h->memory, h->memory_count, h->memory_cap);

	*m = (struct tf_allocator){.name = name, .peak_bytes = peak_bytes, .peak_step = SIZE_MAX, .peak_step_number = TF_NONE,
				   .lifetime_peak_bytes = TF_NONE, .capacity_bytes = TF_NONE, .fragmentation = NAN};
	return m;
}

struct tf_tensor_group *ms_tensor(struct tf_session *s, struct tf_allocator *m, const char *op, int64_t bytes)
{
	struct tf_tensor_group *g = ADD(s, m->at_peak, m->at_peak_count, m->at_peak_cap);

	*g = (struct tf_tensor_group){.op = op, .count = 1, .requested_bytes = bytes, .bytes = bytes, .age_ps = TF_NONE};
	return g;
}

struct tf_growth *ms_growth(struct tf_session *s, struct tf_allocator *m, const char *op, int64_t bytes_per_step)
{
	struct tf_growth *g = ADD(s, m->growth, m->growth_count, m->growth_cap);

	*g = (struct tf_growth){.op = op, .last_bytes = 3 * bytes_per_step, .bytes_per_step = bytes_per_step, .step_count = 4};
	return g;
}

struct tf_op *ms_op(struct tf_session *s, struct tf_host *h, const char *name, int64_t count, int64_t total_ps)
{
	struct tf_op *o = ADD(s, h->ops, h->op_count, h->op_cap);

	*o = (struct tf_op){.side = "host", .name = name, .type = name, .count = count, .total_ps = total_ps, .self_ps = total_ps,
			    .flops = NAN, .bytes = NAN, .p50_ps = TF_NONE, .p99_ps = TF_NONE, .max_ps = TF_NONE,
			    .max_start_ps = TF_NONE, .max_step_number = TF_NONE, .max_step = SIZE_MAX};
	return o;
}

struct tf_kernel *ms_kernel(struct tf_session *s, struct tf_host *h, const char *name, int64_t count, int64_t total_ps)
{
	struct tf_kernel *k = ADD(s, h->kernels, h->kernel_count, h->kernel_cap);

	*k = (struct tf_kernel){.device = "/device:GPU:0", .name = name, .count = count, .total_ps = total_ps,
				.min_ps = total_ps / count, .max_ps = total_ps / count, .registers = TF_NONE, .shared_bytes = TF_NONE,
				.occupancy = NAN};
	return k;
}

struct tf_scalar_series *ms_scalar(struct tf_session *s, const char *tag, double last)
{
	struct tf_scalar_series *t = ADD(s, s->scalars, s->scalar_count, s->scalar_cap);

	*t = (struct tf_scalar_series){.tag = tag, .count = 1, .last = last, .min = last, .max = last, .mean = last};
	return t;
}

void ms_issue(struct tf_session *s, const char *code, const char *message)
{
	struct tf_note *n = ADD(s, s->issues, s->issue_count, s->issue_cap);

	*n = (struct tf_note){code, message};
}

struct tf_metric *ms_metric(struct tf_session *s, const char *name, double value)
{
	struct tf_metric *m = ADD(s, s->metrics, s->metric_count, s->metric_cap);

	*m = (struct tf_metric){.name = name, .known = true, .value = value, .n = TF_NONE};
	return m;
}

struct tf_metric *ms_integer(struct tf_session *s, const char *name, int64_t value)
{
	struct tf_metric *m = ms_metric(s, name, (double)value);

	m->is_integer = true;
	m->integer = value;
	return m;
}

struct tf_metric *ms_unknown(struct tf_session *s, const char *name, const char *reason)
{
	struct tf_metric *m = ms_metric(s, name, NAN);

	m->known = false;
	m->reason = reason;
	return m;
}

static char *render(int (*to_file)(FILE *, const struct tf_session *, const struct tf_report_options *, struct tf_error *),
		    const struct tf_session *s, const struct tf_report_options *o)
{
	static const struct tf_report_options whole = {0};
	struct tf_error err = {0};
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	assert_non_null(to);
	if (to_file(to, s, o ? o : &whole, &err) < 0)
		fail_msg("%s", err.text);
	fclose(to);
	assert_int_equal(strlen(text), len); /* no NUL within */
	return text;
}

char *ms_json(const struct tf_session *s, const struct tf_report_options *o)
{
	return render(tf_render_report_json, s, o);
}

char *ms_text(const struct tf_session *s, const struct tf_report_options *o)
{
	return render(tf_render_report_text, s, o);
}

cJSON *ms_report(const struct tf_session *s, const struct tf_report_options *o)
{
	char *text = ms_json(s, o);
	const char *end;
	cJSON *doc = cJSON_ParseWithOpts(text, &end, 1);

	if (!doc)
		fail_msg("not JSON: %s", text);
	free(text);
	return doc;
}

const cJSON *ms_at(const cJSON *doc, const char *path)
{
	while (doc && *path) {
		char name[128];
		size_t len = strcspn(path, "/");
		assert_true(len < sizeof name);
		memcpy(name, path, len);
		name[len] = '\0';
		doc = cJSON_IsArray(doc) ? cJSON_GetArrayItem(doc, atoi(name)) : cJSON_GetObjectItemCaseSensitive(doc, name);
		path += len + (path[len] == '/');
	}
	return doc;
}

static const cJSON *need(const cJSON *doc, const char *path)
{
	const cJSON *item = ms_at(doc, path);

	if (!item)
		fail_msg("nothing at %s", path);
	return item;
}

void ms_is_text(const cJSON *doc, const char *path, const char *want)
{
	const cJSON *item = need(doc, path);

	if (!cJSON_IsString(item) || strcmp(item->valuestring, want) != 0)
		fail_msg("%s is %s, not '%s'", path, cJSON_IsString(item) ? item->valuestring : "no text", want);
}

void ms_is_number(const cJSON *doc, const char *path, double want)
{
	const cJSON *item = need(doc, path);

	if (!cJSON_IsNumber(item) || item->valuedouble != want)
		fail_msg("%s is %.17g, not %.17g", path, cJSON_IsNumber(item) ? item->valuedouble : (double)NAN, want);
}

void ms_is_null(const cJSON *doc, const char *path)
{
	if (!cJSON_IsNull(need(doc, path)))
		fail_msg("%s is not null", path);
}

void ms_is_long(const cJSON *doc, const char *path, int want)
{
	const cJSON *item = need(doc, path);

	if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != want)
		fail_msg("%s holds %d, not %d", path, cJSON_GetArraySize(item), want);
}

void ms_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

void ms_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in:\n%s", part, text);
}

size_t ms_widest(const char *text)
{
	size_t widest = 0, width = 0;

	for (; *text; text++) {
		if (*text == '\n')
			width = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80)
			width++;
		if (width > widest)
			widest = width;
	}
	return widest;
}
