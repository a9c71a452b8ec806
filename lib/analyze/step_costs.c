/* What ops and kernels take of the steady steps of a session. */
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/step_owners.h"
#include "lib/analyze/step_samples.h"

struct coster {
	struct tf_session *s;
	struct tf_strtab keys; /* part, op and kernel as text; id - 1 is the cost */
	struct tf_buf key;
	struct tf_error *err;
};

static void add_text(struct tf_buf *key, const char *text)
{
	tf_buf_char(key, text ? '+' : '-');
	tf_buf_text(key, text ? text : "");
	tf_buf_char(key, '\0');
}

/* The cost that an owner's time goes to; hosts have owners of the same names. NULL when out of memory. */
static struct tf_step_cost *find_cost(struct coster *c, const struct tf_step_owner *o)
{
	struct tf_session *s = c->s;
	uint32_t id;

	c->key.len = 0;
	tf_buf_char(&c->key, (char)('a' + o->part));
	add_text(&c->key, o->op);
	add_text(&c->key, o->kernel);
	if (c->key.failed
	    || tf_strtab_add(&c->keys, (struct tf_bytes){(const uint8_t *)c->key.data, c->key.len}, &id, c->err) < 0)
		return NULL;
	if (id - 1 < s->cost_count)
		return &s->costs[id - 1];
	struct tf_step_cost *cost = tf_arena_push(&s->arena, (void **)&s->costs, &s->cost_count, &s->cost_cap, sizeof *cost);
	if (cost)
		*cost = (struct tf_step_cost){o->part, o->op, o->kernel, 0};
	return cost;
}

/* Adds what the owners took of one host's chosen steps. */
static int add_host(struct coster *c, const struct tf_host *h, const struct tf_step_view *v, size_t n)
{
	const struct tf_steps *steps = &h->steps;

	for (size_t k = 0; k < steps->owner_count; k++) {
		const struct tf_step_owner *o = &steps->owners[k];
		int64_t total = 0;
		for (size_t i = 0; i < n; i++)
			if (v[i].steady && v[i].host == h)
				total = tf_ps_add(total, o->step_ps[v[i].step - steps->list]);
		if (total == 0)
			continue;
		struct tf_step_cost *cost = find_cost(c, o);
		if (!cost)
			return tf_fail_nomem(c->err);
		cost->total_ps = tf_ps_add(cost->total_ps, total);
	}
	return 0;
}

/* Whether the owners of all steady steps took all of their parts: older stores and result files have no owners. */
static bool are_complete(const struct tf_session *s, const struct tf_step_view *v, size_t n)
{
	int64_t left = 0;

	for (size_t i = 0; i < n; i++)
		for (enum tf_part p = 0; v[i].steady && v[i].step->has_breakdown && p < TF_PART_OTHER; p++)
			left = tf_ps_add(left, v[i].step->part_ps[p]);
	for (size_t k = 0; k < s->cost_count; k++)
		left = tf_ps_between(s->costs[k].total_ps, left);
	return left == 0;
}

static int by_part(const void *a, const void *b)
{
	const struct tf_step_cost *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->total_ps != y->total_ps)
		return x->total_ps > y->total_ps ? -1 : 1;
	int order = strcmp(x->op ? x->op : "", y->op ? y->op : "");
	return order ? order : strcmp(x->kernel ? x->kernel : "", y->kernel ? y->kernel : "");
}

int tf_step_costs_build(struct tf_session *s, struct tf_error *err)
{
	struct coster c = {.s = s, .err = err};
	uint32_t empty;
	size_t n;
	struct tf_step_view *v = tf_step_views(s->hosts, s->host_count, &n);
	int rc = !v ? tf_fail_nomem(err) : tf_strtab_add(&c.keys, (struct tf_bytes){(const uint8_t *)"", 0}, &empty, err);

	s->cost_count = 0;
	s->cost_reason = NULL;
	for (size_t i = 0; rc == 0 && i < s->host_count; i++)
		rc = add_host(&c, &s->hosts[i], v, n);
	if (rc == 0 && !are_complete(s, v, n)) {
		s->cost_count = 0;
		s->cost_reason = "not_recorded";
	}
	if (s->cost_count)
		qsort(s->costs, s->cost_count, sizeof *s->costs, by_part);
	free(v);
	tf_strtab_release(&c.keys);
	tf_buf_release(&c.key);
	return rc;
}
