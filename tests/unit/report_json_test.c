/* Reports as JSON, of sessions made by hand: keys of the contract, what is unknown, odd text, cut lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support_session.h"

static struct tf_session s;

static int fresh(void **state)
{
	(void)state;
	ms_init(&s, "r", "t");
	return 0;
}

static int gone(void **state)
{
	(void)state;
	tf_session_release(&s);
	return 0;
}

/* The keys of an object, joined by spaces. */
static void has_keys(const cJSON *doc, const char *path, const char *want)
{
	char got[1024] = "";
	const cJSON *item;

	cJSON_ArrayForEach(item, ms_at(doc, path))
	{
		strcat(got, *got ? " " : "");
		strcat(got, item->string);
	}
	assert_string_equal(got, want);
}

static void the_document_names_its_schema_and_tool(void **state)
{
	(void)state;
	cJSON *d = ms_report(&s, NULL);
	ms_is_text(d, "schema", "tfprof.report/1");
	ms_is_text(d, "tool/name", "tfprof");
	assert_true(cJSON_IsString(ms_at(d, "tool/version")));
	cJSON_Delete(d);
}

static void sections_stand_in_the_order_of_the_contract(void **state)
{
	(void)state;
	static const char *const order[] = {"schema", "tool", "session", "metrics", "reasons", "steps", "devices", "input",
					    "memory", "ops", "kernels", "hosts", "findings", "truncation"};
	cJSON *d = ms_report(&s, NULL);
	const cJSON *item = d->child;
	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
		while (item && strcmp(item->string, order[i]) != 0)
			item = item->next;
		if (!item)
			fail_msg("'%s' is missing or out of order", order[i]);
	}
	cJSON_Delete(d);
}

static void an_empty_session_has_empty_lists(void **state)
{
	(void)state;
	static const char *const lists[] = {"session/hosts", "session/devices", "session/issues", "steps/series", "steps/list",
					    "devices", "input/stages", "input/pipelines", "memory", "ops", "kernels", "hosts",
					    "findings"};
	cJSON *d = ms_report(&s, NULL);
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		ms_is_long(d, lists[i], 0);
	has_keys(d, "metrics", "");
	has_keys(d, "reasons", "");
	has_keys(d, "truncation", "");
	cJSON_Delete(d);
}

static void an_empty_session_claims_nothing(void **state)
{
	(void)state;
	static const char *const nulls[] = {"session/start_ns", "session/duration_ms", "session/framework", "steps/source",
					    "steps/count", "steps/steady_count", "steps/event", "steps/looked_for",
					    "input/verdict", "input/share", "input/exposed_share", "input/stall_share"};
	cJSON *d = ms_report(&s, NULL);
	for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++)
		ms_is_null(d, nulls[i]);
	cJSON_Delete(d);
}

static void a_session_is_named_as_xprof_names_it(void **state)
{
	(void)state;
	s.start_ns = INT64_C(1700000000123456789);
	s.duration_ps = 23776 * MS / 1000;
	s.framework = "jax";
	s.complete = false;
	ms_host(&s, "vm-0");
	cJSON *d = ms_report(&s, NULL);
	has_keys(d, "session", "id run name hosts start_ns duration_ms devices framework complete issues");
	ms_is_text(d, "session/id", "r/t");
	ms_is_text(d, "session/run", "r");
	ms_is_text(d, "session/name", "t");
	ms_is_text(d, "session/hosts/0", "vm-0");
	ms_is_number(d, "session/duration_ms", 23.776);
	ms_is_text(d, "session/framework", "jax");
	assert_true(cJSON_IsFalse(ms_at(d, "session/complete")));
	cJSON_Delete(d);
}

static void nanoseconds_keep_all_their_digits(void **state)
{
	(void)state;
	s.start_ns = INT64_C(1700000000123456789); /* no double holds it */
	char *text = ms_json(&s, NULL);
	ms_has(text, "\"start_ns\":1700000000123456789,");
	free(text);
}

static void a_run_without_a_profile_has_no_session(void **state)
{
	(void)state;
	s.name = NULL;
	ms_metric(&s, "scalar[loss].last", 0.5);
	cJSON *d = ms_report(&s, NULL);
	ms_is_null(d, "session");
	ms_is_number(d, "metrics/scalar[loss].last", 0.5);
	cJSON_Delete(d);
}

static void issues_have_a_code_and_a_message(void **state)
{
	(void)state;
	ms_issue(&s, "truncated", "a/h.xplane.pb: byte 7: it ends early");
	cJSON *d = ms_report(&s, NULL);
	has_keys(d, "session/issues/0", "code message");
	ms_is_text(d, "session/issues/0/code", "truncated");
	ms_is_text(d, "session/issues/0/message", "a/h.xplane.pb: byte 7: it ends early");
	cJSON_Delete(d);
}

static void an_unknown_metric_is_null_with_its_reason(void **state)
{
	(void)state;
	ms_unknown(&s, "step_time_ms.mean", "no_step_marker")->value = 0; /* unknown is not zero */
	cJSON *d = ms_report(&s, NULL);
	ms_is_null(d, "metrics/step_time_ms.mean");
	ms_is_text(d, "reasons/step_time_ms.mean", "no_step_marker");
	cJSON_Delete(d);
}

static void a_known_metric_has_no_reason(void **state)
{
	(void)state;
	ms_metric(&s, "step_time_ms.mean", 12.5);
	ms_unknown(&s, "input.share", "no_input_events");
	cJSON *d = ms_report(&s, NULL);
	ms_is_number(d, "metrics/step_time_ms.mean", 12.5);
	has_keys(d, "reasons", "input.share");
	cJSON_Delete(d);
}

static void zero_is_measured_and_not_null(void **state)
{
	(void)state;
	ms_metric(&s, "input.share", 0);
	ms_integer(&s, "kernels.count", 0);
	char *text = ms_json(&s, NULL);
	ms_has(text, "\"metrics\":{\"input.share\":0,\"kernels.count\":0},\"reasons\":{}");
	free(text);
}

static void integers_are_written_as_integers(void **state)
{
	(void)state;
	ms_integer(&s, "memory.peak_bytes", INT64_C(9007199254740993)); /* 2^53 + 1 */
	char *text = ms_json(&s, NULL);
	ms_has(text, "\"memory.peak_bytes\":9007199254740993}");
	free(text);
}

static void doubles_read_back_as_the_same(void **state)
{
	(void)state;
	const double third = 1.0 / 3, tiny = 5e-324, huge = 1.7976931348623157e308;
	ms_metric(&s, "a", third);
	ms_metric(&s, "b", tiny);
	ms_metric(&s, "c", huge);
	ms_metric(&s, "d", 0.1 + 0.2);
	cJSON *d = ms_report(&s, NULL);
	ms_is_number(d, "metrics/a", third);
	ms_is_number(d, "metrics/b", tiny);
	ms_is_number(d, "metrics/c", huge);
	ms_is_number(d, "metrics/d", 0.1 + 0.2);
	cJSON_Delete(d);
}

static void no_figure_is_nan_or_infinite(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_device *d = ms_device(&s, h, "/device:GPU:0");
	d->peak_flops = INFINITY;
	d->memory_bytes_per_s = -INFINITY;
	struct tf_allocator *m = ms_allocator(&s, h, "a", 1);
	m->fragmentation = -NAN;
	ms_metric(&s, "x", INFINITY);
	ms_metric(&s, "y", NAN);
	char *text = ms_json(&s, NULL);
	ms_lacks(text, "nan");
	ms_lacks(text, "NaN");
	ms_lacks(text, "inf");
	ms_lacks(text, "Inf");
	ms_has(text, "\"peak_flops\":null,\"memory_bytes_per_s\":null");
	free(text);
}

static void metrics_of_a_host_are_marked_by_it(void **state)
{
	(void)state;
	ms_metric(&s, "step_time_ms.mean", 3);
	ms_metric(&s, "step_time_ms.mean", 2)->host = "vm-0";
	ms_unknown(&s, "input.share", "no_input_events")->host = "vm-1";
	cJSON *d = ms_report(&s, NULL);
	has_keys(d, "metrics", "step_time_ms.mean step_time_ms.mean@vm-0 input.share@vm-1");
	ms_is_number(d, "metrics/step_time_ms.mean@vm-0", 2);
	ms_is_text(d, "reasons/input.share@vm-1", "no_input_events");
	cJSON_Delete(d);
}

static void text_is_escaped(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "q\"b\\s/c\x01n\nt\te\x1b[31m\x7f");
	ms_op(&s, h, "\xe2\x80\xa8line", 1, 1);
	char *text = ms_json(&s, NULL);
	for (const char *p = text; p[1]; p++)
		if ((unsigned char)*p < 0x20)
			fail_msg("a raw control character: %02x", (unsigned char)*p);
	cJSON *d = cJSON_Parse(text);
	ms_is_text(d, "session/hosts/0", "q\"b\\s/c\x01n\nt\te\x1b[31m\x7f");
	ms_is_text(d, "ops/0/name", "\xe2\x80\xa8line");
	cJSON_Delete(d);
	free(text);
}

static void bytes_that_are_no_utf8_are_replaced(void **state)
{
	(void)state;
	/* alone, overlong, a surrogate, over U+10FFFF, cut at the end */
	static const char *const bad[] = {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "ok\xe2\x82"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct tf_host *h = ms_host(&s, bad[i]);
		ms_kernel(&s, h, bad[i], 1, 1);
	}
	char *text = ms_json(&s, NULL);
	assert_true(tf_utf8_valid(tf_bytes_of(text)));
	ms_has(text, "\"hosts\":[\"\xef\xbf\xbd\",");
	ms_has(text, "\"ok\xef\xbf\xbd");
	free(text);
}

static void each_kind_of_text_is_escaped(void **state)
{
	(void)state;
	static const char odd[] = "\"\n\xff";
	s.run = s.name = odd;
	ms_issue(&s, odd, odd);
	struct tf_host *h = ms_host(&s, odd);
	h->steps.event = h->steps.looked_for = h->input.evidence = odd;
	ms_step(&s, h, 1, 0, MS)->name = odd;
	struct tf_device *v = ms_device(&s, h, odd);
	v->model = v->reason = v->window_source = odd;
	struct tf_gap *g = ms_gap(&s, v, 0, 1);
	g->before = g->after = g->host_event = odd;
	struct tf_stage *p = ms_stage(&s, h, odd);
	p->pipeline = p->parent = odd;
	p->bottleneck = true;
	struct tf_allocator *m = ms_allocator(&s, h, odd, 1);
	struct tf_tensor_group *t = ms_tensor(&s, m, odd, 1);
	t->shape = t->dtype = t->region = odd;
	ms_growth(&s, m, odd, 1)->shape = odd;
	ms_op(&s, h, odd, 1, 1)->device = odd;
	struct tf_kernel *k = ms_kernel(&s, h, odd, 1, 1);
	k->op = k->grid = k->block = odd;
	ms_unknown(&s, odd, odd)->host = odd;
	char *text = ms_json(&s, NULL);
	assert_true(tf_utf8_valid(tf_bytes_of(text)));
	assert_int_equal(strcspn(text, "\n"), strlen(text) - 1); /* one line */
	cJSON *d = cJSON_ParseWithOpts(text, NULL, 1);
	assert_non_null(d);
	ms_is_text(d, "input/pipelines/0/bottleneck", "\"\n\xef\xbf\xbd");
	ms_is_text(d, "devices/0/gaps/0/host_activity", "\"\n\xef\xbf\xbd");
	cJSON_Delete(d);
	free(text);
}

static void a_step_has_the_keys_of_the_contract(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_step *p = ms_step(&s, h, 7, 2 * MS, 12 * MS);
	p->host_ps = 10 * MS;
	p->device_ps = 12 * MS;
	p->period_ps = 13 * MS;
	p->warmup = true;
	cJSON *d = ms_report(&s, NULL);
	ms_is_text(d, "steps/source", "host_marker");
	ms_is_text(d, "steps/list/0/host", "h");
	ms_is_number(d, "steps/list/0/number", 7);
	ms_is_text(d, "steps/list/0/name", "train");
	ms_is_number(d, "steps/list/0/start_ms", 2);
	ms_is_number(d, "steps/list/0/step_time_ms", 12);
	ms_is_number(d, "steps/list/0/host_ms", 10);
	ms_is_number(d, "steps/list/0/device_ms", 12);
	ms_is_number(d, "steps/list/0/period_ms", 13);
	assert_true(cJSON_IsTrue(ms_at(d, "steps/list/0/complete")));
	assert_true(cJSON_IsTrue(ms_at(d, "steps/list/0/warmup")));
	cJSON_Delete(d);
}

static void what_a_step_does_not_know_is_null(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	ms_step(&s, h, TF_NONE, 0, MS);
	cJSON *d = ms_report(&s, NULL);
	static const char *const keys[] = {"number", "device_ms", "period_ms", "breakdown_ms", "input_ms", "stall_ms", "kernels"};
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		char path[64];
		snprintf(path, sizeof path, "steps/list/0/%s", keys[i]);
		ms_is_null(d, path);
	}
	cJSON_Delete(d);
}

static void parts_of_a_step_add_up_to_it(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_step *p = ms_step(&s, h, 1, 0, 0);
	p->has_breakdown = true;
	for (int i = 0; i < TF_PART_COUNT; i++)
		p->step_ps += p->part_ps[i] = (i + 1) * MS; /* 1 + 2 + … + 12 = 78 */
	cJSON *d = ms_report(&s, NULL);
	double sum = 0;
	const cJSON *part;
	cJSON_ArrayForEach(part, ms_at(d, "steps/list/0/breakdown_ms")) sum += part->valuedouble;
	assert_true(sum == 78);
	ms_is_number(d, "steps/list/0/step_time_ms", 78);
	ms_is_number(d, "steps/list/0/breakdown_ms/device_compute", 1 + 2);
	has_keys(d, "steps/list/0/breakdown_ms",
		 "device_compute device_to_host device_to_device input_wait device_collectives kernel_launch host_to_device "
		 "host_to_host compile host_compute other");
	cJSON_Delete(d);
}

static void picoseconds_are_not_lost_in_milliseconds(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_step *p = ms_step(&s, h, 1, 1, 123456789012345);
	p->period_ps = -1;
	char *text = ms_json(&s, NULL);
	ms_has(text, "\"start_ms\":0.000000001,");
	ms_has(text, "\"step_time_ms\":123456.789012345,");
	ms_has(text, "\"period_ms\":-1e-09,");
	free(text);
}

static void steps_are_chosen_by_number_both_ends_in(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	for (int64_t i = 10; i < 20; i++)
		ms_step(&s, h, i, i * MS, MS);
	ms_step(&s, h, TF_NONE, 30 * MS, MS);
	ms_integer(&s, "steps.count", 11);
	cJSON *d = ms_report(&s, &(struct tf_report_options){.has_steps = true, .step_first = 12, .step_last = 14});
	ms_is_long(d, "steps/list", 3);
	ms_is_number(d, "steps/list/0/number", 12);
	ms_is_number(d, "steps/list/2/number", 14);
	ms_is_number(d, "steps/count", 11);
	cJSON_Delete(d);
	d = ms_report(&s, &(struct tf_report_options){.has_steps = true, .step_first = INT64_MIN + 1, .step_last = INT64_MAX});
	ms_is_long(d, "steps/list", 10);
	cJSON_Delete(d);
	d = ms_report(&s, &(struct tf_report_options){.has_steps = true, .step_first = 14, .step_last = 12});
	ms_is_long(d, "steps/list", 0);
	cJSON_Delete(d);
}

static void negative_step_numbers_are_numbers(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	ms_step(&s, h, -2, 0, MS);
	cJSON *d = ms_report(&s, &(struct tf_report_options){.has_steps = true, .step_first = -3, .step_last = -1});
	ms_is_number(d, "steps/list/0/number", -2);
	cJSON_Delete(d);
}

static void a_cut_list_says_so(void **state)
{
	(void)state;
	static const char names[] = "abcde";
	static char text[5][2];
	struct tf_host *h = ms_host(&s, "h");
	struct tf_device *v = ms_device(&s, h, "d");
	struct tf_allocator *m = ms_allocator(&s, h, "a", 15);
	for (int i = 0; i < 5; i++) {
		text[i][0] = names[i];
		ms_op(&s, h, text[i], 1, (5 - i) * MS);
		ms_kernel(&s, h, text[i], 1, (5 - i) * MS);
		ms_gap(&s, v, i * MS, MS);
		ms_tensor(&s, m, text[i], 5 - i);
	}
	cJSON *d = ms_report(&s, &(struct tf_report_options){.top = 2});
	static const char *const cut[] = {"ops", "kernels", "memory.at_peak", "devices.gaps"};
	for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
		char path[64];
		snprintf(path, sizeof path, "truncation/%s/returned", cut[i]);
		ms_is_number(d, path, 2);
		snprintf(path, sizeof path, "truncation/%s/total", cut[i]);
		ms_is_number(d, path, 5);
	}
	ms_is_long(d, "ops", 2);
	ms_is_long(d, "kernels", 2);
	ms_is_long(d, "devices/0/gaps", 2);
	ms_is_long(d, "memory/0/at_peak", 2);
	ms_is_text(d, "ops/0/name", "a");
	ms_is_text(d, "ops/1/name", "b");
	cJSON_Delete(d);
}

static void tensors_over_the_capture_are_cut_and_said_to_be(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_allocator *m = ms_allocator(&s, h, "a", 1);
	struct tf_tensor_group groups[3] = {{.op = "x", .bytes = 3}, {.op = "y", .bytes = 2}, {.op = "z", .bytes = 1}};
	m->by_tensor = groups;
	m->by_tensor_count = 3;
	cJSON *d = ms_report(&s, &(struct tf_report_options){.top = 1});
	ms_is_long(d, "memory/0/by_tensor", 1);
	ms_is_text(d, "memory/0/by_tensor/0/op", "x");
	ms_is_number(d, "truncation/memory.by_tensor/returned", 1);
	ms_is_number(d, "truncation/memory.by_tensor/total", 3);
	cJSON_Delete(d);
	d = ms_report(&s, NULL);
	ms_is_long(d, "memory/0/by_tensor", 3);
	assert_null(ms_at(d, "truncation/memory.by_tensor"));
	cJSON_Delete(d);
}

static void a_list_that_fits_is_not_called_cut(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	ms_op(&s, h, "a", 1, 1);
	ms_op(&s, h, "b", 1, 1);
	cJSON *d = ms_report(&s, &(struct tf_report_options){.top = 2});
	has_keys(d, "truncation", "");
	ms_is_long(d, "ops", 2);
	cJSON_Delete(d);
}

static void without_top_lists_are_whole(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	for (int i = 0; i < 300; i++)
		ms_op(&s, h, "a", 1, 1);
	cJSON *d = ms_report(&s, NULL);
	ms_is_long(d, "ops", 300);
	has_keys(d, "truncation", "");
	cJSON_Delete(d);
}

static void cut_lists_of_several_hosts_are_counted_together(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tf_host *h = ms_host(&s, i ? "h1" : "h0");
		for (int k = 0; k < 3 + i; k++) /* 3 and 4 */
			ms_op(&s, h, "a", 1, 1);
	}
	cJSON *d = ms_report(&s, &(struct tf_report_options){.top = 2});
	ms_is_number(d, "truncation/ops/returned", 2 + 2);
	ms_is_number(d, "truncation/ops/total", 3 + 4);
	ms_is_text(d, "ops/1/host", "h0");
	ms_is_text(d, "ops/2/host", "h1");
	cJSON_Delete(d);
}

static void sections_choose_what_is_written(void **state)
{
	(void)state;
	static const char *const all[] = {"metrics", "steps", "devices", "input", "memory", "ops", "kernels", "hosts", "findings"};
	ms_host(&s, "h");
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		const char *const one[] = {all[i], NULL};
		cJSON *d = ms_report(&s, &(struct tf_report_options){.sections = one});
		for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
			if ((ms_at(d, all[k]) != NULL) != (i == k))
				fail_msg("--section %s: '%s' is wrongly there or missing", all[i], all[k]);
		assert_non_null(ms_at(d, "session"));
		assert_non_null(ms_at(d, "truncation"));
		assert_true((ms_at(d, "reasons") != NULL) == (i == 0));
		cJSON_Delete(d);
	}
}

static void no_section_means_all(void **state)
{
	(void)state;
	const char *const none[] = {NULL};
	char *a = ms_json(&s, &(struct tf_report_options){.sections = none}), *b = ms_json(&s, NULL);
	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void every_named_section_is_one(void **state)
{
	(void)state;
	ms_host(&s, "h");
	cJSON *d = ms_report(&s, NULL);
	for (size_t i = 0; tf_report_sections[i]; i++)
		assert_non_null(ms_at(d, tf_report_sections[i]));
	cJSON_Delete(d);
}

static void ratios_of_a_device_are_parts_of_its_window(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_device *v = ms_device(&s, h, "/device:GPU:0");
	v->window_source = "steps";
	v->window_ps = 200 * MS;
	v->busy_ps = 150 * MS;
	v->kernel_ps = 100 * MS;
	v->memcpy_ps = 50 * MS;
	v->comm_ps = 25 * MS;
	v->exposed_comm_ps = 10 * MS;
	v->idle_ratio = 0.25;
	cJSON *d = ms_report(&s, NULL);
	ms_is_text(d, "devices/0/window", "steps");
	ms_is_number(d, "devices/0/window_ms", 200);
	ms_is_number(d, "devices/0/busy_ms", 150);
	ms_is_number(d, "devices/0/idle_ratio", 0.25);
	ms_is_number(d, "devices/0/kernel_ratio", 100.0 / 200);
	ms_is_number(d, "devices/0/memcpy_ratio", 50.0 / 200);
	ms_is_number(d, "devices/0/comm_ratio", 25.0 / 200);
	ms_is_number(d, "devices/0/exposed_comm_ratio", 10.0 / 200);
	cJSON_Delete(d);
}

static void a_window_of_nothing_has_no_ratios(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_device *v = ms_device(&s, h, "/device:GPU:0");
	v->window_ps = v->kernel_ps = v->memcpy_ps = 0;
	v->reason = "device_not_traced";
	cJSON *d = ms_report(&s, NULL);
	ms_is_null(d, "devices/0/kernel_ratio");
	ms_is_null(d, "devices/0/memcpy_ratio");
	ms_is_null(d, "devices/0/idle_ratio");
	ms_is_text(d, "devices/0/reason", "device_not_traced");
	cJSON_Delete(d);
}

static void a_gap_says_what_is_around_it(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_device *v = ms_device(&s, h, "d");
	struct tf_gap *g = ms_gap(&s, v, 3 * MS, 2 * MS);
	g->before = "gemm";
	g->host_event = "IteratorGetNext";
	cJSON *d = ms_report(&s, NULL);
	has_keys(d, "devices/0/gaps/0", "start_ms ms before after host_activity");
	ms_is_number(d, "devices/0/gaps/0/start_ms", 3);
	ms_is_number(d, "devices/0/gaps/0/ms", 2);
	ms_is_text(d, "devices/0/gaps/0/before", "gemm");
	ms_is_null(d, "devices/0/gaps/0/after");
	ms_is_text(d, "devices/0/gaps/0/host_activity", "IteratorGetNext");
	cJSON_Delete(d);
}

static void the_input_verdict_goes_by_the_exposed_share(void **state)
{
	(void)state;
	static const struct {
		double exposed;
		const char *verdict;
	} cases[] = {{0, "none"}, {0.0499, "none"}, {0.05, "moderate"}, {0.1999, "moderate"}, {0.20, "high"}, {1, "high"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		s.metric_count = 0;
		ms_metric(&s, "input.share", 1);
		ms_metric(&s, "input.exposed_share", cases[i].exposed);
		cJSON *d = ms_report(&s, NULL);
		ms_is_text(d, "input/verdict", cases[i].verdict);
		ms_is_number(d, "input/exposed_share", cases[i].exposed);
		ms_is_number(d, "input/share", 1);
		cJSON_Delete(d);
	}
}

static void pipelines_name_their_bottleneck(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	ms_stage(&s, h, "Iterator::Root");
	struct tf_stage *g = ms_stage(&s, h, "Iterator::Root::Map");
	g->bottleneck = true;
	g->parent = "Iterator::Root";
	cJSON *d = ms_report(&s, NULL);
	ms_is_long(d, "input/stages", 2);
	ms_is_null(d, "input/stages/0/parent");
	ms_is_text(d, "input/stages/1/parent", "Iterator::Root");
	ms_is_null(d, "input/stages/1/buffered_elements");
	ms_is_long(d, "input/pipelines", 1);
	ms_is_text(d, "input/pipelines/0/name", "Host:0");
	ms_is_text(d, "input/pipelines/0/bottleneck", "Iterator::Root::Map");
	cJSON_Delete(d);
}

static void an_allocator_has_the_keys_of_the_contract(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_allocator *m = ms_allocator(&s, h, "GPU_0_bfc", 3072);
	m->peak_ps = 5 * MS;
	m->peak_step_number = 4;
	m->ties = 2;
	m->capacity_bytes = INT64_C(85899345920);
	ms_tensor(&s, m, "dense/MatMul", 2048)->shape = "[512]";
	ms_tensor(&s, m, "(pre_existing)", 1024);
	cJSON *d = ms_report(&s, NULL);
	has_keys(d, "memory/0",
		 "host allocator peak_bytes peak_ms peak_step ties lifetime_peak_bytes capacity_bytes fragmentation "
		 "pre_existing_bytes unmatched_frees at_peak by_tensor growth");
	ms_is_number(d, "memory/0/peak_bytes", 3072);
	ms_is_number(d, "memory/0/peak_step", 4);
	ms_is_null(d, "memory/0/lifetime_peak_bytes");
	ms_is_null(d, "memory/0/fragmentation");
	ms_is_number(d, "memory/0/at_peak/0/bytes", 2048);
	ms_is_text(d, "memory/0/at_peak/0/shape", "[512]");
	ms_is_null(d, "memory/0/at_peak/1/shape");
	cJSON_Delete(d);
}

static void growth_of_the_allocator_itself_has_no_op(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_allocator *m = ms_allocator(&s, h, "a", 1);
	ms_growth(&s, m, NULL, 1024);
	cJSON *d = ms_report(&s, NULL);
	ms_is_null(d, "memory/0/growth/0/op");
	ms_is_number(d, "memory/0/growth/0/bytes_per_step", 1024);
	ms_is_number(d, "memory/0/growth/0/last_bytes", 3 * 1024);
	ms_is_number(d, "memory/0/growth/0/steps", 4);
	cJSON_Delete(d);
}

static void a_kernel_has_its_mean(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	struct tf_kernel *k = ms_kernel(&s, h, "gemm", 4, 6 * MS);
	k->min_ps = MS;
	k->max_ps = 2 * MS;
	k->registers = 128;
	k->grid = "8,1,1";
	k->tensor_core = true;
	cJSON *d = ms_report(&s, NULL);
	ms_is_number(d, "kernels/0/mean_us", 6.0 / 4 * 1000);
	ms_is_number(d, "kernels/0/min_us", 1000);
	ms_is_number(d, "kernels/0/max_us", 2000);
	ms_is_number(d, "kernels/0/total_ms", 6);
	ms_is_number(d, "kernels/0/registers", 128);
	ms_is_null(d, "kernels/0/shared_bytes");
	ms_is_text(d, "kernels/0/grid", "8,1,1");
	ms_is_null(d, "kernels/0/block");
	ms_is_null(d, "kernels/0/occupancy");
	assert_true(cJSON_IsTrue(ms_at(d, "kernels/0/tensor_core")));
	cJSON_Delete(d);
}

static void one_kernel_on_two_devices_is_one_row(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	ms_kernel(&s, h, "gemm", 3, 3 * MS);
	struct tf_kernel *k = ms_kernel(&s, h, "gemm", 1, 5 * MS);
	k->device = "/device:GPU:1";
	ms_kernel(&s, h, "relu", 1, MS);
	cJSON *d = ms_report(&s, NULL);
	ms_is_long(d, "kernels", 2);
	ms_is_text(d, "kernels/0/name", "gemm");
	ms_is_null(d, "kernels/0/device");
	ms_is_number(d, "kernels/0/count", 4);
	ms_is_number(d, "kernels/0/total_ms", 8);
	ms_is_number(d, "kernels/0/min_us", 1000);
	ms_is_number(d, "kernels/0/max_us", 5000);
	ms_is_text(d, "kernels/1/device", "/device:GPU:0");
	cJSON_Delete(d);
}

static void hosts_stand_side_by_side(void **state)
{
	(void)state;
	static const char *const names[] = {"h0", "h1", "h2"};
	for (int i = 0; i < 3; i++) {
		struct tf_host *h = ms_host(&s, names[i]);
		for (int64_t k = 0; k < 4; k++)
			ms_step(&s, h, k, k * 20 * MS, (i == 2 ? 11 : 10) * MS);
	}
	cJSON *d = ms_report(&s, NULL);
	ms_is_long(d, "hosts", 3);
	ms_is_number(d, "hosts/0/step_time_ms", 10);
	assert_true(cJSON_IsFalse(ms_at(d, "hosts/0/straggler")));
	ms_is_number(d, "hosts/2/step_time_ms", 11); /* over 5 % above 10 */
	assert_true(cJSON_IsTrue(ms_at(d, "hosts/2/straggler")));
	ms_is_long(d, "steps/list", 3 * 4);
	ms_is_text(d, "steps/list/4/host", "h1");
	cJSON_Delete(d);
}

static void the_long_tail_is_cut_too(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	for (int i = 0; i < 3; i++) {
		struct tf_op *o = ms_op(&s, h, "op", 100, 300 * MS);
		o->p50_ps = MS;
		o->p99_ps = 4 * MS;
		o->max_ps = 5 * MS;
	}
	cJSON *d = ms_report(&s, &(struct tf_report_options){.top = 2});
	ms_is_long(d, "long_tail_ops", 2);
	ms_is_number(d, "long_tail_ops/0/excess_ms", 300 - 100 * 1);
	ms_is_number(d, "truncation/long_tail_ops/total", 3);
	cJSON_Delete(d);
}

static void the_same_session_gives_the_same_bytes(void **state)
{
	(void)state;
	struct tf_host *h = ms_host(&s, "h");
	for (int i = 0; i < 50; i++) /* equal in all that they are sorted by */
		ms_kernel(&s, h, i % 2 ? "a" : "b", 1, MS)->op = i % 3 ? "x" : NULL;
	char *a = ms_json(&s, NULL), *b = ms_json(&s, NULL);
	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	struct tf_error err = {0};
	struct tf_report_options o = {0};
	FILE *to = fopen("/dev/full", "w");
	if (!to)
		skip();
	assert_int_equal(tf_render_report_json(to, &s, &o, &err), -1);
	assert_int_equal(err.code, TF_ESYSTEM);
	fclose(to);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_document_names_its_schema_and_tool),
		TEST(sections_stand_in_the_order_of_the_contract),
		TEST(an_empty_session_has_empty_lists),
		TEST(an_empty_session_claims_nothing),
		TEST(a_session_is_named_as_xprof_names_it),
		TEST(nanoseconds_keep_all_their_digits),
		TEST(a_run_without_a_profile_has_no_session),
		TEST(issues_have_a_code_and_a_message),
		TEST(an_unknown_metric_is_null_with_its_reason),
		TEST(a_known_metric_has_no_reason),
		TEST(zero_is_measured_and_not_null),
		TEST(integers_are_written_as_integers),
		TEST(doubles_read_back_as_the_same),
		TEST(no_figure_is_nan_or_infinite),
		TEST(metrics_of_a_host_are_marked_by_it),
		TEST(text_is_escaped),
		TEST(bytes_that_are_no_utf8_are_replaced),
		TEST(each_kind_of_text_is_escaped),
		TEST(a_step_has_the_keys_of_the_contract),
		TEST(what_a_step_does_not_know_is_null),
		TEST(parts_of_a_step_add_up_to_it),
		TEST(picoseconds_are_not_lost_in_milliseconds),
		TEST(steps_are_chosen_by_number_both_ends_in),
		TEST(negative_step_numbers_are_numbers),
		TEST(a_cut_list_says_so),
		TEST(tensors_over_the_capture_are_cut_and_said_to_be),
		TEST(a_list_that_fits_is_not_called_cut),
		TEST(without_top_lists_are_whole),
		TEST(cut_lists_of_several_hosts_are_counted_together),
		TEST(sections_choose_what_is_written),
		TEST(no_section_means_all),
		TEST(every_named_section_is_one),
		TEST(ratios_of_a_device_are_parts_of_its_window),
		TEST(a_window_of_nothing_has_no_ratios),
		TEST(a_gap_says_what_is_around_it),
		TEST(the_input_verdict_goes_by_the_exposed_share),
		TEST(pipelines_name_their_bottleneck),
		TEST(an_allocator_has_the_keys_of_the_contract),
		TEST(growth_of_the_allocator_itself_has_no_op),
		TEST(a_kernel_has_its_mean),
		TEST(one_kernel_on_two_devices_is_one_row),
		TEST(hosts_stand_side_by_side),
		TEST(the_long_tail_is_cut_too),
		TEST(the_same_session_gives_the_same_bytes),
		TEST(a_full_disk_is_an_error),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
