/* One sweep over the pieces of a step gives both its parts and who owns them. */
#include "lib/analyze/step_owners.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/classify.h"
#include "lib/base/limits.h"
#include "lib/base/vec.h"

/* How important a part is, 0 the most; what is left of a step is TF_PART_OTHER. */
static const uint8_t rank[TF_PART_COUNT] = {
	[TF_PART_DEVICE_COMPUTE_16] = 0,  [TF_PART_DEVICE_COMPUTE_32] = 1, [TF_PART_DEVICE_TO_HOST] = 2,
	[TF_PART_DEVICE_TO_DEVICE] = 3,	  [TF_PART_INPUT_WAIT] = 4,	   [TF_PART_DEVICE_COLLECTIVES] = 5,
	[TF_PART_KERNEL_LAUNCH] = 6,	  [TF_PART_HOST_TO_DEVICE] = 7,	   [TF_PART_HOST_TO_HOST] = 8,
	[TF_PART_COMPILE] = 9,		  [TF_PART_HOST_COMPUTE] = 10,	   [TF_PART_OTHER] = 11,
};

/* What an owner takes of one step. */
struct taking {
	uint32_t owner, step;
	int64_t ps;
};

/* An owner while it is not known how many there are. */
struct candidate {
	enum tf_part part;
	uint32_t id; /* its number, in the order of appearance */
	size_t last; /* its last taking */
	int64_t total_ps;
	struct tf_bytes op, kernel; /* no data: none; borrowed from the trace */
};

struct divider {
	const struct tf_derived *d;
	struct tf_arena *arena;
	struct tf_steps *steps;
	struct tf_step_piece *heap; /* those going on, the owner of the instant first */
	size_t depth;
	struct tf_strtab keys; /* part, op and kernel as text; id - 1 is the owner */
	struct tf_buf key;
	struct tf_map by_meta; /* part << 32 | metadata of a host event → owner */
	struct candidate *owners;
	size_t owner_count, owner_cap;
	struct taking *takings;
	size_t taking_count, taking_cap;
	struct tf_error *err;
};

/* True if x owns an instant that y could own too. */
static bool precedes(const struct tf_step_piece *x, const struct tf_step_piece *y)
{
	if (x->part != y->part)
		return rank[x->part] < rank[y->part];
	if (x->at.begin_ps != y->at.begin_ps)
		return x->at.begin_ps > y->at.begin_ps;
	return x->event > y->event; /* on one line the inner one comes later */
}

static void push(struct divider *v, const struct tf_step_piece *p)
{
	size_t i = v->depth++;

	for (size_t up; i && (up = (i - 1) / 2, precedes(p, &v->heap[up])); i = up)
		v->heap[i] = v->heap[up];
	v->heap[i] = *p;
}

static void pop(struct divider *v)
{
	struct tf_step_piece last = v->heap[--v->depth];
	size_t i = 0;

	for (size_t down; (down = 2 * i + 1) < v->depth; i = down) {
		down += down + 1 < v->depth && precedes(&v->heap[down + 1], &v->heap[down]);
		if (!precedes(&v->heap[down], &last))
			break;
		v->heap[i] = v->heap[down];
	}
	v->heap[i] = last;
}

/* The owner of these texts, made at its first mention. */
static int find_owner(struct divider *v, enum tf_part part, struct tf_bytes op, struct tf_bytes kernel, uint32_t *owner)
{
	uint32_t id;

	v->key.len = 0;
	tf_buf_char(&v->key, (char)('a' + part));
	tf_buf_add(&v->key, (const char *)op.data, op.len);
	tf_buf_char(&v->key, '\0');
	tf_buf_add(&v->key, (const char *)kernel.data, kernel.len);
	if (v->key.failed)
		return tf_fail_nomem(v->err);
	if (tf_strtab_add(&v->keys, (struct tf_bytes){(const uint8_t *)v->key.data, v->key.len}, &id, v->err) < 0)
		return -1;
	*owner = id - 1;
	if (*owner < v->owner_count)
		return 0;
	if (tf_vec_reserve((void **)&v->owners, &v->owner_cap, v->owner_count + 1, sizeof *v->owners) < 0)
		return tf_fail_nomem(v->err);
	v->owners[v->owner_count++] = (struct candidate){part, *owner, SIZE_MAX, 0, op, kernel};
	return 0;
}

/* A host event by its op, else by its name: both are those of its metadata. */
static int host_owner(struct divider *v, const struct tf_step_piece *p, uint32_t *owner)
{
	const struct tf_trace *t = v->d->trace;
	uint32_t meta = t->events.meta[p->event];
	uint64_t key = (uint64_t)p->part << 32 | meta;
	const uint64_t *known = tf_map_find(&v->by_meta, key);
	const struct tf_name_info *info = &v->d->info[meta];
	struct tf_bytes op = info->category != TF_OP_UNKNOWN ? info->op_name : tf_strtab_bytes(&t->strings, tf_event_name(t, p->event));

	if (known) {
		*owner = (uint32_t)*known;
		return 0;
	}
	if (find_owner(v, (enum tf_part)p->part, op, (struct tf_bytes){NULL, 0}, owner) < 0)
		return -1;
	return tf_map_put(&v->by_meta, key, *owner, v->err);
}

static int device_owner(struct divider *v, const struct tf_step_piece *p, uint32_t *owner)
{
	const struct tf_trace *t = v->d->trace;
	struct tf_bytes op = {NULL, 0}, kernel = tf_strtab_bytes(&t->strings, tf_event_name(t, p->event));
	uint32_t framework, hlo;

	if (tf_device_op(t, p->event, &framework, &hlo))
		op = framework ? tf_op_name_parse(tf_strtab_bytes(&t->strings, framework)).op_name : tf_strtab_bytes(&t->strings, hlo);
	return find_owner(v, (enum tf_part)p->part, op, kernel, owner);
}

/* The time belongs to the piece. */
static int take(struct divider *v, const struct tf_step_piece *p, int64_t ps)
{
	uint32_t owner;

	v->steps->list[p->step].part_ps[p->part] += ps;
	if ((p->on_device ? device_owner : host_owner)(v, p, &owner) < 0)
		return -1;
	struct candidate *c = &v->owners[owner];
	c->total_ps = tf_ps_add(c->total_ps, ps);
	if (c->last != SIZE_MAX && v->takings[c->last].step == (uint32_t)p->step) {
		v->takings[c->last].ps += ps;
		return 0;
	}
	if (tf_vec_reserve((void **)&v->takings, &v->taking_cap, v->taking_count + 1, sizeof *v->takings) < 0)
		return tf_fail_nomem(v->err);
	c->last = v->taking_count;
	v->takings[v->taking_count++] = (struct taking){owner, (uint32_t)p->step, ps};
	return 0;
}

/* Sweeps the pieces of one step, by begin. Runs of time of one piece are taken at once. */
static int sweep(struct divider *v, struct tf_step *step, const struct tf_step_piece *p, size_t n)
{
	int64_t now = step->start_ps, end = step->start_ps + step->step_ps, left = step->step_ps;
	size_t next = 0;
	int rc = 0;

	v->depth = 0;
	while (rc == 0 && now < end) {
		for (; next < n && p[next].at.begin_ps <= now; next++)
			if (p[next].at.end_ps > now)
				push(v, &p[next]);
		while (v->depth && v->heap[0].at.end_ps <= now)
			pop(v);
		int64_t until = next < n && p[next].at.begin_ps < end ? p[next].at.begin_ps : end;
		if (v->depth) {
			until = v->heap[0].at.end_ps < until ? v->heap[0].at.end_ps : until;
			rc = take(v, &v->heap[0], until - now);
			left -= until - now;
		}
		now = until;
	}
	step->part_ps[TF_PART_OTHER] = left;
	step->has_breakdown = true;
	return rc;
}

static int by_step_and_begin(const void *a, const void *b)
{
	const struct tf_step_piece *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->at.begin_ps != y->at.begin_ps)
		return x->at.begin_ps < y->at.begin_ps ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

static int sweep_all(struct divider *v, struct tf_step_piece *list, size_t count)
{
	if (count)
		qsort(list, count, sizeof *list, by_step_and_begin);
	for (size_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && list[i + n].step == list[i].step; n++)
			;
		if (sweep(v, &v->steps->list[list[i].step], list + i, n) < 0)
			return -1;
	}
	for (size_t i = 0; i < v->steps->count; i++)
		if (!v->steps->list[i].has_breakdown && sweep(v, &v->steps->list[i], NULL, 0) < 0)
			return -1;
	return 0;
}

static int compare_bytes(struct tf_bytes x, struct tf_bytes y)
{
	int order = memcmp(x.len ? x.data : (const uint8_t *)"", y.len ? y.data : (const uint8_t *)"", x.len < y.len ? x.len : y.len);

	return order ? order : (x.len > y.len) - (x.len < y.len);
}

static int by_total(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order;

	if (x->total_ps != y->total_ps)
		return x->total_ps > y->total_ps ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	order = compare_bytes(x->op, y->op);
	return order ? order : compare_bytes(x->kernel, y->kernel);
}

/* A new owner with no time yet; NULL when out of memory. */
static struct tf_step_owner *add_owner(struct divider *v, enum tf_part part)
{
	struct tf_steps *s = v->steps;
	struct tf_step_owner *o = tf_arena_push(v->arena, (void **)&s->owners, &s->owner_count, &s->owner_cap, sizeof *o);

	if (!o || !(o->step_ps = tf_arena_array(v->arena, s->count, sizeof *o->step_ps)))
		return NULL;
	o->part = part;
	return o;
}

static bool name_owner(struct divider *v, struct tf_step_owner *o, const struct candidate *c)
{
	o->op = c->op.len ? tf_utf8_repair(v->arena, c->op) : NULL;
	o->kernel = c->kernel.len ? tf_utf8_repair(v->arena, c->kernel) : NULL;
	return (o->op || !c->op.len) && (o->kernel || !c->kernel.len);
}

/* Those that took most become owners, the others one a part. `place` is by candidate: where its time goes. */
static int choose(struct divider *v, uint32_t *place)
{
	size_t most = TF_LIMIT_OWNER_CELLS / v->steps->count;
	uint32_t rest[TF_PART_COUNT];

	most = most < TF_LEAST_OWNERS ? TF_LEAST_OWNERS : most > TF_MOST_OWNERS ? TF_MOST_OWNERS : most;
	memset(rest, 0xff, sizeof rest);
	if (v->owner_count)
		qsort(v->owners, v->owner_count, sizeof *v->owners, by_total);
	for (size_t i = 0; i < v->owner_count; i++) {
		const struct candidate *c = &v->owners[i];
		bool kept = i < most;
		if (kept || rest[c->part] == UINT32_MAX) {
			struct tf_step_owner *o = add_owner(v, c->part);
			if (!o || (kept && !name_owner(v, o, c)))
				return tf_fail_nomem(v->err);
			if (!kept) {
				o->op = "(others)";
				rest[c->part] = (uint32_t)v->steps->owner_count - 1;
			}
		}
		place[c->id] = kept ? (uint32_t)i : rest[c->part];
	}
	return 0;
}

int tf_steps_divide(const struct tf_derived *d, struct tf_step_piece *pieces, size_t count, struct tf_arena *a, struct tf_steps *steps,
		    struct tf_error *err)
{
	struct divider v = {.d = d, .arena = a, .steps = steps, .err = err};
	uint32_t *place = NULL, empty;
	int rc = -1;

	v.heap = malloc((count + 1) * sizeof *v.heap);
	if (!v.heap) {
		tf_fail_nomem(err);
		goto out;
	}
	if (tf_strtab_add(&v.keys, (struct tf_bytes){(const uint8_t *)"", 0}, &empty, err) < 0 || sweep_all(&v, pieces, count) < 0)
		goto out;
	place = malloc((v.owner_count + 1) * sizeof *place);
	if (!place) {
		tf_fail_nomem(err);
		goto out;
	}
	if (choose(&v, place) < 0)
		goto out;
	for (size_t i = 0; i < v.taking_count; i++)
		steps->owners[place[v.takings[i].owner]].step_ps[v.takings[i].step] += v.takings[i].ps;
	rc = 0;
out:
	free(v.heap);
	free(v.owners);
	free(v.takings);
	free(place);
	tf_strtab_release(&v.keys);
	tf_buf_release(&v.key);
	tf_map_release(&v.by_meta);
	return rc;
}
