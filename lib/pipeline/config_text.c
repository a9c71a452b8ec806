/* Reading files that people write. The reader below is lenient, for what programs write; what it lets pass is looked for here. */
#include "lib/pipeline/config_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/limits.h"

enum { NEAREST_DISTANCE = 4 };

int64_t tf_config_line(struct tf_config_text *t, const uint8_t *at)
{
	if (!t->counted || at < t->counted) {
		t->counted = t->bytes.data;
		t->line = 1;
	}
	for (; t->counted < at; t->counted++)
		t->line += *t->counted == '\n';
	return t->line;
}

int tf_config_blame(struct tf_config_text *t, const uint8_t *at)
{
	return tf_wrap(t->err, "%s:%lld", t->path, (long long)tf_config_line(t, at));
}

static int fail_at(struct tf_config_text *t, const uint8_t *at, const char *text)
{
	tf_fail(t->err, TF_EUSAGE, "%s", text);
	return tf_config_blame(t, at);
}

static const uint8_t *skip_space(const uint8_t *p, const uint8_t *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

static int load(struct tf_config_text *t, const char *path)
{
	FILE *from = fopen(path, "rb");

	if (!from)
		return tf_fail_errno(t->err, TF_EUSAGE, "cannot read '%s'", path);
	uint8_t *bytes = tf_arena_alloc(t->arena, TF_LIMIT_CONFIG_BYTES + 1);
	size_t len = bytes ? fread(bytes, 1, TF_LIMIT_CONFIG_BYTES + 1, from) : 0;
	int rc = !bytes ? tf_fail_nomem(t->err) : ferror(from) ? tf_fail_errno(t->err, TF_EUSAGE, "cannot read '%s'", path) : 0;

	fclose(from);
	if (rc == 0 && len > TF_LIMIT_CONFIG_BYTES)
		rc = tf_fail(t->err, TF_EUSAGE, "too long for a configuration: '%s'", path);
	t->bytes = (struct tf_bytes){bytes, len};
	return rc;
}

int tf_config_text_read(struct tf_config_text *t, const char *path, struct tf_json_value *root)
{
	t->path = tf_arena_strdup(t->arena, path);
	if (!t->path)
		return tf_fail_nomem(t->err);
	if (load(t, path) < 0)
		return -1;
	if (!tf_utf8_valid(t->bytes))
		return fail_at(t, t->bytes.data, "not UTF-8 text");
	const uint8_t *end = t->bytes.data + t->bytes.len, *at = skip_space(t->bytes.data, end);
	struct tf_json_reader j = tf_json_of(t->bytes);
	if (at == end || *at != '{')
		return fail_at(t, at, "not a JSON object");
	if (!tf_json_value(&j, root))
		return fail_at(t, end, "the JSON text ends too early");
	at = skip_space(j.p, end);
	return at == end ? 0 : fail_at(t, at, "text behind the JSON object");
}

/* Exactly one comma stands between two items, and none before the first or behind the last one. `p` is where the last item ended. */
static int check_comma(struct tf_config_text *t, const uint8_t *p, const uint8_t *end, bool first)
{
	p = skip_space(p, end);
	if (p < end && *p == ',' && first)
		return fail_at(t, p, "a comma too many");
	if (first || p == end || *p != ',')
		return 0;
	const uint8_t *next = skip_space(p + 1, end);
	return next == end || *next == ',' || *next == '}' || *next == ']' ? fail_at(t, p, "a comma too many") : 0;
}

/* JSON has neither control characters in strings nor escapes of other letters. */
static int check_string(struct tf_config_text *t, struct tf_bytes raw)
{
	for (size_t i = 0; i < raw.len; i++) {
		if (raw.data[i] < 0x20)
			return fail_at(t, raw.data + i, "a control character in a string");
		if (raw.data[i] == '\\' && (++i == raw.len || !strchr("\"\\/bfnrtu", raw.data[i])))
			return fail_at(t, raw.data + i, "not an escape of JSON");
	}
	return 0;
}

static const char *copy_text(struct tf_config_text *t, const struct tf_json_value *v)
{
	struct tf_buf scratch = {0};

	if (check_string(t, v->raw) < 0)
		return NULL;
	struct tf_bytes text = tf_json_as_text(v, &scratch);
	const char *copy = scratch.failed ? NULL : tf_utf8_repair(t->arena, text);
	tf_buf_release(&scratch);
	if (!copy)
		tf_fail_nomem(t->err);
	return copy;
}

/* *key is NULL at the end. */
static int next_member(struct tf_config_text *t, struct tf_json_reader *j, bool first, const char **key, const uint8_t **at,
		       struct tf_json_value *v)
{
	struct tf_bytes raw;

	*key = NULL;
	if (check_comma(t, j->p, j->end, first) < 0)
		return -1;
	if (!tf_json_member(j, &raw, v))
		return j->fault ? fail_at(t, j->p, "not JSON from here on") : 0;
	*at = raw.data;
	const struct tf_json_value text = {TF_JSON_STRING, raw, memchr(raw.data, '\\', raw.len) != NULL};
	*key = copy_text(t, &text);
	return *key ? 0 : -1;
}

int tf_config_free_members(struct tf_config_text *t, const struct tf_json_value *object, const char *what,
			   int (*take)(struct tf_config_text *t, const char *key, const uint8_t *at, const struct tf_json_value *v,
				       void *to),
			   void *to)
{
	struct tf_map seen = {0};
	struct tf_json_value v;
	const uint8_t *at;
	const char *key;
	int rc = -1;

	if (object->kind != TF_JSON_OBJECT) {
		tf_fail(t->err, TF_EUSAGE, "%s must be an object", what);
		return tf_config_blame(t, object->raw.data);
	}
	struct tf_json_reader j = tf_json_inside(object);
	for (bool first = true; next_member(t, &j, first, &key, &at, &v) == 0; first = false) {
		if (!key) {
			rc = 0;
			break;
		}
		uint64_t hash = tf_hash_bytes(key, strlen(key));
		if (tf_map_find(&seen, hash)) {
			tf_fail(t->err, TF_EUSAGE, "key '%s' stands twice", key);
			tf_config_blame(t, at);
			break;
		}
		if (tf_map_put(&seen, hash, 1, t->err) < 0 || take(t, key, at, &v, to) < 0)
			break;
	}
	tf_map_release(&seen);
	return rc;
}

struct table {
	const char *what;
	const struct tf_config_key *keys;
	void *to;
};

static int take_by_table(struct tf_config_text *t, const char *key, const uint8_t *at, const struct tf_json_value *v, void *to)
{
	const struct table *table = to;
	const char *nearest = NULL;
	int best = NEAREST_DISTANCE;

	for (const struct tf_config_key *k = table->keys; k->name; k++) {
		if (strcmp(k->name, key) == 0)
			return k->take(t, v, table->to);
		int distance = tf_text_distance(key, k->name, NEAREST_DISTANCE);
		if (distance < best) {
			best = distance;
			nearest = k->name;
		}
	}
	tf_fail(t->err, TF_EUSAGE, "no key '%s' in %s", key, table->what);
	if (nearest)
		tf_hint(t->err, "did you mean '%s'?", nearest);
	return tf_config_blame(t, at);
}

int tf_config_members(struct tf_config_text *t, const struct tf_json_value *object, const char *what, const struct tf_config_key *keys,
		      void *to)
{
	struct table table = {what, keys, to};

	return tf_config_free_members(t, object, what, take_by_table, &table);
}

int tf_config_elements(struct tf_config_text *t, const struct tf_json_value *list,
		       int (*take)(struct tf_config_text *t, const struct tf_json_value *v, void *to), void *to)
{
	struct tf_json_reader j = tf_json_inside(list);
	struct tf_json_value v;

	if (list->kind != TF_JSON_ARRAY)
		return take(t, list, to);
	for (bool first = true;; first = false) {
		if (check_comma(t, j.p, j.end, first) < 0)
			return -1;
		if (!tf_json_element(&j, &v))
			return j.fault ? fail_at(t, j.p, "not JSON from here on") : 0;
		if (take(t, &v, to) < 0)
			return -1;
	}
}

const char *tf_config_string(struct tf_config_text *t, const struct tf_json_value *v)
{
	if (v->kind == TF_JSON_STRING)
		return copy_text(t, v);
	fail_at(t, v->raw.data, "a string is wanted here");
	return NULL;
}

static size_t digits(struct tf_bytes b, size_t i)
{
	size_t n = 0;

	while (i + n < b.len && b.data[i + n] >= '0' && b.data[i + n] <= '9')
		n++;
	return n;
}

/* The grammar of JSON's numbers: the reader takes any word for one. */
static bool is_number(struct tf_bytes b)
{
	size_t i = b.len && b.data[0] == '-', n = digits(b, i);

	if (n == 0 || (n > 1 && b.data[i] == '0'))
		return false;
	i += n;
	if (i < b.len && b.data[i] == '.') {
		if ((n = digits(b, i + 1)) == 0)
			return false;
		i += n + 1;
	}
	if (i < b.len && (b.data[i] | 32) == 'e') {
		i++;
		i += i < b.len && (b.data[i] == '+' || b.data[i] == '-');
		if ((n = digits(b, i)) == 0)
			return false;
		i += n;
	}
	return i == b.len;
}

const char *tf_config_quantity(struct tf_config_text *t, const struct tf_json_value *v)
{
	if (v->kind == TF_JSON_STRING)
		return copy_text(t, v);
	if (v->kind != TF_JSON_NUMBER || !is_number(v->raw)) {
		fail_at(t, v->raw.data, "a number or a string is wanted here");
		return NULL;
	}
	const char *text = tf_arena_strndup(t->arena, (const char *)v->raw.data, v->raw.len);
	if (!text)
		tf_fail_nomem(t->err);
	return text;
}

int tf_config_bool(struct tf_config_text *t, const struct tf_json_value *v, bool *to)
{
	*to = tf_bytes_equal(v->raw, tf_bytes_of("true"));
	return v->kind == TF_JSON_BOOL && (*to || tf_bytes_equal(v->raw, tf_bytes_of("false")))
		       ? 0 : fail_at(t, v->raw.data, "true or false is wanted here");
}

int tf_config_integer(struct tf_config_text *t, const struct tf_json_value *v, int64_t least, int64_t *to)
{
	if (v->kind == TF_JSON_NUMBER && is_number(v->raw) && tf_json_as_i64(v, to) && *to >= least)
		return 0;
	tf_fail(t->err, TF_EUSAGE, "a whole number from %lld is wanted here", (long long)least);
	return tf_config_blame(t, v->raw.data);
}
