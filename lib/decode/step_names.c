/* Names of step statistics. */
#include "lib/decode/step_names.h"

#include <strings.h>

static struct tf_bytes part(struct tf_bytes b, size_t from, size_t to)
{
	return (struct tf_bytes){b.data + from, to - from};
}

static bool begins_nocase(struct tf_bytes b, const char *prefix)
{
	size_t n = strlen(prefix);
	return b.len >= n && strncasecmp((const char *)b.data, prefix, n) == 0;
}

/* Where `text` first is in b; b.len if nowhere. */
static size_t find(struct tf_bytes b, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= b.len; i++)
		if (memcmp(b.data + i, text, n) == 0)
			return i;
	return b.len;
}

/* The number at the end of "…GPU:0" or "…gpu:0"; -1 if it is no GPU. */
static int64_t gpu_ordinal(struct tf_bytes device)
{
	size_t digits = device.len;
	int64_t n = 0;

	while (digits > 0 && device.len - digits < 9 && device.data[digits - 1] >= '0' && device.data[digits - 1] <= '9')
		digits--;
	if (digits == device.len || digits < 4 || !begins_nocase(part(device, digits - 4, device.len), "gpu:"))
		return -1;
	for (size_t i = digits; i < device.len; i++)
		n = n * 10 + (device.data[i] - '0');
	return n;
}

struct tf_stream_name tf_stream_name_read(struct tf_bytes device)
{
	static const char compute[] = " Compute";
	size_t n = sizeof compute - 1, slash;
	struct tf_stream_name s = {.kind = TF_STREAM_NONE, .device = device, .stream = {device.data, 0}, .ordinal = -1};

	if (device.len > n && memcmp(device.data + device.len - n, compute, n) == 0)
		device.len -= n;
	for (slash = device.len; slash > 0 && device.data[slash - 1] != '/'; slash--)
		;
	if (slash == 0)
		return s;
	struct tf_bytes stream = part(device, slash, device.len), gpu = part(device, 0, slash - 1);
	s.ordinal = gpu_ordinal(device);
	if (gpu_ordinal(gpu) < 0)
		return s;
	s.ordinal = gpu_ordinal(gpu);
	if (tf_bytes_begin(stream, "stream:"))
		s.kind = tf_bytes_equal(stream, tf_bytes_of("stream:all")) ? TF_STREAM_ALL : TF_STREAM_ONE;
	else if (tf_bytes_begin(stream, "memcpy"))
		s.kind = TF_STREAM_COPIES;
	else if (tf_bytes_equal(stream, tf_bytes_of("sync")))
		s.kind = TF_STREAM_WAITS;
	if (s.kind != TF_STREAM_NONE) {
		s.device = gpu;
		s.stream = stream;
	}
	return s;
}

struct tf_node_op tf_node_op_read(struct tf_bytes node, struct tf_bytes label)
{
	struct tf_node_op op = {node, {node.data, 0}};
	size_t equals = find(label, " = ");

	if (equals < label.len) {
		struct tf_bytes type = part(label, equals + 3, label.len);
		size_t inputs = find(type, "(");
		if (inputs < type.len)
			op.type = part(type, 0, inputs);
	} else if (tf_bytes_equal(node, tf_bytes_of("RecvTensor"))) { /* its label says from where to where */
		op.type = node;
	}
	return op;
}

struct tf_bytes tf_node_op_print(struct tf_node_op op, struct tf_buf *to)
{
	to->len = 0;
	tf_buf_add(to, (const char *)op.name.data, op.name.len);
	tf_buf_char(to, ':');
	tf_buf_add(to, (const char *)op.type.data, op.type.len);
	return (struct tf_bytes){(const uint8_t *)to->data, to->failed ? 0 : to->len};
}

/* "name:Type" apart. */
static struct tf_node_op split(struct tf_bytes node)
{
	size_t colon = find(node, ":");
	struct tf_node_op op = {part(node, 0, colon), {node.data, 0}};

	if (colon < node.len) {
		op.type = part(node, colon + 1, node.len);
		op.type.len = find(op.type, ":");
	}
	return op;
}

static bool is_copy(struct tf_bytes name)
{
	return begins_nocase(name, "memcpy") || begins_nocase(name, "memset");
}

struct tf_kernel_label tf_kernel_label_read(struct tf_bytes node, struct tf_bytes label)
{
	static const char *const details[] = {" regs:", " register_per_thread:", " static_shared:"};
	struct tf_kernel_label k = {.op = split(node), .name = label, .details = {label.data, 0}};
	size_t mark = find(label, "@@"), hash = find(label, "#"), cut;

	if (mark + 2 < hash && hash < label.len)
		k.op = split(part(label, mark + 2, hash));
	k.name.len = cut = mark;
	if (is_copy(k.name)) {
		cut = find(k.name, " ");
	} else {
		for (size_t i = 0; i < sizeof details / sizeof details[0]; i++) {
			size_t at = find(k.name, details[i]);
			cut = at < cut ? at : cut;
		}
	}
	if (cut < k.name.len)
		k.details = part(k.name, cut + 1, k.name.len);
	k.name.len = cut;
	/* TensorFlow 1 tells of a copy "[8B] … from … to …", and of a kernel nothing. */
	if (k.name.len == 0 || (is_copy(k.op.type) && !is_copy(k.name)))
		k.name = k.op.type.len ? k.op.type : node;
	k.is_copy = is_copy(k.name);
	return k;
}
