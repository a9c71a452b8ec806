/* Named queries: those of the program and those in the folders of $TFPROF_QUERY_PATH. */
#include "cmd/cookbook.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/text.h"

/* More than this is no query. */
enum { LONGEST = 1 << 20 };

int tf_read_text(const char *path, struct tf_buf *text, struct tf_error *err)
{
	FILE *from = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	char piece[4096];
	size_t n;

	if (!from)
		return tf_fail_errno(err, TF_EUSAGE, "cannot read '%s'", path);
	tf_buf_add(text, "", 0);
	while (text->len <= LONGEST && (n = fread(piece, 1, sizeof piece, from)) > 0)
		tf_buf_add(text, piece, n);
	bool broken = ferror(from) != 0;
	if (from != stdin)
		fclose(from);
	if (text->failed)
		return tf_fail_nomem(err);
	if (broken)
		return tf_fail(err, TF_EUSAGE, "cannot read '%s'", path);
	if (text->len > LONGEST || strlen(text->data) != text->len)
		return tf_fail(err, TF_EUSAGE, "not SQL text: '%s'", path);
	return 0;
}

/* Calls for each folder of the path until one returns something else than 0, which it returns. */
static int each_folder(int (*call)(void *ctx, const char *folder, struct tf_error *err), void *ctx, struct tf_error *err)
{
	const char *path = getenv("TFPROF_QUERY_PATH");
	int rc = 0;

	while (path && *path && rc == 0) {
		size_t len = strcspn(path, ":");
		char *folder = strndup(path, len);
		if (!folder)
			return tf_fail_nomem(err);
		rc = len ? call(ctx, folder, err) : 0;
		free(folder);
		path += len + (path[len] == ':');
	}
	return rc;
}

static int parse_file(const char *folder, const char *name, struct tf_arena *a, struct tf_named_query *out, struct tf_error *err)
{
	struct tf_buf path = {0}, text = {0};
	int rc = -1;

	tf_buf_printf(&path, "%s/%s.sql", folder, name);
	if (path.failed)
		tf_fail_nomem(err);
	else if (tf_read_text(path.data, &text, err) == 0)
		rc = tf_named_query_parse(name, text.data, a, out, err);
	tf_buf_release(&path);
	tf_buf_release(&text);
	return rc;
}

struct wanted {
	const char *name;
	struct tf_arena *a;
	struct tf_named_query *out;
};

/* 1: found here. */
static int look_in(void *ctx, const char *folder, struct tf_error *err)
{
	struct wanted *w = ctx;
	struct tf_buf path = {0};

	tf_buf_printf(&path, "%s/%s.sql", folder, w->name);
	bool here = !path.failed && access(path.data, F_OK) == 0;
	tf_buf_release(&path);
	if (!here)
		return 0;
	return parse_file(folder, w->name, w->a, w->out, err) < 0 ? -1 : 1;
}

int tf_cookbook_find(const char *name, struct tf_arena *a, struct tf_named_query *out, struct tf_error *err)
{
	struct tf_named_query *all;
	const char *nearest = NULL;
	size_t count;
	int best = 4, rc = *name && !strchr(name, '/') && *name != '.' ? each_folder(look_in, &(struct wanted){name, a, out}, err) : 0;

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (tf_named_queries(a, &all, &count, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		int distance = tf_text_distance(name, all[i].name, 4);
		if (distance < best) {
			best = distance;
			nearest = all[i].name;
		}
		if (distance == 0) {
			*out = all[i];
			return 0;
		}
	}
	tf_fail(err, TF_EUSAGE, "no query '@%s'", name);
	tf_hint(err, nearest ? "did you mean '@%s'?" : "'tfprof query --list' lists them", nearest);
	return -1;
}

static struct tf_cell text_cell(const char *text)
{
	return (struct tf_cell){.kind = text ? TF_CELL_TEXT : TF_CELL_NULL,
				.bytes = {(const uint8_t *)text, text ? strlen(text) : 0}};
}

static int send(const struct tf_row_receiver *to, const struct tf_named_query *q, const char *folder, struct tf_error *err)
{
	struct tf_buf params = {0};

	tf_buf_add(&params, "", 0);
	for (size_t i = 0; i < q->param_count; i++)
		tf_buf_printf(&params, "%s%s=%s", i ? " " : "", q->params[i].name, q->params[i].value);
	const struct tf_cell row[] = {text_cell(q->name), text_cell(q->title), text_cell(params.data), text_cell(folder)};
	int rc = params.failed ? tf_fail_nomem(err) : to->row(to->ctx, row, 4, err);
	tf_buf_release(&params);
	return rc;
}

static int is_sql(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + len - 4, ".sql") == 0;
}

/* A folder that cannot be read lists nothing, a file that is no query is left out: neither costs the others. */
static int list_folder(void *ctx, const char *folder, struct tf_error *err)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, is_sql, alphasort), rc = 0;

	for (int i = 0; i < n; i++) {
		struct tf_arena a = {0};
		struct tf_named_query q;
		struct tf_error skipped = {0};
		entries[i]->d_name[strlen(entries[i]->d_name) - 4] = '\0';
		if (rc == 0 && parse_file(folder, entries[i]->d_name, &a, &q, &skipped) == 0)
			rc = send(ctx, &q, folder, err);
		tf_arena_release(&a);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

int tf_cookbook_list(const struct tf_row_receiver *to, struct tf_error *err)
{
	static const char *const columns[] = {"name", "title", "parameters", "folder"};
	struct tf_arena a = {0};
	struct tf_named_query *all = NULL;
	size_t count = 0;
	int rc = to->columns(to->ctx, columns, 4, err);

	if (rc == 0)
		rc = each_folder(list_folder, (void *)(uintptr_t)to, err);
	if (rc == 0)
		rc = tf_named_queries(&a, &all, &count, err);
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = send(to, &all[i], NULL, err);
	tf_arena_release(&a);
	return rc;
}
