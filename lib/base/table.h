/* Rows of a query on their way from the store to a renderer. */
#ifndef TF_BASE_TABLE_H
#define TF_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "lib/base/error.h"

enum tf_cell_kind { TF_CELL_NULL, TF_CELL_INTEGER, TF_CELL_REAL, TF_CELL_TEXT, TF_CELL_BLOB };

struct tf_cell {
	enum tf_cell_kind kind;
	int64_t integer;
	double real;
	struct tf_bytes bytes; /* text or blob, borrowed for the call */
};

/* Receives columns once, then rows. Each returns 0, or -1 with `err` to stop; row() also 1 to stop without an error. */
struct tf_row_receiver {
	void *ctx;
	int (*columns)(void *ctx, const char *const *names, size_t n, struct tf_error *err);
	int (*row)(void *ctx, const struct tf_cell *cells, size_t n, struct tf_error *err);
};

#endif
