-- Busy time of each stream of the devices: union of its events
-- :session = latest -- selector
SELECT d.name AS device, l.name AS stream, count(*) AS events, interval_union(e.start_ps, e.dur_ps) / 1e9 AS busy_ms
  FROM host h CROSS JOIN line l ON l.host_id = h.host_id JOIN device d ON d.device_id = l.device_id CROSS JOIN event e ON e.event_id BETWEEN l.first_event_id AND l.last_event_id
 WHERE h.session_id = :session AND NOT l.derived AND NOT e.absurd AND e.start_ps IS NOT NULL GROUP BY l.line_id ORDER BY 4 DESC, 2;
