-- Distribution of the steady steps' times
-- :session = latest -- selector
SELECT count(*) AS steps, avg(step_ps) / 1e9 AS mean_ms, median(step_ps) / 1e9 AS median_ms, percentile(step_ps, 95) / 1e9 AS p95_ms,
       percentile(step_ps, 99) / 1e9 AS p99_ms, stddev(step_ps) / 1e9 AS stddev_ms, mad(step_ps) / 1e9 AS mad_ms
  FROM session_step WHERE session_id = :session AND steady;
