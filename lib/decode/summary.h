/* Summary values of an event, told apart and passed to a sink. */
#ifndef TF_DECODE_SUMMARY_H
#define TF_DECODE_SUMMARY_H

#include "lib/base/strtab.h"
#include "lib/base/text.h"
#include "lib/decode/wire.h"
#include "lib/trace/rows.h"
#include "lib/trace/trace.h"

/* What is known while the values of a file are read. */
struct tf_values {
	const struct tf_row_sink *sink;
	struct tf_ledger_file *file;
	struct tf_arena *ledger; /* of the ledger's texts */
	struct tf_arena arena;	 /* of one record */
	int64_t step, offset;	 /* of the record's event */
	double wall_time;
	bool wrap_told;
	struct tf_strtab tags; /* tags met; TF 2 names the plugin on the first value only */
	struct tf_bytes *plugins; /* by id − 1, bytes in plugin_arena */
	size_t plugin_count, plugin_cap;
	struct tf_arena plugin_arena;
};

/* Reads a Summary message. Values that are malformed are told in the ledger. 0 or -1 (memory, or the sink's error). */
int tf_read_summary(struct tf_values *v, struct tf_bytes message, struct tf_error *err);

/* Notes that a part of the record, named by a noun, is malformed. 0, or -1 when out of memory. */
int tf_values_malformed(struct tf_values *v, const char *what, struct tf_error *err);

void tf_values_release(struct tf_values *v);

#endif
