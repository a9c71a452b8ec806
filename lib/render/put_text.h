/* Text that comes from files, on its way to a terminal: no control character of it gets there. */
#ifndef TF_RENDER_PUT_TEXT_H
#define TF_RENDER_PUT_TEXT_H

#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/base/text.h"

/* Replaces the control characters of a valid UTF-8 text in place, each byte by '?': those of ASCII and of Latin-1 (C1). */
void tf_make_printable(char *text, size_t len);

/*
 * Writes a valid UTF-8 text ("-" for NULL) printable, in at most `width` (at least 4) bytes: a longer one is cut in the
 * middle, between characters. Returns the bytes written.
 */
size_t tf_put_text(FILE *to, const char *text, size_t width);

/* The same, padded with spaces to the width. */
void tf_put_padded(FILE *to, const char *text, size_t width);

/*
 * Appends a quantity in its unit for a person: "11.693 ms", "29.55 MiB", "57.8 %", "-" for NaN. With `sign` it is a change: "+17.593 ms",
 * "+56.6 pt" (points of percent).
 */
void tf_buf_quantity(struct tf_buf *b, double value, enum tf_unit unit, bool sign);

#endif
