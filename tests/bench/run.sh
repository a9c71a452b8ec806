#!/bin/sh
# run.sh - the bench: a large capture against a bare SQLite insert of as many rows, measured beside it.
set -u
capture=$(ls "$SRC"/../shared/data/own/keras3_big/train/plugins/profile/*/vm.xplane.pb.gz 2>/dev/null)
[ -n "$capture" ] || { echo 'bench: skipped, the large capture of ../shared is not here'; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gunzip -c "$capture" >"$work/vm.xplane.pb"
exec python3 "$SRC/tests/bench/measure.py" "$work" "$TFPROF" "$O/bench/bare_insert" "$O/bench/event_file"
