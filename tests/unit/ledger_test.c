/* The ledger of an ingest, made by hand, as JSON and as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "tests/unit/support_session.h"

static struct tf_ledger l;
static struct tf_error err;

static int fresh(void **state)
{
	(void)state;
	l = (struct tf_ledger){0};
	return 0;
}

static int gone(void **state)
{
	(void)state;
	tf_arena_release(&l.arena);
	return 0;
}

static struct tf_ledger_file *add(const char *path, enum tf_file_state state)
{
	struct tf_ledger_file *f = tf_arena_push(&l.arena, (void **)&l.files, &l.file_count, &l.file_cap, sizeof *f);

	assert_non_null(f);
	*f = (struct tf_ledger_file){.path = path, .kind = TF_FILE_EVENTS, .state = state, .first_bad_offset = TF_NONE};
	return f;
}

static char *render(int (*to_file)(FILE *, const struct tf_ledger *, struct tf_error *))
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	assert_non_null(to);
	assert_int_equal(to_file(to, &l, &err), 0);
	fclose(to);
	return text;
}

static cJSON *document(void)
{
	char *text = render(tf_render_ledger_json);
	cJSON *d = cJSON_ParseWithOpts(text, NULL, 1);

	if (!d)
		fail_msg("not JSON: %s", text);
	free(text);
	return d;
}

static void text_is(const char *want)
{
	char *text = render(tf_render_ledger_text);

	assert_string_equal(text, want);
	free(text);
}

static void a_file_has_the_keys_of_the_contract(void **state)
{
	(void)state;
	static const char *const keys[] = {"path", "kind", "state", "records", "bytes", "skipped_records", "skipped_bytes",
					   "first_bad_offset", "tail_state", "issues"};
	add("a", TF_STATE_NEW);
	cJSON *d = document();
	ms_is_text(d, "schema", "tfprof.ingest/1");
	const cJSON *item = ms_at(d, "files/0")->child;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		while (item && strcmp(item->string, keys[i]) != 0)
			item = item->next;
		if (!item)
			fail_msg("'%s' is missing or out of order", keys[i]);
	}
	ms_is_null(d, "files/0/first_bad_offset");
	ms_is_text(d, "files/0/tail_state", "clean");
	ms_is_long(d, "files/0/issues", 0);
	cJSON_Delete(d);
}

static void states_and_kinds_have_the_names_of_the_contract(void **state)
{
	(void)state;
	static const char *const states[] = {"new", "appended", "replaced", "unchanged", "skipped", "failed"};
	static const struct {
		enum tf_file_kind kind;
		const char *name;
	} kinds[] = {{TF_FILE_EVENTS, "event_file"}, {TF_FILE_XSPACE, "xspace"}, {TF_FILE_TRACE_JSON, "trace_json"},
		     {TF_FILE_MEMORY_JSON, "memory_profile_json"}, {TF_FILE_HLO_PROTO, "hlo_proto"}, {TF_FILE_PPROF, "pprof"}};
	for (size_t i = 0; i < 6; i++)
		add("a", (enum tf_file_state)i)->kind = kinds[i].kind;
	cJSON *d = document();
	for (int i = 0; i < 6; i++) {
		char path[64];
		snprintf(path, sizeof path, "files/%d/state", i);
		ms_is_text(d, path, states[i]);
		snprintf(path, sizeof path, "files/%d/kind", i);
		ms_is_text(d, path, kinds[i].name);
	}
	cJSON_Delete(d);
}

static void tails_have_the_names_of_the_contract(void **state)
{
	(void)state;
	static const char *const tails[] = {"clean", "partial_record", "zero_fill", "garbage"};
	for (int i = 0; i < 4; i++)
		add("a", TF_STATE_NEW)->tail = (enum tf_tail_state)i;
	cJSON *d = document();
	for (int i = 0; i < 4; i++) {
		char path[64];
		snprintf(path, sizeof path, "files/%d/tail_state", i);
		ms_is_text(d, path, tails[i]);
	}
	cJSON_Delete(d);
}

static void totals_are_sums(void **state)
{
	(void)state;
	for (int i = 1; i <= 3; i++) {
		struct tf_ledger_file *f = add("a", TF_STATE_NEW);
		f->records = 10 * i;
		f->new_rows = 100 * i;
		f->skipped_records = i;
		f->skipped_bytes = 1000 * i;
		f->issue_total = (size_t)i;
	}
	cJSON *d = document();
	ms_is_number(d, "totals/files", 3);
	ms_is_number(d, "totals/records", 60);
	ms_is_number(d, "totals/new_rows", 600);
	ms_is_number(d, "totals/skipped_records", 6);
	ms_is_number(d, "totals/skipped_bytes", 6000);
	ms_is_number(d, "totals/issues", 6);
	cJSON_Delete(d);
}

static void an_empty_ledger_has_zeros(void **state)
{
	(void)state;
	cJSON *d = document();
	ms_is_long(d, "files", 0);
	ms_is_number(d, "totals/files", 0);
	ms_is_number(d, "totals/issues", 0);
	cJSON_Delete(d);
	text_is("0 files: 0 new, 0 replaced, 0 unchanged, 0 skipped, 0 failed; 0 records, 0 rows\n");
}

static void an_issue_has_code_offset_and_message(void **state)
{
	(void)state;
	struct tf_ledger_file *f = add("e", TF_STATE_NEW);
	assert_int_equal(tf_ledger_issue(&l.arena, f, TF_ISSUE_DATA_CRC, 4096, &err, "record %d", 7), 0);
	assert_int_equal(tf_ledger_issue(&l.arena, f, TF_ISSUE_EMPTY, TF_NONE, &err, "the file is empty"), 0);
	assert_int_equal(tf_ledger_issue(&l.arena, f, TF_ISSUE_PROTO_ERROR, 0, &err, "no message"), 0);
	cJSON *d = document();
	ms_is_text(d, "files/0/issues/0/code", "data_crc");
	ms_is_number(d, "files/0/issues/0/offset", 4096);
	ms_is_text(d, "files/0/issues/0/message", "record 7");
	ms_is_null(d, "files/0/issues/1/offset");
	cJSON_Delete(d);
	text_is("e: data_crc at byte 4096: record 7\ne: empty: the file is empty\n"
		"e: proto_error at byte 0: no message\n"
		"1 files: 1 new, 0 replaced, 0 unchanged, 0 skipped, 0 failed; 0 records, 0 rows\n");
}

static void offsets_beyond_2_to_the_53_are_exact(void **state)
{
	(void)state;
	struct tf_ledger_file *f = add("e", TF_STATE_NEW);
	assert_int_equal(tf_ledger_issue(&l.arena, f, TF_ISSUE_TRUNCATED, INT64_C(9007199254740993), &err, "x"), 0);
	char *text = render(tf_render_ledger_json);
	ms_has(text, "\"first_bad_offset\":9007199254740993,");
	ms_has(text, "\"offset\":9007199254740993,");
	free(text);
}

static void issues_beyond_the_limit_are_counted_and_said(void **state)
{
	(void)state;
	struct tf_ledger_file *f = add("e", TF_STATE_NEW);
	for (int i = 0; i < TF_LIMIT_FILE_ISSUES + 5; i++)
		assert_int_equal(tf_ledger_issue(&l.arena, f, TF_ISSUE_DATA_CRC, i, &err, "x"), 0);
	cJSON *d = document();
	ms_is_long(d, "files/0/issues", TF_LIMIT_FILE_ISSUES);
	ms_is_number(d, "totals/issues", TF_LIMIT_FILE_ISSUES + 5);
	cJSON_Delete(d);
	char *text = render(tf_render_ledger_text);
	ms_has(text, "\ne: 5 more issues\n");
	free(text);
}

static void states_are_counted_apart(void **state)
{
	(void)state;
	static const enum tf_file_state states[] = {TF_STATE_NEW, TF_STATE_NEW, TF_STATE_NEW, TF_STATE_REPLACED, TF_STATE_REPLACED,
						    TF_STATE_UNCHANGED, TF_STATE_SKIPPED, TF_STATE_FAILED};
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
		add("a", states[i])->records = 2;
	text_is("8 files: 3 new, 2 replaced, 1 unchanged, 1 skipped, 1 failed; 16 records, 0 rows\n");
}

static void odd_names_stay_valid_json(void **state)
{
	(void)state;
	struct tf_ledger_file *f = add("a\"\n\x1b\xff", TF_STATE_FAILED);
	f->writer_version = "brain.Event:2\xfe";
	assert_int_equal(tf_ledger_issue(&l.arena, f, TF_ISSUE_IO_ERROR, TF_NONE, &err, "%s", "cannot\x01\xff"), 0);
	cJSON *d = document();
	ms_is_text(d, "files/0/path", "a\"\n\x1b\xef\xbf\xbd");
	assert_true(tf_utf8_valid(tf_bytes_of(ms_at(d, "files/0/issues/0/message")->valuestring)));
	cJSON_Delete(d);
}

static void no_control_character_reaches_a_terminal(void **state)
{
	(void)state;
	struct tf_ledger_file *f = add("a\n\x1b[31m", TF_STATE_NEW);
	assert_int_equal(tf_ledger_issue(&l.arena, f, TF_ISSUE_IO_ERROR, TF_NONE, &err, "%s", "x\ry"), 0);
	text_is("a??[31m: io_error: x?y\n1 files: 1 new, 0 replaced, 0 unchanged, 0 skipped, 0 failed; 0 records, 0 rows\n");
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	int (*const all[])(FILE *, const struct tf_ledger *, struct tf_error *) = {tf_render_ledger_json, tf_render_ledger_text};
	for (size_t i = 0; i < 2; i++) {
		struct tf_error e = {0};
		FILE *to = fopen("/dev/full", "w");
		if (!to)
			skip();
		assert_int_equal(all[i](to, &l, &e), -1);
		assert_int_equal(e.code, TF_ESYSTEM);
		fclose(to);
	}
}

static void a_disk_that_fills_early_is_an_error_too(void **state)
{
	(void)state;
	static char name[1000];
	struct tf_error e = {0};
	FILE *to = fopen("/dev/full", "w");
	if (!to)
		skip();
	memset(name, 'x', sizeof name - 1);
	/* What does not fit the buffer fails long before the last flush. */
	for (int i = 0; i < 100; i++)
		assert_int_equal(tf_ledger_issue(&l.arena, add(name, TF_STATE_NEW), TF_ISSUE_EMPTY, TF_NONE, &err, "x"), 0);
	setvbuf(to, NULL, _IOLBF, 64);
	assert_int_equal(tf_render_ledger_text(to, &l, &e), -1);
	assert_int_equal(e.code, TF_ESYSTEM);
	fclose(to);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_has_the_keys_of_the_contract),
		TEST(states_and_kinds_have_the_names_of_the_contract),
		TEST(tails_have_the_names_of_the_contract),
		TEST(totals_are_sums),
		TEST(an_empty_ledger_has_zeros),
		TEST(an_issue_has_code_offset_and_message),
		TEST(offsets_beyond_2_to_the_53_are_exact),
		TEST(issues_beyond_the_limit_are_counted_and_said),
		TEST(states_are_counted_apart),
		TEST(odd_names_stay_valid_json),
		TEST(no_control_character_reaches_a_terminal),
		TEST(a_full_disk_is_an_error),
		TEST(a_disk_that_fills_early_is_an_error_too),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
