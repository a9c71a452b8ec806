/* Files that change, move and go: no row of what they held is left, nor a figure made of it. */
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

/* A capture with something for every table: steps, ops, input stages, memory that grows, a device with kernels and gaps. */
static struct tf_trace *rich(int64_t us)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	for (int i = 0; i < 6; i++) {
		char number[64], memory[256];
		int64_t at = i * us * US;
		snprintf(number, sizeof number, "step_num=%d;_r=1", i);
		mk_event(t, "train", at, us * US, number);
		mk_event(t, "Iterator::Root", at + 1, 2 * US, "iter_num=1;_pt=1");
		mk_event(t, "d/MatMul:MatMul", at + 3 * US, us * US / 2, "_pt=9;_p=7;note=x");
		snprintf(memory, sizeof memory,
			 "allocator_name=cpu;index_on_host=0;bytes_allocated=%d;bytes_available=1000;fragmentation=0.1;"
			 "peak_bytes_in_use=%d;requested_bytes=64;allocation_bytes=64;addr=%d;tf_op=d/MatMul;region_type=output;"
			 "data_type=1;shape=[16]",
			 64 * (i + 1), 64 * (i + 1), 4096 * (i + 1));
		mk_event(t, "MemoryAllocation", at + 4 * US, 0, memory);
	}
	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 7, "Stream #7(Compute)", 0);
	for (int i = 0; i < 6; i++)
		mk_event(t, "gemm", i * us * US + 5 * US, US, "correlation_id=5;kernel_details=regs:1");
	return t;
}

static void put(struct tf_trace *t, const char *path, const char *run, const char *session, const char *host)
{
	st_put(s, t, path, run, session, host, TF_EVENTS_ALL);
}

/* The file again, but without a capture in it: garbage has no session. */
static void put_garbage(const char *path)
{
	st_begin(s, path, "r", NULL, NULL);
	st_end(s);
}

/* Tables with a foreign key, the column, the table and column that it points to. */
static const char *const links[][4] = {
	{"_session", "run_id", "_run", "run_id"},
	{"_source_file", "run_id", "_run", "run_id"},
	{"_source_file", "session_id", "_session", "session_id"},
	{"_row_range", "file_id", "_source_file", "file_id"},
	{"_ingest_issue", "file_id", "_source_file", "file_id"},
	{"_host", "session_id", "_session", "session_id"},
	{"_host", "file_id", "_source_file", "file_id"},
	{"_host_note", "host_id", "_host", "host_id"},
	{"_device", "host_id", "_host", "host_id"},
	{"_device_gap", "device_id", "_device", "device_id"},
	{"_line", "host_id", "_host", "host_id"},
	{"_line", "device_id", "_device", "device_id"},
	{"_event", "line_id", "_line", "line_id"},
	{"_event", "name_id", "_name", "name_id"},
	{"_event", "parent_id", "_event", "event_id"},
	{"_event", "step_id", "_step", "step_id"},
	{"_event", "arg_set_id", "_arg_set", "arg_set_id"},
	{"_step", "host_id", "_host", "host_id"},
	{"_op", "host_id", "_host", "host_id"},
	{"_op", "device_id", "_device", "device_id"},
	{"_op", "max_step_id", "_step", "step_id"},
	{"_kernel", "host_id", "_host", "host_id"},
	{"_kernel", "device_id", "_device", "device_id"},
	{"_input_stage", "host_id", "_host", "host_id"},
	{"_allocator", "host_id", "_host", "host_id"},
	{"_allocator", "peak_step_id", "_step", "step_id"},
	{"_tensor_group", "allocator_id", "_allocator", "allocator_id"},
	{"_memory_timeline", "allocator_id", "_allocator", "allocator_id"},
	{"_memory_event", "allocator_id", "_allocator", "allocator_id"},
	{"_memory_event", "step_id", "_step", "step_id"},
	{"_growth", "allocator_id", "_allocator", "allocator_id"},
	{"_hlo_module", "session_id", "_session", "session_id"},
	{"_hlo_module", "file_id", "_source_file", "file_id"},
	{"_hlo_buffer", "module_id", "_hlo_module", "id"},
	{"_metric", "run_id", "_run", "run_id"},
	{"_metric", "session_id", "_session", "session_id"},
	{"_scalar", "tag_id", "_tag", "tag_id"},
	{"_scalar", "file_id", "_source_file", "file_id"},
	{"_tag_count", "tag_id", "_tag", "tag_id"},
	{"_tag_count", "file_id", "_source_file", "file_id"},
};

/* No row points to one that is not there. */
static void nothing_hangs(void)
{
	char query[512];

	for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
		snprintf(query, sizeof query, "SELECT count(*) FROM %s WHERE %s IS NOT NULL AND %s NOT IN (SELECT %s FROM %s)", links[i][0],
			 links[i][1], links[i][1], links[i][3], links[i][2]);
		st_gives(s, query, "0");
	}
}

static void the_capture_fills_the_tables(void **state)
{
	(void)state;
	put(rich(20), "a", "r", "t", "h"); /* else the tests below would see nothing hang */
	for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
		char query[128];
		if (strcmp(links[i][0], "_ingest_issue") == 0 || strcmp(links[i][0], "_host_note") == 0
		    || strncmp(links[i][0], "_tag", 4) == 0 || strncmp(links[i][0], "_hlo", 4) == 0 || strcmp(links[i][0], "_scalar") == 0)
			continue;
		snprintf(query, sizeof query, "SELECT CASE WHEN count(*) > 0 THEN 'some' ELSE '%s is empty' END FROM %s", links[i][0],
			 links[i][0]);
		st_gives(s, query, "some");
	}
	nothing_hangs();
}

static void a_replaced_capture_leaves_no_row(void **state)
{
	(void)state;
	put(rich(20), "a", "r", "t", "h");
	put(st_two_steps(10, 0), "a", "r", "t", "h");
	nothing_hangs();
	static const char *const empty[] = {"_device", "_device_gap", "_kernel", "_input_stage", "_allocator", "_tensor_group",
					    "_memory_timeline", "_memory_event", "_growth"};
	for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
		char query[64];
		snprintf(query, sizeof query, "SELECT count(*) FROM %s", empty[i]);
		st_gives(s, query, "0");
	}
	st_gives(s, "SELECT count(*) FROM event", "2");
	st_gives(s, "SELECT count(*) FROM step", "2");
}

static void replacing_with_the_same_changes_no_count(void **state)
{
	(void)state;
	put(rich(20), "a", "r", "t", "h");
	int64_t before[sizeof links / sizeof links[0]];
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
			char query[128];
			int64_t n;
			if (i == 0 && round)
				put(rich(20), "a", "r", "t", "h");
			snprintf(query, sizeof query, "SELECT count(*) FROM %s", links[i][0]);
			n = st_integer(s, query);
			if (round && n != before[i])
				fail_msg("%s: %lld rows, then %lld", links[i][0], (long long)before[i], (long long)n);
			before[i] = n;
		}
	st_gives(s, "SELECT count(*) FROM _name", "5");
}

static void other_files_keep_their_rows(void **state)
{
	(void)state;
	put(rich(20), "a", "r", "t", "h0");
	put(rich(20), "b", "r", "t", "h1");
	put(st_two_steps(10, 0), "a", "r", "t", "h0");
	nothing_hangs();
	st_gives(s, "SELECT count(*) FROM step JOIN host USING (host_id) WHERE host.name = 'h1'", "6");
	st_gives(s, "SELECT count(*) FROM kernel", "1");
	st_gives(s, "SELECT count(*) FROM event_arg WHERE name = 'note'", "6");
}

static void a_file_that_moved_takes_its_session_along(void **state)
{
	(void)state;
	put(st_two_steps(10, 0), "a", "x", "t", "h");
	put(st_two_steps(10, 0), "a", "y", "t", "h"); /* ingested by another path: its run is called otherwise */
	nothing_hangs();
	st_gives(s, "SELECT group_concat(name) FROM run", "y");
	st_gives(s, "SELECT count(*) FROM session", "1");
	st_gives(s, "SELECT count(DISTINCT session_id) FROM metric", "1");
}

static void a_session_that_lost_a_host_has_figures_of_the_others(void **state)
{
	(void)state;
	put(st_two_steps(10, 0), "a", "x", "t", "h0");
	put(st_two_steps(30, 0), "b", "x", "t", "h1");
	st_gives(s, "SELECT printf('%.2f', value) FROM metric WHERE name = 'step_time_ms.mean' AND host IS NULL", "0.03");
	put(st_two_steps(30, 0), "b", "y", "t", "h1");
	nothing_hangs();
	st_gives(s, "SELECT printf('%.2f', value) FROM metric m JOIN run USING (run_id) WHERE m.name = 'step_time_ms.mean' AND run.name = 'x'",
		 "0.01");
	st_gives(s, "SELECT printf('%.2f', value) FROM metric m JOIN run USING (run_id) WHERE m.name = 'step_time_ms.mean' AND run.name = 'y'",
		 "0.03");
	st_gives(s, "SELECT count(*) FROM metric WHERE host IS NOT NULL", "0"); /* one host each: none of its own */
}

static void a_file_that_became_garbage_takes_its_figures_along(void **state)
{
	(void)state;
	put(st_two_steps(10, 0), "a", "r", "t", "h0");
	put(st_two_steps(30, 0), "b", "r", "t", "h1");
	put_garbage("b");
	nothing_hangs();
	st_gives(s, "SELECT printf('%.2f', value) FROM metric WHERE name = 'step_time_ms.mean' AND host IS NULL", "0.01");
	st_gives(s, "SELECT CAST(value AS INTEGER) FROM metric WHERE name = 'steps.count' AND host IS NULL", "2");
	put_garbage("a");
	nothing_hangs();
	st_gives(s, "SELECT count(*) FROM session", "0");
	st_gives(s, "SELECT count(*) FROM metric", "0");
}

static void a_session_is_whole_again_without_its_cut_file(void **state)
{
	(void)state;
	put(st_two_steps(10, 0), "a", "r", "t", "h0");
	struct tf_trace *t = st_two_steps(10, 0);
	struct mk_analysis *a = mk_analyze(t, NULL);
	a->host.name = "h1";
	a->host.complete = false;
	st_begin(s, "b", "r", "t", "h1");
	assert_int_equal(tf_store_put_host(s, t, &a->host, &a->d, TF_EVENTS_ALL, &err), 0);
	st_end(s);
	mk_analysis_free(a);
	st_gives(s, "SELECT complete FROM session", "0");
	put_garbage("b");
	st_gives(s, "SELECT complete FROM session", "1");
}

static void issues_go_with_what_they_were_of(void **state)
{
	(void)state;
	struct tf_arena arena = {0};
	struct tf_ledger_file f = {.first_bad_offset = TF_NONE};
	st_begin(s, "e", "r", NULL, NULL);
	assert_int_equal(tf_ledger_issue(&arena, &f, TF_ISSUE_DATA_CRC, 7, &err, "x"), 0);
	assert_int_equal(tf_store_end_file(s, &f, &err), 0);
	tf_arena_release(&arena);
	st_gives(s, "SELECT count(*) FROM ingest_issue", "1");
	st_gives(s, "SELECT first_bad_offset FROM source_file", "7");
	put_garbage("e");
	st_gives(s, "SELECT count(*) FROM ingest_issue", "0");
	st_gives(s, "SELECT coalesce(first_bad_offset, '-') FROM source_file", "-");
}

static void a_file_keeps_its_id(void **state)
{
	(void)state;
	put(st_two_steps(10, 0), "a", "r", "t", "h");
	put(st_two_steps(10, 0), "b", "r", "u", "h");
	put(st_two_steps(20, 0), "a", "r", "t", "h");
	st_gives(s, "SELECT group_concat(x, ' ') FROM (SELECT file_id || path AS x FROM source_file ORDER BY file_id)", "1a 2b");
	st_gives(s, "SELECT group_concat(x, ' ') FROM (SELECT session_id || name AS x FROM session ORDER BY session_id)", "1t 2u");
}

static void the_ledger_says_replaced(void **state)
{
	(void)state;
	struct tf_ledger_file f = {.first_bad_offset = TF_NONE, .state = TF_STATE_NEW};
	st_begin(s, "e", "r", NULL, NULL);
	st_scalar(s, "loss", 1, 1, 0, 1);
	assert_int_equal(tf_store_end_file(s, &f, &err), 0);
	assert_int_equal(f.state, TF_STATE_NEW);
	assert_int_equal(f.new_rows, 1);
	f = (struct tf_ledger_file){.first_bad_offset = TF_NONE, .state = TF_STATE_NEW};
	st_begin(s, "e", "r", NULL, NULL);
	st_scalar(s, "loss", 1, 1, 0, 1);
	st_scalar(s, "loss", 2, 2, 40, 1);
	assert_int_equal(tf_store_end_file(s, &f, &err), 0);
	assert_int_equal(f.state, TF_STATE_REPLACED);
	assert_int_equal(f.new_rows, 2);
	st_gives(s, "SELECT state FROM source_file", "replaced");
}

static void one_path_under_two_names_is_two_sources(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tf_source f = {.run_prefix = i ? "job2" : "job1", .real_path = "-", .path = "-", .run = i ? "job2" : "job1",
				      .run_path = "-", .kind = TF_FILE_EVENTS};
		struct tf_source_known known;
		assert_int_equal(tf_store_find_source(s, &f, &known, &err), 0);
		assert_false(known.found);
		assert_int_equal(tf_store_begin_file(s, &f, &err), 0);
		st_scalar(s, "loss", 1, 1, 0, i);
		st_end(s);
		assert_int_equal(tf_store_find_source(s, &f, &known, &err), 0);
		assert_true(known.found);
		assert_int_equal(known.kind, TF_FILE_EVENTS);
	}
	st_gives(s, "SELECT count(*) FROM scalar WHERE superseded = 0", "2");
}

static void a_source_is_known_by_its_stat(void **state)
{
	(void)state;
	struct tf_source f = {.run_prefix = "", .real_path = "/e", .path = "e", .run = "r", .run_path = "r", .kind = TF_FILE_EVENTS,
			      .device = 1, .inode = 2, .size_bytes = 3, .mtime_ns = 4, .ctime_ns = 5,
			      .content_hash = UINT64_C(0xfedcba9876543210)};
	struct tf_source_known known;
	assert_int_equal(tf_store_begin_file(s, &f, &err), 0);
	st_end(s);
	int64_t *const parts[] = {&f.device, &f.inode, &f.size_bytes, &f.mtime_ns, &f.ctime_ns};
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(tf_store_find_source(s, &f, &known, &err), 0);
		assert_true(known.same_stat);
		++*parts[i];
		assert_int_equal(tf_store_find_source(s, &f, &known, &err), 0);
		assert_true(known.found);
		assert_false(known.same_stat);
		assert_true(known.content_hash == f.content_hash);
		--*parts[i];
	}
	f.mtime_ns = 99;
	assert_int_equal(tf_store_touch_source(s, known.file_id, &f, &err), 0);
	assert_int_equal(tf_store_find_source(s, &f, &known, &err), 0);
	assert_true(known.same_stat);
}

static void an_abandoned_replacement_keeps_the_old_rows(void **state)
{
	(void)state;
	put(rich(20), "a", "r", "t", "h");
	st_begin(s, "a", "r", "t", "h");
	tf_store_abandon_file(s);
	nothing_hangs();
	st_gives(s, "SELECT count(*) FROM step", "6");
	st_gives(s, "SELECT count(*) FROM event", "30"); /* 6 times: train, Iterator, MatMul, allocation, gemm */
}

static void a_file_that_goes_frees_the_tag_it_alone_had(void **state)
{
	(void)state;
	st_begin(s, "e", "r", NULL, NULL);
	st_scalar(s, "only", 1, 1, 0, 1);
	st_end(s);
	put_garbage("e");
	nothing_hangs();
	st_gives(s, "SELECT count(*) FROM tag", "0");
	st_gives(s, "SELECT count(*) FROM scalar", "0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_capture_fills_the_tables),
		TEST(a_replaced_capture_leaves_no_row),
		TEST(replacing_with_the_same_changes_no_count),
		TEST(other_files_keep_their_rows),
		TEST(a_file_that_moved_takes_its_session_along),
		TEST(a_session_that_lost_a_host_has_figures_of_the_others),
		TEST(a_file_that_became_garbage_takes_its_figures_along),
		TEST(a_session_is_whole_again_without_its_cut_file),
		TEST(issues_go_with_what_they_were_of),
		TEST(a_file_keeps_its_id),
		TEST(the_ledger_says_replaced),
		TEST(one_path_under_two_names_is_two_sources),
		TEST(a_source_is_known_by_its_stat),
		TEST(an_abandoned_replacement_keeps_the_old_rows),
		TEST(a_file_that_goes_frees_the_tag_it_alone_had),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
