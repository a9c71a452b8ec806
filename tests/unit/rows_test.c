/* The ledger: issues are listed up to a limit and counted beyond, the first damage is remembered, every code has a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/base/text.h"
#include "lib/trace/rows.h"
#include "lib/trace/trace.h"

struct fixture {
	struct tf_arena arena;
	struct tf_ledger_file file;
};

static int begin(void **state)
{
	static struct fixture f;
	f = (struct fixture){.file.first_bad_offset = TF_NONE};
	*state = &f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;
	tf_arena_release(&f->arena);
	return 0;
}

static void note(struct fixture *f, enum tf_issue_code code, int64_t offset, const char *text)
{
	struct tf_error err = {0};
	assert_int_equal(tf_ledger_issue(&f->arena, &f->file, code, offset, &err, "%s", text), 0);
}

static void issues_keep_code_place_and_words(void **state)
{
	struct fixture *f = *state;
	struct tf_error err = {0};
	assert_int_equal(tf_ledger_issue(&f->arena, &f->file, TF_ISSUE_DATA_CRC, 40, &err, "%s, %d bytes", "crc", 7), 0);
	note(f, TF_ISSUE_EMPTY, TF_NONE, "nothing");
	assert_int_equal(f->file.issue_count, 2);
	assert_int_equal(f->file.issues[0].code, TF_ISSUE_DATA_CRC);
	assert_int_equal(f->file.issues[0].offset, 40);
	assert_string_equal(f->file.issues[0].message, "crc, 7 bytes");
	assert_int_equal(f->file.issues[1].offset, TF_NONE);
}

static void beyond_the_limit_issues_are_counted(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < TF_LIMIT_FILE_ISSUES + 50; i++)
		note(f, TF_ISSUE_DATA_CRC, i, "x");
	assert_int_equal(f->file.issue_count, TF_LIMIT_FILE_ISSUES);
	assert_int_equal(f->file.issue_total, TF_LIMIT_FILE_ISSUES + 50);
	assert_int_equal(f->file.issues[TF_LIMIT_FILE_ISSUES - 1].offset, TF_LIMIT_FILE_ISSUES - 1);
}

static void the_first_damage_is_the_lowest_offset(void **state)
{
	struct fixture *f = *state;
	note(f, TF_ISSUE_DATA_CRC, 500, "x");
	note(f, TF_ISSUE_LENGTH_CRC, 100, "x");
	note(f, TF_ISSUE_TRUNCATED, 900, "x");
	assert_int_equal(f->file.first_bad_offset, 100);
}

static void damage_at_the_first_byte_counts(void **state)
{
	struct fixture *f = *state;
	note(f, TF_ISSUE_ZERO_FILL, 0, "x");
	assert_int_equal(f->file.first_bad_offset, 0);
}

static void damage_beyond_the_limit_counts_too(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < TF_LIMIT_FILE_ISSUES; i++)
		note(f, TF_ISSUE_DATA_CRC, 1000 + i, "x");
	note(f, TF_ISSUE_DATA_CRC, 10, "x");
	assert_int_equal(f->file.first_bad_offset, 10);
}

static void what_is_no_damage_has_no_first_offset(void **state)
{
	struct fixture *f = *state;
	note(f, TF_ISSUE_STEP_WRAP, 5, "x");
	note(f, TF_ISSUE_UNSUPPORTED, 6, "x");
	note(f, TF_ISSUE_IO_ERROR, TF_NONE, "x"); /* damage, but of the file as a whole */
	assert_int_equal(f->file.first_bad_offset, TF_NONE);
}

static void long_messages_are_cut_and_stay_text(void **state)
{
	struct fixture *f = *state;
	char text[2000];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	memcpy(text + 510, "\xc3\xa9", 2); /* cut in the middle of a character */
	note(f, TF_ISSUE_LIMIT, 0, text);
	note(f, TF_ISSUE_LIMIT, 0, "bad \xff byte");
	assert_true(strlen(f->file.issues[0].message) < 600);
	assert_true(tf_utf8_valid(tf_bytes_of(f->file.issues[0].message)));
	assert_string_equal(f->file.issues[1].message, "bad \xef\xbf\xbd byte");
}

static void no_memory_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct tf_error err = {0};
	f->arena.limit_bytes = 1;
	assert_int_equal(tf_ledger_issue(&f->arena, &f->file, TF_ISSUE_LIMIT, 0, &err, "x"), -1);
	assert_int_equal(err.code, TF_ENOMEM);
}

/* What --strict refuses: lost or untrusted bytes. */
static void damage_is_what_costs_bytes(void **state)
{
	(void)state;
	static const enum tf_issue_code damage[] = {TF_ISSUE_LENGTH_CRC, TF_ISSUE_DATA_CRC, TF_ISSUE_ZERO_FILL, TF_ISSUE_PROTO_ERROR,
						    TF_ISSUE_TRUNCATED,	 TF_ISSUE_JSON_ERROR, TF_ISSUE_TOO_LONG, TF_ISSUE_IO_ERROR};
	bool is_damage[TF_ISSUE_LIMIT + 1] = {false};
	for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++)
		is_damage[damage[i]] = true;
	for (int code = 0; code <= TF_ISSUE_LIMIT; code++)
		assert_int_equal(tf_issue_is_damage((enum tf_issue_code)code), is_damage[code]);
}

/* Names go into the store and into JSON: lower case words, each once. */
static void names_are_distinct_words(const char *(*name)(int), int count)
{
	for (int a = 0; a < count; a++) {
		assert_int_equal(strspn(name(a), "abcdefghijklmnopqrstuvwxyz_"), strlen(name(a)));
		assert_true(strlen(name(a)) > 0);
		for (int b = 0; b < a; b++)
			assert_string_not_equal(name(a), name(b));
	}
}

static const char *kind(int i)
{
	return tf_file_kind_name((enum tf_file_kind)i);
}
static const char *issue(int i)
{
	return tf_issue_name((enum tf_issue_code)i);
}
static const char *tail(int i)
{
	return tf_tail_name((enum tf_tail_state)i);
}
static const char *file_state(int i)
{
	return tf_state_name((enum tf_file_state)i);
}

static void every_kind_code_and_state_has_a_name(void **state)
{
	(void)state;
	names_are_distinct_words(kind, TF_FILE_HOST_METRICS + 1);
	names_are_distinct_words(issue, TF_ISSUE_LIMIT + 1);
	names_are_distinct_words(tail, TF_TAIL_GARBAGE + 1);
	names_are_distinct_words(file_state, TF_STATE_FAILED + 1);
	assert_string_equal(tf_file_kind_name(TF_FILE_EVENTS), "event_file");
	assert_string_equal(tf_issue_name(TF_ISSUE_TRUNCATED), "truncated");
	assert_string_equal(tf_tail_name(TF_TAIL_PARTIAL_RECORD), "partial_record");
	assert_string_equal(tf_state_name(TF_STATE_APPENDED), "appended");
}

#define WITH_A_FILE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_A_FILE(issues_keep_code_place_and_words),
		WITH_A_FILE(beyond_the_limit_issues_are_counted),
		WITH_A_FILE(the_first_damage_is_the_lowest_offset),
		WITH_A_FILE(damage_at_the_first_byte_counts),
		WITH_A_FILE(damage_beyond_the_limit_counts_too),
		WITH_A_FILE(what_is_no_damage_has_no_first_offset),
		WITH_A_FILE(long_messages_are_cut_and_stay_text),
		WITH_A_FILE(no_memory_is_an_error),
		cmocka_unit_test(damage_is_what_costs_bytes),
		cmocka_unit_test(every_kind_code_and_state_has_a_name),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
