/* One input as contiguous bytes: a file, standard input, either of them gzip-compressed. */
#ifndef TF_IO_CONTENT_H
#define TF_IO_CONTENT_H

#include <stdbool.h>

#include "lib/base/bytes.h"
#include "lib/base/error.h"

struct tf_content {
	struct tf_bytes content; /* decoded; owned by the input */
	int64_t disk_bytes;	 /* as stored */
	uint64_t hash;		 /* of the bytes as stored */
	bool compressed;
	bool cut;	   /* the gzip stream ends early or is damaged: content is what came before */
	int64_t cut_offset; /* in the compressed file */
	void *owned;	   /* heap */
	void *mapped;	   /* or map */
	size_t mapped_len;
};

/*
 * Reads a regular file ("-" is standard input). Never blocks on a pipe or device of that name. Returns 0, or -1: TF_EIO with
 * the reason, TF_ELIMIT for a stream that inflates beyond all bounds, TF_ENOMEM. Owned: tf_content_close().
 */
int tf_content_open(struct tf_content *in, const char *path, struct tf_error *err);
void tf_content_close(struct tf_content *in);

#endif
