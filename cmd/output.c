/* Opening and ending what a command writes. */
#include "cmd/output.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

static bool is_database(const char *path)
{
	char head[16];
	struct stat st;
	FILE *from = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
	bool found = from && fread(head, sizeof head, 1, from) == 1 && memcmp(head, "SQLite format 3", 16) == 0;

	if (from)
		fclose(from);
	return found;
}

FILE *tf_output_open(const char *path, struct tf_error *err)
{
	if (!path || strcmp(path, "-") == 0)
		return stdout;
	if (is_database(path)) {
		tf_fail(err, TF_EUSAGE, "not overwritten, since it is a database: '%s'", path);
		return NULL;
	}
	FILE *to = fopen(path, "w");
	if (!to)
		tf_fail_errno(err, TF_ESYSTEM, "cannot write '%s'", path);
	return to;
}

int tf_output_close(FILE *to, const char *path, int rc, struct tf_error *err)
{
	if (to != stdout && fclose(to) != 0 && rc == 0)
		return tf_fail_errno(err, TF_ESYSTEM, "cannot write '%s'", path);
	return rc;
}
