/* Fields of a report, and those of its lists that can be compared: input stages and memory. */
#include "lib/render/report_fields.h"

#include <math.h>
#include <string.h>

#include "lib/analyze/memory.h"

const char *tf_field_text(struct tf_arena *a, const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(item) ? tf_utf8_repair(a, tf_bytes_of(item->valuestring)) : NULL; /* cJSON passes bad UTF-8 on */
}

int64_t tf_field_ps(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	double ps = cJSON_IsNumber(item) ? round(item->valuedouble * 1e9) : (double)NAN;

	return fabs(ps) < 9e18 ? (int64_t)ps : TF_NONE;
}

int64_t tf_field_i64(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(item) && fabs(item->valuedouble) < 9e15 ? (int64_t)item->valuedouble : TF_NONE;
}

bool tf_field_true(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

struct tf_host *tf_field_host(const cJSON *item, const struct tf_map *hosts, struct tf_session *s)
{
	struct tf_arena a = {0};
	const char *name = tf_field_text(&a, item, "host");
	const uint64_t *host = name ? tf_map_find(hosts, tf_hash_bytes(name, strlen(name))) : NULL;

	tf_arena_release(&a);
	return host ? &s->hosts[*host] : NULL;
}

static int read_stage(const cJSON *item, struct tf_host *h, struct tf_session *out, struct tf_error *err)
{
	struct tf_input *in = &h->input;
	struct tf_stage g = {.pipeline = tf_field_text(&out->arena, item, "pipeline"), .name = tf_field_text(&out->arena, item, "name"),
			     .long_name = tf_field_text(&out->arena, item, "long_name"), .calls = tf_field_i64(item, "calls"),
			     .total_ps = tf_field_ps(item, "total_ms"), .self_ps = tf_field_ps(item, "self_ms"),
			     .max_ps = TF_NONE, .slow_calls = TF_NONE, .empty_calls = TF_NONE};

	if (!g.pipeline || !g.name || g.calls < 0 || g.self_ps < 0)
		return 0;
	struct tf_stage *to = tf_arena_push(&out->arena, (void **)&in->stages, &in->stage_count, &in->stage_cap, sizeof *to);
	if (!to)
		return tf_fail_nomem(err);
	*to = g;
	to->parallelism = to->buffer_limit = to->buffered_elements = NAN;
	return 0;
}

static int read_tensors(const cJSON *allocator, struct tf_allocator *m, struct tf_session *out, struct tf_error *err)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(allocator, "at_peak")) {
		struct tf_tensor_group *g = tf_arena_push(&out->arena, (void **)&m->at_peak, &m->at_peak_count, &m->at_peak_cap,
							  sizeof *g);
		if (!g)
			return tf_fail_nomem(err);
		*g = (struct tf_tensor_group){.op = tf_field_text(&out->arena, item, "op"),
					      .shape = tf_field_text(&out->arena, item, "shape"),
					      .dtype = tf_field_text(&out->arena, item, "dtype"),
					      .region = tf_field_text(&out->arena, item, "region"), .count = tf_field_i64(item, "count"),
					      .requested_bytes = tf_field_i64(item, "requested_bytes"),
					      .bytes = tf_field_i64(item, "bytes"), .age_ps = TF_NONE};
		if (g->bytes == TF_NONE || g->count == TF_NONE)
			m->at_peak_count--;
	}
	return 0;
}

static int read_allocator(const cJSON *item, struct tf_host *h, struct tf_session *out, struct tf_error *err)
{
	struct tf_allocator m = {.name = tf_field_text(&out->arena, item, "allocator"), .peak_bytes = tf_field_i64(item, "peak_bytes"),
				 .peak_ps = tf_field_ps(item, "peak_ms"), .peak_step = SIZE_MAX, .peak_step_number = TF_NONE,
				 .lifetime_peak_bytes = TF_NONE, .capacity_bytes = TF_NONE, .pre_existing_bytes = TF_NONE};

	if (!m.name)
		return 0;
	m.on_device = tf_allocator_is_on_device(m.name);
	m.fragmentation = NAN;
	struct tf_allocator *to = tf_arena_push(&out->arena, (void **)&h->memory, &h->memory_count, &h->memory_cap, sizeof *to);
	if (!to)
		return tf_fail_nomem(err);
	*to = m;
	return read_tensors(item, to, out, err);
}

int tf_report_read_lists(const cJSON *root, const struct tf_map *hosts, struct tf_session *out, struct tf_error *err)
{
	const cJSON *input = cJSON_GetObjectItemCaseSensitive(root, "input"), *item;

	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(input, "stages")) {
		struct tf_host *h = tf_field_host(item, hosts, out);
		if (h && read_stage(item, h, out, err) < 0)
			return -1;
	}
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "memory")) {
		struct tf_host *h = tf_field_host(item, hosts, out);
		if (h && read_allocator(item, h, out, err) < 0)
			return -1;
	}
	return tf_report_read_costs(cJSON_GetObjectItemCaseSensitive(root, "steps"), out, err);
}
