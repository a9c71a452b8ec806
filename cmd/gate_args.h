/* Options of the gate that several commands have, and the configuration behind them. */
#ifndef TF_CMD_GATE_ARGS_H
#define TF_CMD_GATE_ARGS_H

#include "cmd/cmd.h"
#include "lib/pipeline/gate_config.h"

struct tf_gate_args {
	const char *config, *branch, *now, *min_steps, *alpha, *min_effect;
	struct tf_list_arg max, min, regress;
	bool allow_env, accept_inferred;
};

/* Rows of an option table; `at` is the offset of the struct tf_gate_args in the command's own. */
#define TF_GATE_OPTIONS(at) \
	{"max", 0, TF_OPT_LIST, "METRIC=V", "fail above V (20ms, 5%, 512MiB); METRIC may have * and ?", \
	 (at) + offsetof(struct tf_gate_args, max)}, \
	{"min", 0, TF_OPT_LIST, "METRIC=V", "fail below V", (at) + offsetof(struct tf_gate_args, min)}, \
	{"max-regress", 0, TF_OPT_LIST, "METRIC=5%+ABS", "allowances against the baseline", \
	 (at) + offsetof(struct tf_gate_args, regress)}, \
	{"config", 0, TF_OPT_TEXT, "FILE", "the configuration (default: tfprof.json of this folder, if it is there)", \
	 (at) + offsetof(struct tf_gate_args, config)}, \
	{"branch", 0, TF_OPT_TEXT, "NAME", "the branch, for what the configuration says of some", \
	 (at) + offsetof(struct tf_gate_args, branch)}, \
	{"now", 0, TF_OPT_TEXT, "DATE", "the day by which waivers expire (default: today, UTC)", \
	 (at) + offsetof(struct tf_gate_args, now)}, \
	{"min-steps", 0, TF_OPT_TEXT, "N", "steady steps that figures of steps need (default 5)", \
	 (at) + offsetof(struct tf_gate_args, min_steps)}, \
	{"alpha", 0, TF_OPT_TEXT, "P", "level of significance over all metrics (default 0.01)", \
	 (at) + offsetof(struct tf_gate_args, alpha)}, \
	{"min-effect", 0, TF_OPT_TEXT, "SHARE", "test whether figures are worse by more than this share of the baseline", \
	 (at) + offsetof(struct tf_gate_args, min_effect)}, \
	{"allow-env", 0, TF_OPT_FLAG, NULL, "compare with a baseline from other machines or another framework", \
	 (at) + offsetof(struct tf_gate_args, allow_env)}, \
	{"accept-inferred", 0, TF_OPT_FLAG, NULL, "judge steps that only a repeated event marks", \
	 (at) + offsetof(struct tf_gate_args, accept_inferred)}

/*
 * Reads the configuration, if there is one (*config NULL: none; owned, tf_gate_config_close()), and tries the options. TF_EUSAGE for
 * any mistake in them: it outweighs what loading may find. 0 or -1.
 */
int tf_gate_args_read(const struct tf_gate_args *a, struct tf_gate_config **config, struct tf_error *err);

/* The gate that configuration (may be NULL) and options make for a session (NULL: none is known); the options count more. 0 or -1. */
int tf_gate_args_apply(const struct tf_gate_args *a, const struct tf_gate_config *config, const struct tf_session *s, struct tf_gate *g,
		       struct tf_gate_settings *settings, struct tf_error *err);

/* Whether each fact of `--env` is KEY=VALUE, in one line and without spaces. 0, or -1: TF_EUSAGE. */
int tf_facts_check(const struct tf_list_arg *facts, struct tf_error *err);

/* Today in UTC, "2026-12-07". Static. */
const char *tf_today(void);

#endif
