/* Percentiles of the executions of each op, and the ops whose slow ones cost most. */
#include "lib/analyze/op_tails.h"

#include <stdlib.h>

#include "lib/base/vec.h"

enum { TAIL_COUNT = 20, TAIL_MEDIANS = 3, SELECT_ROUNDS = 64 };

int tf_executions_add(struct tf_executions *x, size_t op, size_t event, struct tf_error *err)
{
	if (tf_vec_reserve((void **)&x->list, &x->cap, x->count + 1, sizeof *x->list) < 0)
		return tf_fail_nomem(err);
	x->list[x->count++] = (struct tf_execution){(uint32_t)op, (uint32_t)event};
	return 0;
}

void tf_executions_release(struct tf_executions *x)
{
	free(x->list);
	*x = (struct tf_executions){0};
}

static int by_duration(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* Moves the k-th smallest to x[k], nothing larger before it and nothing smaller behind (Hoare's FIND). Unlucky data are sorted. */
static void select_at(int64_t *x, size_t n, size_t k)
{
	ptrdiff_t low = 0, high = (ptrdiff_t)n - 1, at = (ptrdiff_t)k;

	for (int round = 0; low < high; round++) {
		int64_t pivot = x[at];
		ptrdiff_t i = low, j = high;
		if (round == SELECT_ROUNDS) {
			qsort(x + low, (size_t)(high - low + 1), sizeof *x, by_duration);
			return;
		}
		while (i <= j) {
			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i <= j) {
				int64_t swap = x[i];
				x[i++] = x[j];
				x[j--] = swap;
			}
		}
		if (j < at)
			low = i;
		if (at < i)
			high = j;
	}
}

/* The percentile with interpolation between neighbours, as tf_stats_percentile(), to the picosecond below. */
static int64_t percentile(int64_t *x, size_t n, size_t percent)
{
	size_t low = percent * (n - 1) / 100, rest = percent * (n - 1) % 100;

	select_at(x, n, low);
	if (rest == 0)
		return x[low];
	int64_t next = INT64_MAX;
	for (size_t i = low + 1; i < n; i++)
		next = x[i] < next ? x[i] : next;
	return x[low] + (int64_t)((double)(next - x[low]) * (double)rest / 100);
}

int tf_executions_measure(struct tf_executions *x, const struct tf_trace *t, struct tf_op_times *times, size_t op_count,
			  struct tf_error *err)
{
	size_t *end = calloc(op_count + 1, sizeof *end);
	int64_t *durations = calloc(x->count + 1, sizeof *durations);

	if (!end || !durations) {
		free(end);
		free(durations);
		return tf_fail_nomem(err);
	}
	for (size_t i = 0; i < op_count; i++)
		times[i] = (struct tf_op_times){TF_NONE, TF_NONE, TF_NONE, SIZE_MAX};
	for (size_t i = 0; i < x->count; i++) {
		const struct tf_execution *e = &x->list[i];
		int64_t dur = t->events.dur_ps[e->event];
		end[e->op]++;
		const struct tf_op_times *so_far = &times[e->op];
		if (dur > so_far->max_ps
		    || (dur == so_far->max_ps && t->events.start_ps[e->event] < t->events.start_ps[so_far->slowest])) {
			times[e->op].max_ps = dur;
			times[e->op].slowest = e->event;
		}
	}
	for (size_t i = 0, sum = 0; i < op_count; i++) {
		size_t n = end[i];
		end[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < x->count; i++)
		durations[end[x->list[i].op]++] = t->events.dur_ps[x->list[i].event];
	for (size_t i = 0; i < op_count; i++) {
		size_t first = i ? end[i - 1] : 0, n = end[i] - first;
		if (n == 0)
			continue;
		times[i].p50_ps = percentile(durations + first, n, 50);
		times[i].p99_ps = percentile(durations + first, n, 99);
	}
	free(end);
	free(durations);
	x->count = 0;
	return 0;
}

int64_t tf_op_excess_ps(const struct tf_op *op)
{
	int64_t usual;

	if (op->p50_ps == TF_NONE || op->count == TF_NONE || __builtin_mul_overflow(op->p50_ps, op->count, &usual))
		return TF_NONE;
	return tf_ps_between(usual, op->total_ps);
}

static bool is_long_tail(const struct tf_op *op)
{
	return op->count >= TAIL_COUNT && op->p99_ps != TF_NONE && op->p99_ps / TAIL_MEDIANS > op->p50_ps && tf_op_excess_ps(op) > 0;
}

static int by_excess(const void *a, const void *b)
{
	const struct tf_tail *x = a, *y = b;
	int64_t p = tf_op_excess_ps(x->op), q = tf_op_excess_ps(y->op);

	if (p != q)
		return p > q ? -1 : 1;
	int order = strcmp(x->op->name, y->op->name);
	return order ? order : strcmp(x->host->name, y->host->name);
}

struct tf_tail *tf_long_tails(const struct tf_session *s, struct tf_arena *a, size_t *count, struct tf_error *err)
{
	struct tf_tail *list = NULL;
	size_t cap = 0;

	*count = 0;
	for (size_t h = 0; h < s->host_count; h++)
		for (size_t i = 0; i < s->hosts[h].op_count; i++) {
			const struct tf_op *op = &s->hosts[h].ops[i];
			if (!is_long_tail(op))
				continue;
			struct tf_tail *tail = tf_arena_push(a, (void **)&list, count, &cap, sizeof *tail);
			if (!tail) {
				tf_fail_nomem(err);
				return NULL;
			}
			*tail = (struct tf_tail){&s->hosts[h], op};
		}
	if (!list && !(list = tf_arena_array(a, 1, sizeof *list)))
		tf_fail_nomem(err);
	else if (*count)
		qsort(list, *count, sizeof *list, by_excess);
	return list;
}
