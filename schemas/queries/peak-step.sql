-- The peak of each allocator: when, in which step, how near to what there is
-- :session = latest -- selector
SELECT a.name, a.peak_bytes, a.peak_ps / 1e9 AS at_ms, s.number AS step, a.capacity_bytes, 1.0 * a.peak_bytes / nullif(a.capacity_bytes, 0) AS filled, a.fragmentation
  FROM allocator a LEFT JOIN step s ON s.step_id = a.peak_step_id WHERE a.session_id = :session ORDER BY a.peak_bytes DESC, a.name;
