/* Order statistics of all differences x − y of two ascending arrays, without making them. */
#ifndef TF_ANALYZE_RANK_PAIRS_H
#define TF_ANALYZE_RANK_PAIRS_H

#include <stddef.h>

/* The k-th smallest, k from 1 to n · m. */
double tf_pairs_select(const double *x, size_t n, const double *y, size_t m, size_t k);

/* Their median; of an even number the mean of the two in the middle. Neither array is empty. */
double tf_pairs_median(const double *x, size_t n, const double *y, size_t m);

#endif
