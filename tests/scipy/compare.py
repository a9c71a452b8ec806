#!/usr/bin/env python3
"""compare.py LIBRARY COUNT SEED: random pairs of samples, with ties and without, through the library and through SciPy, NumPy and
brute force. Prints TAP."""
import ctypes
import itertools
import math
import sys

import numpy
from scipy import stats

ALPHA = 0.05
doubles = ctypes.POINTER(ctypes.c_double)


class Shift(ctypes.Structure):
    _fields_ = [('shift', ctypes.c_double), ('low', ctypes.c_double), ('high', ctypes.c_double)]


def array(values):
    return (ctypes.c_double * len(values))(*values)


def arguments(x, y):
    return (array(sorted(x)), ctypes.c_size_t(len(x)), array(sorted(y)), ctypes.c_size_t(len(y)))


def p_of(lib, x, y):
    p, err = ctypes.c_double(), ctypes.create_string_buffer(4096)
    assert lib.tf_mann_whitney(*arguments(x, y), ctypes.byref(p), err) == 0
    return p.value


def shift_of(lib, x, y):
    out, err = Shift(), ctypes.create_string_buffer(4096)
    assert lib.tf_hodges_lehmann(*arguments(x, y), ctypes.c_double(ALPHA), ctypes.byref(out), err) == 0
    return out


def ways(n, m):
    """By U from 0 on: in how many of the orders of n and m samples it comes about (Mann and Whitney's recurrence)."""
    table = {}
    for i, j in itertools.product(range(n + 1), range(m + 1)):
        if i == 0 or j == 0:
            table[i, j] = [1]
            continue
        counts = [0] * (i * j + 1)
        for u, c in enumerate(table[i - 1, j]):
            counts[u + j] += c
        for u, c in enumerate(table[i, j - 1]):
            counts[u] += c
        table[i, j] = counts
    return table[n, m]


def interval(x, y):
    """From all differences, and from the count C that the level leaves at each end; None without any."""
    n, m = len(x), len(y)
    differences = sorted(a - b for a in x for b in y)
    if min(n, m) <= 8:
        total, upto, c = math.comb(n + m, n), 0, 0
        for count in ways(n, m):
            upto += count
            if upto / total > ALPHA / 2:
                break
            c += 1
    else:
        c = math.floor(n * m / 2 - stats.norm.isf(ALPHA / 2) * math.sqrt(n * m * (n + m + 1) / 12))
    return (differences[c - 1], differences[-c]) if c >= 1 else None


def random_pair(rng):
    n, m = (int(v) for v in rng.integers(1, 31, 2))
    x, y = rng.lognormal(2, 0.3, n), rng.lognormal(2, 0.3, m) * rng.uniform(0.8, 1.2)
    if rng.random() < 0.5:
        x, y = numpy.round(x), numpy.round(y)
    return x.tolist(), y.tolist()


def holm_by_definition(p):
    """Step down the sorted p; each is multiplied by how many are left, and none is below the one before."""
    out, last = [0.0] * len(p), 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=lambda k: p[k])):
        last = max(last, min(1.0, (len(p) - rank) * p[i]))
        out[i] = last
    return out


def holm_of(lib, p):
    out = (ctypes.c_double * len(p))()
    lib.tf_holm(array(p), ctypes.c_size_t(len(p)), out)
    return list(out)


def faults_of_t(lib, rng):
    """Student's t: the upper tail and the point above which it holds p."""
    t, df, p = float(rng.normal(0, 3)), int(rng.integers(1, 61)), float(rng.uniform(1e-4, 0.5))
    out, want = [], stats.t.sf(t, df)
    got = lib.tf_student_t_upper(ctypes.c_double(t), ctypes.c_int64(df))
    if abs(want - got) > 1e-12:
        out.append('t %r of %d: %r, SciPy %r' % (t, df, got, want))
    want, got = stats.t.isf(p, df), lib.tf_student_t_quantile(ctypes.c_double(p), ctypes.c_int64(df))
    if abs(want - got) > 1e-8 * max(1, abs(want)):
        out.append('t over which %r of %d lies: %r, SciPy %r' % (p, df, got, want))
    return out


def faults_of_pair(lib, x, y):
    out = []
    want, got = stats.mannwhitneyu(x, y, alternative='greater').pvalue, p_of(lib, x, y)
    if abs(want - got) > 1e-6:
        out.append('p %r, SciPy %r' % (got, want))
    shift, ends = shift_of(lib, x, y), interval(x, y)
    median = float(numpy.median(numpy.subtract.outer(x, y)))
    if abs(shift.shift - median) > 1e-12:
        out.append('shift %r, NumPy %r' % (shift.shift, median))
    if (shift.low, shift.high) != ends and not (ends is None and math.isnan(shift.low) and math.isnan(shift.high)):
        out.append('interval %r, by brute force %r' % ((shift.low, shift.high), ends))
    return out


def main():
    lib = ctypes.CDLL(sys.argv[1])
    lib.tf_student_t_upper.restype = lib.tf_student_t_quantile.restype = ctypes.c_double
    count, rng = int(sys.argv[2]), numpy.random.default_rng(int(sys.argv[3]))
    faults, tied, exact = [], 0, 0
    for i in range(count):
        x, y = random_pair(rng)
        ties = len(set(x + y)) < len(x) + len(y)
        tied += ties
        exact += not ties and min(len(x), len(y)) <= 8
        faults += ['%d (%d and %d samples): %s' % (i, len(x), len(y), f) for f in faults_of_pair(lib, x, y)]
        faults += ['%d: %s' % (i, f) for f in faults_of_t(lib, rng)]
        p = rng.random(int(rng.integers(1, 9))).round(2).tolist()
        if numpy.abs(numpy.subtract(holm_of(lib, p), holm_by_definition(p))).max() > 1e-12:
            faults.append('%d: Holm of %r' % (i, p))
    for fault in faults:
        print('# ' + fault)
    print('%sok 1 - %d random pairs as SciPy, NumPy and brute force have them, %d with ties, %d exact'
          % ('not ' if faults else '', count, tied, exact))
    print('%sok 2 - of all three kinds' % ('' if 0 < tied < count and 0 < exact < count - tied else 'not '))
    print('1..2')
    sys.exit(1 if faults else 0)


main()
