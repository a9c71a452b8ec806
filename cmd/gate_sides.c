/* Loading the runs of both sides. */
#include "cmd/gate_sides.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/target.h"
#include "lib/base/vec.h"
#include "lib/render/render.h"
#include "lib/store/baselines.h"

/* Room for one more; its count grows when it is loaded. */
static struct tf_session *room_for_one(struct tf_side_runs *side, const char *what, struct tf_error *err)
{
	size_t cap = side->cap;

	if (tf_vec_reserve((void **)&side->list, &cap, side->count + 1, sizeof *side->list) < 0
	    || tf_vec_reserve((void **)&side->names, &side->cap, cap, sizeof *side->names) < 0) {
		tf_fail_nomem(err);
		return NULL;
	}
	side->names[side->count] = (struct tf_side_name){what, false};
	side->list[side->count] = (struct tf_session){0};
	return &side->list[side->count];
}

/* Keeps the session if it was loaded. */
static int settle(struct tf_side_runs *side, int rc)
{
	if (rc < 0)
		tf_session_release(&side->list[side->count]);
	else
		side->count++;
	return rc;
}

/* Whether a file says of itself that it is a report, within the bytes in which our writer does. */
static bool says_report(const char *path)
{
	static const char mark[] = "{\"schema\":\"tfprof.report/";
	char head[sizeof mark - 1];
	struct stat st;
	FILE *from = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
	bool found = from && fread(head, sizeof head, 1, from) == 1 && memcmp(head, mark, sizeof head) == 0;

	if (from)
		fclose(from);
	return found;
}

int tf_side_add_target(struct tf_side_runs *side, const char *db, const char *what, struct tf_error *err)
{
	struct tf_session *s = room_for_one(side, what, err);

	if (!s)
		return -1;
	return settle(side, what && says_report(what) ? tf_report_read(what, s, err) : tf_load_target(db, what, NULL, s, err));
}

/* All runs of a named baseline. */
static int add_saved(struct tf_side_runs *side, const struct tf_baseline *b, struct tf_error *err)
{
	for (size_t i = 0; i < b->run_count; i++) {
		struct tf_session *s = room_for_one(side, NULL, err);
		if (!s)
			return -1;
		side->names[side->count].saved = true;
		if (settle(side, tf_report_parse(b->runs[i].report, b->runs[i].label, s, err)) < 0)
			return tf_wrap(err, "baseline '%s'", b->name);
	}
	return 0;
}

/* Adds the named baseline, if there is one. A store that cannot be read is no matter of a name that may be something else. */
static int add_named(struct tf_side_runs *side, const char *db, const char *name, bool must, const struct tf_side_key *key, bool *found,
		     struct tf_error *err)
{
	struct tf_store *store = NULL;
	struct tf_baseline baseline;
	struct tf_error ignored = {0};
	int rc = -1;

	*found = false;
	if (tf_store_open(&store, tf_db_path(db), TF_STORE_READ, must ? err : &ignored) < 0)
		return must ? -1 : 0;
	if (tf_store_find_baseline(store, name, key->environment, key->arena, found, &baseline, err) < 0)
		goto out;
	if (*found) {
		*key->found = baseline.environment;
		rc = add_saved(side, &baseline, err);
	} else if (must) {
		tf_fail(err, TF_EFORMAT, "no baseline '%s' in the store", name);
		tf_hint(err, "'tfprof baseline list' lists what there is");
	} else {
		rc = 0;
	}
out:
	tf_store_close(store, &ignored);
	return rc;
}

static int add_path(struct tf_side_runs *side, const char *db, const char *path, struct tf_error *err)
{
	struct tf_session *s = room_for_one(side, path, err);
	bool is_report;

	if (!s)
		return -1;
	return settle(side, tf_load_session_or_report(db, path, s, &is_report, err)) < 0 ? tf_wrap(err, "baseline") : 0;
}

int tf_side_add_baseline(struct tf_side_runs *side, const char *db, const char *what, const struct tf_side_key *key,
			 struct tf_error *err)
{
	bool found = false, must = strncmp(what, "baseline:", 9) == 0, run = strncmp(what, "run:", 4) == 0;

	if (!must && !run && access(what, F_OK) == 0)
		return add_path(side, db, what, err);
	if (!run && add_named(side, db, must ? what + 9 : what, must, key, &found, err) < 0)
		return -1;
	return found ? 0 : tf_side_add_target(side, db, what, err);
}

static int weight(const struct tf_error *err)
{
	int status = tf_exit_status(err->code);
	return status == 2 ? INT_MAX : status;
}

void tf_error_weigh(struct tf_error *err, const struct tf_error *other)
{
	if (err->code == TF_OK || weight(other) > weight(err))
		*err = *other;
}

/* A session that is compared with itself could only pass. What was saved is another matter: it tells what was then. */
static bool is_same(const struct tf_side_name *x, const struct tf_session *a, const struct tf_side_name *y, const struct tf_session *b)
{
	struct stat p, q;
	bool is_path = x->what && stat(x->what, &p) == 0, other_is_path = y->what && stat(y->what, &q) == 0;

	if (x->saved || y->saved)
		return false;
	if (is_path || other_is_path)
		return is_path && other_is_path && p.st_dev == q.st_dev && p.st_ino == q.st_ino && !S_ISFIFO(p.st_mode);
	return a->id == b->id && strcmp(a->run, b->run) == 0;
}

/* The first run of `other`, from `from` on, that is the same session; its count if none is. */
static size_t find_same(const struct tf_side_runs *side, size_t i, const struct tf_side_runs *other, size_t from)
{
	while (from < other->count
	       && !is_same(&side->names[i], &side->list[i], &other->names[from], &other->list[from]))
		from++;
	return from;
}

int tf_sides_differ(const struct tf_side_runs *now, const struct tf_side_runs *baseline, struct tf_error *err)
{
	const struct tf_side_runs *const sides[] = {now, baseline};

	for (size_t i = 0; i < now->count; i++) {
		size_t same = find_same(now, i, baseline, 0);
		if (same == baseline->count)
			continue;
		tf_fail(err, TF_EUSAGE, "the baseline '%s' is the session itself", baseline->names[same].what);
		tf_hint(err, "'--baseline latest~1' is the session before the latest");
		return -1;
	}
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < sides[k]->count; i++) {
			size_t same = find_same(sides[k], i, sides[k], i + 1);
			if (same < sides[k]->count)
				return tf_fail(err, TF_EUSAGE, "'%s' is named twice", sides[k]->names[same].what);
		}
	return 0;
}

void tf_side_release(struct tf_side_runs *side)
{
	for (size_t i = 0; i < side->count; i++)
		tf_session_release(&side->list[i]);
	free(side->list);
	free(side->names);
	*side = (struct tf_side_runs){0};
}
