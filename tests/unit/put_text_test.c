/* Text of files on its way to a terminal. */
#include "lib/render/put_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What tf_put_text() writes; it returns as many bytes. Heap. */
static char *written(const char *text, size_t width)
{
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);

	assert_non_null(to);
	size_t told = tf_put_text(to, text, width);
	fclose(to);
	assert_int_equal(told, len);
	return out;
}

static void expect(const char *text, size_t width, const char *want)
{
	char *got = written(text, width);
	assert_string_equal(got, want);
	free(got);
}

static void plain_text_stays(void **state)
{
	(void)state;
	expect("MatMul", 6, "MatMul");
	expect("Größe", SIZE_MAX, "Größe");
	expect("", 10, "");
	expect(NULL, 10, "-");
}

static void escape_sequences_reach_no_terminal(void **state)
{
	(void)state;
	expect("a\033[2Jb\nc\177", SIZE_MAX, "a?[2Jb?c?");
	expect("a\xc2\x9b" "31mb", SIZE_MAX, "a??31mb"); /* U+009B begins a sequence on some terminals */
	expect("a\xe2\x80\xae" "b\xe2\x81\xa9", SIZE_MAX, "a???b???"); /* U+202E turns what follows, U+2069 ends such a turn */
	expect("\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8", SIZE_MAX, "????????"); /* U+061C, U+200F; U+2028 is a line's end */
	expect("\xe2\x80\x93\xe2\x81\xb0", SIZE_MAX, "\xe2\x80\x93\xe2\x81\xb0"); /* U+2013 and U+2070 are seen */
	expect("\xc2\xa0", SIZE_MAX, "\xc2\xa0");	      /* U+00A0 is a space */
}

static void long_text_is_cut_in_the_middle(void **state)
{
	(void)state;
	expect("0123456789", 7, "01...89");
	expect("0123456789", 8, "01...789");
	expect("0123456789", 4, "...9");
}

/* ä is two bytes: a cut inside one leaves it out. */
static void no_character_is_cut_in_two(void **state)
{
	(void)state;
	expect("0ä23456789", 7, "0...89");
	expect("01234567ä9", 7, "01...9");
}

static void padding_fills_the_width(void **state)
{
	(void)state;
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);

	tf_put_padded(to, "ab", 5);
	tf_put_padded(to, "0ä23456789", 7);
	fclose(to);
	assert_string_equal(out, "ab   0...89 ");
	free(out);
}

static void text_is_made_printable_in_place(void **state)
{
	(void)state;
	char text[] = "\t\xc2\x85x\xc2";
	tf_make_printable(text, strlen(text));
	assert_string_equal(text, "???x\xc2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(escape_sequences_reach_no_terminal),
		cmocka_unit_test(long_text_is_cut_in_the_middle),
		cmocka_unit_test(no_character_is_cut_in_two),
		cmocka_unit_test(padding_fills_the_width),
		cmocka_unit_test(text_is_made_printable_in_place),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
