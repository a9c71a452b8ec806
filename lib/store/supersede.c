/*
 * Files that say what a better one of the same host and session says: an XSpace makes all others needless, a trace those result
 * files whose subject it has. Their rows are not kept, so that nothing counts twice.
 */
#include "lib/store/db.h"

/* A trace that is no XSpace, and has rows in the table. */
#define TRACE_WITH(table) \
	"(f.kind IN ('trace_json', 'trace_pb') AND EXISTS (SELECT 1 FROM " table " x WHERE x.host_id = h.host_id))"

/* True if the file f, of the host h, makes one of this kind and host needless. JAX writes a copy of its trace as "perfetto_trace". */
#define IS_BETTER_THAN(kind, host) \
	"CASE WHEN " kind " = 'trace_json' AND " host " = 'perfetto_trace'" \
	" THEN f.kind IN ('xspace', 'trace_json') AND h.name <> 'perfetto_trace'" \
	" WHEN h.name <> " host " THEN 0" \
	" WHEN f.kind = 'xspace' THEN " kind " <> 'xspace'" \
	" WHEN " kind " = 'trace_pb' THEN f.kind = 'trace_json'" \
	" WHEN " kind " = 'memory_profile_pb' THEN f.kind = 'memory_profile_json'" \
	" WHEN " kind " = 'overview_pb' THEN " TRACE_WITH("_step") \
	" WHEN " kind " = 'input_pipeline_pb' THEN f.kind = 'overview_pb' OR " TRACE_WITH("_step") \
	" WHEN " kind " = 'tensorflow_stats_pb' THEN " TRACE_WITH("_op") \
	" WHEN " kind " = 'kernel_stats_pb' THEN " TRACE_WITH("_kernel") " ELSE 0 END"

int tf_store_find_better(struct tf_store *s, const struct tf_source *source, struct tf_better *better, struct tf_error *err)
{
	sqlite3_stmt *q;

	*better = (struct tf_better){.step_count = TF_NONE, .mean_step_ps = TF_NONE};
	if (!source->run || !source->session_name)
		return 0;
	q = tf_db_bind(s, err,
		       "SELECT (SELECT count(*) FROM _step x WHERE x.host_id = h.host_id AND x.main_series),"
		       " (SELECT CAST(avg(step_ps) AS INTEGER) FROM _step x WHERE x.host_id = h.host_id AND x.main_series)"
		       " FROM _run r JOIN _session n ON n.run_id = r.run_id JOIN _source_file f ON f.session_id = n.session_id"
		       " JOIN _host h ON h.file_id = f.file_id WHERE r.name = ?1 AND n.name = ?2 AND f.real_path <> ?3"
		       " AND " IS_BETTER_THAN("?4", "?5") " ORDER BY f.kind = 'xspace' DESC LIMIT 1",
		       "ttttt", source->run, source->session_name, source->real_path, tf_file_kind_name(source->kind),
		       source->host_name);
	if (!q)
		return -1;
	int step = sqlite3_step(q);
	if (step == SQLITE_ROW) {
		better->found = true;
		better->step_count = tf_db_i64(q, 0);
		better->mean_step_ps = tf_db_i64(q, 1);
	}
	tf_db_done(q);
	return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : tf_db_fail(s, err, "store");
}

int tf_store_drop_needless(struct tf_store *s, struct tf_error *err)
{
	for (;;) {
		int64_t file;
		if (tf_db_integer(s, err, &file,
				  "SELECT g.file_id FROM _source_file g JOIN _host gh ON gh.file_id = g.file_id"
				  " JOIN _source_file f ON f.session_id = g.session_id AND f.file_id <> g.file_id"
				  " JOIN _host h ON h.file_id = f.file_id WHERE g.session_id = ? AND "
				  IS_BETTER_THAN("g.kind", "gh.name") " LIMIT 1",
				  "i", s->session_id) < 0)
			return -1;
		if (file == TF_NONE)
			return 0;
		if (tf_store_drop_capture(s, file, err) < 0
		    || tf_db_run(s, err, NULL, "UPDATE _source_file SET state = 'skipped', run_id = NULL, session_id = NULL"
				 " WHERE file_id = ?", "i", file) < 0
		    || tf_db_run(s, err, NULL, "INSERT INTO _ingest_issue(file_id, code, message) VALUES(?,?,?)", "itt", file,
				 tf_issue_name(TF_ISSUE_SUPERSEDED), "a better file of its host was loaded later") < 0)
			return -1;
	}
}
