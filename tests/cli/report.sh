#!/bin/sh
# report: figures of the captures in testdata, from the store and straight from a path.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs"
# figure RUN EXPRESSION WANT : by way of the store and directly
figure()
{
	"$TFPROF" report --db a.db --json "run:$1" >stored.json
	"$TFPROF" report --json "$logs/$1/plugins" >direct.json
	ok "$1: $2, from the store" prints "$3" json "$2" stored.json
	ok "$1: $2, directly" prints "$3" json "$2" direct.json
}
# The figures are those of the referees: XProf on the same captures where it finds steps, else worked out from their bytes.
figure keras3_slow_input/train 'd["metrics"]["steps.count"]' 21
figure keras3_slow_input/train 'round(d["metrics"]["step_time_ms.mean"], 9)' 29.286037857
figure keras3_slow_input/train 'round(d["metrics"]["input.share"], 12)' 0.578179439465
figure keras3_slow_input/train 'd["metrics"]["iterator_get_next.count"]' 21
figure keras3_slow_input/train 'd["metrics"]["memory.peak_bytes[mklcpu]"]' 33554432
figure keras3_slow_input/train 'd["input"]["verdict"]' high
figure keras3_fast_input/train 'round(d["metrics"]["step_time_ms.mean"], 9)' 11.693367238
figure keras3_fast_input/train 'd["metrics"]["memory.peak_bytes"]' 30990336
figure tf_custom_loop/slow 'round(d["metrics"]["input.share"], 12)' 0.944899755337
figure tf_leak 'round(d["metrics"]["step_time_ms.mean"], 9)' 2.3488359
figure tf_leak '[m["bytes"] for m in d["memory"][0]["at_peak"] if m["op"] == "dense_1/Relu"]' '[11010048]'
figure tf_leak 'any(g["op"] == "dense_1/Relu" for g in d["memory"][0]["growth"])' True
figure tf_leak 'd["reasons"]["input.share"]' no_input_events
figure jax_4cpu 'd["metrics"]["steps.steady_count"]' 9
figure tf_mirrored_2cpu 'd["metrics"]["iterator_get_next.count"]' 16

for run in keras3_slow_input/train tf_leak jax_4cpu
do
	"$TFPROF" report --db a.db --json "run:$run" >r.json
	ok "$run: each breakdown adds up to its step" prints True json \
		'all(abs(sum(s["breakdown_ms"].values()) - s["step_time_ms"]) < 1e-9 for s in d["steps"]["list"])' r.json
	ok "$run: the rows at the peak add up to it" prints True json \
		'all(sum(t["bytes"] for t in m["at_peak"]) == m["peak_bytes"] for m in d["memory"])' r.json
	ok "$run: every null has a reason" prints True json \
		'all((v is None) == (k in d["reasons"]) for k, v in d["metrics"].items())' r.json
done

"$TFPROF" report --db a.db --json run:tf_leak >one; "$TFPROF" report --db a.db --json run:tf_leak >two
ok 'the same question gives the same bytes' cmp one two
ok 'a run without a profile can be reported' exits 0 "$TFPROF" report --db a.db --json run:memory_jump
ok 'with its scalars' prints 7.85 json 'round(d["metrics"]["scalar[memory/current_gb].max"], 2) >= 7.85 and 7.85' out
ok 'and no session' prints None json 'd["session"]' out
ok 'sections can be chosen' exits 0 "$TFPROF" report --db a.db --json --section memory,ops run:tf_leak
ok 'and only they are there' prints "['memory', 'ops']" json \
	'[k for k in d if k in ("metrics", "steps", "devices", "input", "memory", "ops", "kernels")]' out
ok 'lists can be cut' exits 0 "$TFPROF" report --db a.db --json --top 2 run:tf_leak
ok 'and it is said' prints 2 json 'd["truncation"]["ops"]["returned"]' out
ok 'steps can be chosen' exits 0 "$TFPROF" report --db a.db --json --steps 3:5 run:tf_leak
ok 'by number' prints '[3, 4, 5]' json '[s["number"] for s in d["steps"]["list"]]' out
ok 'the newest session is the default' exits 0 "$TFPROF" report --db a.db --json
ok 'by its start' prints tf_mirrored_2cpu json 'd["session"]["run"]' out
ok 'latest~1 is the one before' exits 0 "$TFPROF" report --db a.db --json latest~1
ok 'as started' prints tf_leak json 'd["session"]["run"]' out
ok 'the text begins with the verdict' sh -c '"$TFPROF" report --db a.db run:keras3_slow_input/train | head -1 | grep -q "Highly input-bound"'
ok 'no line of the text is wider than 100 columns' sh -c '! "$TFPROF" report --db a.db run:tf_leak | grep -E "^.{101}"'
ok 'a step event can be nominated' exits 0 "$TFPROF" report --json --step-event '^ThreadpoolListener::Record$' "$logs/tf_leak"
mkdir again && cp -r "$logs"/tf_leak again/ && "$TFPROF" ingest --db again.db again
cp out path.json
ok 'a session of a store is read again for it' exits 0 "$TFPROF" report --db again.db --json --step-event '^ThreadpoolListener::Record$' run:tf_leak
ok 'with the same steps' prints "$(json 'd["steps"]' path.json)" json 'd["steps"]' out
ok 'and its own name' prints tf_leak json 'd["session"]["run"]' out
touch again/tf_leak/plugins/profile/*/vm.xplane.pb
ok 'from files that are no more what was read it is not' exits 3 "$TFPROF" report --db again.db --step-event x run:tf_leak
ok 'and they are named' says vm.xplane.pb
ok 'a range of steps goes upwards' exits 2 "$TFPROF" report --db a.db --steps 5:1 run:tf_leak
cp a.db kept.db
ok 'a store is not overwritten' exits 2 "$TFPROF" report --db a.db -o a.db
ok 'not a byte of it' cmp a.db kept.db
ok 'an unknown selector is no data' exits 3 "$TFPROF" report --db a.db nothing
ok 'a missing store too' exits 3 "$TFPROF" report --db none.db
ok 'an unknown section is usage' exits 2 "$TFPROF" report --db a.db --section stpes
: >empty.xplane.pb
ok 'an empty capture is no data' exits 3 "$TFPROF" report empty.xplane.pb
ok 'a full disk is a system error' exits 4 sh -c '"$TFPROF" report --json --db a.db >/dev/full'
ok 'which is said once' test "$(grep -c . err)" = 1
ok 'a limit on the size of files is one too' exits 4 sh -c 'ulimit -f 1; "$TFPROF" report --json --db a.db -o big.json'
mkdir ro && cp a.db ro/ && chmod 555 ro
ok 'a store in a read-only folder is read' exits 0 "$TFPROF" report --db ro/a.db
done_testing
