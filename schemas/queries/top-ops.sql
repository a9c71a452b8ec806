-- Ops with most time of their own
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT side, name, type, count, self_ps / 1e9 AS self_ms, 1.0 * self_ps / nullif(sum(self_ps) OVER (PARTITION BY side), 0) AS share
  FROM op WHERE session_id = :session AND name <> 'IDLE' ORDER BY self_ps DESC, name LIMIT :n;
