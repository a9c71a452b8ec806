/* lib/io/stream and content: pieces, gzip members, cuts, large files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/io/content.h"

enum { LARGE = 3 << 20 };
static uint8_t *large, *packed;
static size_t packed_len;
static char folder[64];
static struct tf_error err;

static size_t squeeze(const uint8_t *data, size_t len, uint8_t *out, size_t room)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len, .next_out = out, .avail_out = (uInt)room};
	assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static int enter(void **state)
{
	uint32_t x = 1;
	(void)state;
	large = malloc(LARGE);
	packed = malloc(2 * LARGE);
	for (size_t i = 0; i < LARGE; i++) {
		x = x * 1664525 + 1013904223;
		large[i] = (uint8_t)(x >> 24);
	}
	packed_len = squeeze(large, LARGE, packed, 2 * LARGE);
	strcpy(folder, "/tmp/tfprof-stream-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	char command[128];
	(void)state;
	free(large);
	free(packed);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *path, const void *data, size_t len)
{
	FILE *to = fopen(path, "wb");
	assert_non_null(to);
	assert_int_equal(fwrite(data, 1, len, to), len);
	assert_int_equal(fclose(to), 0);
}

/* Everything that a stream gives must be the first `len` bytes of `want`. */
static void gives(const struct tf_stored *from, const uint8_t *want, size_t len, bool cut)
{
	struct tf_stream s;
	struct tf_bytes piece;
	size_t at = 0;
	int rc;
	assert_int_equal(tf_stream_open(&s, from, &err), 0);
	while ((rc = tf_stream_next(&s, &piece, &err)) > 0) {
		assert_true(at + piece.len <= len);
		assert_memory_equal(piece.data, want + at, piece.len);
		at += piece.len;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(at, len);
	assert_int_equal(s.total_bytes, len);
	assert_int_equal(s.cut, cut);
	assert_int_equal(tf_stream_next(&s, &piece, &err), 0); /* the end stays the end */
	tf_stream_close(&s);
}

static void plain_bytes_in_pieces(void **state)
{
	(void)state;
	struct tf_stored s = {.bytes = {large, LARGE}, .fd = -1};
	gives(&s, large, LARGE, false);
}

static void a_plain_file_in_pieces(void **state)
{
	(void)state;
	put("plain", large, LARGE);
	struct tf_stored s = {.fd = open("plain", O_RDONLY)};
	gives(&s, large, LARGE, false);
	close(s.fd);
}

static void gzip_from_memory_and_from_a_file(void **state)
{
	(void)state;
	struct tf_stored memory = {.bytes = {packed, packed_len}, .fd = -1};
	gives(&memory, large, LARGE, false);
	put("packed", packed, packed_len);
	struct tf_stored stored = {.fd = open("packed", O_RDONLY)};
	gives(&stored, large, LARGE, false);
	close(stored.fd);
}

static void members_follow_each_other(void **state)
{
	(void)state;
	uint8_t *two = malloc(2 * LARGE);
	size_t half = LARGE / 2, first = squeeze(large, half, two, 2 * LARGE);
	size_t all = first + squeeze(large + half, LARGE - half, two + first, 2 * LARGE - first);
	struct tf_stored s = {.bytes = {two, all}, .fd = -1};
	gives(&s, large, LARGE, false);
	free(two);
}

static void zeros_behind_the_last_member_are_padding(void **state)
{
	(void)state;
	uint8_t *padded = calloc(1, packed_len + 1000);
	memcpy(padded, packed, packed_len);
	struct tf_stored s = {.bytes = {padded, packed_len + 1000}, .fd = -1};
	gives(&s, large, LARGE, false);
	free(padded);
}

/* What came before the cut is handed out, wherever it is. */
static void a_cut_stream_gives_what_came_before(void **state)
{
	(void)state;
	for (size_t n = 18; n < packed_len; n += packed_len / 7) {
		struct tf_stored s = {.bytes = {packed, n}, .fd = -1};
		struct tf_stream stream;
		struct tf_bytes piece;
		size_t at = 0;
		assert_int_equal(tf_stream_open(&stream, &s, &err), 0);
		while (tf_stream_next(&stream, &piece, &err) > 0) {
			assert_memory_equal(piece.data, large + at, piece.len);
			at += piece.len;
		}
		assert_true(stream.cut);
		assert_true(at < LARGE);
		assert_int_equal(stream.at, n);
		tf_stream_close(&stream);
	}
}

static void a_flipped_byte_cuts_the_stream(void **state)
{
	(void)state;
	uint8_t *bad = malloc(packed_len);
	memcpy(bad, packed, packed_len);
	bad[packed_len - 6] ^= 1; /* its CRC */
	struct tf_stored s = {.bytes = {bad, packed_len}, .fd = -1};
	gives(&s, large, LARGE, true);
	free(bad);
}

static void an_empty_stream_ends_at_once(void **state)
{
	(void)state;
	struct tf_stored s = {.bytes = {large, 0}, .fd = -1};
	gives(&s, large, 0, false);
}

static void a_small_file_is_whole_at_once(void **state)
{
	(void)state;
	struct tf_content in;
	put("small", large, 1000);
	assert_int_equal(tf_content_open(&in, "small", &err), 0);
	assert_true(in.whole);
	assert_int_equal(in.content.len, 1000);
	assert_memory_equal(in.content.data, large, 1000);
	assert_int_equal(in.disk_bytes, 1000);
	tf_content_close(&in);
}

static void of_a_large_file_the_head_comes_first(void **state)
{
	(void)state;
	const char *const names[] = {"plain", "packed"};
	put("plain", large, LARGE);
	put("packed", packed, packed_len);
	for (int i = 0; i < 2; i++) {
		struct tf_content in;
		assert_int_equal(tf_content_open(&in, names[i], &err), 0);
		assert_false(in.whole);
		assert_true(in.content.len >= 1 << 20 && in.content.len < LARGE);
		assert_memory_equal(in.content.data, large, in.content.len);
		assert_int_equal(in.disk_bytes, i ? packed_len : LARGE);
		assert_int_equal(tf_content_load(&in, &err), 0);
		assert_true(in.whole);
		assert_int_equal(in.content.len, LARGE);
		assert_memory_equal(in.content.data, large, LARGE);
		assert_false(in.cut);
		tf_content_close(&in);
	}
}

static void a_content_is_known_by_its_stored_bytes(void **state)
{
	(void)state;
	struct tf_content a, b, c;
	put("a", large, LARGE);
	put("b", large, LARGE);
	large[LARGE - 1] ^= 1;
	put("c", large, LARGE);
	large[LARGE - 1] ^= 1;
	assert_int_equal(tf_content_open(&a, "a", &err), 0);
	assert_int_equal(tf_content_open(&b, "b", &err), 0);
	assert_int_equal(tf_content_open(&c, "c", &err), 0);
	uint64_t of_a, of_b, of_c;
	assert_int_equal(tf_content_hash(&a, &of_a, &err), 0);
	assert_int_equal(tf_content_hash(&b, &of_b, &err), 0);
	assert_int_equal(tf_content_hash(&c, &of_c, &err), 0);
	assert_true(of_a == of_b);
	assert_true(of_a != of_c);
	assert_int_equal(a.disk_bytes, LARGE);
	tf_content_close(&a);
	tf_content_close(&b);
	tf_content_close(&c);
}

static void a_cut_is_known_once_all_is_read(void **state)
{
	(void)state;
	struct tf_content in;
	put("cut", packed, packed_len - 100);
	assert_int_equal(tf_content_open(&in, "cut", &err), 0);
	assert_int_equal(tf_content_load(&in, &err), 0);
	assert_true(in.cut);
	assert_int_equal(in.cut_offset, packed_len - 100);
	assert_memory_equal(in.content.data, large, in.content.len);
	tf_content_close(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_bytes_in_pieces),
		cmocka_unit_test(a_plain_file_in_pieces),
		cmocka_unit_test(gzip_from_memory_and_from_a_file),
		cmocka_unit_test(members_follow_each_other),
		cmocka_unit_test(zeros_behind_the_last_member_are_padding),
		cmocka_unit_test(a_cut_stream_gives_what_came_before),
		cmocka_unit_test(a_flipped_byte_cuts_the_stream),
		cmocka_unit_test(an_empty_stream_ends_at_once),
		cmocka_unit_test(a_small_file_is_whole_at_once),
		cmocka_unit_test(of_a_large_file_the_head_comes_first),
		cmocka_unit_test(a_content_is_known_by_its_stored_bytes),
		cmocka_unit_test(a_cut_is_known_once_all_is_read),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, enter, leave);
}
