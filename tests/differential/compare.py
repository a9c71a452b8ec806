#!/usr/bin/env python3
"""compare.py PROGRAM COUNT SEED: random captures through the program and through reference.py. Prints TAP."""
import collections
import json
import math
import os
import subprocess
import sys
import tempfile

from capture import random_capture
from reference import evaluate


def close(a, b):
    return a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12))


def differences(want, got):
    """Texts, one a figure."""
    out = []

    def check(name, expected, actual):
        if not close(expected, actual):
            out.append('%s: %r by the reference, %r by the program' % (name, expected, actual))

    metrics = got['metrics']
    if not want['steps']: # nothing marks a step: what the program infers from repeats is another matter
        if got['steps']['source'] not in ('inferred', None):
            out.append('steps without a marker: %s' % got['steps']['source'])
        if got['steps']['source'] == 'inferred':
            return out
    for k, v in want['metrics'].items():
        check(k, v, metrics.get(k))
    for k in metrics:
        if k.startswith(('step_', 'input.', 'device.idle', 'memory.peak_bytes', 'kernels.count')) and k.split('[')[0] == k and k not in want['metrics']:
            if not k.startswith(('step_period', 'input.wait', 'step_breakdown_ms.device_compute')):
                check(k, None, metrics[k])
    check('number of steps', len(want['steps']), len(got['steps']['list']))
    for s, g in zip(want['steps'], got['steps']['list']):
        name = 'step %d ' % s.number
        check(name + 'number', s.number, g['number'])
        check(name + 'time', s.time, round(g['step_time_ms'] * 1e9))
        check(name + 'complete', s.complete, g['complete'])
        check(name + 'warmup', s.warmup, g['warmup'])
        parts = dict(want['parts'][s.number])
        parts['device_compute'] = parts.pop('device_compute_16') + parts.pop('device_compute_32')
        check(name + 'parts', sorted(parts), sorted(g['breakdown_ms']))
        for p, ps in parts.items():
            check(name + p, ps, round(g['breakdown_ms'][p] * 1e9))
    check('allocators', len(want['memory']), len(got['memory']))
    for m in got['memory']:
        w = want['memory'].get(m['allocator'])
        for k in ('peak_bytes', 'ties', 'lifetime_peak_bytes', 'capacity_bytes', 'fragmentation', 'pre_existing_bytes'):
            check(m['allocator'] + ' ' + k, w[k], m[k])
        rows = {(r['op'], r['shape'], r['dtype'], r['region']): [r['count'], r['requested_bytes'], r['bytes']] for r in m['at_peak']}
        special = {k: rows.pop(k) for k in list(rows) if k[0].startswith('(')}
        check(m['allocator'] + ' tensors', True, rows == w['rows'])
        check(m['allocator'] + ' stack', w['stack'], sum(v[2] for k, v in special.items() if k[0] == '(stack)'))
    ops = {o['name']: [o['count'], round(o['total_ms'] * 1e9), round(o['self_ms'] * 1e9)] for o in got['ops'] if o['side'] == 'host'}
    idle = ops.pop('IDLE', [0, 0, 0])
    check('ops', True, all(ops.get(k) == v for k, v in want['ops'].items()))
    if want['ops']:
        check('idle time between ops', want['idle'], idle[2])
    return out


def main():
    program, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    covered, bad = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'h.xplane.pb')
        for i in range(count):
            capture = random_capture(seed + i)
            with open(path, 'wb') as f:
                f.write(capture.encode())
            want = evaluate(capture)
            run = subprocess.run([program, 'report', '--json', path], capture_output=True)
            if want is None:
                covered['empty'] += 1
                continue
            problems = differences(want, json.loads(run.stdout)) if run.returncode == 0 else ['exit status %d: %s' % (run.returncode, run.stderr)]
            m = want['metrics']
            for k in ('step_time_ms.mean', 'input.share', 'input.stall_share', 'device.idle_ratio.mean', 'memory.peak_bytes', 'kernels.count'):
                covered[k] += k in m
            covered['longer on the device'] += any(s.device and (s.begin, s.end) == s.device for s in want['steps'])
            covered['warm-up'] += any(s.warmup for s in want['steps'])
            covered['cut'] += any(not s.complete for s in want['steps'])
            if problems:
                bad += 1
                if bad <= 5:
                    print('# seed %d: %d differences' % (seed + i, len(problems)))
                    for p in problems[:6]:
                        print('#   ' + p)
    print('# of %d captures: %s' % (count, ', '.join('%s %d' % x for x in sorted(covered.items()))))
    print('%sok 1 - %d random captures agree with the second implementation, from seed %d' % ('not ' if bad else '', count - bad, seed))
    for i, k in enumerate(sorted(k for k in covered if k != 'empty')):
        print('%sok %d - captures with: %s' % ('' if covered[k] > count // 50 else 'not ', i + 2, k))
    print('1..%d' % (1 + len([k for k in covered if k != 'empty'])))
    return bad != 0


sys.exit(main())
