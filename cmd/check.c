/* tfprof check: the gate for CI. */
#include <stddef.h>
#include <string.h>

#include "cmd/gate_args.h"
#include "cmd/gate_sides.h"
#include "cmd/verdict_outputs.h"
#include "lib/render/render.h"

struct args {
	struct tf_gate_args gate;
	struct tf_verdict_outputs outputs;
	const char *db, *inconclusive;
	struct tf_list_arg baseline, facts;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"baseline", 0, TF_OPT_LIST, "FILE|NAME|SELECTOR",
	 "compare with a `report --json` document, a named baseline or a session; several are runs",
	 offsetof(struct args, baseline)},
	{"env", 0, TF_OPT_LIST, "KEY=VALUE", "what no capture tells of the environment (batch=64), to find a named baseline",
	 offsetof(struct args, facts)},
	TF_GATE_OPTIONS(offsetof(struct args, gate)),
	{"inconclusive", 0, TF_OPT_TEXT, "HOW", "exit status of an inconclusive verdict: pass or warn 0, fail 1 (default 5)",
	 offsetof(struct args, inconclusive)},
	TF_VERDICT_OPTIONS(offsetof(struct args, outputs)),
	{0}};

/* One check, from the options to the verdict. Zeroed is empty. */
struct job {
	const struct args *args;
	struct tf_gate_config *config;
	struct tf_gate gate;
	struct tf_gate_settings settings;
	struct tf_side_runs now, baseline;
	struct tf_verdict verdict;
	const char *inconclusive;
	struct tf_arena arena;
};

/* What was asked for, before anything is loaded: a usage error outweighs all others. */
static int read_args(struct job *j, struct tf_error *err)
{
	static const char *const hows[] = {"pass", "warn", "fail"};
	const struct args *a = j->args;
	size_t how = 0;

	while (a->inconclusive && how < 3 && strcmp(a->inconclusive, hows[how]) != 0)
		how++;
	if (how == 3)
		return tf_fail(err, TF_EUSAGE, "option '--inconclusive' does not know '%s'", a->inconclusive);
	if (tf_verdict_outputs_check(&a->outputs, err) < 0 || tf_facts_check(&a->facts, err) < 0
	    || tf_gate_args_read(&a->gate, &j->config, err) < 0)
		return -1;
	if (j->config)
		return 0;
	if (a->gate.regress.count && a->baseline.count == 0)
		return tf_fail(err, TF_EUSAGE, "'--max-regress' needs a '--baseline'");
	if (a->gate.max.count + a->gate.min.count + a->baseline.count == 0) {
		tf_fail(err, TF_EUSAGE, "nothing to check");
		tf_hint(err, "give limits ('--max METRIC=V', '--min METRIC=V'), a '--baseline' or a '--config'");
		return -1;
	}
	return 0;
}

/* The gate for what was loaded; a baseline without allowances means the default ones. */
static int make_gate(struct job *j, struct tf_error *err)
{
	const struct tf_session *s = j->now.count ? &j->now.list[0] : NULL;
	bool compares = false;

	if (tf_gate_args_apply(&j->args->gate, j->config, s, &j->gate, &j->settings, err) < 0)
		return -1;
	if (j->args->baseline.count) {
		j->settings.baselines = j->args->baseline.items;
		j->settings.baseline_count = j->args->baseline.count;
	}
	j->inconclusive = j->args->inconclusive ? j->args->inconclusive : j->settings.inconclusive;
	for (size_t i = 0; i < j->gate.rule_count; i++)
		compares |= j->gate.rules[i].kind == TF_CHECK_REGRESS;
	if (j->settings.baseline_count && !compares && tf_gate_add_default(&j->gate, err) < 0)
		return -1;
	if (j->gate.rule_count)
		return 0;
	tf_fail(err, TF_EUSAGE, "nothing to check");
	tf_hint(err, "the configuration has no limits here, and no baseline");
	return -1;
}

/* Loads both sides. Of several errors the one that weighs most is told. */
static int load(struct job *j, const char **operands, size_t count, struct tf_error *err)
{
	const struct tf_list_arg *facts = &j->args->facts;
	struct tf_error worst = {0}, other = {0};

	for (size_t i = 0; i < (count ? count : 1); i++) {
		other = (struct tf_error){0};
		if (tf_side_add_target(&j->now, j->args->db, count ? operands[i] : NULL, &other) < 0)
			tf_error_weigh(&worst, &other);
	}
	other = (struct tf_error){0};
	if (make_gate(j, &other) < 0)
		tf_error_weigh(&worst, &other);
	j->gate.env_key = j->now.count ? tf_environment_key(&j->now.list[0], facts->items, facts->count, &j->arena) : NULL;
	const struct tf_side_key key = {j->gate.env_key, &j->gate.baseline_env_key, &j->arena};
	for (size_t i = 0; i < j->settings.baseline_count; i++) {
		other = (struct tf_error){0};
		if (tf_side_add_baseline(&j->baseline, j->args->db, j->settings.baselines[i], &key, &other) < 0)
			tf_error_weigh(&worst, &other);
	}
	if (worst.code != TF_OK) {
		*err = worst;
		return -1;
	}
	return tf_sides_differ(&j->now, &j->baseline, err);
}

static int status_of(const struct tf_verdict *v, const char *inconclusive)
{
	if (v->verdict != TF_INCONCLUSIVE)
		return v->verdict == TF_FAIL;
	if (inconclusive && strcmp(inconclusive, "warn") == 0)
		fputs("tfprof check: the verdict is inconclusive\n", stderr);
	return !inconclusive ? 5 : strcmp(inconclusive, "fail") == 0;
}

static int judge(struct job *j, struct tf_error *err)
{
	const struct tf_runs now = {j->now.list, j->now.count}, baseline = {j->baseline.list, j->baseline.count};

	j->verdict.lenient = j->inconclusive && strcmp(j->inconclusive, "fail") != 0;
	if (tf_gate_judge_runs(&j->gate, now, baseline, &j->verdict, err) < 0 || tf_verdict_write(&j->args->outputs, &j->verdict, err) < 0)
		return -1;
	return status_of(&j->verdict, j->inconclusive);
}

/* `check calibrate RUN…`: allowances from repeats of unchanged code. */
static int calibrate(struct job *j, const char **operands, size_t count, struct tf_error *err)
{
	const struct tf_gate_args *a = &j->args->gate;
	struct tf_calibration out = {0};
	bool compares = false;
	int rc = -1;

	if (count < TF_CALIBRATION_RUNS)
		return tf_fail(err, TF_EUSAGE, "'check calibrate' needs %d runs or more, not %zu", TF_CALIBRATION_RUNS, count);
	if (tf_gate_args_read(a, &j->config, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (tf_side_add_target(&j->now, j->args->db, operands[i], err) < 0)
			return -1;
	if (tf_sides_differ(&j->now, &j->baseline, err) < 0
	    || tf_gate_args_apply(a, j->config, j->now.list, &j->gate, &j->settings, err) < 0)
		return -1;
	for (size_t i = 0; i < j->gate.rule_count; i++)
		compares |= j->gate.rules[i].kind == TF_CHECK_REGRESS;
	if (compares || tf_gate_add_default(&j->gate, err) == 0)
		rc = tf_gate_calibrate(&j->gate, (struct tf_runs){j->now.list, j->now.count}, &out, err);
	if (rc == 0)
		rc = tf_render_calibration(stdout, &out, err);
	tf_arena_release(&out.arena);
	return rc;
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	struct job j = {.args = args};
	int status = 0;

	if (count && strcmp(operands[0], "calibrate") == 0)
		status = calibrate(&j, operands + 1, count - 1, err);
	else if (read_args(&j, err) == 0 && load(&j, operands, count, err) == 0)
		status = judge(&j, err);
	tf_arena_release(&j.verdict.arena);
	tf_side_release(&j.now);
	tf_side_release(&j.baseline);
	tf_gate_release(&j.gate);
	tf_gate_config_close(j.config);
	tf_arena_release(&j.arena);
	return status;
}

const struct tf_cmd tf_cmd_check = {
	.name = "check",
	.synopsis = "[OPTION]… [SELECTOR|PATH]… | calibrate [OPTION]… SELECTOR|PATH…",
	.summary = "the CI gate: limits, and regressions against a baseline",
	.help = "Exit status: 0 pass, 1 fail, 2 usage, 3 no readable data, 4 system error, 5 inconclusive.\n"
		"A regression is worse by more than the relative and the absolute allowance ('5%+0.1ms', '5%', '+0.1ms');\n"
		"METRIC:up or METRIC:down says what is worse where METRIC does not. '--baseline' alone gates\n"
		"step_time_ms.mean=5%+0.1ms, memory.peak_bytes=1%+16MiB, input.exposed_share=+0.05 and\n"
		"device.idle_ratio.mean=+0.05. Means and medians of step times, parts of steps and input shares fail only if the\n"
		"steps of both sides differ significantly (--alpha); what may be noise is inconclusive. Several runs a side are\n"
		"compared as runs. `check calibrate` prints the allowances that three or more unchanged runs ask for.\n"
		"tfprof.json, its keys and recipes for CI: cmd/GATE.md.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
