#!/bin/sh
# What could not be read never passes a gate: the newest capture, one host's, records of an event file.
. "$SRC/tests/lib.sh"
capture=$(ls "$logs"/tf_leak/plugins/profile/*/vm.xplane.pb)
noise() { python3 -c 'import random, sys; random.seed(7); sys.stdout.buffer.write(bytes(random.randrange(256) for _ in range(int(sys.argv[1]))))' "$1"; }
old=logs/a/plugins/profile/2026_01_01_00_00_00 new=logs/b/plugins/profile/2026_01_02_00_00_00
mkdir -p $old $new
cp "$capture" $old
"$TFPROF" ingest --db a.db logs
"$TFPROF" report --db a.db --json -o base.json
ok 'a sound capture passes' exits 0 "$TFPROF" check --db a.db --baseline base.json
for how in empty noise
do
	if [ $how = empty ]; then : >$new/vm.xplane.pb; else noise 5000 >$new/vm.xplane.pb; fi
	ok "$how: a newest capture is loaded as far as it goes" exits 0 "$TFPROF" ingest --db a.db logs
	ok "$how: it is the session that is judged" exits 5 "$TFPROF" check --db a.db --json --baseline base.json
	ok "$how: by its name" prints b/2026_01_02_00_00_00 json 'd["session"]' out
	ok "$how: the one before can be asked for" exits 0 "$TFPROF" check --db a.db --baseline base.json latest~1
	ok "$how: the session is no whole one" prints '0|0' sql a.db "SELECT complete, (SELECT count(*) FROM host h WHERE h.session_id = s.session_id) FROM session s WHERE name = '2026_01_02_00_00_00'"
	ok "$how: and says what it lacks" sh -c '"$TFPROF" report --db a.db | grep -q "vm.xplane.pb"'
done
ok 'strictly it is a fault' sh -c '"$TFPROF" ingest --strict --db strict.db logs; test $? -eq 3'
cp "$capture" $new
ok 'once it can be read' exits 0 "$TFPROF" ingest --db a.db logs
ok 'it counts' exits 0 "$TFPROF" check --db a.db --baseline base.json
ok 'and nothing of the damage stays' prints '1|0' sql a.db "SELECT complete, (SELECT count(*) FROM ingest_issue) FROM session WHERE name = '2026_01_02_00_00_00'"

mkdir -p hosts/plugins/profile/s
cp "$capture" hosts/plugins/profile/s/h1.xplane.pb
ok 'one host alone passes' exits 0 "$TFPROF" check --max step_time_ms.mean=30ms hosts
for how in empty noise
do
	if [ $how = empty ]; then : >hosts/plugins/profile/s/h2.xplane.pb; else noise 9000 >hosts/plugins/profile/s/h2.xplane.pb; fi
	ok "$how: with another that is lost it does not" exits 5 "$TFPROF" check --json --max step_time_ms.mean=30ms hosts
	[ $how = empty ] || ok "$how: a line on stderr tells of it" says '1 file is damaged or unreadable'
	ok "$how: since the slowest host may be that one" prints incomplete json 'd["checks"][0]["reason"]' out
done

mkdir beside && cp "$capture" beside/vm.xplane.pb && noise 4000 >beside/vm.trace.json
ok 'a broken copy beside a sound capture takes nothing away' exits 0 "$TFPROF" check --max step_time_ms.mean=30ms beside
mkdir nothing && noise 900 >nothing/x.xplane.pb
ok 'of nothing but noise there is no report' exits 3 "$TFPROF" report nothing
ok 'and the file is named' says 'nothing/x.xplane.pb'

mkdir torn && python3 - "$logs"/keras3_fast_input/train/events.out.tfevents.* torn/events.out.tfevents.1.h <<'P'
import struct, sys
b = bytearray(open(sys.argv[1], 'rb').read())
at = records = 0
while at + 12 <= len(b):
    n = struct.unpack('<Q', b[at:at + 8])[0]
    records += 1
    if records > 100: b[at + 12 + n // 2] ^= 1  # every record from the 101st on
    at += 16 + n
open(sys.argv[2], 'wb').write(b)
P
ok 'scalars of whole event files pass' exits 0 "$TFPROF" check --max 'scalar[batch_loss].last=100' "$logs/keras3_fast_input"
ok 'those of one that lost records do not' exits 5 "$TFPROF" check --json --max 'scalar[batch_loss].last=100' torn
ok 'for this reason' prints damaged json 'd["checks"][0]["reason"]' out
ok 'nor from a store' sh -c '"$TFPROF" ingest --db torn.db torn; "$TFPROF" check --db torn.db --max "scalar[batch_loss].last=100"; test $? -eq 5'
done_testing
