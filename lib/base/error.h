/* Errors: a function returns 0 or -1 and says why in the struct tf_error of its caller. */
#ifndef TF_BASE_ERROR_H
#define TF_BASE_ERROR_H

#include <stddef.h>

/* What an error means for the exit status, and nothing finer. One line each: code, exit status, text. */
#define TF_ERROR_CODES(X) \
	X(TF_OK, 0, "fine") \
	X(TF_EUSAGE, 2, "usage, configuration or SQL error") \
	X(TF_EFORMAT, 3, "no readable data of the kind asked") \
	X(TF_EIO, 3, "a file cannot be read") \
	X(TF_ESYSTEM, 4, "system error") \
	X(TF_ESTORE, 4, "store error") \
	X(TF_ELIMIT, 4, "resource limit") \
	X(TF_ENOMEM, 4, "out of memory") \
	X(TF_EINCONCLUSIVE, 5, "inconclusive")

enum tf_error_code {
#define TF_ERROR_ENUM(code, status, text) code,
	TF_ERROR_CODES(TF_ERROR_ENUM)
#undef TF_ERROR_ENUM
};

/* Filled by the function that detects the problem, prefixed by its callers. It never allocates. */
struct tf_error {
	enum tf_error_code code; /* TF_OK until something failed */
	char text[512];		 /* one line, lower case, problem before subject, no full stop */
	char hint[256];		 /* advice for a second line, or empty */
};

/*
 * Records a failure: `code` and the printf-style text. Control characters of the arguments are
 * replaced by '?'. Returns -1, so that a function can end in `return tf_fail(…)`. `err` may not be NULL.
 */
int tf_fail(struct tf_error *err, enum tf_error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "CONTEXT: " before the text that is there. Returns -1. */
int tf_wrap(struct tf_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sets the hint, one line of advice. */
void tf_hint(struct tf_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Records an allocation failure. Returns -1. */
int tf_fail_nomem(struct tf_error *err);

/* Records errno: "TEXT: STRERROR". Returns -1. */
int tf_fail_errno(struct tf_error *err, enum tf_error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The exit status that a code means (README, "Exit status"). */
int tf_exit_status(enum tf_error_code code);

#endif
