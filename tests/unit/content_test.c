/* gzip and zstd in files: members, padding, garbage, checksums, cuts at every byte, headers of every form, large expansion, bombs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/base/text.h"
#include "lib/io/content.h"
#include "tests/unit/support_proto.h"

static char folder[64];

static int enter(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tfprof-content-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

/* Appends one gzip member of the bytes; `head` (or NULL) is its header. */
static void add_member(struct tf_buf *to, const void *data, size_t len, gz_header *head)
{
	size_t room = len + len / 1000 + 256;
	uint8_t *out = malloc(room);
	z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len, .next_out = out, .avail_out = (uInt)room};

	assert_non_null(out);
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
	if (head)
		assert_int_equal(deflateSetHeader(&z, head), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	tf_buf_add(to, (const char *)out, z.total_out);
	free(out);
}

static struct tf_buf member(const char *text)
{
	struct tf_buf b = {0};
	add_member(&b, text, strlen(text), NULL);
	return b;
}

/* A file of these bytes, opened and read to its end. */
static struct tf_content content_of(const void *data, size_t len)
{
	struct tf_content in;
	struct tf_error err = {0};
	FILE *to = fopen("file", "wb");

	assert_non_null(to);
	assert_int_equal(fwrite(data, 1, len, to), len);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(tf_content_open(&in, "file", &err), 0);
	assert_int_equal(tf_content_load(&in, &err), 0);
	assert_true(in.whole);
	return in;
}

/* The file of these bytes reads as `want`, and is cut or not. Releases the bytes. */
static void reads(struct tf_buf *file, const char *want, bool cut)
{
	struct tf_content in = content_of(file->data, file->len);

	assert_int_equal(in.content.len, strlen(want));
	assert_memory_equal(in.content.data, want, in.content.len);
	assert_int_equal(in.cut, cut);
	assert_int_equal(in.disk_bytes, file->len);
	tf_content_close(&in);
	tf_buf_release(file);
}

static void members_are_joined(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	for (int i = 0; i < 5; i++)
		add_member(&b, "abcde" + i, 1, NULL);
	reads(&b, "abcde", false);
}

static void an_empty_member_adds_nothing(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	add_member(&b, "", 0, NULL);
	reads(&b, "", false);
	add_member(&b, "a", 1, NULL);
	add_member(&b, "", 0, NULL);
	add_member(&b, "b", 1, NULL);
	reads(&b, "ab", false);
}

static void an_empty_file_is_empty_and_not_compressed(void **state)
{
	(void)state;
	struct tf_content in = content_of("", 0);
	assert_int_equal(in.content.len, 0);
	assert_non_null(in.content.data);
	assert_int_equal(in.codec, TF_CODEC_NONE);
	assert_false(in.cut);
	tf_content_close(&in);
}

static void zeros_of_any_number_are_padding(void **state)
{
	(void)state;
	for (int zeros = 1; zeros < 2000; zeros = zeros * 3 + 1) {
		struct tf_buf b = member("text");
		for (int i = 0; i < zeros; i++)
			tf_buf_char(&b, '\0');
		reads(&b, "text", false);
	}
}

/* What follows a member may have been another one: something is lost. */
static void garbage_behind_a_member_is_damage(void **state)
{
	(void)state;
	static const char *const garbage[] = {"g", "garbage that goes on", "\x1f", "\x1fx", "\x1e\x8b\x08"};
	for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
		struct tf_buf b = member("text");
		size_t len = b.len;
		tf_buf_text(&b, garbage[i]);
		struct tf_content in = content_of(b.data, b.len);
		assert_int_equal(in.content.len, 4);
		assert_true(in.cut);
		assert_in_range(in.cut_offset, len, b.len);
		tf_content_close(&in);
		tf_buf_release(&b);
	}
}

static void garbage_behind_padding_is_damage_too(void **state)
{
	(void)state;
	struct tf_buf b = member("text");
	tf_buf_add(&b, "\0\0\0x", 4);
	reads(&b, "text", true);
}

static void a_second_member_that_is_damaged_leaves_the_first(void **state)
{
	(void)state;
	struct tf_buf b = member("one "), second = member("two");
	size_t at = b.len;
	tf_buf_add(&b, second.data, second.len);
	tf_buf_release(&second);
	b.data[at + 2] ^= 1; /* its method */
	reads(&b, "one ", true);
}

/* The trailer is the CRC-32 of the text and its length, four bytes each. */
static void a_wrong_checksum_or_length_is_told(void **state)
{
	(void)state;
	for (size_t i = 1; i <= 8; i++) {
		struct tf_buf b = member("some text");
		b.data[b.len - i] ^= 1;
		reads(&b, "some text", true);
	}
}

static void a_stream_cut_at_any_byte_gives_a_beginning(void **state)
{
	(void)state;
	char text[2000];
	uint32_t seed = 1;
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)('a' + ((seed = seed * 1103515245 + 12345) >> 16) % 26);
	struct tf_buf b = {0};
	add_member(&b, text, sizeof text, NULL);
	size_t before = 0;
	for (size_t len = 18; len < b.len; len++) { /* shorter ones cannot be whole, and are no gzip */
		struct tf_content in = content_of(b.data, len);
		assert_int_equal(in.codec, TF_CODEC_GZIP);
		assert_true(in.cut);
		assert_true(in.content.len >= before && in.content.len <= sizeof text);
		assert_memory_equal(in.content.data, text, in.content.len);
		before = in.content.len;
		tf_content_close(&in);
	}
	assert_int_equal(before, sizeof text); /* all but the last byte of the trailer */
	tf_buf_release(&b);
}

static void what_is_too_short_for_gzip_is_read_as_it_is(void **state)
{
	(void)state;
	struct tf_buf b = member("");
	for (size_t len = 1; len < 18; len++) {
		struct tf_content in = content_of(b.data, len);
		assert_int_equal(in.codec, TF_CODEC_NONE);
		assert_int_equal(in.content.len, len);
		tf_content_close(&in);
	}
	tf_buf_release(&b);
}

static void headers_may_carry_names_and_comments(void **state)
{
	(void)state;
	gz_header head = {.text = 1, .time = 1700000000, .extra = (Bytef *)(uintptr_t)"ab", .extra_len = 2, .name = (Bytef *)(uintptr_t)"h.xplane.pb",
			  .comment = (Bytef *)(uintptr_t)"a comment", .hcrc = 1};
	struct tf_buf b = {0};
	add_member(&b, "text", 4, &head);
	reads(&b, "text", false);
}

static void zlib_without_gzip_is_read_as_it_is(void **state)
{
	(void)state;
	uint8_t packed[128];
	uLongf len = sizeof packed;
	assert_int_equal(compress(packed, &len, (const Bytef *)"some text", 9), Z_OK);
	struct tf_content in = content_of(packed, len);
	assert_int_equal(in.codec, TF_CODEC_NONE);
	assert_int_equal(in.content.len, len);
	tf_content_close(&in);
}

/* Zeros deflate to about a thousandth. */
static void a_thousandfold_expansion_is_read_in_pieces(void **state)
{
	(void)state;
	enum { LEN = 32 << 20 };
	uint8_t *zeros = calloc(LEN, 1);
	struct tf_buf b = {0};
	struct tf_content in;
	struct tf_error err = {0};
	assert_non_null(zeros);
	add_member(&b, zeros, LEN, NULL);
	assert_true(b.len < LEN / 900);
	in = content_of(b.data, b.len);
	tf_content_close(&in);
	assert_int_equal(tf_content_open(&in, "file", &err), 0);
	assert_false(in.whole); /* only the head is inflated before someone asks */
	assert_true(in.content.len < 2 << 20);
	assert_int_equal(tf_content_load(&in, &err), 0);
	assert_int_equal(in.content.len, LEN);
	assert_memory_equal(in.content.data, zeros, LEN);
	assert_false(in.cut);
	tf_content_close(&in);
	tf_buf_release(&b);
	free(zeros);
}

static void gzip_inside_gzip_is_opened_once(void **state)
{
	(void)state;
	struct tf_buf inner = member("text"), outer = {0};
	add_member(&outer, inner.data, inner.len, NULL);
	struct tf_content in = content_of(outer.data, outer.len);
	assert_int_equal(in.content.len, inner.len);
	assert_memory_equal(in.content.data, inner.data, inner.len);
	tf_content_close(&in);
	tf_buf_release(&inner);
	tf_buf_release(&outer);
}

/* Appends one zstd frame with a checksum. */
static void add_frame(struct tf_buf *to, const void *data, size_t len)
{
	size_t room = ZSTD_compressBound(len);
	uint8_t *out = malloc(room);
	ZSTD_CCtx *c = ZSTD_createCCtx();

	assert_true(out && c);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	size_t n = ZSTD_compress2(c, out, room, data, len);
	assert_false(ZSTD_isError(n));
	tf_buf_add(to, (const char *)out, n);
	ZSTD_freeCCtx(c);
	free(out);
}

static void zstd_frames_are_joined(void **state)
{
	(void)state;
	static const char skippable[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'};
	struct tf_buf b = {0};
	add_frame(&b, "one ", 4);
	tf_buf_add(&b, skippable, sizeof skippable);
	add_frame(&b, "", 0);
	add_frame(&b, "two", 3);
	reads(&b, "one two", false);
	tf_buf_add(&b, skippable, sizeof skippable); /* first, as parallel compressors write */
	add_frame(&b, "three", 5);
	reads(&b, "three", false);
}

static void garbage_behind_a_frame_is_damage(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	add_frame(&b, "text", 4);
	tf_buf_text(&b, "garbage");
	reads(&b, "text", true);
	add_frame(&b, "text", 4);
	tf_buf_add(&b, "\0\0\0", 3);
	reads(&b, "text", false);
}

static void a_frame_cut_at_any_byte_gives_a_beginning(void **state)
{
	(void)state;
	enum { LEN = 300000 }; /* three blocks */
	char *text = malloc(LEN);
	uint32_t seed = 1;
	for (size_t i = 0; i < LEN; i++)
		text[i] = (char)('a' + ((seed = seed * 1103515245 + 12345) >> 16) % 26);
	struct tf_buf b = {0};
	size_t most = 0;
	add_frame(&b, text, LEN);
	for (size_t len = 4; len < b.len; len += len < 20 || len + 20 > b.len ? 1 : 9973) {
		struct tf_content in = content_of(b.data, len);
		assert_int_equal(in.codec, TF_CODEC_ZSTD);
		assert_true(in.cut);
		assert_true(in.content.len <= LEN);
		assert_memory_equal(in.content.data, text, in.content.len);
		most = in.content.len > most ? in.content.len : most;
		tf_content_close(&in);
	}
	assert_true(most >= 2 * 131072); /* the blocks before the cut */
	b.data[b.len - 1] ^= 1; /* its checksum */
	struct tf_content in = content_of(b.data, b.len);
	assert_true(in.cut);
	tf_content_close(&in);
	tf_buf_release(&b);
	free(text);
}

/* More than 64 MiB, and more than 150 times what is stored, is not kept in memory. */
static void a_bomb_is_not_kept(void **state)
{
	(void)state;
	enum { LEN = 80 << 20 };
	uint8_t *zeros = calloc(LEN, 1);
	struct tf_error err = {0};
	assert_non_null(zeros);
	for (int zstd = 0; zstd < 2; zstd++) {
		struct tf_buf b = {0};
		struct tf_content in;
		FILE *to = fopen("bomb", "wb");
		(zstd ? add_frame(&b, zeros, LEN) : add_member(&b, zeros, LEN, NULL));
		assert_true(to && fwrite(b.data, 1, b.len, to) == b.len && fclose(to) == 0);
		assert_int_equal(tf_content_open(&in, "bomb", &err), 0);
		assert_int_equal(tf_content_load(&in, &err), -1);
		assert_int_equal(err.code, TF_ELIMIT);
		tf_content_close(&in);
		tf_buf_release(&b);
	}
	free(zeros);
}

/* So much is, if it does not compress so well: here to a twentieth. */
static void what_is_large_but_in_proportion_is_kept(void **state)
{
	(void)state;
	enum { LEN = 80 << 20 };
	uint8_t *data = calloc(LEN, 1);
	uint32_t x = 1;
	struct tf_buf b = {0};
	assert_non_null(data);
	for (size_t i = 0; i < LEN; i += 20)
		data[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
	add_frame(&b, data, LEN);
	assert_true(b.len > LEN / 100);
	struct tf_content in = content_of(b.data, b.len);
	assert_int_equal(in.content.len, LEN);
	assert_memory_equal(in.content.data, data, LEN);
	tf_content_close(&in);
	tf_buf_release(&b);
	free(data);
}

static void closing_twice_does_no_harm(void **state)
{
	(void)state;
	struct tf_content in = content_of("text", 4);
	tf_content_close(&in);
	assert_null(in.content.data);
	tf_content_close(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_joined),
		cmocka_unit_test(an_empty_member_adds_nothing),
		cmocka_unit_test(an_empty_file_is_empty_and_not_compressed),
		cmocka_unit_test(zeros_of_any_number_are_padding),
		cmocka_unit_test(garbage_behind_a_member_is_damage),
		cmocka_unit_test(garbage_behind_padding_is_damage_too),
		cmocka_unit_test(a_second_member_that_is_damaged_leaves_the_first),
		cmocka_unit_test(a_wrong_checksum_or_length_is_told),
		cmocka_unit_test(a_stream_cut_at_any_byte_gives_a_beginning),
		cmocka_unit_test(what_is_too_short_for_gzip_is_read_as_it_is),
		cmocka_unit_test(headers_may_carry_names_and_comments),
		cmocka_unit_test(zlib_without_gzip_is_read_as_it_is),
		cmocka_unit_test(a_thousandfold_expansion_is_read_in_pieces),
		cmocka_unit_test(gzip_inside_gzip_is_opened_once),
		cmocka_unit_test(zstd_frames_are_joined),
		cmocka_unit_test(garbage_behind_a_frame_is_damage),
		cmocka_unit_test(a_frame_cut_at_any_byte_gives_a_beginning),
		cmocka_unit_test(a_bomb_is_not_kept),
		cmocka_unit_test(what_is_large_but_in_proportion_is_kept),
		cmocka_unit_test(closing_twice_does_no_harm),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, enter, leave);
}
