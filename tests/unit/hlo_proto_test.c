/* Messages of an XLA program (xla/service/hlo.proto). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/decode/hlo_proto.h"
#include "tests/unit/support_proto.h"

static struct tf_hlo hlo;
static struct tf_hlo_fault fault;
static struct tf_buf file;
static struct tf_error err;

static int reset(void **state)
{
	(void)state;
	tf_arena_release(&hlo.arena);
	hlo = (struct tf_hlo){0};
	tf_buf_release(&file);
	file = (struct tf_buf){0};
	return 0;
}

static void decode(void)
{
	assert_int_equal(tf_decode_hlo(pb_view(&file), &hlo, &fault, &err), 0);
}

/* A ShapeProto. */
static struct tf_buf shape(uint64_t type, const char *packed_dimensions, size_t n)
{
	struct tf_buf s = {0};
	pb_varint(&s, 2, type);
	if (n)
		pb_bytes(&s, 3, packed_dimensions, n);
	return s;
}

static void put_instruction(struct tf_buf *computation, uint64_t id, const char *name, struct tf_buf *result, const char *op)
{
	struct tf_buf instruction = {0}, metadata = {0};
	pb_text(&instruction, 1, name);
	pb_message(&instruction, 3, result);
	if (op) {
		pb_text(&metadata, 2, op);
		pb_message(&instruction, 7, &metadata);
	}
	pb_varint(&instruction, 35, id);
	pb_message(computation, 2, &instruction);
}

/* HloModuleProto "jit_f": a parameter f32[64,128], a tuple (bf16[2], s32[]). */
static void put_module(void)
{
	struct tf_buf module = {0}, computation = {0};
	pb_text(&module, 1, "jit_f");
	struct tf_buf parameter = shape(11, "\x40\x80\x01", 3);
	put_instruction(&computation, 7, "param.0", &parameter, "x");
	struct tf_buf tuple = shape(13, "", 0), first = shape(16, "\x02", 1), second = shape(4, "", 0);
	pb_message(&tuple, 4, &first);
	pb_message(&tuple, 4, &second);
	put_instruction(&computation, 8, "tuple.1", &tuple, NULL);
	pb_message(&module, 3, &computation);
	pb_message(&file, 1, &module);
}

/* A LogicalBufferProto defined at an instruction, or at part `index` of it (-1: the whole). */
static void put_buffer(struct tf_buf *assignment, uint64_t id, uint64_t bytes, uint64_t instruction, int index)
{
	struct tf_buf buffer = {0}, at = {0};
	pb_varint(&buffer, 1, id);
	pb_varint(&buffer, 2, bytes);
	if (index >= 0)
		pb_bytes(&at, 3, index ? "\x01" : "\0", 1);
	pb_varint(&at, 4, instruction);
	pb_message(&buffer, 3, &at);
	pb_message(assignment, 1, &buffer);
}

static void names_and_shapes_are_those_of_the_instructions(void **state)
{
	(void)state;
	struct tf_buf assignment = {0};
	put_module();
	put_buffer(&assignment, 1, 32768, 7, -1);
	put_buffer(&assignment, 2, 16, 8, -1);
	put_buffer(&assignment, 3, 4, 8, 0);
	put_buffer(&assignment, 4, 4, 8, 1);
	pb_message(&file, 3, &assignment);
	decode();
	assert_null(fault.reason);
	assert_true(hlo.has_buffers);
	assert_int_equal(hlo.instruction_count, 2);
	assert_memory_equal(hlo.name.data, "jit_f", 5);
	assert_int_equal(hlo.buffer_count, 4);
	assert_int_equal(hlo.buffers[0].bytes, 32768);
	assert_string_equal(hlo.buffers[0].shape, "f32[64,128]");
	assert_memory_equal(hlo.buffers[0].instruction.data, "param.0", 7);
	assert_memory_equal(hlo.buffers[0].op_name.data, "x", 1);
	assert_string_equal(hlo.buffers[1].shape, "tuple[]");
	assert_string_equal(hlo.buffers[2].shape, "bf16[2]");
	assert_string_equal(hlo.buffers[3].shape, "s32[]");
	assert_int_equal(hlo.buffers[3].op_name.len, 0);
}

static void the_program_may_follow_its_plan(void **state)
{
	(void)state;
	struct tf_buf assignment = {0};
	put_buffer(&assignment, 1, 32768, 7, -1);
	pb_message(&file, 3, &assignment);
	put_module();
	decode();
	assert_string_equal(hlo.buffers[0].shape, "f32[64,128]");
}

static void old_files_name_the_instruction(void **state)
{
	(void)state;
	struct tf_buf assignment = {0}, buffer = {0}, at = {0};
	put_module();
	pb_varint(&buffer, 1, 1);
	pb_text(&at, 2, "param.0");
	pb_message(&buffer, 3, &at);
	pb_message(&assignment, 1, &buffer);
	pb_message(&file, 3, &assignment);
	decode();
	assert_string_equal(hlo.buffers[0].shape, "f32[64,128]");
}

static void a_part_that_a_shape_has_not_is_unknown(void **state)
{
	(void)state;
	struct tf_buf assignment = {0};
	put_module();
	put_buffer(&assignment, 1, 4, 7, 1);
	put_buffer(&assignment, 2, 4, 99, -1);
	pb_message(&file, 3, &assignment);
	decode();
	assert_null(hlo.buffers[0].shape);
	assert_memory_equal(hlo.buffers[0].instruction.data, "param.0", 7);
	assert_null(hlo.buffers[1].shape);
	assert_int_equal(hlo.buffers[1].instruction.len, 0);
}

static void allocations_have_flags_and_places(void **state)
{
	(void)state;
	static const uint32_t flags[] = {3, 5, 12, 7, 11}; /* thread local, parameter, constant, live out, tuple */
	struct tf_buf assignment = {0};
	for (size_t i = 0; i < 5; i++) {
		struct tf_buf allocation = {0}, assigned = {0};
		pb_varint(&allocation, 1, i);
		pb_varint(&allocation, 2, 100 * (i + 1));
		pb_varint(&allocation, 8, i == 4);
		pb_varint(&allocation, flags[i], 1);
		pb_varint(&assigned, 1, 40 + i);
		pb_varint(&assigned, 2, 64);
		pb_varint(&assigned, 3, 8);
		pb_message(&allocation, 9, &assigned);
		pb_message(&assignment, 3, &allocation);
	}
	pb_message(&file, 3, &assignment);
	decode();
	const struct tf_hlo_allocation *a = hlo.allocations;
	assert_int_equal(hlo.allocation_count, 5);
	assert_true(a[0].thread_local && a[1].parameter && a[2].constant && a[3].live_out && a[4].tuple);
	assert_false(a[0].parameter || a[1].constant || a[2].live_out || a[3].tuple || a[4].thread_local);
	assert_int_equal(a[2].bytes, 300);
	assert_int_equal(a[2].index, 2);
	assert_int_equal(a[4].color, 1);
	assert_int_equal(a[3].assigned_count, 1);
	assert_int_equal(hlo.assigned[a[3].assigned_first].buffer_id, 43);
	assert_int_equal(hlo.assigned[a[3].assigned_first].offset, 64);
}

static void traces_keep_the_order_of_their_events(void **state)
{
	(void)state;
	struct tf_buf assignment = {0};
	for (int i = 0; i < 2; i++) {
		struct tf_buf trace = {0};
		for (uint64_t kind = 0; kind < 3; kind++) {
			struct tf_buf event = {0};
			pb_varint(&event, 1, kind);
			pb_varint(&event, 2, 10 + kind);
			pb_varint(&event, 5, 20 + kind);
			pb_message(&trace, 1, &event);
		}
		pb_message(&assignment, 4, &trace);
	}
	pb_message(&file, 3, &assignment);
	decode();
	assert_int_equal(hlo.trace_count, 2);
	assert_int_equal(hlo.traces[1].event_first, 3);
	assert_int_equal(hlo.traces[1].event_count, 3);
	assert_int_equal(hlo.events[4].kind, TF_HLO_FREE);
	assert_int_equal(hlo.events[5].buffer_id, 12);
	assert_int_equal(hlo.events[5].shared_id, 22);
}

static void a_cut_is_said_with_its_place(void **state)
{
	(void)state;
	put_module();
	size_t whole = file.len;
	struct tf_buf assignment = {0};
	put_buffer(&assignment, 1, 32768, 7, -1);
	pb_message(&file, 3, &assignment);
	file.len = whole + 4;
	decode();
	assert_non_null(fault.reason);
	assert_true(fault.cut);
	assert_ptr_equal(fault.at, (const uint8_t *)file.data + whole);
	assert_int_equal(hlo.instruction_count, 2);
}

static void no_byte_cut_or_changed_does_harm(void **state)
{
	(void)state;
	struct tf_buf assignment = {0};
	put_module();
	put_buffer(&assignment, 1, 32768, 7, -1);
	put_buffer(&assignment, 3, 4, 8, 0);
	pb_message(&file, 3, &assignment);
	size_t whole = file.len;
	for (size_t len = 0; len < whole; len++) {
		file.len = len;
		decode();
		tf_arena_release(&hlo.arena);
		hlo = (struct tf_hlo){0};
	}
	file.len = whole;
	for (size_t i = 0; i < whole; i++)
		for (int bit = 0; bit < 8; bit++) {
			file.data[i] ^= (char)(1 << bit);
			decode();
			file.data[i] ^= (char)(1 << bit);
			tf_arena_release(&hlo.arena);
			hlo = (struct tf_hlo){0};
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(names_and_shapes_are_those_of_the_instructions, reset),
		cmocka_unit_test_setup(the_program_may_follow_its_plan, reset),
		cmocka_unit_test_setup(old_files_name_the_instruction, reset),
		cmocka_unit_test_setup(a_part_that_a_shape_has_not_is_unknown, reset),
		cmocka_unit_test_setup(allocations_have_flags_and_places, reset),
		cmocka_unit_test_setup(traces_keep_the_order_of_their_events, reset),
		cmocka_unit_test_setup(a_cut_is_said_with_its_place, reset),
		cmocka_unit_test_setup(no_byte_cut_or_changed_does_harm, reset),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	reset(NULL);
	return failed;
}
