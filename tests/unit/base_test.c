/* lib/base: errors, arena, interned strings, maps, text and quantities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/limits.h"
#include "lib/base/strtab.h"
#include "lib/base/text.h"
#include "lib/base/vec.h"

static void errors_gain_context_and_stay_one_line(void **state)
{
	(void)state;
	struct tf_error err = {0};
	assert_int_equal(tf_fail(&err, TF_EFORMAT, "truncated varint in '%s'", "a\nb"), -1);
	tf_wrap(&err, "line %d", 3);
	assert_string_equal(err.text, "line 3: truncated varint in 'a?b'");
	assert_int_equal(tf_exit_status(err.code), 3);
}

static void an_overlong_error_is_cut(void **state)
{
	(void)state;
	struct tf_error err = {0};
	char big[2000];
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	tf_fail(&err, TF_EIO, "%s", big);
	tf_wrap(&err, "%s", big);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void every_code_has_a_status(void **state)
{
	(void)state;
	static const int want[] = {0, 2, 3, 3, 4, 4, 4, 4, 5};
	for (int code = TF_OK; code <= TF_EINCONCLUSIVE; code++)
		assert_int_equal(tf_exit_status((enum tf_error_code)code), want[code]);
}

static void arena_pieces_are_zeroed_aligned_and_limited(void **state)
{
	(void)state;
	struct tf_arena a = {.limit_bytes = 100000};
	for (int i = 0; i < 100; i++) {
		unsigned char *p = tf_arena_alloc(&a, (size_t)i * 7);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		for (int j = 0; j < i * 7; j++)
			assert_int_equal(p[j], 0);
		memset(p, 0xff, (size_t)i * 7);
	}
	assert_null(tf_arena_alloc(&a, 100000));
	assert_null(tf_arena_array(&a, SIZE_MAX / 2, 4));
	tf_arena_reset(&a);
	assert_non_null(tf_arena_alloc(&a, 90000));
	tf_arena_release(&a);
	tf_arena_release(&a);
}

static void arena_push_keeps_what_was_there(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	int *items = NULL;
	size_t count = 0, cap = 0;
	for (int i = 0; i < 1000; i++) {
		int *at = tf_arena_push(&a, (void **)&items, &count, &cap, sizeof *items);
		assert_non_null(at);
		*at = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	tf_arena_release(&a);
}

static void strings_are_interned_once(void **state)
{
	(void)state;
	struct tf_strtab t = {0};
	struct tf_error err = {0};
	uint32_t id, again;
	char text[16];
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof text, "name %d", i);
		assert_int_equal(tf_strtab_add(&t, tf_bytes_of(text), &id, &err), 0);
		assert_int_equal(id, i + 1); /* 0 is "" */
	}
	assert_int_equal(tf_strtab_add(&t, tf_bytes_of("name 77"), &again, &err), 0);
	assert_int_equal(again, 78);
	assert_int_equal(tf_strtab_find(&t, tf_bytes_of("name 4999")), 5000);
	assert_int_equal(tf_strtab_find(&t, tf_bytes_of("none")), UINT32_MAX);
	assert_string_equal(tf_strtab_text(&t, 1), "name 0");
	tf_strtab_release(&t);
}

static void strings_with_nul_bytes_differ(void **state)
{
	(void)state;
	struct tf_strtab t = {0};
	struct tf_error err = {0};
	uint32_t a, b;
	assert_int_equal(tf_strtab_add(&t, (struct tf_bytes){(const uint8_t *)"a\0b", 3}, &a, &err), 0);
	assert_int_equal(tf_strtab_add(&t, (struct tf_bytes){(const uint8_t *)"a\0c", 3}, &b, &err), 0);
	assert_int_not_equal(a, b);
	tf_strtab_release(&t);
}

/* The map against an array that is obviously right, with removals. */
static void map_agrees_with_an_array(void **state)
{
	(void)state;
	struct tf_map m = {0};
	struct tf_error err = {0};
	int64_t mirror[512];
	uint64_t seed = 1;
	for (size_t i = 0; i < 512; i++)
		mirror[i] = -1;
	for (int n = 0; n < 20000; n++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		uint64_t key = seed >> 55, value = seed >> 20 & 0xffff;
		if (seed >> 40 & 1) {
			assert_int_equal(tf_map_put(&m, key * 64, value, &err), 0);
			mirror[key] = (int64_t)value;
		} else {
			tf_map_remove(&m, key * 64);
			mirror[key] = -1;
		}
	}
	for (uint64_t key = 0; key < 512; key++) {
		uint64_t *found = tf_map_find(&m, key * 64);
		assert_int_equal(found ? (int64_t)*found : -1, mirror[key]);
	}
	tf_map_release(&m);
}

static void vec_refuses_sizes_that_overflow(void **state)
{
	(void)state;
	void *items = NULL;
	size_t cap = 0;
	assert_int_equal(tf_vec_reserve(&items, &cap, SIZE_MAX / 2, 8), -1);
	assert_null(items);
	assert_int_equal(tf_vec_reserve(&items, &cap, 3, 8), 0);
	assert_true(cap >= 3);
	free(items);
}

static const struct {
	const char *bytes;
	size_t len;
	const char *repaired;
} utf8_cases[] = {
	{"plain", 5, "plain"},
	{"sn\xe2\x98\x83w", 6, "sn\xe2\x98\x83w"},
	{"lo\xff\xfess", 6, "lo\xef\xbf\xbd\xef\xbf\xbdss"},
	{"\xc0\x80", 2, "\xef\xbf\xbd\xef\xbf\xbd"},		   /* overlong NUL */
	{"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* surrogate */
	{"\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* over U+10FFFF */
	{"a\0b", 3, "a\xef\xbf\xbd" "b"},
	{"cut\xe2\x98", 5, "cut\xef\xbf\xbd\xef\xbf\xbd"},
};

static void bad_utf8_is_repaired_byte_by_byte(void **state)
{
	(void)state;
	struct tf_arena a = {0};
	for (size_t i = 0; i < sizeof utf8_cases / sizeof utf8_cases[0]; i++) {
		struct tf_bytes b = {(const uint8_t *)utf8_cases[i].bytes, utf8_cases[i].len};
		char *text = tf_utf8_repair(&a, b);
		assert_string_equal(text, utf8_cases[i].repaired);
		assert_true(tf_utf8_valid(tf_bytes_of(text)));
	}
	tf_arena_release(&a);
}

static void json_strings_are_escaped(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	tf_buf_json_string(&b, (struct tf_bytes){(const uint8_t *)"a\"b\\c\n\x01\xff\x7f", 9});
	assert_string_equal(b.data, "\"a\\\"b\\\\c\\n\\u0001\xef\xbf\xbd\\u007f\"");
	tf_buf_release(&b);
}

static void doubles_print_shortest(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0.1, "0.1"},	  {29.28603785714286, "29.28603785714286"}, {1e300, "1e+300"},
		     {0.1 + 0.2, "0.30000000000000004"}, {NAN, "null"},		    {-INFINITY, "null"},
		     {0, "0"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_buf b = {0};
		tf_buf_json_double(&b, cases[i].value);
		assert_string_equal(b.data, cases[i].text);
		tf_buf_release(&b);
	}
}

static void whole_numbers_only(void **state)
{
	(void)state;
	int64_t v;
	double d;
	assert_true(tf_parse_i64("-9223372036854775808", &v) && v == INT64_MIN);
	assert_false(tf_parse_i64("9223372036854775808", &v));
	assert_false(tf_parse_i64("12x", &v));
	assert_false(tf_parse_i64("", &v));
	assert_false(tf_parse_i64(" 1", &v));
	assert_true(tf_parse_double("1.5e3", &d) && d == 1500);
	assert_false(tf_parse_double("nan", &d));
	assert_false(tf_parse_double("inf", &d));
	assert_false(tf_parse_double("0x10", &d));
	assert_false(tf_parse_double("1.5 ", &d));
}

static void quantities_have_units(void **state)
{
	(void)state;
	struct tf_error err = {0};
	double v;
	assert_int_equal(tf_parse_quantity("5%", TF_UNIT_RATIO, &v, &err), 0);
	assert_true(v == 0.05);
	assert_int_equal(tf_parse_quantity("1.5s", TF_UNIT_MS, &v, &err), 0);
	assert_true(v == 1500);
	assert_int_equal(tf_parse_quantity("512MiB", TF_UNIT_BYTES, &v, &err), 0);
	assert_true(v == 512.0 * 1048576);
	assert_int_equal(tf_parse_quantity("512M", TF_UNIT_BYTES, &v, &err), 0);
	assert_true(v == 512.0 * 1048576);
	static const struct {
		const char *text;
		enum tf_unit unit;
	} bad[] = {{"5%x", TF_UNIT_RATIO}, {"5%", TF_UNIT_MS}, {"nan", TF_UNIT_MS}, {"", TF_UNIT_NONE},
		   {"20ms", TF_UNIT_BYTES}, {"inf", TF_UNIT_NONE}, {"1e999", TF_UNIT_NONE}};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(tf_parse_quantity(bad[i].text, bad[i].unit, &v, &err), -1);
		assert_int_equal(err.code, TF_EUSAGE);
	}
}

static void distances_count_edits(void **state)
{
	(void)state;
	assert_int_equal(tf_text_distance("report", "report", 3), 0);
	assert_int_equal(tf_text_distance("reprot", "report", 3), 1); /* swapped neighbours */
	assert_int_equal(tf_text_distance("repot", "report", 3), 1);
	assert_int_equal(tf_text_distance("kitten", "sitting", 5), 3);
	assert_int_equal(tf_text_distance("kitten", "sitting", 2), 3); /* limit + 1 */
}

static void globs_match_whole_names(void **state)
{
	(void)state;
	assert_true(tf_glob_match("*", ""));
	assert_true(tf_glob_match("run*/2026*", "run1/2026_12"));
	assert_true(tf_glob_match("*.pb", "a/b.pb"));
	assert_false(tf_glob_match("*.pb", "a/b.pbx"));
	assert_true(tf_glob_match("l[a-c]g?", "lbgs"));
	assert_true(tf_glob_match("l[!a-c]g", "lxg"));
	assert_false(tf_glob_match("l[!a-c]g", "lag"));
	assert_true(tf_glob_match("bs=[16, 16]", "bs=1"));
	assert_true(tf_glob_match("[", "["));
	assert_true(tf_glob_match("a*b*c", "a__b__b_c"));
	assert_false(tf_glob_match("a*b*c", "a__b__b_"));
}

static void decimals_of_any_number(void **state)
{
	static const int64_t numbers[] = {0, 7, -7, 10, 1234567890123456789, INT64_MAX, INT64_MIN};
	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		struct tf_buf b = {0};
		char want[32];
		snprintf(want, sizeof want, "%lld", (long long)numbers[i]);
		tf_buf_i64(&b, numbers[i]);
		assert_string_equal(b.data, want);
		tf_buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_gain_context_and_stay_one_line),
		cmocka_unit_test(an_overlong_error_is_cut),
		cmocka_unit_test(every_code_has_a_status),
		cmocka_unit_test(arena_pieces_are_zeroed_aligned_and_limited),
		cmocka_unit_test(arena_push_keeps_what_was_there),
		cmocka_unit_test(strings_are_interned_once),
		cmocka_unit_test(strings_with_nul_bytes_differ),
		cmocka_unit_test(map_agrees_with_an_array),
		cmocka_unit_test(vec_refuses_sizes_that_overflow),
		cmocka_unit_test(bad_utf8_is_repaired_byte_by_byte),
		cmocka_unit_test(json_strings_are_escaped),
		cmocka_unit_test(doubles_print_shortest),
		cmocka_unit_test(whole_numbers_only),
		cmocka_unit_test(quantities_have_units),
		cmocka_unit_test(distances_count_edits),
		cmocka_unit_test(globs_match_whole_names),
		cmocka_unit_test(decimals_of_any_number),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
