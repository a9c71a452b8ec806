/* Builds protobuf messages and event files. */
#include "tests/unit/support_proto.h"

#include <string.h>

#include "lib/io/crc32c.h"

static void put_varint(struct tf_buf *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		tf_buf_char(b, (char)(value | 0x80));
	tf_buf_char(b, (char)value);
}

void pb_varint(struct tf_buf *b, uint32_t field, uint64_t value)
{
	put_varint(b, field << 3);
	put_varint(b, value);
}

void pb_bytes(struct tf_buf *b, uint32_t field, const char *data, size_t len)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, len);
	tf_buf_add(b, data, len);
}

void pb_text(struct tf_buf *b, uint32_t field, const char *text)
{
	pb_bytes(b, field, text, strlen(text));
}

void pb_double(struct tf_buf *b, uint32_t field, double value)
{
	put_varint(b, field << 3 | 1);
	tf_buf_add(b, (const char *)&value, sizeof value);
}

void pb_float(struct tf_buf *b, uint32_t field, float value)
{
	put_varint(b, field << 3 | 5);
	tf_buf_add(b, (const char *)&value, sizeof value);
}

void pb_message(struct tf_buf *b, uint32_t field, struct tf_buf *message)
{
	pb_bytes(b, field, message->data, message->len);
	tf_buf_release(message);
}

static void put_u32(struct tf_buf *b, uint32_t value)
{
	tf_buf_add(b, (const char *)&value, sizeof value);
}

void pb_record(struct tf_buf *file, const struct tf_buf *data)
{
	uint64_t len = data->len;

	tf_buf_add(file, (const char *)&len, sizeof len);
	put_u32(file, tf_crc32c_mask(tf_crc32c((struct tf_bytes){(const uint8_t *)&len, sizeof len})));
	tf_buf_add(file, data->data, data->len);
	put_u32(file, tf_crc32c_mask(tf_crc32c(pb_view(data))));
}

void pb_version(struct tf_buf *file)
{
	struct tf_buf event = {0};

	pb_double(&event, 1, 1000.0);
	pb_text(&event, 3, "brain.Event:2");
	pb_record(file, &event);
	tf_buf_release(&event);
}

void pb_scalar(struct tf_buf *file, double wall, int64_t step, const char *tag, float value)
{
	struct tf_buf event = {0}, summary = {0}, entry = {0};

	pb_text(&entry, 1, tag);
	pb_float(&entry, 2, value);
	pb_message(&summary, 1, &entry);
	pb_double(&event, 1, wall);
	pb_varint(&event, 2, (uint64_t)step);
	pb_message(&event, 5, &summary);
	pb_record(file, &event);
	tf_buf_release(&event);
}
