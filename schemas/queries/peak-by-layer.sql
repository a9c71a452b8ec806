-- Memory at the peak by layer: what stands before the last / of the op
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT allocator, CASE WHEN instr(op, '/') THEN rtrim(rtrim(op, replace(op, '/', '')), '/') ELSE op END AS layer, sum(count) AS tensors, sum(bytes) AS bytes
  FROM memory_at_peak WHERE session_id = :session GROUP BY host_id, allocator, layer ORDER BY sum(bytes) DESC, layer LIMIT :n;
