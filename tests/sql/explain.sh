#!/bin/sh
# explain: every metric of every session is recomputed by its SQL, on real captures and on one with several GPUs.
. "$SRC/tests/lib.sh"

PYTHONDONTWRITEBYTECODE=1 python3 - "$SRC/tests/differential" <<'P'
import os, sys
sys.path.insert(0, sys.argv[1])
from capture import random_capture
os.makedirs('gpu')
os.makedirs('gpu/hosts/plugins/profile/s')
for seed in range(1, 46):
    c = random_capture(seed)
    name = 's%02d.xplane.pb' if seed < 40 else 'hosts/plugins/profile/s/h%02d.xplane.pb'
    with open('gpu/' + name % seed, 'wb') as f: f.write(c.encode())
P
cp "$logs"/keras3_fast_input/train/plugins/profile/*/vm.xplane.pb gpu/hosts/plugins/profile/s/keras.xplane.pb
ok 'captures go in' exits 0 "$TFPROF" ingest --db a.db "$logs" gpu
cat >all.py <<'P'
import json, math, sqlite3, subprocess, sys
program, limit = sys.argv[1], int(sys.argv[2])
db = sqlite3.connect('a.db')
sessions = db.execute("SELECT session_id, r.name || '/' || s.name FROM session s JOIN run r USING (run_id) ORDER BY 1").fetchall()
n = bad = 0
seen, unseen = set(), set()
for i, (key, name) in enumerate(sessions):
    rows = db.execute("SELECT name || coalesce('@' || host, ''), value, reason FROM metric WHERE session_id = ?", (key,)).fetchall()
    for metric, value, reason in rows:
        family = metric.split('[')[0] + ('@' + metric.split('@')[1] if '@' in metric else '')
        # each metric in a few sessions, known and unknown
        if (family, value is None, i % limit) in seen: continue
        seen.add((family, value is None, i % limit))
        out = subprocess.run([program, 'explain', '--db', 'a.db', '--json', metric, str(key)], capture_output=True)
        n += 1
        d = json.loads(out.stdout) if out.returncode == 0 else {'recomputed': out.stderr, 'value': None}
        got = d['recomputed']
        fine = d['value'] == value and (got is None if value is None else isinstance(got, (int, float)) and math.isclose(got, value, rel_tol=1e-9, abs_tol=1e-12))
        if value is not None: unseen.discard(family)
        if not fine:
            bad += 1
            print('%s of %s: %r (%r) recorded, %r recomputed' % (metric, name, value, reason, got))
print('%d recomputed, %d differ' % (n, bad))
sys.exit(bad != 0 or n < 300 or not any('@h4' in f[0] for f in seen) or not any('@keras' in f[0] for f in seen))
P
ok 'every metric is recomputed' python3 all.py "$TFPROF" 6
ok 'text names the value' sh -c '"$TFPROF" explain --db a.db step_time_ms.mean run:tf_leak | grep -q "^step_time_ms.mean = 2.3488359 ms (n = 10)$"'
ok 'and the rows' sh -c '"$TFPROF" explain --db a.db --top 3 step_time_ms.max run:tf_leak | tail -3 | head -1 | grep -q 2.79'
ok 'scalars are explained too' prints True sh -c '"$TFPROF" explain --db a.db --json "scalar[epoch_loss].last" run:keras3_slow_input/train |
	python3 -c "import json, sys; d = json.load(sys.stdin); print(d[\"value\"] == d[\"recomputed\"] is not None)"'
"$TFPROF" explain --db a.db --json input.share >e.json
ok 'the document is valid' python3 "$SRC/tests/validate.py" "$SRC/schemas/explain.schema.json" e.json
ok 'an unknown metric is a usage error' exits 2 "$TFPROF" explain --db a.db step_time.mean
ok 'with the nearest name' says step_time_ms.mean
ok 'an unknown session is none' exits 3 "$TFPROF" explain --db a.db steps.count nowhere
done_testing
