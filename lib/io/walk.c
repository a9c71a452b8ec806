/* The directory walk. */
#include "lib/io/walk.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/base/vec.h"

/* Names in order, runs of digits by their value. */
static int compare_names(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
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
			return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
		} else {
			x++;
			y++;
		}
	}
	if (*x || *y)
		return *x ? 1 : -1;
	return strcmp(from_x, from_y);
}

static int add_found(struct tf_walk *w, const char *path, const char *relative, const struct stat *st, int error,
		     struct tf_error *err)
{
	struct tf_found *f = tf_arena_push(&w->arena, (void **)&w->files, &w->count, &w->cap, sizeof *f);

	if (!f)
		return tf_fail_nomem(err);
	*f = (struct tf_found){.path = path, .relative = relative, .error = error};
	if (st)
		f->st = *st;
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
	while ((entry = readdir(dir))) {
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
	closedir(dir);
	if (*count)
		qsort(*names, *count, sizeof **names, compare_names);
	return 0;
}

static int visit(struct tf_walk *w, const char *path, const char *relative, int depth, struct tf_error *err);

static int visit_folder(struct tf_walk *w, const char *path, const char *relative, const struct stat *st, int depth,
			struct tf_error *err)
{
	char **names = NULL;
	size_t count = 0;
	int error = 0, rc = -1;

	if (depth > TF_LIMIT_WALK_DEPTH)
		return add_found(w, path, relative, st, ELOOP, err);
	if (list_names(path, &names, &count, &error) < 0) {
		tf_fail_nomem(err);
		goto out;
	}
	if (error && add_found(w, path, relative, st, error, err) < 0)
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
		if (visit(w, child, below, depth + 1, err) < 0)
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

static int visit(struct tf_walk *w, const char *path, const char *relative, int depth, struct tf_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return add_found(w, path, relative, NULL, errno, err);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return 0; /* a pipe or device: reading it could block */
	uint64_t key = identity(&st);
	if (tf_map_find(&w->seen, key))
		return 0;
	if (tf_map_put(&w->seen, key, 1, err) < 0)
		return -1;
	return S_ISDIR(st.st_mode) ? visit_folder(w, path, relative, &st, depth, err)
				   : add_found(w, path, relative, &st, 0, err);
}

int tf_walk(struct tf_walk *w, const char *path, struct tf_error *err)
{
	struct stat st;
	const char *slash = strrchr(path, '/');
	char *copy = tf_arena_strdup(&w->arena, path);

	if (!copy)
		return tf_fail_nomem(err);
	if (stat(path, &st) < 0)
		return tf_fail_errno(err, TF_EIO, "cannot read '%s'", path);
	if (S_ISDIR(st.st_mode))
		return visit(w, copy, "", 0, err);
	if (!S_ISREG(st.st_mode))
		return tf_fail(err, TF_EIO, "cannot read '%s': neither a file nor a folder", path);
	size_t before = w->count;
	if (visit(w, copy, slash ? copy + (slash - path) + 1 : copy, 0, err) < 0)
		return -1;
	if (w->count > before)
		w->files[before].from_file = true;
	return 0;
}

int tf_walk_skip(struct tf_walk *w, const char *path, struct tf_error *err)
{
	struct stat st;
	return stat(path, &st) < 0 ? 0 : tf_map_put(&w->seen, identity(&st), 1, err);
}

void tf_walk_release(struct tf_walk *w)
{
	tf_arena_release(&w->arena);
	tf_map_release(&w->seen);
	*w = (struct tf_walk){0};
}
