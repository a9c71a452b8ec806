#!/usr/bin/env python3
"""Times commands in turn and prints medians and ratios. Standard library only."""
import os, resource, statistics, subprocess, sys, time

work, tfprof, bare, event_file = sys.argv[1:5]
capture = os.path.join(work, "vm.xplane.pb")
EVENTS, POINTS, RUNS = 1395666, 2000000, 5


def once(command):
    """(wall seconds, peak MB of the process)"""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        sys.exit(f"bench: {command} ended with {status}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def fresh(name):
    path = os.path.join(work, name)
    for end in ("", "-wal", "-shm"):
        if os.path.exists(path + end):
            os.remove(path + end)
    return path


inserts, ingests, memory = [], [], []
for _ in range(RUNS):
    inserts.append(once([bare, fresh("bare.db"), str(EVENTS)])[0])
    seconds, peak = once([tfprof, "ingest", "--db", fresh("store.db"), capture])
    ingests.append(seconds)
    memory.append(peak)
log = os.path.join(work, "events.out.tfevents.1.bench")
once([event_file, log, str(POINTS)])
point_inserts, points, point_memory = [], [], []
for _ in range(RUNS):
    point_inserts.append(once([bare, fresh("bare.db"), str(POINTS)])[0])
    seconds, peak = once([tfprof, "ingest", "--db", fresh("points.db"), log])
    points.append(seconds)
    point_memory.append(peak)
store = os.path.join(work, "store.db")
reports = [once([tfprof, "report", "--json", "--db", store])[0] for _ in range(4 * RUNS)]
direct = [once([tfprof, "report", "--json", capture])[0] for _ in range(RUNS)]
starts = [once([tfprof, "--version"])[0] for _ in range(4 * RUNS)]
median = statistics.median
ratio = median([a / b for a, b in zip(ingests, inserts)])
size = os.path.getsize(store) / os.path.getsize(capture)
print(f"bare insert of {EVENTS} rows of 8 columns     {median(inserts):7.3f} s")
print(f"ingest, all analyses                        {median(ingests):7.3f} s   {ratio:.2f} x the bare insert (target 2.5)")
print(f"ingest, peak memory                         {median(memory):7.0f} MB  (target 400)")
print(f"event file of {POINTS} scalars            {median(points):7.3f} s   "
      f"{median([a / b for a, b in zip(points, point_inserts)]):.2f} x the bare insert of as many rows")
print(f"the same, peak memory                       {median(point_memory):7.0f} MB")
print(f"store                                       {size:7.2f} x the capture")
print(f"report --json of the capture, no store      {median(direct):7.3f} s")
print(f"report --json from the store, process       {1000 * median(reports):7.1f} ms  (target 30)")
print(f"tfprof --version, process                   {1000 * median(starts):7.1f} ms")
if ratio > 2.5 or median(memory) > 400 or median(reports) > 0.030:
    sys.exit("bench: a target is missed")
