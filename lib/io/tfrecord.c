/* TFRecord framing and resynchronisation. */
#include "lib/io/tfrecord.h"

#include <string.h>

#include "lib/io/crc32c.h"

/* Headers can be forged so that each promises all that follows: the search reads a file this many times at most. */
enum { HEADER = 12, FOOTER = 4, CHECK_LIMIT = 16 };

static uint32_t u32_at(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64_at(const uint8_t *p)
{
	return (uint64_t)u32_at(p + 4) << 32 | u32_at(p);
}

/* True if a header whose CRC holds lies at the offset; its length is then in *length. */
static bool header_at(struct tf_bytes c, size_t at, uint64_t *length)
{
	if (c.len - at < HEADER)
		return false;
	*length = u64_at(c.data + at);
	return tf_crc32c_mask(tf_crc32c((struct tf_bytes){c.data + at, 8})) == u32_at(c.data + at + 8);
}

static bool data_holds(struct tf_bytes c, size_t at, uint64_t length)
{
	const uint8_t *data = c.data + at + HEADER;
	return tf_crc32c_mask(tf_crc32c((struct tf_bytes){data, (size_t)length})) == u32_at(data + length);
}

/* The first byte from `at` on that is not zero; content.len if there is none. */
static size_t skip_zeros(struct tf_bytes c, size_t at)
{
	uint64_t word;

	for (; c.len - at >= 8; at += 8) {
		memcpy(&word, c.data + at, 8);
		if (word)
			break;
	}
	while (at < c.len && c.data[at] == 0)
		at++;
	return at;
}

/*
 * The offset of the next whole and valid record from `at` on, content.len if there is none. A header whose length runs past the
 * end is no record; that costs no CRC. Nor is one of zeros alone: the CRC of a zero length is not zero.
 */
static size_t find_record(struct tf_record_reader *r, size_t at)
{
	struct tf_bytes c = r->content;

	while (c.len - at >= HEADER + FOOTER) {
		uint64_t length;
		if (c.data[at + 7] == 0 && (length = u64_at(c.data + at)) <= c.len - at - HEADER - FOOTER) {
			if (length == 0 && u32_at(c.data + at + 8) == 0) {
				size_t next = skip_zeros(c, at + HEADER);
				at = next == c.len ? next : next - HEADER + 1;
				continue;
			}
			if (header_at(c, at, &length) && r->checked < CHECK_LIMIT * (uint64_t)c.len) {
				r->checked += length;
				if (data_holds(c, at, length))
					return at;
			}
		}
		at++;
	}
	return c.len;
}

static bool all_zero(struct tf_bytes c, size_t from, size_t to)
{
	return skip_zeros((struct tf_bytes){c.data, to}, from) == to;
}

static struct tf_record stretch(struct tf_record_reader *r, enum tf_record_kind kind, size_t end)
{
	struct tf_record rec = {.kind = kind, .offset = r->at, .size = end - r->at};

	r->at = end;
	return rec;
}

/* Damage at the reader's place: up to the next valid record. */
static struct tf_record damage(struct tf_record_reader *r, enum tf_record_kind kind)
{
	size_t next = find_record(r, r->at + 1);

	if (all_zero(r->content, r->at, next))
		kind = TF_RECORD_ZEROS;
	else if (next == r->content.len && kind == TF_RECORD_TOO_LONG)
		kind = TF_RECORD_CUT;
	return stretch(r, kind, next);
}

struct tf_record tf_record_next(struct tf_record_reader *r)
{
	struct tf_bytes c = r->content;
	size_t left = c.len - r->at;
	uint64_t length;

	if (left == 0)
		return (struct tf_record){.kind = TF_RECORD_END, .offset = r->at};
	if (left < HEADER)
		return all_zero(c, r->at, c.len) ? stretch(r, TF_RECORD_ZEROS, c.len) : stretch(r, TF_RECORD_CUT, c.len);
	if (!header_at(c, r->at, &length))
		return damage(r, TF_RECORD_BAD_LENGTH);
	if (left < HEADER + FOOTER || length > left - HEADER - FOOTER)
		return damage(r, TF_RECORD_TOO_LONG);
	bool good = data_holds(c, r->at, length);
	struct tf_record rec = stretch(r, good ? TF_RECORD_DATA : TF_RECORD_BAD_DATA,
				       r->at + HEADER + (size_t)length + FOOTER);
	rec.data = (struct tf_bytes){c.data + rec.offset + HEADER, (size_t)length};
	return rec;
}
