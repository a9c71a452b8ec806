/* JSON writer. */
#include "lib/render/json_writer.h"

#include <math.h>

#include "lib/trace/trace.h"

static void begin(struct tf_json *j, const char *key)
{
	if (j->comma)
		tf_buf_char(&j->buf, ',');
	if (key) {
		tf_buf_json_string(&j->buf, tf_bytes_of(key));
		tf_buf_char(&j->buf, ':');
	}
	j->comma = true;
}

static void open_level(struct tf_json *j, const char *key, char bracket)
{
	begin(j, key);
	tf_buf_char(&j->buf, bracket);
	j->comma = false;
}

static void close_level(struct tf_json *j, char bracket)
{
	tf_buf_char(&j->buf, bracket);
	j->comma = true;
}

void tf_json_object(struct tf_json *j, const char *key)
{
	open_level(j, key, '{');
}

void tf_json_object_end(struct tf_json *j)
{
	close_level(j, '}');
}

void tf_json_list(struct tf_json *j, const char *key)
{
	open_level(j, key, '[');
}

void tf_json_list_end(struct tf_json *j)
{
	close_level(j, ']');
}

void tf_json_text(struct tf_json *j, const char *key, const char *value)
{
	begin(j, key);
	if (value)
		tf_buf_json_string(&j->buf, tf_bytes_of(value));
	else
		tf_buf_text(&j->buf, "null");
}

void tf_json_bytes(struct tf_json *j, const char *key, struct tf_bytes value)
{
	begin(j, key);
	tf_buf_json_string(&j->buf, value);
}

void tf_json_integer(struct tf_json *j, const char *key, int64_t value)
{
	begin(j, key);
	tf_buf_printf(&j->buf, "%lld", (long long)value);
}

void tf_json_i64(struct tf_json *j, const char *key, int64_t value)
{
	if (value == TF_NONE)
		tf_json_text(j, key, NULL);
	else
		tf_json_integer(j, key, value);
}

void tf_json_double(struct tf_json *j, const char *key, double value)
{
	begin(j, key);
	tf_buf_json_double(&j->buf, value);
}

void tf_json_bool(struct tf_json *j, const char *key, bool value)
{
	begin(j, key);
	tf_buf_text(&j->buf, value ? "true" : "false");
}

/*
 * Up to 15 digits the decimal of ps / 10^9 is the shortest text of that quotient as a double, and far cheaper than finding it.
 */
void tf_json_ms(struct tf_json *j, const char *key, int64_t ps)
{
	char text[32];

	if (ps >= 0 && ps < INT64_C(1000000000000000)) {
		int n = snprintf(text, sizeof text, "%lld.%09lld", (long long)(ps / 1000000000), (long long)(ps % 1000000000));
		while (text[n - 1] == '0')
			n--;
		n -= text[n - 1] == '.';
		begin(j, key);
		tf_buf_add(&j->buf, text, (size_t)n);
		return;
	}
	tf_json_double(j, key, ps == TF_NONE ? NAN : (double)ps / 1e9);
}

void tf_json_us(struct tf_json *j, const char *key, int64_t ps)
{
	tf_json_double(j, key, ps == TF_NONE ? NAN : (double)ps / 1e6);
}

int tf_json_finish(struct tf_json *j, FILE *to, struct tf_error *err)
{
	int rc = 0;

	tf_buf_char(&j->buf, '\n');
	if (j->buf.failed)
		rc = tf_fail_nomem(err);
	else if (fwrite(j->buf.data, 1, j->buf.len, to) != j->buf.len || fflush(to) != 0)
		rc = tf_fail_errno(err, TF_ESYSTEM, "cannot write");
	tf_buf_release(&j->buf);
	return rc;
}
