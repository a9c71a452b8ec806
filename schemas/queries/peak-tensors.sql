-- What holds the memory at the peak
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT allocator, op, shape, dtype, region, count, bytes, 1.0 * bytes / nullif(sum(bytes) OVER (PARTITION BY host_id, allocator), 0) AS share
  FROM memory_at_peak WHERE session_id = :session ORDER BY bytes DESC, op, shape LIMIT :n;
