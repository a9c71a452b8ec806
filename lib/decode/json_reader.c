/* Pulling values out of JSON text. */
#include "lib/decode/json_reader.h"

#include <string.h>

/* What a string may be where it stands. */
enum { AS_KEY = 1, AS_VALUE = 2 };

struct tf_json_reader tf_json_of(struct tf_bytes text)
{
	return (struct tf_json_reader){.p = text.data, .end = text.data + text.len};
}

struct tf_json_reader tf_json_inside(const struct tf_json_value *container)
{
	struct tf_json_reader j = tf_json_of(container->raw);

	j.p++;
	return j;
}

static bool fail(struct tf_json_reader *j, enum tf_json_fault fault)
{
	j->fault = fault;
	return false;
}

static const uint8_t *after_space(const uint8_t *p, const uint8_t *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* Whether the text goes on like JSON after a quote: after a key with a colon, after a value with what may follow one. */
static bool ends_string(const struct tf_json_reader *j, const uint8_t *quote, int as)
{
	const uint8_t *p = after_space(quote + 1, j->end);

	if (p == j->end || (*p == ':' && (as & AS_KEY)))
		return true;
	if (!(as & AS_VALUE))
		return false;
	uint8_t mark = *p;
	p = after_space(p + 1, j->end);
	if (mark == ',')
		return p == j->end || (*p && strchr("\"{[}]-0123456789tfn", *p));
	return (mark == '}' || mark == ']') && (p == j->end || *p == ',' || *p == '}' || *p == ']');
}

/* The string whose opening quote is at p. */
static bool read_string(struct tf_json_reader *j, int as, struct tf_json_value *v)
{
	const uint8_t *from = j->p + 1;

	v->kind = TF_JSON_STRING;
	v->escaped = false;
	for (const uint8_t *p = from; p < j->end; p++) {
		if (*p == '\\') {
			v->escaped = true;
			p++;
		} else if (*p == '"' && (!j->lenient || ends_string(j, p, as))) {
			v->raw = (struct tf_bytes){from, (size_t)(p - from)};
			j->p = p + 1;
			return true;
		}
	}
	return fail(j, TF_JSON_CUT);
}

/* The text ends inside the container that begins at `from`. */
static bool cut_container(struct tf_json_reader *j, const uint8_t *from, struct tf_json_value *v)
{
	j->fault = TF_JSON_CUT;
	j->p = j->end;
	v->raw = (struct tf_bytes){from, (size_t)(j->end - from)};
	return j->take_cut;
}

/* The container whose opening bracket is at p, skipped by its brackets. */
static bool read_container(struct tf_json_reader *j, struct tf_json_value *v)
{
	const uint8_t *from = j->p;
	struct tf_json_value inner;
	size_t depth = 0;

	v->kind = *from == '{' ? TF_JSON_OBJECT : TF_JSON_ARRAY;
	v->escaped = false;
	while (j->p < j->end) {
		uint8_t c = *j->p;
		if (c == '"') {
			if (!read_string(j, AS_KEY | AS_VALUE, &inner))
				return cut_container(j, from, v);
			continue;
		}
		j->p++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0) {
			v->raw = (struct tf_bytes){from, (size_t)(j->p - from)};
			return true;
		}
	}
	return cut_container(j, from, v);
}

/* true, false, null, a number, or a word that some writers put for one: NaN, Infinity. */
static bool read_word(struct tf_json_reader *j, struct tf_json_value *v)
{
	const uint8_t *from = j->p, *p = from;

	while (p < j->end && ((*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z') || *p == '+' || *p == '-' || *p == '.'))
		p++;
	if (p == j->end)
		return fail(j, TF_JSON_CUT); /* it may go on */
	if (p == from)
		return fail(j, TF_JSON_SYNTAX);
	v->raw = (struct tf_bytes){from, (size_t)(p - from)};
	v->escaped = false;
	v->kind = *from == 't' || *from == 'f'		 ? TF_JSON_BOOL
		  : tf_bytes_equal(v->raw, tf_bytes_of("null")) ? TF_JSON_NULL
							 : TF_JSON_NUMBER;
	j->p = p;
	return true;
}

static bool read_value(struct tf_json_reader *j, struct tf_json_value *v)
{
	j->p = after_space(j->p, j->end);
	if (j->p == j->end)
		return fail(j, TF_JSON_CUT);
	if (*j->p == '"')
		return read_string(j, AS_VALUE, v);
	return *j->p == '{' || *j->p == '[' ? read_container(j, v) : read_word(j, v);
}

bool tf_json_value(struct tf_json_reader *j, struct tf_json_value *v)
{
	return read_value(j, v);
}

/* Passes over commas; true if a further item begins, false at the closing bracket (passed too) or at the end. */
static bool find_item(struct tf_json_reader *j, uint8_t closing)
{
	j->p = after_space(j->p, j->end);
	while (j->p < j->end && *j->p == ',')
		j->p = after_space(j->p + 1, j->end);
	if (j->p == j->end)
		return fail(j, TF_JSON_CUT);
	if (*j->p != closing)
		return true;
	j->p++;
	return false;
}

/* After an item: a comma or the closing bracket must follow, unless the item was all that is left. */
static bool goes_on(struct tf_json_reader *j, uint8_t closing)
{
	if (j->fault)
		return true;
	j->p = after_space(j->p, j->end);
	if (j->p == j->end)
		return fail(j, TF_JSON_CUT) || j->take_cut;
	return *j->p == ',' || *j->p == closing || fail(j, TF_JSON_SYNTAX);
}

bool tf_json_member(struct tf_json_reader *j, struct tf_bytes *key, struct tf_json_value *v)
{
	struct tf_json_value k;

	if (j->fault || !find_item(j, '}'))
		return false;
	if (*j->p != '"')
		return fail(j, TF_JSON_SYNTAX);
	if (!read_string(j, AS_KEY, &k))
		return false;
	*key = k.raw;
	j->p = after_space(j->p, j->end);
	if (j->p == j->end)
		return fail(j, TF_JSON_CUT);
	if (*j->p != ':')
		return fail(j, TF_JSON_SYNTAX);
	j->p++;
	return read_value(j, v) && goes_on(j, '}');
}

bool tf_json_element(struct tf_json_reader *j, struct tf_json_value *v)
{
	return !j->fault && find_item(j, ']') && read_value(j, v) && goes_on(j, ']');
}

/* Four hexadecimal digits; -1 if they are none. */
static int32_t read_hex4(const uint8_t *p, const uint8_t *end)
{
	int32_t value = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		uint8_t c = p[i] | 32;
		int digit = p[i] >= '0' && p[i] <= '9' ? p[i] - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

static void add_utf8(struct tf_buf *b, uint32_t c)
{
	char out[4];

	if (c < 0x80) {
		tf_buf_char(b, (char)c);
	} else if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		tf_buf_add(b, out, 2);
	} else if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		tf_buf_add(b, out, 3);
	} else {
		out[0] = (char)(0xf0 | c >> 18);
		out[1] = (char)(0x80 | (c >> 12 & 0x3f));
		out[2] = (char)(0x80 | (c >> 6 & 0x3f));
		out[3] = (char)(0x80 | (c & 0x3f));
		tf_buf_add(b, out, 4);
	}
}

/* "\uXXXX" whose digits begin at p, a pair of surrogates as one; lone halves become U+FFFD. Returns what is behind it. */
static const uint8_t *read_unicode(struct tf_buf *out, const uint8_t *p, const uint8_t *end)
{
	int32_t c = read_hex4(p, end);

	if (c < 0) {
		tf_buf_text(out, "\\u");
		return p;
	}
	p += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
		int32_t low = read_hex4(p + 2, end);
		if (low >= 0xdc00 && low < 0xe000) {
			add_utf8(out, 0x10000 + ((uint32_t)(c - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
			return p + 6;
		}
	}
	add_utf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : (uint32_t)c);
	return p;
}

struct tf_bytes tf_json_as_text(const struct tf_json_value *v, struct tf_buf *scratch)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const uint8_t *p = v->raw.data, *end = p + v->raw.len;

	if (!v->escaped)
		return v->raw;
	scratch->len = 0;
	while (p < end) {
		if (*p != '\\' || p + 1 == end) {
			const uint8_t *stop = memchr(p + 1, '\\', (size_t)(end - p - 1));
			stop = stop ? stop : end;
			tf_buf_add(scratch, (const char *)p, (size_t)(stop - p));
			p = stop;
			continue;
		}
		const char *known = p[1] ? strchr(from, p[1]) : NULL;
		p += 2;
		if (known)
			tf_buf_char(scratch, to[known - from]);
		else if (p[-1] == 'u')
			p = read_unicode(scratch, p, end);
		else
			tf_buf_add(scratch, (const char *)p - 2, 2); /* a path that nobody escaped */
	}
	return (struct tf_bytes){(const uint8_t *)scratch->data, scratch->len};
}

static bool is_numeric(const struct tf_json_value *v)
{
	return (v->kind == TF_JSON_NUMBER || v->kind == TF_JSON_STRING) && v->raw.len && v->raw.len < 64;
}

bool tf_json_as_u64(const struct tf_json_value *v, uint64_t *out)
{
	uint64_t n = 0;

	if (!is_numeric(v))
		return false;
	for (size_t i = 0; i < v->raw.len; i++) {
		uint8_t c = v->raw.data[i];
		if (c < '0' || c > '9' || __builtin_mul_overflow(n, UINT64_C(10), &n) || __builtin_add_overflow(n, (uint64_t)(c - '0'), &n))
			return false;
	}
	*out = n;
	return true;
}

bool tf_json_as_i64(const struct tf_json_value *v, int64_t *out)
{
	char text[64];

	if (!is_numeric(v))
		return false;
	memcpy(text, v->raw.data, v->raw.len);
	text[v->raw.len] = '\0';
	return text[0] != '+' && tf_parse_i64(text, out);
}

bool tf_json_as_double(const struct tf_json_value *v, double *out)
{
	char text[64];

	if (!is_numeric(v))
		return false;
	memcpy(text, v->raw.data, v->raw.len);
	text[v->raw.len] = '\0';
	return tf_parse_double(text, out);
}

/* The digits of a decimal number and where its point stands. */
struct decimal {
	char digits[64];
	int count, point; /* value = 0.DIGITS × 10^point */
	bool negative;
};

static bool read_exponent(const uint8_t *p, const uint8_t *end, int *exponent)
{
	bool negative = p < end && *p == '-';
	int value = 0;

	p += p < end && (*p == '-' || *p == '+');
	if (p == end)
		return false;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9')
			return false;
		value = value < 10000 ? value * 10 + (*p - '0') : value;
	}
	*exponent = negative ? -value : value;
	return true;
}

static bool read_decimal(struct tf_bytes text, struct decimal *d)
{
	const uint8_t *p = text.data, *end = p + text.len;
	bool point = false, any = false;
	int exponent = 0;

	*d = (struct decimal){.negative = p < end && *p == '-'};
	p += d->negative;
	for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !point)); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		any = true;
		if (d->count || *p != '0')
			d->digits[d->count++] = (char)*p; /* text is shorter than digits */
		d->point += d->count ? !point : -point;
	}
	if (!any || (p < end && ((*p | 32) != 'e' || !read_exponent(p + 1, end, &exponent))))
		return false;
	d->point += exponent;
	return true;
}

static int digit_at(const struct decimal *d, int i)
{
	return i >= 0 && i < d->count ? d->digits[i] - '0' : 0;
}

bool tf_json_as_millionths(const struct tf_json_value *v, int64_t *million, int32_t *rest)
{
	struct decimal d;
	int64_t whole = 0;
	int32_t part = 0;

	if (!is_numeric(v) || !read_decimal(v->raw, &d))
		return false;
	if (d.count && d.point > 19)
		return false;
	for (int i = 0; i < d.point; i++)
		if (__builtin_mul_overflow(whole, INT64_C(10), &whole) || __builtin_add_overflow(whole, (int64_t)digit_at(&d, i), &whole))
			return false;
	for (int i = d.point; i < d.point + 6; i++)
		part = part * 10 + digit_at(&d, i);
	if (digit_at(&d, d.point + 6) >= 5 && ++part == 1000000) {
		part = 0;
		if (whole++ == INT64_MAX)
			return false;
	}
	if (d.negative && part) {
		whole = -whole - 1;
		part = 1000000 - part;
	} else if (d.negative) {
		whole = -whole;
	}
	*million = whole;
	*rest = part;
	return true;
}
