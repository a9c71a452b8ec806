/*
 * One input: a file, standard input or a member of an archive, each of them compressed or not. Its head at once; all of it, or a
 * stream, when asked.
 */
#ifndef TF_IO_CONTENT_H
#define TF_IO_CONTENT_H

#include "lib/io/archive.h"

struct tf_content {
	struct tf_bytes content; /* inflated: all of it if `whole`, else the first MiB; owned by the input */
	bool whole;
	int64_t disk_bytes; /* as stored */
	bool cut;	    /* the compressed stream or the archive's member ends early or is damaged: what came before can be read */
	int64_t cut_offset; /* in the compressed file or member; both are known once all was read */
	bool is_partial;     /* it lies in an archive that was cut: files that belong to it may be lost */
	enum tf_codec codec; /* of the whole content */
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

/*
 * Opens a member of an archive, which must stay as it is until the content is closed. Returns 0, or -1: TF_EIO, TF_ENOMEM, TF_ELIMIT.
 * Owned: tf_content_close().
 */
int tf_content_open_member(struct tf_content *in, struct tf_member *member, struct tf_error *err);

/* What the cut of a content means, for a message. Static. */
const char *tf_content_cut_text(const struct tf_content *in);

/* The hash of the bytes as stored, all of which it reads; disk_bytes becomes their number. 0, or -1: TF_EIO, TF_ENOMEM. */
int tf_content_hash(struct tf_content *in, uint64_t *hash, struct tf_error *err);

/* Makes `content` whole. 0, or -1: TF_EIO, TF_ENOMEM, TF_ELIMIT for a stream that inflates beyond what memory is for (limits.h). */
int tf_content_load(struct tf_content *in, struct tf_error *err);

void tf_content_close(struct tf_content *in);

#endif
