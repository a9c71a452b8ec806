/* Builds traces from one-liners. */
#include "tests/unit/support_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/text.h"

static uint32_t intern(struct tf_trace *t, const char *text)
{
	struct tf_error err = {0};
	uint32_t id;

	assert_int_equal(tf_trace_intern(t, tf_bytes_of(text), &id, &err), 0);
	return id;
}

struct tf_trace *mk_trace(void)
{
	struct tf_error err = {0};
	struct tf_trace *t = calloc(1, sizeof *t);

	assert_non_null(t);
	assert_int_equal(tf_trace_init(t, &err), 0);
	return t;
}

void mk_free(struct tf_trace *t)
{
	tf_trace_release(t);
	free(t);
}

/* The kind and value of one "name=value". */
static void add_stat(struct tf_trace *t, char *pair)
{
	struct tf_error err = {0};
	char *value = strchr(pair, '=');
	enum tf_stat_kind kind = TF_STAT_TEXT;
	int64_t bits;
	double number;

	assert_non_null(value);
	*value++ = '\0';
	if (tf_parse_i64(value, &bits)) {
		kind = TF_STAT_I64;
	} else if (value[0] == 'u' && value[1] >= '0' && value[1] <= '9') {
		kind = TF_STAT_U64;
		bits = (int64_t)strtoull(value + 1, NULL, 10);
	} else if (strchr(value, '.') && tf_parse_double(value, &number)) {
		kind = TF_STAT_DOUBLE;
		memcpy(&bits, &number, sizeof bits);
	} else {
		bits = intern(t, value);
	}
	assert_int_equal(tf_trace_add_stat(t, intern(t, pair), kind, bits, &err), 0);
}

static struct tf_stat_range add_stats(struct tf_trace *t, const char *stats)
{
	size_t first = t->stats.count;
	char *copy = strdup(stats);

	assert_non_null(copy);
	for (char *pair = copy; pair && *pair;) {
		char *next = strchr(pair, ';');
		if (next)
			*next++ = '\0';
		add_stat(t, pair);
		pair = next;
	}
	free(copy);
	return (struct tf_stat_range){(uint32_t)first, (uint32_t)(t->stats.count - first)};
}

void mk_plane(struct tf_trace *t, const char *name, const char *stats)
{
	struct tf_error err = {0};
	struct tf_stat_range range = add_stats(t, stats);
	size_t at;

	assert_int_equal(tf_trace_add_plane(t, tf_bytes_of(name), (int64_t)t->plane_count + 1, &at, &err), 0);
	t->planes[at].stats = range;
}

void mk_line(struct tf_trace *t, int64_t id, const char *name, int64_t timestamp_ns)
{
	struct tf_error err = {0};
	struct tf_line line = {.id = id, .display_id = id, .name = intern(t, name), .timestamp_ns = timestamp_ns};
	size_t at;

	assert_int_equal(tf_trace_add_line(t, t->plane_count - 1, &line, &at, &err), 0);
}

static uint32_t meta_of(struct tf_trace *t, const char *name)
{
	struct tf_error err = {0};
	struct tf_plane *p = &t->planes[t->plane_count - 1];
	uint32_t id = intern(t, name), at;

	for (uint32_t i = p->meta_first; i < p->meta_first + p->meta_count; i++)
		if (t->metas[i].name == id)
			return i;
	assert_int_equal(tf_trace_add_meta(t, id, 0, &at, &err), 0);
	p->meta_count++;
	return at;
}

void mk_event(struct tf_trace *t, const char *name, int64_t offset_ps, int64_t dur_ps, const char *stats)
{
	struct tf_error err = {0};
	uint32_t meta = meta_of(t, name);
	struct tf_stat_range range = add_stats(t, stats);

	assert_int_equal(tf_trace_add_event(t, meta, offset_ps, dur_ps, TF_NONE, range.first, &err), 0);
}

void mk_meta_stats(struct tf_trace *t, const char *name, const char *stats)
{
	struct tf_stat_range range = add_stats(t, stats);

	t->metas[meta_of(t, name)].stats = range;
}

struct tf_trace *mk_finish(struct tf_trace *t)
{
	struct tf_error err = {0};

	assert_int_equal(tf_trace_finish(t, &err), 0);
	return t;
}

size_t mk_find(const struct tf_trace *t, const char *name, size_t n)
{
	uint32_t id = tf_strtab_find(&t->strings, tf_bytes_of(name));

	for (size_t i = 0; i < t->events.count; i++)
		if (tf_event_name(t, i) == id && n-- == 0)
			return i;
	fail_msg("no event '%s'", name);
	return 0;
}
