/* Which framework a capture is of (METRICS.md, "Framework"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/support_analyze.h"

/* The framework of a host whose events are called so (NULL: one less). */
static void is_framework(const char *first, const char *second, const char *want)
{
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, first, 0, 10, "");
	if (second)
		mk_event(t, second, 20, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	if (want)
		assert_string_equal(a->host.framework, want);
	else
		assert_null(a->host.framework);
	mk_analysis_free(a);
}

static void tensorflow_by_its_executor_and_eager_calls(void **state)
{
	(void)state;
	is_framework("ExecutorState::Process", NULL, "tensorflow");
	is_framework("EagerExecute: __inference_train", NULL, "tensorflow");
	is_framework("TFE_Py_Execute", NULL, "tensorflow");
}

static void jax_by_its_calls(void **state)
{
	(void)state;
	is_framework("PjitFunction(step)", NULL, "jax");
}

/* JAX runs on parts of TensorFlow's runtime. */
static void jax_counts_before_tensorflow(void **state)
{
	(void)state;
	is_framework("ExecutorState::Process", "PjitFunction(step)", "jax");
}

static void nothing_tells(void **state)
{
	(void)state;
	is_framework("my_loop", "matmul", NULL);
}

static void pytorch_by_the_category_of_its_ops(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, "aten::add", 0, 10, "");
	mk_meta_stats(t, "aten::add", "cat=cpu_op");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(a->host.framework, "pytorch");
	mk_analysis_free(a);
}

static void the_session_is_of_its_first_host_that_tells(void **state)
{
	(void)state;
	struct tf_host hosts[2] = {{.name = "a"}, {.name = "b", .framework = "jax"}};
	struct tf_session s = {.hosts = hosts, .host_count = 2};
	struct tf_error err = {0};
	for (int i = 0; i < 2; i++)
		hosts[i].start_ns = hosts[i].begin_ps = hosts[i].event_count = hosts[i].dropped_count = TF_NONE;
	assert_int_equal(tf_metrics_build(&s, &err), 0);
	assert_string_equal(s.framework, "jax");
	tf_session_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tensorflow_by_its_executor_and_eager_calls),
		cmocka_unit_test(jax_by_its_calls),
		cmocka_unit_test(jax_counts_before_tensorflow),
		cmocka_unit_test(nothing_tells),
		cmocka_unit_test(pytorch_by_the_category_of_its_ops),
		cmocka_unit_test(the_session_is_of_its_first_host_that_tells),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
