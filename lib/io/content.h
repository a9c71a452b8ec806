/* One input: a file or standard input, either of them gzip-compressed. Its head at once; all of it, or a stream, when asked. */
#ifndef TF_IO_CONTENT_H
#define TF_IO_CONTENT_H

#include "lib/io/stream.h"

struct tf_content {
	struct tf_bytes content; /* inflated: all of it if `whole`, else the first MiB; owned by the input */
	bool whole;
	int64_t disk_bytes; /* as stored */
	bool cut;	    /* the gzip stream ends early or is damaged: what came before it can be read */
	int64_t cut_offset; /* in the compressed file; both are known once all was read */
	struct tf_stored stored;
	void *raw, *inflated; /* heap that stored and content point to */
	void *mapped;
	size_t mapped_len;
	int fd; /* -1: all is in memory */
};

/*
 * Opens a regular file ("-" is standard input). Never blocks on a pipe or device of that name. Returns 0, or -1: TF_EIO with
 * the reason, TF_ENOMEM. Owned: tf_content_close().
 */
int tf_content_open(struct tf_content *in, const char *path, struct tf_error *err);

/* The hash of the bytes as stored, all of which it reads; disk_bytes becomes their number. 0, or -1: TF_EIO, TF_ENOMEM. */
int tf_content_hash(struct tf_content *in, uint64_t *hash, struct tf_error *err);

/* Makes `content` whole. 0, or -1: TF_EIO, TF_ENOMEM, TF_ELIMIT for a stream that inflates beyond all bounds. */
int tf_content_load(struct tf_content *in, struct tf_error *err);

void tf_content_close(struct tf_content *in);

#endif
