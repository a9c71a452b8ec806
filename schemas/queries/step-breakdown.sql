-- Where the time of a steady step goes, on average
-- :session = latest -- selector
SELECT b.category, sum(b.dur_ps) / 1e9 / count(DISTINCT b.step_id) AS ms, 1.0 * sum(b.dur_ps) / nullif((SELECT sum(step_ps) FROM session_step WHERE session_id = :session AND steady), 0) AS share
  FROM session_step s JOIN step_breakdown b ON b.step_id = s.step_id
 WHERE s.session_id = :session AND s.steady GROUP BY b.category HAVING sum(b.dur_ps) > 0 ORDER BY 2 DESC, 1;
