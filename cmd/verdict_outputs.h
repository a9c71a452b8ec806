/* Where a verdict goes: one to stdout, others to files, all of them from the same verdict. */
#ifndef TF_CMD_VERDICT_OUTPUTS_H
#define TF_CMD_VERDICT_OUTPUTS_H

#include "lib/analyze/gate.h"

struct tf_verdict_outputs {
	const char *junit, *sarif, *md; /* files, "-": stdout; NULL: not asked for */
	bool json, github;
};

/* Rows of an option table; `at` is the offset of the struct tf_verdict_outputs in the command's own. */
#define TF_VERDICT_OPTIONS(at) \
	{"json", 'j', TF_OPT_FLAG, NULL, "one JSON document (schemas/check.schema.json)", \
	 (at) + offsetof(struct tf_verdict_outputs, json)}, \
	{"junit", 0, TF_OPT_TEXT, "FILE", "write JUnit XML too; - is stdout", (at) + offsetof(struct tf_verdict_outputs, junit)}, \
	{"sarif", 0, TF_OPT_TEXT, "FILE", "write SARIF 2.1.0 too; - is stdout", (at) + offsetof(struct tf_verdict_outputs, sarif)}, \
	{"md", 0, TF_OPT_TEXT, "FILE", "write Markdown for a comment too; - is stdout", \
	 (at) + offsetof(struct tf_verdict_outputs, md)}, \
	{"github", 0, TF_OPT_FLAG, NULL, "annotate the pull request too, and add to $GITHUB_STEP_SUMMARY", \
	 (at) + offsetof(struct tf_verdict_outputs, github)}

/* TF_EUSAGE where two documents would share stdout. 0 or -1. */
int tf_verdict_outputs_check(const struct tf_verdict_outputs *o, struct tf_error *err);

/* Writes the files, then what goes to stdout: text unless a document does. 0 or -1. */
int tf_verdict_write(const struct tf_verdict_outputs *o, const struct tf_verdict *v, struct tf_error *err);

#endif
