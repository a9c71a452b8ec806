/* Archives in the pipeline: their members as files that were found. */
#ifndef TF_PIPELINE_MEMBERS_H
#define TF_PIPELINE_MEMBERS_H

#include "lib/io/content.h"
#include "lib/io/walk.h"

/* Where a member is. */
struct tf_inside {
	struct tf_member *member;
	const char *real_path; /* ARCHIVE/MEMBER, the archive by its real path */
	const char *named;     /* the path that run and session are named by: the archive's without its extension, then the member's */
	const char *run_path;  /* what the run's name is below of */
	int depth;	       /* 1: in an archive that is in none */
};

/* What is done with members. */
struct tf_member_use {
	void *ctx;
	bool (*wanted)(void *ctx, const char *path); /* NULL: all are */
	int (*use)(void *ctx, const struct tf_found *found, struct tf_error *err);
};

/* Opens what was found: a file, "-", or a member. As tf_content_open(). */
int tf_open_found(struct tf_content *in, const struct tf_found *found, struct tf_error *err);

/*
 * True if a file of kind archive is to be opened: it is named like one, or is PATH itself. Programs keep other things in zip files
 * (checkpoints, packages), which lie about among logs.
 */
bool tf_opens_archive(const struct tf_found *found);

/*
 * Uses the members of a listed archive that are wanted, captures first, in few passes through it. `found` is the archive, `real_path` its
 * real path. 0, or -1: TF_ENOMEM, or as use() failed.
 */
int tf_use_members(struct tf_archive *a, const struct tf_found *found, const char *real_path, const struct tf_member_use *use,
		   struct tf_error *err);

/* A file's turn, from 0 to TF_TURNS - 1: captures come first, then traces, then result files: what a better file has said is not loaded. */
enum { TF_TURNS = 4 };
int tf_turn_of(const char *path);

#endif
