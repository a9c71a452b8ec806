-- Threads and streams: how many events, and how much of the session they span
-- :session = latest -- selector
SELECT h.name AS host, l.plane, l.name AS thread, l.last_event_id - l.first_event_id + 1 AS events,
       ((SELECT start_ps + dur_ps FROM event WHERE event_id = l.last_event_id) - (SELECT start_ps FROM event WHERE event_id = l.first_event_id)) / 1e9 AS span_ms
  FROM host h JOIN line l ON l.host_id = h.host_id WHERE h.session_id = :session ORDER BY 4 DESC, l.line_id;
