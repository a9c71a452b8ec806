/* What ops and kernels take of the steps, in a report: written and read back. */
#include <string.h>

#include "lib/render/report_fields.h"

void tf_report_put_costs(struct tf_json *j, const struct tf_session *s, size_t count)
{
	if (s->cost_reason) {
		tf_json_text(j, "costs", NULL);
	} else {
		tf_json_list(j, "costs");
		for (size_t i = 0; i < count; i++) {
			const struct tf_step_cost *c = &s->costs[i];
			tf_json_object(j, NULL);
			tf_json_text(j, "category", tf_part_report_name(c->part));
			tf_json_text(j, "op", c->op);
			tf_json_text(j, "kernel", c->kernel);
			tf_json_ms(j, "total_ms", c->total_ps);
			tf_json_object_end(j);
		}
		tf_json_list_end(j);
	}
	tf_json_text(j, "costs_reason", s->cost_reason);
}

/* A part of a step by the name that the report has for it; TF_PART_COUNT: none. */
static enum tf_part part_of(const cJSON *item)
{
	const cJSON *category = cJSON_GetObjectItemCaseSensitive(item, "category");

	if (!cJSON_IsString(category))
		return TF_PART_COUNT;
	for (enum tf_part p = TF_PART_DEVICE_COMPUTE_32; p < TF_PART_COUNT; p++)
		if (strcmp(category->valuestring, tf_part_report_name(p)) == 0)
			return p;
	return TF_PART_COUNT;
}

int tf_report_read_costs(const cJSON *steps, struct tf_session *out, struct tf_error *err)
{
	const cJSON *costs = cJSON_GetObjectItemCaseSensitive(steps, "costs"), *item;

	if (!cJSON_IsArray(costs)) {
		const char *reason = tf_field_text(&out->arena, steps, "costs_reason");
		out->cost_reason = reason ? reason : "not_recorded";
		return 0;
	}
	cJSON_ArrayForEach(item, costs) {
		struct tf_step_cost c = {part_of(item), tf_field_text(&out->arena, item, "op"), tf_field_text(&out->arena, item, "kernel"),
					 tf_field_ps(item, "total_ms")};
		if (c.part == TF_PART_COUNT || c.total_ps < 0)
			continue;
		struct tf_step_cost *to = tf_arena_push(&out->arena, (void **)&out->costs, &out->cost_count, &out->cost_cap, sizeof *to);
		if (!to)
			return tf_fail_nomem(err);
		*to = c;
	}
	return 0;
}
