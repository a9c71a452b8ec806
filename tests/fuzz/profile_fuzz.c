/* What profilers wrote beside or instead of a capture: memory profiles, trace.pb, result files. Each reader gets every input. */
#include "tests/fuzz/fuzz.h"

#include "lib/decode/memory_profile.h"
#include "lib/decode/sidecar_pb.h"
#include "lib/decode/trace_pb.h"

/* A function type, not a struct. */
typedef int decoder(struct tf_bytes, struct tf_trace *, struct tf_ledger_file *, struct tf_arena *, struct tf_error *);

static void decode_trace(decoder *decode, struct tf_bytes content)
{
	struct tf_trace t = {0};
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_arena arena = {0};
	struct tf_error err = {0};

	HOLDS(tf_trace_init(&t, &err) == 0);
	if (decode(content, &t, &file, &arena, &err) == 0)
		fuzz_analyze(&t);
	HOLDS(err.code == TF_OK || err.code == TF_EFORMAT);
	tf_trace_release(&t);
	tf_arena_release(&arena);
}

static void decode_sidecar(enum tf_file_kind kind, struct tf_bytes content)
{
	struct tf_sidecar s = {0};
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_arena arena = {0};
	struct tf_error err = {0};
	bool truncated = false;

	HOLDS(tf_decode_sidecar(content, kind, &s, &truncated, &file, &arena, &err) == 0);
	HOLDS(!truncated || file.issue_total > 0);
	tf_arena_release(&s.arena);
	tf_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static decoder *const decoders[] = {tf_decode_memory_json, tf_decode_memory_pb, tf_decode_trace_pb};
	struct tf_bytes content = {data, size};

	for (size_t i = 0; size && i < sizeof decoders / sizeof decoders[0]; i++)
		decode_trace(decoders[i], content);
	for (enum tf_file_kind kind = TF_FILE_OVERVIEW_PB; size && kind <= TF_FILE_KERNEL_STATS_PB; kind++)
		decode_sidecar(kind, content);
	return 0;
}
