#!/bin/sh
# One session in several forms: capture, trace JSON, JAX's copy of it; which of them counts, and that they agree.
. "$SRC/tests/lib.sh"
session=$logs/jax_4cpu/plugins/profile/2026_12_01_03_34_58

# metrics FILE : the metrics of a report, one a line, but for those that a trace JSON cannot have
metrics() { "$TFPROF" report --json "$1" | python3 -c '
import json, sys
for k, v in sorted(json.load(sys.stdin)["metrics"].items()):
    if not k.startswith(("memory", "capture.dropped", "capture.duration")): print(k, v)'; }
metrics "$session/vm.xplane.pb" >capture
for f in vm.trace.json.gz perfetto_trace.json.gz
do
	metrics "$session/$f" >json
	ok "$f gives the figures of the capture" diff capture json
done

ok 'a folder with all three goes in' exits 0 "$TFPROF" ingest --db a.db --json "$logs/jax_4cpu"
cp out ledger
ok 'the capture is loaded' prints new json '[f["state"] for f in d["files"] if f["kind"] == "xspace"][0]' ledger
ok 'the traces beside it are not' prints "['skipped', 'skipped']" json '[f["state"] for f in d["files"] if f["kind"] == "trace_json"]' ledger
ok 'and why is said' prints superseded json '[f["issues"][0]["code"] for f in d["files"] if f["kind"] == "trace_json"][0]' ledger
ok 'nothing counts twice' prints 10 sql a.db 'SELECT count(*) FROM step'
ok 'there is one host' prints 1 sql a.db 'SELECT count(*) FROM host'

mkdir -p late/plugins/profile/s && cp "$session"/*.gz late/plugins/profile/s
ok 'without the capture a trace counts' exits 0 "$TFPROF" ingest --db b.db late
ok 'once' prints 10 sql b.db 'SELECT count(*) FROM step'
ok 'as its host' prints vm sql b.db 'SELECT name FROM host'
cp "$session/vm.xplane.pb" late/plugins/profile/s
ok 'a capture that comes later' exits 0 "$TFPROF" ingest --db b.db late
ok 'takes its place' prints '10|xspace' sql b.db "SELECT (SELECT count(*) FROM step), kind FROM source_file WHERE session_id IS NOT NULL"
ok 'the trace is then skipped' prints skipped sql b.db "SELECT state FROM source_file WHERE path LIKE '%/vm.trace.json.gz'"
ok 'and no event of it stays' prints 4342 sql b.db 'SELECT count(*) FROM event'
ok 'the store is sound' prints ok sql b.db 'PRAGMA integrity_check'
ok 'all again changes nothing' exits 0 "$TFPROF" ingest --db b.db --json late
ok 'every file is as it was' prints True json 'all(f["state"] == "unchanged" for f in d["files"])' out

# An overview page of one step of 10 ms, 8 of them waiting for input: fields 2 (input analysis), 4 (steps, an Any).
python3 - <<'P'
import struct
def field(n, kind, data): return bytes([n << 3 | kind]) + data
def part(n, data): return field(n, 2, bytes([len(data)]) + data)
step = field(1, 0, b'\x01') + field(2, 1, struct.pack('<d', 10)) + field(11, 1, struct.pack('<d', 8))
url = b'x/tensorflow.profiler.PerGenericStepDetails'
open('vm.overview_page.pb', 'wb').write(part(2, part(4, part(1, url) + part(2, step))))
P
ok 'a result file alone is reported' exits 0 "$TFPROF" report --json vm.overview_page.pb
ok 'its step time' prints 10 json 'round(d["metrics"]["step_time_ms.mean"])' out
ok 'its input share' prints 0.8 json 'd["metrics"]["input.exposed_share"]' out
cp vm.overview_page.pb late/plugins/profile/s
ok 'beside a capture' exits 0 "$TFPROF" ingest --db b.db --json late
ok 'it is compared and not loaded' prints "['superseded', 'differs']" \
	json '[i["code"] for f in d["files"] if f["kind"] == "overview_pb" for i in f["issues"]]' out
ok 'and nothing counts twice' prints 10 sql b.db 'SELECT count(*) FROM step'
done_testing
