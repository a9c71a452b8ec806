/* zlib and libzstd behind one face. */
#include "lib/io/inflate.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* 2^27 bytes is the largest window that the zstd program uses by itself. */
enum { GZIP_LEAST_BYTES = 18, WINDOW_LOG_MAX = 27 };

struct tf_inflater {
	enum tf_codec codec;
	z_stream gzip;
	ZSTD_DCtx *zstd;
};

static const uint8_t gzip_magic[] = {0x1f, 0x8b}, zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};

static bool begins(struct tf_bytes b, const uint8_t *magic, size_t len)
{
	return b.len > 0 && memcmp(b.data, magic, b.len < len ? b.len : len) == 0;
}

/* Frames that hold no content, as parallel compressors write: 0x184D2A50 to 0x184D2A5F. */
static bool is_skippable(struct tf_bytes b)
{
	static const uint8_t rest[] = {0x2a, 0x4d, 0x18};
	return b.len > 0 && b.data[0] >> 4 == 5 && (b.len == 1 || begins((struct tf_bytes){b.data + 1, b.len - 1}, rest, sizeof rest));
}

const char *tf_codec_name(enum tf_codec codec)
{
	return codec == TF_CODEC_ZSTD ? "zstd" : "gzip";
}

enum tf_codec tf_codec_of(struct tf_bytes head)
{
	if (head.len >= GZIP_LEAST_BYTES && begins(head, gzip_magic, sizeof gzip_magic))
		return TF_CODEC_GZIP;
	if (head.len >= sizeof zstd_magic && (begins(head, zstd_magic, sizeof zstd_magic) || is_skippable(head)))
		return TF_CODEC_ZSTD;
	return TF_CODEC_NONE;
}

struct tf_inflater *tf_inflater_new(enum tf_codec codec)
{
	struct tf_inflater *i = calloc(1, sizeof *i);

	if (!i)
		return NULL;
	i->codec = codec;
	if (codec == TF_CODEC_ZSTD) {
		i->zstd = ZSTD_createDCtx();
		if (i->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(i->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
			return i;
		ZSTD_freeDCtx(i->zstd);
	} else if (inflateInit2(&i->gzip, 15 + 32) == Z_OK) {
		return i;
	}
	free(i);
	return NULL;
}

void tf_inflater_free(struct tf_inflater *i)
{
	if (!i)
		return;
	if (i->codec == TF_CODEC_GZIP)
		inflateEnd(&i->gzip);
	ZSTD_freeDCtx(i->zstd);
	free(i);
}

static enum tf_inflated inflate_gzip(z_stream *z, struct tf_bytes *in, uint8_t *out, size_t *len, size_t room)
{
	size_t chunk = in->len < UINT_MAX ? in->len : UINT_MAX;

	z->next_in = (Bytef *)(uintptr_t)in->data;
	z->avail_in = (uInt)chunk;
	z->next_out = out + *len;
	z->avail_out = (uInt)(room - *len);
	int code = inflate(z, Z_NO_FLUSH);
	in->data += chunk - z->avail_in;
	in->len -= chunk - z->avail_in;
	*len = room - z->avail_out;
	if (code == Z_STREAM_END)
		inflateReset(z);
	return code == Z_STREAM_END ? TF_INFLATED_END : code == Z_OK ? TF_INFLATED_MORE : TF_INFLATED_FAULT;
}

static enum tf_inflated inflate_zstd(ZSTD_DCtx *d, struct tf_bytes *in, uint8_t *out, size_t *len, size_t room)
{
	ZSTD_inBuffer from = {in->data, in->len, 0};
	ZSTD_outBuffer to = {out, room, *len};
	size_t left = ZSTD_decompressStream(d, &to, &from);
	bool moved = from.pos > 0 || to.pos > *len;

	in->data += from.pos;
	in->len -= from.pos;
	*len = to.pos;
	if (ZSTD_isError(left))
		return TF_INFLATED_FAULT;
	return left == 0 ? TF_INFLATED_END : moved ? TF_INFLATED_MORE : TF_INFLATED_FAULT;
}

enum tf_inflated tf_inflate(struct tf_inflater *i, struct tf_bytes *in, uint8_t *out, size_t *len, size_t room)
{
	return i->codec == TF_CODEC_ZSTD ? inflate_zstd(i->zstd, in, out, len, room) : inflate_gzip(&i->gzip, in, out, len, room);
}

bool tf_inflater_continues(const struct tf_inflater *i, struct tf_bytes next)
{
	return i->codec == TF_CODEC_ZSTD ? begins(next, zstd_magic, sizeof zstd_magic) || is_skippable(next)
					 : begins(next, gzip_magic, sizeof gzip_magic);
}
