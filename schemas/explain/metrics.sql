-- How each metric comes about. A section begins with "--# METRIC…", then come its
-- definition, its source, the SQL that gives its value from the rows it is made of, and the SQL that lists those rows.
-- Parameters: :session, :run (run.name), :part (what * stands for), :figure (what follows the last dot).

--# steps.count
-- How many steps are listed; of several hosts each number once.
-- METRICS.md §2. XProf drops the first and the last of more than five.
SELECT count(*) FROM session_step WHERE session_id = :session;
SELECT number, series, steady, step_ps / 1e9 AS ms FROM session_step WHERE session_id = :session ORDER BY number;

--# steps.steady_count
-- Steps that are complete, no warm-up and of the main series: those that all step figures are over.
-- METRICS.md §2.
SELECT count(*) FROM session_step WHERE session_id = :session AND steady;
SELECT number, complete, warmup, series, main_series FROM step WHERE session_id = :session ORDER BY step_id;

--# step_time_ms.mean
-- Mean time of the steady steps. A step's time is the longer of its host span (the marker) and its device span.
-- METRICS.md §2. XProf takes the device span alone where there is a device.
SELECT avg(step_ps) / 1e9 FROM session_step WHERE session_id = :session AND steady;
SELECT number, host_ps / 1e9 AS host_ms, device_ps / 1e9 AS device_ms, step_ps / 1e9 AS step_ms, complete, warmup FROM step WHERE session_id = :session ORDER BY step_id;

--# step_time_ms.median
-- Median time of the steady steps, linear between the two in the middle.
-- METRICS.md §2.
WITH v AS (SELECT step_ps / 1e9 AS ms, row_number() OVER (ORDER BY step_ps) - 1 AS i, count(*) OVER () - 1 AS last FROM session_step WHERE session_id = :session AND steady)
SELECT l.ms + (h.ms - l.ms) * (0.5 * l.last - l.i) FROM v l JOIN v h ON h.i = min(l.i + 1, l.last) WHERE l.i = CAST(0.5 * l.last AS INTEGER);
SELECT number, step_ps / 1e9 AS ms FROM session_step WHERE session_id = :session AND steady ORDER BY step_ps;

--# step_time_ms.p95
-- 95th percentile of the steady steps' times, linear between neighbours, as NumPy's default.
-- METRICS.md §2.
WITH v AS (SELECT step_ps / 1e9 AS ms, row_number() OVER (ORDER BY step_ps) - 1 AS i, count(*) OVER () - 1 AS last FROM session_step WHERE session_id = :session AND steady)
SELECT l.ms + (h.ms - l.ms) * (0.95 * l.last - l.i) FROM v l JOIN v h ON h.i = min(l.i + 1, l.last) WHERE l.i = CAST(0.95 * l.last AS INTEGER);
SELECT number, step_ps / 1e9 AS ms FROM session_step WHERE session_id = :session AND steady ORDER BY step_ps DESC;

--# step_time_ms.min
-- Time of the fastest steady step.
-- METRICS.md §2.
SELECT min(step_ps) / 1e9 FROM session_step WHERE session_id = :session AND steady;
SELECT number, step_ps / 1e9 AS ms FROM session_step WHERE session_id = :session AND steady ORDER BY step_ps;

--# step_time_ms.max
-- Time of the slowest steady step.
-- METRICS.md §2.
SELECT max(step_ps) / 1e9 FROM session_step WHERE session_id = :session AND steady;
SELECT number, step_ps / 1e9 AS ms FROM session_step WHERE session_id = :session AND steady ORDER BY step_ps DESC;

--# step_time_ms.stddev
-- Sample standard deviation (n - 1) of the steady steps' times; 0 for one step.
-- METRICS.md §2.
SELECT CASE count(*) WHEN 0 THEN NULL WHEN 1 THEN 0.0 ELSE sqrt(sum((step_ps / 1e9 - mean) * (step_ps / 1e9 - mean)) / (count(*) - 1)) END
  FROM session_step, (SELECT avg(step_ps) / 1e9 AS mean FROM session_step WHERE session_id = :session AND steady) WHERE session_id = :session AND steady;
SELECT number, step_ps / 1e9 AS ms FROM session_step WHERE session_id = :session AND steady ORDER BY number;

--# step_time_ms.mean_all
-- Mean time of all listed steps, warm-up and cut ones included.
-- METRICS.md §2.
SELECT avg(step_ps) / 1e9 FROM session_step WHERE session_id = :session;
SELECT number, steady, step_ps / 1e9 AS ms FROM session_step WHERE session_id = :session ORDER BY number;

--# step_period_ms.mean
-- Mean time from the start of a steady step to the start of the next one of its series. Much longer than the step time: work outside the steps.
-- METRICS.md §2.
SELECT avg(period_ps) / 1e9 FROM session_step WHERE session_id = :session AND steady;
SELECT number, period_ps / 1e9 AS period_ms, step_ps / 1e9 AS step_ms FROM session_step WHERE session_id = :session AND steady ORDER BY number;

--# step_period_ms.median
-- Median of the same.
-- METRICS.md §2.
WITH v AS (SELECT period_ps / 1e9 AS ms, row_number() OVER (ORDER BY period_ps) - 1 AS i, count(*) OVER () - 1 AS last FROM session_step WHERE session_id = :session AND steady AND period_ps IS NOT NULL)
SELECT l.ms + (h.ms - l.ms) * (0.5 * l.last - l.i) FROM v l JOIN v h ON h.i = min(l.i + 1, l.last) WHERE l.i = CAST(0.5 * l.last AS INTEGER);
SELECT number, period_ps / 1e9 AS period_ms FROM session_step WHERE session_id = :session AND steady ORDER BY period_ps;

--# step_breakdown_ms.device_compute
-- Mean time of a steady step in which a device computes, in 16 or 32 bits. It outranks all other parts.
-- METRICS.md §3.
SELECT sum(CASE WHEN category LIKE 'device_compute%' THEN dur_ps END) / 1e9 / count(DISTINCT step_id) FROM step_breakdown JOIN session_step USING (step_id) WHERE session_id = :session AND steady;
SELECT number, category, dur_ps / 1e9 AS ms FROM step_breakdown JOIN session_step USING (step_id) WHERE session_id = :session AND steady AND category LIKE 'device_compute%' ORDER BY number;

--# step_breakdown_ms.*
-- Mean time of a steady step that goes to this part. Each instant goes to the most important thing then going on; the parts sum to the step.
-- METRICS.md §3.
SELECT sum(CASE WHEN category = :part THEN dur_ps END) / 1e9 / count(DISTINCT step_id) FROM step_breakdown JOIN session_step USING (step_id) WHERE session_id = :session AND steady;
SELECT number, dur_ps / 1e9 AS ms, step_ps / 1e9 AS step_ms FROM step_breakdown JOIN session_step USING (step_id) WHERE session_id = :session AND steady AND category = :part ORDER BY dur_ps DESC;

--# device.count
-- Accelerators of all hosts that the capture names, traced or not.
-- METRICS.md §4.
SELECT count(*) FROM device JOIN host USING (host_id) WHERE session_id = :session;
SELECT host.name AS host, device.name AS device, kind, model FROM device JOIN host USING (host_id) WHERE session_id = :session ORDER BY host.name, device_id;

--# device.idle_ratio.mean device.idle_ratio.min device.idle_ratio.max
-- 1 - busy / window of each device: busy is the union of its raw work on all streams, clipped to the window of the steady steps. The mean, least or most over devices.
-- METRICS.md §4.
WITH w AS (SELECT device_id, window_start_ps AS a, window_start_ps + window_ps AS b FROM device_window JOIN device USING (device_id) JOIN host USING (host_id) WHERE session_id = :session AND window_ps > 0 AND window <> 'each_step'
           UNION ALL SELECT device_id, start_ps, start_ps + step.step_ps FROM device_window JOIN device USING (device_id) JOIN step USING (host_id) JOIN session_step USING (step_id) WHERE session_step.session_id = :session AND steady AND window_ps > 0 AND window = 'each_step'),
  iv AS (SELECT device_id, max(start_ps, a) AS s, min(start_ps + dur_ps, b) AS e FROM event JOIN line USING (line_id) JOIN w USING (device_id) JOIN device d USING (device_id)
          WHERE NOT derived AND NOT absurd AND event.count IS NULL AND line.name <> 'Async XLA Ops' AND (d.kind NOT IN ('tpu', 'sparse_core') OR line.name = 'XLA Ops' OR line.name LIKE 'Sparse Core Ops%') AND start_ps < b AND start_ps + dur_ps > a),
  o AS (SELECT device_id, s, e, max(e) OVER (PARTITION BY device_id ORDER BY s, e ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS p FROM iv),
  busy AS (SELECT device_id, sum(CASE WHEN p IS NULL OR p <= s THEN e - s WHEN p < e THEN e - p ELSE 0 END) AS ps FROM o GROUP BY device_id),
  idle AS (SELECT 1.0 * (sum(b - a) - coalesce(max(ps), 0)) / sum(b - a) AS r FROM w LEFT JOIN busy USING (device_id) GROUP BY device_id)
SELECT CASE :figure WHEN 'min' THEN min(r) WHEN 'max' THEN max(r) ELSE avg(r) END FROM idle;
SELECT d.name AS device, w.window, w.window_ps / 1e9 AS window_ms, w.busy_ps / 1e9 AS busy_ms, w.idle_ratio FROM device_window w JOIN device d USING (device_id) JOIN host USING (host_id) WHERE session_id = :session ORDER BY w.idle_ratio DESC;

--# device.busy_ms
-- Busy time of all devices in their windows.
-- METRICS.md §4.
SELECT sum(busy_ps) / 1e9 FROM device_window JOIN device USING (device_id) JOIN host USING (host_id) WHERE session_id = :session;
SELECT d.name AS device, w.busy_ps / 1e9 AS busy_ms, w.window_ps / 1e9 AS window_ms FROM device_window w JOIN device d USING (device_id) JOIN host USING (host_id) WHERE session_id = :session;

--# device.kernel_ratio device.memcpy_ratio device.comm_ratio device.exposed_comm_ratio
-- Union of kernels (copies, communication, communication that no kernel hides) over the window, weighted by window over devices.
-- METRICS.md §4.
SELECT 1.0 * sum(CASE :figure WHEN 'kernel_ratio' THEN kernel_ps WHEN 'memcpy_ratio' THEN memcpy_ps WHEN 'comm_ratio' THEN comm_ps ELSE exposed_comm_ps END) / sum(window_ps)
  FROM device_window JOIN device USING (device_id) JOIN host USING (host_id) WHERE session_id = :session AND idle_ratio IS NOT NULL;
SELECT d.name AS device, kernel_ps / 1e9 AS kernel_ms, memcpy_ps / 1e9 AS memcpy_ms, comm_ps / 1e9 AS comm_ms, exposed_comm_ps / 1e9 AS exposed_ms, window_ps / 1e9 AS window_ms FROM device_window JOIN device d USING (device_id) JOIN host USING (host_id) WHERE session_id = :session;

--# input.share
-- Union of the times in which a host waits for input, inside the steady steps, over their time.
-- METRICS.md §5.
SELECT 1.0 * sum(input_ps) / sum(step_ps) FROM session_step WHERE session_id = :session AND steady;
SELECT number, input_ps / 1e9 AS input_ms, step_ps / 1e9 AS step_ms FROM session_step WHERE session_id = :session AND steady ORDER BY input_ps DESC;

--# input.exposed_share
-- What the breakdown leaves of input: input_wait and host_to_device over step time; null where a capture shows no input at all. 20 % and more is highly, 5 % moderately input-bound.
-- METRICS.md §5; XProf's Input column.
SELECT CASE WHEN count(input_ps) > 0 OR NOT EXISTS (SELECT 1 FROM line JOIN host USING (host_id) WHERE session_id = :session)
  THEN 1.0 * (SELECT sum(dur_ps) FROM step_breakdown JOIN session_step USING (step_id) WHERE session_id = :session AND steady AND category IN ('input_wait', 'host_to_device')) / sum(step_ps) END
  FROM session_step WHERE session_id = :session AND steady;
SELECT number, category, dur_ps / 1e9 AS ms FROM step_breakdown JOIN session_step USING (step_id) WHERE session_id = :session AND steady AND category IN ('input_wait', 'host_to_device') ORDER BY number;

--# input.stall_share
-- Waiting for input while no device of the host works, over the time of steps whose host has one: the most that a faster pipeline can win.
-- METRICS.md §5.
SELECT 1.0 * sum(stall_ps) / sum(step_ps) FROM session_step WHERE session_id = :session AND steady AND stall_ps IS NOT NULL;
SELECT number, stall_ps / 1e9 AS stall_ms, input_ps / 1e9 AS input_ms, step_ps / 1e9 AS step_ms FROM session_step WHERE session_id = :session AND steady ORDER BY stall_ps DESC;

--# input.wait_ms_per_step
-- Mean time of a steady step in which a host waits for input.
-- METRICS.md §5.
SELECT avg(input_ps) / 1e9 FROM session_step WHERE session_id = :session AND steady;
SELECT number, input_ps / 1e9 AS input_ms FROM session_step WHERE session_id = :session AND steady ORDER BY input_ps DESC;

--# iterator_get_next.count iterator_get_next.mean_ms iterator_get_next.max_ms
-- Calls of IteratorGetNext: the DoCompute events where there are any, else the ops of that type, else events of just that name; never a _Send.
-- METRICS.md §5.
WITH e AS (SELECT e.name, e.dur_ps FROM event e JOIN line USING (line_id) JOIN host USING (host_id) WHERE session_id = :session AND device_id IS NULL AND NOT derived AND NOT absurd AND e.count IS NULL
            AND (e.name LIKE 'IteratorGetNext%' OR e.name LIKE 'MultiDeviceIteratorGetNext%')),
  c AS (SELECT dur_ps, CASE WHEN name LIKE '%Op::DoCompute' THEN 1 WHEN name LIKE '%:IteratorGetNext%' OR name LIKE '%:MultiDeviceIteratorGetNext%' THEN 2 WHEN instr(name, ':') = 0 THEN 3 END AS kind FROM e)
SELECT CASE :figure WHEN 'count' THEN nullif(count(*), 0) WHEN 'mean_ms' THEN avg(dur_ps) / 1e9 ELSE max(dur_ps) / 1e9 END FROM c WHERE kind = (SELECT min(kind) FROM c);
SELECT e.name, e.start_ps / 1e9 AS start_ms, e.dur_ps / 1e9 AS ms FROM event e JOIN line USING (line_id) JOIN host USING (host_id) WHERE session_id = :session AND device_id IS NULL AND (e.name LIKE 'IteratorGetNext%' OR e.name LIKE 'MultiDeviceIteratorGetNext%') ORDER BY e.dur_ps DESC;

--# memory.peak_bytes
-- Peak of the largest device allocator; without one, of the largest allocator of the hosts.
-- METRICS.md §6.
SELECT max(peak_bytes) FROM allocator WHERE session_id = :session AND (name LIKE '%cpu%' OR name LIKE '%host%') = (SELECT min(name LIKE '%cpu%' OR name LIKE '%host%') FROM allocator WHERE session_id = :session AND peak_bytes IS NOT NULL);
SELECT name, peak_bytes, peak_ps / 1e9 AS peak_ms, capacity_bytes FROM allocator WHERE session_id = :session ORDER BY peak_bytes DESC;

--# memory.peak_bytes[*]
-- Most stack and heap bytes in use at once; the rows are what was live then.
-- METRICS.md §6.
SELECT max(bytes) FROM (SELECT sum(bytes) AS bytes FROM memory_at_peak WHERE session_id = :session AND allocator = :part GROUP BY host_id);
SELECT op, shape, dtype, region, count, bytes FROM memory_at_peak WHERE session_id = :session AND allocator = :part ORDER BY bytes DESC;

--# memory.lifetime_peak_bytes[*]
-- The largest peak that the allocator recorded of itself, from before the capture too.
-- METRICS.md §6.
SELECT max(lifetime_peak_bytes) FROM allocator WHERE session_id = :session AND name = :part;
SELECT host_id, lifetime_peak_bytes, peak_bytes FROM allocator WHERE session_id = :session AND name = :part;

--# memory.capacity_bytes[*]
-- Bytes in use and free at the peak.
-- METRICS.md §6.
SELECT max(capacity_bytes) FROM allocator WHERE session_id = :session AND name = :part;
SELECT host_id, capacity_bytes, peak_bytes FROM allocator WHERE session_id = :session AND name = :part;

--# memory.fragmentation[*]
-- Fragmentation as recorded at the peak.
-- METRICS.md §6.
SELECT max(fragmentation) FROM allocator WHERE session_id = :session AND name = :part;
SELECT host_id, fragmentation, peak_bytes FROM allocator WHERE session_id = :session AND name = :part;

--# memory.pre_existing_bytes[*]
-- What of the peak was allocated before the capture.
-- METRICS.md §6.
SELECT max(bytes) FROM (SELECT sum(CASE op WHEN '(pre_existing)' THEN bytes ELSE 0 END) AS bytes FROM memory_at_peak WHERE session_id = :session AND allocator = :part GROUP BY host_id);
SELECT op, bytes FROM memory_at_peak WHERE session_id = :session AND allocator = :part ORDER BY op <> '(pre_existing)', bytes DESC;

--# kernels.count
-- Executions of kernels on all devices.
-- METRICS.md §7.
SELECT nullif(sum(count), 0) FROM kernel WHERE session_id = :session;
SELECT name, count, total_ps / 1e9 AS total_ms FROM kernel WHERE session_id = :session ORDER BY count DESC;

--# kernels.distinct
-- Different names of kernels.
-- METRICS.md §7.
SELECT nullif(count(DISTINCT name), 0) FROM kernel WHERE session_id = :session;
SELECT name, sum(count) AS count FROM kernel WHERE session_id = :session GROUP BY name ORDER BY count DESC;

--# kernels.total_ms
-- Sum of the times of all kernels; overlapping ones count each.
-- METRICS.md §7.
SELECT sum(total_ps) / 1e9 FROM kernel WHERE session_id = :session;
SELECT name, count, total_ps / 1e9 AS total_ms FROM kernel WHERE session_id = :session ORDER BY total_ps DESC;

--# kernels.launches_per_step
-- Kernels that the steady steps launched, over their number.
-- METRICS.md §7.
SELECT 1.0 * sum(kernel_count) / count(kernel_count) FROM session_step WHERE session_id = :session AND steady;
SELECT number, kernel_count FROM session_step WHERE session_id = :session AND steady ORDER BY number;

--# kernels.tensor_core_ratio
-- Time of kernels that use matrix units (by their name) over the time of all.
-- METRICS.md §7.
SELECT 1.0 * sum(CASE WHEN tensor_core THEN total_ps ELSE 0 END) / sum(total_ps) FROM kernel WHERE session_id = :session;
SELECT name, tensor_core, total_ps / 1e9 AS total_ms FROM kernel WHERE session_id = :session ORDER BY total_ps DESC;

--# ops.host_total_ms ops.device_total_ms
-- Self times of all ops of the side, without the time between them.
-- METRICS.md §7.
SELECT sum(self_ps) / 1e9 FROM op WHERE session_id = :session AND name <> 'IDLE' AND side = replace(:figure, '_total_ms', '');
SELECT name, type, count, self_ps / 1e9 AS self_ms FROM op WHERE session_id = :session AND name <> 'IDLE' AND side = replace(:figure, '_total_ms', '') ORDER BY self_ps DESC;

--# ops.eager_ratio
-- Self time of ops that ran outside any function over the self time of all ops.
-- METRICS.md §7.
SELECT 1.0 * sum(CASE WHEN eager THEN self_ps ELSE 0 END) / nullif(sum(self_ps), 0) FROM op WHERE session_id = :session AND name <> 'IDLE';
SELECT name, side, eager, self_ps / 1e9 AS self_ms FROM op WHERE session_id = :session AND name <> 'IDLE' ORDER BY eager DESC, self_ps DESC;

--# scalar[*].last scalar[*].min scalar[*].max scalar[*].mean
-- Over the points of the tag in the default reading (the last write of a step counts); infinite ones in none but the last.
-- METRICS.md §8.
SELECT CASE :figure WHEN 'min' THEN min(CASE WHEN nonfinite IS NULL THEN value END) WHEN 'max' THEN max(CASE WHEN nonfinite IS NULL THEN value END)
  WHEN 'mean' THEN avg(CASE WHEN nonfinite IS NULL THEN value END)
  ELSE (SELECT CASE WHEN nonfinite IS NULL THEN value END FROM scalar WHERE run = :run AND tag = :part AND superseded = 0 ORDER BY step DESC LIMIT 1) END
  FROM scalar WHERE run = :run AND tag = :part AND superseded = 0;
SELECT step, value, nonfinite FROM scalar WHERE run = :run AND tag = :part AND superseded = 0 ORDER BY step;

--# capture.duration_ms
-- How long the longest capture of a host ran.
-- METRICS.md §1.
SELECT duration_ns / 1e6 FROM session WHERE session_id = :session;
SELECT name, start_ns, duration_ns / 1e6 AS ms, complete FROM session WHERE session_id = :session;

--# capture.events
-- Events of all hosts, absurd ones too. With --events none they were not kept.
-- METRICS.md §1.
SELECT count(*) FROM event JOIN line USING (line_id) JOIN host USING (host_id) WHERE session_id = :session;
SELECT plane, line.name AS line, count(*) AS events FROM event JOIN line USING (line_id) JOIN host USING (host_id) WHERE session_id = :session GROUP BY line_id ORDER BY events DESC;

--# capture.anomalies
-- Events whose times are absurd, and allocators whose tensors exceed their recorded peak. Absurd sizes count too, and are not in the rows.
-- METRICS.md §0, §6.
SELECT (SELECT count(*) FROM event JOIN line USING (line_id) JOIN host USING (host_id) WHERE session_id = :session AND absurd)
  + (SELECT count(*) FROM memory_at_peak WHERE session_id = :session AND op = '(over_counted)');
SELECT e.name, e.start_ps, e.dur_ps FROM event e JOIN line USING (line_id) JOIN host USING (host_id) WHERE session_id = :session AND absurd;

--# capture.dropped
-- Events that the profiler says it dropped.
-- METRICS.md §1.
SELECT value FROM metric WHERE session_id = :session AND host IS NULL AND name = 'capture.dropped';
SELECT host, value, reason FROM metric WHERE session_id = :session AND name = 'capture.dropped';
