/* Unions and intersections of time intervals: every share is made of them (METRICS.md §0.2). */
#include <stdlib.h>

#include "lib/analyze/analyze.h"

static int by_begin(const void *a, const void *b)
{
	const struct tf_interval *x = a, *y = b;
	return x->begin_ps < y->begin_ps ? -1 : x->begin_ps > y->begin_ps;
}

size_t tf_interval_merge(struct tf_interval *iv, size_t n)
{
	size_t kept = 0;
	bool sorted = true;

	for (size_t i = 1; i < n && sorted; i++)
		sorted = iv[i - 1].begin_ps <= iv[i].begin_ps;
	if (!sorted)
		qsort(iv, n, sizeof *iv, by_begin);
	for (size_t i = 0; i < n; i++) {
		if (iv[i].end_ps <= iv[i].begin_ps)
			continue;
		if (kept && iv[i].begin_ps <= iv[kept - 1].end_ps) {
			if (iv[i].end_ps > iv[kept - 1].end_ps)
				iv[kept - 1].end_ps = iv[i].end_ps;
		} else {
			iv[kept++] = iv[i];
		}
	}
	return kept;
}

static int64_t overlap(int64_t a_begin, int64_t a_end, int64_t b_begin, int64_t b_end)
{
	int64_t begin = a_begin > b_begin ? a_begin : b_begin;
	int64_t end = a_end < b_end ? a_end : b_end;
	return end > begin ? end - begin : 0;
}

/* The first interval that ends behind `ps`. */
static size_t first_after(const struct tf_interval *iv, size_t n, int64_t ps)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (iv[middle].end_ps <= ps)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t tf_interval_within(const struct tf_interval *iv, size_t n, int64_t begin_ps, int64_t end_ps)
{
	int64_t sum = 0;

	for (size_t i = first_after(iv, n, begin_ps); i < n && iv[i].begin_ps < end_ps; i++)
		sum += overlap(iv[i].begin_ps, iv[i].end_ps, begin_ps, end_ps);
	return sum;
}

int64_t tf_interval_common(const struct tf_interval *a, size_t an, const struct tf_interval *b, size_t bn,
			   int64_t begin_ps, int64_t end_ps)
{
	size_t i = first_after(a, an, begin_ps), j = first_after(b, bn, begin_ps);
	int64_t sum = 0;

	while (i < an && j < bn && a[i].begin_ps < end_ps && b[j].begin_ps < end_ps) {
		int64_t begin = a[i].begin_ps > b[j].begin_ps ? a[i].begin_ps : b[j].begin_ps;
		int64_t end = a[i].end_ps < b[j].end_ps ? a[i].end_ps : b[j].end_ps;
		sum += overlap(begin, end, begin_ps, end_ps);
		if (a[i].end_ps < b[j].end_ps)
			i++;
		else
			j++;
	}
	return sum;
}
