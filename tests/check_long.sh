#!/bin/sh
# check_long.sh - the statistics of the gate and change points at length, its documents against their schemas, event files beside
# TensorBoard, then every capture and hand-made input of ../shared under the sanitizers, and all referee figures.
set -u
prove -e '' tests/scipy/run.sh || exit 1
prove -v -e '' tests/ruptures/run.sh || exit 1
prove -e '' tests/formats/run.sh || exit 1
prove -v -e '' tests/differential/tensorboard/run.sh || exit 1
PAIRS=1000 prove -v -e '' "$O/unit/gate_noise_test" || exit 1
[ -d ../shared/data ] || { echo 'check-long: ../shared is not here, nothing to do'; exit 0; }
make -j2 O=build/san SANITIZE=address,undefined >/dev/null || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/fixtures"
(cd "$work/fixtures" && sh "$SRC/../shared/fixtures/mkall.sh")
bad=0
for path in ../shared/data/own ../shared/data/public "$work/fixtures"
do
	build/san/tfprof ingest --db "$work/long.db" --json "$path" >"$work/ledger.json" 2>"$work/err"
	status=$?
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["totals"])' "$work/ledger.json" || bad=1
	grep -E 'ERROR: |runtime error' "$work/err" && bad=1
	case $status in 0 | 3) ;; *) echo "ingest $path: status $status"; cat "$work/err"; bad=1 ;; esac
done
find ../shared/data "$work/fixtures" -type f | while read -r f
do
	build/san/tfprof report --json "$f" >"$work/out" 2>"$work/err"
	status=$?
	case $status in 0 | 3) ;; *) echo "report $f: status $status"; touch "$work/failed" ;; esac
	if [ $status -eq 0 ]; then python3 -c 'import json, sys; json.load(sys.stdin)' <"$work/out" || touch "$work/failed"; fi
	if grep -E 'ERROR: |runtime error' "$work/err"; then touch "$work/failed"; fi
done
[ -e "$work/failed" ] && bad=1
python3 ../shared/tools/conformance.py --tfprof build/tfprof | tail -1
exit $bad
