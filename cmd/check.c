/* tfprof check: the gate for CI. */
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/target.h"
#include "lib/render/render.h"

struct args {
	const char *db, *min_steps, *alpha, *min_effect, *inconclusive, *junit;
	struct tf_list_arg max, min, regress, baseline;
	bool json, allow_env, accept_inferred;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"max", 0, TF_OPT_LIST, "METRIC=V", "fail above V (20ms, 5%, 512MiB)", offsetof(struct args, max)},
	{"min", 0, TF_OPT_LIST, "METRIC=V", "fail below V", offsetof(struct args, min)},
	{"baseline", 0, TF_OPT_LIST, "FILE|SELECTOR", "compare with a `report --json` document, a path or a session",
	 offsetof(struct args, baseline)},
	{"max-regress", 0, TF_OPT_LIST, "METRIC=5%+ABS", "allowances against the baseline", offsetof(struct args, regress)},
	{"min-steps", 0, TF_OPT_TEXT, "N", "steady steps that figures of steps need (default 5)", offsetof(struct args, min_steps)},
	{"alpha", 0, TF_OPT_TEXT, "P", "level of significance over all metrics (default 0.05)", offsetof(struct args, alpha)},
	{"min-effect", 0, TF_OPT_TEXT, "SHARE", "test whether steps are worse by more than this share of the baseline",
	 offsetof(struct args, min_effect)},
	{"allow-env", 0, TF_OPT_FLAG, NULL, "compare with a baseline from other machines or another framework",
	 offsetof(struct args, allow_env)},
	{"accept-inferred", 0, TF_OPT_FLAG, NULL, "judge steps that only a repeated event marks",
	 offsetof(struct args, accept_inferred)},
	{"inconclusive", 0, TF_OPT_TEXT, "HOW", "exit status of an inconclusive verdict: pass or warn 0, fail 1 (default 5)",
	 offsetof(struct args, inconclusive)},
	{"json", 'j', TF_OPT_FLAG, NULL, "one JSON document (schemas/check.schema.json)", offsetof(struct args, json)},
	{"junit", 0, TF_OPT_TEXT, "FILE", "write JUnit XML too; - is stdout", offsetof(struct args, junit)},
	{0}};

static int add_rules(const struct args *a, struct tf_gate *g, struct tf_error *err)
{
	const struct {
		const struct tf_list_arg *list;
		enum tf_check_kind kind;
	} lists[] = {{&a->max, TF_CHECK_MAX}, {&a->min, TF_CHECK_MIN}, {&a->regress, TF_CHECK_REGRESS}};

	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < lists[k].list->count; i++)
			if (tf_gate_add(g, lists[k].kind, lists[k].list->items[i], err) < 0)
				return -1;
	if (a->baseline.count && a->regress.count == 0 && tf_gate_add_default(g, err) < 0)
		return -1;
	if (a->regress.count && a->baseline.count == 0)
		return tf_fail(err, TF_EUSAGE, "'--max-regress' needs a '--baseline'");
	if (g->rule_count == 0) {
		tf_fail(err, TF_EUSAGE, "nothing to check");
		tf_hint(err, "give limits ('--max METRIC=V', '--min METRIC=V') or a '--baseline'");
		return -1;
	}
	return 0;
}

/* A share above 0, or from 0 where that is one, and below 1; `otherwise` if it was not given. */
static int read_share(const char *option, const char *text, double otherwise, bool zero, double *to, struct tf_error *err)
{
	struct tf_error why = {0};

	*to = otherwise;
	if (!text)
		return 0;
	if (tf_parse_quantity(text, TF_UNIT_RATIO, to, &why) == 0 && *to < 1 && (*to > 0 || (zero && *to == 0)))
		return 0;
	tf_fail(err, TF_EUSAGE, "option '--%s' needs a share %s 0 and below 1, not '%s'", option, zero ? "from" : "above", text);
	tf_hint(err, "'5%%' and '0.05' are the same");
	return -1;
}

/* What was asked for, before anything is loaded: a usage error outweighs all others. */
static int read_args(const struct args *a, struct tf_gate *g, struct tf_error *err)
{
	static const char *const hows[] = {"pass", "warn", "fail"};
	size_t how = 0;

	while (a->inconclusive && how < 3 && strcmp(a->inconclusive, hows[how]) != 0)
		how++;
	if (how == 3)
		return tf_fail(err, TF_EUSAGE, "option '--inconclusive' does not know '%s'", a->inconclusive);
	if (a->json && a->junit && strcmp(a->junit, "-") == 0)
		return tf_fail(err, TF_EUSAGE, "both '--json' and '--junit -' write to stdout");
	if (a->baseline.count > 1)
		return tf_fail(err, TF_EUSAGE, "one baseline at a time, not '%s' too", a->baseline.items[1]);
	g->min_steps = TF_GATE_MIN_STEPS;
	if (a->min_steps && (!tf_parse_i64(a->min_steps, &g->min_steps) || g->min_steps < 1))
		return tf_fail(err, TF_EUSAGE, "option '--min-steps' needs a whole number from 1, not '%s'", a->min_steps);
	if (read_share("alpha", a->alpha, TF_GATE_ALPHA, false, &g->alpha, err) < 0
	    || read_share("min-effect", a->min_effect, 0, true, &g->min_effect, err) < 0)
		return -1;
	g->allow_env = a->allow_env;
	g->accept_inferred = a->accept_inferred;
	return add_rules(a, g, err);
}

/* A baseline is a report's document, else whatever a report can be made of. */
static int load_baseline(const char *db, const char *what, struct tf_session *s, struct tf_error *err)
{
	struct tf_error not_a_report = {0};

	if (access(what, F_OK) != 0)
		return tf_load_target(db, what, NULL, s, err);
	if (tf_report_read(what, s, &not_a_report) == 0)
		return 0;
	tf_session_release(s);
	if (tf_load_target(db, what, NULL, s, err) == 0)
		return 0;
	*err = not_a_report;
	return tf_wrap(err, "baseline");
}

/* Of several errors the one whose status weighs more is told: 2, 4, 3. */
static int weight(const struct tf_error *err)
{
	int status = tf_exit_status(err->code);
	return status == 2 ? INT_MAX : status;
}

/* A baseline that is the session itself could only pass. A report saved as JSON is another matter: it tells what was then. */
static bool is_itself(const char *what, const struct tf_session *now, const char *baseline, const struct tf_session *before)
{
	struct stat a, b;
	bool is_path = what && stat(what, &a) == 0, other_is_path = stat(baseline, &b) == 0;

	if (is_path || other_is_path)
		return is_path && other_is_path && a.st_dev == b.st_dev && a.st_ino == b.st_ino && !S_ISFIFO(a.st_mode);
	return now->id == before->id && strcmp(now->run, before->run) == 0;
}

static int load_sides(const struct args *a, const char *what, struct tf_session *now, struct tf_session *before,
		      struct tf_error *err)
{
	struct tf_error other = {0};
	int rc = tf_load_target(a->db, what, NULL, now, err);

	if (a->baseline.count && load_baseline(a->db, a->baseline.items[0], before, &other) < 0) {
		if (rc == 0 || weight(&other) > weight(err))
			*err = other;
		rc = -1;
	}
	if (rc == 0 && a->baseline.count && is_itself(what, now, a->baseline.items[0], before)) {
		rc = tf_fail(err, TF_EUSAGE, "the baseline '%s' is the session itself", a->baseline.items[0]);
		tf_hint(err, "'--baseline latest~1' is the session before the latest");
	}
	return rc;
}

static int write_junit(const char *path, const struct tf_verdict *v, struct tf_error *err)
{
	FILE *to = tf_output_open(path, err);
	return to ? tf_output_close(to, path, tf_render_check_junit(to, v, err), err) : -1;
}

/* Text or JSON to stdout, JUnit where it was asked for. */
static int write_verdict(const struct args *a, const struct tf_verdict *v, struct tf_error *err)
{
	if (a->junit && write_junit(a->junit, v, err) < 0)
		return -1;
	if (a->junit && strcmp(a->junit, "-") == 0)
		return 0;
	return (a->json ? tf_render_check_json : tf_render_check_text)(stdout, v, err);
}

static int status_of(const struct tf_verdict *v, const char *inconclusive)
{
	if (v->verdict != TF_INCONCLUSIVE)
		return v->verdict == TF_FAIL;
	if (inconclusive && strcmp(inconclusive, "warn") == 0)
		fputs("tfprof check: the verdict is inconclusive\n", stderr);
	return !inconclusive ? 5 : strcmp(inconclusive, "fail") == 0;
}

static int judge(const struct args *a, const struct tf_gate *g, const char *what, struct tf_error *err)
{
	struct tf_session now = {0}, before = {0};
	struct tf_verdict v = {.lenient = a->inconclusive && strcmp(a->inconclusive, "fail") != 0};
	int status = 0;

	if (load_sides(a, what, &now, &before, err) == 0
	    && tf_gate_judge(g, &now, a->baseline.count ? &before : NULL, &v, err) == 0 && write_verdict(a, &v, err) == 0)
		status = status_of(&v, a->inconclusive);
	tf_arena_release(&v.arena);
	tf_session_release(&now);
	tf_session_release(&before);
	return status;
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	struct tf_gate gate = {0};
	int status = 0;

	if (count > 1)
		return tf_fail(err, TF_EUSAGE, "one session or path at a time, not '%s' too", operands[1]);
	if (read_args(a, &gate, err) == 0)
		status = judge(a, &gate, count ? operands[0] : NULL, err);
	tf_gate_release(&gate);
	return status;
}

const struct tf_cmd tf_cmd_check = {
	.name = "check",
	.synopsis = "[OPTION]… [SELECTOR|PATH]",
	.summary = "the CI gate: limits, and regressions against a baseline",
	.help = "Exit status: 0 pass, 1 fail, 2 usage, 3 no readable data, 4 system error, 5 inconclusive.\n"
		"A regression is worse by more than the relative and the absolute allowance ('5%+0.1ms', '5%', '+0.1ms');\n"
		"METRIC:up or METRIC:down says what is worse where METRIC does not. '--baseline' alone gates\n"
		"step_time_ms.mean=5%+0.1ms, memory.peak_bytes=1%+16MiB, input.exposed_share=+0.05 and\n"
		"device.idle_ratio.mean=+0.05. Means and medians of step times, parts of steps and input shares fail only if the\n"
		"steps of both sides differ significantly (--alpha); what may be noise is inconclusive.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
