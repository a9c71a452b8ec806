/* CRC-32C (Castagnoli), as TFRecord uses it. */
#ifndef TF_IO_CRC32C_H
#define TF_IO_CRC32C_H

#include "lib/base/bytes.h"

/* The CRC of the bytes. */
uint32_t tf_crc32c(struct tf_bytes bytes);

/* The form in which TFRecord stores a CRC: rotated right by 15 bits, plus a constant. */
static inline uint32_t tf_crc32c_mask(uint32_t crc)
{
	return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

#endif
