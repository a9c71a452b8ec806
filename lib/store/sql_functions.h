/*
 * SQL functions of tfprof, one source for two uses: `tfprof query` registers them, and with TF_SQL_EXTENSION defined they are the
 * loadable extension tfprof_sql.so. schemas/FUNCTIONS.md says what each takes and gives. They use nothing else of the library.
 */
#ifndef TF_STORE_SQL_FUNCTIONS_H
#define TF_STORE_SQL_FUNCTIONS_H

#include <stddef.h>

#ifdef TF_SQL_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

/* What all aggregates of one connection may hold together. */
enum { TF_SQL_MAX_BYTES = 64 << 20 };

struct tf_sql_budget {
	sqlite3_int64 used;
};

/* A growing list whose memory counts against a budget. Zeroed is empty. */
struct tf_sql_list {
	void *items;
	size_t count, bytes;
};

/* Appends an item of a size. False, with the error set in the context, when the budget or memory is spent. */
int tf_sql_push(sqlite3_context *context, struct tf_sql_list *list, const void *item, size_t size);

/* Gives the memory of a list back. */
void tf_sql_drop(sqlite3_context *context, struct tf_sql_list *list);

/* Sets "NAME: TEXT" as the error of the call. */
void tf_sql_fail(sqlite3_context *context, const char *name, const char *text);

/* One function in a table of them; rows end with a zeroed one. Aggregates have a step, others a call. */
struct tf_sql_function {
	const char *name;
	int arguments;
	void (*call)(sqlite3_context *, int, sqlite3_value **);
	void (*step)(sqlite3_context *, int, sqlite3_value **);
	void (*final)(sqlite3_context *);
};
extern const struct tf_sql_function tf_sql_interval_functions[]; /* sql_intervals.c */
extern const sqlite3_module tf_sql_interval_module;

/* regexp(PATTERN, TEXT), behind TEXT REGEXP PATTERN. sql_regexp.c */
void tf_sql_regexp(sqlite3_context *context, int count, sqlite3_value **values);

/* Adds all functions to a connection. Returns an SQLite result code. */
int tf_sql_functions_add(sqlite3 *db);

#endif
