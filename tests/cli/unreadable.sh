#!/bin/sh
# Files that cannot be opened: the ledger keeps them, what they would have said is missing, and what was read before stays.
. "$SRC/tests/lib.sh"
capture=$(ls "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb)
session=logs/plugins/profile/2026_01_01_00_00_00
mkdir -p $session && cp "$capture" $session/h1.xplane.pb
gate() { "$TFPROF" check --db a.db --json --max step_time_ms.mean=30ms; }
issues() { sql "$1" "SELECT f.path || ' ' || i.code FROM ingest_issue i JOIN source_file f USING (file_id) ORDER BY 1"; }

ok 'a sound session' exits 0 "$TFPROF" ingest --db a.db logs
ok 'passes' exits 0 gate
ln -s ../../../../elsewhere/h2.xplane.pb $session/h2.xplane.pb
ok 'a link to a capture that is not there' exits 0 "$TFPROF" ingest --db a.db --json logs
ok 'is said' says '1 file is damaged or unreadable'
ok 'stands in the ledger' prints failed json '[f["state"] for f in d["files"] if "h2" in f["path"]][0]' out
ok 'and in the store' prints "$session/h2.xplane.pb io_error" issues a.db
ok 'its session passes no gate' exits 5 gate
ok 'since it is incomplete' prints incomplete json 'd["checks"][0]["reason"]' out
ok 'looked at again' exits 0 "$TFPROF" ingest --db a.db logs
ok 'it is there once' prints "$session/h2.xplane.pb io_error" issues a.db
mkdir elsewhere && cp "$capture" elsewhere/h2.xplane.pb
ok 'when it appears' exits 0 "$TFPROF" ingest --db a.db logs
ok 'it is a host of the session' prints 'h1 h2' sql a.db "SELECT group_concat(name, ' ') FROM (SELECT name FROM host ORDER BY 1)"
ok 'of which nothing is missing' exits 0 gate
ok 'and nothing is said' prints '' issues a.db
rm elsewhere/h2.xplane.pb
"$TFPROF" ingest --db a.db logs 2>err
ok 'one that was read and has gone stays' prints 2 sql a.db 'SELECT count(*) FROM host'
ok 'what it is now is said' prints "$session/h2.xplane.pb io_error" issues a.db
ok 'and its session is not judged' exits 5 gate

head -c 3000 /dev/urandom >$session/h3.xplane.pb
mkdir -p logs/plugins/profile/2026_01_02_00_00_00 && cp $session/h3.xplane.pb logs/plugins/profile/2026_01_02_00_00_00/
"$TFPROF" ingest --db a.db logs 2>err
rm $session/h3.xplane.pb $session/h2.xplane.pb && rm -r logs/plugins/profile/2026_01_02_00_00_00 && cp "$capture" elsewhere/h2.xplane.pb
"$TFPROF" ingest --db a.db logs elsewhere 2>err
ok 'of a file that could not be read and is gone nothing stays' prints '' issues a.db
ok 'nor of its session' prints 2026_01_01_00_00_00 sql a.db "SELECT group_concat(name) FROM session WHERE run_id = (SELECT run_id FROM run WHERE name = '.')"

ok 'one PATH that is not there' exits 3 "$TFPROF" ingest --db m.db --json nowhere logs/none logs
ok 'is named' says "cannot read 'nowhere'"
ok 'and does not keep the others out' prints 1 sql m.db 'SELECT count(*) FROM session'
ln $session/h1.xplane.pb logs/copy.xplane.pb
ok 'a hard link' exits 0 "$TFPROF" ingest --db l.db --json logs
ok 'is the same file' prints 'skipped same_file' json '[f["state"] + " " + i["code"] for f in d["files"] for i in f["issues"]][0]' out

# Root reads everything: another user looks.
cp "$TFPROF" own && chmod 755 . own && mkdir open
cp -r logs open/logs && rm open/logs/copy.xplane.pb && mkdir open/logs/closed && cp "$capture" open/logs/closed/x.xplane.pb
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --clear-groups "$@"; else "$@"; fi; }
[ "$(id -u)" = 0 ] && chown -R 65534 open
as ./own ingest --db open/a.db open/logs
chmod 000 open/logs/closed open/logs/plugins/profile/*/h1.xplane.pb
ok 'without the right to read' exits 3 as ./own ingest --db open/a.db --verbose open/logs
ok 'files and folders are told' says '2 files are damaged or unreadable'
ok 'each by name' prints 'open/logs/closed io_error
open/logs/plugins/profile/2026_01_01_00_00_00/h1.xplane.pb io_error' issues open/a.db
ok 'what was read stays' prints 2 sql open/a.db 'SELECT count(*) FROM host'
ok 'and is not complete' prints 0 sql open/a.db "SELECT complete FROM session WHERE name LIKE '2026%'"
ok 'nor is a session below a folder that cannot be read' exits 5 as ./own check --db open/a.db --max step_time_ms.mean=1s run:closed
chmod 755 open/logs/closed open/logs/plugins/profile/*/h1.xplane.pb
ok 'with it' exits 0 as ./own ingest --db open/a.db open/logs
ok 'all is well again' prints 1 sql open/a.db "SELECT complete FROM session WHERE name LIKE '2026%'"
ok 'also below the folder' exits 0 as ./own check --db open/a.db --max step_time_ms.mean=1s run:closed
ok 'strictly' exits 0 as ./own ingest --strict --db open/a.db open/logs
ok 'what is said of the folder goes' prints '' issues open/a.db

mkdir ev && cp "$logs"/keras3_fast_input/train/events.out.tfevents.* ev/ && ln -s gone ev/events.out.tfevents.9.host
ok 'scalars of a run with an event file that cannot be opened' exits 5 "$TFPROF" check --json --max 'scalar[batch_loss].last=100' ev
ok 'do not pass' prints damaged json 'd["checks"][0]["reason"]' out
rm ev/events.out.tfevents.9.host && head -c 5000 /dev/urandom >ev/events.out.tfevents.9.host
ok 'nor with one of noise' exits 5 "$TFPROF" check --json --max 'scalar[batch_loss].last=100' ev
ok 'for the same reason' prints damaged json 'd["checks"][0]["reason"]' out
done_testing
