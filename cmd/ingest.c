/* tfprof ingest: find, load, and say what happened. */
#include <stddef.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/target.h"
#include "lib/pipeline/pipeline.h"
#include "lib/render/render.h"

struct args {
	const char *db, *run, *events, *progress, *step_event;
	struct tf_list_arg include, exclude;
	bool strict, json, verbose;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"run", 0, TF_OPT_TEXT, "NAME", "put NAME/ before all run names", offsetof(struct args, run)},
	{"include", 0, TF_OPT_LIST, "GLOB", "only paths that match (ARCHIVE/MEMBER for members)", offsetof(struct args, include)},
	{"exclude", 0, TF_OPT_LIST, "GLOB", "no paths that match", offsetof(struct args, exclude)},
	{"events", 0, TF_OPT_TEXT, "WHICH", "profile events to keep of the files that are loaded: all, device or none",
	 offsetof(struct args, events)},
	{"step-event", 0, TF_OPT_TEXT, "REGEX", "events of this name mark the steps", offsetof(struct args, step_event)},
	{"strict", 0, TF_OPT_FLAG, NULL, "exit 3 if anything was damaged", offsetof(struct args, strict)},
	{"json", 'j', TF_OPT_FLAG, NULL, "print the ledger as JSON", offsetof(struct args, json)},
	{"progress", 0, TF_OPT_TEXT, "WHEN", "progress bar: auto, always or never", offsetof(struct args, progress)},
	{"verbose", 'v', TF_OPT_FLAG, NULL, "print the ledger", offsetof(struct args, verbose)},
	{0}};

static int choose(const char *option, const char *value, const char *const *names, int *chosen, struct tf_error *err)
{
	for (int i = 0; value && names[i]; i++)
		if (strcmp(value, names[i]) == 0) {
			*chosen = i;
			return 0;
		}
	return value ? tf_fail(err, TF_EUSAGE, "option '--%s' does not know '%s'", option, value) : 0;
}

/* True if some file gave something, or was known already; an archive does so by its members. */
static bool is_useful(const struct tf_ledger *l)
{
	for (size_t i = 0; i < l->file_count; i++)
		if (tf_ledger_file_gave(&l->files[i]))
			return true;
	return false;
}

static int load(const struct args *a, const struct tf_ingest_options *o, const char **paths, size_t count,
		struct tf_ledger *ledger, struct tf_error *err)
{
	struct tf_store *store;
	struct tf_error closing = {0};

	if (tf_store_open(&store, tf_db_path(a->db), TF_STORE_WRITE, err) < 0)
		return -1;
	int rc = tf_ingest(store, paths, count, o, ledger, err);
	if (tf_store_close(store, &closing) < 0 && rc == 0) {
		*err = closing;
		rc = -1;
	}
	return rc;
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	static const char *const kept[] = {"all", "device", "none", NULL}, *const modes[] = {"auto", "always", "never", NULL};
	const struct args *a = args;
	struct tf_ledger ledger = {0};
	regex_t step_event;
	int events = TF_EVENTS_ALL, progress = TF_PROGRESS_AUTO, status = 0;

	if (count == 0)
		return tf_fail(err, TF_EUSAGE, "nothing to ingest: name a folder or file");
	if (choose("events", a->events, kept, &events, err) < 0 || choose("progress", a->progress, modes, &progress, err) < 0)
		return -1;
	if (a->step_event && regcomp(&step_event, a->step_event, REG_EXTENDED | REG_NOSUB) != 0)
		return tf_fail(err, TF_EUSAGE, "not a regular expression: '%s'", a->step_event);
	struct tf_ingest_options o = {.run = a->run, .include = a->include.items, .exclude = a->exclude.items,
				      .events = (enum tf_events_kept)events, .step_event = a->step_event ? &step_event : NULL,
				      .progress = (enum tf_progress_mode)progress, .progress_to = stderr};
	int rc = load(a, &o, operands, count, &ledger, err);
	if (rc == 0)
		rc = a->json	  ? tf_render_ledger_json(stdout, &ledger, err)
		     : a->verbose ? tf_render_ledger_text(stdout, &ledger, err) : 0;
	bool damaged = tf_tell_damage(" ingest", &ledger, "see 'tfprof ls issues'");
	if (rc == 0 && damaged && a->strict)
		status = 3;
	if (rc == 0 && ledger.missing) {
		tf_fail(err, TF_EIO, "%s", ledger.missing);
	} else if (rc == 0 && !is_useful(&ledger)) {
		tf_fail(err, TF_EFORMAT, "nothing that can be loaded in '%s'", operands[0]);
		tf_hint(err, "'tfprof inspect %s' tells what the files are", operands[0]);
	}
	tf_arena_release(&ledger.arena);
	if (a->step_event)
		regfree(&step_event);
	return status;
}

const struct tf_cmd tf_cmd_ingest = {
	.name = "ingest",
	.synopsis = "[OPTION]… PATH…",
	.summary = "find event files and captures under the paths and load them into the store",
	.help = "PATH is a folder of any depth, a file, or - for standard input. Files may be compressed (gzip, zstd) and lie in\n"
		"archives (tar, zip), which are read like folders. Unchanged files and archives cost a look at their stat;\n"
		"a changed file is replaced as a whole. Damage costs one record and is in the ledger.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
