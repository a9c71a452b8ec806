/* tfprof schema: the views and what their columns mean. */
#include <stddef.h>

#include "cmd/cmd.h"
#include "lib/render/render.h"
#include "lib/store/store.h"

struct args {
	const char *format;
	bool json;
};

static const struct tf_opt options[] = {
	{"json", 'j', TF_OPT_FLAG, NULL, "an array of objects", offsetof(struct args, json)},
	{"format", 0, TF_OPT_TEXT, "NAME", "table (default), csv, tsv, json, jsonl or md", offsetof(struct args, format)},
	{0}};

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	const struct tf_table_format *format = tf_table_format_find(a->json ? "json" : a->format ? a->format : "table");
	struct tf_row_receiver to;
	struct tf_error ending = {0};

	if (count > 1 || !format)
		return tf_fail(err, TF_EUSAGE, "one view at most, and a known format");
	if (format->begin(stdout, &to, err) < 0)
		return -1;
	int rc = tf_store_schema(count ? operands[0] : NULL, &to, err);
	if (format->end(&to, &ending) < 0 && rc == 0)
		*err = ending;
	return 0;
}

const struct tf_cmd tf_cmd_schema = {
	.name = "schema",
	.synopsis = "[OPTION]… [VIEW]",
	.summary = "list the views of the store and document their columns",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
