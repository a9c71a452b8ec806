/* Bytes that come in pieces: a file's content, inflated as it is read, so that no file need fit into memory. */
#ifndef TF_IO_STREAM_H
#define TF_IO_STREAM_H

#include <stdbool.h>

#include "lib/base/bytes.h"
#include "lib/base/error.h"

/* Where the stored bytes are: in memory, or in a file of which pieces are read. Both borrowed. */
struct tf_stored {
	struct tf_bytes bytes; /* data NULL: in the file */
	int fd;
	bool compressed; /* gzip: one member or several */
};

struct tf_stream {
	struct tf_stored from;
	int64_t at;	      /* how much of what is stored was used */
	uint64_t total_bytes; /* handed out so far */
	bool cut;	      /* the gzip stream ends early or is damaged: what came before it was handed out */
	struct tf_bytes ready; /* stored bytes at hand */
	uint8_t *input, *output; /* buffers of a file's and of inflated pieces */
	void *inflater;		 /* private to stream.c */
	bool ended;
};

/* A stream from the beginning. Close it, even if this fails. 0, or -1 when out of memory. */
int tf_stream_open(struct tf_stream *s, const struct tf_stored *from, struct tf_error *err);

/*
 * The next piece, borrowed until the next call. 1, or 0 at the end (damage included: `cut`), or -1: TF_EIO, or TF_ELIMIT for a
 * stream that inflates beyond all bounds.
 */
int tf_stream_next(struct tf_stream *s, struct tf_bytes *piece, struct tf_error *err);

/* Idempotent; accepts a zeroed stream. */
void tf_stream_close(struct tf_stream *s);

#endif
