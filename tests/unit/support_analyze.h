/* Runs the analyses on a trace made with support_trace.h. Failures abort the test. */
#ifndef TESTS_SUPPORT_ANALYZE_H
#define TESTS_SUPPORT_ANALYZE_H

#include "lib/analyze/analyze.h"
#include "tests/unit/support_trace.h"

#define US INT64_C(1000000) /* ps */

struct mk_analysis {
	struct tf_trace *trace;
	struct tf_derived d;
	struct tf_host host;
	struct tf_arena arena;
};

/* Finishes the trace and analyses it; `step_event` is a regular expression or NULL. Owned: mk_analysis_free(). */
struct mk_analysis *mk_analyze(struct tf_trace *t, const char *step_event);

/* Releases the trace too. */
void mk_analysis_free(struct mk_analysis *a);

/* The group of the n-th event of this name, -1: none. */
int mk_group(const struct mk_analysis *a, const char *name, size_t n);

/* Step `index` of the list has these parts, in the order of TF_PARTS, in units of `unit` ps; they sum to its length. */
void mk_assert_parts(const struct mk_analysis *a, size_t index, int64_t unit, const int64_t parts[TF_PART_COUNT]);

#endif
