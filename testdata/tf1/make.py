"""Makes the files beside it, and referee.json, which TensorFlow says of them: python make.py FOLDER (TensorFlow 2.21, CPU).

31 steps of a small model under TF 1's Session, of which each tenth is traced with FULL_TRACE. Of the traced ones the RunMetadata goes into
the event file; of step 10 it is kept alone, and as Timelines without and with memory.
"""
import json
import os
import re
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import timeline

v1 = tf.compat.v1
v1.disable_eager_execution()
out = sys.argv[1]
rng = np.random.RandomState(0)


def op_of(label):
    m = re.match(r'(.*) = (.*)\((.*)\)', label)
    return m.group(2) if m else None


def nodes(m):
    """Times as the Timeline shows them, and bytes as the protobuf has them."""
    return [[d.device, n.node_name, op_of(n.timeline_label), n.all_start_micros, n.all_end_rel_micros,
             sum(max(o.tensor_description.allocation_description.requested_bytes, o.tensor_description.allocation_description.allocated_bytes)
                 for o in n.output) if n.output else None,
             sum(u.peak_bytes for u in n.memory) if n.memory else None, n.memory_stats.temp_memory_size if n.HasField('memory_stats') else None]
            for d in m.step_stats.dev_stats for n in d.node_stats]


def ops(m):
    """Count and nanoseconds of each op whose name is one (those of the runtime begin with an underscore)."""
    sums = {}
    for d in m.step_stats.dev_stats:
        for n in d.node_stats:
            if not n.node_name.startswith('_'):
                s = sums.setdefault(n.node_name, [0, 0])
                s[0] += 1
                s[1] += n.all_end_rel_nanos
    return sums


def step_ns(m):
    spans = [(n.all_start_nanos, n.all_start_nanos + n.all_end_rel_nanos) for d in m.step_stats.dev_stats for n in d.node_stats]
    return max(e for _, e in spans) - min(s for s, _ in spans)


def allocated(m):
    """The most that the allocations of the step summed to, by allocator."""
    changes = {}
    for d in m.step_stats.dev_stats:
        for n in d.node_stats:
            for u in n.memory:
                for r in u.allocation_records:
                    changes.setdefault(u.allocator_name, []).append((r.alloc_micros, r.alloc_bytes))
    peaks = {}
    for name, list_ in changes.items():
        level = peaks[name] = 0
        for _, bytes_ in sorted(list_):
            level += bytes_
            peaks[name] = max(peaks[name], level)
    return peaks


def profiled(graph, m):
    """Peaks by TensorFlow's own profiler, of nodes whose name holds no other's."""
    options = v1.profiler.ProfileOptionBuilder(v1.profiler.ProfileOptionBuilder.time_and_memory()).with_empty_output().build()
    found = {}

    def walk(node):
        if not node.children:
            found[node.name] = node.peak_bytes
        for child in node.children:
            walk(child)
    walk(v1.profiler.profile(graph, run_meta=m, cmd='scope', options=options))
    return found


graph = tf.Graph()
referee = {'steps': {}}
with graph.as_default():
    x = v1.placeholder(tf.float32, [64, 128], name='x')
    w1, w2 = v1.get_variable('w1', [128, 256]), v1.get_variable('w2', [256, 16])
    hidden = tf.nn.relu(tf.matmul(x, w1, name='mm1'), name='act')
    loss = tf.reduce_mean(tf.square(tf.matmul(hidden, w2, name='mm2')), name='loss')
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    summary = v1.summary.scalar('loss', loss)
    with v1.Session(config=v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=2)) as session:
        session.run(v1.global_variables_initializer())
        writer = v1.summary.FileWriter(out)
        for i in range(31):
            full = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE) if i % 10 == 0 else None
            m = v1.RunMetadata() if full else None
            _, s = session.run([train, summary], {x: rng.rand(64, 128)}, options=full, run_metadata=m)
            writer.add_summary(s, i)
            if not m:
                continue
            writer.add_run_metadata(m, 'step%d' % i, i)
            referee['steps'][i] = {'nodes': nodes(m), 'ops': ops(m), 'step_ns': step_ns(m), 'allocated': allocated(m)}
            if i != 10:
                continue
            referee['profiled'] = profiled(graph, m)
            with open(out + '/run_metadata_10.pb', 'wb') as f:
                f.write(m.SerializeToString())
            with open(out + '/timeline_10.json', 'w') as f:
                f.write(timeline.Timeline(m.step_stats).generate_chrome_trace_format())
            t = timeline.Timeline(m.step_stats)
            with open(out + '/timeline_memory_10.json', 'w') as f:
                f.write(t.generate_chrome_trace_format(show_memory=True))
            referee['tensors'] = {name: [a.num_bytes, sorted(a.tensors)] for name, a in t._allocator_maximums.items()}
        writer.close()
for name in os.listdir(out):
    if 'tfevents' in name:
        os.rename(out + '/' + name, out + '/events.out.tfevents.%s.host' % name.split('.')[3])
with open(out + '/referee.json', 'w') as f:
    json.dump(referee, f, separators=(',', ':'))
