#!/bin/sh
# conformance.sh - every referee figure of ../shared/expected; prints what disagrees and the total.
set -u
out=$(mktemp)
trap 'rm -f "$out"' EXIT
python3 ../shared/tools/conformance.py --tfprof "${1:-build/tfprof}" >"$out"
grep '^FAIL' "$out"
tail -1 "$out"
tail -1 "$out" | grep -q ' 0 failed$'
