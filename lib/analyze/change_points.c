/* E-divisive change points of one series. */
#include "lib/analyze/change_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"

/* Any number does; it makes the answer the same each time. */
#define SEED UINT64_C(0x7472656e64)

/* A value by its rank in its segment. */
struct ranked {
	double value;
	size_t index;
};

struct split {
	size_t at; /* values before it */
	double q;  /* 0: there is none */
};

struct segment {
	size_t first, count;
	struct split best;
	double all; /* sum of the distances of all pairs */
};

struct finder {
	const struct tf_change_options *o;
	struct ranked *sorted; /* of each segment, at its place */
	size_t *rank;	       /* of each value within its segment */
	size_t *shuffled;      /* the same, permuted */
	double *before, *after; /* sums of the distances of pairs of the first and of the last values, by number */
	size_t *counts;		/* Fenwick trees over ranks: how many, and their sum */
	double *sums;
	struct segment *segments; /* by place */
	size_t segment_count;
	struct tf_change_point *found; /* in the order found; `at` is of the series */
	size_t found_count;
	uint64_t random;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/*
 * The distance of a new value to those that are there, which it then joins: those of lower ranks are below it, the others above.
 * `total` and `so_far` are the sum and number of those there.
 */
static double join(struct finder *f, const struct ranked *sorted, size_t n, size_t rank, double total, size_t so_far)
{
	double x = sorted[rank].value, below = 0;
	size_t lower = 0;

	for (size_t i = rank; i > 0; i -= i & -i) {
		lower += f->counts[i];
		below += f->sums[i];
	}
	for (size_t i = rank + 1; i <= n; i += i & -i) {
		f->counts[i]++;
		f->sums[i] += x;
	}
	return x * (double)lower - below + (total - below) - x * (double)(so_far - lower);
}

/* Sums of the distances of all pairs of the first 0, 1, … n values; from the end if `backwards`. */
static void sum_pairs(struct finder *f, const struct ranked *sorted, const size_t *rank, size_t n, bool backwards, double *to)
{
	double total = 0;

	memset(f->counts, 0, (n + 1) * sizeof *f->counts);
	memset(f->sums, 0, (n + 1) * sizeof *f->sums);
	to[0] = 0;
	for (size_t i = 0; i < n; i++) {
		size_t r = rank[backwards ? n - 1 - i : i];
		to[i + 1] = to[i] + join(f, sorted, n, r, total, i);
		total += sorted[r].value;
	}
}

/* The split of a segment, whose values stand in the order of `rank`, that sets its sides furthest apart. */
static struct split best_split(struct finder *f, const struct segment *g, const size_t *rank)
{
	const struct ranked *sorted = f->sorted + g->first;
	struct split best = {0, 0};

	if (g->count < 2 * f->o->min_size)
		return best;
	sum_pairs(f, sorted, rank, g->count, false, f->before);
	sum_pairs(f, sorted, rank, g->count, true, f->after);
	for (size_t at = f->o->min_size; at + f->o->min_size <= g->count; at++) {
		double n = (double)at, m = (double)(g->count - at), in_first = f->before[at], in_last = f->after[g->count - at];
		double between = g->all - in_first - in_last;
		double energy = 2 * between / (n * m) - 2 * in_first / (n * (n - 1)) - 2 * in_last / (m * (m - 1));
		double q = n * m / (n + m) * energy;
		if (q > best.q)
			best = (struct split){at, q};
	}
	return best;
}

/* Ranks the values of a segment and finds its best split. They are taken relative to the median: sums stay small. */
static void open_segment(struct finder *f, const double *x, struct segment *g)
{
	struct ranked *sorted = f->sorted + g->first;
	size_t *rank = f->rank + g->first;

	for (size_t i = 0; i < g->count; i++)
		sorted[i] = (struct ranked){x[g->first + i], i};
	qsort(sorted, g->count, sizeof *sorted, by_value);
	double middle = sorted[g->count / 2].value;
	for (size_t i = 0; i < g->count; i++) {
		sorted[i].value -= middle;
		rank[sorted[i].index] = i;
	}
	sum_pairs(f, sorted, rank, g->count, false, f->before);
	g->all = f->before[g->count];
	g->best = best_split(f, g, rank);
}

/* Permutes the values of each segment and returns the best q of all. */
static double permuted_q(struct finder *f)
{
	double best = 0;

	for (size_t k = 0; k < f->segment_count; k++) {
		const struct segment *g = &f->segments[k];
		size_t *rank = f->shuffled + g->first;
		if (g->count < 2 * f->o->min_size)
			continue;
		for (size_t i = g->count - 1; i > 0; i--) {
			size_t other = tf_random_below(&f->random, i + 1), kept = rank[i];
			rank[i] = rank[other];
			rank[other] = kept;
		}
		double q = best_split(f, g, rank).q;
		best = q > best ? q : best;
	}
	return best;
}

/* The share of permutations that split as well as q; not further counted once it is over alpha. */
static double p_of(struct finder *f, size_t n, double q)
{
	size_t as_good = 0;

	memcpy(f->shuffled, f->rank, n * sizeof *f->rank);
	for (int i = 0; i < TF_CHANGE_PERMUTATIONS; i++) {
		as_good += permuted_q(f) >= q * (1 - 1e-12); /* sums in another order differ by rounding */
		if ((double)(as_good + 1) > f->o->alpha * (TF_CHANGE_PERMUTATIONS + 1))
			return 1;
	}
	return (double)(as_good + 1) / (TF_CHANGE_PERMUTATIONS + 1);
}

static void find(struct finder *f, const double *x, size_t n)
{
	f->segments[0] = (struct segment){.count = n};
	f->segment_count = 1;
	open_segment(f, x, &f->segments[0]);
	for (;;) {
		size_t k = 0;
		for (size_t i = 1; i < f->segment_count; i++)
			if (f->segments[i].best.q > f->segments[k].best.q)
				k = i;
		struct segment *g = &f->segments[k];
		struct split best = g->best;
		double p = best.q > 0 ? p_of(f, n, best.q) : 1;
		if (p > f->o->alpha)
			return;
		f->found[f->found_count++] = (struct tf_change_point){g->first + best.at, best.q, p};
		memmove(g + 2, g + 1, (f->segment_count - k - 1) * sizeof *g);
		g[1] = (struct segment){.first = g->first + best.at, .count = g->count - best.at};
		g->count = best.at;
		f->segment_count++;
		open_segment(f, x, g);
		open_segment(f, x, g + 1);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct tf_change_point *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

int tf_change_points(const double *x, size_t n, const struct tf_change_options *o, struct tf_change_point **list, size_t *count,
		     struct tf_error *err)
{
	struct finder f = {.o = o, .random = SEED};
	int rc = -1;

	*list = NULL;
	*count = 0;
	f.sorted = calloc(n + 1, sizeof *f.sorted);
	f.rank = calloc(n + 1, sizeof *f.rank);
	f.shuffled = calloc(n + 1, sizeof *f.shuffled);
	f.before = calloc(n + 2, sizeof *f.before);
	f.after = calloc(n + 2, sizeof *f.after);
	f.counts = calloc(n + 2, sizeof *f.counts);
	f.sums = calloc(n + 2, sizeof *f.sums);
	f.segments = calloc(n + 2, sizeof *f.segments);
	f.found = calloc(n + 1, sizeof *f.found);
	if (!f.sorted || !f.rank || !f.shuffled || !f.before || !f.after || !f.counts || !f.sums || !f.segments || !f.found) {
		tf_fail_nomem(err);
		free(f.found);
		goto out;
	}
	if (n)
		find(&f, x, n);
	if (f.found_count)
		qsort(f.found, f.found_count, sizeof *f.found, by_place);
	*list = f.found;
	*count = f.found_count;
	rc = 0;
out:
	free(f.sorted);
	free(f.rank);
	free(f.shuffled);
	free(f.before);
	free(f.after);
	free(f.counts);
	free(f.sums);
	free(f.segments);
	return rc;
}
