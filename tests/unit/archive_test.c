/* lib/io/archive: archives written here byte by byte, as POSIX (ustar) and APPNOTE.TXT (zip) describe them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/base/text.h"
#include "lib/io/content.h"

static struct tf_error err;

/* A header: name, type, size; the sum of its bytes, with spaces for the sum itself, in octal. */
static void add_header(struct tf_buf *b, const char *name, char type, size_t size)
{
	char h[512] = {0};
	unsigned sum = 0;

	snprintf(h, 100, "%s", name);
	memcpy(h + 100, "0000644\0" "0000000\0" "0000000", 24);
	snprintf(h + 124, 12, "%011zo", size);
	memcpy(h + 136, "00000000000", 12);
	memset(h + 148, ' ', 8);
	h[156] = type;
	if (type == '1' || type == '2')
		strcpy(h + 157, "/etc/passwd");
	memcpy(h + 257, "ustar\0" "00", 8);
	for (size_t i = 0; i < sizeof h; i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	tf_buf_add(b, h, sizeof h);
}

static void pad(struct tf_buf *b)
{
	while (b->len % 512)
		tf_buf_char(b, '\0');
}

static void add_bytes(struct tf_buf *b, const char *name, const void *data, size_t len)
{
	add_header(b, name, '0', len);
	tf_buf_add(b, data, len);
	pad(b);
}

static void add_file(struct tf_buf *b, const char *name, const char *text)
{
	add_bytes(b, name, text, strlen(text));
}

static void end_tar(struct tf_buf *b)
{
	for (int i = 0; i < 1024; i++)
		tf_buf_char(b, '\0');
}

static void put(struct tf_buf *b, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		tf_buf_char(b, (char)(value >> 8 * i));
}

/* A zip of one stored member, with the sizes and the CRC given. */
static struct tf_buf zip_of(const char *name, const char *data, size_t len, uint32_t told_len, uint32_t crc)
{
	struct tf_buf b = {0};

	for (int central = 0; central < 2; central++) {
		put(&b, central ? 0x02014b50 : 0x04034b50, 4);
		if (central)
			put(&b, 20, 2);
		put(&b, 20, 2), put(&b, 0, 2), put(&b, 0, 2), put(&b, 0, 4); /* version, flags, method, time */
		put(&b, crc, 4), put(&b, told_len, 4), put(&b, told_len, 4), put(&b, strlen(name), 2), put(&b, 0, 2);
		if (central)
			put(&b, 0, 2), put(&b, 0, 2), put(&b, 0, 2), put(&b, 0100644u << 16, 4), put(&b, 0, 4);
		tf_buf_text(&b, name);
		if (!central)
			tf_buf_add(&b, data, len);
	}
	size_t start = 30 + strlen(name) + len, size = b.len - start;
	put(&b, 0x06054b50, 4), put(&b, 0, 4), put(&b, 1, 2), put(&b, 1, 2), put(&b, size, 4), put(&b, start, 4), put(&b, 0, 2);
	return b;
}

static void list(struct tf_archive *a, const struct tf_buf *b)
{
	struct tf_stored stored = {.bytes = {(const uint8_t *)b->data, b->len}, .fd = -1};
	*a = (struct tf_archive){0};
	assert_int_equal(tf_archive_list(a, &stored, &err), 0);
}

/* The members' paths, one after the other. */
static void has(const struct tf_archive *a, const char *want)
{
	char got[1000] = "";
	for (size_t i = 0; i < a->count; i++) {
		strcat(got, i ? " " : "");
		strcat(got, a->members[i].path);
	}
	assert_string_equal(got, want);
}

static void hold_all(struct tf_archive *a)
{
	for (size_t i = 0; i < a->count; i++) {
		struct tf_member *m = &a->members[i];
		assert_int_equal(tf_archive_hold(a, &m, 1, &err), 0);
		assert_int_equal(m->failed, TF_OK);
	}
}

static void holds(const struct tf_member *m, const char *want)
{
	assert_non_null(m->held.data);
	assert_int_equal(m->held.len, strlen(want));
	assert_memory_equal(m->held.data, want, strlen(want));
	assert_false(m->is_cut);
}

static void folders_stay_as_they_come_and_files_are_sorted(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	add_header(&b, "z/", '5', 0);
	add_file(&b, "z/events.1000", "d");
	add_file(&b, "a/x", "c");
	add_file(&b, "z/events.999", "b");
	add_file(&b, "top", "a");
	add_file(&b, "z/sub/y", "e");
	end_tar(&b);
	struct tf_archive a;
	list(&a, &b);
	assert_int_equal(a.stop.code, TF_OK);
	has(&a, "z/events.999 z/events.1000 a/x top z/sub/y");
	hold_all(&a);
	const char *const texts[] = {"b", "d", "c", "a", "e"};
	for (size_t i = 0; i < 5; i++)
		holds(&a.members[i], texts[i]);
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static void all_at_once_is_one_batch(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	struct tf_member *backwards[3];
	add_file(&b, "a", "first");
	add_file(&b, "b", "");
	add_file(&b, "c", "third");
	end_tar(&b);
	struct tf_archive a;
	list(&a, &b);
	for (size_t i = 0; i < 3; i++)
		backwards[i] = &a.members[2 - i];
	assert_int_equal(tf_archive_hold(&a, backwards, 3, &err), 0);
	holds(&a.members[0], "first");
	holds(&a.members[1], "");
	holds(&a.members[2], "third");
	tf_member_let_go(&a.members[2]);
	assert_null(a.members[2].held.data);
	assert_int_equal(tf_archive_hold(&a, backwards, 1, &err), 0); /* behind which the reader was: begun anew */
	holds(&a.members[2], "third");
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static void of_one_name_the_last_counts(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	add_file(&b, "f", "old");
	add_file(&b, "g", "other");
	add_file(&b, "./f", "newer");
	end_tar(&b);
	struct tf_archive a;
	list(&a, &b);
	has(&a, "f g");
	hold_all(&a);
	holds(&a.members[0], "newer");
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static void names_lead_nowhere(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	add_file(&b, "/etc/passwd", "1");
	add_file(&b, "../../x", "2");
	add_file(&b, "a/../../../y", "3");
	add_file(&b, "./a//./z", "4");
	add_file(&b, "..", "5");
	add_file(&b, "...", "6");
	end_tar(&b);
	struct tf_archive a;
	list(&a, &b);
	has(&a, "etc/passwd ... x a/y a/z");
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static void what_is_no_file_is_passed_over(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	for (const char *type = "123465"; *type; type++) /* hard and symbolic link, devices, pipe, folder */
		add_header(&b, *type == '5' ? "folder/" : "special", *type, 0);
	add_file(&b, "file", "text");
	end_tar(&b);
	struct tf_archive a;
	list(&a, &b);
	has(&a, "file");
	assert_int_equal(a.passed_over, 5);
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static struct tf_buf squeeze(const struct tf_buf *b)
{
	struct tf_buf out = {.data = malloc(b->len + 1000)};
	z_stream z = {.next_in = (Bytef *)b->data, .avail_in = (uInt)b->len, .next_out = (Bytef *)out.data, .avail_out = (uInt)b->len + 1000};
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out.len = z.total_out;
	deflateEnd(&z);
	return out;
}

/* What the stream over a member gives. */
static void streams(struct tf_member *m, const uint8_t *want, size_t len)
{
	struct tf_stored from = {.member = m, .fd = -1};
	struct tf_stream s;
	struct tf_bytes piece;
	size_t at = 0;
	assert_int_equal(tf_stream_open(&s, &from, &err), 0);
	while (tf_stream_next(&s, &piece, &err) > 0) {
		assert_true(at + piece.len <= len);
		assert_memory_equal(piece.data, want + at, piece.len);
		at += piece.len;
	}
	assert_int_equal(at, len);
	assert_false(s.cut);
	tf_stream_close(&s);
}

static void a_member_in_pieces_is_what_it_is_in_memory(void **state)
{
	(void)state;
	enum { LEN = 700001 };
	uint8_t *data = malloc(LEN);
	struct tf_buf b = {0}, packed;
	for (uint32_t i = 0, x = 1; i < LEN; i++)
		data[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
	add_file(&b, "before", "text");
	add_bytes(&b, "large", data, LEN);
	add_file(&b, "z", "behind");
	end_tar(&b);
	packed = squeeze(&b);
	const struct tf_buf *const both[] = {&b, &packed};
	for (int i = 0; i < 2; i++) {
		struct tf_archive a;
		list(&a, both[i]);
		assert_int_equal(a.count, 3);
		streams(&a.members[1], data, LEN);
		streams(&a.members[2], (const uint8_t *)"behind", 6);
		streams(&a.members[1], data, LEN);
		hold_all(&a);
		assert_int_equal(a.members[1].held.len, LEN);
		assert_memory_equal(a.members[1].held.data, data, LEN);
		tf_archive_release(&a);
	}
	tf_buf_release(&packed);
	tf_buf_release(&b);
	free(data);
}

/* Of "one" the data lie at 512, of "two" from 1536 to 2536, of "three" behind 3072. */
static void before_a_cut_all_is_there(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	char two[1000];
	memset(two, '2', sizeof two);
	add_file(&b, "one", "1");
	add_bytes(&b, "two", two, sizeof two);
	add_file(&b, "x", "3");
	end_tar(&b);
	for (size_t len = 1025; len < 3072; len += 73) {
		struct tf_buf cut = {.data = b.data, .len = len};
		struct tf_archive a;
		list(&a, &cut);
		assert_int_equal(a.stop.code, TF_EFORMAT);
		assert_int_equal(a.stop_offset, len);
		assert_int_equal(a.count, len < 1536 ? 1 : 2);
		hold_all(&a);
		holds(&a.members[0], "1");
		if (a.count == 2) {
			size_t there = len - 1536 < sizeof two ? len - 1536 : sizeof two;
			assert_int_equal(a.members[1].held.len, there);
			assert_memory_equal(a.members[1].held.data, two, there);
			assert_int_equal(a.members[1].is_cut, there < sizeof two);
		}
		tf_archive_release(&a);
	}
	tf_buf_release(&b);
}

static void a_damaged_header_costs_one_member(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	add_file(&b, "one", "1");
	size_t at = b.len;
	add_file(&b, "two", "2");
	add_file(&b, "x", "3");
	end_tar(&b);
	b.data[at] ^= 1;
	struct tf_archive a;
	list(&a, &b);
	has(&a, "one x");
	assert_int_equal(a.stop.code, TF_EFORMAT);
	assert_true(a.stop_offset >= (int64_t)at);
	hold_all(&a);
	holds(&a.members[0], "1");
	holds(&a.members[1], "3");
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static void a_zip_is_read_by_its_directory(void **state)
{
	(void)state;
	uint32_t crc = (uint32_t)crc32(0, (const Bytef *)"stored text", 11);
	struct tf_buf b = zip_of("a/b", "stored text", 11, 11, crc);
	struct tf_archive a;
	list(&a, &b);
	assert_int_equal(a.stop.code, TF_OK);
	has(&a, "a/b");
	hold_all(&a);
	holds(&a.members[0], "stored text");
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static void a_wrong_checksum_is_told_of_the_member(void **state)
{
	(void)state;
	struct tf_buf b = zip_of("a/b", "stored text", 11, 11, 1);
	struct tf_archive a;
	list(&a, &b);
	hold_all(&a);
	assert_int_equal(a.members[0].held.len, 11);
	assert_true(a.members[0].is_cut);
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static void a_size_beyond_the_file_is_a_cut(void **state)
{
	(void)state;
	struct tf_buf b = zip_of("a/b", "stored text", 11, 1 << 20, 1);
	struct tf_archive a;
	list(&a, &b);
	assert_int_equal(a.count, 1);
	hold_all(&a);
	assert_true(a.members[0].is_cut);
	assert_true(a.members[0].held.len <= b.len);
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static void archives_lie_in_archives(void **state)
{
	(void)state;
	struct tf_buf inner = {0}, outer = {0};
	struct tf_content in;
	add_file(&inner, "deep", "inside");
	end_tar(&inner);
	struct tf_buf packed = squeeze(&inner);
	add_file(&outer, "first", "outside");
	add_bytes(&outer, "inner.tar.gz", packed.data, packed.len);
	end_tar(&outer);
	for (int held = 0; held < 2; held++) { /* from memory, and piece by piece through both */
		struct tf_archive a, b = {0};
		list(&a, &outer);
		if (held)
			hold_all(&a);
		assert_int_equal(tf_content_open_member(&in, &a.members[1], &err), 0);
		assert_int_equal(in.codec, TF_CODEC_GZIP);
		assert_true(tf_is_archive(in.content));
		assert_int_equal(tf_archive_list(&b, &in.stored, &err), 0);
		has(&b, "deep");
		hold_all(&b);
		holds(&b.members[0], "inside");
		tf_archive_release(&b);
		tf_content_close(&in);
		tf_archive_release(&a);
	}
	tf_buf_release(&inner);
	tf_buf_release(&packed);
	tf_buf_release(&outer);
}

/* 1 GiB may be anything; what is promised beyond that by a file of 2 KiB is out of all proportion. */
static void a_promise_out_of_proportion_ends_the_list(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	add_file(&b, "small", "1");
	add_header(&b, "large", '0', ((size_t)1 << 30) + 1);
	struct tf_archive a;
	list(&a, &b);
	has(&a, "small");
	assert_int_equal(a.stop.code, TF_ELIMIT);
	tf_archive_release(&a);
	tf_buf_release(&b);
}

static void archives_are_known_by_their_bytes(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	add_file(&b, "name", "text");
	assert_true(tf_is_archive((struct tf_bytes){(uint8_t *)b.data, 512}));
	assert_false(tf_is_archive((struct tf_bytes){(uint8_t *)b.data, 511}));
	for (size_t i = 0; i < 512; i++) { /* the sum is over every byte, and stands in the six digits at 148 */
		b.data[i] ^= 1;
		assert_false(tf_is_archive((struct tf_bytes){(uint8_t *)b.data, 512}) && !(i >= 154 && i < 156));
		b.data[i] ^= 1;
	}
	uint8_t zeros[512] = {0};
	assert_false(tf_is_archive((struct tf_bytes){zeros, 512}));
	assert_true(tf_is_archive(tf_bytes_of("PK\3\4")));
	assert_true(tf_is_archive(tf_bytes_of("PK\5\6")));
	assert_false(tf_is_archive(tf_bytes_of("PK\1\2")));
	assert_false(tf_is_archive(tf_bytes_of("")));
	tf_buf_release(&b);
}

static void archives_are_named_by_their_ends(void **state)
{
	(void)state;
	static const char *const names[] = {"a.tar", "a.tar.gz", "a.tgz", "a.tar.zst", "a.tzst", "a.zip"},
				*const others[] = {"a", "tar", ".tar", "d/.zip", "a.tar.", "a.gz", "a.zst", "a.tar.xz", "a.zip/b"};
	size_t len;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		assert_true(tf_is_archive_name(names[i], &len));
		assert_int_equal(len, 1);
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_false(tf_is_archive_name(others[i], &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folders_stay_as_they_come_and_files_are_sorted),
		cmocka_unit_test(all_at_once_is_one_batch),
		cmocka_unit_test(of_one_name_the_last_counts),
		cmocka_unit_test(names_lead_nowhere),
		cmocka_unit_test(what_is_no_file_is_passed_over),
		cmocka_unit_test(a_member_in_pieces_is_what_it_is_in_memory),
		cmocka_unit_test(before_a_cut_all_is_there),
		cmocka_unit_test(a_damaged_header_costs_one_member),
		cmocka_unit_test(a_zip_is_read_by_its_directory),
		cmocka_unit_test(a_wrong_checksum_is_told_of_the_member),
		cmocka_unit_test(a_size_beyond_the_file_is_a_cut),
		cmocka_unit_test(archives_lie_in_archives),
		cmocka_unit_test(a_promise_out_of_proportion_ends_the_list),
		cmocka_unit_test(archives_are_known_by_their_bytes),
		cmocka_unit_test(archives_are_named_by_their_ends),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
