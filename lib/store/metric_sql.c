/* Explanations of metrics: sections of schemas/explain/metrics.sql, and their statements run. */
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/metric_names.h"
#include "lib/store/db.h"
#include "lib/store/sql.h"

/* Whether a pattern, in which one * stands for any text, is the name; `part` then gets what * stands for. */
static bool matches(struct tf_bytes pattern, const char *name, struct tf_bytes *part)
{
	const uint8_t *star = memchr(pattern.data, '*', pattern.len);
	size_t len = strlen(name), head = star ? (size_t)(star - pattern.data) : pattern.len;
	size_t tail = star ? pattern.len - head - 1 : 0;

	*part = (struct tf_bytes){(const uint8_t *)name, 0};
	if (len < head + tail || (!star && len != head) || memcmp(name, pattern.data, head) != 0)
		return false;
	if (star && memcmp(name + len - tail, star + 1, tail) != 0)
		return false;
	if (star)
		*part = (struct tf_bytes){(const uint8_t *)name + head, len - head - tail};
	return true;
}

/* The line that begins at `at`, without its end; *next is the one after it, NULL behind the last. */
static struct tf_bytes take_line(const char *at, const char **next)
{
	const char *end = strchr(at, '\n');

	*next = end ? end + 1 : NULL;
	return (struct tf_bytes){(const uint8_t *)at, end ? (size_t)(end - at) : strlen(at)};
}

/* The section's text if one of the names of its first line is the metric's; NULL otherwise. */
static const char *section_of(const char *at, const char *metric, struct tf_bytes *part)
{
	const char *next;
	struct tf_bytes line = take_line(at, &next), word;

	if (!tf_bytes_begin(line, "--# "))
		return NULL;
	for (size_t i = 4; i < line.len; i += word.len + 1) {
		const uint8_t *space = memchr(line.data + i, ' ', line.len - i);
		word = (struct tf_bytes){line.data + i, space ? (size_t)(space - line.data) - i : line.len - i};
		if (matches(word, metric, part))
			return next;
	}
	return NULL;
}

/* What narrows the views to one host: its own stand before those of the same name. */
static const char of_host[] =
	"WITH host AS (SELECT * FROM main.host WHERE session_id = :session AND name = :host),\n"
	"  step AS (SELECT * FROM main.step WHERE host_id IN (SELECT host_id FROM host)),\n"
	"  session_step AS (SELECT session_id, step_id, number, series, complete AND NOT warmup AND main_series AS steady, step_ps,"
	" input_ps, stall_ps, period_ps, kernel_count FROM step),\n"
	"  device AS (SELECT * FROM main.device WHERE host_id IN (SELECT host_id FROM host)),\n"
	"  line AS (SELECT * FROM main.line WHERE host_id IN (SELECT host_id FROM host)),\n"
	"  op AS (SELECT * FROM main.op WHERE host_id IN (SELECT host_id FROM host)),\n"
	"  kernel AS (SELECT * FROM main.kernel WHERE host_id IN (SELECT host_id FROM host)),\n"
	"  allocator AS (SELECT * FROM main.allocator WHERE host_id IN (SELECT host_id FROM host)),\n"
	"  memory_at_peak AS (SELECT * FROM main.memory_at_peak WHERE host_id IN (SELECT host_id FROM host)),\n"
	"  session AS (SELECT session_id, name, start_ns, duration_ps / 1000.0 AS duration_ns, complete FROM host),\n"
	"  metric AS (SELECT run_id, session_id, NULL AS host, name, value, reason FROM main.metric WHERE host = :host)";

/* Statement after statement of the section, each up to its semicolon at the end of a line. */
static const char *take_statement(const char **at, const char *host, struct tf_arena *a)
{
	const char *end = strstr(*at, ";\n"), *sql = *at;
	int len = end ? (int)(end - sql) : 0;

	*at = end ? end + 2 : *at;
	if (!host)
		return tf_arena_strndup(a, sql, (size_t)len);
	if (strncmp(sql, "WITH ", 5) == 0)
		return tf_arena_printf(a, "%s,\n  %.*s", of_host, len - 5, sql + 5);
	return tf_arena_printf(a, "%s\n%.*s", of_host, len, sql);
}

int tf_store_explanation(const char *name, struct tf_arena *a, struct tf_explanation *out, struct tf_error *err)
{
	const struct tf_sql *sql = tf_sql_all;
	const char *section = NULL, *next, *host = tf_metric_host(name);
	const char *metric = host ? tf_arena_strndup(a, name, (size_t)(host - 1 - name)) : name;
	const char *dot = metric ? strrchr(metric, '.') : NULL;
	struct tf_bytes part = {0}, line;

	if (!metric)
		return tf_fail_nomem(err);
	while (strcmp(sql->name, "explain/metrics.sql") != 0)
		sql++;
	for (const char *at = sql->text; at && !section && tf_metric_kind_find(name); at = next) {
		take_line(at, &next);
		section = section_of(at, metric, &part);
	}
	if (!section) {
		tf_fail(err, TF_EUSAGE, "no metric '%s'", name);
		tf_metric_suggest(name, err);
		return -1;
	}
	line = take_line(section, &section);
	out->definition = tf_arena_strndup(a, (const char *)line.data + 3, line.len - 3);
	line = take_line(section, &section);
	out->source = tf_arena_strndup(a, (const char *)line.data + 3, line.len - 3);
	out->value_sql = take_statement(&section, host, a);
	out->rows_sql = take_statement(&section, host, a);
	out->part = tf_arena_strndup(a, (const char *)part.data, part.len);
	out->host = host ? host : "";
	out->figure = tf_arena_strdup(a, dot ? dot + 1 : metric);
	return out->definition && out->source && out->value_sql && out->rows_sql && out->part && out->figure ? 0 : tf_fail_nomem(err);
}

int tf_store_explain(struct tf_store *s, const struct tf_explanation *e, const char *sql, const struct tf_target *target, size_t limit,
		     const struct tf_row_receiver *to, struct tf_error *err)
{
	char id[24];
	const struct tf_param all[] = {{"session", id}, {"run", target->run}, {"part", e->part}, {"figure", e->figure}, {"host", e->host}};
	struct tf_param used[5];
	size_t count = 0;
	char *limited = limit ? sqlite3_mprintf("%s LIMIT %lld", sql, (long long)limit) : sqlite3_mprintf("%s", sql);

	if (!limited)
		return tf_fail_nomem(err);
	sqlite3_snprintf(sizeof id, id, "%lld", (long long)(target->session_id == TF_NONE ? 0 : target->session_id));
	for (size_t i = 0; i < 5; i++) {
		char name[16];
		sqlite3_snprintf(sizeof name, name, ":%s", all[i].name);
		if (strstr(sql, name))
			used[count++] = all[i];
	}
	int rc = tf_store_query(s, limited, used, count, 60000, to, err);
	sqlite3_free(limited);
	return rc;
}
