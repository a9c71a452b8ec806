/* Writes an event file of so many scalar points: 20 tags in turn, as TF2 writes them. event_file FILE POINTS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/io/crc32c.h"

static void put_u32(FILE *to, uint32_t x)
{
	fwrite(&x, 4, 1, to); /* little-endian machines alone are measured */
}

static void put_record(FILE *to, const uint8_t *data, size_t len)
{
	uint64_t length = len;

	fwrite(&length, 8, 1, to);
	put_u32(to, tf_crc32c_mask(tf_crc32c((struct tf_bytes){(const uint8_t *)&length, 8})));
	fwrite(data, 1, len, to);
	put_u32(to, tf_crc32c_mask(tf_crc32c((struct tf_bytes){data, len})));
}

/* wall_time 1, step 2, summary 5 { value 1 { tag 1, simple_value 2 } } */
static size_t scalar(uint8_t *to, double wall_time, uint64_t step, const char *tag, float value)
{
	size_t n = 0, tag_len = strlen(tag);

	to[n++] = 0x09;
	memcpy(to + n, &wall_time, 8);
	n += 8;
	to[n++] = 0x10;
	for (; step >= 0x80; step >>= 7)
		to[n++] = (uint8_t)(step | 0x80);
	to[n++] = (uint8_t)step;
	to[n++] = 0x2a;
	to[n++] = (uint8_t)(tag_len + 9);
	to[n++] = 0x0a;
	to[n++] = (uint8_t)(tag_len + 7);
	to[n++] = 0x0a;
	to[n++] = (uint8_t)tag_len;
	memcpy(to + n, tag, tag_len);
	n += tag_len;
	to[n++] = 0x15;
	memcpy(to + n, &value, 4);
	return n + 4;
}

int main(int argc, char **argv)
{
	static const uint8_t version[] = "\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0d" "brain.Event:2";
	FILE *to = argc == 3 ? fopen(argv[1], "wb") : NULL;

	if (!to)
		return 2;
	put_record(to, version, sizeof version - 1);
	for (long long i = 0; i < atoll(argv[2]); i++) {
		uint8_t record[128];
		char tag[32];
		snprintf(tag, sizeof tag, "train/metric_%02d", (int)(i % 20));
		put_record(to, record, scalar(record, 1.7e9 + (double)i * 1e-3, (uint64_t)(i / 20), tag, (float)i));
	}
	return fclose(to) != 0;
}
