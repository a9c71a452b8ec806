/* Fills stores by hand and asks them. */
#include "tests/unit/support_store.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct tf_error err;

struct tf_store *st_memory(void)
{
	struct tf_store *s;

	assert_int_equal(tf_store_open(&s, "", TF_STORE_MEMORY, &err), 0);
	return s;
}

void st_begin(struct tf_store *s, const char *path, const char *run, const char *session, const char *host)
{
	struct tf_source f = {.run_prefix = "", .real_path = path, .path = path, .run = run, .run_path = run, .session_name = session,
			      .host_name = host, .kind = session ? TF_FILE_XSPACE : TF_FILE_EVENTS, .size_bytes = 1};

	assert_int_equal(tf_store_begin_file(s, &f, &err), 0);
}

void st_end(struct tf_store *s)
{
	struct tf_ledger_file f = {.first_bad_offset = TF_NONE};

	assert_int_equal(tf_store_end_file(s, &f, &err), 0);
}

void st_scalar(struct tf_store *s, const char *tag, int64_t step, double wall, int64_t offset, double value)
{
	struct tf_row_sink sink = tf_store_row_sink(s);
	struct tf_point at = {.tag = tf_bytes_of(tag), .step = step, .wall_time = wall, .offset = offset};

	assert_int_equal(sink.scalar(sink.ctx, &at, value, &err), 0);
}

void st_put(struct tf_store *s, struct tf_trace *t, const char *path, const char *run, const char *session, const char *host,
	    enum tf_events_kept kept)
{
	struct mk_analysis *a = mk_analyze(t, NULL);

	a->host.name = host;
	st_begin(s, path, run, session, host);
	if (tf_store_put_host(s, t, &a->host, &a->d, kept, &err) < 0)
		fail_msg("%s", err.text);
	st_end(s);
	mk_analysis_free(a);
}

struct tf_trace *st_two_steps(int64_t us, int64_t start_ns)
{
	struct tf_trace *t = mk_trace();
	char times[96];

	if (start_ns) {
		snprintf(times, sizeof times, "profile_start_time=u%" PRId64 ";profile_stop_time=u%" PRId64, start_ns,
			 start_ns + 2 * us * 1000);
		mk_plane(t, "Task Environment", times);
	}
	mk_plane(t, "/host:CPU", "");
	mk_line(t, 1, "python", 0);
	mk_event(t, "train", 0, us * US, "step_num=0;_r=1");
	mk_event(t, "train", us * US, us * US, "step_num=1;_r=1");
	return t;
}

struct cells {
	char text[4096];
};

static int keep_columns(void *ctx, const char *const *names, size_t n, struct tf_error *e)
{
	(void)ctx, (void)names, (void)n, (void)e;
	return 0;
}

static int keep_row(void *ctx, const struct tf_cell *c, size_t n, struct tf_error *e)
{
	struct cells *f = ctx;
	size_t at = strlen(f->text);

	(void)n, (void)e;
	if (c->kind == TF_CELL_TEXT)
		snprintf(f->text + at, sizeof f->text - at, "%.*s", (int)c->bytes.len, (const char *)c->bytes.data);
	else if (c->kind == TF_CELL_INTEGER)
		snprintf(f->text + at, sizeof f->text - at, "%" PRId64, c->integer);
	return 0;
}

static void query(struct tf_store *s, const char *sql, struct cells *f)
{
	struct tf_row_receiver to = {f, keep_columns, keep_row};

	if (tf_store_query(s, sql, NULL, 0, 0, &to, &err) < 0)
		fail_msg("%s: %s", err.text, sql);
}

int64_t st_integer(struct tf_store *s, const char *sql)
{
	struct cells f = {""};
	int64_t value;

	query(s, sql, &f);
	assert_true(tf_parse_i64(f.text, &value));
	return value;
}

void st_gives(struct tf_store *s, const char *sql, const char *want)
{
	struct cells f = {""};

	query(s, sql, &f);
	if (strcmp(f.text, want) != 0)
		fail_msg("'%s' is not '%s': %s", f.text, want, sql);
}
