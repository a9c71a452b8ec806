/* Metric names: the table, and which kind a given name is of. */
#include "lib/analyze/metric_names.h"

#include <string.h>

#include "lib/analyze/gate.h"

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

const struct tf_metric_kind *tf_metric_kind_find(const char *name)
{
	const char *close = strrchr(name, ']'), *host = strrchr(name, '@');
	size_t len = strlen(name);

	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++)
		if (is_of_kind(k->name, name, len))
			return k;
	/* An '@' inside brackets belongs to the tag. */
	if (!host || host == name || !host[1] || (close && close > host))
		return NULL;
	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++)
		if (is_of_kind(k->name, name, (size_t)(host - name)))
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
