/* Protobuf wire format: the less frequent kinds of values, and words for faults. */
#include "lib/decode/wire.h"

static bool fixed(struct tf_wire *w, size_t size, uint64_t *value)
{
	if ((size_t)(w->end - w->p) < size) {
		w->fault = TF_WIRE_TRUNCATED;
		return false;
	}
	*value = 0;
	for (size_t i = 0; i < size; i++)
		*value |= (uint64_t)w->p[i] << (8 * i);
	w->p += size;
	return true;
}

bool tf_wire_value(struct tf_wire *w, struct tf_field *f)
{
	uint64_t len;

	switch (f->type) {
	case TF_WIRE_VARINT:
		return tf_wire_varint(w, &f->value);
	case TF_WIRE_FIXED64:
		return fixed(w, 8, &f->value);
	case TF_WIRE_FIXED32:
		return fixed(w, 4, &f->value);
	case TF_WIRE_BYTES:
		if (!tf_wire_varint(w, &len))
			return false;
		if (len > (uint64_t)(w->end - w->p)) {
			w->fault = TF_WIRE_TRUNCATED;
			return false;
		}
		f->bytes = (struct tf_bytes){w->p, (size_t)len};
		w->p += len;
		return true;
	default:
		w->fault = TF_WIRE_BAD_TYPE;
		return false;
	}
}

const char *tf_wire_fault_text(enum tf_wire_fault fault)
{
	static const char *const texts[] = {"fine", "field longer than what is left", "varint over 64 bits",
					    "field number 0 or too large", "group or unknown wire type"};
	return texts[fault];
}

double tf_wire_double(uint64_t bits)
{
	double d;
	memcpy(&d, &bits, sizeof d);
	return d;
}

float tf_wire_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;
	memcpy(&f, &low, sizeof f);
	return f;
}

struct tf_bytes tf_wire_find(struct tf_bytes message, uint32_t number)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_bytes found = {0};
	struct tf_field f;

	while (tf_wire_next(&w, &f))
		if (f.number == number && f.type == TF_WIRE_BYTES)
			found = f.bytes;
	return found;
}
