/* tfprof scalars: what the scalar tags of runs say. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/target.h"
#include "lib/pipeline/pipeline.h"
#include "lib/render/scalars_out.h"
#include "lib/store/store.h"

struct args {
	const char *db, *duplicates, *output;
	struct tf_list_arg tags;
	bool json, csv, points;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"tag", 0, TF_OPT_LIST, "GLOB", "only these tags", offsetof(struct args, tags)},
	{"points", 0, TF_OPT_FLAG, NULL, "list the points too; with --csv one row each", offsetof(struct args, points)},
	{"dup", 0, TF_OPT_TEXT, "HOW", "of several writes of one step: last (default), first, their mean, or all",
	 offsetof(struct args, duplicates)},
	{"json", 'j', TF_OPT_FLAG, NULL, "one JSON document (schemas/scalars.schema.json)", offsetof(struct args, json)},
	{"csv", 0, TF_OPT_FLAG, NULL, "one row a tag", offsetof(struct args, csv)},
	{"output", 'o', TF_OPT_TEXT, "FILE", "write there instead of stdout", offsetof(struct args, output)},
	{0}};

static int read_duplicates(const char *how, enum tf_duplicates *out, struct tf_error *err)
{
	static const char *const names[] = {"last", "first", "mean", "all"};

	*out = TF_DUPLICATES_LAST;
	for (int i = 0; how && i < 4; i++)
		if (strcmp(names[i], how) == 0) {
			*out = (enum tf_duplicates)i;
			return 0;
		}
	return how ? tf_fail(err, TF_EUSAGE, "option '--dup' does not know '%s'", how) : 0;
}

/* The store that answers: one in memory for a path, which then is all that is asked for. */
static int open_store(const char *db, const char **what, struct tf_store **store, struct tf_error *err)
{
	const struct tf_ingest_options o = {.events = TF_EVENTS_NONE, .progress_to = stderr};
	struct tf_ledger ledger = {0};

	if (!*what || strncmp(*what, "run:", 4) == 0 || access(*what, F_OK) != 0)
		return tf_store_open(store, tf_db_path(db), TF_STORE_READ, err);
	int rc = tf_store_open(store, "", TF_STORE_MEMORY, err) < 0 || tf_ingest(*store, what, 1, &o, &ledger, err) < 0 ? -1 : 0;
	if (rc == 0)
		tf_tell_damage(" scalars", &ledger, "'tfprof inspect' tells more");
	tf_arena_release(&ledger.arena);
	*what = NULL;
	return rc;
}

static int summarise(void *ctx, const struct tf_series *series, struct tf_error *err)
{
	struct tf_scalar_summary summary;
	return tf_summarise_scalars(series, &summary, err) < 0 ? -1 : tf_scalars_add(ctx, series, &summary, err);
}

static int write_scalars(const struct args *a, struct tf_store *store, const struct tf_series_query *query, struct tf_error *err)
{
	struct tf_scalars_out out = {.to = tf_output_open(a->output, err), .points = a->points,
				     .form = a->json ? TF_SCALARS_JSON : a->csv ? TF_SCALARS_CSV : TF_SCALARS_TEXT};
	struct tf_error ending = {0};

	if (!out.to)
		return -1;
	int rc = tf_scalars_begin(&out, err);
	if (rc == 0)
		rc = tf_store_each_series(store, query, summarise, &out, err);
	if (tf_scalars_end(&out, &ending) < 0 && rc == 0) {
		*err = ending;
		rc = -1;
	}
	rc = tf_output_close(out.to, a->output, rc, err);
	return rc == 0 && out.count == 0 ? tf_fail(err, TF_EFORMAT, "no such scalars") : rc;
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	const char *what = count ? operands[0] : NULL;
	struct tf_series_query query = {.tags = a->tags.items};
	struct tf_target *targets = NULL;
	struct tf_store *store = NULL;
	struct tf_arena arena = {0};
	struct tf_error closing;

	if (count > 1)
		return tf_fail(err, TF_EUSAGE, "one session, run or path at a time, not '%s' too", operands[1]);
	if (a->json && a->csv)
		return tf_fail(err, TF_EUSAGE, "either '--json' or '--csv'");
	if (read_duplicates(a->duplicates, &query.duplicates, err) < 0 || open_store(a->db, &what, &store, err) < 0)
		goto out;
	if (what && tf_store_select(store, what, &arena, &targets, &query.target_count, err) < 0)
		goto out;
	query.targets = targets;
	if (what && query.target_count == 0)
		tf_fail(err, TF_EFORMAT, "nothing in the store is called '%s'", what);
	else
		write_scalars(a, store, &query, err);
out:
	tf_store_close(store, &closing);
	tf_arena_release(&arena);
	return 0;
}

const struct tf_cmd tf_cmd_scalars = {
	.name = "scalars",
	.synopsis = "[OPTION]… [SELECTOR|PATH]",
	.summary = "range, trend, jumps and gaps of scalar tags",
	.help = "Without SELECTOR all runs of the store; with one the run of each session that it names. A PATH needs no store.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
