-- What ran between two times, thread by thread: events that begin there, and those around the first of them
-- :from_ms = 0 -- from, ms of the session
-- :to_ms = 10 -- to
-- :n = 50 -- how many, longest first
-- :session = latest -- selector
WITH RECURSIVE goal(line_id, last_id, lo, hi, at) AS (
	SELECT l.line_id, l.last_event_id, l.first_event_id, l.last_event_id + 1, t.at FROM host h JOIN line l ON l.host_id = h.host_id
	  JOIN (SELECT :from_ms * 1e9 AS at UNION ALL SELECT :to_ms * 1e9) t WHERE h.session_id = :session AND l.first_event_id IS NOT NULL
	UNION ALL
	SELECT line_id, last_id, CASE WHEN (SELECT start_ps FROM event WHERE event_id = (lo + hi) / 2) < at THEN (lo + hi) / 2 + 1 ELSE lo END,
	       CASE WHEN (SELECT start_ps FROM event WHERE event_id = (lo + hi) / 2) < at THEN hi ELSE (lo + hi) / 2 END, at FROM goal WHERE lo < hi),
     span AS (SELECT line_id, min(lo) AS first_id, max(lo) AS end_id FROM goal WHERE lo = hi GROUP BY line_id),
     around(event_id) AS (SELECT event_id FROM span JOIN event USING (line_id) WHERE event_id = first_id - 1
	UNION SELECT e.parent_id FROM around JOIN event e ON e.event_id = around.event_id WHERE e.parent_id IS NOT NULL)
SELECT l.name AS thread, e.name, e.start_ps / 1e9 AS at_ms, e.dur_ps / 1e9 AS ms, e.self_ps / 1e9 AS self_ms, e.depth
  FROM (SELECT event_id FROM around UNION SELECT event_id FROM span CROSS JOIN event ON event_id >= first_id AND event_id < end_id) x
  JOIN event e ON e.event_id = x.event_id JOIN line l ON l.line_id = e.line_id
 WHERE e.start_ps + e.dur_ps >= :from_ms * 1e9 ORDER BY e.dur_ps DESC, e.event_id LIMIT :n;
