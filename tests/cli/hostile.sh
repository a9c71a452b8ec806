#!/bin/sh
# Hostile input through every command: no crash, the right status, a message with file and offset, nothing written beside the logs.
. "$SRC/tests/lib.sh"
capture=$(ls "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb)
events=$(ls "$logs"/keras3_fast_input/train/events.out.tfevents.*)

# survives WHAT PATH : every command that reads files ends with a status of its own choosing
survives()
{
	for c in 'ingest --db h.db' 'report --json' inspect 'check --max steps.count=1'
	do
		"$TFPROF" $c "$2" >out 2>err
		status=$?
		case $status in 0 | 1 | 2 | 3 | 5) ok "$1: $c" true ;; *) ok "$1: $c (status $status)" false ;; esac
	done
	rm -f h.db
}
mkdir in
: >in/empty.xplane.pb; survives 'an empty file' in/empty.xplane.pb
head -c 5000 /dev/zero >in/zero.xplane.pb; survives 'zeros' in/zero.xplane.pb
head -c 5000 /dev/zero | tr '\0' '\377' >in/ones.xplane.pb; survives 'all ones' in/ones.xplane.pb
head -c 30000 "$capture" >in/cut.xplane.pb; survives 'a cut capture' in/cut.xplane.pb
{ head -c 20000 "$capture"; head -c 500 /dev/zero; tail -c +20501 "$capture"; } >in/hole.xplane.pb; survives 'a capture with a hole' in/hole.xplane.pb
{ cat "$capture"; echo '<html>'; } >in/tail.xplane.pb; survives 'text behind a capture' in/tail.xplane.pb
gzip -c "$capture" | head -c 3000 >in/cut.xplane.pb.gz; survives 'a cut gzip stream' in/cut.xplane.pb.gz
printf '\037\213\010\000\000\000\000\000\000\003garbage garbage garbage' >in/bad.gz; survives 'no gzip behind its magic' in/bad.gz
printf '\012\377\377\377\377\377\377\377\377\377\001' >in/huge.xplane.pb; survives 'a length of 2^64' in/huge.xplane.pb
{ cat "$events"; echo 'INFO: a log line'; } >in/events.out.tfevents.1.text; survives 'text behind an event file' in/events.out.tfevents.1.text
{ cat "$events"; head -c 4096 /dev/zero; } >in/events.out.tfevents.1.zero; survives 'zeros behind an event file' in/events.out.tfevents.1.zero
printf '{"traceEvents":[{"ph":"X","ts":1e400,"dur":-1e400,"pid":1,"tid":1,"name":"a"},{"ph":"X"' >in/torn.trace.json; survives 'a cut trace' in/torn.trace.json
python3 -c 'print("[" * 100000)' >in/deep.trace.json; survives 'deep brackets' in/deep.trace.json
printf '{"traceEvents":[{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"\\u0000\\ud800\033[31m\\n"}]}' >in/name.trace.json; survives 'a hostile name' in/name.trace.json
printf '{"memoryProfilePerAllocator":{"a":{"memoryProfileSnapshots":[{"timeOffsetPs":"9223372036854775807"}]}}}' >in/m.memory_profile.json
survives 'a memory profile at the end of time' in/m.memory_profile.json
printf '\042\377\377' >in/h.tensorflow_stats.pb; survives 'a cut result file' in/h.tensorflow_stats.pb
mkdir in/folder.xplane.pb; survives 'a folder of that name' in/folder.xplane.pb
mkfifo in/pipe.xplane.pb; survives 'a pipe of that name' in/pipe.xplane.pb
ln -s nowhere in/dangling.xplane.pb; survives 'a link to nowhere' in/dangling.xplane.pb
ln -s in/self in/self; survives 'a link to itself' in/self
survives 'a device' /dev/null
name=$(printf 'in/esc\033[31m\nline.xplane.pb'); cp in/cut.xplane.pb "$name"; survives 'a name with an escape and a newline' "$name"
name=$(printf 'in/\377\376.xplane.pb'); cp in/cut.xplane.pb "$name"; survives 'a name that is no UTF-8' "$name"

find in | sort >before
ok 'all of it at once' exits 0 "$TFPROF" ingest --db all.db --json in
cp out ledger.json
ok 'gives a valid ledger' python3 "$SRC/tests/validate.py" "$SRC/schemas/ingest.schema.json" ledger.json
ok 'nothing was written beside the files' sh -c 'find in | sort | cmp -s - before'
ok 'the store is sound' prints ok sql all.db 'PRAGMA integrity_check'
ok 'every file is in the ledger' prints True json \
	'all(any(n in f["path"] for f in d["files"]) for n in ("zero.xplane", "cut.xplane.pb.gz", "huge", "deep", "hole"))' ledger.json
ok 'what was lost has an offset' prints True json \
	'all(f["first_bad_offset"] is not None for f in d["files"] if f["path"].endswith(("/cut.xplane.pb", "/torn.trace.json", "1.text")))' ledger.json
ok 'no control character reaches the terminal' sh -c '! "$TFPROF" ls --db all.db files | LC_ALL=C grep -q "$(printf "\033")"'
ok 'nor the report' sh -c '! "$TFPROF" report in/name.trace.json | LC_ALL=C grep -q "$(printf "\033")"'
ok 'nor an error message' sh -c '"$TFPROF" report "$(printf "in/\033none")" 2>err; ! LC_ALL=C grep -q "$(printf "\033")" err'
ok 'a message names the file' sh -c '"$TFPROF" inspect in/cut.xplane.pb | grep -q "in/cut.xplane.pb"'
ok 'and the offset' sh -c '"$TFPROF" inspect in/cut.xplane.pb | grep -qE "byte [0-9]+|offset"'
ok 'damage is nothing to pass on' exits 5 "$TFPROF" check --max step_time_ms.mean=1s in/cut.xplane.pb
name=$(printf 'in/esc\033[31m\nline.xplane.pb')
ok 'a name with a newline stays one line' exits 0 "$TFPROF" ingest --db n.db --verbose "$name"
ok 'in the ledger' sh -c '! grep "^line" out err'
ok 'and in the report' sh -c '! "$TFPROF" report --db n.db | grep -q "^line"'

# What is given as a store may be anything too.
mkdir stores stores/folder.db && mkfifo stores/pipe.db && ln -s nowhere stores/dangling.db && ln -s loop.db stores/loop.db
: >stores/empty.db
head -c 8192 /dev/zero >stores/zero.db
echo 'no store' >stores/text.db
head -c 2000 all.db >stores/cut.db
{ head -c 100 all.db; head -c 100000 /dev/zero | tr '\0' '\377'; } >stores/broken.db
{ head -c 60000 all.db; head -c 4096 /dev/zero; tail -c +64097 all.db; } >stores/hole.db
sqlite3 stores/foreign.db 'CREATE TABLE t(x)'
sqlite3 stores/fake.db 'PRAGMA application_id = 1952870514; PRAGMA user_version = 1; CREATE TABLE _run(x)'
sqlite3 stores/newer.db 'CREATE TABLE t(x); PRAGMA application_id = 1952870514; PRAGMA user_version = 9999'
find stores | sort >stores.before
for s in folder pipe dangling loop empty zero text cut broken hole foreign fake newer
do
	for c in 'report --json' ls 'ls files' 'check --max steps.count=1' 'explain steps.count' 'query SELECT(1)'
	do
		timeout 20 "$TFPROF" $c --db stores/$s.db >out 2>err
		status=$?
		case $status in 0 | 1 | 2 | 3 | 4 | 5) ok "$s store: $c" true ;; *) ok "$s store: $c (status $status)" false ;; esac
		[ $status -eq 0 ] || [ $s = hole ] || ok "$s store: $c says why" grep -q '^tfprof [a-z]*: ..*' err
	done
done
ok 'stores that are none are left as they are' sh -c 'find stores | sort | cmp - stores.before'
for s in text foreign newer
do
	cp stores/$s.db kept
	ok "$s store: ingest refuses it" exits 4 "$TFPROF" ingest --db stores/$s.db "$capture"
	ok "$s store: and leaves it as it was" cmp kept stores/$s.db
done
for s in folder loop broken fake
do ok "$s store: ingest refuses it" exits 4 timeout 20 "$TFPROF" ingest --db stores/$s.db "$capture"
done
chmod 000 in/cut.xplane.pb
if [ "$(id -u)" -eq 0 ]
then skip 'a file that may not be read' 'root may read all'
else
	ok 'a file that may not be read is said' exits 3 "$TFPROF" ingest --db r.db in/cut.xplane.pb
fi
done_testing
