/* The protobuf wire format: varints, keys, lengths, fixed values, and what ends a message early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "lib/decode/wire.h"
#include "tests/unit/support_proto.h"

/* The bytes of a literal. */
#define BYTES(text) ((struct tf_bytes){(const uint8_t *)(text), sizeof(text) - 1})

/* A copy in a block of just its size: a read beyond the end is seen. */
static struct tf_bytes tight(struct tf_bytes b, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, b.data, len);
	return (struct tf_bytes){copy, len};
}

/* `value` in as many bytes as given: with more than it needs, the encoding is overlong. */
static size_t encode(uint8_t *to, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++, value >>= 7)
		to[i] = (uint8_t)((value & 0x7f) | (i + 1 < bytes ? 0x80 : 0));
	assert_int_equal(value, 0);
	return bytes;
}

/* Bytes that a varint needs: seven bits each. */
static size_t bytes_of(uint64_t value)
{
	size_t n = 1;

	for (; value >= 0x80; value >>= 7)
		n++;
	return n;
}

/* What the only field of the message makes of the reader. */
static enum tf_wire_fault fault_of(struct tf_bytes message)
{
	struct tf_bytes copy = tight(message, message.len);
	struct tf_wire w = tf_wire_of(copy);
	struct tf_field f;

	assert_false(tf_wire_next(&w, &f));
	assert_ptr_equal(w.p, copy.data); /* where the field began */
	free((void *)(uintptr_t)copy.data);
	return w.fault;
}

static void varints_of_every_length(void **state)
{
	(void)state;
	/* The smallest and the largest value of each length from 1 to 10 bytes. */
	for (size_t n = 1; n <= 10; n++) {
		const uint64_t least = n == 1 ? 0 : UINT64_C(1) << 7 * (n - 1);
		const uint64_t most = n == 10 ? UINT64_MAX : (UINT64_C(1) << 7 * n) - 1;
		for (int k = 0; k < 2; k++) {
			uint8_t raw[10];
			uint64_t want = k ? most : least, value;
			assert_int_equal(bytes_of(want), n);
			struct tf_bytes copy = tight((struct tf_bytes){raw, encode(raw, want, n)}, n);
			struct tf_wire w = tf_wire_of(copy);
			assert_true(tf_wire_varint(&w, &value));
			assert_true(value == want);
			assert_ptr_equal(w.p, w.end);
			free((void *)(uintptr_t)copy.data);
		}
	}
}

static void overlong_varints_mean_the_same(void **state)
{
	(void)state;
	/* Writers that reserve room for a length pad it so; protobuf accepts up to ten bytes. */
	for (size_t n = 1; n <= 10; n++) {
		uint8_t raw[10];
		uint64_t value;
		struct tf_wire w = tf_wire_of((struct tf_bytes){raw, encode(raw, 5, n)});
		assert_true(tf_wire_varint(&w, &value));
		assert_true(value == 5);
		assert_ptr_equal(w.p, w.end);
	}
}

static void a_varint_has_at_most_64_bits(void **state)
{
	(void)state;
	static const struct tf_bytes cases[] = {
		BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),     /* bit 64 */
		BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x81"),     /* a tenth byte that goes on */
		BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), /* eleven bytes, all zero bits */
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_wire w = tf_wire_of(cases[i]);
		uint64_t value;
		assert_false(tf_wire_varint(&w, &value));
		assert_int_equal(w.fault, TF_WIRE_VARINT_LONG);
	}
}

static void a_varint_cut_at_any_byte_is_truncated(void **state)
{
	(void)state;
	for (size_t n = 0; n < 10; n++) {
		struct tf_bytes copy = tight(BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), n);
		struct tf_wire w = tf_wire_of(copy);
		uint64_t value;
		assert_false(tf_wire_varint(&w, &value));
		assert_int_equal(w.fault, TF_WIRE_TRUNCATED);
		assert_ptr_equal(w.p, copy.data);
		free((void *)(uintptr_t)copy.data);
	}
}

/* A message with a field of each kind: varint 300, fixed64, bytes "abc", fixed32. 3 + 9 + 5 + 5 bytes. */
static const struct tf_bytes four = BYTES("\x08\xac\x02"
					  "\x11\x01\x02\x03\x04\x05\x06\x07\x08"
					  "\x1a\x03"
					  "abc"
					  "\x25\xf1\xf2\xf3\xf4");

static void fields_of_every_kind(void **state)
{
	(void)state;
	struct tf_wire w = tf_wire_of(four);
	struct tf_field f;
	assert_true(tf_wire_next(&w, &f));
	assert_true(f.number == 1 && f.type == TF_WIRE_VARINT && f.value == 300);
	assert_true(tf_wire_next(&w, &f));
	assert_true(f.number == 2 && f.type == TF_WIRE_FIXED64 && f.value == UINT64_C(0x0807060504030201));
	assert_true(tf_wire_next(&w, &f));
	assert_true(f.number == 3 && f.type == TF_WIRE_BYTES && tf_bytes_equal(f.bytes, tf_bytes_of("abc")));
	assert_ptr_equal(f.bytes.data, four.data + 14); /* nothing is copied */
	assert_true(tf_wire_next(&w, &f));
	assert_true(f.number == 4 && f.type == TF_WIRE_FIXED32 && f.value == 0xf4f3f2f1u);
	assert_false(tf_wire_next(&w, &f));
	assert_int_equal(w.fault, TF_WIRE_FINE);
}

static void a_message_cut_at_each_byte_ends_at_its_last_whole_field(void **state)
{
	(void)state;
	static const size_t ends[] = {0, 3, 12, 17, 22};
	for (size_t len = 0; len < four.len; len++) {
		struct tf_bytes copy = tight(four, len);
		struct tf_wire w = tf_wire_of(copy);
		struct tf_field f;
		size_t whole = 0, fields = 0;
		while (ends[whole + 1] <= len)
			whole++;
		while (tf_wire_next(&w, &f))
			fields++;
		assert_int_equal(fields, whole);
		assert_int_equal(w.fault, len == ends[whole] ? TF_WIRE_FINE : TF_WIRE_TRUNCATED);
		assert_ptr_equal(w.p, copy.data + ends[whole]);
		free((void *)(uintptr_t)copy.data);
	}
}

static void an_empty_message_has_no_field_and_no_fault(void **state)
{
	(void)state;
	const struct tf_bytes empty[] = {BYTES(""), {NULL, 0}};
	for (size_t i = 0; i < 2; i++) {
		struct tf_wire w = tf_wire_of(empty[i]);
		struct tf_field f;
		assert_false(tf_wire_next(&w, &f));
		assert_int_equal(w.fault, TF_WIRE_FINE);
	}
}

static void empty_bytes_are_a_field(void **state)
{
	(void)state;
	struct tf_wire w = tf_wire_of(BYTES("\x0a\x00"));
	struct tf_field f;
	assert_true(tf_wire_next(&w, &f));
	assert_int_equal(f.bytes.len, 0);
	assert_non_null(f.bytes.data);
	assert_false(tf_wire_next(&w, &f));
}

static void lengths_beyond_the_message_are_truncated(void **state)
{
	(void)state;
	/* One too many, and lengths that would wrap a pointer or a signed size. */
	static const uint64_t lengths[] = {4, UINT64_C(1) << 31, UINT64_C(1) << 32, (UINT64_C(1) << 63) - 1, UINT64_C(1) << 63,
					   UINT64_MAX - 2, UINT64_MAX};
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		uint8_t raw[16] = {0x0a};
		size_t n = 1 + encode(raw + 1, lengths[i], bytes_of(lengths[i]));
		memcpy(raw + n, "abc", 3);
		assert_int_equal(fault_of((struct tf_bytes){raw, n + 3}), TF_WIRE_TRUNCATED);
	}
}

static void groups_and_unknown_wire_types_are_refused(void **state)
{
	(void)state;
	for (uint8_t type = 0; type < 8; type++) {
		const uint8_t raw[] = {(uint8_t)(1 << 3 | type), 0, 0, 0, 0, 0, 0, 0, 0};
		struct tf_wire w = tf_wire_of((struct tf_bytes){raw, sizeof raw});
		struct tf_field f;
		bool known = type == 0 || type == 1 || type == 2 || type == 5;
		assert_int_equal(tf_wire_next(&w, &f), known);
		assert_int_equal(w.fault, known ? TF_WIRE_FINE : TF_WIRE_BAD_TYPE);
	}
}

static void field_zero_is_refused_whatever_its_type(void **state)
{
	(void)state;
	for (uint8_t type = 0; type < 8; type++) {
		const uint8_t raw[] = {type, 0, 0, 0, 0, 0, 0, 0, 0};
		assert_int_equal(fault_of((struct tf_bytes){raw, sizeof raw}), TF_WIRE_FIELD_ZERO);
	}
}

static void field_numbers_have_29_bits(void **state)
{
	(void)state;
	static const struct {
		uint64_t number;
		bool fine;
	} cases[] = {
		{1, true}, {15, true}, {16, true}, {2047, true}, {2048, true}, {(1u << 29) - 1, true},
		{UINT64_C(1) << 29, false}, {(UINT64_C(1) << 29) + 1, false}, {UINT32_MAX, false}, {UINT64_C(1) << 32, false},
		{(UINT64_C(1) << 32) + 1, false}, {(UINT64_C(1) << 61) - 1, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t raw[11];
		uint64_t key = cases[i].number << 3;
		size_t n = encode(raw, key, bytes_of(key));
		raw[n++] = 7;
		struct tf_wire w = tf_wire_of((struct tf_bytes){raw, n});
		struct tf_field f;
		assert_int_equal(tf_wire_next(&w, &f), cases[i].fine);
		if (cases[i].fine)
			assert_true(f.number == cases[i].number && f.value == 7);
		else
			assert_int_equal(w.fault, TF_WIRE_FIELD_ZERO);
	}
}

static void a_key_may_be_overlong_too(void **state)
{
	(void)state;
	struct tf_wire w = tf_wire_of(BYTES("\x88\x80\x00\x07"));
	struct tf_field f;
	assert_true(tf_wire_next(&w, &f));
	assert_true(f.number == 1 && f.type == TF_WIRE_VARINT && f.value == 7);
}

static void a_fault_stays_where_it_is(void **state)
{
	(void)state;
	struct tf_bytes message = BYTES("\x08\x01\x0b\x08\x02");
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	assert_true(tf_wire_next(&w, &f));
	for (int i = 0; i < 3; i++) {
		assert_false(tf_wire_next(&w, &f));
		assert_int_equal(w.fault, TF_WIRE_BAD_TYPE);
		assert_ptr_equal(w.p, message.data + 2);
	}
}

static void signed_values_are_twos_complement_in_ten_bytes(void **state)
{
	(void)state;
	/* int64 is not zigzag: -1 is ten bytes, and 1 is not -1. */
	struct tf_wire w = tf_wire_of(BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x08\x01"));
	struct tf_field f;
	assert_true(tf_wire_next(&w, &f));
	assert_int_equal((int64_t)f.value, -1);
	assert_true(tf_wire_next(&w, &f));
	assert_int_equal((int64_t)f.value, 1);
}

static void bits_become_floating_point(void **state)
{
	(void)state;
	assert_true(tf_wire_double(UINT64_C(0x4004000000000000)) == 2.5);
	assert_true(tf_wire_double(UINT64_C(0x8000000000000000)) == 0);
	assert_true(tf_wire_float(0xc0200000) == -2.5f);
	assert_true(tf_wire_float(UINT64_C(0xffffffff40200000)) == 2.5f); /* the low half counts */
	assert_true(tf_wire_double(UINT64_C(0x7ff8000000000001)) != tf_wire_double(UINT64_C(0x7ff8000000000001)));
}

static void every_fault_has_words_of_its_own(void **state)
{
	(void)state;
	for (int a = TF_WIRE_FINE; a <= TF_WIRE_BAD_TYPE; a++)
		for (int b = TF_WIRE_FINE; b < a; b++)
			assert_string_not_equal(tf_wire_fault_text((enum tf_wire_fault)a), tf_wire_fault_text((enum tf_wire_fault)b));
}

static void what_the_tests_build_reads_back(void **state)
{
	(void)state;
	struct tf_buf inner = {0}, b = {0};
	struct tf_field f;
	pb_varint(&inner, 536870911, UINT64_MAX);
	pb_message(&b, 7, &inner);
	pb_float(&b, 2, 0.5f);
	struct tf_wire w = tf_wire_of(pb_view(&b));
	assert_true(tf_wire_next(&w, &f) && f.number == 7);
	struct tf_wire inside = tf_wire_of(f.bytes);
	assert_true(tf_wire_next(&w, &f) && f.type == TF_WIRE_FIXED32 && tf_wire_float(f.value) == 0.5f);
	assert_true(tf_wire_next(&inside, &f) && f.number == 536870911 && f.value == UINT64_MAX);
	tf_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints_of_every_length),
		cmocka_unit_test(overlong_varints_mean_the_same),
		cmocka_unit_test(a_varint_has_at_most_64_bits),
		cmocka_unit_test(a_varint_cut_at_any_byte_is_truncated),
		cmocka_unit_test(fields_of_every_kind),
		cmocka_unit_test(a_message_cut_at_each_byte_ends_at_its_last_whole_field),
		cmocka_unit_test(an_empty_message_has_no_field_and_no_fault),
		cmocka_unit_test(empty_bytes_are_a_field),
		cmocka_unit_test(lengths_beyond_the_message_are_truncated),
		cmocka_unit_test(groups_and_unknown_wire_types_are_refused),
		cmocka_unit_test(field_zero_is_refused_whatever_its_type),
		cmocka_unit_test(field_numbers_have_29_bits),
		cmocka_unit_test(a_key_may_be_overlong_too),
		cmocka_unit_test(a_fault_stays_where_it_is),
		cmocka_unit_test(signed_values_are_twos_complement_in_ten_bytes),
		cmocka_unit_test(bits_become_floating_point),
		cmocka_unit_test(every_fault_has_words_of_its_own),
		cmocka_unit_test(what_the_tests_build_reads_back),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
