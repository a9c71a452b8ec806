/* What `inspect` shows of files: filled by the pipeline, printed by renderers. */
#ifndef TF_ANALYZE_INSPECTION_H
#define TF_ANALYZE_INSPECTION_H

#include "lib/analyze/results.h"
#include "lib/trace/rows.h"

struct tf_inspected_line {
	const char *plane, *name;
	int64_t events, busy_ps; /* sum of durations that count */
	bool derived;
};

/* An event name that could mark steps: it repeats at the top of a host line, or carries step_num. */
struct tf_candidate {
	const char *name;
	int64_t count, numbered, total_ps;
};

/* A program of XLA. */
struct tf_inspected_program {
	const char *name;
	int64_t instructions, peak_bytes; /* peak: TF_NONE if not known */
};

struct tf_inspected {
	struct tf_ledger_file file;
	const struct tf_host *host; /* captures only */
	const char **hostnames;	    /* as the file itself says */
	size_t hostname_count;
	int64_t start_ns;
	struct tf_inspected_line *lines;
	size_t line_count, line_cap;
	struct tf_candidate *candidates; /* most frequent first */
	size_t candidate_count, candidate_cap;
	struct tf_inspected_program *programs;
	size_t program_count;
};

struct tf_inspection {
	struct tf_arena arena;
	struct tf_inspected *files;
	size_t count, cap;
};

#endif
