-- The longest events of a name, and the steps they lie in
-- :name = IteratorGetNext -- event.name, or a pattern of GLOB
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT e.event_id, l.name AS thread, e.name, e.start_ps / 1e9 AS at_ms, e.dur_ps / 1e6 AS us, s.number AS step
  FROM host h JOIN line l ON l.host_id = h.host_id JOIN event e ON e.event_id BETWEEN l.first_event_id AND l.last_event_id LEFT JOIN step s ON s.step_id = e.step_id
 WHERE h.session_id = :session AND e.name GLOB :name ORDER BY e.dur_ps DESC, e.event_id LIMIT :n;
