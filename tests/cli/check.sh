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
ok 'even where a limit seems broken' exits 5 "$TFPROF" check --min steps.steady_count=20 cut.xplane.pb
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
ok 'nor a number alone' exits 2 "$TFPROF" check --db a.db --baseline fast.json --max-regress step_time_ms.mean=5 $fast
ok 'a share over 1 is no limit' exits 2 "$TFPROF" check --db a.db --max input.share=20 $slow
ok 'which asks for percent' says "'20%'"
ok 'an allowance needs a baseline' exits 2 "$TFPROF" check --db a.db --max-regress step_time_ms.mean=5% $fast
ok 'steps to need are counted' exits 2 "$TFPROF" check --db a.db --min-steps -3 --max step_time_ms.mean=1s $fast
ok 'two documents do not fit one stream' exits 2 "$TFPROF" check --db a.db --json --junit - --max step_time_ms.mean=1s $fast
ok 'one baseline at a time' exits 2 "$TFPROF" check --db a.db --baseline fast.json --baseline fast.json $fast
ok 'a mapping must be known' exits 2 "$TFPROF" check --db a.db --inconclusive maybe --max step_time_ms.mean=1s $fast
ok 'usage outweighs a missing store' exits 2 "$TFPROF" check --db none.db --max step_time_ms.maen=1 $fast
ok 'a missing store is no data' exits 3 "$TFPROF" check --db none.db --max step_time_ms.mean=1s $fast
echo 'no store' >bad.db
echo '{' >bad.json
ok 'a store that is none outweighs a missing baseline' exits 4 "$TFPROF" check --db bad.db --baseline bad.json --max step_time_ms.mean=1s $fast
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
valid_xml() { python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$1"; }
attribute() { python3 -c 'import sys, xml.etree.ElementTree as e; print(e.parse(sys.argv[1]).getroot().get(sys.argv[2]))' "$1" "$2"; }
ok 'a tag of any bytes is inconclusive' exits 5 "$TFPROF" check --db a.db --junit tag.xml \
	--max "$(printf 'scalar[<&"\033\377\357\277\277].last=1')" $fast
ok 'and its JUnit is XML' valid_xml tag.xml
ok 'an inconclusive check is an error' prints 1 attribute tag.xml errors
ok 'which a warning lets through' exits 0 "$TFPROF" check --db a.db --inconclusive warn --junit warn.xml --max device.idle_ratio.mean=1 $fast
ok 'with a word' says 'inconclusive'
ok 'and as skipped in JUnit' prints 1 attribute warn.xml skipped
ok 'and no error there' prints 0 attribute warn.xml errors
ok 'no escape sequence reaches a terminal' exits 5 "$TFPROF" check --db a.db --max "$(printf 'scalar[\033[31m].last=1')" $fast
ok 'in the text' sh -c '! grep -q "$(printf "\033")" out'
ok 'a full disk is a system error' exits 4 sh -c '"$TFPROF" check --db a.db --max step_time_ms.mean=1s "$1" >/dev/full' sh $fast
echo '{' >bad.json
ok 'a broken baseline is bad data' exits 3 "$TFPROF" check --db a.db --baseline bad.json $fast
ok 'a baseline can be a session' exits 1 "$TFPROF" check --db a.db --baseline $fast $slow
ok 'or a capture' exits 1 "$TFPROF" check --db a.db --baseline "$logs/keras3_fast_input" $slow
for same in "latest latest" "$slow keras3_slow_input/train" "$logs/tf_leak $logs/tf_leak/"
do
	ok "a session is no baseline of itself: $same" exits 2 "$TFPROF" check --db a.db --baseline ${same#* } ${same% *}
	[ "$same" != "latest latest" ] || ok 'which is said' says 'is the session itself'
done
cp a.db kept.db
ok 'a store is not overwritten' exits 2 "$TFPROF" check --db a.db --max step_time_ms.mean=1s --junit a.db $fast
ok 'not a byte of it' cmp a.db kept.db
sed 's/"metrics":{/"metrics":{"step_time_ms.mean":1e300,/' fast.json >twice.json
ok 'a baseline that says a metric twice is bad data' exits 3 "$TFPROF" check --db a.db --baseline twice.json $fast
sed 's/"step_time_ms.mean":[0-9.]*/"step_time_ms.mean":null/' fast.json >hole.json
ok 'a baseline without the figure is inconclusive' exits 5 "$TFPROF" check --db a.db --baseline hole.json $fast
ok 'a step time of noise is no regression' exits 0 "$TFPROF" check --db a.db --json --baseline fast.json $fast
ok 'which p tells' prints True json 'd["checks"][0]["p_adjusted"] > 0.4 and d["checks"][0]["shift"] == 0' out
ok 'and bytes have none' prints None json '[c["p_value"] for c in d["checks"] if c["metric"] == "memory.peak_bytes"][0]' out
"$TFPROF" check --db a.db --json --baseline fast.json $slow >by_file.json
"$TFPROF" check --db a.db --json --baseline $fast $slow >by_session.json
ok 'a report tells the steps as the session does' prints True python3 -c '
import json; a, b = (json.load(open(f))["checks"] for f in ("by_file.json", "by_session.json"))
print(all(x[k] == y[k] for x, y in zip(a, b) for k in ("p_value", "p_adjusted", "shift", "ci_low", "ci_high")) and a[0]["p_value"] < 0.001)'
ok 'the same each time' sh -c '"$TFPROF" check --db a.db --json --baseline fast.json "$1" | cmp - by_file.json' sh $slow
"$TFPROF" report --db a.db --json --steps 20:24 -o few.json $fast
ok 'a report of some steps has allowances alone' exits 1 "$TFPROF" check --db a.db --json --baseline few.json $slow
ok 'and no p' prints None json 'd["checks"][0]["p_value"]' out
ok 'an effect of 90 % is shown by steps that take 150 % longer' exits 1 "$TFPROF" check --db a.db --min-effect 90% --baseline fast.json $slow
ok 'a level of 1 is none' exits 2 "$TFPROF" check --db a.db --alpha 1 --baseline fast.json $fast
ok 'nor is 0' exits 2 "$TFPROF" check --db a.db --alpha 0 --baseline fast.json $fast
ok 'nor NaN' exits 2 "$TFPROF" check --db a.db --alpha nan --baseline fast.json $fast
ok 'nor is an effect negative' exits 2 "$TFPROF" check --db a.db --min-effect=-1% --baseline fast.json $fast
sed 's/"metrics":{/"metrics":[],"x":{/' fast.json >list.json
ok 'nor is one without metrics a baseline' exits 3 "$TFPROF" check --db a.db --baseline list.json $fast
sed 's/"framework":[^,]*/"framework":"other"/' fast.json >other.json
ok 'another framework is inconclusive' exits 5 "$TFPROF" check --db a.db --json --baseline other.json $fast
ok 'which is the reason' prints environment_differs json 'd["checks"][0]["reason"]' out
ok 'unless it is allowed' exits 0 "$TFPROF" check --db a.db --allow-env --baseline other.json $fast
sed 's/"source":"[a-z_]*"/"source":"inferred"/' fast.json >inferred.json
ok 'inferred steps are inconclusive' exits 5 "$TFPROF" check --db a.db --baseline inferred.json $fast
ok 'unless they are accepted' exits 0 "$TFPROF" check --db a.db --accept-inferred --baseline inferred.json $fast
ok 'a run without a profile has scalars to check' exits 0 "$TFPROF" check --db a.db --max 'scalar[loss].last=10' memory_jump
ok 'but no step' exits 5 "$TFPROF" check --db a.db --max step_time_ms.mean=1s memory_jump
"$TFPROF" report --db a.db --json --section metrics -o section.json $fast
ok 'a baseline that does not tell what marked its steps' exits 5 "$TFPROF" check --db a.db --json --baseline section.json $fast
ok 'may have inferred ones' prints inferred_steps json 'd["checks"][0]["reason"]' out
hosts=hosts/plugins/profile/s
mkdir -p $hosts && cp "$logs"/keras3_fast_input/train/plugins/profile/*/vm.xplane.pb $hosts/h1.xplane.pb
cp "$logs"/tf_custom_loop/slow/plugins/profile/*/vm.xplane.pb $hosts/h2.xplane.pb
ok 'of two hosts the slower one counts' exits 1 "$TFPROF" check --max step_time_ms.mean=12ms hosts
ok 'where one has too few steps, the slowest is not known' exits 5 "$TFPROF" check --min-steps 15 --json --max step_time_ms.mean=12ms hosts
ok 'and that is why' prints too_few_steps json 'd["checks"][0]["reason"]' out
ok 'the other can be judged alone' exits 0 "$TFPROF" check --min-steps 15 --max step_time_ms.mean@h1=12ms hosts
cp "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb $hosts/h2.xplane.pb
ok 'where the input of one host is unknown' exits 5 "$TFPROF" check --json --max input.exposed_share=0.9 hosts
ok 'that of the session is' prints no_input_events json 'd["checks"][0]["reason"]' out
ok 'not that of the other host' exits 0 "$TFPROF" check --max input.exposed_share@h1=0.9 hosts
mkdir diverged && PYTHONDONTWRITEBYTECODE=1 python3 - "$SRC/tests" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
from event_file import write
write('diverged/events.out.tfevents.1.h', b'loss', ((1, 0, 0.5), (2, 1, 0.4), (3, 2, float('inf')), (4, 3, float('nan'))))
P
ok 'the maximum of a loss that diverged' exits 5 "$TFPROF" check --json --max 'scalar[loss].max=1' diverged
ok 'says nothing' prints nonfinite json 'd["checks"][0]["reason"]' out
sed 's/"input.exposed_share":[0-9.e-]*/"input.exposed_share":7/' fast.json >seven.json
ok 'a share over 1 is no baseline' exits 5 "$TFPROF" check --db a.db --baseline seven.json --max-regress input.exposed_share=+0.05 $fast
"$TFPROF" report --db a.db --json -o scalars.json memory_jump
ok 'nothing to compare is inconclusive' exits 5 "$TFPROF" check --db a.db --json --baseline scalars.json memory_jump
ok 'and says so' prints nothing_compared json 'd["reason"]' out
ok 'the link beside the program is the same' exits 0 "$(dirname "$TFPROF")/tfprof-check" --db a.db --max step_time_ms.mean=1s $fast
done_testing
