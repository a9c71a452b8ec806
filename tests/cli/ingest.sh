#!/bin/sh
# ingest: the ledger, names, repeats, damage.
. "$SRC/tests/lib.sh"

ok 'a folder goes in' exits 0 "$TFPROF" ingest --db a.db --json "$logs"
cp out ledger.json
ok 'the ledger names its schema' prints tfprof.ingest/1 json 'd["schema"]' ledger.json
ok 'every file is in the ledger' prints "$(find "$logs" -type f | wc -l | tr -d ' ')" json 'd["totals"]["files"]' ledger.json
ok 'nothing is damaged' prints 0 json 'd["totals"]["skipped_records"]' ledger.json
ok 'captures are told by content' prints 7 json 'sum(f["kind"] == "xspace" for f in d["files"])' ledger.json
ok 'runs are named as TensorBoard names them' prints 'keras3_slow_input/train' \
	sql a.db "SELECT name FROM run WHERE name LIKE '%slow%train'"
ok 'at rest the store is one file' test ! -e a.db-wal
ok 'the store is sound' prints ok sql a.db 'PRAGMA integrity_check'

sql a.db 'SELECT count(*) FROM event' >before
ok 'again' exits 0 "$TFPROF" ingest --db a.db --json "$logs"
cp out again.json
ok 'unchanged files are left alone' prints True json 'all(f["state"] == "unchanged" for f in d["files"])' again.json
ok 'no row is doubled' prints "$(cat before)" sql a.db 'SELECT count(*) FROM event'

mkdir run && cp "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb run/h.xplane.pb
"$TFPROF" ingest --db b.db run
cp "$logs"/tf_mirrored_2cpu/plugins/profile/*/vm.xplane.pb run/h.xplane.pb
ok 'a changed file' exits 0 "$TFPROF" ingest --db b.db --json run
ok 'is replaced' prints replaced json 'd["files"][0]["state"]' out
ok 'as a whole' prints 2944 sql b.db 'SELECT count(*) FROM event'
ok 'and its session with it' prints '8' sql b.db 'SELECT count(*) FROM step'

head -c 20000 "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb >cut.xplane.pb
ok 'a cut capture still goes in' exits 0 "$TFPROF" ingest --db c.db cut.xplane.pb
ok 'one line says that something was lost' says 'damaged'
ok '--strict refuses damage' exits 3 "$TFPROF" ingest --db d.db --strict cut.xplane.pb
ok 'a cut session is not complete' prints 0 sql c.db 'SELECT complete FROM session'

gzip -c "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb >whole.xplane.pb.gz
ok 'gzip is read' exits 0 "$TFPROF" ingest --db g.db whole.xplane.pb.gz
ok 'and gives the same events' prints 1720 sql g.db 'SELECT count(*) FROM event'
ok 'so does standard input' exits 0 sh -c 'cat "$0"/tf_leak/plugins/profile/*/vm.xplane.pb | "$TFPROF" ingest --db p.db --run job1 -' "$logs"
ok 'under the name given' prints job1 sql p.db 'SELECT name FROM run'

echo '<html>404</html>' >page.html
ok 'what is no profile is said' exits 3 "$TFPROF" ingest --db e.db page.html
ok 'in words' says 'nothing that can be loaded'
ok 'a missing path is an error' exits 3 "$TFPROF" ingest --db e.db nowhere
ok 'a bucket is a usage error' exits 2 "$TFPROF" ingest --db e.db gs://b/x
ok 'no path is a usage error' exits 2 "$TFPROF" ingest --db e.db
ok 'an unknown option is one too' exits 2 "$TFPROF" ingest --db e.db --jsno "$logs"
ok 'with the nearest name' says "did you mean '--json'"

ok 'several at once make one store' sh -c 'for l in tf_leak jax_4cpu keras3_fast_input; do "$TFPROF" ingest --db race.db "$0/$l" || touch lost & done; wait; test ! -e lost' "$logs"
ok 'with all that they found' prints 3 sql race.db 'SELECT count(*) FROM session'

ok 'a malformed value costs its record alone' exits 0 "$TFPROF" ingest --db t.db --json "$SRC/testdata/corpus/events/bad_tensor"
ok 'as its offset says' prints proto_error json 'd["files"][0]["issues"][0]["code"]' out

mkdir mixed && cp run/h.xplane.pb mixed/ && echo 'epoch 1' >mixed/train.log && head -c 3000000 /dev/zero >mixed/weights
ok 'other files among the logs are no fault' exits 0 "$TFPROF" ingest --strict --db mixed/m.db --json mixed
ok 'of which nothing is said' test ! -s err
ok 'they are skipped' prints '[["h.xplane.pb", "new"], ["train.log", "skipped"], ["weights", "skipped"]]' json \
	'json.dumps([[f["path"][6:], f["state"]] for f in d["files"]])' out
ok 'a store that lies there is none of them' prints 3 json 'len(d["files"])' out
echo '<html>404</html>' >mixed/z.xplane.pb
ok 'a name that promises a profile is kept to it' exits 3 "$TFPROF" ingest --strict --db mixed/m.db mixed
printf '{"traceEvents":[]}' >mixed/a.trace.json
ok 'one bad file does not fail the run' exits 0 "$TFPROF" ingest --db m2.db mixed

rm -r mixed
mkdir loop && ln -s .. loop/up && cp run/h.xplane.pb loop/ && mkfifo loop/events.out.tfevents.1.pipe
ok 'links in circles and pipes do not stop it' exits 0 "$TFPROF" ingest --db l.db --json loop
ok 'each file goes in once' prints 1 json 'sum(f["path"].endswith("/h.xplane.pb") and "run/" not in f["path"] for f in d["files"])' out

ok 'no events on request' exits 0 "$TFPROF" ingest --db n.db --events none run
ok 'but all figures' prints '0|8' sql n.db 'SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM step)'
echo not a store >text.db
ok 'a file that is no store is refused' exits 4 "$TFPROF" ingest --db text.db run
ok 'unharmed' prints 'not a store' cat text.db
sqlite3 other.db 'CREATE TABLE t(x)'
ok 'so is the database of another program' exits 4 "$TFPROF" ingest --db other.db run
sqlite3 old.db <"$SRC/schemas/001_store.sql" && sqlite3 old.db 'PRAGMA application_id = 1952870514; PRAGMA user_version = 1'
ok 'a store of an older version is not read' exits 4 "$TFPROF" report --db old.db
ok 'which is said' says 'has version 1, this program reads'
ok 'with what to do' says "the next 'tfprof ingest"
ok 'a store of an older version is brought up to date' exits 0 "$TFPROF" ingest --db old.db run
ok 'to the version of a new one' prints "$(sql a.db 'PRAGMA user_version')" sql old.db 'PRAGMA user_version'
ok 'with the same tables' prints "$(sql a.db "SELECT group_concat(name) FROM pragma_table_info('_device')")" \
	sql old.db "SELECT group_concat(name) FROM pragma_table_info('_device')"
cp a.db newer.db && sqlite3 newer.db 'PRAGMA user_version = 99'
ok 'so is a store of a newer version' exits 4 "$TFPROF" ingest --db newer.db run
ok 'by number' says 'version 99'
done_testing
