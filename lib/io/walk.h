/* Finding files below a path: sorted, symbolic links followed last, each file once. */
#ifndef TF_IO_WALK_H
#define TF_IO_WALK_H

#include <stdbool.h>
#include <sys/stat.h>

#include "lib/base/arena.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"

struct tf_inside;

struct tf_found {
	const char *path;     /* as found, beginning with the PATH given */
	const char *relative; /* below the PATH given; the file's own name if PATH is a file */
	const char *real_root; /* the real path that `relative` is below; NULL: found behind a link, or PATH itself */
	bool from_file;	      /* PATH itself is this file */
	struct stat st;
	int error;	     /* errno, if it or (for a folder) its entries cannot be read */
	/* NULL; for a member of an archive where that is (pipeline/members.h). Its stat is the archive's but for the size. */
	const struct tf_inside *inside;
	const char *same_as; /* NULL; where a hard link leads to a file met before, that one's path */
};

struct tf_link {
	const char *path, *relative;
};

/* Zeroed is empty. Release the arena and the map. */
struct tf_walk {
	struct tf_arena arena;
	struct tf_map seen; /* folders and files met, by device and inode: the path as an address, 0 for what is skipped */
	struct tf_found *files;
	size_t count, cap;
	struct tf_link *links; /* that wait */
	size_t link_count, link_cap;
	const char *real_root; /* of the PATH being walked, while no link was followed */
};

/*
 * Adds all regular files below a path (a file or a folder), in order of name; digits in names count as numbers, so that
 * "events.999" comes before "events.1000". "-" is standard input, which is added as it is. A file met before is not added again, but
 * for hard links (same_as). -1: TF_EIO if the path does not exist, TF_ENOMEM.
 */
int tf_walk(struct tf_walk *w, const char *path, struct tf_error *err);

/* The order of a walk: paths by their bytes, runs of digits by their value, a folder's files together. As strcmp(). */
int tf_walk_compare(const char *x, const char *y);

/* The absolute path without links; that which a file would have that is not there. Arena; NULL: out of memory. */
char *tf_real_path(struct tf_arena *a, const char *path);

/* The file that a path leads to, or into: of ARCHIVE/MEMBER the archive. Arena; NULL if there is none, or out of memory. */
char *tf_file_around(struct tf_arena *a, const char *path);

/* Counts a file as met, so that it is not found: one that need not exist. 0, or -1: TF_ENOMEM. */
int tf_walk_skip(struct tf_walk *w, const char *path, struct tf_error *err);

void tf_walk_release(struct tf_walk *w);

#endif
