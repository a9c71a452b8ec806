/* The codecs that contents are compressed with: gzip (zlib) and Zstandard (libzstd). */
#ifndef TF_IO_INFLATE_H
#define TF_IO_INFLATE_H

#include <stdbool.h>

#include "lib/base/bytes.h"

enum tf_codec { TF_CODEC_NONE, TF_CODEC_GZIP, TF_CODEC_ZSTD };

/* "gzip" or "zstd". Static. */
const char *tf_codec_name(enum tf_codec codec);

/* By the magic number that the first bytes begin with. What is too short to be a whole gzip stream is none. */
enum tf_codec tf_codec_of(struct tf_bytes head);

struct tf_inflater;

/* An inflater of a codec other than none; NULL when out of memory. Owned: tf_inflater_free(). */
struct tf_inflater *tf_inflater_new(enum tf_codec codec);
void tf_inflater_free(struct tf_inflater *i);

enum tf_inflated {
	TF_INFLATED_MORE,  /* goes on */
	TF_INFLATED_END,   /* a member (gzip) or frame (zstd) ends here; the inflater is ready for another one */
	TF_INFLATED_FAULT, /* damage, or nothing is left to read */
};

/*
 * Inflates from `in`, which shrinks by what was used (no input: what is still inside), to `out`, of which *len bytes are filled and up to
 * `room` may be. Zstandard needs at most 128 MiB for its window: a frame that asks for more is a fault.
 */
enum tf_inflated tf_inflate(struct tf_inflater *i, struct tf_bytes *in, uint8_t *out, size_t *len, size_t room);

/* True if a further member may begin with these bytes, of which one is enough to say so at the end of what is stored. */
bool tf_inflater_continues(const struct tf_inflater *i, struct tf_bytes next);

#endif
