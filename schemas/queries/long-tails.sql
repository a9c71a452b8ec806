-- Ops of which some executions take far longer than most, and the step of the worst one
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT o.name, o.count, o.p50_ps / 1e6 AS median_us, o.p99_ps / 1e6 AS p99_us, o.max_ps / 1e6 AS worst_us, s.number AS worst_in_step, o.excess_ps / 1e9 AS excess_ms
  FROM long_tail_op o LEFT JOIN step s ON s.step_id = o.max_step_id WHERE o.session_id = :session ORDER BY o.excess_ps DESC, o.name LIMIT :n;
