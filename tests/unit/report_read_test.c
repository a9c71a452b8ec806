/* Baselines: report documents read back, and what is none refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/analyze/analyze.h"
#include "lib/render/render.h"

/* Reads a document through a file; the result of tf_report_read(). */
static int read_text(const char *text, struct tf_session *s, struct tf_error *err)
{
	char path[] = "/tmp/report_read_XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	*s = (struct tf_session){0};
	*err = (struct tf_error){0};
	int rc = tf_report_read(path, s, err);
	unlink(path);
	return rc;
}

static void refuse(const char *text)
{
	struct tf_session s;
	struct tf_error err;

	assert_int_equal(read_text(text, &s, &err), -1);
	assert_int_equal(err.code, TF_EFORMAT);
	tf_session_release(&s);
}

static void metrics_come_back_with_values_and_reasons(void **state)
{
	(void)state;
	struct tf_session s;
	struct tf_error err;
	assert_int_equal(read_text("{\"schema\":\"tfprof.report/1\",\"session\":{\"run\":\"r\",\"name\":\"s\",\"complete\":true},"
				   "\"metrics\":{\"step_time_ms.mean\":12.5,\"steps.steady_count\":20,\"input.share\":null},"
				   "\"reasons\":{\"input.share\":\"no_input_events\"}}", &s, &err), 0);
	assert_true(tf_metric_find(&s, "step_time_ms.mean")->value == 12.5);
	assert_int_equal(tf_metric_find(&s, "steps.steady_count")->integer, 20);
	assert_false(tf_metric_find(&s, "input.share")->known);
	assert_string_equal(tf_metric_find(&s, "input.share")->reason, "no_input_events");
	assert_true(s.complete);
	tf_session_release(&s);
}

static void numbers_that_json_cannot_hold_are_unknown(void **state)
{
	(void)state;
	struct tf_session s;
	struct tf_error err;
	assert_int_equal(read_text("{\"schema\":\"tfprof.report/1\",\"metrics\":{\"step_time_ms.mean\":1e999,"
				   "\"input.share\":\"0.5\"}}", &s, &err), 0);
	assert_false(tf_metric_find(&s, "step_time_ms.mean")->known);
	assert_false(tf_metric_find(&s, "input.share")->known);
	assert_false(s.complete);
	tf_session_release(&s);
}

static void the_environment_comes_back(void **state)
{
	(void)state;
	struct tf_session s;
	struct tf_error err;
	assert_int_equal(read_text("{\"schema\":\"tfprof.report/1\",\"session\":{\"run\":\"r\",\"name\":\"s\",\"hosts\":[\"a\",\"b\"],"
				   "\"devices\":[{\"name\":\"/device:GPU:0\",\"kind\":\"gpu\",\"model\":\"A100\"}],"
				   "\"framework\":\"jax\",\"complete\":true},\"metrics\":{},\"steps\":{\"source\":\"inferred\"},"
				   "\"devices\":[{\"window\":\"steps\"},{\"window\":\"steps\"}]}", &s, &err), 0);
	assert_int_equal(s.host_count, 2);
	assert_int_equal(s.hosts[0].device_count, 1);
	assert_string_equal(s.hosts[0].devices[0].kind, "gpu");
	assert_string_equal(s.hosts[0].devices[0].model, "A100");
	assert_string_equal(s.hosts[0].devices[0].window_source, "steps");
	assert_string_equal(s.framework, "jax");
	assert_int_equal(s.hosts[1].steps.source, TF_STEPS_INFERRED);
	tf_session_release(&s);
}

static void names_are_repaired(void **state)
{
	(void)state;
	struct tf_session s;
	struct tf_error err;
	assert_int_equal(read_text("{\"schema\":\"tfprof.report/1\",\"metrics\":{\"scalar[\xff].last\":1}}", &s, &err), 0);
	assert_non_null(tf_metric_find(&s, "scalar[\xef\xbf\xbd].last"));
	tf_session_release(&s);
}

static void what_is_no_report_is_refused(void **state)
{
	(void)state;
	refuse("");
	refuse("{");
	refuse("[]");
	refuse("{}");
	refuse("{\"schema\":\"tfprof.report/2\",\"metrics\":{}}");
	refuse("{\"schema\":\"tfprof.check/1\",\"metrics\":{}}");
	refuse("{\"schema\":\"tfprof.report/1\",\"metrics\":{\"a\":NaN}}");
	refuse("{\"schema\":\"tfprof.report/1\",\"metrics\":{}} trailing");
}

static void a_report_without_metrics_is_refused(void **state)
{
	(void)state;
	refuse("{\"schema\":\"tfprof.report/1\"}");
	refuse("{\"schema\":\"tfprof.report/1\",\"metrics\":[1,2]}");
	refuse("{\"schema\":\"tfprof.report/1\",\"metrics\":{},\"session\":{\"devices\":[{}]}}");
}

static void a_missing_file_is_named(void **state)
{
	(void)state;
	struct tf_session s = {0};
	struct tf_error err = {0};
	assert_int_equal(tf_report_read("/nonexistent/b.json", &s, &err), -1);
	assert_int_equal(err.code, TF_EIO);
	assert_non_null(strstr(err.text, "'/nonexistent/b.json'"));
}

static void steps_come_back_with_their_hosts(void **state)
{
	(void)state;
	struct tf_session s;
	struct tf_error err;
	assert_int_equal(read_text("{\"schema\":\"tfprof.report/1\",\"session\":{\"hosts\":[\"a\",\"b\"]},\"metrics\":{},\"steps\":{"
				   "\"source\":\"host_marker\",\"list\":[{\"host\":\"b\",\"number\":7,\"name\":\"train\",\"step_time_ms\":12.345678901,"
				   "\"period_ms\":null,\"complete\":true,\"warmup\":false,\"main_series\":true,\"input_ms\":1.5,\"breakdown_ms\":{"
				   "\"device_compute\":2,\"device_to_host\":0,\"device_to_device\":0,\"input_wait\":1.5,\"device_collectives\":0,"
				   "\"kernel_launch\":0,\"host_to_device\":0,\"host_to_host\":0,\"compile\":0,\"host_compute\":0,\"other\":8.845678901}},"
				   "{\"host\":\"c\",\"number\":1},{\"host\":\"a\",\"number\":\"x\",\"step_time_ms\":1e300,\"breakdown_ms\":{\"other\":1}}]}}",
				   &s, &err), 0);
	assert_int_equal(s.hosts[0].steps.count, 1);
	assert_int_equal(s.hosts[1].steps.count, 1);
	const struct tf_step *step = s.hosts[1].steps.list;
	assert_int_equal(step->number, 7);
	assert_int_equal(step->step_ps, INT64_C(12345678901));
	assert_int_equal(step->period_ps, TF_NONE);
	assert_int_equal(step->input_ps, INT64_C(1500000000));
	assert_true(tf_step_is_steady(step) && step->has_breakdown);
	assert_int_equal(step->part_ps[TF_PART_OTHER], INT64_C(8845678901));
	/* What is no time is unknown, and a breakdown that lacks parts is none. */
	step = s.hosts[0].steps.list;
	assert_int_equal(step->number, TF_NONE);
	assert_int_equal(step->step_ps, TF_NONE);
	assert_false(step->has_breakdown || tf_step_is_steady(step));
	tf_session_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_come_back_with_values_and_reasons),
		cmocka_unit_test(numbers_that_json_cannot_hold_are_unknown),
		cmocka_unit_test(the_environment_comes_back),
		cmocka_unit_test(names_are_repaired),
		cmocka_unit_test(what_is_no_report_is_refused),
		cmocka_unit_test(a_report_without_metrics_is_refused),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(steps_come_back_with_their_hosts),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
