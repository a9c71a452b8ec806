/* Reading tfprof.json: one layer a file, applied in order. */
#include "lib/pipeline/gate_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/analyze/metric_pattern.h"
#include "lib/base/limits.h"
#include "lib/pipeline/config_text.h"
#include "lib/pipeline/gate_layers.h"

/* One file while it is read. */
struct reading {
	struct tf_gate_config *config;
	struct tf_config_layer *layer;
};

#define PUSH(t, list, count, cap) tf_arena_push((t)->arena, (void **)&(list), &(count), &(cap), sizeof *(list))

static int take_nothing(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	(void)to;
	return tf_config_string(t, v) ? 0 : -1;
}

static int take_schema(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	const char *text = tf_config_string(t, v);
	(void)to;
	if (!text)
		return -1;
	if (strcmp(text, "tfprof.config/1") == 0)
		return 0;
	tf_fail(t->err, TF_EUSAGE, "schema '%s' is not known", text);
	tf_hint(t->err, "this program reads 'tfprof.config/1'");
	return tf_config_blame(t, v->raw.data);
}

/* A share below 1, above `least` or that where `zero`. */
static int take_share(struct tf_config_text *t, const struct tf_json_value *v, bool zero, double *to)
{
	const char *text = tf_config_quantity(t, v);

	if (!text)
		return -1;
	if (tf_parse_quantity(text, TF_UNIT_RATIO, to, t->err) == 0 && *to < 1 && (*to > 0 || (zero && *to == 0)))
		return 0;
	tf_fail(t->err, TF_EUSAGE, "a share %s 0 and below 1 is wanted here, not '%s'", zero ? "from" : "above", text);
	return tf_config_blame(t, v->raw.data);
}

static int take_alpha(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return take_share(t, v, false, &((struct reading *)to)->layer->alpha);
}

static int take_min_effect(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return take_share(t, v, true, &((struct reading *)to)->layer->min_effect);
}

static int take_min_steps(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return tf_config_integer(t, v, 1, &((struct reading *)to)->layer->min_steps);
}

static int take_flag(struct tf_config_text *t, const struct tf_json_value *v, int *to)
{
	bool value;

	if (tf_config_bool(t, v, &value) < 0)
		return -1;
	*to = value;
	return 0;
}

static int take_allow_env(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return take_flag(t, v, &((struct reading *)to)->layer->allow_env);
}

static int take_accept_inferred(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return take_flag(t, v, &((struct reading *)to)->layer->accept_inferred);
}

/* One of some words, NULL-terminated; its index in *index. */
static int take_word(struct tf_config_text *t, const struct tf_json_value *v, const char *const *words, int *index)
{
	const char *text = tf_config_string(t, v);

	if (!text)
		return -1;
	for (*index = 0; words[*index]; ++*index)
		if (strcmp(words[*index], text) == 0)
			return 0;
	tf_fail(t->err, TF_EUSAGE, "'%s' is not known here", text);
	tf_hint(t->err, words[2] ? "'%s', '%s' or '%s'" : "'%s' or '%s'", words[0], words[1], words[2]);
	return tf_config_blame(t, v->raw.data);
}

static int take_inconclusive(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	static const char *const words[] = {"pass", "warn", "fail", NULL};
	int index;

	if (take_word(t, v, words, &index) < 0)
		return -1;
	((struct reading *)to)->layer->inconclusive = words[index];
	return 0;
}

static int take_one_baseline(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_config_layer *l = ((struct reading *)to)->layer;
	const char *text = tf_config_string(t, v), **place = text ? PUSH(t, l->baselines, l->baseline_count, l->baseline_cap) : NULL;

	if (!place)
		return text ? tf_fail_nomem(t->err) : -1;
	*place = text;
	return 0;
}

static int take_baseline(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	((struct reading *)to)->layer->has_baselines = true;
	return tf_config_elements(t, v, take_one_baseline, to);
}

static int take_hosts(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return tf_config_integer(t, v, 1, &((struct tf_environment *)to)->hosts);
}

static int take_devices(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return tf_config_integer(t, v, 0, &((struct tf_environment *)to)->devices);
}

static int take_model(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_environment *e = to;
	return (e->model = tf_config_string(t, v)) ? 0 : -1;
}

static int take_framework(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_environment *e = to;
	return (e->framework = tf_config_string(t, v)) ? 0 : -1;
}

static int read_environment(struct tf_config_text *t, const struct tf_json_value *v, struct tf_environment *e)
{
	static const struct tf_config_key keys[] = {
		{"hosts", take_hosts}, {"devices", take_devices}, {"model", take_model}, {"framework", take_framework}, {0}};

	*e = (struct tf_environment){.hosts = TF_NONE, .devices = TF_NONE};
	return tf_config_members(t, v, "an environment", keys, e);
}

static int take_one_environment(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_config_layer *l = ((struct reading *)to)->layer;
	struct tf_environment *e = PUSH(t, l->environments, l->environment_count, l->environment_cap);

	return e ? read_environment(t, v, e) : tf_fail_nomem(t->err);
}

static int take_environments(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	((struct reading *)to)->layer->has_environments = true;
	return tf_config_elements(t, v, take_one_environment, to);
}

/* The bounds of one metric. */
struct bounds {
	struct reading *reading;
	const char *metric, *worse;
	struct {
		const char *value;
		const uint8_t *at; /* NULL: the bound is not there */
	} of[3];
};

static int take_bound(struct tf_config_text *t, const struct tf_json_value *v, struct bounds *b, enum tf_check_kind kind)
{
	b->of[kind].at = v->raw.data;
	if (v->kind == TF_JSON_NULL)
		return 0;
	b->of[kind].value = kind == TF_CHECK_REGRESS ? tf_config_string(t, v) : tf_config_quantity(t, v);
	return b->of[kind].value ? 0 : -1;
}

static int take_max(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return take_bound(t, v, to, TF_CHECK_MAX);
}

static int take_min(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return take_bound(t, v, to, TF_CHECK_MIN);
}

static int take_max_regress(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return take_bound(t, v, to, TF_CHECK_REGRESS);
}

static int take_worse(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	static const char *const words[] = {"up", "down", NULL};
	int index;

	if (take_word(t, v, words, &index) < 0)
		return -1;
	((struct bounds *)to)->worse = words[index];
	return 0;
}

/* Keeps one bound, and tries it, so that a mistake is found whether or not the file counts today. */
static int keep_bound(struct tf_config_text *t, struct bounds *b, enum tf_check_kind kind)
{
	struct tf_gate_config *c = b->reading->config;
	struct tf_config_layer *l = b->reading->layer;
	const char *metric = b->metric;
	struct tf_config_limit *to = PUSH(t, l->limits, l->limit_count, l->limit_cap);

	if (kind == TF_CHECK_REGRESS && b->worse)
		metric = tf_arena_printf(t->arena, "%s:%s", b->metric, b->worse);
	if (!to || !metric)
		return tf_fail_nomem(t->err);
	*to = (struct tf_config_limit){kind, b->metric, metric, b->of[kind].value, {t->path, tf_config_line(t, b->of[kind].at)}};
	if (++c->limit_count > TF_LIMIT_CONFIG_RULES)
		return tf_fail(t->err, TF_EUSAGE, "more than %d limits", TF_LIMIT_CONFIG_RULES);
	if (to->value && tf_gate_add_rule(&c->trial, kind, metric, to->value, to->place, t->err) < 0)
		return tf_config_blame(t, b->of[kind].at);
	return 0;
}

static int take_limit(struct tf_config_text *t, const char *key, const uint8_t *at, const struct tf_json_value *v, void *to)
{
	static const struct tf_config_key keys[] = {
		{"max", take_max}, {"min", take_min}, {"max_regress", take_max_regress}, {"worse", take_worse}, {0}};
	struct bounds b = {.reading = to, .metric = key};
	bool any = false;

	if (!tf_metric_means_something(key)) {
		tf_fail(t->err, TF_EUSAGE, "no metric '%s'", key);
		tf_metric_suggest(key, t->err);
		return tf_config_blame(t, at);
	}
	if (tf_config_members(t, v, "a limit", keys, &b) < 0)
		return -1;
	for (enum tf_check_kind kind = TF_CHECK_MAX; kind <= TF_CHECK_REGRESS; kind++) {
		any |= b.of[kind].at != NULL;
		if (b.of[kind].at && keep_bound(t, &b, kind) < 0)
			return -1;
	}
	if (any)
		return 0;
	tf_fail(t->err, TF_EUSAGE, "'%s' has neither 'max', 'min' nor 'max_regress'", key);
	return tf_config_blame(t, at);
}

static int take_limits(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return tf_config_free_members(t, v, "'limits'", take_limit, to);
}

static int take_waived_metric(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_waiver *w = to;
	return (w->metric = tf_config_string(t, v)) ? 0 : -1;
}

static int take_waived_kind(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	static const char *const words[] = {"max", "min", "max_regress", NULL}; /* in the order of enum tf_check_kind */
	return take_word(t, v, words, &((struct tf_waiver *)to)->kind);
}

static int take_expires(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_waiver *w = to;
	return (w->expires = tf_config_string(t, v)) ? 0 : -1;
}

static int take_reason(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_waiver *w = to;
	return (w->reason = tf_config_string(t, v)) ? 0 : -1;
}

static int take_waiver(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	static const struct tf_config_key keys[] = {
		{"metric", take_waived_metric}, {"kind", take_waived_kind}, {"expires", take_expires}, {"reason", take_reason}, {0}};
	struct reading *r = to;
	struct tf_waiver *w = PUSH(t, r->layer->waivers, r->layer->waiver_count, r->layer->waiver_cap);

	if (!w)
		return tf_fail_nomem(t->err);
	*w = (struct tf_waiver){.kind = -1, .place = {t->path, tf_config_line(t, v->raw.data)}};
	if (tf_config_members(t, v, "a waiver", keys, w) < 0)
		return -1;
	if (!w->metric || !w->expires || !w->reason) {
		tf_fail(t->err, TF_EUSAGE, "a waiver needs 'metric', 'expires' and 'reason'");
		return tf_config_blame(t, v->raw.data);
	}
	return tf_gate_add_waiver(&r->config->trial, w, t->err) < 0 ? tf_config_blame(t, v->raw.data) : 0;
}

static int take_waivers(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return tf_config_elements(t, v, take_waiver, to);
}

static int take_file(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_config_extension *x = to;
	return (x->path = tf_config_string(t, v)) ? 0 : -1;
}

static int take_branch(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_config_extension *x = to;
	return (x->branch = tf_config_string(t, v)) ? 0 : -1;
}

static int take_environment(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	struct tf_config_extension *x = to;
	x->anywhere = false;
	return read_environment(t, v, &x->environment);
}

static int take_extension(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	static const struct tf_config_key keys[] = {
		{"file", take_file}, {"branch", take_branch}, {"environment", take_environment}, {0}};
	struct tf_config_layer *l = ((struct reading *)to)->layer;
	struct tf_config_extension *x = PUSH(t, l->extensions, l->extension_count, l->extension_cap);

	if (!x)
		return tf_fail_nomem(t->err);
	*x = (struct tf_config_extension){.anywhere = true, .at = v->raw.data};
	if (v->kind == TF_JSON_STRING ? take_file(t, v, x) < 0 : tf_config_members(t, v, "'extends'", keys, x) < 0)
		return -1;
	if (x->path && *x->path)
		return 0;
	tf_fail(t->err, TF_EUSAGE, "'extends' needs the name of a file");
	return tf_config_blame(t, v->raw.data);
}

static int take_extends(struct tf_config_text *t, const struct tf_json_value *v, void *to)
{
	return tf_config_elements(t, v, take_extension, to);
}

static const struct tf_config_key keys_of_file[] = {
	{"$schema", take_nothing}, {"schema", take_schema}, {"extends", take_extends}, {"alpha", take_alpha},
	{"min_effect", take_min_effect}, {"min_steps", take_min_steps}, {"allow_env", take_allow_env},
	{"accept_inferred", take_accept_inferred}, {"inconclusive", take_inconclusive}, {"baseline", take_baseline},
	{"environments", take_environments}, {"limits", take_limits}, {"waivers", take_waivers}, {0}};

/* A path in a file is relative to the file's folder. */
static const char *beside(struct tf_arena *a, const char *file, const char *path)
{
	const char *slash = strrchr(file, '/');

	if (*path == '/' || !slash)
		return tf_arena_strdup(a, path);
	return tf_arena_printf(a, "%.*s/%s", (int)(slash - file), file, path);
}

static int read_layer(struct tf_gate_config *c, const char *path, struct tf_config_layer **out, struct tf_error *err);

/* Baselines that are files lie beside the file too; what is none is a name or a selector. */
static int settle_paths(struct tf_gate_config *c, struct tf_config_text *t, struct tf_config_layer *l)
{
	for (size_t i = 0; i < l->baseline_count; i++) {
		const char *path = beside(&c->arena, l->path, l->baselines[i]);
		struct stat st;
		if (!path)
			return tf_fail_nomem(t->err);
		if (stat(path, &st) == 0)
			l->baselines[i] = path;
	}
	for (size_t i = 0; i < l->extension_count; i++) {
		struct tf_config_extension *x = &l->extensions[i];
		const char *path = beside(&c->arena, l->path, x->path);
		if (!path)
			return tf_fail_nomem(t->err);
		if (read_layer(c, path, &x->layer, t->err) < 0)
			return x->layer ? -1 : tf_config_blame(t, x->at);
		if (!x->layer->open)
			continue;
		tf_fail(t->err, TF_EUSAGE, "'%s' extends itself", x->layer->path);
		return tf_config_blame(t, x->at);
	}
	return 0;
}

/* The layer of a file, which is read once however often it is extended. */
static int read_layer(struct tf_gate_config *c, const char *path, struct tf_config_layer **out, struct tf_error *err)
{
	struct tf_config_text t = {.arena = &c->arena, .err = err};
	struct tf_json_value root;
	struct stat st;

	if (stat(path, &st) != 0)
		return tf_fail_errno(err, TF_EUSAGE, "cannot read '%s'", path);
	if (!S_ISREG(st.st_mode))
		return tf_fail(err, TF_EUSAGE, "not a file: '%s'", path);
	for (*out = c->all; *out; *out = (*out)->next)
		if ((*out)->device == st.st_dev && (*out)->inode == st.st_ino)
			return 0;
	if (c->file_count++ == TF_LIMIT_CONFIG_FILES)
		return tf_fail(err, TF_EUSAGE, "more than %d files are extended", TF_LIMIT_CONFIG_FILES);
	struct tf_config_layer *l = *out = tf_arena_alloc(&c->arena, sizeof *l);
	if (!l)
		return tf_fail_nomem(err);
	*l = (struct tf_config_layer){.path = tf_arena_strdup(&c->arena, path), .device = st.st_dev, .inode = st.st_ino, .open = true,
			    .alpha = NAN, .min_effect = NAN, .min_steps = TF_NONE, .allow_env = -1, .accept_inferred = -1,
			    .next = c->all};
	c->all = l;
	if (!l->path)
		return tf_fail_nomem(err);
	struct reading r = {c, l};
	if (tf_config_text_read(&t, path, &root) < 0 || tf_config_members(&t, &root, "the configuration", keys_of_file, &r) < 0
	    || settle_paths(c, &t, l) < 0)
		return -1;
	l->open = false;
	return 0;
}

int tf_gate_config_open(struct tf_gate_config **out, const char *path, struct tf_error *err)
{
	struct tf_gate_config *c = calloc(1, sizeof *c);

	if (!c)
		return tf_fail_nomem(err);
	if (read_layer(c, path, &c->root, err) < 0) {
		tf_gate_config_close(c);
		return -1;
	}
	*out = c;
	return 0;
}

void tf_gate_config_close(struct tf_gate_config *c)
{
	if (!c)
		return;
	tf_gate_release(&c->trial);
	tf_arena_release(&c->arena);
	free(c);
}
