/* A report without a store: the same pipeline into a store in memory, without event rows. */
#include "lib/pipeline/pipeline.h"

/* True if some file gave rows: a run of texts or images has no figures, but is one. */
static bool has_rows(const struct tf_ledger *l)
{
	for (size_t i = 0; i < l->file_count; i++)
		if (tf_ledger_file_gave(&l->files[i]))
			return true;
	return false;
}

int tf_report_paths(const char *const *paths, size_t path_count, const struct tf_ingest_options *options,
		    struct tf_session *session, struct tf_ledger *ledger, struct tf_error *err)
{
	struct tf_ingest_options in_memory = *options;
	struct tf_store *store = NULL;
	struct tf_arena a = {0};
	struct tf_target *targets;
	struct tf_error ignored;
	size_t count;
	int rc = -1;

	in_memory.events = TF_EVENTS_NONE;
	if (tf_store_open(&store, "", TF_STORE_MEMORY, err) < 0 || tf_ingest(store, paths, path_count, &in_memory, ledger, err) < 0
	    || tf_store_select(store, "latest", &a, &targets, &count, err) < 0)
		goto out;
	if (count && tf_store_load_session(store, targets, session, err) < 0)
		goto out;
	if (count == 0 || !(session->host_count || session->xla_count || session->scalar_count || has_rows(ledger))) {
		tf_fail(err, TF_EFORMAT, "nothing to report in '%s'", paths[0]);
		for (size_t i = 0; i < ledger->file_count; i++)
			if (ledger->files[i].issue_count)
				tf_hint(err, "%s: %s", ledger->files[i].path, ledger->files[i].issues[0].message);
		goto out;
	}
	rc = 0;
out:
	tf_arena_release(&a);
	tf_store_close(store, &ignored);
	return rc;
}
