-- Time in which two or more streams of a device work at once
-- :session = latest -- selector
SELECT d.name AS device, count(DISTINCT l.line_id) AS streams, interval_union(e.start_ps, e.dur_ps) / 1e9 AS busy_ms, interval_intersection(e.start_ps, e.dur_ps, l.line_id) / 1e9 AS overlap_ms
  FROM host h CROSS JOIN line l ON l.host_id = h.host_id JOIN device d ON d.device_id = l.device_id CROSS JOIN event e ON e.event_id BETWEEN l.first_event_id AND l.last_event_id
 WHERE h.session_id = :session AND NOT l.derived AND NOT e.absurd AND e.start_ps IS NOT NULL GROUP BY d.device_id ORDER BY 1;
