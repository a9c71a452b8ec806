/* Memory profiles as JSON. */
#include "tests/fuzz/fuzz.h"

#include "lib/decode/memory_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_trace(tf_decode_memory_json, data, size);
}
