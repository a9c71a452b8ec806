"""What TensorBoard's EventAccumulator reads of event files, against what tfprof keeps of them: accumulator.py TFPROF WORK FOLDER…

Each file alone, nothing purged: every point of every kind, its tag, step, time and value. Then each run as a folder, purged as
TensorBoard does it: tfprof keeps what is purged and marks it. Differences that are meant are counted by reason; others fail.
"""
import collections
import json
import logging
import math
import os
import sqlite3
import subprocess
import sys

import numpy
from tensorboard.backend.event_processing import event_accumulator as ea
from tensorboard.backend.event_processing import io_wrapper
from tensorboard.backend.event_processing import plugin_event_accumulator as pea
from tensorboard.compat.proto import config_pb2
from tensorboard.compat.proto import types_pb2
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.hparams import plugin_data_pb2 as hparams_pb2
from tensorboard.util import tensor_util

logging.disable(logging.CRITICAL)
EVERYTHING = ea.STORE_EVERYTHING_SIZE_GUIDANCE
TENSOR_LIMIT = 4096  # values that `tensor.value` keeps: TF_LIMIT_TENSOR_VALUES


def number(x):
    """A number that compares equal to itself, NaN too."""
    x = float(x)
    return 'nan' if math.isnan(x) else x


def words(b):
    return b.decode('utf-8', 'replace') if isinstance(b, bytes) else b


def clock(t):
    return t if math.isfinite(t) else None


def histogram_buckets(h):
    """Edges as TensorBoard's own bars have them: the first bucket begins at the minimum."""
    rights = list(h.bucket_limit)
    lefts = [h.min] + rights[:-1]
    return tuple((number(a), number(b), number(c)) for a, b, c in zip(lefts, rights, h.bucket))


def numbers_of(proto):
    """The tensor as an array; bfloat16, which stock TensorBoard has no type for, as its upper halves of float32."""
    if proto.dtype != types_pb2.DT_BFLOAT16:
        return tensor_util.make_ndarray(proto)
    halves = numpy.array(proto.half_val, dtype='uint32') if proto.half_val else numpy.frombuffer(proto.tensor_content, dtype='<u2')
    return (halves.astype('uint32') << 16).view('float32')


def curves_of(data):
    """A row for each curve of a custom scalars layout."""
    for category in layout_pb2.Layout.FromString(data).category:
        for chart in category.chart:
            head = (category.title or None, chart.title or None)
            for tag in chart.multiline.tag:
                yield head + ('multiline', tag, None, None)
            for x in chart.margin.series:
                yield head + ('margin', x.value, x.lower, x.upper)


def nodes_of(graph):
    """A row for each node of a graph and of its functions."""
    for function, nodes in [(None, graph.node)] + [(f.signature.name, f.node_def) for f in graph.library.function]:
        for n in nodes:
            shapes = None
            if '_output_shapes' in n.attr:
                shapes = [shape_of(x) for x in n.attr['_output_shapes'].list.shape]
            elif n.attr['shape'].HasField('shape') if 'shape' in n.attr else False:
                shapes = [shape_of(n.attr['shape'].shape)]
            yield (function, n.name or None, n.op or None, n.device or None, shapes, list(n.input))


def shape_of(proto):
    return None if proto.unknown_rank else [d.size for d in proto.dim]


def traced_nodes_of(data):
    for functions in config_pb2.RunMetadata.FromString(data).function_graphs:
        yield from nodes_of(functions.pre_optimization_graph)


def graph_points(accumulator):
    """The nodes of the graph that TensorBoard would draw."""
    try:
        return collections.Counter(repr(n) for n in nodes_of(accumulator.Graph()))
    except ValueError:
        return collections.Counter()


def of_tensor(plugin, proto):
    """Rows (kind, content) of a tensor value, by the plugin that its tag is of."""
    array = numbers_of(proto)
    shape = [d.size for d in proto.tensor_shape.dim]
    is_text = array.dtype == object
    if plugin == 'images' and is_text and array.size >= 2:
        flat = [bytes(x) for x in array.ravel()]
        return [('image', (int(flat[0]), int(flat[1]), len(x))) for x in flat[2:]]
    if plugin == 'audio' and is_text:
        stride = math.prod(shape[1:])
        return [('audio', (len(bytes(x)),)) for x in list(array.ravel())[::stride]]
    if is_text and plugin == 'custom_scalars':
        return [('chart', c) for x in array.ravel() for c in curves_of(bytes(x))]
    if is_text and plugin in ('graph_run_metadata', 'graph_run_metadata_graph'):
        return [('node', n) for x in array.ravel() for n in traced_nodes_of(bytes(x))]
    if is_text:
        return [('text', '\n'.join(words(bytes(x)) for x in array.ravel()))] if array.size else []
    if plugin == 'histograms':
        rows = tuple(tuple(number(x) for x in row) for row in array.reshape(-1, 3))
        return [('histogram', (number(array.reshape(-1, 3)[:, 2].sum(dtype='float64')), rows))]
    if array.size == 1 and plugin not in ('pr_curves', 'mesh'):
        return [('scalar', number(array.ravel()[0]))]
    return [('tensor', (shape, [number(x) for x in array.ravel()] if array.size <= TENSOR_LIMIT else None))]


def points_of(accumulator):
    """All points of an accumulator as a multiset of (kind, tag, step, wall time, content)."""
    found = collections.Counter()
    add = lambda kind, tag, e, content: found.update([(kind, tag, e.step, clock(e.wall_time), repr(content))])
    tags = accumulator.Tags()
    for tag in tags['scalars']:
        for e in accumulator.Scalars(tag):
            add('scalar', tag, e, number(e.value))
    for tag in tags['histograms']:
        for e in accumulator.Histograms(tag):
            h = e.histogram_value
            add('histogram', tag, e, (number(h.num), histogram_buckets(h)))
    for tag in tags['images']:
        for e in accumulator.Images(tag):
            add('image', tag, e, (e.width, e.height, len(e.encoded_image_string)))
    for tag in tags['audio']:
        for e in accumulator.Audio(tag):
            add('audio', tag, e, (len(e.encoded_audio_string),))
    for tag in tags['tensors']:
        metadata = accumulator.summary_metadata.get(tag)
        plugin = metadata.plugin_data.plugin_name if metadata else ''
        if plugin == 'hparams':
            continue
        for e in accumulator.Tensors(tag):
            for kind, content in of_tensor(plugin, e.tensor_proto):
                add(kind, tag, e, content)
    return found


NONFINITE = {'nan': 'nan', 'inf': math.inf, '-inf': -math.inf}
QUERIES = {
    'scalar': 'SELECT tag, step, wall_time, "offset", {marks}, coalesce(nonfinite, value) FROM scalar WHERE {where}',
    'histogram': 'SELECT tag, step, wall_time, "offset", {marks}, count, buckets FROM histogram WHERE {where}',
    'image': 'SELECT tag, step, wall_time, "offset", {marks}, width, height, bytes FROM media WHERE kind = \'image\' AND {where}',
    'audio': 'SELECT tag, step, wall_time, "offset", {marks}, bytes FROM media WHERE kind = \'audio\' AND {where}',
    'text': 'SELECT tag, step, wall_time, "offset", {marks}, value FROM text WHERE {where}',
    'tensor': 'SELECT tag, step, wall_time, "offset", {marks}, shape, value FROM tensor WHERE {where}',
    'chart': 'SELECT \'custom_scalars__config__\', step, wall_time, "offset", 0, 0, category, title, kind, tag, lower, upper'
             ' FROM custom_scalar_chart WHERE {where}',
    'node': 'SELECT tag, step, wall_time, "offset", 0, 0, function, name, op, device, shape, inputs FROM graph_node'
            ' WHERE kind = \'function\' AND {where}',
}


def content_of(kind, cells):
    if kind == 'scalar':
        return NONFINITE[cells[0]] if isinstance(cells[0], str) else number(cells[0])
    if kind == 'histogram':
        edge = lambda x: math.nan if x is None else x
        return (number(cells[0]), tuple(tuple(number(edge(x)) for x in b) for b in json.loads(cells[1])))
    if kind == 'tensor':
        values = None if cells[1] is None else [number(math.nan if x is None else x) for x in json.loads(cells[1])]
        return (json.loads(cells[0]), values)
    if kind == 'node':
        return tuple(cells[:4]) + (cells[4] and json.loads(cells[4]), json.loads(cells[5]))
    return cells[0] if kind == 'text' else tuple(cells)


def rows_of(db, where, *args):
    """All rows of the views: (point as in points_of, offset, superseded, orphaned)."""
    for kind, sql in QUERIES.items():
        for tag, step, wall, offset, superseded, orphaned, *cells in db.execute(
                sql.format(marks='superseded, orphaned', where=where), args):
            yield (kind, tag, step, wall, repr(content_of(kind, cells))), offset, superseded, orphaned


def load(path, purge):
    """The accumulator, and what ended its reading early (None: nothing)."""
    accumulator = ea.EventAccumulator(path, EVERYTHING, purge_orphaned_data=purge)
    try:
        accumulator.Reload()
    except Exception as e:  # whatever a damaged record raises inside
        return accumulator, type(e).__name__
    return accumulator, None


class Compared:
    def __init__(self):
        self.points, self.reasons, self.faults, self.files = collections.Counter(), collections.Counter(), [], 0

    def fault(self, path, what, points):
        shown = [str(p)[:200] for p in list(points)[:3]]
        self.faults.append(f'{path}: {what}: {len(points)}, such as {shown}')

    def file(self, db, file_id, path, first_bad):
        """Every point that TensorBoard reads is kept; what is kept beyond lies behind damage that ended TensorBoard's reading."""
        accumulator, ended = load(path, False)
        theirs, ours, kept_behind = points_of(accumulator), collections.Counter(), 0
        self.files += 1
        for point, offset, _, _ in rows_of(db, 'file_id = ?', file_id):
            ours[point] += 1
        self.points.update(p[0] for p in theirs.elements())
        self.graph(db, file_id, path, accumulator)
        missing = theirs - ours
        if missing:
            self.fault(path, 'not kept', missing)
        extra = ours - theirs
        if not extra:
            return
        for point, offset, _, _ in rows_of(db, 'file_id = ?', file_id):
            if point in extra and (ended or (first_bad is not None and offset >= first_bad)):
                kept_behind += 1
                extra[point] -= 1
        self.reasons['kept behind damage'] += kept_behind
        extra = +extra
        if extra:
            self.fault(path, 'kept, but not read by TensorBoard', extra)

    def graph(self, db, file_id, path, accumulator):
        """The last graph of the file, node by node."""
        theirs, ours = graph_points(accumulator), collections.Counter()
        last = db.execute("SELECT \"offset\" FROM graph_node WHERE file_id = ? AND kind <> 'function' ORDER BY kind, \"offset\" DESC"
                          " LIMIT 1", (file_id,)).fetchone()
        for *cells, in db.execute("SELECT function, name, op, device, shape, inputs FROM graph_node WHERE file_id = ? AND \"offset\" = ?"
                                  " AND kind <> 'function'", (file_id, last[0] if last else -1)):
            ours[repr(content_of('node', cells))] += 1
        self.points['graph node'] += sum(theirs.values())
        if ours != theirs:
            self.fault(path, 'graphs differ', (ours - theirs) + (theirs - ours))

    def run(self, db, run, path):
        """What TensorBoard purges of a run is marked, and nothing is marked orphaned that it shows."""
        whole, ended = values_shown(path, False)
        shown, _ = values_shown(path, True)
        if ended:
            self.reasons['runs that end TensorBoard: not compared as a whole'] += 1
            return
        purged = whole - shown
        marked, orphaned, latest = set(), set(), set()
        for (kind, tag, step, wall, _), _, superseded, orphan in rows_of(db, 'run = ?', run):
            if superseded or orphan:
                marked.add((tag, step, wall))
            if orphan:
                orphaned.add((tag, step, wall))
            if not superseded:
                latest.add((kind, tag, step))
            elif (kind, tag, step) not in latest:
                latest.add((kind, tag, step, 'superseded'))
        self.reasons['values that TensorBoard purges, kept and marked'] += len(purged & marked)
        if purged - marked:
            self.fault(path, 'purged by TensorBoard, not marked', purged - marked)
        if orphaned - purged:
            self.fault(path, 'marked as orphaned, shown by TensorBoard', orphaned - purged)
        alone = {v for v in latest if len(v) == 4 and v[:3] not in latest}
        if alone:
            self.fault(path, 'superseded by nothing', alone)


def values_shown(path, purge):
    """{(tag, step, wall time)} of all values that TensorBoard's own plugins get to see, and whether it broke down."""
    accumulator = pea.EventAccumulator(path, {pea.TENSORS: 0}, collections.defaultdict(int), purge)
    try:
        accumulator.Reload()
    except Exception:
        return set(), True
    return {(tag, e.step, clock(e.wall_time)) for tag in accumulator.Tags()['tensors'] for e in accumulator.Tensors(tag)}, False


def hparams_of(path):
    """{name: value} of session_start_info as TensorBoard's own messages hold them."""
    accumulator, _ = load(path, False)
    try:
        content = accumulator.PluginTagToContent('hparams')
    except KeyError:
        return {}
    found = {}
    for data in content.values():
        message = hparams_pb2.HParamsPluginData.FromString(data)
        for name, value in message.session_start_info.hparams.items():
            kind = value.WhichOneof('kind')
            if kind in ('number_value', 'string_value', 'bool_value'):
                found[name] = getattr(value, kind)
    return found


def compare_hparams(compared, db, file_id, path):
    ours = {}
    for name, value, kind in db.execute('SELECT name, value, type FROM hparam WHERE file_id = ?', (file_id,)):
        ours[name] = bool(value) if kind == 'bool' else value
    theirs = hparams_of(path)
    compared.points['hparam'] += len(theirs)
    if ours != theirs:
        compared.fault(path, 'hparams differ', set(map(str, ours.items())) ^ set(map(str, theirs.items())))


def compare_folder(compared, tfprof, work, folder):
    store = os.path.join(work, 'accumulator.db')
    if os.path.exists(store):
        os.remove(store)
    done = subprocess.run([tfprof, 'ingest', '--db', store, folder], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f'ingest {folder}: status {done.returncode}: {done.stderr}')
    db = sqlite3.connect(store)
    runs = {}
    for file_id, path, run, first_bad in db.execute(
            "SELECT file_id, f.path, run.name, first_bad_offset FROM source_file f LEFT JOIN run USING (run_id)"
            " WHERE kind IN ('event_file', 'profile_empty') ORDER BY file_id").fetchall():
        if not io_wrapper.IsSummaryEventsFile(path):
            compared.reasons['files that TensorBoard does not take for event files'] += 1
            continue
        compared.file(db, file_id, path, first_bad)
        compare_hparams(compared, db, file_id, path)
        runs.setdefault(run, set()).add(os.path.dirname(path))
    for run, folders in runs.items():
        for path in folders:
            compared.run(db, run, path)


def main():
    tfprof, work, *folders = sys.argv[1:]
    compared = Compared()
    for folder in folders:
        compare_folder(compared, tfprof, work, folder)
    print(f'# {compared.files} event files, points compared: {dict(sorted(compared.points.items()))}')
    for reason, count in sorted(compared.reasons.items()):
        print(f'# {reason}: {count}')
    for fault in compared.faults:
        print(f'# {fault}')
    sys.exit(1 if compared.faults or not compared.points else 0)


if __name__ == '__main__':
    main()
