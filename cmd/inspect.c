/* tfprof inspect: what a file is, without a store. */
#include <stddef.h>

#include "cmd/cmd.h"
#include "lib/pipeline/inspect_files.h"
#include "lib/render/inspection_out.h"

struct args {
	bool json;
};

static const struct tf_opt options[] = {
	{"json", 'j', TF_OPT_FLAG, NULL, "one JSON document", offsetof(struct args, json)},
	{0}};

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	struct tf_inspection in = {0};

	if (count != 1)
		return tf_fail(err, TF_EUSAGE, "one path is needed");
	if (tf_inspect(operands[0], &in, err) == 0 && in.count == 0)
		tf_fail(err, TF_EFORMAT, "no file in '%s'", operands[0]);
	else if (err->code == TF_OK)
		(a->json ? tf_render_inspection_json : tf_render_inspection_text)(stdout, &in, err);
	tf_arena_release(&in.arena);
	return 0;
}

const struct tf_cmd tf_cmd_inspect = {
	.name = "inspect",
	.synopsis = "[OPTION]… PATH",
	.summary = "what a file is: kind, hosts, planes, lines, step candidates, completeness",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
