/* The yardstick of the bench: so many rows of 8 bound integer columns, 32 rows a statement, in one transaction. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 32, COLUMNS = 8 };

int main(int argc, char **argv)
{
	char sql[ROWS * 32 + 64];
	sqlite3 *db;
	sqlite3_stmt *stmt;

	if (argc != 3)
		return 2;
	long long total = atoll(argv[2]);
	int n = snprintf(sql, sizeof sql, "INSERT INTO t VALUES");
	for (int i = 0; i < ROWS; i++)
		n += snprintf(sql + n, sizeof sql - (size_t)n, "%s(?,?,?,?,?,?,?,?)", i ? "," : "");
	if (sqlite3_open(argv[1], &db) != SQLITE_OK
	    || sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
				"CREATE TABLE t(a, b, c, d, e, f, g, h); BEGIN", NULL, NULL, NULL) != SQLITE_OK
	    || sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		return 1;
	for (long long row = 0; row < total; row += ROWS) {
		for (int i = 0; i < ROWS * COLUMNS; i++)
			sqlite3_bind_int64(stmt, i + 1, row * 1000003 + i);
		if (sqlite3_step(stmt) != SQLITE_DONE)
			return 1;
		sqlite3_reset(stmt);
	}
	sqlite3_finalize(stmt);
	if (sqlite3_exec(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) != SQLITE_OK)
		return 1;
	return sqlite3_close(db) != SQLITE_OK;
}
