/* The progress bar: drawn to a terminal once work has taken over a second, never faster than ten times a second. */
#ifndef TF_BASE_PROGRESS_H
#define TF_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum tf_progress_mode { TF_PROGRESS_AUTO, TF_PROGRESS_ALWAYS, TF_PROGRESS_NEVER };

/* Zeroed is a progress that draws nothing. */
struct tf_progress {
	FILE *to; /* NULL: none */
	bool always;
	bool drawn;
	int64_t begin_ns, last_ns;
	uint64_t total_bytes, done_bytes;
};

/* Prepares; AUTO draws only if `to` is a terminal. */
void tf_progress_init(struct tf_progress *p, FILE *to, enum tf_progress_mode mode, uint64_t total_bytes);
/* Work done so far, in bytes, and what is worked on. Draws at most every 100 ms. */
void tf_progress_update(struct tf_progress *p, uint64_t done_bytes, const char *what);
/* Wipes the bar. Idempotent. */
void tf_progress_end(struct tf_progress *p);

#endif
