/* The directory walk. */
#include "lib/io/walk.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/vec.h"

/* A folder's files come before those of a folder whose name is longer. */
static unsigned char rank(char c)
{
	return c == '/' ? 0 : (unsigned char)c;
}

int tf_walk_compare(const char *x, const char *y)
{
	const char *from_x = x, *from_y = y;

	while (*x && *y) {
		if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
			while (*x == '0')
				x++;
			while (*y == '0')
				y++;
			size_t n = strspn(x, "0123456789"), m = strspn(y, "0123456789");
			int order = n != m ? (n < m ? -1 : 1) : strncmp(x, y, n);
			if (order)
				return order;
			x += n;
			y += m;
		} else if (*x != *y) {
			return rank(*x) < rank(*y) ? -1 : 1;
		} else {
			x++;
			y++;
		}
	}
	if (*x || *y)
		return *x ? 1 : -1;
	return strcmp(from_x, from_y);
}

static int compare_names(const void *a, const void *b)
{
	return tf_walk_compare(*(const char *const *)a, *(const char *const *)b);
}

static int compare_found(const void *a, const void *b)
{
	return tf_walk_compare(((const struct tf_found *)a)->relative, ((const struct tf_found *)b)->relative);
}

static struct tf_found *add_found(struct tf_walk *w, const char *path, const char *relative, const struct stat *st,
				  struct tf_error *err)
{
	struct tf_found *f = tf_arena_push(&w->arena, (void **)&w->files, &w->count, &w->cap, sizeof *f);

	if (!f) {
		tf_fail_nomem(err);
		return NULL;
	}
	*f = (struct tf_found){.path = path, .relative = relative, .real_root = w->real_root};
	if (st)
		f->st = *st;
	return f;
}

static int add_unreadable(struct tf_walk *w, const char *path, const char *relative, const struct stat *st, int error,
			  struct tf_error *err)
{
	struct tf_found *f = add_found(w, path, relative, st, err);

	if (!f)
		return -1;
	f->error = error;
	return 0;
}

static int list_names(const char *path, char ***names, size_t *count, int *error)
{
	DIR *dir = opendir(path);
	size_t cap = 0;
	struct dirent *entry;

	if (!dir) {
		*error = errno;
		return 0;
	}
	while ((errno = 0, entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		char *name = strdup(entry->d_name);
		if (!name || tf_vec_reserve((void **)names, &cap, *count + 1, sizeof **names) < 0) {
			free(name);
			closedir(dir);
			return -1;
		}
		(*names)[(*count)++] = name;
	}
	*error = errno;
	closedir(dir);
	if (*count)
		qsort(*names, *count, sizeof **names, compare_names); /* whichever of two hard links comes first */
	return 0;
}

static int visit(struct tf_walk *w, const char *path, const char *relative, struct tf_error *err);

/* Recursion ends where the path is too long for the system. */
static int visit_folder(struct tf_walk *w, const char *path, const char *relative, const struct stat *st, struct tf_error *err)
{
	char **names = NULL;
	size_t count = 0;
	int error = 0, rc = -1;

	if (list_names(path, &names, &count, &error) < 0) {
		tf_fail_nomem(err);
		goto out;
	}
	if (error && add_unreadable(w, path, relative, st, error, err) < 0)
		goto out;
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(path);
		char *child = tf_arena_printf(&w->arena, "%s%s%s", path, len && path[len - 1] == '/' ? "" : "/", names[i]);
		char *below = *relative ? tf_arena_printf(&w->arena, "%s/%s", relative, names[i])
					: tf_arena_strdup(&w->arena, names[i]);
		if (!child || !below) {
			tf_fail_nomem(err);
			goto out;
		}
		if (visit(w, child, below, err) < 0)
			goto out;
	}
	rc = 0;
out:
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return rc;
}

static uint64_t identity(const struct stat *st)
{
	return tf_hash_u64((uint64_t)st->st_ino) ^ ((uint64_t)st->st_dev * UINT64_C(0x9e3779b97f4a7c15));
}

/* A file met before; a hard link to it is told, since its folder lacks it. */
static int note_again(struct tf_walk *w, const char *path, const char *relative, const struct stat *st, const char *first,
		      struct tf_error *err)
{
	if (!S_ISREG(st->st_mode) || st->st_nlink < 2 || !first || strcmp(first, path) == 0)
		return 0;
	struct tf_found *f = add_found(w, path, relative, st, err);
	if (!f)
		return -1;
	f->same_as = first;
	return 0;
}

/* What a path leads to. */
static int enter(struct tf_walk *w, const char *path, const char *relative, struct tf_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		int error = errno;
		return add_unreadable(w, path, relative, lstat(path, &st) == 0 ? &st : NULL, error, err);
	}
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return 0; /* a pipe or device: reading it could block */
	uint64_t key = identity(&st), *first = tf_map_find(&w->seen, key);
	if (first)
		return note_again(w, path, relative, &st, (const char *)(uintptr_t)*first, err);
	if (tf_map_put(&w->seen, key, (uint64_t)(uintptr_t)path, err) < 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		return visit_folder(w, path, relative, &st, err);
	return add_found(w, path, relative, &st, err) ? 0 : -1;
}

/* Symbolic links wait until all else is found, so that a file has the name of its own place and not that of a link to it. */
static int visit(struct tf_walk *w, const char *path, const char *relative, struct tf_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISLNK(st.st_mode))
		return enter(w, path, relative, err);
	struct tf_link *l = tf_arena_push(&w->arena, (void **)&w->links, &w->link_count, &w->link_cap, sizeof *l);
	if (!l)
		return tf_fail_nomem(err);
	*l = (struct tf_link){path, relative};
	return 0;
}

static int follow_links(struct tf_walk *w, struct tf_error *err)
{
	w->real_root = NULL;
	for (size_t i = 0; i < w->link_count; i++)
		if (enter(w, w->links[i].path, w->links[i].relative, err) < 0)
			return -1;
	w->link_count = 0;
	return 0;
}

int tf_walk(struct tf_walk *w, const char *path, struct tf_error *err)
{
	struct stat st;
	const char *slash = strrchr(path, '/');
	char *copy = tf_arena_strdup(&w->arena, path);
	size_t before = w->count;

	if (!copy)
		return tf_fail_nomem(err);
	if (strcmp(path, "-") == 0) {
		struct tf_found *f = add_found(w, copy, copy, NULL, err);
		if (f)
			f->from_file = true;
		return f ? 0 : -1;
	}
	if (stat(path, &st) < 0)
		return tf_fail_errno(err, TF_EIO, "cannot read '%s'", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return tf_fail(err, TF_EIO, "cannot read '%s': neither a file nor a folder", path);
	bool is_folder = S_ISDIR(st.st_mode);
	w->real_root = is_folder ? tf_real_path(&w->arena, path) : NULL;
	if (w->real_root && strcmp(w->real_root, "/") == 0)
		w->real_root = "";
	if (enter(w, copy, is_folder ? "" : slash ? copy + (slash - path) + 1 : copy, err) < 0 || follow_links(w, err) < 0)
		return -1;
	if (!is_folder && w->count > before)
		w->files[before].from_file = true;
	if (w->count > before)
		qsort(w->files + before, w->count - before, sizeof *w->files, compare_found);
	return 0;
}

/* A name beside a path, or itself if it is absolute. */
static char *beside(struct tf_arena *a, const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	int len = slash && name[0] != '/' ? (int)(slash + 1 - path) : 0;
	return tf_arena_printf(a, "%.*s%s", len, path, name);
}

char *tf_real_path(struct tf_arena *a, const char *path)
{
	char target[PATH_MAX], real[PATH_MAX];
	ssize_t n;

	if (realpath(path, real))
		return tf_arena_strdup(a, real);
	for (int hops = 0; hops < 8 && (n = readlink(path, target, sizeof target - 1)) > 0; hops++) {
		target[n] = '\0';
		path = beside(a, path, target);
		if (!path)
			return NULL;
	}
	for (size_t len = strlen(path); len > 0;) { /* the deepest folder that is there */
		while (len > 0 && path[len - 1] != '/')
			len--;
		char *folder = len ? tf_arena_strndup(a, path, len) : tf_arena_strdup(a, ".");
		if (!folder)
			return NULL;
		if (realpath(folder, real))
			return tf_arena_printf(a, "%s/%s", strcmp(real, "/") == 0 ? "" : real, path + len);
		while (len > 0 && path[len - 1] == '/')
			len--;
	}
	return tf_arena_strdup(a, path);
}

char *tf_file_around(struct tf_arena *a, const char *path)
{
	char *copy = tf_arena_strdup(a, path), *slash;
	struct stat st;

	while (copy && stat(copy, &st) < 0) {
		slash = strrchr(copy, '/');
		if (errno != ENOTDIR || !slash)
			return NULL;
		*slash = '\0';
	}
	return copy && S_ISREG(st.st_mode) ? copy : NULL;
}

int tf_walk_skip(struct tf_walk *w, const char *path, struct tf_error *err)
{
	struct stat st;
	return stat(path, &st) < 0 ? 0 : tf_map_put(&w->seen, identity(&st), 0, err);
}

void tf_walk_release(struct tf_walk *w)
{
	tf_arena_release(&w->arena);
	tf_map_release(&w->seen);
	*w = (struct tf_walk){0};
}
