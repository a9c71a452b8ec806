/* Ingest: every file found is read, told apart, decoded, analysed and stored, one transaction each. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/decode/sniff.h"
#include "lib/io/naming.h"
#include "lib/io/walk.h"
#include "lib/pipeline/load.h"
#include "lib/pipeline/members.h"

/* A file's source, and the run that it is of if it turns out to be an event file. */
struct described {
	struct tf_source source;
	const char *folder;
	const char *program_session; /* the session, if it turns out to be an XLA program */
};

struct ingest {
	struct tf_store *store;
	const struct tf_ingest_options *o;
	struct tf_ledger *ledger;
	struct tf_error *err;
};

static int64_t stamp_ns(struct timespec t)
{
	int64_t ns;
	return __builtin_mul_overflow((int64_t)t.tv_sec, INT64_C(1000000000), &ns) ? 0 : ns + t.tv_nsec;
}

/* Standard input, or a member of an archive that came by it: it has no stat to be known by. */
static bool is_piped(const struct tf_found *found)
{
	return found->path[0] == '-' && found->st.st_nlink == 0;
}

static bool wanted(const struct tf_ingest_options *o, const char *path)
{
	bool included = !o->include || !o->include[0], listed = !o->only;

	for (size_t i = 0; o->only && o->only[i]; i++)
		listed |= strcmp(o->only[i], path) == 0;
	for (size_t i = 0; o->include && o->include[i]; i++)
		included |= tf_glob_match(o->include[i], path);
	for (size_t i = 0; o->exclude && o->exclude[i]; i++)
		included &= !tf_glob_match(o->exclude[i], path);
	return included && listed;
}

/* Of an archive the members must be wanted, and it may not be unwanted itself. */
static bool is_wanted(const struct tf_ingest_options *o, const struct tf_found *found)
{
	struct tf_ingest_options but = {.exclude = o->exclude};
	size_t stem_len;

	return wanted(tf_is_archive_name(found->path, &stem_len) || is_piped(found) ? &but : o, found->path);
}

static struct tf_ledger_file *add_file(struct ingest *g, const char *path)
{
	struct tf_ledger *l = g->ledger;
	struct tf_ledger_file *f = tf_arena_push(&l->arena, (void **)&l->files, &l->file_count, &l->file_cap, sizeof *f);

	if (!f)
		return NULL;
	f->first_bad_offset = TF_NONE;
	f->path = tf_utf8_repair(&l->arena, tf_bytes_of(path));
	return f->path ? f : NULL;
}

static const char *real_path(struct tf_arena *a, const struct tf_found *found)
{
	if (found->inside)
		return found->inside->real_path;
	if (is_piped(found))
		return found->path;
	return found->real_root ? tf_arena_printf(a, "%s/%s", found->real_root, found->relative) : tf_real_path(a, found->path);
}

/* What the store recognises the file by. Strings live in the ledger's arena. */
static int describe(struct ingest *g, const struct tf_found *found, struct described *out)
{
	struct tf_source *s = &out->source;
	struct tf_arena *a = &g->ledger->arena;
	const struct tf_inside *in = found->inside;
	const char *real = real_path(a, found);
	struct tf_names names;

	if (!real)
		return tf_fail_nomem(g->err);
	if (tf_name_file(a, in ? in->named : found->path, found->relative, found->from_file, g->o->run, &names, g->err) < 0)
		return -1;
	*s = (struct tf_source){
		.run_prefix = g->o->run ? g->o->run : "", .device = (int64_t)found->st.st_dev,
		.real_path = tf_utf8_repair(a, tf_bytes_of(real)),
		.path = tf_utf8_repair(a, tf_bytes_of(found->path)), .run = tf_utf8_repair(a, tf_bytes_of(names.run)),
		.run_path = in ? tf_arena_strdup(a, in->run_path)
			       : tf_arena_strndup(a, found->path, strlen(found->path) - strlen(found->relative)),
		.session_name = tf_utf8_repair(a, tf_bytes_of(names.session)),
		.host_name = tf_utf8_repair(a, tf_bytes_of(names.host)), .inode = (int64_t)found->st.st_ino,
		.size_bytes = (int64_t)found->st.st_size, .mtime_ns = stamp_ns(found->st.st_mtim),
		.ctime_ns = stamp_ns(found->st.st_ctim)};
	if (!s->real_path || !s->path || !s->run || !s->session_name || !s->host_name || !s->run_path)
		return tf_fail_nomem(g->err);
	s->run_path = tf_utf8_repair(a, tf_bytes_of(s->run_path));
	out->folder = tf_utf8_repair(a, tf_bytes_of(names.folder));
	out->program_session = tf_utf8_repair(a, tf_bytes_of(names.program_session));
	return s->run_path && out->folder && out->program_session ? 0 : tf_fail_nomem(g->err);
}

static int issue(struct ingest *g, struct tf_ledger_file *f, enum tf_issue_code code, const char *text)
{
	return tf_ledger_issue(&g->ledger->arena, f, code, TF_NONE, g->err, "%s", text);
}

/* Kinds that are known but not loaded, and what is no profile at all: a fault only if its name promised one. */
static int leave_out(struct ingest *g, struct tf_ledger_file *f, const struct tf_content *in)
{
	bool promised = tf_sniff_name(f->path) != TF_FILE_UNKNOWN;

	f->state = f->kind == TF_FILE_UNKNOWN && promised ? TF_STATE_FAILED : TF_STATE_SKIPPED;
	return tf_note_unloaded(in, f, &g->ledger->arena, g->err);
}

static bool is_fatal(const struct tf_error *err)
{
	return err->code == TF_ESTORE || err->code == TF_ESYSTEM || err->code == TF_ENOMEM;
}

/* The transaction of a file whose content is at hand. */
static int store_file(struct ingest *g, const struct tf_source *source, const struct tf_content *in,
		      const struct tf_format *format, const struct tf_capture *c, struct tf_ledger_file *f)
{
	if (tf_store_begin_file(g->store, source, g->err) < 0)
		return -1;
	if (format && f->state != TF_STATE_FAILED
	    && format->store(g->store, in, c, g->o, f, &g->ledger->arena, g->err) < 0) {
		tf_store_abandon_file(g->store);
		return -1;
	}
	return tf_store_end_file(g->store, f, g->err);
}

static int note_cut(struct ingest *g, struct tf_ledger_file *f, const struct tf_content *in)
{
	return in->cut ? tf_ledger_issue(&g->ledger->arena, f, TF_ISSUE_TRUNCATED, in->cut_offset, g->err, "%s",
					 tf_content_cut_text(in))
		       : 0;
}

/* What could not be read at all costs the file, except what ends the run. */
static int note_unreadable(struct ingest *g, struct tf_ledger_file *f, const struct tf_error *failed)
{
	f->state = TF_STATE_FAILED;
	if (failed->code == TF_ENOMEM) {
		*g->err = *failed;
		return -1;
	}
	return issue(g, f, failed->code == TF_ELIMIT ? TF_ISSUE_LIMIT : TF_ISSUE_IO_ERROR, failed->text);
}

static bool is_result_file(enum tf_file_kind kind)
{
	return kind == TF_FILE_OVERVIEW_PB || kind == TF_FILE_INPUT_PIPELINE_PB;
}

/* A result file beside the capture that it was made of should list the same steps. */
static int compare_steps(struct ingest *g, struct tf_ledger_file *f, const struct tf_capture *c, const struct tf_better *better)
{
	const struct tf_steps *s = &c->results.hosts->steps;
	double mean_ps = 0;

	for (size_t i = 0; i < s->count; i++)
		mean_ps += (double)s->list[i].step_ps / (double)s->count;
	double other_ps = better->mean_step_ps == TF_NONE ? 0 : (double)better->mean_step_ps;
	if ((int64_t)s->count == better->step_count && fabs(mean_ps - other_ps) <= 0.001 * other_ps)
		return 0;
	return tf_ledger_issue(&g->ledger->arena, f, TF_ISSUE_DIFFERS, TF_NONE, g->err,
			       "%zu steps of %.3f ms; the capture beside it has %lld of %.3f ms, which count", s->count, mean_ps / 1e9,
			       (long long)better->step_count, other_ps / 1e9);
}

/* A file of whose host there is a better one says nothing new; result files are compared with it. */
static int note_superseded(struct ingest *g, struct tf_ledger_file *f, const struct tf_source *source, struct tf_content *in,
			   const struct tf_format *format)
{
	struct tf_better better;
	struct tf_capture c = {0};
	struct tf_error failed = {0};
	int rc = 0;

	if (tf_store_find_better(g->store, source, &better, g->err) < 0)
		return -1;
	if (!better.found)
		return 0;
	f->state = TF_STATE_SKIPPED;
	if (issue(g, f, TF_ISSUE_SUPERSEDED, "a better file of its host is loaded") < 0)
		return -1;
	if (is_result_file(f->kind)
	    && format->prepare(in, source->host_name, g->o, &c, f, &g->ledger->arena, &failed) == 0)
		rc = compare_steps(g, f, &c, &better);
	tf_capture_release(&c);
	return rc;
}

static bool is_capture(enum tf_file_kind kind)
{
	return kind == TF_FILE_XSPACE || kind == TF_FILE_TRACE_JSON || kind == TF_FILE_TRACE_PB || kind == TF_FILE_RUN_METADATA;
}

/*
 * What a file belongs to: a profile to its session, an event file to its folder's run. One of which nothing could be read belongs
 * where its name says, unless a better file of its host is there: that session or run is then incomplete. Others belong to nothing.
 */
static int place(struct ingest *g, struct described *file, const struct tf_ledger_file *f, bool has_profile, bool is_empty)
{
	enum tf_file_kind kind = f->kind == TF_FILE_UNKNOWN ? tf_sniff_name(f->path) : f->kind;
	bool failed = f->state == TF_STATE_FAILED, is_lost = false;
	struct tf_source *source = &file->source;

	if ((failed || is_empty) && is_capture(kind)) {
		struct tf_better better;
		if (tf_store_find_better(g->store, source, &better, g->err) < 0)
			return -1;
		is_lost = !better.found;
	}
	if (!has_profile && !is_lost) {
		source->session_name = source->host_name = NULL;
		source->run = file->folder;
	}
	if (!is_lost && (f->state == TF_STATE_SKIPPED || (failed && kind != TF_FILE_EVENTS)))
		source->run = NULL;
	return 0;
}

static int load_content(struct ingest *g, struct described *file, struct tf_content *in, struct tf_ledger_file *f)
{
	struct tf_source *source = &file->source;
	struct tf_arena *a = &g->ledger->arena;
	struct tf_capture c = {0};
	int rc = -1;

	const struct tf_format *format = tf_format_find(f->kind);
	bool streams = format && format->streams;
	struct tf_error failed = {0};
	if (f->kind == TF_FILE_HLO_PROTO)
		source->session_name = file->program_session;
	if (format && !streams && tf_content_load(in, &failed) < 0 && note_unreadable(g, f, &failed) < 0)
		goto out;
	f->bytes_read = (int64_t)in->content.len;
	if (!streams && note_cut(g, f, in) < 0)
		goto out;
	if (in->content.len == 0 && f->kind == TF_FILE_EVENTS) {
		if (issue(g, f, TF_ISSUE_EMPTY, "the file is empty: its writer has flushed nothing yet") < 0)
			goto out;
	} else if (!format || in->content.len == 0) {
		if (leave_out(g, f, in) < 0)
			goto out;
	}
	if (f->state == TF_STATE_NEW && format && format->prepare && !format->has_rows && note_superseded(g, f, source, in, format) < 0)
		goto out;
	if (f->state != TF_STATE_NEW)
		format = NULL;
	if (format && format->prepare
	    && format->prepare(in, source->host_name, g->o, &c, f, a, &failed) < 0) {
		if (is_fatal(&failed)) {
			*g->err = failed;
			goto out;
		}
		if (issue(g, f, failed.code == TF_ELIMIT ? TF_ISSUE_LIMIT : TF_ISSUE_UNREADABLE, failed.text) < 0)
			goto out;
		f->state = TF_STATE_FAILED;
	}
	if (streams && note_cut(g, f, in) < 0)
		goto out;
	if (format && format->has_rows)
		source->run = file->folder;
	if (place(g, file, f, c.loaded, in->content.len == 0) == 0)
		rc = store_file(g, source, in, format, &c, f);
out:
	tf_capture_release(&c);
	return rc;
}

/* A file that cannot be opened: the store's ledger says so too. */
static int keep_unreadable(struct ingest *g, struct described *file, const struct tf_source_known *known, const struct tf_error *why,
			   struct tf_ledger_file *f)
{
	file->source.kind = f->kind = known->found ? known->kind : tf_sniff_name(f->path);
	return note_unreadable(g, f, why) < 0 || place(g, file, f, false, true) < 0
			       || tf_store_note_unreadable(g->store, &file->source, known, f, g->err) < 0 ? -1 : 0;
}

/* What is wrong with an archive as a whole, and that it was read. */
static int note_archive(struct ingest *g, const struct tf_archive *a, struct tf_ledger_file *f)
{
	struct tf_arena *arena = &g->ledger->arena;

	if (a->count == 0)
		f->state = a->stop.code != TF_OK ? TF_STATE_FAILED : TF_STATE_SKIPPED;
	for (size_t i = 0; i < a->count; i++)
		f->bytes_read += a->members[i].bytes;
	return tf_note_archive(a, f, arena, g->err);
}

/* Rows of members that an archive does not have any more go; what a cut archive had beyond the cut stays. */
static int forget_members(struct ingest *g, const struct tf_source *source, const struct tf_archive *a)
{
	struct tf_map kept = {0};
	struct tf_arena arena = {0};
	int rc = 0;

	for (size_t i = 0; a && rc == 0 && i < a->count; i++) {
		char *path = tf_utf8_repair(&arena, tf_bytes_of(a->members[i].path));
		rc = path ? tf_map_put(&kept, tf_hash_bytes(path, strlen(path)), 1, g->err) : tf_fail_nomem(g->err);
	}
	if (rc == 0 && (!a || a->stop.code == TF_OK))
		rc = tf_store_forget_members(g->store, source, &kept, g->err);
	tf_map_release(&kept);
	tf_arena_release(&arena);
	return rc;
}

static int ingest_file(struct ingest *g, const struct tf_found *found);

/* The members of an archive that are being read. */
struct reading {
	struct ingest *g;
	bool left_out; /* some are not wanted */
};

static bool wants_member(void *ctx, const char *path)
{
	struct reading *r = ctx;
	struct tf_found found = {.path = path, .st.st_nlink = 1};
	bool yes = is_wanted(r->g->o, &found);

	r->left_out |= !yes;
	return yes;
}

static int ingest_member(void *ctx, const struct tf_found *found, struct tf_error *err)
{
	(void)err; /* the same as in ctx */
	return ingest_file(((struct reading *)ctx)->g, found);
}

/* Its own row comes last: should this end before, the archive is read again. `row`: its place in the ledger, which moves as it grows. */
static int ingest_archive(struct ingest *g, struct tf_source *source, const struct tf_found *found, const struct tf_content *in, size_t row)
{
	struct tf_archive a = {0};
	struct reading reading = {.g = g};
	struct tf_member_use use = {&reading, wants_member, ingest_member};
	int rc = -1;

	if (found->inside && found->inside->depth >= TF_LIMIT_ARCHIVE_DEPTH) {
		tf_fail(&a.stop, TF_ELIMIT, "an archive in an archive, over %d deep: not read", TF_LIMIT_ARCHIVE_DEPTH);
		a.stop_offset = TF_NONE;
	} else if (tf_archive_list(&a, &in->stored, g->err) < 0 || tf_use_members(&a, found, source->real_path, &use, g->err) < 0
		   || forget_members(g, source, &a) < 0) {
		goto out;
	}
	if (reading.left_out) { /* who asks for them later must get them */
		source->device = TF_NONE;
		source->content_hash = 0;
	}
	source->run = source->session_name = source->host_name = NULL;
	if (note_archive(g, &a, &g->ledger->files[row]) == 0)
		rc = store_file(g, source, in, NULL, NULL, &g->ledger->files[row]);
out:
	tf_archive_release(&a);
	return rc;
}

/* The same bytes under a new stat. */
static int keep_known(struct ingest *g, const struct tf_source *source, const struct tf_source_known *known, struct tf_ledger_file *f)
{
	f->state = TF_STATE_UNCHANGED;
	f->records = known->records;
	if (f->kind == TF_FILE_ARCHIVE && tf_store_touch_members(g->store, source, g->err) < 0)
		return -1;
	return tf_store_touch_source(g->store, known->file_id, source, g->err);
}

static int load_file(struct ingest *g, struct described *file, const struct tf_source_known *known, const struct tf_found *found,
		     struct tf_ledger_file *f)
{
	struct tf_source *source = &file->source;
	struct tf_content in;
	struct tf_error failed = {0};

	errno = found->error;
	if (found->error ? tf_fail_errno(&failed, TF_EIO, "cannot read") : tf_open_found(&in, found, &failed))
		return keep_unreadable(g, file, known, &failed, f);
	f->kind = source->kind = tf_sniff(in.content, in.whole, source->path);
	bool is_archive = f->kind == TF_FILE_ARCHIVE && tf_opens_archive(found);
	bool is_far = in.stored.member && !in.stored.bytes.data; /* a hash would cost a pass through the archive around it */
	bool hashed = (is_archive || tf_format_find(f->kind)) && !is_far;
	int rc = hashed ? tf_content_hash(&in, &source->content_hash, &failed) : 0;
	f->bytes = source->size_bytes = in.disk_bytes;
	if (rc == 0 && known->found && known->kind == TF_FILE_ARCHIVE && !is_archive)
		rc = forget_members(g, source, NULL);
	if (rc < 0)
		rc = note_unreadable(g, f, &failed);
	else if (hashed && known->found && known->content_hash == source->content_hash && !g->o->step_event)
		rc = keep_known(g, source, known, f);
	else if (is_archive)
		rc = ingest_archive(g, source, found, &in, (size_t)(f - g->ledger->files));
	else
		rc = load_content(g, file, &in, f);
	tf_content_close(&in);
	return rc;
}

static int ingest_file(struct ingest *g, const struct tf_found *found)
{
	struct tf_ledger_file *f = add_file(g, found->path);
	struct described file;
	struct tf_source_known known;

	if (!f)
		return tf_fail_nomem(g->err);
	if (found->same_as) {
		f->state = TF_STATE_SKIPPED;
		return tf_ledger_issue(&g->ledger->arena, f, TF_ISSUE_SAME_FILE, TF_NONE, g->err, "a hard link to '%s'", found->same_as);
	}
	f->bytes = (int64_t)found->st.st_size;
	if (describe(g, found, &file) < 0 || tf_store_find_source(g->store, &file.source, &known, g->err) < 0)
		return -1;
	if (known.found && known.same_stat && !found->error && !g->o->step_event && !is_piped(found)) {
		f->state = TF_STATE_UNCHANGED;
		f->kind = known.kind;
		f->records = known.records;
		return 0;
	}
	if (load_file(g, &file, &known, found, f) < 0)
		return tf_wrap(g->err, "'%s'", found->path);
	return 0;
}

/* One PATH. That one is not there does not keep the others from being loaded: the ledger remembers the first. */
static int find_path(struct ingest *g, struct tf_walk *w, const char *path)
{
	struct tf_arena *a = &g->ledger->arena;
	struct tf_error failed = {0};

	if (tf_walk(w, path, &failed) < 0) {
		if (failed.code == TF_EIO && !g->ledger->missing)
			g->ledger->missing = tf_arena_strdup(a, failed.text);
		if (failed.code == TF_EIO && g->ledger->missing)
			return 0;
		*g->err = failed;
		return -1;
	}
	if (strcmp(path, "-") == 0)
		return 0;
	const char *real = tf_real_path(a, path);
	return real ? tf_store_forget_unread(g->store, real, g->err) : tf_fail_nomem(g->err);
}

static int find_all(struct ingest *g, struct tf_walk *w, const char *const *paths, size_t count)
{
	struct tf_error *err = g->err;

	for (size_t i = 0; i < count; i++) {
		if (strncmp(paths[i], "gs://", 5) == 0 || strncmp(paths[i], "s3://", 5) == 0) {
			tf_fail(err, TF_EUSAGE, "not a local path: '%s'", paths[i]);
			tf_hint(err, "copy it here first, or pipe it in: … | tfprof ingest --run NAME -");
			return -1;
		}
		if (find_path(g, w, paths[i]) < 0)
			return -1;
	}
	return w->count == 0 && g->ledger->missing ? tf_fail(err, TF_EIO, "%s", g->ledger->missing) : 0;
}

/* A store that lies among the logs is no log. */
static int skip_store(struct tf_walk *w, struct tf_store *store, struct tf_error *err)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	const char *path = tf_store_path(store);
	char name[PATH_MAX];

	for (size_t i = 0; path && i < sizeof suffixes / sizeof suffixes[0]; i++)
		if (snprintf(name, sizeof name, "%s%s", path, suffixes[i]) < (int)sizeof name && tf_walk_skip(w, name, err) < 0)
			return -1;
	return 0;
}

int tf_ingest(struct tf_store *store, const char *const *paths, size_t path_count,
	      const struct tf_ingest_options *options, struct tf_ledger *ledger, struct tf_error *err)
{
	struct ingest g = {.store = store, .o = options, .ledger = ledger, .err = err};
	struct tf_walk w = {0};
	struct tf_progress progress = {0};
	uint64_t total = 0, done = 0;
	int rc = -1;

	if (skip_store(&w, store, err) < 0 || find_all(&g, &w, paths, path_count) < 0)
		goto out;
	for (size_t i = 0; i < w.count; i++)
		total += (uint64_t)w.files[i].st.st_size;
	tf_progress_init(&progress, options->progress_to, options->progress, total);
	for (size_t i = 0; i < TF_TURNS * w.count; i++) {
		const struct tf_found *f = &w.files[i % w.count];
		if (tf_turn_of(f->path) != (int)(i / w.count))
			continue;
		tf_progress_update(&progress, done, f->path);
		if (is_wanted(options, f) && ingest_file(&g, f) < 0)
			goto out;
		done += (uint64_t)f->st.st_size;
	}
	rc = 0;
out:
	tf_progress_end(&progress);
	tf_walk_release(&w);
	return rc;
}
