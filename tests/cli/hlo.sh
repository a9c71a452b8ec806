#!/bin/sh
# XLA programs: in a capture's /host:metadata and as files of their own; the memory that they plan.
. "$SRC/tests/lib.sh"
capture=$(ls "$logs"/jax_4cpu/plugins/profile/*/vm.xplane.pb)

# The programs of the capture as XProf writes them beside it: NAME.hlo_proto.pb.
mkdir -p session/plugins/profile/s bare
PYTHONDONTWRITEBYTECODE=1 python3 - "$capture" <<'P'
import sys
def fields(b):
    i = 0
    def varint():
        nonlocal i
        shift = value = 0
        while True:
            c = b[i]; i += 1
            value |= (c & 127) << shift; shift += 7
            if c < 128: return value
    while i < len(b):
        key = varint(); number, kind = key >> 3, key & 7
        if kind == 0: yield number, varint()
        elif kind == 2:
            n = varint(); yield number, b[i:i + n]; i += n
        else: i += 8 if kind == 1 else 4
for number, plane in fields(open(sys.argv[1], 'rb').read()):
    plane = list(fields(plane))
    if number != 1 or (2, b'/host:metadata') not in plane: continue
    for n, entry in plane:
        if n != 4: continue
        meta = list(fields(dict(fields(entry))[2]))
        name = dict(meta)[2].decode()
        for k, stat in meta:
            if k == 5 and 6 in dict(fields(stat)):
                for folder in 'session/plugins/profile/s', 'bare':
                    open('%s/%s.hlo_proto.pb' % (folder, name), 'wb').write(dict(fields(stat))[6])
P
modules='SELECT name, peak_bytes, always_bytes, heap_bytes, allocated_bytes FROM hlo_module ORDER BY name'

"$TFPROF" ingest --db capture.db "$capture"
# Peaks: what XProf 2.24's memory viewer says of these programs, in MiB times 2^20.
ok 'a capture has its programs' prints "$(printf 'jit_broadcast_in_dim(2)|524292\njit_broadcast_in_dim(4)|32772\njit_convert_element_type(0)|8')" \
	sql capture.db "SELECT name, peak_bytes FROM hlo_module WHERE name NOT LIKE 'jit_train_step%' ORDER BY name"
ok 'temporaries come and go in order' prints 589828 sql capture.db "SELECT heap_bytes FROM hlo_module WHERE name = 'jit_train_step(6)'"
ok 'files of their own say the same' exits 0 "$TFPROF" ingest --strict --db files.db session
ok 'in all figures' prints "$(sql capture.db "$modules")" sql files.db "$modules"
ok 'they are one session' prints 's|4' sql files.db 'SELECT s.name, count(*) FROM hlo_module JOIN session s USING (session_id) GROUP BY 1'
ok 'that has no host' prints 0 sql files.db 'SELECT count(*) FROM host'
ok 'so are those of any folder' exits 0 "$TFPROF" ingest --db bare.db bare
ok 'by its name' prints 'bare|4' sql bare.db 'SELECT s.name, count(*) FROM hlo_module JOIN session s USING (session_id) GROUP BY 1'
cp "$capture" session/plugins/profile/s
ok 'beside the capture' exits 0 "$TFPROF" ingest --db files.db session
ok 'each program counts once' prints 4 sql files.db 'SELECT count(*) FROM hlo_module'
ok 'and its buffers too' prints "$(sql capture.db 'SELECT count(*), sum(bytes) FROM hlo_buffer')" sql files.db 'SELECT count(*), sum(bytes) FROM hlo_buffer'
ok 'what lives at the peak sums to it' prints '' sql files.db 'SELECT m.name FROM hlo_module m JOIN hlo_buffer b USING (module_id)
	WHERE b.live_at_peak GROUP BY m.module_id HAVING sum(b.bytes) <> m.peak_bytes'
ok 'a peak is no more than what is reserved' prints '' sql files.db 'SELECT name FROM hlo_module WHERE peak_bytes > allocated_bytes'
rm session/plugins/profile/s/jit_train*
ok 'rows of a vanished file stay' exits 0 "$TFPROF" ingest --db files.db session
ok 'as they were' prints 4 sql files.db 'SELECT count(*) FROM hlo_module'

ok 'the report has them' exits 0 "$TFPROF" report --json "$capture"
cp out r.json
ok 'to its schema' python3 "$SRC/tests/validate.py" "$SRC/schemas/report.schema.json" r.json
ok 'the largest first' prints 'jit_train_step(6)' json 'd["hlo_modules"][0]["name"]' r.json
ok 'with what lives at the peak' prints True json 'all(sum(b["bytes"] for b in m["at_peak"]) == m["peak_bytes"] for m in d["hlo_modules"])' r.json
ok 'as text' sh -c '"$TFPROF" report "$1" | grep -q "512.00 KiB  parameter     f32\[256,512\]"' - "$capture"
ok 'of programs alone' sh -c '"$TFPROF" report bare | head -1 | grep -q "programs of XLA, no capture"'
ok 'which cannot pass a gate' exits 5 "$TFPROF" check --max step_time_ms.mean=1s bare

ok 'inspect lists them' exits 0 "$TFPROF" inspect --json "$capture"
cp out i.json
ok 'to its schema' python3 "$SRC/tests/validate.py" "$SRC/schemas/inspect.schema.json" i.json
ok 'with instructions and peak' prints "('jit_broadcast_in_dim(2)', 524292)" json '[(p["name"], p["peak_bytes"]) for p in d["files"][0]["programs"] if "(2)" in p["name"]][0]' i.json
ok 'as text' sh -c '"$TFPROF" inspect bare/*2*.pb | grep -q "program jit_broadcast_in_dim(2): [0-9]* instructions, plans 524292 bytes"'

head -c 3000 bare/jit_train_step*.pb >cut.hlo_proto.pb
ok 'a cut program is said' exits 3 "$TFPROF" ingest --db cut.db cut.hlo_proto.pb
ok 'to be named as one' prints 1 sql cut.db "SELECT count(*) FROM ingest_issue WHERE message LIKE 'named like hlo_proto%'"

public="$SRC/../shared/data/public/AMD-AGI+TraceLens/tests/traces/mi300/jax_conv_minimal"
if [ -d "$public" ]
then
	"$TFPROF" ingest --db public.db "$public"
	# XProf 2.24: peak 1104.492188, indefinite 552.246094 MiB.
	ok 'a convolution on MI300X' prints '1158144000|579072000' sql public.db \
		"SELECT peak_bytes, always_bytes FROM hlo_module WHERE name = 'jit_forward_3d_conv(15)'"
else
	skip 'a convolution on MI300X' 'no ../shared here'
fi
done_testing
