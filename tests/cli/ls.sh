#!/bin/sh
# ls: each list in each format, against what the folders hold and what SQL counts; odd names; no store.
. "$SRC/tests/lib.sh"

# rows FILE : lines of a CSV document without its head
rows() { tail -n +2 "$1" | tr -d '\r'; }
"$TFPROF" ingest --db a.db "$logs"

ok 'sessions are the default' sh -c '"$TFPROF" ls --db a.db >one && "$TFPROF" ls --db a.db sessions | cmp - one'
for list in runs sessions tags files issues
do
	ok "$list as CSV" exits 0 "$TFPROF" ls --db a.db --format csv $list
	cp out $list.csv
	ok "$list as JSON" exits 0 "$TFPROF" ls --db a.db --json $list
	cp out $list.json
	ok "$list: --json is --format json" sh -c '"$TFPROF" ls --db a.db --format json "$1" | cmp - "$1.json"' - $list
	ok "$list: as many rows in JSON as in CSV" prints "$(rows $list.csv | wc -l | tr -d ' ')" json 'len(d)' $list.json
	ok "$list: the same columns" python3 - $list <<'P'
import csv, json, sys
name = sys.argv[1]
head = next(csv.reader(open(name + '.csv', newline='')))
for row in json.load(open(name + '.json')):
    assert list(row) == head, row
P
	"$TFPROF" ls --db a.db --format jsonl $list >$list.jsonl
	ok "$list: a line each in JSON lines" python3 - $list <<'P'
import json, sys
name = sys.argv[1]
assert [json.loads(line) for line in open(name + '.jsonl')] == json.load(open(name + '.json'))
P
	"$TFPROF" ls --db a.db --format md $list >$list.md
	ok "$list: a table in Markdown" sh -c 'test "$(grep -c "^|.*|$" "$1.md")" = "$(wc -l <"$1.md")"' - $list
	ok "$list: with a head, a rule and its rows" prints "$(($(rows $list.csv | wc -l) + 2))" sh -c 'wc -l <"$1.md" | tr -d " "' - $list
	ok "$list: the same every time" sh -c '"$TFPROF" ls --db a.db --format csv "$1" | cmp - "$1.csv"' - $list
done

ok 'every file is listed under its path' python3 - "$logs" <<'P'
import json, os, sys
want = sorted(os.path.join(d, f) for d, _, files in os.walk(sys.argv[1]) for f in files)
assert [row['path'] for row in json.load(open('files.json'))] == want
P
ok 'with its size' python3 - <<'P'
import json, os
for row in json.load(open('files.json')):
    assert row['bytes'] == os.path.getsize(row['path']), row
P
ok 'runs are the folders with profiles or events' python3 - "$logs" <<'P'
import json, os, sys
want = set()
for d, _, files in os.walk(sys.argv[1]):
    for f in files:
        if 'tfevents' in f or f.endswith('.xplane.pb'):
            want.add(os.path.relpath(d, sys.argv[1]).split('/plugins/profile/')[0])
assert {row['run'] for row in json.load(open('runs.json'))} == want, want
P
ok 'sessions are the folders below plugins/profile, and event files with RunMetadata' python3 - "$logs" <<'P'
import json, os, sys
want = {'tf1_run_metadata/1796094650.vm'}
for d, _, files in os.walk(sys.argv[1]):
    if '/plugins/profile/' in d:
        want.add(os.path.relpath(d, sys.argv[1]).replace('/plugins/profile', ''))
assert {row['session'] for row in json.load(open('sessions.json'))} == want, want
P
ok 'every session can be selected by the name that is listed' python3 - <<'P'
import json, os, subprocess
for row in json.load(open('sessions.json')):
    for name in row['session'], str(row['id']):
        out = subprocess.run([os.environ['TFPROF'], 'report', '--db', 'a.db', '--json', name], capture_output=True, check=True).stdout
        assert json.loads(out)['session']['id'] == row['session'], name
P
ok 'the last one listed is the latest' sh -c 'test "$("$TFPROF" report --db a.db --json | python3 -c "import json, sys; print(json.load(sys.stdin)[\"session\"][\"id\"])")" = "$(tail -1 sessions.csv | cut -d, -f2)"'
ok 'counts of a run are those of SQL' prints '' sql a.db "
	CREATE TEMP TABLE l(run TEXT, sessions INTEGER, files INTEGER, tags INTEGER);
	$(rows runs.csv | sed "s/^\([^,]*\),\(.*\)\$/INSERT INTO l VALUES('\1',\2);/")
	SELECT l.run FROM l WHERE l.tags <> (SELECT count(*) FROM tag t WHERE t.run = l.run)
		OR l.sessions <> (SELECT count(*) FROM session s JOIN run r USING (run_id) WHERE r.name = l.run)
		OR l.files <> (SELECT count(*) FROM source_file f JOIN run r USING (run_id) WHERE r.name = l.run)"
ok 'a step takes as long as in the report' prints True json \
	'all(abs(s["step_ms"] - 2.3488359) < 1e-7 for s in d if s["session"].startswith("tf_leak/"))' sessions.json
ok 'an unknown share is null' prints None json '[s["input_share"] for s in d if s["session"].startswith("tf_leak/")][0]' sessions.json
ok 'nothing is wrong with what is loaded' prints '[]' json '[i for i in d if "xplane" in i["path"]]' issues.json

mkdir cut && head -c 20000 "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb >cut/h.xplane.pb
"$TFPROF" ingest --db cut.db cut 2>err
ok 'a cut file is in the issues' exits 0 "$TFPROF" ls --db cut.db --json issues
ok 'with code and place' prints "['truncated', 'h.xplane.pb', True]" json \
	'[d[0]["code"], d[0]["path"].split("/")[-1], 0 < d[0]["offset"] <= 20000]' out
ok 'its session is not complete' sh -c '"$TFPROF" ls --db cut.db --json | grep -q "\"complete\":0"'

esc=$(printf 'a\033[31m\tb'); mkdir -p "odd/$esc" 'odd/quo"te,comma|pipe'
cp "$logs"/tf_hparams/r1/events.* "odd/$esc/"; cp "$logs"/tf_hparams/r1/events.* 'odd/quo"te,comma|pipe/'
ok 'odd names go in' exits 0 "$TFPROF" ingest --db odd.db odd
for list in runs files
do
	ok "$list: no control character reaches a terminal" sh -c '! "$TFPROF" ls --db odd.db "$1" | grep -q "$(printf "[\033\t]")"' - $list
	ok "$list: JSON has the name as it is" sh -c '"$TFPROF" ls --db odd.db --json "$1" | python3 -c "
import json, sys
text = json.dumps(json.load(sys.stdin), ensure_ascii=False)
assert chr(92) + \"u001b[31m\" in text, text"' - $list
	"$TFPROF" ls --db odd.db --format csv $list >odd.csv
	ok "$list: CSV is read back" python3 -c '
import csv
assert any("quo\"te,comma|pipe" in row[0] for row in csv.reader(open("odd.csv", newline="")))'
	ok "$list: a pipe does not end a cell" sh -c 'test "$("$TFPROF" ls --db odd.db --format md "$1" | sed "s/\\\\|//g" | awk -F"|" "{ print NF }" | sort -u | wc -l)" -eq 1' - $list
done

ok 'no such list' exits 2 "$TFPROF" ls --db a.db sesions
ok 'is said with those there are' says 'runs, sessions, tags, files or issues'
ok 'nor two' exits 2 "$TFPROF" ls --db a.db runs tags
ok 'nor such a format' exits 2 "$TFPROF" ls --db a.db --format xml
ok 'a missing store is no data' exits 3 "$TFPROF" ls --db none.db
ok 'and how to make one is said' says 'tfprof ingest'
ok 'and none was made' test ! -e none.db
echo 'no store' >text.db
ok 'a text is no store' exits 4 "$TFPROF" ls --db text.db
: >empty.db
ok 'an empty file is no data' exits 3 "$TFPROF" ls --db empty.db
mkfifo pipe.db
ok 'a pipe is no store, and is not waited for' exits 4 timeout 20 "$TFPROF" ls --db pipe.db
ok 'a name of none is usage' exits 2 "$TFPROF" ls --db ''
ok 'a full disk is a system error' exits 4 sh -c '"$TFPROF" ls --db a.db files >/dev/full'
for f in csv json jsonl md
do ok "also as $f" exits 4 sh -c '"$TFPROF" ls --db a.db --format "$1" files >/dev/full' - $f
done
done_testing
