/* The gate from options and configuration. */
#include "cmd/gate_args.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* Looked for where nothing is named. */
#define CONFIG_FILE "tfprof.json"

const char *tf_today(void)
{
	static char text[16];
	time_t now = time(NULL);
	struct tm utc;

	return gmtime_r(&now, &utc) && strftime(text, sizeof text, "%Y-%m-%d", &utc) ? text : "9999-12-31";
}

int tf_facts_check(const struct tf_list_arg *facts, struct tf_error *err)
{
	for (size_t i = 0; i < facts->count; i++) {
		const char *text = facts->items[i], *equals = strchr(text, '=');
		bool plain = true;
		for (const char *p = text; *p; p++)
			plain &= (unsigned char)*p > ' ';
		if (!equals || equals == text || !equals[1] || !plain)
			return tf_fail(err, TF_EUSAGE, "option '--env' needs KEY=VALUE without spaces, not '%s'", text);
	}
	return 0;
}

/* A share above 0, or from 0 where that is one, and below 1; unchanged if it was not given. */
static int read_share(const char *option, const char *text, bool zero, double *to, struct tf_error *err)
{
	struct tf_error why = {0};

	if (!text)
		return 0;
	if (tf_parse_quantity(text, TF_UNIT_RATIO, to, &why) == 0 && *to < 1 && (*to > 0 || (zero && *to == 0)))
		return 0;
	tf_fail(err, TF_EUSAGE, "option '--%s' needs a share %s 0 and below 1, not '%s'", option, zero ? "from" : "above", text);
	tf_hint(err, "'5%%' and '0.05' are the same");
	return -1;
}

static int add_rules(const struct tf_gate_args *a, struct tf_gate *g, struct tf_error *err)
{
	const struct {
		const struct tf_list_arg *list;
		enum tf_check_kind kind;
	} lists[] = {{&a->max, TF_CHECK_MAX}, {&a->min, TF_CHECK_MIN}, {&a->regress, TF_CHECK_REGRESS}};

	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < lists[k].list->count; i++)
			if (tf_gate_add(g, lists[k].kind, lists[k].list->items[i], err) < 0)
				return -1;
	return 0;
}

static int put_options(const struct tf_gate_args *a, struct tf_gate *g, struct tf_error *err)
{
	if (a->now && !tf_date_valid(a->now))
		return tf_fail(err, TF_EUSAGE, "option '--now' needs a day (YYYY-MM-DD), not '%s'", a->now);
	if (a->min_steps && (!tf_parse_i64(a->min_steps, &g->min_steps) || g->min_steps < 1))
		return tf_fail(err, TF_EUSAGE, "option '--min-steps' needs a whole number from 1, not '%s'", a->min_steps);
	if (read_share("alpha", a->alpha, false, &g->alpha, err) < 0
	    || read_share("min-effect", a->min_effect, true, &g->min_effect, err) < 0)
		return -1;
	g->allow_env |= a->allow_env;
	g->accept_inferred |= a->accept_inferred;
	return add_rules(a, g, err);
}

int tf_gate_args_read(const struct tf_gate_args *a, struct tf_gate_config **config, struct tf_error *err)
{
	struct tf_gate trial = {0};
	int rc = put_options(a, &trial, err);

	tf_gate_release(&trial);
	*config = NULL;
	if (rc == 0 && (a->config || access(CONFIG_FILE, F_OK) == 0))
		rc = tf_gate_config_open(config, a->config ? a->config : CONFIG_FILE, err);
	return rc;
}

int tf_gate_args_apply(const struct tf_gate_args *a, const struct tf_gate_config *config, const struct tf_session *s, struct tf_gate *g,
		       struct tf_gate_settings *settings, struct tf_error *err)
{
	*settings = (struct tf_gate_settings){0};
	g->min_steps = TF_GATE_MIN_STEPS;
	g->alpha = TF_GATE_ALPHA;
	g->today = a->now ? a->now : tf_today();
	if (config && tf_gate_config_apply(config, a->branch, s, g, settings, err) < 0)
		return -1;
	return put_options(a, g, err);
}
