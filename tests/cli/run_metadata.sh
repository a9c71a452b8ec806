#!/bin/sh
# What TensorFlow 1 leaves behind: RunMetadata in event files and alone, Timelines. testdata/tf1/referee.json is TensorFlow's word.
. "$SRC/tests/lib.sh"
tf1=$SRC/testdata/tf1
mkdir one && cp "$tf1"/events* "$tf1"/*.pb "$tf1"/timeline* one

# holds DESCRIPTION PYTHON : the lines hold; r is the referee, rows(SQL) those of a.db
holds()
{
	cat >check.py <<-P
	import json, sqlite3
	r = json.load(open('$tf1/referee.json'))
	db = sqlite3.connect('a.db')
	rows = lambda sql, *p: [list(row) for row in db.execute(sql, p)]
	ops = lambda session: rows("SELECT o.name, type, count, total_ps FROM op o JOIN session s USING (session_id)"
	    " WHERE s.name = ? AND side = 'host' AND o.name <> 'IDLE' ORDER BY 1", session)
	same = lambda a, b: a == b or exit('got:  %r\nwant: %r' % (a, b))
	P
	printf '%s\n' "$2" >>check.py
	ok "$1" python3 check.py
}

ok 'all goes in' exits 0 "$TFPROF" ingest --strict --json --db a.db one
ok 'each as what it is' prints 'event_file run_metadata trace_json trace_json' json '" ".join(sorted(f["kind"] for f in d["files"]))' out
ok 'a session each' prints "$(ls one | sed 's/.*tfevents.//; s/\.pb$//; s/\.json$//' | sort)" sql a.db 'SELECT name FROM session ORDER BY 1'
ok 'of one run' prints '.' sql a.db 'SELECT DISTINCT r.name FROM session JOIN run r USING (run_id)'
"$TFPROF" report --db a.db --json ./timeline_10 >timeline.json && "$TFPROF" report --db a.db --json '*.host' >events.json
ok 'that TensorFlow made' prints 'tensorflow tensorflow' sh -c 'python3 -c "
import json
print(*(json.load(open(f))[\"session\"][\"framework\"] for f in (\"timeline.json\", \"events.json\")))"'

holds 'node times and bytes are TensorFlow'\''s' "
columns = 'device, node, op, start_us, dur_us, output_bytes, peak_bytes, temp_bytes'
for step, s in r['steps'].items():
    same(sorted(rows('SELECT ' + columns + ' FROM run_metadata_node WHERE tag = ? AND step = ?', 'step' + step, int(step)), key=str), sorted(s['nodes'], key=str))
same(sorted(rows('SELECT ' + columns + ' FROM run_metadata_node WHERE tag IS NULL'), key=str), sorted(r['steps']['10']['nodes'], key=str))"
holds 'so are peaks of nodes by its own profiler' "
got = rows('SELECT node, peak_bytes FROM run_metadata_node WHERE tag IS NULL AND peak_bytes > 0 AND op IS NOT NULL')
got = [g for g in got if g[0] in r['profiled']]
assert len(got) >= 7
same({n: b for n, b in got}, {n: r['profiled'][n] for n, _ in got})"
holds 'steps have their numbers and lengths' "
same(rows(\"SELECT number, step_ps FROM step JOIN session s USING (session_id) WHERE s.name LIKE '%.host' ORDER BY 1\"),
     [[int(n), s['step_ns'] * 1000] for n, s in sorted(r['steps'].items(), key=lambda i: int(i[0]))])
same(rows(\"SELECT number, step_ps, source FROM step JOIN session s USING (session_id) WHERE s.name = 'run_metadata_10'\"), [[0, r['steps']['10']['step_ns'] * 1000, 'host_marker']])"
holds 'ops are those of all steps, to the nanosecond' "
sums = {}
for s in r['steps'].values():
    for name, (count, ns) in s['ops'].items():
        sums[name] = [sums.get(name, [0, 0])[0] + count, sums.get(name, [0, 0])[1] + ns]
events = rows(\"SELECT name FROM session WHERE name LIKE '%.host'\")[0][0]
same({name: [count, ps / 1000] for name, _, count, ps in ops(events)}, sums)
same({name: [count, ps / 1000] for name, _, count, ps in ops('run_metadata_10')}, r['steps']['10']['ops'])"
holds 'the same of one step by all of its files' "
alone, times = ops('run_metadata_10'), {}
for _, node, _, _, us, *_ in r['steps']['10']['nodes']:
    times[node] = times.get(node, 0) + us * 1000000
for timeline in 'timeline_10', 'timeline_memory_10':
    same([o[:3] for o in ops(timeline)], [o[:3] for o in alone])
    same([o[3] for o in ops(timeline)], [times[o[0]] for o in alone])"
holds 'memory is what the step allocated' "
events = max(s['allocated']['mklcpu'] for s in r['steps'].values())
same(rows(\"SELECT s.name LIKE '%.host', peak_bytes, unmatched_frees, pre_existing_bytes FROM allocator JOIN session s USING (session_id) WHERE s.name NOT LIKE 'timeline%' ORDER BY 1\"),
     [[0, r['steps']['10']['allocated']['mklcpu'], 0, 0], [1, events, 0, 0]])"
holds 'of a Timeline what its tensors are' "
bytes_, tensors = r['tensors']['mklcpu']
same(rows(\"SELECT peak_bytes FROM allocator JOIN session s USING (session_id) WHERE s.name = 'timeline_memory_10'\"), [[bytes_]])
same([t for t, in rows(\"SELECT op FROM memory_at_peak JOIN session s USING (session_id) WHERE s.name = 'timeline_memory_10' ORDER BY 1\")], tensors)
counters = [list(e['args'].values())[0] for e in json.load(open('one/timeline_memory_10.json'))['traceEvents'] if e['ph'] == 'C']
same(max(counters), bytes_)"
ok 'without memory it has none' prints 0 sql a.db "SELECT count(*) FROM allocator JOIN session s USING (session_id) WHERE s.name = 'timeline_10'"
ok 'nothing grows' prints '[[]]' json '[m["growth"] for m in d["memory"]]' events.json

ok 'a gate' exits 0 "$TFPROF" check --db a.db --min-steps 3 --max step_time_ms.mean=1s '*.host'
ok 'scalars stay' prints 31 sql a.db 'SELECT count(*) FROM scalar'
ok 'again' exits 0 "$TFPROF" ingest --db a.db one
touch one/*
ok 'and under new stats' exits 0 "$TFPROF" ingest --db a.db one
printf x >>one/run_metadata_10.pb
ok 'and changed' exits 0 "$TFPROF" ingest --db a.db one
ok 'no row is there twice' prints "$(python3 -c "import json; r = json.load(open('$tf1/referee.json')); print(sum(len(s['nodes']) for s in r['steps'].values()) + len(r['steps']['10']['nodes']))")" \
	sql a.db 'SELECT count(*) FROM run_metadata_node'

# Any name, compressed, by a pipe.
gzip -c "$tf1/run_metadata_10.pb" >anything.bin
ok 'any name will do' exits 0 "$TFPROF" inspect --json anything.bin
ok 'for a RunMetadata' prints 'run_metadata 1 SessionRun' json \
	'd["files"][0]["kind"] + " " + str(d["files"][0]["steps"]) + " " + d["files"][0]["step_event"]' out
ok 'by a pipe' sh -c '"$TFPROF" report --json - <"$1" >out' - "$tf1/run_metadata_10.pb"
ok 'with its step' prints "$(python3 -c "import json; print(json.load(open('$tf1/referee.json'))['steps']['10']['step_ns'] / 1e6)")" json 'd["metrics"]["step_time_ms.mean"]' out
head -c 3000 "$tf1/run_metadata_10.pb" >cut_run_metadata.pb
ok 'one that is cut is read up to there' exits 3 "$TFPROF" ingest --strict --db cut.db cut_run_metadata.pb
ok 'is not complete' prints 0 sql cut.db 'SELECT complete FROM session'
ok 'and says where' prints 'truncated|1' sql cut.db 'SELECT code, offset BETWEEN 2000 AND 3000 FROM ingest_issue'
printf '\032\000' >run_metadata_7.pb
ok 'one without statistics' exits 3 "$TFPROF" ingest --json --db none.db run_metadata_7.pb
ok 'says why' prints 'run_metadata failed no step statistics: it was not made with trace_level=FULL_TRACE' \
	json 'd["files"][0]["kind"] + " " + d["files"][0]["state"] + " " + d["files"][0]["issues"][0]["message"]' out
python3 - "$tf1" <<'P'
import json, sys
a = json.load(open(sys.argv[1] + '/timeline_10.json'))['traceEvents']
later = [dict(e, ts=e['ts'] + 1000000) if 'ts' in e else e for e in a]
json.dump({'traceEvents': a + [e for e in later if e['ph'] != 'M']}, open('merged.json', 'w'))
P
ok 'a Timeline that was made of several' exits 0 "$TFPROF" report --json merged.json
ok 'has their ops, but no step is told' prints '0 no_step_marker True' json \
	'str(d["steps"]["count"]) + " " + d["reasons"]["step_time_ms.mean"] + " " + str(all(o["count"] % 2 == 0 for o in d["ops"]))' out
done_testing
