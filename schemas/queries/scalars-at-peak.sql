-- The scalars of the run at the step of the memory peak: their last point up to it
-- :session = latest -- selector
SELECT a.name AS allocator, p.number AS peak_step, c.tag, max(c.step) AS step, c.value
  FROM allocator a JOIN step p ON p.step_id = a.peak_step_id JOIN session n ON n.session_id = a.session_id JOIN run r ON r.run_id = n.run_id
  JOIN scalar c ON c.run = r.name AND c.step <= p.number AND c.superseded = 0
 WHERE a.session_id = :session GROUP BY a.host_id, a.name, c.tag ORDER BY 1, c.tag;
