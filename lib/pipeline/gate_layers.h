/* Inside the gate's configuration: what each file says. Only gate_config.c and gate_config_apply.c see this. */
#ifndef TF_PIPELINE_GATE_LAYERS_H
#define TF_PIPELINE_GATE_LAYERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/analyze/gate.h"

/* A bound of a metric. Arena. */
struct tf_config_limit {
	enum tf_check_kind kind;
	const char *metric, *typed; /* typed: with ":up" or ":down" where the file tells */
	const char *value;	    /* NULL: what an extended file says is taken back */
	struct tf_place place;
};

/* Another file, and where it counts. Arena. */
struct tf_config_extension {
	const char *path, *branch; /* branch: a glob, NULL: any */
	struct tf_environment environment;
	bool anywhere;	       /* no environment is told */
	const uint8_t *at;
	struct tf_config_layer *layer;
};

/* What one file says; NaN, TF_NONE, -1 and NULL where it says nothing. Arena. */
struct tf_config_layer {
	const char *path;
	dev_t device;
	ino_t inode;
	bool open; /* it is being read: who extends it now extends itself */
	double alpha, min_effect;
	int64_t min_steps;
	int allow_env, accept_inferred;
	const char *inconclusive;
	bool has_baselines, has_environments;
	const char **baselines;
	size_t baseline_count, baseline_cap;
	struct tf_environment *environments;
	size_t environment_count, environment_cap;
	struct tf_config_limit *limits;
	size_t limit_count, limit_cap;
	struct tf_waiver *waivers;
	size_t waiver_count, waiver_cap;
	struct tf_config_extension *extensions;
	size_t extension_count, extension_cap;
	struct tf_config_layer *next; /* of all files */
};

struct tf_gate_config {
	struct tf_arena arena;
	struct tf_config_layer *root, *all;
	size_t file_count, limit_count;
	struct tf_gate trial; /* in which each rule is tried */
};

#endif
