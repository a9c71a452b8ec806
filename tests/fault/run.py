#!/usr/bin/env python3
"""Makes calls of tfprof fail one at a time and looks at what becomes of it. Prints TAP.

run.py PROGRAM SHIM ROOT POINTS: POINTS calls of each kind, spread over the run, the first ones always; 0: the 1st, 2nd, 4th, 8th ….
After each fault: an honest status with a reason, a sound store, and a second ingest that ends with the rows of an undisturbed one.
"""
import gzip, os, shutil, sqlite3, subprocess, sys, tempfile

program, shim, root, points = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
work = tempfile.mkdtemp()
os.chdir(work)
tests = failed = faults = 0


def test(what, bad):
    global tests, failed
    tests += 1
    print(('not ok' if bad else 'ok'), tests, '-', what)
    for line in bad[:10]:
        print('#', line)
    failed += bool(bad)
    sys.stdout.flush()


def run(args, fault=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith('TFPROF')}
    if fault:
        env.update(LD_PRELOAD=shim, FAULT=fault, FAULT_HIT='hit')
    if os.path.exists('hit'):
        os.remove('hit')
    p = subprocess.run([program] + args, env=env, capture_output=True, timeout=120)
    return p.returncode, p.stdout, p.stderr.decode(errors='replace').strip()


def remove_store():
    for suffix in ('', '-wal', '-shm', '-journal'):
        if os.path.exists('a.db' + suffix):
            os.remove('a.db' + suffix)


def rows():
    """All public rows, without keys and without what tells only how often a file was looked at."""
    db = sqlite3.connect('a.db')
    all_rows = {}
    for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name").fetchall():
        cursor = db.execute('SELECT * FROM "%s"' % view)
        keep = [i for i, c in enumerate(cursor.description) if not c[0].endswith('_id') and c[0] != 'state']
        all_rows[view] = sorted(repr([r[i] for i in keep]) for r in cursor)
    sound = db.execute('PRAGMA integrity_check').fetchone()[0]
    db.close()
    return sound, all_rows


def moments(kind, args, before):
    """Which calls to make fail: found by doubling until none is left to fail, then spread."""
    if not points:
        return [1 << i for i in range(24)]
    last, step = 0, 1
    while step < 1 << 24:
        before()
        run(args, '%s:%d' % (kind, step))
        if not os.path.exists('hit'):
            break
        last, step = step, step * 2
    low, high = last, step
    while high - low > 1 and high - low > low // 50:
        middle = (low + high) // 2
        before()
        run(args, '%s:%d' % (kind, middle))
        if os.path.exists('hit'):
            low = middle
        else:
            high = middle
    first = max(1, points // 3)
    chosen = set(range(1, min(low, first) + 1)) | {1 + i * (low - 1) // max(1, points - first) for i in range(points - first + 1)}
    return sorted(n for n in chosen if n <= low)


def disturb_ingest(kind, sticky):
    global faults
    bad = []
    for n in moments(kind, ingest, remove_store):
        remove_store()
        fault = '%s:%d%s' % (kind, n, ':sticky' if sticky else '')
        status, out, said = run(ingest, fault)
        if not os.path.exists('hit'):
            break
        faults += 1
        if status not in (0, 3, 4) or (status and not said):
            bad.append('%s: status %d, said %r' % (fault, status, said))
        if kind in ('short', 'eintr') and status:
            bad.append('%s: not taken up again: %d, %r' % (fault, status, said))
        if status == 0 and not said and rows() != reference:
            bad.append('%s: nothing was said, and rows differ' % fault)
        if os.path.exists('a.db') and os.path.getsize('a.db') and rows_or_reason() not in ('ok', 'no view'):
            bad.append('%s: the store is damaged: %s' % (fault, rows_or_reason()))
        status, out, said = run(ingest)
        if status or said:
            bad.append('%s: afterwards: %d, %r' % (fault, status, said))
        elif rows() != reference:
            now = rows()[1]
            bad.append('%s: afterwards rows differ: %s' % (fault, [v for v in now if now[v] != reference[1].get(v)]))
    test('ingest, %s%s' % (kind, ', from then on' if sticky else ''), bad)


def rows_or_reason():
    db = sqlite3.connect('a.db')
    try:
        return db.execute('PRAGMA integrity_check').fetchone()[0]
    except sqlite3.Error as e:
        return str(e)
    finally:
        db.close()


def disturb_reading(name, args, kind):
    global faults
    bad = []
    want = run(args)
    for n in moments(kind, args, lambda: None):
        fault = '%s:%d' % (kind, n)
        status, out, said = run(args, fault)
        if not os.path.exists('hit'):
            break
        faults += 1
        if status == want[0] and not said and out != want[1] and b'"io_error"' not in out:
            bad.append('%s: nothing was said, and the output differs' % fault)
        if status != want[0] and (status not in (3, 4) or not said):
            bad.append('%s: status %d, said %r' % (fault, status, said))
        if kind in ('short', 'eintr') and status != want[0]:
            bad.append('%s: not taken up again: %d, %r' % (fault, status, said))
    test('%s, %s' % (name, kind), bad)


logs = os.path.join(root, 'testdata', 'logs')
os.makedirs('logs')
for name in ('tf_leak', 'tf_hparams', 'tf_summaries', 'memory_jump'):
    shutil.copytree(os.path.join(logs, name), os.path.join('logs', name))
capture = os.path.join('logs', 'tf_leak', 'plugins', 'profile')
capture = os.path.join(capture, os.listdir(capture)[0], 'vm.xplane.pb')
os.mkdir('logs/gz')
with open(capture, 'rb') as f, gzip.open('logs/gz/h.xplane.pb.gz', 'wb') as g:
    g.write(f.read())
os.mkdir('logs/json')
shutil.copy(os.path.join(root, 'testdata', 'corpus', 'trace_json', 't01'), 'logs/json/h.trace.json')
ingest = ['ingest', '--db', 'a.db', 'logs']

status, out, said = run(ingest)
test('undisturbed', [] if status == 0 and not said else ['%d %s' % (status, said)])
reference = rows()
for kind in ('alloc', 'open', 'read', 'write', 'sync', 'size', 'map', 'short', 'eintr'):
    disturb_ingest(kind, False)
for kind in ('alloc', 'write', 'read'):
    disturb_ingest(kind, True)
remove_store()
run(ingest)
commands = (('report', ['report', '--db', 'a.db', '--json', 'run:tf_leak']), ('report of a path', ['report', '--json', 'logs']),
            ('check', ['check', '--db', 'a.db', '--json', '--max', 'step_time_ms.mean=1s', 'run:tf_leak']),
            ('inspect', ['inspect', '--json', 'logs']), ('scalars', ['scalars', '--db', 'a.db', '--json', '--points']),
            ('query', ['query', '--db', 'a.db', '--format', 'csv', 'SELECT name, count(*) FROM event GROUP BY 1']))
for name, args in commands if points else commands[:2]:
    for kind in ('alloc', 'open', 'read', 'map', 'short', 'eintr'):
        disturb_reading(name, args, kind)
print('# %d faults' % faults)
print('1..%d' % tests)
shutil.rmtree(work)
sys.exit(failed != 0)
