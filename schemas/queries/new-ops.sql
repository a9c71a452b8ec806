-- Ops that only one of two sessions has
-- :base_session = latest~1 -- selector: before
-- :session = latest -- selector: after
SELECT CASE session_id WHEN :session THEN 'new' ELSE 'gone' END AS which, side, name, sum(count) AS executions, sum(self_ps) / 1e9 AS self_ms
  FROM op o WHERE session_id IN (:base_session, :session)
   AND NOT EXISTS (SELECT 1 FROM op p WHERE p.session_id = CASE o.session_id WHEN :session THEN :base_session ELSE :session END AND p.side = o.side AND p.name = o.name)
 GROUP BY session_id, side, name ORDER BY sum(self_ps) DESC, name;
