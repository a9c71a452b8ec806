/* tfprof ls: what the store holds. */
#include <stddef.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/render/render.h"
#include "lib/store/store.h"

struct args {
	const char *db, *format;
	bool json;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"json", 'j', TF_OPT_FLAG, NULL, "an array of objects", offsetof(struct args, json)},
	{"format", 0, TF_OPT_TEXT, "NAME", "table, csv, json, jsonl or md", offsetof(struct args, format)},
	{0}};

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	static const char *const names[] = {"runs", "sessions", "tags", "files", "issues"};
	const struct args *a = args;
	const struct tf_table_format *format = tf_table_format_find(a->json ? "json" : a->format ? a->format : "table");
	struct tf_store *store;
	struct tf_row_receiver to;
	struct tf_error closing;
	size_t what = count ? 0 : 1;

	while (count && what < 5 && strcmp(names[what], operands[0]) != 0)
		what++;
	if (what == 5 || count > 1)
		return tf_fail(err, TF_EUSAGE, "no list '%s': runs, sessions, tags, files or issues", operands[count - 1]);
	if (!format)
		return tf_fail(err, TF_EUSAGE, "no format '%s'", a->format);
	if (tf_store_open(&store, tf_db_path(a->db), TF_STORE_READ, err) < 0)
		return -1;
	if (format->begin(stdout, &to, err) == 0) {
		int rc = tf_store_list(store, (enum tf_list)what, &to, err);
		struct tf_error ending = {0};
		if (format->end(&to, &ending) < 0 && rc == 0)
			*err = ending;
	}
	tf_store_close(store, &closing);
	return 0;
}

const struct tf_cmd tf_cmd_ls = {
	.name = "ls",
	.synopsis = "[OPTION]… [runs|sessions|tags|files|issues]",
	.summary = "list what the store holds",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
