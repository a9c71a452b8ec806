/* TFRecord framing: length, its CRC, data, its CRC. Damage is stepped over and told, never fatal. */
#ifndef TF_IO_TFRECORD_H
#define TF_IO_TFRECORD_H

#include <stdbool.h>

#include "lib/base/bytes.h"

enum tf_record_kind {
	TF_RECORD_DATA,	      /* a record whose CRCs hold */
	TF_RECORD_BAD_DATA,   /* the frame holds, the data's CRC does not */
	TF_RECORD_BAD_LENGTH, /* bytes up to the next record that begin with a bad length or length CRC */
	TF_RECORD_ZEROS,      /* a run of zero bytes up to the next record or the end */
	TF_RECORD_TOO_LONG,   /* the length's CRC holds, but more is promised than the file has, and records follow */
	TF_RECORD_CUT,	      /* the last record is not all there */
	TF_RECORD_END,
};

struct tf_record {
	enum tf_record_kind kind;
	size_t offset, size; /* of the whole frame or the damaged stretch, in the file */
	struct tf_bytes data; /* TF_RECORD_DATA: borrowed from the content */
};

/* A reader of records; content is borrowed. */
struct tf_record_reader {
	struct tf_bytes content;
	size_t at;
	uint64_t checked; /* bytes whose CRC was computed while looking for the next record */
};

/* The next record or stretch of damage; TF_RECORD_END at the end. Every byte is in exactly one of them. */
struct tf_record tf_record_next(struct tf_record_reader *r);

#endif
