/* Sessions for tests of the gate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/analyze/analyze.h"
#include "tests/unit/support_gate.h"

void gate_session(struct tf_session *s, const char *name, const double *ms, size_t n)
{
	struct tf_error err = {0};

	*s = (struct tf_session){.run = "r", .name = name, .start_ns = TF_NONE};
	struct tf_host *h = s->hosts = tf_arena_alloc(&s->arena, sizeof *h);
	s->host_count = 1;
	*h = (struct tf_host){.name = "h", .complete = true, .end_ps = 1000, .start_ns = TF_NONE, .dropped_count = TF_NONE,
			      .device_reason = "no_device_plane", .memory_reason = "no_memory_events", .op_reason = "no_op_events"};
	h->input = (struct tf_input){.reason = "no_input_events", .get_next_count = TF_NONE};
	h->steps.reason = n ? NULL : "no_step_marker";
	h->steps.list = tf_arena_array(&s->arena, n + 1, sizeof *h->steps.list);
	h->steps.count = n;
	for (size_t i = 0; i < n; i++)
		h->steps.list[i] = (struct tf_step){.number = (int64_t)i, .name = "train", .series = "train", .main_series = true,
						    .complete = true, .step_ps = (int64_t)(ms[i] * 1e9), .period_ps = TF_NONE,
						    .input_ps = TF_NONE, .stall_ps = TF_NONE, .kernel_count = TF_NONE};
	assert_int_equal(tf_metrics_build(s, &err), 0);
}

void gate_add_scalar(struct tf_session *s, const char *tag, double last)
{
	struct tf_error err = {0};
	struct tf_scalar_series *to = tf_arena_push(&s->arena, (void **)&s->scalars, &s->scalar_count, &s->scalar_cap, sizeof *to);

	assert_non_null(to);
	*to = (struct tf_scalar_series){.tag = tag, .count = 3, .last = last, .min = last, .max = last, .mean = last};
	assert_int_equal(tf_metrics_build(s, &err), 0);
}
