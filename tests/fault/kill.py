#!/usr/bin/env python3
"""Kills an ingest of several files at random moments (kill -9): the store must be sound, and a second ingest end with all rows. TAP.

kill.py PROGRAM ROOT TIMES
"""
import os, random, shutil, sqlite3, subprocess, sys, tempfile, time

program, root, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
logs = os.path.join(root, 'testdata', 'logs')
work = tempfile.mkdtemp()
os.chdir(work)
random.seed(1)


def ingest(db, seconds=None):
    """Runs an ingest, killed after that many seconds. True if it came to its end."""
    p = subprocess.Popen([program, 'ingest', '--db', db, logs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        p.wait(seconds)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
    return p.returncode == 0


def rows(path):
    db = sqlite3.connect(path)
    sound = db.execute('PRAGMA integrity_check').fetchone()[0]
    found = {}
    for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
        cursor = db.execute('SELECT * FROM "%s"' % view)
        keep = [i for i, c in enumerate(cursor.description) if not c[0].endswith('_id') and c[0] != 'state']
        found[view] = sorted(repr([r[i] for i in keep]) for r in cursor)
    db.close()
    return sound, found


def sound(path):
    if not os.path.exists(path) or not os.path.getsize(path):
        return True
    db = sqlite3.connect(path)
    answer = db.execute('PRAGMA integrity_check').fetchone()[0]
    db.close()
    return answer == 'ok'


start = time.monotonic()
ingest('whole.db')
duration = time.monotonic() - start
want = rows('whole.db')
damaged, different, killed = [], [], 0
for i in range(times):
    name = 'k%d.db' % i
    moment = random.uniform(0, duration)
    killed += not ingest(name, moment)
    if not sound(name):
        damaged.append('%.4f s' % moment)
    while not ingest(name, random.uniform(0, duration) if random.random() < 0.3 else None):
        killed += 1
    if rows(name) != want:
        different.append('%.4f s' % moment)
    for suffix in ('', '-wal', '-shm'):
        if os.path.exists(name + suffix):
            os.remove(name + suffix)
print('# %d kills' % killed)
for n, (what, bad) in enumerate((('every store is sound after the kill', damaged), ('and whole after the next ingest', different)), 1):
    print('not ok' if bad else 'ok', n, '-', what)
    for line in bad[:10]:
        print('#', line)
print('ok' if killed > times // 3 else 'not ok', 3, '-', 'the kills came in time')
print('1..3')
shutil.rmtree(work)
sys.exit(bool(damaged or different or killed <= times // 3))
