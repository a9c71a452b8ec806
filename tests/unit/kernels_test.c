/* Kernels: rows, launch details, matrix units (METRICS.md §7; cases C57, C58, C60). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/analyze/kernel_names.h"
#include "tests/unit/support_analyze.h"

static struct tf_trace *gpu(const char *stats)
{
	struct tf_trace *t = mk_trace();

	mk_plane(t, "/device:GPU:0", stats);
	mk_line(t, 7, "Stream #7(Compute)", 0);
	return t;
}

static const struct tf_kernel *kernel(const struct mk_analysis *a, const char *name)
{
	const struct tf_kernel *found = NULL;

	for (size_t i = 0; i < a->host.kernel_count; i++)
		if (strcmp(a->host.kernels[i].name, name) == 0) {
			if (found)
				fail_msg("two rows of '%s'", name);
			found = &a->host.kernels[i];
		}
	if (!found)
		fail_msg("no kernel '%s'", name);
	return found;
}

static void c57_kernels_by_time_with_their_launch(void **state)
{
	struct tf_trace *t = gpu("");

	(void)state;
	mk_event(t, "kernel_name_shortest", 10000, 1000,
		 "tf_op=mul_786;kernel_details=regs:16 dynamic_shared:0 grid:1,1,1 block:1,1,1 occ_pct:50.0");
	mk_event(t, "kernel_name_middle", 20000, 2000,
		 "tf_op=Conv2D;kernel_details=regs:32\ndynamic_shared:16384\ngrid:2,1,1\nblock:32,1,1\nocc_pct=13.0");
	mk_event(t, "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn", 30000, 3000,
		 "tf_op=Einsum_80;kernel_details=regs:32\ngrid:3,1,1\nblock:64,1,1\nocc_pct:25.0");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 3);
	const struct tf_kernel *volta = &a->host.kernels[0], *middle = &a->host.kernels[1], *shortest = &a->host.kernels[2];
	assert_string_equal(volta->name, "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn");
	assert_int_equal(volta->total_ps, 3000);
	assert_true(volta->tensor_core);
	assert_string_equal(volta->grid, "3,1,1");
	assert_string_equal(volta->block, "64,1,1");
	assert_string_equal(middle->name, "kernel_name_middle");
	assert_int_equal(middle->registers, 32);
	assert_int_equal(middle->shared_bytes, 16384);
	assert_string_equal(middle->op, "Conv2D");
	assert_true(isnan(middle->occupancy)); /* "occ_pct=13.0" is no token; XProf: 0 */
	assert_false(middle->tensor_core);
	assert_string_equal(shortest->name, "kernel_name_shortest");
	assert_true(shortest->occupancy == 0.5);
	mk_analysis_free(a);
}

static void assert_triple(const int64_t n[3], int64_t x, int64_t y, int64_t z)
{
	assert_true(n[0] == x && n[1] == y && n[2] == z);
}

static struct tf_launch launch(const char *details)
{
	return tf_launch_parse(tf_bytes_of(details));
}

static void c58_unknown_tokens_are_passed_over(void **state)
{
	(void)state;
	assert_triple(launch("odd grid:3,2,1").grid, 3, 2, 1);
	assert_triple(launch("block:6,5,4 odd ").block, 6, 5, 4);
	struct tf_launch both = launch("block:1,2,3 odd grid:4,5,6");
	assert_triple(both.block, 1, 2, 3);
	assert_triple(both.grid, 4, 5, 6);
	struct tf_launch shared = launch("static_shared:7 dynamic_shared:8");
	assert_int_equal(shared.static_bytes, 7);
	assert_int_equal(shared.dynamic_bytes, 8);
}

static void c58_a_whole_launch(void **state)
{
	struct tf_launch l = launch("regs:10 static_shared:128 dynamic_shared:256 grid:3,2,1 block:32,8,4 occ_pct:50");

	(void)state;
	assert_int_equal(l.registers, 10);
	assert_int_equal(l.static_bytes + l.dynamic_bytes, 384);
	assert_triple(l.grid, 3, 2, 1);
	assert_triple(l.block, 32, 8, 4);
	assert_true(l.occupancy == 0.5);
}

static void malformed_tokens_are_passed_over(void **state)
{
	static const char *const bad[] = {"grid:1,2", "grid:1,2,3,4", "grid:1,-2,3", "grid:1,x,3", "grid:,,", "grid::1,2,3"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(launch(bad[i]).has_grid);
	assert_int_equal(launch("regs:-1").registers, TF_NONE);
	assert_int_equal(launch("regs:99999999999999999999").registers, TF_NONE);
	assert_int_equal(launch("regs").registers, TF_NONE);
}

static void shared_memory_has_older_and_amds_names(void **state)
{
	(void)state;
	assert_int_equal(launch("regs:38 shm:512 grid:1,1,1").static_bytes, 512);
	assert_int_equal(launch(" grid:1,1,1 private_mem:8 group_mem:30240 occ_pct:0").static_bytes, 30240);
	assert_int_equal(launch("regs:38").static_bytes, 0); /* details that leave it out mean none */
	assert_int_equal(launch("").static_bytes, TF_NONE);
}

static void an_occupancy_of_zero_was_not_measured(void **state)
{
	(void)state;
	assert_true(isnan(launch("occ_pct:0").occupancy));
	assert_true(isnan(launch("occ_pct:101").occupancy));
	assert_true(launch("occ_pct:100").occupancy == 1);
}

static void c60_rows_with_one_key_are_one(void **state)
{
	struct tf_trace *t = gpu("");

	(void)state;
	mk_event(t, "k1", 0, 3000, "kernel_details=regs:1 grid:1,1,1 block:1,1,1");
	mk_event(t, "k1", 10000, 4000, "kernel_details=regs:1 grid:1,1,1 block:1,1,1 occ_pct:20");
	mk_event(t, "k2", 20000, 1, "kernel_details=regs:1");
	mk_event(t, "k3", 30000, 0, "kernel_details=regs:1");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 2); /* an instant is no kernel */
	const struct tf_kernel *k = kernel(a, "k1");
	assert_int_equal(k->count, 2);
	assert_int_equal(k->total_ps, 7000);
	assert_int_equal(k->min_ps, 3000);
	assert_int_equal(k->max_ps, 4000);
	assert_int_equal(kernel(a, "k2")->total_ps, 1);
	mk_analysis_free(a);
}

static void launches_of_another_shape_or_op_are_rows_apart(void **state)
{
	struct tf_trace *t = gpu("");

	(void)state;
	mk_event(t, "k", 0, 10, "tf_op=a/MatMul:MatMul;kernel_details=grid:1,1,1 block:8,1,1");
	mk_event(t, "k", 20, 10, "tf_op=a/MatMul:MatMul;kernel_details=grid:2,1,1 block:8,1,1");
	mk_event(t, "k", 40, 10, "tf_op=b/MatMul:MatMul;kernel_details=grid:2,1,1 block:8,1,1");
	mk_event(t, "k", 60, 10, "tf_op=b/MatMul:MatMul;kernel_details=grid:2,1,1 block:8,1,1 regs:3");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 4);
	mk_analysis_free(a);
}

static void c60_rows_of_equal_time_are_in_order_of_name(void **state)
{
	struct tf_trace *t = gpu("");

	(void)state;
	mk_event(t, "b", 0, 10, "");
	mk_event(t, "a", 20, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(a->host.kernels[0].name, "a");
	assert_string_equal(a->host.kernels[1].name, "b");
	mk_analysis_free(a);
}

static void copies_sets_and_annotations_are_no_kernels(void **state)
{
	struct tf_trace *t = gpu("");

	(void)state;
	mk_event(t, "MemcpyH2D", 0, 10, "");
	mk_event(t, "Memset", 20, 10, "");
	mk_event(t, "sgemm", 40, 10, "");
	mk_line(t, 100, "XLA Modules", 0);
	mk_event(t, "jit_f", 0, 50, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 1);
	assert_null(kernel(a, "sgemm")->grid);
	assert_int_equal(kernel(a, "sgemm")->registers, TF_NONE);
	mk_analysis_free(a);
}

static void collectives_are_kernels(void **state)
{
	struct tf_trace *t = gpu("");

	(void)state;
	mk_event(t, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 1);
	mk_analysis_free(a);
}

static void a_tpu_has_no_kernels(void **state)
{
	struct tf_trace *t = mk_trace();

	(void)state;
	mk_plane(t, "/device:TPU:0", "");
	mk_line(t, 1, "XLA Ops", 0);
	mk_event(t, "fusion.1", 0, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 0);
	mk_analysis_free(a);
}

static void devices_have_rows_of_their_own(void **state)
{
	struct tf_trace *t = gpu("");
	struct tf_session s = {0};
	struct tf_error err = {0};
	size_t count;

	(void)state;
	mk_event(t, "sgemm", 0, 10, "");
	mk_plane(t, "/device:GPU:1", "");
	mk_line(t, 7, "Stream", 0);
	mk_event(t, "sgemm", 0, 15, "");
	mk_event(t, "alone", 20, 1, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_int_equal(a->host.kernel_count, 3);
	assert_string_equal(a->host.kernels[0].device, "/device:GPU:1");
	assert_string_equal(a->host.kernels[1].device, "/device:GPU:0");
	s.hosts = &a->host;
	s.host_count = 1;
	const struct tf_kernel *merged = tf_kernels_merged(&s, &a->arena, &count, &err);
	assert_int_equal(count, 2);
	assert_int_equal(merged[0].count, 2);
	assert_int_equal(merged[0].total_ps, 25);
	assert_int_equal(merged[0].min_ps, 10);
	assert_null(merged[0].device);
	assert_string_equal(merged[1].device, "/device:GPU:1");
	mk_analysis_free(a);
}

static void xla_kernels_go_by_their_instruction_if_it_is_one(void **state)
{
	struct tf_trace *t = gpu("");

	(void)state;
	mk_event(t, "fusion.kd", 0, 10, "tf_op=XlaModule:;hlo_op=fusion.1");
	mk_event(t, "fusion.kd", 20, 10, "tf_op=XlaModule:;hlo_op=fusion.1");
	mk_event(t, "copy.kd", 40, 10, "tf_op=XlaModule:;hlo_op=copy.1");
	mk_event(t, "copy.kd", 60, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_string_equal(kernel(a, "fusion.kd")->op, "fusion.1");
	assert_null(kernel(a, "copy.kd")->op);
	assert_int_equal(kernel(a, "copy.kd")->count, 2);
	mk_analysis_free(a);
}

/* XProf: the first four, and only where the plane says Nvidia. */
static void c60_matrix_units_by_name_and_maker(void **state)
{
	static const struct {
		const char *name;
		bool nvidia, amd, unknown;
	} cases[] = {
		{"volta_fp16_s884gemm", true, false, true},
		{"foo_16816_x", true, false, true},
		{"sm90_xmma_gemm_f16", true, false, true},
		{"hmma", true, false, true},
		{"cutlass_80_tensorop_f16_s16816gemm", true, false, true},
		{"sm80_tensorop", true, false, true},
		{"nvjet_hsh_128x64", true, false, true},
		{"Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN", false, true, true},
		{"Cijk_Ailk_Bljk_SB_MT64x64x8_SN", false, false, false},
		{"gemm_fusion_dot_general_1.kd", false, true, true},
		{"void ck_tile::kentry<ck_tile::FmhaFwdKernel<x>>", false, true, true},
		{"void ck_tile::kentry<ck_tile::FmhaBwdConvertQGradKernel<x>>", false, false, false},
		{"loop_add_fusion", false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_bytes name = tf_bytes_of(cases[i].name);
		if (tf_is_tensor_core(name, TF_VENDOR_NVIDIA) != cases[i].nvidia
		    || tf_is_tensor_core(name, TF_VENDOR_AMD) != cases[i].amd
		    || tf_is_tensor_core(name, TF_VENDOR_UNKNOWN) != cases[i].unknown)
			fail_msg("%s", cases[i].name);
	}
}

static void the_plane_tells_the_maker(void **state)
{
	struct tf_trace *t = gpu("device_vendor=AMD");

	(void)state;
	mk_event(t, "hmma", 0, 10, "");
	mk_event(t, "Cijk_MI16x16x16x1", 20, 10, "");
	struct mk_analysis *a = mk_analyze(t, NULL);
	assert_false(kernel(a, "hmma")->tensor_core);
	assert_true(kernel(a, "Cijk_MI16x16x16x1")->tensor_core);
	mk_analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c57_kernels_by_time_with_their_launch),
		cmocka_unit_test(c58_unknown_tokens_are_passed_over),
		cmocka_unit_test(c58_a_whole_launch),
		cmocka_unit_test(malformed_tokens_are_passed_over),
		cmocka_unit_test(shared_memory_has_older_and_amds_names),
		cmocka_unit_test(an_occupancy_of_zero_was_not_measured),
		cmocka_unit_test(c60_rows_with_one_key_are_one),
		cmocka_unit_test(launches_of_another_shape_or_op_are_rows_apart),
		cmocka_unit_test(c60_rows_of_equal_time_are_in_order_of_name),
		cmocka_unit_test(copies_sets_and_annotations_are_no_kernels),
		cmocka_unit_test(collectives_are_kernels),
		cmocka_unit_test(a_tpu_has_no_kernels),
		cmocka_unit_test(devices_have_rows_of_their_own),
		cmocka_unit_test(xla_kernels_go_by_their_instruction_if_it_is_one),
		cmocka_unit_test(c60_matrix_units_by_name_and_maker),
		cmocka_unit_test(the_plane_tells_the_maker),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
