/* tfprof doctor: whether a store is sound, and how it stands to its files. */
#include <stddef.h>

#include "cmd/cmd.h"
#include "lib/render/examination_out.h"
#include "lib/store/examine.h"

struct args {
	const char *db;
	bool json, repair;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"repair", 0, TF_OPT_FLAG, NULL, "remove rows that belong to nothing; make views and figures of sessions anew",
	 offsetof(struct args, repair)},
	{"json", 'j', TF_OPT_FLAG, NULL, "one JSON document (schemas/doctor.schema.json)", offsetof(struct args, json)},
	{0}};

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	struct tf_examination e = {0};
	struct tf_store *store = NULL;
	struct tf_error closing = {0};
	int rc = -1;

	if (count)
		return tf_fail(err, TF_EUSAGE, "no argument expected: '%s'", operands[0]);
	/* Opened for reading first: a missing store is not made, another program's file not touched. */
	if (tf_store_open(&store, tf_db_path(a->db), TF_STORE_READ, err) < 0)
		goto out;
	if (a->repair) {
		tf_store_close(store, &closing);
		store = NULL;
		if (tf_store_open(&store, tf_db_path(a->db), TF_STORE_WRITE, err) < 0 || tf_store_repair(store, err) < 0)
			goto out;
	}
	if (tf_store_examine(store, &e, err) == 0)
		rc = (a->json ? tf_render_examination_json : tf_render_examination_text)(stdout, &e, err);
out:
	if (tf_store_close(store, &closing) < 0 && rc == 0) {
		*err = closing;
		rc = -1;
	}
	int status = rc == 0 && !tf_examination_is_sound(&e) ? 4 : 0;
	tf_arena_release(&e.arena);
	return status;
}

const struct tf_cmd tf_cmd_doctor = {
	.name = "doctor",
	.synopsis = "[OPTION]…",
	.summary = "whether the store is sound, and how it stands to its files",
	.help = "Exit status 4 if the store is not sound. Files that changed or went are told, and are no fault of the store.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
