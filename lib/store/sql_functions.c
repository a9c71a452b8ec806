/* SQL functions: statistics, units, quantiles of histograms; and the registration of all. */
#include "lib/store/sql_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef TF_SQL_EXTENSION
SQLITE_EXTENSION_INIT1
#endif

int tf_sql_push(sqlite3_context *context, struct tf_sql_list *list, const void *item, size_t size)
{
	struct tf_sql_budget *budget = sqlite3_user_data(context);

	if ((list->count + 1) * size > list->bytes) {
		size_t bytes = list->bytes ? 2 * list->bytes : 16 * size;
		if (budget->used + (sqlite3_int64)(bytes - list->bytes) > TF_SQL_MAX_BYTES) {
			sqlite3_result_error(context, "too many values: the functions of tfprof hold at most 64 MiB", -1);
			return 0;
		}
		void *items = sqlite3_realloc64(list->items, bytes);
		if (!items) {
			sqlite3_result_error_nomem(context);
			return 0;
		}
		budget->used += (sqlite3_int64)(bytes - list->bytes);
		list->items = items;
		list->bytes = bytes;
	}
	memcpy((char *)list->items + list->count++ * size, item, size);
	return 1;
}

void tf_sql_drop(sqlite3_context *context, struct tf_sql_list *list)
{
	struct tf_sql_budget *budget = sqlite3_user_data(context);

	budget->used -= (sqlite3_int64)list->bytes;
	sqlite3_free(list->items);
	*list = (struct tf_sql_list){0};
}

void tf_sql_fail(sqlite3_context *context, const char *name, const char *text)
{
	char *message = sqlite3_mprintf("%s: %s", name, text);

	if (message)
		sqlite3_result_error(context, message, -1);
	else
		sqlite3_result_error_nomem(context);
	sqlite3_free(message);
}

/* A finite number, or false with the error set. */
static int take_number(sqlite3_context *context, const char *name, sqlite3_value *value, double *number)
{
	int type = sqlite3_value_type(value);

	*number = sqlite3_value_double(value);
	if ((type == SQLITE_INTEGER || type == SQLITE_FLOAT) && isfinite(*number))
		return 1;
	tf_sql_fail(context, name, "not a finite number");
	return 0;
}

/* ---- percentile, median, mad ---- */

struct samples {
	struct tf_sql_list list; /* double */
	double percent;
};

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Linear between neighbours, as NumPy's default; `v` is sorted and not empty. */
static double quantile(const double *v, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t low = (size_t)at;

	return low + 1 < n ? v[low] + (v[low + 1] - v[low]) * (at - (double)low) : v[n - 1];
}

static void add_sample(sqlite3_context *context, const char *name, sqlite3_value *value, double percent)
{
	struct samples *s = sqlite3_aggregate_context(context, sizeof *s);
	double number;

	if (!s)
		sqlite3_result_error_nomem(context);
	else if (s->list.count && s->percent != percent)
		tf_sql_fail(context, name, "the percentage differs from row to row");
	else if (sqlite3_value_type(value) != SQLITE_NULL && take_number(context, name, value, &number)) {
		s->percent = percent;
		tf_sql_push(context, &s->list, &number, sizeof number);
	}
}

static void percentile_step(sqlite3_context *context, int count, sqlite3_value **values)
{
	double percent;

	(void)count;
	if (!take_number(context, "percentile", values[1], &percent))
		return;
	if (percent < 0 || percent > 100)
		tf_sql_fail(context, "percentile", "the percentage is not within 0..100");
	else
		add_sample(context, "percentile", values[0], percent);
}

static void median_step(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	add_sample(context, "median", values[0], 50);
}

static void mad_step(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	add_sample(context, "mad", values[0], 50);
}

static void percentile_final(sqlite3_context *context)
{
	struct samples *s = sqlite3_aggregate_context(context, 0);

	if (!s)
		return;
	if (s->list.count) {
		qsort(s->list.items, s->list.count, sizeof(double), compare_doubles);
		sqlite3_result_double(context, quantile(s->list.items, s->list.count, s->percent / 100));
	}
	tf_sql_drop(context, &s->list);
}

static void mad_final(sqlite3_context *context)
{
	struct samples *s = sqlite3_aggregate_context(context, 0);

	if (!s)
		return;
	double *v = s->list.items;
	if (s->list.count) {
		qsort(v, s->list.count, sizeof *v, compare_doubles);
		double middle = quantile(v, s->list.count, 0.5);
		for (size_t i = 0; i < s->list.count; i++)
			v[i] = fabs(v[i] - middle);
		qsort(v, s->list.count, sizeof *v, compare_doubles);
		sqlite3_result_double(context, quantile(v, s->list.count, 0.5));
	}
	tf_sql_drop(context, &s->list);
}

/* ---- stddev: Welford's recurrence, without memory ---- */

struct spread {
	sqlite3_int64 n;
	double mean, squares;
};

static void stddev_step(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct spread *s = sqlite3_aggregate_context(context, sizeof *s);
	double x;

	(void)count;
	if (!s)
		sqlite3_result_error_nomem(context);
	else if (sqlite3_value_type(values[0]) != SQLITE_NULL && take_number(context, "stddev", values[0], &x)) {
		double from = x - s->mean;
		s->mean += from / (double)++s->n;
		s->squares += from * (x - s->mean);
	}
}

static void stddev_final(sqlite3_context *context)
{
	struct spread *s = sqlite3_aggregate_context(context, 0);

	if (s && s->n > 1)
		sqlite3_result_double(context, sqrt(s->squares / (double)(s->n - 1)));
}

/* ---- units ---- */

static void ms(sqlite3_context *context, int count, sqlite3_value **values)
{
	double ps;

	(void)count;
	if (sqlite3_value_type(values[0]) != SQLITE_NULL && take_number(context, "ms", values[0], &ps))
		sqlite3_result_double(context, ps / 1e9);
}

static void bytes(sqlite3_context *context, int count, sqlite3_value **values)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value;
	int unit = -1;

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL || !take_number(context, "bytes", values[0], &value))
		return;
	/* 1023.95 of a unit would print as 1024.0 of it */
	while ((fabs(value) >= 1024 || (unit >= 0 && fabs(value) >= 1023.95)) && unit < 5) {
		value /= 1024;
		unit++;
	}
	char *text = unit < 0 ? sqlite3_mprintf("%.0f B", value) : sqlite3_mprintf("%.1f %s", value, units[unit]);
	if (text)
		sqlite3_result_text(context, text, -1, sqlite3_free);
	else
		sqlite3_result_error_nomem(context);
}

/* ---- histogram_quantile ---- */

/* Reads the next bucket of a histogram: 1, or 0 at the end, or -1 with the error set. */
static int next_bucket(sqlite3_context *context, sqlite3_stmt *q, double bucket[3])
{
	int code = sqlite3_step(q);

	if (code == SQLITE_DONE)
		return 0;
	if (code != SQLITE_ROW) {
		tf_sql_fail(context, "histogram_quantile", "the buckets are not a JSON list of [left,right,count]");
		return -1;
	}
	for (int i = 0; i < 3; i++) {
		int type = sqlite3_column_type(q, i);
		bucket[i] = sqlite3_column_double(q, i);
		if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !isfinite(bucket[i]) || (i == 2 && bucket[i] < 0)) {
			tf_sql_fail(context, "histogram_quantile", "the buckets are not a JSON list of [left,right,count]");
			return -1;
		}
	}
	return 1;
}

static void find_quantile(sqlite3_context *context, sqlite3_stmt *q, double quantile)
{
	double bucket[3], total = 0, below = 0;
	int more;

	while ((more = next_bucket(context, q, bucket)) > 0)
		total += bucket[2];
	if (more < 0 || !(total > 0))
		return;
	sqlite3_reset(q);
	while (next_bucket(context, q, bucket) > 0) {
		double rank = quantile * total;
		if (bucket[2] > 0 && below + bucket[2] >= rank) {
			double part = rank > below ? (rank - below) / bucket[2] : 0;
			sqlite3_result_double(context, bucket[0] + (bucket[1] - bucket[0]) * part);
			return;
		}
		below += bucket[2];
	}
	sqlite3_result_double(context, bucket[1]);
}

static void histogram_quantile(sqlite3_context *context, int count, sqlite3_value **values)
{
	static const char sql[] = "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')"
				  " FROM json_each(?)";
	sqlite3_stmt *q = NULL;
	double quantile;

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
		return;
	if (!take_number(context, "histogram_quantile", values[1], &quantile))
		return;
	if (quantile < 0 || quantile > 1)
		tf_sql_fail(context, "histogram_quantile", "the quantile is not within 0..1");
	else if (sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, &q, NULL) != SQLITE_OK
		 || sqlite3_bind_value(q, 1, values[0]) != SQLITE_OK)
		tf_sql_fail(context, "histogram_quantile", sqlite3_errmsg(sqlite3_context_db_handle(context)));
	else
		find_quantile(context, q, quantile);
	sqlite3_finalize(q);
}

/* ---- registration ---- */

static const struct tf_sql_function functions[] = {
	{"percentile", 2, NULL, percentile_step, percentile_final},
	{"median", 1, NULL, median_step, percentile_final},
	{"mad", 1, NULL, mad_step, mad_final},
	{"stddev", 1, NULL, stddev_step, stddev_final},
	{"ms", 1, ms, NULL, NULL},
	{"bytes", 1, bytes, NULL, NULL},
	{"histogram_quantile", 2, histogram_quantile, NULL, NULL},
	{"regexp", 2, tf_sql_regexp, NULL, NULL},
	{0}};

static int add(sqlite3 *db, const struct tf_sql_function *f, struct tf_sql_budget *budget)
{
	int code = SQLITE_OK;

	for (; f->name && code == SQLITE_OK; f++)
		code = sqlite3_create_function_v2(db, f->name, f->arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, budget, f->call,
						  f->step, f->final, NULL);
	return code;
}

/* The module lives as long as the connection, so it owns the budget. */
int tf_sql_functions_add(sqlite3 *db)
{
	struct tf_sql_budget *budget = sqlite3_malloc(sizeof *budget);

	if (!budget)
		return SQLITE_NOMEM;
	*budget = (struct tf_sql_budget){0};
	int code = sqlite3_create_module_v2(db, "interval_intersect", &tf_sql_interval_module, budget, sqlite3_free);
	if (code == SQLITE_OK)
		code = add(db, functions, budget);
	return code == SQLITE_OK ? add(db, tf_sql_interval_functions, budget) : code;
}

#ifdef TF_SQL_EXTENSION
/* SQLite finds the name from that of the file. */
__attribute__((visibility("default"))) int sqlite3_tfprofsql_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);
int sqlite3_tfprofsql_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	(void)message;
	SQLITE_EXTENSION_INIT2(api);
	return tf_sql_functions_add(db);
}
#endif
