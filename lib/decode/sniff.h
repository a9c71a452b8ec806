/* What kind of file some bytes are, by content; names only break ties between messages that look alike. */
#ifndef TF_DECODE_SNIFF_H
#define TF_DECODE_SNIFF_H

#include "lib/trace/rows.h"

/*
 * The kind of decoded content, or (not `whole`) of its first MiB; `name` is the file's name. TF_FILE_UNKNOWN if it is none that
 * tfprof knows.
 */
enum tf_file_kind tf_sniff(struct tf_bytes content, bool whole, const char *name);

/* The kind that a file's name promises; TF_FILE_UNKNOWN if none. */
enum tf_file_kind tf_sniff_name(const char *name);

#endif
