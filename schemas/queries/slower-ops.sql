-- Ops that got slower between two sessions, by time of an execution
-- :n = 20 -- how many
-- :base_session = latest~1 -- selector: before
-- :session = latest -- selector: after
WITH a AS (SELECT side, name, sum(self_ps) AS ps, sum(count) AS n FROM op WHERE session_id = :base_session GROUP BY side, name),
     b AS (SELECT side, name, sum(self_ps) AS ps, sum(count) AS n FROM op WHERE session_id = :session GROUP BY side, name)
SELECT b.side, b.name, a.ps / 1e6 / a.n AS before_us, b.ps / 1e6 / b.n AS after_us, (1.0 * b.ps / b.n) / nullif(1.0 * a.ps / a.n, 0) AS factor, (b.ps - a.ps) / 1e9 AS more_ms
  FROM b JOIN a ON a.side = b.side AND a.name = b.name
 WHERE a.n > 0 AND b.n > 0 AND b.name <> 'IDLE' AND 1.0 * b.ps / b.n > 1.0 * a.ps / a.n
 ORDER BY (1.0 * b.ps / b.n - 1.0 * a.ps / a.n) * b.n DESC, b.name LIMIT :n;
