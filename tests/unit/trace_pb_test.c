/* lib/decode/trace_pb: the Trace message of TensorFlow 2.0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "lib/decode/trace_pb.h"
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

static int decode(struct tf_bytes content)
{
	assert_int_equal(tf_trace_init(&trace, &err), 0);
	int rc = tf_decode_trace_pb(content, &trace, &file, &arena, &err);
	if (rc == 0)
		assert_int_equal(tf_trace_finish(&trace, &err), 0);
	return rc;
}

/* An entry of a map from a number to a message. */
static void put_entry(struct tf_buf *to, uint32_t field, uint64_t key, struct tf_buf *message)
{
	struct tf_buf entry = {0};
	pb_varint(&entry, 1, key);
	pb_message(&entry, 2, message);
	pb_message(to, field, &entry);
}

static void put_device(struct tf_buf *to, uint64_t id, const char *name, uint64_t resource, const char *resource_name)
{
	struct tf_buf device = {0}, r = {0};
	pb_text(&r, 1, resource_name);
	pb_varint(&r, 2, resource);
	pb_text(&device, 1, name);
	pb_varint(&device, 2, id);
	put_entry(&device, 3, resource, &r);
	put_entry(to, 1, id, &device);
}

static void put_event(struct tf_buf *to, uint64_t device, uint64_t resource, const char *name, uint64_t start_ps, uint64_t dur_ps, const char *key,
		      const char *value)
{
	struct tf_buf event = {0}, arg = {0};
	pb_varint(&event, 1, device);
	pb_varint(&event, 2, resource);
	pb_text(&event, 3, name);
	pb_varint(&event, 9, start_ps);
	pb_varint(&event, 10, dur_ps);
	if (key) {
		pb_text(&arg, 1, key);
		pb_text(&arg, 2, value);
		pb_message(&event, 11, &arg);
	}
	pb_message(to, 4, &event);
}

static void devices_resources_and_events(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	put_device(&b, 49, "/host:CPU", 7, "python");
	put_device(&b, 0, "/device:GPU:0", 14, "stream 14");
	put_event(&b, 49, 7, "train", 1001, 5000, "step_num", "3");
	put_event(&b, 0, 14, "gemm", 2000, 1500, NULL, NULL);
	assert_int_equal(decode(pb_view(&b)), 0);
	tf_buf_release(&b);
	assert_int_equal(trace.plane_count, 2);
	assert_int_equal(trace.planes[0].kind, TF_PLANE_HOST);
	assert_int_equal(trace.planes[1].kind, TF_PLANE_GPU);
	assert_string_equal(tf_strtab_text(&trace.strings, trace.lines[0].name), "python");
	assert_string_equal(tf_strtab_text(&trace.strings, trace.lines[1].name), "stream 14");
	assert_true(trace.events.start_ps[0] == 1001); /* to the picosecond */
	assert_true(trace.events.dur_ps[0] == 5000);
	assert_int_equal(tf_stat_i64(&trace, tf_event_stats(&trace, 0), TF_NAME_step_num), 3);
	assert_int_equal(file.records, 2);
}

/* Of a map's entry with a number for a key, the bytes of the field before are no name. */
static void an_argument_whose_key_is_no_text_is_none(void **state)
{
	(void)state;
	struct tf_buf b = {0}, event = {0}, arg = {0};
	pb_text(&arg, 2, "value");
	pb_varint(&arg, 1, 5);
	pb_text(&event, 3, "a");
	pb_varint(&event, 10, 10);
	pb_message(&event, 11, &arg);
	pb_message(&b, 4, &event);
	assert_int_equal(decode(pb_view(&b)), 0);
	tf_buf_release(&b);
	assert_int_equal(trace.events.count, 1);
	assert_int_equal(trace.events.stat_count[0], 0);
}

static void events_may_come_before_their_device(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	put_event(&b, 5, 1, "a", 0, 10, NULL, NULL);
	put_device(&b, 5, "/host:CPU", 1, "main");
	assert_int_equal(decode(pb_view(&b)), 0);
	tf_buf_release(&b);
	assert_int_equal(trace.planes[0].kind, TF_PLANE_HOST);
	assert_string_equal(tf_strtab_text(&trace.strings, trace.lines[0].name), "main");
}

static void devices_without_events_are_planes(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	put_device(&b, 0, "/device:GPU:0", 1, "s");
	put_device(&b, 49, "/host:CPU", 1, "t");
	put_event(&b, 49, 1, "a", 0, 10, NULL, NULL);
	assert_int_equal(decode(pb_view(&b)), 0);
	tf_buf_release(&b);
	assert_int_equal(trace.plane_count, 2);
}

static void a_duration_beyond_int64_is_absurd(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	put_event(&b, 1, 1, "a", 5, UINT64_MAX, NULL, NULL);
	put_event(&b, 1, 1, "b", 5, 10, NULL, NULL);
	assert_int_equal(decode(pb_view(&b)), 0);
	tf_buf_release(&b);
	assert_int_equal(trace.anomaly_count, 1);
}

static void nothing_in_it_is_no_trace(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	pb_varint(&b, 2, 1);
	assert_int_equal(decode(pb_view(&b)), -1);
	assert_int_equal(err.code, TF_EFORMAT);
	tf_buf_release(&b);
}

static void every_prefix_is_read_and_told(void **state)
{
	struct tf_buf b = {0};
	put_device(&b, 1, "/host:CPU", 1, "t");
	size_t device = b.len;
	put_event(&b, 1, 1, "a", 1, 2, "k", "v");
	put_event(&b, 1, 1, "b", 3, 4, NULL, NULL);
	for (size_t n = 1; n < b.len; n++) {
		reset(state);
		int rc = decode((struct tf_bytes){(uint8_t *)b.data, n});
		assert_true(rc == 0 || n < device);
		if (n != device && file.issue_total == 0 && n > device) /* a cut between two events cannot be seen */
			assert_int_equal(trace.events.count, 1);
	}
	tf_buf_release(&b);
}

#define TEST(f) cmocka_unit_test_setup(f, reset)
int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(devices_resources_and_events),
		TEST(an_argument_whose_key_is_no_text_is_none),
		TEST(events_may_come_before_their_device),
		TEST(devices_without_events_are_planes),
		TEST(a_duration_beyond_int64_is_absurd),
		TEST(nothing_in_it_is_no_trace),
		TEST(every_prefix_is_read_and_told),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	reset(NULL);
	return rc;
}
