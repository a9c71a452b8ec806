/* Looking into files: kind, planes, lines, what could mark steps. */
#include "lib/pipeline/inspect_files.h"

#include <stdlib.h>
#include <string.h>

#include "lib/decode/event.h"
#include "lib/decode/sniff.h"
#include "lib/io/naming.h"
#include "lib/io/walk.h"
#include "lib/pipeline/load.h"
#include "lib/pipeline/members.h"

/* Candidates listed. */
enum { CANDIDATES = 12 };

static int ignore_scalar(void *c, const struct tf_point *p, double v, struct tf_error *e)
{
	(void)c, (void)p, (void)v, (void)e;
	return 0;
}
static int ignore_histogram(void *c, const struct tf_point *p, const struct tf_histogram *h, struct tf_error *e)
{
	(void)c, (void)p, (void)h, (void)e;
	return 0;
}
static int ignore_text(void *c, const struct tf_point *p, struct tf_bytes v, struct tf_error *e)
{
	(void)c, (void)p, (void)v, (void)e;
	return 0;
}
static int ignore_tensor(void *c, const struct tf_point *p, const char *d, const char *s, int64_t b, const char *v,
			 struct tf_error *e)
{
	(void)c, (void)p, (void)d, (void)s, (void)b, (void)v, (void)e;
	return 0;
}
static int ignore_media(void *c, const struct tf_point *p, const struct tf_media *m, struct tf_error *e)
{
	(void)c, (void)p, (void)m, (void)e;
	return 0;
}
static int ignore_counted(void *c, const struct tf_point *p, const char *k, struct tf_error *e)
{
	(void)c, (void)p, (void)k, (void)e;
	return 0;
}
static int ignore_hparam(void *c, const struct tf_point *p, const struct tf_hparam *h, struct tf_error *e)
{
	(void)c, (void)p, (void)h, (void)e;
	return 0;
}
static int ignore_start(void *c, int64_t s, double w, int64_t o, struct tf_error *e)
{
	(void)c, (void)s, (void)w, (void)o, (void)e;
	return 0;
}
static int ignore_plugin(void *c, const struct tf_point *p, const struct tf_plugin_row *r, struct tf_error *e)
{
	(void)c, (void)p, (void)r, (void)e;
	return 0;
}
static int ignore_metadata(void *c, const struct tf_point *p, const struct tf_metadata_node *n, struct tf_error *e)
{
	(void)c, (void)p, (void)n, (void)e;
	return 0;
}
static int ignore_node(void *c, const struct tf_graph_node *n, struct tf_error *e)
{
	(void)c, (void)n, (void)e;
	return 0;
}

/* Only the ledger of an event file is wanted. */
static const struct tf_row_sink ignore_rows = {NULL, ignore_scalar, ignore_histogram, ignore_text, ignore_tensor,
					       ignore_media, ignore_counted, ignore_hparam, ignore_start, ignore_plugin,
					       ignore_node, ignore_metadata};

static const char *text(const struct tf_trace *t, uint32_t id, struct tf_arena *a)
{
	return tf_utf8_repair(a, tf_strtab_bytes(&t->strings, id));
}

/* The union of a line's events, which are ordered by start. */
static int64_t line_busy_ps(const struct tf_trace *t, const struct tf_line *line)
{
	int64_t busy = 0, covered_to = INT64_MIN;

	for (size_t i = line->event_first; i < line->event_first + line->event_count; i++) {
		int64_t start = t->events.start_ps[i], end = tf_event_end(t, i);
		if (!tf_event_counts(t, i) || end <= covered_to)
			continue;
		busy = tf_ps_add(busy, tf_ps_between(start > covered_to ? start : covered_to, end));
		covered_to = end;
	}
	return busy;
}

static int list_lines(const struct tf_trace *t, struct tf_arena *a, struct tf_inspected *f, struct tf_error *err)
{
	for (size_t l = 0; l < t->line_count; l++) {
		const struct tf_line *line = &t->lines[l];
		struct tf_inspected_line *to = tf_arena_push(a, (void **)&f->lines, &f->line_count, &f->line_cap, sizeof *to);
		if (!to)
			return tf_fail_nomem(err);
		to->plane = text(t, t->planes[line->plane].name, a);
		to->name = text(t, line->name, a);
		to->events = (int64_t)line->event_count;
		to->derived = line->derived;
		to->busy_ps = line_busy_ps(t, line);
	}
	return 0;
}

static int by_count(const void *a, const void *b)
{
	const struct tf_candidate *x = a, *y = b;

	if ((x->numbered > 0) != (y->numbered > 0))
		return x->numbered > 0 ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int list_candidates(const struct tf_derived *d, struct tf_arena *a, struct tf_inspected *f, struct tf_error *err)
{
	const struct tf_trace *t = d->trace;
	struct tf_map at = {0};
	int rc = -1;

	for (size_t l = 0; l < t->line_count; l++)
		for (size_t i = t->lines[l].event_first;
		     tf_line_is_host(t, &t->lines[l]) && i < t->lines[l].event_first + t->lines[l].event_count; i++) {
			bool numbered = t->events.stat_count[i] && tf_step_number(t, i) != TF_NONE;
			if (!tf_event_counts(t, i) || (d->parent[i] != UINT32_MAX && !numbered && !d->info[t->events.meta[i]].input_wait))
				continue;
			uint64_t *found = tf_map_find(&at, tf_event_name(t, i));
			struct tf_candidate *c = found ? &f->candidates[*found]
						       : tf_arena_push(a, (void **)&f->candidates, &f->candidate_count,
								       &f->candidate_cap, sizeof *c);
			if (!c || (!found && tf_map_put(&at, tf_event_name(t, i), f->candidate_count - 1, err) < 0)) {
				tf_fail_nomem(err);
				goto out;
			}
			if (!found)
				c->name = text(t, tf_event_name(t, i), a);
			c->count++;
			c->numbered += numbered;
			c->total_ps += t->events.dur_ps[i];
		}
	if (f->candidate_count)
		qsort(f->candidates, f->candidate_count, sizeof *f->candidates, by_count);
	if (f->candidate_count > CANDIDATES)
		f->candidate_count = CANDIDATES;
	rc = 0;
out:
	tf_map_release(&at);
	return rc;
}

static int keep_programs(const struct tf_session *s, struct tf_arena *a, struct tf_inspected *f, struct tf_error *err)
{
	f->programs = tf_arena_array(a, s->xla_count + 1, sizeof *f->programs);
	if (!f->programs)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < s->xla_count; i++) {
		const char *name = tf_arena_strdup(a, s->xla[i].name);
		if (!name)
			return tf_fail_nomem(err);
		f->programs[f->program_count++] = (struct tf_inspected_program){name, s->xla[i].instruction_count, s->xla[i].peak_bytes};
	}
	return 0;
}

/* Moves the results of a capture into the inspection. */
static int keep_capture(struct tf_capture *c, struct tf_arena *a, struct tf_inspected *f, struct tf_error *err)
{
	const struct tf_trace *t = &c->trace;

	if (keep_programs(&c->results, a, f, err) < 0)
		return -1;
	if (!c->results.host_count)
		return 0; /* a program alone */
	struct tf_host *h = tf_arena_alloc(a, sizeof *h);
	if (!h)
		return tf_fail_nomem(err);
	*h = *c->results.hosts;
	h->steps.event = h->steps.event ? tf_arena_strdup(a, h->steps.event) : NULL;
	h->steps.looked_for = h->steps.looked_for ? tf_arena_strdup(a, h->steps.looked_for) : NULL;
	h->errors = h->warnings = NULL;
	f->host = h;
	f->start_ns = t->start_ns;
	f->hostnames = tf_arena_array(a, t->hostname_count + t->error_count + t->warning_count + 1, sizeof *f->hostnames);
	if (!f->hostnames)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < t->hostname_count; i++)
		f->hostnames[f->hostname_count++] = text(t, t->hostnames[i], a);
	h->errors = f->hostnames + f->hostname_count;
	for (size_t i = 0; i < t->error_count; i++)
		h->errors[i] = text(t, t->errors[i], a);
	h->warnings = h->errors + t->error_count;
	for (size_t i = 0; i < t->warning_count; i++)
		h->warnings[i] = text(t, t->warnings[i], a);
	return list_lines(t, a, f, err) < 0 ? -1 : list_candidates(&c->derived, a, f, err);
}

static int note_cut(const struct tf_content *in, struct tf_arena *a, struct tf_inspected *f, struct tf_error *err)
{
	return in->cut ? tf_ledger_issue(a, &f->file, TF_ISSUE_TRUNCATED, in->cut_offset, err, "%s",
					 tf_content_cut_text(in))
		       : 0;
}

/* What cannot be read costs the file, want of memory the run. */
static int note_unreadable(struct tf_inspected *f, const struct tf_error *failed, struct tf_arena *a, struct tf_error *err)
{
	return failed->code == TF_ENOMEM ? tf_fail_nomem(err)
					 : tf_ledger_issue(a, &f->file, TF_ISSUE_UNREADABLE, TF_NONE, err, "%s", failed->text);
}

static int inspect_content(struct tf_content *in, const struct tf_found *found, struct tf_arena *a,
			   struct tf_inspected *f, struct tf_error *err)
{
	struct tf_ingest_options options = {0};
	struct tf_capture c = {0};
	struct tf_names names;
	struct tf_error failed = {0};
	int rc = -1;

	const struct tf_format *format = tf_format_find(f->file.kind);
	bool streams = format && format->streams;
	if (format && !streams && tf_content_load(in, &failed) < 0) {
		rc = note_unreadable(f, &failed, a, err);
		goto out;
	}
	f->file.bytes_read = (int64_t)in->content.len;
	if (tf_name_file(a, found->inside ? found->inside->named : found->path, found->relative, found->from_file, NULL, &names, err) < 0)
		goto out;
	if (!streams && note_cut(in, a, f, err) < 0)
		goto out;
	if (in->content.len == 0 || !format) {
		rc = tf_note_unloaded(in, &f->file, a, err);
	} else if (format->prepare && format->prepare(in, names.host, &options, &c, &f->file, a, &failed) < 0) {
		rc = note_unreadable(f, &failed, a, err);
	} else {
		rc = format->has_rows ? tf_decode_events(in->content, &ignore_rows, &f->file, a, err) : 0;
		if (rc == 0 && (c.loaded || !format->has_rows))
			rc = keep_capture(&c, a, f, err);
	}
	if (streams && rc == 0)
		rc = note_cut(in, a, f, err);
out:
	tf_capture_release(&c);
	return rc;
}

static int inspect_file(const struct tf_found *found, struct tf_inspection *out, struct tf_error *err);

static int inspect_member(void *ctx, const struct tf_found *found, struct tf_error *err)
{
	return inspect_file(found, ctx, err);
}

/* An archive and then its members. */
static int inspect_archive(const struct tf_content *in, const struct tf_found *found, struct tf_inspection *out, size_t row,
			   struct tf_error *err)
{
	struct tf_archive a = {0};
	struct tf_member_use use = {out, NULL, inspect_member};
	int rc = -1;

	if (found->inside && found->inside->depth >= TF_LIMIT_ARCHIVE_DEPTH)
		return tf_ledger_issue(&out->arena, &out->files[row].file, TF_ISSUE_LIMIT, TF_NONE, err,
				       "an archive in an archive, over %d deep: not read", TF_LIMIT_ARCHIVE_DEPTH);
	if (tf_archive_list(&a, &in->stored, err) < 0)
		goto out;
	if (tf_note_archive(&a, &out->files[row].file, &out->arena, err) == 0)
		rc = tf_use_members(&a, found, found->path, &use, err);
out:
	tf_archive_release(&a);
	return rc;
}

static int inspect_file(const struct tf_found *found, struct tf_inspection *out, struct tf_error *err)
{
	struct tf_arena *a = &out->arena;
	size_t row = out->count;
	struct tf_inspected *f = tf_arena_push(a, (void **)&out->files, &out->count, &out->cap, sizeof *f);
	struct tf_content in;
	struct tf_error failed = {0};
	int rc;

	if (!f)
		return tf_fail_nomem(err);
	f->start_ns = f->file.first_bad_offset = TF_NONE;
	f->file.bytes = (int64_t)found->st.st_size;
	f->file.path = tf_utf8_repair(a, tf_bytes_of(found->path));
	if (!f->file.path)
		return tf_fail_nomem(err);
	if (found->error)
		return tf_ledger_issue(a, &f->file, TF_ISSUE_IO_ERROR, TF_NONE, err, "%s", strerror(found->error));
	if (found->same_as)
		return tf_ledger_issue(a, &f->file, TF_ISSUE_SAME_FILE, TF_NONE, err, "a hard link to '%s'", found->same_as);
	if (tf_open_found(&in, found, &failed) < 0)
		return tf_ledger_issue(a, &f->file, TF_ISSUE_IO_ERROR, TF_NONE, err, "%s", failed.text);
	f->file.bytes = in.disk_bytes;
	f->file.kind = tf_sniff(in.content, in.whole, found->path);
	if (f->file.kind == TF_FILE_ARCHIVE && tf_opens_archive(found))
		rc = inspect_archive(&in, found, out, row, err);
	else
		rc = inspect_content(&in, found, a, f, err);
	tf_content_close(&in);
	return rc;
}

int tf_inspect(const char *path, struct tf_inspection *out, struct tf_error *err)
{
	struct tf_walk w = {0};
	int rc = tf_walk(&w, path, err);

	for (size_t i = 0; rc == 0 && i < w.count; i++)
		rc = inspect_file(&w.files[i], out, err);
	tf_walk_release(&w);
	return rc;
}
