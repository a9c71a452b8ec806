/* Printable text, cut to a width, and quantities. */
#include "lib/render/put_text.h"

#include <math.h>
#include <string.h>

/* How many bytes of a character begin here that moves the cursor or turns the direction of text; 0 for others. */
static size_t control(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;

	if (p[0] < 0x20 || p[0] == 0x7f)
		return 1;
	if (len > 1 && ((p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c))) /* U+0080 to 9F, U+061C */
		return 2;
	if (len < 3 || p[0] != 0xe2)
		return 0;
	bool marks = p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae)); /* U+200E, 200F, 2028 to 202E */
	return marks || (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9) ? 3 : 0;			       /* U+2066 to 2069 */
}

void tf_make_printable(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		size_t n = control(text + i, len - i);
		memset(text + i, '?', n);
		i += n ? n - 1 : 0;
	}
}

static void put(FILE *to, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = control(text + i, len - i);
		if (n)
			fprintf(to, "%.*s", (int)n, "???");
		else
			fputc(text[i], to);
		i += n ? n : 1;
	}
}

static bool is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t tf_put_text(FILE *to, const char *text, size_t width)
{
	size_t len = strlen(text ? text : "-");

	if (len <= width) {
		put(to, text ? text : "-", len);
		return len;
	}
	size_t head = (width - 3) / 2, tail = width - 3 - head;
	while (head && is_inside_character(text[head]))
		head--;
	const char *end = text + len - tail;
	while (is_inside_character(*end))
		end++;
	put(to, text, head);
	fputs("...", to);
	put(to, end, strlen(end));
	return head + 3 + strlen(end);
}

void tf_put_padded(FILE *to, const char *text, size_t width)
{
	size_t taken = tf_put_text(to, text, width);

	fprintf(to, "%*s", (int)(width - taken), "");
}

static void add_bytes(struct tf_buf *b, double bytes, bool sign)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	int unit = 0;

	for (; fabs(bytes) >= 1024 && unit < 4; unit++)
		bytes /= 1024;
	tf_buf_printf(b, sign ? "%+.*f %s" : "%.*f %s", unit ? 2 : 0, bytes, units[unit]);
}

void tf_buf_quantity(struct tf_buf *b, double value, enum tf_unit unit, bool sign)
{
	if (isnan(value))
		tf_buf_char(b, '-');
	else if (unit == TF_UNIT_BYTES)
		add_bytes(b, value, sign);
	else if (unit == TF_UNIT_RATIO)
		tf_buf_printf(b, sign ? "%+.1f pt" : "%.1f %%", 100 * value);
	else if (unit == TF_UNIT_NONE)
		tf_buf_printf(b, sign ? "%+.6g" : "%.6g", value);
	else
		tf_buf_printf(b, sign ? "%+.3f %s" : "%.3f %s", value, tf_unit_name(unit));
}
