/* Names of kinds, states and issues, and the issues of a ledger. */
#include "lib/trace/rows.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/base/limits.h"
#include "lib/base/text.h"
#include "lib/trace/trace.h"

const char *tf_file_kind_name(enum tf_file_kind kind)
{
	static const char *const names[] = {
#define TF_FILE_ROW(id, name) name,
		TF_FILE_KINDS(TF_FILE_ROW)
#undef TF_FILE_ROW
	};
	return names[kind];
}

const char *tf_issue_name(enum tf_issue_code code)
{
	static const char *const names[] = {
#define TF_ISSUE_ROW(id, name) name,
		TF_ISSUE_CODES(TF_ISSUE_ROW)
#undef TF_ISSUE_ROW
	};
	return names[code];
}

bool tf_issue_is_damage(enum tf_issue_code code)
{
	return code <= TF_ISSUE_TOO_LONG || code == TF_ISSUE_IO_ERROR;
}

bool tf_ledger_file_gave(const struct tf_ledger_file *file)
{
	bool gave = file->state != TF_STATE_FAILED && file->state != TF_STATE_SKIPPED;
	return gave && (file->kind != TF_FILE_ARCHIVE || file->state == TF_STATE_UNCHANGED);
}

const char *tf_tail_name(enum tf_tail_state state)
{
	static const char *const names[] = {"clean", "partial_record", "zero_fill", "garbage"};
	return names[state];
}

const char *tf_state_name(enum tf_file_state state)
{
	static const char *const names[] = {"new", "appended", "replaced", "unchanged", "skipped", "failed"};
	return names[state];
}

int tf_ledger_issue(struct tf_arena *arena, struct tf_ledger_file *file, enum tf_issue_code code, int64_t offset,
		    struct tf_error *err, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (tf_issue_is_damage(code) && offset != TF_NONE
	    && (file->first_bad_offset == TF_NONE || offset < file->first_bad_offset))
		file->first_bad_offset = offset;
	file->issue_total++;
	if (file->issue_count >= TF_LIMIT_FILE_ISSUES)
		return 0;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	char *message = tf_utf8_repair(arena, tf_bytes_of(text));
	struct tf_issue *issue = tf_arena_push(arena, (void **)&file->issues, &file->issue_count, &file->issue_cap,
					       sizeof *issue);
	if (!message || !issue)
		return tf_fail_nomem(err);
	*issue = (struct tf_issue){code, offset, message};
	return 0;
}
