/* Result files: every input as each kind, since a mutation seldom makes one of another; and what is made of their figures. */
#include "tests/fuzz/fuzz.h"

#include "lib/decode/sidecar_pb.h"

static void decode(enum tf_file_kind kind, struct tf_bytes content)
{
	struct tf_sidecar s = {0};
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_arena arena = {0};
	struct tf_error err = {0};
	bool truncated = false;

	HOLDS(tf_decode_sidecar(content, kind, &s, &truncated, &file, &arena, &err) == 0);
	HOLDS(!truncated || file.issue_total > 0);
	fuzz_sidecar(&s, truncated);
	tf_arena_release(&s.arena);
	tf_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (enum tf_file_kind kind = TF_FILE_OVERVIEW_PB; size && kind <= TF_FILE_KERNEL_STATS_PB; kind++)
		decode(kind, (struct tf_bytes){data, size});
	return 0;
}
