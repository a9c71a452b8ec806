/* Inspections made by hand, as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/inspection_out.h"
#include "tests/unit/support_session.h"

/* One file with a capture in it, in which tests change what they look at. */
static struct tf_issue issue;
static struct tf_host host;
static struct tf_inspected_line line;
static struct tf_candidate candidate;
static struct tf_inspected file;

static int fresh(void **state)
{
	(void)state;
	issue = (struct tf_issue){TF_ISSUE_TRUNCATED, 20000, "it ends early"};
	host = (struct tf_host){.name = "vm", .complete = true, .event_count = 12, .begin_ps = 2 * MS, .end_ps = 25 * MS,
				.steps = {.source = TF_STEPS_NONE}};
	line = (struct tf_inspected_line){"/host:CPU", "python", 7, 3 * MS, false};
	candidate = (struct tf_candidate){"train", 10, 10, 20 * MS};
	file = (struct tf_inspected){.file = {.path = "a/h.xplane.pb", .kind = TF_FILE_XSPACE, .bytes = 44433, .records = 12,
					      .first_bad_offset = TF_NONE},
				     .host = &host, .start_ns = TF_NONE, .lines = &line, .line_count = 1, .candidates = &candidate,
				     .candidate_count = 1};
	return 0;
}

static char *render(int (*to_file)(FILE *, const struct tf_inspection *, struct tf_error *))
{
	struct tf_inspection in = {.files = &file, .count = 1};
	struct tf_error err = {0};
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	assert_non_null(to);
	assert_int_equal(to_file(to, &in, &err), 0);
	fclose(to);
	return text;
}

static void holds(const char *part)
{
	char *text = render(tf_render_inspection_text);

	ms_has(text, part);
	free(text);
}

static cJSON *document(void)
{
	char *text = render(tf_render_inspection_json);
	cJSON *d = cJSON_ParseWithOpts(text, NULL, 1);

	if (!d)
		fail_msg("not JSON: %s", text);
	free(text);
	return d;
}

static void a_file_that_is_no_capture_is_one_line(void **state)
{
	(void)state;
	file.host = NULL;
	file.file.kind = TF_FILE_EVENTS;
	file.file.tail = TF_TAIL_ZERO_FILL;
	char *text = render(tf_render_inspection_text);
	assert_string_equal(text, "a/h.xplane.pb: event_file, 44433 bytes, 12 records, tail zero_fill\n");
	free(text);
	cJSON *d = document();
	ms_is_text(d, "schema", "tfprof.inspect/1");
	ms_is_text(d, "files/0/kind", "event_file");
	ms_is_text(d, "files/0/tail_state", "zero_fill");
	assert_null(ms_at(d, "files/0/lines"));
	cJSON_Delete(d);
}

static void issues_have_their_offset(void **state)
{
	(void)state;
	file.file.issues = &issue;
	file.file.issue_count = 1;
	holds("tail clean\n  truncated at byte 20000: it ends early\n");
	issue.offset = TF_NONE;
	holds("\n  truncated: it ends early\n");
	cJSON *d = document();
	ms_is_null(d, "files/0/issues/0/offset");
	ms_is_text(d, "files/0/issues/0/code", "truncated");
	cJSON_Delete(d);
}

static void a_capture_tells_how_long_and_whole_it_is(void **state)
{
	(void)state;
	holds("\n  capture: complete, 12 events, 0 anomalies, 23.000 ms\n");
	host.complete = false;
	host.anomaly_count = 3;
	holds("\n  capture: incomplete, 12 events, 3 anomalies, 23.000 ms\n");
	cJSON *d = document();
	ms_is_number(d, "files/0/duration_ms", 25 - 2);
	ms_is_number(d, "files/0/anomalies", 3);
	assert_true(cJSON_IsFalse(ms_at(d, "files/0/complete")));
	ms_is_null(d, "files/0/start_ns");
	cJSON_Delete(d);
}

static void a_capture_without_times_has_no_length(void **state)
{
	(void)state;
	host.begin_ps = host.end_ps = TF_NONE;
	holds(", 12 events, 0 anomalies\n");
	cJSON *d = document();
	ms_is_null(d, "files/0/duration_ms");
	cJSON_Delete(d);
}

static void hosts_and_what_the_profiler_says_are_told(void **state)
{
	(void)state;
	const char *names[] = {"vm-0", "vm-1"}, *errors[] = {"no libcupti"}, *warnings[] = {"dropped 7"};
	file.hostnames = names;
	file.hostname_count = 2;
	host.errors = errors;
	host.warnings = warnings;
	host.error_count = host.warning_count = 1;
	holds("\n  host: vm-0\n  host: vm-1\n  profiler error: no libcupti\n  profiler warning: dropped 7\n");
	cJSON *d = document();
	ms_is_text(d, "files/0/hostnames/1", "vm-1");
	ms_is_text(d, "files/0/errors/0", "no libcupti");
	ms_is_text(d, "files/0/warnings/0", "dropped 7");
	cJSON_Delete(d);
}

static void steps_tell_where_they_come_from(void **state)
{
	(void)state;
	host.steps.looked_for = "step_num, loops";
	holds("\n  steps: 0, source none\n  no step: step_num, loops\n");
	host.steps = (struct tf_steps){.source = TF_STEPS_INFERRED, .count = 9, .event = "IteratorGetNext"};
	holds("\n  steps: 9, source inferred\n  step event: IteratorGetNext\n");
	cJSON *d = document();
	ms_is_text(d, "files/0/step_source", "inferred");
	ms_is_text(d, "files/0/step_event", "IteratorGetNext");
	ms_is_number(d, "files/0/steps", 9);
	ms_is_null(d, "files/0/looked_for");
	cJSON_Delete(d);
}

static void lines_tell_events_and_busy_time(void **state)
{
	(void)state;
	holds("\n  /host:CPU                python                                         7        3.000\n");
	line.derived = true;
	holds("        7        3.000  annotation\n");
	cJSON *d = document();
	ms_is_text(d, "files/0/lines/0/plane", "/host:CPU");
	ms_is_number(d, "files/0/lines/0/busy_ms", 3);
	assert_true(cJSON_IsTrue(ms_at(d, "files/0/lines/0/derived")));
	cJSON_Delete(d);
}

static void candidates_tell_whether_they_are_numbered(void **state)
{
	(void)state;
	holds("\n  could mark steps ");
	holds(" 10       20.000  step_num\n");
	candidate.numbered = 0;
	holds(" 10       20.000\n");
	cJSON *d = document();
	ms_is_text(d, "files/0/step_candidates/0/name", "train");
	ms_is_number(d, "files/0/step_candidates/0/with_step_num", 0);
	ms_is_number(d, "files/0/step_candidates/0/total_ms", 20);
	cJSON_Delete(d);
	file.candidate_count = 0;
	char *text = render(tf_render_inspection_text);
	ms_lacks(text, "could mark");
	free(text);
}

static void odd_text_is_harmless(void **state)
{
	(void)state;
	static const char odd[] = "x\n\x1b\"\xff";
	const char *list[] = {odd};
	file.file.path = odd;
	file.hostnames = host.errors = host.warnings = list;
	file.hostname_count = host.error_count = host.warning_count = 1;
	line.plane = line.name = candidate.name = odd;
	host.steps.event = host.steps.looked_for = odd;
	issue.message = odd;
	file.file.issues = &issue;
	file.file.issue_count = 1;
	char *text = render(tf_render_inspection_text);
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 && *p != '\n')
			fail_msg("control character %02x", (unsigned char)*p);
	ms_lacks(text, "x\n");
	free(text);
	cJSON *d = document();
	ms_is_text(d, "files/0/lines/0/name", "x\n\x1b\"\xef\xbf\xbd");
	cJSON_Delete(d);
}

static void below_the_path_100_columns_are_enough(void **state)
{
	(void)state;
	static char name[300];
	memset(name, 'x', sizeof name - 1);
	line = (struct tf_inspected_line){name, name, 123456789, 12345678 * MS, true};
	candidate = (struct tf_candidate){name, 123456789, 1, 12345678 * MS};
	char *text = render(tf_render_inspection_text);
	assert_true(ms_widest(text) <= 100);
	free(text);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	int (*const all[])(FILE *, const struct tf_inspection *, struct tf_error *) = {tf_render_inspection_text,
										       tf_render_inspection_json};
	struct tf_inspection in = {.files = &file, .count = 1};
	for (size_t i = 0; i < 2; i++) {
		struct tf_error err = {0};
		FILE *to = fopen("/dev/full", "w");
		if (!to)
			skip();
		assert_int_equal(all[i](to, &in, &err), -1);
		assert_int_equal(err.code, TF_ESYSTEM);
		fclose(to);
	}
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_that_is_no_capture_is_one_line),
		TEST(issues_have_their_offset),
		TEST(a_capture_tells_how_long_and_whole_it_is),
		TEST(a_capture_without_times_has_no_length),
		TEST(hosts_and_what_the_profiler_says_are_told),
		TEST(steps_tell_where_they_come_from),
		TEST(lines_tell_events_and_busy_time),
		TEST(candidates_tell_whether_they_are_numbered),
		TEST(odd_text_is_harmless),
		TEST(below_the_path_100_columns_are_enough),
		TEST(a_full_disk_is_an_error),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
