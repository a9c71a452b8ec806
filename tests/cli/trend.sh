#!/bin/sh
# trend: histories with and without a change, which sessions are used, and every exit status.
. "$SRC/tests/lib.sh"
sessions() { PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/cli/trend_sessions.py" "$@"; }
valid() { python3 "$SRC/tests/validate.py" "$SRC/schemas/trend.schema.json" "$1"; }

sessions logs/slower 10 10.2 10.4 10.1 10.3 10 10.2 10.4 13.1 13.3 13 13.2
sessions logs/steady 10 10.2 10.4 10.1 10.3 10 10.2 10.4 10.1 10.3 10 10.2
sessions logs/faster 10 10.2 10.4 10.1 10.3 10 10.2 10.4 8.1 8.3 8 8.2
sessions logs/holes 10 10.2 - 10.4 10.1 10.3 10 - 10.2 10.4 13.1 13.3 13 13.2
sessions logs/ends 10 10.2 10.4 10.1 10.3 10 10.2 10.4 10.1 -
sessions logs/few 10 10.2 10.4 13 13.1 13.2 13.3
sessions logs/moved 10 10.2 10.4 10.1 10.3 10 gpu:13.1 gpu:13.3 gpu:13 gpu:13.2
"$TFPROF" ingest --db a.db logs 2>/dev/null

ok 'a history is shown' exits 0 "$TFPROF" trend --db a.db --json step_time_ms.mean run:slower
cp out s.json
ok 'by the schema' valid s.json
ok 'in the order of time' prints 'True' json '[s["name"] for s in d["sessions"]] == ["%02d" % i for i in range(1, 13)]' s.json
ok 'with its one change' prints '[8]' json '[c["index"] for c in d["change_points"]]' s.json
ok 'from median to median' prints '[10.2, 13.15]' json '[round(d["change_points"][0][k], 9) for k in ("before", "after")]' s.json
ok 'which is a regression' prints regression json 'd["verdict"]' s.json
ok 'that hardly is noise' prints True json '0 < d["change_points"][0]["p_value"] <= 0.05' s.json
ok 'the same each time' sh -c '"$TFPROF" trend --db a.db --json step_time_ms.mean run:slower | cmp - s.json'
ok 'the gate fails' exits 1 "$TFPROF" trend --db a.db --fail-on-regression step_time_ms.mean run:slower
ok 'with a mark at the change' sh -c 'grep -q "^        ^" out && grep -q "slower/09 .*<- regression: +2.950 ms (+28.9 %)" out'
ok 'of plain signs' grep -q '^________####' out
ok 'or blocks where the terminal has them' sh -c 'LC_ALL=C.UTF-8 "$TFPROF" trend --db a.db step_time_ms.mean run:slower | grep -q "^▁▁▁▁▁▁▁▁████"'
ok 'no change is none' exits 0 "$TFPROF" trend --db a.db --fail-on-regression step_time_ms.mean run:steady
ok 'and said' grep -q '^stable: no change in 12' out
ok 'a faster step is no regression' exits 0 "$TFPROF" trend --db a.db --fail-on-regression step_time_ms.mean run:faster
ok 'but an improvement' grep -q '^improvement' out
ok 'nor is one up to the least effect' exits 0 "$TFPROF" trend --db a.db --fail-on-regression --min-effect 30% step_time_ms.mean run:slower
ok 'the last sessions alone' exits 0 "$TFPROF" trend --db a.db --json --last 4 step_time_ms.mean run:slower
ok 'are so many' prints "['09', '10', '11', '12']" json '[s["name"] for s in d["sessions"]]' out
ok 'and too few' prints 'inconclusive too_few_sessions' json 'd["verdict"] + " " + d["reason"]' out

ok 'sessions without a value' exits 1 "$TFPROF" trend --db a.db --json --fail-on-regression step_time_ms.mean run:holes
ok 'are shown' prints "[None, None]" json '[s["value"] for s in d["sessions"] if not s["used"]]' out
ok 'with the reason' prints "{'no_step_marker'}" json '{s["reason"] for s in d["sessions"] if not s["used"]}' out
ok 'and do not move the change' prints '[10]' json '[c["index"] for c in d["change_points"]]' out
ok 'where the latest has none' exits 5 "$TFPROF" trend --db a.db --fail-on-regression step_time_ms.mean run:ends
ok 'nothing is known' grep -q 'latest_not_used' out
ok 'seven sessions are too few' exits 5 "$TFPROF" trend --db a.db --fail-on-regression step_time_ms.mean run:few
ok 'which only the gate minds' exits 0 "$TFPROF" trend --db a.db step_time_ms.mean run:few
ok 'a step on another machine' exits 5 "$TFPROF" trend --db a.db --fail-on-regression step_time_ms.mean run:moved
ok 'is no regression' grep -q 'environment_differs' out
ok 'unless that is allowed' exits 1 "$TFPROF" trend --db a.db --allow-env --fail-on-regression step_time_ms.mean run:moved

ok 'globs name sessions of several runs' exits 0 "$TFPROF" trend --db a.db --json step_time_ms.mean 'st*' run:few
ok 'each once' prints 19 json 'len(d["sessions"])' out
ok 'runs are filtered by a glob' exits 0 "$TFPROF" trend --db a.db --json --run '*e[wr]' step_time_ms.mean
ok 'on their names' prints "['faster', 'few', 'slower']" json 'sorted({s["run"] for s in d["sessions"]})' out
head -c 700 logs/slower/plugins/profile/12/h.trace.json >cut.json && mkdir -p cut && cp -r logs/slower/. cut && cp cut.json cut/plugins/profile/12/h.trace.json
"$TFPROF" ingest --db c.db cut 2>/dev/null
ok 'a cut capture' exits 0 "$TFPROF" trend --db c.db --json step_time_ms.mean
ok 'is not used' prints False json 'd["sessions"][-1]["used"]' out

ok 'an unknown metric is a usage error' exits 2 "$TFPROF" trend --db a.db step_time_ms.maen
ok 'with the nearest name' says "'step_time_ms.mean'"
ok 'a metric must be named' exits 2 "$TFPROF" trend --db a.db
ok 'a level of 1 is none' exits 2 "$TFPROF" trend --db a.db --alpha 1 step_time_ms.mean
ok 'nor are segments of one session any' exits 2 "$TFPROF" trend --db a.db --min-size 1 step_time_ms.mean
ok 'a metric without direction fails no gate' exits 2 "$TFPROF" trend --db a.db --fail-on-regression capture.events run:slower
ok 'unless one is given' exits 0 "$TFPROF" trend --db a.db --fail-on-regression capture.events:up run:slower
ok 'which may not contradict it' exits 2 "$TFPROF" trend --db a.db step_time_ms.mean:down run:slower
ok 'a metric that no session has' exits 0 "$TFPROF" trend --db a.db 'memory.peak_bytes[x]' run:slower
ok 'is shown as missing' grep -q 'not_in_session' out
ok 'a selector that names nothing is no data' exits 3 "$TFPROF" trend --db a.db step_time_ms.mean run:nothing
ok 'nor is a filter that lets nothing through' exits 3 "$TFPROF" trend --db a.db --run nothing step_time_ms.mean
ok 'a missing store is no data' exits 3 "$TFPROF" trend --db none.db step_time_ms.mean
ok 'what is no store is a store error' exits 4 sh -c 'echo x >bad.db; "$TFPROF" trend --db bad.db step_time_ms.mean'
ok 'a full disk is a system error' exits 4 sh -c '"$TFPROF" trend --db a.db step_time_ms.mean >/dev/full'

"$TFPROF" ingest --db l.db "$logs"
ok 'scalars have a history of runs' exits 0 "$TFPROF" trend --db l.db --json 'scalar[epoch_loss].last'
cp out l.json
ok 'by the schema' valid l.json
ok 'a run each' prints True json 'len({s["run"] for s in d["sessions"]}) == len(d["sessions"])' l.json
ok 'the value is that of the report' sh -c '"$TFPROF" report --db l.db --json run:keras3_slow_input/train >r.json && python3 -c "
import json
want = json.load(open(\"r.json\"))[\"metrics\"][\"scalar[epoch_loss].last\"]
got = [s[\"value\"] for s in json.load(open(\"l.json\"))[\"sessions\"] if s[\"run\"] == \"keras3_slow_input/train\"]
assert got == [want], (got, want)"'
hosts=two/plugins/profile/s
mkdir -p $hosts && cp logs/slower/plugins/profile/01/h.trace.json $hosts/h1.trace.json && cp logs/slower/plugins/profile/12/h.trace.json $hosts/h2.trace.json
"$TFPROF" ingest --db h.db two
ok 'one host can be followed' exits 0 "$TFPROF" trend --db h.db --json step_time_ms.mean@h1
ok 'alone' prints '[10]' json '[s["value"] for s in d["sessions"]]' out
done_testing
