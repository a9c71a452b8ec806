/* lib/decode/trace_json: traces of TensorFlow, JAX and Kineto, damage, pairing, exact times. Comments name the fault it answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/text.h"
#include "lib/decode/trace_json.h"

static struct tf_trace trace;
static struct tf_ledger_file file;
static struct tf_arena arena;
static struct tf_error err;

static int reset(void **state)
{
	(void)state;
	tf_trace_release(&trace);
	tf_arena_release(&arena);
	err = (struct tf_error){0};
	file = (struct tf_ledger_file){.first_bad_offset = TF_NONE};
	return 0;
}

/* Decodes and finishes `text`; the result of decoding. */
static int decode_bytes(struct tf_bytes text)
{
	struct tf_stored stored = {.bytes = text, .fd = -1};
	struct tf_stream stream;
	assert_int_equal(tf_stream_open(&stream, &stored, &err), 0);
	assert_int_equal(tf_trace_init(&trace, &err), 0);
	int rc = tf_decode_trace_json(&stream, &trace, &file, &arena, &err);
	tf_stream_close(&stream);
	if (rc == 0)
		assert_int_equal(tf_trace_finish(&trace, &err), 0);
	return rc;
}

static void decode(const char *text)
{
	assert_int_equal(decode_bytes(tf_bytes_of(text)), 0);
}

/* Decodes `{"traceEvents":[EVENTS]}`. */
static void decode_events(const char *events)
{
	struct tf_buf b = {0};
	tf_buf_printf(&b, "{\"traceEvents\":[%s]}", events);
	assert_int_equal(decode_bytes((struct tf_bytes){(uint8_t *)b.data, b.len}), 0);
	tf_buf_release(&b);
}

static const char *text_of(uint32_t id)
{
	return tf_strtab_text(&trace.strings, id);
}

/* The event of that name that begins first; fails if there is none. */
static size_t event_of(const char *name)
{
	for (size_t i = 0; i < trace.events.count; i++)
		if (strcmp(text_of(tf_event_name(&trace, i)), name) == 0)
			return i;
	fail_msg("no event '%s'", name);
	return 0;
}

static const struct tf_line *line_of(const char *event)
{
	return &trace.lines[tf_trace_line_of(&trace, event_of(event))];
}

static const struct tf_plane *plane_of(const char *event)
{
	return &trace.planes[line_of(event)->plane];
}

/* Start and duration in ps. */
static void lies(const char *name, int64_t start_ps, int64_t dur_ps)
{
	size_t i = event_of(name);
	assert_true(trace.events.start_ps[i] == start_ps);
	assert_true(trace.events.dur_ps[i] == dur_ps);
}

/* The stat of an event, by its name as text. TF_NONE if it is absent or no integer. */
static int64_t integer_stat(const char *event, const char *stat)
{
	uint32_t name = tf_strtab_find(&trace.strings, tf_bytes_of(stat));
	return name == UINT32_MAX ? TF_NONE : tf_stat_i64(&trace, tf_event_stats(&trace, event_of(event)), name);
}

static const char *text_stat(const char *event, const char *stat)
{
	uint32_t name = tf_strtab_find(&trace.strings, tf_bytes_of(stat));
	return name == UINT32_MAX ? "" : text_of(tf_stat_text(&trace, tf_event_stats(&trace, event_of(event)), name));
}

static const struct tf_issue *issue_of(enum tf_issue_code code)
{
	for (size_t i = 0; i < file.issue_count; i++)
		if (file.issues[i].code == code)
			return &file.issues[i];
	fail_msg("no issue %s", tf_issue_name(code));
	return NULL;
}

#define X(name, pid, tid, ts, dur) "{\"ph\":\"X\",\"pid\":" pid ",\"tid\":" tid ",\"ts\":" ts ",\"dur\":" dur ",\"name\":\"" name "\"}"
#define NAMED(what, pid, tid, name) \
	"{\"ph\":\"M\",\"pid\":" pid ",\"tid\":" tid ",\"name\":\"" what "\",\"args\":{\"name\":\"" name "\"}}"

static void reads_the_object_form(void **state)
{
	(void)state;
	decode("{\"displayTimeUnit\":\"ns\",\"metadata\":{\"x\":[1,{\"y\":\"]}\"}]},\"traceEvents\":[" X("a", "1", "2", "3", "4") ",{}]}");
	assert_int_equal(trace.events.count, 1);
	lies("a", 3000000, 4000000);
	assert_int_equal(file.issue_total, 0);
}

static void reads_the_array_form(void **state)
{
	(void)state;
	decode("[" X("a", "1", "2", "0", "1") "," X("b", "1", "2", "1", "1") "]");
	assert_int_equal(trace.events.count, 2);
}

/* The array form needs no end: a writer that crashed leaves none. */
static void an_open_array_is_whole(void **state)
{
	(void)state;
	decode("[\n" X("a", "1", "2", "0", "1") ",\n");
	assert_false(trace.truncated);
	assert_int_equal(file.issue_total, 0);
}

static void an_open_object_is_cut(void **state)
{
	(void)state;
	decode("{\"traceEvents\":[" X("a", "1", "2", "0", "1"));
	assert_true(trace.truncated);
	assert_int_equal(trace.events.count, 1);
	assert_int_equal(issue_of(TF_ISSUE_TRUNCATED)->offset, (int64_t)strlen("{\"traceEvents\":[" X("a", "1", "2", "0", "1")));
}

static void a_cut_element_is_lost_and_told_where(void **state)
{
	(void)state;
	decode("{\"traceEvents\":[" X("a", "1", "2", "0", "1") ",{\"ph\":\"X\",\"ts\":1");
	assert_int_equal(trace.events.count, 1);
	assert_true(trace.truncated);
	assert_int_equal(file.issue_total, 1);
	assert_int_equal(issue_of(TF_ISSUE_TRUNCATED)->offset, (int64_t)strlen("{\"traceEvents\":[" X("a", "1", "2", "0", "1") ","));
	assert_int_equal(file.tail, TF_TAIL_PARTIAL_RECORD);
}

/* Every prefix is read without a crash; whole elements before the cut are kept. */
static void every_prefix_keeps_what_is_whole(void **state)
{
	static const char text[] = "{\"traceEvents\":[" X("a", "1", "2", "0", "1") "," X("b", "1", "2", "1", "1") "]}";
	size_t first = strlen("{\"traceEvents\":[" X("a", "1", "2", "0", "1")), second = first + 1 + strlen(X("b", "1", "2", "1", "1"));
	for (size_t n = 0; n < sizeof text; n++) {
		reset(state);
		int rc = decode_bytes((struct tf_bytes){(const uint8_t *)text, n});
		assert_int_equal(rc, n < first ? -1 : 0);
		assert_int_equal(trace.events.count, n < first ? 0 : n < second ? 1 : 2);
	}
}

/* One broken element costs itself. */
static void a_broken_element_costs_itself(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "0", "1") ", {\"ph\":\"X\",\"ts\":1212,\"dur\":3, oops}, " X("b", "1", "2", "1", "1"));
	assert_int_equal(trace.events.count, 2);
	assert_true(trace.truncated);
	assert_int_equal(issue_of(TF_ISSUE_JSON_ERROR)->offset, (int64_t)strlen("{\"traceEvents\":[" X("a", "1", "2", "0", "1") ", "));
	assert_int_equal(file.skipped_records, 1);
}

static void an_element_with_an_odd_quote_costs_itself(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"X\",\"name\":\"x,\"ts\":1}, " X("b", "1", "2", "1", "1"));
	issue_of(TF_ISSUE_JSON_ERROR);
	assert_int_equal(trace.events.count, 1);
	event_of("b");
}

static void quotes_that_nobody_escaped_are_read_as_meant(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"X\",\"name\": \"{\"device\": \"cpu\"}(12): run\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}");
	lies("{\"device\": \"cpu\"}(12): run", 1000000, 2000000);
	issue_of(TF_ISSUE_REPAIRED);
	assert_false(trace.truncated);
}

static void objects_without_a_phase_say_nothing(void **state)
{
	(void)state;
	decode_events("{}," X("a", "1", "2", "0", "1") ",{\"x\":1},7,\"s\",null,[1]");
	assert_int_equal(trace.events.count, 1);
	assert_int_equal(file.issue_total, 0);
}

static void no_event_at_all_is_no_trace(void **state)
{
	(void)state;
	assert_int_equal(decode_bytes(tf_bytes_of("{\"traceEvents\":[]}")), -1);
	assert_int_equal(err.code, TF_EFORMAT);
}

static void processes_and_threads_have_their_names(void **state)
{
	(void)state;
	decode_events(NAMED("process_name", "701", "0", "/host:CPU") "," NAMED("thread_name", "701", "9", "python") "," X("a", "701", "9", "0", "1"));
	assert_string_equal(text_of(plane_of("a")->name), "/host:CPU");
	assert_int_equal(plane_of("a")->kind, TF_PLANE_HOST);
	assert_string_equal(text_of(line_of("a")->name), "python");
	assert_int_equal(line_of("a")->id, 9);
}

/* Names may come last. */
static void names_may_follow_their_events(void **state)
{
	(void)state;
	decode_events(X("k", "1", "14", "0", "1") "," NAMED("thread_name", "1", "14", "Stream #14") "," NAMED("process_name", "1", "0", "/device:GPU:3"));
	assert_int_equal(plane_of("k")->kind, TF_PLANE_GPU);
	assert_int_equal(plane_of("k")->ordinal, 3);
	assert_string_equal(text_of(line_of("k")->name), "Stream #14");
}

static void a_process_without_a_known_name_is_a_host(void **state)
{
	(void)state;
	decode_events(X("a", "7", "1", "0", "1") "," NAMED("process_name", "8", "0", "python3") "," X("b", "8", "1", "0", "1"));
	assert_int_equal(plane_of("a")->kind, TF_PLANE_HOST);
	assert_string_equal(text_of(plane_of("a")->name), "process 7");
	assert_int_equal(plane_of("b")->kind, TF_PLANE_HOST);
	assert_string_equal(text_of(plane_of("b")->name), "python3");
}

/* "HOST /device:TPU:0" of XProf's streaming viewer. */
static void a_host_in_front_of_a_device_is_left_out(void **state)
{
	(void)state;
	decode_events(NAMED("process_name", "1001", "0", "worker-3 /device:TPU:1") "," X("a", "1001", "1", "0", "1"));
	assert_string_equal(text_of(plane_of("a")->name), "/device:TPU:1");
	assert_int_equal(plane_of("a")->kind, TF_PLANE_TPU);
}

static void timeline_processes_of_tensorflow_1(void **state)
{
	(void)state;
	decode_events(NAMED("process_name", "1", "0", "/job:localhost/replica:0/task:0/device:CPU:0 Compute") "," X("a", "1", "0", "0", "1") ","
		      NAMED("process_name", "2", "0", "/job:localhost/replica:0/task:0/device:GPU:0 Compute") "," X("b", "2", "0", "0", "1") ","
		      NAMED("process_name", "3", "0", "/device:GPU:0/stream:all Compute") "," X("c", "3", "0", "0", "1") ","
		      NAMED("process_name", "4", "0", "/device:GPU:0 Tensors") "," X("d", "4", "0", "0", "1"));
	assert_int_equal(plane_of("a")->kind, TF_PLANE_HOST);
	assert_int_equal(plane_of("b")->kind, TF_PLANE_HOST);
	assert_int_equal(plane_of("c")->kind, TF_PLANE_GPU);
	assert_int_equal(plane_of("d")->kind, TF_PLANE_OTHER);
}

/* 64-bit ids stay apart. */
static void large_ids_stay_apart(void **state)
{
	(void)state;
	decode_events(X("a", "7168000000", "140589156634432", "0", "1") "," X("b", "7168000000", "140588800255680", "0", "1") ","
		      X("c", "7168000001", "140589156634432", "0", "1"));
	assert_ptr_not_equal(line_of("a"), line_of("b"));
	assert_ptr_equal(plane_of("a"), plane_of("b"));
	assert_ptr_not_equal(plane_of("a"), plane_of("c"));
	assert_true(line_of("a")->id == INT64_C(140589156634432));
}

static void ids_are_the_same_bare_and_quoted(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "0", "1") "," X("b", "\"1\"", "\"2\"", "1", "1"));
	assert_ptr_equal(line_of("a"), line_of("b"));
}

static void times_may_be_quoted(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "\"1.5\"", "\"0.25\""));
	lies("a", 1500000, 250000);
}

static void small_times_keep_their_own_zero(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "5.939", "33.329") "," X("b", "1", "2", "100", "1e-06"));
	lies("a", 5939000, 33329000);
	lies("b", 100000000, 1);
	assert_true(trace.start_ns == TF_NONE);
}

static void c81_times_are_microseconds(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "1", "0.5") "," X("b", "1", "2", "1.234567", "0"));
	lies("a", 1000000, 500000);
	lies("b", 1234567, 0);
}

/* As XProf writes what could end a script. */
static void c81_escapes_of_markup_are_resolved(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":1,\"name\":\"\\u003ca\\u003e\\u0026\\u2028\\u2029\"}");
	lies("<a>&\xe2\x80\xa8\xe2\x80\xa9", 0, 1000000);
}

/* A wall clock in µs with ns, which a double cannot hold. */
static void a_wall_clock_is_exact_to_the_nanosecond(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "1715000000000000.123", "2") "," X("b", "1", "2", "1715000000000001.124001", "1"));
	assert_true(trace.start_ns == INT64_C(1715000000000000123));
	lies("a", 0, 2000000);
	lies("b", 1001001, 1000000);
}

static void kinetos_base_is_added_wherever_it_stands(void **state)
{
	static const char *const texts[] = {
		"{\"baseTimeNanoseconds\":1700000000000000000,\"traceEvents\":[" X("a", "1", "2", "5", "1") "]}",
		"{\"traceEvents\":[" X("a", "1", "2", "5", "1") "],\"baseTimeNanoseconds\":1700000000000000000}"};
	for (int i = 0; i < 2; i++) {
		reset(state);
		decode(texts[i]);
		assert_true(trace.start_ns == INT64_C(1700000000000005000));
	}
}

static void kinetos_base_is_not_added_to_a_wall_clock(void **state)
{
	(void)state;
	decode("{\"baseTimeNanoseconds\":1700000000000000000,\"traceEvents\":[" X("a", "1", "2", "1715000000000000", "1") "]}");
	assert_true(trace.start_ns == INT64_C(1715000000000000000));
}

static void a_clock_that_began_with_the_machine_is_taken_from_the_first_event(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "172800000000", "1") "," X("b", "1", "2", "172800000010", "1"));
	lies("a", 0, 1000000);
	lies("b", 10000000, 1000000);
	assert_true(trace.start_ns == TF_NONE);
}

static void absurd_times_are_kept_and_flagged(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "0", "10") "," X("neg", "1", "2", "1", "-5") "," X("huge", "1", "2", "1", "9e30") ","
		      X("far", "1", "2", "1e30", "1"));
	assert_int_equal(trace.events.count, 4);
	assert_int_equal(trace.anomaly_count, 3);
	assert_true(trace.end_ps == 10000000);
}

static void an_event_without_a_time_is_left_out_and_counted(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "0", "1") "," X("b", "1", "2", "NaN", "1") ",{\"ph\":\"X\",\"name\":\"c\"}");
	assert_int_equal(trace.events.count, 1);
	assert_int_equal(file.skipped_records, 2);
	issue_of(TF_ISSUE_JSON_ERROR);
}

static void a_missing_duration_is_none(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":3,\"name\":\"a\"}");
	lies("a", 3000000, 0);
}

static void begins_and_ends_pair_by_nesting(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":0,\"name\":\"out\"},{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"in\"},"
		      "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":3},{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":10}");
	lies("out", 0, 10000000);
	lies("in", 1000000, 2000000);
	assert_int_equal(file.issue_total, 0);
}

static void begins_and_ends_may_lie_in_any_order(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":10},{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":4,\"name\":\"a\"}");
	lies("a", 4000000, 6000000);
}

/* B(0) E(1) B(1) E(2): two slices of 1, in whatever order the two at 1 stand. */
static void at_one_moment_ends_come_first(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":0,\"name\":\"a\"},{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"b\"},"
		      "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":1},{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":2}");
	lies("a", 0, 1000000);
	lies("b", 1000000, 1000000);
}

static void a_slice_may_have_no_length(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":5,\"name\":\"a\"},{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":5,\"args\":{\"x\":1}}");
	lies("a", 5000000, 0);
	assert_int_equal(integer_stat("a", "x"), 1);
	assert_int_equal(file.issue_total, 0);
}

static void arguments_of_begin_and_end_join(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":0,\"name\":\"a\",\"args\":{\"x\":1}},"
		      "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":1,\"args\":{\"y\":2}}");
	assert_int_equal(integer_stat("a", "x"), 1);
	assert_int_equal(integer_stat("a", "y"), 2);
}

static void pairs_of_threads_do_not_mix(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":0,\"name\":\"a\"},{\"ph\":\"B\",\"pid\":1,\"tid\":3,\"ts\":1,\"name\":\"b\"},"
		      "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":7},{\"ph\":\"E\",\"pid\":1,\"tid\":3,\"ts\":9}");
	lies("a", 0, 7000000);
	lies("b", 1000000, 8000000);
}

static void what_has_no_partner_is_counted(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":0},{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"a\"},"
		      "{\"ph\":\"B\",\"pid\":1,\"tid\":3,\"ts\":1,\"name\":\"b\"}");
	lies("a", 1000000, 0);
	assert_non_null(strstr(issue_of(TF_ISSUE_UNPAIRED)->message, "3 begins"));
}

static void operations_pair_by_id_beside_the_thread(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"b\",\"cat\":\"c\",\"id\":\"0x1\",\"pid\":1,\"tid\":2,\"ts\":0,\"name\":\"a\"},"
		      "{\"ph\":\"b\",\"cat\":\"c\",\"id\":\"0x2\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"a\"},"
		      "{\"ph\":\"e\",\"cat\":\"c\",\"id\":\"0x1\",\"pid\":1,\"tid\":2,\"ts\":5,\"name\":\"a\"},"
		      "{\"ph\":\"e\",\"cat\":\"c\",\"id\":\"0x2\",\"pid\":1,\"tid\":2,\"ts\":9.5,\"name\":\"a\"}");
	lies("a", 0, 5000000);
	assert_true(trace.events.dur_ps[event_of("a") + 1] == 8500000);
	assert_true(line_of("a")->derived);
}

/* Slices that overlap on one thread are all kept. */
static void overlapping_slices_are_kept(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "0", "10") "," X("b", "1", "2", "5", "10"));
	lies("a", 0, 10000000);
	lies("b", 5000000, 10000000);
}

static void instants_and_counters_have_no_length(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "0", "5") ",{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"mark\"},"
		      "{\"ph\":\"C\",\"pid\":1,\"ts\":2,\"name\":\"bytes\",\"args\":{\"in use\":77}}");
	lies("mark", 1000000, 0);
	assert_false(line_of("mark")->derived);
	lies("bytes", 2000000, 0);
	assert_true(line_of("bytes")->derived);
	assert_int_equal(integer_stat("bytes", "in use"), 77);
}

static void flows_are_no_events(void **state)
{
	(void)state;
	decode_events(X("a", "1", "2", "0", "5") ",{\"ph\":\"s\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":0,\"name\":\"f\"},"
		      "{\"ph\":\"f\",\"bp\":\"e\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"f\"}");
	assert_int_equal(trace.events.count, 1);
	assert_int_equal(file.issue_total, 0);
}

static void arguments_keep_their_types(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":1,\"name\":\"a\",\"args\":{\"i\":-3,\"s\":\"12\",\"z\":\"007\",\"t\":\"a\\\"b\","
		      "\"b\":true,\"n\":null,\"l\":[1, 2],\"d\":0.5,\"big\":10159970886766084423,\"bigger\":123456789012345678901234567890}}");
	assert_int_equal(integer_stat("a", "i"), -3);
	assert_int_equal(integer_stat("a", "s"), 12); /* XProf prints its integers as strings */
	assert_string_equal(text_stat("a", "z"), "007");
	assert_string_equal(text_stat("a", "t"), "a\"b");
	assert_int_equal(integer_stat("a", "b"), 1);
	assert_int_equal(integer_stat("a", "n"), TF_NONE);
	assert_string_equal(text_stat("a", "l"), "[1, 2]");
	assert_true(tf_stat_double(&trace, tf_event_stats(&trace, event_of("a")), tf_strtab_find(&trace.strings, tf_bytes_of("d"))) == 0.5);
	assert_true((uint64_t)integer_stat("a", "big") == UINT64_C(10159970886766084423));
	assert_string_equal(text_stat("a", "bigger"), "123456789012345678901234567890");
}

static void of_a_key_that_repeats_the_last_counts(void **state)
{
	(void)state;
	decode_events("{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":1,\"name\":\"a\",\"name\":\"b\",\"ts\":7}");
	lies("b", 7000000, 1000000);
}

#define KINETO(cat, name, tid, ts, dur, args) \
	"{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":0,\"tid\":" tid ",\"ts\":" ts ",\"dur\":" dur ",\"args\":{" args "}}"

/* A device is told by the category, even where a host thread has the same pid. */
static void kinetos_devices_are_told_by_category(void **state)
{
	(void)state;
	decode_events(KINETO("kernel", "k", "7", "0", "1", "\"device\":2") "," KINETO("Memcpy", "m", "\"stream 7\"", "1", "1", "\"device\":2") ","
		      KINETO("cpu_op", "op", "7", "0", "1", ""));
	assert_string_equal(text_of(plane_of("k")->name), "/device:GPU:2");
	assert_ptr_equal(line_of("k"), line_of("m"));
	assert_string_equal(text_of(line_of("k")->name), "stream 7");
	assert_int_equal(plane_of("op")->kind, TF_PLANE_HOST);
}

static void kinetos_notes_on_a_stream_are_no_work(void **state)
{
	(void)state;
	decode_events(KINETO("kernel", "k", "7", "0", "1", "\"device\":0") "," KINETO("cuda_sync", "sync", "7", "1", "5", "\"device\":0") ","
		      KINETO("gpu_user_annotation", "note", "7", "0", "9", "\"device\":0"));
	assert_false(line_of("k")->derived);
	assert_true(line_of("sync")->derived);
	assert_true(line_of("note")->derived);
	assert_ptr_equal(plane_of("k"), plane_of("sync"));
}

static void kinetos_words_are_translated(void **state)
{
	(void)state;
	decode_events(KINETO("kernel", "k", "7", "0", "1", "\"device\":0,\"correlation\":34441,\"registers per thread\":38,\"shared memory\":512,"
							   "\"grid\":[50, 1, 1],\"block\":[256, 2, 1],\"est. achieved occupancy %\":8"));
	assert_int_equal(integer_stat("k", "correlation_id"), 34441);
	assert_string_equal(text_stat("k", "kernel_details"),
			    "regs:38 static_shared:0 dynamic_shared:512 grid:50,1,1 block:256,2,1 occ_pct:8");
}

static void kinetos_steps_are_numbered_on_the_host_alone(void **state)
{
	(void)state;
	decode_events(KINETO("user_annotation", "ProfilerStep#7", "1", "0", "9", "") "," KINETO("kernel", "k", "7", "1", "1", "\"device\":0"));
	assert_int_equal(integer_stat("ProfilerStep#7", "step_num"), 7);
	reset(state);
	decode_events(KINETO("gpu_user_annotation", "ProfilerStep#7", "7", "0", "9", "\"device\":0"));
	assert_int_equal(integer_stat("ProfilerStep#7", "step_num"), TF_NONE);
}

/* Thousands of kernels with time 0 and length 0 must not stretch a capture. */
static void a_kernel_that_was_never_filled_in_is_absurd(void **state)
{
	(void)state;
	decode_events(KINETO("kernel", "k", "7", "1000000", "500", "\"device\":0") "," KINETO("kernel", "unset", "7", "0", "0", "\"device\":0"));
	assert_int_equal(trace.events.flags[event_of("unset")], TF_EVENT_ABSURD);
	assert_true(trace.end_ps - trace.begin_ps == 500000000);
}

static void facts_of_a_device_are_its_planes(void **state)
{
	(void)state;
	decode("{\"deviceProperties\":[{\"id\":0,\"name\":\"V100\",\"computeMajor\":7,\"computeMinor\":0,\"numSms\":80,\"totalGlobalMem\":34084028416},"
	       "{\"id\":1,\"name\":\"A100\"}],\"traceEvents\":[" KINETO("kernel", "k", "7", "0", "1", "\"device\":0") "]}");
	const struct tf_plane *p = plane_of("k");
	assert_string_equal(text_of(tf_stat_text(&trace, p->stats, TF_NAME_gpu_device_name)), "V100");
	assert_int_equal(tf_stat_i64(&trace, p->stats, TF_NAME_compute_cap_major), 7);
	assert_true(tf_stat_i64(&trace, p->stats, TF_NAME_memory_size) == INT64_C(34084028416));
}

static void the_profilers_own_span_is_no_work(void **state)
{
	(void)state;
	decode_events(KINETO("Trace", "PyTorch Profiler (0)", "\"PyTorch Profiler\"", "0", "1000", "") "," KINETO("cpu_op", "op", "1", "10", "5", ""));
	assert_true(line_of("PyTorch Profiler (0)")->derived);
	assert_true(trace.end_ps - trace.begin_ps == 5000000);
}

/* 5,000 events of 100 bytes are more than one piece of the stream. */
static void elements_may_lie_across_pieces(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	tf_buf_text(&b, "{\"traceEvents\":[\n");
	for (int i = 0; i < 5000; i++)
		tf_buf_printf(&b, "%s{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":1,\"name\":\"event %d\",\"args\":{\"n\":%d}}", i ? ",\n" : "",
			      i % 3, i, i % 10, i);
	tf_buf_text(&b, "\n]}");
	assert_true(b.len > 1 << 18);
	assert_int_equal(decode_bytes((struct tf_bytes){(uint8_t *)b.data, b.len}), 0);
	tf_buf_release(&b);
	assert_int_equal(trace.events.count, 5000);
	assert_int_equal(trace.line_count, 3);
	assert_int_equal(file.records, 5000);
	int64_t sum = 0;
	for (size_t i = 0; i < trace.events.count; i++)
		sum += tf_stat_i64(&trace, tf_event_stats(&trace, i), tf_strtab_find(&trace.strings, tf_bytes_of("n")));
	assert_true(sum == INT64_C(5000) * 4999 / 2);
	for (size_t l = 0; l < 3; l++)
		for (size_t i = trace.lines[l].event_first + 1; i < trace.lines[l].event_first + trace.lines[l].event_count; i++)
			assert_true(trace.events.start_ps[i] > trace.events.start_ps[i - 1]);
}

static void a_value_between_may_be_longer_than_a_piece(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	tf_buf_text(&b, "{\"stackFrames\":\"");
	for (int i = 0; i < 300000; i++)
		tf_buf_text(&b, i % 7 ? "x" : "\\\"");
	tf_buf_text(&b, "\",\"traceEvents\":[" X("a", "1", "2", "0", "1") "]}");
	assert_int_equal(decode_bytes((struct tf_bytes){(uint8_t *)b.data, b.len}), 0);
	tf_buf_release(&b);
	assert_int_equal(trace.events.count, 1);
}

#define TEST(f) cmocka_unit_test_setup(f, reset)
int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_the_object_form),
		TEST(reads_the_array_form),
		TEST(an_open_array_is_whole),
		TEST(an_open_object_is_cut),
		TEST(a_cut_element_is_lost_and_told_where),
		TEST(every_prefix_keeps_what_is_whole),
		TEST(a_broken_element_costs_itself),
		TEST(an_element_with_an_odd_quote_costs_itself),
		TEST(quotes_that_nobody_escaped_are_read_as_meant),
		TEST(objects_without_a_phase_say_nothing),
		TEST(no_event_at_all_is_no_trace),
		TEST(processes_and_threads_have_their_names),
		TEST(names_may_follow_their_events),
		TEST(a_process_without_a_known_name_is_a_host),
		TEST(a_host_in_front_of_a_device_is_left_out),
		TEST(timeline_processes_of_tensorflow_1),
		TEST(large_ids_stay_apart),
		TEST(ids_are_the_same_bare_and_quoted),
		TEST(times_may_be_quoted),
		TEST(small_times_keep_their_own_zero),
		TEST(c81_times_are_microseconds),
		TEST(c81_escapes_of_markup_are_resolved),
		TEST(a_wall_clock_is_exact_to_the_nanosecond),
		TEST(kinetos_base_is_added_wherever_it_stands),
		TEST(kinetos_base_is_not_added_to_a_wall_clock),
		TEST(a_clock_that_began_with_the_machine_is_taken_from_the_first_event),
		TEST(absurd_times_are_kept_and_flagged),
		TEST(an_event_without_a_time_is_left_out_and_counted),
		TEST(a_missing_duration_is_none),
		TEST(begins_and_ends_pair_by_nesting),
		TEST(begins_and_ends_may_lie_in_any_order),
		TEST(at_one_moment_ends_come_first),
		TEST(a_slice_may_have_no_length),
		TEST(arguments_of_begin_and_end_join),
		TEST(pairs_of_threads_do_not_mix),
		TEST(what_has_no_partner_is_counted),
		TEST(operations_pair_by_id_beside_the_thread),
		TEST(overlapping_slices_are_kept),
		TEST(instants_and_counters_have_no_length),
		TEST(flows_are_no_events),
		TEST(arguments_keep_their_types),
		TEST(of_a_key_that_repeats_the_last_counts),
		TEST(kinetos_devices_are_told_by_category),
		TEST(kinetos_notes_on_a_stream_are_no_work),
		TEST(kinetos_words_are_translated),
		TEST(kinetos_steps_are_numbered_on_the_host_alone),
		TEST(a_kernel_that_was_never_filled_in_is_absurd),
		TEST(facts_of_a_device_are_its_planes),
		TEST(the_profilers_own_span_is_no_work),
		TEST(elements_may_lie_across_pieces),
		TEST(a_value_between_may_be_longer_than_a_piece),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	reset(NULL);
	return rc;
}
