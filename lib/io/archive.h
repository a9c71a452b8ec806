/* Archives: tar and zip, themselves compressed or not, in a file, in memory or inside another archive. Nothing is unpacked to disk. */
#ifndef TF_IO_ARCHIVE_H
#define TF_IO_ARCHIVE_H

#include "lib/base/arena.h"
#include "lib/io/stream.h"

/* A regular file in an archive. */
struct tf_member {
	struct tf_archive *archive;
	size_t number;	  /* entries before it */
	const char *path; /* below the archive's root: no "..", no leading slash */
	int64_t bytes;
	bool is_encrypted;
	/* Known once it was held: */
	struct tf_bytes held; /* data NULL: it is not in memory; owned by the archive */
	bool is_cut;	      /* the archive ends inside it, or its checksum does not hold: `held` is what there is */
	int64_t origin_bytes; /* how much of a file on disk it was */
	enum tf_error_code failed; /* TF_OK; why it cannot be read at all is in failed_text */
	const char *failed_text;
};

struct tf_archive {
	struct tf_arena arena;
	struct tf_stored stored;
	struct tf_member *members; /* folder by folder as they come, inside a folder in the order of a walk */
	size_t count, cap;
	size_t passed_over; /* links, devices and pipes, and entries without a name */
	struct tf_error stop; /* TF_OK: it was read to its end; TF_EFORMAT: damage; TF_ELIMIT, TF_EIO. `members` is what there is. */
	int64_t stop_offset;  /* of damage, in what is stored; else INT64_MIN */
	struct tf_member_reader *idle; /* private to archive.c, as is all that follows */
	int revived;
};

/* True if the (inflated) first bytes are those of a tar or zip archive. */
bool tf_is_archive(struct tf_bytes head);

/* True if a file's name is that of an archive: .tar .tar.gz .tgz .tar.zst .tzst .zip. *stem_len is its length without that. */
bool tf_is_archive_name(const char *name, size_t *stem_len);

/*
 * Lists the members of an archive (`a` zeroed by the caller), of several of one name the last. What is stored is borrowed until
 * tf_archive_release(). 0, whatever is wrong with it (`stop`), or -1: TF_ENOMEM.
 */
int tf_archive_list(struct tf_archive *a, const struct tf_stored *stored, struct tf_error *err);
void tf_archive_release(struct tf_archive *a);

/*
 * Reads members into memory, in one pass through the archive. What is wrong with one is noted in it. 0, or -1: TF_ENOMEM.
 * tf_member_let_go() gives the memory of one back.
 */
int tf_archive_hold(struct tf_archive *a, struct tf_member *const *members, size_t count, struct tf_error *err);
void tf_member_let_go(struct tf_member *m);

/*
 * A member's bytes piece by piece, for tf_stream: tf_member_next() gives the next ones, borrowed until the next call, none at the end;
 * *cut is set where the archive ends inside the member or it is damaged. NULL or -1: TF_ENOMEM, TF_EIO, TF_ELIMIT.
 */
struct tf_member_reader *tf_member_open(struct tf_member *m, struct tf_error *err);
int tf_member_next(struct tf_member_reader *r, struct tf_bytes *piece, bool *cut, struct tf_error *err);
int64_t tf_member_origin_bytes(const struct tf_member_reader *r);
void tf_member_close(struct tf_member_reader *r);

#endif
