/* lib/decode/timeline: what chrome://tracing was given of TensorFlow 1's steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/decode/trace_json.h"
#include "tests/unit/support_analyze.h"

#define PROCESS(pid, name) "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" #pid ",\"args\":{\"name\":\"" name "\"}},"
#define OP(pid, tid, name, op, ts, dur) \
	"{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"" op "\",\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur \
	",\"args\":{\"name\":\"" name "\",\"op\":\"" op "\",\"input0\":\"x\"}},"
#define TENSOR(ph, name, id, ts, rest) "{\"ph\":\"" ph "\",\"cat\":\"Tensor\",\"name\":\"" name "\",\"pid\":2,\"tid\":0,\"ts\":" #ts ",\"id\":" #id rest "},"
#define SNAPSHOT(bytes, dims) \
	",\"args\":{\"snapshot\":{\"tensor_description\":\"dtype: DT_FLOAT\\nshape {\\n" dims "}\\nallocation_description {\\n  requested_bytes: " #bytes \
	"\\n  allocator_name: cpu\\n  ptr: 12\\n}\\n\"}}"
#define DIM(size) "  dim {\\n    size: " #size "\\n  }\\n"
#define CPU PROCESS(1, "/job:localhost/replica:0/task:0/device:CPU:0 Compute")

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

static void decode(const char *events)
{
	struct tf_buf b = {0};
	struct tf_stored stored = {.fd = -1};
	struct tf_stream stream;
	struct tf_trace *t = mk_trace();

	tf_buf_printf(&b, "{\"traceEvents\":[%s]}", events);
	stored.bytes = (struct tf_bytes){(uint8_t *)b.data, b.len};
	assert_int_equal(tf_stream_open(&stream, &stored, &err), 0);
	assert_int_equal(tf_decode_trace_json(&stream, t, &file, &arena, &err), 0);
	tf_stream_close(&stream);
	tf_buf_release(&b);
	got = mk_analyze(t, NULL);
}

static const struct tf_op *op(const char *side, const char *name)
{
	for (size_t i = 0; i < got->host.op_count; i++)
		if (strcmp(got->host.ops[i].side, side) == 0 && strcmp(got->host.ops[i].name, name) == 0)
			return &got->host.ops[i];
	fail_msg("no op '%s'", name);
	return NULL;
}

static void its_ops_are_those_of_one_step(void **state)
{
	(void)state;
	decode(CPU OP(1, 0, "_SOURCE", "NoOp", 1700000000000000, 1) OP(1, 0, "a/mm", "MatMul", 1700000000000010, 20)
		       OP(1, 1, "b", "unknown", 1700000000000015, 5));
	assert_string_equal(op("host", "a/mm")->type, "MatMul");
	assert_true(op("host", "a/mm")->total_ps == 20 * US);
	assert_int_equal(op("host", "b")->count, 1); /* by its name alone */
	assert_int_equal(got->host.steps.count, 1);
	assert_true(got->host.steps.list[0].step_ps == 30 * US);
	assert_string_equal(got->host.framework, "tensorflow");
	mk_assert_parts(got, 0, US, (const int64_t[TF_PART_COUNT]){[TF_PART_HOST_COMPUTE] = 21, [TF_PART_OTHER] = 9});
}

static void streams_are_lines_of_their_gpu(void **state)
{
	(void)state;
	decode(PROCESS(1, "/job:localhost/replica:0/task:0/device:GPU:0 Compute") PROCESS(3, "/device:GPU:0/stream:all Compute")
	       PROCESS(5, "/device:GPU:0/stream:13 Compute") PROCESS(7, "/device:GPU:0/stream:14<MemcpyH2D> Compute")
	       PROCESS(9, "/device:GPU:0/memcpy Compute") PROCESS(6, "/device:GPU:0/stream:13 Tensors")
	       OP(1, 0, "mm", "MatMul", 1700000000000000, 100) OP(3, 0, "mm", "MatMul", 1700000000000020, 40)
	       OP(5, 0, "mm", "MatMul", 1700000000000020, 40) OP(7, 0, "x", "_Send", 1700000000000070, 10)
	       OP(9, 0, "x", "_Send", 1700000000000070, 10));
	assert_int_equal(got->host.device_count, 1);
	const struct tf_device *gpu = &got->host.devices[0];
	assert_string_equal(gpu->name, "/device:GPU:0");
	assert_true(gpu->window_ps == 100 * US && gpu->busy_ps == 50 * US && gpu->kernel_ps == 40 * US && gpu->memcpy_ps == 10 * US);
	assert_int_equal(got->host.kernel_count, 1);
	assert_string_equal(got->host.kernels[0].op, "mm");
	assert_int_equal(op("device", "mm")->count, 1);
	assert_int_equal(op("host", "mm")->count, 1);
}

static void tensors_give_the_peak(void **state)
{
	(void)state;
	decode(CPU PROCESS(2, "/job:localhost/replica:0/task:0/device:CPU:0 Tensors")
	       OP(1, 0, "a", "A", 1700000000000000, 10) OP(1, 0, "b", "B", 1700000000000020, 10)
	       TENSOR("N", "a", 0, 1700000000000000, "") TENSOR("O", "a", 0, 1700000000000009, SNAPSHOT(4000, DIM(10) DIM(100)))
	       TENSOR("N", "b", 1, 1700000000000020, "") TENSOR("O", "b", 1, 1700000000000029, SNAPSHOT(3000, "  dim {\\n  }\\n"))
	       TENSOR("N", "c", 2, 1700000000000025, "") TENSOR("O", "c", 2, 1700000000000025, SNAPSHOT(9000, ""))
	       TENSOR("D", "a", 0, 1700000000000025, "") TENSOR("D", "b", 1, 1700000000000030, "") TENSOR("D", "c", 2, 1700000000000025, ""));
	assert_int_equal(got->host.memory_count, 1);
	const struct tf_allocator *m = &got->host.memory[0];
	assert_string_equal(m->name, "cpu");
	assert_true(m->peak_bytes == 7000 && m->peak_ps == 20 * US); /* c lived for no time at all */
	assert_true(m->unmatched_frees == 0 && m->pre_existing_bytes == 0);
	assert_int_equal(m->at_peak_count, 2);
	assert_string_equal(m->at_peak[0].op, "a");
	assert_string_equal(m->at_peak[0].shape, "[10,100]");
	assert_string_equal(m->at_peak[0].dtype, "float");
	assert_string_equal(m->at_peak[1].shape, "[0]");
}

/* People append the events of several steps to one file: whose an op is, nothing tells. */
static void of_several_steps_none_is_told(void **state)
{
	(void)state;
	decode(CPU OP(1, 0, "_SOURCE", "NoOp", 1700000000000000, 1) OP(1, 0, "a", "A", 1700000000000010, 20)
		       OP(1, 0, "_SOURCE", "NoOp", 1700000001000000, 1) OP(1, 0, "a", "A", 1700000001000010, 20));
	assert_int_equal(got->host.steps.count, 0);
	assert_string_equal(got->host.steps.reason, "no_step_marker");
	assert_int_equal(op("host", "a")->count, 2);
}

/* Two executors begin once each. */
static void several_executors_are_one_step(void **state)
{
	(void)state;
	decode(CPU PROCESS(3, "/job:localhost/replica:0/task:0/device:GPU:0 Compute") OP(1, 0, "_SOURCE", "NoOp", 1700000000000000, 1)
		       OP(3, 0, "_SOURCE", "NoOp", 1700000000000003, 1));
	assert_int_equal(got->host.steps.count, 1);
	assert_string_equal(got->host.devices[0].reason, "device_not_traced");
}

static void others_may_call_a_category_op(void **state)
{
	(void)state;
	decode("{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"mine\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1,\"args\":{\"name\":7}},"
	       "{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"yours\",\"pid\":1,\"tid\":1,\"ts\":7,\"dur\":1},"
	       TENSOR("O", "t", 1, 5, SNAPSHOT(9, "")));
	assert_int_equal(got->trace->events.count, 2);
	assert_int_equal(got->host.steps.count, 0);
	assert_int_equal(got->host.memory_count, 0);
}

static void odd_tensors_do_no_harm(void **state)
{
	(void)state;
	decode(CPU OP(1, 0, "a", "A", 1700000000000000, 10)
	       TENSOR("D", "t", 9, 5, "") TENSOR("O", "t", 1, 1700000000000001, "") TENSOR("O", "t", 1, 1700000000000001, ",\"args\":{\"snapshot\":3}")
	       TENSOR("O", "t", 1, 1700000000000001, SNAPSHOT(-5, "")) TENSOR("O", "t", 1, 1700000000000001, SNAPSHOT(99999999999999999999, ""))
	       TENSOR("O", "t", 2, 1700000000000001, SNAPSHOT(9223372036854775807, "")) TENSOR("O", "t", 3, -9000000000000000000, SNAPSHOT(64, ""))
	       TENSOR("N", "t", 4, 1700000000000002, "") TENSOR("O", "t", 4, 1700000000000002, SNAPSHOT(32, "")) TENSOR("D", "t", 4, 1700000000000001, ""));
	assert_int_equal(file.issue_total, 0);
	assert_true(got->host.anomaly_count > 0); /* 2⁶³ − 1 bytes */
	assert_true(got->host.memory[0].peak_bytes <= 96);
}

#define TEST(f) cmocka_unit_test_setup(f, reset)
int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(its_ops_are_those_of_one_step),
		TEST(streams_are_lines_of_their_gpu),
		TEST(tensors_give_the_peak),
		TEST(of_several_steps_none_is_told),
		TEST(several_executors_are_one_step),
		TEST(others_may_call_a_category_op),
		TEST(odd_tensors_do_no_harm),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	reset(NULL);
	return rc;
}
