/* Named queries: those of the program and those in the folders of $TFPROF_QUERY_PATH. */
#ifndef TF_CMD_COOKBOOK_H
#define TF_CMD_COOKBOOK_H

#include "lib/base/table.h"
#include "lib/store/store.h"

/* Reads a whole file; "-" is stdin. A text that holds NUL is refused. 0 or -1. */
int tf_read_text(const char *path, struct tf_buf *text, struct tf_error *err);

/* Finds NAME.sql in the user's folders, in their order, else in the program. TF_EUSAGE, with the nearest name, if there is none. */
int tf_cookbook_find(const char *name, struct tf_arena *a, struct tf_named_query *out, struct tf_error *err);

/* Rows (name, title, parameters, folder); folder is null for those of the program that no folder replaces. 0 or -1. */
int tf_cookbook_list(const struct tf_row_receiver *to, struct tf_error *err);

#endif
