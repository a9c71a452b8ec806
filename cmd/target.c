/* Loading what a command is asked about. */
#include "cmd/target.h"

#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "lib/io/walk.h"
#include "lib/render/render.h"

bool tf_tell_damage(const char *cmd, const struct tf_ledger *l, const char *where)
{
	int64_t records = 0, bytes = 0, files = 0, pending = 0;

	for (size_t i = 0; i < l->file_count; i++) {
		const struct tf_ledger_file *f = &l->files[i];
		bool here = f->state == TF_STATE_FAILED;
		for (size_t k = 0; k < f->issue_count; k++)
			here |= tf_issue_is_damage(f->issues[k].code);
		if (here && f->kind == TF_FILE_EVENTS && f->tail == TF_TAIL_PARTIAL_RECORD && f->skipped_records == 0) {
			pending++;
			continue;
		}
		files += here;
		records += f->skipped_records;
		bytes += f->skipped_bytes;
	}
	if (files)
		fprintf(stderr, "tfprof%s: %lld %s damaged or unreadable, %lld records and %lld bytes lost; %s\n", cmd, (long long)files,
			files == 1 ? "file is" : "files are", (long long)records, (long long)bytes, where);
	if (pending)
		fprintf(stderr, "tfprof%s: %lld %s within a record, the rest of which is not there yet; %s\n", cmd, (long long)pending,
			pending == 1 ? "file ends" : "files end", where);
	return files + pending > 0;
}

static int load_paths(const char *const *paths, size_t count, const char *const *only, const char *step_event,
		      struct tf_session *session, struct tf_error *err)
{
	struct tf_ledger ledger = {0};
	regex_t marker;

	if (step_event && regcomp(&marker, step_event, REG_EXTENDED | REG_NOSUB) != 0)
		return tf_fail(err, TF_EUSAGE, "not a regular expression: '%s'", step_event);
	struct tf_ingest_options o = {.only = only, .step_event = step_event ? &marker : NULL, .progress_to = stderr};
	int rc = tf_report_paths(paths, count, &o, session, &ledger, err);
	if (rc == 0)
		tf_tell_damage("", &ledger, "'tfprof inspect' tells more");
	tf_arena_release(&ledger.arena);
	if (step_event)
		regfree(&marker);
	return rc;
}

/* The files that the sources of a session lie in, each once, and the sources as a NULL-terminated list. Arena. */
static int find_files(struct tf_arena *a, const char **sources, size_t source_count, const char ***files, size_t *count,
		      const char ***only, struct tf_error *err)
{
	*files = tf_arena_array(a, source_count + 1, sizeof **files);
	*only = tf_arena_array(a, source_count + 1, sizeof **only);
	*count = 0;
	if (!*files || !*only)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < source_count; i++) {
		const char *file = tf_file_around(a, sources[i]);
		if (!file)
			return tf_fail(err, TF_EIO, "cannot read '%s'", sources[i]);
		(*only)[i] = sources[i];
		if (*count == 0 || strcmp((*files)[*count - 1], file) != 0)
			(*files)[(*count)++] = file;
	}
	return 0;
}

/* Reads the files of a session again, with another marker of steps than the store knows. */
static int read_again(struct tf_store *store, const struct tf_target *target, const char *step_event, struct tf_session *session,
		      struct tf_error *err)
{
	struct tf_arena a = {0};
	const char **paths, **files, **only;
	size_t count, file_count;
	int rc = -1;

	if (tf_store_list_sources(store, target, &a, &paths, &count, err) < 0) {
		tf_hint(err, "'--step-event' needs the files themselves");
		goto out;
	}
	if (find_files(&a, paths, count, &files, &file_count, &only, err) < 0
	    || load_paths(files, file_count, only, step_event, session, err) < 0)
		goto out;
	session->id = target->session_id;
	session->run = tf_arena_strdup(&session->arena, target->run);
	session->name = target->name ? tf_arena_strdup(&session->arena, target->name) : NULL;
	rc = session->run && (session->name || !target->name) ? 0 : tf_fail_nomem(err);
out:
	tf_arena_release(&a);
	return rc;
}

static int load_selected(const char *db, const char *selector, const char *step_event, struct tf_session *session, struct tf_error *err)
{
	struct tf_store *store = NULL;
	struct tf_arena a = {0};
	struct tf_target *targets;
	struct tf_error closing;
	size_t count;
	int rc = -1;

	if (tf_store_open(&store, tf_db_path(db), TF_STORE_READ, err) < 0
	    || tf_store_select(store, selector, &a, &targets, &count, err) < 0)
		goto out;
	if (count == 0) {
		tf_fail(err, TF_EFORMAT, "nothing in the store is called '%s'", selector ? selector : "latest");
		tf_hint(err, "'tfprof ls sessions' and 'tfprof ls runs' list what there is");
		goto out;
	}
	/* A run's sessions are listed newest first, before runs without one: its name means its last one. A glob must name just one. */
	size_t rivals = 0;
	while (rivals < count && (targets[rivals].name || !targets[0].name))
		rivals++;
	if (rivals > 1 && strpbrk(selector, "*?[")) {
		tf_fail(err, TF_EUSAGE, "'%s' names %zu sessions", selector, rivals);
		tf_hint(err, "the newest is '%s/%s'", targets[0].run, targets[0].name ? targets[0].name : "");
		goto out;
	}
	rc = step_event ? read_again(store, &targets[0], step_event, session, err)
			: tf_store_load_session(store, &targets[0], session, err);
out:
	tf_arena_release(&a);
	tf_store_close(store, &closing);
	return rc;
}

int tf_load_target(const char *db, const char *what, const char *step_event, struct tf_session *session,
		   struct tf_error *err)
{
	if (what && strncmp(what, "run:", 4) != 0 && (strcmp(what, "-") == 0 || access(what, F_OK) == 0))
		return load_paths(&what, 1, NULL, step_event, session, err);
	return load_selected(db, what, step_event, session, err);
}

int tf_load_session_or_report(const char *db, const char *what, struct tf_session *s, bool *is_report, struct tf_error *err)
{
	struct tf_error not_a_report = {0};

	*is_report = false;
	if (strcmp(what, "-") == 0 || strncmp(what, "run:", 4) == 0 || access(what, F_OK) != 0)
		return tf_load_target(db, what, NULL, s, err);
	if (tf_report_read(what, s, &not_a_report) == 0) {
		*is_report = true;
		return 0;
	}
	tf_session_release(s);
	if (tf_load_target(db, what, NULL, s, err) == 0)
		return 0;
	*err = not_a_report;
	return -1;
}
