/* Text at its edges: every code point, every bad byte, JSON that reads back, numbers that people type, globs. See base_test.c too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

/* UTF-8 by its definition; returns the length. */
static size_t encode(uint32_t code, uint8_t *to)
{
	static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; code >>= 6)
		to[i] = (uint8_t)(0x80 | (code & 0x3f));
	to[0] = (uint8_t)(lead[n] | code);
	return n;
}

static void every_code_point_is_valid_but_nul_and_surrogates(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 0x120000; code++) {
		uint8_t bytes[4];
		size_t n = encode(code, bytes);
		bool good = code != 0 && !(code >= 0xd800 && code <= 0xdfff) && code <= 0x10ffff;
		if (tf_utf8_valid((struct tf_bytes){bytes, n}) != good)
			fail_msg("U+%04X", code);
	}
}

static void overlong_forms_are_invalid(void **state)
{
	(void)state;
	static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	for (size_t n = 2; n <= 4; n++)
		for (uint32_t code = 0; code < least[n]; code += n == 4 ? 7 : 1) {
			uint8_t bytes[4];
			uint32_t rest = code;
			for (size_t i = n; i-- > 1; rest >>= 6)
				bytes[i] = (uint8_t)(0x80 | (rest & 0x3f));
			bytes[0] = (uint8_t)(lead[n] | rest);
			assert_false(tf_utf8_valid((struct tf_bytes){bytes, n}));
		}
}

static void a_sequence_cut_or_broken_is_invalid(void **state)
{
	(void)state;
	static const uint32_t codes[] = {0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff};
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
		uint8_t bytes[4];
		size_t n = encode(codes[i], bytes);
		for (size_t len = 1; len < n; len++) {
			uint8_t *tight = malloc(len); /* a read beyond it is seen */
			memcpy(tight, bytes, len);
			assert_false(tf_utf8_valid((struct tf_bytes){tight, len}));
			free(tight);
			uint8_t broken[4];
			memcpy(broken, bytes, 4);
			broken[len] = 'x';
			assert_false(tf_utf8_valid((struct tf_bytes){broken, n}));
		}
	}
}

static void repair_changes_nothing_that_is_valid(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	static const char *const texts[] = {"", "a", "\xc3\xa9\xe2\x98\x83\xf0\x9f\x98\x80", "tab\tand\nline"};
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(tf_utf8_repair(&a, tf_bytes_of(texts[i])), texts[i]);
	tf_arena_release(&a);
}

static void repair_of_random_bytes_is_valid(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	uint64_t seed = 1;
	for (int round = 0; round < 5000; round++) {
		uint8_t bytes[24];
		size_t len = (size_t)round % sizeof bytes;
		for (size_t i = 0; i < len; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			bytes[i] = (uint8_t)(seed >> 56);
		}
		char *text = tf_utf8_repair(&a, (struct tf_bytes){bytes, len});
		assert_true(tf_utf8_valid(tf_bytes_of(text)));
		assert_true(strlen(text) >= len && strlen(text) <= 3 * len);
		tf_arena_reset(&a);
	}
	tf_arena_release(&a);
}

/* An independent reader gives back what was written. */
static void json_strings_read_back(void **state)
{
	(void)state;
	for (uint32_t code = 1; code < 0x11000; code++) {
		uint8_t bytes[4];
		if (code >= 0xd800 && code <= 0xdfff)
			continue;
		size_t n = encode(code, bytes);
		struct tf_buf b = {0};
		tf_buf_json_string(&b, (struct tf_bytes){bytes, n});
		cJSON *read = cJSON_Parse(b.data);
		assert_true(cJSON_IsString(read));
		assert_int_equal(strlen(read->valuestring), n);
		assert_memory_equal(read->valuestring, bytes, n);
		for (size_t i = 0; i < b.len; i++) /* no control character is left bare */
			assert_true((uint8_t)b.data[i] >= 0x20 && b.data[i] != 0x7f);
		cJSON_Delete(read);
		tf_buf_release(&b);
	}
}

static void nul_in_json_is_escaped(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	tf_buf_json_string(&b, (struct tf_bytes){(const uint8_t *)"a\0b", 3});
	assert_string_equal(b.data, "\"a\\u0000b\"");
	tf_buf_release(&b);
}

static void doubles_read_back_the_same(void **state)
{
	(void)state;
	static const double special[] = {0.1, 1.0 / 3, 1e15, 1e15 - 1, -1e15, 1e16 + 2, 123456789012345.5, DBL_MAX, DBL_MIN, 4.9406564584124654e-324,
					 -0.5, 9007199254740993.0};
	uint64_t seed = 7;
	for (int i = 0; i < 20000; i++) {
		double value, back;
		if ((size_t)i < sizeof special / sizeof special[0]) {
			value = special[i];
		} else {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			memcpy(&value, &seed, sizeof value);
		}
		if (!isfinite(value))
			continue;
		struct tf_buf b = {0};
		tf_buf_json_double(&b, value);
		assert_true(tf_parse_double(b.data, &back));
		if (memcmp(&value, &back, sizeof value) != 0)
			fail_msg("%a becomes %s", value, b.data);
		assert_true(b.len <= 24);
		tf_buf_release(&b);
	}
}

static void numbers_are_decimal_and_whole(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "-", "+", ".", "-.", "e5", "1e", "1.2.3", "0x1p3", "-0x1", "1,5", "1 ", " 1", "1e400", "-1e400", "NaN",
					  "-inf", "infinity", "1_000"};
	static const struct {
		const char *text;
		double value;
	} good[] = {{"0", 0}, {"-0.5", -0.5}, {"+2", 2}, {".5", 0.5}, {"5.", 5}, {"1e-3", 0.001}, {"1E3", 1000}, {"007", 7}, {"1e-400", 0}};
	double v = 42;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (tf_parse_double(bad[i], &v))
			fail_msg("'%s' is %g", bad[i], v);
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(tf_parse_double(good[i].text, &v) && v == good[i].value);
}

static void integers_keep_their_bounds(void **state)
{
	(void)state;
	static const char *const bad[] = {"-", "--1", "+1", "1.0", "1e3", "-9223372036854775809", "99999999999999999999", "0x10", "1 "};
	int64_t v = 42;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(tf_parse_i64(bad[i], &v));
	assert_int_equal(v, 42); /* untouched */
	assert_true(tf_parse_i64("9223372036854775807", &v) && v == INT64_MAX);
	assert_true(tf_parse_i64("-0", &v) && v == 0);
	assert_true(tf_parse_i64("007", &v) && v == 7);
}

static void each_suffix_is_its_factor(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum tf_unit unit;
		double value;
	} cases[] = {
		{"7", TF_UNIT_MS, 7},	      {"7ns", TF_UNIT_MS, 7e-6},     {"7us", TF_UNIT_MS, 7e-3},	       {"7ms", TF_UNIT_MS, 7},
		{"7s", TF_UNIT_MS, 7000},     {"7min", TF_UNIT_MS, 420000},  {"7", TF_UNIT_BYTES, 7},	       {"7B", TF_UNIT_BYTES, 7},
		{"7K", TF_UNIT_BYTES, 7168},  {"7KiB", TF_UNIT_BYTES, 7168}, {"7kB", TF_UNIT_BYTES, 7000},     {"7M", TF_UNIT_BYTES, 7340032},
		{"7MB", TF_UNIT_BYTES, 7e6},  {"7G", TF_UNIT_BYTES, 7516192768.0}, {"7GB", TF_UNIT_BYTES, 7e9}, {"7GiB", TF_UNIT_BYTES, 7516192768.0},
		{"7T", TF_UNIT_BYTES, 7696581394432.0}, {"7TiB", TF_UNIT_BYTES, 7696581394432.0}, {"7TB", TF_UNIT_BYTES, 7e12},
		{"7%", TF_UNIT_RATIO, 0.07},  {"7", TF_UNIT_NONE, 7},	     {"7", TF_UNIT_PS, 7},	       {"-1.5s", TF_UNIT_MS, -1500},
	};
	struct tf_error err = {0};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double v;
		assert_int_equal(tf_parse_quantity(cases[i].text, cases[i].unit, &v, &err), 0);
		assert_true(fabs(v - cases[i].value) <= 1e-15 * fabs(cases[i].value));
	}
}

static void suffixes_of_another_unit_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum tf_unit unit;
	} cases[] = {{"7ms", TF_UNIT_BYTES}, {"7GiB", TF_UNIT_MS}, {"7%", TF_UNIT_NONE}, {"7B", TF_UNIT_NONE}, {"7us", TF_UNIT_US},
		     {"7 ms", TF_UNIT_MS},   {"7MS", TF_UNIT_MS},  {"7mib", TF_UNIT_BYTES}, {"ms", TF_UNIT_MS}, {"7msx", TF_UNIT_MS}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_error err = {0};
		double v;
		assert_int_equal(tf_parse_quantity(cases[i].text, cases[i].unit, &v, &err), -1);
		assert_non_null(strstr(err.text, cases[i].text));
	}
}

static void buffers_grow_and_stay_terminated(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	for (int i = 0; i < 10000; i++) {
		tf_buf_char(&b, (char)('a' + i % 26));
		assert_int_equal(b.data[b.len], '\0');
	}
	assert_int_equal(strlen(b.data), 10000);
	assert_int_equal(b.data[9999], 'a' + 9999 % 26);
	tf_buf_release(&b);
	assert_null(b.data);
	tf_buf_release(&b);
}

static void long_formats_are_whole(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	for (int width = 254; width <= 258; width++) { /* around the room on the stack */
		size_t before = b.len;
		tf_buf_printf(&b, "%*d", width, 7);
		assert_int_equal(b.len - before, width);
		assert_int_equal(b.data[b.len - 1], '7');
	}
	tf_buf_release(&b);
}

static void a_size_that_overflows_fails_for_good(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	tf_buf_text(&b, "ab");
	tf_buf_add(&b, "x", SIZE_MAX / 2);
	assert_true(b.failed);
	tf_buf_text(&b, "c");
	assert_string_equal(b.data, "ab"); /* nothing more is added */
	tf_buf_release(&b);
}

static void classes_in_globs(void **state)
{
	(void)state;
	static const struct {
		const char *pattern, *text;
		bool match;
	} cases[] = {
		{"[abc]", "b", true},	{"[abc]", "d", false},	  {"[a-c]", "c", true},	   {"[^a-c]", "c", false}, {"[!a]", "", false},
		{"[]]", "]", true},	{"[!]]", "]", false},	  {"[a-]", "-", true},	   {"[-a]", "-", true},	   {"[a-c-e]", "-", true},
		{"[\xc0-\xff]", "\xe9", true}, {"[a", "[a", true}, {"[!", "[!", true},	   {"[", "a", false},	   {"a[b]c", "abc", true},
		{"[*]", "*", true},	{"[*]", "a", false},	  {"[?]x", "?x", true},	   {"*[0-9]", "run7", true}, {"*[0-9]", "run", false},
		{"?", "", false},	{"?", "ab", false},	  {"**", "anything", true}, {"", "", true},	   {"", "a", false},
		{"a*", "a", true},	{"*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (tf_glob_match(cases[i].pattern, cases[i].text) != cases[i].match)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
}

static void many_stars_take_no_time(void **state)
{
	(void)state;
	char pattern[202], text[20001];
	for (int i = 0; i < 200; i += 2)
		memcpy(pattern + i, "*a", 2);
	strcpy(pattern + 200, "b");
	memset(text, 'a', 20000);
	text[20000] = '\0';
	assert_false(tf_glob_match(pattern, text)); /* exponential matchers would not come back */
}

static void distance_is_symmetric_and_has_bounds(void **state)
{
	(void)state;
	static const char *const names[] = {"", "a", "ab", "ba", "abc", "acb", "report", "reprot", "rport"};
	enum { N = sizeof names / sizeof names[0] };
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < N; k++) {
			int d = tf_text_distance(names[i], names[k], 20);
			int n = (int)strlen(names[i]), m = (int)strlen(names[k]);
			assert_int_equal(d, tf_text_distance(names[k], names[i], 20));
			assert_int_equal(d == 0, i == k);
			assert_in_range(d, n > m ? n - m : m - n, n > m ? n : m);
		}
}

static void names_too_long_to_compare_are_far(void **state)
{
	(void)state;
	char name[200];
	memset(name, 'x', sizeof name);
	name[127] = '\0';
	assert_int_equal(tf_text_distance(name, name, 5), 0);
	name[127] = 'x';
	name[128] = '\0';
	assert_int_equal(tf_text_distance(name, name, 5), 6);
	assert_int_equal(tf_text_distance(name, "x", 200), 201);
	assert_int_equal(tf_text_distance("x", name, 200), 201);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_point_is_valid_but_nul_and_surrogates),
		cmocka_unit_test(overlong_forms_are_invalid),
		cmocka_unit_test(a_sequence_cut_or_broken_is_invalid),
		cmocka_unit_test(repair_changes_nothing_that_is_valid),
		cmocka_unit_test(repair_of_random_bytes_is_valid),
		cmocka_unit_test(json_strings_read_back),
		cmocka_unit_test(nul_in_json_is_escaped),
		cmocka_unit_test(doubles_read_back_the_same),
		cmocka_unit_test(numbers_are_decimal_and_whole),
		cmocka_unit_test(integers_keep_their_bounds),
		cmocka_unit_test(each_suffix_is_its_factor),
		cmocka_unit_test(suffixes_of_another_unit_are_refused),
		cmocka_unit_test(buffers_grow_and_stay_terminated),
		cmocka_unit_test(long_formats_are_whole),
		cmocka_unit_test(a_size_that_overflows_fails_for_good),
		cmocka_unit_test(classes_in_globs),
		cmocka_unit_test(many_stars_take_no_time),
		cmocka_unit_test(distance_is_symmetric_and_has_bounds),
		cmocka_unit_test(names_too_long_to_compare_are_far),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
