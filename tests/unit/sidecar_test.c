/* Result files of TensorFlow's profiler: lib/decode/sidecar_pb reads them, lib/analyze/from_sidecar makes results of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/analyze/from_sidecar.h"
#include "lib/decode/sidecar_pb.h"
#include "tests/unit/support_proto.h"

static struct tf_sidecar sidecar;
static struct tf_session session;
static struct tf_host host;
static struct tf_ledger_file file;
static struct tf_arena arena;
static struct tf_error err;

static int reset(void **state)
{
	(void)state;
	tf_arena_release(&sidecar.arena);
	sidecar = (struct tf_sidecar){0};
	tf_session_release(&session);
	tf_arena_release(&arena);
	err = (struct tf_error){0};
	file = (struct tf_ledger_file){.first_bad_offset = TF_NONE};
	host = (struct tf_host){.name = "h"};
	return 0;
}

/* Decodes the message and makes `host` of it. Releases the buffer. */
static void read_as(struct tf_buf *message, enum tf_file_kind kind)
{
	bool truncated;
	assert_int_equal(tf_decode_sidecar(pb_view(message), kind, &sidecar, &truncated, &file, &arena, &err), 0);
	assert_int_equal(tf_host_from_sidecar(&sidecar, truncated, &session.arena, &host, &err), 0);
	tf_buf_release(message);
}

/* One step: field 4 of an InputPipelineAnalysisResult, an Any of PerGenericStepDetails. */
static void put_step(struct tf_buf *input, int64_t number, double step_ms, double input_ms, double device_ms, double unknown_ms)
{
	struct tf_buf step = {0}, any = {0};
	pb_varint(&step, 1, (uint64_t)number);
	pb_double(&step, 2, step_ms);
	pb_double(&step, 3, unknown_ms);
	pb_double(&step, 11, input_ms);
	pb_double(&step, 6, device_ms);
	pb_text(&any, 1, "type.googleapis.com/tensorflow.profiler.PerGenericStepDetails");
	pb_message(&any, 2, &step);
	pb_message(input, 4, &any);
}

static void steps_and_their_parts_are_read(void **state)
{
	(void)state;
	struct tf_buf input = {0};
	put_step(&input, 7, 10.5, 8, 2, 0.5);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	assert_int_equal(host.steps.count, 1);
	const struct tf_step *s = &host.steps.list[0];
	assert_int_equal(s->number, 7);
	assert_true(s->step_ps == INT64_C(10500000000));
	assert_true(s->part_ps[TF_PART_INPUT_WAIT] == INT64_C(8000000000));
	assert_true(s->part_ps[TF_PART_DEVICE_COMPUTE_32] == INT64_C(2000000000));
	assert_true(s->part_ps[TF_PART_OTHER] == INT64_C(500000000));
	assert_true(tf_step_is_steady(s));
}

static void each_part_has_its_field(void **state)
{
	(void)state;
	static const struct {
		uint32_t field;
		enum tf_part part;
	} fields[] = {{3, TF_PART_OTHER},	      {5, TF_PART_DEVICE_TO_HOST},   {6, TF_PART_DEVICE_COMPUTE_32}, {7, TF_PART_DEVICE_TO_DEVICE},
		      {8, TF_PART_HOST_COMPUTE},      {9, TF_PART_KERNEL_LAUNCH},    {10, TF_PART_COMPILE},	     {11, TF_PART_INPUT_WAIT},
		      {12, TF_PART_HOST_TO_DEVICE},   {13, TF_PART_DEVICE_COLLECTIVES}};
	struct tf_buf step = {0}, any = {0}, input = {0};
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		pb_double(&step, fields[i].field, (double)(i + 1));
	pb_double(&step, 2, 55); /* 1 + … + 10 */
	pb_text(&any, 1, "x/tensorflow.profiler.PerGenericStepDetails");
	pb_message(&any, 2, &step);
	pb_message(&input, 4, &any);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		assert_true(host.steps.list[0].part_ps[fields[i].part] == (int64_t)(i + 1) * 1000000000);
}

static void what_the_parts_leave_is_other(void **state)
{
	(void)state;
	struct tf_buf input = {0};
	put_step(&input, 1, 10, 3, 4, 0);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	assert_true(host.steps.list[0].part_ps[TF_PART_OTHER] == INT64_C(3000000000));
}

/* Parts that exceed the step are cut back: the sum is the step, no part is negative. */
static void parts_never_exceed_the_step(void **state)
{
	(void)state;
	struct tf_buf input = {0};
	int64_t sum = 0;
	put_step(&input, 1, 10, 30, 4, 1);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	for (enum tf_part p = 0; p < TF_PART_COUNT; p++) {
		assert_true(host.steps.list[0].part_ps[p] >= 0);
		sum += host.steps.list[0].part_ps[p];
	}
	assert_true(sum == host.steps.list[0].step_ps);
}

/* 5e18 ps twice leave int64: what the step cannot hold beside the rest is no time. */
static void parts_that_no_step_can_hold_are_none(void **state)
{
	(void)state;
	struct tf_buf input = {0};
	put_step(&input, 1, 0, 5e9, 5e9, 0);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	const struct tf_step *s = &host.steps.list[0];
	assert_true(s->part_ps[TF_PART_INPUT_WAIT] == INT64_C(5000000000000000000));
	assert_true(s->part_ps[TF_PART_DEVICE_COMPUTE_32] == 0);
	assert_true(s->step_ps == INT64_C(5000000000000000000));
}

static void nothing_that_is_no_time_becomes_one(void **state)
{
	(void)state;
	struct tf_buf input = {0};
	put_step(&input, 1, NAN, -5, 1e300, INFINITY);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	assert_true(host.steps.list[0].step_ps == 0);
}

static void a_slow_first_step_warms_up(void **state)
{
	(void)state;
	struct tf_buf input = {0};
	for (int i = 0; i < 5; i++)
		put_step(&input, i, i == 0 ? 21 : 10, 1, 1, 0);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	assert_true(host.steps.list[0].warmup);
	assert_false(host.steps.list[1].warmup);
}

static void a_tpu_step_is_the_sum_of_its_parts(void **state)
{
	(void)state;
	struct tf_buf step = {0}, any = {0}, input = {0};
	pb_varint(&step, 1, 3);
	pb_double(&step, 13, 5);   /* tc_compute */
	pb_double(&step, 3, 2);	   /* tc_infeed */
	pb_double(&step, 14, 1);   /* tc_idle */
	pb_double(&step, 15, 0.5); /* tc_outfeed */
	pb_text(&any, 1, "type.googleapis.com/tensorflow.profiler.PerTpuStepDetails");
	pb_message(&any, 2, &step);
	pb_message(&input, 4, &any);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	assert_true(host.steps.list[0].step_ps == INT64_C(8500000000));
	assert_true(host.steps.list[0].part_ps[TF_PART_INPUT_WAIT] == INT64_C(2000000000));
	assert_true(host.steps.list[0].part_ps[TF_PART_OTHER] == INT64_C(1000000000));
}

static void no_step_has_a_reason(void **state)
{
	(void)state;
	struct tf_buf input = {0};
	pb_text(&input, 9, "CPU_ONLY");
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	assert_int_equal(host.steps.count, 0);
	assert_string_equal(host.steps.reason, "no_step_marker");
}

static void the_exposed_share_comes_out_of_the_parts(void **state)
{
	(void)state;
	struct tf_buf input = {0};
	put_step(&input, 1, 10, 8, 1, 1);
	put_step(&input, 2, 10, 6, 1, 3);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	session.hosts = &host;
	session.host_count = 1;
	assert_int_equal(tf_metrics_build(&session, &err), 0);
	assert_true(tf_metric_find(&session, "input.exposed_share")->value == 0.7);
	/* Waits themselves are not in the file. */
	assert_false(tf_metric_find(&session, "input.share")->known);
	assert_string_equal(tf_metric_find(&session, "input.share")->reason, "not_recorded");
	assert_false(tf_metric_find(&session, "capture.events")->known);
}

/* The nine steps of TensorFlow's demo profile: time and wait for input in ms. */
static void c61(void)
{
	static const double steps[][2] = {{221.867763, .645515},     {208.278057, .060089},	 {205.052138, .05916},
					  {196.635661, .056064},     {500.776402, 300.878246},	 {1113.057982, 914.417406},
					  {1190.414077, 992.759526}, {1080.975025, 883.228278}, {1153.855422, 954.740137}};
	struct tf_buf input = {0};

	for (int i = 0; i < 9; i++)
		put_step(&input, i, steps[i][0], steps[i][1], 0, 0);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	session.hosts = &host;
	session.host_count = 1;
	assert_int_equal(tf_metrics_build(&session, &err), 0);
}

static void is_about(const char *name, double value, double within)
{
	const struct tf_metric *m = tf_metric_find(&session, name);
	assert_true(m && m->known && fabs(m->value - value) < within);
}

static void c61_step_times_of_a_real_profile(void **state)
{
	(void)state;
	c61();
	is_about("steps.steady_count", 9, 0.5);
	is_about("step_time_ms.mean", 652.323614, 1e-6);
	is_about("step_time_ms.stddev", 467.738205, 1e-6);
	is_about("step_time_ms.min", 196.635661, 1e-6);
	is_about("step_time_ms.max", 1190.414077, 1e-6);
}

static void c61_a_real_profile_waits_for_two_thirds(void **state)
{
	(void)state;
	c61();
	is_about("input.exposed_share", .6893, .00005);
	assert_int_equal(tf_input_classify(tf_metric_find(&session, "input.exposed_share")->value), TF_INPUT_HIGH);
}

static void input_ops_are_stages(void **state)
{
	(void)state;
	struct tf_buf op = {0}, input = {0};
	pb_text(&op, 1, "Iterator::Model::Map");
	pb_varint(&op, 2, 12);
	pb_double(&op, 3, 4.5);
	pb_double(&op, 5, 1.5);
	pb_message(&input, 6, &op);
	read_as(&input, TF_FILE_INPUT_PIPELINE_PB);
	assert_int_equal(host.input.stage_count, 1);
	assert_string_equal(host.input.stages[0].long_name, "Iterator::Model::Map");
	assert_int_equal(host.input.stages[0].calls, 12);
	assert_true(host.input.stages[0].total_ps == INT64_C(4500000000));
	assert_true(host.input.stages[0].self_ps == INT64_C(1500000000));
}

static void an_overview_page_holds_the_input_analysis_and_the_devices(void **state)
{
	(void)state;
	struct tf_buf input = {0}, environment = {0}, diagnostics = {0}, page = {0};
	put_step(&input, 1, 10, 8, 1, 1);
	pb_text(&environment, 4, "Nvidia GPU (Volta)");
	pb_varint(&environment, 5, 2);
	pb_text(&diagnostics, 2, "incomplete step");
	pb_text(&diagnostics, 3, "no device trace");
	pb_message(&page, 2, &input);
	pb_message(&page, 6, &environment);
	pb_message(&page, 8, &diagnostics);
	read_as(&page, TF_FILE_OVERVIEW_PB);
	assert_int_equal(host.steps.count, 1);
	assert_int_equal(host.device_count, 2);
	assert_string_equal(host.devices[1].name, "/device:GPU:1");
	assert_string_equal(host.devices[1].model, "Nvidia GPU (Volta)");
	assert_true(isnan(host.devices[1].idle_ratio));
	assert_string_equal(host.errors[0], "no device trace");
	assert_string_equal(host.warnings[0], "incomplete step");
	assert_false(host.complete);
}

static void a_forged_number_of_devices_is_bounded(void **state)
{
	(void)state;
	struct tf_buf environment = {0}, page = {0};
	pb_text(&environment, 4, "GPU");
	pb_varint(&environment, 5, INT64_MAX);
	pb_message(&page, 6, &environment);
	read_as(&page, TF_FILE_OVERVIEW_PB);
	assert_int_equal(host.device_count, 1024);
}

static void put_op(struct tf_buf *table, const char *side, const char *type, const char *name, uint64_t count, double total_us, double self_us)
{
	struct tf_buf op = {0};
	pb_text(&op, 2, side);
	pb_text(&op, 3, type);
	pb_text(&op, 4, name);
	pb_varint(&op, 5, count);
	pb_double(&op, 6, total_us);
	pb_double(&op, 8, self_us);
	pb_varint(&op, 18, 1);
	pb_message(table, 1, &op);
}

static void ops_are_read_with_their_side(void **state)
{
	(void)state;
	struct tf_buf table = {0}, stats = {0};
	put_op(&table, "Host", "MatMul", "dense/MatMul", 21, 2.5, 1.25);
	put_op(&table, "Device", "Conv2D", "conv", 3, 4, 4);
	pb_message(&stats, 4, &table);
	read_as(&stats, TF_FILE_TENSORFLOW_STATS_PB);
	assert_int_equal(host.op_count, 2);
	assert_string_equal(host.ops[0].side, "host");
	assert_string_equal(host.ops[0].name, "dense/MatMul");
	assert_string_equal(host.ops[0].type, "MatMul");
	assert_int_equal(host.ops[0].count, 21);
	assert_int_equal(host.ops[0].total_ps, 2500000);
	assert_int_equal(host.ops[0].self_ps, 1250000);
	assert_true(host.ops[0].eager);
	assert_string_equal(host.ops[1].side, "device");
}

/* Both tables list the same ops; the one with IDLE counts, and IDLE never ran. */
static void the_table_with_idle_counts(void **state)
{
	(void)state;
	struct tf_buf with = {0}, without = {0}, stats = {0};
	put_op(&with, "Host", "IDLE", "IDLE", 1, 9, 9);
	put_op(&with, "Host", "MatMul", "a", 1, 1, 1);
	put_op(&without, "Host", "MatMul", "a", 1, 1, 1);
	pb_message(&stats, 4, &with);
	pb_message(&stats, 5, &without);
	read_as(&stats, TF_FILE_TENSORFLOW_STATS_PB);
	assert_int_equal(host.op_count, 2);
	assert_int_equal(host.ops[0].count, 0);
}

static void without_it_the_other_table_counts(void **state)
{
	(void)state;
	struct tf_buf without = {0}, stats = {0};
	put_op(&without, "Host", "MatMul", "a", 1, 1, 1);
	pb_message(&stats, 5, &without);
	read_as(&stats, TF_FILE_TENSORFLOW_STATS_PB);
	assert_int_equal(host.op_count, 1);
}

static void kernels_are_read_with_their_launch(void **state)
{
	(void)state;
	struct tf_buf kernel = {0}, db = {0};
	pb_text(&kernel, 1, "volta_sgemm");
	pb_varint(&kernel, 2, 32);
	pb_varint(&kernel, 3, 100);
	pb_varint(&kernel, 4, 28);
	pb_bytes(&kernel, 5, "\x80\x02\x01\x01", 4); /* 256,1,1 packed */
	pb_bytes(&kernel, 6, "\x32\x02\x01", 3);     /* 50,2,1 */
	pb_varint(&kernel, 7, 9000);
	pb_varint(&kernel, 8, 1000);
	pb_varint(&kernel, 9, 5000);
	pb_varint(&kernel, 10, 1);
	pb_text(&kernel, 12, "dense/MatMul");
	pb_varint(&kernel, 13, 3);
	pb_float(&kernel, 14, 50);
	pb_message(&db, 1, &kernel);
	read_as(&db, TF_FILE_KERNEL_STATS_PB);
	assert_int_equal(host.kernel_count, 1);
	const struct tf_kernel *k = &host.kernels[0];
	assert_string_equal(k->name, "volta_sgemm");
	assert_string_equal(k->op, "dense/MatMul");
	assert_string_equal(k->block, "256,1,1");
	assert_string_equal(k->grid, "50,2,1");
	assert_int_equal(k->count, 3);
	assert_int_equal(k->total_ps, 9000000);
	assert_int_equal(k->min_ps, 1000000);
	assert_int_equal(k->max_ps, 5000000);
	assert_int_equal(k->registers, 32);
	assert_int_equal(k->shared_bytes, 128);
	assert_true(k->occupancy == 0.5);
	assert_true(k->tensor_core);
}

/* Every prefix of a page is read without a crash, and said to be cut or to have less. */
static void every_prefix_is_read(void **state)
{
	struct tf_buf input = {0}, page = {0};
	put_step(&input, 1, 10, 8, 1, 1);
	put_step(&input, 2, 10, 8, 1, 1);
	pb_message(&page, 2, &input);
	for (size_t n = 1; n < page.len; n++) {
		bool truncated;
		reset(state);
		assert_int_equal(tf_decode_sidecar((struct tf_bytes){(uint8_t *)page.data, n}, TF_FILE_OVERVIEW_PB, &sidecar, &truncated, &file,
						   &arena, &err),
				 0);
		assert_true(truncated);
		assert_int_equal(file.tail, TF_TAIL_PARTIAL_RECORD);
	}
	tf_buf_release(&page);
}

/* ---- several files of one host ---- */

static struct tf_host *two_hosts(const char *first, const char *second)
{
	static struct tf_host hosts[2];
	hosts[0] = (struct tf_host){.name = first, .event_count = 5, .dropped_count = TF_NONE, .begin_ps = 1, .end_ps = 9, .start_ns = TF_NONE,
				    .complete = true, .steps.reason = "no_step_marker", .memory_reason = "no_memory_events"};
	hosts[1] = (struct tf_host){.name = second, .event_count = TF_NONE, .dropped_count = TF_NONE, .begin_ps = TF_NONE, .start_ns = 77};
	session.hosts = hosts;
	session.host_count = 2;
	return hosts;
}

static void files_of_one_host_complete_each_other(void **state)
{
	(void)state;
	struct tf_host *hosts = two_hosts("a", "a");
	static struct tf_step step;
	static struct tf_allocator allocator;
	static const char *errors[] = {"late"};
	hosts[1].steps.list = &step;
	hosts[1].steps.count = 1;
	hosts[1].input.evidence = "input_analysis";
	hosts[1].memory = &allocator;
	hosts[1].memory_count = 1;
	hosts[1].errors = errors;
	hosts[1].error_count = 1;
	assert_int_equal(tf_hosts_merge(&session, &err), 0);
	assert_int_equal(session.host_count, 1);
	assert_int_equal(hosts[0].steps.count, 1);
	assert_string_equal(hosts[0].input.evidence, "input_analysis");
	assert_ptr_equal(hosts[0].memory, &allocator);
	assert_null(hosts[0].memory_reason);
	assert_int_equal(hosts[0].event_count, 5);
	assert_int_equal(hosts[0].start_ns, 77);
	assert_int_equal(hosts[0].begin_ps, 1);
	assert_string_equal(hosts[0].errors[0], "late");
	assert_false(hosts[0].complete); /* the second was not */
}

static void what_the_better_file_has_stays(void **state)
{
	(void)state;
	struct tf_host *hosts = two_hosts("a", "a");
	static struct tf_op first, second[2];
	hosts[0].ops = &first;
	hosts[0].op_count = 1;
	hosts[1].ops = second;
	hosts[1].op_count = 2;
	assert_int_equal(tf_hosts_merge(&session, &err), 0);
	assert_ptr_equal(hosts[0].ops, &first);
	assert_int_equal(hosts[0].op_count, 1);
}

static void hosts_of_other_names_stay_apart(void **state)
{
	(void)state;
	two_hosts("a", "b");
	assert_int_equal(tf_hosts_merge(&session, &err), 0);
	assert_int_equal(session.host_count, 2);
}

#define TEST(f) cmocka_unit_test_setup(f, reset)
int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(steps_and_their_parts_are_read),
		TEST(each_part_has_its_field),
		TEST(what_the_parts_leave_is_other),
		TEST(parts_never_exceed_the_step),
		TEST(parts_that_no_step_can_hold_are_none),
		TEST(nothing_that_is_no_time_becomes_one),
		TEST(a_slow_first_step_warms_up),
		TEST(a_tpu_step_is_the_sum_of_its_parts),
		TEST(no_step_has_a_reason),
		TEST(the_exposed_share_comes_out_of_the_parts),
		TEST(c61_step_times_of_a_real_profile),
		TEST(c61_a_real_profile_waits_for_two_thirds),
		TEST(input_ops_are_stages),
		TEST(an_overview_page_holds_the_input_analysis_and_the_devices),
		TEST(a_forged_number_of_devices_is_bounded),
		TEST(ops_are_read_with_their_side),
		TEST(the_table_with_idle_counts),
		TEST(without_it_the_other_table_counts),
		TEST(kernels_are_read_with_their_launch),
		TEST(every_prefix_is_read),
		TEST(files_of_one_host_complete_each_other),
		TEST(what_the_better_file_has_stays),
		TEST(hosts_of_other_names_stay_apart),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	reset(NULL);
	return rc;
}
