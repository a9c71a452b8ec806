/* Whether two sessions can be compared at all: figures of other machines or programs are no baseline. */
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/gate.h"

/* Without memory for the words a difference must still be one. */
static const char *or_else(const char *words, const char *word)
{
	return words ? words : word;
}

/* Names of hosts are not compared: jobs of one pool run on any of its machines. */
static const char *host_difference(const struct tf_session *now, const struct tf_session *before, struct tf_arena *a)
{
	if (now->host_count == before->host_count)
		return NULL;
	return or_else(tf_arena_printf(a, "%zu hosts, not %zu", now->host_count, before->host_count), "hosts");
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The devices of a session as sorted texts "gpu A100"; NULL when out of memory. */
static const char **describe_devices(const struct tf_session *s, struct tf_arena *a, size_t *count)
{
	size_t n = 0;

	for (size_t i = 0; i < s->host_count; i++)
		n += s->hosts[i].device_count;
	const char **list = tf_arena_array(a, n + 1, sizeof *list);
	if (!list)
		return NULL;
	n = 0;
	for (size_t i = 0; i < s->host_count; i++)
		for (size_t k = 0; k < s->hosts[i].device_count; k++) {
			const struct tf_device *d = &s->hosts[i].devices[k];
			list[n] = tf_arena_printf(a, "%s '%s'", d->kind ? d->kind : "device", d->model ? d->model : "");
			if (!list[n++])
				return NULL;
		}
	if (n)
		qsort(list, n, sizeof *list, compare_texts);
	*count = n;
	return list;
}

static const char *device_difference(const struct tf_session *now, const struct tf_session *before, struct tf_arena *a)
{
	size_t n = 0, m = 0;
	const char **x = describe_devices(now, a, &n), **y = describe_devices(before, a, &m);

	if (!x || !y)
		return "devices";
	if (n != m)
		return or_else(tf_arena_printf(a, "%zu devices, not %zu", n, m), "devices");
	for (size_t i = 0; i < n; i++)
		if (strcmp(x[i], y[i]) != 0)
			return or_else(tf_arena_printf(a, "device %s, not %s", x[i], y[i]), "devices");
	return NULL;
}

static const char *framework_difference(const struct tf_session *now, const struct tf_session *before,
					struct tf_arena *a)
{
	const char *x = now->framework ? now->framework : "", *y = before->framework ? before->framework : "";

	return strcmp(x, y) == 0 ? NULL : or_else(tf_arena_printf(a, "framework '%s', not '%s'", x, y), "framework");
}

const char *tf_environment_difference(const struct tf_session *now, const struct tf_session *before, struct tf_arena *a)
{
	const char *difference = host_difference(now, before, a);

	if (!difference)
		difference = device_difference(now, before, a);
	return difference ? difference : framework_difference(now, before, a);
}

bool tf_environment_holds(const struct tf_environment *e, const struct tf_session *s)
{
	int64_t devices = 0;

	if (e->hosts != TF_NONE && e->hosts != (int64_t)s->host_count)
		return false;
	for (size_t i = 0; i < s->host_count; i++)
		for (size_t k = 0; k < s->hosts[i].device_count; k++, devices++)
			if (e->model && !tf_glob_match(e->model, s->hosts[i].devices[k].model ? s->hosts[i].devices[k].model : ""))
				return false;
	if ((e->devices != TF_NONE && e->devices != devices) || (e->model && devices == 0))
		return false;
	return !e->framework || tf_glob_match(e->framework, s->framework ? s->framework : "");
}

/* "8*gpu:NVIDIA A100"; of several kinds each, by '+'. */
static void put_devices(struct tf_buf *b, const char **list, size_t n)
{
	for (size_t i = 0, same; i < n; i += same) {
		for (same = 1; i + same < n && strcmp(list[i], list[i + same]) == 0; same++)
			;
		tf_buf_printf(b, "%s%zu*%s", i ? "+" : "", same, list[i]);
	}
	if (n == 0)
		tf_buf_text(b, "none");
}

const char *tf_environment_key(const struct tf_session *s, const char *const *facts, size_t fact_count, struct tf_arena *a)
{
	size_t n = 0;
	const char **devices = describe_devices(s, a, &n), **sorted = tf_arena_array(a, fact_count + 1, sizeof *sorted);
	struct tf_buf b = {0};

	if (!devices || !sorted)
		return NULL;
	tf_buf_printf(&b, "hosts=%zu devices=", s->host_count);
	put_devices(&b, devices, n);
	tf_buf_printf(&b, " framework=%s", s->framework ? s->framework : "none");
	for (size_t i = 0; i < fact_count; i++)
		sorted[i] = facts[i];
	if (fact_count)
		qsort(sorted, fact_count, sizeof *sorted, compare_texts);
	for (size_t i = 0; i < fact_count; i++)
		tf_buf_printf(&b, " %s", sorted[i]);
	const char *key = b.failed ? NULL : tf_utf8_repair(a, tf_bytes_of(b.data));
	tf_buf_release(&b);
	return key;
}
