/* Captures. */
#include "tests/fuzz/fuzz.h"

#include "lib/decode/xspace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_trace t = {0};
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_arena arena = {0};
	struct tf_error err = {0};

	HOLDS(tf_trace_init(&t, &err) == 0);
	if (size && tf_decode_xspace((struct tf_bytes){data, size}, &t, &file, &arena, &err) == 0) {
		HOLDS(file.records == (int64_t)t.events.count);
		HOLDS(!t.truncated || file.issue_total > 0);
		fuzz_analyze(&t);
	}
	HOLDS(err.code == TF_OK || err.code == TF_EFORMAT);
	tf_trace_release(&t);
	tf_arena_release(&arena);
	return 0;
}
