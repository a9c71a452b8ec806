/* A bounds-checked reader of the protobuf wire format: fields of one message, in file order, nothing copied. */
#ifndef TF_DECODE_WIRE_H
#define TF_DECODE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"

enum tf_wire_type { TF_WIRE_VARINT = 0, TF_WIRE_FIXED64 = 1, TF_WIRE_BYTES = 2, TF_WIRE_FIXED32 = 5 };

/* What ended a message before its end. */
enum tf_wire_fault {
	TF_WIRE_FINE,
	TF_WIRE_TRUNCATED, /* a field needs more bytes than are left */
	TF_WIRE_VARINT_LONG, /* a varint of more than 64 bits */
	TF_WIRE_FIELD_ZERO,
	TF_WIRE_BAD_TYPE, /* a group or an unknown wire type */
};

/* The fault in words, for messages. Static. */
const char *tf_wire_fault_text(enum tf_wire_fault fault);

struct tf_wire {
	const uint8_t *p, *end;
	enum tf_wire_fault fault; /* set when tf_wire_next() returned false before the end */
};

struct tf_field {
	uint32_t number;
	enum tf_wire_type type;
	uint64_t value;	       /* varint and fixed; little-endian bits */
	struct tf_bytes bytes; /* TF_WIRE_BYTES; borrowed from the message */
};

/* A reader of one message; one that is not there (data NULL) is empty. */
static inline struct tf_wire tf_wire_of(struct tf_bytes message)
{
	return (struct tf_wire){message.data, message.len ? message.data + message.len : message.data, TF_WIRE_FINE};
}

/* Reads a varint at w->p. False with w->fault set if there is none. */
static inline bool tf_wire_varint(struct tf_wire *w, uint64_t *value)
{
	const uint8_t *p = w->p;
	uint64_t v = 0;

	if (p < w->end && *p < 0x80) {
		*value = *p;
		w->p = p + 1;
		return true;
	}
	for (unsigned shift = 0; shift < 70; shift += 7, p++) {
		if (p == w->end) {
			w->fault = TF_WIRE_TRUNCATED;
			return false;
		}
		if (shift == 63 && *p > 1)
			break;
		v |= (uint64_t)(*p & 0x7f) << shift;
		if (*p < 0x80) {
			*value = v;
			w->p = p + 1;
			return true;
		}
	}
	w->fault = TF_WIRE_VARINT_LONG;
	return false;
}

/* Reads the value of a field whose key was read. False with w->fault set. */
bool tf_wire_value(struct tf_wire *w, struct tf_field *f);

/*
 * The next field. False at the end of the message, or at a fault: w->fault is then set and w->p is where the field began.
 */
static inline bool tf_wire_next(struct tf_wire *w, struct tf_field *f)
{
	const uint8_t *begin = w->p;
	uint64_t key;

	if (begin == w->end)
		return false;
	if (!tf_wire_varint(w, &key)) {
		w->p = begin;
		return false;
	}
	f->number = (uint32_t)(key >> 3);
	f->type = (enum tf_wire_type)(key & 7);
	if (key >> 3 == 0 || key >> 32) {
		w->fault = TF_WIRE_FIELD_ZERO;
	} else if (f->type == TF_WIRE_VARINT) {
		if (tf_wire_varint(w, &f->value))
			return true;
	} else if (tf_wire_value(w, f)) {
		return true;
	}
	w->p = begin;
	return false;
}

/* The last field of this number that holds bytes; empty if there is none. Borrowed. */
struct tf_bytes tf_wire_find(struct tf_bytes message, uint32_t number);

/* The double or float whose bits a fixed field holds. */
double tf_wire_double(uint64_t bits);
float tf_wire_float(uint64_t bits);

#endif
