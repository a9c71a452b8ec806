/* Errors: formatting, context, and the exit status that each code means. */
#include "lib/base/error.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A message is one line on a terminal: nothing in it may move the cursor or end the line. */
static void make_printable(char *text)
{
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
}

int tf_fail(struct tf_error *err, enum tf_error_code code, const char *fmt, ...)
{
	assert(err && code != TF_OK);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	make_printable(err->text);
	err->code = code;
	err->hint[0] = '\0';
	return -1;
}

int tf_wrap(struct tf_error *err, const char *fmt, ...)
{
	char context[sizeof err->text];
	char whole[2 * sizeof err->text + 3];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof context, fmt, ap);
	va_end(ap);
	make_printable(context);
	snprintf(whole, sizeof whole, "%s: %s", context, err->text);
	memcpy(err->text, whole, sizeof err->text - 1);
	err->text[sizeof err->text - 1] = '\0';
	return -1;
}

void tf_hint(struct tf_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof err->hint, fmt, ap);
	va_end(ap);
	make_printable(err->hint);
}

int tf_fail_nomem(struct tf_error *err)
{
	return tf_fail(err, TF_ENOMEM, "out of memory");
}

int tf_fail_errno(struct tf_error *err, enum tf_error_code code, const char *fmt, ...)
{
	int number = errno;
	char context[sizeof err->text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof context, fmt, ap);
	va_end(ap);
	return tf_fail(err, code, "%s: %s", context, strerror(number));
}

static const int statuses[] = {
#define TF_ERROR_ROW(code, status, text) status,
	TF_ERROR_CODES(TF_ERROR_ROW)
#undef TF_ERROR_ROW
};

int tf_exit_status(enum tf_error_code code)
{
	assert((size_t)code < sizeof statuses / sizeof statuses[0]);
	return statuses[code];
}
