/* tfprof report: all analyses of one session. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/target.h"
#include "lib/render/render.h"

struct args {
	const char *db, *output, *section, *steps, *step_event;
	int64_t top;
	bool json, text;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"json", 'j', TF_OPT_FLAG, NULL, "one JSON document (schemas/report.schema.json)", offsetof(struct args, json)},
	{"text", 't', TF_OPT_FLAG, NULL, "for a person (default)", offsetof(struct args, text)},
	{"output", 'o', TF_OPT_TEXT, "FILE", "write there instead of stdout", offsetof(struct args, output)},
	{"section", 0, TF_OPT_TEXT, "A,B", "only these parts: metrics steps devices input memory ops kernels hosts findings",
	 offsetof(struct args, section)},
	{"top", 0, TF_OPT_I64, "N", "cut lists to N rows (0: none)", offsetof(struct args, top)},
	{"steps", 0, TF_OPT_TEXT, "A:B", "list only steps numbered A to B", offsetof(struct args, steps)},
	{"step-event", 0, TF_OPT_TEXT, "REGEX", "events of this name mark the steps; a session's files are read again",
	 offsetof(struct args, step_event)},
	{0}};

static bool is_section(const char *name)
{
	for (size_t i = 0; tf_report_sections[i]; i++)
		if (strcmp(tf_report_sections[i], name) == 0)
			return true;
	return false;
}

/* "a,b" into names; the text is cut in place. */
static int split_sections(char *text, const char **names, size_t room, struct tf_error *err)
{
	size_t n = 0;

	for (char *name = text, *next; name; name = next) {
		next = strchr(name, ',');
		if (next)
			*next++ = '\0';
		if (!is_section(name) || n + 1 >= room)
			return tf_fail(err, TF_EUSAGE, "no section '%s'", name);
		names[n++] = name;
	}
	return 0;
}

static int parse_steps(const char *text, struct tf_report_options *o, struct tf_error *err)
{
	char first[32];
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : sizeof first;

	if (len >= sizeof first)
		return tf_fail(err, TF_EUSAGE, "not a range of steps: '%s'", text);
	memcpy(first, text, len);
	first[len] = '\0';
	o->has_steps = true;
	if (!tf_parse_i64(first, &o->step_first) || !tf_parse_i64(colon + 1, &o->step_last) || o->step_first > o->step_last)
		return tf_fail(err, TF_EUSAGE, "not a range of steps: '%s'", text);
	return 0;
}

static int write_report(const struct args *a, const struct tf_session *s, struct tf_report_options *o, struct tf_error *err)
{
	FILE *to = tf_output_open(a->output, err);

	if (!to)
		return -1;
	o->color = to == stdout && tf_color_wanted(stdout);
	return tf_output_close(to, a->output, (a->json ? tf_render_report_json : tf_render_report_text)(to, s, o, err), err);
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	struct tf_session session = {0};
	const char *sections[16] = {0};
	char *copy = a->section ? strdup(a->section) : NULL;
	struct tf_report_options o = {.sections = a->section ? sections : NULL, .top = a->top > 0 ? (size_t)a->top : 0};

	if (count > 1)
		tf_fail(err, TF_EUSAGE, "one session or path at a time, not '%s' too", operands[1]);
	else if (a->json && a->text)
		tf_fail(err, TF_EUSAGE, "either '--json' or '--text'");
	else if ((a->section && !copy) || (copy && split_sections(copy, sections, 16, err) < 0))
		;
	else if (a->steps && parse_steps(a->steps, &o, err) < 0)
		;
	else if (tf_load_target(a->db, count ? operands[0] : NULL, a->step_event, &session, err) == 0)
		write_report(a, &session, &o, err);
	tf_session_release(&session);
	free(copy);
	return 0;
}

const struct tf_cmd tf_cmd_report = {
	.name = "report",
	.synopsis = "[OPTION]… [SELECTOR|PATH]",
	.summary = "step time, device idle, input share, memory, ops and kernels of one session",
	.help = "SELECTOR: latest (default), latest~1, run/session, run:NAME, an id or a glob. An argument that exists on disk\n"
		"is a PATH (folder, file, archive) and needs no store, as does - for standard input.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
