/* Loading the runs of both sides. */
#include "cmd/gate_sides.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/target.h"
#include "lib/base/vec.h"
#include "lib/render/render.h"

/* Room for one more; its count grows when it is loaded. */
static struct tf_session *room_for_one(struct tf_side_runs *side, const char *what, struct tf_error *err)
{
	size_t cap = side->cap;

	if (tf_vec_reserve((void **)&side->list, &cap, side->count + 1, sizeof *side->list) < 0
	    || tf_vec_reserve((void **)&side->names, &side->cap, cap, sizeof *side->names) < 0) {
		tf_fail_nomem(err);
		return NULL;
	}
	side->names[side->count] = what;
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

int tf_side_add_target(struct tf_side_runs *side, const char *db, const char *what, struct tf_error *err)
{
	struct tf_session *s = room_for_one(side, what, err);

	return s ? settle(side, tf_load_target(db, what, NULL, s, err)) : -1;
}

int tf_side_add_baseline(struct tf_side_runs *side, const char *db, const char *what, struct tf_error *err)
{
	struct tf_session *s = room_for_one(side, what, err);
	struct tf_error not_a_report = {0};

	if (!s)
		return -1;
	if (access(what, F_OK) != 0)
		return settle(side, tf_load_target(db, what, NULL, s, err));
	if (tf_report_read(what, s, &not_a_report) == 0)
		return settle(side, 0);
	tf_session_release(s);
	if (settle(side, tf_load_target(db, what, NULL, s, err)) == 0)
		return 0;
	*err = not_a_report;
	return tf_wrap(err, "baseline");
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

/* A session that is compared with itself could only pass. A report saved as JSON is another matter: it tells what was then. */
static bool is_same(const char *x, const struct tf_session *a, const char *y, const struct tf_session *b)
{
	struct stat p, q;
	bool is_path = x && stat(x, &p) == 0, other_is_path = y && stat(y, &q) == 0;

	if (is_path || other_is_path)
		return is_path && other_is_path && p.st_dev == q.st_dev && p.st_ino == q.st_ino && !S_ISFIFO(p.st_mode);
	return a->id == b->id && strcmp(a->run, b->run) == 0;
}

/* The first run of `other`, from `from` on, that is the same session; its count if none is. */
static size_t find_same(const struct tf_side_runs *side, size_t i, const struct tf_side_runs *other, size_t from)
{
	while (from < other->count && !is_same(side->names[i], &side->list[i], other->names[from], &other->list[from]))
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
		tf_fail(err, TF_EUSAGE, "the baseline '%s' is the session itself", baseline->names[same]);
		tf_hint(err, "'--baseline latest~1' is the session before the latest");
		return -1;
	}
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < sides[k]->count; i++) {
			size_t same = find_same(sides[k], i, sides[k], i + 1);
			if (same < sides[k]->count)
				return tf_fail(err, TF_EUSAGE, "'%s' is named twice", sides[k]->names[same]);
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
