/* Summary values: which kind a value is of, by field, dtype and plugin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "lib/decode/summary.h"
#include "tests/unit/support_proto.h"
#include "tests/unit/support_sink.h"

enum { TAG = 1, SIMPLE = 2, IMAGE = 4, HISTO = 5, AUDIO = 6, TENSOR = 8, METADATA = 9 };
enum { DT_FLOAT = 1, DT_DOUBLE = 2, DT_INT32 = 3, DT_STRING = 7 };

/* Reads the summaries, one record each, and releases them; the sink must be told `want`. Returns the issues noted. */
static size_t reads(struct tf_buf *summaries, size_t n, const char *want)
{
	struct tf_buf log = {0};
	const struct tf_row_sink sink = sk_sink(&log);
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_arena ledger = {0};
	struct tf_values v = {.sink = &sink, .file = &file, .ledger = &ledger, .step = 7, .offset = 40, .wall_time = 1001};
	struct tf_error err = {0};

	tf_buf_text(&log, "");
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(tf_read_summary(&v, pb_view(&summaries[i]), &err), 0);
		tf_arena_reset(&v.arena);
		tf_buf_release(&summaries[i]);
	}
	assert_string_equal(log.data, want);
	for (size_t i = 0; i < file.issue_count; i++) {
		assert_int_equal(file.issues[i].code, TF_ISSUE_PROTO_ERROR);
		assert_int_equal(file.issues[i].offset, 40); /* of the record */
	}
	assert_int_equal(file.skipped_records, file.issue_total);
	tf_values_release(&v);
	tf_arena_release(&ledger);
	tf_buf_release(&log);
	return file.issue_total;
}

/* A value of this tag; `plugin` (or NULL) and `content` (or NULL) make its metadata. */
static struct tf_buf value_of(const char *tag, const char *plugin, const struct tf_buf *content)
{
	struct tf_buf value = {0}, metadata = {0}, data = {0};

	pb_text(&value, TAG, tag);
	if (!plugin)
		return value;
	pb_text(&data, 1, plugin);
	if (content)
		pb_bytes(&data, 2, content->data, content->len);
	pb_message(&metadata, 1, &data);
	pb_message(&value, METADATA, &metadata);
	return value;
}

/* A summary of one value, which is released. */
static struct tf_buf summary_of(struct tf_buf value)
{
	struct tf_buf summary = {0};

	pb_message(&summary, 1, &value);
	return summary;
}

/* The value with a tensor, which is released, as a summary. */
static struct tf_buf with_tensor(struct tf_buf value, struct tf_buf tensor)
{
	pb_message(&value, TENSOR, &tensor);
	return summary_of(value);
}

static struct tf_buf tensor(int dtype, size_t rank, const int64_t *sizes)
{
	struct tf_buf b = {0}, shape = {0};

	pb_varint(&b, 1, (uint64_t)dtype);
	for (size_t i = 0; i < rank; i++) {
		struct tf_buf dim = {0};
		pb_varint(&dim, 1, (uint64_t)sizes[i]);
		pb_message(&shape, 2, &dim);
	}
	pb_bytes(&b, 2, shape.data ? shape.data : "", shape.len);
	tf_buf_release(&shape);
	return b;
}

static struct tf_buf strings(size_t n, const char *const *texts)
{
	const int64_t size = (int64_t)n;
	struct tf_buf b = tensor(DT_STRING, 1, &size);

	for (size_t i = 0; i < n; i++)
		pb_text(&b, 8, texts[i]);
	return b;
}

static void simple_values_are_scalars(void **state)
{
	(void)state;
	struct tf_buf value = value_of("loss", NULL, NULL);
	pb_float(&value, SIMPLE, 0.25f);
	struct tf_buf s = summary_of(value);
	assert_int_equal(reads(&s, 1, "scalar loss 0.25\n"), 0);
}

static void a_simple_value_of_zero_is_a_value(void **state)
{
	(void)state;
	struct tf_buf value = value_of("loss", NULL, NULL);
	pb_float(&value, SIMPLE, 0);
	struct tf_buf s = summary_of(value);
	reads(&s, 1, "scalar loss 0\n");
}

static void all_values_of_a_summary_are_passed_in_order(void **state)
{
	(void)state;
	struct tf_buf s = {0};
	for (int i = 1; i <= 3; i++) {
		struct tf_buf value = value_of(i == 2 ? "b" : "a", NULL, NULL);
		pb_float(&value, SIMPLE, (float)i);
		pb_message(&s, 1, &value);
	}
	reads(&s, 1, "scalar a 1\nscalar b 2\nscalar a 3\n");
}

static void a_tensor_of_one_number_is_a_scalar_whatever_its_plugin(void **state)
{
	(void)state;
	static const char *const plugins[] = {NULL, "scalars", "mine"};
	static const int64_t one[] = {1, 1};
	for (size_t i = 0; i < 3; i++) {
		struct tf_buf t = tensor(DT_DOUBLE, i, one);
		pb_double(&t, 6, 2.5);
		struct tf_buf s = with_tensor(value_of("loss", plugins[i], NULL), t);
		reads(&s, 1, "scalar loss 2.5\n");
	}
}

static void other_tensors_keep_dtype_shape_and_values(void **state)
{
	(void)state;
	static const int64_t sizes[] = {2, 2};
	struct tf_buf t = tensor(DT_INT32, 2, sizes);
	pb_bytes(&t, 7, "\x01\x02\x03\x04", 4);
	struct tf_buf s = with_tensor(value_of("m", "pr_curves", NULL), t);
	reads(&s, 1, "tensor m int32[2,2] 4 bytes [1,2,3,4]\n");
}

static void values_that_are_no_numbers_are_null_in_a_tensor(void **state)
{
	(void)state;
	static const int64_t two = 2;
	struct tf_buf t = tensor(DT_DOUBLE, 1, &two);
	pb_double(&t, 6, (double)NAN);
	pb_double(&t, 6, 0.5);
	struct tf_buf s = with_tensor(value_of("m", NULL, NULL), t);
	reads(&s, 1, "tensor m double[2] 0 bytes [null,0.5]\n");
}

static void tensors_without_values_or_too_large_have_none(void **state)
{
	(void)state;
	static const int64_t sizes[] = {4097, 0, -1, 3};
	struct tf_buf s[4];
	for (size_t i = 0; i < 4; i++) {
		struct tf_buf t = tensor(DT_INT32, 1, &sizes[i]);
		if (sizes[i] > 1000 || sizes[i] < 0)
			pb_bytes(&t, 7, "\x05", 1);
		s[i] = with_tensor(value_of("m", NULL, NULL), t);
	}
	reads(s, 4,
	      "tensor m int32[4097] 1 bytes -\n" /* one more than are kept */
	      "tensor m int32[0] 0 bytes -\n"
	      "tensor m int32[-1] 1 bytes -\n"
	      "tensor m int32[3] 0 bytes -\n");
}

static void complex_tensors_are_listed_without_values(void **state)
{
	(void)state;
	struct tf_buf t = tensor(8, 0, NULL);
	pb_bytes(&t, 9, "\0\0\0\0\0\0\0\0", 8);
	struct tf_buf s = with_tensor(value_of("z", NULL, NULL), t);
	reads(&s, 1, "tensor z other[] 8 bytes -\n");
}

/* TF 1: right edges; the first bucket begins at the minimum. */
static void old_histograms_packed_and_unpacked(void **state)
{
	(void)state;
	static const double limits[] = {0, 1, 3}, weights[] = {1, 2, 3};
	struct tf_buf s[2];
	for (int packed = 0; packed < 2; packed++) {
		struct tf_buf value = value_of("w", NULL, NULL), h = {0};
		static const double head[] = {-1, 2.5, 6, 9, 20};
		for (uint32_t f = 1; f <= 5; f++)
			pb_double(&h, f, head[f - 1]);
		for (int i = 0; i < 3 && !packed; i++) {
			pb_double(&h, 6, limits[i]);
			pb_double(&h, 7, weights[i]);
		}
		if (packed) {
			pb_bytes(&h, 6, (const char *)limits, sizeof limits);
			pb_bytes(&h, 7, (const char *)weights, sizeof weights);
		}
		pb_message(&value, HISTO, &h);
		s[packed] = summary_of(value);
	}
	reads(s, 2,
	      "histogram w n=6 min=-1 max=2.5 sum=9 squares=20 -1..0:1 0..1:2 1..3:3\n"
	      "histogram w n=6 min=-1 max=2.5 sum=9 squares=20 -1..0:1 0..1:2 1..3:3\n");
}

static void a_limit_without_a_weight_is_no_bucket(void **state)
{
	(void)state;
	struct tf_buf value = value_of("w", NULL, NULL), h = {0};
	pb_double(&h, 3, 4);
	pb_double(&h, 6, 1);
	pb_double(&h, 6, 2);
	pb_double(&h, 7, 4);
	pb_message(&value, HISTO, &h);
	struct tf_buf s = summary_of(value);
	reads(&s, 1, "histogram w n=4 min=0 max=0 sum=0 squares=0 0..1:4\n");
}

static void a_histogram_may_be_empty(void **state)
{
	(void)state;
	struct tf_buf value = value_of("w", NULL, NULL), h = {0};
	pb_double(&h, 3, 0);
	pb_message(&value, HISTO, &h);
	struct tf_buf s = summary_of(value);
	reads(&s, 1, "histogram w n=0 min=0 max=0 sum=0 squares=0\n");
}

/* TF 2: rows of left, right, count; least and most are those of buckets that hold something. */
static void new_histograms_are_tensors_of_rows(void **state)
{
	(void)state;
	static const int64_t sizes[] = {4, 3};
	static const double rows[] = {0, 1, 0, 1, 2, 4, 2, 3, 6, 3, 4, 0};
	struct tf_buf t = tensor(DT_DOUBLE, 2, sizes);
	pb_bytes(&t, 4, (const char *)rows, sizeof rows);
	struct tf_buf s = with_tensor(value_of("w", "histograms", NULL), t);
	reads(&s, 1, "histogram w n=10 min=1 max=3 sum=nan squares=nan 0..1:0 1..2:4 2..3:6 3..4:0\n");
}

static void the_same_tensor_of_another_plugin_is_no_histogram(void **state)
{
	(void)state;
	static const int64_t sizes[] = {1, 3};
	static const double row[] = {0, 1, 2};
	struct tf_buf t = tensor(DT_DOUBLE, 2, sizes);
	pb_bytes(&t, 4, (const char *)row, sizeof row);
	struct tf_buf s = with_tensor(value_of("w", "mine", NULL), t);
	reads(&s, 1, "tensor w double[1,3] 24 bytes [0,1,2]\n");
}

static void a_new_histogram_may_have_no_buckets(void **state)
{
	(void)state;
	static const int64_t sizes[] = {0, 3}; /* what TF 2 writes for an empty tensor */
	struct tf_buf s = with_tensor(value_of("w", "histograms", NULL), tensor(DT_DOUBLE, 2, sizes));
	reads(&s, 1, "histogram w n=0 min=nan max=nan sum=nan squares=nan\n");
}

/* A TensorProto need not repeat its last value. */
static void a_value_written_once_is_that_of_all_buckets(void **state)
{
	(void)state;
	static const int64_t sizes[] = {2, 3};
	struct tf_buf t = tensor(DT_DOUBLE, 2, sizes);
	pb_double(&t, 6, 2);
	struct tf_buf s = with_tensor(value_of("w", "histograms", NULL), t);
	reads(&s, 1, "histogram w n=4 min=2 max=2 sum=nan squares=nan 2..2:2 2..2:2\n");
}

static void no_buckets_are_made_up_of_a_promise(void **state)
{
	(void)state;
	static const int64_t sizes[] = {INT64_C(1) << 40, 3};
	struct tf_buf t = tensor(DT_DOUBLE, 2, sizes);
	pb_double(&t, 6, 2);
	struct tf_buf s = with_tensor(value_of("w", "histograms", NULL), t);
	reads(&s, 1, "tensor w double[1099511627776,3] 0 bytes -\n");
}

static void strings_are_text_whatever_the_plugin(void **state)
{
	(void)state;
	static const char *const one[] = {"hello"}, *const table[] = {"a", "", "b"};
	struct tf_buf s[] = {with_tensor(value_of("t", "text", NULL), strings(1, one)), with_tensor(value_of("u", NULL, NULL), strings(1, one)),
			     with_tensor(value_of("v", "text", NULL), strings(3, table))};
	reads(s, 3, "text t 'hello'\ntext u 'hello'\ntext v 'a\n\nb'\n");
}

static void a_tensor_of_no_strings_is_counted(void **state)
{
	(void)state;
	struct tf_buf s = with_tensor(value_of("t", "text", NULL), strings(0, NULL));
	reads(&s, 1, "counted t empty\n");
}

/* Width, height, then a picture each; encodings go by their first bytes. */
static void images_of_tf2(void **state)
{
	(void)state;
	static const char *const pictures[] = {"32", "16", "\x89PNG....", "\xff\xd8\xff\xe0", "GIF89a", "BM12", "what"};
	struct tf_buf s = with_tensor(value_of("i", "images", NULL), strings(7, pictures));
	reads(&s, 1,
	      "image i 32x16 png 8 bytes\nimage i 32x16 jpeg 4 bytes\nimage i 32x16 gif 6 bytes\n"
	      "image i 32x16 bmp 4 bytes\nimage i 32x16 - 4 bytes\n");
}

static void sizes_of_images_that_are_no_numbers_are_unknown(void **state)
{
	(void)state;
	static const char *const pictures[] = {"wide", "", "GIF89a"};
	struct tf_buf s = with_tensor(value_of("i", "images", NULL), strings(3, pictures));
	reads(&s, 1, "image i gif 6 bytes\n");
}

static void sizes_without_a_picture_are_no_image(void **state)
{
	(void)state;
	static const char *const sizes[] = {"32", "16"};
	struct tf_buf s = with_tensor(value_of("i", "images", NULL), strings(2, sizes));
	reads(&s, 1, "");
}

/* Bytes of a WAV file: 16-bit samples at 8 kHz, the chunk of another program before them, and so many frames. */
static struct tf_buf wav_of(unsigned channels, unsigned frames)
{
	const unsigned bytes = 2 * channels * frames;
	const unsigned char format[] = {1, 0, (unsigned char)channels, 0, 0x40, 0x1f, 0, 0, 0, 0, 0, 0, (unsigned char)(2 * channels), 0, 16, 0};
	struct tf_buf b = {0};

	tf_buf_add(&b, "RIFF\0\0\0\0WAVELIST\3\0\0\0abc\0fmt \20\0\0\0", 32);
	tf_buf_add(&b, (const char *)format, sizeof format);
	tf_buf_add(&b, "data", 4);
	tf_buf_char(&b, (char)bytes);
	tf_buf_add(&b, "\0\0\0", 3);
	for (unsigned i = 0; i < bytes; i++)
		tf_buf_char(&b, '\0');
	return b;
}

static void images_and_audio_of_tf1(void **state)
{
	(void)state;
	struct tf_buf image = {0}, audio = {0}, value = value_of("i", NULL, NULL);
	pb_varint(&image, 1, 16); /* height comes first */
	pb_varint(&image, 2, 32);
	pb_text(&image, 4, "\x89PNG....");
	pb_message(&value, IMAGE, &image);
	struct tf_buf s[2] = {summary_of(value)};
	value = value_of("a", NULL, NULL);
	pb_float(&audio, 1, 44100);
	pb_varint(&audio, 2, 2);
	pb_varint(&audio, 3, 77);
	pb_text(&audio, 4, "OggS....");
	pb_message(&value, AUDIO, &audio);
	s[1] = summary_of(value);
	reads(s, 2, "image i 32x16 png 8 bytes\naudio a ogg 8 bytes 44100 Hz 2 x 77\n");
}

/* Rows of a clip and its label; one column: clips alone, as TensorBoard reads them. */
static void audio_of_tf2(void **state)
{
	(void)state;
	static const int64_t sizes[] = {2, 2};
	static const char *const clips[] = {"fLaC....", "label", "RIFF..", "label"}, *const alone[] = {"fLaC", "ID3"};
	struct tf_buf t = tensor(DT_STRING, 2, sizes);
	for (size_t i = 0; i < 4; i++)
		pb_text(&t, 8, clips[i]);
	struct tf_buf s[] = {with_tensor(value_of("a", "audio", NULL), t), with_tensor(value_of("b", "audio", NULL), strings(2, alone))};
	reads(s, 2, "audio a flac 8 bytes\naudio a - 6 bytes\naudio b flac 4 bytes\naudio b mp3 3 bytes\n");
}

static void a_wav_file_tells_rate_channels_and_frames(void **state)
{
	(void)state;
	static const int64_t one = 1;
	for (unsigned channels = 1; channels <= 2; channels++) {
		struct tf_buf wav = wav_of(channels, 5), t = tensor(DT_STRING, 1, &one), log = {0};
		pb_bytes(&t, 8, wav.data, wav.len);
		struct tf_buf s = with_tensor(value_of("a", "audio", NULL), t);
		tf_buf_printf(&log, "audio a wav %zu bytes 8000 Hz %u x 5\n", wav.len, channels);
		reads(&s, 1, log.data);
		tf_buf_release(&wav);
		tf_buf_release(&log);
	}
}

/* Cut anywhere: frames are those that are there, and nothing is made up. */
static void a_wav_file_may_be_cut(void **state)
{
	(void)state;
	static const int64_t one = 1;
	struct tf_buf wav = wav_of(1, 5);
	for (size_t len = 12; len < wav.len; len++) {
		struct tf_buf t = tensor(DT_STRING, 1, &one), log = {0};
		pb_bytes(&t, 8, wav.data, len);
		struct tf_buf s = with_tensor(value_of("a", "audio", NULL), t);
		tf_buf_printf(&log, "audio a wav %zu bytes", len);
		if (len >= 48) /* after `fmt ` */
			tf_buf_printf(&log, " 8000 Hz 1");
		if (len >= 56) /* after the head of `data` */
			tf_buf_printf(&log, " x %zu", (len - 56) / 2);
		tf_buf_char(&log, '\n');
		reads(&s, 1, log.data);
		tf_buf_release(&log);
	}
	tf_buf_release(&wav);
}

static void riff_is_wav_or_webp_or_neither(void **state)
{
	(void)state;
	static const char *const pictures[] = {"1", "1", "RIFF....WEBPVP8", "RIFF....AVI ", "RIFF....WAVE"};
	struct tf_buf s = with_tensor(value_of("i", "images", NULL), strings(5, pictures));
	reads(&s, 1, "image i 1x1 webp 15 bytes\nimage i 1x1 - 12 bytes\nimage i 1x1 wav 12 bytes\n");
}

static void a_tensor_without_a_tag_goes_by_its_node(void **state)
{
	(void)state;
	static const int64_t two = 2;
	for (int tagged = 0; tagged < 2; tagged++) {
		struct tf_buf value = {0}, t = tensor(DT_INT32, 1, &two);
		pb_text(&value, 7, "node");
		if (tagged)
			pb_text(&value, TAG, "tag");
		pb_bytes(&t, 7, "\1\2", 2);
		struct tf_buf s = with_tensor(value, t);
		reads(&s, 1, tagged ? "tensor tag int32[2] 2 bytes [1,2]\n" : "tensor node int32[2] 2 bytes [1,2]\n");
	}
}

static void values_of_metadata_alone_are_counted(void **state)
{
	(void)state;
	struct tf_buf s = summary_of(value_of("m", "mesh", NULL));
	reads(&s, 1, "counted m other\n");
}

/* TF 2 writes the plugin with the first value of a tag and then no more. */
static void a_tag_keeps_the_plugin_of_its_first_value(void **state)
{
	(void)state;
	static const char *const picture[] = {"1", "2", "GIF89a"};
	struct tf_buf s[] = {with_tensor(value_of("i", "images", NULL), strings(3, picture)),
			     with_tensor(value_of("i", NULL, NULL), strings(3, picture)),
			     with_tensor(value_of("i", "text", NULL), strings(3, picture)), /* the first counts */
			     with_tensor(value_of("j", NULL, NULL), strings(3, picture))};
	reads(s, 4, "image i 1x2 gif 6 bytes\nimage i 1x2 gif 6 bytes\nimage i 1x2 gif 6 bytes\ntext j '1\n2\nGIF89a'\n");
}

static void a_plugin_named_later_counts_from_then_on(void **state)
{
	(void)state;
	static const char *const picture[] = {"1", "2", "GIF89a"};
	struct tf_buf s[] = {with_tensor(value_of("i", NULL, NULL), strings(3, picture)),
			     with_tensor(value_of("i", "images", NULL), strings(3, picture))};
	reads(s, 2, "text i '1\n2\nGIF89a'\nimage i 1x2 gif 6 bytes\n");
}

static void values_without_a_tag_share_one(void **state)
{
	(void)state;
	static const char *const clip[] = {"fLaC"};
	struct tf_buf s[] = {with_tensor(value_of("", "audio", NULL), strings(1, clip)), with_tensor(value_of("", NULL, NULL), strings(1, clip))};
	reads(s, 2, "audio  flac 4 bytes\naudio  flac 4 bytes\n");
}

static void hparams_of_each_type(void **state)
{
	(void)state;
	struct tf_buf content = {0}, start = {0};
	for (int i = 0; i < 4; i++) {
		struct tf_buf pair = {0}, v = {0};
		if (i == 0)
			pb_double(&v, 2, 0.5);
		else if (i == 1)
			pb_text(&v, 3, "adam");
		else if (i == 2)
			pb_varint(&v, 4, 2); /* anything but 0 is true */
		else
			pb_varint(&v, 1, 0); /* null: no value */
		pb_text(&pair, 1, i == 0 ? "lr" : i == 1 ? "opt" : i == 2 ? "aug" : "none");
		pb_bytes(&pair, 2, v.data, v.len);
		tf_buf_release(&v);
		pb_message(&start, 1, &pair);
	}
	pb_message(&content, 3, &start);
	struct tf_buf s = summary_of(value_of("_hparams_/session_start_info", "hparams", &content));
	tf_buf_release(&content);
	reads(&s, 1,
	      "trial\nhparam lr number 0.5 ''\nhparam opt string 0 'adam'\nhparam aug bool 1 ''\n"
	      "counted _hparams_/session_start_info hparams\n");
}

static void hparams_without_content_are_counted(void **state)
{
	(void)state;
	struct tf_buf s = summary_of(value_of("h", "hparams", NULL));
	assert_int_equal(reads(&s, 1, "counted h hparams\n"), 0);
}

static void a_malformed_tensor_costs_its_value(void **state)
{
	(void)state;
	struct tf_buf s = {0}, bad = value_of("bad", NULL, NULL), good = value_of("good", NULL, NULL);
	pb_bytes(&bad, TENSOR, "\x08", 1);
	pb_float(&good, SIMPLE, 1);
	pb_message(&s, 1, &bad);
	pb_message(&s, 1, &good);
	assert_int_equal(reads(&s, 1, "scalar good 1\n"), 1);
}

static void a_malformed_value_costs_itself(void **state)
{
	(void)state;
	struct tf_buf s = {0}, bad = value_of("bad", NULL, NULL), good = value_of("good", NULL, NULL);
	pb_float(&bad, SIMPLE, 1);
	tf_buf_add(&bad, "\x0b", 1); /* a group */
	pb_float(&good, SIMPLE, 2);
	pb_message(&s, 1, &bad);
	pb_message(&s, 1, &good);
	assert_int_equal(reads(&s, 1, "scalar good 2\n"), 1);
}

static void a_summary_cut_after_a_value_keeps_it(void **state)
{
	(void)state;
	struct tf_buf value = value_of("loss", NULL, NULL);
	pb_float(&value, SIMPLE, 1);
	struct tf_buf s = summary_of(value);
	tf_buf_add(&s, "\x0a\x05\x0a", 3);
	assert_int_equal(reads(&s, 1, "scalar loss 1\n"), 1);
}

static void a_value_in_a_field_of_another_type_does_not_count(void **state)
{
	(void)state;
	struct tf_buf value = value_of("v", NULL, NULL);
	pb_double(&value, SIMPLE, 1);
	pb_varint(&value, TENSOR, 1);
	struct tf_buf s = summary_of(value);
	assert_int_equal(reads(&s, 1, "counted v other\n"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simple_values_are_scalars),
		cmocka_unit_test(a_simple_value_of_zero_is_a_value),
		cmocka_unit_test(all_values_of_a_summary_are_passed_in_order),
		cmocka_unit_test(a_tensor_of_one_number_is_a_scalar_whatever_its_plugin),
		cmocka_unit_test(other_tensors_keep_dtype_shape_and_values),
		cmocka_unit_test(values_that_are_no_numbers_are_null_in_a_tensor),
		cmocka_unit_test(tensors_without_values_or_too_large_have_none),
		cmocka_unit_test(complex_tensors_are_listed_without_values),
		cmocka_unit_test(old_histograms_packed_and_unpacked),
		cmocka_unit_test(a_limit_without_a_weight_is_no_bucket),
		cmocka_unit_test(a_histogram_may_be_empty),
		cmocka_unit_test(new_histograms_are_tensors_of_rows),
		cmocka_unit_test(the_same_tensor_of_another_plugin_is_no_histogram),
		cmocka_unit_test(a_new_histogram_may_have_no_buckets),
		cmocka_unit_test(a_value_written_once_is_that_of_all_buckets),
		cmocka_unit_test(no_buckets_are_made_up_of_a_promise),
		cmocka_unit_test(strings_are_text_whatever_the_plugin),
		cmocka_unit_test(a_tensor_of_no_strings_is_counted),
		cmocka_unit_test(images_of_tf2),
		cmocka_unit_test(sizes_of_images_that_are_no_numbers_are_unknown),
		cmocka_unit_test(sizes_without_a_picture_are_no_image),
		cmocka_unit_test(images_and_audio_of_tf1),
		cmocka_unit_test(audio_of_tf2),
		cmocka_unit_test(a_wav_file_tells_rate_channels_and_frames),
		cmocka_unit_test(a_wav_file_may_be_cut),
		cmocka_unit_test(riff_is_wav_or_webp_or_neither),
		cmocka_unit_test(a_tensor_without_a_tag_goes_by_its_node),
		cmocka_unit_test(values_of_metadata_alone_are_counted),
		cmocka_unit_test(a_tag_keeps_the_plugin_of_its_first_value),
		cmocka_unit_test(a_plugin_named_later_counts_from_then_on),
		cmocka_unit_test(values_without_a_tag_share_one),
		cmocka_unit_test(hparams_of_each_type),
		cmocka_unit_test(hparams_without_content_are_counted),
		cmocka_unit_test(a_malformed_tensor_costs_its_value),
		cmocka_unit_test(a_malformed_value_costs_itself),
		cmocka_unit_test(a_summary_cut_after_a_value_keeps_it),
		cmocka_unit_test(a_value_in_a_field_of_another_type_does_not_count),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
