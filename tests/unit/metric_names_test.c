/* Names of metrics: the table is sound, brackets and hosts are told apart, wrong names get a hint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lib/analyze/gate.h"
#include "lib/analyze/metric_names.h"

static const char *kind_of(const char *name)
{
	const struct tf_metric_kind *k = tf_metric_kind_find(name);
	return k ? k->name : NULL;
}

static void no_name_stands_twice(void **state)
{
	(void)state;
	for (const struct tf_metric_kind *a = tf_metric_kinds; a->name; a++)
		for (const struct tf_metric_kind *b = tf_metric_kinds; b != a; b++)
			assert_string_not_equal(a->name, b->name);
}

static void names_end_in_what_their_unit_is(void **state)
{
	(void)state;
	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++) {
		if (strncmp(k->name, "scalar[]", 8) == 0)
			continue;
		bool ms = strstr(k->name, "_ms") != NULL, bytes = strstr(k->name, "_bytes") != NULL;
		bool ratio = strstr(k->name, "_ratio") || strstr(k->name, "share") || strstr(k->name, "fragmentation");
		if (strstr(k->name, "bytes_per_step"))
			bytes = true;
		assert_int_equal(k->unit == TF_UNIT_MS, ms);
		assert_int_equal(k->unit == TF_UNIT_BYTES, bytes);
		if (ratio)
			assert_int_equal(k->unit, TF_UNIT_RATIO);
	}
}

/* Every name is of its own kind, also with a host, a tag or an allocator. */
static void every_name_is_of_its_kind(void **state)
{
	(void)state;
	static const char *const inside[] = {"x", "GPU_0_bfc", "a/b c", "x]y[z", "loss@1", "\xc3\xa9"};
	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++) {
		const char *open = strstr(k->name, "[]");
		for (size_t i = 0; i < (open ? sizeof inside / sizeof inside[0] : 1); i++) {
			char name[256], with_host[300];
			if (open)
				snprintf(name, sizeof name, "%.*s[%s]%s", (int)(open - k->name), k->name, inside[i], open + 2);
			else
				snprintf(name, sizeof name, "%s", k->name);
			snprintf(with_host, sizeof with_host, "%s@host-1.example", name);
			assert_string_equal(kind_of(name), k->name);
			assert_string_equal(kind_of(with_host), k->name);
		}
	}
}

static void an_at_sign_inside_brackets_is_the_tags(void **state)
{
	(void)state;
	assert_string_equal(kind_of("scalar[a@b].last"), "scalar[].last");
	assert_string_equal(kind_of("scalar[a@b].last@h"), "scalar[].last");
	assert_null(kind_of("scalar[a@b]"));
	assert_null(kind_of("scalar[a@b"));
}

static void names_of_no_kind(void **state)
{
	(void)state;
	static const char *const names[] = {"", "@", "@h", "steps.count@", "steps.count ", " steps.count", "Steps.count", "steps.count.x",
					    "memory.peak_bytes[]", "memory.peak_bytes[x", "memory.peak_bytes]x[", "memory.peak_bytes[x]y",
					    "scalar[].last", "scalar[x].lastly", "scalar[x]last", "steps.count[x]"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (kind_of(names[i]))
			fail_msg("'%s' is of kind %s", names[i], kind_of(names[i]));
}

static void tags_that_look_like_a_metric_stay_tags(void **state)
{
	(void)state;
	assert_string_equal(kind_of("scalar[x].last].min"), "scalar[].min");
	assert_string_equal(kind_of("scalar[memory.peak_bytes[x]].max"), "scalar[].max");
}

static void what_is_known_has_unit_and_direction(void **state)
{
	(void)state;
	enum tf_unit unit = TF_UNIT_PS;
	enum tf_worse worse = TF_WORSE_NONE;
	assert_false(tf_metric_known("nothing", &unit, &worse));
	assert_int_equal(unit, TF_UNIT_PS); /* untouched */
	assert_true(tf_metric_known("memory.peak_bytes[a]@h", &unit, &worse));
	assert_int_equal(unit, TF_UNIT_BYTES);
	assert_int_equal(worse, TF_WORSE_UP);
}

static void hinted(const char *name, const char *suggestion)
{
	struct tf_error err = {0};

	tf_metric_suggest(name, &err);
	if (!strstr(err.hint, suggestion))
		fail_msg("'%s': %s", name, err.hint);
}

static void near_names_are_suggested(void **state)
{
	(void)state;
	hinted("step_time_ms.maen", "'step_time_ms.mean'");
	hinted("steps.cont", "'steps.count'");
	hinted("step_time", "'step_time_ms.mean'"); /* the beginning of it */
	hinted("memory.peek_bytes[GPU_0_bfc]", "'memory.peak_bytes[]'");
}

static void far_names_get_advice_instead(void **state)
{
	(void)state;
	hinted("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "tfprof report --json");
}

static void at_most_three_are_suggested(void **state)
{
	(void)state;
	struct tf_error err = {0};
	int quotes = 0;
	tf_metric_suggest("step_breakdown_ms", &err);
	for (const char *p = err.hint; *p; p++)
		quotes += *p == '\'';
	assert_int_equal(quotes, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_name_stands_twice),
		cmocka_unit_test(names_end_in_what_their_unit_is),
		cmocka_unit_test(every_name_is_of_its_kind),
		cmocka_unit_test(an_at_sign_inside_brackets_is_the_tags),
		cmocka_unit_test(names_of_no_kind),
		cmocka_unit_test(tags_that_look_like_a_metric_stay_tags),
		cmocka_unit_test(what_is_known_has_unit_and_direction),
		cmocka_unit_test(near_names_are_suggested),
		cmocka_unit_test(far_names_get_advice_instead),
		cmocka_unit_test(at_most_three_are_suggested),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
