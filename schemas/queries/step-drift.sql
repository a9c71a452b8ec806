-- Do steps get slower within a session: first half against second half
-- :session = latest -- selector
WITH s AS (SELECT step_ps, ntile(2) OVER (ORDER BY number) AS half FROM session_step WHERE session_id = :session AND steady)
SELECT half, count(*) AS steps, median(step_ps) / 1e9 AS median_ms, avg(step_ps) / 1e9 AS mean_ms FROM s GROUP BY half;
