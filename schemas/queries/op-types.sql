-- Time by type of op
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT side, type, count(*) AS ops, sum(count) AS executions, sum(self_ps) / 1e9 AS self_ms
  FROM op WHERE session_id = :session AND name <> 'IDLE' GROUP BY side, type ORDER BY sum(self_ps) DESC, type LIMIT :n;
