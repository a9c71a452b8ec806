-- Input wait of each step: length and share
-- :n = 20 -- how many, longest first
-- :session = latest -- selector
SELECT number, input_ps / 1e9 AS input_ms, step_ps / 1e9 AS ms, 1.0 * input_ps / nullif(step_ps, 0) AS share, stall_ps / 1e9 AS stall_ms
  FROM step WHERE session_id = :session AND input_ps IS NOT NULL ORDER BY input_ps DESC, step_id LIMIT :n;
