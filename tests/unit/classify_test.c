/* What kind of work an event is (METRICS.md §3, §4): by name, details, shape; and the search in names below it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/analyze/classify.h"
#include "tests/unit/support_analyze.h"

/* A GPU with one event of this name and these stats, analysed. */
static struct mk_analysis *on_gpu(const char *name, const char *stats)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/device:GPU:0", "");
	mk_line(t, 1, "Stream #1", 0);
	mk_event(t, name, 0, 10, stats);
	return mk_analyze(t, NULL);
}

static void is_work(const char *name, const char *stats, enum tf_work work)
{
	struct mk_analysis *a = on_gpu(name, stats);

	if (tf_device_work(&a->d, 0) != work)
		fail_msg("'%s' (%s): %d instead of %d", name, stats, tf_device_work(&a->d, 0), work);
	mk_analysis_free(a);
}

static void copies_by_the_names_of_all_writers(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum tf_work work;
	} cases[] = {
		{"MemcpyH2D", TF_WORK_H2D},	      {"MemcpyHToD", TF_WORK_H2D},	  {"Memcpy HtoD (Pinned -> Device)", TF_WORK_H2D},
		{"CopyHostToDevice", TF_WORK_H2D},    {"MemcpyD2H", TF_WORK_D2H},	  {"MemcpyDToH", TF_WORK_D2H},
		{"Memcpy DtoH (Device -> Pageable)", TF_WORK_D2H}, {"CopyDeviceToHost", TF_WORK_D2H}, {"MemcpyD2D", TF_WORK_D2D},
		{"Memcpy DtoD (Device -> Device)", TF_WORK_D2D}, {"MemcpyP2P", TF_WORK_D2D}, {"Memcpy PtoP (Device -> Device)", TF_WORK_D2D},
		{"MemcpyOther", TF_WORK_D2D},	      {"memcpyh2d", TF_WORK_H2D},	  {"Memset", TF_WORK_SET},
		{"Memset (Device)", TF_WORK_SET},     {"MyMemcpyH2D", TF_WORK_KERNEL},	  {"Memcpy", TF_WORK_KERNEL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		is_work(cases[i].name, "", cases[i].work);
}

static void collectives_by_the_names_of_all_writers(void **state)
{
	(void)state;
	static const char *const names[] = {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "rcclKernel", "all-reduce.1", "fused_AllReduce",
					    "all_gather_start", "reduce-scatter", "ReduceScatter", "all-to-all.3", "alltoall", "SendRecv",
					    "send-recv-done", "collective-permute-start", "NCCL"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		is_work(names[i], "", TF_WORK_COMM);
	is_work("reduce_sum", "", TF_WORK_KERNEL);
	is_work("gather", "", TF_WORK_KERNEL);
}

static void details_tell_what_the_name_leaves_open(void **state)
{
	(void)state;
	static const struct {
		const char *stats;
		enum tf_work work;
	} cases[] = {
		{"memcpy_details=kind_src:pageable kind_dst:device size:400", TF_WORK_H2D},
		{"memcpy_details=kind_src:device kind_dst:pinned size:400", TF_WORK_D2H},
		{"memcpy_details=kind_src:device kind_dst:device size:400", TF_WORK_D2D},
		{"memcpy_details=kind_src:pinned kind_dst:pinned size:400", TF_WORK_D2D},
		{"Memset_details=kind:device num_bytes:4", TF_WORK_SET},
		{"memset_details=kind:device num_bytes:4", TF_WORK_SET},
		{"kernel_details=regs:32", TF_WORK_KERNEL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		is_work("some_work", cases[i].stats, cases[i].work);
	is_work("MemcpyD2H", "memcpy_details=kind_src:pageable kind_dst:device", TF_WORK_D2H); /* the name decides */
}

static void sixteen_bits_by_shape_else_by_name(void **state)
{
	(void)state;
	static const struct {
		const char *name, *stats;
		bool is_16_bit;
	} cases[] = {
		{"gemm_fp16", "", true},   {"gemm_bf16", "", true}, {"half_gemm", "", true},	     {"Bfloat16Gemm", "", true},
		{"sgemm", "", false},	   {"gemm_f16", "", false}, {"fp16_gemm", "shape=f32[2]", false}, {"sgemm", "shape=f16[2]", true},
		{"gemm f16[2]", "", false}, /* only a shape writes it so */
		{"sgemm", "shape=(bf16[2],f32[2])", true}, {"fp16_gemm", "shape=", true}, /* an empty shape says nothing */
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mk_analysis *a = on_gpu(cases[i].name, cases[i].stats);
		if (tf_is_16_bit(&a->d, 0) != cases[i].is_16_bit)
			fail_msg("'%s' (%s)", cases[i].name, cases[i].stats);
		mk_analysis_free(a);
	}
}

static void device_work_fills_its_part(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum tf_part part;
	} cases[] = {
		{"MemcpyH2D", TF_PART_HOST_TO_DEVICE},	{"MemcpyD2H", TF_PART_DEVICE_TO_HOST}, {"MemcpyD2D", TF_PART_DEVICE_TO_DEVICE},
		{"ncclKernel", TF_PART_DEVICE_COLLECTIVES}, {"Memset", TF_PART_DEVICE_COMPUTE_32}, {"sgemm", TF_PART_DEVICE_COMPUTE_32},
		{"hgemm_fp16", TF_PART_DEVICE_COMPUTE_16},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mk_analysis *a = on_gpu(cases[i].name, "");
		assert_int_equal(tf_device_part(&a->d, 0), cases[i].part);
		mk_analysis_free(a);
	}
}

static void kernels_compute_or_communicate_and_take_time(void **state)
{
	(void)state;
	static const struct {
		const char *plane, *name;
		int64_t dur_ps;
		bool kernel;
	} cases[] = {
		{"/device:GPU:0", "sgemm", 1, true},	      {"/device:GPU:0", "ncclKernel", 1, true}, {"/device:GPU:0", "MemcpyH2D", 1, false},
		{"/device:GPU:0", "Memset", 1, false},	      {"/device:GPU:0", "sgemm", 0, false},	{"/device:GPU:0", "sgemm", -1, false},
		{"/device:CUSTOM:0", "sgemm", 1, true},	      {"/device:TPU:0", "fusion", 1, false},	{"/host:CPU", "sgemm", 1, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = mk_trace();
		mk_plane(t, cases[i].plane, "");
		mk_line(t, 1, "Stream #1", 0);
		mk_event(t, cases[i].name, 0, cases[i].dur_ps, "");
		struct mk_analysis *a = mk_analyze(t, NULL);
		if (tf_is_kernel(&a->d, &t->planes[0], 0) != cases[i].kernel)
			fail_msg("%s on %s, %lld", cases[i].name, cases[i].plane, (long long)cases[i].dur_ps);
		mk_analysis_free(a);
	}
}

static void the_op_of_device_work(void **state)
{
	(void)state;
	static const struct {
		const char *stats, *framework, *hlo;
	} cases[] = {
		{"tf_op=dense/MatMul:MatMul", "dense/MatMul:MatMul", ""},
		{"hlo_op=fusion.1", "", "fusion.1"},
		{"tf_op=a:B;hlo_op=fusion.1", "a:B", "fusion.1"},
		{"tf_op=XlaModule:#hlo_module=jit_f#;hlo_op=fusion.1", "", "fusion.1"},
		{"tf_op=XlaModule:", "", ""},
		{"", "", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mk_analysis *a = on_gpu("k", cases[i].stats);
		uint32_t framework, hlo;
		bool any = tf_device_op(a->trace, 0, &framework, &hlo);
		assert_int_equal(any, *cases[i].framework || *cases[i].hlo);
		assert_string_equal(tf_strtab_text(&a->trace->strings, framework), cases[i].framework);
		assert_string_equal(tf_strtab_text(&a->trace->strings, hlo), cases[i].hlo);
		mk_analysis_free(a);
	}
}

/* A host with one event; without a group it is no root. */
static enum tf_part host_part(const char *name, const char *stats, bool has_device)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "main", 0);
	mk_event(t, name, 0, 10, stats);
	struct mk_analysis *a = mk_analyze(t, NULL);
	enum tf_part part = tf_host_part(&a->d, 0, has_device);
	mk_analysis_free(a);
	return part;
}

static void host_work_fills_its_part(void **state)
{
	(void)state;
	static const struct {
		const char *name, *stats;
		bool has_device;
		enum tf_part part;
	} cases[] = {
		{"dense/MatMul:MatMul", "", false, TF_PART_HOST_COMPUTE},
		{"cuLaunchKernel", "correlation_id=7", true, TF_PART_KERNEL_LAUNCH},
		{"cuLaunchKernel", "correlation_id=7", false, TF_PART_HOST_COMPUTE}, /* nothing to launch on */
		{"ExecutorState::Process", "", true, TF_PART_KERNEL_LAUNCH},
		{"ExecutorState::Process", "", false, TF_PART_HOST_COMPUTE},
		{"IteratorGetNext:IteratorGetNext", "", true, TF_PART_INPUT_WAIT},
		{"MultiDeviceIteratorGetNextFromShard", "", false, TF_PART_INPUT_WAIT},
		{"stage", "_ipl_stage_name=map", false, TF_PART_INPUT_WAIT},
		{"infeed:InfeedEnqueueTuple", "", false, TF_PART_HOST_TO_DEVICE},
		{"EagerExecute: MatMul", "", false, TF_PART_COUNT},
		{"EagerLocalExecute: MatMul", "", false, TF_PART_COUNT},
		{"EagerKernelExecute", "", false, TF_PART_COUNT},
		{"FunctionRun", "", false, TF_PART_COUNT},
		{"train", "", false, TF_PART_COUNT},
		{"test_step", "", false, TF_PART_COUNT},
		{"train/op:MatMul", "", false, TF_PART_HOST_COMPUTE}, /* an op in a scope of that name */
		{"anything", "step_num=3", false, TF_PART_COUNT},
		{"anything", "_r=1", false, TF_PART_COUNT},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (host_part(cases[i].name, cases[i].stats, cases[i].has_device) != cases[i].part)
			fail_msg("'%s' (%s)", cases[i].name, cases[i].stats);
}

static void a_device_has_events_if_a_raw_line_has(void **state)
{
	(void)state;
	static const struct {
		const char *plane, *line;
		int64_t dur_ps;
		bool has;
	} cases[] = {
		{"/device:GPU:0", "Stream #1", 1, true}, {"/device:GPU:0", "Steps", 1, false}, {"/device:GPU:0", "Stream #1", -1, false},
		{"/host:CPU", "Stream #1", 1, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_trace *t = mk_trace();
		mk_plane(t, cases[i].plane, "");
		mk_line(t, 1, cases[i].line, 0);
		mk_event(t, "k", 0, cases[i].dur_ps, "");
		mk_finish(t);
		assert_int_equal(tf_has_device_events(t), cases[i].has);
		mk_free(t);
	}
}

static void words_are_found_anywhere_in_any_case(void **state)
{
	(void)state;
	static const char *const needles[] = {"nccl", "all-reduce"};
	assert_true(tf_bytes_contain_any(tf_bytes_of("xxNcClyy"), needles, 2));
	assert_true(tf_bytes_contain_any(tf_bytes_of("ALL-REDUCE"), needles, 2));
	assert_true(tf_bytes_contain_any(tf_bytes_of("nncclx"), needles, 2)); /* a false start */
	assert_false(tf_bytes_contain_any(tf_bytes_of("ncc"), needles, 2));
	assert_false(tf_bytes_contain_any(tf_bytes_of(""), needles, 2));
	assert_false(tf_bytes_contain_any(tf_bytes_of("nccl"), needles, 0));
	assert_true(tf_bytes_contain(tf_bytes_of("abc"), "BC"));
}

/* Bytes are not terminated: what lies behind them does not count. */
static void words_end_with_the_bytes(void **state)
{
	(void)state;
	assert_false(tf_bytes_contain((struct tf_bytes){(const uint8_t *)"nccl", 3}, "nccl"));
	assert_true(tf_bytes_contain((struct tf_bytes){(const uint8_t *)"a\0nccl", 6}, "nccl"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_by_the_names_of_all_writers),
		cmocka_unit_test(collectives_by_the_names_of_all_writers),
		cmocka_unit_test(details_tell_what_the_name_leaves_open),
		cmocka_unit_test(sixteen_bits_by_shape_else_by_name),
		cmocka_unit_test(device_work_fills_its_part),
		cmocka_unit_test(kernels_compute_or_communicate_and_take_time),
		cmocka_unit_test(the_op_of_device_work),
		cmocka_unit_test(host_work_fills_its_part),
		cmocka_unit_test(a_device_has_events_if_a_raw_line_has),
		cmocka_unit_test(words_are_found_anywhere_in_any_case),
		cmocka_unit_test(words_end_with_the_bytes),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
