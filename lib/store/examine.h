/* Whether a store is sound, and how it stands to the files that it was read from. */
#ifndef TF_STORE_EXAMINE_H
#define TF_STORE_EXAMINE_H

#include "lib/analyze/examination.h"
#include "lib/store/store.h"

/* Examines an open store; nothing is written. 0, or -1: TF_ESTORE, TF_ENOMEM. */
int tf_store_examine(struct tf_store *s, struct tf_examination *e, struct tf_error *err);

/*
 * Removes orphans, makes the views anew and the figures that sessions have of all their hosts, in one transaction. TF_ESTORE if the
 * file itself is damaged: only a new ingest into a new store helps then. The store is open for writing.
 */
int tf_store_repair(struct tf_store *s, struct tf_error *err);

#endif
