#!/usr/bin/env python3
"""trend_sessions.py FOLDER MS…: sessions 01, 02, …, each of six steps that take so long, '-': without a step; 'gpu:' before it: with a
device."""
import json, os, sys

for index, value in enumerate(sys.argv[2:]):
    path = f"{sys.argv[1]}/plugins/profile/{index + 1:02d}/h.trace.json"
    os.makedirs(os.path.dirname(path))
    device, _, ms = value.rpartition(":")
    events = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/host:CPU"}},
              {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "python"}}]
    if device:
        events += [{"ph": "M", "pid": 2, "name": "process_name", "args": {"name": "/device:GPU:0"}},
                   {"ph": "X", "pid": 2, "tid": 7, "name": "gemm", "ts": 1000, "dur": 5}]
    for step in range(6):
        start = 1000 + step * 100000
        if ms == "-":
            events.append({"ph": "X", "pid": 1, "tid": 1, "name": f"once{step}", "ts": start, "dur": 10})
        else:
            events.append({"ph": "X", "pid": 1, "tid": 1, "name": "train", "ts": start, "dur": float(ms) * 1000, "args": {"step_num": str(step)}})
    json.dump({"displayTimeUnit": "ns", "traceEvents": events}, open(path, "w"))
