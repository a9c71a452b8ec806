-- Kernels so short that launching them costs more
-- :below_us = 10 -- mean time in microseconds
-- :session = latest -- selector
SELECT name, op, sum(count) AS count, sum(total_ps) / 1e6 / sum(count) AS mean_us, sum(total_ps) / 1e9 AS ms
  FROM kernel WHERE session_id = :session GROUP BY name, op HAVING sum(total_ps) / 1e6 / sum(count) < :below_us ORDER BY 3 DESC, name;
