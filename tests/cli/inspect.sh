#!/bin/sh
# inspect: what files are, without a store; agrees with ingest and report; nothing is written.
. "$SRC/tests/lib.sh"
capture=$(ls "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb)
events=$(ls "$logs"/keras3_fast_input/train/events.out.tfevents.*)

ok 'a folder' exits 0 "$TFPROF" inspect --json "$logs"
cp out all.json
ok 'the document is valid' python3 "$SRC/tests/validate.py" "$SRC/schemas/inspect.schema.json" all.json
ok 'every file is looked at, in order' python3 - "$logs" <<'P'
import json, os, sys
want = sorted(os.path.join(d, f) for d, _, files in os.walk(sys.argv[1]) for f in files)
got = [f['path'] for f in json.load(open('all.json'))['files']]
assert sorted(got) == want and got == sorted(got), got
P
ok 'with its size' python3 -c '
import json, os
for f in json.load(open("all.json"))["files"]: assert f["bytes"] == os.path.getsize(f["path"]), f["path"]'
"$TFPROF" ingest --db a.db --json "$logs" >ledger.json
ok 'kinds and records are those of the ledger' python3 - <<'P'
import json
ledger = {f['path']: f for f in json.load(open('ledger.json'))['files']}
for f in json.load(open('all.json'))['files']:
    other = ledger[f['path']]
    assert f['kind'] == other['kind'], f['path']
    if other['state'] == 'new':
        assert (f['records'], f['skipped_records'], f['tail_state']) == (other['records'], other['skipped_records'], other['tail_state'])
P
ok 'steps are those of the report' python3 - <<'P'
import json, os, subprocess
n = 0
for f in json.load(open('all.json'))['files']:
    if f['kind'] != 'xspace':
        continue
    report = json.loads(subprocess.run([os.environ['TFPROF'], 'report', '--json', f['path']], capture_output=True, check=True).stdout)
    assert f['steps'] == report['metrics']['steps.count'], f['path']
    assert f['step_source'] == report['steps']['source'], f['path']
    assert f['start_ns'] == report['session']['start_ns'], f['path']
    assert f['complete'] == report['session']['complete'], f['path']
    n += 1
assert n == 7, n
P
ok 'lines hold all events' prints True json 'all(sum(l["events"] for l in f["lines"]) == f["events"] for f in d["files"] if f["kind"] == "xspace")' all.json
ok 'what could mark steps comes most frequent first within its kind' prints True json \
	'all([c["count"] for c in f["step_candidates"] if not c["with_step_num"]] == sorted((c["count"] for c in f["step_candidates"] if not c["with_step_num"]), reverse=True) for f in d["files"] if "lines" in f)' all.json
ok 'what is numbered is no more than there is' prints True json \
	'all(0 <= c["with_step_num"] <= c["count"] for f in d["files"] if "lines" in f for c in f["step_candidates"])' all.json
ok 'each can be nominated' python3 - "$capture" <<'P'
import json, os, re, subprocess, sys
files = json.load(open('all.json'))['files']
[f] = [f for f in files if f['path'] == sys.argv[1]]
assert f['step_candidates']
for c in f['step_candidates'][:3]:
    marker = '^' + re.escape(c['name']).replace('\\:', ':') + '$'
    out = subprocess.run([os.environ['TFPROF'], 'report', '--json', '--step-event', marker, f['path']], capture_output=True, check=True).stdout
    assert json.loads(out)['steps']['list'], c
P
ok 'text names kind, size, records and tail' sh -c '"$TFPROF" inspect "$1" | head -1 | grep -qx "$1: xspace, $(wc -c <"$1" | tr -d " ") bytes, 1720 records, tail clean"' - "$capture"
ok 'a file is told by its content, not its name' sh -c 'cp "$1" notes.txt && "$TFPROF" inspect notes.txt | grep -q "^notes.txt: xspace,"' - "$capture"
ok 'an event file too' sh -c 'cp "$1" x && "$TFPROF" inspect x | grep -q "^x: event_file,"' - "$events"
ok 'gzip is looked into' sh -c 'gzip -c "$1" >z.gz && "$TFPROF" inspect z.gz | grep -q "^z.gz: xspace, $(wc -c <z.gz | tr -d " ") bytes, 1720 records"' - "$capture"

head -c 20000 "$capture" >cut.xplane.pb
ok 'a cut capture' exits 0 "$TFPROF" inspect --json cut.xplane.pb
ok 'is not complete' prints False json 'd["files"][0]["complete"]' out
ok 'and says from where on' prints "('truncated', True)" json \
	'(d["files"][0]["issues"][0]["code"], 0 < d["files"][0]["issues"][0]["offset"] <= 20000)' out
ok 'the text says the same' sh -c '"$TFPROF" inspect cut.xplane.pb | grep -qE "^  truncated at byte [0-9]+: "'
{ cat "$events"; head -c 100 /dev/zero; } >zeros
ok 'zeros behind an event file' exits 0 "$TFPROF" inspect --json zeros
ok 'are its tail' prints zero_fill json 'd["files"][0]["tail_state"]' out
ok 'and cost no record' prints "$("$TFPROF" inspect --json "$events" | python3 -c 'import json, sys; print(json.load(sys.stdin)["files"][0]["records"])')" \
	json 'd["files"][0]["records"]' out
head -c -3 "$events" >partial
ok 'a record that is not over' exits 0 "$TFPROF" inspect --json partial
ok 'is a partial one' prints partial_record json 'd["files"][0]["tail_state"]' out
: >nothing
ok 'an empty file is empty' sh -c '"$TFPROF" inspect nothing | grep -q "^  empty"'
echo '<html>404</html>' >page.xplane.pb
ok 'a web page is no profile' sh -c '"$TFPROF" inspect page.xplane.pb | grep -q "^page.xplane.pb: unknown, " && "$TFPROF" inspect page.xplane.pb | grep -q "^  not_a_profile"'

mkdir -p quiet/here && cp "$capture" quiet/ && cd quiet/here
ok 'no store is needed' exits 0 env -u TFPROF_DB "$TFPROF" inspect ..
rm out err log; cd ../..
ok 'and nothing is written' prints 'quiet quiet/here quiet/vm.xplane.pb' sh -c 'echo $(find quiet | sort)'
ok 'a missing path' exits 3 "$TFPROF" inspect nowhere
ok 'is named' says "'nowhere'"
mkdir void
ok 'an empty folder is no data' exits 3 "$TFPROF" inspect void
ok 'and said to be empty' says "no file in 'void'"
mkfifo pipe
ok 'a pipe is not waited for' exits 3 timeout 20 "$TFPROF" inspect pipe
ok 'two paths are usage' exits 2 "$TFPROF" inspect cut.xplane.pb zeros
ok 'a full disk is a system error' exits 4 sh -c '"$TFPROF" inspect "$1" >/dev/full' - "$capture"
ok 'in JSON too' exits 4 sh -c '"$TFPROF" inspect --json "$1" >/dev/full' - "$capture"
done_testing
