#!/bin/sh
# schema: the views as they are in a store, all of them documented, with the columns of the contract first.
. "$SRC/tests/lib.sh"

ok 'all views' exits 0 "$TFPROF" schema --json
cp out all.json
"$TFPROF" ingest --db a.db "$logs"/tf_hparams
ok 'views and columns are those of a store, in order' python3 - <<'P'
import json, sqlite3
db = sqlite3.connect('a.db')
rows = json.load(open('all.json'))
views = sorted(v for v, in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'") if v[0] != '_') # others are private
assert sorted({r['view'] for r in rows}) == views
for v in views:
    want = [c[1] for c in db.execute('PRAGMA table_info("%s")' % v)]
    assert [r['column'] for r in rows if r['view'] == v and r['column']] == want, v
P
ok 'a view is documented before its columns, once' python3 - <<'P'
import itertools, json
for view, rows in itertools.groupby(json.load(open('all.json')), lambda r: r['view']):
    rows = list(rows)
    assert rows[0]['column'] is None, view
    assert all(r['column'] for r in rows if r is not rows[0]) , view
P
ok 'nothing is without a word' prints True json 'all(r["documentation"].strip() for r in d)' all.json
ok 'columns tell their units' python3 - <<'P'
import json
u = {(r['view'], r['column']): r['unit'] for r in json.load(open('all.json'))}
want = {('step', 'start_ps'): 'ps', ('session', 'start_ns'): 'ns', ('memory_event', 'ps'): 'ps', ('scalar', 'wall_time'): 's', ('scalar', 'offset'): 'B',
        ('run', 'first_wall_time'): 's', ('kernel', 'shared_bytes'): 'B', ('hlo_buffer', 'bytes'): 'B', ('device', 'memory_bytes_per_s'): 'B/s',
        ('device', 'peak_flops'): 'FLOP/s', ('op', 'flops'): 'FLOP', ('finding', 'win_ps_per_step'): 'ps', ('host', 'start_offset_ps'): 'ps',
        ('run_metadata_node', 'dur_us'): 'us', ('media', 'width'): 'px', ('media', 'sample_rate_hz'): 'Hz', ('hparam_trial', 'start_wall_time'): 's', ('step', 'number'): None, ('step', None): None,
        ('device_window', 'idle_ratio'): None, ('metric', 'value'): None, ('input_stage', 'calls'): None, ('line', 'name'): None}
assert {k: u[k] for k in want} == want, {k: (u[k], w) for k, w in want.items() if u[k] != w}
# what its words call a time or a size has that unit
for r in json.load(open('all.json')):
    first = r['documentation'].split()[0].rstrip(';,')
    if r['column'] and first in ('ps', 's', 'ns', 'us'): assert r['unit'] == first, r
P
ok 'no two columns of a view are called alike' prints True json \
	'len({(r["view"], r["column"]) for r in d}) == len(d)' all.json
ok 'keys point to columns that exist' python3 - <<'P'
import json, re
rows = json.load(open('all.json'))
columns = {(r['view'], r['column']) for r in rows}
n = 0
for r in rows:
    m = re.match(r'([a-z_]+)\.([a-z_]+)\b', r['documentation'])
    if m and r['column'] and r['column'].endswith('_id'):
        assert m.groups() in columns, r
        n += 1
assert n > 30, n
P

# has VIEW COLUMN... : the view begins with these columns (CONTRACT.md, "Views")
has()
{
	view=$1; shift
	"$TFPROF" schema --json "$view" >one.json
	ok "$view has the columns of the contract" python3 - "$@" <<'P'
import json, sys
got = [r['column'] for r in json.load(open('one.json')) if r['column']]
missing = [c for c in sys.argv[1:] if c not in got]
assert not missing, missing
P
}
has run run_id name path first_wall_time last_wall_time
has source_file file_id path kind run_id session_id size_bytes bytes_read records state tail_state
has ingest_issue file_id code offset message
has session session_id run_id name start_ns duration_ns complete
has host host_id session_id name start_ns duration_ps complete
has device device_id host_id name kind ordinal model memory_bytes
has line line_id device_id host_id plane name derived
has event event_id line_id name start_ps dur_ps self_ps depth parent_id step_id correlation_id count
has event_arg event_id name value
has step step_id session_id host_id number name source start_ps step_ps host_ps device_ps period_ps complete warmup
has step_breakdown step_id category dur_ps
has device_window device_id window window_ps busy_ps kernel_ps memcpy_ps comm_ps exposed_comm_ps idle_ratio
has device_gap device_id start_ps dur_ps before_name after_name host_event_name
has op session_id host_id device_id side name type count total_ps self_ps eager
has kernel session_id host_id device_id name op count total_ps min_ps max_ps registers shared_bytes grid block occupancy tensor_core
has input_stage session_id host_id pipeline name long_name parent calls total_ps self_ps max_ps slow_calls bottleneck
has allocator session_id host_id name peak_bytes peak_ps peak_step_id ties lifetime_peak_bytes capacity_bytes fragmentation pre_existing_bytes unmatched_frees
has memory_at_peak session_id host_id allocator op shape dtype region count requested_bytes bytes
has memory_by_tensor session_id host_id allocator op shape dtype region count requested_bytes bytes max_live_bytes first_ps last_ps
has memory_timeline session_id host_id allocator ps heap_bytes stack_bytes free_bytes fragmentation
has memory_event session_id host_id allocator ps kind address op shape dtype region requested_bytes bytes step_id
has tag tag_id run name kind plugin display_name description
has scalar run tag step wall_time value file_id offset superseded orphaned
has histogram run tag step wall_time count min max sum sum_squares buckets file_id offset superseded
has tensor run tag step wall_time dtype shape bytes value
has text run tag step wall_time value
has media run tag step wall_time kind encoding width height bytes file_id offset
has hparam run name value type
has graph_node run name op device shape inputs
has run_metadata_node run tag step device node op start_us dur_us output_bytes peak_bytes temp_bytes
has hlo_buffer session_id module instruction shape color offset bytes live_at_peak
has host_metric host device name unit wall_time value file_id
has metric run_id session_id host name value unit worse n reason
has finding session_id rule severity title value threshold win_ps_per_step suggestion evidence

ok 'one view' exits 0 "$TFPROF" schema --json step
ok 'is that view alone' prints "{'step'}" json '{r["view"] for r in d}' out
ok 'as it is among all' sh -c 'grep "\"view\":\"step\"," all.json | sed "s/,\$//" >want; grep "\"view\"" out | sed "s/,\$//" | cmp - want'
for f in table csv jsonl md
do
	ok "as $f" exits 0 "$TFPROF" schema --format $f step
	ok "$f names a column" grep -q step_ps out
done
ok 'no store is needed' exits 0 env TFPROF_DB=/nowhere/none.db "$TFPROF" schema
ok 'no view of that name' exits 2 "$TFPROF" schema steps
ok 'is said' says "no view 'steps'"
ok 'part of a name is none' exits 2 "$TFPROF" schema ste
ok 'a private table is none' exits 2 "$TFPROF" schema _step
ok 'nor is a file' exits 2 "$TFPROF" schema ../schemas/views/step.sql
ok 'nor nothing' exits 2 "$TFPROF" schema ''
ok 'no such format' exits 2 "$TFPROF" schema --format xml
ok 'a full disk is a system error' exits 4 sh -c '"$TFPROF" schema >/dev/full'
done_testing
