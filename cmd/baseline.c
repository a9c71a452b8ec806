/* tfprof baseline: named baselines in the store. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/gate_args.h"
#include "cmd/gate_sides.h"
#include "lib/render/render.h"
#include "lib/store/baselines.h"

struct args {
	struct tf_gate_args gate;
	const char *db, *name, *reason, *environment;
	struct tf_list_arg facts;
	bool json;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"name", 0, TF_OPT_TEXT, "NAME", "of the baseline", offsetof(struct args, name)},
	{"reason", 0, TF_OPT_TEXT, "TEXT", "why another one replaces it (promote)", offsetof(struct args, reason)},
	{"env", 0, TF_OPT_LIST, "KEY=VALUE", "what no capture tells of the environment (batch=64)", offsetof(struct args, facts)},
	{"environment", 0, TF_OPT_TEXT, "TEXT", "only the baseline for this environment, as list prints it (rm)",
	 offsetof(struct args, environment)},
	{"json", 'j', TF_OPT_FLAG, NULL, "an array of objects (list, show)", offsetof(struct args, json)},
	TF_GATE_OPTIONS(offsetof(struct args, gate)),
	{0}};

/* One baseline in the making. Zeroed is empty. */
struct job {
	const struct args *args;
	struct tf_gate_config *config;
	struct tf_gate gate;
	struct tf_side_runs runs;
	struct tf_verdict verdict;
	struct tf_arena arena;
	struct tf_baseline baseline;
	char **reports; /* of the runs */
};

/* Limits hold for a baseline too; that it is worse than another one is what promoting it is for. */
static int keep_limits(struct job *j, struct tf_error *err)
{
	struct tf_gate *g = &j->gate;
	size_t kept = 0;

	for (size_t i = 0; i < g->rule_count; i++)
		if (g->rules[i].kind != TF_CHECK_REGRESS)
			g->rules[kept++] = g->rules[i];
	g->rule_count = kept;
	/* A limit that nothing breaks asks for enough steady steps. */
	for (size_t i = 0; i < j->runs.count; i++)
		if (j->runs.list[i].name)
			return tf_gate_add(g, TF_CHECK_MAX, "step_time_ms.median=1e300", err);
	return 0;
}

/* Why the sessions are not fit for a baseline. Returns the exit status, 0 if they are; -1 with `err` filled. */
static int refuse(const struct tf_verdict *v, struct tf_error *err)
{
	for (size_t i = 0; i < v->check_count; i++) {
		const struct tf_check *c = &v->checks[i];
		if (c->verdict != v->verdict)
			continue;
		tf_fail(err, TF_EINCONCLUSIVE, "not fit for a baseline: %s: %s%s%s%s", c->rule.metric, c->reason, c->detail ? " (" : "",
			c->detail ? c->detail : "", c->detail ? ")" : "");
		break;
	}
	if (v->verdict == TF_INCONCLUSIVE)
		return -1;
	tf_complain("baseline", err);
	*err = (struct tf_error){0};
	return 1;
}

static int judge(struct job *j, struct tf_error *err)
{
	struct tf_gate_settings settings;
	const struct tf_runs runs = {j->runs.list, j->runs.count};

	for (size_t i = 0; i < runs.count; i++)
		if ((runs.list[i].name && !runs.list[i].complete) || runs.list[i].damaged_events)
			return tf_fail(err, TF_EINCONCLUSIVE, "not fit for a baseline: '%s' is incomplete", runs.list[i].run);
	if (tf_gate_args_apply(&j->args->gate, j->config, runs.list, &j->gate, &settings, err) < 0 || keep_limits(j, err) < 0)
		return -1;
	if (j->gate.rule_count == 0)
		return 0;
	if (tf_gate_judge_runs(&j->gate, runs, (struct tf_runs){0}, &j->verdict, err) < 0)
		return -1;
	return j->verdict.verdict == TF_PASS ? 0 : refuse(&j->verdict, err);
}

/* The report of a run, as much of it as the gate reads back; freed by the caller. NULL on failure. */
static char *report_of(const struct tf_session *s, size_t *len, struct tf_error *err)
{
	static const char *const sections[] = {"metrics", "steps", "devices", NULL};
	const struct tf_report_options o = {.sections = sections};
	char *text = NULL;
	FILE *to = open_memstream(&text, len);
	int rc = to ? tf_render_report_json(to, s, &o, err) : tf_fail_nomem(err);

	if (to && fclose(to) != 0 && rc == 0)
		rc = tf_fail_nomem(err);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

static int describe_runs(struct job *j, struct tf_error *err)
{
	const struct tf_list_arg *facts = &j->args->facts;
	struct tf_baseline *b = &j->baseline;

	*b = (struct tf_baseline){.name = j->args->name, .saved_on = j->args->gate.now ? j->args->gate.now : tf_today(),
				  .reason = j->args->reason, .run_count = j->runs.count,
				  .runs = tf_arena_array(&j->arena, j->runs.count, sizeof *b->runs)};
	j->reports = calloc(j->runs.count, sizeof *j->reports);
	if (!b->runs || !j->reports)
		return tf_fail_nomem(err);
	for (size_t i = 0; i < j->runs.count; i++) {
		const struct tf_session *s = &j->runs.list[i];
		const char *key = tf_environment_key(s, facts->items, facts->count, &j->arena);
		size_t len;
		b->runs[i].label = tf_arena_printf(&j->arena, "%s%s%s", s->run, s->name ? "/" : "", s->name ? s->name : "");
		if (!key || !b->runs[i].label)
			return tf_fail_nomem(err);
		if (b->environment && strcmp(b->environment, key) != 0)
			return tf_fail(err, TF_EINCONCLUSIVE, "runs of two environments: %s and %s", b->environment, key);
		b->environment = key;
		if (!(j->reports[i] = report_of(s, &len, err)))
			return -1;
		b->runs[i].report = (struct tf_bytes){(const uint8_t *)j->reports[i], len};
	}
	return 0;
}

static int store_baseline(struct job *j, bool promote, struct tf_error *err)
{
	struct tf_store *store = NULL;
	struct tf_error closing = {0};

	if (tf_store_open(&store, tf_db_path(j->args->db), TF_STORE_WRITE, err) < 0)
		return -1;
	int rc = tf_store_save_baseline(store, &j->baseline, promote, err);
	if (tf_store_close(store, &closing) < 0 && rc == 0) {
		*err = closing;
		rc = -1;
	}
	return rc;
}

static int load_runs(struct job *j, const char **operands, size_t count, struct tf_error *err)
{
	const struct tf_side_runs none = {0};

	for (size_t i = 0; i < (count ? count : 1); i++)
		if (tf_side_add_target(&j->runs, j->args->db, count ? operands[i] : NULL, err) < 0)
			return -1;
	return tf_sides_differ(&j->runs, &none, err);
}

static int save(const struct args *a, bool promote, const char **operands, size_t count, struct tf_error *err)
{
	struct job j = {.args = a};
	int status = -1;

	if (!a->name || !*a->name)
		return tf_fail(err, TF_EUSAGE, "a baseline needs a '--name'");
	if (promote && (!a->reason || !a->reason[strspn(a->reason, " \t\n")]))
		return tf_fail(err, TF_EUSAGE, "'baseline promote' needs a '--reason'");
	if (tf_facts_check(&a->facts, err) == 0 && tf_gate_args_read(&a->gate, &j.config, err) == 0
	    && load_runs(&j, operands, count, err) == 0 && (status = judge(&j, err)) == 0 && describe_runs(&j, err) == 0)
		status = store_baseline(&j, promote, err);
	for (size_t i = 0; j.reports && i < j.runs.count; i++)
		free(j.reports[i]);
	free(j.reports);
	tf_arena_release(&j.verdict.arena);
	tf_arena_release(&j.arena);
	tf_side_release(&j.runs);
	tf_gate_release(&j.gate);
	tf_gate_config_close(j.config);
	return status;
}

static int list(const struct args *a, const char *name, struct tf_error *err)
{
	const struct tf_table_format *format = tf_table_format_find(a->json ? "json" : "table");
	struct tf_error ending = {0};
	struct tf_row_receiver to;
	struct tf_store *store;

	if (tf_store_open(&store, tf_db_path(a->db), TF_STORE_READ, err) < 0)
		return -1;
	if (format->begin(stdout, &to, err) == 0) {
		int rc = tf_store_list_baselines(store, name, &to, err);
		if (format->end(&to, &ending) < 0 && rc == 0)
			*err = ending;
	}
	tf_store_close(store, &ending);
	return 0;
}

static int drop(const struct args *a, const char *name, struct tf_error *err)
{
	struct tf_error closing;
	struct tf_store *store;

	if (tf_store_open(&store, tf_db_path(a->db), TF_STORE_WRITE, err) < 0)
		return -1;
	int rc = tf_store_drop_baseline(store, name, a->environment, err);
	if (tf_store_close(store, &closing) < 0 && rc == 0)
		*err = closing;
	return 0;
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	const char *verb = count ? operands[0] : "", *name = a->name ? a->name : count > 1 ? operands[1] : NULL;

	if (strcmp(verb, "save") == 0 || strcmp(verb, "promote") == 0)
		return save(a, *verb == 'p', operands + 1, count - 1, err);
	if (count > 2 || (a->name && count > 1))
		return tf_fail(err, TF_EUSAGE, "one baseline at a time, not '%s' too", operands[count - 1]);
	if (strcmp(verb, "list") == 0)
		return list(a, name, err);
	if (strcmp(verb, "show") != 0 && strcmp(verb, "rm") != 0)
		return tf_fail(err, TF_EUSAGE, "no '%s': save, promote, list, show or rm", verb);
	if (!name)
		return tf_fail(err, TF_EUSAGE, "'baseline %s' needs a name", verb);
	return (*verb == 's' ? list : drop)(a, name, err);
}

const struct tf_cmd tf_cmd_baseline = {
	.name = "baseline",
	.synopsis = "save|promote|list|show|rm [OPTION]… [SELECTOR|PATH]…",
	.summary = "named baselines for check, one for each environment",
	.help = "save keeps the reports of sessions (several are runs of unchanged code) under a name, for the environment that they ran\n"
		"in: hosts, devices and their models, framework, and what --env says. promote --reason TEXT replaces one that is there\n"
		"and keeps the old one in the history, which show lists. A session that is incomplete, has too few steady steps or\n"
		"breaks a limit (--max, --min, tfprof.json) is refused: 5, or 1 for a limit. `check --baseline NAME` uses them.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
