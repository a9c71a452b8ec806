/* Metric names: the table, and which kind a given name is of. */
#include "lib/analyze/metric_names.h"

#include <string.h>

#include "lib/analyze/gate.h"

enum { SUGGESTIONS = 3, SUGGESTION_DISTANCE = 8 };

const struct tf_metric_kind tf_metric_kinds[] = {
#define TF_METRIC(name, unit, worse) {name, unit, worse},
#include "lib/analyze/metrics.def"
#undef TF_METRIC
	{0}};

/* True if `name` of `len` bytes is of the kind: "[]" in the kind matches a bracket with any non-empty text. */
static bool is_of_kind(const char *kind, const char *name, size_t len)
{
	const char *open = strstr(kind, "[]");

	if (!open)
		return strlen(kind) == len && memcmp(kind, name, len) == 0;
	size_t head = (size_t)(open - kind) + 1, tail = strlen(open + 1);
	return len > head + tail && memcmp(kind, name, head) == 0 && memcmp(open + 1, name + len - tail, tail) == 0;
}

const char *tf_metric_host(const char *name)
{
	const char *at = strrchr(name, '@'), *close = strrchr(name, ']');
	return at && (!close || at > close) ? at + 1 : NULL;
}

const struct tf_metric_kind *tf_metric_kind_find(const char *name)
{
	const char *host = tf_metric_host(name);
	size_t len = strlen(name);

	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++)
		if (is_of_kind(k->name, name, len))
			return k;
	if (!host || host == name + 1 || !host[0])
		return NULL;
	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++)
		if (is_of_kind(k->name, name, (size_t)(host - 1 - name)))
			return k;
	return NULL;
}

bool tf_metric_known(const char *name, enum tf_unit *unit, enum tf_worse *worse)
{
	const struct tf_metric_kind *k = tf_metric_kind_find(name);

	if (!k)
		return false;
	*unit = k->unit;
	*worse = k->worse;
	return true;
}

/* How far a known name is from a wrong one, whose brackets are emptied; the beginning of a name is close to it. */
static int distance(const char *wrong, const char *known)
{
	size_t len = strlen(wrong);
	return len > 2 && strncmp(known, wrong, len) == 0 ? 1 : tf_text_distance(wrong, known, SUGGESTION_DISTANCE);
}

void tf_metric_suggest(const char *name, struct tf_error *err)
{
	const char *open = strchr(name, '['), *close = strrchr(name, ']');
	bool bracketed = open && close > open;
	struct tf_buf wrong = {0}, text = {0};
	int shown = 0;

	tf_buf_add(&wrong, name, bracketed ? (size_t)(open - name) + 1 : strlen(name));
	tf_buf_text(&wrong, bracketed ? close : "");
	for (int limit = 1; !wrong.failed && limit <= SUGGESTION_DISTANCE && shown < SUGGESTIONS; limit++)
		for (const struct tf_metric_kind *k = tf_metric_kinds; k->name && shown < SUGGESTIONS; k++)
			if (distance(wrong.data, k->name) == limit)
				tf_buf_printf(&text, "%s'%s'", shown++ ? ", " : "", k->name);
	if (shown && !text.failed)
		tf_hint(err, "did you mean %s?", text.data);
	else
		tf_hint(err, "'tfprof report --json' prints all names under 'metrics'");
	tf_buf_release(&wrong);
	tf_buf_release(&text);
}
