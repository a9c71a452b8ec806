#!/bin/sh
# live event files: written to while they are read, ended within a record, grown, restarted in a second file.
. "$SRC/tests/lib.sh"

# The version record (40 bytes) and five scalars `loss` of 42 bytes each, of steps 0 to 4.
PYTHONDONTWRITEBYTECODE=1 python3 - >whole <<'P'
import struct, sys
def crc(data):
    c = 0xffffffff
    for byte in data:
        c ^= byte
        for _ in range(8):
            c = c >> 1 ^ (0x82f63b78 if c & 1 else 0)
    c ^= 0xffffffff
    return struct.pack('<I', ((c >> 15 | c << 17) + 0xa282ead8) & 0xffffffff)
def record(data):
    head = struct.pack('<Q', len(data))
    return head + crc(head) + data + crc(data)
out = record(b'\x09' + struct.pack('<d', 1000) + b'\x1a\x0dbrain.Event:2')
for i in range(5):
    out += record(b'\x09' + struct.pack('<d', 1001 + i) + b'\x10' + bytes([i]) + b'\x2a\x0d\x0a\x0b\x0a\x04loss\x15' + struct.pack('<f', i / 4))
sys.stdout.buffer.write(out)
P
ok 'five scalars lie behind the version' prints 250 sh -c 'wc -c <whole | tr -d " "'
mkdir run
live=run/events.out.tfevents.1000.live
ingest() { "$TFPROF" ingest --db a.db "$@" run; }
points() { sql a.db 'SELECT group_concat(step) FROM (SELECT step FROM scalar WHERE superseded = 0 ORDER BY step)'; }

head -c 220 whole >"$live" # 12 bytes of the record at 208
ok 'a file whose last record is not all there goes in' exits 0 ingest --json
ok 'which is not called damage' says '1 file ends within a record, the rest of which is not there yet'
ok 'nor anything else' sh -c 'test "$(wc -l <err)" -eq 1'
ok 'with all that is there' prints 0,1,2,3 points
ok 'nothing of it is lost' prints "(0, 0, 'partial_record', 208)" \
	json '(lambda f: (f["skipped_records"], f["skipped_bytes"], f["tail_state"], f["first_bad_offset"]))(d["files"][0])' out
ok 'the rest is pending' prints "truncated: the last record is not all there yet: 12 bytes are pending" \
	json '(lambda i: i["code"] + ": " + i["message"])(d["files"][0]["issues"][0])' out
ok 'it does not pass where all must be there' exits 3 "$TFPROF" ingest --strict --db strict.db run
ok 'nor at the gate' exits 5 "$TFPROF" check --db a.db run:. --max 'scalar[loss].last=9'
ok 'unchanged it is not read again' exits 0 ingest --json
ok 'as is told' prints unchanged json 'd["files"][0]["state"]' out

# Whatever the place where a writer stands, the next ingest has what a reading of the whole file would have.
for size in 0 1 39 40 41 51 52 53 81 82 207 208 209 249 250
do
	head -c "$size" whole >"$live"
	want=$(python3 -c 'import sys; print(",".join(map(str, range(max(0, (int(sys.argv[1]) - 40) // 42)))))' "$size")
	ok "of $size bytes whole records count" sh -c '"$1" ingest --db a.db run 2>/dev/null; test $? -eq 0 -o "$2" -lt 40' - "$TFPROF" "$size"
	ok "and no other" prints "$want" points
done
ok 'at its end it is clean' prints 'clean|0|0' sql a.db "SELECT tail_state, skipped_records, (SELECT count(*) FROM ingest_issue) FROM source_file"
ok 'and passes' exits 0 "$TFPROF" check --db a.db run:. --max 'scalar[loss].last=9'
ok 'all of it' exits 0 ingest --strict

# Damage before a partial end stays damage.
python3 -c 'import sys; b = bytearray(open("whole", "rb").read()); b[100] ^= 1; sys.stdout.buffer.write(b[:220])' >"$live"
ok 'a bad record before a partial one' exits 0 ingest
ok 'is lost, alone' says '1 file is damaged or unreadable, 1 records and 42 bytes lost'
done_testing
