#!/bin/sh
# query, ls, schema, inspect, help: what reads.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs"
q() { "$TFPROF" query --db a.db "$@"; }
ok 'a statement runs' prints '[
{"n":10}
]' q --format json "SELECT count(*) AS n FROM step JOIN session USING (session_id) JOIN run USING (run_id) WHERE run.name = 'tf_leak'"
ok 'CSV quotes what must be' prints "$(printf 'a,b\r\n"x,y",\r')" q --format csv "SELECT 'x,y' AS a, NULL AS b"
ok 'JSON lines' prints '{"a":9223372036854775807}' q --format jsonl 'SELECT 9223372036854775807 AS a'
ok 'blobs are base64' prints '{"b":"AP8="}' q --format jsonl "SELECT x'00ff' AS b"
ok 'parameters are bound' prints '{"x":"a;b"}' q --format jsonl --param 'k=a;b' 'SELECT :k AS x'
ok 'a missing one is usage' exits 2 q 'SELECT :k'
ok 'writing is refused' exits 2 q 'DELETE FROM _step'
ok 'so is attaching' exits 2 q "ATTACH 'x.db' AS x"
ok 'so are pragmas that write' exits 2 q 'PRAGMA user_version = 3'
ok 'one statement at a time' exits 2 q 'SELECT 1; SELECT 2'
ok 'SQL errors are usage errors' exits 2 q 'SELEC 1'
ok 'time is limited' exits 4 q --timeout 50ms 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'

for list in runs sessions tags files issues
do ok "ls $list" exits 0 "$TFPROF" ls --db a.db $list
done
ok 'an unknown list is usage' exits 2 "$TFPROF" ls --db a.db sesions
ok 'the schema documents a view' sh -c '"$TFPROF" schema step | grep -q "period_ps.*start to the next start"'
ok 'an unknown view is usage' exits 2 "$TFPROF" schema stpe

ok 'inspect tells a capture' exits 0 "$TFPROF" inspect --json "$logs/tf_leak"
ok 'with its events' prints 1720 json 'd["files"][0]["events"]' out
ok 'and what could mark steps' prints train json 'd["files"][0]["step_candidates"][0]["name"]' out

for c in ingest report check ls inspect query schema
do
	ok "$c --help" sh -c '"$TFPROF" '$c' --help | grep -q "^usage: tfprof '$c'"'
	ok "tfprof-$c is there" test -x "$(dirname "$TFPROF")/tfprof-$c"
done
ok 'no command is usage' exits 2 "$TFPROF"
ok 'nor an unknown one' exits 2 "$TFPROF" reprot
ok 'with the nearest' says "did you mean 'report'"
ok 'the version' sh -c '"$TFPROF" --version | grep -q "^tfprof [0-9]"'
done_testing
