-- Steps further than some median deviations above the median, and which part grew
-- :deviations = 5 -- how many median absolute deviations
-- :session = latest -- selector
WITH usual AS (SELECT median(step_ps) AS middle, mad(step_ps) AS spread FROM session_step WHERE session_id = :session AND steady),
     part AS (SELECT b.category, median(b.dur_ps) AS middle FROM session_step s JOIN step_breakdown b ON b.step_id = s.step_id
               WHERE s.session_id = :session AND s.steady GROUP BY b.category)
SELECT s.number, s.step_ps / 1e9 AS ms, usual.middle / 1e9 AS median_ms, b.category AS grew_most, max(b.dur_ps - part.middle) / 1e9 AS grew_ms
  FROM usual JOIN step s JOIN step_breakdown b ON b.step_id = s.step_id JOIN part ON part.category = b.category
 WHERE s.session_id = :session AND s.step_ps > usual.middle + :deviations * usual.spread
 GROUP BY s.step_id ORDER BY s.step_ps DESC, s.step_id;
