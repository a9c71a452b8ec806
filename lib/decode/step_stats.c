/*
 * RunMetadata { 1 StepStats { 1 DeviceStepStats { 1 device, 2 NodeExecStats } } }. Partition graphs (3), function graphs (4) and the cost
 * model (2) say nothing of what ran.
 */
#include "lib/decode/step_stats.h"

enum { DEVICE_NAME = 1, DEVICE_NODES = 2 };
enum { NODE_NAME = 1, NODE_START_US = 2, NODE_OP_END_US = 4, NODE_END_US = 5, NODE_MEMORY = 6, NODE_OUTPUT = 7, NODE_LABEL = 8,
       NODE_MEMORY_STATS = 12, NODE_START_NS = 13, NODE_OP_END_NS = 15, NODE_END_NS = 16 };
enum { OUTPUT_TENSOR = 3, TENSOR_DTYPE = 1, TENSOR_SHAPE = 2, TENSOR_ALLOCATION = 4 };
enum { ALLOCATION_REQUESTED = 1, ALLOCATION_ALLOCATED = 2, ALLOCATION_ALLOCATOR = 3 };
enum { USED_ALLOCATOR = 1, USED_TOTAL = 2, USED_PEAK = 3, USED_LIVE = 4, USED_IN_USE = 5, USED_RECORD = 6 };

/* ns as they are recorded, else from µs. False beyond int64. */
static bool to_ns(int64_t ns, int64_t us, int64_t *out)
{
	*out = ns;
	return ns != 0 || !__builtin_mul_overflow(us, INT64_C(1000), out);
}

static int read_node(struct tf_bytes device, struct tf_bytes message, const struct tf_step_stats_sink *sink, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_node_stats n = {.device = device, .node = {message.data, 0}, .label = {message.data, 0}, .message = message};
	int64_t at[NODE_END_NS + 1] = {0}, end;

	while (tf_wire_next(&w, &f)) {
		if (f.type == TF_WIRE_BYTES && f.number == NODE_NAME)
			n.node = f.bytes;
		else if (f.type == TF_WIRE_BYTES && f.number == NODE_LABEL)
			n.label = f.bytes;
		else if (f.type == TF_WIRE_VARINT && f.number <= NODE_END_NS)
			at[f.number] = (int64_t)f.value;
	}
	if (w.fault)
		return sink->fault(sink->ctx, &w, "node", err);
	bool fits = to_ns(at[NODE_START_NS], at[NODE_START_US], &n.start_ns);
	fits &= to_ns(at[NODE_OP_END_NS], at[NODE_OP_END_US], &n.op_end_ns);
	fits &= to_ns(at[NODE_END_NS], at[NODE_END_US], &n.end_ns);
	fits &= !__builtin_add_overflow(n.start_ns, n.op_end_ns, &end) && !__builtin_add_overflow(n.start_ns, n.end_ns, &end);
	n.is_absurd = !fits || n.start_ns < 0 || n.end_ns < 0 || n.op_end_ns < 0;
	return sink->node(sink->ctx, &n, err);
}

/* What there is of a field 1 that the end of the content cuts. False if the fault is another. */
static bool is_cut_message(struct tf_wire w, struct tf_bytes *there)
{
	uint64_t key, len;

	if (w.fault != TF_WIRE_TRUNCATED || !tf_wire_varint(&w, &key) || key != 0x0a || !tf_wire_varint(&w, &len))
		return false;
	*there = (struct tf_bytes){w.p, (size_t)(w.end - w.p)};
	return true;
}

/* A message that is cut is read up to there, and the cut is told once, by the innermost. */
static int read_device(struct tf_bytes message, bool cut, const struct tf_step_stats_sink *sink, struct tf_error *err)
{
	struct tf_bytes found = tf_wire_find(message, DEVICE_NAME), device = found.data ? found : (struct tf_bytes){message.data, 0};
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		if (f.number == DEVICE_NODES && f.type == TF_WIRE_BYTES && read_node(device, f.bytes, sink, err) < 0)
			return -1;
	if (cut && !w.fault)
		w.fault = TF_WIRE_TRUNCATED;
	return w.fault ? sink->fault(sink->ctx, &w, "device", err) : 0;
}

static int read_devices(struct tf_bytes step_stats, bool cut, const struct tf_step_stats_sink *sink, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(step_stats);
	struct tf_field f;
	struct tf_bytes there;

	while (tf_wire_next(&w, &f))
		if (f.number == 1 && f.type == TF_WIRE_BYTES && read_device(f.bytes, false, sink, err) < 0)
			return -1;
	if (is_cut_message(w, &there))
		return read_device(there, true, sink, err);
	if (cut && !w.fault)
		w.fault = TF_WIRE_TRUNCATED;
	return w.fault ? sink->fault(sink->ctx, &w, "step statistics", err) : 0;
}

/* The first field 1 of a message, also one that is cut; empty if there is none. */
static struct tf_bytes first_of(struct tf_bytes message)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;
	struct tf_bytes there = {message.data, 0};

	while (tf_wire_next(&w, &f))
		if (f.number == 1)
			return f.type == TF_WIRE_BYTES ? f.bytes : there;
	is_cut_message(w, &there);
	return there;
}

/* "/job:localhost/replica:0/task:0/device:CPU:0", "/gpu:0/stream:all". */
static bool is_device_name(struct tf_bytes name)
{
	bool colon = false;

	if (name.len < 4 || name.data[0] != '/')
		return false;
	for (size_t i = 0; i < name.len; i++) {
		if (name.data[i] < ' ' || name.data[i] == 0x7f)
			return false;
		colon |= name.data[i] == ':';
	}
	return colon;
}

static bool is_step_stats_alone(struct tf_bytes content)
{
	return is_device_name(first_of(first_of(content)));
}

bool tf_is_step_stats(struct tf_bytes content)
{
	return is_step_stats_alone(content) || is_step_stats_alone(first_of(content));
}

int tf_read_step_stats(struct tf_bytes content, const struct tf_step_stats_sink *sink, struct tf_error *err)
{
	struct tf_wire w = tf_wire_of(content);
	struct tf_field f;
	struct tf_bytes there;

	if (is_step_stats_alone(content))
		return read_devices(content, false, sink, err);
	while (tf_wire_next(&w, &f))
		if (f.number == 1 && f.type == TF_WIRE_BYTES && read_devices(f.bytes, false, sink, err) < 0)
			return -1;
	if (is_cut_message(w, &there))
		return read_devices(there, true, sink, err);
	return w.fault ? sink->fault(sink->ctx, &w, "RunMetadata", err) : 0;
}

/* The next field of a number that holds bytes. */
static bool next_message(struct tf_wire *w, uint32_t number, struct tf_bytes *message)
{
	struct tf_field f;

	while (tf_wire_next(w, &f))
		if (f.number == number && f.type == TF_WIRE_BYTES) {
			*message = f.bytes;
			return true;
		}
	return false;
}

static void read_allocation(struct tf_bytes message, struct tf_node_output *out)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	while (tf_wire_next(&w, &f)) {
		if (f.number == ALLOCATION_REQUESTED && f.type == TF_WIRE_VARINT)
			out->requested_bytes = (int64_t)f.value;
		else if (f.number == ALLOCATION_ALLOCATED && f.type == TF_WIRE_VARINT)
			out->allocated_bytes = (int64_t)f.value;
		else if (f.number == ALLOCATION_ALLOCATOR && f.type == TF_WIRE_BYTES)
			out->allocator = f.bytes;
	}
}

bool tf_node_output_next(struct tf_wire *w, struct tf_node_output *out)
{
	struct tf_bytes message;
	struct tf_field f;

	if (!next_message(w, NODE_OUTPUT, &message))
		return false;
	*out = (struct tf_node_output){.allocator = {message.data, 0}, .shape = {message.data, 0}};
	struct tf_wire tensor = tf_wire_of(tf_wire_find(message, OUTPUT_TENSOR));
	while (tf_wire_next(&tensor, &f)) {
		if (f.number == TENSOR_DTYPE && f.type == TF_WIRE_VARINT)
			out->dtype = (int64_t)f.value;
		else if (f.number == TENSOR_SHAPE && f.type == TF_WIRE_BYTES)
			out->shape = f.bytes;
		else if (f.number == TENSOR_ALLOCATION && f.type == TF_WIRE_BYTES)
			read_allocation(f.bytes, out);
	}
	return true;
}

bool tf_node_memory_next(struct tf_wire *w, struct tf_node_memory *out)
{
	struct tf_bytes message;
	struct tf_field f;

	if (!next_message(w, NODE_MEMORY, &message))
		return false;
	*out = (struct tf_node_memory){.allocator = {message.data, 0}, .message = message};
	int64_t *const sizes[] = {[USED_TOTAL] = &out->total_bytes, [USED_PEAK] = &out->peak_bytes, [USED_LIVE] = &out->live_bytes,
				  [USED_IN_USE] = &out->in_use_bytes};
	for (struct tf_wire used = tf_wire_of(message); tf_wire_next(&used, &f);) {
		if (f.number == USED_ALLOCATOR && f.type == TF_WIRE_BYTES)
			out->allocator = f.bytes;
		else if (f.number >= USED_TOTAL && f.number <= USED_IN_USE && f.type == TF_WIRE_VARINT)
			*sizes[f.number] = (int64_t)f.value;
	}
	return true;
}

bool tf_node_allocation_next(struct tf_wire *w, int64_t *us, int64_t *bytes)
{
	struct tf_bytes message;
	struct tf_field f;

	if (!next_message(w, USED_RECORD, &message))
		return false;
	*us = *bytes = 0;
	for (struct tf_wire record = tf_wire_of(message); tf_wire_next(&record, &f);) {
		if (f.number == 1 && f.type == TF_WIRE_VARINT)
			*us = (int64_t)f.value;
		else if (f.number == 2 && f.type == TF_WIRE_VARINT)
			*bytes = (int64_t)f.value;
	}
	return true;
}

/* Sums of what files claim saturate. */
static void add(int64_t *sum, int64_t bytes)
{
	if (*sum == INT64_MIN)
		*sum = 0;
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = INT64_MAX;
}

struct tf_node_sizes tf_node_sizes_of(const struct tf_node_stats *node)
{
	struct tf_node_sizes s = {INT64_MIN, INT64_MIN, INT64_MIN};
	struct tf_wire w = tf_wire_of(node->message);
	struct tf_node_output out;
	struct tf_node_memory used;
	struct tf_bytes stats;
	struct tf_field f;

	while (tf_node_output_next(&w, &out))
		add(&s.output_bytes, out.allocated_bytes > out.requested_bytes ? out.allocated_bytes : out.requested_bytes);
	w = tf_wire_of(node->message);
	while (tf_node_memory_next(&w, &used))
		add(&s.peak_bytes, used.peak_bytes);
	w = tf_wire_of(node->message);
	if (!next_message(&w, NODE_MEMORY_STATS, &stats))
		return s;
	s.temp_bytes = 0; /* proto3 leaves out what is 0 */
	for (w = tf_wire_of(stats); tf_wire_next(&w, &f);)
		if (f.number == 1 && f.type == TF_WIRE_VARINT)
			s.temp_bytes = (int64_t)f.value;
	return s;
}
