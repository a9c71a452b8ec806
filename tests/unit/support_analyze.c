/* Runs the analyses on a trace made with support_trace.h. */
#include "tests/unit/support_analyze.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

struct mk_analysis *mk_analyze(struct tf_trace *t, const char *step_event)
{
	struct mk_analysis *a = calloc(1, sizeof *a);
	struct tf_analyze_options options = {0};
	struct tf_error err = {0};
	regex_t regex;

	assert_non_null(a);
	a->trace = mk_finish(t);
	a->host.name = "h";
	if (step_event) {
		assert_int_equal(regcomp(&regex, step_event, REG_EXTENDED | REG_NOSUB), 0);
		options.step_event = &regex;
	}
	assert_int_equal(tf_analyze_host(t, &options, &a->arena, &a->host, &a->d, &err), 0);
	if (step_event)
		regfree(&regex);
	return a;
}

void mk_analysis_free(struct mk_analysis *a)
{
	tf_derived_release(&a->d);
	tf_arena_release(&a->arena);
	mk_free(a->trace);
	free(a);
}

int mk_group(const struct mk_analysis *a, const char *name, size_t n)
{
	return a->d.group[mk_find(a->trace, name, n)];
}

void mk_assert_parts(const struct mk_analysis *a, size_t index, int64_t unit, const int64_t parts[TF_PART_COUNT])
{
	const struct tf_step *step = &a->host.steps.list[index];
	int64_t sum = 0;

	assert_true(index < a->host.steps.count);
	assert_true(step->has_breakdown);
	for (int i = 0; i < TF_PART_COUNT; i++) {
		if (step->part_ps[i] != parts[i] * unit)
			fail_msg("%s: %lld instead of %lld", tf_part_name((enum tf_part)i), (long long)step->part_ps[i],
				 (long long)(parts[i] * unit));
		sum += step->part_ps[i];
	}
	assert_int_equal(sum, step->step_ps);
}
