-- Kernels with most time
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT name, op, sum(count) AS count, sum(total_ps) / 1e9 AS ms, sum(total_ps) / 1e6 / sum(count) AS mean_us, max(max_ps) / 1e6 AS max_us, max(tensor_core) AS tensor_core
  FROM kernel WHERE session_id = :session GROUP BY name, op ORDER BY sum(total_ps) DESC, name LIMIT :n;
