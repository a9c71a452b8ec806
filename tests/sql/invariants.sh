#!/bin/sh
# Laws that hold on every file: parts sum to wholes, ratios lie in 0..1, children within parents, live tensors sum to the peak, no
# figure from an empty source. On testdata/logs, on random captures, and on the real files of ../shared where it exists.
. "$SRC/tests/lib.sh"

PYTHONDONTWRITEBYTECODE=1 python3 - "$SRC/tests/differential" <<'P'
import os, sys
sys.path.insert(0, sys.argv[1])
from capture import random_capture
os.makedirs('random')
for seed in range(100, 160):
    with open('random/s%d.xplane.pb' % seed, 'wb') as f: f.write(random_capture(seed).encode())
P

# laws NAME : all of them on NAME.db
laws()
{
	none() { ok "$db: $1" prints '' sql "$db.db" "$2 LIMIT 3"; }
	db=$1
	none 'a breakdown sums to its step' \
		'SELECT s.step_id FROM step s JOIN step_breakdown b USING (step_id) GROUP BY s.step_id HAVING sum(b.dur_ps) <> s.step_ps'
	none 'owners sum to their part of a step' \
		"SELECT b.step_id FROM step_breakdown b LEFT JOIN (SELECT step_id, category, sum(dur_ps) AS dur_ps FROM step_op GROUP BY 1, 2) o
		 ON o.step_id = b.step_id AND o.category = b.category WHERE b.dur_ps <> coalesce(o.dur_ps, 0) AND b.category <> 'other'
		 AND b.step_id NOT IN (SELECT s.step_id FROM step s JOIN _host h USING (host_id) JOIN source_file f ON f.file_id = h.file_id
		 WHERE f.kind NOT IN ('xspace', 'trace_json', 'trace_pb'))"
	none 'no part is negative' 'SELECT * FROM step_breakdown WHERE dur_ps < 0'
	none 'tensors sum to the peak' \
		'SELECT a.name FROM allocator a JOIN memory_at_peak m ON m.host_id = a.host_id AND m.allocator = a.name
		 GROUP BY a.host_id, a.name HAVING sum(m.bytes) <> a.peak_bytes'
	none 'a peak has its rows' \
		'SELECT a.name FROM allocator a LEFT JOIN memory_at_peak m ON m.host_id = a.host_id AND m.allocator = a.name
		 WHERE a.peak_bytes > 0 AND m.bytes IS NULL'
	none 'ratios of sessions lie in 0..1' "SELECT session_id, name, value FROM metric WHERE unit = 'ratio' AND (value < 0 OR value > 1)"
	none 'ratios of devices lie in 0..1' 'SELECT device_id, idle_ratio FROM device_window WHERE idle_ratio < 0 OR idle_ratio > 1'
	none 'what is unknown has a reason, what is known has none' 'SELECT session_id, name FROM metric WHERE (value IS NULL) <> (reason IS NOT NULL)'
	none 'no device is busier than its window' 'SELECT device_id FROM device_window WHERE busy_ps > window_ps'
	none 'kinds of work lie within busy time' \
		'SELECT device_id FROM device_window WHERE kernel_ps > busy_ps OR memcpy_ps > busy_ps OR comm_ps > busy_ps OR exposed_comm_ps > comm_ps'
	none 'gaps lie within the window' \
		'SELECT g.device_id FROM device_gap g JOIN device_window w USING (device_id) WHERE g.dur_ps < 0 OR g.start_ps < w.window_start_ps
		 OR g.start_ps + g.dur_ps > w.window_start_ps + w.window_ps'
	none 'children lie within their parents' \
		'SELECT c.event_id FROM event c JOIN event p ON p.event_id = c.parent_id WHERE c.start_ps < p.start_ps
		 OR c.start_ps + c.dur_ps > p.start_ps + p.dur_ps'
	none 'no event has more time of its own than it lasts' 'SELECT event_id FROM event WHERE NOT absurd AND count IS NULL AND (self_ps > dur_ps OR self_ps < 0)'
	none 'waits lie within the step' 'SELECT step_id FROM step WHERE input_ps > step_ps OR stall_ps > input_ps'
	none 'a step is the longer of its spans' 'SELECT step_id FROM step WHERE step_ps <> max(coalesce(host_ps, 0), coalesce(device_ps, 0)) AND coalesce(host_ps, device_ps) IS NOT NULL'
	none 'every event lies on a line of a host' \
		'SELECT e.event_id FROM event e LEFT JOIN line l USING (line_id) LEFT JOIN host h USING (host_id) WHERE h.host_id IS NULL'
	none 'every step of an event exists' \
		'SELECT e.event_id FROM event e LEFT JOIN step s USING (step_id) WHERE e.step_id IS NOT NULL AND s.step_id IS NULL'
	none 'an op has no more time of its own than in all' "SELECT name FROM op WHERE self_ps > total_ps OR self_ps < 0 OR (count < 1 AND name <> 'IDLE')"
	none 'executions of an op lie in order' 'SELECT name FROM op WHERE p50_ps > p99_ps OR p99_ps > max_ps OR max_ps > total_ps OR max_ps * count < total_ps'
	none 'an op with executions has their times' "SELECT name FROM op WHERE max_ps IS NULL <> (name = 'IDLE' AND count = 0)
		 AND host_id IN (SELECT host_id FROM line)"
	none 'a long tail lies beyond the median' 'SELECT name FROM long_tail_op WHERE excess_ps <= 0 OR excess_ps > count * max_ps'
	none 'an empty buffer is told by a call' 'SELECT long_name FROM input_stage WHERE empty_calls > calls OR (buffered_elements > 0 AND empty_calls = calls)'
	none 'buffers of a program sum to its peak' \
		'SELECT m.name FROM hlo_module m JOIN hlo_buffer b USING (module_id) WHERE b.live_at_peak GROUP BY m.module_id HAVING sum(b.bytes) <> m.peak_bytes'
	none 'a program plans no more than it reserves' 'SELECT name FROM hlo_module WHERE peak_bytes > allocated_bytes OR (peak_bytes IS NULL) <> (reason IS NOT NULL)'
	none 'a kernel sums its executions' 'SELECT name FROM kernel WHERE min_ps > max_ps OR total_ps < count * min_ps OR total_ps > count * max_ps'
	none 'a session without hosts has no figures' \
		"SELECT m.name FROM metric m LEFT JOIN host h USING (session_id) WHERE h.host_id IS NULL AND m.value IS NOT NULL AND m.session_id IS NOT NULL"
	none 'without steps there is no step time' \
		"SELECT m.session_id FROM metric m WHERE m.name LIKE 'step_time%' AND m.value IS NOT NULL AND m.session_id NOT IN (SELECT session_id FROM step)"
	none 'without allocators there is no peak' \
		"SELECT m.session_id FROM metric m WHERE m.name LIKE 'memory.%' AND m.value IS NOT NULL AND m.session_id NOT IN (SELECT session_id FROM allocator)"
	none 'of one step of a tag one point counts' \
		'SELECT run, tag, step FROM scalar WHERE superseded = 0 GROUP BY run, tag, step HAVING count(*) > 1'
	for v in histogram tensor text
	do none "nor of $v" "SELECT run, tag, step FROM $v WHERE superseded = 0 GROUP BY run, tag, step HAVING count(*) > 1"
	done
	none 'only a value that counts is orphaned' \
		'SELECT tag FROM scalar WHERE superseded AND orphaned UNION ALL SELECT tag FROM text WHERE superseded AND orphaned'
	none 'a curve sums the same positives and negatives at each threshold' \
		'SELECT tag FROM pr_curve GROUP BY file_id, "offset", tag HAVING max(true_positives + false_negatives) - min(true_positives + false_negatives) > 1e-6 * max(true_positives + false_negatives)
		 OR max(false_positives + true_negatives) - min(false_positives + true_negatives) > 1e-6 * max(false_positives + true_negatives)'
	none 'of a run one graph counts' \
		"SELECT run FROM graph_node WHERE superseded = 0 AND kind <> 'function' GROUP BY run HAVING count(DISTINCT file_id || ':' || \"offset\") > 1"
	none 'no host is loaded twice' \
		"SELECT h.session_id, h.name FROM host h JOIN step s USING (host_id) GROUP BY h.session_id, h.name HAVING count(DISTINCT h.host_id) > 1"
	while read -r view column other key
	do none "every $column of $view exists" \
		"SELECT v.$column FROM $view v LEFT JOIN $other o ON o.$key = v.$column WHERE v.$column IS NOT NULL AND o.$key IS NULL"
	done <<-L
		session run_id run run_id
		source_file run_id run run_id
		source_file session_id session session_id
		ingest_issue file_id source_file file_id
		host session_id session session_id
		device host_id host host_id
		device_window device_id device device_id
		device_gap device_id device device_id
		line host_id host host_id
		line device_id device device_id
		event parent_id event event_id
		step host_id host host_id
		step session_id session session_id
		step_breakdown step_id step step_id
		op host_id host host_id
		op device_id device device_id
		op max_step_id step step_id
		kernel host_id host host_id
		kernel device_id device device_id
		input_stage host_id host host_id
		allocator host_id host host_id
		allocator peak_step_id step step_id
		memory_at_peak host_id host host_id
		memory_by_tensor host_id host host_id
		memory_timeline host_id host host_id
		memory_event host_id host host_id
		memory_event step_id step step_id
		hlo_module session_id session session_id
		hlo_buffer session_id session session_id
		metric run_id run run_id
		metric session_id session session_id
		scalar file_id source_file file_id
		histogram file_id source_file file_id
		media file_id source_file file_id
		tensor file_id source_file file_id
		text file_id source_file file_id
		graph_node file_id source_file file_id
		hparam_trial run run name
		scalar run run name
		tag run run name
		hparam run run name
	L
	none 'of one host and name there is one figure' \
		"SELECT session_id, host, name FROM metric WHERE session_id IS NOT NULL GROUP BY 1, 2, 3 HAVING count(*) > 1"
	none 'a figure of a host is of one of the session' \
		"SELECT m.host FROM metric m WHERE m.host IS NOT NULL AND m.host NOT IN (SELECT h.name FROM host h WHERE h.session_id = m.session_id)"
	none 'the steps that are counted are there' \
		"SELECT m.session_id FROM metric m WHERE m.name = 'steps.count' AND m.host IS NULL AND m.value > (SELECT count(*) FROM step s WHERE s.session_id = m.session_id)"
	none 'a mean lies between the extremes' \
		"SELECT m.session_id FROM metric m JOIN metric a USING (session_id) JOIN metric z USING (session_id)
		 WHERE m.host IS a.host AND m.host IS z.host AND m.name IN ('step_time_ms.mean', 'step_time_ms.median', 'step_time_ms.p95')
		 AND a.name = 'step_time_ms.min' AND z.name = 'step_time_ms.max' AND (m.value < a.value - 1e-9 OR m.value > z.value + 1e-9)"
	none 'exposed input and stalls are parts of a step' \
		"SELECT session_id FROM metric WHERE name LIKE 'input.%share' AND value NOT BETWEEN 0 AND 1"
	none 'no peak is over that of its life' 'SELECT name FROM allocator WHERE peak_bytes > lifetime_peak_bytes AND NOT EXISTS
		(SELECT 1 FROM memory_at_peak m WHERE m.host_id = allocator.host_id AND m.allocator = allocator.name AND m.op = '"'(stack)'"')'
	none 'the timeline stays below the peak' \
		'SELECT t.ps FROM memory_timeline t JOIN allocator a ON a.host_id = t.host_id AND a.name = t.allocator WHERE t.heap_bytes + t.stack_bytes > a.peak_bytes'
	none 'and reaches it' \
		'SELECT a.name FROM allocator a WHERE EXISTS (SELECT 1 FROM memory_timeline t WHERE t.host_id = a.host_id AND t.allocator = a.name)
		 AND (SELECT max(heap_bytes + stack_bytes) FROM memory_timeline t WHERE t.host_id = a.host_id AND t.allocator = a.name) <> a.peak_bytes'
	ok "$db: the store is sound" prints ok sql "$db.db" 'PRAGMA integrity_check'
}

ok 'our own captures go in' exits 0 "$TFPROF" ingest --db own.db "$logs"
laws own
ok 'random captures go in' exits 0 "$TFPROF" ingest --db random.db random
laws random
if [ -d "$SRC/../shared/data/public" ]
then
	ok 'real files go in' exits 0 "$TFPROF" ingest --db public.db "$SRC/../shared/data/public"
	laws public
else
	skip 'real files' '../shared is not here'
fi
done_testing
