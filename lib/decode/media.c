/* Pictures and sounds: what their first bytes and their messages say. */
#include "lib/decode/media.h"

#include <math.h>

static const struct tf_media unknown = {.width = TF_NONE, .height = TF_NONE, .sample_rate_hz = (double)NAN, .channels = TF_NONE,
					.frames = TF_NONE};

static const char *encoding_of(struct tf_bytes b)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *name;
	} kinds[] = {{"\x89PNG", 4, "png"}, {"\xff\xd8\xff", 3, "jpeg"}, {"GIF8", 4, "gif"}, {"BM", 2, "bmp"}, {"OggS", 4, "ogg"},
		     {"fLaC", 4, "flac"}, {"ID3", 3, "mp3"}};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (b.len >= kinds[i].len && memcmp(b.data, kinds[i].magic, kinds[i].len) == 0)
			return kinds[i].name;
	if (b.len >= 12 && memcmp(b.data, "RIFF", 4) == 0) /* a container: its form says of what */
		return memcmp(b.data + 8, "WAVE", 4) == 0 ? "wav" : memcmp(b.data + 8, "WEBP", 4) == 0 ? "webp" : NULL;
	return NULL;
}

static uint32_t u32_at(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Rate, channels and frames of a WAV file, from its chunks `fmt ` and `data`. */
static void read_wav(struct tf_bytes b, struct tf_media *m)
{
	uint32_t frame_bytes = 0;

	for (size_t at = 12; b.len >= at && b.len - at >= 8;) {
		const uint8_t *chunk = b.data + at;
		size_t size = u32_at(chunk + 4), left = b.len - at - 8;
		if (memcmp(chunk, "fmt ", 4) == 0 && size >= 16 && left >= 16) {
			m->channels = chunk[10] | chunk[11] << 8;
			m->sample_rate_hz = (double)u32_at(chunk + 12);
			frame_bytes = (uint32_t)chunk[20] | (uint32_t)chunk[21] << 8;
		} else if (memcmp(chunk, "data", 4) == 0 && frame_bytes) {
			m->frames = (int64_t)((size < left ? size : left) / frame_bytes);
			return;
		}
		if (size > left)
			return;
		at += 8 + size + (size & 1);
	}
}

static void read_clip(struct tf_bytes clip, struct tf_media *m)
{
	m->bytes = (int64_t)clip.len;
	m->encoding = encoding_of(clip);
	if (m->kind == TF_MEDIA_AUDIO && m->encoding && strcmp(m->encoding, "wav") == 0)
		read_wav(clip, m);
}

int tf_read_old_media(struct tf_values *s, const struct tf_point *at, struct tf_bytes message, bool image, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_media m = unknown;

	m.kind = image ? TF_MEDIA_IMAGE : TF_MEDIA_AUDIO;
	while (tf_wire_next(&w, &f)) {
		if (image && f.number == 1 && f.type == TF_WIRE_VARINT)
			m.height = (int64_t)f.value;
		else if (image && f.number == 2 && f.type == TF_WIRE_VARINT)
			m.width = (int64_t)f.value;
		else if (!image && f.number == 1 && f.type == TF_WIRE_FIXED32)
			m.sample_rate_hz = (double)tf_wire_float(f.value);
		else if (!image && f.number == 2 && f.type == TF_WIRE_VARINT)
			m.channels = (int64_t)f.value;
		else if (!image && f.number == 3 && f.type == TF_WIRE_VARINT)
			m.frames = (int64_t)f.value;
		else if (f.number == 4 && f.type == TF_WIRE_BYTES)
			read_clip(f.bytes, &m);
	}
	return s->sink->media(s->sink->ctx, at, &m, err);
}

/* A size written in digits; TF_NONE if it is anything else. -1 when out of memory. */
static int read_size(struct tf_values *s, struct tf_bytes digits, int64_t *size, struct tf_error *err)
{
	char *text = tf_utf8_repair(&s->arena, digits);

	if (!text)
		return tf_fail_nomem(err);
	if (!tf_parse_i64(text, size))
		*size = TF_NONE;
	return 0;
}

int tf_read_images(struct tf_values *s, const struct tf_point *at, const struct tf_tensor *t, struct tf_error *err)
{
	struct tf_media m = unknown;

	m.kind = TF_MEDIA_IMAGE;
	if (read_size(s, t->texts[0], &m.width, err) < 0 || read_size(s, t->texts[1], &m.height, err) < 0)
		return -1;
	for (size_t i = 2; i < t->count; i++) {
		read_clip(t->texts[i], &m);
		if (s->sink->media(s->sink->ctx, at, &m, err) < 0)
			return -1;
	}
	return 0;
}

int tf_read_audio(struct tf_values *s, const struct tf_point *at, const struct tf_tensor *t, struct tf_error *err)
{
	size_t stride = 1;

	for (size_t i = 1; i < t->rank; i++) /* a row is a clip and what is said of it */
		if (t->dims[i] < 1 || __builtin_mul_overflow(stride, (size_t)t->dims[i], &stride))
			return 0;
	for (size_t i = 0; i < t->count; i += stride) {
		struct tf_media m = unknown;
		m.kind = TF_MEDIA_AUDIO;
		read_clip(t->texts[i], &m);
		if (s->sink->media(s->sink->ctx, at, &m, err) < 0)
			return -1;
		if (t->count - i <= stride)
			break;
	}
	return 0;
}
