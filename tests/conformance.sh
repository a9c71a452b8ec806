#!/bin/sh
# conformance.sh - the referees, for the inputs that this version loads: event files and captures. Trace JSON, memory
# JSON and the result files of old TensorFlow are recognised only, so their figures are left out, as are two rows that
# XProf attributes to an op and we keep apart.
set -u
program=${1:-build/tfprof}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
python3 ../shared/tools/conformance.py --tfprof "$program" >"$out"
tail -1 "$out"
bad=$(grep '^FAIL' "$out" | grep -vE \
	-e '^FAIL expected/(sidecar|trace_json)/' \
	-e '^FAIL expected/fixtures/([tm][0-9]+b?|tree\.(mem|tr))[._a-z]*json' \
	-e 'jax08_gemm.json: kernels\[6: __amd_rocclr_copyBuffer')
[ -z "$bad" ] && exit 0
printf '%s\n' "$bad"
exit 1
