#!/bin/sh
# Times of an op's executions, buffers of input stages and offsets of hosts, each computed again in Python from the rows that they
# are made of.
. "$SRC/tests/lib.sh"

mkdir -p two/plugins/profile/s
PYTHONDONTWRITEBYTECODE=1 python3 - "$SRC/tests/differential" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
from capture import data, number, text
# Four steps, 10 ms apart, on two hosts; the second's begin 3 ms later, the last one much later.
for host, late_us in ('a', [0, 0, 0, 0]), ('b', [3000, 3000, 3000, 9000]):
    events = b''.join(data(4, number(1, 1) + number(2, (10000 * i + us) * 10**6) + number(3, 8000 * 10**6)
                           + data(4, number(1, 1) + number(4, 7 + i))) for i, us in enumerate(late_us))
    plane = (text(2, '/host:CPU') + data(3, number(1, 1) + text(2, 'main') + events)
             + data(4, number(1, 1) + data(2, number(1, 1) + text(2, 'train')))
             + data(5, number(1, 1) + data(2, number(1, 1) + text(2, 'step_num'))))
    open('two/plugins/profile/s/%s.xplane.pb' % host, 'wb').write(data(1, plane))
P
"$TFPROF" ingest --db two.db two
ok 'steps of the second host begin 3 ms later' prints '0 3000000000' sql two.db \
	"SELECT group_concat(start_offset_ps, ' ') FROM (SELECT * FROM host ORDER BY name)"
"$TFPROF" report --db two.db --json >two.json
ok 'the report says the same' prints '[0.0, 3.0]' json '[float(h["start_offset_ms"]) for h in d["hosts"]]' two.json
ok 'the text too' sh -c '"$TFPROF" report --db two.db | grep -E "^  b  +8.000  +3.000$" >&2'

"$TFPROF" ingest --db a.db "$logs"
# recomputed NAME CODE : CODE prints what differs, and sets n to the number of rows that it compared
recomputed()
{
	ok "$1" python3 - "$2" <<'P'
import sqlite3, sys
from collections import defaultdict
from fractions import Fraction

db = sqlite3.connect('a.db')
db.row_factory = sqlite3.Row

def percentile(sorted_list, percent):
    rank = Fraction(percent, 100) * (len(sorted_list) - 1)
    low = int(rank)
    if rank == low:
        return sorted_list[low]
    return int(sorted_list[low] + (rank - low) * (sorted_list[low + 1] - sorted_list[low]))

n = 0
bad = []
exec(sys.argv[1])
for line in bad[:5]:
    print('#', line)
print('#', n, 'rows')
sys.exit(bool(bad) or n < 50)
P
}

recomputed 'the times of an op are those of its events' '
events = defaultdict(list)
for e in db.execute("SELECT l.host_id, e.name, e.dur_ps, e.start_ps FROM event e JOIN line l USING (line_id) WHERE NOT e.absurd AND l.device_id IS NULL"):
    events[e["host_id"], e["name"]].append((e["dur_ps"], -e["start_ps"]))
for o in db.execute("SELECT * FROM op WHERE side = \"host\" AND name <> \"IDLE\""):
    found = events.get((o["host_id"], o["name"] + ":" + o["type"])) or (events.get((o["host_id"], o["name"])) if o["name"].startswith("Iterator::") else None)
    if not found or len(found) != o["count"]:
        continue
    n += 1
    times = sorted(d for d, _ in found)
    want = (percentile(times, 50), percentile(times, 99), times[-1], -max(found)[1])
    got = (o["p50_ps"], o["p99_ps"], o["max_ps"], o["max_start_ps"])
    if want != got:
        bad.append((o["name"], want, got))
'
recomputed 'a long tail is where they say' '
tails = set((t["host_id"], t["side"], t["name"], t["excess_ps"]) for t in db.execute("SELECT * FROM long_tail_op"))
for o in db.execute("SELECT * FROM op WHERE name <> \"IDLE\""):
    n += 1
    excess = o["total_ps"] - o["count"] * o["p50_ps"]
    want = o["count"] >= 20 and o["p99_ps"] // 3 > o["p50_ps"] and excess > 0
    if want != ((o["host_id"], o["side"], o["name"], excess) in tails):
        bad.append((o["name"], want))
'
recomputed 'the worst execution lies in its step' '
for o in db.execute("SELECT o.*, s.host_id AS step_host FROM op o JOIN step s ON s.step_id = o.max_step_id"):
    n += 1
    if o["step_host"] != o["host_id"]:
        bad.append(o["name"])
'

"$TFPROF" query --db a.db --format csv "SELECT sum(buffered_elements IS NOT NULL), sum(parallelism IS NOT NULL) FROM input_stage" >told
ok 'buffers and parallelism are recorded here' sh -c 'tail -1 told | tr -d "\r" | grep -qE "^[1-9][0-9]*,[1-9]"'
ok 'a buffer is the mean of its calls' prints '' sql a.db "
	WITH told AS (
		SELECT l.host_id, e.name, avg(CAST(b.value AS REAL)) AS buffered, sum(CAST(b.value AS INTEGER) = 0) AS empty
		FROM event e JOIN line l USING (line_id) JOIN event_arg b ON b.event_id = e.event_id AND b.name = 'buffered_elements'
		GROUP BY 1, 2)
	SELECT i.long_name, i.buffered_elements, t.buffered FROM input_stage i LEFT JOIN told t ON t.host_id = i.host_id AND t.name = i.long_name
	WHERE (SELECT count(DISTINCT pipeline) FROM input_stage p WHERE p.host_id = i.host_id AND p.long_name = i.long_name) = 1
		AND (i.buffered_elements IS NOT t.buffered OR i.empty_calls IS NOT t.empty)"
ok 'what is told is in the report' prints True json 'any(g["buffer_limit"] == 1024 and g["buffered_elements"] == 1023 for g in d["input"]["stages"])' \
	"$(cd . && "$TFPROF" report --json "$logs/keras3_slow_input" >slow.json; echo slow.json)"
ok 'so are the long tails' prints True json 'd["long_tail_ops"][0]["name"] == "PyFunc" and d["long_tail_ops"][0]["count"] == 670' slow.json
done_testing
