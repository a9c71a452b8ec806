-- Memory at its highest in each step
-- :session = latest -- selector
SELECT s.number, m.allocator, max(m.heap_bytes + coalesce(m.stack_bytes, 0)) AS bytes
  FROM step s JOIN memory_timeline m ON m.host_id = s.host_id AND m.ps >= s.start_ps AND m.ps < s.start_ps + s.step_ps
 WHERE s.session_id = :session AND m.session_id = :session GROUP BY s.step_id, m.allocator ORDER BY s.number, m.allocator;
