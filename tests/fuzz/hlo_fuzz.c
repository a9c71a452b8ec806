/* Programs of XLA. */
#include "tests/fuzz/fuzz.h"

#include "lib/decode/hlo_proto.h"

static bool is_inside(struct tf_bytes piece, const uint8_t *data, size_t size)
{
	return piece.len == 0 || (piece.data >= data && piece.data + piece.len <= data + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_hlo hlo = {0};
	struct tf_hlo_fault fault = {0};
	struct tf_error err = {0};

	if (size == 0)
		return 0;
	HOLDS(tf_decode_hlo((struct tf_bytes){data, size}, &hlo, &fault, &err) == 0);
	HOLDS(!fault.reason || (fault.at >= data && fault.at <= data + size));
	HOLDS(is_inside(hlo.name, data, size) && hlo.instruction_count >= 0);
	for (size_t i = 0; i < hlo.buffer_count; i++)
		HOLDS(is_inside(hlo.buffers[i].instruction, data, size) && is_inside(hlo.buffers[i].op_name, data, size));
	for (size_t i = 0; i < hlo.allocation_count; i++)
		HOLDS(hlo.allocations[i].assigned_first + hlo.allocations[i].assigned_count <= hlo.assigned_count);
	for (size_t i = 0; i < hlo.trace_count; i++)
		HOLDS(hlo.traces[i].event_first + hlo.traces[i].event_count <= hlo.event_count);
	tf_arena_release(&hlo.arena);
	return 0;
}
