#!/bin/sh
# scalars: the seed's story, selection, forms, and figures against an independent computation.
. "$SRC/tests/lib.sh"
"$TFPROF" ingest --db a.db "$logs" 2>/dev/null

ok 'memory that jumps and then creeps' exits 0 "$TFPROF" scalars --db a.db --json --tag 'memory/current*' run:memory_jump
cp out jump.json
ok 'jumps at its step' prints 150 json 'd["tags"][0]["jumps"][0]["step"]' jump.json
ok 'once' prints 1 json 'd["tags"][0]["jump_count"]' jump.json
ok 'from where it was' prints True json 'abs(d["tags"][0]["jumps"][0]["before"] - 4.1) < 0.02' jump.json
ok 'to where it went' prints True json 'abs(d["tags"][0]["jumps"][0]["after"] - 7.85) < 0.05' jump.json
ok 'and rises from there' prints 'up 150' json 'd["tags"][0]["trend"] + " " + str(d["tags"][0]["slope_from_step"])' jump.json
ok 'by what leaks' prints True json 'abs(d["tags"][0]["slope_per_step"] - 0.002) < 0.0001' jump.json
ok 'the text says so' exits 0 "$TFPROF" scalars --db a.db run:memory_jump
ok 'with the step' grep -q 'jumps from 4.1.* to 7.8.* at step 150' out
ok 'within 100 columns' sh -c '! grep -q ".\{101\}" out'
ok 'the document is valid' python3 "$SRC/tests/validate.py" "$SRC/schemas/scalars.schema.json" jump.json
"$TFPROF" scalars --db a.db --json --points >all.json
ok 'so is that of all runs with their points' python3 "$SRC/tests/validate.py" "$SRC/schemas/scalars.schema.json" all.json
ok 'a path gives the same' exits 0 "$TFPROF" scalars --json --points "$logs"
ok 'byte for byte' cmp out all.json
ok 'every point is there' prints "$(sql a.db 'SELECT count(*) FROM scalar WHERE superseded = 0')" json 'sum(len(t["points"]) for t in d["tags"])' all.json

cat >independent.py <<'P'
# Range, Theil–Sen slope and Mann–Kendall verdict of each tag, straight from the points.
import json, math, sys
bad = n = 0
for t in json.load(open('all.json'))['tags']:
    p = [(s, float(v)) for s, w, v in t['points']]
    f = [(s, v) for s, v in p if math.isfinite(v)]
    since = [(s, v) for s, v in f if s >= (t['slope_from_step'] or 0)]
    slopes = sorted((b - a) / (j - i) for x, (i, a) in enumerate(since) for j, b in since[x + 1:])
    slope = None if not slopes else (slopes[(len(slopes) - 1) // 2] + slopes[len(slopes) // 2]) / 2
    k = len(since)
    s = sum((b > a) - (b < a) for x, (i, a) in enumerate(since) for j, b in since[x + 1:])
    ties = [sum(1 for _, w in since if w == v) for v in set(v for _, v in since)]
    var = (k * (k - 1) * (2 * k + 5) - sum(c * (c - 1) * (2 * c + 5) for c in ties)) / 18
    trend = None
    if k >= 10 and s and math.erfc((abs(s) - 1) / math.sqrt(var) / math.sqrt(2)) < 0.01: trend = 'up' if s > 0 else 'down'
    want = {'count': len(p), 'min': min(v for _, v in f), 'max': max(v for _, v in f), 'mean': sum(v for _, v in f) / len(f),
            'first_step': p[0][0], 'last_step': p[-1][0], 'slope_per_step': slope, 'trend': trend}
    for key, v in want.items():
        same = t[key] == v or (isinstance(v, float) and t[key] is not None and math.isclose(t[key], v, rel_tol=1e-12, abs_tol=1e-15))
        n += 1
        if not same: bad += 1; print(t['run'], t['tag'], key, t[key], v)
print(n, 'figures', bad, 'differ')
sys.exit(bad or n < 100)
P
ok 'figures agree with an independent computation' python3 independent.py

mkdir dup && PYTHONDONTWRITEBYTECODE=1 python3 - "$SRC/tests" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
from event_file import write
write('dup/events.out.tfevents.1.h', b'x\x1b[31m,=1', ((1, 0, 5), (2, 1, 10), (3, 1, 20), (4, 1, 60), (5, 2, float('nan')), (6, 3, float('inf'))))
P
for want in last:60 first:10 mean:30
do ok "the ${want%:*} write of a step" prints "${want#*:}" sh -c '"$TFPROF" scalars --json --points --dup $1 dup | python3 -c "import json, sys; print(json.load(sys.stdin)[\"tags\"][0][\"points\"][1][2])"' - "${want%:*}"
done
ok 'or all of them' prints 6 sh -c '"$TFPROF" scalars --json --dup all dup | python3 -c "import json, sys; print(json.load(sys.stdin)[\"tags\"][0][\"count\"])"'
"$TFPROF" scalars --json --points dup >dup.json
ok 'what is not finite is said in words' prints "['NaN', 'Infinity']" json '[p[2] for p in d["tags"][0]["points"][2:]]' dup.json
ok 'and counted, as are replaced points' prints '[2, 2]' json '[d["tags"][0][k] for k in ("nonfinite", "superseded")]' dup.json
ok 'CSV has a row a tag' exits 0 "$TFPROF" scalars --csv dup
ok 'that other programs read' prints '1 18' python3 -c 'import csv; r = list(csv.reader(open("out", newline=""))); print(len(r) - 1, len(r[1]))'
ok 'or a row a point' exits 0 "$TFPROF" scalars --csv --points dup
ok 'with its value' grep -q ',3,6[.0]*,Infinity' out
ok 'no escape sequence reaches a terminal' sh -c '! "$TFPROF" scalars dup | grep -q "$(printf "\033")"'
ok 'a store is not overwritten' exits 2 "$TFPROF" scalars --db a.db -o a.db
ok 'no such tag is no data' exits 3 "$TFPROF" scalars --db a.db --tag nothing
ok 'no such run either' exits 3 "$TFPROF" scalars --db a.db run:nothing
ok 'nor a capture without scalars' exits 3 "$TFPROF" scalars "$logs/tf_leak"
ok 'an unknown way to merge is a usage error' exits 2 "$TFPROF" scalars --db a.db --dup best
ok 'so are two forms at once' exits 2 "$TFPROF" scalars --db a.db --json --csv
ok 'a full disk is a system error' exits 4 sh -c '"$TFPROF" scalars --db a.db >/dev/full'
ok 'scalars stand beside the steps of the profile' prints '21' \
	sql a.db "SELECT count(*) FROM scalar_at_step WHERE run = 'keras3_fast_input/train' AND tag = 'batch_loss'"
ok 'of their number' prints 0 sql a.db 'SELECT count(*) FROM scalar_at_step a JOIN step s USING (step_id) WHERE a.step <> s.number OR a.step_ps <> s.step_ps'
done_testing
