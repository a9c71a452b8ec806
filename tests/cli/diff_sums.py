#!/usr/bin/env python3
"""diff_sums.py sums DIFF…            : in each document parts sum to their whole, and so do their changes
diff_sums.py random N SEED        : writes random reports r0.json … with odd numbers of steps
diff_sums.py means DIFF REPORT…   : every value is the exact mean of what the reports list, rounded to a whole ps"""
import json, random, sys
from fractions import Fraction

PARTS = ("device_compute", "device_to_host", "device_to_device", "input_wait", "device_collectives", "kernel_launch", "host_to_device",
         "host_to_host", "compile", "host_compute", "other")


def total(values):
    return sum(v for v in values if v is not None)


def check(node, children, key, delta, at):
    if not children:
        return
    for side, whole in enumerate(node[key]):
        if whole is not None:
            assert total(c[key][side] for c in children) == whole, f"{at}: session {side}"
    assert total(c[delta] for c in children) == node[delta], f"{at}: the change"
    for c in children:
        first, last = c[key][0], c[key][-1]
        assert c[delta] == (last or 0) - (first or 0), f"{at}: {c}"
        if first is None and last is not None or first is not None and last is None:
            assert c["change"] == ("added" if first is None else "removed"), c
        check(c, c.get("children"), key, delta, at + "/" + str(c.get("category") or c.get("op") or c.get("kernel")))


def sums(paths):
    for path in paths:
        d = json.load(open(path))
        assert d["waterfall"] or d["step_time"]["change"] in ("unknown", "same"), "no waterfall"
        check(d["step_time"], d["waterfall"], "values_ps", "delta_ps", "step")
        for m in d["memory"]:
            check(m, m["children"], "values", "delta_bytes", "memory")


def split(rng, whole, count):
    cuts = sorted(rng.randint(0, whole) for _ in range(count - 1))
    return [b - a for a, b in zip([0] + cuts, cuts + [whole])]


def report(rng):
    steps, costs, n = [], {}, rng.randint(5, 30)
    for number in range(n):
        ps = rng.randint(1, 10 ** 11)
        parts = dict(zip(PARTS, split(rng, ps, len(PARTS))))
        for part, part_ps in parts.items():
            if part == "other":
                continue
            for i, share in enumerate(split(rng, part_ps, 6)):
                op = None if i == 5 else f"op{rng.randint(0, 9)}"
                kernel = f"kernel{rng.randint(0, 3)}" if part == "device_compute" else None
                costs[part, op, kernel] = costs.get((part, op, kernel), 0) + share
        steps.append({"host": "h", "number": number, "name": "train", "start_ms": number * 200, "step_time_ms": ps / 1e9,
                      "complete": True, "warmup": False, "main_series": True, "breakdown_ms": {k: v / 1e9 for k, v in parts.items()}})
    tensors = [{"op": f"t{i}", "shape": f"[{rng.randint(1, 3)}]", "dtype": "float", "region": None, "count": 1, "bytes": rng.randint(1, 2 ** 40)}
               for i in rng.sample(range(20), 12)]
    return {"schema": "tfprof.report/1", "session": {"run": "r", "name": "s", "hosts": ["h"], "devices": [], "framework": "jax", "complete": True},
            "metrics": {"steps.steady_count": n}, "reasons": {},
            "steps": {"source": "host_marker", "event": "train", "list": steps, "costs_reason": None,
                      "costs": [{"category": p, "op": o, "kernel": k, "total_ms": v / 1e9} for (p, o, k), v in costs.items()]},
            "memory": [{"host": "h", "allocator": "gpu", "peak_bytes": sum(t["bytes"] for t in tensors), "at_peak": tensors}]}


def means(diff, reports):
    d = json.load(open(diff))
    for side, path in enumerate(reports):
        steps = json.load(open(path))["steps"]
        n = len(steps["list"])

        def near(value, parts):
            exact = Fraction(sum(round(p * 1e9) for p in parts), n)
            assert abs((value or 0) - exact) < 1, (value, exact)

        near(d["step_time"]["values_ps"][side], (s["step_time_ms"] for s in steps["list"]))
        for c in d["waterfall"]:
            near(c["values_ps"][side], (s["breakdown_ms"][c["category"]] for s in steps["list"]))
            mine = [k for k in steps["costs"] if k["category"] == c["category"]]
            for o in c["children"]:
                ops = [k for k in mine if (k["op"] or "(no op)") == o["op"]]
                near(o["values_ps"][side], (k["total_ms"] for k in ops))
                for kernel in o["children"]:
                    near(kernel["values_ps"][side], (k["total_ms"] for k in ops if k["kernel"] == kernel["kernel"]))


if sys.argv[1] == "random":
    source = random.Random(int(sys.argv[3]))
    for index in range(int(sys.argv[2])):
        json.dump(report(source), open(f"r{index}.json", "w"))
elif sys.argv[1] == "means":
    means(sys.argv[2], sys.argv[3:])
else:
    sums(sys.argv[2:])
