#!/bin/sh
# The SQL functions, in `tfprof query` and as the extension in a stock sqlite3: values from Python, errors, limits.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs/tf_hparams"
cat >check.py <<'P'
import json, math, random, re, statistics, subprocess, sys
program, extension = sys.argv[1:3]
bad = n = 0

def tfprof(sql):
    p = subprocess.run([program, 'query', '--db', 'a.db', '--format', 'jsonl', '-f', '-'], input=sql, capture_output=True, text=True)
    return [list(json.loads(l).values()) for l in p.stdout.splitlines()] if p.returncode == 0 else 'error: ' + p.stderr.strip()

def stock(sql):
    p = subprocess.run(['sqlite3', '-json', '-cmd', '.load ' + extension, ':memory:', sql], capture_output=True, text=True)
    return [list(r.values()) for r in json.loads(p.stdout or '[]')] if p.returncode == 0 else 'error: ' + p.stderr.strip()

def same(a, b):
    if isinstance(a, list) and isinstance(b, list): return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)): return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)
    return a == b

def gives(sql, want):
    global bad, n
    for run in (tfprof, stock):
        n += 1
        got = run(sql)
        fine = got.startswith('error') and want in got if isinstance(want, str) and isinstance(got, str) else same(got, [want] if not want or not isinstance(want[0], list) else want)
        if not fine:
            bad += 1
            print(run.__name__, sql[:300], 'gave', got, 'not', want)

def table(rows): return '(VALUES ' + ','.join('(' + ','.join('NULL' if x is None else repr(x) for x in r) + ')' for r in rows) + ')'

rng = random.Random(1)
def quantile(v, q):
    v = sorted(v); at = q * (len(v) - 1); low = int(at)
    return v[low] + (v[min(low + 1, len(v) - 1)] - v[low]) * (at - low)
for size in (1, 2, 3, 10, 101):
    v = [rng.choice((rng.randint(-50, 50), rng.uniform(-1e3, 1e3))) for _ in range(size)]
    m = statistics.median(v)
    p = rng.uniform(0, 100)
    rows = table([[x] for x in v] + [[None]])
    gives('SELECT percentile(column1, %r), percentile(column1, 0), percentile(column1, 100), median(column1), mad(column1), stddev(column1) FROM %s' % (p, rows),
          [quantile(v, p / 100), min(v), max(v), m, statistics.median([abs(x - m) for x in v]), statistics.stdev(v) if size > 1 else None])
    # SciPy: median_abs_deviation([1, 2, 4]) = 1; NumPy: percentile([1, 2, 4], 25) = 1.5
gives('SELECT mad(column1), percentile(column1, 25) FROM (VALUES (1), (2), (4))', [1, 1.5])
gives('SELECT percentile(1, 50), median(1), mad(1), stddev(1), interval_union(1, 1), interval_intersection(1, 1, 1) WHERE 0', [None] * 6)
gives("SELECT median('5')", 'median: not a finite number')
gives('SELECT median(9e999)', 'median: not a finite number')
gives('SELECT stddev(x\'00\')', 'stddev: not a finite number')
gives('SELECT percentile(1, 101)', 'not within 0..100')
gives('SELECT percentile(1, NULL)', 'not a finite number')
gives('SELECT percentile(column1, column1) FROM (VALUES (1), (2))', 'differs from row to row')
gives('SELECT percentile(1)', 'wrong number of arguments')
gives('SELECT ms(1500000000), ms(NULL), ms(0), ms(-1e9)', [1.5, None, 0, -1])
gives("SELECT ms('1')", 'ms: not a finite number')
gives('SELECT bytes(0), bytes(1023), bytes(1024), bytes(1536), bytes(1048575), bytes(12884901888), bytes(-2048), bytes(NULL)',
      ['0 B', '1023 B', '1.0 KiB', '1.5 KiB', '1.0 MiB', '12.0 GiB', '-2.0 KiB', None])

# Intervals by counting unit cells.
for _ in range(60):
    rows = [(rng.randint(-20, 60), rng.choice((0, 1, 5, 30)), rng.choice('abc')) for _ in range(rng.randint(1, 12))]
    cells = {}
    for start, dur, who in rows:
        for c in range(start, start + dur): cells.setdefault(c, set()).add(who)
    gives('SELECT interval_union(column1, column2), interval_intersection(column1, column2, column3), interval_intersection(column1, column2, column3, 3), interval_intersection(column1, column2, column3, 1) FROM ' + table(rows),
          [len(cells)] + [sum(len(w) >= k for w in cells.values()) for k in (2, 3, 1)])
    other = [(rng.randint(-20, 60), rng.choice((0, 1, 5, 30))) for _ in range(rng.randint(0, 9))]
    pairs = sorted([max(a, c), min(a + b, c + d) - max(a, c), i, k] for i, (a, b, _) in enumerate(rows) for k, (c, d) in enumerate(other) if min(a + b, c + d) > max(a, c))
    sets = ['(SELECT intervals(column1, column2, column3) FROM %s)' % table([(a, b, i) for i, (a, b) in enumerate(s)]) if s else '(SELECT intervals(1, 1, 1) WHERE 0)' for s in ([r[:2] for r in rows], other)]
    got = tfprof('SELECT * FROM interval_intersect(%s, %s) ORDER BY 1, 2, 3, 4' % tuple(sets))
    n += 1
    if got != pairs: bad += 1; print('pairs', rows, other, got, pairs)
gives('SELECT interval_union(column1, column2) FROM (VALUES (0, 5), (NULL, 3), (3, NULL), (3, 4))', [7])
gives('SELECT interval_union(0, -1)', 'negative duration')
gives('SELECT interval_union(0.5, 1)', 'integers')
gives('SELECT interval_union(9223372036854775807, 1)', 'beyond 64 bits')
gives('SELECT interval_union(column1, column2) FROM (VALUES (-9223372036854775807, 9223372036854775807), (0, 9223372036854775807))', 'length beyond 64 bits')
gives('SELECT interval_intersection(0, 1, 1, 0)', 'not a positive integer')
gives('SELECT * FROM interval_intersect(x\'00\', NULL)', 'not a set made by intervals()')
gives("SELECT * FROM interval_intersect('a', NULL)", 'not a set made by intervals()')
gives('SELECT count(*) FROM interval_intersect(NULL, NULL)', [0])
gives('SELECT * FROM interval_intersect', 'two sets')
# A set that someone made up, in which an interval ends before it begins.
evil = b'tfprof\1\n' + (5).to_bytes(8, sys.byteorder) + (3).to_bytes(8, sys.byteorder) + bytes(8)
gives("SELECT * FROM interval_intersect(x'%s', NULL)" % evil.hex(), 'not a set made by intervals()')

gives("SELECT histogram_quantile('[[0,1,2],[1,3,2]]', 0.5), histogram_quantile('[[0,1,2],[1,3,2]]', 0.75), histogram_quantile('[[0,1,2],[1,3,2]]', 0), histogram_quantile('[[0,1,2],[1,3,2]]', 1)", [1, 2, 0, 3])
gives("SELECT histogram_quantile('[]', 0.5), histogram_quantile('[[0,1,0]]', 0.5), histogram_quantile(NULL, 0.5), histogram_quantile('[[0,1,1]]', NULL)", [None] * 4)
for text in ("'[[0,1]]'", "'[3]'", "'x'", "'[[0,1,-1]]'", "'[[0,\"a\",1]]'", '5.5'):
    gives('SELECT histogram_quantile(%s, 0.5)' % text, 'histogram_quantile: ')
gives("SELECT histogram_quantile('[[0,1,1]]', 1.5)", 'not within 0..1')

# Regular expressions against Python's, on small alphabets.
def pattern(depth):
    kind = rng.randint(0, 9 if depth else 3)
    if kind < 3: return rng.choice(['a', 'b', 'c', '.', '[ab]', '[^a]', '\\\\w', '\\\\d'][:6])
    if kind == 3: return rng.choice(['^', '$', '\\b', '\\w', '\\s', '[a-c_]', '\\D'])
    if kind < 6: return pattern(depth - 1) + pattern(depth - 1)
    if kind < 8: return '(' + pattern(depth - 1) + '|' + pattern(depth - 1) + ')'
    return '(' + pattern(depth - 1) + ')' + rng.choice(['*', '+', '?', '*?', '{2}', '{1,2}', '{2,}', '{0}'])
queries, want = [], []
for _ in range(3000):
    p, t = pattern(3), ''.join(rng.choice('abc 1_') for _ in range(rng.randint(0, 7)))
    queries.append("regexp('%s','%s')" % (p, t))
    want.append(int(re.search(p.replace('$', r'\Z'), t, re.ASCII | re.DOTALL) is not None))
for i in range(0, len(queries), 500):
    got = tfprof('SELECT json_array(' + ','.join('json_array(%s)' % ','.join(queries[k:k + 50]) for k in range(i, i + 500, 50)) + ')')
    flat = [x for l in json.loads(got[0][0]) for x in l] if isinstance(got, list) else got
    n += 1
    if flat != want[i:i + 500]:
        bad += 1
        print([(q, g, w) for q, g, w in zip(queries[i:], flat, want[i:i + 500]) if g != w][:5] if isinstance(flat, list) else flat)
    if i == 0: assert 0 < sum(want) < len(want)
gives("SELECT 'tätä' REGEXP '^t.t.$', 'x' REGEXP '[α-ω]', 'λ' REGEXP '[α-ω]', NULL REGEXP 'a', 'a' REGEXP NULL, 5 REGEXP '5', 'a.b' REGEXP 'a\\.b'", [1, 0, 1, None, None, 1, 1])
for p in ('(', ')', '[a', '*', 'a{300}', 'a{2,1}', '\\', '\\q', '[b-a]', '((((a{255}){255}){255}))', 'a' * 3000, '(' * 200 + ')' * 200):
    gives("SELECT 'a' REGEXP '%s'" % p, 'regexp: ')
gives("SELECT 'a' REGEXP x'61'", 'text')
# What makes backtracking matchers wait for ages.
gives("SELECT '%s' REGEXP '^(a|a)*(a*)*b$'" % ('a' * 2000), [0])
print(n, 'checks,', bad, 'differ')
sys.exit(bad > 0 or n < 250)
P
ok 'values and errors, in tfprof and in sqlite3' python3 check.py "$TFPROF" "$(dirname "$TFPROF")/tfprof_sql"
many='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 10000000)'
ok 'memory is limited' exits 2 "$TFPROF" query --db a.db "$many SELECT median(x) FROM c"
ok 'and that is said' says 'at most 64 MiB'
ok 'for intervals that do not touch too' exits 2 "$TFPROF" query --db a.db "$many SELECT interval_union(3 * x, 1) FROM c"
ok 'those that touch need none' prints '{"n":2000000}' "$TFPROF" query --db a.db --format jsonl \
	'WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c LIMIT 2000000) SELECT interval_union(x, 1) AS n FROM c'
ok 'the memory of a group comes back' prints '{"n":30}' "$TFPROF" query --db a.db --format jsonl \
	"SELECT count(*) AS n FROM (SELECT g, median(x) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3000000) SELECT x, x / 100001 AS g FROM c) GROUP BY g)"
ok 'a large value is refused' exits 2 "$TFPROF" query --db a.db 'SELECT length(zeroblob(1000000000))'
done_testing
