-- The slowest steps and the part that took most of each
-- :n = 10 -- how many
-- :session = latest -- selector
SELECT s.number, s.step_ps / 1e9 AS ms, s.warmup, b.category AS largest_part, max(b.dur_ps) / 1e9 AS part_ms, s.input_ps / 1e9 AS input_ms
  FROM step s LEFT JOIN step_breakdown b ON b.step_id = s.step_id
 WHERE s.session_id = :session GROUP BY s.step_id ORDER BY s.step_ps DESC, s.step_id LIMIT :n;
