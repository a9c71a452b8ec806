/* Opening stores: what is none, older and newer ones, locks, crashes, folders that may not be written to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "lib/store/sql.h"
#include "tests/unit/support_store.h"

enum { OUT = 1 << 18 };
static char folder[64], path[128];
static struct tf_error err;

static int fresh(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/tfprof-open-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/s.db", folder);
	err = (struct tf_error){0};
	return 0;
}

static int gone(void **state)
{
	char command[192];

	(void)state;
	snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -rf '%s'", folder, folder);
	return system(command);
}

static struct tf_store *opened(enum tf_store_mode mode)
{
	struct tf_store *s;

	if (tf_store_open(&s, path, mode, &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

static void closed(struct tf_store *s)
{
	if (tf_store_close(s, &err) < 0)
		fail_msg("%s", err.text);
}

static void refused(enum tf_store_mode mode, enum tf_error_code code, const char *text)
{
	struct tf_store *s;

	err = (struct tf_error){0};
	assert_int_equal(tf_store_open(&s, path, mode, &err), -1);
	if (err.code != code || !strstr(err.text, text))
		fail_msg("code %d, '%s' instead of code %d, '%s'", err.code, err.text, code, text);
}

/* Runs SQL on the file, past the store. */
static void sql(const char *text)
{
	sqlite3 *db;
	char *message = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
	if (sqlite3_exec(db, text, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", message, text);
	sqlite3_close(db);
}

static int on_row(void *to, int n, char **values, char **names)
{
	char *text = to;

	(void)names;
	for (int i = 0; i < n; i++)
		snprintf(text + strlen(text), OUT - strlen(text), "%s%s", values[i] ? values[i] : "", i + 1 < n ? "|" : "|\n");
	return 0;
}

/* What SQL on the file gives; freed by the caller. */
static char *ask(const char *text)
{
	sqlite3 *db;
	char *out = calloc(1, OUT + 1);

	assert_non_null(out);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, on_row, out, NULL), SQLITE_OK);
	sqlite3_close(db);
	return out;
}

static void answers(const char *text, const char *want)
{
	char *got = ask(text);

	assert_string_equal(got, want);
	free(got);
}

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int64_t newest(void)
{
	int64_t n = 0;

	for (const struct tf_sql *q = tf_sql_all; q->name; q++)
		if (q->name[0] >= '0' && q->name[0] <= '9' && atol(q->name) > n)
			n = atol(q->name);
	return n;
}

/* A store as the program of an older version left it: its migrations, no views. */
static void make_older(int64_t version)
{
	char pragma[128];

	for (const struct tf_sql *q = tf_sql_all; q->name; q++)
		if (q->name[0] >= '0' && q->name[0] <= '9' && atol(q->name) <= version)
			sql(q->text);
	snprintf(pragma, sizeof pragma, "PRAGMA application_id = 1952870514; PRAGMA user_version = %lld", (long long)version);
	sql(pragma);
}

static bool is_there(const char *suffix)
{
	char name[160];

	snprintf(name, sizeof name, "%s%s", path, suffix);
	return access(name, F_OK) == 0;
}

static void a_new_store_says_what_it_is(void **state)
{
	(void)state;
	char want[32];
	closed(opened(TF_STORE_WRITE));
	answers("PRAGMA application_id", "1952870514|\n"); /* "tfpr": 0x74667072 */
	snprintf(want, sizeof want, "%lld|\n", (long long)newest());
	answers("PRAGMA user_version", want);
}

static void a_new_store_has_all_views(void **state)
{
	(void)state;
	closed(opened(TF_STORE_WRITE));
	for (const struct tf_sql *q = tf_sql_all; q->name; q++) {
		char name[64], select[128];
		if (sscanf(q->name, "views/%60[^.]", name) != 1)
			continue;
		snprintf(select, sizeof select, "SELECT count(*) FROM %s", name);
		answers(select, "0|\n");
	}
}

static void at_rest_a_store_is_one_file(void **state)
{
	(void)state;
	struct tf_store *s = opened(TF_STORE_WRITE);
	st_begin(s, "e", "r", NULL, NULL);
	st_scalar(s, "loss", 1, 1, 0, 1);
	st_end(s);
	closed(s);
	assert_false(is_there("-wal"));
	assert_false(is_there("-shm"));
	assert_false(is_there("-journal"));
	answers("SELECT step FROM scalar", "1|\n");
}

static void reading_makes_no_store(void **state)
{
	(void)state;
	refused(TF_STORE_READ, TF_EIO, "cannot open store");
	assert_non_null(strstr(err.hint, "tfprof ingest"));
	assert_false(is_there(""));
}

static void an_empty_file_is_filled_but_not_read(void **state)
{
	(void)state;
	write_file("");
	refused(TF_STORE_READ, TF_EFORMAT, "empty store");
	closed(opened(TF_STORE_WRITE));
	closed(opened(TF_STORE_READ));
}

static void a_text_is_refused_and_left_alone(void **state)
{
	(void)state;
	char got[64];
	write_file("not a store, but something dear\n");
	refused(TF_STORE_READ, TF_ESTORE, "not a tfprof store");
	refused(TF_STORE_WRITE, TF_ESTORE, "not a tfprof store");
	FILE *f = fopen(path, "r");
	assert_non_null(fgets(got, sizeof got, f));
	fclose(f);
	assert_string_equal(got, "not a store, but something dear\n");
	assert_false(is_there("-wal"));
}

static void a_foreign_database_is_refused_and_left_alone(void **state)
{
	(void)state;
	sql("CREATE TABLE t(x); INSERT INTO t VALUES(7)");
	refused(TF_STORE_READ, TF_ESTORE, "not a tfprof store");
	refused(TF_STORE_WRITE, TF_ESTORE, "not a tfprof store");
	answers("SELECT name, x FROM sqlite_master, t", "t|7|\n");
	answers("PRAGMA application_id", "0|\n");
	answers("PRAGMA journal_mode", "delete|\n");
}

static void a_newer_store_is_refused_by_number(void **state)
{
	(void)state;
	char want[64];
	closed(opened(TF_STORE_WRITE));
	sql("PRAGMA user_version = 4711");
	snprintf(want, sizeof want, "has version 4711, this program knows %lld", (long long)newest());
	refused(TF_STORE_READ, TF_ESTORE, want);
	refused(TF_STORE_WRITE, TF_ESTORE, want);
	assert_true(err.hint[0]);
	answers("PRAGMA user_version", "4711|\n");
}

static void an_older_store_is_not_read_but_says_how(void **state)
{
	(void)state;
	make_older(1);
	refused(TF_STORE_READ, TF_ESTORE, "store of an older tfprof");
	assert_non_null(strstr(err.text, "has version 1"));
	assert_non_null(strstr(err.hint, "tfprof ingest"));
	answers("PRAGMA user_version", "1|\n");
}

#define SHAPE "SELECT m.type, m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c ORDER BY 1, 2, c.cid"

static void older_stores_become_like_new_ones(void **state)
{
	(void)state;
	closed(opened(TF_STORE_WRITE));
	char *want = ask(SHAPE);
	for (int64_t version = 1; version < newest(); version++) {
		assert_int_equal(unlink(path), 0);
		make_older(version);
		closed(opened(TF_STORE_WRITE));
		char *got = ask(SHAPE);
		if (strcmp(got, want) != 0)
			fail_msg("version %lld gives\n%s", (long long)version, got);
		free(got);
		closed(opened(TF_STORE_READ));
	}
	free(want);
}

static void what_an_older_store_holds_survives(void **state)
{
	(void)state;
	make_older(1);
	sql("INSERT INTO _run VALUES(1, 'r', 'logs/r'); INSERT INTO _session VALUES(1, 1, 't', 5, 7000, 1, NULL);"
	    "INSERT INTO _source_file(file_id, run_prefix, real_path, path, kind) VALUES(1, '', '/a', 'a', 'xspace');"
	    "INSERT INTO _host(host_id, session_id, file_id, name, complete, step_source) VALUES(1, 1, 1, 'h', 1, 4)");
	closed(opened(TF_STORE_WRITE));
	answers("SELECT r.name, s.name, s.start_ns, s.duration_ns, h.name FROM session s JOIN run r USING (run_id) JOIN host h USING (session_id)",
		"r|t|5|7|h|\n");
}

static void a_migration_that_fails_changes_nothing(void **state)
{
	(void)state;
	make_older(1);
	sql("ALTER TABLE _op ADD COLUMN max_step_number INTEGER"); /* the last thing that number 4 does; all before it succeeds */
	char *before = ask(SHAPE);
	struct tf_store *s;
	assert_int_equal(tf_store_open(&s, path, TF_STORE_WRITE, &err), -1);
	assert_int_equal(err.code, TF_ESTORE);
	char *after = ask(SHAPE);
	assert_string_equal(after, before);
	answers("PRAGMA user_version", "1|\n");
	free(before);
	free(after);
}

static void views_of_another_program_are_rebuilt(void **state)
{
	(void)state;
	closed(opened(TF_STORE_WRITE));
	char *want = ask("SELECT name, sql FROM sqlite_master WHERE type = 'view' AND name < 'm' ORDER BY name");
	sql("DROP VIEW step; CREATE VIEW step AS SELECT 1 AS wrong; CREATE VIEW extra AS SELECT 1; UPDATE _meta SET value = '1' WHERE key = 'views'");
	closed(opened(TF_STORE_READ)); /* changes nothing */
	answers("SELECT wrong FROM step", "1|\n");
	closed(opened(TF_STORE_WRITE));
	answers("SELECT count(*) FROM sqlite_master WHERE name = 'extra'", "0|\n");
	answers("SELECT count(*) FROM pragma_table_info('step') WHERE name = 'step_ps'", "1|\n");
	char *got = ask("SELECT name, sql FROM sqlite_master WHERE type = 'view' AND name < 'm' ORDER BY name");
	assert_string_equal(got, want);
	free(want);
	free(got);
}

static void views_that_are_right_stay(void **state)
{
	(void)state;
	closed(opened(TF_STORE_WRITE));
	char *before = ask("PRAGMA schema_version"); /* counts changes of the schema */
	closed(opened(TF_STORE_WRITE));
	char *after = ask("PRAGMA schema_version");
	assert_string_equal(after, before);
	free(before);
	free(after);
}

static void reading_writes_nothing(void **state)
{
	(void)state;
	struct stat before, after;
	closed(opened(TF_STORE_WRITE));
	struct timespec past[2] = {{1000, 0}, {1000, 0}};
	assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
	assert_int_equal(stat(path, &before), 0);
	struct tf_store *s = opened(TF_STORE_READ);
	st_gives(s, "SELECT count(*) FROM step", "0");
	assert_false(is_there("-wal"));
	struct tf_source f = {.run_prefix = "", .real_path = "a", .path = "a", .run = "r"};
	struct tf_error e = {0};
	assert_int_equal(tf_store_begin_file(s, &f, &e), -1);
	assert_int_equal(e.code, TF_ESTORE);
	closed(s);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_mtime, before.st_mtime);
	assert_int_equal(after.st_size, before.st_size);
}

/*
 * A child that opens the store as soon as it is told to, and ends with what came of it. It begins before this process has the store
 * open: SQLite does not survive a fork.
 */
struct child {
	pid_t pid;
	int go;
};

static struct child child_opens(enum tf_store_mode mode)
{
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct tf_store *s;
		struct tf_error e = {0};
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1)
			_exit(99);
		int rc = tf_store_open(&s, path, mode, &e);
		_exit(rc == 0 ? 0 : strstr(e.hint, "another process") ? 100 + (int)e.code : (int)e.code);
	}
	close(ends[0]);
	return (struct child){pid, ends[1]};
}

static void tell(struct child c)
{
	assert_int_equal(write(c.go, "", 1), 1);
	close(c.go);
}

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static sqlite3 *locked(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static void a_locked_store_is_waited_for_then_said(void **state)
{
	(void)state;
	struct timespec begun, ended;
	closed(opened(TF_STORE_WRITE));
	struct child reader = child_opens(TF_STORE_READ), writer = child_opens(TF_STORE_WRITE);
	sqlite3 *db = locked();
	clock_gettime(CLOCK_MONOTONIC, &begun);
	tell(reader);
	tell(writer);
	assert_int_equal(status_of(reader.pid), 100 + TF_ESTORE);
	assert_int_equal(status_of(writer.pid), 100 + TF_ESTORE);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	assert_in_range(ended.tv_sec - begun.tv_sec, 3, 60); /* of 5 s, the patience of each */
	sqlite3_close(db);
	closed(opened(TF_STORE_WRITE));
}

static void a_short_lock_is_waited_out(void **state)
{
	(void)state;
	closed(opened(TF_STORE_WRITE));
	struct child reader = child_opens(TF_STORE_READ), writer = child_opens(TF_STORE_WRITE);
	sqlite3 *db = locked();
	tell(reader);
	tell(writer);
	nanosleep(&(struct timespec){0, 300000000}, NULL);
	assert_int_equal(waitpid(reader.pid, &(int){0}, WNOHANG), 0); /* still waits */
	assert_int_equal(waitpid(writer.pid, &(int){0}, WNOHANG), 0);
	sqlite3_close(db);
	assert_int_equal(status_of(reader.pid), 0);
	assert_int_equal(status_of(writer.pid), 0);
}

static void readers_see_what_is_committed(void **state)
{
	(void)state;
	struct tf_store *w = opened(TF_STORE_WRITE);
	st_begin(w, "e1", "r", NULL, NULL);
	st_scalar(w, "loss", 1, 1, 0, 1);
	st_end(w);
	st_begin(w, "e2", "r", NULL, NULL);
	st_scalar(w, "loss", 2, 2, 0, 2);
	struct tf_store *s = opened(TF_STORE_READ); /* amid the second file */
	st_gives(s, "SELECT step FROM scalar", "1");
	st_end(w);
	st_gives(s, "SELECT step FROM scalar ORDER BY step", "12");
	closed(s);
	closed(w);
	assert_false(is_there("-wal"));
}

static void two_ingests_take_turns(void **state)
{
	(void)state;
	struct tf_store *a = opened(TF_STORE_WRITE), *b = opened(TF_STORE_WRITE);
	for (int i = 0; i < 3; i++) {
		char name[16];
		struct tf_store *s = i % 2 ? b : a;
		snprintf(name, sizeof name, "e%d", i);
		st_begin(s, name, "r", NULL, NULL);
		st_scalar(s, "loss", i, i, 0, i);
		st_end(s);
	}
	closed(a);
	closed(b);
	answers("SELECT count(*), count(DISTINCT file_id) FROM scalar", "3|3|\n");
	answers("SELECT count(*) FROM tag", "1|\n");
	assert_false(is_there("-wal"));
}

static void a_killed_ingest_leaves_whole_files(void **state)
{
	(void)state;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct tf_store *s = opened(TF_STORE_WRITE);
		st_begin(s, "e1", "r", NULL, NULL);
		st_scalar(s, "loss", 1, 1, 0, 1);
		st_end(s);
		st_begin(s, "e2", "r", NULL, NULL);
		for (int i = 2; i < 2000; i++)
			st_scalar(s, "loss", i, i, i, i);
		_exit(7); /* nothing is closed */
	}
	assert_int_equal(status_of(pid), 7);
	struct tf_store *s = opened(TF_STORE_READ);
	st_gives(s, "SELECT group_concat(step) FROM scalar", "1");
	st_gives(s, "SELECT path FROM source_file", "e1");
	closed(s);
	closed(opened(TF_STORE_WRITE));
	answers("PRAGMA integrity_check", "ok|\n");
	assert_false(is_there("-wal"));
}

/*
 * What comes of reading the store for someone to whom the mode of files means something: 0, the code of the error, or 98 where this
 * process cannot become such a one.
 */
static int other_reads(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct tf_store *s;
		struct tf_error e = {0};
		if (getuid() == 0 && setuid(65534) != 0)
			_exit(98);
		if (tf_store_open(&s, path, TF_STORE_READ, &e) < 0)
			_exit((int)e.code);
		st_gives(s, "SELECT count(*) FROM run", "0");
		_exit(tf_store_close(s, &e) == 0 ? 0 : 97);
	}
	return status_of(pid);
}

static void can_be_read(void)
{
	int got;

	assert_int_equal(chmod(folder, 0555), 0);
	got = other_reads();
	if (got == 98)
		skip();
	assert_int_equal(got, 0);
}

static void a_folder_that_may_not_be_written_to_is_read(void **state)
{
	(void)state;
	closed(opened(TF_STORE_WRITE));
	can_be_read();
}

static void so_is_a_store_in_log_mode(void **state)
{
	(void)state;
	closed(opened(TF_STORE_WRITE));
	sql("PRAGMA journal_mode = WAL"); /* as a reader's presence at the end of an ingest leaves it */
	assert_false(is_there("-wal"));
	can_be_read();
}

static void even_under_an_odd_name(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "%s/a?b#c%%41\xc3\xa4.db", folder); /* the way around SQLite's wish to write goes through a URI */
	closed(opened(TF_STORE_WRITE));
	sql("PRAGMA journal_mode = WAL");
	can_be_read();
}

static void a_file_that_may_not_be_read_is_an_error(void **state)
{
	(void)state;
	int got;
	closed(opened(TF_STORE_WRITE));
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chmod(path, 0), 0);
	got = other_reads();
	if (got == 98)
		skip();
	assert_int_equal(got, TF_EIO);
}

static void what_is_no_file_is_no_store(void **state)
{
	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	refused(TF_STORE_READ, TF_ESTORE, "not a tfprof store");
	refused(TF_STORE_WRITE, TF_ESTORE, "cannot open store");
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0644), 0);
	alarm(20); /* opening a pipe would wait for a writer */
	refused(TF_STORE_READ, TF_ESTORE, "not a tfprof store");
	alarm(0);
}

static void a_store_that_would_vanish_is_refused(void **state)
{
	(void)state;
	static const char *const names[] = {"", ":memory:"};
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s", names[i]);
		refused(TF_STORE_WRITE, TF_EUSAGE, "not a name for a store");
		refused(TF_STORE_READ, TF_EUSAGE, "not a name for a store");
	}
}

static void a_missing_folder_is_an_error(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "%s/none/s.db", folder);
	refused(TF_STORE_WRITE, TF_ESTORE, "cannot open store");
}

static void a_store_knows_its_path(void **state)
{
	(void)state;
	char real[PATH_MAX];
	assert_non_null(realpath(folder, real));
	strcat(real, "/s.db");
	struct tf_store *s = opened(TF_STORE_WRITE);
	assert_string_equal(tf_store_path(s), real);
	closed(s);
	s = st_memory();
	assert_null(tf_store_path(s));
	closed(s);
}

static void closing_nothing_is_fine(void **state)
{
	(void)state;
	assert_int_equal(tf_store_close(NULL, &err), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_store_says_what_it_is),
		TEST(a_new_store_has_all_views),
		TEST(at_rest_a_store_is_one_file),
		TEST(reading_makes_no_store),
		TEST(an_empty_file_is_filled_but_not_read),
		TEST(a_text_is_refused_and_left_alone),
		TEST(a_foreign_database_is_refused_and_left_alone),
		TEST(a_newer_store_is_refused_by_number),
		TEST(an_older_store_is_not_read_but_says_how),
		TEST(older_stores_become_like_new_ones),
		TEST(what_an_older_store_holds_survives),
		TEST(a_migration_that_fails_changes_nothing),
		TEST(views_of_another_program_are_rebuilt),
		TEST(views_that_are_right_stay),
		TEST(reading_writes_nothing),
		TEST(a_locked_store_is_waited_for_then_said),
		TEST(a_short_lock_is_waited_out),
		TEST(readers_see_what_is_committed),
		TEST(two_ingests_take_turns),
		TEST(a_killed_ingest_leaves_whole_files),
		TEST(a_folder_that_may_not_be_written_to_is_read),
		TEST(so_is_a_store_in_log_mode),
		TEST(even_under_an_odd_name),
		TEST(a_file_that_may_not_be_read_is_an_error),
		TEST(what_is_no_file_is_no_store),
		TEST(a_store_that_would_vanish_is_refused),
		TEST(a_missing_folder_is_an_error),
		TEST(a_store_knows_its_path),
		TEST(closing_nothing_is_fine),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
