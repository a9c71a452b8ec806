/* What the renderers of a verdict share: checks and waivers in words. */
#ifndef TF_RENDER_CHECK_WORDS_H
#define TF_RENDER_CHECK_WORDS_H

#include <stdio.h>

#include "lib/analyze/gate.h"

/* A value with its unit; bytes in the largest one that they fill. */
void tf_check_put_value(struct tf_buf *b, double value, enum tf_unit unit);

/* Replaces what is in `b` by one check in words without its verdict, printable. */
void tf_check_describe(struct tf_buf *b, const struct tf_check *c, double alpha);

/* Replaces what is in `b` by the verdict in a line: "fail: SESSION against BASELINE: REASON", printable. */
void tf_verdict_describe(struct tf_buf *b, const struct tf_verdict *v);

/* Waivers by their state, index enum tf_waiver_state. */
void tf_verdict_count_waivers(const struct tf_verdict *v, size_t count[3]);

/* Replaces what is in `b` by "waivers: 1 used, 0 expired, 2 unused", printable; by nothing without any. */
void tf_verdict_describe_waivers(struct tf_buf *b, const struct tf_verdict *v);

/*
 * All checks, the worst first: failed, inconclusive, waived, skipped, passed; failed ones by how many times their limit or allowance they
 * reach. In an array of v->check_count that the caller frees; NULL when out of memory.
 */
const struct tf_check **tf_verdict_worst_first(const struct tf_verdict *v);

/* Writes what was built, and releases it. 0, or -1: TF_ENOMEM, TF_ESYSTEM. */
int tf_check_write(FILE *to, struct tf_buf *b, struct tf_error *err);

#endif
