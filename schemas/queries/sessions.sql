-- All sessions with their headline figures, newest first
SELECT s.session_id, r.name AS run, s.name AS session, s.complete,
       max(CASE m.name WHEN 'step_time_ms.mean' THEN m.value END) AS step_ms, max(CASE m.name WHEN 'input.share' THEN m.value END) AS input_share,
       max(CASE m.name WHEN 'device.idle_ratio.mean' THEN m.value END) AS idle, max(CASE m.name WHEN 'memory.peak_bytes' THEN m.value END) AS peak_bytes
  FROM session s JOIN run r ON r.run_id = s.run_id LEFT JOIN metric m ON m.session_id = s.session_id AND m.host IS NULL
 GROUP BY s.session_id ORDER BY s.start_ns DESC, s.session_id;
