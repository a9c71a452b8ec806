/* TensorProto. */
#include "tests/fuzz/fuzz.h"

#include "lib/decode/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_arena arena = {0};
	struct tf_error err = {0};
	struct tf_tensor t;
	volatile double sum = 0;

	if (size == 0 || tf_decode_tensor((struct tf_bytes){data, size}, &arena, &t, &err) < 0) {
		HOLDS(size == 0 || err.code == TF_EFORMAT);
		tf_arena_release(&arena);
		return 0;
	}
	HOLDS(t.dtype_name && t.rank <= 16 && t.elements >= -1 && t.content_bytes >= 0 && t.content_bytes <= (int64_t)size);
	HOLDS(t.count <= size); /* what is not encoded is not made up */
	for (size_t i = 0; i < t.count; i++) {
		if (t.is_text)
			HOLDS(t.texts[i].data >= data && t.texts[i].data + t.texts[i].len <= data + size);
		else
			sum += tf_tensor_number(&t, i);
	}
	if (t.count && !t.is_text)
		sum += tf_tensor_number(&t, SIZE_MAX);
	(void)sum;
	tf_arena_release(&arena);
	return 0;
}
