/* XSpace: the wire, metadata after lines, stats of every kind, aggregated events, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/analyze.h"
#include "lib/decode/wire.h"
#include "lib/decode/xspace.h"
#include "tests/unit/support_proto.h"

static void put_stat(struct tf_buf *owner, uint32_t field, uint64_t meta, uint32_t kind, uint64_t value)
{
	struct tf_buf s = {0};
	pb_varint(&s, 1, meta);
	pb_varint(&s, kind, value);
	pb_message(owner, field, &s);
}

static void put_meta(struct tf_buf *plane, uint32_t field, uint64_t id, const char *name)
{
	struct tf_buf entry = {0}, meta = {0};
	pb_varint(&meta, 1, id);
	pb_text(&meta, 2, name);
	pb_varint(&entry, 1, id);
	pb_message(&entry, 2, &meta);
	pb_message(plane, field, &entry);
}

/* A host plane: two events on one line, and the metadata after them as real files have it. */
static struct tf_buf capture(void)
{
	struct tf_buf space = {0}, plane = {0}, line = {0}, event = {0};

	pb_varint(&event, 1, 1);
	pb_varint(&event, 2, 100);
	pb_varint(&event, 3, 50);
	put_stat(&event, 4, 1, 4, 7);	    /* int64 step_num */
	put_stat(&event, 4, 2, 3, UINT64_MAX); /* uint64 addr */
	put_stat(&event, 4, 3, 7, 4);	    /* ref tf_op → name of stat 4 */
	pb_varint(&line, 1, 5);
	pb_text(&line, 2, "python");
	pb_varint(&line, 3, 1000);
	pb_message(&line, 4, &event);
	pb_varint(&event, 1, 99); /* no such metadata */
	pb_varint(&event, 3, 20);
	pb_varint(&event, 5, 3); /* aggregated: 3 occurrences */
	pb_message(&line, 4, &event);
	pb_varint(&plane, 1, 1);
	pb_text(&plane, 2, "/host:CPU");
	pb_message(&plane, 3, &line);
	put_meta(&plane, 4, 1, "train");
	put_meta(&plane, 5, 1, "step_num");
	put_meta(&plane, 5, 2, "addr");
	put_meta(&plane, 5, 3, "tf_op");
	put_meta(&plane, 5, 4, "dense/Relu:Relu");
	pb_message(&space, 1, &plane);
	pb_text(&space, 2, "CUPTI_ERROR");
	pb_text(&space, 4, "h0");
	return space;
}

struct decoded {
	struct tf_trace t;
	struct tf_ledger_file f;
	struct tf_arena a;
	struct tf_error err;
	int rc;
};

static void decode(struct decoded *d, struct tf_bytes bytes)
{
	*d = (struct decoded){.f.first_bad_offset = TF_NONE};
	assert_int_equal(tf_trace_init(&d->t, &d->err), 0);
	d->rc = tf_decode_xspace(bytes, &d->t, &d->f, &d->a, &d->err);
	if (d->rc == 0)
		assert_int_equal(tf_trace_finish(&d->t, &d->err), 0);
}

static void release(struct decoded *d)
{
	tf_trace_release(&d->t);
	tf_arena_release(&d->a);
}

/* The event with stats: "train". */
static size_t mk_first(const struct tf_trace *t)
{
	return t->events.stat_count[0] ? 0 : 1;
}

static void metadata_behind_lines_is_found(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	struct decoded d;
	decode(&d, pb_view(&b));
	assert_int_equal(d.rc, 0);
	assert_int_equal(d.t.events.count, 2);
	assert_string_equal(tf_strtab_text(&d.t.strings, tf_event_name(&d.t, mk_first(&d.t))), "train");
	release(&d);
	tf_buf_release(&b);
}

static void stats_keep_kind_and_value(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	struct decoded d;
	decode(&d, pb_view(&b));
	struct tf_stat_range r = tf_event_stats(&d.t, mk_first(&d.t));
	assert_int_equal(tf_stat_i64(&d.t, r, TF_NAME_step_num), 7);
	assert_int_equal((uint64_t)tf_stat_i64(&d.t, r, TF_NAME_addr), UINT64_MAX);
	assert_string_equal(tf_strtab_text(&d.t.strings, tf_stat_text(&d.t, r, TF_NAME_tf_op)), "dense/Relu:Relu");
	release(&d);
	tf_buf_release(&b);
}

static void unknown_metadata_is_named_by_its_id(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	struct decoded d;
	decode(&d, pb_view(&b));
	assert_int_not_equal(tf_strtab_find(&d.t.strings, tf_bytes_of("(unknown 99)")), UINT32_MAX);
	release(&d);
	tf_buf_release(&b);
}

static void aggregated_events_keep_their_count(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	struct decoded d;
	decode(&d, pb_view(&b));
	assert_int_equal(d.t.count_count, 1);
	assert_int_equal(d.t.counts[0].count, 3);
	assert_false(tf_event_counts(&d.t, d.t.counts[0].event));
	release(&d);
	tf_buf_release(&b);
}

static void errors_and_hosts_of_the_space_are_kept(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	struct decoded d;
	decode(&d, pb_view(&b));
	assert_int_equal(d.t.error_count, 1);
	assert_string_equal(tf_strtab_text(&d.t.strings, d.t.hostnames[0]), "h0");
	release(&d);
	tf_buf_release(&b);
}

static void garbage_is_no_capture(void **state)
{
	(void)state;
	struct decoded d;
	uint8_t junk[64];
	memset(junk, 0xff, sizeof junk);
	decode(&d, (struct tf_bytes){junk, sizeof junk});
	assert_int_equal(d.rc, -1);
	assert_int_equal(d.err.code, TF_EFORMAT);
	release(&d);
}

/* A copy of its own for each length, so that a read beyond the end is seen. */
static void a_cut_at_every_byte_is_told(void **state)
{
	(void)state;
	struct tf_buf b = capture();
	for (size_t len = 0; len < b.len; len++) {
		uint8_t *copy = malloc(len + !len);
		struct decoded d;
		memcpy(copy, b.data, len);
		decode(&d, (struct tf_bytes){copy, len});
		/* Between the fields of the space a cut cannot be seen; the plane ends at its errors. */
		if (d.rc == 0 && len < b.len - 17)
			assert_true(d.f.issue_total >= 1 && d.t.truncated);
		assert_true(d.t.events.count <= 2);
		release(&d);
		free(copy);
	}
	tf_buf_release(&b);
}

/* Every byte in turn is replaced: nothing may crash, and the analyses must take what comes out. */
static void any_byte_may_be_wrong(void **state)
{
	(void)state;
	static const uint8_t values[] = {0x00, 0x7f, 0x80, 0xff, 0x0b};
	struct tf_buf b = capture();
	for (size_t i = 0; i < b.len; i++)
		for (size_t k = 0; k < sizeof values; k++) {
			struct decoded d;
			struct tf_arena a = {0};
			struct tf_derived derived;
			struct tf_host host = {.name = "h"};
			char kept = b.data[i];
			b.data[i] = (char)values[k];
			decode(&d, pb_view(&b));
			if (d.rc == 0) {
				assert_int_equal(tf_analyze_host(&d.t, NULL, &a, &host, &derived, &d.err), 0);
				tf_derived_release(&derived);
			}
			b.data[i] = kept;
			tf_arena_release(&a);
			release(&d);
		}
	tf_buf_release(&b);
}

static void random_bytes_do_no_harm(void **state)
{
	(void)state;
	uint64_t seed = 42;
	struct tf_buf b = capture();
	for (int n = 0; n < 3000; n++) {
		struct tf_buf copy = {0};
		struct decoded d;
		tf_buf_add(&copy, b.data, b.len);
		for (int k = 0; k < 4; k++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			copy.data[(seed >> 33) % copy.len] = (char)(seed >> 20);
		}
		decode(&d, pb_view(&copy));
		release(&d);
		tf_buf_release(&copy);
	}
	tf_buf_release(&b);
}

static void the_wire_knows_its_limits(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t len;
		enum tf_wire_fault fault;
	} cases[] = {
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, TF_WIRE_TRUNCATED}, /* length 2^64 - 1 */
		{"\x0a\x80", 2, TF_WIRE_TRUNCATED},
		{"\x0a\x05\x12", 3, TF_WIRE_TRUNCATED},
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, TF_WIRE_VARINT_LONG},
		{"\x00\x01", 2, TF_WIRE_FIELD_ZERO},
		{"\x0b", 1, TF_WIRE_BAD_TYPE}, /* a group */
		{"\x09\x01\x02", 3, TF_WIRE_TRUNCATED},
		{"\x08\x01", 2, TF_WIRE_FINE},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tf_wire w = tf_wire_of((struct tf_bytes){(const uint8_t *)cases[i].bytes, cases[i].len});
		struct tf_field f;
		while (tf_wire_next(&w, &f))
			;
		assert_int_equal(w.fault, cases[i].fault);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_behind_lines_is_found),
		cmocka_unit_test(stats_keep_kind_and_value),
		cmocka_unit_test(unknown_metadata_is_named_by_its_id),
		cmocka_unit_test(aggregated_events_keep_their_count),
		cmocka_unit_test(errors_and_hosts_of_the_space_are_kept),
		cmocka_unit_test(garbage_is_no_capture),
		cmocka_unit_test(a_cut_at_every_byte_is_told),
		cmocka_unit_test(any_byte_may_be_wrong),
		cmocka_unit_test(random_bytes_do_no_harm),
		cmocka_unit_test(the_wire_knows_its_limits),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
