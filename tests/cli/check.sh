#!/bin/sh
# check: the story of a CI job, and every exit status.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs"
"$TFPROF" report --db a.db --json -o fast.json run:keras3_fast_input/train
slow=run:keras3_slow_input/train fast=run:keras3_fast_input/train

ok 'a session passes against itself' exits 0 "$TFPROF" check --db a.db --baseline fast.json $fast
ok 'the slow capture fails against the fast one' exits 1 "$TFPROF" check --db a.db --json --baseline fast.json $slow
ok 'naming input' prints fail json '[c["verdict"] for c in d["checks"] if c["metric"] == "input.exposed_share"][0]' out
ok 'and the step time' prints fail json '[c["verdict"] for c in d["checks"] if c["metric"] == "step_time_ms.mean"][0]' out
ok 'what is null on both sides is skipped' prints skipped json \
	'[c["verdict"] for c in d["checks"] if c["metric"] == "device.idle_ratio.mean"][0]' out
ok 'the schema is named' prints tfprof.check/1 json 'd["schema"]' out

capture=$(ls "$logs"/keras3_slow_input/train/plugins/profile/*/vm.xplane.pb)
head -c 300000 "$capture" >cut.xplane.pb
ok 'a truncated capture is inconclusive' exits 5 "$TFPROF" check --max step_time_ms.mean=1s cut.xplane.pb
ok 'which can be mapped to a pass' exits 0 "$TFPROF" check --inconclusive pass --max step_time_ms.mean=1s cut.xplane.pb
ok 'or a failure' exits 1 "$TFPROF" check --inconclusive fail --max step_time_ms.mean=1s cut.xplane.pb
: >empty.xplane.pb
ok 'an empty one is no data' exits 3 "$TFPROF" check --max step_time_ms.mean=1s empty.xplane.pb

ok 'a typo is a usage error' exits 2 "$TFPROF" check --db a.db --max step_time_ms.maen=1 $fast
ok 'with the nearest name' says "'step_time_ms.mean'"
ok 'nothing to check is a usage error' exits 2 "$TFPROF" check --db a.db $fast
ok 'NaN is no limit' exits 2 "$TFPROF" check --db a.db --max step_time_ms.mean=nan $fast
ok 'nor is text behind a number' exits 2 "$TFPROF" check --db a.db --max 'step_time_ms.mean=5%x' $fast
ok 'nor a negative allowance' exits 2 "$TFPROF" check --db a.db --baseline fast.json --max-regress step_time_ms.mean=-5% $fast
ok 'a gate on loss needs a direction' exits 2 "$TFPROF" check --db a.db --baseline fast.json --max-regress 'scalar[epoch_loss].last=5%' $fast
ok 'and takes one' exits 0 "$TFPROF" check --db a.db --baseline fast.json --max-regress 'scalar[epoch_loss].last:up=5%' $fast

# The step takes 11.693367 ms.
ok 'below the limit passes' exits 0 "$TFPROF" check --db a.db --max step_time_ms.mean=11.7ms $fast
ok 'above it fails' exits 1 "$TFPROF" check --db a.db --max step_time_ms.mean=11.6ms $fast
ok 'below a minimum fails' exits 1 "$TFPROF" check --db a.db --min steps.steady_count=22 $fast
ok 'units are understood' exits 0 "$TFPROF" check --db a.db --max memory.peak_bytes=30MiB --max input.share=5% $fast
ok 'a figure that is unknown never passes' exits 5 "$TFPROF" check --db a.db --max device.idle_ratio.mean=0.9 $fast
ok 'too few steps are inconclusive' exits 5 "$TFPROF" check --db a.db --min-steps 50 --max step_time_ms.mean=1s $fast
ok 'a failure outweighs doubt' exits 1 "$TFPROF" check --db a.db --max device.idle_ratio.mean=0.9 --max step_time_ms.mean=1ms $fast

ok 'JUnit is written' exits 1 "$TFPROF" check --db a.db --baseline fast.json --junit j.xml $slow
ok 'and is XML with the failures counted' prints 2 python3 -c '
import xml.etree.ElementTree as e; print(e.parse("j.xml").getroot().get("failures"))'
echo '{' >bad.json
ok 'a broken baseline is bad data' exits 3 "$TFPROF" check --db a.db --baseline bad.json $fast
ok 'a baseline can be a session' exits 1 "$TFPROF" check --db a.db --baseline $fast $slow
ok 'or a capture' exits 1 "$TFPROF" check --db a.db --baseline "$logs/keras3_fast_input" $slow
sed 's/"step_time_ms.mean":[0-9.]*/"step_time_ms.mean":null/' fast.json >hole.json
ok 'a baseline without the figure is inconclusive' exits 5 "$TFPROF" check --db a.db --baseline hole.json $fast
ok 'the link beside the program is the same' exits 0 "$(dirname "$TFPROF")/tfprof-check" --db a.db --max step_time_ms.mean=1s $fast
done_testing
