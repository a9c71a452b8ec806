#!/bin/sh
# diff: parts that sum exactly, what is only on one side, reports, several sessions, and every exit status.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs"
fast=run:keras3_fast_input/train slow=run:keras3_slow_input/train
sums() { PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/cli/diff_sums.py" "$@"; }
valid() { python3 "$SRC/tests/validate.py" "$SRC/schemas/diff.schema.json" "$1"; }
mean_ps() # RUN : the mean of its steady steps by SQL
{
	sql a.db "SELECT CAST(round(avg(p.step_ps)) AS INTEGER) FROM step p JOIN session s ON s.session_id = p.session_id JOIN run r
		ON r.run_id = s.run_id WHERE r.name = '$1' AND p.complete AND NOT p.warmup AND p.main_series"
}

ok 'two sessions are compared' exits 0 "$TFPROF" diff --db a.db --json $fast $slow
cp out d.json
ok 'by the schema' valid d.json
ok 'parts sum to their whole to the picosecond' sums sums d.json
ok 'which is the mean of the steady steps' prints "[$(mean_ps keras3_fast_input/train), $(mean_ps keras3_slow_input/train)]" \
	json 'd["step_time"]["values_ps"]' d.json
ok 'the wait for input is the most of it' prints input_wait json 'd["waterfall"][0]["category"]' d.json
ok 'which an op makes' prints IteratorGetNextOp::DoCompute json 'd["waterfall"][0]["children"][0]["op"]' d.json
ok 'nothing but what no event covers has no op' prints "['other']" json '[c["category"] for c in d["waterfall"] if not c["children"]]' d.json
ok 'a tensor that is gone has no bytes there' prints True json \
	'all(c["values"][1] is None for m in d["memory"] for c in m["children"] if c["change"] == "removed")' d.json
ok 'the same each time' sh -c '"$TFPROF" diff --db a.db --json "$1" "$2" | cmp - d.json' sh $fast $slow
ok 'the text says it in a sentence' exits 0 "$TFPROF" diff --db a.db $fast $slow
ok 'with the share' grep -q '17.593 ms longer than one of A (+150.4 %)' out
ok 'and fits a terminal' prints True python3 -c 'print(max(len(line) for line in open("out", encoding="utf-8")) <= 110)'
ok 'a session is the same as itself' exits 0 "$TFPROF" diff --db a.db $slow $slow
ok 'which takes as long' grep -q 'takes as long as' out
ok 'and has no rows of changes' sh -c '! grep -qE "added|removed" out'
ok 'Markdown has tables' exits 0 "$TFPROF" diff --db a.db --md -o d.md $fast $slow
ok 'of which all rows have as many cells' prints '{5}' python3 -c '
print({line.replace("\\|", "").count("|") for line in open("d.md", encoding="utf-8") if line.startswith("|")})'

ok 'several sessions are a table' exits 0 "$TFPROF" diff --db a.db --json $fast run:tf_custom_loop/fast $slow
cp out n.json
ok 'by the schema too' valid n.json
ok 'whose columns all sum' sums sums n.json
ok 'paths need no store' exits 0 "$TFPROF" diff --json "$logs/tf_leak" "$logs/jax_4cpu"
cp out p.json
ok 'their parts sum' sums sums p.json
ok 'another framework comes first' prints "['tensorflow', 'jax']" json 'd["environment"][0]["values"]' p.json
ok 'memory that one lacks is unknown, not gone' prints "unknown None" python3 -c '
import json; m = json.load(open("p.json"))["memory"][0]; print(m["change"], m["values"][1])'
ok 'which is said' prints True json 'any("no memory" in n for n in d["notes"])' p.json

"$TFPROF" report --db a.db --json -o fast.json $fast
"$TFPROF" report --db a.db --json -o slow.json $slow
ok 'reports are compared' exits 0 "$TFPROF" diff --json fast.json slow.json
ok 'as their sessions are' python3 -c '
import json; a, b = (json.load(open(f)) for f in ("out", "d.json"))
for key in ("metrics", "step_time", "waterfall", "input", "memory"):
    assert a[key] == b[key], key'
"$TFPROF" report --db a.db --json --top 3 -o cut.json $slow
ok 'one that was cut' exits 0 "$TFPROF" diff --json fast.json cut.json
cp out c.json
ok 'still sums' sums sums c.json
ok 'by what it does not list' prints True json '"(not listed)" in [c["op"] for c in d["memory"][0]["children"]]' c.json
"$TFPROF" report --db a.db --json --section metrics -o section.json $fast
ok 'one with metrics alone' exits 0 "$TFPROF" diff --json section.json slow.json
ok 'has the means' sums sums out
ok 'to a picosecond' python3 -c '
import json; a, b = (json.load(open(f))["waterfall"] for f in ("out", "d.json"))
b = {c["category"]: c["values_ps"][0] for c in b}
assert len(a) >= 3 and all(abs(c["values_ps"][0] - b.get(c["category"], 0)) <= 1 for c in a), a'

python3 -c '
import json; d = json.load(open("fast.json")); del d["steps"]["costs"], d["steps"]["costs_reason"]; json.dump(d, open("old.json", "w"))'
ok 'one of an older program' exits 0 "$TFPROF" diff --json old.json slow.json
ok 'has no ops' prints '[0, 0, 0]' json '[len(c["children"]) for c in d["waterfall"]]' out
ok 'which is said' prints True json 'any("old.json: no ops and kernels" in n for n in d["notes"])' out

sums random 12 8
all=0
for i in 0 1 2 3 4 5 6 7 8 9 10
do
	"$TFPROF" diff --json r$i.json r$((i + 1)).json >x$i.json && sums means x$i.json r$i.json r$((i + 1)).json || all=1
done
ok 'random reports give their exact means' [ $all -eq 0 ]
ok 'and sum' sums sums x0.json x1.json x2.json x3.json x4.json x5.json x6.json x7.json x8.json x9.json x10.json
"$TFPROF" diff --json r*.json >x.json
ok 'all twelve side by side too' sums sums x.json
"$TFPROF" diff --json --top 2 r0.json r1.json >t.json
ok 'what is cut is summed up' sums sums t.json
ok 'as one' prints True json 'd["waterfall"][2]["category"].endswith("more)") and len(d["waterfall"]) == 3' t.json

ok 'a run without a profile has metrics alone' exits 0 "$TFPROF" diff --db a.db memory_jump $fast
ok 'and the step times cannot be compared' grep -q 'cannot be compared' out
mkdir -p hp/t1 hp/t2/train && cp "$logs"/tf_hparams/r1/events.* hp/t2 && cp -r "$logs"/tf_leak/plugins hp/t1 && cp -r "$logs"/tf_leak/plugins hp/t2/train
"$TFPROF" ingest --db hp.db hp
ok 'hyperparameters of a run are those of its profile below' exits 0 "$TFPROF" diff --db hp.db --json run:t1 run:t2/train
ok 'and differ first' prints "[None, 'adam']" json '[f["values"] for f in d["environment"] if f["key"] == "hparam[opt]"][0]' out
ok 'one session is a usage error' exits 2 "$TFPROF" diff --db a.db $fast
ok 'as are two formats' exits 2 "$TFPROF" diff --db a.db --json --md $fast $slow
ok 'and a top that is none' exits 2 "$TFPROF" diff --db a.db --top x $fast $slow
ok 'nothing by that name is no data' exits 3 "$TFPROF" diff --db a.db $fast run:nothing
ok 'nor is a broken report' exits 3 sh -c 'echo "{" >bad.json; "$TFPROF" diff --db a.db "$1" bad.json' sh $fast
ok 'what is no store is a store error' exits 4 sh -c 'echo x >bad.db; "$TFPROF" diff --db bad.db latest latest~1'
ok 'a full disk is a system error' exits 4 sh -c '"$TFPROF" diff --db a.db "$1" "$2" >/dev/full' sh $fast $slow
mkdir -p esc && cp "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb "esc/$(printf 'a\033[31m').xplane.pb"
ok 'no escape sequence reaches a terminal' sh -c '"$TFPROF" diff "$1" "$2" >o && ! grep -q "$(printf "\033")" o' sh esc "$logs/tf_leak"
done_testing
