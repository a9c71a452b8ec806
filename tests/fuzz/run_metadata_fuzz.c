/* RunMetadata as a file of its own, and twice in an event file. */
#include "tests/fuzz/fuzz.h"

#include "lib/decode/run_metadata.h"
#include "lib/decode/step_stats.h"
#include "tests/unit/support_proto.h"

/* A function type, not a struct. */
typedef int decoder(struct tf_bytes, struct tf_trace *, struct tf_ledger_file *, struct tf_arena *, struct tf_error *);

static size_t decode(decoder *read, struct tf_bytes content)
{
	struct tf_trace t = {0};
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_arena arena = {0};
	struct tf_error err = {0};

	HOLDS(tf_trace_init(&t, &err) == 0);
	if (read(content, &t, &file, &arena, &err) == 0)
		fuzz_analyze(&t);
	HOLDS(err.code == TF_OK || err.code == TF_EFORMAT);
	HOLDS(!t.truncated || file.issue_total > 0);
	size_t events = t.events.count;
	for (size_t i = 0; i < file.issue_count; i++)
		HOLDS(file.issues[i].offset >= 0 && file.issues[i].offset <= (int64_t)content.len);
	tf_trace_release(&t);
	tf_arena_release(&arena);
	return events;
}

static void put_event(struct tf_buf *events, uint64_t step, const uint8_t *data, size_t size)
{
	struct tf_buf tagged = {0}, event = {0};

	pb_text(&tagged, 1, "tag");
	pb_bytes(&tagged, 2, (const char *)data, size);
	pb_varint(&event, 2, step);
	pb_message(&event, 8, &tagged);
	pb_record(events, &event);
	tf_buf_release(&event);
}

static int count_node(void *count, const struct tf_point *at, const struct tf_metadata_node *node, struct tf_error *err)
{
	(void)at, (void)node, (void)err;
	++*(size_t *)count;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_buf events = {0};
	struct tf_bytes content = {data, size};
	size_t nodes = 0;
	struct tf_row_sink sink = {.ctx = &nodes, .metadata_node = count_node};
	struct tf_point at = {0};
	struct tf_error err = {0};

	if (size == 0)
		return 0;
	tf_is_step_stats(content);
	HOLDS(tf_pass_run_metadata(content, &sink, &at, &err) == 0);
	size_t once = decode(tf_decode_run_metadata, content);
	HOLDS(once >= nodes);
	put_event(&events, 1, data, size);
	put_event(&events, 2, data, size);
	HOLDS(decode(tf_decode_event_runs, pb_view(&events)) == 2 * once);
	tf_buf_release(&events);
	return 0;
}
