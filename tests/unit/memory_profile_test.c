/* lib/decode/memory_profile: JSON and protobuf give the events that the snapshots were made of; damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/decode/memory_profile.h"
#include "tests/unit/support_proto.h"

static struct tf_trace trace;
static struct tf_ledger_file file;
static struct tf_arena arena;
static struct tf_error err;

static int reset(void **state)
{
	(void)state;
	tf_trace_release(&trace);
	tf_arena_release(&arena);
	err = (struct tf_error){0};
	file = (struct tf_ledger_file){.first_bad_offset = TF_NONE};
	return 0;
}

static int decode(struct tf_bytes content, bool json)
{
	assert_int_equal(tf_trace_init(&trace, &err), 0);
	int rc = (json ? tf_decode_memory_json : tf_decode_memory_pb)(content, &trace, &file, &arena, &err);
	if (rc == 0)
		assert_int_equal(tf_trace_finish(&trace, &err), 0);
	return rc;
}

static void decode_json(const char *text)
{
	assert_int_equal(decode(tf_bytes_of(text), true), 0);
}

static int64_t integer(size_t event, uint32_t name)
{
	return tf_stat_i64(&trace, tf_event_stats(&trace, event), name);
}

static const char *text(size_t event, uint32_t name)
{
	return tf_strtab_text(&trace.strings, tf_stat_text(&trace, tf_event_stats(&trace, event), name));
}

/* 64-bit integers are strings in proto3 JSON. */
#define SNAPSHOT(ps, activity, heap, bytes, address, op) \
	"{\"timeOffsetPs\":\"" ps "\",\"aggregationStats\":{\"stackReservedBytes\":\"5\",\"heapAllocatedBytes\":\"" heap "\"," \
	"\"freeMemoryBytes\":\"90\",\"fragmentation\":0.25,\"peakBytesInUse\":\"7\"},\"activityMetadata\":{\"memoryActivity\":\"" activity "\"," \
	"\"requestedBytes\":\"" bytes "\",\"allocationBytes\":\"" bytes "\",\"address\":\"" address "\",\"tfOpName\":\"" op "\",\"stepId\":\"3\"," \
	"\"regionType\":\"output\",\"dataType\":\"float\",\"tensorShape\":\"[2,3]\"}}"
#define PROFILE(allocator, list, rest) "{\"memoryProfilePerAllocator\":{\"" allocator "\":{\"memoryProfileSnapshots\":[" list "]" rest "}}}"

static void a_snapshot_becomes_the_event_it_was(void **state)
{
	(void)state;
	decode_json(PROFILE("GPU_0_bfc", SNAPSHOT("10", "ALLOCATION", "1000", "64", "18446744073709551600", "a/MatMul"), ""));
	assert_int_equal(trace.events.count, 1);
	assert_int_equal(tf_event_name(&trace, 0), TF_NAME_memory_allocation);
	assert_true(trace.events.start_ps[0] == 10);
	assert_string_equal(text(0, TF_NAME_allocator_name), "GPU_0_bfc");
	assert_int_equal(integer(0, TF_NAME_bytes_reserved), 5);
	assert_int_equal(integer(0, TF_NAME_bytes_allocated), 1000);
	assert_int_equal(integer(0, TF_NAME_bytes_available), 90);
	assert_int_equal(integer(0, TF_NAME_peak_bytes_in_use), 7);
	assert_true(tf_stat_double(&trace, tf_event_stats(&trace, 0), TF_NAME_fragmentation) == 0.25);
	assert_int_equal(integer(0, TF_NAME_allocation_bytes), 64);
	assert_true((uint64_t)integer(0, TF_NAME_addr) == UINT64_C(18446744073709551600));
	assert_string_equal(text(0, TF_NAME_tf_op), "a/MatMul");
	assert_string_equal(text(0, TF_NAME_shape), "[2,3]");
	assert_string_equal(text(0, TF_NAME_data_type), "float");
	assert_string_equal(text(0, TF_NAME_region_type), "output");
	assert_int_equal(integer(0, TF_NAME_group_id), 3);
	assert_int_equal(file.records, 1);
}

static void a_free_is_a_deallocation(void **state)
{
	(void)state;
	decode_json(PROFILE("cpu", SNAPSHOT("10", "DEALLOCATION", "0", "64", "1", ""), ""));
	assert_int_equal(tf_event_name(&trace, 0), TF_NAME_memory_deallocation);
}

static void a_reservation_says_only_what_is_in_use(void **state)
{
	(void)state;
	decode_json(PROFILE("0", SNAPSHOT("10", "RESERVATION", "77", "64", "1", "x"), ""));
	assert_int_equal(tf_event_name(&trace, 0), TF_NAME_memory_sample);
	assert_int_equal(integer(0, TF_NAME_bytes_allocated), 77);
	assert_int_equal(integer(0, TF_NAME_addr), TF_NONE);
}

static void the_lifetime_peak_of_the_summary_counts(void **state)
{
	(void)state;
	decode_json(PROFILE("cpu", SNAPSHOT("10", "ALLOCATION", "1", "1", "1", "") "," SNAPSHOT("20", "ALLOCATION", "2", "1", "2", ""),
			    ",\"profileSummary\":{\"peakBytesUsageLifetime\":\"5000\"}"));
	assert_int_equal(integer(0, TF_NAME_peak_bytes_in_use), 7);
	assert_int_equal(integer(1, TF_NAME_peak_bytes_in_use), 5000);
}

static void samples_of_the_timeline_are_added_once(void **state)
{
	(void)state;
	decode_json(PROFILE("cpu", SNAPSHOT("10", "ALLOCATION", "1", "1", "1", "a"),
			    ",\"sampledTimelineSnapshots\":[" SNAPSHOT("10", "ALLOCATION", "1", "1", "1", "a") ","
			    SNAPSHOT("20", "DEALLOCATION", "9", "1", "2", "b") "]"));
	assert_int_equal(trace.events.count, 2);
	assert_int_equal(tf_event_name(&trace, 0), TF_NAME_memory_allocation);
	assert_int_equal(tf_event_name(&trace, 1), TF_NAME_memory_sample);
	assert_int_equal(integer(1, TF_NAME_bytes_allocated), 9);
}

static void each_allocator_has_its_line(void **state)
{
	(void)state;
	decode_json("{\"memoryProfilePerAllocator\":{\"a\":{\"memoryProfileSnapshots\":[" SNAPSHOT("1", "ALLOCATION", "1", "1", "1", "") "]},"
		    "\"b\\\"c\":{\"memoryProfileSnapshots\":[" SNAPSHOT("2", "ALLOCATION", "1", "1", "1", "") "]}},\"numHosts\":1}");
	assert_int_equal(trace.line_count, 2);
	assert_string_equal(tf_strtab_text(&trace.strings, trace.lines[1].name), "b\"c");
	assert_int_equal(trace.planes[0].kind, TF_PLANE_HOST);
}

static void no_allocator_is_a_trace_without_events(void **state)
{
	(void)state;
	decode_json("{\"memoryProfilePerAllocator\":{},\"numHosts\":1,\"memoryIds\":[]}");
	assert_int_equal(trace.events.count, 0);
	assert_int_equal(file.issue_total, 0);
	assert_false(trace.truncated);
}

static void other_json_is_no_profile(void **state)
{
	(void)state;
	assert_int_equal(decode(tf_bytes_of("[1]"), true), -1);
	assert_int_equal(err.code, TF_EFORMAT);
}

/* Every prefix: no crash, whole snapshots before the cut are kept, one issue tells of it. */
static void every_prefix_keeps_what_is_whole(void **state)
{
	static const char json[] = PROFILE("cpu", SNAPSHOT("1", "ALLOCATION", "1", "1", "1", "a") "," SNAPSHOT("2", "ALLOCATION", "2", "1", "2", "b"), "");
	size_t first = strlen("{\"memoryProfilePerAllocator\":{\"cpu\":{\"memoryProfileSnapshots\":[" SNAPSHOT("1", "ALLOCATION", "1", "1", "1", "a"));
	for (size_t n = 1; n + 1 < sizeof json; n++) {
		reset(state);
		if (decode((struct tf_bytes){(const uint8_t *)json, n}, true) < 0)
			fail_msg("prefix of %zu bytes", n);
		assert_true(trace.truncated);
		assert_int_equal(file.issue_total, 1);
		if (n > first)
			if (trace.events.count < 1)
				fail_msg("prefix of %zu bytes: %s", n, file.issues[0].message);
	}
}

static void a_broken_snapshot_costs_itself(void **state)
{
	(void)state;
	decode_json(PROFILE("cpu", "{\"timeOffsetPs\":\"x\"}," SNAPSHOT("2", "ALLOCATION", "2", "1", "2", "b"), ""));
	assert_int_equal(trace.events.count, 1);
	assert_int_equal(file.skipped_records, 1);
	assert_int_equal(file.issues[0].code, TF_ISSUE_JSON_ERROR);
}

/* A PerAllocatorMemoryProfile of one allocation of 64 bytes at 10 ps, heap 1000, and its summary. */
static void put_profile(struct tf_buf *out)
{
	struct tf_buf stats = {0}, activity = {0}, snapshot = {0}, summary = {0}, allocator = {0}, entry = {0};
	pb_varint(&stats, 2, 1000);
	pb_varint(&stats, 3, 90);
	pb_double(&stats, 4, 0.25);
	pb_varint(&activity, 1, 1);
	pb_varint(&activity, 2, 60);
	pb_varint(&activity, 3, 64);
	pb_varint(&activity, 4, UINT64_MAX - 15);
	pb_text(&activity, 5, "a/MatMul");
	pb_text(&activity, 8, "float");
	pb_text(&activity, 9, "[2,3]");
	pb_varint(&snapshot, 1, 10);
	pb_message(&snapshot, 2, &stats);
	pb_message(&snapshot, 3, &activity);
	pb_varint(&summary, 1, 5000);
	pb_message(&allocator, 1, &snapshot);
	pb_message(&allocator, 2, &summary);
	pb_text(&entry, 1, "GPU_0_bfc");
	pb_message(&entry, 2, &allocator);
	pb_message(out, 1, &entry);
	pb_varint(out, 2, 1);
}

static void protobuf_says_the_same(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	put_profile(&b);
	assert_int_equal(decode(pb_view(&b), false), 0);
	tf_buf_release(&b);
	assert_int_equal(trace.events.count, 1);
	assert_true(trace.events.start_ps[0] == 10);
	assert_string_equal(text(0, TF_NAME_allocator_name), "GPU_0_bfc");
	assert_int_equal(integer(0, TF_NAME_bytes_reserved), 0); /* proto3 leaves out zeros */
	assert_int_equal(integer(0, TF_NAME_bytes_allocated), 1000);
	assert_int_equal(integer(0, TF_NAME_requested_bytes), 60);
	assert_true((uint64_t)integer(0, TF_NAME_addr) == UINT64_MAX - 15);
	assert_string_equal(text(0, TF_NAME_tf_op), "a/MatMul");
	assert_int_equal(integer(0, TF_NAME_peak_bytes_in_use), 5000);
}

static void every_prefix_of_protobuf_is_told(void **state)
{
	struct tf_buf b = {0};
	put_profile(&b);
	for (size_t n = 1; n + 2 < b.len; n++) {
		reset(state);
		assert_int_equal(decode((struct tf_bytes){(uint8_t *)b.data, n}, false), 0);
		assert_true(trace.truncated);
		assert_int_equal(file.tail, TF_TAIL_PARTIAL_RECORD);
	}
	tf_buf_release(&b);
}

#define TEST(f) cmocka_unit_test_setup(f, reset)
int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_snapshot_becomes_the_event_it_was),
		TEST(a_free_is_a_deallocation),
		TEST(a_reservation_says_only_what_is_in_use),
		TEST(the_lifetime_peak_of_the_summary_counts),
		TEST(samples_of_the_timeline_are_added_once),
		TEST(each_allocator_has_its_line),
		TEST(no_allocator_is_a_trace_without_events),
		TEST(other_json_is_no_profile),
		TEST(every_prefix_keeps_what_is_whole),
		TEST(a_broken_snapshot_costs_itself),
		TEST(protobuf_says_the_same),
		TEST(every_prefix_of_protobuf_is_told),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	reset(NULL);
	return rc;
}
