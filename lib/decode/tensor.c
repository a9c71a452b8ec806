/* TensorProto by the wire: packed and unpacked value fields, and tensor_content. */
#include "lib/decode/tensor.h"

#include <math.h>

#include "lib/decode/wire.h"

enum { T_DTYPE = 1, T_SHAPE = 2, T_CONTENT = 4, T_FLOAT = 5, T_DOUBLE = 6, T_INT = 7, T_STRING = 8, T_INT64 = 10, T_BOOL = 11,
       T_HALF = 13, T_UINT32 = 16, T_UINT64 = 17 };
enum { DT_FLOAT = 1, DT_DOUBLE = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 5, DT_INT8 = 6, DT_STRING = 7, DT_INT64 = 9,
       DT_BOOL = 10, DT_BFLOAT16 = 14, DT_UINT16 = 17, DT_HALF = 19, DT_UINT32 = 22, DT_UINT64 = 23 };

static const struct {
	int64_t dtype;
	const char *name;
	size_t size;	/* of an element in tensor_content; 0: no number */
	uint32_t field; /* that holds its values otherwise */
} dtypes[] = {
	{DT_FLOAT, "float", 4, T_FLOAT},      {DT_DOUBLE, "double", 8, T_DOUBLE}, {DT_INT32, "int32", 4, T_INT},
	{DT_UINT8, "uint8", 1, T_INT},	      {DT_INT16, "int16", 2, T_INT},	  {DT_INT8, "int8", 1, T_INT},
	{DT_STRING, "string", 0, T_STRING},   {DT_INT64, "int64", 8, T_INT64},	  {DT_BOOL, "bool", 1, T_BOOL},
	{DT_BFLOAT16, "bfloat16", 2, T_HALF}, {DT_UINT16, "uint16", 2, T_INT},	  {DT_HALF, "half", 2, T_HALF},
	{DT_UINT32, "uint32", 4, T_UINT32},   {DT_UINT64, "uint64", 8, T_UINT64},
};

static double half_to_double(uint16_t h)
{
	int exponent = h >> 10 & 31, fraction = h & 1023;
	double value = exponent == 31 ? (fraction ? NAN : INFINITY)
		       : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
	return h & 0x8000 ? -value : value;
}

/* The number that `bits` mean in a dtype. */
static double number_of(int64_t dtype, uint64_t bits)
{
	switch (dtype) {
	case DT_FLOAT:
		return (double)tf_wire_float(bits);
	case DT_DOUBLE:
		return tf_wire_double(bits);
	case DT_INT32:
		return (double)(int32_t)bits;
	case DT_INT16:
		return (double)(int16_t)bits;
	case DT_INT8:
		return (double)(int8_t)bits;
	case DT_INT64:
		return (double)(int64_t)bits;
	case DT_HALF:
		return half_to_double((uint16_t)bits);
	case DT_BFLOAT16:
		return (double)tf_wire_float(bits << 16 & 0xffff0000u);
	case DT_UINT8:
		return (double)(uint8_t)bits;
	case DT_UINT16:
		return (double)(uint16_t)bits;
	case DT_UINT32:
		return (double)(uint32_t)bits;
	case DT_BOOL:
		return bits != 0;
	default:
		return (double)bits;
	}
}

struct filler {
	struct tf_tensor *t;
	struct tf_arena *a;
	size_t cap;
	struct tf_error *err;
};

static int push_number(struct filler *f, uint64_t bits)
{
	double *at = tf_arena_push(f->a, (void **)&f->t->numbers, &f->t->count, &f->cap, sizeof *at);

	if (!at)
		return tf_fail_nomem(f->err);
	*at = number_of(f->t->dtype, bits);
	return 0;
}

static int read_shape(struct tf_bytes message, struct tf_tensor *t)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f, size;

	while (tf_wire_next(&w, &f)) {
		if (f.number != 2 || f.type != TF_WIRE_BYTES)
			continue;
		struct tf_wire dim = tf_wire_of(f.bytes);
		int64_t n = 0;
		while (tf_wire_next(&dim, &size))
			if (size.number == 1 && size.type == TF_WIRE_VARINT)
				n = (int64_t)size.value;
		if (t->rank == sizeof t->dims / sizeof t->dims[0])
			return -1;
		t->dims[t->rank++] = n;
		if (t->elements < 0 || n < 0 || __builtin_mul_overflow(t->elements, n, &t->elements))
			t->elements = -1;
	}
	return w.fault ? -1 : 0;
}

static int malformed(struct tf_error *err)
{
	return tf_fail(err, TF_EFORMAT, "malformed tensor");
}

/* A run of numbers of `size` bytes. One that is not all there is not made up. */
static int read_fixed(struct filler *fill, struct tf_bytes run, size_t size)
{
	if (run.len % size)
		return malformed(fill->err);
	for (size_t at = 0; at < run.len; at += size) {
		uint64_t bits = 0;
		memcpy(&bits, run.data + at, size); /* little-endian, as all our machines are */
		if (push_number(fill, bits) < 0)
			return -1;
	}
	return 0;
}

/* The dtype's value field: one number, or a packed run of them. With another wire type it is an unknown field. */
static int read_values(struct filler *fill, const struct tf_field *f)
{
	size_t fixed = f->number == T_FLOAT ? 4 : f->number == T_DOUBLE ? 8 : 0;
	enum tf_wire_type plain = fixed == 4 ? TF_WIRE_FIXED32 : fixed == 8 ? TF_WIRE_FIXED64 : TF_WIRE_VARINT;
	uint64_t bits;

	if (f->type != TF_WIRE_BYTES)
		return f->type == plain ? push_number(fill, f->value) : 0;
	if (fixed)
		return read_fixed(fill, f->bytes, fixed);
	struct tf_wire w = tf_wire_of(f->bytes);
	while (w.p < w.end && tf_wire_varint(&w, &bits))
		if (push_number(fill, bits) < 0)
			return -1;
	return w.fault ? malformed(fill->err) : 0;
}

/* Names the dtype; returns the size of an element and the field of its values. */
static size_t describe(struct tf_tensor *t, uint32_t *field)
{
	*field = 0;
	for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
		if (dtypes[i].dtype == t->dtype) {
			t->dtype_name = dtypes[i].name;
			t->is_text = t->dtype == DT_STRING;
			*field = dtypes[i].field;
			return dtypes[i].size;
		}
	t->dtype_name = "other";
	return 0;
}

/* dtype and shape come first in what writers write, but need not: they are read on their own. */
static int read_head(struct tf_bytes message, struct tf_tensor *t)
{
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	t->elements = 1;
	while (tf_wire_next(&w, &f)) {
		if (f.number == T_DTYPE && f.type == TF_WIRE_VARINT)
			t->dtype = (int64_t)f.value;
		else if (f.number == T_SHAPE && f.type == TF_WIRE_BYTES && read_shape(f.bytes, t) < 0)
			return -1;
		else if (f.type == TF_WIRE_BYTES && f.number >= T_CONTENT)
			t->content_bytes += (int64_t)f.bytes.len;
	}
	return w.fault ? -1 : 0;
}

static int read_text(struct filler *fill, struct tf_bytes text)
{
	struct tf_bytes *at = tf_arena_push(fill->a, (void **)&fill->t->texts, &fill->t->count, &fill->cap, sizeof *at);

	if (!at)
		return tf_fail_nomem(fill->err);
	*at = text;
	return 0;
}

int tf_decode_tensor(struct tf_bytes message, struct tf_arena *a, struct tf_tensor *out, struct tf_error *err)
{
	struct filler fill = {.t = out, .a = a, .err = err};
	struct tf_wire w = tf_wire_of(message);
	struct tf_field f;

	*out = (struct tf_tensor){0};
	if (read_head(message, out) < 0)
		return malformed(err);
	uint32_t field;
	size_t size = describe(out, &field);
	bool is_content = false;
	while (tf_wire_next(&w, &f)) {
		int rc = 0;
		if (out->is_text && f.number == T_STRING && f.type == TF_WIRE_BYTES)
			rc = read_text(&fill, f.bytes);
		else if (size && f.number == T_CONTENT && f.type == TF_WIRE_BYTES)
			rc = read_fixed(&fill, f.bytes, size);
		else if (size && f.number == field)
			rc = read_values(&fill, &f);
		if (rc < 0)
			return -1;
		is_content |= f.number == T_CONTENT && f.type == TF_WIRE_BYTES;
	}
	/* A short list repeats its last value; content is all there, and no tensor holds more than its shape says. */
	int64_t count = (int64_t)out->count;
	if (size && out->elements >= 0 && (count > out->elements || (is_content && count < out->elements)))
		return malformed(err);
	return 0;
}

double tf_tensor_number(const struct tf_tensor *t, size_t i)
{
	return t->numbers[i < t->count ? i : t->count - 1];
}
