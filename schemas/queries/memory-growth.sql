-- Is memory lost from step to step: bytes allocated less bytes freed within each
-- :session = latest -- selector
SELECT s.number, m.allocator, sum(CASE m.kind WHEN 'alloc' THEN m.bytes ELSE -m.bytes END) AS kept_bytes, count(*) AS events
  FROM memory_event m JOIN step s ON s.step_id = m.step_id WHERE m.session_id = :session GROUP BY s.step_id, m.allocator ORDER BY s.number, m.allocator;
