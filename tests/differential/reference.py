"""METRICS.md a second time: slow and plain, over the events themselves. Shares no code with the program."""
import statistics

PARTS = ('device_compute_16', 'device_compute_32', 'device_to_host', 'device_to_device', 'input_wait', 'device_collectives', 'kernel_launch',
         'host_to_device', 'host_to_host', 'compile', 'host_compute', 'other')


def union(intervals):
    """Sorted, disjoint."""
    out = []
    for a, b in sorted(i for i in intervals if i[0] < i[1]):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def length(intervals, begin=None, end=None):
    return sum(max(0, min(b, end if end is not None else b) - max(a, begin if begin is not None else a)) for a, b in union(intervals))


def common(x, y, begin, end):
    return sum(length([(max(a, begin), min(b, end))], *w) for a, b in union(x) for w in union(y))


# ---- what an event is ----

def device_part(e):
    n = e.name.lower()
    if n.startswith(('memcpyh2d', 'memcpyhtod')):
        return 'host_to_device'
    if n.startswith(('memcpyd2h', 'memcpydtoh')):
        return 'device_to_host'
    if n.startswith(('memcpyd2d', 'memcpydtod')):
        return 'device_to_device'
    if 'nccl' in n:
        return 'device_collectives'
    return 'device_compute_16' if 'half' in n or 'fp16' in n else 'device_compute_32'


def is_wait(e):
    return e.name.startswith(('IteratorGetNext', 'MultiDeviceIteratorGetNext'))


def host_part(e, has_device):
    if 'step_num' in e.stats or e.name.startswith(('EagerExecute', 'FunctionRun')):
        return None  # markers and wrappers
    if e.name.startswith('MemcpyHToD'):
        return 'host_to_device'
    if e.name.startswith('MemcpyHToH'):
        return 'host_to_host'
    if has_device and (e.name.startswith('ExecutorState::Process') or 'correlation_id' in e.stats):
        return 'kernel_launch'
    return 'input_wait' if is_wait(e) else 'host_compute'


class Step:
    pass


def find_steps(c, devices, span):
    steps = []
    for i, m in enumerate(c.steps):
        s = Step()
        s.number, s.host = m.stats['step_num'], (m.start, m.end)
        own = [e for lines in devices.values() for line in lines for e in line.events if e.step == i]
        s.device = (min(e.start for e in own), max(e.end for e in own)) if own else None
        s.begin, s.end = s.device if s.device and s.device[1] - s.device[0] > m.dur else s.host
        s.time = s.end - s.begin
        s.complete = s.begin >= span[0] and s.end <= span[1]
        s.index = i
        steps.append(s)
    steps.sort(key=lambda s: (s.host[0], s.number))
    complete = [s for s in steps if s.complete]
    for s in steps:
        s.warmup = False
    for k, s in enumerate(complete):
        later = [x.time for x in complete[k + 1:]]
        if not later or s.time <= 2 * statistics.median(later):
            break
        s.warmup = True
    for s in steps:
        s.steady = s.complete and not s.warmup
    return steps


def break_down(c, s, host, devices):
    """Each elementary interval of the step goes to the most important part that is then going on."""
    has_device = any(line.events for lines in devices.values() for line in lines)
    work = [(device_part(e), e) for lines in devices.values() for line in lines for e in line.events if e.step == s.index]
    work += [(host_part(e, has_device), e) for line in host for e in line.events if e.step == s.index]
    work = [(PARTS.index(p), e.start, e.end) for p, e in work if p]
    edges = sorted({s.begin, s.end, *[t for _, a, b in work for t in (a, b) if s.begin < t < s.end]})
    parts = dict.fromkeys(PARTS, 0)
    for a, b in zip(edges, edges[1:]):
        active = [p for p, x, y in work if x <= a and b <= y]
        parts[PARTS[min(active)] if active else 'other'] += b - a
    return parts


def percentile(values, p):
    values = sorted(values)
    at = p * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def measure_devices(c, steps, devices):
    steady = [s for s in steps if s.steady]
    spans = [x for s in steady for x in (s.host, s.device) if x]
    out = []
    traced = [p for p, lines in devices.items() if any(line.events for line in lines)]
    for name, lines in devices.items():
        events = [e for line in lines for e in line.events]
        if spans:
            window = (min(a for a, _ in spans), max(b for _, b in spans))
        elif events:
            window = (min(e.start for e in events), max(e.end for e in events))
        else:
            window = None
        d = {'name': name, 'window': window}
        if not events and traced and not window: # idle beside a device that was traced, over that one's window
            other = [e for line in devices[traced[0]] for e in line.events]
            d['window'] = window = (min(e.start for e in other), max(e.end for e in other))
        if not events and not traced:
            out.append(d)
            continue
        kinds = {'busy': events, 'kernel': [e for e in events if device_part(e).startswith('device_compute') and not e.name.startswith('Memset')],
                 'memcpy': [e for e in events if e.name.startswith('Memcpy')], 'comm': [e for e in events if 'nccl' in e.name]}
        for k, v in kinds.items():
            d[k] = length([(e.start, e.end) for e in v], *window)
        d['exposed'] = d['comm'] - common([(e.start, e.end) for e in kinds['comm']], [(e.start, e.end) for e in kinds['kernel']], *window)
        d['idle'] = (window[1] - window[0] - d['busy']) / (window[1] - window[0]) if window[1] > window[0] else None
        out.append(d)
    return out


def measure_memory(host):
    events = [e for line in host for e in line.events if e.name.startswith('Memory')]
    out = {}
    for name in {e.stats['allocator_name'] for e in events}:
        own = sorted((e for e in events if e.stats['allocator_name'] == name), key=lambda e: e.start)
        used = [e.stats['bytes_reserved'] + e.stats['bytes_allocated'] for e in own]
        peak = max(used)
        at = used.index(peak)
        live = {}
        for e in own[:at + 1]:
            if e.name == 'MemoryAllocation':
                live[e.stats['addr']] = e.stats
            else:
                live.pop(e.stats['addr'], None)
        rows = {}
        for s in live.values():
            key = (s['tf_op'], s['shape'], {1: 'float', 3: 'int32'}[s['data_type']], s['region_type'])
            r = rows.setdefault(key, [0, 0, 0])
            r[0] += 1
            r[1] += s['requested_bytes']
            r[2] += s['allocation_bytes']
        stack = own[at].stats['bytes_reserved']
        out[name] = {'peak_bytes': peak, 'ties': used.count(peak) - 1, 'lifetime_peak_bytes': max(e.stats['peak_bytes_in_use'] for e in own),
                     'capacity_bytes': peak + own[at].stats['bytes_available'], 'fragmentation': own[at].stats['fragmentation'],
                     'pre_existing_bytes': peak - stack - sum(r[2] for r in rows.values()), 'rows': rows, 'stack': stack}
    return out


def count_ops(host):
    """Host ops by name: count, total, self. A line's events nest properly."""
    sums, idle = {}, 0
    for line in host:
        order = sorted(range(len(line.events)), key=lambda i: (line.events[i].start, -line.events[i].dur, i))
        ops = [line.events[i] for i in order if op_name(line.events[i].name)]
        own = [e.dur for e in ops]
        for i, e in enumerate(ops):
            around = [k for k in range(i) if ops[k].start <= e.start and ops[k].end >= e.end]
            if around:
                own[around[-1]] -= e.dur
        for e, s in zip(ops, own):
            r = sums.setdefault(op_name(e.name), [0, 0, 0])
            r[0] += 1
            r[1] += e.dur
            r[2] += s
        if ops:
            idle += max(0, max(e.end for e in ops) - min(e.start for e in ops) - sum(own))
    return sums, idle


def op_name(name):
    """The op's name, None where the event is none: "name:Type" of TensorFlow, "Iterator::…" of tf.data, copies."""
    if name.startswith(('Iterator::', 'Memcpy')):
        return name
    head, _, kind = name.partition(':')
    return head if kind[:1].isupper() else None


def drop_absurd(c, span):
    """What lies outside the capture by more than its length takes part in no figure. Returns how many events that are."""
    margin, count = span[1] - span[0], 0
    for lines in c.planes.values():
        for line in lines:
            kept = [e for e in line.events if e.start >= span[0] - margin and e.end <= span[1] + margin]
            count += len(line.events) - len(kept)
            line.events = kept
    c.steps = [m for m in c.steps if m.start >= span[0] - margin and m.end <= span[1] + margin]
    return count


def evaluate(c):
    raw = [e for lines in c.planes.values() for line in lines for e in line.events]
    if not raw:
        return None
    span = c.span or (min(e.start for e in raw), max(e.end for e in raw))
    absurd = drop_absurd(c, span)
    host = c.lines('/host:CPU')
    devices = {k: v for k, v in c.planes.items() if k.startswith('/device:')}
    steps = find_steps(c, devices, span)
    steady = [s for s in steps if s.steady]
    times = [s.time / 1e9 for s in steady]
    m = {'steps.count': len(steps), 'steps.steady_count': len(steady), 'capture.events': len(raw), 'capture.anomalies': absurd,
         'capture.duration_ms': (span[1] - span[0]) / 1e9}
    if steps:
        m['step_time_ms.mean_all'] = sum(s.time for s in steps) / 1e9 / len(steps)
    if times:
        m.update({'step_time_ms.mean': sum(times) / len(times), 'step_time_ms.median': percentile(times, .5), 'step_time_ms.p95': percentile(times, .95),
                  'step_time_ms.min': min(times), 'step_time_ms.max': max(times), 'step_time_ms.stddev': statistics.stdev(times) if len(times) > 1 else 0})
        parts = [break_down(c, s, host, devices) for s in steady]
        for p in PARTS:
            m['step_breakdown_ms.' + p] = sum(x[p] for x in parts) / 1e9 / len(parts)
    waiting = [e for line in host for e in line.events if is_wait(e)]
    if not waiting: # then the root stages of tf.data tell
        waiting = [e for line in host for e in line.events if e.name.startswith('Iterator::') and e.name.count('::') == 1]
    waits = [(e.start, e.end) for e in waiting]
    work = [(e.start, e.end) for lines in devices.values() for line in lines for e in line.events]
    if waiting and times:
        total = sum(s.time for s in steady)
        m['input.share'] = sum(length(waits, s.begin, s.end) for s in steady) / total
        m['input.exposed_share'] = sum(x['input_wait'] + x['host_to_device'] for x in parts) / total
        if work:
            m['input.stall_share'] = sum(length(waits, s.begin, s.end) - common(waits, work, s.begin, s.end) for s in steady) / total
    measured = measure_devices(c, steps, devices)
    known = [d for d in measured if d.get('idle') is not None]
    m['device.count'] = len(measured)
    if known:
        windows = sum(d['window'][1] - d['window'][0] for d in known)
        m.update({'device.idle_ratio.mean': sum(d['idle'] for d in known) / len(known), 'device.idle_ratio.min': min(d['idle'] for d in known),
                  'device.idle_ratio.max': max(d['idle'] for d in known), 'device.busy_ms': sum(d['busy'] for d in known) / 1e9})
        for k, name in (('kernel', 'kernel_ratio'), ('memcpy', 'memcpy_ratio'), ('comm', 'comm_ratio'), ('exposed', 'exposed_comm_ratio')):
            m['device.' + name] = sum(d[k] for d in known) / windows
    kernels = [e for lines in devices.values() for line in lines for e in line.events if not e.name.startswith('Mem')]
    if kernels:
        m['kernels.count'], m['kernels.total_ms'] = len(kernels), sum(e.dur for e in kernels) / 1e9
        m['kernels.distinct'] = len({e.name for e in kernels})
    memory = measure_memory(host)
    on_device = {k: v for k, v in memory.items() if 'cpu' not in k}
    if memory:
        m['memory.peak_bytes'] = max(v['peak_bytes'] for v in (on_device or memory).values())
    ops, idle = count_ops(host)
    return {'metrics': m, 'steps': steps, 'memory': memory, 'ops': ops, 'idle': idle, 'parts': {s.number: break_down(c, s, host, devices) for s in steps}}
