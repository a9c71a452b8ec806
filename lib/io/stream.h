/* Bytes that come in pieces: a file's content, inflated as it is read, so that no file need fit into memory. */
#ifndef TF_IO_STREAM_H
#define TF_IO_STREAM_H

#include <stdbool.h>

#include "lib/base/bytes.h"
#include "lib/base/error.h"
#include "lib/base/limits.h"
#include "lib/io/inflate.h"

struct tf_member;
struct tf_member_reader;

/* Where the stored bytes are: in memory, in an archive, or in a file of which pieces are read. All borrowed. */
struct tf_stored {
	struct tf_bytes bytes;	  /* data NULL: not in memory */
	struct tf_member *member; /* NULL: not in an archive either */
	int fd;
	int64_t origin_bytes; /* how much of a file on disk became these bytes, where they were inflated before; 0: as many */
	bool as_stored;	      /* not to be inflated */
};

struct tf_stream {
	struct tf_stored from;
	enum tf_codec codec;  /* as the first bytes tell */
	int64_t at;	      /* how much of what is stored was used */
	uint64_t total_bytes; /* handed out so far */
	bool cut;	      /* the compressed stream or the archive ends early or is damaged: what came before was handed out */
	struct tf_bytes ready; /* stored bytes at hand */
	uint8_t *input, *output; /* buffers of a file's and of inflated pieces */
	struct tf_inflater *inflater;
	struct tf_member_reader *reader;
	bool ended;
};

/* A stream from the beginning. Close it, even if this fails. 0, or -1: TF_ENOMEM, or TF_EIO, where the first bytes cannot be read. */
int tf_stream_open(struct tf_stream *s, const struct tf_stored *from, struct tf_error *err);

/*
 * The next piece, borrowed until the next call. 1, or 0 at the end (damage included: `cut`), or -1: TF_EIO, or TF_ELIMIT for a
 * stream that inflates beyond all bounds.
 */
int tf_stream_next(struct tf_stream *s, struct tf_bytes *piece, struct tf_error *err);

/* How many bytes of a file on disk were used for what was handed out: with total_bytes, how far the stream was compressed. */
int64_t tf_stream_origin_bytes(const struct tf_stream *s);

/* True if that many bytes are more than what may be anything, and out of all proportion to what they were on disk. */
static inline bool tf_is_bomb(uint64_t inflated_bytes, uint64_t free_bytes, int64_t origin_bytes)
{
	return inflated_bytes > free_bytes && inflated_bytes / TF_LIMIT_INFLATED_RATIO > (uint64_t)origin_bytes;
}

/* Where the bytes are as they are stored, the stream can go on at any of them: how many they are, -1 where it cannot. */
int64_t tf_stream_seekable_bytes(const struct tf_stream *s);

/* Goes on at an offset up to that number. */
void tf_stream_seek(struct tf_stream *s, int64_t at);

/* Idempotent; accepts a zeroed stream. */
void tf_stream_close(struct tf_stream *s);

#endif
