#!/usr/bin/env python3
"""Every named query against plain Python over the same views: cookbook.py PROGRAM DB SESSION…. Standard library only."""
import json, math, re, sqlite3, statistics, subprocess, sys

program, path = sys.argv[1:3]
db = sqlite3.connect(path)
db.row_factory = sqlite3.Row


def view(name, **where):
    if "line_id" in where:
        return EVENTS.get(where["line_id"], [])
    sql = f"SELECT * FROM {name}" + (" WHERE " + " AND ".join(f"{k} = ?" for k in where) if where else "")
    return [dict(r) for r in db.execute(sql, list(where.values()))]


def quantile(values, q):
    v = sorted(values)
    at = q * (len(v) - 1)
    low = int(at)
    return v[low] + (v[min(low + 1, len(v) - 1)] - v[low]) * (at - low)


def mad(values):
    m = statistics.median(values)
    return statistics.median([abs(v - m) for v in values])


def union(intervals):
    total, end = 0, None
    for a, b in sorted(intervals):
        total += max(0, b - (a if end is None else max(a, end)))
        end = b if end is None else max(end, b)
    return total


def at_once(groups):
    edges = sorted({x for g in groups for i in g for x in i})
    return sum(b - a for a, b in zip(edges, edges[1:]) if sum(any(s <= a and b <= e for s, e in g) for g in groups) >= 2)


def group(rows, key):
    out = {}
    for r in rows:
        out.setdefault(key(r), []).append(r)
    return out


def layer(name, else_):
    return name.rsplit("/", 1)[0].rstrip("/") if "/" in name else else_


def streams(s):
    hosts = {h["host_id"] for h in view("host", session_id=s)}
    out = {}
    for l in view("line"):
        if l["host_id"] in hosts and l["device_id"] is not None and not l["derived"] and l["first_event_id"] is not None:
            e = [(r["start_ps"], r["start_ps"] + r["dur_ps"]) for r in view("event", line_id=l["line_id"]) if r["start_ps"] is not None and not r["absurd"]]
            if e:
                out[l["line_id"]] = (l, e)
    return out


def run_of(s):
    return db.execute("SELECT r.name FROM session n JOIN run r USING (run_id) WHERE session_id = ?", (s,)).fetchone()[0]


def steady(s):
    return [r for r in view("session_step", session_id=s) if r["steady"]]


def parts(step_ids):
    return [b for b in view("step_breakdown") if b["step_id"] in step_ids]


def metric(s):
    return {m["name"]: m for m in view("metric", session_id=s) if m["host"] is None}


def newest(what):
    return [r for r in view(what) if not r["superseded"]]


EVENTS = {}
for e in db.execute("SELECT * FROM event ORDER BY event_id"):
    EVENTS.setdefault(e["line_id"], []).append(dict(e))

# What each query must give, as a set of rows; the columns that are compared are named first.
EXPECTED = {}


def expected(name, columns, /, **params):
    def keep(f):
        EXPECTED[name] = (columns.split(), params, f)
        return f
    return keep


expected("slow-steps", "number ms", n=100000)(lambda s, o: [(r["number"], r["step_ps"] / 1e9) for r in view("step", session_id=s)])
expected("step-times", "steps mean_ms median_ms p95_ms p99_ms stddev_ms mad_ms")(lambda s, o: (lambda v: [(len(v), statistics.mean(v) if v else None,
    *((quantile(v, .5), quantile(v, .95), quantile(v, .99)) if v else (None,) * 3), statistics.stdev(v) if len(v) > 1 else None, mad(v) if v else None)])(
    [r["step_ps"] / 1e9 for r in steady(s)]))
expected("step-breakdown", "category ms")(lambda s, o: (lambda ids: [(c, sum(r["dur_ps"] for r in v) / 1e9 / len(v))
    for c, v in group(parts(ids), lambda r: r["category"]).items() if sum(r["dur_ps"] for r in v)])({r["step_id"] for r in steady(s)}))
expected("step-gaps", "number between_ms", n=100000)(lambda s, o: [(r["number"], (r["period_ps"] - r["step_ps"]) / 1e9) for r in view("step", session_id=s) if r["period_ps"] is not None])
expected("input-waits", "number input_ms share", n=100000)(lambda s, o: [(r["number"], r["input_ps"] / 1e9, r["input_ps"] / r["step_ps"] if r["step_ps"] else None)
    for r in view("step", session_id=s) if r["input_ps"] is not None])
expected("input-stages", "long_name self_ms", n=100000)(lambda s, o: [(r["long_name"], r["self_ps"] / 1e9) for r in view("input_stage", session_id=s)])
expected("starved-buffers", "long_name empty_share")(lambda s, o: [(r["long_name"], r["empty_calls"] / r["calls"]) for r in view("input_stage", session_id=s) if (r["empty_calls"] or 0) > 0])
expected("input-and-loss", "number value", tag="epoch_loss")(lambda s, o: (lambda c: [(r["number"], c.get(r["number"])) for r in view("session_step", session_id=s)])(
    {p["step"]: p["value"] for p in newest("scalar") if p["run"] == run_of(s) and p["tag"] == "epoch_loss"}))
expected("top-ops", "side name self_ms", n=100000)(lambda s, o: [(r["side"], r["name"], r["self_ps"] / 1e9) for r in view("op", session_id=s) if r["name"] != "IDLE"])
expected("op-types", "side type executions self_ms", n=100000)(lambda s, o: [(*k, sum(r["count"] for r in v), sum(r["self_ps"] for r in v) / 1e9)
    for k, v in group([r for r in view("op", session_id=s) if r["name"] != "IDLE"], lambda r: (r["side"], r["type"])).items()])
expected("layers", "side layer ops self_ms", n=100000)(lambda s, o: [(*k, len(v), sum(r["self_ps"] for r in v) / 1e9)
    for k, v in group([r for r in view("op", session_id=s) if r["name"] != "IDLE"], lambda r: (r["side"], layer(r["name"], "(none)"))).items()])
expected("long-tails", "name excess_ms", n=100000)(lambda s, o: [(r["name"], (r["total_ps"] - r["count"] * r["p50_ps"]) / 1e9) for r in view("op", session_id=s)
    if r["count"] >= 20 and r["p50_ps"] is not None and r["p99_ps"] // 3 > r["p50_ps"] and r["total_ps"] > r["count"] * r["p50_ps"]])
expected("eager-ops", "name count", n=100000)(lambda s, o: [(r["name"], r["count"]) for r in view("op", session_id=s) if r["eager"]])


def by_name(s):
    return {k: (sum(r["self_ps"] for r in v), sum(r["count"] for r in v)) for k, v in group(view("op", session_id=s), lambda r: (r["side"], r["name"])).items()}


@expected("slower-ops", "side name factor", n=100000)
def slower(s, o):
    a, b = by_name(o), by_name(s)
    return [(*k, b[k][0] / b[k][1] / (a[k][0] / a[k][1]) if a[k][0] else None) for k in b if k in a and k[1] != "IDLE" and a[k][1] and b[k][1] and b[k][0] / b[k][1] > a[k][0] / a[k][1]]


@expected("new-ops", "which side name executions")
def new(s, o):
    a, b = by_name(o), by_name(s)
    return [("new", *k, b[k][1]) for k in b if k not in a] + [("gone", *k, a[k][1]) for k in a if k not in b]


expected("compare-metrics", "name before after")(lambda s, o: [(n, metric(o).get(n, {}).get("value"), m["value"]) for n, m in metric(s).items()])
expected("unknown-metrics", "reason metrics names")(lambda s, o: [(k, len(v), " ".join(sorted(m["name"] for m in v)))
    for k, v in group([m for m in metric(s).values() if m["value"] is None], lambda m: m["reason"]).items()])
expected("peak-tensors", "allocator op shape bytes", n=100000)(lambda s, o: [(r["allocator"], r["op"], r["shape"], r["bytes"]) for r in view("memory_at_peak", session_id=s)])
expected("peak-by-layer", "allocator layer tensors bytes", n=100000)(lambda s, o: [(k[1], k[2], sum(r["count"] for r in v), sum(r["bytes"] for r in v))
    for k, v in group(view("memory_at_peak", session_id=s), lambda r: (r["host_id"], r["allocator"], layer(r["op"], r["op"]))).items()])
expected("peak-step", "name peak_bytes step")(lambda s, o: (lambda n: [(a["name"], a["peak_bytes"], n.get(a["peak_step_id"])) for a in view("allocator", session_id=s)])(
    {r["step_id"]: r["number"] for r in view("step")}))


@expected("scalars-at-peak", "allocator tag step value")
def scalars_at_peak(s, o):
    number = {r["step_id"]: r["number"] for r in view("step")}
    out = []
    for a in view("allocator", session_id=s):
        if a["peak_step_id"] is None:
            continue
        points = [p for p in newest("scalar") if p["run"] == run_of(s) and p["step"] <= number[a["peak_step_id"]]]
        out += [(a["name"], t, *max((p["step"], p["value"]) for p in v)) for t, v in group(points, lambda p: p["tag"]).items()]
    return out


@expected("memory-by-step", "number allocator bytes")
def memory_by_step(s, o):
    out = []
    for t in view("step", session_id=s):
        points = [m for m in view("memory_timeline", host_id=t["host_id"]) if t["start_ps"] <= m["ps"] < t["start_ps"] + t["step_ps"]]
        out += [(t["number"], a, max(m["heap_bytes"] + (m["stack_bytes"] or 0) for m in v)) for a, v in group(points, lambda m: m["allocator"]).items()]
    return out


expected("memory-growth", "number allocator kept_bytes events")(lambda s, o: (lambda n: [(n[k[0]], k[1], sum(r["bytes"] * (1 if r["kind"] == "alloc" else -1) for r in v), len(v))
    for k, v in group([r for r in view("memory_event", session_id=s) if r["step_id"]], lambda r: (r["step_id"], r["allocator"])).items()])({r["step_id"]: r["number"] for r in view("step")}))
expected("xla-buffers", "program instruction bytes", n=100000)(lambda s, o: [(b["module"], b["instruction"], b["bytes"]) for b in view("hlo_buffer", session_id=s) if b["live_at_peak"]])


def devices(s):
    hosts = {h["host_id"] for h in view("host", session_id=s)}
    return {d["device_id"]: d["name"] for d in view("device") if d["host_id"] in hosts}


expected("device-busy", "device window_ms busy_ms")(lambda s, o: [(devices(s)[w["device_id"]], *(w[c] and w[c] / 1e9 for c in ("window_ps", "busy_ps")))
    for w in view("device_window") if w["device_id"] in devices(s)])
expected("busy-by-stream", "stream events busy_ms")(lambda s, o: [(l["name"], len(e), union(e) / 1e9) for l, e in streams(s).values()])
expected("overlapping-streams", "device streams busy_ms overlap_ms")(lambda s, o: [(devices(s)[d], len(v), union([i for _, e in v for i in e]) / 1e9, at_once([e for _, e in v]) / 1e9)
    for d, v in group(streams(s).values(), lambda x: x[0]["device_id"]).items()])
expected("device-gaps", "device ms", n=100000)(lambda s, o: [(devices(s)[g["device_id"]], g["dur_ps"] / 1e9) for g in view("device_gap") if g["device_id"] in devices(s)])


def kernels(s):
    return {k: (sum(r["count"] for r in v), sum(r["total_ps"] for r in v)) for k, v in group(view("kernel", session_id=s), lambda r: (r["name"], r["op"])).items()}


expected("top-kernels", "name op count ms", n=100000)(lambda s, o: [(*k, n, ps / 1e9) for k, (n, ps) in kernels(s).items()])
expected("small-kernels", "name op count", below_us=10000)(lambda s, o: [(*k, n) for k, (n, ps) in kernels(s).items() if ps / 1e6 / n < 10000])


def events(s):
    hosts = {h["host_id"] for h in view("host", session_id=s)}
    lines = {l["line_id"]: l["name"] for l in view("line") if l["host_id"] in hosts}
    return lines, [e for l in lines for e in view("event", line_id=l)]


def middle(s):
    """A range of time in the middle of the session, in ms."""
    starts = sorted(e["start_ps"] for e in events(s)[1] if e["start_ps"] is not None)
    return (starts[len(starts) // 2] // 10**6 / 1e3, starts[len(starts) // 2] // 10**6 / 1e3 + 0.5)


@expected("during", "thread name at_ms ms", n=100000, between=middle)
def during(s, o):
    lines, all_events = events(s)
    first, last = (x * 1e9 for x in middle(s))
    by_id = {e["event_id"]: e for e in all_events}
    out = {e["event_id"] for e in all_events if e["start_ps"] is not None and first <= e["start_ps"] < last}
    for line in lines:
        before = [e for e in all_events if e["line_id"] == line and e["start_ps"] is not None and e["start_ps"] < first]
        at = max((e["event_id"] for e in before), default=None)
        while at is not None:
            if by_id[at]["start_ps"] + by_id[at]["dur_ps"] >= first:
                out.add(at)
            at = by_id[at]["parent_id"]
    return [(lines[e["line_id"]], e["name"], e["start_ps"] / 1e9, e["dur_ps"] / 1e9) for e in map(by_id.get, out)]


expected("op-executions", "event_id thread us", n=100000, name="*Iterator*")(lambda s, o: (lambda x: [(e["event_id"], x[0][e["line_id"]], e["dur_ps"] / 1e6) for e in x[1] if "Iterator" in e["name"]])(events(s)))
expected("threads", "thread events")(lambda s, o: [(l["name"], l["last_event_id"] and l["last_event_id"] - l["first_event_id"] + 1)
    for l in view("line") if l["host_id"] in {h["host_id"] for h in view("host", session_id=s)}])


@expected("step-outliers", "number ms", deviations=2)
def outliers(s, o):
    v = [r["step_ps"] for r in steady(s)]
    broken = {b["step_id"] for b in view("step_breakdown")}
    return [(r["number"], r["step_ps"] / 1e9) for r in view("step", session_id=s) if v and r["step_id"] in broken and r["step_ps"] > quantile(v, .5) + 2 * mad(v)]


@expected("step-drift", "half steps median_ms")
def drift(s, o):
    v = [r["step_ps"] for r in sorted(steady(s), key=lambda r: r["number"])]
    first = (len(v) + 1) // 2
    return [(i + 1, len(h), statistics.median(h) / 1e9) for i, h in enumerate((v[:first], v[first:])) if h]


@expected("stragglers", "name median_ms slower")
def stragglers(s, o):
    names = {h["host_id"]: h["name"] for h in view("host", session_id=s)}
    good = [r for r in view("step", session_id=s) if r["complete"] and not r["warmup"] and r["main_series"]]
    t = {h: statistics.median(r["step_ps"] for r in v) for h, v in group(good, lambda r: r["host_id"]).items()}
    return [(names[h], v / 1e9, v / min(t.values()) - 1) for h, v in t.items()]


expected("sessions", "session_id step_ms peak_bytes")(lambda s, o: [(r["session_id"], *(metric(r["session_id"]).get(m, {}).get("value") for m in ("step_time_ms.mean", "memory.peak_bytes"))) for r in view("session")])
expected("last-scalars", "run tag points first last least greatest")(lambda s, o: [(*k, len(v), v[0], v[-1], min((x for x in v if x is not None), default=None), max((x for x in v if x is not None), default=None))
    for k, rows in group(newest("scalar"), lambda r: (r["run"], r["tag"])).items() for v in [[r["value"] for r in sorted(rows, key=lambda r: r["step"])]]])


@expected("scalar-jumps", "run tag from_step step change", n=100000)
def jumps(s, o):
    out = []
    for k, rows in group([r for r in newest("scalar") if r["value"] is not None], lambda r: (r["run"], r["tag"])).items():
        rows.sort(key=lambda r: r["step"])
        out += [(*k, a["step"], b["step"], b["value"] - a["value"]) for a, b in zip(rows, rows[1:])]
    return out


expected("nonfinite", "run tag points")(lambda s, o: [(k[0], k[1], len(v)) for k, v in group([r for r in view("scalar") if r["nonfinite"]], lambda r: (r["run"], r["tag"], r["nonfinite"])).items()])


def histogram_quantile(buckets, q):
    rank, below = q * sum(b[2] for b in buckets), 0
    for left, right, n in buckets:
        if n and below + n >= rank:
            return left + (right - left) * max(0, rank - below) / n
        below += n


expected("histogram-quantiles", "run tag step p05 median p95")(lambda s, o: [(r["run"], r["tag"], r["step"], *(histogram_quantile(json.loads(r["buckets"]), q) for q in (.05, .5, .95))) for r in newest("histogram")])
expected("damaged-files", "path code")(lambda s, o: (lambda issues: [(f["path"], c) for f in view("source_file") for c in
    (issues.get(f["file_id"]) or ([None] if f["skipped_bytes"] or f["state"] in ("failed", "skipped") else []))])({k: [i["code"] for i in v] for k, v in group(view("ingest_issue"), lambda i: i["file_id"]).items()}))


def same(a, b):
    if b in (math.inf, -math.inf):
        b = "Infinity" if b > 0 else "-Infinity"
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def order(row):
    return [(x is not None, isinstance(x, str), round(x, 9) if isinstance(x, float) else x if x is not None else 0) for x in row]


names = {r["name"] for r in json.loads(subprocess.run([program, "query", "--list", "--format", "json"], capture_output=True, check=True).stdout)}
assert names == set(EXPECTED), names ^ set(EXPECTED)
bad, seen = 0, {}
for session in map(int, sys.argv[3:]):
    other = int(sys.argv[3])
    for name, (columns, params, f) in EXPECTED.items():
        params = dict(params)
        if "between" in params:
            params["from_ms"], params["to_ms"] = params.pop("between")(session)
        text = subprocess.run([program, "query", "--show", "@" + name], capture_output=True, check=True, text=True).stdout
        for p, value in (("session", session), ("base_session", other)):
            if f"\n-- :{p} " in text:
                params[p] = value
        command = [program, "query", "--db", path, "--format", "jsonl", "@" + name] + [f"--param={k}={v}" for k, v in params.items()]
        out = subprocess.run(command, capture_output=True, text=True)
        got = sorted(([json.loads(l)[c] for c in columns] for l in out.stdout.splitlines()), key=order)
        want = sorted((list(r) for r in f(session, other)), key=order)
        seen[name] = seen.get(name, 0) + len(want)
        if out.returncode or len(got) != len(want) or not all(same(x, y) for g, w in zip(got, want) for x, y in zip(g, w)):
            bad += 1
            wrong = next(((g, w) for g, w in zip(got, want) if not all(map(same, g, w))), None)
            print(f"@{name} of session {session}: {len(got)} rows, {len(want)} expected; {wrong} {out.stderr}")
        if not re.search(r"\bevent\b", text.split(";")[0]):
            continue
        defaults = [l[4:].split(" -- ")[0].replace(" = ", "=", 1) for l in text.splitlines() if l.startswith("-- :")]
        given = [d.split("=")[0] + "=1" if "session=" in d else d for d in defaults]
        plan = subprocess.run([program, "query", "--db", path, "--format", "jsonl", *("--param=" + g for g in given), "EXPLAIN QUERY PLAN\n" + text], capture_output=True, text=True)
        steps = [json.loads(l)["detail"] for l in plan.stdout.splitlines()]
        if plan.returncode or not steps or any(t.startswith(("SCAN e", "SCAN _event")) for t in steps):
            bad += 1
            print(f"@{name} reads the whole event table: {steps} {plan.stderr}")
print(len(EXPECTED), "queries,", bad, "differ; without rows here:", *sorted(n for n, c in seen.items() if not c))
sys.exit(bad > 0)
