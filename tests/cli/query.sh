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
for name in k :k @k '$k'
do ok "a value for $name goes to :k, @k and \$k" prints '{"a":7,"b":7,"c":7}' q --format jsonl --param "$name=7" 'SELECT :k AS a, @k AS b, $k AS c'
done
ok 'of two values the later counts' prints '{"x":2}' q --format jsonl --param k=1 --param :k=2 'SELECT :k AS x'
ok 'one by number' prints '{"x":"a"}' q --format jsonl --param 1=a 'SELECT ?1 AS x'
ok 'a value for nothing is usage' exits 2 q --param j=1 'SELECT 1'
long=$(printf 'p%0200d' 0)
ok 'a long name is whole' prints '{"x":3}' q --format jsonl --param "$long=3" "SELECT :$long AS x"
ok 'a missing one is usage' exits 2 q 'SELECT :k'
ok 'writing is refused' exits 2 q 'DELETE FROM _step'
ok 'so is attaching' exits 2 q "ATTACH 'x.db' AS x"
ok 'a comment may follow' exits 0 q 'SELECT 1; -- that is all'
ok 'but no statement behind one' exits 2 q 'SELECT 1; -- more
SELECT 2'
ok 'NUL in text is text' prints '{"x":"a\u0000b"}' q --format jsonl "SELECT CAST(x'610062' AS TEXT) AS x"
ok 'an empty text is one' prints '{"x":""}' q --format jsonl "SELECT '' AS x"
ok 'tabs and ends of lines are escaped in TSV' prints "$(printf 'a\tb\nx\\ty\\nz\\\\\t')" q --format tsv "SELECT 'x' || char(9) || 'y' || char(10) || 'z\\' AS a, NULL AS b"
ok 'JSON is taken apart' prints '{"value":3}' q --format jsonl "SELECT value FROM json_each('[3]')"
ok 'a file is written' exits 0 q --format csv -o out.csv 'SELECT 1 AS a'
ok 'with the rows' prints "$(printf 'a\r\n1\r')" cat out.csv
ok 'one that cannot be is a system error' exits 4 q -o nowhere/out.csv 'SELECT 1'
ok 'rows are limited' prints '{"x":1}
{"x":2}' q --format jsonl --limit 2 "SELECT value AS x FROM json_each('[1,2,3]')"
ok 'and that is said' says 'there are more than 2 rows'
ok 'not where none is left out' exits 0 q --limit 3 "SELECT value FROM json_each('[1,2,3]')"
ok 'so it is quiet' prints '' cat err
many='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 10001) SELECT x FROM c'
ok 'a table stops after 10000 rows' sh -c '"$TFPROF" query --db a.db "$1" 2>/dev/null | wc -l | grep -q "^10001$"' - "$many"
ok 'unless told to go on' sh -c '"$TFPROF" query --db a.db --limit 0 "$1" | wc -l | grep -q "^10002$"' - "$many"
ok 'a limit is a number' exits 2 q --limit x 'SELECT 1'
ok 'not a negative one' exits 2 q --limit -1 'SELECT 1'
"$TFPROF" ingest --db b.db "$logs/tf_leak"
ok 'several stores are schemas' prints '{"a":97,"m":97,"b":10}' q --db b.db --format jsonl \
	'SELECT (SELECT count(*) FROM step) AS a, (SELECT count(*) FROM main.step) AS m, (SELECT count(*) FROM b.step) AS b'
ok 'under a name that is given' prints '{"n":10}' q --db old=b.db --format jsonl 'SELECT count(*) AS n FROM old.step'
cp b.db 2026-12.db
ok 'which a file without one needs' exits 2 q --db 2026-12.db 'SELECT 1'
ok 'and is told' says '--db NAME=FILE'
ok 'names are used once' exits 4 q --db b.db --db b=2026-12.db 'SELECT 1'
ok 'what is no store is refused' exits 4 q --db x=out.csv 'SELECT 1'
ok 'so is what is not there' exits 3 q --db x=none.db 'SELECT 1'
ok 'the other is read only too' exits 2 q --db b.db 'DELETE FROM b._step'
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
