/* The store: rows of event files and what replaced what, sources, selectors, sessions of several hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "lib/store/store.h"
#include "tests/unit/support_store.h"

static struct tf_error err;

#define POINTS "SELECT group_concat(step || ':' || CAST(value AS INTEGER)) FROM (SELECT * FROM scalar WHERE superseded = 0 ORDER BY step)"

static void the_last_write_of_a_step_wins(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	st_scalar(s, "loss", 1, 1001, 40, 1);
	st_scalar(s, "loss", 1, 1002, 82, 2);
	st_scalar(s, "loss", 2, 1003, 124, 3);
	st_scalar(s, "loss", 2, 1004, 166, 4);
	st_end(s);
	st_gives(s, POINTS, "1:2,2:4");
	st_gives(s, "SELECT count(*) FROM scalar", "4");
	tf_store_close(s, &err);
}

static void a_restart_in_a_later_file_rewrites(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e1", "r", NULL, NULL);
	for (int i = 0; i < 6; i++)
		st_scalar(s, "loss", i, 1001 + i, 42 * i, i);
	st_end(s);
	st_begin(s, "e2", "r", NULL, NULL);
	for (int i = 0; i < 3; i++)
		st_scalar(s, "loss", 3 + i, 1101 + i, 42 * i, 100 + i);
	st_end(s);
	st_gives(s, POINTS, "0:0,1:1,2:2,3:100,4:101,5:102");
	st_gives(s, "SELECT sum(superseded) FROM scalar", "3");
	tf_store_close(s, &err);
}

static void a_file_that_goes_takes_its_marks_along(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e1", "r", NULL, NULL);
	st_scalar(s, "loss", 1, 1001, 0, 1);
	st_end(s);
	st_begin(s, "e2", "r", NULL, NULL);
	st_scalar(s, "loss", 1, 1002, 0, 2);
	st_end(s);
	st_gives(s, POINTS, "1:2");
	st_begin(s, "e2", "r", NULL, NULL); /* replaced by a file without the tag */
	st_scalar(s, "acc", 1, 1002, 0, 9);
	st_end(s);
	st_gives(s, "SELECT CAST(value AS INTEGER) FROM scalar WHERE tag = 'loss' AND superseded = 0", "1");
	tf_store_close(s, &err);
}

static void points_behind_a_session_start_are_orphaned(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	for (int i = 0; i < 6; i++)
		st_scalar(s, "loss", i, 1001 + i, 42 * i, i);
	struct tf_row_sink sink = tf_store_row_sink(s);
	assert_int_equal(sink.session_start(sink.ctx, 3, 1100, 500, &err), 0);
	st_scalar(s, "loss", 3, 1101, 600, 100);
	st_end(s);
	st_gives(s, "SELECT group_concat(step) FROM (SELECT step FROM scalar WHERE orphaned ORDER BY step)", "4,5");
	tf_store_close(s, &err);
}

static void values_that_are_no_numbers_are_told_apart(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	st_scalar(s, "loss", 0, 1, 0, NAN);
	st_scalar(s, "loss", 1, 2, 42, INFINITY);
	st_scalar(s, "loss", 2, NAN, 84, 1.5);
	st_end(s);
	st_gives(s, "SELECT group_concat(coalesce(nonfinite, 'finite')) FROM (SELECT * FROM scalar ORDER BY step)", "nan,inf,finite");
	st_gives(s, "SELECT count(*) FROM scalar WHERE value IS NULL", "1");
	st_gives(s, "SELECT count(*) FROM scalar WHERE wall_time IS NULL", "1");
	tf_store_close(s, &err);
}

static void tags_that_are_no_text_stay_apart(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	st_scalar(s, "lo\xff\xfess", 0, 1, 0, 1);
	st_scalar(s, "lo\xff\xfdss", 0, 1, 42, 2);
	st_end(s);
	st_gives(s, "SELECT count(*) FROM tag", "2");
	st_gives(s, "SELECT DISTINCT name FROM tag", "lo\xef\xbf\xbd\xef\xbf\xbdss");
	st_gives(s, "SELECT count(*) FROM tag WHERE raw IS NOT NULL", "2");
	tf_store_close(s, &err);
}

/* A capture of two steps of `us` microseconds, into the store. */
static void put_capture(struct tf_store *s, const char *path, const char *run, const char *session, const char *host, int64_t us)
{
	struct tf_trace *t = mk_trace();
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "train", 0, us * US, "step_num=0;_r=1;note=a \"quoted\" one");
	mk_event(t, "d/MatMul:MatMul", 1, us * US - 2, "_c=5;_ct=2;big=u18446744073709551615;x=0.5");
	mk_event(t, "train", us * US, us * US, "step_num=1;_r=1");
	st_put(s, t, path, run, session, host, TF_EVENTS_ALL);
}

static void events_and_arguments_come_back(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	put_capture(s, "a", "r", "s1", "h", 10);
	st_gives(s, "SELECT group_concat(name) FROM event", "train,d/MatMul:MatMul,train");
	st_gives(s, "SELECT parent_id FROM event WHERE name LIKE 'd/%'", "1");
	st_gives(s, "SELECT value FROM event_arg WHERE name = 'note'", "a \"quoted\" one");
	st_gives(s, "SELECT value FROM event_arg WHERE name = 'big'", "18446744073709551615");
	st_gives(s, "SELECT value FROM event_arg WHERE name = '_c'", "5");
	st_gives(s, "SELECT count(*) FROM event_arg WHERE name = 'x' AND value = 0.5", "1");
	st_gives(s, "SELECT count(*) FROM event WHERE step_id IS NOT NULL", "3");
	tf_store_close(s, &err);
}

static void hosts_of_one_session_are_merged(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	put_capture(s, "a", "r", "s1", "h0", 10);
	put_capture(s, "b", "r", "s1", "h1", 12);
	st_gives(s, "SELECT count(*) FROM session", "1");
	st_gives(s, "SELECT count(*) FROM host", "2");
	st_gives(s, "SELECT printf('%.4f', value) FROM metric WHERE name = 'step_time_ms.mean' AND host IS NULL", "0.0120");
	st_gives(s, "SELECT printf('%.4f', value) FROM metric WHERE name = 'step_time_ms.mean' AND host = 'h0'", "0.0100");
	put_capture(s, "b", "r", "s1", "h1", 8); /* replaced */
	st_gives(s, "SELECT printf('%.4f', value) FROM metric WHERE name = 'step_time_ms.mean' AND host IS NULL", "0.0100");
	st_gives(s, "SELECT count(*) FROM event", "6");
	tf_store_close(s, &err);
}

static void selectors_find_what_they_name(void **state)
{
	(void)state;
	static const struct {
		const char *selector, *run, *name;
		size_t count;
	} cases[] = {{"latest", "r", "s2", 1}, {"latest~1", "r", "s1", 1}, {"r/s1", "r", "s1", 1}, {"run:q", "q", "s1", 1},
		     {"r", "r", "s2", 2}, {"*/s1", "r", "s1", 2}, {"nothing", NULL, NULL, 0}, {"latest~9", NULL, NULL, 0}};
	struct tf_store *s = st_memory();
	struct tf_arena a = {0};
	put_capture(s, "a", "r", "s1", "h", 10);
	put_capture(s, "b", "r", "s2", "h", 10);
	put_capture(s, "c", "q", "s1", "h", 10);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_target *t;
		size_t n;
		assert_int_equal(tf_store_select(s, cases[i].selector, &a, &t, &n, &err), 0);
		assert_int_equal(n, cases[i].count);
		if (n) {
			assert_string_equal(t[0].run, cases[i].run);
			assert_string_equal(t[0].name, cases[i].name);
		}
	}
	tf_arena_release(&a);
	tf_store_close(s, &err);
}

static void a_loaded_session_has_the_same_metrics(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	struct tf_session loaded = {0};
	put_capture(s, "a", "r", "s1", "h", 10);
	struct tf_target t = {1, 1, "r", "s1"};
	assert_int_equal(tf_store_load_session(s, &t, &loaded, &err), 0);
	assert_true(tf_metric_find(&loaded, "step_time_ms.mean")->value == 0.01);
	assert_int_equal(loaded.hosts[0].steps.count, 2);
	assert_true(loaded.complete);
	tf_session_release(&loaded);
	tf_store_close(s, &err);
}

static void an_abandoned_file_leaves_nothing(void **state)
{
	(void)state;
	struct tf_store *s = st_memory();
	st_begin(s, "e", "r", NULL, NULL);
	st_scalar(s, "loss", 0, 1, 0, 1);
	tf_store_abandon_file(s);
	st_gives(s, "SELECT count(*) FROM scalar", "0");
	st_gives(s, "SELECT count(*) FROM source_file", "0");
	tf_store_close(s, &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_write_of_a_step_wins),
		cmocka_unit_test(a_restart_in_a_later_file_rewrites),
		cmocka_unit_test(a_file_that_goes_takes_its_marks_along),
		cmocka_unit_test(points_behind_a_session_start_are_orphaned),
		cmocka_unit_test(values_that_are_no_numbers_are_told_apart),
		cmocka_unit_test(tags_that_are_no_text_stay_apart),
		cmocka_unit_test(events_and_arguments_come_back),
		cmocka_unit_test(hosts_of_one_session_are_merged),
		cmocka_unit_test(selectors_find_what_they_name),
		cmocka_unit_test(a_loaded_session_has_the_same_metrics),
		cmocka_unit_test(an_abandoned_file_leaves_nothing),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
