#!/bin/sh
# doctor: soundness, orphans and their repair, files that changed or went.
. "$SRC/tests/lib.sh"
mkdir logs && cp -r "$logs"/tf_leak "$logs"/tf_summaries "$logs"/memory_jump logs/
"$TFPROF" ingest --db a.db logs
valid() { python3 "$SRC/tests/validate.py" "$SRC/schemas/doctor.schema.json" "$1"; }
sound() { "$TFPROF" doctor --db "$1" --json >doc.json; json '(d["sound"], d["orphans"], d["damage"])' doc.json; }

ok 'a store as it was written' exits 0 "$TFPROF" doctor --db a.db --json
cp out d.json
ok 'is sound' prints '(True, [], [])' sound a.db
ok 'and its document valid' valid d.json
ok 'every file is unchanged' prints "$(find logs -type f | wc -l | tr -d ' ') 0" json 'str(d["unchanged_files"]) + " " + str(len(d["files"]))' d.json
ok 'the text says so' exits 0 "$TFPROF" doctor --db a.db
ok 'in one word' grep -q 'sound$' out
cksum a.db >before && "$TFPROF" doctor --db a.db >out
ok 'it writes nothing' prints "$(cat before)" cksum a.db

touch logs/tf_summaries/* && rm -r logs/memory_jump && head -c 9000 logs/tf_leak/plugins/profile/*/vm.xplane.pb >logs/cut.xplane.pb
"$TFPROF" doctor --db a.db --json >moved.json
ok 'what the next ingest reads again' prints changed json '{f["fate"] for f in d["files"] if "summaries" in f["path"]}.pop()' moved.json
ok 'and what is gone' prints gone json '{f["fate"] for f in d["files"] if "jump" in f["path"]}.pop()' moved.json
ok 'are no fault of the store' exits 0 "$TFPROF" doctor --db a.db
"$TFPROF" ingest --db a.db logs 2>err
ok 'a session of which something is missing is named' prints "['./cut']" sh -c '"$TFPROF" doctor --db a.db --json >c.json; python3 -c "import json; print(json.load(open(\"c.json\"))[\"incomplete_sessions\"])"'

cp a.db torn.db
sql torn.db 'DELETE FROM _host WHERE host_id = (SELECT min(host_id) FROM _host); UPDATE _event SET step_id = 999999 WHERE event_id % 100 = 0 AND line_id IN (SELECT line_id FROM _line WHERE host_id IN (SELECT host_id FROM _host)); DROP VIEW step'
ok 'rows that belong to nothing' exits 4 "$TFPROF" doctor --db torn.db --json
ok 'are counted by table' prints True json '{"_line", "_step", "_op"} <= {o["table"] for o in d["orphans"]}' out
ok 'that document is valid too' valid out
ok 'with a repair' exits 0 "$TFPROF" doctor --db torn.db --repair
ok 'they are gone' prints '(True, [], [])' sound torn.db
ok 'what is left is whole' prints ok sql torn.db 'PRAGMA integrity_check'
ok 'a view that went is back' prints 0 sql torn.db 'SELECT count(*) FROM step s LEFT JOIN host USING (host_id) WHERE host.name IS NULL'
cp a.db kept.db && "$TFPROF" doctor --db kept.db --repair >out
ok 'of a sound store a repair takes nothing' prints '' sh -c 'sqlite3 a.db .dump | grep -v "INTO _metric\|INTO \"_metric\|INTO _meta" >1; sqlite3 kept.db .dump | grep -v "INTO _metric\|INTO _meta" >2; diff 1 2 | head -3'
ok 'nor any figure' prints "$(sql a.db 'SELECT session_id, host, name, value, reason FROM metric ORDER BY 1, 2, 3')" sql kept.db 'SELECT session_id, host, name, value, reason FROM metric ORDER BY 1, 2, 3'

python3 - <<'P'
b = bytearray(open('a.db', 'rb').read())
for at in range(len(b) // 2, len(b) // 2 + 8192, 16): b[at] ^= 0xff
open('bad.db', 'wb').write(b)
P
ok 'a damaged file is told' exits 4 "$TFPROF" doctor --db bad.db
ok 'and not repaired' exits 4 "$TFPROF" doctor --db bad.db --repair
ok 'with what helps' says 'new store'
ok 'a missing store is no data' exits 3 "$TFPROF" doctor --db nowhere.db
ok 'and is not made' test ! -e nowhere.db
sqlite3 other.db 'CREATE TABLE t(x)'
ok "another program's file is refused" exits 4 "$TFPROF" doctor --db other.db --repair
ok 'an argument is a usage error' exits 2 "$TFPROF" doctor --db a.db x
ok 'a full disk is a system error' exits 4 sh -c '"$TFPROF" doctor --db a.db >/dev/full'
done_testing
