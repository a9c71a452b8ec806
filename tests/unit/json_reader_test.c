/* lib/decode/json_reader: values, members, repair of strings, exact numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lib/decode/json_reader.h"

static struct tf_json_reader reader(const char *text)
{
	return tf_json_of(tf_bytes_of(text));
}

static void assert_bytes(struct tf_bytes b, const char *want)
{
	assert_int_equal(b.len, strlen(want));
	assert_memory_equal(b.data, want, b.len);
}

/* The value that the text begins with (words need something behind them to be over). */
static struct tf_json_value value_of(const char *text)
{
	struct tf_json_reader j = reader(text);
	struct tf_json_value v;
	assert_true(tf_json_value(&j, &v));
	return v;
}

/* The string of a JSON text with its escapes resolved. */
static void resolves(const char *text, const char *want)
{
	struct tf_json_value v = value_of(text);
	struct tf_buf scratch = {0};
	assert_int_equal(v.kind, TF_JSON_STRING);
	assert_bytes(tf_json_as_text(&v, &scratch), want);
	tf_buf_release(&scratch);
}

static void tells_kinds_apart(void **state)
{
	(void)state;
	assert_int_equal(value_of("null,").kind, TF_JSON_NULL);
	assert_int_equal(value_of("true,").kind, TF_JSON_BOOL);
	assert_int_equal(value_of("false]").kind, TF_JSON_BOOL);
	assert_int_equal(value_of("-1.5e3 ").kind, TF_JSON_NUMBER);
	assert_int_equal(value_of("\"x\"").kind, TF_JSON_STRING);
	assert_int_equal(value_of("[1]").kind, TF_JSON_ARRAY);
	assert_int_equal(value_of("{}").kind, TF_JSON_OBJECT);
}

static void takes_words_that_are_no_json_as_numbers(void **state)
{
	(void)state;
	double d;
	struct tf_json_value nan = value_of("NaN,"), infinite = value_of("-Infinity}");
	assert_int_equal(nan.kind, TF_JSON_NUMBER);
	assert_bytes(infinite.raw, "-Infinity");
	assert_false(tf_json_as_double(&nan, &d));
	assert_false(tf_json_as_double(&infinite, &d));
}

static void reads_members_in_order(void **state)
{
	(void)state;
	struct tf_json_value object = value_of("{\"a\": 1, \"b\":[{\"c\":\"}\"}] ,\"d\":\"x\"}"), v;
	struct tf_json_reader j = tf_json_inside(&object);
	struct tf_bytes key;
	assert_true(tf_json_member(&j, &key, &v));
	assert_bytes(key, "a");
	assert_bytes(v.raw, "1");
	assert_true(tf_json_member(&j, &key, &v));
	assert_bytes(key, "b");
	assert_bytes(v.raw, "[{\"c\":\"}\"}]");
	assert_true(tf_json_member(&j, &key, &v));
	assert_bytes(v.raw, "x");
	assert_false(tf_json_member(&j, &key, &v));
	assert_int_equal(j.fault, TF_JSON_FINE);
}

static void reads_elements_in_order(void **state)
{
	(void)state;
	struct tf_json_value list = value_of("[1, \"two\", [3], {}]"), v;
	struct tf_json_reader j = tf_json_inside(&list);
	const char *const want[] = {"1", "two", "[3]", "{}"};
	for (int i = 0; i < 4; i++) {
		assert_true(tf_json_element(&j, &v));
		assert_bytes(v.raw, want[i]);
	}
	assert_false(tf_json_element(&j, &v));
	assert_int_equal(j.fault, TF_JSON_FINE);
}

static void passes_over_commas_too_many(void **state)
{
	(void)state;
	struct tf_json_value list = value_of("[,1,,2,]"), v;
	struct tf_json_reader j = tf_json_inside(&list);
	assert_true(tf_json_element(&j, &v));
	assert_true(tf_json_element(&j, &v));
	assert_bytes(v.raw, "2");
	assert_false(tf_json_element(&j, &v));
	assert_int_equal(j.fault, TF_JSON_FINE);
}

static void an_empty_object_has_no_member(void **state)
{
	(void)state;
	struct tf_json_value object = value_of("{ }"), v;
	struct tf_json_reader j = tf_json_inside(&object);
	struct tf_bytes key;
	assert_false(tf_json_member(&j, &key, &v));
	assert_int_equal(j.fault, TF_JSON_FINE);
}

static void a_member_without_a_colon_is_a_syntax_fault(void **state)
{
	(void)state;
	struct tf_json_value object = value_of("{\"a\" 1}"), v;
	struct tf_json_reader j = tf_json_inside(&object);
	struct tf_bytes key;
	assert_false(tf_json_member(&j, &key, &v));
	assert_int_equal(j.fault, TF_JSON_SYNTAX);
}

static void a_bare_word_as_key_is_a_syntax_fault(void **state)
{
	(void)state;
	struct tf_json_value object = value_of("{\"ph\":\"X\", oops}"), v;
	struct tf_json_reader j = tf_json_inside(&object);
	struct tf_bytes key;
	assert_true(tf_json_member(&j, &key, &v));
	assert_false(tf_json_member(&j, &key, &v));
	assert_int_equal(j.fault, TF_JSON_SYNTAX);
}

/* Every proper prefix of a document is cut; a number may go on and is cut too. */
static void every_prefix_is_cut(void **state)
{
	(void)state;
	static const char text[] = "{\"a\":[1,\"\\\"b\",{\"c\":true}],\"d\":-1.5}";
	for (size_t n = 0; n + 1 < sizeof text - 1; n++) {
		struct tf_json_reader j = tf_json_of((struct tf_bytes){(const uint8_t *)text, n});
		struct tf_json_value v;
		assert_false(tf_json_value(&j, &v));
		assert_int_equal(j.fault, TF_JSON_CUT);
	}
}

static void a_quote_after_a_backslash_does_not_end_a_string(void **state)
{
	(void)state;
	assert_bytes(value_of("\"a\\\"b\" ").raw, "a\\\"b");
	assert_bytes(value_of("\"a\\\\\" ").raw, "a\\\\");
}

static void resolves_short_escapes(void **state)
{
	(void)state;
	resolves("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
}

static void resolves_unicode_escapes(void **state)
{
	(void)state;
	resolves("\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac");
}

static void joins_surrogates(void **state)
{
	(void)state;
	resolves("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80");
}

static void replaces_lone_surrogates(void **state)
{
	(void)state;
	resolves("\"\\ud83dx\\ude00\"", "\xef\xbf\xbdx\xef\xbf\xbd");
}

static void keeps_escapes_that_are_none(void **state)
{
	(void)state;
	resolves("\"C:\\users \\u12\"", "C:\\users \\u12");
}

static void keeps_control_characters_and_bytes_that_are_no_utf8(void **state)
{
	(void)state;
	resolves("\"ker\x01n\xff\xfe\"", "ker\x01n\xff\xfe");
}

/* {"name": "{"device": "cpu"}(12): run", "ph": "X"} as its writer meant it. */
static void lenient_reads_quotes_that_nobody_escaped(void **state)
{
	(void)state;
	struct tf_json_reader j = reader("\"name\": \"{\"device\": \"cpu\"}(12): run\", \"ph\": \"X\"}");
	struct tf_json_value v;
	struct tf_bytes key;
	j.lenient = true;
	assert_true(tf_json_member(&j, &key, &v));
	assert_bytes(key, "name");
	assert_bytes(v.raw, "{\"device\": \"cpu\"}(12): run");
	assert_true(tf_json_member(&j, &key, &v));
	assert_bytes(key, "ph");
	assert_bytes(v.raw, "X");
}

static void lenient_reads_sound_json_as_it_is(void **state)
{
	(void)state;
	struct tf_json_reader j = reader("\"a\" : \"b\" , \"args\":{\"k\":[\"x\",\"y\"]}, \"n\":-1}");
	struct tf_json_value v;
	struct tf_bytes key;
	j.lenient = true;
	assert_true(tf_json_member(&j, &key, &v));
	assert_bytes(v.raw, "b");
	assert_true(tf_json_member(&j, &key, &v));
	assert_bytes(v.raw, "{\"k\":[\"x\",\"y\"]}");
	assert_true(tf_json_member(&j, &key, &v));
	assert_bytes(v.raw, "-1");
	assert_false(tf_json_member(&j, &key, &v));
	assert_int_equal(j.fault, TF_JSON_FINE);
}

static void deep_nesting_needs_no_stack(void **state)
{
	(void)state;
	static char text[200001];
	struct tf_json_value v;
	memset(text, '[', 100000);
	memset(text + 100000, ']', 100000);
	struct tf_json_reader j = reader(text);
	assert_true(tf_json_value(&j, &v));
	assert_int_equal(v.raw.len, 200000);
}

static void integers_bare_or_quoted(void **state)
{
	(void)state;
	int64_t i;
	struct tf_json_value bare = value_of("-9223372036854775808,"), quoted = value_of("\"42\"");
	assert_true(tf_json_as_i64(&bare, &i));
	assert_true(i == INT64_MIN);
	assert_true(tf_json_as_i64(&quoted, &i));
	assert_int_equal(i, 42);
}

static void integers_do_not_overflow(void **state)
{
	(void)state;
	int64_t i;
	uint64_t u;
	struct tf_json_value large = value_of("10159970886766084423,"), larger = value_of("18446744073709551616,");
	assert_false(tf_json_as_i64(&large, &i));
	assert_true(tf_json_as_u64(&large, &u));
	assert_true(u == UINT64_C(10159970886766084423));
	assert_false(tf_json_as_u64(&larger, &u));
}

static void integers_are_nothing_else(void **state)
{
	(void)state;
	static const char *const texts[] = {"1.0,", "1e3,", "\"\"", "\" 1\"", "\"0x10\"", "null,", "[1]", "\"+1\""};
	int64_t i;
	for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
		struct tf_json_value v = value_of(texts[k]);
		assert_false(tf_json_as_i64(&v, &i));
	}
}

/* µs → whole µs and ps of it. */
static void exactly(const char *text, int64_t us, int32_t ps)
{
	struct tf_json_value v = value_of(text);
	int64_t million;
	int32_t rest;
	assert_true(tf_json_as_millionths(&v, &million, &rest));
	assert_true(million == us);
	assert_int_equal(rest, ps);
}

static void times_beyond_a_double_stay_exact(void **state)
{
	(void)state;
	exactly("1715000000000000.123,", 1715000000000000, 123000);
	exactly("1715000000000000.123456,", 1715000000000000, 123456);
	exactly("\"9223372036854775807\"", INT64_MAX, 0);
}

static void times_with_exponents(void **state)
{
	(void)state;
	exactly("1e-06,", 0, 1);
	exactly("3.0541422E6,", 3054142, 200000);
	exactly("12e0,", 12, 0);
	exactly("5e-7,", 0, 1); /* half a millionth: up */
	exactly("4e-7,", 0, 0);
	exactly("1e-400,", 0, 0);
}

/* 8889.8999999999996 is how some writers print 8889.9. */
static void times_are_rounded_to_the_nearest(void **state)
{
	(void)state;
	exactly("8889.8999999999996,", 8889, 900000);
	exactly("0.9999999,", 1, 0);
	exactly("41.0000004,", 41, 0);
}

/* The rest is never negative: -5.25 is -6 and 0.75. */
static void negative_times(void **state)
{
	(void)state;
	exactly("-5,", -5, 0);
	exactly("-5.25,", -6, 750000);
	exactly("-0.0,", 0, 0);
}

static void what_is_no_number_is_no_time(void **state)
{
	(void)state;
	static const char *const texts[] = {"NaN,", "\"\"", "\"-\"", "\".\"", "1e,", "1.2.3,", "12x,", "true,", "99999999999999999999,"};
	int64_t million;
	int32_t rest;
	for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
		struct tf_json_value v = value_of(texts[k]);
		assert_false(tf_json_as_millionths(&v, &million, &rest));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_kinds_apart),
		cmocka_unit_test(takes_words_that_are_no_json_as_numbers),
		cmocka_unit_test(reads_members_in_order),
		cmocka_unit_test(reads_elements_in_order),
		cmocka_unit_test(passes_over_commas_too_many),
		cmocka_unit_test(an_empty_object_has_no_member),
		cmocka_unit_test(a_member_without_a_colon_is_a_syntax_fault),
		cmocka_unit_test(a_bare_word_as_key_is_a_syntax_fault),
		cmocka_unit_test(every_prefix_is_cut),
		cmocka_unit_test(a_quote_after_a_backslash_does_not_end_a_string),
		cmocka_unit_test(resolves_short_escapes),
		cmocka_unit_test(resolves_unicode_escapes),
		cmocka_unit_test(joins_surrogates),
		cmocka_unit_test(replaces_lone_surrogates),
		cmocka_unit_test(keeps_escapes_that_are_none),
		cmocka_unit_test(keeps_control_characters_and_bytes_that_are_no_utf8),
		cmocka_unit_test(lenient_reads_quotes_that_nobody_escaped),
		cmocka_unit_test(lenient_reads_sound_json_as_it_is),
		cmocka_unit_test(deep_nesting_needs_no_stack),
		cmocka_unit_test(integers_bare_or_quoted),
		cmocka_unit_test(integers_do_not_overflow),
		cmocka_unit_test(integers_are_nothing_else),
		cmocka_unit_test(times_beyond_a_double_stay_exact),
		cmocka_unit_test(times_with_exponents),
		cmocka_unit_test(times_are_rounded_to_the_nearest),
		cmocka_unit_test(negative_times),
		cmocka_unit_test(what_is_no_number_is_no_time),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
