#!/bin/sh
# The gate in the life of a project: a scratch git repository with tfprof.json, a store that CI keeps, and one job after the other.
. "$SRC/tests/lib.sh"

if ! command -v git >/dev/null
then
	skip 'the story' 'no git'
	done_testing
fi
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
mkdir repo && cd repo && git init -q .
cat >tfprof.json <<'J'
{
  "schema": "tfprof.config/1",
  "baseline": "main",
  "limits": {
    "step_time_ms.mean": {"max_regress": "5%+0.1ms"},
    "input.exposed_share": {"max_regress": "+0.05"},
    "memory.peak_bytes[*]": {"max": "1GiB"}
  }
}
J
cat >train.sh <<'T'
# "Trains": leaves the capture of this code's input speed in logs/.
mkdir -p logs/train && cp -r "$CAPTURES/$(cat input)/train/." logs/train/
T
echo keras3_fast_input >input
printf 'logs/\nstore.db\nout\nerr\nlog\n' >.gitignore
git add . && git commit -qm 'a model'
export CAPTURES="$logs" TFPROF_DB=store.db
# job NAME : trains what is checked out, ingests it as NAME
job() { rm -rf logs && sh train.sh && "$TFPROF" ingest --run "$1" logs; }
gate() { "$TFPROF" check --now 2026-01-01 "$@"; }

ok 'the first job is ingested' exits 0 job job1
ok 'without a baseline it is no data' exits 3 gate run:job1/train
ok 'it becomes the baseline' exits 0 "$TFPROF" baseline save --name main run:job1/train

git checkout -qb docs && echo words >README && git add . && git commit -qm 'words'
ok 'the same code again is ingested' exits 0 job job2
ok 'and passes' exits 0 gate run:job2/train
ok 'with every check' prints 'pass pass pass pass:' sh -c 'echo $(sed "s/ .*//" out)'

git checkout -q -b augment && echo keras3_slow_input >input && git commit -qam 'augment in Python'
ok 'a slower input is ingested' exits 0 job job3
ok 'and fails' exits 1 gate run:job3/train
ok 'naming the step time' grep -q '^fail  *step_time_ms.mean: ' out
ok 'and the input pipeline' grep -q '^fail  *input.exposed_share: 0.57.*: regression' out
ok 'of which the report says the same' sh -c '"$TFPROF" report run:job3/train | grep -qi "input-bound"'
ok 'it cannot become the baseline unnoticed' exits 2 "$TFPROF" baseline save --name main run:job3/train
cat >tfprof.json <<'J'
{
  "baseline": "main",
  "limits": {
    "step_time_ms.mean": {"max_regress": "5%+0.1ms"},
    "input.exposed_share": {"max_regress": "+0.05"},
    "memory.peak_bytes[*]": {"max": "1GiB"}
  },
  "waivers": [{"metric": "*.*", "kind": "max_regress", "expires": "2026-01-31", "reason": "moves to C++ this month"}]
}
J
git commit -qam 'waive for a month'
ok 'a waiver lets it through' exits 0 gate run:job3/train
ok 'and is counted' grep -q '^waivers: 1 used' out
ok 'until it expires' exits 1 "$TFPROF" check --now 2026-02-01 run:job3/train
ok 'a promotion tells why' exits 0 "$TFPROF" baseline promote --name main --reason 'augmentation is worth it' run:job3/train
ok 'and then it passes' exits 0 "$TFPROF" check --now 2026-02-01 run:job3/train

capture=$(ls logs/train/plugins/profile/*/vm.xplane.pb)
head -c 300000 "$capture" >cut && mv cut "$capture"
"$TFPROF" ingest --run job4 logs 2>/dev/null
ok 'a truncated capture is inconclusive' exits 5 gate run:job4/train
ok 'and no baseline' exits 5 "$TFPROF" baseline promote --name main --reason hurry run:job4/train

git checkout -q docs && sed 's/step_time_ms.mean/step_time_ms.maen/' tfprof.json >typo && mv typo tfprof.json && git commit -qam 'a typo'
ok 'a typo is a usage error' exits 2 gate run:job2/train
ok 'with file, line and the nearest name' sh -c 'grep -q "tfprof.json:5: no metric .step_time_ms.maen" err && grep -q "step_time_ms.mean" err'
git checkout -q augment
ok 'a missing file is no data' exits 3 gate logs/none.xplane.pb
ok 'so is a run that never came' exits 3 gate run:job9/train
rm store.db-* 2>/dev/null
mkdir kept && mv store.db kept/ && chmod 444 kept/store.db && chmod 555 kept
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --clear-groups "$@"; else "$@"; fi; }
chmod 755 "$work" . && cp "$TFPROF" own
if as ./own schema >/dev/null 2>&1
then
	ok 'a store that may not be written to is read' exits 0 as ./own check --db kept/store.db --now 2026-01-01 run:job3/train
	ok 'it cannot take a baseline' exits 4 as ./own baseline promote --db kept/store.db --name main --reason x run:job3/train
	ok 'and says which store that is' says kept/store.db
else
	skip 'a store that may not be written to' 'no other user'
fi
done_testing
