/*
 * Scalar points on their way into the table, many at once: sorted by tag, so that the index on (tag, step) grows at few places, and 32
 * rows a statement (one by one in file order, 2 M points of 20 tags took twice as long).
 */
#include <math.h>
#include <stdlib.h>

#include "lib/store/db.h"

enum { BATCH = 65536, ROWS = 32, COLUMNS = 7 };

struct tf_scalar_row {
	int64_t tag_id, step, byte_offset;
	double wall_time, value;
};

#define ROW "(?,?,?,?,?,?,?)"
#define ROWS_8 ROW "," ROW "," ROW "," ROW "," ROW "," ROW "," ROW "," ROW
#define INSERT "INSERT INTO _scalar(tag_id, step, wall_time, value, nonfinite, file_id, byte_offset) VALUES"
static const char insert_one[] = INSERT ROW, insert_many[] = INSERT ROWS_8 "," ROWS_8 "," ROWS_8 "," ROWS_8;

/* By tag, then as in the file. */
static int compare_rows(const void *a, const void *b)
{
	const struct tf_scalar_row *x = a, *y = b;

	if (x->tag_id != y->tag_id)
		return x->tag_id < y->tag_id ? -1 : 1;
	return x->byte_offset < y->byte_offset ? -1 : x->byte_offset > y->byte_offset;
}

static void bind_row(sqlite3_stmt *q, int at, const struct tf_scalar_row *r, int64_t file_id)
{
	const char *nonfinite = isnan(r->value) ? "nan" : !isinf(r->value) ? NULL : r->value > 0 ? "inf" : "-inf";

	/* The least step is TF_NONE's number: it is kept as its neighbour. NaN is bound as NULL. */
	sqlite3_bind_int64(q, at + 1, r->tag_id);
	sqlite3_bind_int64(q, at + 2, r->step == TF_NONE ? TF_NONE + 1 : r->step);
	sqlite3_bind_double(q, at + 3, r->wall_time);
	sqlite3_bind_double(q, at + 4, r->value);
	sqlite3_bind_text(q, at + 5, nonfinite, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, at + 6, file_id);
	sqlite3_bind_int64(q, at + 7, r->byte_offset);
}

static int insert(struct tf_store *s, const struct tf_scalar_row *rows, int count, struct tf_error *err)
{
	sqlite3_stmt *q = tf_db_bind(s, err, count == 1 ? insert_one : insert_many, "");

	if (!q)
		return -1;
	for (int i = 0; i < count; i++)
		bind_row(q, i * COLUMNS, &rows[i], s->file_id);
	int step = sqlite3_step(q);
	tf_db_done(q);
	return step == SQLITE_DONE ? 0 : tf_db_fail(s, err, "store");
}

int tf_store_flush_scalars(struct tf_store *s, struct tf_error *err)
{
	struct tf_scalar_row *rows = s->scalars;
	size_t n = s->scalar_count, i = 0;

	s->scalar_count = 0;
	if (n)
		qsort(rows, n, sizeof *rows, compare_rows);
	for (; i + ROWS <= n; i += ROWS)
		if (insert(s, rows + i, ROWS, err) < 0)
			return -1;
	for (; i < n; i++)
		if (insert(s, rows + i, 1, err) < 0)
			return -1;
	return 0;
}

int tf_store_add_scalar(struct tf_store *s, int64_t tag_id, const struct tf_point *at, double value, struct tf_error *err)
{
	if (!s->scalars && !(s->scalars = malloc(BATCH * sizeof *s->scalars)))
		return tf_fail_nomem(err);
	s->scalars[s->scalar_count++] = (struct tf_scalar_row){tag_id, at->step, at->offset, at->wall_time, value};
	return s->scalar_count == BATCH ? tf_store_flush_scalars(s, err) : 0;
}
