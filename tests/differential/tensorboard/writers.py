"""Event files of every plugin, by tensorboardX and by TensorBoard's own messages: writers.py FOLDER. What real runs seldom hold together."""
import os
import struct
import sys

import numpy
from tensorboard.compat.proto import event_pb2, graph_pb2, meta_graph_pb2, summary_pb2
from tensorboard.plugins.audio import metadata as audio_metadata
from tensorboard.plugins.histogram import metadata as histogram_metadata
from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2
from tensorboard.plugins.mesh import metadata as mesh_metadata
from tensorboard.plugins.mesh import plugin_data_pb2 as mesh_pb2
from tensorboard.plugins.pr_curve import metadata as pr_metadata
from tensorboard.plugins.scalar import metadata as scalar_metadata
from tensorboard.summary.writer.record_writer import RecordWriter
from tensorboard.util import tensor_util
from tensorboardX import SummaryWriter


class Events:
    """One event file; a version record first unless told otherwise."""
    def __init__(self, folder, name, version='brain.Event:2'):
        os.makedirs(folder, exist_ok=True)
        self.file = open(os.path.join(folder, 'events.out.tfevents.' + name), 'wb')
        self.out, self.clock = RecordWriter(self.file), 1000.0
        if version:
            self.put(event_pb2.Event(file_version=version))

    def put(self, event, wall=None):
        self.clock += 1
        event.wall_time = self.clock if wall is None else wall
        self.out.write(event.SerializeToString())
        self.out.flush()

    def value(self, step, tag, wall=None, **fields):
        self.put(event_pb2.Event(step=step, summary=summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, **fields)])), wall)

    def tensor(self, step, tag, array, metadata=None, wall=None):
        self.value(step, tag, wall, tensor=tensor_util.make_tensor_proto(array), metadata=metadata)

    def start(self, step):
        self.put(event_pb2.Event(step=step, session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START)))


def wav(rate, channels, frames):
    data = b'\0\0' * channels * frames
    return (b'RIFF' + struct.pack('<I', 36 + len(data)) + b'WAVEfmt ' + struct.pack('<IHHIIHH', 16, 1, channels, rate, rate * 2 * channels,
            2 * channels, 16) + b'data' + struct.pack('<I', len(data)) + data)


def write_tensorboardx(folder):
    rng = numpy.random.default_rng(7)
    w = SummaryWriter(os.path.join(folder, 'tensorboardX'))
    for step in range(5):
        w.add_scalar('loss', 1 / (step + 1), step)
        w.add_histogram('weights', rng.normal(size=200), step)
        w.add_text('note', f'step {step} — *ünicode*', step)
        w.add_pr_curve('curve', rng.integers(0, 2, 50), rng.random(50), step, num_thresholds=127)
    w.add_scalars('both', {'a': 1.5, 'b': 2.5}, 0)
    w.add_image('picture', rng.random((3, 8, 16)), 0)
    w.add_mesh('mesh', rng.random((1, 7, 3)), colors=rng.integers(0, 255, (1, 7, 3)), faces=rng.integers(0, 7, (1, 4, 3)), global_step=0)
    w.add_custom_scalars({'Losses': {'one': ['Multiline', ['loss', 'both/.*']], 'two': ['Margin', ['loss', 'both/a', 'both/b']]}})
    w.add_hparams({'lr': 0.1, 'opt': 'adam', 'amp': True}, {'accuracy': 0.9}, name='trial')
    w.close()


def write_tensors(folder):
    e = Events(os.path.join(folder, 'tensors'), '1000.a')
    scalar = scalar_metadata.create_summary_metadata('', '')
    for dtype in ('float16', 'float32', 'float64', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'bool'):
        e.tensor(0, 'scalar/' + dtype, numpy.array(1, dtype), scalar)
        e.tensor(0, 'tensor/' + dtype, numpy.array([[0, 1], [1, 0]], dtype))
    e.tensor(0, 'long', numpy.arange(4097.0))
    e.tensor(0, 'limit', numpy.arange(4096.0))
    histogram = histogram_metadata.create_summary_metadata('', '')
    e.tensor(0, 'histogram/none', numpy.zeros((0, 3)), histogram)
    e.tensor(0, 'histogram/constant', numpy.ones((5, 3)), histogram)
    repeated = tensor_util.make_tensor_proto(numpy.ones((5, 3)))
    repeated.ClearField('tensor_content')
    del repeated.double_val[:]
    repeated.double_val.append(2)
    e.value(0, 'histogram/repeated', tensor=repeated, metadata=histogram)
    audio = audio_metadata.create_summary_metadata('', '', audio_metadata.Encoding.Value('WAV'))
    e.tensor(0, 'audio/labels', numpy.array([[wav(8000, 2, 5), b'first'], [wav(8000, 1, 3), b'second']], object), audio)
    e.tensor(0, 'audio/plain', numpy.array([wav(8000, 2, 5), wav(16000, 1, 3)], object), audio)
    e.value(0, 'audio/old', audio=summary_pb2.Summary.Audio(sample_rate=8000, num_channels=1, length_frames=3, encoded_audio_string=wav(8000, 1, 3)))
    e.tensor(3, 'curve', numpy.arange(18.0).reshape(6, 3), pr_metadata.create_summary_metadata('', '', 3))
    e.tensor(3, 'point_VERTEX', numpy.zeros((1, 1, 1), 'float32'),
             mesh_metadata.create_summary_metadata('point', '', mesh_pb2.MeshPluginData.VERTEX, 1, [1, 1, 1]))
    node = summary_pb2.Summary.Value(node_name='before/plugins', tensor=tensor_util.make_tensor_proto(numpy.arange(3.0)))
    e.put(event_pb2.Event(step=1, summary=summary_pb2.Summary(value=[node])))


def write_graphs(folder):
    def graph(names):
        g = graph_pb2.GraphDef()
        for i, name in enumerate(names):
            n = g.node.add(name=name, op='Add', device='/job:w/device:GPU:%d' % i, input=names[:i])
            shapes = n.attr['_output_shapes'].list
            shapes.shape.add().dim.add(size=-1)
            shapes.shape.add(unknown_rank=True)
            shapes.shape.add()
        f = g.library.function.add()
        f.signature.name = 'f'
        f.node_def.add(name='inside', op='Mul').attr['shape'].shape.dim.add(size=4)
        return g.SerializeToString()
    e = Events(os.path.join(folder, 'graphs'), '1000.a')
    meta = meta_graph_pb2.MetaGraphDef()
    meta.graph_def.ParseFromString(graph(['meta']))
    e.put(event_pb2.Event(meta_graph_def=meta.SerializeToString()))
    e.put(event_pb2.Event(graph_def=graph(['a', 'b'])))
    e.put(event_pb2.Event(graph_def=graph(['a', 'b', 'c'])))
    e = Events(os.path.join(folder, 'meta_graph'), '1000.a')
    e.put(event_pb2.Event(meta_graph_def=meta.SerializeToString()))


def write_restarts(folder):
    """A run that was restarted twice, once within a file and once in another; tags of every kind; steps that come again or do not."""
    histogram = histogram_metadata.create_summary_metadata('', '')
    first, later = Events(os.path.join(folder, 'restarts'), '1000.a'), Events(os.path.join(folder, 'restarts'), '1100.a')
    later.clock = 2000.0
    for e, begin, end in ((first, 0, 10), (first, 5, 8), (later, 3, 6)):
        e.start(begin)
        for step in range(begin, end):
            e.value(step, 'loss', simple_value=step)
            e.tensor(step, 'h', numpy.full((1, 3), step, 'float32'), histogram)
            e.tensor(step, 't', numpy.arange(step + 2.0))
            e.value(step, 'picture', image=summary_pb2.Summary.Image(height=1, width=1, encoded_image_string=b'\x89PNG'))
    old = Events(os.path.join(folder, 'unversioned'), '1000.a', version=None)
    for begin, end in ((0, 10), (4, 7)):  # the later part does not reach as far: TensorBoard shows no step beyond
        for step in range(begin, end):
            old.value(step, 'loss', simple_value=step)
    for step in range(10):
        old.value(step, 'other', simple_value=step)


def write_search(folder):
    """An experiment at the root, trials below it; one declares nothing and one breaks off."""
    e = Events(os.path.join(folder, 'search'), '1000.a')
    experiment = api_pb2.Experiment(name='sweep', description='two trials', user='u', time_created_secs=5)
    lr = experiment.hparam_infos.add(name='lr', display_name='rate', type=api_pb2.DATA_TYPE_FLOAT64)
    lr.domain_interval.max_value = 0.5
    opt = experiment.hparam_infos.add(name='opt', type=api_pb2.DATA_TYPE_STRING)
    opt.domain_discrete.extend(['adam', 'sgd'])
    experiment.metric_infos.add(name=api_pb2.MetricName(tag='acc'), display_name='accuracy')
    experiment.metric_infos.add(name=api_pb2.MetricName(tag='acc', group='validation'), dataset_type=api_pb2.DATASET_VALIDATION)
    put = lambda out, tag, data: out.value(0, tag, metadata=summary_pb2.SummaryMetadata(plugin_data=summary_pb2.SummaryMetadata.PluginData(
        plugin_name='hparams', content=plugin_data_pb2.HParamsPluginData(version=0, **data).SerializeToString())))
    put(e, '_hparams_/experiment', {'experiment': experiment})
    for i in range(2):
        trial = Events(os.path.join(folder, 'search', 'trial%d' % i), '1000.a')
        start = plugin_data_pb2.SessionStartInfo(group_name='g%d' % i, start_time_secs=10 + i, monitor_url='http://m', model_uri='m')
        start.hparams['lr'].number_value = 0.1 * i
        start.hparams['opt'].string_value = 'adam'
        start.hparams['amp'].bool_value = i == 1
        put(trial, '_hparams_/session_start_info', {'session_start_info': start})
        for step in range(3):
            trial.value(step, 'acc', simple_value=step + i)
            trial.value(step, 'not declared', simple_value=1)
        if i == 0:
            validation = Events(os.path.join(folder, 'search', 'trial0', 'validation'), '1000.a')
            validation.value(2, 'acc', simple_value=0.25)
            put(trial, '_hparams_/session_end_info', {'session_end_info': plugin_data_pb2.SessionEndInfo(status=1, end_time_secs=20)})


if __name__ == '__main__':
    for write in (write_tensorboardx, write_tensors, write_graphs, write_restarts, write_search):
        write(sys.argv[1])
