/* What a look at a store finds (lib/store/examine.c). */
#ifndef TF_ANALYZE_EXAMINATION_H
#define TF_ANALYZE_EXAMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

/* Rows of a table whose `column` names a row that is not there. */
struct tf_orphans {
	const char *table, *column;
	int64_t count;
};

enum tf_source_fate {
	TF_SOURCE_SAME,	  /* the next ingest leaves it alone */
	TF_SOURCE_CHANGED, /* … reads it again */
	TF_SOURCE_GONE,	  /* its rows stay */
	TF_SOURCE_UNREAD, /* it could not be opened at the last ingest */
	TF_SOURCE_FATES,
};

struct tf_source_check {
	const char *path;
	enum tf_source_fate fate;
};

/* What an examination finds. Zeroed by the caller; release the arena. */
struct tf_examination {
	struct tf_arena arena;
	const char *store; /* its path */
	int64_t version;
	const char **damage; /* what SQLite's integrity check says, but for "ok" */
	size_t damage_count, damage_cap;
	struct tf_orphans *orphans;
	size_t orphan_count, orphan_cap;
	struct tf_source_check *sources; /* all but SAME, and standard input */
	size_t source_count, source_cap;
	int64_t fates[TF_SOURCE_FATES];
	const char **incomplete; /* sessions "run/name" of which something is missing */
	size_t incomplete_count, incomplete_cap;
};

/* True if nothing is wrong with the store itself. */
static inline bool tf_examination_is_sound(const struct tf_examination *e)
{
	return e->damage_count == 0 && e->orphan_count == 0;
}

#endif
