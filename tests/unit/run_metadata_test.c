/* lib/decode/run_metadata, step_stats, step_memory, step_streams, step_names: what TensorFlow 1 tells of one Session.run(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "lib/decode/run_metadata.h"
#include "lib/decode/step_names.h"
#include "lib/decode/step_stats.h"
#include "tests/unit/support_analyze.h"
#include "tests/unit/support_proto.h"

/* Wall clock of the tests, in microseconds. */
#define AT INT64_C(1700000000000000)
#define CPU "/job:localhost/replica:0/task:0/device:CPU:0"
#define GPU "/job:localhost/replica:0/task:0/device:GPU:0"

static struct tf_ledger_file file;
static struct tf_arena arena;
static struct tf_error err;
static struct mk_analysis *got;

static int reset(void **state)
{
	(void)state;
	if (got)
		mk_analysis_free(got);
	got = NULL;
	tf_arena_release(&arena);
	err = (struct tf_error){0};
	file = (struct tf_ledger_file){.first_bad_offset = TF_NONE};
	return 0;
}

/* ---- building ---- */

struct node {
	const char *name, *label;
	int64_t start_us, dur_us;
};

/* A node up to its memory, which the caller adds before pb_message(device, 2, node). */
static struct tf_buf make_node(struct node n)
{
	struct tf_buf b = {0};
	pb_text(&b, 1, n.name);
	pb_varint(&b, 2, (uint64_t)n.start_us);
	pb_varint(&b, 4, (uint64_t)n.dur_us);
	pb_varint(&b, 5, (uint64_t)n.dur_us);
	if (n.label)
		pb_text(&b, 8, n.label);
	return b;
}

static void put_node(struct tf_buf *device, struct node n)
{
	struct tf_buf b = make_node(n);
	pb_message(device, 2, &b);
}

/* What a node used of an allocator: pairs of microsecond (after AT) and bytes. */
static void put_memory(struct tf_buf *node, const char *allocator, int64_t peak, int64_t in_use, size_t n, const int64_t (*records)[2])
{
	struct tf_buf used = {0};
	pb_text(&used, 1, allocator);
	pb_varint(&used, 3, (uint64_t)peak);
	if (in_use)
		pb_varint(&used, 5, (uint64_t)in_use);
	for (size_t i = 0; i < n; i++) {
		struct tf_buf record = {0};
		pb_varint(&record, 1, (uint64_t)(AT + records[i][0]));
		pb_varint(&record, 2, (uint64_t)records[i][1]);
		pb_message(&used, 6, &record);
	}
	pb_message(node, 6, &used);
}

/* A float output of [rows,columns]. */
static void put_output(struct tf_buf *node, const char *allocator, uint64_t rows, uint64_t columns)
{
	struct tf_buf out = {0}, tensor = {0}, shape = {0}, dim = {0}, allocation = {0};
	pb_varint(&tensor, 1, 1);
	pb_varint(&dim, 1, rows);
	pb_message(&shape, 2, &dim);
	pb_varint(&dim, 1, columns);
	pb_message(&shape, 2, &dim);
	pb_message(&tensor, 2, &shape);
	pb_varint(&allocation, 1, 4 * rows * columns);
	pb_text(&allocation, 3, allocator);
	pb_message(&tensor, 4, &allocation);
	pb_message(&out, 3, &tensor);
	pb_message(node, 7, &out);
}

static struct tf_buf make_device(const char *name)
{
	struct tf_buf b = {0};
	pb_text(&b, 1, name);
	return b;
}

/* Ends a RunMetadata of these devices, which it releases. */
static struct tf_buf make_run(size_t n, struct tf_buf *devices)
{
	struct tf_buf stats = {0}, run = {0};
	for (size_t i = 0; i < n; i++)
		pb_message(&stats, 1, &devices[i]);
	pb_message(&run, 1, &stats);
	return run;
}

static int decode(const struct tf_buf *content)
{
	struct tf_trace *t = mk_trace();
	if (tf_decode_run_metadata(pb_view(content), t, &file, &arena, &err) < 0) {
		mk_free(t);
		return -1;
	}
	got = mk_analyze(t, NULL);
	return 0;
}

/* Decodes and releases. */
static void decode_fine(struct tf_buf *content)
{
	assert_int_equal(decode(content), 0);
	tf_buf_release(content);
	assert_int_equal(file.issue_total, 0);
}

static const struct tf_op *op(const char *name)
{
	for (size_t i = 0; i < got->host.op_count; i++)
		if (strcmp(got->host.ops[i].name, name) == 0)
			return &got->host.ops[i];
	fail_msg("no op '%s'", name);
	return NULL;
}

/* ---- names ---- */

static void assert_bytes(struct tf_bytes b, const char *text)
{
	assert_int_equal(b.len, strlen(text));
	assert_memory_equal(b.data, text, b.len);
}

static void names_of_devices(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum tf_stream_kind kind;
		int64_t ordinal;
	} rows[] = {
		{CPU, TF_STREAM_NONE, -1},
		{GPU, TF_STREAM_NONE, 0},
		{GPU " Compute", TF_STREAM_NONE, 0},
		{"/device:GPU:3/stream:13", TF_STREAM_ONE, 3},
		{"/device:GPU:3/stream:", TF_STREAM_ONE, 3},
		{"/device:GPU:0/stream:20<MemcpyH2D>", TF_STREAM_ONE, 0},
		{"/gpu:1/stream:all", TF_STREAM_ALL, 1},
		{"/job:w/replica:0/task:1/device:GPU:12/stream:all Compute", TF_STREAM_ALL, 12},
		{"/device:GPU:0/memcpy", TF_STREAM_COPIES, 0},
		{"/device:GPU:0/memcpy:all", TF_STREAM_COPIES, 0},
		{"/device:GPU:0/sync", TF_STREAM_WAITS, 0},
		{"/device:CPU:0/stream:1", TF_STREAM_NONE, -1},
		{"/device:GPU:12345678901234/stream:1", TF_STREAM_NONE, -1},
		{"gpu", TF_STREAM_NONE, -1},
		{"", TF_STREAM_NONE, -1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct tf_stream_name s = tf_stream_name_read(tf_bytes_of(rows[i].name));
		assert_int_equal(s.kind, rows[i].kind);
		assert_int_equal(s.ordinal, rows[i].ordinal);
	}
}

static void labels_of_nodes(void **state)
{
	(void)state;
	assert_bytes(tf_node_op_read(tf_bytes_of("a/b"), tf_bytes_of("a/b = MatMul(x, y)")).type, "MatMul");
	assert_bytes(tf_node_op_read(tf_bytes_of("a"), tf_bytes_of("a = _Arg()")).type, "_Arg");
	assert_bytes(tf_node_op_read(tf_bytes_of("RecvTensor"), tf_bytes_of("[4B] edge from /job:a to /job:b")).type, "RecvTensor");
	assert_bytes(tf_node_op_read(tf_bytes_of("a"), tf_bytes_of("something")).type, "");
	assert_bytes(tf_node_op_read(tf_bytes_of("a"), tf_bytes_of("")).name, "a");
}

static void labels_of_kernels(void **state)
{
	(void)state;
	static const struct {
		const char *node, *label, *op, *type, *name, *details;
	} rows[] = {
		{"mm:MatMul", "", "mm", "MatMul", "MatMul", ""},
		{"mm:MatMul", "void gemm<int, 4>(int) regs:32 grid:1,1,1 block:8,1,1", "mm", "MatMul", "void gemm<int, 4>(int)",
		 "regs:32 grid:1,1,1 block:8,1,1"},
		{"x", "gemm detail@@mm:MatMul#id=1#", "mm", "MatMul", "gemm detail", ""},
		{"in:_Send", "MemcpyH2D kind_src:pinned size:8", "in", "_Send", "MemcpyH2D", "kind_src:pinned size:8"},
		{"in:MEMCPYHtoD", "[8B] in from cpu to gpu", "in", "MEMCPYHtoD", "MEMCPYHtoD", ""},
		{"void k<a::b>()", "void k<a::b>() regs:1", "void k<a", "", "void k<a::b>()", "regs:1"},
		{"unknown", "", "unknown", "", "unknown", ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct tf_kernel_label k = tf_kernel_label_read(tf_bytes_of(rows[i].node), tf_bytes_of(rows[i].label));
		assert_bytes(k.op.name, rows[i].op);
		assert_bytes(k.op.type, rows[i].type);
		assert_bytes(k.name, rows[i].name);
		assert_bytes(k.details, rows[i].details);
	}
}

/* ---- hosts ---- */

static void a_node_is_an_op_of_one_step(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU);
	put_node(&cpu, (struct node){"_SOURCE", "_SOURCE = NoOp()", AT, 1});
	put_node(&cpu, (struct node){"mm", "mm = MatMul(x, y)", AT + 10, 20});
	put_node(&cpu, (struct node){"mm", "mm = MatMul(x, y)", AT + 40, 30});
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	assert_int_equal(file.records, 3);
	assert_string_equal(op("mm")->type, "MatMul");
	assert_int_equal(op("mm")->count, 2);
	assert_true(op("mm")->total_ps == 50 * US && op("mm")->self_ps == 50 * US);
	assert_string_equal(got->host.framework, "tensorflow");
	const struct tf_steps *s = &got->host.steps;
	assert_int_equal(s->count, 1);
	assert_int_equal(s->source, TF_STEPS_HOST_MARKER);
	assert_int_equal(s->list[0].number, 0);
	assert_true(s->list[0].step_ps == 70 * US);
	assert_true(got->host.start_ns == AT * 1000);
	/* 1 + 20 + 30 µs of 70 are computed */
	mk_assert_parts(got, 0, US, (const int64_t[TF_PART_COUNT]){[TF_PART_HOST_COMPUTE] = 51, [TF_PART_OTHER] = 19});
}

static void nodes_that_run_at_once_do_not_nest(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU);
	put_node(&cpu, (struct node){"a", "a = A()", AT, 100});
	put_node(&cpu, (struct node){"b", "b = B()", AT + 10, 20});
	put_node(&cpu, (struct node){"c", "c = C()", AT + 30, 20});
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	assert_true(op("a")->self_ps == 100 * US);
	assert_int_equal(got->trace->planes[0].line_count, 2); /* b and c follow each other */
}

static void nanoseconds_where_they_are_recorded(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU), n = make_node((struct node){"a", "a = A()", AT, 1});
	pb_varint(&n, 13, (uint64_t)(AT * 1000 + 123));
	pb_varint(&n, 16, 1567);
	pb_message(&cpu, 2, &n);
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	assert_true(op("a")->total_ps == 1567 * 1000);
	assert_true(got->host.start_ns == AT * 1000 + 123);
}

/* By the op, whatever its node is called. */
static void waiting_for_input(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU);
	put_node(&cpu, (struct node){"in/next", "in/next = IteratorGetNext(it)", AT, 60});
	put_node(&cpu, (struct node){"fifo_queue_Dequeue", "fifo_queue_Dequeue = QueueDequeueManyV2(q, n)", AT + 60, 20});
	put_node(&cpu, (struct node){"mm", "mm = MatMul(x)", AT + 80, 20});
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	mk_assert_parts(got, 0, US, (const int64_t[TF_PART_COUNT]){[TF_PART_INPUT_WAIT] = 80, [TF_PART_HOST_COMPUTE] = 20});
}

/* ---- GPUs ---- */

/* A GPU whose kernel ran on stream 13, and a copy on stream 14, as TensorFlow 1 tells it: all streams and copies once more. */
static struct tf_buf gpu_run(void)
{
	struct tf_buf d[6] = {make_device(GPU), make_device("/device:GPU:0/stream:all"), make_device("/device:GPU:0/stream:13"),
			      make_device("/device:GPU:0/stream:14"), make_device("/device:GPU:0/memcpy"), make_device(CPU)};
	const struct node kernel = {"mm:MatMul", "gemm regs:32 static_shared:0 dynamic_shared:0 grid:4,1,1 block:64,1,1", AT + 20, 40};
	const struct node copy = {"in:MEMCPYHtoD", "[8B] in from cpu to gpu", AT + 70, 10};
	put_node(&d[0], (struct node){"mm", "mm = MatMul(x)", AT, 10});
	put_node(&d[1], kernel);
	put_node(&d[1], copy);
	put_node(&d[2], kernel);
	put_node(&d[3], copy);
	put_node(&d[4], copy);
	put_node(&d[5], (struct node){"end", "end = NoOp()", AT + 99, 1});
	return make_run(6, d);
}

static void streams_are_lines_of_their_gpu(void **state)
{
	(void)state;
	struct tf_buf run = gpu_run();
	decode_fine(&run);
	assert_int_equal(got->host.device_count, 1);
	const struct tf_device *gpu = &got->host.devices[0];
	assert_string_equal(gpu->name, "/device:GPU:0");
	assert_int_equal(gpu->ordinal, 0);
	/* 40 µs of kernel and 10 of copy in a step of 100, though most of it was told twice or three times */
	assert_true(gpu->window_ps == 100 * US && gpu->busy_ps == 50 * US && gpu->kernel_ps == 40 * US && gpu->memcpy_ps == 10 * US);
	assert_int_equal(got->host.kernel_count, 1);
	assert_string_equal(got->host.kernels[0].name, "gemm");
	assert_int_equal(got->host.kernels[0].count, 1);
	assert_string_equal(got->host.kernels[0].op, "mm");
	assert_int_equal(got->host.kernels[0].registers, 32);
	assert_string_equal(got->host.kernels[0].grid, "4,1,1");
	assert_int_equal(got->host.steps.list[0].kernel_count, 1);
	assert_false(got->host.steps.list[0].device_by_overlap);
}

static void all_streams_count_where_they_are_not_apart(void **state)
{
	(void)state;
	struct tf_buf d[3] = {make_device(CPU), make_device("/gpu:0/stream:all"), make_device("/gpu:0/memcpy")};
	put_node(&d[0], (struct node){"mm", "mm = MatMul(x)", AT, 100});
	put_node(&d[1], (struct node){"mm:MatMul", NULL, AT + 20, 40});
	put_node(&d[2], (struct node){"in:MEMCPYHtoD", NULL, AT + 70, 10});
	struct tf_buf run = make_run(3, d);
	decode_fine(&run);
	assert_true(got->host.devices[0].busy_ps == 50 * US && got->host.devices[0].memcpy_ps == 10 * US);
}

static void a_gpu_that_was_not_traced_is_one_still(void **state)
{
	(void)state;
	struct tf_buf gpu = make_device(GPU);
	put_node(&gpu, (struct node){"mm", "mm = MatMul(x)", AT, 10});
	struct tf_buf run = make_run(1, &gpu);
	decode_fine(&run);
	assert_int_equal(got->host.device_count, 1);
	assert_false(got->host.devices[0].traced);
	assert_string_equal(got->host.devices[0].reason, "device_not_traced");
}

static void waits_for_a_gpu_are_the_hosts(void **state)
{
	(void)state;
	struct tf_buf d[2] = {make_device("/device:GPU:0/sync"), make_device("/device:GPU:0/stream:7")};
	put_node(&d[0], (struct node){"cuStreamSynchronize", "ThreadId 7", AT, 90});
	put_node(&d[1], (struct node){"mm:MatMul", NULL, AT + 20, 40});
	struct tf_buf run = make_run(2, d);
	decode_fine(&run);
	assert_int_equal(got->host.device_count, 1);
	assert_true(got->host.devices[0].busy_ps == 40 * US);
}

/* ---- memory ---- */

static void allocations_give_the_peak_and_what_is_in_it(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU), a = make_node((struct node){"a", "a = A()", AT, 10}),
		      b = make_node((struct node){"b", "b = B(a)", AT + 20, 10});
	put_output(&a, "cpu", 10, 100);
	put_memory(&a, "cpu", 6000, 0, 4, (const int64_t[][2]){{1, 4000}, {2, 2000}, {5, -2000}, {40, -4000}});
	put_memory(&b, "cpu", 3000, 0, 2, (const int64_t[][2]){{21, 3000}, {22, -3000}});
	pb_message(&cpu, 2, &a);
	pb_message(&cpu, 2, &b);
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	assert_int_equal(got->host.memory_count, 1);
	const struct tf_allocator *m = &got->host.memory[0];
	assert_string_equal(m->name, "cpu");
	assert_true(m->peak_bytes == 7000 && m->peak_ps == 21 * US); /* 4000 of a and 3000 of b */
	assert_true(m->unmatched_frees == 0 && m->pre_existing_bytes == 0);
	assert_int_equal(m->at_peak_count, 2);
	assert_string_equal(m->at_peak[0].op, "a");
	assert_string_equal(m->at_peak[0].shape, "[10,100]");
	assert_string_equal(m->at_peak[0].dtype, "float");
	assert_string_equal(m->at_peak[0].region, "output");
	assert_string_equal(m->at_peak[1].op, "b");
	assert_string_equal(m->at_peak[1].region, "temp");
}

/* Nothing says what came of it later: the next step begins with nothing, and there is no leak. */
static void what_a_step_leaves_is_freed_at_its_end(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU), a = make_node((struct node){"a", "a = A()", AT, 10});
	put_memory(&a, "cpu", 4000, 0, 1, (const int64_t[][2]){{1, 4000}});
	pb_message(&cpu, 2, &a);
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	const struct tf_allocator *m = &got->host.memory[0];
	assert_true(m->peak_bytes == 4000);
	assert_int_equal(m->event_list_count, 2);
	assert_true(!m->events[1].alloc && m->events[1].ps == 10 * US);
}

static void what_was_there_before_is_told_by_the_allocator(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(GPU), a = make_node((struct node){"a", "a = A()", AT, 10}),
		      b = make_node((struct node){"b", "b = B()", AT + 20, 10});
	put_memory(&a, "GPU_0_bfc", 512, 90512, 1, (const int64_t[][2]){{1, 512}});
	put_memory(&b, "GPU_0_bfc", 256, 90512, 2, (const int64_t[][2]){{21, 256}, {22, -256}});
	pb_message(&cpu, 2, &a);
	pb_message(&cpu, 2, &b);
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	const struct tf_allocator *m = &got->host.memory[0];
	assert_true(m->on_device && m->peak_bytes == 90512 && m->pre_existing_bytes == 90000);
	assert_int_equal(m->ties, 1);
}

/* In one microsecond: what was there goes first, what is allocated and freed in it still counts. */
static void one_microsecond(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU), a = make_node((struct node){"a", "a = A()", AT, 10});
	put_memory(&a, "cpu", 0, 0, 6, (const int64_t[][2]){{1, 1000}, {5, -1000}, {5, 900}, {5, -900}, {5, 50}, {5, -7}});
	pb_message(&cpu, 2, &a);
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	assert_true(got->host.memory[0].peak_bytes == 1000);
	assert_int_equal(got->host.memory[0].unmatched_frees, 1);
}

/* ---- damage ---- */

static void without_statistics_there_is_nothing(void **state)
{
	(void)state;
	struct tf_buf graph = {0};
	pb_text(&graph, 3, "");
	assert_int_equal(decode(&graph), -1);
	assert_int_equal(err.code, TF_EFORMAT);
	tf_buf_release(&graph);
}

static void statistics_alone_are_read_too(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU), stats = {0};
	put_node(&cpu, (struct node){"a", "a = A()", AT, 10});
	pb_message(&stats, 1, &cpu);
	assert_true(tf_is_step_stats(pb_view(&stats)));
	decode_fine(&stats);
	assert_int_equal(op("a")->count, 1);
}

static void a_bad_node_costs_itself(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU), bad = {0};
	put_node(&cpu, (struct node){"a", "a = A()", AT, 10});
	pb_text(&bad, 1, "b");
	tf_buf_char(&bad, '\x07'); /* a wire type that is none */
	pb_message(&cpu, 2, &bad);
	put_node(&cpu, (struct node){"c", "c = C()", AT + 20, 10});
	struct tf_buf run = make_run(1, &cpu);
	assert_int_equal(decode(&run), 0);
	assert_int_equal(file.issue_total, 1);
	assert_int_equal(file.issues[0].code, TF_ISSUE_PROTO_ERROR);
	assert_int_equal(((uint8_t *)run.data)[file.issues[0].offset], 7);
	tf_buf_release(&run);
	assert_int_equal(file.records, 2);
	assert_true(got->trace->truncated);
}

static void every_prefix_is_read_to_its_end_and_told(void **state)
{
	struct tf_buf run = gpu_run();
	int64_t before = 0;

	for (size_t n = 1; n < run.len; n++) {
		reset(state);
		struct tf_buf prefix = {.data = run.data, .len = n};
		if (decode(&prefix) == 0) {
			assert_true(file.issue_total == 1 && file.issues[0].code == TF_ISSUE_TRUNCATED);
			assert_int_equal(file.tail, TF_TAIL_PARTIAL_RECORD);
			assert_true(file.records >= before && file.records <= 7);
			before = file.records;
		} else {
			assert_int_equal(before, 0);
		}
	}
	assert_int_equal(before, 6);
	tf_buf_release(&run);
}

static void absurd_times_take_part_in_nothing(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU);
	put_node(&cpu, (struct node){"a", "a = A()", AT, 10});
	put_node(&cpu, (struct node){"b", "b = B()", INT64_MAX, INT64_MAX});
	put_node(&cpu, (struct node){"c", "c = C()", AT, -5});
	put_node(&cpu, (struct node){"d", "d = D()", -AT, 5});
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	assert_int_equal(got->trace->anomaly_count, 3);
	assert_true(got->host.steps.list[0].step_ps == 10 * US);
}

static void absurd_sizes_take_part_in_nothing(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU), a = make_node((struct node){"a", "a = A()", AT, 10});
	put_memory(&a, "cpu", INT64_MAX, 0, 5,
		   (const int64_t[][2]){{1, 4000}, {2, INT64_MAX}, {3, INT64_MIN}, {4, INT64_MIN + 1}, {5, -4000}});
	pb_message(&cpu, 2, &a);
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	assert_true(got->host.memory[0].peak_bytes == 4000);
}

/* As many lines as threads, however many nodes claim to run at once. */
static void forged_nodes_do_not_cost_lines(void **state)
{
	(void)state;
	struct tf_buf cpu = make_device(CPU);
	for (int i = 0; i < 3000; i++)
		put_node(&cpu, (struct node){"a", "a = A()", AT, 10});
	struct tf_buf run = make_run(1, &cpu);
	decode_fine(&run);
	assert_int_equal(got->trace->planes[0].line_count, 512);
	assert_int_equal(op("a")->count, 3000);
}

/* ---- event files ---- */

static void put_event(struct tf_buf *events, int64_t step, const char *tag, struct tf_buf *run)
{
	struct tf_buf tagged = {0}, event = {0};
	pb_double(&event, 1, (double)AT / 1e6);
	if (step)
		pb_varint(&event, 2, (uint64_t)step);
	pb_text(&tagged, 1, tag);
	pb_message(&tagged, 2, run);
	pb_message(&event, 8, &tagged);
	pb_record(events, &event);
	tf_buf_release(&event);
}

/* One node of `dur_us`, and a kernel inside it of half of that. */
static struct tf_buf small_run(int64_t start_us, int64_t dur_us)
{
	struct tf_buf d[2] = {make_device(CPU), make_device("/device:GPU:0/stream:1")};
	put_node(&d[0], (struct node){"mm", "mm = MatMul(x)", start_us, dur_us});
	put_node(&d[1], (struct node){"mm:MatMul", "gemm", start_us, dur_us / 2});
	return make_run(2, d);
}

static void decode_events(struct tf_buf *events)
{
	struct tf_trace *t = mk_trace();
	assert_int_equal(tf_decode_event_runs(pb_view(events), t, &file, &arena, &err), 0);
	tf_buf_release(events);
	got = mk_analyze(t, NULL);
}

static void each_run_of_an_event_file_is_a_step(void **state)
{
	(void)state;
	struct tf_buf events = {0};
	pb_version(&events);
	for (int64_t i = 1; i <= 3; i++) {
		struct tf_buf run = small_run(AT + i * 1000000, i * 100);
		pb_scalar(&events, 1, i, "loss", 1);
		put_event(&events, i * 10, "step", &run);
	}
	decode_events(&events);
	assert_int_equal(got->host.steps.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(got->host.steps.list[i].number, 10 * (i + 1));
		assert_true(got->host.steps.list[i].step_ps == (int64_t)(i + 1) * 100 * US);
		assert_int_equal(got->host.steps.list[i].kernel_count, 1);
		assert_true(got->host.steps.list[i].period_ps == TF_NONE); /* nine others ran in between */
	}
	assert_int_equal(op("mm")->count, 3);
}

/* What ran between the steps was not recorded: it is neither idle nor busy. */
static void what_lies_between_steps_is_not_idle(void **state)
{
	(void)state;
	struct tf_buf events = {0};
	for (int64_t i = 0; i < 4; i++) {
		struct tf_buf run = small_run(AT + i * 1000000, 100);
		put_event(&events, i + 1, "s", &run);
	}
	decode_events(&events);
	const struct tf_device *gpu = &got->host.devices[0];
	assert_string_equal(gpu->window_source, "each_step");
	assert_true(gpu->window_ps == 400 * US && gpu->busy_ps == 200 * US && gpu->idle_ratio == 0.5);
	assert_int_equal(gpu->gap_total, 4);
	assert_true(gpu->gaps[3].dur_ps == 50 * US);
	assert_true(op("IDLE")->total_ps == 0);
	assert_true(got->host.steps.list[0].period_ps == 1000000 * US || got->host.steps.list[1].period_ps == 1000000 * US);
}

static void a_tag_may_tell_the_step(void **state)
{
	(void)state;
	struct tf_buf events = {0};
	for (int64_t i = 0; i < 2; i++) {
		struct tf_buf run = small_run(AT + i * 1000000, 100);
		put_event(&events, 0, i ? "step_120" : "step_7", &run);
	}
	decode_events(&events);
	assert_int_equal(got->host.steps.list[0].number, 7);
	assert_int_equal(got->host.steps.list[1].number, 120);
}

static void of_one_tag_and_step_the_last_counts(void **state)
{
	(void)state;
	struct tf_buf events = {0};
	for (int64_t i = 0; i < 3; i++) {
		struct tf_buf run = small_run(AT + i * 1000000, 100 * (i + 1));
		put_event(&events, 5, "a", &run);
	}
	decode_events(&events);
	assert_int_equal(got->host.steps.count, 1);
	assert_true(got->host.steps.list[0].step_ps == 300 * US);
}

static void an_event_file_without_any_is_no_capture(void **state)
{
	(void)state;
	struct tf_buf events = {0}, empty = {0};
	pb_version(&events);
	pb_scalar(&events, 1, 1, "loss", 1);
	put_event(&events, 1, "a", &empty);
	decode_events(&events);
	assert_int_equal(got->trace->events.count, 0);
}

/* Damage is told by its place in the event file. */
static void damage_in_an_event(void **state)
{
	(void)state;
	struct tf_buf events = {0}, cpu = make_device(CPU), bad = {0};
	pb_version(&events);
	pb_text(&bad, 1, "b");
	tf_buf_char(&bad, '\x07');
	pb_message(&cpu, 2, &bad);
	put_node(&cpu, (struct node){"a", "a = A()", AT, 10});
	struct tf_buf run = make_run(1, &cpu);
	put_event(&events, 1, "a", &run);
	struct tf_trace *t = mk_trace();
	assert_int_equal(tf_decode_event_runs(pb_view(&events), t, &file, &arena, &err), 0);
	got = mk_analyze(t, NULL);
	assert_int_equal(file.issue_total, 1);
	assert_int_equal(((uint8_t *)events.data)[file.issues[0].offset], 7);
	tf_buf_release(&events);
	assert_int_equal(got->host.steps.count, 1);
}

#define TEST(f) cmocka_unit_test_setup(f, reset)
int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_of_devices),
		TEST(labels_of_nodes),
		TEST(labels_of_kernels),
		TEST(a_node_is_an_op_of_one_step),
		TEST(nodes_that_run_at_once_do_not_nest),
		TEST(nanoseconds_where_they_are_recorded),
		TEST(waiting_for_input),
		TEST(streams_are_lines_of_their_gpu),
		TEST(all_streams_count_where_they_are_not_apart),
		TEST(a_gpu_that_was_not_traced_is_one_still),
		TEST(waits_for_a_gpu_are_the_hosts),
		TEST(allocations_give_the_peak_and_what_is_in_it),
		TEST(what_a_step_leaves_is_freed_at_its_end),
		TEST(what_was_there_before_is_told_by_the_allocator),
		TEST(one_microsecond),
		TEST(without_statistics_there_is_nothing),
		TEST(statistics_alone_are_read_too),
		TEST(a_bad_node_costs_itself),
		TEST(every_prefix_is_read_to_its_end_and_told),
		TEST(absurd_times_take_part_in_nothing),
		TEST(absurd_sizes_take_part_in_nothing),
		TEST(forged_nodes_do_not_cost_lines),
		TEST(each_run_of_an_event_file_is_a_step),
		TEST(what_lies_between_steps_is_not_idle),
		TEST(a_tag_may_tell_the_step),
		TEST(of_one_tag_and_step_the_last_counts),
		TEST(an_event_file_without_any_is_no_capture),
		TEST(damage_in_an_event),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	reset(NULL);
	return rc;
}
