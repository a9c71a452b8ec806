/* SQL functions over intervals of time: union, overlap of groups, sets of intervals and the pairs of two sets that overlap. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/store/sql_functions.h"

/* One interval; `id` is the group in interval_intersection, and a row's own id in a set. */
struct interval {
	sqlite3_int64 start, end, id;
};

/* The first bytes of a set: intervals by start follow. */
static const char magic[8] = "tfprof\1\n";

struct state {
	struct tf_sql_list list;   /* struct interval */
	struct tf_sql_list groups; /* sqlite3_value * */
	sqlite3_int64 least;
};

static int compare(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end != y->end ? (x->end < y->end ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

static int compare_by_group(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return x->id != y->id ? (x->id < y->id ? -1 : 1) : compare(a, b);
}

/* Reads (start, dur): 1, or 0 for a row that does not count, also after an error, which is then set. */
static int take(sqlite3_context *context, const char *name, sqlite3_value **values, struct interval *out)
{
	if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
		return 0;
	if (sqlite3_value_type(values[0]) != SQLITE_INTEGER || sqlite3_value_type(values[1]) != SQLITE_INTEGER) {
		tf_sql_fail(context, name, "start and duration are integers");
		return 0;
	}
	sqlite3_int64 start = sqlite3_value_int64(values[0]), dur = sqlite3_value_int64(values[1]);
	if (dur < 0 || (start > 0 && dur > INT64_MAX - start)) {
		tf_sql_fail(context, name, dur < 0 ? "a negative duration" : "an interval ends beyond 64 bits");
		return 0;
	}
	*out = (struct interval){start, start + dur, 0};
	return 1;
}

/* Sorts and joins intervals of one group that touch. Returns how many are left. */
static size_t join(struct interval *v, size_t n)
{
	size_t kept = 0;

	qsort(v, n, sizeof *v, compare_by_group);
	for (size_t i = 0; i < n; i++)
		if (kept && v[kept - 1].id == v[i].id && v[i].start <= v[kept - 1].end)
			v[kept - 1].end = v[i].end > v[kept - 1].end ? v[i].end : v[kept - 1].end;
		else
			v[kept++] = v[i];
	return kept;
}

static void add_interval(sqlite3_context *context, struct state *s, struct interval v)
{
	struct interval *last = s->list.count ? (struct interval *)s->list.items + s->list.count - 1 : NULL;

	/* Rows mostly come in order: those that touch the one before need no room. */
	if (last && last->id == v.id && v.start >= last->start && v.start <= last->end) {
		last->end = v.end > last->end ? v.end : last->end;
		return;
	}
	if (s->list.bytes > (1 << 20) && (s->list.count + 1) * sizeof v > s->list.bytes)
		s->list.count = join(s->list.items, s->list.count);
	tf_sql_push(context, &s->list, &v, sizeof v);
}

static void set_length(sqlite3_context *context, sqlite3_uint64 length)
{
	if (length > INT64_MAX)
		sqlite3_result_error(context, "a length beyond 64 bits", -1);
	else
		sqlite3_result_int64(context, (sqlite3_int64)length);
}

static void union_step(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct interval v;

	(void)count;
	if (!take(context, "interval_union", values, &v))
		return;
	struct state *s = sqlite3_aggregate_context(context, sizeof *s);
	if (s)
		add_interval(context, s, v);
	else
		sqlite3_result_error_nomem(context);
}

static void union_final(sqlite3_context *context)
{
	struct state *s = sqlite3_aggregate_context(context, 0);

	if (!s || !s->list.items)
		return;
	struct interval *v = s->list.items;
	size_t n = join(v, s->list.count);
	sqlite3_uint64 length = 0;
	for (size_t i = 0; i < n; i++)
		length += (sqlite3_uint64)v[i].end - (sqlite3_uint64)v[i].start;
	set_length(context, length);
	tf_sql_drop(context, &s->list);
}

/* ---- interval_intersection ---- */

static int same_value(sqlite3_value *a, sqlite3_value *b)
{
	int type = sqlite3_value_type(a);

	if (type != sqlite3_value_type(b))
		return 0;
	if (type == SQLITE_INTEGER)
		return sqlite3_value_int64(a) == sqlite3_value_int64(b);
	if (type == SQLITE_FLOAT)
		return memcmp(&(double){sqlite3_value_double(a)}, &(double){sqlite3_value_double(b)}, sizeof(double)) == 0;
	int len = sqlite3_value_bytes(a);
	return len == sqlite3_value_bytes(b) && (!len || memcmp(sqlite3_value_blob(a), sqlite3_value_blob(b), (size_t)len) == 0);
}

/* The number of a group, -1 with the error set when there are too many. */
static sqlite3_int64 group_of(sqlite3_context *context, struct state *s, sqlite3_value *value)
{
	enum { MOST = 1000, LONGEST = 1000 };
	sqlite3_value **groups = s->groups.items;

	for (size_t i = 0; i < s->groups.count; i++)
		if (same_value(groups[i], value))
			return (sqlite3_int64)i;
	int type = sqlite3_value_type(value);
	if (s->groups.count == MOST || ((type == SQLITE_TEXT || type == SQLITE_BLOB) && sqlite3_value_bytes(value) > LONGEST)) {
		tf_sql_fail(context, "interval_intersection", "more than 1000 groups, or a group's name of more than 1000 bytes");
		return -1;
	}
	sqlite3_value *own = sqlite3_value_dup(value);
	if (!own) {
		sqlite3_result_error_nomem(context);
		return -1;
	}
	if (tf_sql_push(context, &s->groups, &own, sizeof own))
		return (sqlite3_int64)s->groups.count - 1;
	sqlite3_value_free(own);
	return -1;
}

static void intersection_step(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct state *s = sqlite3_aggregate_context(context, sizeof *s);
	struct interval v;

	if (!s) {
		sqlite3_result_error_nomem(context);
		return;
	}
	s->least = count == 4 ? sqlite3_value_int64(values[3]) : 2;
	if (s->least < 1 || (count == 4 && sqlite3_value_type(values[3]) != SQLITE_INTEGER)) {
		tf_sql_fail(context, "interval_intersection", "the number of groups is not a positive integer");
		return;
	}
	if (sqlite3_value_type(values[2]) == SQLITE_NULL || !take(context, "interval_intersection", values, &v))
		return;
	v.id = group_of(context, s, values[2]);
	if (v.id >= 0)
		add_interval(context, s, v);
}

/* Begins and ends of joined intervals in order; in an `edge`, end is +1 or -1. */
static sqlite3_uint64 time_of_many(const struct interval *edges, size_t n, sqlite3_int64 least)
{
	sqlite3_uint64 length = 0;
	sqlite3_int64 active = 0;

	for (size_t i = 0; i < n; i++) {
		if (i && active >= least)
			length += (sqlite3_uint64)edges[i].start - (sqlite3_uint64)edges[i - 1].start;
		active += edges[i].end;
	}
	return length;
}

static void intersection_final(sqlite3_context *context)
{
	struct state *s = sqlite3_aggregate_context(context, 0);
	struct tf_sql_list edges = {0};
	int fine = 1;

	if (!s)
		return;
	size_t n = s->list.count ? join(s->list.items, s->list.count) : 0;
	for (size_t i = 0; i < n && fine; i++) {
		const struct interval v = ((struct interval *)s->list.items)[i];
		struct interval begin = {v.start, 1, 0}, end = {v.end, -1, 0};
		fine = tf_sql_push(context, &edges, &begin, sizeof begin) && tf_sql_push(context, &edges, &end, sizeof end);
	}
	if (fine && n) {
		qsort(edges.items, edges.count, sizeof(struct interval), compare);
		set_length(context, time_of_many(edges.items, edges.count, s->least));
	}
	for (size_t i = 0; i < s->groups.count; i++)
		sqlite3_value_free(((sqlite3_value **)s->groups.items)[i]);
	tf_sql_drop(context, &edges);
	tf_sql_drop(context, &s->groups);
	tf_sql_drop(context, &s->list);
}

/* ---- intervals(): a set ---- */

static void set_step(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct interval v;

	(void)count;
	if (!take(context, "intervals", values, &v))
		return;
	struct state *s = sqlite3_aggregate_context(context, sizeof *s);
	if (!s)
		sqlite3_result_error_nomem(context);
	else if (sqlite3_value_type(values[2]) != SQLITE_INTEGER)
		tf_sql_fail(context, "intervals", "the id is an integer");
	else {
		v.id = sqlite3_value_int64(values[2]);
		tf_sql_push(context, &s->list, &v, sizeof v);
	}
}

static void set_final(sqlite3_context *context)
{
	struct state *s = sqlite3_aggregate_context(context, 0);
	size_t n = s ? s->list.count : 0, len = sizeof magic + n * sizeof(struct interval);
	char *set = sqlite3_malloc64(len);

	if (set) {
		memcpy(set, magic, sizeof magic);
		if (n) {
			qsort(s->list.items, n, sizeof(struct interval), compare);
			memcpy(set + sizeof magic, s->list.items, n * sizeof(struct interval));
		}
		sqlite3_result_blob64(context, set, len, sqlite3_free);
	} else {
		sqlite3_result_error_nomem(context);
	}
	if (s)
		tf_sql_drop(context, &s->list);
}

const struct tf_sql_function tf_sql_interval_functions[] = {
	{"interval_union", 2, NULL, union_step, union_final},
	{"interval_intersection", 3, NULL, intersection_step, intersection_final},
	{"interval_intersection", 4, NULL, intersection_step, intersection_final},
	{"intervals", 3, NULL, set_step, set_final},
	{0}};

/* ---- interval_intersect(a, b): a table of pairs ---- */

enum { C_START, C_DUR, C_A_ID, C_B_ID, C_A, C_B };

struct cursor {
	sqlite3_vtab_cursor base;
	struct interval *a, *b;
	sqlite3_int64 *latest; /* by b: latest end up to here */
	size_t a_count, b_count, at_a, at_b, first_b;
	sqlite3_int64 row;
};

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
	(void)aux;
	(void)argc;
	(void)argv;
	(void)message;
	*out = sqlite3_malloc(sizeof **out);
	if (!*out)
		return SQLITE_NOMEM;
	memset(*out, 0, sizeof **out);
	return sqlite3_declare_vtab(db, "CREATE TABLE x(start INTEGER, dur INTEGER, a_id INTEGER, b_id INTEGER, a HIDDEN, b HIDDEN)");
}

static int disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	int found = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		if ((column != C_A && column != C_B) || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable)
			return SQLITE_CONSTRAINT;
		info->aConstraintUsage[i].argvIndex = column == C_A ? 1 : 2;
		info->aConstraintUsage[i].omit = 1;
		found |= column == C_A ? 1 : 2;
	}
	if (found != 3) {
		base->zErrMsg = sqlite3_mprintf("interval_intersect: two sets made by intervals() are needed");
		return SQLITE_ERROR;
	}
	info->estimatedCost = 1e4;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct cursor *c = sqlite3_malloc(sizeof *c);

	(void)base;
	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, sizeof *c);
	*out = &c->base;
	return SQLITE_OK;
}

static void empty(struct cursor *c)
{
	sqlite3_free(c->a);
	sqlite3_free(c->b);
	sqlite3_free(c->latest);
	c->a = c->b = NULL;
	c->latest = NULL;
	c->a_count = c->b_count = c->at_a = c->at_b = c->first_b = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	empty((struct cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

/* A copy of a set that anyone may have made up: checked. NULL is the empty set. */
static int read_set(sqlite3_vtab *table, sqlite3_value *value, struct interval **out, size_t *count)
{
	size_t len = (size_t)sqlite3_value_bytes(value);
	const char *set = sqlite3_value_blob(value);
	int fine = sqlite3_value_type(value) == SQLITE_BLOB && set && len >= sizeof magic && memcmp(set, magic, sizeof magic) == 0
		   && (len - sizeof magic) % sizeof **out == 0;

	if (sqlite3_value_type(value) == SQLITE_NULL)
		return SQLITE_OK;
	if (fine) {
		*count = (len - sizeof magic) / sizeof **out;
		*out = sqlite3_malloc64(len);
		if (!*out)
			return SQLITE_NOMEM;
		memcpy(*out, set + sizeof magic, len - sizeof magic);
		for (size_t i = 0; i < *count; i++)
			fine &= (*out)[i].end >= (*out)[i].start && (i == 0 || (*out)[i].start >= (*out)[i - 1].start);
	}
	if (fine)
		return SQLITE_OK;
	table->zErrMsg = sqlite3_mprintf("interval_intersect: not a set made by intervals()");
	return SQLITE_ERROR;
}

/* Moves on to the next pair that overlaps, from the present one on. */
static void settle(struct cursor *c)
{
	for (; c->at_a < c->a_count; c->at_a++, c->at_b = c->first_b) {
		const struct interval *a = &c->a[c->at_a];
		while (c->first_b < c->b_count && c->latest[c->first_b] <= a->start)
			c->first_b++;
		c->at_b = c->at_b < c->first_b ? c->first_b : c->at_b;
		for (; c->at_b < c->b_count && c->b[c->at_b].start < a->end; c->at_b++)
			if (c->b[c->at_b].end > a->start && a->end > a->start && c->b[c->at_b].end > c->b[c->at_b].start)
				return;
	}
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	int code;

	(void)number;
	(void)text;
	(void)argc;
	empty(c);
	if ((code = read_set(base->pVtab, argv[0], &c->a, &c->a_count)) != SQLITE_OK
	    || (code = read_set(base->pVtab, argv[1], &c->b, &c->b_count)) != SQLITE_OK)
		return code;
	c->latest = sqlite3_malloc64((c->b_count + 1) * sizeof *c->latest);
	if (!c->latest)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < c->b_count; i++)
		c->latest[i] = i && c->latest[i - 1] > c->b[i].end ? c->latest[i - 1] : c->b[i].end;
	settle(c);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	c->at_b++;
	c->row++;
	settle(c);
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	return c->at_a >= c->a_count;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct cursor *c = (struct cursor *)base;
	const struct interval *a = &c->a[c->at_a], *b = &c->b[c->at_b];
	sqlite3_int64 start = a->start > b->start ? a->start : b->start, end = a->end < b->end ? a->end : b->end;

	if (number == C_DUR)
		set_length(context, (sqlite3_uint64)end - (sqlite3_uint64)start);
	else if (number <= C_B_ID)
		sqlite3_result_int64(context, number == C_START ? start : number == C_A_ID ? a->id : b->id);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	*id = ((struct cursor *)base)->row;
	return SQLITE_OK;
}

const sqlite3_module tf_sql_interval_module = {
	.xConnect = connect, .xBestIndex = best_index, .xDisconnect = disconnect, .xOpen = open_cursor,
	.xClose = close_cursor, .xFilter = filter, .xNext = next, .xEof = at_end, .xColumn = column, .xRowid = rowid,
};
