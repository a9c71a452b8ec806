/* What kind of file some bytes are: content decides, a name only between messages that look alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "lib/decode/sniff.h"
#include "tests/unit/support_proto.h"

/* The kind of these bytes, read from a block of just their size. */
static enum tf_file_kind kind_of(struct tf_bytes b, const char *name)
{
	uint8_t *copy = malloc(b.len ? b.len : 1);
	assert_non_null(copy);
	if (b.len)
		memcpy(copy, b.data, b.len);
	enum tf_file_kind kind = tf_sniff((struct tf_bytes){copy, b.len}, true, name);
	free(copy);
	return kind;
}

static enum tf_file_kind kind_of_text(const char *text, const char *name)
{
	return kind_of(tf_bytes_of(text), name);
}

/* A capture of one plane with a name and a line of one event. */
static struct tf_buf capture(void)
{
	struct tf_buf space = {0}, plane = {0}, line = {0}, event = {0};
	pb_varint(&event, 1, 1);
	pb_varint(&event, 3, 1000);
	pb_varint(&line, 1, 1);
	pb_text(&line, 2, "main");
	pb_message(&line, 4, &event);
	pb_varint(&plane, 1, 1);
	pb_text(&plane, 2, "/host:CPU");
	pb_message(&plane, 3, &line);
	pb_message(&space, 1, &plane);
	pb_text(&space, 4, "host");
	return space;
}

/* A profile of pprof: sample type (1, 2), a sample, and the table of strings. */
static struct tf_buf pprof(void)
{
	struct tf_buf b = {0}, type = {0}, sample = {0};
	pb_varint(&type, 1, 1);
	pb_varint(&type, 2, 2);
	pb_message(&b, 1, &type);
	pb_varint(&sample, 1, 1);
	pb_varint(&sample, 2, 100);
	pb_message(&b, 2, &sample);
	pb_text(&b, 6, "");
	pb_text(&b, 6, "space");
	pb_text(&b, 6, "bytes");
	return b;
}

static const char *const names[] = {"anything", "h.xplane.pb", "h.trace.json.gz", "events.out.tfevents.1.h", "x.prof", "a.txt"};
enum { NAMES = sizeof names / sizeof names[0] };

static void a_capture_is_one_under_any_name(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	for (size_t i = 0; i < NAMES; i++)
		if (i != 3) /* a file called tfevents is searched for records and taken for one that has none left */
			assert_int_equal(kind_of(pb_view(&b), names[i]), TF_FILE_XSPACE);
	tf_buf_release(&b);
}

static void a_capture_cut_in_its_plane_is_still_one(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	for (size_t len = 5; len < b.len; len++)
		assert_int_equal(kind_of((struct tf_bytes){(const uint8_t *)b.data, len}, "h.xplane.pb"), TF_FILE_XSPACE);
	tf_buf_release(&b);
}

static void less_than_five_bytes_of_a_plane_say_nothing(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	for (size_t len = 1; len < 5; len++)
		assert_int_equal(kind_of((struct tf_bytes){(const uint8_t *)b.data, len}, "h.xplane.pb"), TF_FILE_UNKNOWN);
	tf_buf_release(&b);
}

/* "\nhello" is field 1 of 104 bytes to protobuf. */
static void text_that_begins_with_an_empty_line_is_no_capture(void **state)
{
	(void)state;
	static const char *const texts[] = {"\nhello, this is text\n", "\n\nhello, this is text\n", "\n* item\n", "\nX\nyz, short\n", "\n# Title\n"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		for (size_t k = 0; k < NAMES; k++)
			if (k != 3)
				assert_int_equal(kind_of_text(texts[i], names[k]), TF_FILE_UNKNOWN);
}

static void a_message_of_other_fields_is_no_capture(void **state)
{
	(void)state;
	struct tf_buf plane = {0}, space = {0};
	pb_text(&space, 5, "x");
	assert_int_equal(kind_of(pb_view(&space), "h.xplane.pb"), TF_FILE_UNKNOWN);
	tf_buf_release(&space);
	pb_varint(&plane, 2, 1); /* a name that is a number */
	pb_message(&space, 1, &plane);
	assert_int_equal(kind_of(pb_view(&space), "h.xplane.pb"), TF_FILE_UNKNOWN);
	tf_buf_release(&space);
	/* A plane that is cut: its id, then a field 9 that no plane has, then less than it promises. */
	assert_int_equal(kind_of((struct tf_bytes){(const uint8_t *)"\x0a\x7f\x08\x01\x4a\x01x\x12\x20h", 10}, "h.xplane.pb"), TF_FILE_UNKNOWN);
}

static void an_event_file_is_one_under_any_name(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	pb_version(&b);
	pb_scalar(&b, 1001, 0, "loss", 1);
	for (size_t i = 0; i < NAMES; i++)
		assert_int_equal(kind_of(pb_view(&b), names[i]), TF_FILE_EVENTS);
	tf_buf_release(&b);
}

static void a_wrong_data_crc_does_not_hide_an_event_file(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	pb_version(&b);
	b.data[b.len - 1] ^= 1;
	assert_int_equal(kind_of(pb_view(&b), "anything"), TF_FILE_EVENTS);
	tf_buf_release(&b);
}

static void damage_in_front_needs_the_name(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	for (int i = 0; i < 100; i++)
		tf_buf_char(&b, (char)0xff);
	pb_scalar(&b, 1001, 0, "loss", 1);
	assert_int_equal(kind_of(pb_view(&b), "events.out.tfevents.1.h"), TF_FILE_EVENTS);
	assert_int_equal(kind_of(pb_view(&b), "anything"), TF_FILE_UNKNOWN);
	tf_buf_release(&b);
}

static void a_small_profile_empty_marks_a_profile(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	pb_version(&b); /* 40 bytes: all that TensorFlow writes into it */
	assert_int_equal(kind_of(pb_view(&b), "events.out.tfevents.1.h.profile-empty"), TF_FILE_PROFILE_EMPTY);
	for (int i = 0; i < 6; i++)
		pb_scalar(&b, 1001 + i, i, "loss", 1);
	assert_true(b.len > 256);
	assert_int_equal(kind_of(pb_view(&b), "events.out.tfevents.1.h.profile-empty"), TF_FILE_EVENTS);
	tf_buf_release(&b);
}

static void a_web_page_is_nothing_even_if_it_is_called_tfevents(void **state)
{
	(void)state;
	for (size_t i = 0; i < NAMES; i++)
		assert_int_equal(kind_of_text("<html><body>404 not found</body></html>\n", names[i]), TF_FILE_UNKNOWN);
}

static void json_is_told_by_its_keys(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum tf_file_kind kind;
	} cases[] = {
		{"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}", TF_FILE_TRACE_JSON},
		{" \t\r\n{\"traceEvents\":[", TF_FILE_TRACE_JSON}, /* cut */
		{"[{\"name\":\"a\",\"ph\":\"X\"}", TF_FILE_TRACE_JSON},
		{"{\"ph\":\"X\"}", TF_FILE_UNKNOWN}, /* one event alone is no list */
		{"[1,2,3]", TF_FILE_UNKNOWN},
		{"{\"memoryProfilePerAllocator\":{\"GPU_0_bfc\":{}}}", TF_FILE_MEMORY_JSON},
		{"{\"memoryProfilePerAllocator\":{},\"traceEvents\":[]}", TF_FILE_MEMORY_JSON},
		{"{\"cols\":[],\"rows\":[]}", TF_FILE_VIEWER_JSON},
		{"{\"traceevents\":[]}", TF_FILE_UNKNOWN},
		{"\"traceEvents\"", TF_FILE_UNKNOWN},
		{"   ", TF_FILE_UNKNOWN},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(kind_of_text(cases[i].text, "anything"), cases[i].kind);
		assert_int_equal(kind_of_text(cases[i].text, "h.trace.json.gz"), cases[i].kind);
	}
}

static void the_mark_of_a_trace_may_lie_behind_a_long_head(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	tf_buf_text(&b, "{\"metadata\":\"");
	for (int i = 0; i < 500000; i++)
		tf_buf_char(&b, 'x');
	tf_buf_text(&b, "\",\"traceEvents\":[]}");
	assert_int_equal(kind_of(pb_view(&b), "anything"), TF_FILE_TRACE_JSON);
	tf_buf_release(&b);
}

static void pprof_is_told_from_a_capture(void **state)
{
	(void)state;
	struct tf_buf b = pprof();
	for (size_t i = 0; i < NAMES; i++)
		if (i != 3)
			assert_int_equal(kind_of(pb_view(&b), names[i]), TF_FILE_PPROF);
	tf_buf_release(&b);
}

static void pprof_without_strings_or_with_high_fields_is_none(void **state)
{
	(void)state;
	struct tf_buf b = {0}, type = {0};
	pb_varint(&type, 1, 1);
	pb_message(&b, 1, &type);
	assert_int_not_equal(kind_of(pb_view(&b), "x.prof"), TF_FILE_PPROF);
	tf_buf_release(&b);
	b = pprof();
	pb_varint(&b, 16, 1);
	assert_int_not_equal(kind_of(pb_view(&b), "x.prof"), TF_FILE_PPROF);
	tf_buf_release(&b);
}

static void result_files_are_told_by_name_if_they_are_messages(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum tf_file_kind kind;
	} cases[] = {
		{"h.memory_profile.pb", TF_FILE_MEMORY_PB},	       {"memory_profile.pb", TF_FILE_MEMORY_PB},
		{"h.overview_page.pb", TF_FILE_OVERVIEW_PB},	       {"h.input_pipeline.pb", TF_FILE_INPUT_PIPELINE_PB},
		{"h.tensorflow_stats.pb", TF_FILE_TENSORFLOW_STATS_PB}, {"h.kernel_stats.pb.gz", TF_FILE_KERNEL_STATS_PB},
		{"h.trace", TF_FILE_TRACE_PB},			       {"m.hlo_proto.pb", TF_FILE_HLO_PROTO},
	};
	struct tf_buf b = {0};
	pb_text(&b, 9, "some field");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(kind_of(pb_view(&b), cases[i].name), cases[i].kind);
		assert_int_equal(kind_of_text("plain text", cases[i].name), TF_FILE_UNKNOWN);
	}
	assert_int_equal(kind_of(pb_view(&b), "anything"), TF_FILE_UNKNOWN);
	tf_buf_release(&b);
}

/* Of a large file only the head is at hand: its last field goes on. */
static void a_head_may_end_inside_a_field(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	pb_text(&b, 9, "a field that is longer than the head");
	const struct tf_bytes head = {(const uint8_t *)b.data, b.len - 5};
	assert_int_equal(tf_sniff(head, false, "h.memory_profile.pb"), TF_FILE_MEMORY_PB);
	assert_int_equal(tf_sniff(head, true, "h.memory_profile.pb"), TF_FILE_UNKNOWN);
	tf_buf_release(&b);
}

static void an_empty_file_is_what_its_name_promises(void **state)
{
	(void)state;
	assert_int_equal(kind_of_text("", "h.xplane.pb"), TF_FILE_XSPACE);
	assert_int_equal(kind_of_text("", "h.trace.json.gz"), TF_FILE_TRACE_JSON);
	assert_int_equal(kind_of_text("", "events.out.tfevents.1.h"), TF_FILE_EVENTS);
	assert_int_equal(kind_of_text("", "events.out.tfevents.1.h.profile-empty"), TF_FILE_PROFILE_EMPTY);
	assert_int_equal(kind_of_text("", "README"), TF_FILE_UNKNOWN);
}

static void the_cache_of_xprof_is_left_alone(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	static const char *const caches[] = {"ALL_HOSTS.op_stats.pb", "h.op_stats_v2.pb", "dir/h.SSTABLE", "cache_version.txt",
					     "dir/ALL_HOSTS.xplane.pb"};
	for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
		assert_int_equal(kind_of(pb_view(&b), caches[i]), TF_FILE_XPROF_CACHE);
	assert_int_equal(kind_of(pb_view(&b), "ALL_HOSTS.d/h.xplane.pb"), TF_FILE_XSPACE); /* the file's own name counts */
	tf_buf_release(&b);
}

/* gzip is taken off before; what is left compressed is nothing. */
static void compressed_bytes_are_nothing(void **state)
{
	(void)state;
	const struct tf_bytes gz = {(const uint8_t *)"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0", 20};
	for (size_t i = 0; i < NAMES; i++)
		if (i != 3)
			assert_int_equal(kind_of(gz, names[i]), TF_FILE_UNKNOWN);
}

static void random_bytes_are_nothing_and_do_no_harm(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int round = 0; round < 2000; round++) {
		uint8_t bytes[96];
		size_t len = (size_t)round % sizeof bytes;
		for (size_t i = 0; i < len; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			bytes[i] = (uint8_t)(seed >> 56);
		}
		if (len > 8 && bytes[0] != 0x0a) /* "\n" may begin a plane */
			assert_int_equal(kind_of((struct tf_bytes){bytes, len}, "anything"), TF_FILE_UNKNOWN);
		for (size_t i = 0; i < NAMES; i++)
			kind_of((struct tf_bytes){bytes, len}, names[i]);
	}
}

static void names_promise_kinds_compressed_or_not(void **state)
{
	(void)state;
	assert_int_equal(tf_sniff_name("h.xplane.pb"), TF_FILE_XSPACE);
	assert_int_equal(tf_sniff_name("h.xplane.pb.gz"), TF_FILE_XSPACE);
	assert_int_equal(tf_sniff_name("h.xplane.pbx"), TF_FILE_UNKNOWN);
	assert_int_equal(tf_sniff_name("memory.prof"), TF_FILE_PPROF);
	assert_int_equal(tf_sniff_name(".gz"), TF_FILE_UNKNOWN);
	assert_int_equal(tf_sniff_name("h.xplane.pb.zst"), TF_FILE_XSPACE);
	assert_int_equal(tf_sniff_name("h.trace.json.zst"), TF_FILE_TRACE_JSON);
	assert_int_equal(tf_sniff_name("logs.tar.zst"), TF_FILE_ARCHIVE);
	assert_int_equal(tf_sniff_name("logs.zip/h.xplane.pb"), TF_FILE_XSPACE);
	assert_int_equal(tf_sniff_name("tfevents/events.out.tfevents.1"), TF_FILE_EVENTS);
	assert_int_equal(tf_sniff_name("tfevents/README"), TF_FILE_UNKNOWN);
	assert_int_equal(tf_sniff_name(""), TF_FILE_UNKNOWN);
}

/* A zip by its first bytes; a tar by the sum in its header, here of a header of one letter: 'a' (97) and the sum's own eight spaces (256). */
static void an_archive_is_one_under_any_name(void **state)
{
	(void)state;
	uint8_t tar[512] = {'a'};
	memcpy(tar + 148, "000541", 7); /* 353 */
	assert_int_equal(tf_sniff((struct tf_bytes){tar, sizeof tar}, true, "events.out.tfevents.1"), TF_FILE_ARCHIVE);
	tar[1] = 'b';
	assert_int_equal(tf_sniff((struct tf_bytes){tar, sizeof tar}, true, "x"), TF_FILE_UNKNOWN);
	assert_int_equal(tf_sniff(tf_bytes_of("PK\3\4 and so on"), true, "x"), TF_FILE_ARCHIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_capture_is_one_under_any_name),
		cmocka_unit_test(a_capture_cut_in_its_plane_is_still_one),
		cmocka_unit_test(less_than_five_bytes_of_a_plane_say_nothing),
		cmocka_unit_test(text_that_begins_with_an_empty_line_is_no_capture),
		cmocka_unit_test(a_message_of_other_fields_is_no_capture),
		cmocka_unit_test(an_event_file_is_one_under_any_name),
		cmocka_unit_test(a_wrong_data_crc_does_not_hide_an_event_file),
		cmocka_unit_test(damage_in_front_needs_the_name),
		cmocka_unit_test(a_small_profile_empty_marks_a_profile),
		cmocka_unit_test(a_web_page_is_nothing_even_if_it_is_called_tfevents),
		cmocka_unit_test(json_is_told_by_its_keys),
		cmocka_unit_test(the_mark_of_a_trace_may_lie_behind_a_long_head),
		cmocka_unit_test(pprof_is_told_from_a_capture),
		cmocka_unit_test(pprof_without_strings_or_with_high_fields_is_none),
		cmocka_unit_test(result_files_are_told_by_name_if_they_are_messages),
		cmocka_unit_test(a_head_may_end_inside_a_field),
		cmocka_unit_test(an_empty_file_is_what_its_name_promises),
		cmocka_unit_test(the_cache_of_xprof_is_left_alone),
		cmocka_unit_test(compressed_bytes_are_nothing),
		cmocka_unit_test(random_bytes_are_nothing_and_do_no_harm),
		cmocka_unit_test(names_promise_kinds_compressed_or_not),
		cmocka_unit_test(an_archive_is_one_under_any_name),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
