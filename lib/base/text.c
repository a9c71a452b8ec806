/* Text: UTF-8, growing strings, JSON pieces, quantities. */
#include "lib/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void tf_buf_add(struct tf_buf *b, const char *text, size_t len)
{
	if (b->failed)
		return;
	if (len >= SIZE_MAX / 4 - b->len) {
		b->failed = true;
		return;
	}
	if (b->len + len + 1 > b->cap) {
		size_t cap = (b->len + len + 1) * 2;
		char *data = realloc(b->data, cap);
		if (!data) {
			b->failed = true;
			return;
		}
		b->data = data;
		b->cap = cap;
	}
	if (len)
		memcpy(b->data + b->len, text, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void tf_buf_text(struct tf_buf *b, const char *text)
{
	tf_buf_add(b, text, strlen(text));
}

void tf_buf_char(struct tf_buf *b, char c)
{
	tf_buf_add(b, &c, 1);
}

void tf_buf_printf(struct tf_buf *b, const char *fmt, ...)
{
	char small[256];
	va_list ap, again;

	va_start(ap, fmt);
	va_copy(again, ap);
	int len = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (len < 0) {
		b->failed = true;
	} else if ((size_t)len < sizeof small) {
		tf_buf_add(b, small, (size_t)len);
	} else {
		char *large = malloc((size_t)len + 1);
		if (large) {
			vsnprintf(large, (size_t)len + 1, fmt, again);
			tf_buf_add(b, large, (size_t)len);
			free(large);
		} else {
			b->failed = true;
		}
	}
	va_end(again);
}

void tf_buf_release(struct tf_buf *b)
{
	free(b->data);
	*b = (struct tf_buf){0};
}

/* The length of the valid UTF-8 sequence at p, 0 if there is none. */
static size_t utf8_sequence(const uint8_t *p, size_t len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

	if (n <= 1)
		return n;
	if (n > len)
		return 0;
	uint32_t code = p[0] & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return n;
}

bool tf_utf8_valid(struct tf_bytes bytes)
{
	for (size_t i = 0; i < bytes.len;) {
		size_t n = bytes.data[i] ? utf8_sequence(bytes.data + i, bytes.len - i) : 0;
		if (!n)
			return false;
		i += n;
	}
	return true;
}

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

char *tf_utf8_repair(struct tf_arena *a, struct tf_bytes bytes)
{
	if (tf_utf8_valid(bytes))
		return tf_arena_strndup(a, (const char *)bytes.data, bytes.len);
	if (bytes.len > SIZE_MAX / 4)
		return NULL;
	char *text = tf_arena_alloc(a, bytes.len * 3 + 1);
	if (!text)
		return NULL;
	char *to = text;
	for (size_t i = 0; i < bytes.len;) {
		size_t n = bytes.data[i] ? utf8_sequence(bytes.data + i, bytes.len - i) : 0;
		memcpy(to, n ? (const char *)bytes.data + i : replacement, n ? n : 3);
		to += n ? n : 3;
		i += n ? n : 1;
	}
	*to = '\0';
	return text;
}

static void add_json_char(struct tf_buf *b, const uint8_t *p, size_t n)
{
	static const char escapes[] = "\bb\ff\nn\rr\tt\"\"\\\\";

	for (const char *e = escapes; n == 1 && *e; e += 2)
		if ((uint8_t)*e == *p) {
			tf_buf_char(b, '\\');
			tf_buf_char(b, e[1]);
			return;
		}
	if (n == 0)
		tf_buf_add(b, replacement, 3);
	else if (n == 1 && (*p < 0x20 || *p == 0x7f))
		tf_buf_printf(b, "\\u%04x", *p);
	else
		tf_buf_add(b, (const char *)p, n);
}

void tf_buf_i64(struct tf_buf *b, int64_t value)
{
	char digits[24], *p = digits + sizeof digits;
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--p = '-';
	tf_buf_add(b, p, (size_t)(digits + sizeof digits - p));
}

void tf_buf_json_string(struct tf_buf *b, struct tf_bytes bytes)
{
	tf_buf_char(b, '"');
	for (size_t i = 0; i < bytes.len;) {
		size_t run = i;
		while (run < bytes.len && bytes.data[run] >= 0x20 && bytes.data[run] < 0x7f
		       && bytes.data[run] != '"' && bytes.data[run] != '\\')
			run++;
		tf_buf_add(b, (const char *)bytes.data + i, run - i);
		i = run;
		if (i == bytes.len)
			break;
		size_t n = utf8_sequence(bytes.data + i, bytes.len - i);
		add_json_char(b, bytes.data + i, n);
		i += n ? n : 1;
	}
	tf_buf_char(b, '"');
}

void tf_buf_json_double(struct tf_buf *b, double value)
{
	char text[32];

	if (!isfinite(value)) {
		tf_buf_text(b, "null");
		return;
	}
	if (value > -1e15 && value < 1e15 && value == (double)(int64_t)value) {
		tf_buf_printf(b, "%lld", (long long)value);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	tf_buf_text(b, text);
}

bool tf_parse_i64(const char *text, int64_t *value)
{
	const char *digits = *text == '-' ? text + 1 : text;
	char *end;

	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	long long parsed = strtoll(text, &end, 10);
	if (errno || *end)
		return false;
	*value = parsed;
	return true;
}

/* Parses the decimal number at the start; *end is behind it. */
static bool leading_double(const char *text, double *value, char **end)
{
	const char *digits = *text == '-' || *text == '+' ? text + 1 : text;

	if ((*digits < '0' || *digits > '9') && *digits != '.')
		return false;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return false;
	double parsed = strtod(text, end);
	if (*end == text || !isfinite(parsed)) /* too large is infinite; too small is the nearest that there is */
		return false;
	*value = parsed;
	return true;
}

bool tf_parse_double(const char *text, double *value)
{
	char *end;
	return leading_double(text, value, &end) && *end == '\0';
}

static const struct {
	enum tf_unit unit;
	const char *suffix;
	double factor;
} suffixes[] = {
	{TF_UNIT_RATIO, "%", 0.01},
	{TF_UNIT_MS, "ns", 1e-6},
	{TF_UNIT_MS, "us", 1e-3},
	{TF_UNIT_MS, "ms", 1},
	{TF_UNIT_MS, "s", 1e3},
	{TF_UNIT_MS, "min", 6e4},
	{TF_UNIT_BYTES, "B", 1},
	{TF_UNIT_BYTES, "K", 1024.0},
	{TF_UNIT_BYTES, "M", 1048576.0},
	{TF_UNIT_BYTES, "G", 1073741824.0},
	{TF_UNIT_BYTES, "T", 1099511627776.0},
	{TF_UNIT_BYTES, "KiB", 1024.0},
	{TF_UNIT_BYTES, "MiB", 1048576.0},
	{TF_UNIT_BYTES, "GiB", 1073741824.0},
	{TF_UNIT_BYTES, "TiB", 1099511627776.0},
	{TF_UNIT_BYTES, "kB", 1e3},
	{TF_UNIT_BYTES, "MB", 1e6},
	{TF_UNIT_BYTES, "GB", 1e9},
	{TF_UNIT_BYTES, "TB", 1e12},
};

int tf_parse_quantity(const char *text, enum tf_unit unit, double *value, struct tf_error *err)
{
	char *end;
	double number;

	if (!leading_double(text, &number, &end))
		return tf_fail(err, TF_EUSAGE, "not a number: '%s'", text);
	if (*end == '\0') {
		*value = number;
		return 0;
	}
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		if (strcmp(end, suffixes[i].suffix) != 0)
			continue;
		if (suffixes[i].unit != unit)
			break;
		*value = unit == TF_UNIT_RATIO ? number / 100 : number * suffixes[i].factor;
		return 0;
	}
	return tf_fail(err, TF_EUSAGE, "not a quantity in %s: '%s'",
		       unit == TF_UNIT_NONE ? "plain numbers" : tf_unit_name(unit), text);
}

const char *tf_unit_name(enum tf_unit unit)
{
	static const char *const names[] = {"", "ratio", "ms", "B", "us", "ps"};
	return names[unit];
}

enum { NAME_MAX_LEN = 128 };

int tf_text_distance(const char *a, const char *b, int limit)
{
	size_t n = strlen(a), m = strlen(b);
	int row[3][NAME_MAX_LEN];

	if (n >= NAME_MAX_LEN || m >= NAME_MAX_LEN)
		return limit + 1;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = (int)j;
	for (size_t i = 1; i <= n; i++) {
		int *now = row[i % 3], *up = row[(i + 2) % 3], *upup = row[(i + 1) % 3];
		now[0] = (int)i;
		for (size_t j = 1; j <= m; j++) {
			int best = up[j - 1] + (a[i - 1] != b[j - 1]);
			if (up[j] + 1 < best)
				best = up[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && upup[j - 2] + 1 < best)
				best = upup[j - 2] + 1;
			now[j] = best;
		}
	}
	int distance = row[n % 3][m];
	return distance > limit ? limit + 1 : distance;
}

/* Matches one character of text against the class at *pattern ('[' is there), and steps over the class. */
static bool class_match(const char **pattern, char c)
{
	const char *p = *pattern + 1;
	bool invert = *p == '!' || *p == '^', found = false;

	if (invert)
		p++;
	do {
		char low = *p, high = low;
		if (!low)
			return false;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			high = p[2];
			p += 2;
		}
		found |= (unsigned char)c >= (unsigned char)low && (unsigned char)c <= (unsigned char)high;
		p++;
	} while (*p != ']');
	*pattern = p + 1;
	return found != invert;
}

/* True if '[' at p opens a class that ends. */
static bool is_class(const char *p)
{
	p += p[1] == '!' || p[1] == '^' ? 2 : 1;
	return *p && strchr(p + 1, ']');
}

bool tf_glob_match(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		const char *next = pattern;
		bool same;
		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
			continue;
		}
		if (*pattern == '[' && is_class(pattern)) {
			same = class_match(&next, *text);
		} else {
			same = *pattern && (*pattern == '?' || *pattern == *text);
			next = pattern + 1;
		}
		if (same) {
			pattern = next;
			text++;
		} else if (star) {
			pattern = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
