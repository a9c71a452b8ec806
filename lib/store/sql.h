/* The SQL files of schemas/, embedded by schemas/embed.sh. */
#ifndef TF_STORE_SQL_H
#define TF_STORE_SQL_H

#include <stddef.h>

struct tf_sql {
	const char *name; /* "001_store.sql", "views/step.sql" */
	const char *text;
	size_t len;
};

/* In the order of their names, migrations first; ends with a zeroed one. */
extern const struct tf_sql tf_sql_all[];

#endif
