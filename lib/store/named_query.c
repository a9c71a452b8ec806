/* Queries that have a name: the cookbook in schemas/queries, and the users' own of the same form. */
#include <stdlib.h>
#include <string.h>

#include "lib/store/db.h"
#include "lib/store/sql.h"

/* A piece of a line without blanks around it. */
static const char *trimmed(struct tf_arena *a, const char *from, const char *end)
{
	while (from < end && (*from == ' ' || *from == '\t'))
		from++;
	while (end > from && strchr(" \t\r", end[-1]))
		end--;
	return tf_arena_strndup(a, from, (size_t)(end - from));
}

/* "-- :NAME = DEFAULT -- what it is". False if the line is something else. */
static bool parse_param(const char *line, const char *end, struct tf_arena *a, struct tf_named_param *out)
{
	const char *equals = line, *dashes;

	if (end - line < 4 || strncmp(line, "-- :", 4) != 0)
		return false;
	while (equals < end && *equals != '=')
		equals++;
	for (dashes = equals; dashes < end && strncmp(dashes, " -- ", 4) != 0;)
		dashes++;
	if (equals == end || dashes == end)
		return false;
	out->name = trimmed(a, line + 4, equals);
	out->value = trimmed(a, equals + 1, dashes);
	out->help = trimmed(a, dashes + 4, end);
	size_t len = out->name ? strlen(out->name) : 0;
	out->is_session = len >= 7 && strcmp(out->name + len - 7, "session") == 0 && (len == 7 || out->name[len - 8] == '_');
	return true;
}

int tf_named_query_parse(const char *name, const char *text, struct tf_arena *a, struct tf_named_query *out, struct tf_error *err)
{
	const char *end = text + strcspn(text, "\n");
	struct tf_named_param param;
	size_t cap = 0;

	*out = (struct tf_named_query){.name = tf_arena_strdup(a, name), .sql = tf_arena_strdup(a, text)};
	if (strncmp(text, "-- ", 3) != 0 || strncmp(text, "-- :", 4) == 0) {
		tf_fail(err, TF_EUSAGE, "query '%s' has no title", name);
		tf_hint(err, "its first line is '-- TITLE', then come '-- :NAME = DEFAULT -- what it is' lines");
		return -1;
	}
	out->title = trimmed(a, text + 3, end);
	for (const char *line = end; *line && parse_param(line + 1, end = line + 1 + strcspn(line + 1, "\n"), a, &param); line = end) {
		struct tf_named_param *p = tf_arena_push(a, (void **)&out->params, &out->param_count, &cap, sizeof *p);
		if (!p || !param.name || !param.value || !param.help)
			return tf_fail_nomem(err);
		*p = param;
	}
	return out->name && out->sql && out->title ? 0 : tf_fail_nomem(err);
}

int tf_named_queries(struct tf_arena *a, struct tf_named_query **list, size_t *count, struct tf_error *err)
{
	size_t cap = 0;

	*list = NULL;
	*count = 0;
	for (const struct tf_sql *sql = tf_sql_all; sql->name; sql++) {
		if (strncmp(sql->name, "queries/", 8) != 0)
			continue;
		const char *name = tf_arena_strndup(a, sql->name + 8, strlen(sql->name) - 12); /* without ".sql" */
		struct tf_named_query *q = tf_arena_push(a, (void **)list, count, &cap, sizeof *q);
		if (!q || !name)
			return tf_fail_nomem(err);
		if (tf_named_query_parse(name, sql->text, a, q, err) < 0)
			return -1;
	}
	return 0;
}
