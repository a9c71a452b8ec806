/* Full op names: "name:type", tf.data iterators, JAX names, copies (METRICS.md §7). */
#include <ctype.h>
#include <strings.h>

#include "lib/analyze/analyze.h"

static struct tf_bytes piece(const uint8_t *from, const uint8_t *to)
{
	return (struct tf_bytes){from, (size_t)(to - from)};
}

static bool begins_nocase(struct tf_bytes b, const char *prefix)
{
	size_t n = strlen(prefix);
	return b.len >= n && strncasecmp((const char *)b.data, prefix, n) == 0;
}

/* [A-Za-z0-9.][A-Za-z0-9_./>-]* */
static bool is_tf_name(struct tf_bytes b)
{
	if (b.len == 0 || !(isalnum(b.data[0]) || b.data[0] == '.'))
		return false;
	for (size_t i = 1; i < b.len; i++)
		if (!isalnum(b.data[i]) && (b.data[i] == '\0' || !strchr("_./>-", b.data[i])))
			return false;
	return true;
}

/* first class, then [A-Za-z0-9_]* (TensorFlow) or [a-z0-9_]* (JAX) */
static bool is_type(struct tf_bytes b, bool jax)
{
	if (b.len == 0 || !(b.data[0] == '_' || (jax ? islower(b.data[0]) : isupper(b.data[0]))))
		return false;
	for (size_t i = 1; i < b.len; i++) {
		int c = b.data[i];
		if (!(c == '_' || isdigit(c) || islower(c) || (!jax && isupper(c))))
			return false;
	}
	return true;
}

/* The type that a name implies: its last '/' part without a trailing _NUMBER. */
static struct tf_bytes implied_type(struct tf_bytes name)
{
	const uint8_t *from = name.data, *to = name.data + name.len;

	for (const uint8_t *p = name.data; p < to; p++)
		if (*p == '/')
			from = p + 1;
	const uint8_t *digits = to;
	while (digits > from && isdigit(digits[-1]))
		digits--;
	if (digits < to && digits > from && digits[-1] == '_')
		to = digits - 1;
	return piece(from, to);
}

static struct tf_name_info copy_info(struct tf_bytes full)
{
	static const struct {
		const char *prefix;
		enum tf_op_category category;
	} copies[] = {
		{"MEMCPYHToD", TF_OP_MEMCPY_H2D}, {"MEMCPYDToH", TF_OP_MEMCPY_D2H},
		{"MEMCPYDToD", TF_OP_MEMCPY_D2D}, {"MEMCPYHToH", TF_OP_MEMCPY_H2H},
	};

	for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
		if (begins_nocase(full, copies[i].prefix))
			return (struct tf_name_info){.op_name = full,
						     .op_type = tf_bytes_of(copies[i].prefix),
						     .category = copies[i].category};
	return (struct tf_name_info){.op_name = full, .op_type = {full.data, 0}, .category = TF_OP_UNKNOWN};
}

/* "name:type" whose colon is at `colon`. */
static struct tf_name_info typed_info(struct tf_bytes full, const uint8_t *colon)
{
	struct tf_name_info info = {.op_name = piece(full.data, colon),
				    .op_type = piece(colon + 1, full.data + full.len)};
	bool implied = info.op_type.len == 0;

	if (is_tf_name(info.op_name) && is_type(info.op_type, false)) {
		info.category = TF_OP_TENSORFLOW;
		return info;
	}
	struct tf_bytes type = implied ? implied_type(info.op_name) : info.op_type;
	const uint8_t *bracket = type.len ? memchr(type.data, '[', type.len) : NULL;
	bool closed = bracket && type.data[type.len - 1] == ']';
	struct tf_bytes plain = bracket ? piece(type.data, bracket) : type;
	if ((!bracket || closed) && is_type(plain, true)) {
		info.op_type = plain;
		info.category = TF_OP_JAX;
	} else if (implied) {
		info.op_type = type;
		info.category = TF_OP_TENSORFLOW;
	} else {
		info = (struct tf_name_info){.op_name = full, .op_type = {full.data, 0}, .category = TF_OP_UNKNOWN};
	}
	return info;
}

/* By its name; an op of TensorFlow by its type too: its node may be called anything, and TensorFlow 1 has queues. */
static bool is_input_wait(struct tf_bytes full, const struct tf_name_info *info)
{
	static const char *const types[] = {"IteratorGetNext", "MultiDeviceIteratorGetNext", "QueueDequeue"};

	if (begins_nocase(full, types[0]) || begins_nocase(full, types[1]))
		return true;
	for (size_t i = 0; info->category == TF_OP_TENSORFLOW && i < sizeof types / sizeof types[0]; i++)
		if (tf_bytes_begin(info->op_type, types[i]))
			return true;
	return false;
}

static bool ends(struct tf_bytes b, const char *suffix)
{
	size_t n = strlen(suffix);
	return b.len >= n && memcmp(b.data + b.len - n, suffix, n) == 0;
}

/* JAX calls it backend_compile, the runtimes of XLA by their class ("TfrtGpuClient::Compile"), TensorFlow by an op. */
static bool is_compile(struct tf_bytes full, struct tf_bytes type)
{
	return tf_bytes_equal(full, tf_bytes_of("backend_compile")) || ends(full, "::Compile")
	       || tf_bytes_equal(type, tf_bytes_of("_XlaCompile"));
}

struct tf_name_info tf_op_name_parse(struct tf_bytes full)
{
	const uint8_t *colon = full.len ? memchr(full.data, ':', full.len) : NULL;
	struct tf_name_info info;

	if (!colon)
		info = copy_info(full);
	else if (tf_bytes_equal(piece(full.data, colon), tf_bytes_of("Iterator")))
		info = (struct tf_name_info){
			.op_name = full, .op_type = tf_bytes_of("Dataset"), .category = TF_OP_TFDATA};
	else
		info = typed_info(full, colon);
	info.input_wait = is_input_wait(full, &info);
	info.compile = is_compile(full, info.op_type);
	return info;
}
