"""Random small captures: what happened, as plain Python, and the same as the bytes of an XSpace."""
import random
import struct

US = 10**6  # ps


def varint(n):
    n &= 2**64 - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def data(field, b):
    return varint(field << 3 | 2) + varint(len(b)) + b


def text(field, s):
    return data(field, s.encode())


class Event:
    """An event in session time (ps). `step` is the index of the step that it belongs to by its ids, None: to none."""

    def __init__(self, name, start, dur, step=None, **stats):
        self.name, self.start, self.dur, self.step, self.stats = name, start, dur, step, stats

    @property
    def end(self):
        return self.start + self.dur


class Line:
    def __init__(self, name, timestamp_ns):
        self.name, self.timestamp_ns, self.events = name, timestamp_ns, []

    def add(self, *args, **stats):
        self.events.append(Event(*args, **stats))
        return self.events[-1]


class Capture:
    """planes: name → list of lines. steps: the markers, in order. span: (begin, end) in ps if the file tells it. start_ns: the wall
    clock of session time 0. relative: times of lines count from there."""

    def __init__(self):
        self.planes, self.steps, self.span = {}, [], None

    def lines(self, prefix):
        return [line for name, lines in self.planes.items() if name.startswith(prefix) for line in lines]

    def encode(self):
        base_ns = 0 if self.relative else self.start_ns
        return b''.join(data(1, encode_plane(i, name, lines, base_ns)) for i, (name, lines) in enumerate(self.planes.items())) + (
            data(1, encode_environment(self.start_ns, self.span)) if self.span else b'')


def encode_stat(names, name, value):
    meta = names.setdefault(name, len(names) + 1)
    body = number(1, meta)
    if isinstance(value, float):
        body += varint(2 << 3 | 1) + struct.pack('<d', value)
    elif isinstance(value, str):
        body += text(5, value)
    else:
        body += number(3 if name in ('correlation_id', 'device_id', 'addr') else 4, value)
    return body


def encode_plane(plane_id, name, lines, base_ns):
    metas, names, body = {}, {}, number(1, plane_id) + text(2, name)
    for i, line in enumerate(lines):
        encoded = number(1, i + 1) + text(2, line.name) + number(3, base_ns + line.timestamp_ns)
        for e in line.events:
            meta = metas.setdefault(e.name, len(metas) + 1)
            event = number(1, meta) + number(2, e.start - line.timestamp_ns * 1000) + number(3, e.dur)
            encoded += data(4, event + b''.join(data(4, encode_stat(names, k, v)) for k, v in e.stats.items()))
        body += data(3, encoded)
    for k, v in metas.items():
        body += data(4, number(1, v) + data(2, number(1, v) + text(2, k)))
    for k, v in names.items():
        body += data(5, number(1, v) + data(2, number(1, v) + text(2, k)))
    return body


def encode_environment(start_ns, span):
    names = {}
    stats = b''.join(data(6, encode_stat(names, k, v)) for k, v in (
        ('profile_start_time', start_ns), ('profile_stop_time', start_ns + span[1] // 1000)))
    return text(2, 'Task Environment') + stats + b''.join(
        data(5, number(1, v) + data(2, number(1, v) + text(2, k))) for k, v in names.items())


KERNELS = ('gemm', 'gemm_half', 'relu_fp16', 'ncclDevKernel_AllReduce', 'MemcpyH2D', 'MemcpyD2H', 'MemcpyD2D', 'MemcpyHToD', 'Memset')
HOST_OPS = ('dense/MatMul:MatMul', 'a/Relu:Relu', 'Iterator::Model::Map', 'python_fn', 'IteratorGetNext', 'IteratorGetNext:IteratorGetNext',
            'MultiDeviceIteratorGetNext:MultiDeviceIteratorGetNext', 'MemcpyHToH', 'MemcpyHToD', 'EagerExecute: x', 'Iterator::Model')


def fill(rng, line, step, start, end, depth):
    """Properly nested events between start and end; returns nothing."""
    at = start
    while at < end and rng.random() < 0.8:
        begin = at + rng.randrange(0, max(1, (end - at) // 2))
        dur = rng.randrange(0, max(1, end - begin))
        line.add(rng.choice(HOST_OPS), begin, dur, step)
        if depth < 3 and dur > 10 and rng.random() < 0.5:
            fill(rng, line, step, begin, begin + dur, depth + 1)
        at = begin + dur + rng.choice((0, 0, rng.randrange(1, 50 * US)))


def run_device(rng, capture, launches):
    """Work of the launches on their devices, and some that nobody launched."""
    gpus = rng.randrange(1, 4)
    for g in range(gpus):
        capture.planes['/device:GPU:%d' % g] = [Line('Stream #%d' % s, rng.randrange(0, 3)) for s in range(rng.randrange(1, 4))]
    for i, (step, at) in enumerate(launches):
        g = rng.randrange(gpus)
        line = rng.choice(capture.planes['/device:GPU:%d' % g])
        start = max([at + rng.randrange(0, 300 * US), *(e.end for e in line.events)]) # a stream does one thing at a time
        line.add(rng.choice(KERNELS), start, rng.randrange(1, 400 * US), step, correlation_id=1000 + i)
    for line in capture.lines('/device:GPU'):
        if rng.random() < 0.3:
            line.add('gemm', max([3000, *(e.end for e in line.events)]) + rng.randrange(0, 500 * US), rng.randrange(1, 50 * US), None, correlation_id=10**6 + rng.randrange(10**6))


def run_memory(rng, capture, line, end):
    """Allocations and frees of up to two allocators, times ascending on the line."""
    state = {name: dict(live={}, heap=rng.choice((0, 0, 4096)), peak=0) for name in rng.sample(('GPU_0_bfc', 'cpu', 'mklcpu'), rng.randrange(1, 3))}
    at = 3000
    while at < end and rng.random() < 0.97:
        at += rng.randrange(1, 200 * US)
        name = rng.choice(list(state))
        s = state[name]
        stats = dict(allocator_name=name)
        if s['live'] and rng.random() < 0.45:
            addr = rng.choice(list(s['live']))
            size, requested = s['live'].pop(addr)
            s['heap'] -= size
            event = 'MemoryDeallocation'
        else:
            addr, requested = rng.randrange(1, 2**63), rng.randrange(1, 5000)
            size = (requested + 255) // 256 * 256
            s['live'][addr] = (size, requested)
            s['heap'] += size
            event = 'MemoryAllocation'
            stats.update(tf_op=rng.choice(('dense/MatMul', 'b/Relu', 'c')), shape=rng.choice(('[2,3]', '[7]')), data_type=rng.choice((1, 3)),
                         region_type=rng.choice(('output', 'temp')))
        stack = rng.choice((0, 0, 512))
        s['peak'] = max(s['peak'], s['heap'] + stack)
        line.add(event, at, 0, None, bytes_reserved=stack, bytes_allocated=s['heap'], bytes_available=10**6 - s['heap'], peak_bytes_in_use=s['peak'],
                 requested_bytes=requested, allocation_bytes=size, addr=addr, fragmentation=rng.choice((0.0, 0.25)), **stats)


def random_capture(seed):
    rng = random.Random(seed)
    c = Capture()
    c.start_ns, c.relative = 1_700_000_000_000_000_000 + rng.randrange(0, 10**9), rng.random() < 0.5
    main, executor, other = (Line(n, rng.randrange(0, 3)) for n in ('main', 'executor', 'other'))
    c.planes['/host:CPU'] = [main, executor, other]
    at, launches, has_device = 3000, [], rng.random() < 0.7
    for i in range(rng.randrange(0, 9)):
        at += rng.choice((0, rng.randrange(1, 300 * US)))
        dur = rng.randrange(300 * US, 1200 * US) * (4 if i == 0 and rng.random() < 0.3 else 1)
        marker = main.add('train', at, dur, i, step_num=10 + i, _r=1)
        c.steps.append(marker)
        begin = at + rng.randrange(1, dur // 4)
        call = main.add('FunctionRun', begin, dur - (begin - at) - rng.randrange(1, dur // 4), i, _pt=2, _p=i)
        if rng.random() < 0.8:
            fill(rng, main, i, call.start, call.end, 0)
        start = call.start + rng.randrange(0, call.dur // 3)
        process = executor.add('ExecutorState::Process', start, rng.randrange(10, call.end - start), i, _ct=2, _c=i)
        fill(rng, executor, i, process.start, process.start + process.dur // 2, 0)
        for k in range(rng.randrange(0, 4) if has_device else 0):
            begin = process.start + process.dur // 2 + k * (process.dur // 10)
            executor.add('cuLaunchKernel', begin, process.dur // 12, i, correlation_id=1000 + len(launches))
            launches.append((i, begin))
        at += dur
    fill(rng, other, None, 3000, max(at, 4000 * US), 0)
    if launches:
        run_device(rng, c, launches)
    if rng.random() < 0.6:
        memory = Line('memory', rng.randrange(0, 3))
        run_memory(rng, c, memory, max(at, 1000 * US))
        c.planes['/host:CPU'].append(memory)
    last = max([e.end for lines in c.planes.values() for line in lines for e in line.events], default=0)
    if c.steps and rng.random() < 0.3:
        cut = c.steps[-1].start + c.steps[-1].dur // 2 if rng.random() < 0.5 else last
        c.span = (0, cut // 1000 * 1000)
    return c
