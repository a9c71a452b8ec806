/* "*.trace" of TensorFlow 2.0 and 2.1. */
#include "tests/fuzz/fuzz.h"

#include "lib/decode/trace_pb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_trace(tf_decode_trace_pb, data, size);
}
