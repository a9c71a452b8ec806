#!/bin/sh
# Every JSON document validates against its schema, for captures with and without devices and for damage.
. "$SRC/tests/lib.sh"

valid() { python3 "$SRC/tests/validate.py" "$SRC/schemas/$1.schema.json" "$2"; }
"$TFPROF" ingest --db a.db --json "$logs" >ledger.json
ok 'the ledger' valid ingest ledger.json
"$TFPROF" ingest --db a.db --json "$logs" >again.json
ok 'the ledger of a second time' valid ingest again.json
for run in keras3_slow_input/train tf_leak jax_4cpu tf_mirrored_2cpu memory_jump tf_custom_loop/fast
do
	"$TFPROF" report --db a.db --json "run:$run" >r.json
	ok "the report of $run" valid report r.json
	"$TFPROF" report --db a.db --json --top 3 --steps 1:2 "run:$run" >r.json
	ok "the same cut short" valid report r.json
done
"$TFPROF" report --db a.db --json -o b.json run:tf_leak
"$TFPROF" check --db a.db --json --baseline b.json --max 'device.idle_ratio.mean=1' run:tf_leak >c.json
ok 'a check' valid check c.json
"$TFPROF" inspect --json "$logs" >i.json
ok 'an inspection' valid inspect i.json
head -c 20000 "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb >cut.xplane.pb
"$TFPROF" report --json cut.xplane.pb >r.json
ok 'the report of a cut capture' valid report r.json
"$TFPROF" ingest --db cut.db --json cut.xplane.pb >l.json 2>/dev/null
ok 'its ledger' valid ingest l.json
done_testing
