/* Which sessions and runs a selector names, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
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

static void session(const char *run, const char *name, int64_t start_ns)
{
	char path[64];

	snprintf(path, sizeof path, "%s/%s", run, name);
	st_put(s, st_two_steps(10, start_ns), path, run, name, "h", TF_EVENTS_NONE);
}

static void run_alone(const char *run)
{
	st_begin(s, run, run, NULL, NULL);
	st_scalar(s, "loss", 1, 1, 0, 1);
	st_end(s);
}

/* The selector names these, in this order: "run/name" of each, "run" for a run without a session. */
static void names(const char *selector, const char *want)
{
	struct tf_arena a = {0};
	struct tf_target *t;
	char got[512] = "";
	size_t n;

	assert_int_equal(tf_store_select(s, selector, &a, &t, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s%s%s", i ? " " : "", t[i].run, t[i].name ? "/" : "",
			 t[i].name ? t[i].name : "");
	tf_arena_release(&a);
	if (strcmp(got, want) != 0)
		fail_msg("'%s' names '%s', not '%s'", selector ? selector : "(none)", got, want);
}

#define T0 INT64_C(1700000000000000000)

static void an_empty_store_has_nothing_to_select(void **state)
{
	(void)state;
	names(NULL, "");
	names("latest", "");
	names("*", "");
	names("1", "");
}

static void nothing_means_the_latest(void **state)
{
	(void)state;
	session("r", "a", T0);
	session("r", "b", T0 + 1);
	names(NULL, "r/b");
	names("latest", "r/b");
}

static void the_latest_goes_by_its_start_not_its_name_or_ingest(void **state)
{
	(void)state;
	session("r", "z", T0 + 5);
	session("r", "a", T0 + 9);
	session("q", "m", T0 + 7);
	names("latest", "r/a");
	names("latest~1", "q/m");
	names("latest~2", "r/z");
	names("latest~3", "");
}

static void equal_starts_go_by_name(void **state)
{
	(void)state;
	session("b", "x", T0);
	session("a", "y", T0);
	session("b", "y", T0);
	names("latest", "b/y");
	names("latest~1", "b/x");
	names("latest~2", "a/y");
}

static void sessions_without_a_start_are_the_oldest(void **state)
{
	(void)state;
	session("r", "z", 0);
	session("r", "a", T0);
	names("latest", "r/a");
	names("latest~1", "r/z");
}

static void runs_without_a_profile_come_last(void **state)
{
	(void)state;
	run_alone("z");
	session("a", "x", 0);
	names("latest", "a/x");
	names("latest~1", "z");
	names("z", "z");
	names("run:z", "z");
}

static void a_run_with_a_profile_is_no_target_of_its_own(void **state)
{
	(void)state;
	session("r", "x", T0);
	st_begin(s, "events", "r", NULL, NULL);
	st_end(s);
	names("r", "r/x");
	names("*", "r/x");
}

static void an_odd_number_behind_latest_names_nothing(void **state)
{
	(void)state;
	static const char *const odd[] = {"latest~", "latest~-1", "latest~x", "latest~1x", "latest~99999999999999999999", "latest ",
					  "Latest"};
	session("r", "x", T0);
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
		names(odd[i], "");
	names("latest~0", "r/x");
}

static void a_run_names_its_sessions_newest_first(void **state)
{
	(void)state;
	session("r", "a", T0 + 1);
	session("r", "b", T0 + 3);
	session("r", "c", T0 + 2);
	session("rr", "x", T0 + 9);
	names("r", "r/b r/c r/a");
	names("run:r", "r/b r/c r/a");
}

static void a_session_is_named_with_its_run(void **state)
{
	(void)state;
	session("r", "a", T0);
	session("q", "a", T0 + 1);
	names("r/a", "r/a");
	names("q/a", "q/a");
	names("a", "");
	names("r/", "");
	names("/a", "");
	names("r/a/", "");
}

static void runs_may_have_slashes(void **state)
{
	(void)state;
	session("job/train", "a", T0);
	session("job", "train", T0 + 1);
	names("job/train/a", "job/train/a");
	names("run:job/train", "job/train/a");
	names("job", "job/train");
	/* Both are called so: a run, and a session of another. */
	names("job/train", "job/train job/train/a");
}

static void an_id_names_its_session(void **state)
{
	(void)state;
	session("r", "a", T0);
	session("r", "b", T0 + 1);
	names("1", "r/a");
	names("2", "r/b");
	names("3", "");
	names("0", "");
	names("-1", "");
	names("1.0", "");
}

static void run_colon_is_never_an_id(void **state)
{
	(void)state;
	session("2", "a", T0);
	session("r", "b", T0 + 1);
	names("run:2", "2/a");
	names("run:1", "");
	names("run:r/b", "");
	names("run:latest", "");
	names("2", "2/a"); /* a name outweighs an id */
}

static void a_run_called_latest_is_named_with_the_prefix(void **state)
{
	(void)state;
	session("latest", "old", T0);
	session("r", "new", T0 + 1);
	names("latest", "r/new");
	names("run:latest", "latest/old");
}

static void globs_look_at_run_and_session(void **state)
{
	(void)state;
	session("a/train", "s1", T0);
	session("a/eval", "s1", T0 + 1);
	session("b/train", "s2", T0 + 2);
	names("*/train*", "b/train/s2 a/train/s1");
	names("a/*", "a/eval/s1 a/train/s1");
	names("*/s1", "a/eval/s1 a/train/s1");
	names("[ab]/train/s?", "b/train/s2 a/train/s1");
	names("*/eval", "a/eval/s1");
	names("*", "b/train/s2 a/eval/s1 a/train/s1");
	names("c*", "");
}

static void a_name_counts_before_a_glob(void **state)
{
	(void)state;
	session("r*", "a", T0);
	session("rx", "b", T0 + 1);
	names("r*", "r*/a");
	names("r?", "rx/b r*/a");
}

static void names_are_whole_and_exact(void **state)
{
	(void)state;
	session("Run", "a", T0);
	session("r'; DROP TABLE _run; --", "a", T0 + 1);
	names("run", "");
	names("Ru", "");
	names("Run ", "");
	names("r'; DROP TABLE _run; --", "r'; DROP TABLE _run; --/a");
	names("Run", "Run/a");
}

static void the_empty_text_names_nothing(void **state)
{
	(void)state;
	session("r", "a", T0);
	names("", "");
	names("run:", "");
}

static void a_session_whose_file_went_is_not_named(void **state)
{
	(void)state;
	session("r", "a", T0);
	session("r", "b", T0 + 1);
	/* The same file, but there is no capture in it any more. */
	st_begin(s, "r/b", "r", NULL, NULL);
	st_end(s);
	names("latest", "r/a");
	names("r/b", "");
	names("latest~1", "");
}

static void a_session_in_which_nothing_can_be_read_is_one(void **state)
{
	(void)state;
	session("r", "a", T0);
	st_begin(s, "r/b/h", "r", "b", "h"); /* a file of that session in which nothing can be read */
	st_end(s);
	names("r", "r/a r/b");
	names("r/b", "r/b");
	st_begin(s, "q/b/h", "q", "b", "h");
	st_end(s);
	names("q", "q/b");
}

static void a_target_has_the_ids_of_the_views(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	struct tf_target *t;
	size_t n;
	run_alone("z");
	session("r", "a", T0);
	assert_int_equal(tf_store_select(s, "r/a", &a, &t, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(t->session_id, 1);
	assert_int_equal(t->run_id, 2);
	assert_int_equal(tf_store_select(s, "z", &a, &t, &n, &err), 0);
	assert_int_equal(t->session_id, TF_NONE);
	assert_int_equal(t->run_id, 1);
	assert_null(t->name);
	tf_arena_release(&a);
}

/* Rows of a list, their cells joined by '|'. */
struct rows {
	char text[1024];
};

static int on_columns(void *ctx, const char *const *columns, size_t n, struct tf_error *e)
{
	struct rows *r = ctx;

	(void)e;
	for (size_t i = 0; i < n; i++)
		snprintf(r->text + strlen(r->text), sizeof r->text - strlen(r->text), "%s%s", columns[i], i + 1 < n ? "|" : "\n");
	return 0;
}

static int on_row(void *ctx, const struct tf_cell *c, size_t n, struct tf_error *e)
{
	struct rows *r = ctx;

	(void)e;
	for (size_t i = 0; i < n; i++) {
		char *to = r->text + strlen(r->text);
		size_t room = sizeof r->text - strlen(r->text);
		if (c[i].kind == TF_CELL_TEXT)
			snprintf(to, room, "%.*s", (int)c[i].bytes.len, (const char *)c[i].bytes.data);
		else if (c[i].kind == TF_CELL_INTEGER)
			snprintf(to, room, "%lld", (long long)c[i].integer);
		else if (c[i].kind == TF_CELL_REAL)
			snprintf(to, room, "%g", c[i].real);
		strcat(r->text, i + 1 < n ? "|" : "\n");
	}
	return 0;
}

static void lists(enum tf_list what, const char *want)
{
	struct rows r = {""};
	struct tf_row_receiver to = {&r, on_columns, on_row};

	assert_int_equal(tf_store_list(s, what, &to, &err), 0);
	assert_string_equal(r.text, want);
}

static void lists_of_an_empty_store_have_columns_alone(void **state)
{
	(void)state;
	lists(TF_LIST_RUNS, "run|sessions|files|tags\n");
	lists(TF_LIST_SESSIONS, "id|session|hosts|steps|step_ms|input_share|complete\n");
	lists(TF_LIST_TAGS, "run|tag|kind|plugin|count\n");
	lists(TF_LIST_FILES, "path|kind|state|records|bytes|tail|skipped\n");
	lists(TF_LIST_ISSUES, "path|code|offset|message\n");
}

static void sessions_are_listed_oldest_first(void **state)
{
	(void)state;
	session("r", "b", T0 + 1);
	session("r", "c", T0);
	session("r", "a", 0);
	lists(TF_LIST_SESSIONS, "id|session|hosts|steps|step_ms|input_share|complete\n"
				"3|r/a|1|2|0.01||1\n2|r/c|1|2|0.01||1\n1|r/b|1|2|0.01||1\n");
}

static void runs_count_what_they_have(void **state)
{
	(void)state;
	session("r", "a", T0);
	session("r", "b", T0);
	run_alone("q");
	lists(TF_LIST_RUNS, "run|sessions|files|tags\nq|0|1|1\nr|2|2|0\n");
	lists(TF_LIST_TAGS, "run|tag|kind|plugin|count\nq|loss|scalar||1\n");
}

static void issues_are_listed_by_file(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	for (int i = 1; i >= 0; i--) {
		struct tf_ledger_file f = {.first_bad_offset = TF_NONE};
		st_begin(s, i ? "b" : "a", "r", NULL, NULL);
		assert_int_equal(tf_ledger_issue(&a, &f, TF_ISSUE_DATA_CRC, 40 + i, &err, "record %d", i), 0);
		assert_int_equal(tf_ledger_issue(&a, &f, TF_ISSUE_EMPTY, TF_NONE, &err, "x"), 0);
		assert_int_equal(tf_store_end_file(s, &f, &err), 0);
	}
	lists(TF_LIST_ISSUES, "path|code|offset|message\na|data_crc|40|record 0\na|empty||x\nb|data_crc|41|record 1\nb|empty||x\n");
	tf_arena_release(&a);
}

static int stop(void *ctx, const struct tf_cell *c, size_t n, struct tf_error *e)
{
	(void)ctx, (void)c, (void)n;
	return tf_fail(e, TF_ESYSTEM, "stopped here");
}

static void a_receiver_can_stop_a_list(void **state)
{
	(void)state;
	struct rows r = {""};
	struct tf_row_receiver to = {&r, on_columns, stop};
	session("r", "a", T0);
	assert_int_equal(tf_store_list(s, TF_LIST_RUNS, &to, &err), -1);
	assert_string_equal(err.text, "stopped here");
	lists(TF_LIST_RUNS, "run|sessions|files|tags\nr|1|1|0\n"); /* and the list can be had again */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_store_has_nothing_to_select),
		TEST(nothing_means_the_latest),
		TEST(the_latest_goes_by_its_start_not_its_name_or_ingest),
		TEST(equal_starts_go_by_name),
		TEST(sessions_without_a_start_are_the_oldest),
		TEST(runs_without_a_profile_come_last),
		TEST(a_run_with_a_profile_is_no_target_of_its_own),
		TEST(an_odd_number_behind_latest_names_nothing),
		TEST(a_run_names_its_sessions_newest_first),
		TEST(a_session_is_named_with_its_run),
		TEST(runs_may_have_slashes),
		TEST(an_id_names_its_session),
		TEST(run_colon_is_never_an_id),
		TEST(a_run_called_latest_is_named_with_the_prefix),
		TEST(globs_look_at_run_and_session),
		TEST(a_name_counts_before_a_glob),
		TEST(names_are_whole_and_exact),
		TEST(the_empty_text_names_nothing),
		TEST(a_session_whose_file_went_is_not_named),
		TEST(a_session_in_which_nothing_can_be_read_is_one),
		TEST(a_target_has_the_ids_of_the_views),
		TEST(lists_of_an_empty_store_have_columns_alone),
		TEST(sessions_are_listed_oldest_first),
		TEST(runs_count_what_they_have),
		TEST(issues_are_listed_by_file),
		TEST(a_receiver_can_stop_a_list),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
