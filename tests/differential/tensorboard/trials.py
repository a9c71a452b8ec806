"""Trials of hyperparameter searches as TensorBoard's hparams plugin lists them, against hparam_trial: trials.py TFPROF WORK FOLDER…

TensorBoard knows one experiment a log folder, tfprof the nearest one: each FOLDER holds one search. Of a trial in the folder itself ('.')
TensorBoard does not find the runs below, since they do not begin with './'; there tfprof's metrics are more.
"""
import json
import logging
import os
import sqlite3
import subprocess
import sys

from tensorboard import context
from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups

logging.disable(logging.CRITICAL)
STATUS = {1: 'success', 2: 'failure', 3: 'running'}


def theirs_of(folder):
    """{run: (group, status, start, end, hparams, {metric: (step, value)})} by the plugin."""
    multiplexer = plugin_event_multiplexer.EventMultiplexer()
    multiplexer.AddRunsFromDirectory(folder)
    multiplexer.Reload()
    provider = data_provider.MultiplexerDataProvider(multiplexer, folder)
    backend = backend_context.Context(base_plugin.TBContext(data_provider=provider))
    request = api_pb2.ListSessionGroupsRequest(start_index=0, slice_size=1000, allowed_statuses=[0, 1, 2, 3])
    groups = list_session_groups.Handler(context.RequestContext(), backend, '', request).run().session_groups
    found = {}
    for group in groups:
        hparams = {name: getattr(v, v.WhichOneof('kind')) for name, v in group.hparams.items()}
        for s in group.sessions:
            values = {'/'.join(filter(None, (m.name.group, m.name.tag))): (m.training_step, m.value) for m in s.metric_values}
            found[s.name] = (group.name, STATUS.get(s.status), s.start_time_secs or None, s.end_time_secs or None, hparams, values)
    return found


def ours_of(db):
    found = {}
    for run, group, status, start, end, hparams in db.execute(
            'SELECT run, "group", status, start_wall_time, end_wall_time, hparams FROM hparam_trial').fetchall():
        values = {'/'.join(filter(None, (part, tag))): (step, value) for part, tag, step, value in
                  db.execute('SELECT part, tag, step, value FROM hparam_metric WHERE run = ? AND step IS NOT NULL', (run,))}
        found[run] = (group, status, start or None, end or None, json.loads(hparams), values)
    return found


def main():
    tfprof, work, *folders = sys.argv[1:]
    faults = trials = metrics = 0
    for folder in folders:
        store = os.path.join(work, 'trials.db')
        if os.path.exists(store):
            os.remove(store)
        subprocess.run([tfprof, 'ingest', '--db', store, folder], capture_output=True)
        theirs, ours = theirs_of(folder), ours_of(sqlite3.connect(store))
        if '.' in theirs and '.' in ours:
            kept = {name: value for name, value in ours['.'][5].items() if name in theirs['.'][5]}
            ours['.'] = ours['.'][:5] + (kept,)
        for run in sorted(theirs.keys() | ours.keys()):
            trials += run in theirs
            metrics += len(theirs[run][5]) if run in theirs else 0
            if theirs.get(run) != ours.get(run):
                faults += 1
                print(f'# {folder}: {run}: TensorBoard {theirs.get(run)}, tfprof {ours.get(run)}')
    print(f'# {trials} trials with {metrics} metrics compared')
    sys.exit(1 if faults or not trials else 0)


if __name__ == '__main__':
    main()
