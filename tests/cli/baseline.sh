#!/bin/sh
# baseline: what may become one, how it is found and replaced.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs"
slow=run:keras3_slow_input/train fast=run:keras3_fast_input/train
baseline() { verb=$1; shift; "$TFPROF" baseline "$verb" --db a.db "$@"; }
check() { "$TFPROF" check --db a.db "$@"; }

ok 'a session is saved' exits 0 baseline save --name main --now 2026-03-01 $fast
ok 'without a word' test ! -s out -a ! -s err
ok 'the same session passes' exits 0 check --json --baseline main $fast
ok 'as against its report' prints True python3 -c '
import json, subprocess, sys
named = json.load(open("out"))
subprocess.run([sys.argv[1], "report", "--db", "a.db", "--json", "-o", "fast.json", sys.argv[2]], check=True)
by_file = json.loads(subprocess.run([sys.argv[1], "check", "--db", "a.db", "--json", "--baseline", "fast.json", sys.argv[2]],
	stdout=subprocess.PIPE).stdout)
print(named["checks"] == by_file["checks"] and named["baseline"] == by_file["baseline"])' "$TFPROF" $fast
ok 'a slower one fails' exits 1 check --baseline main $slow
ok 'baseline:NAME is the same' exits 1 check --baseline baseline:main $slow
ok 'run:NAME is a session' exits 3 check --baseline run:main $slow
ok 'a name that nothing has is no data' exits 3 check --baseline none $slow
ok 'nor has baseline:NAME' exits 3 check --baseline baseline:none $slow
ok 'which names it' says "no baseline 'none'"

ok 'a second one of the name is refused' exits 2 baseline save --name main $slow
ok 'with the way' says "promote --name main --reason"
ok 'which needs a reason' exits 2 baseline promote --name main $slow
ok 'in words' exits 2 baseline promote --name main --reason ' ' $slow
ok 'and a baseline to replace' exits 2 baseline promote --name other --reason x $slow
ok 'then it replaces' exits 0 baseline promote --name main --reason 'the new input' --now 2026-03-02 $slow
ok 'and counts' exits 0 check --baseline main $slow
ok 'the history is kept' exits 0 baseline show main --json
ok 'with days and reasons' prints "[('2026-03-01', None, 1), ('2026-03-02', 'the new input', 0)]" json \
	'[(r["saved_on"], r["reason"], r["superseded"]) for r in d]' out
ok 'the list has what counts' prints 1 sh -c '"$TFPROF" baseline list --db a.db --json | grep -c saved_on'
ok 'as has SQL' prints 'main|0|keras3_slow_input/train/2026_12_01_03_03_50' sql a.db \
	'SELECT name, superseded, session FROM baseline WHERE superseded = 0'
ok 'show of a name that nothing has' exits 3 baseline show none

capture=$(ls "$logs"/keras3_slow_input/train/plugins/profile/*/vm.xplane.pb)
head -c 300000 "$capture" >cut.xplane.pb
ok 'a cut capture is refused' exits 5 baseline save --name cut cut.xplane.pb
ok 'as incomplete' says incomplete
ok 'even with a reason' exits 5 baseline promote --name main --reason hurry cut.xplane.pb
ok 'so are too few steps' exits 5 baseline save --name few --min-steps 99 $fast
ok 'one that breaks a limit fails' exits 1 baseline save --name b --max step_time_ms.mean=1ms $fast
ok 'which it names' says 'step_time_ms.mean: limit_broken'
echo '{"limits": {"step_time_ms.mean": {"max": "1ms", "max_regress": "1%"}}}' >c.json
ok 'the configuration has limits too' exits 1 baseline save --name b --config c.json $fast
ok 'nothing of all that was saved' prints main sql a.db 'SELECT group_concat(DISTINCT name) FROM baseline'
ok 'a baseline without a name is usage' exits 2 baseline save $fast
ok 'so is an unknown verb' exits 2 baseline sav --name b $fast
ok 'and no verb' exits 2 "$TFPROF" baseline --db a.db

# Environments: what no capture tells is said.
ok 'a fact has a key and a value' exits 2 baseline save --name batch --env 64 $fast
ok 'without spaces' exits 2 baseline save --name batch --env 'batch=6 4' $fast
ok 'one for a batch of 64' exits 0 baseline save --name batch --env batch=64 --env driver=550 $fast
ok 'and one for 32' exits 0 baseline save --name batch --env driver=550 --env batch=32 $slow
ok 'each is found, facts in any order' exits 0 check --baseline batch --env batch=32 --env driver=550 $slow
ok 'by its batch' exits 1 check --baseline batch --env batch=64 --env driver=550 $slow
ok 'another batch cannot be compared' exits 5 check --json --baseline batch --env batch=128 --env driver=550 $slow
ok 'which is why' prints environment_differs json 'd["checks"][0]["reason"]' out
ok 'unless it is allowed' exits 0 check --allow-env --baseline batch --env batch=128 --env driver=550 $slow
ok 'the key names hosts, devices and program' prints 'hosts=1 devices=none framework=tensorflow batch=32 driver=550' sql a.db \
	"SELECT environment FROM baseline WHERE name = 'batch' AND environment LIKE '%=32%'"
ok 'another program cannot be compared either' exits 5 check --baseline main "$logs/jax_4cpu" --max-regress memory.peak_bytes=5%
ok 'one is removed' exits 0 baseline rm --name batch --environment 'hosts=1 devices=none framework=tensorflow batch=32 driver=550'
ok 'the other stays' prints 1 sql a.db "SELECT count(*) FROM baseline WHERE name = 'batch'"
ok 'all of a name go, with their history' exits 0 baseline rm main
ok 'none is left' prints '0|0' sql a.db "SELECT count(*), (SELECT count(*) FROM _baseline_run r WHERE NOT EXISTS
	(SELECT 1 FROM _baseline b WHERE b.baseline_id = r.baseline_id)) FROM baseline WHERE name = 'main'"
ok 'what is not there cannot go' exits 3 baseline rm main

# Runs: three captures of the same size.
mkdir runs && for i in 1 2 3 4
do mkdir -p runs/r$i/plugins/profile/s && cp "$logs"/keras3_fast_input/train/plugins/profile/*/vm.xplane.pb runs/r$i/plugins/profile/s/
done
"$TFPROF" ingest --db runs.db runs
ok 'several sessions are runs of one baseline' exits 0 "$TFPROF" baseline save --db runs.db --name main r1 r2 r3
ok 'which are compared as such' exits 0 "$TFPROF" check --db runs.db --json --baseline main r4
ok 'three against one' prints '1 3' json '"%d %d" % (d["runs"], d["baseline_runs"])' out
ok 'whose steps are no samples' prints '1 3' json '"%d %d" % (d["checks"][0]["n"], d["checks"][0]["n_baseline"])' out
ok 'a run counts once' exits 2 "$TFPROF" baseline save --db runs.db --name twice r1 r1
"$TFPROF" ingest --db runs.db "$logs/keras3_slow_input" --run slow
ok 'a slower run fails against all three' exits 1 "$TFPROF" check --db runs.db --baseline main run:slow/train
ok 'files are runs as well' exits 1 "$TFPROF" check --db runs.db --baseline r1 --baseline r2 --baseline fast.json run:slow/train

# The baseline outlives its session and a second ingest.
rm -r runs/r1 && "$TFPROF" ingest --db runs.db runs
ok 'the store grows by nothing else' exits 0 "$TFPROF" check --db runs.db --baseline main r4
ok 'a store is made for one' exits 0 "$TFPROF" baseline save --db new.db --name main "$logs/keras3_fast_input"
ok 'and holds it' exits 0 "$TFPROF" check --db new.db --baseline main "$logs/keras3_fast_input"
ok 'doctor finds it sound' exits 0 "$TFPROF" doctor --db new.db

"$TFPROF" report --db a.db --json -o fast2.json $fast
ok 'a report is judged as its session is' exits 1 check --baseline fast.json --max step_time_ms.mean=1ms fast2.json
# Allowances from repeats.
ok 'repeats are calibrated' exits 0 "$TFPROF" check calibrate --db a.db $fast $slow run:tf_custom_loop/fast --max-regress step_time_ms.mean=1%
ok 'into a configuration' python3 "$SRC/tests/validate.py" "$SRC/schemas/config.schema.json" out
cp out calibrated.json
ok 'with which they pass' exits 0 "$TFPROF" check --db a.db --config calibrated.json --baseline $fast $slow
ok 'two are too few' exits 2 "$TFPROF" check calibrate --db a.db $fast $slow
ok 'one that has too few steps is no repeat' exits 5 "$TFPROF" check calibrate --db a.db --min-steps 99 $fast $slow run:tf_custom_loop/fast
ok 'nor is another machine one' exits 5 "$TFPROF" check calibrate --db a.db $fast $slow run:jax_4cpu

# A store that may not be written to: asked as another user, where that is possible.
mkdir ro && cp new.db ro/s.db && chmod 555 ro && chmod 444 ro/s.db && chmod 755 .
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --clear-groups "$@"; else "$@"; fi; }
cp "$TFPROF" own && cp fast.json ro.json
if as ./own schema >/dev/null 2>&1
then
	ok 'check reads it' exits 0 as ./own check --db ro/s.db --baseline main ro.json
	ok 'save says that it cannot write' exits 4 as ./own baseline save --db ro/s.db --name other "$logs/keras3_fast_input"
	ok 'to which store' says "'"
else
	skip 'a store that may not be written to' 'no other user'
fi
done_testing
