/* TFRecord framing: CRCs, damage, resynchronisation. Offsets are those of records of 40 and 42 bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/io/crc32c.h"
#include "lib/io/tfrecord.h"
#include "tests/unit/support_proto.h"

/* The version record, then five scalars: records start at 0, 40, 82, 124, 166, 208; 250 bytes in all. */
static struct tf_buf five(void)
{
	struct tf_buf b = {0};
	pb_version(&b);
	for (int i = 0; i < 5; i++)
		pb_scalar(&b, 1001.0 + i, i, "loss", 1.0f / (float)(i + 1));
	assert_int_equal(b.len, 250);
	return b;
}

struct seen {
	int kinds[TF_RECORD_END + 1];
	size_t bad_offset, bad_size;
};

/* Reads all records; every byte must be in exactly one. */
static struct seen read_all(const struct tf_buf *b)
{
	struct tf_record_reader r = {.content = pb_view(b)};
	struct seen s = {{0}, SIZE_MAX, 0};
	struct tf_record rec;
	size_t at = 0;

	while ((rec = tf_record_next(&r)).kind != TF_RECORD_END) {
		assert_int_equal(rec.offset, at);
		at += rec.size;
		s.kinds[rec.kind]++;
		if (rec.kind != TF_RECORD_DATA && s.bad_offset == SIZE_MAX) {
			s.bad_offset = rec.offset;
			s.bad_size = rec.size;
		}
	}
	assert_int_equal(at, b->len);
	return s;
}

static void crc_of_the_check_string(void **state)
{
	(void)state;
	assert_int_equal(tf_crc32c(tf_bytes_of("123456789")), 0xe3069283u);
	assert_int_equal(tf_crc32c_mask(tf_crc32c((struct tf_bytes){(const uint8_t *)"\0\0\0\0\0\0\0\0", 8})), 0x07980329u);
	assert_int_equal(tf_crc32c_mask(tf_crc32c(tf_bytes_of(""))), 0xa282ead8u);
}

static void whole_files_are_all_data(void **state)
{
	(void)state;
	struct tf_buf b = five();
	struct seen s = read_all(&b);
	assert_int_equal(s.kinds[TF_RECORD_DATA], 6);
	assert_int_equal(s.bad_offset, SIZE_MAX);
	tf_buf_release(&b);
}

static void a_wrong_data_crc_costs_one_record(void **state)
{
	(void)state;
	struct tf_buf b = five();
	b.data[165] ^= (char)0xff; /* the last byte of the record at 124 */
	struct seen s = read_all(&b);
	assert_int_equal(s.kinds[TF_RECORD_DATA], 5);
	assert_int_equal(s.kinds[TF_RECORD_BAD_DATA], 1);
	assert_int_equal(s.bad_offset, 124);
	assert_int_equal(s.bad_size, 42);
	tf_buf_release(&b);
}

static void a_flipped_bit_is_never_data(void **state)
{
	(void)state;
	struct tf_buf b = five();
	b.data[160] ^= 1; /* inside the payload at 124 */
	struct seen s = read_all(&b);
	assert_int_equal(s.kinds[TF_RECORD_DATA], 5);
	assert_int_equal(s.kinds[TF_RECORD_BAD_DATA], 1);
	tf_buf_release(&b);
}

static void a_wrong_length_crc_is_stepped_over(void **state)
{
	(void)state;
	struct tf_buf b = five();
	b.data[124 + 8] ^= (char)0xff;
	struct seen s = read_all(&b);
	assert_int_equal(s.kinds[TF_RECORD_DATA], 5);
	assert_int_equal(s.kinds[TF_RECORD_BAD_LENGTH], 1);
	assert_int_equal(s.bad_size, 42);
	tf_buf_release(&b);
}

static void a_hole_of_zeros_is_named(void **state)
{
	(void)state;
	struct tf_buf b = five();
	memset(b.data + 124, 0, 42);
	struct seen s = read_all(&b);
	assert_int_equal(s.kinds[TF_RECORD_DATA], 5);
	assert_int_equal(s.kinds[TF_RECORD_ZEROS], 1);
	tf_buf_release(&b);
}

static void a_zero_tail_is_one_stretch(void **state)
{
	(void)state;
	struct tf_buf b = five();
	for (int i = 0; i < 4096; i++)
		tf_buf_char(&b, '\0');
	struct seen s = read_all(&b);
	assert_int_equal(s.kinds[TF_RECORD_DATA], 6);
	assert_int_equal(s.kinds[TF_RECORD_ZEROS], 1);
	assert_int_equal(s.bad_offset, 250);
	assert_int_equal(s.bad_size, 4096);
	tf_buf_release(&b);
}

static void text_between_records_is_stepped_over(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	pb_version(&b);
	pb_scalar(&b, 1001, 0, "loss", 1);
	tf_buf_text(&b, "INFO:logger:This message will be written\n");
	pb_scalar(&b, 1002, 1, "loss", 2);
	struct seen s = read_all(&b);
	assert_int_equal(s.kinds[TF_RECORD_DATA], 3);
	assert_int_equal(s.bad_offset, 82);
	assert_int_equal(s.bad_size, 41);
	tf_buf_release(&b);
}

static void a_huge_length_with_a_right_crc_is_too_long(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	uint64_t length = UINT64_C(1) << 62;
	uint32_t crc = tf_crc32c_mask(tf_crc32c((struct tf_bytes){(const uint8_t *)&length, 8}));
	pb_version(&b);
	tf_buf_add(&b, (const char *)&length, 8);
	tf_buf_add(&b, (const char *)&crc, 4);
	pb_scalar(&b, 1002, 1, "loss", 2);
	struct seen s = read_all(&b);
	assert_int_equal(s.kinds[TF_RECORD_DATA], 2);
	assert_int_equal(s.kinds[TF_RECORD_TOO_LONG], 1);
	assert_int_equal(s.bad_offset, 40);
	tf_buf_release(&b);
}

static void a_cut_last_record_is_told_at_every_byte(void **state)
{
	(void)state;
	struct tf_buf b = five();
	for (size_t len = 209; len < 250; len++) {
		struct tf_buf cut = {.data = malloc(len), .len = len};
		memcpy(cut.data, b.data, len); /* a buffer of its own, so that a read beyond it is seen */
		struct seen s = read_all(&cut);
		assert_int_equal(s.kinds[TF_RECORD_DATA], 5);
		assert_int_equal(s.kinds[TF_RECORD_CUT] + s.kinds[TF_RECORD_BAD_LENGTH] + s.kinds[TF_RECORD_ZEROS], 1);
		assert_int_equal(s.bad_offset, 208);
		free(cut.data);
	}
	tf_buf_release(&b);
}

/* Each header promises all that follows: without a bound the search reads n² bytes. */
static void forged_headers_do_not_make_it_slow(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	size_t total = 200000;
	while (b.len + 12 <= total) {
		uint64_t length = total - b.len - 16;
		uint32_t crc = tf_crc32c_mask(tf_crc32c((struct tf_bytes){(const uint8_t *)&length, 8}));
		tf_buf_add(&b, (const char *)&length, 8);
		tf_buf_add(&b, (const char *)&crc, 4);
	}
	struct tf_record_reader r = {.content = pb_view(&b)};
	while (tf_record_next(&r).kind != TF_RECORD_END)
		;
	assert_true(r.checked <= 17 * (uint64_t)b.len);
	tf_buf_release(&b);
}

/* The next valid record by the definition of the format alone: every offset, every CRC. */
static size_t next_by_definition(struct tf_bytes c, size_t at)
{
	for (; at + 16 <= c.len; at++) {
		uint64_t length = 0;
		uint32_t crc = 0, data_crc = 0;
		for (int i = 0; i < 8; i++)
			length |= (uint64_t)c.data[at + (size_t)i] << 8 * i;
		if (length > c.len - at - 16)
			continue;
		for (int i = 0; i < 4; i++) {
			crc |= (uint32_t)c.data[at + 8 + (size_t)i] << 8 * i;
			data_crc |= (uint32_t)c.data[at + 12 + length + (size_t)i] << 8 * i;
		}
		if (crc == tf_crc32c_mask(tf_crc32c((struct tf_bytes){c.data + at, 8}))
		    && data_crc == tf_crc32c_mask(tf_crc32c((struct tf_bytes){c.data + at + 12, (size_t)length})))
			return at;
	}
	return c.len;
}

/* Zeros, small numbers and records, some of them empty, in any order and at any alignment. */
static struct tf_buf mostly_zeros(uint32_t seed)
{
	struct tf_buf b = {0};

	for (int i = 0; i < 40; i++) {
		seed = seed * 1664525 + 1013904223;
		uint32_t kind = seed >> 30, n = seed >> 20 & 63;
		uint64_t length = 0;
		uint32_t crc = tf_crc32c_mask(tf_crc32c((struct tf_bytes){(const uint8_t *)&length, 8}));
		if (kind == 0) {
			pb_scalar(&b, 1001, i, "loss", 1);
		} else if (kind == 1) { /* an empty record: its data's CRC is that of nothing */
			tf_buf_add(&b, "\0\0\0\0\0\0\0\0", 8);
			tf_buf_add(&b, (const char *)&crc, 4);
			crc = tf_crc32c_mask(0);
			tf_buf_add(&b, (const char *)&crc, 4);
		}
		for (uint32_t k = 0; k < n; k++)
			tf_buf_char(&b, kind == 2 && k % 9 == 0 ? (char)k : '\0');
	}
	return b;
}

static void what_is_passed_quickly_holds_no_record(void **state)
{
	(void)state;
	size_t found = 0;
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct tf_buf b = mostly_zeros(seed);
		struct tf_record_reader r = {.content = pb_view(&b)};
		struct tf_record rec;
		while ((rec = tf_record_next(&r)).kind != TF_RECORD_END)
			if (rec.kind == TF_RECORD_ZEROS || rec.kind == TF_RECORD_BAD_LENGTH) {
				assert_int_equal(rec.offset + rec.size, next_by_definition(r.content, rec.offset + 1));
				found += rec.offset + rec.size < b.len;
			}
		tf_buf_release(&b);
	}
	assert_true(found > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_of_the_check_string),
		cmocka_unit_test(whole_files_are_all_data),
		cmocka_unit_test(a_wrong_data_crc_costs_one_record),
		cmocka_unit_test(a_flipped_bit_is_never_data),
		cmocka_unit_test(a_wrong_length_crc_is_stepped_over),
		cmocka_unit_test(a_hole_of_zeros_is_named),
		cmocka_unit_test(a_zero_tail_is_one_stretch),
		cmocka_unit_test(text_between_records_is_stepped_over),
		cmocka_unit_test(a_huge_length_with_a_right_crc_is_too_long),
		cmocka_unit_test(a_cut_last_record_is_told_at_every_byte),
		cmocka_unit_test(forged_headers_do_not_make_it_slow),
		cmocka_unit_test(what_is_passed_quickly_holds_no_record),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
