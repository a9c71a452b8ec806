#!/usr/bin/env python3
"""compare.py LIBRARY COUNT SEED: change points of random and published series by the library, by the optimal segmentation of ruptures
(dynamic programming over the same number of changes) and by the definition of the statistic in NumPy. Prints TAP."""
import ctypes
import sys

import numpy
import ruptures
from statsmodels.datasets import nile

MIN_SIZE = 3


class Point(ctypes.Structure):
    _fields_ = [('at', ctypes.c_size_t), ('q', ctypes.c_double), ('p', ctypes.c_double)]


class Options(ctypes.Structure):
    _fields_ = [('min_size', ctypes.c_size_t), ('alpha', ctypes.c_double)]


def changes(lib, x):
    points, count, err = ctypes.POINTER(Point)(), ctypes.c_size_t(), ctypes.create_string_buffer(4096)
    options = Options(MIN_SIZE, 0.05)
    assert lib.tf_change_points((ctypes.c_double * len(x))(*x), ctypes.c_size_t(len(x)), ctypes.byref(options), ctypes.byref(points),
                                ctypes.byref(count), err) == 0
    return [(points[i].at, points[i].q, points[i].p) for i in range(count.value)]


def optimum(x, count):
    return ruptures.Dynp(model='l2', min_size=MIN_SIZE, jump=1).fit(numpy.asarray(x)).predict(n_bkps=count)[:-1]


def best_split(x):
    """The split of the whole series by the definition: energy distance with unbiased means."""
    distances, best = numpy.abs(numpy.subtract.outer(x, x)), (0.0, 0)
    for at in range(MIN_SIZE, len(x) - MIN_SIZE + 1):
        n, m = at, len(x) - at
        energy = 2 * distances[:at, at:].mean() - distances[:at, :at].sum() / (n * (n - 1)) - distances[at:, at:].sum() / (m * (m - 1))
        best = max(best, (n * m / (n + m) * energy, at))
    return best


def series(rng, changed):
    """A series of up to three changes of 5 to 10 standard deviations, segments of 8 to 30 values; where it changes."""
    values, places, level = [], [], 100.0
    for k in range(changed + 1):
        if k:
            places.append(len(values))
            level += rng.choice([-1, 1]) * rng.uniform(5, 10)
        values.extend(level + rng.normal(size=rng.integers(8, 30)))
    return values, places


def main():
    lib, count = ctypes.CDLL(sys.argv[1]), int(sys.argv[2])
    rng = numpy.random.default_rng(int(sys.argv[3]))
    right = near = wrong_q = 0
    for _ in range(count):
        x, places = series(rng, int(rng.integers(1, 4)))
        found = changes(lib, x)
        true = {at for at, _, _ in found} >= set(places)
        right += true
        near += true and set(optimum(x, len(places))) <= {at for at, _, _ in found}
        q, at = best_split(numpy.asarray(x))
        wrong_q += not any(a == at and abs(mine - q) <= 1e-9 * q for a, mine, _ in found)
    flow = list(nile.load_pandas().data['volume'])
    results = [('the best split is that of the definition, to 1e-9', wrong_q == 0),
               (f'changes of 5 deviations and more are found where they are ({right} of {count})', right >= 0.97 * count),
               (f'which is where ruptures finds them ({near} of {right})', near >= 0.97 * right),
               ('the Nile changed in 1899, by both', [at for at, _, _ in changes(lib, flow)] == optimum(flow, 1) == [28])]
    for number, (what, holds) in enumerate(results, 1):
        print(f"{'ok' if holds else 'not ok'} {number} - {what}")
    print(f'1..{len(results)}')
    sys.exit(not all(holds for _, holds in results))


main()
