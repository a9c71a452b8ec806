/* tfprof diff: what differs between sessions, in parts that add up. */
#include <stddef.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/target.h"
#include "lib/render/diff_out.h"

struct args {
	const char *db, *output, *top;
	bool json, md;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"json", 'j', TF_OPT_FLAG, NULL, "one JSON document (schemas/diff.schema.json)", offsetof(struct args, json)},
	{"md", 0, TF_OPT_FLAG, NULL, "Markdown, for a comment on a pull request", offsetof(struct args, md)},
	{"output", 'o', TF_OPT_TEXT, "FILE", "write there instead of stdout", offsetof(struct args, output)},
	{"top", 0, TF_OPT_TEXT, "N", "list N parts of each whole, the rest as one (default 10; 0 and JSON: all)",
	 offsetof(struct args, top)},
	{0}};

/* Parts that a list shows to a person. */
enum { TOP = 10 };

static int load(const struct args *a, const char **operands, size_t count, struct tf_session *sessions, struct tf_diff_side *sides,
		struct tf_error *err)
{
	for (size_t i = 0; i < count; i++) {
		sides[i] = (struct tf_diff_side){&sessions[i], operands[i], false};
		if (tf_load_session_or_report(a->db, operands[i], &sessions[i], &sides[i].is_report, err) < 0)
			return -1;
	}
	return 0;
}

static int write_diff(const struct args *a, const struct tf_diff *d, struct tf_error *err)
{
	FILE *to = tf_output_open(a->output, err);

	if (!to)
		return -1;
	int rc = a->json ? tf_render_diff_json(to, d, err)
		 : a->md ? tf_render_diff_md(to, d, err)
			 : tf_render_diff_text(to, d, to == stdout && tf_color_wanted(stdout), err);
	return tf_output_close(to, a->output, rc, err);
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	struct tf_diff d = {0};
	int64_t top = a->json ? 0 : TOP;

	if (count < 2) {
		tf_fail(err, TF_EUSAGE, "two sessions at least");
		tf_hint(err, "'tfprof diff latest~1 latest' compares the last two");
		return 0;
	}
	if (a->json && a->md)
		return tf_fail(err, TF_EUSAGE, "either '--json' or '--md'");
	if (a->top && (!tf_parse_i64(a->top, &top) || top < 0))
		return tf_fail(err, TF_EUSAGE, "option '--top' needs a whole number, not '%s'", a->top);
	struct tf_session *sessions = calloc(count, sizeof *sessions);
	struct tf_diff_side *sides = calloc(count, sizeof *sides);
	if (!sessions || !sides)
		tf_fail_nomem(err);
	else if (load(a, operands, count, sessions, sides, err) == 0 && tf_diff_make(sides, count, (size_t)top, &d, err) == 0)
		write_diff(a, &d, err);
	tf_arena_release(&d.arena);
	for (size_t i = 0; sessions && i < count; i++)
		tf_session_release(&sessions[i]);
	free(sessions);
	free(sides);
	return 0;
}

const struct tf_cmd tf_cmd_diff = {
	.name = "diff",
	.synopsis = "[OPTION]… A B [C…]",
	.summary = "what differs between sessions: time by part, op and kernel, input, memory by tensor",
	.help = "Each of A, B, C is a selector, a path, or a file of `report --json`. The parts of a step sum to it in each session,\n"
		"so their changes sum to that of the step; changes are those from the first to the last. What one session lacks is\n"
		"'-' and called added or removed. To judge whether a change is more than noise, use 'tfprof check --baseline'.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
