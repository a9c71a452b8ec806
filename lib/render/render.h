/* Renderers: result structs in, bytes to a FILE out. They compute nothing but layout. All return 0 or -1 (TF_ESYSTEM). */
#ifndef TF_RENDER_RENDER_H
#define TF_RENDER_RENDER_H

#include <stdio.h>

#include "lib/analyze/calibrate.h"
#include "lib/analyze/gate.h"
#include "lib/analyze/results.h"
#include "lib/base/table.h"
#include "lib/trace/rows.h"

struct tf_report_options {
	const char *const *sections; /* NULL-terminated names, or NULL: all */
	size_t top;		     /* cut lists, 0: whole (JSON) or fitting (text) */
	bool has_steps;
	int64_t step_first, step_last; /* --steps A:B: the steps listed, by number, inclusive */
	bool color;
};

/* Names that --section accepts, NULL-terminated. */
extern const char *const tf_report_sections[];

int tf_render_report_json(FILE *to, const struct tf_session *s, const struct tf_report_options *o, struct tf_error *err);
int tf_render_report_text(FILE *to, const struct tf_session *s, const struct tf_report_options *o, struct tf_error *err);

int tf_render_ledger_json(FILE *to, const struct tf_ledger *l, struct tf_error *err);
int tf_render_ledger_text(FILE *to, const struct tf_ledger *l, struct tf_error *err);

int tf_render_check_json(FILE *to, const struct tf_verdict *v, struct tf_error *err);
int tf_render_check_text(FILE *to, const struct tf_verdict *v, struct tf_error *err);
int tf_render_check_junit(FILE *to, const struct tf_verdict *v, struct tf_error *err);
/* GitHub-flavoured Markdown that fits a pull request's comment: at most 65,536 bytes. */
int tf_render_check_md(FILE *to, const struct tf_verdict *v, struct tf_error *err);
/* SARIF 2.1.0, each check a result at the line of its rule. */
int tf_render_check_sarif(FILE *to, const struct tf_verdict *v, struct tf_error *err);
/* Annotations of GitHub Actions: ten at most, the worst first. */
int tf_render_check_github(FILE *to, const struct tf_verdict *v, struct tf_error *err);

/* What was calibrated, as a tfprof.json to paste. */
int tf_render_calibration(FILE *to, const struct tf_calibration *c, struct tf_error *err);

/* Formats of `query` and `ls`. */
struct tf_table_format {
	const char *name; /* "table", "csv", "tsv", "json", "jsonl", "md" */
	/* Makes a receiver that writes to `to`; end() flushes and frees what it holds and must always be called. */
	int (*begin)(FILE *to, struct tf_row_receiver *receiver, struct tf_error *err);
	int (*end)(struct tf_row_receiver *receiver, struct tf_error *err);
};
extern const struct tf_table_format tf_table_formats[]; /* ends with a zeroed one */
const struct tf_table_format *tf_table_format_find(const char *name); /* NULL if unknown */

/* Reads a `report --json` document (a baseline) back: metrics, samples, session facts. TF_EFORMAT if it is none. */
int tf_report_read(const char *path, struct tf_session *out, struct tf_error *err);

/* The same of a text in memory, behind which a NUL must stand; `path` names it in errors. */
int tf_report_parse(struct tf_bytes text, const char *path, struct tf_session *out, struct tf_error *err);

#endif
