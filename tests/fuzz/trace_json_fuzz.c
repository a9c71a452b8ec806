/* Trace JSON, plain and gzip. */
#include "tests/fuzz/fuzz.h"

#include "lib/decode/trace_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_stored stored = {.bytes = {data, size}, .fd = -1};
	struct tf_stream in;
	struct tf_trace t = {0};
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_arena arena = {0};
	struct tf_error err = {0};

	if (size == 0)
		return 0;
	HOLDS(tf_stream_open(&in, &stored, &err) == 0 && tf_trace_init(&t, &err) == 0);
	if (tf_decode_trace_json(&in, &t, &file, &arena, &err) == 0)
		fuzz_analyze(&t);
	HOLDS(err.code == TF_OK || err.code == TF_EFORMAT);
	tf_stream_close(&in);
	tf_trace_release(&t);
	tf_arena_release(&arena);
	return 0;
}
