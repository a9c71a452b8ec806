/* Members of archives, one after the other, as if they were files at the archive's place. */
#include "lib/pipeline/members.h"

#include <stdlib.h>
#include <string.h>

int tf_open_found(struct tf_content *in, const struct tf_found *found, struct tf_error *err)
{
	return found->inside ? tf_content_open_member(in, found->inside->member, err) : tf_content_open(in, found->path, err);
}

bool tf_opens_archive(const struct tf_found *found)
{
	size_t stem_len;
	return (found->from_file && !found->inside) || tf_is_archive_name(found->path, &stem_len);
}

int tf_turn_of(const char *path)
{
	static const char *const last[] = {".json", "_stats.pb", "input_pipeline", "memory_profile"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (strstr(name, ".trace"))
		return 1;
	if (strstr(name, "overview_page"))
		return 2;
	for (size_t i = 0; i < sizeof last / sizeof last[0]; i++)
		if (strstr(name, last[i]))
			return 3;
	return 0;
}

/* A path without the extension of an archive, and a slash. */
static char *as_folder(struct tf_arena *a, const char *path)
{
	size_t len;
	return tf_arena_printf(a, "%.*s/", tf_is_archive_name(path, &len) ? (int)len : (int)strlen(path), path);
}

/* What all members of an archive share: the beginnings of their paths. */
struct place {
	const char *real_path, *named, *relative, *run_path;
};

static int place_of(struct tf_arena *a, const struct tf_found *archive, const char *real_path, struct place *p, struct tf_error *err)
{
	const struct tf_inside *outer = archive->inside;

	p->real_path = real_path;
	p->named = as_folder(a, outer ? outer->named : archive->path);
	p->relative = archive->from_file ? "" : as_folder(a, archive->relative);
	if (outer)
		p->run_path = outer->run_path;
	else
		p->run_path = archive->from_file ? tf_arena_printf(a, "%s/", archive->path)
						 : tf_arena_strndup(a, archive->path, strlen(archive->path) - strlen(archive->relative));
	return p->named && p->relative && p->run_path ? 0 : tf_fail_nomem(err);
}

/* A member as a file that was found. Arena. */
static int find_member(struct tf_arena *a, const struct tf_found *archive, const struct place *p, struct tf_member *m,
		       struct tf_found *out, struct tf_error *err)
{
	struct tf_inside *in = tf_arena_alloc(a, sizeof *in);

	if (!in)
		return tf_fail_nomem(err);
	*in = (struct tf_inside){.member = m, .real_path = tf_arena_printf(a, "%s/%s", p->real_path, m->path),
				 .named = tf_arena_printf(a, "%s%s", p->named, m->path), .run_path = p->run_path,
				 .depth = archive->inside ? archive->inside->depth + 1 : 1};
	*out = (struct tf_found){.path = tf_arena_printf(a, "%s/%s", archive->path, m->path),
				 .relative = tf_arena_printf(a, "%s%s", p->relative, m->path), .st = archive->st, .inside = in};
	out->st.st_size = (off_t)m->bytes;
	return in->real_path && in->named && out->path && out->relative ? 0 : tf_fail_nomem(err);
}

/* The members that are wanted, in order of their turns. Arena. */
static int line_up(struct tf_arena *a, struct tf_archive *archive, const struct tf_found *found, const struct place *p,
		   const struct tf_member_use *use, struct tf_found **queue, size_t *count, struct tf_error *err)
{
	*count = 0;
	*queue = tf_arena_array(a, archive->count + 1, sizeof **queue);
	if (!*queue)
		return tf_fail_nomem(err);
	for (int turn = 0; turn < TF_TURNS; turn++)
		for (size_t i = 0; i < archive->count; i++) {
			struct tf_found *f = &(*queue)[*count];
			if (tf_turn_of(archive->members[i].path) != turn)
				continue;
			if (find_member(a, found, p, &archive->members[i], f, err) < 0)
				return -1;
			*count += !use->wanted || use->wanted(use->ctx, f->path);
		}
	return 0;
}

/* Reads the next ones into memory, as many as may be there at once. */
static int hold_next(struct tf_archive *a, const struct tf_found *queue, size_t count, struct tf_error *err)
{
	struct tf_member **batch = malloc(count * sizeof *batch);
	int64_t bytes = 0;
	size_t n = 0;

	if (!batch)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < count; i++) {
		struct tf_member *m = queue[i].inside->member;
		if (m->bytes > TF_LIMIT_BATCH_BYTES)
			continue;
		bytes += m->bytes;
		if (bytes > TF_LIMIT_BATCH_BYTES)
			break;
		batch[n++] = m;
	}
	int rc = tf_archive_hold(a, batch, n, err);
	free(batch);
	return rc;
}

int tf_use_members(struct tf_archive *a, const struct tf_found *found, const char *real_path, const struct tf_member_use *use,
		   struct tf_error *err)
{
	struct tf_arena arena = {0};
	struct tf_found *queue;
	struct place place;
	size_t count = 0;
	int rc = -1;

	if (place_of(&arena, found, real_path, &place, err) < 0 || line_up(&arena, a, found, &place, use, &queue, &count, err) < 0)
		goto out;
	for (size_t i = 0; i < count; i++) {
		struct tf_member *m = queue[i].inside->member;
		bool is_read = m->held.data || m->failed != TF_OK || m->is_encrypted;
		if (!is_read && m->bytes <= TF_LIMIT_BATCH_BYTES && hold_next(a, &queue[i], count - i, err) < 0)
			goto out;
		if (use->use(use->ctx, &queue[i], err) < 0)
			goto out;
		tf_member_let_go(m);
	}
	rc = 0;
out:
	tf_arena_release(&arena);
	return rc;
}
