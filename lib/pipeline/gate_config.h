/*
 * The gate's configuration, tfprof.json: JSON kept beside the code (schemas/config.schema.json, cmd/GATE.md). It may extend other
 * files, some of them only on a branch or machine. All files are read and checked before any is applied, whatever the branch.
 */
#ifndef TF_PIPELINE_GATE_CONFIG_H
#define TF_PIPELINE_GATE_CONFIG_H

#include "lib/analyze/gate.h"

struct tf_gate_config;

/*
 * Reads the file and all that it extends. TF_EUSAGE with "FILE:LINE: …" for what is no valid configuration: an unknown key (with the
 * nearest one as hint), a metric that does not exist, files that extend each other, one that cannot be read. Owned:
 * tf_gate_config_close(). 0 or -1.
 */
int tf_gate_config_open(struct tf_gate_config **out, const char *path, struct tf_error *err);

/* What is not of the gate itself. Borrowed from the configuration. */
struct tf_gate_settings {
	const char *const *baselines;
	size_t baseline_count;
	const char *inconclusive; /* "pass", "warn", "fail"; NULL: not said */
};

/*
 * Puts into the gate what holds on this branch (NULL: not known) and for this session (NULL: none), in the order: extended files as
 * listed, then the file's own keys; what comes later replaces. Rules and waivers borrow their places from the configuration. 0 or -1.
 */
int tf_gate_config_apply(const struct tf_gate_config *c, const char *branch, const struct tf_session *s, struct tf_gate *g,
			 struct tf_gate_settings *out, struct tf_error *err);

/* Accepts NULL. */
void tf_gate_config_close(struct tf_gate_config *c);

#endif
