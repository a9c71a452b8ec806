/* Patterns over metric names, and which kinds of names they can mean. */
#include "lib/analyze/metric_pattern.h"

#include <string.h>

/* HEAD[INSIDE]TAIL@HOST, or HEAD@HOST. */
struct parts {
	struct tf_bytes head, inside, tail;
	const char *host; /* NULL: of the session */
	bool bracketed;
};

bool tf_metric_is_pattern(const char *text)
{
	return strpbrk(text, "*?") != NULL;
}

static struct tf_bytes piece(const char *from, const char *to)
{
	return (struct tf_bytes){(const uint8_t *)from, (size_t)(to - from)};
}

/* A tag may hold brackets and '@' of its own: the outermost brackets count, and the '@' behind them. */
static struct parts split(const char *name)
{
	const char *host = tf_metric_host(name), *end = host ? host - 1 : name + strlen(name);
	const char *open = strchr(name, '['), *close = strrchr(name, ']');
	bool bracketed = open && close && open < close;

	if (!bracketed)
		return (struct parts){.head = piece(name, end), .host = host};
	return (struct parts){piece(name, open), piece(open + 1, close), piece(close + 1, end), host, true};
}

static bool matches(struct tf_bytes pattern, struct tf_bytes text)
{
	size_t p = 0, t = 0, star = pattern.len, resume = 0;

	while (t < text.len) {
		if (p < pattern.len && pattern.data[p] == '*') {
			star = p++;
			resume = t;
		} else if (p < pattern.len && (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
			p++;
			t++;
		} else if (star < pattern.len) {
			p = star + 1;
			t = ++resume;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.data[p] == '*')
		p++;
	return p == pattern.len;
}

bool tf_metric_matches(const char *pattern, const char *name)
{
	struct parts p = split(pattern), n = split(name);

	if (strcmp(pattern, name) == 0)
		return true;
	if (p.bracketed != n.bracketed || !p.host != !n.host)
		return false;
	return matches(p.head, n.head) && matches(p.inside, n.inside) && matches(p.tail, n.tail)
	       && (!p.host || matches(tf_bytes_of(p.host), tf_bytes_of(n.host)));
}

bool tf_metric_could_match(const char *pattern, const struct tf_metric_kind *kind)
{
	struct parts p = split(pattern), k = split(kind->name);

	if (p.bracketed != k.bracketed || (p.bracketed && p.inside.len == 0))
		return false;
	return matches(p.head, k.head) && matches(p.tail, k.tail);
}

bool tf_metric_means_something(const char *pattern)
{
	if (!tf_metric_is_pattern(pattern))
		return tf_metric_kind_find(pattern) != NULL;
	for (const struct tf_metric_kind *k = tf_metric_kinds; k->name; k++)
		if (tf_metric_could_match(pattern, k))
			return true;
	return false;
}
