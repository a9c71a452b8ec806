/* The JSON writer: strict, exact, in order. */
#include "lib/render/json_writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/trace/trace.h"

/* Ends the document and compares it, its newline included. */
static void expect(struct tf_json *j, const char *want)
{
	char *out = NULL;
	size_t len = 0;
	struct tf_error err = {0};
	FILE *to = open_memstream(&out, &len);

	assert_non_null(to);
	assert_int_equal(tf_json_finish(j, to, &err), 0);
	fclose(to);
	assert_string_equal(out, want);
	free(out);
}

static void members_stand_in_the_order_given(void **state)
{
	(void)state;
	struct tf_json j = {0};
	tf_json_object(&j, NULL);
	tf_json_text(&j, "z", "1");
	tf_json_i64(&j, "a", 2);
	tf_json_bool(&j, "m", true);
	tf_json_bool(&j, "n", false);
	tf_json_object_end(&j);
	expect(&j, "{\"z\":\"1\",\"a\":2,\"m\":true,\"n\":false}\n");
}

static void lists_and_objects_nest(void **state)
{
	(void)state;
	struct tf_json j = {0};
	tf_json_object(&j, NULL);
	tf_json_list(&j, "l");
	tf_json_object(&j, NULL);
	tf_json_object_end(&j);
	tf_json_list(&j, NULL);
	tf_json_i64(&j, NULL, 1);
	tf_json_i64(&j, NULL, 2);
	tf_json_list_end(&j);
	tf_json_list_end(&j);
	tf_json_object(&j, "o");
	tf_json_object_end(&j);
	tf_json_i64(&j, "after", 3);
	tf_json_object_end(&j);
	expect(&j, "{\"l\":[{},[1,2]],\"o\":{},\"after\":3}\n");
}

static void what_is_unknown_is_null(void **state)
{
	(void)state;
	struct tf_json j = {0};
	tf_json_list(&j, NULL);
	tf_json_text(&j, NULL, NULL);
	tf_json_i64(&j, NULL, TF_NONE);
	tf_json_double(&j, NULL, (double)NAN);
	tf_json_double(&j, NULL, (double)INFINITY);
	tf_json_double(&j, NULL, -(double)INFINITY);
	tf_json_ms(&j, NULL, TF_NONE);
	tf_json_us(&j, NULL, TF_NONE);
	tf_json_list_end(&j);
	expect(&j, "[null,null,null,null,null,null,null]\n");
}

static void integers_are_exact(void **state)
{
	(void)state;
	struct tf_json j = {0};
	tf_json_list(&j, NULL);
	tf_json_i64(&j, NULL, INT64_MAX);
	tf_json_i64(&j, NULL, INT64_MIN + 1);
	tf_json_integer(&j, NULL, INT64_MIN);
	tf_json_i64(&j, NULL, 0);
	tf_json_list_end(&j);
	expect(&j, "[9223372036854775807,-9223372036854775807,-9223372036854775808,0]\n");
}

static void text_is_escaped(void **state)
{
	(void)state;
	struct tf_json j = {0};
	tf_json_object(&j, NULL);
	tf_json_text(&j, "k\"", "\"\\\b\f\n\r\t\001/");
	tf_json_object_end(&j);
	expect(&j, "{\"k\\\"\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001/\"}\n");
}

static void bad_utf8_becomes_the_replacement_character(void **state)
{
	(void)state;
	struct tf_json j = {0};
	tf_json_text(&j, NULL, "a\xff\xc3\xa4\xed\xa0\x80z"); /* a stray byte, ä, and a surrogate of three bytes */
	expect(&j, "\"a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"\n");
}

static void times_are_converted(void **state)
{
	(void)state;
	struct tf_json j = {0};
	tf_json_list(&j, NULL);
	tf_json_ms(&j, NULL, 1500000000);	    /* 1.5 ms */
	tf_json_ms(&j, NULL, 1);		    /* 1 ps */
	tf_json_ms(&j, NULL, 0);
	tf_json_ms(&j, NULL, 20000000000);	    /* 20 ms: its zeros stay */
	tf_json_ms(&j, NULL, -2500000000);
	tf_json_us(&j, NULL, 2500000);		    /* 2.5 us */
	tf_json_list_end(&j);
	expect(&j, "[1.5,0.000000001,0,20,-2.5,2.5]\n");
}

/* Whatever path writes them, milliseconds read back as the quotient. */
static void milliseconds_read_back_as_the_quotient(void **state)
{
	(void)state;
	static const int64_t ps[] = {1, 7, 999999999, 1000000001, 123456789012345, 999999999999999,
				     1000000000000001, 29286037857142, INT64_MAX};
	for (size_t i = 0; i < sizeof ps / sizeof ps[0]; i++) {
		struct tf_json j = {0};
		tf_json_ms(&j, NULL, ps[i]);
		assert_true(strtod(j.buf.data, NULL) == (double)ps[i] / 1e9);
		tf_buf_release(&j.buf);
	}
}

static void doubles_read_back_the_same(void **state)
{
	(void)state;
	static const double values[] = {0.1, 1.0 / 3, 1e300, 5e-324, 29.28603785714286, 0.5781794394645672, -0.0, 1e15, 123456789.125};
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		struct tf_json j = {0};
		tf_json_double(&j, NULL, values[i]);
		assert_true(strtod(j.buf.data, NULL) == values[i]);
		tf_buf_release(&j.buf);
	}
}

static void a_full_disk_is_a_system_error(void **state)
{
	(void)state;
	struct tf_json j = {0};
	struct tf_error err = {0};
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		skip();
	tf_json_i64(&j, NULL, 1);
	assert_int_equal(tf_json_finish(&j, full, &err), -1);
	assert_int_equal(err.code, TF_ESYSTEM);
	assert_null(j.buf.data);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_stand_in_the_order_given),
		cmocka_unit_test(lists_and_objects_nest),
		cmocka_unit_test(what_is_unknown_is_null),
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(text_is_escaped),
		cmocka_unit_test(bad_utf8_becomes_the_replacement_character),
		cmocka_unit_test(times_are_converted),
		cmocka_unit_test(milliseconds_read_back_as_the_quotient),
		cmocka_unit_test(doubles_read_back_the_same),
		cmocka_unit_test(a_full_disk_is_a_system_error),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
