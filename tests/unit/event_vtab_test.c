/* Events of a trace as rows: each column, arguments, which lines are kept, ids over several files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "tests/unit/support_store.h"

static struct tf_store *s;
static struct tf_error err;

static int fresh(void **state)
{
	(void)state;
	s = st_memory();
	return 0;
}

static int gone(void **state)
{
	(void)state;
	return tf_store_close(s, &err);
}

/* What the statement gives of the events in order, joined by spaces. */
#define EVENTS(what, where) "SELECT group_concat(x, ' ') FROM (SELECT " what " AS x FROM event e JOIN line USING (line_id) WHERE " where " ORDER BY event_id)"

/* A host with nested events on a line, and others on a second one. */
static struct tf_trace *nested(void)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "train", 0, 10 * US, "step_num=4;_r=1");
	mk_event(t, "A", 1 * US, 4 * US, "");
	mk_event(t, "B", 2 * US, 1 * US, "");
	mk_event(t, "C", 6 * US, 2 * US, "");
	mk_line(t, 2, "worker", 0);
	mk_event(t, "D", 3 * US, 4 * US, "");
	mk_event(t, "E", 3 * US, 2 * US, "");
	return t;
}

/* The same host and a device with two streams. */
static struct tf_trace *with_device(void)
{
	struct tf_trace *t = nested();

	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 7, "Stream #7(Compute)", 0);
	mk_event(t, "gemm", 1 * US, 6 * US, "correlation_id=5");
	mk_event(t, "relu", 2 * US, 1 * US, "correlation_id=6");
	mk_line(t, 8, "Stream #8(MemcpyH2D)", 0);
	mk_event(t, "copy", 4 * US, 1 * US, "correlation_id=7");
	return t;
}

static void put(struct tf_trace *t, const char *path, enum tf_events_kept kept)
{
	st_put(s, t, path, "r", path, "h", kept);
}

static void times_and_names_are_the_events_own(void **state)
{
	(void)state;
	put(nested(), "a", TF_EVENTS_ALL);
	st_gives(s, EVENTS("e.name", "1"), "train A B C D E");
	st_gives(s, EVENTS("start_ps / 1000000", "1"), "0 1 2 6 3 3");
	st_gives(s, EVENTS("dur_ps / 1000000", "1"), "10 4 1 2 4 2");
}

static void own_time_is_less_that_of_direct_children(void **state)
{
	(void)state;
	put(nested(), "a", TF_EVENTS_ALL);
	/* train: 10 - 4 - 2; A: 4 - 1; D: 4 - 2 */
	st_gives(s, EVENTS("self_ps / 1000000", "1"), "4 3 1 2 2 2");
}

static void depth_and_parent_are_those_on_the_line(void **state)
{
	(void)state;
	put(nested(), "a", TF_EVENTS_ALL);
	st_gives(s, EVENTS("depth", "1"), "0 1 2 1 0 1");
	st_gives(s, EVENTS("coalesce((SELECT p.name FROM event p WHERE p.event_id = e.parent_id), '-')", "1"), "- train A train - D");
}

static void events_know_their_step(void **state)
{
	(void)state;
	put(nested(), "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT group_concat(DISTINCT number) FROM event JOIN step USING (step_id)", "4");
	st_gives(s, EVENTS("e.name", "step_id IS NOT NULL AND line.name = 'python'"), "train A B C");
}

static void lines_know_their_events(void **state)
{
	(void)state;
	put(with_device(), "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT group_concat(x, ' ') FROM (SELECT name || ':' || first_event_id || '-' || last_event_id AS x FROM line ORDER BY line_id)",
		 "python:1-4 worker:5-6 Stream #7(Compute):7-8 Stream #8(MemcpyH2D):9-9");
	st_gives(s, "SELECT group_concat(plane || coalesce(device_id, '-'), ' ') FROM line",
		 "/host:CPU- /host:CPU- /device:GPU:01 /device:GPU:01");
}

static void correlation_is_a_column(void **state)
{
	(void)state;
	put(with_device(), "a", TF_EVENTS_ALL);
	st_gives(s, EVENTS("correlation_id", "device_id IS NOT NULL"), "5 6 7");
	st_gives(s, "SELECT count(*) FROM event WHERE correlation_id IS NOT NULL", "3");
	st_gives(s, "SELECT count(*) FROM _arg_set WHERE args LIKE '%correlation_id%'", "0");
}

static void so_are_producers_and_consumers(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "p", 0, US, "_pt=3;_p=33");
	mk_event(t, "c", 2 * US, US, "_ct=4;_c=-44");
	mk_event(t, "neither", 4 * US, US, "");
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, EVENTS("coalesce(producer_type, '-') || ',' || coalesce(producer_id, '-') || ',' || coalesce(consumer_type, '-') "
			   "|| ',' || coalesce(consumer_id, '-')", "1"),
		 "3,33,-,- -,-,4,-44 -,-,-,-");
}

static void a_column_of_another_kind_stays_an_argument(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "e", 0, US, "correlation_id=seven;_c=0.5");
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT count(*) FROM event WHERE correlation_id IS NULL AND consumer_id IS NULL", "1");
	st_gives(s, "SELECT value FROM event_arg WHERE name = 'correlation_id'", "seven");
	st_gives(s, "SELECT value = 0.5 FROM event_arg WHERE name = '_c'", "1");
}

static void arguments_keep_their_kinds(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "e", 0, US, "i=-9223372036854775807;u=u7;big=u18446744073709551615;d=0.1;t=1.2.3;empty=");
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT group_concat(x, ' ') FROM (SELECT name || '=' || value || ':' || typeof(value) AS x FROM event_arg ORDER BY name)",
		 "big=18446744073709551615:text d=0.1:real empty=:text i=-9223372036854775807:integer t=1.2.3:text u=7:integer");
}

/* Sets a double argument of the only event. */
static void put_double(double value, const char *path)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "e", 0, US, "d=0.5");
	for (size_t i = 0; i < t->stats.count; i++)
		if ((t->stats.key[i] & 7) == TF_STAT_DOUBLE)
			memcpy(&t->stats.value[i], &value, sizeof value);
	put(t, path, TF_EVENTS_ALL);
}

static void arguments_that_are_no_numbers_are_named(void **state)
{
	(void)state;
	put_double(NAN, "a");
	put_double(INFINITY, "b");
	put_double(-INFINITY, "c");
	st_gives(s, "SELECT group_concat(value, ' ') FROM (SELECT value FROM event_arg ORDER BY event_id)", "NaN Infinity -Infinity");
	st_gives(s, "SELECT count(*) FROM _arg_set WHERE NOT json_valid(args)", "0");
}

static void names_and_values_of_arguments_are_escaped(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "e", 0, US, "k\"e\\y=v\"a\\l;new\nline=\x01\ttab;b\xff=x\xfe;q\"q=z");
	mk_event(t, "f", 2 * US, US, "k\"e\\y=again"); /* the second look at the name */
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT count(*) FROM _arg_set WHERE json_valid(args)", "2");
	st_gives(s, "SELECT value FROM event_arg WHERE name = 'k\"e\\y' ORDER BY event_id", "v\"a\\lagain");
	st_gives(s, "SELECT value FROM event_arg WHERE name = 'q\"q'", "z");
	st_gives(s, "SELECT value FROM event_arg WHERE name = 'new' || char(10) || 'line'", "\x01\ttab");
	st_gives(s, "SELECT value FROM event_arg WHERE name = 'b' || char(65533)", "x\xef\xbf\xbd");
}

static void metadata_arguments_belong_to_each_event(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "e", 0, US, "own=1");
	mk_event(t, "e", 2 * US, US, "");
	mk_meta_stats(t, "e", "shared=2");
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT group_concat(x, ' ') FROM (SELECT event_id || name || value AS x FROM event_arg ORDER BY event_id, name)",
		 "1own1 1shared2 2shared2");
}

static void equal_arguments_are_kept_once(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	for (int i = 0; i < 100; i++)
		mk_event(t, "e", i * US, US / 2, i % 2 ? "a=1" : "a=2");
	mk_event(t, "e", 100 * US, US / 2, "");
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT count(*) FROM _arg_set", "2");
	/* ids begin at 1: the even ones have a=1, the odd ones a=2 */
	st_gives(s, "SELECT count(*) FROM event_arg WHERE name = 'a' AND value = event_id % 2 + 1", "100");
	st_gives(s, "SELECT count(*) FROM _event WHERE arg_set_id IS NULL", "1");
}

static void one_name_is_one_row(void **state)
{
	(void)state;
	put(nested(), "a", TF_EVENTS_ALL);
	put(nested(), "b", TF_EVENTS_ALL);
	st_gives(s, "SELECT count(*) FROM _name", "6");
	st_gives(s, "SELECT count(*) FROM event", "12");
}

static void names_that_are_no_utf8_stay_apart(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU\xff", "");
	mk_line(t, 1, "py\xfe", 0);
	mk_event(t, "e\xff", 0, US, "");
	mk_event(t, "e\xfe", 2 * US, US, "");
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT group_concat(hex(name), ' ') FROM event", "65EFBFBD 65EFBFBD");
	st_gives(s, "SELECT group_concat(hex(raw), ' ') FROM (SELECT raw FROM _name ORDER BY raw)", "65FE 65FF");
	st_gives(s, "SELECT hex(name) FROM line", "7079EFBFBD");
}

static void a_name_with_quotes_is_a_name(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "'; DROP TABLE _event; --", 0);
	mk_event(t, "'); DELETE FROM _name; --", 0, US, "");
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT name FROM event", "'); DELETE FROM _name; --");
	st_gives(s, "SELECT name FROM line", "'; DROP TABLE _event; --");
}

static void device_events_alone_on_request(void **state)
{
	(void)state;
	put(with_device(), "a", TF_EVENTS_DEVICE);
	st_gives(s, EVENTS("event_id || e.name", "1"), "1gemm 2relu 3copy");
	st_gives(s, EVENTS("coalesce((SELECT p.name FROM event p WHERE p.event_id = e.parent_id), '-')", "1"), "- gemm -");
	st_gives(s, "SELECT group_concat(coalesce(first_event_id, '-') || coalesce(last_event_id, '-'), ' ') FROM line", "-- -- 12 33");
	st_gives(s, "SELECT count(*) FROM step", "1"); /* the figures stay */
}

static void events_of_lines_between_skipped_ones_keep_their_parents(void **state)
{
	(void)state;
	struct tf_trace *t = with_device();
	mk_plane(t, "/host:python-tracer", "");
	mk_line(t, 3, "python-tracer", 0);
	mk_event(t, "skipped", 0, US, "");
	mk_plane(t, "/device:GPU:1", "");
	mk_line(t, 9, "Stream #9(Compute)", 0);
	mk_event(t, "outer", 0, 4 * US, "");
	mk_event(t, "inner", US, US, "");
	put(t, "a", TF_EVENTS_DEVICE);
	st_gives(s, "SELECT p.name FROM event e JOIN event p ON p.event_id = e.parent_id WHERE e.name = 'inner'", "outer");
	st_gives(s, "SELECT first_event_id || '-' || last_event_id FROM line WHERE name LIKE '%#9%'", "4-5");
	st_gives(s, "SELECT count(*) FROM event e JOIN line l USING (line_id) WHERE e.event_id NOT BETWEEN l.first_event_id AND l.last_event_id",
		 "0");
}

static void no_events_on_request(void **state)
{
	(void)state;
	put(with_device(), "a", TF_EVENTS_NONE);
	st_gives(s, "SELECT count(*) FROM event", "0");
	st_gives(s, "SELECT count(*) FROM _arg_set", "0");
	st_gives(s, "SELECT count(*) FROM line WHERE first_event_id IS NULL", "4");
	st_gives(s, "SELECT count(*) FROM step", "1");
	st_gives(s, "SELECT count(*) FROM _row_range WHERE table_name = '_event'", "0");
}

static void ids_of_a_second_file_follow(void **state)
{
	(void)state;
	put(with_device(), "a", TF_EVENTS_ALL);
	put(with_device(), "b", TF_EVENTS_DEVICE);
	put(nested(), "c", TF_EVENTS_ALL);
	st_gives(s, "SELECT min(event_id) || '-' || max(event_id) || '-' || count(*) FROM event", "1-18-18"); /* 9 + 3 + 6 */
	st_gives(s, "SELECT count(*) FROM event e JOIN line l USING (line_id) WHERE e.event_id NOT BETWEEN l.first_event_id AND l.last_event_id",
		 "0");
	st_gives(s, "SELECT count(*) FROM event c JOIN event p ON p.event_id = c.parent_id WHERE p.line_id <> c.line_id", "0");
	st_gives(s, "SELECT group_concat(first_id || '-' || last_id, ' ') FROM _row_range WHERE table_name = '_event'", "1-9 10-12 13-18");
}

static void arguments_of_several_files_do_not_mix(void **state)
{
	(void)state;
	static const char *const values[] = {"x=1", "x=2", "x=3"}, *const paths[] = {"a", "b", "c"};
	for (int i = 0; i < 3; i++) {
		struct tf_trace *t = mk_trace();
		mk_plane(t, "/host:CPU", "");
		mk_line(t, 1, "python", 0);
		mk_event(t, "e", 0, US, values[i]);
		mk_event(t, "e", 2 * US, US, "y=9");
		put(t, paths[i], TF_EVENTS_ALL);
	}
	st_gives(s, "SELECT group_concat(value, ' ') FROM (SELECT value FROM event_arg WHERE name = 'x' ORDER BY event_id)", "1 2 3");
	put(nested(), "b", TF_EVENTS_NONE); /* the middle one goes */
	st_gives(s, "SELECT group_concat(value, ' ') FROM (SELECT value FROM event_arg WHERE name = 'x' ORDER BY event_id)", "1 3");
	st_gives(s, "SELECT count(*) FROM event_arg WHERE name = 'y' AND value = 9", "2");
	st_gives(s, "SELECT count(*) FROM _arg_set", "4");
}

static void aggregated_events_have_a_count(void **state)
{
	(void)state;
	struct tf_trace *t = nested();
	/* One that the profiler counted rather than timed, of the name of the last one. */
	uint32_t meta = t->events.meta[t->events.count - 1];
	assert_int_equal(tf_trace_add_event(t, meta, 0, 7 * US, 42, t->stats.count, &err), 0);
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT count FROM event WHERE count IS NOT NULL", "42");
	st_gives(s, "SELECT name FROM event WHERE count IS NOT NULL", "E");
	st_gives(s, "SELECT count(*) FROM event WHERE count IS NULL", "6");
}

static void absurd_events_are_kept_and_flagged(void **state)
{
	(void)state;
	struct tf_trace *t = nested();
	mk_event(t, "absurd", 5 * US, -3, "");
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, "SELECT name FROM event WHERE absurd", "absurd");
	st_gives(s, "SELECT dur_ps FROM event WHERE absurd", "-3");
}

static void a_trace_without_events_is_fine(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "idle", 0);
	put(t, "a", TF_EVENTS_ALL);
	put(mk_trace(), "b", TF_EVENTS_ALL);
	st_gives(s, "SELECT count(*) FROM event", "0");
	st_gives(s, "SELECT count(*) FROM line", "1");
	st_gives(s, "SELECT count(*) FROM host", "2");
}

static void empty_lines_between_others_are_stepped_over(void **state)
{
	(void)state;
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "empty first", 0);
	mk_line(t, 2, "one", 0);
	mk_event(t, "a", 0, US, "");
	mk_line(t, 3, "empty", 0);
	mk_line(t, 4, "empty too", 0);
	mk_line(t, 5, "two", 0);
	mk_event(t, "b", 0, US, "");
	mk_line(t, 6, "empty last", 0);
	put(t, "a", TF_EVENTS_ALL);
	st_gives(s, EVENTS("e.name || line.name", "1"), "aone btwo");
	st_gives(s, "SELECT count(*) FROM line WHERE first_event_id IS NULL", "4");
}

static void the_virtual_table_does_not_stay(void **state)
{
	(void)state;
	struct tf_row_receiver none = {0};
	put(nested(), "a", TF_EVENTS_ALL);
	assert_int_equal(tf_store_query(s, "SELECT * FROM tfprof_events", NULL, 0, 0, &none, &err), -1);
	assert_int_equal(err.code, TF_EUSAGE);
	st_gives(s, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'tfprof%'", "0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(times_and_names_are_the_events_own),
		TEST(own_time_is_less_that_of_direct_children),
		TEST(depth_and_parent_are_those_on_the_line),
		TEST(events_know_their_step),
		TEST(lines_know_their_events),
		TEST(correlation_is_a_column),
		TEST(so_are_producers_and_consumers),
		TEST(a_column_of_another_kind_stays_an_argument),
		TEST(arguments_keep_their_kinds),
		TEST(arguments_that_are_no_numbers_are_named),
		TEST(names_and_values_of_arguments_are_escaped),
		TEST(metadata_arguments_belong_to_each_event),
		TEST(equal_arguments_are_kept_once),
		TEST(one_name_is_one_row),
		TEST(names_that_are_no_utf8_stay_apart),
		TEST(a_name_with_quotes_is_a_name),
		TEST(device_events_alone_on_request),
		TEST(events_of_lines_between_skipped_ones_keep_their_parents),
		TEST(no_events_on_request),
		TEST(ids_of_a_second_file_follow),
		TEST(arguments_of_several_files_do_not_mix),
		TEST(aggregated_events_have_a_count),
		TEST(absurd_events_are_kept_and_flagged),
		TEST(a_trace_without_events_is_fine),
		TEST(empty_lines_between_others_are_stepped_over),
		TEST(the_virtual_table_does_not_stay),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
