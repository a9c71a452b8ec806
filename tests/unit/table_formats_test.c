/* Rows of a query in the formats of `query` and `ls`. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/render/render.h"

#define INTEGER(v) {.kind = TF_CELL_INTEGER, .integer = (v)}
#define REAL(v) {.kind = TF_CELL_REAL, .real = (v)}
#define TEXT(s) {.kind = TF_CELL_TEXT, .bytes = {(const uint8_t *)(s), sizeof(s) - 1}}
#define BLOB(s) {.kind = TF_CELL_BLOB, .bytes = {(const uint8_t *)(s), sizeof(s) - 1}}
#define NOTHING {.kind = TF_CELL_NULL}

/* The rows (columns cells each) in a format. Heap. */
static char *rendered(const char *format, const char *const *names, size_t columns, const struct tf_cell *cells, size_t rows)
{
	const struct tf_table_format *f = tf_table_format_find(format);
	struct tf_row_receiver to;
	struct tf_error err = {0};
	char *out = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&out, &len);

	assert_non_null(f);
	assert_non_null(file);
	assert_int_equal(f->begin(file, &to, &err), 0);
	assert_int_equal(to.columns(to.ctx, names, columns, &err), 0);
	for (size_t i = 0; i < rows; i++)
		assert_int_equal(to.row(to.ctx, cells + i * columns, columns, &err), 0);
	assert_int_equal(f->end(&to, &err), 0);
	fclose(file);
	return out;
}

static void expect(const char *format, const char *const *names, size_t columns, const struct tf_cell *cells, size_t rows,
		   const char *want)
{
	char *got = rendered(format, names, columns, cells, rows);
	assert_string_equal(got, want);
	free(got);
}

static const char *const one[] = {"a"};
static const char *const two[] = {"a", "b"};

static void an_unknown_format_is_not_found(void **state)
{
	(void)state;
	assert_null(tf_table_format_find("xml"));
	assert_null(tf_table_format_find(""));
}

static void a_table_is_aligned_numbers_to_the_right(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {TEXT("x"), INTEGER(5), TEXT("long"), INTEGER(1000)};
	expect("table", two, 2, cells, 2, "a        b\nx        5\nlong  1000\n");
}

static void a_table_counts_characters_not_bytes(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {TEXT("äöü"), TEXT("y"), TEXT("abcd"), TEXT("z")};
	expect("table", two, 2, cells, 2, "a     b\näöü   y\nabcd  z\n");
}

static void a_table_without_rows_has_its_head(void **state)
{
	(void)state;
	expect("table", two, 2, NULL, 0, "a  b\n");
}

static void a_table_cuts_wide_cells(void **state)
{
	(void)state;
	char wide[71], want[80];
	memset(wide, 'x', 70);
	wide[70] = '\0';
	struct tf_cell cell = {.kind = TF_CELL_TEXT, .bytes = {(const uint8_t *)wide, 70}};
	snprintf(want, sizeof want, "a\n%.60s…\n", wide);
	expect("table", one, 1, &cell, 1, want);
}

static void text_may_hold_nul(void **state)
{
	(void)state;
	static const struct tf_cell cell = TEXT("x\0y");
	expect("jsonl", one, 1, &cell, 1, "{\"a\":\"x\\u0000y\"}\n");
	expect("table", one, 1, &cell, 1, "a\nx?y\n");
}

static void a_row_of_tsv_is_one_line(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {TEXT("x\ty\nz\r\\"), NOTHING};
	expect("tsv", two, 2, cells, 1, "a\tb\nx\\ty\\nz\\r\\\\\t\n");
}

static void no_control_character_reaches_a_terminal(void **state)
{
	(void)state;
	static const struct tf_cell cell = TEXT("x\033[2J\ny\t\xc2\x9bz");
	expect("table", one, 1, &cell, 1, "a\nx?[2J?y???z\n");
	expect("md", one, 1, &cell, 1, "| a |\n|---|\n| x?[2J?y???z |\n");
}

static void people_read_six_decimals(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {REAL(29.28603785714286), REAL(21), REAL(1e-9), REAL(1764558230.125), REAL(-0.5)};
	expect("table", one, 1, cells, 5, "                a\n        29.286038\n               21\n            1e-09\n"
					  "1764558230.125000\n        -0.500000\n");
}

static void programs_read_exact_reals(void **state)
{
	(void)state;
	static const struct tf_cell cell = REAL(29.28603785714286);
	expect("csv", one, 1, &cell, 1, "a\r\n29.28603785714286\r\n");
	expect("jsonl", one, 1, &cell, 1, "{\"a\":29.28603785714286}\n");
}

/* RFC 4180: lines end in CR LF; quotes, commas and line ends are quoted, quotes doubled. */
static void csv_quotes_what_must_be(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {TEXT("x,y"), TEXT("say \"hi\""), TEXT("l1\nl2"), TEXT("plain")};
	expect("csv", two, 2, cells, 2, "a,b\r\n\"x,y\",\"say \"\"hi\"\"\"\r\n\"l1\nl2\",plain\r\n");
}

static void csv_leaves_null_empty(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {NOTHING, INTEGER(-1)};
	expect("csv", two, 2, cells, 1, "a,b\r\n,-1\r\n");
}

static void json_is_an_array_of_objects(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {INTEGER(INT64_MAX), NOTHING, TEXT("q\""), REAL(0.5)};
	expect("json", two, 2, cells, 2, "[\n{\"a\":9223372036854775807,\"b\":null},\n{\"a\":\"q\\\"\",\"b\":0.5}\n]\n");
}

static void json_without_rows_is_an_empty_array(void **state)
{
	(void)state;
	char *got = rendered("json", one, 1, NULL, 0);
	size_t brackets = 0;
	for (const char *p = got; *p; p++) {
		assert_non_null(strchr("[]\n ", *p));
		brackets += *p == '[' || *p == ']';
	}
	assert_int_equal(brackets, 2);
	free(got);
}

/* RFC 4648: "f", "fo", "foo" are Zg==, Zm8=, Zm9v. */
static void blobs_are_base64(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {BLOB("f"), BLOB("fo"), BLOB("foo"), BLOB("")};
	expect("jsonl", one, 1, cells, 4, "{\"a\":\"Zg==\"}\n{\"a\":\"Zm8=\"}\n{\"a\":\"Zm9v\"}\n{\"a\":\"\"}\n");
}

static void infinities_are_strings_in_json(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {REAL(INFINITY), REAL(-INFINITY)};
	expect("jsonl", one, 1, cells, 2, "{\"a\":\"Infinity\"}\n{\"a\":\"-Infinity\"}\n");
}

static void markdown_escapes_its_bars(void **state)
{
	(void)state;
	static const struct tf_cell cells[] = {TEXT("x|y"), NOTHING};
	expect("md", two, 2, cells, 1, "| a | b |\n|---|---|\n| x\\|y |  |\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_format_is_not_found),
		cmocka_unit_test(a_table_is_aligned_numbers_to_the_right),
		cmocka_unit_test(a_table_counts_characters_not_bytes),
		cmocka_unit_test(a_table_without_rows_has_its_head),
		cmocka_unit_test(a_table_cuts_wide_cells),
		cmocka_unit_test(text_may_hold_nul),
		cmocka_unit_test(a_row_of_tsv_is_one_line),
		cmocka_unit_test(no_control_character_reaches_a_terminal),
		cmocka_unit_test(people_read_six_decimals),
		cmocka_unit_test(programs_read_exact_reals),
		cmocka_unit_test(csv_quotes_what_must_be),
		cmocka_unit_test(csv_leaves_null_empty),
		cmocka_unit_test(json_is_an_array_of_objects),
		cmocka_unit_test(json_without_rows_is_an_empty_array),
		cmocka_unit_test(blobs_are_base64),
		cmocka_unit_test(infinities_are_strings_in_json),
		cmocka_unit_test(markdown_escapes_its_bars),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
