-- Time by layer: what stands before the last / of an op's name
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT side, CASE WHEN instr(name, '/') THEN rtrim(rtrim(name, replace(name, '/', '')), '/') ELSE '(none)' END AS layer,
       count(*) AS ops, sum(count) AS executions, sum(self_ps) / 1e9 AS self_ms
  FROM op WHERE session_id = :session AND name <> 'IDLE' GROUP BY side, layer ORDER BY sum(self_ps) DESC, layer LIMIT :n;
