/* Patterns over metric names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "lib/analyze/metric_pattern.h"

static void names_match_as_they_read(void **state)
{
	(void)state;
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{"memory.peak_bytes[*]", "memory.peak_bytes[GPU_0_bfc]", true},
		{"memory.peak_bytes[*]", "memory.peak_bytes", false},
		{"memory.peak_bytes[GPU_?_bfc]", "memory.peak_bytes[GPU_1_bfc]", true},
		{"memory.peak_bytes[GPU_?_bfc]", "memory.peak_bytes[GPU_10_bfc]", false},
		{"step_time_ms.*", "step_time_ms.mean", true},
		{"step_time_ms.*", "step_time_ms.mean@h1", false}, /* figures of hosts are asked for */
		{"step_time_ms.mean@*", "step_time_ms.mean@h1", true},
		{"step_time_ms.mean@*", "step_time_ms.mean", false},
		{"step_time_ms.mean@w?", "step_time_ms.mean@w7", true},
		{"step_time_ms.mean@w?", "step_time_ms.mean@w17", false},
		{"scalar[*loss*].last", "scalar[val/loss@1].last", true}, /* an '@' in brackets is the tag's */
		{"scalar[[ab]].last", "scalar[a].last", false}, /* brackets are themselves */
		{"scalar[a*b].last", "scalar[a*b].last", true},
		{"scalar[*].last", "scalar[a]b].last", true}, /* the outermost brackets count */
		{"memory.*", "memory.peak_bytes", true},
		{"memory.*", "memory.peak_bytes[GPU_0_bfc]", false}, /* so are allocators */
		{"*", "steps.count", true},
		{"*a*b*", "xaxbx", true},
		{"*a*b*", "xbxax", false},
		{"", "", true},
		{"?", "", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (tf_metric_matches(cases[i].pattern, cases[i].name) != cases[i].matches)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].name);
}

/* The names of the kinds that a pattern can mean, by comma. */
static void expect_kinds(const char *pattern, const char *want)
{
	char got[4096] = "";

	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++)
		if (tf_metric_could_match(pattern, k)) {
			strcat(got, *got ? "," : "");
			strcat(got, k->name);
		}
	if (strcmp(got, want) != 0)
		fail_msg("'%s' means %s", pattern, got);
}

static void kinds_are_found_by_what_their_names_could_be(void **state)
{
	(void)state;
	expect_kinds("memory.peak_*", "memory.peak_bytes");
	expect_kinds("memory.peak_bytes[GPU*]", "memory.peak_bytes[]");
	expect_kinds("memory.p*[*]", "memory.peak_bytes[],memory.pre_existing_bytes[]");
	expect_kinds("memory.p*[]", "");
	expect_kinds("memory.peak_bytes[?", "");
	expect_kinds("scalar[*].la?t", "scalar[].last");
	expect_kinds("scalar[x*y].last@*", "scalar[].last");
	expect_kinds("*.idle_ratio.m*n", "device.idle_ratio.mean,device.idle_ratio.min");
	expect_kinds("nothing*", "");
	expect_kinds("?teps.count", "steps.count");
}

static void long_patterns_end(void **state)
{
	(void)state;
	char stars[20001];

	for (size_t i = 0; i < sizeof stars - 1; i += 2)
		memcpy(stars + i, "*?", 2);
	stars[sizeof stars - 1] = '\0';
	assert_false(tf_metric_could_match(stars, &tf_metric_kinds[0]));
	assert_false(tf_metric_matches(stars, "steps.count"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_match_as_they_read),
		cmocka_unit_test(kinds_are_found_by_what_their_names_could_be),
		cmocka_unit_test(long_patterns_end),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
