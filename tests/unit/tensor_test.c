/* TensorProto: every numeric dtype in every encoding, shapes, repetition, strings, and tensors that are not whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "lib/decode/tensor.h"
#include "tests/unit/support_proto.h"

enum { CONTENT = 4, FLOAT_VAL = 5, DOUBLE_VAL = 6, INT_VAL = 7, STRING_VAL = 8, INT64_VAL = 10, BOOL_VAL = 11, HALF_VAL = 13,
       UINT32_VAL = 16, UINT64_VAL = 17 };
enum { FLOAT = 1, DOUBLE = 2, INT32 = 3, UINT8 = 4, INT16 = 5, INT8 = 6, STRING = 7, COMPLEX64 = 8, INT64 = 9, BOOL = 10,
       BFLOAT16 = 14, UINT16 = 17, COMPLEX128 = 18, HALF = 19, UINT32 = 22, UINT64 = 23 };

struct decoded {
	struct tf_tensor t;
	struct tf_arena arena;
	struct tf_error err;
	struct tf_buf message;
	int rc;
};

/* A tensor of this dtype and shape; `rank` -1: none is written. */
static struct tf_buf tensor(int dtype, int rank, const int64_t *sizes)
{
	struct tf_buf b = {0}, shape = {0};

	pb_varint(&b, 1, (uint64_t)dtype);
	for (int i = 0; i < rank; i++) {
		struct tf_buf dim = {0};
		pb_varint(&dim, 1, (uint64_t)sizes[i]);
		pb_message(&shape, 2, &dim);
	}
	if (rank >= 0)
		pb_bytes(&b, 2, shape.data ? shape.data : "", shape.len);
	tf_buf_release(&shape);
	return b;
}

/* As above for one dimension. */
static struct tf_buf vector(int dtype, int64_t size)
{
	return tensor(dtype, 1, &size);
}

static struct decoded decode(struct tf_buf message)
{
	struct decoded d = {.message = message};

	d.rc = tf_decode_tensor(pb_view(&message), &d.arena, &d.t, &d.err);
	return d;
}

static void release(struct decoded *d)
{
	tf_arena_release(&d->arena);
	tf_buf_release(&d->message);
}

static void put_packed(struct tf_buf *b, uint32_t field, const uint64_t *values, size_t n)
{
	struct tf_buf run = {0};

	for (size_t i = 0; i < n; i++) {
		uint64_t v = values[i];
		for (; v >= 0x80; v >>= 7)
			tf_buf_char(&run, (char)(v | 0x80));
		tf_buf_char(&run, (char)v);
	}
	pb_bytes(b, field, run.data, run.len);
	tf_buf_release(&run);
}

/* The tensor decodes to two numbers, and is released. */
static void gives(struct tf_buf message, const char *dtype, double first, double second)
{
	struct decoded d = decode(message);

	assert_int_equal(d.rc, 0);
	assert_string_equal(d.t.dtype_name, dtype);
	assert_false(d.t.is_text);
	assert_int_equal(d.t.count, 2);
	assert_true(d.t.numbers[0] == first);
	assert_true(d.t.numbers[1] == second);
	release(&d);
}

static void refused(struct tf_buf message)
{
	struct decoded d = decode(message);

	assert_int_equal(d.rc, -1);
	assert_int_equal(d.err.code, TF_EFORMAT);
	release(&d);
}

/* Two numbers of each dtype, in the bytes of tensor_content: little-endian elements, one after the other. */
static void content_of_every_dtype(void **state)
{
	(void)state;
	static const struct {
		int dtype;
		const char *name, *bytes;
		size_t len;
		double first, second;
	} cases[] = {
		{FLOAT, "float", "\0\0\xc0\x3f\0\0\0\xc0", 8, 1.5, -2},
		{DOUBLE, "double", "\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\xc0", 16, 1.5, -2},
		{INT8, "int8", "\x7f\x80", 2, 127, -128},
		{UINT8, "uint8", "\x7f\xff", 2, 127, 255},
		{INT16, "int16", "\xff\x7f\x00\x80", 4, 32767, -32768},
		{UINT16, "uint16", "\x01\x00\xff\xff", 4, 1, 65535},
		{INT32, "int32", "\xff\xff\xff\x7f\0\0\0\x80", 8, 2147483647.0, -2147483648.0},
		{UINT32, "uint32", "\x02\0\0\0\xff\xff\xff\xff", 8, 2, 4294967295.0},
		{INT64, "int64", "\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80", 16, 3, -9223372036854775808.0},
		{UINT64, "uint64", "\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80", 16, 3, 9223372036854775808.0},
		{BOOL, "bool", "\0\1", 2, 0, 1},
		{HALF, "half", "\0\x3e\0\xc0", 4, 1.5, -2},
		{BFLOAT16, "bfloat16", "\xc0\x3f\0\xc0", 4, 1.5, -2},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_buf b = vector(cases[i].dtype, 2);
		pb_bytes(&b, CONTENT, cases[i].bytes, cases[i].len);
		gives(b, cases[i].name, cases[i].first, cases[i].second);
	}
}

/* Value fields of varints, packed as proto3 writes them and unpacked as proto2 did. */
static void varint_fields_packed_and_unpacked(void **state)
{
	(void)state;
	static const struct {
		int dtype;
		const char *name;
		uint32_t field;
		uint64_t values[2];
		double first, second;
	} cases[] = {
		{INT32, "int32", INT_VAL, {7, UINT64_MAX}, 7, -1},
		{INT16, "int16", INT_VAL, {7, UINT64_MAX - 1}, 7, -2},
		{INT8, "int8", INT_VAL, {7, UINT64_MAX - 2}, 7, -3},
		{UINT8, "uint8", INT_VAL, {7, 255}, 7, 255},
		{UINT16, "uint16", INT_VAL, {7, 65535}, 7, 65535},
		{INT64, "int64", INT64_VAL, {UINT64_C(1) << 53, UINT64_MAX}, 9007199254740992.0, -1},
		{BOOL, "bool", BOOL_VAL, {1, 0}, 1, 0},
		{HALF, "half", HALF_VAL, {0x3e00, 0xc000}, 1.5, -2},
		{BFLOAT16, "bfloat16", HALF_VAL, {0x3fc0, 0xc000}, 1.5, -2},
		{UINT32, "uint32", UINT32_VAL, {1, 4294967295u}, 1, 4294967295.0},
		{UINT64, "uint64", UINT64_VAL, {1, UINT64_C(1) << 63}, 1, 9223372036854775808.0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_buf packed = vector(cases[i].dtype, 2), plain = vector(cases[i].dtype, 2);
		put_packed(&packed, cases[i].field, cases[i].values, 2);
		pb_varint(&plain, cases[i].field, cases[i].values[0]);
		pb_varint(&plain, cases[i].field, cases[i].values[1]);
		gives(packed, cases[i].name, cases[i].first, cases[i].second);
		gives(plain, cases[i].name, cases[i].first, cases[i].second);
	}
}

static void fixed_fields_packed_and_unpacked(void **state)
{
	(void)state;
	static const float floats[] = {1.5f, -2};
	static const double doubles[] = {1.5, -2};
	struct tf_buf b = vector(FLOAT, 2);
	pb_bytes(&b, FLOAT_VAL, (const char *)floats, sizeof floats);
	gives(b, "float", 1.5, -2);
	b = vector(FLOAT, 2);
	pb_float(&b, FLOAT_VAL, 1.5f);
	pb_float(&b, FLOAT_VAL, -2);
	gives(b, "float", 1.5, -2);
	b = vector(DOUBLE, 2);
	pb_bytes(&b, DOUBLE_VAL, (const char *)doubles, sizeof doubles);
	gives(b, "double", 1.5, -2);
	b = vector(DOUBLE, 2);
	pb_double(&b, DOUBLE_VAL, 1.5);
	pb_double(&b, DOUBLE_VAL, -2);
	gives(b, "double", 1.5, -2);
}

static void runs_of_a_packed_field_are_joined(void **state)
{
	(void)state;
	static const uint64_t one[] = {1}, two[] = {2};
	struct tf_buf b = vector(INT64, 2);
	put_packed(&b, INT64_VAL, one, 1);
	put_packed(&b, INT64_VAL, two, 1);
	gives(b, "int64", 1, 2);
}

/* IEEE 754 binary16: sign, 5 bits of exponent with bias 15, 10 of fraction. */
static void halves_follow_their_definition(void **state)
{
	(void)state;
	static const struct {
		uint64_t bits;
		double value;
	} cases[] = {
		{0x0000, 0},
		{0x3c00, 1},
		{0xbc00, -1},
		{0x3c01, 1 + 1.0 / 1024},
		{0x7bff, 65504},			    /* the largest: (2 - 2^-10) · 2^15 */
		{0x0400, 1.0 / 16384},			    /* the smallest normal: 2^-14 */
		{0x0001, 1.0 / 16777216},		    /* the smallest: 2^-24 */
		{0x83ff, -1023.0 / 16777216},		    /* the largest subnormal, negative */
		{0x7c00, (double)INFINITY},
		{0xfc00, -(double)INFINITY},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_buf b = tensor(HALF, 0, NULL);
		pb_varint(&b, HALF_VAL, cases[i].bits);
		struct decoded d = decode(b);
		assert_int_equal(d.t.count, 1);
		assert_true(d.t.numbers[0] == cases[i].value);
		release(&d);
	}
}

static void nan_of_every_width_is_nan(void **state)
{
	(void)state;
	static const struct {
		int dtype;
		const char *bytes;
		size_t len;
	} cases[] = {{HALF, "\x01\x7c", 2}, {HALF, "\0\xfe", 2}, {BFLOAT16, "\xc0\x7f", 2}, {FLOAT, "\0\0\xc0\x7f", 4},
		     {DOUBLE, "\0\0\0\0\0\0\xf8\x7f", 8}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_buf b = tensor(cases[i].dtype, 0, NULL);
		pb_bytes(&b, CONTENT, cases[i].bytes, cases[i].len);
		struct decoded d = decode(b);
		assert_true(isnan(d.t.numbers[0]));
		release(&d);
	}
}

static void negative_zero_keeps_its_sign(void **state)
{
	(void)state;
	struct tf_buf b = tensor(HALF, 0, NULL);
	pb_varint(&b, HALF_VAL, 0x8000);
	struct decoded d = decode(b);
	assert_true(d.t.numbers[0] == 0 && signbit(d.t.numbers[0]));
	release(&d);
}

static void any_bool_but_zero_is_one(void **state)
{
	(void)state;
	struct tf_buf b = vector(BOOL, 2);
	pb_bytes(&b, CONTENT, "\xff\x02", 2);
	gives(b, "bool", 1, 1);
}

static void complex_and_other_dtypes_hold_no_numbers(void **state)
{
	(void)state;
	static const int dtypes[] = {0, COMPLEX64, COMPLEX128, 11 /* qint8 */, 20 /* resource */, 21 /* variant */, 101 /* ref */};
	for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
		struct tf_buf b = vector(dtypes[i], 1);
		pb_bytes(&b, CONTENT, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
		pb_float(&b, 9, 1); /* scomplex_val */
		struct decoded d = decode(b);
		assert_int_equal(d.rc, 0);
		assert_string_equal(d.t.dtype_name, "other");
		assert_int_equal(d.t.count, 0);
		assert_int_equal(d.t.content_bytes, 16);
		release(&d);
	}
}

static void the_shape_gives_rank_sizes_and_elements(void **state)
{
	(void)state;
	static const int64_t sizes[] = {2, 3, 4};
	struct decoded d = decode(tensor(FLOAT, 3, sizes));
	assert_int_equal(d.t.rank, 3);
	assert_memory_equal(d.t.dims, sizes, sizeof sizes);
	assert_int_equal(d.t.elements, 24);
	release(&d);
}

static void a_scalar_has_one_element_with_or_without_a_shape(void **state)
{
	(void)state;
	for (int rank = -1; rank <= 0; rank++) {
		struct decoded d = decode(tensor(FLOAT, rank, NULL));
		assert_int_equal(d.t.rank, 0);
		assert_int_equal(d.t.elements, 1);
		release(&d);
	}
}

static void a_size_of_zero_leaves_no_element(void **state)
{
	(void)state;
	static const int64_t sizes[] = {5, 0, 7};
	struct decoded d = decode(tensor(FLOAT, 3, sizes));
	assert_int_equal(d.rc, 0);
	assert_int_equal(d.t.elements, 0);
	assert_int_equal(d.t.count, 0);
	release(&d);
}

static void unknown_and_huge_shapes_have_no_number_of_elements(void **state)
{
	(void)state;
	static const int64_t cases[][2] = {
		{-1, 3},
		{3, -1},
		{INT64_C(1) << 32, INT64_C(1) << 31}, /* 2^63 */
		{INT64_MAX, 2},
		{INT64_C(1) << 62, INT64_C(1) << 62}, /* wraps to 0 */
		{INT64_MIN, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct decoded d = decode(tensor(FLOAT, 2, cases[i]));
		assert_int_equal(d.rc, 0);
		assert_int_equal(d.t.elements, -1);
		assert_int_equal(d.t.dims[0], cases[i][0]);
		release(&d);
	}
}

static void the_largest_number_of_elements_is_exact(void **state)
{
	(void)state;
	static const int64_t sizes[] = {INT64_MAX, 1};
	struct decoded d = decode(tensor(FLOAT, 2, sizes));
	assert_int_equal(d.t.elements, INT64_MAX);
	release(&d);
}

static void what_was_unknown_stays_so(void **state)
{
	(void)state;
	static const int64_t sizes[] = {-1, 0};
	struct decoded d = decode(tensor(FLOAT, 2, sizes));
	assert_int_equal(d.t.elements, -1);
	release(&d);
}

static void sixteen_dimensions_are_read_and_no_more(void **state)
{
	(void)state;
	int64_t sizes[17];
	for (size_t i = 0; i < 17; i++)
		sizes[i] = 1;
	struct decoded d = decode(tensor(FLOAT, 16, sizes));
	assert_int_equal(d.rc, 0);
	assert_int_equal(d.t.rank, 16);
	release(&d);
	refused(tensor(FLOAT, 17, sizes));
}

static void a_short_list_repeats_its_last_value(void **state)
{
	(void)state;
	static const uint64_t values[] = {4, 9};
	struct tf_buf b = vector(INT32, 1000000);
	put_packed(&b, INT_VAL, values, 2);
	struct decoded d = decode(b);
	assert_int_equal(d.rc, 0);
	assert_int_equal(d.t.elements, 1000000);
	assert_int_equal(d.t.count, 2); /* no memory for what is not written */
	assert_true(tf_tensor_number(&d.t, 0) == 4);
	assert_true(tf_tensor_number(&d.t, 1) == 9);
	assert_true(tf_tensor_number(&d.t, 999999) == 9);
	release(&d);
}

static void more_values_than_the_shape_holds_are_malformed(void **state)
{
	(void)state;
	static const uint64_t values[] = {1, 2, 3};
	struct tf_buf b = vector(INT32, 2);
	put_packed(&b, INT_VAL, values, 3);
	refused(b);
	b = vector(FLOAT, 1);
	pb_bytes(&b, CONTENT, "\0\0\0\0\0\0\0\0", 8);
	refused(b);
	b = vector(FLOAT, 0);
	pb_float(&b, FLOAT_VAL, 1);
	refused(b);
}

/* Only lists of values may be short: content that is cut must not be filled up with its last number. */
static void content_of_fewer_elements_is_malformed(void **state)
{
	(void)state;
	struct tf_buf b = vector(FLOAT, 3);
	pb_bytes(&b, CONTENT, "\0\0\x80\x3f\0\0\0\x40", 8);
	refused(b);
}

static void an_unknown_shape_takes_any_number_of_values(void **state)
{
	(void)state;
	struct tf_buf b = vector(FLOAT, -1);
	pb_bytes(&b, CONTENT, "\0\0\xc0\x3f\0\0\0\xc0", 8);
	gives(b, "float", 1.5, -2);
}

static void half_an_element_is_malformed(void **state)
{
	(void)state;
	for (size_t len = 1; len < 8; len++) {
		struct tf_buf content = vector(DOUBLE, -1), values = vector(DOUBLE, -1);
		pb_bytes(&content, CONTENT, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 8 + len);
		pb_bytes(&values, DOUBLE_VAL, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 8 + len);
		refused(content);
		refused(values);
	}
}

static void a_cut_varint_in_a_packed_run_is_malformed(void **state)
{
	(void)state;
	struct tf_buf b = vector(INT32, 2);
	pb_bytes(&b, INT_VAL, "\x01\x80", 2);
	refused(b);
}

static void values_in_the_field_of_another_dtype_do_not_count(void **state)
{
	(void)state;
	struct tf_buf b = vector(FLOAT, 2);
	pb_varint(&b, INT_VAL, 3);
	pb_double(&b, DOUBLE_VAL, 3);
	pb_varint(&b, BOOL_VAL, 1);
	pb_float(&b, FLOAT_VAL, 1.5f);
	pb_float(&b, FLOAT_VAL, -2);
	gives(b, "float", 1.5, -2);
}

static void values_of_a_wrong_wire_type_do_not_count(void **state)
{
	(void)state;
	struct tf_buf b = vector(FLOAT, 2);
	pb_varint(&b, FLOAT_VAL, 3); /* protobuf: an unknown field */
	pb_double(&b, FLOAT_VAL, 3);
	pb_float(&b, FLOAT_VAL, 1.5f);
	pb_float(&b, FLOAT_VAL, -2);
	gives(b, "float", 1.5, -2);
	b = vector(INT32, 2);
	pb_float(&b, INT_VAL, 3);
	pb_varint(&b, INT_VAL, 4);
	pb_varint(&b, INT_VAL, 5);
	gives(b, "int32", 4, 5);
}

static void dtype_and_shape_may_come_last(void **state)
{
	(void)state;
	struct tf_buf b = {0}, dim = {0}, shape = {0};
	pb_float(&b, FLOAT_VAL, 1.5f);
	pb_float(&b, FLOAT_VAL, -2);
	pb_varint(&dim, 1, 2);
	pb_message(&shape, 2, &dim);
	pb_message(&b, 2, &shape);
	pb_varint(&b, 1, FLOAT);
	gives(b, "float", 1.5, -2);
}

static void names_of_dimensions_are_passed_over(void **state)
{
	(void)state;
	struct tf_buf b = {0}, dim = {0}, shape = {0};
	pb_varint(&b, 1, FLOAT);
	pb_text(&dim, 2, "batch");
	pb_varint(&dim, 1, 6);
	pb_message(&shape, 2, &dim);
	pb_message(&b, 2, &shape);
	struct decoded d = decode(b);
	assert_int_equal(d.t.dims[0], 6);
	release(&d);
}

static void strings_are_borrowed_bytes(void **state)
{
	(void)state;
	struct tf_buf b = vector(STRING, 3);
	pb_text(&b, STRING_VAL, "one");
	pb_bytes(&b, STRING_VAL, "t\0o\xff", 4);
	pb_text(&b, STRING_VAL, "");
	struct decoded d = decode(b);
	assert_true(d.t.is_text);
	assert_string_equal(d.t.dtype_name, "string");
	assert_int_equal(d.t.count, 3);
	assert_true(tf_bytes_equal(d.t.texts[0], tf_bytes_of("one")));
	assert_true(tf_bytes_equal(d.t.texts[1], (struct tf_bytes){(const uint8_t *)"t\0o\xff", 4}));
	assert_int_equal(d.t.texts[2].len, 0);
	assert_true(d.t.texts[0].data > (const uint8_t *)d.message.data
		    && d.t.texts[0].data < (const uint8_t *)d.message.data + d.message.len);
	assert_int_equal(d.t.content_bytes, 7);
	release(&d);
}

static void a_string_tensor_has_no_numbers(void **state)
{
	(void)state;
	struct tf_buf b = vector(STRING, 1);
	pb_bytes(&b, CONTENT, "\0\0\0\0", 4);
	pb_varint(&b, INT_VAL, 1);
	struct decoded d = decode(b);
	assert_int_equal(d.rc, 0);
	assert_int_equal(d.t.count, 0);
	release(&d);
}

static void a_tensor_cut_at_any_byte_is_whole_fields_or_malformed(void **state)
{
	(void)state;
	struct tf_buf b = vector(FLOAT, 2);
	const size_t head = b.len; /* 2 bytes dtype, then the shape */
	pb_bytes(&b, FLOAT_VAL, "\0\0\xc0\x3f\0\0\0\xc0", 8);
	for (size_t len = 0; len < b.len; len++) {
		struct tf_buf cut = {.data = malloc(len ? len : 1), .len = len};
		memcpy(cut.data, b.data, len);
		struct decoded d = decode(cut);
		assert_int_equal(d.rc, len == 0 || len == 2 || len == head ? 0 : -1);
		release(&d);
	}
	tf_buf_release(&b);
}

static void an_arena_that_is_full_says_so(void **state)
{
	(void)state;
	struct tf_buf b = vector(INT64, 100000);
	for (int i = 0; i < 1000; i++)
		pb_varint(&b, INT64_VAL, 1);
	struct tf_arena small = {.limit_bytes = 1024};
	struct tf_tensor t;
	struct tf_error err = {0};
	assert_int_equal(tf_decode_tensor(pb_view(&b), &small, &t, &err), -1);
	assert_int_equal(err.code, TF_ENOMEM);
	tf_arena_release(&small);
	tf_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_of_every_dtype),
		cmocka_unit_test(varint_fields_packed_and_unpacked),
		cmocka_unit_test(fixed_fields_packed_and_unpacked),
		cmocka_unit_test(runs_of_a_packed_field_are_joined),
		cmocka_unit_test(halves_follow_their_definition),
		cmocka_unit_test(nan_of_every_width_is_nan),
		cmocka_unit_test(negative_zero_keeps_its_sign),
		cmocka_unit_test(any_bool_but_zero_is_one),
		cmocka_unit_test(complex_and_other_dtypes_hold_no_numbers),
		cmocka_unit_test(the_shape_gives_rank_sizes_and_elements),
		cmocka_unit_test(a_scalar_has_one_element_with_or_without_a_shape),
		cmocka_unit_test(a_size_of_zero_leaves_no_element),
		cmocka_unit_test(unknown_and_huge_shapes_have_no_number_of_elements),
		cmocka_unit_test(the_largest_number_of_elements_is_exact),
		cmocka_unit_test(what_was_unknown_stays_so),
		cmocka_unit_test(sixteen_dimensions_are_read_and_no_more),
		cmocka_unit_test(a_short_list_repeats_its_last_value),
		cmocka_unit_test(more_values_than_the_shape_holds_are_malformed),
		cmocka_unit_test(content_of_fewer_elements_is_malformed),
		cmocka_unit_test(an_unknown_shape_takes_any_number_of_values),
		cmocka_unit_test(half_an_element_is_malformed),
		cmocka_unit_test(a_cut_varint_in_a_packed_run_is_malformed),
		cmocka_unit_test(values_in_the_field_of_another_dtype_do_not_count),
		cmocka_unit_test(values_of_a_wrong_wire_type_do_not_count),
		cmocka_unit_test(dtype_and_shape_may_come_last),
		cmocka_unit_test(names_of_dimensions_are_passed_over),
		cmocka_unit_test(strings_are_borrowed_bytes),
		cmocka_unit_test(a_string_tensor_has_no_numbers),
		cmocka_unit_test(a_tensor_cut_at_any_byte_is_whole_fields_or_malformed),
		cmocka_unit_test(an_arena_that_is_full_says_so),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
