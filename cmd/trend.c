/* tfprof trend: a metric over the sessions of a store, and where it changes. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/cmd.h"
#include "cmd/output.h"
#include "lib/analyze/gate.h"
#include "lib/analyze/metric_names.h"
#include "lib/render/trend_out.h"
#include "lib/store/store.h"

struct args {
	const char *db, *run, *alpha, *min_size, *min_effect, *output;
	int64_t last;
	bool json, fail, allow_env;
};

static const struct tf_opt options[] = {
	{"db", 0, TF_OPT_TEXT, "FILE", "the store (default: $TFPROF_DB, else tfprof.db)", offsetof(struct args, db)},
	{"run", 0, TF_OPT_TEXT, "GLOB", "only sessions of runs whose name matches", offsetof(struct args, run)},
	{"last", 0, TF_OPT_I64, "N", "only the last N sessions (0: all)", offsetof(struct args, last)},
	{"fail-on-regression", 0, TF_OPT_FLAG, NULL, "exit 1 if the last change made it worse, 5 if that cannot be told",
	 offsetof(struct args, fail)},
	{"alpha", 0, TF_OPT_TEXT, "P", "level of significance of a change (default 0.05)", offsetof(struct args, alpha)},
	{"min-size", 0, TF_OPT_TEXT, "N", "sessions between two changes at least (default 3)", offsetof(struct args, min_size)},
	{"min-effect", 0, TF_OPT_TEXT, "SHARE", "a change up to this share of the level before is no regression",
	 offsetof(struct args, min_effect)},
	{"allow-env", 0, TF_OPT_FLAG, NULL, "judge a change with which machines or framework changed too",
	 offsetof(struct args, allow_env)},
	{"json", 'j', TF_OPT_FLAG, NULL, "one JSON document (schemas/trend.schema.json)", offsetof(struct args, json)},
	{"output", 'o', TF_OPT_TEXT, "FILE", "write there instead of stdout", offsetof(struct args, output)},
	{0}};

/* A share from 0 (above it, unless `zero`) and below 1. */
static int read_share(const char *option, const char *text, bool zero, double *to, struct tf_error *err)
{
	struct tf_error why = {0};
	double value = 0;

	if (!text)
		return 0;
	if (tf_parse_quantity(text, TF_UNIT_RATIO, &value, &why) < 0 || !(value < 1 && (value > 0 || (zero && value == 0))))
		return tf_fail(err, TF_EUSAGE, "option '--%s' needs a share %s 0 and below 1, not '%s'", option, zero ? "from" : "above",
			       text);
	*to = value;
	return 0;
}

/* The metric's name without the direction, which is the metric's own or the one typed. */
static int read_metric(const struct args *a, char *name, struct tf_trend_view *v, struct tf_trend_options *o, struct tf_error *err)
{
	enum tf_worse typed = tf_metric_take_direction(name);

	if (!tf_metric_known(name, &v->unit, &o->worse)) {
		tf_fail(err, TF_EUSAGE, "no metric '%s'", name);
		tf_metric_suggest(name, err);
		return -1;
	}
	if (typed != TF_WORSE_NONE && o->worse != TF_WORSE_NONE && typed != o->worse)
		return tf_fail(err, TF_EUSAGE, "%s is worse for '%s'", o->worse == TF_WORSE_UP ? "up" : "down", name);
	o->worse = o->worse == TF_WORSE_NONE ? typed : o->worse;
	v->metric = name;
	if (a->fail && o->worse == TF_WORSE_NONE) {
		tf_fail(err, TF_EUSAGE, "neither direction of '%s' is worse", name);
		tf_hint(err, "say which: '%s:up' or '%s:down'", name, name);
		return -1;
	}
	return 0;
}

static int read_args(const struct args *a, char *name, struct tf_trend_view *v, struct tf_trend_options *o, struct tf_error *err)
{
	int64_t size = TF_TREND_MIN_SIZE;

	*o = (struct tf_trend_options){.find.alpha = TF_GATE_ALPHA, .allow_env = a->allow_env};
	if (a->min_size && (!tf_parse_i64(a->min_size, &size) || size < 2))
		return tf_fail(err, TF_EUSAGE, "option '--min-size' needs a whole number from 2, not '%s'", a->min_size);
	o->find.min_size = (size_t)size;
	if (read_share("alpha", a->alpha, false, &o->find.alpha, err) < 0
	    || read_share("min-effect", a->min_effect, true, &o->min_effect, err) < 0)
		return -1;
	return read_metric(a, name, v, o, err);
}

/* Whether the environment promises UTF-8. */
static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = getenv(names[i]);
		const char *dot = value ? strrchr(value, '.') : NULL;
		if (value && *value)
			return dot && (strncasecmp(dot, ".UTF-8", 6) == 0 || strncasecmp(dot, ".utf8", 5) == 0);
	}
	return false;
}

static int write_trend(const struct args *a, const struct tf_metric_trend *t, struct tf_trend_view *v, struct tf_error *err)
{
	FILE *to = tf_output_open(a->output, err);

	if (!to)
		return -1;
	v->color = to == stdout && tf_color_wanted(stdout);
	v->utf8 = is_utf8();
	return tf_output_close(to, a->output, (a->json ? tf_render_trend_json : tf_render_trend_text)(to, t, v, err), err);
}

static int answer(const struct args *a, const char **selectors, size_t count, struct tf_trend_view *v, struct tf_error *err)
{
	struct tf_history_query q = {selectors, count, a->run, (size_t)a->last, tf_metric_is_scalar(v->metric)};
	struct tf_store *store = NULL;
	struct tf_arena arena = {0};
	struct tf_target *targets;
	struct tf_trend_point *points;
	struct tf_metric_trend t = {0};
	struct tf_error closing;
	size_t n;
	int status = 0;

	if (tf_store_open(&store, tf_db_path(a->db), TF_STORE_READ, err) < 0
	    || tf_store_list_history(store, &q, &arena, &targets, &n, err) < 0)
		goto out;
	if (n == 0) {
		tf_fail(err, TF_EFORMAT, "no sessions");
		goto out;
	}
	if (tf_store_read_history(store, v->metric, targets, n, &arena, &points, err) < 0
	    || tf_trend_find(points, n, v->options, &arena, &t, err) < 0 || write_trend(a, &t, v, err) < 0)
		goto out;
	if (a->fail)
		status = t.verdict == TF_TREND_REGRESSION ? 1 : t.verdict == TF_TREND_INCONCLUSIVE ? 5 : 0;
out:
	tf_arena_release(&arena);
	tf_store_close(store, &closing);
	return status;
}

static int run(void *args, const char **operands, size_t count, struct tf_error *err)
{
	const struct args *a = args;
	struct tf_trend_options o;
	struct tf_trend_view v = {.options = &o};
	struct tf_arena arena = {0};
	int status = 0;

	if (count == 0) {
		tf_fail(err, TF_EUSAGE, "no metric");
		tf_hint(err, "'tfprof trend step_time_ms.mean' shows that of all sessions");
		return 0;
	}
	char *name = tf_utf8_repair(&arena, tf_bytes_of(operands[0]));
	if (!name)
		tf_fail_nomem(err);
	else if (read_args(a, name, &v, &o, err) == 0)
		status = answer(a, operands + 1, count - 1, &v, err);
	tf_arena_release(&arena);
	return status;
}

const struct tf_cmd tf_cmd_trend = {
	.name = "trend",
	.synopsis = "[OPTION]… METRIC[@HOST] [SELECTOR…]",
	.summary = "a metric over the sessions of a store, and where it changes",
	.help = "Sessions are those that any SELECTOR names (globs too; default: all), by start. Changes are found by E-divisive, with\n"
		"p from permutations; sessions without a value and incomplete ones are shown and not used. METRIC:up or METRIC:down\n"
		"says what is worse where METRIC does not. Exit status with --fail-on-regression: 1 if the last segment is worse than\n"
		"the one before, 5 with fewer than 8 sessions, if the latest is not used or if the environment changed too.",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
