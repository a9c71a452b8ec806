/* Opening and closing a store: identity, version, migration, views, and one file left behind. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/store/db.h"
#include "lib/store/sql.h"

/* "tfpr" in ASCII. */
#define APPLICATION_ID 0x74667072
/* Readers and writers wait this long for each other. */
enum { BUSY_MS = 5000 };

static bool is_view(const struct tf_sql *sql)
{
	return strncmp(sql->name, "views/", 6) == 0;
}

static bool is_migration(const struct tf_sql *sql)
{
	return sql->name[0] >= '0' && sql->name[0] <= '9';
}

/* A migration's number: "001_store.sql" is 1. */
static int64_t version_of(const struct tf_sql *sql)
{
	return strtol(sql->name, NULL, 10);
}

static int64_t newest_version(void)
{
	int64_t newest = 0;

	for (const struct tf_sql *sql = tf_sql_all; sql->name; sql++)
		if (is_migration(sql) && version_of(sql) > newest)
			newest = version_of(sql);
	return newest;
}

static int check_identity(struct tf_store *s, const char *path, int64_t *version, struct tf_error *err)
{
	int64_t id, pages;

	if (tf_db_integer(s, err, &id, "PRAGMA application_id", "") < 0
	    || tf_db_integer(s, err, version, "PRAGMA user_version", "") < 0
	    || tf_db_integer(s, err, &pages, "SELECT count(*) FROM sqlite_master", "") < 0) {
		if (sqlite3_errcode(s->db) == SQLITE_NOTADB)
			return tf_fail(err, TF_ESTORE, "not a tfprof store: '%s'", path);
		return -1;
	}
	if (pages > 0 && id != APPLICATION_ID)
		return tf_fail(err, TF_ESTORE, "not a tfprof store: '%s'", path);
	if (*version > newest_version()) {
		tf_fail(err, TF_ESTORE, "store of a newer tfprof: '%s' has version %lld, this program knows %lld", path,
			(long long)*version, (long long)newest_version());
		tf_hint(err, "use the tfprof that wrote it, or a later one");
		return -1;
	}
	if (pages == 0 && s->mode == TF_STORE_READ)
		return tf_fail(err, TF_EFORMAT, "empty store: '%s'", path);
	if (*version < newest_version() && s->mode == TF_STORE_READ) {
		tf_fail(err, TF_ESTORE, "store of an older tfprof: '%s' has version %lld, this program reads %lld", path,
			(long long)*version, (long long)newest_version());
		tf_hint(err, "the next 'tfprof ingest --db %s LOGS' brings it up to date", path);
		return -1;
	}
	return 0;
}

static uint64_t views_hash(void)
{
	uint64_t h = 0;

	for (const struct tf_sql *sql = tf_sql_all; sql->name; sql++)
		if (is_view(sql))
			h = tf_hash_u64(h ^ tf_hash_bytes(sql->text, sql->len));
	return h;
}

static int drop_views(struct tf_store *s, struct tf_error *err)
{
	for (;;) {
		sqlite3_stmt *stmt = NULL;
		char *drop = NULL;
		if (sqlite3_prepare_v2(s->db, "SELECT name FROM sqlite_master WHERE type = 'view' LIMIT 1", -1, &stmt, NULL)
			    == SQLITE_OK
		    && sqlite3_step(stmt) == SQLITE_ROW)
			drop = sqlite3_mprintf("DROP VIEW \"%w\"", sqlite3_column_text(stmt, 0));
		sqlite3_finalize(stmt);
		if (!drop)
			return 0;
		int rc = tf_db_script(s, drop, err);
		sqlite3_free(drop);
		if (rc < 0)
			return -1;
	}
}

/* Views are rebuilt whenever their text differs from that of the program that last wrote. */
int tf_store_build_views(struct tf_store *s, struct tf_error *err)
{
	int64_t stored, hash = (int64_t)views_hash();

	if (tf_db_integer(s, err, &stored, "SELECT CAST(value AS INTEGER) FROM _meta WHERE key = 'views'", "") < 0)
		return -1;
	if (stored == hash)
		return 0;
	if (drop_views(s, err) < 0)
		return -1;
	for (const struct tf_sql *sql = tf_sql_all; sql->name; sql++)
		if (is_view(sql) && tf_db_script(s, sql->text, err) < 0)
			return tf_wrap(err, "%s", sql->name);
	return tf_db_run(s, err, NULL, "INSERT OR REPLACE INTO _meta VALUES('views', ?)", "i", hash);
}

/* The version is asked again under the lock: another process may have made the store since. */
static int migrate(struct tf_store *s, struct tf_error *err)
{
	char pragma[64];
	int64_t version;

	if (tf_db_script(s, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (tf_db_integer(s, err, &version, "PRAGMA user_version", "") < 0)
		goto fail;
	for (const struct tf_sql *sql = tf_sql_all; sql->name; sql++)
		if (!is_view(sql) && version_of(sql) > version && tf_db_script(s, sql->text, err) < 0)
			goto fail;
	sqlite3_snprintf(sizeof pragma, pragma, "PRAGMA user_version = %lld", (long long)newest_version());
	if (tf_db_script(s, pragma, err) < 0 || tf_store_build_views(s, err) < 0 || tf_db_script(s, "COMMIT", err) < 0)
		goto fail;
	return 0;
fail:
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

/* Changing the journal's mode takes a read lock first, and with one in hand SQLite does not wait for others. */
static int keep_log(struct tf_store *s, struct tf_error *err)
{
	enum { NAP_MS = 10 };

	for (int waited_ms = 0;; waited_ms += NAP_MS) {
		if (sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) == SQLITE_OK)
			return tf_db_script(s, "PRAGMA synchronous = NORMAL", err);
		if (sqlite3_errcode(s->db) != SQLITE_BUSY || waited_ms >= BUSY_MS)
			return tf_db_fail(s, err, "store");
		sqlite3_sleep(NAP_MS);
	}
}

static int prepare_writing(struct tf_store *s, struct tf_error *err)
{
	char pragma[64];

	sqlite3_snprintf(sizeof pragma, pragma, "PRAGMA application_id = %d", APPLICATION_ID);
	if (tf_db_script(s, pragma, err) < 0)
		return -1;
	/* A write-ahead log lets readers work during an ingest and survives kill -9; closing folds it back into one file. */
	if (s->mode == TF_STORE_WRITE && keep_log(s, err) < 0)
		return -1;
	return migrate(s, err);
}

/* "file:PATH?mode=ro" with the characters escaped that mean something in a URI; NULL when out of memory. sqlite3_free(). */
static char *reading_uri(const char *path, bool immutable)
{
	sqlite3_str *uri = sqlite3_str_new(NULL);

	sqlite3_str_appendall(uri, *path == '/' ? "file://" : "file:");
	for (; *path; path++)
		if (*path == '?' || *path == '#' || *path == '%')
			sqlite3_str_appendf(uri, "%%%02X", *path);
		else
			sqlite3_str_append(uri, path, 1);
	sqlite3_str_appendall(uri, immutable ? "?mode=ro&immutable=1" : "?mode=ro");
	return sqlite3_str_finish(uri);
}

/* Opens for reading; a folder that cannot be written to needs the immutable form when no log lies beside the store. */
static int open_reading(struct tf_store *s, const char *path, struct tf_error *err)
{
	char *uri, *log = sqlite3_mprintf("%s-wal", path);
	int rc;

	if (!log)
		return tf_fail_nomem(err);
	bool immutable = access(log, F_OK) != 0;
	sqlite3_free(log);
	struct stat st;
	if (access(path, R_OK) != 0 || stat(path, &st) != 0) {
		tf_fail_errno(err, TF_EIO, "cannot open store '%s'", path);
		if (errno == ENOENT)
			tf_hint(err, "make one with: tfprof ingest --db '%s' LOGS, or name another with --db or $TFPROF_DB", path);
		return -1;
	}
	if (!S_ISREG(st.st_mode)) /* a pipe would be waited for without end */
		return tf_fail(err, TF_ESTORE, "not a tfprof store: '%s'", path);
	uri = reading_uri(path, false);
	rc = uri ? sqlite3_open_v2(uri, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL) : SQLITE_NOMEM;
	sqlite3_free(uri);
	int tried = rc == SQLITE_OK ? sqlite3_exec(s->db, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL) : SQLITE_CANTOPEN;
	if (tried != SQLITE_CANTOPEN && tried != SQLITE_READONLY)
		return 0;
	if (!immutable)
		return tf_fail(err, TF_ESTORE, "cannot open store '%s': %s", path, sqlite3_errmsg(s->db));
	sqlite3_close(s->db);
	s->db = NULL;
	s->immutable = true;
	uri = reading_uri(path, true);
	rc = uri ? sqlite3_open_v2(uri, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL) : SQLITE_NOMEM;
	sqlite3_free(uri);
	return rc == SQLITE_OK ? 0 : tf_fail(err, TF_ESTORE, "cannot open store '%s': %s", path, sqlite3_errmsg(s->db));
}

static int open_writing(struct tf_store *s, const char *path, struct tf_error *err)
{
	const char *name = s->mode == TF_STORE_MEMORY ? ":memory:" : path;

	if (sqlite3_open_v2(name, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		return tf_fail(err, TF_ESTORE, "cannot open store '%s': %s", path, sqlite3_errmsg(s->db));
	return 0;
}

int tf_store_open(struct tf_store **out, const char *path, enum tf_store_mode mode, struct tf_error *err)
{
	struct tf_store *s = calloc(1, sizeof *s);
	struct tf_error ignored;
	int64_t version;

	if (!s)
		return tf_fail_nomem(err);
	/* One thread: locks would cost a fifth of an ingest of scalars. Refused, harmlessly, once a store is open. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	s->mode = mode;
	/* What SQLite would take for a store that is gone with the program. */
	if (mode != TF_STORE_MEMORY && (!*path || strcmp(path, ":memory:") == 0)) {
		tf_fail(err, TF_EUSAGE, "not a name for a store: '%s'", path);
		goto fail;
	}
	if ((mode == TF_STORE_READ ? open_reading : open_writing)(s, path, err) < 0)
		goto fail;
	sqlite3_busy_timeout(s->db, BUSY_MS);
	if (check_identity(s, path, &version, err) < 0
	    || (mode != TF_STORE_READ && prepare_writing(s, err) < 0))
		goto fail;
	*out = s;
	return 0;
fail:
	tf_store_close(s, &ignored);
	return -1;
}

int tf_store_attach(struct tf_store *s, const char *path, const char *name, struct tf_error *err)
{
	struct tf_store *other = NULL;
	struct tf_error ignored;

	/* Opened alone first: what is no store of this version is said as for the first one. */
	if (tf_store_open(&other, path, TF_STORE_READ, err) < 0)
		return -1;
	char *uri = reading_uri(path, other->immutable);
	char *sql = uri ? sqlite3_mprintf("ATTACH %Q AS \"%w\"", uri, name) : NULL;
	int rc = sql ? tf_db_script(s, sql, err) : tf_fail_nomem(err);
	sqlite3_free(sql);
	sqlite3_free(uri);
	tf_store_close(other, &ignored);
	return rc < 0 ? tf_wrap(err, "'%s'", path) : 0;
}

const char *tf_store_path(const struct tf_store *s)
{
	const char *path = sqlite3_db_filename(s->db, "main");
	return path && *path ? path : NULL;
}

int tf_store_close(struct tf_store *s, struct tf_error *err)
{
	int rc = 0;

	if (!s)
		return 0;
	if (s->in_file)
		tf_store_abandon_file(s);
	for (size_t i = 0; i < s->statement_count; i++)
		sqlite3_finalize(s->statements[i].stmt);
	s->statement_count = 0;
	/* Leaving the log mode needs to be alone with the store; if a reader is there the log stays for the next one to close. */
	if (s->db && s->mode == TF_STORE_WRITE) {
		sqlite3_busy_timeout(s->db, 0);
		sqlite3_exec(s->db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	}
	if (s->db && sqlite3_close(s->db) != SQLITE_OK)
		rc = tf_db_fail(s, err, "closing the store");
	free(s->statements);
	free(s->tag_states);
	free(s->stale_tags);
	free(s->scalars);
	tf_strtab_release(&s->tags);
	free(s);
	return rc;
}
