#!/bin/sh
# The store as a stock sqlite3 and Python see it: views, sums, joins, no orphans.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs"
# none WHAT STATEMENT : a statement that looks for breaches finds none
none() { ok "$1" prints '' sql a.db "$2"; }
for v in run source_file ingest_issue session host device line event event_arg step session_step step_breakdown device_window device_gap op kernel \
	input_stage allocator memory_timeline memory_event memory_at_peak memory_by_tensor tag scalar histogram tensor text hparam hparam_trial hparam_metric hparam_domain media \
	pr_curve custom_scalar_chart mesh graph_node run_metadata_node hlo_buffer host_metric metric finding baseline
do ok "view $v can be read" sql a.db "SELECT * FROM $v LIMIT 3"
done
none 'a breakdown adds up to its step' \
	'SELECT s.step_id FROM step s JOIN step_breakdown b USING (step_id) GROUP BY s.step_id HAVING sum(b.dur_ps) <> s.step_ps'
none 'no part is negative' 'SELECT * FROM step_breakdown WHERE dur_ps < 0'
none 'tensors add up to the peak' \
	'SELECT a.name FROM allocator a JOIN memory_at_peak m ON m.host_id = a.host_id AND m.allocator = a.name GROUP BY a.host_id, a.name
	 HAVING sum(m.bytes) <> a.peak_bytes'
none 'every event lies on a line' 'SELECT e.event_id FROM event e LEFT JOIN line USING (line_id) WHERE line.line_id IS NULL LIMIT 3'
none 'a line holds the events from first to last' \
	'SELECT l.line_id FROM line l LEFT JOIN event e ON e.event_id BETWEEN l.first_event_id AND l.last_event_id AND e.line_id = l.line_id
	 GROUP BY l.line_id HAVING count(e.event_id) <> coalesce(l.last_event_id - l.first_event_id + 1, 0)'
none 'children lie within their parents' \
	'SELECT c.event_id FROM event c JOIN event p ON p.event_id = c.parent_id WHERE c.start_ps < p.start_ps
	 OR c.start_ps + c.dur_ps > p.start_ps + p.dur_ps LIMIT 3'
none 'every step of an event exists' \
	'SELECT e.event_id FROM event e LEFT JOIN step s USING (step_id) WHERE e.step_id IS NOT NULL AND s.step_id IS NULL LIMIT 3'
none 'ratios lie in 0..1' "SELECT name, value FROM metric WHERE unit = 'ratio' AND (value < 0 OR value > 1)"
none 'a null metric has a reason, a known one none' 'SELECT name FROM metric WHERE (value IS NULL) <> (reason IS NOT NULL)'
none 'steps do not wait longer than they last' 'SELECT step_id FROM step WHERE input_ps > step_ps'
ok 'arguments are readable' prints 10 sql a.db \
	"SELECT count(*) FROM event_arg a JOIN event e USING (event_id) JOIN line l USING (line_id) JOIN host h USING (host_id)
	 JOIN session s USING (session_id) JOIN run r USING (run_id) WHERE r.name = 'tf_leak' AND a.name = 'step_num'"
ok 'so are producers and consumers' test "$(sql a.db "SELECT count(*) > 0 FROM event_arg WHERE name = '_c'")" = 1
ok 'Python reads all text' python3 -c '
import sqlite3
db = sqlite3.connect("a.db")
for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type = '"'view'"'").fetchall():
    for row in db.execute(f"SELECT * FROM {view} LIMIT 1000"): pass'
ok '.schema explains itself' sh -c 'sqlite3 a.db ".schema step" | grep -q "max(host_ps device_ps)"'
ok 'the views keep the names and order of the contract' prints 'step_id,session_id,host_id,number,name,source,start_ps,step_ps,host_ps,device_ps,period_ps,complete,warmup' \
	sql a.db "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('step') LIMIT 13)"
done_testing
