#!/bin/sh
# The cookbook: every named query against plain Python on real captures and on ones with several GPUs; none reads all events.
. "$SRC/tests/lib.sh"

PYTHONDONTWRITEBYTECODE=1 python3 - "$SRC/tests/differential" <<'P'
import os, sys
sys.path.insert(0, sys.argv[1])
from capture import random_capture
os.makedirs('gpu')
for seed in range(1, 9):
    with open('gpu/s%02d.xplane.pb' % seed, 'wb') as f: f.write(random_capture(seed).encode())
P
# A scalar that becomes NaN: TFRecord framing over Event{wall_time, step, summary{value{tag, simple_value}}}.
python3 - <<'P'
import struct
table = []
for i in range(256):
    for _ in range(8): i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
    table.append(i)
def masked(data):
    crc = 0xffffffff
    for b in data: crc = table[(crc ^ b) & 255] ^ crc >> 8
    crc ^= 0xffffffff
    return struct.pack('<I', ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)
def record(data):
    head = struct.pack('<Q', len(data))
    return head + masked(head) + data + masked(data)
def scalar(step, value):
    v = b'\x0a\x04loss\x15' + struct.pack('<f', value)
    return b'\x09' + struct.pack('<d', 1000.0 + step) + b'\x10' + bytes([step]) + b'\x2a' + bytes([len(v) + 2]) + b'\x0a' + bytes([len(v)]) + v
with open('gpu/events.out.tfevents.1.h', 'wb') as f:
    f.write(record(b'\x09' + struct.pack('<d', 1000.0) + b'\x1a\x0dbrain.Event:2'))
    for step, value in ((1, 2.5), (2, 1.5), (3, float('nan')), (4, float('inf'))): f.write(record(scalar(step, value)))
P
ok 'captures go in' exits 0 "$TFPROF" ingest --db a.db "$logs" gpu
id() { sql a.db "SELECT session_id FROM session JOIN run USING (run_id) WHERE run.name = '$1'"; }
ok 'every query gives what Python finds' python3 "$SRC/tests/sql/cookbook.py" "$TFPROF" a.db \
	$(id keras3_fast_input/train) $(id keras3_slow_input/train) $(id tf_leak) $(id jax_4cpu) $(sql a.db "SELECT session_id FROM device JOIN host USING (host_id) GROUP BY 1 ORDER BY count(*) DESC LIMIT 2")
cp log rows
ok 'each but those that no capture here has rows for' grep -qE 'without rows here:( eager-ops)?( starved-buffers)?$' rows

q() { "$TFPROF" query --db a.db "$@"; }
mkdir mine more
printf -- '-- Steps\n-- :session = latest -- selector\nSELECT count(*) AS n FROM step WHERE session_id = :session;\n' >mine/steps-of.sql
printf -- '-- Another\nSELECT 1 AS mine\n' >mine/slow-steps.sql
printf -- '-- Later\nSELECT 2 AS more\n' >more/slow-steps.sql
printf 'SELECT 1\n' >mine/untitled.sql
TFPROF_QUERY_PATH=mine:more; export TFPROF_QUERY_PATH
ok 'a query of the user runs' prints '{"n":10}' q --format jsonl --param session=run:tf_leak @steps-of
ok 'the first folder comes first, and before the program' prints '{"mine":1}' q --format jsonl @slow-steps
ok 'the list tells the folder' sh -c '"$TFPROF" query --list --format csv | grep -q "^steps-of,Steps,session=latest,mine"'
ok 'one without a title is refused' exits 2 q @untitled
ok 'with what is missing' says 'has no title'
ok 'no other file is reached' exits 2 q @../mine/steps-of
unset TFPROF_QUERY_PATH
ok 'an unknown query is usage' exits 2 q @slow-stesp
ok 'with the nearest' says "did you mean '@slow-steps'"
ok 'an unknown session is no data' exits 3 q --param session=nowhere @slow-steps
ok 'an unknown parameter is usage' exits 2 q --param many=3 @slow-steps
ok 'a text is shown' sh -c '"$TFPROF" query --show @slow-steps | cmp - "$SRC/schemas/queries/slow-steps.sql"'
done_testing
