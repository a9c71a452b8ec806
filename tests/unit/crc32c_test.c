/* CRC-32C: the vectors of RFC 3720, by the table and by the processor's instruction. The file is included for its statics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define tf_crc32c crc_as_chosen
#include "lib/io/crc32c.c"
#undef tf_crc32c

/* The instruction where the processor has it, else the table once more. */
static uint32_t by_processor(struct tf_bytes b)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return by_instruction(b);
#endif
	return by_table(b);
}

static void gives(struct tf_bytes b, uint32_t crc)
{
	assert_int_equal(by_table(b), crc);
	assert_int_equal(by_processor(b), crc);
	assert_int_equal(crc_as_chosen(b), crc);
}

/* Bit by bit, as the polynomial defines it. */
static uint32_t by_definition(struct tf_bytes b)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < b.len; i++) {
		crc ^= b.data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
	}
	return ~crc;
}

/* RFC 3720, B.4. */
static void vectors_of_the_standard(void **state)
{
	(void)state;
	static const uint8_t command[48] = {0x01, 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02};
	uint8_t bytes[32] = {0};
	struct tf_bytes b = {bytes, sizeof bytes};
	gives(b, 0x8a9136aau);
	memset(bytes, 0xff, sizeof bytes);
	gives(b, 0x62a8ab43u);
	for (uint8_t i = 0; i < 32; i++)
		bytes[i] = i;
	gives(b, 0x46dd794eu);
	for (uint8_t i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(31 - i);
	gives(b, 0x113fdb5cu);
	gives((struct tf_bytes){command, sizeof command}, 0xd9963a56u);
}

static void the_crc_of_nothing_is_zero(void **state)
{
	(void)state;
	gives(tf_bytes_of(""), 0);
}

/* The instruction takes eight bytes at a time: each length and alignment has another rest. */
static void every_length_and_alignment_as_defined(void **state)
{
	(void)state;
	uint8_t bytes[64];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	for (size_t from = 0; from < 8; from++)
		for (size_t len = 0; len <= 40; len++)
			gives((struct tf_bytes){bytes + from, len}, by_definition((struct tf_bytes){bytes + from, len}));
}

static void every_entry_of_the_table_as_defined(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
		assert_int_equal(table[i], crc);
	}
}

/* TFRecord: ((crc >> 15) | (crc << 17)) + 0xa282ead8, modulo 2^32. */
static void masks_rotate_and_add(void **state)
{
	(void)state;
	assert_int_equal(tf_crc32c_mask(0), 0xa282ead8u);
	assert_int_equal(tf_crc32c_mask(1u << 15), 0xa282ead9u);
	assert_int_equal(tf_crc32c_mask(1), 0xa284ead8u);	   /* 2^17 more */
	assert_int_equal(tf_crc32c_mask(0xffffffffu), 0xa282ead7u); /* wraps */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_of_the_standard),
		cmocka_unit_test(the_crc_of_nothing_is_zero),
		cmocka_unit_test(every_length_and_alignment_as_defined),
		cmocka_unit_test(every_entry_of_the_table_as_defined),
		cmocka_unit_test(masks_rotate_and_add),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
