-- Time between steps: period less step time, longest first
-- :n = 10 -- how many
-- :session = latest -- selector
SELECT host_id, number, (period_ps - step_ps) / 1e9 AS between_ms, period_ps / 1e9 AS period_ms, step_ps / 1e9 AS ms
  FROM step WHERE session_id = :session AND period_ps IS NOT NULL ORDER BY period_ps - step_ps DESC, step_id LIMIT :n;
